"""Rules for people and for other programs: logic, English, LaTeX, Markdown, Python source, SQL, HTML.

Where labels exclude one another all of them say the list that decides: its steps in order, and the default at
the end. The formula of a step is about the rows that no earlier step took. So it is not written as
``forall x: class(x) <-> formula(x)``, which would say more than the step decides.

In SQL a rule alone is a Boolean expression, a decision list is a ``CASE``: that, too, takes the first
condition that is true, and the default at the end.

HTML is for notebooks: small pieces, complete in themselves. Colors are the notebook's own, light or dark:
nothing is set but faint lines. Every text is escaped, and what cannot be seen, such as the signs that turn
the direction of writing, is written as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape as html_escape
from typing import TYPE_CHECKING, Final

from logiclens.concepts.vocabulary import Vocabulary, with_missing
from logiclens.errors import InputError
from logiclens.explain.rule import Label, formula_text, label_in_sentence, label_text, target_named
from logiclens.logic.data import THRESHOLD, check_threshold
from logiclens.logic.export import check_function_name, python_condition, threshold_literal, to_sentence
from logiclens.logic.formula import TRUE, Formula, escape
from logiclens.logic.sql import Dialect, check_columns, dialect_named, sql_number, sql_text, to_sql

if TYPE_CHECKING:
    from logiclens.explain.counterfactual import Change
    from logiclens.explain.decision_list import Step
    from logiclens.explain.explanation import Explanation
    from logiclens.explain.rule_set import ExplanationSet


def list_text(
    steps: Sequence[Step], default: Label, words: Vocabulary | None = None, style: str = "ascii"
) -> str:
    r"""A decision list in First-Order Logic, one step a line.

    Parameters
    ----------
    steps : sequence of Step
    default : label
    words : Vocabulary, optional
        What the concepts mean in the columns of a raw table.
    style : {"ascii", "unicode", "latex"}, default "ascii"
        As for :meth:`Rule.format <logiclens.explain.Rule.format>`.

    Examples
    --------
    >>> from logiclens.explain import Step
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins") & ~Var("fur"))]
    >>> print(list_text(steps, "cat"))
    if wings(x) then bird
    else if fins(x) & ~fur(x) then fish
    otherwise cat
    >>> print(list_text(steps[:1], "cat", style="latex"))
    \begin{aligned}
    & \text{if } \mathit{wings}(x) \text{ then } \mathit{bird} \\
    & \text{otherwise } \mathit{cat}
    \end{aligned}
    """
    said = [(formula_text(step.formula, words, style), label_text(step.label, style)) for step in steps]
    last = label_text(default, style)
    if style != "latex":
        lines = [f"{_opening(at)} {formula} then {label}" for at, (formula, label) in enumerate(said)]
        return "\n".join([*lines, f"{'otherwise' if lines else 'always'} {last}"])
    lines = [
        rf"& \text{{{_opening(at)} }} {formula} \text{{ then }} {label}"
        for at, (formula, label) in enumerate(said)
    ]
    return aligned([*lines, rf"& \text{{{'otherwise' if lines else 'always'} }} {last}"])


def _opening(at: int) -> str:
    return "else if" if at else "if"


def aligned(lines: Iterable[str]) -> str:
    """Lines of math-mode LaTeX, one below the other."""
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def list_sentence(
    steps: Sequence[Step], default: Label, named: Callable[[Label], str], words: Vocabulary | None = None
) -> str:
    """A decision list in plain English, one step a line.

    Parameters
    ----------
    steps : sequence of Step
    default : label
    named : function of a label
        How a label is called in a sentence.
    words : Vocabulary, optional

    Examples
    --------
    >>> from logiclens.explain import Step
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins") & ~Var("fur"))]
    >>> print(list_sentence(steps, "cat", str))
    If wings, then bird;
    otherwise if fins and not fur, then fish;
    otherwise cat.
    """
    if not steps:
        return f"It is always {named(default)}."
    lines = [f"{_condition(step.formula, words)} {named(step.label)};" for step in steps]
    lines = [f"otherwise {line}" if at else f"{line[0].upper()}{line[1:]}" for at, line in enumerate(lines)]
    return "\n".join([*lines, f"otherwise {named(default)}."])


def _condition(formula: Formula, words: Vocabulary | None) -> str:
    if formula == TRUE:
        return "in any case"
    return f"if {to_sentence(formula) if words is None else words.to_sentence(formula)}, then"


_MOST_NESTED: Final = 500
"""Steps up to which one is an ``elif`` of the one before: Python nests them, and cannot nest thousands."""


def rules_text(rules: ExplanationSet, style: str = "ascii") -> str:
    """Rules in First-Order Logic: the list that decides, one step a line.

    Where a row may have several labels, and where conditions are only necessary or only sufficient: one rule
    for each target.

    Parameters
    ----------
    rules : ExplanationSet
    style : {"ascii", "unicode", "latex"}, default "ascii"

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
    >>> print(rules_text(ExplanationSet(found, ["wings", "fins"], default="fish")))
    if wings(x) then bird
    else if fins(x) then fish
    otherwise fish
    >>> print(rules_text(ExplanationSet(found, ["wings", "fins"], multi_label=True)))
    forall x: bird(x) <-> wings(x)
    forall x: fish(x) <-> fins(x)
    """
    if rules.is_list and rules.default is not None:
        return list_text(rules.steps, rules.default, rules.vocabulary, style)
    each = [explanation.rule.format(style) for explanation in rules.values()]
    return aligned(f"& {line}" for line in each) if style == "latex" else "\n".join(each)


def rules_to_python(rules: ExplanationSet, name: str = "predict", threshold: float = THRESHOLD) -> str:
    """Source of a Python function that predicts one row exactly as :meth:`ExplanationSet.predict` does.

    It needs nothing but Python. Names and labels appear as literals only, so that they are data there, too.

    Parameters
    ----------
    rules : ExplanationSet
    name : str, default "predict"
        Name of the function.
    threshold : float, default 0.5
        A value counts as true when it is greater. With a vocabulary the function takes a row of the raw
        table, and the threshold has no part in it.

    Returns
    -------
    str
        The function takes a mapping from names to single values and returns the label; of a multi-label set
        a dictionary that says of each label whether its rule is true. Which values may be missing is said at
        :func:`logiclens.logic.to_python`.

    Raises
    ------
    InputError
        The name is not one that a function can have, or the threshold is not in [0, 1).
    LimitError
        A formula is nested too deep, or too long.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ... )
    >>> source = rules_to_python(rules)
    >>> print(source, end="")
    def predict(row):
        if (
            row['wings'] > 0.5
        ):
            return 'bird'
        elif (
            row['fins'] > 0.5
        ):
            return 'fish'
        else:
            return 'fish'
    >>> scope = {}
    >>> exec(source, scope)
    >>> scope["predict"]({"wings": 1, "fins": 0})
    'bird'
    """
    check_function_name(name)
    cut = check_threshold(threshold)
    words = rules.vocabulary
    literal = threshold_literal(cut) if words is None else words.python_literal(name)
    conditions = {label: python_condition(f, literal) for label, f in rules.conditions.items()}
    if rules.multi_label:
        indented = ((label, test.replace("\n", "\n    ")) for label, test in conditions.items())
        answers = (f"        {label!r}: True if {test} else False,\n" for label, test in indented)
        body = f"    return {{\n{''.join(answers)}    }}\n"
    elif conditions:
        cases = [f"if {test}:\n        return {label!r}\n    " for label, test in conditions.items()]
        chained = ("el" if len(cases) <= _MOST_NESTED else "").join(cases)
        body = f"    {chained}else:\n        return {rules.default!r}\n"
    else:
        body = f"    return {rules.default!r}\n"
    source = f"def {name}(row):\n{body}"
    return source if words is None else with_missing(source)


def rules_to_sentence(rules: ExplanationSet) -> str:
    """All rules in plain English: the list that decides, one step a line.

    Where they are printed as one rule for each target: one rule a line, and who decides.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
    >>> print(rules_to_sentence(ExplanationSet(found, ["wings", "fins"], default="fish")))
    If wings, then bird;
    otherwise if fins, then fish;
    otherwise fish.
    >>> print(rules_to_sentence(ExplanationSet(found, ["wings", "fins"], multi_label=True)))
    bird if and only if wings (a necessary and sufficient condition).
    fish if and only if fins (a necessary and sufficient condition).
    Each label is predicted where its rule is true; a row may have several, or none.
    """
    if rules.is_list:
        return decision_sentence(rules)
    lines = [f"{explanation.to_sentence()}." for explanation in rules.values()]
    return "\n".join([*lines, decision_sentence(rules)])


def decision_sentence(rules: ExplanationSet) -> str:
    """What is predicted, in plain English: the list, or in what order the rules decide."""

    def named(label: Label) -> str:
        return target_named(rules[label].rule)

    if rules.multi_label or rules.default is None:
        return "Each label is predicted where its rule is true; a row may have several, or none."
    if len(rules) == 1:
        return f"Where it is not true, it is {named(rules.default)} as well."
    if rules.is_list or any(rules[step.label].formula != step.formula for step in rules.steps):
        return list_sentence(rules.steps, rules.default, named, rules.vocabulary)
    if not rules.steps:
        return f"It is always {named(rules.default)}."
    order = ", ".join(named(step.label) for step in rules.steps)
    return f"The first of these that is true decides: {order}; where none is, it is {named(rules.default)}."


def rules_to_markdown(rules: ExplanationSet) -> str:
    """All rules as Markdown: in plain English, and as logic in a block of code.

    Names are shown and do nothing: signs that Markdown acts on are written as entities.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> print(rules_to_markdown(ExplanationSet([Explanation(Rule("<b>", Var("wings")))], ["wings"])))
    “&lt;b&gt;” if and only if wings (a necessary and sufficient condition).
    <BLANKLINE>
    ```text
    ∀x: "<b>"(x) ↔ wings(x)
    ```
    <BLANKLINE>
    Where it is not true, it is “&lt;b&gt;” as well.
    """
    if rules.is_list:
        return _paragraphs(rules_to_sentence(rules).split("\n"), rules_text(rules, "unicode"))
    return "\n\n".join([*map(rule_to_markdown, rules.values()), _shown(decision_sentence(rules))])


def rule_to_markdown(explanation: Explanation) -> str:
    """One rule as Markdown; see :func:`rules_to_markdown`."""
    return _paragraphs([f"{explanation.to_sentence()}."], explanation.rule.format("unicode"))


def _paragraphs(sentences: Sequence[str], logic: str) -> str:
    """Plain English, line by line, and logic in a block of code."""
    english = "  \n".join(map(_shown, sentences))  # two blanks: the line ends here
    return f"{english}\n\n```text\n{logic}\n```"


# An underscore between letters is one wherever Markdown is read.
_ACTIVE = re.compile(r"[&<>*`\[\]\\|~$#^={}]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def _shown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _ACTIVE.sub(lambda found: _ENTITIES.get(found[0], f"&#{ord(found[0])};"), text)


_LEAST, _MOST = -(2**63), 2**63 - 1  # what the integers of databases hold


def rules_to_sql(
    rules: ExplanationSet, dialect: str = "ansi", threshold: float | None = None
) -> str | dict[Label, str]:
    """Return an expression that gives the label exactly as :meth:`ExplanationSet.predict` does.

    Parameters
    ----------
    rules : ExplanationSet
    dialect : {"ansi", "duckdb", "sqlite", "postgresql", "mysql", "spark", "bigquery"}, default "ansi"
        As for :func:`logiclens.logic.to_sql`.
    threshold : float, optional
        For columns of scores, as for :func:`logiclens.logic.to_sql`. With a vocabulary the expression is
        about the columns of the raw table, and the threshold has no part in it.

    Returns
    -------
    str, or dict of label to str
        A ``CASE`` expression; of a multi-label set a Boolean expression for each label.

    Raises
    ------
    InputError
        Unknown dialect, or a concept, a column or a label that it cannot carry.
    LimitError
        A formula is nested too deep, or too long.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ... )
    >>> print(rules_to_sql(rules))
    CASE WHEN "wings" IS TRUE THEN 'bird' WHEN "fins" IS TRUE THEN 'fish' ELSE 'fish' END
    """
    words = dialect_named(dialect)
    vocabulary, used = rules.vocabulary, rules.concepts
    check_columns(used if vocabulary is None else vocabulary.used_columns(used), words)
    conditions = {
        label: to_sql(formula, dialect, threshold)
        if vocabulary is None
        else vocabulary.to_sql(formula, dialect)
        for label, formula in rules.conditions.items()
    }
    if rules.multi_label or rules.default is None:
        return conditions
    otherwise = _label(rules.default, words)
    if not conditions:
        return otherwise
    cases = " ".join(f"WHEN {test} THEN {_label(label, words)}" for label, test in conditions.items())
    return f"CASE {cases} ELSE {otherwise} END"


def _label(label: Label, dialect: Dialect) -> str:
    """A label as a value of its type; an exponent makes a number a double, not a decimal."""
    if isinstance(label, str):
        return sql_text(label, dialect)
    if isinstance(label, bool):
        return dialect.true if label else dialect.false
    if isinstance(label, float):
        if dialect.name == "postgresql":  # to which a number with an exponent is a decimal, too
            return f"CAST({label!r} AS DOUBLE PRECISION)"
        return sql_number(label, dialect, repr(label) if "e" in repr(label) else f"{label!r}e0")
    if not _LEAST <= label <= _MOST:
        raise InputError(
            f"The label {label} cannot be a whole number in {dialect.name}: it takes more than 64 bits. "
            "Rename the class."
        )
    return str(label)


_BOX = "max-width:60em;overflow-wrap:anywhere;line-height:1.45"
_LOGIC = "font-family:monospace;white-space:pre-wrap;margin:.3em 0"
_FAINT = "opacity:.75;font-size:.92em"
_CELL = (
    "text-align:left;vertical-align:top;min-width:6em;padding:.25em .6em;"
    "border-top:1px solid rgba(128,128,128,.4)"
)


def explanation_html(explanation: Explanation) -> str:
    """A rule as logic and in plain English, and how far to trust it."""
    return _box(
        _logic(explanation.rule.format("unicode")),
        _part("div", f"{explanation.to_sentence()}."),
        _part("div", _facts(explanation), _FAINT),
    )


def rules_html(rules: ExplanationSet) -> str:
    """The list that decides, as logic and in plain English, with the literals and rates of each class.

    Where it is no list of classes: a table of rules.
    """
    if rules.is_list:
        rows = [
            (_part("b", label_in_sentence(each.target)), _part("div", _facts(each), _FAINT))
            for each in rules.values()
        ]
        said = (_part("div", line) for line in rules.to_sentence().split("\n"))
        steps = (_logic(line) for line in rules.format("unicode").split("\n"))
        return _box(*steps, *said, _table(("target", "rule of its own"), rows))
    rows = [
        (
            _part("b", label_in_sentence(explanation.target)),
            _logic(explanation.rule.format("unicode"))
            + _part("div", f"{explanation.to_sentence()}.")
            + _part("div", _facts(explanation), _FAINT),
        )
        for explanation in rules.values()
    ]
    policy = rules.to_sentence().split("\n")[len(rules) :]
    return _box(_table(("target", "rule"), rows), *(_part("div", line, _FAINT) for line in policy))


def clauses_html(clauses: Sequence[str], status: str) -> str:
    """Clauses that hold on all data, one a line."""
    return _box(*map(_logic, clauses), *([_part("div", f"{status}.", _FAINT)] if status else []))


def counterfactual_html(sentence: str, changes: Sequence[Change] | None) -> str:
    """What would have to be different, in plain English and change by change."""
    rows = [tuple(_part("span", text) for text in (c.what, c.before, c.after)) for c in changes or ()]
    table = [_table(("what", "as it is", "it would change if"), rows)] if rows else []
    return _box(_part("div", sentence), *table)


def check_html(lines: Iterable[str]) -> str:
    """Findings about rules, one a line; details are set in."""
    indented = "margin-left:1.5em"
    return _box(*(_part("div", line.strip(), indented if line[:1] == " " else "") for line in lines))


def _facts(explanation: Explanation) -> str:
    """Length, status, support and scores on one line."""
    facts = [f"{explanation.complexity} literal{'' if explanation.complexity == 1 else 's'}"]
    if explanation.status:
        facts.append(explanation.status)
    if explanation.support:
        facts.append(f"support {explanation.support:.10g}")
    if explanation.scores is not None:
        rates = [f"{name} {rate:.1%}" for name, rate in explanation.scores.rates.items()]
        if rates:
            facts.append(
                f"on {explanation.scores.n_rows} rows ({explanation.scores.part}): {', '.join(rates)}"
            )
    return " · ".join(facts)


def _box(*parts: str) -> str:
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def _logic(text: str) -> str:
    return f'<div dir="ltr" style="{_LOGIC}">{_safe(text)}</div>'


def _part(tag: str, text: str, style: str = "") -> str:
    """A sentence, from left to right whatever script a name in it is; a name alone runs as it should."""
    styled = f' style="{style}"' if style else ""
    return f'<{tag} dir="{"auto" if tag == "b" else "ltr"}"{styled}>{_safe(text)}</{tag}>'


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    head = "".join(f'<th style="{_CELL}">{_safe(text)}</th>' for text in headings)
    cells = ("".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f'<table style="border-collapse:collapse"><tr>{head}</tr>{body}</table>'


def _safe(text: str) -> str:
    r"""Text that a browser shows and does nothing else with.

    Examples
    --------
    >>> print(_safe("<b>\u202e"))
    &lt;b&gt;\u202e
    """
    return html_escape("".join(char if char.isprintable() else escape(char) for char in text))
