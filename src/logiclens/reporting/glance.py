"""What the page says in its own words: the answer, key figures, what the checks found, and where it is from.

Each function reads the facts as JSON has them and returns texts that are ready for the page: plain ones,
which the template escapes, or markup in which names have been escaped already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from logiclens.reporting.escaping import isolated, name

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_SOME = 3
"""Labels that a sentence lists; of more it gives the number."""


@dataclass(frozen=True)
class Figure:
    """A number with its name, and a few words on it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Finding:
    """What a check of the rules says: whether all is well, a sentence, examples, and all cases in words."""

    good: bool
    text: Markup
    examples: tuple[Markup, ...] = ()
    all: Markup | None = None


def percent(rate: float | None) -> str:
    """Return a rate as people read it; only all is 100%, and only none is 0%.

    Examples
    --------
    >>> percent(0.9333), percent(1.0), percent(0.99996), percent(None)
    ('93.3%', '100%', '>99.9%', '–')
    """
    if rate is None:
        return "–"
    text = f"{100 * rate:.1f}".removesuffix(".0")
    if text in ("0", "100") and rate not in (0, 1):
        text = "<0.1" if text == "0" else ">99.9"
    return f"{text}%"


def amount(number: float | None) -> str:
    """Return a number as people read it.

    Examples
    --------
    >>> amount(12000), amount(3.25), amount(None)
    ('12,000', '3.2', '–')
    """
    return "–" if number is None else f"{number:,.1f}".removesuffix(".0")


def answer(facts: Mapping[str, Any]) -> Markup:
    """One paragraph: how much there is to say, and how far it can be relied on."""
    overall, n = facts["overall"], len(facts["rules"])
    several = _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"
    length = amount(overall["complexity"])
    literals = f"{length} {'literal' if length == '1' else 'literals'}"
    each = "cluster" if facts["kind"] == "cluster" else "class"
    said = [
        f"{several} rules, one for each {each}, of {literals} on average."
        if n > 1
        else f"One rule of {literals}."
    ]
    they, are, agree = ("they", "are", "On average a rule agrees") if n > 1 else ("it", "is", "It agrees")
    where = f"On {amount(overall['n'])} {overall['part']}" if overall["n"] else f"On the {overall['part']}"
    strong = Markup("<strong>{}</strong>")
    if overall["rules_accuracy"] is not None:
        right = "get every label right of" if facts["policy"]["multi_label"] else f"{are} right about"
        said.append(
            Markup("{} {} {} {}").format(
                where, they, right, strong.format(percent(overall["rules_accuracy"]))
            )
            + "".join(
                f"; {who} {right.split()[-1]} {percent(overall[rate])}"
                for who, rate in (
                    ("the network", "network_accuracy"),
                    ("always the most common class", "baseline"),
                )
                if overall[rate] is not None
            )
            + "."
        )
    if overall["black_box_accuracy"] is not None:
        said.append(f"The black box is right about {percent(overall['black_box_accuracy'])}.")
    if overall["fidelity_plain"] is not None and overall["faithful_to"]:
        said.append(
            Markup("{} with {} on {}.").format(
                agree, overall["faithful_to"], strong.format(percent(overall["fidelity_plain"]))
            )
        )
    said += _marked(facts)
    return Markup(" ").join(said)


def _marked(facts: Mapping[str, Any]) -> list[str]:
    """On how many rows one rule is true, several are, or none."""
    overall = facts["overall"]
    uncovered, conflicts = overall["n_uncovered"], overall["n_conflicts"]
    if uncovered is None or conflicts is None or facts["policy"]["multi_label"]:
        return []
    if len(facts["rules"]) == 1:
        return [f"It is true of {amount(overall['n'] - uncovered)} of {amount(overall['n'])} rows."]
    if not uncovered and not conflicts:
        return ["Exactly one rule is true of each row."]
    if not uncovered:
        return [f"More than one rule is true of {_rows(conflicts)}."]
    several = f", more than one of {amount(conflicts)}" if conflicts else ""
    return [f"No rule is true of {_rows(uncovered)}{several}."]


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{amount(n)} rows"


_CONDITIONS = {
    "iff": "a necessary and sufficient condition",
    "if": "a necessary condition",
    "only_if": "a sufficient condition",
    "cluster": "a necessary condition",
}


def kind_note(facts: Mapping[str, Any]) -> str:
    """What sentences end with to say which kind of condition the rule is; the page says it once for all."""
    return f" ({_CONDITIONS[facts['kind']]})"


