"""The report as one HTML file that needs nothing else: no network, no fonts, no libraries.

The template is ``page/page.html``; ``page/style.css`` and ``page/script.js`` are put into it. Every text is
escaped, and the page's own policy lets no script run but the one whose hash it names, so that the names of
columns and classes may be anything.

The small pictures are worked out here as places, sizes and words, which the template draws and escapes:
conditions as chips, the front as a chart, counts as shades.

Functions that write sentences read the facts as JSON has them and return texts that are ready for the page:
plain ones, which the template escapes, or markup in which names have been escaped already. Names are data:
signs that are not seen, or that turn the direction of writing, are shown as their number; words from right to
left are kept apart.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from logiclens.concepts.concept import value_text

if TYPE_CHECKING:
    from logiclens.reporting._facts import Facts

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
    they, get, agree = ("they", "get", "They agree") if several else ("it", "gets", "It agrees")
    rows = f"{amount(overall['n'])} {overall['part']}" if overall["n"] else f"the {overall['part']}"
    strong = Markup("<strong>{}</strong>")
    if overall["rules_accuracy"] is not None:
        what = "every label of " if facts["policy"]["multi_label"] else ""
        sentences.append(
            Markup("Of {}, {} {} {}{} right").format(
                rows, they, get, what, strong.format(percent(overall["rules_accuracy"]))
            )
            + "".join(
                f"; {who} {percent(overall[rate])}"
                for who, rate in (
                    ("the network", "network_accuracy"),
                    ("the most common class alone", "baseline"),
                )
                if overall[rate] is not None
            )
            + "."
        )
    sentences += _doubt(facts)
    if overall["black_box_accuracy"] is not None:
        sentences.append(f"The black box is right on {percent(overall['black_box_accuracy'])}.")
    by = overall["faithful_to"]
    if by and overall["joint_fidelity"] is not None:
        same = strong.format(percent(overall["joint_fidelity"]))
        sentences.append(Markup("{} with {} on {}.").format(agree, by, same))
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
        return f"{text}; precision and recall say how often that is so." if against else f"{text}."
    if facts["policy"]["printed"]:
        text = "Each rule states when the list decides for its class, as far as the rows it was found on show"
    if not against:
        return f"{text}, not when it is so."
    if against == "the truth":
        return f"{text}; precision and recall say how often that is right."
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


_FIRST_PATTERNS = 2
_LONGEST_ANSWER = 1_200
"""Characters of all sentences together up to which they stand at the head of the page."""


def render(facts: Facts) -> str:
    """Write a report as HTML.

    Returns
    -------
    str
        One HTML document. Its element ``facts`` holds the facts as JSON.

    Examples
    --------
    >>> from logiclens import Explanation, ExplanationSet, Rule, Var
    >>> from logiclens.reporting import report
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("<wings>")))], ["<wings>", "fins"])
    >>> page = render(report(rules).facts)
    >>> page.startswith("<!DOCTYPE html>"), "<wings>" in page
    (True, False)
    """
    text = facts.to_json()
    given = json.loads(text)
    chips = [chip(concept, given["inputs"]) for concept in given["concepts"]]
    script = _part("script.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            facts=given,
            answer=answer(given),
            figures=figures(given),
            findings=findings(given),
            kind_note=kind_note(given),
            lead_in=lead_in(given),
            meaning=meaning(given),
            status_words=status_words,
            provenance=provenance(given),
            literals=lambda tree: literals(tree, given["concepts"], chips),
            picture=front_picture(given["lengths"]),
            home=next((at for at, length in enumerate(given["lengths"]) if length["chosen"]), 0),
            first_patterns=_first_patterns,
            rest_of=lambda listed, first: [pattern for pattern in listed if pattern not in first],
            lines_of=lambda logic: lines_of(logic, given["kind"]),
            in_short=0 < sum(map(len, _sentences(given))) <= _LONGEST_ANSWER,
            rows_called="cluster" if given["task"] == "cluster" else "class",
            percent=percent,
            shades=shades,
            style=Markup(_part("style.css")),
            script=Markup(script),
            script_hash=Markup(script_hash(script)),
            json=Markup(inert(text)),
            chips_json=Markup(inert(json.dumps([*map(asdict, chips)]))),
        )
    )


def _sentences(given: Mapping[str, Any]) -> list[str]:
    """The list in words, or the rules where they are not printed as one."""
    policy = given["policy"]
    if policy["printed"]:
        return [*(step["sentence"] for step in policy["steps"]), policy["default_sentence"]]
    return [rule["sentence"] for rule in given["rules"]]


def _first_patterns(patterns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first few of each kind; the page shows the others on demand."""
    seen: Counter[str] = Counter()
    first = []
    for pattern in patterns:
        seen[pattern["kind"]] += 1
        if seen[pattern["kind"]] <= _FIRST_PATTERNS:
            first.append(pattern)
    return first


