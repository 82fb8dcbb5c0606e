"""The page in sentences: the answer, key figures, what the checks found, and where it is from.

Each function reads the facts as JSON has them and returns texts that are ready for the page: plain ones,
which the template escapes, or markup in which names have been escaped already. Names are data: signs that
are not seen, or that turn the direction of writing, are shown as their number; words from right to left are
kept apart.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HALF = re.compile("[\ud800-\udfff]")  # no text at all: half of a pair
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD_RUN = re.compile(f"[{_LEFTWARD}]+(?: +[{_LEFTWARD}]+)*")
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
    """A check of the rules: whether all is well, a sentence, examples, and all cases in words."""

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
    """One paragraph: how much is known, and how far it can be relied on."""
    overall, n = facts["overall"], len(facts["rules"])
    sentences = [_extent(facts)]
    several = n > 1 and not facts["policy"]["printed"]
    they, are, say = ("they", "are", "They say") if several else ("it", "is", "It says")
    where = f"On {amount(overall['n'])} {overall['part']}" if overall["n"] else f"On the {overall['part']}"
    strong = Markup("<strong>{}</strong>")
    if overall["rules_accuracy"] is not None:
        right = "get every label right of" if facts["policy"]["multi_label"] else f"{are} right about"
        sentences.append(
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
    sentences += _doubt(facts)
    if overall["black_box_accuracy"] is not None:
        sentences.append(f"The black box is right about {percent(overall['black_box_accuracy'])}.")
    by = overall["faithful_to"]
    if by and overall["joint_fidelity"] is not None:
        does = "do" if by == "the clusters" else "says"
        same = strong.format(percent(overall["joint_fidelity"]))
        sentences.append(Markup("{} what {} {} about {}.").format(say, by, does, same))
    elif by and overall["fidelity_plain"] is not None:
        sentences.append(
            Markup("A rule agrees with {} on {}, on average.").format(
                by, strong.format(percent(overall["fidelity_plain"]))
            )
        )
    sentences += _marks(facts)
    return Markup(" ").join(sentences)


def _extent(facts: Mapping[str, Any]) -> str:
    """How many steps or rules there are, and how long; where there are none for some classes, of how many."""
    policy = facts["policy"]
    if policy["printed"]:
        steps, literals = len(policy["steps"]), sum(step["literals"] for step in policy["steps"])
        if not steps:
            return "No rule was found: the answer is always the same."
        words = "one step" if steps == 1 else f"{amount(steps)} steps"
        return f"A list of {words} with {amount(literals)} literal{'' if literals == 1 else 's'}."
    lengths = [rule["scores"]["literals"] for rule in facts["rules"] if rule["tree"]["op"] != "false"]
    n, found = len(facts["rules"]), len(lengths)
    each, every = ("cluster", "clusters") if facts["kind"] == "cluster" else ("class", "classes")
    if not found:
        return "No rule was found." if n == 1 else f"No rule was found for any of {amount(n)} {every}."
    length = amount(facts["overall"]["complexity"] if found == n else sum(lengths) / found)
    literals = f"{length} {'literal' if length == '1' else 'literals'}"
    if found < n:
        others = f"the other has {literals}" if found == 1 else f"the others have {literals} on average"
        if not any(lengths):
            others = "the other is always true" if found == 1 else "the others are always true"
        return f"No rule was found for {amount(n - found)} of {amount(n)} {every}; {others}."
    if n == 1:
        return f"One rule of {literals}."
    several = _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"
    return f"{several} rules, one for each {each}, of {literals} on average."


def _doubt(facts: Mapping[str, Any]) -> list[Markup]:
    """A sentence where rules are right no more often than a guess, and whether they know more than it.

    The guess is always what is most common.
    """
    overall = facts["overall"]
    right, guess, what = overall["rules_accuracy"], overall["baseline"], "class"
    if right is None and facts["task"] == "black box" and overall["confusion"] is not None:
        counts = overall["confusion"]["counts"]  # rows are its answers
        right = sum(row[at] for at, row in enumerate(counts)) / overall["n"]
        guess, what = max(map(sum, counts)) / overall["n"], "answer"
    if right is None or guess is None or right > guess:
        return []
    decided = name(facts["target"])
    if what == "class" and (lifted := _lifts(facts["rules"])):
        most = max(lifted, key=lambda label: lifted[label])
        text = Markup(
            "A guess is right as often or more, but knows less: "
            "{} is {} times as common where its rule holds."
        )
        return [text.format(name(most), amount(lifted[most]))]
    if what == "class":
        text = Markup("<strong>That is no better than a guess</strong>: these columns may not decide {}.")
        return [text.format(decided)]
    text = Markup(
        "Together the rules meet {} of the answers of the black box; always the most common one, {}. "
        "<strong>That is no better than a guess</strong>: these columns may not decide {}."
    )
    return [text.format(percent(right), percent(guess), decided)]


def _lifts(rules: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """How many times as common each class is where its rule holds, if that is more than chance."""
    found = {}
    for rule in rules:
        precision, recall, coverage = (rule["scores"][rate] for rate in ("precision", "recall", "coverage"))
        if precision["low"] is not None and recall["value"]:
            lift = recall["value"] / coverage["value"]
            if precision["low"] * lift > precision["value"]:
                found[rule["label"]] = lift
    return found


def _marks(facts: Mapping[str, Any]) -> list[str | Markup]:
    """How many rows the default decides."""
    overall = facts["overall"]
    uncovered = overall["n_uncovered"]
    if uncovered is None or facts["policy"]["multi_label"]:
        return []
    if len(facts["rules"]) == 1:
        return [f"It is true of {amount(overall['n'] - uncovered)} of {amount(overall['n'])} rows."]
    if not uncovered:
        return ["The default decides no row."]
    return [Markup("The default, {}, decides {}.").format(name(facts["policy"]["default"]), _rows(uncovered))]


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{amount(n)} rows"


_CONDITIONS = {
    "iff": "a necessary and sufficient condition",
    "if": "a necessary condition",
    "only_if": "a sufficient condition",
    "cluster": "a necessary condition",
}


def kind_note(facts: Mapping[str, Any]) -> str:
    """The end of sentences that names the kind of condition; the page states it once for all."""
    return f" ({_CONDITIONS[facts['kind']]})"


def speaker(facts: Mapping[str, Any]) -> str:
    """Whose answers the rules state."""
    if facts["task"] == "cluster":
        return "the clusters"
    if facts["task"] == "black box":
        return "the black box"
    return "the network" if facts["provenance"]["network"] or facts["overall"]["faithful_to"] else "the model"


def lead_in(facts: Mapping[str, Any]) -> str:
    """A line before the rules in words: they are about the predictions of a model, not about the truth."""
    by = speaker(facts)
    if facts["task"] == "cluster":
        return "As the clusters were made:"
    if facts["policy"]["printed"]:
        return "The rules decide:"
    return f"{by.capitalize()} says:" if facts["kind"] == "iff" else f"As {by} sees it:"


_STATED = {
    "iff": "when {by} says {which}",
    "if": "what holds whenever {by} says {which}",
    "only_if": "what is enough for {by} to say {which}",
    "cluster": "what holds of the rows that were put into {which}",
}


def meaning(facts: Mapping[str, Any]) -> str:
    """What the rules state, and where it stands how often that is right."""
    by, against = speaker(facts), facts["overall"]["against"]
    one = len(facts["rules"]) == 1
    each = "cluster" if facts["task"] == "cluster" else "class"
    stated = _STATED[facts["kind"]].format(by=by, which=f"the {each}" if one else f"a {each}")
    text = f"{'The rule states' if one else 'The rules state'} {stated}"
    if facts["task"] == "cluster":
        return f"{text}; how often that is so stands in precision and recall." if against else f"{text}."
    if facts["policy"]["printed"]:
        text = "Each rule states when the list decides for its class"
    if not against:
        return f"{text}, not when it is so."
    if against == "the truth":
        return f"{text}; how often that is right stands in precision and recall."
    return f"{text}, not when it is so; precision and recall compare with the answers of {against}."


_LIMITED = re.compile(r"(.*) within max_literals=(\d+)")


def status_words(status: str) -> str:
    """How a rule was found, in words that do not speak of settings.

    Examples
    --------
    >>> status_words("best found within max_literals=10")
    'the best found of at most 10 literals'
    >>> status_words("proved minimal")
    'proved minimal'
    """
    limited = _LIMITED.fullmatch(status)
    if limited is None:
        return status
    how = "the best found" if limited[1] == "best found" else f"{limited[1]},"
    return f"{how} of at most {limited[2]} literal{'' if limited[2] == '1' else 's'}"


def figures(facts: Mapping[str, Any]) -> list[Figure]:
    """The data and the scores at a glance."""
    data, overall = facts["data"], facts["overall"]
    in_rules = sum(column["used"] for column in data["columns"])
    left_out = len(data["dropped"]) + data["n_dropped_left_out"]
    parts = [
        (data["n_train"], "for training"),
        (data["n_held_out"], "held out"),
    ]
    found = []
    if data["n_rows"] is not None:
        split = ", ".join(f"{amount(n)} {words}".replace(" ", "\u00a0") for n, words in parts if n)
        found.append(Figure("Rows", amount(data["n_rows"]), split))
    used = amount(data["n_columns"] - left_out) + (f" of {amount(data['n_columns'])}" if left_out else "")
    found.append(Figure("Columns used", used, f"{in_rules} in a rule" if data["columns"] else ""))
    found.append(Figure("Clusters" if facts["kind"] == "cluster" else "Classes", amount(len(facts["rules"]))))
    rates = [
        (
            "Accuracy of the rules",
            overall["rules_accuracy"],
            _beside(overall["baseline"], facts["policy"]["multi_label"]),
        ),
        ("Accuracy of the network", overall["network_accuracy"], ""),
        ("Accuracy of the black box", overall["black_box_accuracy"], ""),
    ]
    if overall["joint_fidelity"] is not None:
        rates.append(
            (f"Fidelity to {overall['faithful_to']}", overall["joint_fidelity"], "of the rules together")
        )
    else:
        rates.append(
            (f"Agreement with {overall['faithful_to']}", overall["fidelity_plain"], "a rule, on average")
        )
    found += [Figure(words, percent(rate), note) for words, rate, note in rates if rate is not None]
    silent = any(rule["tree"]["op"] == "false" for rule in facts["rules"])
    averaged = "a rule, on average; 0 where there is none" if silent else "a rule, on average"
    if facts["policy"]["printed"]:
        of_list = sum(step["literals"] for step in facts["policy"]["steps"])
        found.append(Figure("Literals", amount(of_list), "of the list"))
    else:
        found.append(Figure("Literals", amount(overall["complexity"]), averaged))
    return found


def _beside(baseline: float | None, multi_label: bool) -> str:
    """A few words on the accuracy of the rules."""
    if baseline is None:
        return "about every label of a row" if multi_label else ""
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


def visible(text: str) -> str:
    r"""Return text with signs shown that are not seen, or that turn the direction of writing.

    Examples
    --------
    >>> visible("a\u202eb"), visible("café\n")
    ('a⟨202E⟩b', 'café\n')
    """
    return _HALF.sub("\ufffd", _UNSEEN.sub(lambda found: f"⟨{ord(found[0]):04X}⟩", text))


def isolated(text: str) -> Markup:
    """Escape text, and put words written from right to left into elements of their own.

    Examples
    --------
    >>> print(isolated("<b> or שלום"))
    &lt;b&gt; or <bdi>שלום</bdi>
    """
    escaped = str(escape(visible(text)))
    return Markup(_LEFTWARD_RUN.sub(lambda found: f"<bdi>{found[0]}</bdi>", escaped))


def led_by(text: str, label: str) -> Markup:
    """Isolate a sentence, and set the label off that it begins with, if it does.

    Examples
    --------
    >>> print(led_by("bird if wings", "bird"), led_by("class 0 if fins", "0"), led_by("No case is 0", "0"))
    <strong>bird</strong> if wings <strong>class 0</strong> if fins No case is 0
    """
    for start in (label, f"“{label}”", f"class {label}"):
        if text.startswith(f"{start} "):
            return Markup("<strong>{}</strong>{}").format(isolated(start), isolated(text[len(start) :]))
    return isolated(text)


def name(text: str) -> Markup:
    """Escape a name, and keep its direction of writing to itself.

    Examples
    --------
    >>> print(name("<b>"))
    <bdi>&lt;b&gt;</bdi>
    """
    return Markup("<bdi>{}</bdi>").format(visible(text))


def inert(text: str) -> str:
    r"""Return JSON that cannot end the element it stands in.

    Examples
    --------
    >>> print(inert('"</script>"'))
    "\u003c/script>"
    """
    return text.replace("<", r"\u003c")


def script_hash(script: str) -> str:
    """Return how a content security policy names a script.

    Examples
    --------
    >>> script_hash("alert(1)")
    'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='
    """
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