def figures(facts: Mapping[str, Any]) -> list[Figure]:
    """The data and the scores at a glance."""
    data, overall = facts["data"], facts["overall"]
    used = sum(column["used"] for column in data["columns"])
    parts = [
        (data["n_train"], "for training"),
        (data["n_held_out"], "held out"),
    ]
    found = []
    if data["n_rows"] is not None:
        split = ", ".join(f"{amount(n)} {words}".replace(" ", "\u00a0") for n, words in parts if n)
        found.append(Figure("Rows", amount(data["n_rows"]), split))
    found.append(Figure("Columns", amount(data["n_columns"]), f"{used} in a rule" if data["columns"] else ""))
    found.append(Figure("Clusters" if facts["kind"] == "cluster" else "Classes", amount(len(facts["rules"]))))
    rates = [
        (
            "Rules are right",
            overall["rules_accuracy"],
            _beside(overall["baseline"], facts["policy"]["multi_label"]),
        ),
        ("Network is right", overall["network_accuracy"], "accuracy"),
        ("Black box is right", overall["black_box_accuracy"], "accuracy"),
        ("Rules agree", overall["fidelity_plain"], f"with {overall['faithful_to']}"),
    ]
    found += [Figure(words, percent(rate), note) for words, rate, note in rates if rate is not None]
    found.append(Figure("Literals", amount(overall["complexity"]), "a rule, on average"))
    return found


def _beside(baseline: float | None, multi_label: bool) -> str:
    """A few words on the accuracy of the rules."""
    if baseline is None:
        return "about every label of a row" if multi_label else "accuracy"
    return f"most common class: {percent(baseline)}"


def findings(facts: Mapping[str, Any]) -> list[Finding]:
    """What there is to know about the rules together, whatever the data are."""
    check = facts["check"]
    found = []
    if not facts["policy"]["multi_label"] and len(facts["rules"]) > 1:
        found.append(_conflicts(check, facts["kind"]))
    if not facts["policy"]["multi_label"] or check["uncovered"] is not None:
        found.append(_gaps(check, facts["kind"], facts["policy"]["default"]))
    for labels, word, good in ((check["always"], "always", False), (check["never"], "never", False)):
        if labels:
            found.append(Finding(good, Markup("{} {} true.").format(_rules_of(labels), word)))
    if not check["always"] and not check["never"]:
        found.append(Finding(True, Markup("No rule is always true, and none is never true.")))
    return found


_NECESSARY = ("if", "cluster")


def _conflicts(check: Mapping[str, Any], kind: str) -> Finding:
    if check["conflicts"] is None:
        return Finding(
            False, Markup("Whether two rules can be true of the same row was too much work to find out.")
        )
    if not check["conflicts"]:
        return Finding(True, Markup("No two rules can be true of the same row."))
    n = check["n_conflicts"] or len(check["conflicts"])
    pairs = "pair of rules can" if n == 1 else "pairs of rules can"
    examples = tuple(
        Markup("{} and {}, for example: {}").format(
            name(pair["labels"][0]), name(pair["labels"][1]), isolated(pair["example"])
        )
        for pair in check["conflicts"]
    )
    allowed = ", which necessary conditions may" if kind in _NECESSARY else ""
    text = Markup("{} {} both be true of a row{}.").format(amount(n), pairs, allowed)
    return Finding(bool(allowed), text, examples)


def _gaps(check: Mapping[str, Any], kind: str, default: str | None) -> Finding:
    gap = check["uncovered"]
    if gap is not None:
        allowed = ", which sufficient conditions may leave" if kind == "only_if" else ""
        text = Markup("There can be rows that no rule covers{}.").format(allowed)
        if default is not None:
            text += Markup(" They are taken for {}.").format(name(default))
        examples = (Markup("for example: {}").format(isolated(gap["example"])),) if gap["example"] else ()
        if gap["example"] == gap["text"]:  # one case, which is the example
            return Finding(bool(allowed), text, (isolated(gap["text"]),))
        return Finding(bool(allowed), text, examples, isolated(gap["text"]))
    if check["covered"]:
        return Finding(True, Markup("Every row is covered by a rule."))
    return Finding(False, Markup("Whether every row is covered by a rule was too much work to find out."))


def _rules_of(labels: list[str]) -> Markup:
    if len(labels) == 1:
        return Markup("The rule of {} is").format(name(labels[0]))
    listed = Markup(", ").join(map(name, labels[:_SOME]))
    more = f" and {len(labels) - _SOME} more" if len(labels) > _SOME else ""
    return Markup("The rules of {}{} are").format(listed, more)


def provenance(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of what an audit needs, without those that are not known."""
    given, data = facts["provenance"], facts["data"]
    packages = ", ".join(f"{package} {version}" for package, version in given["packages"].items())
    listed = [
        ("Command", given["command"]),
        ("Data", data["name"]),
        ("SHA-256 of the data", given["data_sha256"]),
        ("SHA-256 of the rules", given["rules_sha256"]),
        ("Network", given["network"]),
        ("Seed", given["seed"]),
        ("Made", given["created"]),
        ("logiclens", given["version"]),
        ("Python", given["python"]),
        ("Packages", packages),
    ]
    return [(words, str(value)) for words, value in listed if value not in (None, "")]