def _plain(value: object) -> str:
    """A cell of a table, as people write it."""
    return value_text(value) if isinstance(value, float) else str(value)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=DictLoader({"page.html": _part("page.html")}),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters["isolated"] = isolated
    environment.filters["led_by"] = led_by
    environment.filters["plain"] = _plain
    environment.filters["without"] = str.removesuffix
    environment.filters["capitalized"] = lambda text: text[:1].upper() + text[1:]
    return environment


@cache
def _part(name: str) -> str:
    """One of the files that the page is made of; its lines end as HTML reads them."""
    return resources.files("logiclens.reporting").joinpath("page", name).read_text(encoding="utf-8")


_WIDTH, _HEIGHT = 400.0, 232.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 12.0, 28.0, 44.0


@dataclass(frozen=True)
class Chip:
    """A condition in two parts: the column, and what is required of its value, which may be nothing.

    Attributes
    ----------
    column : str
    yes, no : str
        What is required where the concept is true, and where it is false.
    gap : bool, optional
        The truth of the concept where the value is missing; None where it never is.
    about_gap : bool
        Whether nothing is required but that there is a value.
    """

    column: str
    yes: str
    no: str
    gap: bool | None = None
    about_gap: bool = False


def chip(concept: Mapping[str, Any], inputs: Sequence[Mapping[str, Any]]) -> Chip:
    """Return a concept as a chip.

    Examples
    --------
    >>> age = {"column": 0, "test": {"kind": "above", "cut": 62.0}, "or_missing": False}
    >>> chip(age, [{"name": "age", "kind": "number", "optional": True}])
    Chip(column='age', yes='> 62', no='≤ 62', gap=False, about_gap=False)
    """
    column = inputs[concept["column"]]
    test = concept["test"]
    if column["kind"] == "score":
        return Chip(column["name"], "yes", "no")
    if test["kind"] == "missing":
        return Chip(column["name"], "is missing", "is known", True, about_gap=True)
    return Chip(column["name"], *_requirement(test), concept["or_missing"] if column["optional"] else None)


def _requirement(test: Mapping[str, Any]) -> tuple[str, str]:
    match test["kind"]:
        case "flag":
            return "yes", "no"
        case "above":
            return f"> {value_text(test['cut'])}", f"≤ {value_text(test['cut'])}"
        case "at_most":
            return f"≤ {value_text(test['cut'])}", f"> {value_text(test['cut'])}"
        case "between":
            low, high = value_text(test["low"]), value_text(test["high"])
            return f"> {low} and ≤ {high}", f"≤ {low} or > {high}"
    values = [value_text(value) for value in test["values"]]
    if len(values) == 1:
        return f"= {values[0]}", f"≠ {values[0]}"
    return f"∈ {{{', '.join(values)}}}", f"∉ {{{', '.join(values)}}}"


@dataclass(frozen=True)
class Literal:
    """A condition as it stands in a term: the column, and what is required of its value."""

    column: str
    asked: str


def literals(
    tree: Mapping[str, Any], concepts: Sequence[Mapping[str, Any]], chips: Sequence[Chip]
) -> list[Literal]:
    """Conditions of a term, without repetition; a part of it that is no literal is one condition, in words.

    Where one condition takes a value for granted, none of the same column speaks of missing ones, as
    :func:`logiclens.concepts.vocabulary.join_conditions` has it.
    """
    parts = tree["args"] if tree["op"] == "and" else [tree]
    signs = [_sign(part, chips) for part in parts]
    known = {sign.column for sign, positive in filter(None, signs) if sign.gap not in (None, positive)}
    compared = {sign.column for sign, _ in filter(None, signs) if not sign.about_gap}
    found = []
    for part, signed in zip(parts, signs, strict=True):
        if signed is None:
            found.append(Literal(in_words(part, concepts), ""))
            continue
        sign, positive = signed
        if sign.about_gap and not positive and sign.column in compared:
            continue
        gap = sign.gap is positive and not sign.about_gap and sign.column not in known
        found.append(
            Literal(sign.column, (sign.yes if positive else sign.no) + (" or missing" if gap else ""))
        )
    return found


def _sign(tree: Mapping[str, Any], chips: Sequence[Chip]) -> tuple[Chip, bool] | None:
    """The chip of a literal, and whether it is positive; None of what is no literal."""
    positive = tree["op"] == "var"
    if not positive and (tree["op"] != "not" or tree["arg"]["op"] != "var"):
        return None
    return chips[(tree if positive else tree["arg"])["concept"]], positive


def in_words(tree: Mapping[str, Any], concepts: Sequence[Mapping[str, Any]]) -> str:
    """A tree in plain English, with parentheses around all that is joined."""
    match tree["op"]:
        case "true":
            return "always"
        case "false":
            return "never"
        case "var":
            return str(concepts[tree["concept"]]["words"])
        case "not" if tree["arg"]["op"] == "var":
            return str(concepts[tree["arg"]["concept"]]["words_not"])
        case "not":
            return f"not {in_words(tree['arg'], concepts)}"
    joined = f" {tree['op']} ".join(in_words(part, concepts) for part in tree["args"])
    return f"({joined})"


@dataclass(frozen=True)
class Line:
    """A rate of rules of every length: its name, its points in the plane of an SVG, the path through them."""

    name: str
    points: tuple[tuple[float, float, int, float], ...]
    path: str


@dataclass(frozen=True)
class FrontPicture:
    """Rates against literals.

    Attributes
    ----------
    width, height : float
    lines : tuple of Line
        Accuracy and fidelity, as far as they are known; a point has its place, the place of its length on the
        front, and its rate.
    band : str
        Path around the interval of the accuracy; empty where it is not known.
    literal_marks, rate_marks : tuple of (float, str)
    """

    width: float
    height: float
    lines: tuple[Line, ...]
    band: str
    literal_marks: tuple[tuple[float, str], ...]
    rate_marks: tuple[tuple[float, str], ...]
    left: float = _LEFT
    right: float = _WIDTH - _RIGHT
    bottom: float = _HEIGHT - _BOTTOM


def front_picture(lengths: Sequence[Mapping[str, Any]]) -> FrontPicture | None:
    """Place rules of every length; None where there are fewer than two, or none was scored.

    Examples
    --------
    >>> short = {"literals": 0, "accuracy": {"value": 0.5, "low": 0.4, "high": 0.6}, "fidelity": 0.6}
    >>> long = {"literals": 2, "accuracy": {"value": 0.9, "low": 0.8, "high": 1.0}, "fidelity": 1.0}
    >>> [line.path for line in front_picture([short, long]).lines]
    ['M40,161.33 L388,54.67', 'M40,134.67 L388,28']
    """
    named = {
        "accuracy": [length["accuracy"]["value"] for length in lengths],
        "fidelity": [length["fidelity"] for length in lengths],
    }
    rates = {name: values for name, values in named.items() if None not in values}
    if len(lengths) < 2 or not rates:
        return None
    spread = [length["accuracy"] for length in lengths if length["accuracy"]["low"] is not None]
    least = float(min(min(map(min, rates.values())), *(each["low"] for each in spread), 0.99))
    most_literals = max(length["literals"] for length in lengths) or 1
    step = next(step for step in (0.002, 0.01, 0.02, 0.05, 0.1, 0.2) if 1 - least <= 6 * step or step == 0.2)
    base = math.floor(least / step + 1e-9) * step
    rate_marks = [base + step * n for n in range(round((1 - base) / step) + 1)]

    def x(literals: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * literals / most_literals, 2)

    def y(rate: float) -> float:
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (rate - base) / (1 - base), 2)

    def path(places: Sequence[tuple[float, float]]) -> str:
        return "M" + " L".join(f"{across:g},{down:g}" for across, down in places)

    lines = []
    for name, values in rates.items():
        points = [
            (x(length["literals"]), y(rate), at, rate)
            for at, (length, rate) in enumerate(zip(lengths, values, strict=True))
        ]
        lines.append(Line(name, tuple(points), path([point[:2] for point in points])))
    band = ""
    if "accuracy" in rates and len(spread) == len(lengths):
        high, low = (
            [(x(length["literals"]), y(length["accuracy"][end])) for length in lengths]
            for end in ("high", "low")
        )
        band = f"{path([*high, *reversed(low)])} Z"
    return FrontPicture(
        _WIDTH,
        _HEIGHT,
        tuple(lines),
        band,
        tuple((x(mark), f"{mark:g}") for mark in marks(most_literals, whole=True)),
        tuple((y(mark), f"{100 * mark:.1f}".removesuffix(".0") + "%") for mark in rate_marks),
    )


def marks(most: float, *, whole: bool = False) -> list[float]:
    """Round numbers from 0 to about ``most``, three to six of them.

    Examples
    --------
    >>> marks(17), marks(3, whole=True)
    ([0.0, 5.0, 10.0, 15.0], [0.0, 1.0, 2.0, 3.0])
    """
    step = 10.0 ** math.floor(math.log10(most / 5)) if most > 0 else 1.0
    while most / step > 5:
        step *= 2.5 if f"{step:e}".startswith("2") else 2
    if whole:
        step = max(1.0, math.ceil(step))
    return [round(step * place, 12) for place in range(int(most / step + 1e-9) + 1)]


def shades(counts: Sequence[Sequence[int]]) -> list[list[float]]:
    """How dark each cell of a table of counts is: its share of its row, in [0, 1]."""
    return [[n / total if (total := sum(row)) else 0.0 for n in row] for row in counts]


_SIGNS = re.compile(r"[()]| ∨ | [↔→] ")


def lines_of(logic: str, kind: str = "iff") -> list[str]:
    """Split a rule in logic before each "∨" that joins its terms, for one term to a line.

    Joined by blanks they are the rule again. A name that holds such signs can lead to another split, which
    does no harm: the text is the same.

    Examples
    --------
    >>> lines_of("∀x: y(x) ↔ (a(x) ∧ b(x)) ∨ c(x)")
    ['∀x: y(x) ↔', '(a(x) ∧ b(x))', '∨ c(x)']
    >>> lines_of("∀x: (a(x) ∨ b(x)) → y(x)", "only_if")
    ['∀x:', '(a(x)', '∨ b(x)) → y(x)']
    """
    inside = 1 if kind == "only_if" else 0
    depth, cuts, first = 0, [], logic.find(": ") + 2 if inside else 0
    for found in _SIGNS.finditer(logic):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth > inside:
            continue
        if found[0] == " ∨ ":
            cuts.append(found.start() + 1)
        elif found[0] not in "()" and not cuts and not first:
            first = found.end()
    ends = [0, *([first] if first and cuts else []), *cuts, len(logic)]
    return [logic[low:high].rstrip(" ") for low, high in itertools.pairwise(ends)]
