"""How rules decide together: in order, and by a default where none of them is true.

Labels that exclude one another form a decision list. :func:`resolve` says which of its steps decides a row:
the first whose formula is true. So a formula is read together with the steps above it, and is not written as
``forall x: class(x) <-> formula(x)``, which would say more than the step decides. The list as logic, English,
Python and SQL is here, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, percent, shown
from logiclens.explain.rule import (
    Label,
    align_latex,
    formula_sentence,
    formula_text,
    label_text,
    markdown_text,
    plain_label,
)
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, unpack
from logiclens.logic.data import ConceptData, as_float, check_count, check_threshold
from logiclens.logic.export import check_function_name, python_condition, threshold_literal
from logiclens.logic.formula import FALSE, TRUE, And, Formula, Not, Or, check_formula
from logiclens.logic.normal_form import to_nnf
from logiclens.logic.sql import Dialect, check_columns, dialect_named, sql_number, sql_text, to_sql

DEFAULT, UNCOVERED, MISSING = "default", "uncovered", "missing"
"""Marks of rows that the default decides, of rows that get no label where there may be several, and of rows
without a value where the rules know of no gaps."""
PRECISION_DIGITS: Final = 4
"""Digits of a precision that are written."""


@dataclass(frozen=True)
class Step:
    """One step of a decision list: the label of the rows of which the formula is true, and no earlier one.

    Attributes
    ----------
    label : str, int, float or bool
        What is decided; scalars of NumPy become plain values.
    formula : Formula

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> Step("bird", Var("wings"))
    Step(label='bird', formula=Var('wings'))
    """

    label: Label
    formula: Formula

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", plain_label(self.label))
        check_formula(self.formula, "Step")

    @property
    def literals(self) -> int:
        """Number of literals of the formula."""
        return self.formula.literals


def resolve(true: BoolArray) -> IndexArray:
    """Place of the step that decides each row: the first that is true, ``n_steps`` where the default does.

    Parameters
    ----------
    true : ndarray of bool, shape (n_rows, n_steps)
        Truth of the formula of each step.

    Returns
    -------
    ndarray of int, shape (n_rows,)

    Examples
    --------
    >>> resolve(np.array([[False, True], [True, True], [False, False]])).tolist()
    [1, 0, 2]
    """
    ends = np.ones((len(true), 1), dtype=np.bool_)
    return np.asarray(np.hstack([true, ends]).argmax(axis=1))


@dataclass(frozen=True)
class Resolution:
    """How many rows each step decides.

    Attributes
    ----------
    n_rows : int
        All rows.
    by_label : dict of label to int
        Rows that each step decides, in the order of the steps; in a multi-label set rows of which each rule
        is true.
    n_uncovered : int
        Rows of which no step is true: the default decides; in a multi-label set they get no label.
    """

    n_rows: int
    by_label: Mapping[Label, int] = field(hash=False)
    n_uncovered: int

    @property
    def n_decided(self) -> int:
        """Rows of which a step is true."""
        return self.n_rows - self.n_uncovered

    @classmethod
    def of_list(
        cls, place: IndexArray, labels: Sequence[Label], weight: FloatArray | None = None
    ) -> Resolution:
        """Count rows by the place of the step that decides them, as from :func:`resolve`.

        Each row stands for ``weight`` equal ones.

        Examples
        --------
        >>> Resolution.of_list(np.array([0, 2, 0]), ["bird", "fish"])
        Resolution(n_rows=3, by_label={'bird': 2, 'fish': 0}, n_uncovered=1)
        """
        counts = np.bincount(place, weight, len(labels) + 1).astype(int).tolist()
        return cls(sum(counts), dict(zip(labels, counts[:-1], strict=True)), counts[-1])

    @classmethod
    def of_rules(cls, fired: BoolArray, labels: Sequence[Label]) -> Resolution:
        """Count rows by the rules that are true of them, (n_rows, n_labels), in a multi-label set."""
        counts = fired.sum(axis=0).tolist()
        uncovered = int((~fired.any(axis=1)).sum())
        return cls(len(fired), dict(zip(labels, counts, strict=True)), uncovered)


class StepFigures(Protocol):
    """What is said of a step: the rows that it decides, and on how many of them it is right."""

    @property
    def n_rows(self) -> float: ...
    @property
    def n_right(self) -> float: ...
    @property
    def precision(self) -> float: ...


def step_words(found: StepFigures, right: str = "right", *, last: bool) -> str:
    """How often a step of a list, or the default, is right about the rows that it decides.

    Examples
    --------
    >>> from logiclens.evaluation import StepScores
    >>> found = StepScores("high", 29.0, 28.0, 28 / 29, (0.83, 0.99))
    >>> print(step_words(found, last=False))
    right on 28 of the 29 rows it decides (96.6%)
    """
    if not found.n_rows:
        return "decides none of these rows"
    n = f"{found.n_rows:.10g}"
    rows = f"{n} {'row' if n == '1' else 'rows'}"
    rows = rows if last or n == "1" else f"the {rows} it decides"
    return f"{right} on {found.n_right:.10g} of {rows} ({percent(found.precision)})"


def list_markdown(
    steps: Sequence[Step], default: Label, words: Vocabulary | None, scores: Sequence[StepFigures]
) -> str:
    """A decision list as an ordered list of Markdown; with scores, how often each step is right."""
    remarks = [f": {step_words(each, last=at == len(steps))}" for at, each in enumerate(scores)]
    remarks = remarks or [""] * (len(steps) + 1)
    openings = [
        f"{'else if' if at else 'if'} {markdown_text(formula_text(step.formula, words, 'plain'))} then"
        for at, step in enumerate(steps)
    ]
    openings.append("otherwise" if steps else "always")
    labels = [
        markdown_text(label_text(label, "plain")) for label in (*(step.label for step in steps), default)
    ]
    return "\n".join(
        f"{at}. {opening} **{label}**{remark}"
        for at, (opening, label, remark) in enumerate(zip(openings, labels, remarks, strict=True), 1)
    )


@dataclass(frozen=True)
class HeldOutScores:
    """How a decision list did on rows that had no part in its fit, by the step that decided them.

    Attributes
    ----------
    n_rows, n_right : tuple of float
        Rows that each step decided, and those of them on which it was right, or their weight; the default
        comes last.
    target : str, optional
        The column that is predicted.

    Examples
    --------
    >>> scores = HeldOutScores((20, 0, 80), (19, 0, 60), "risk")
    >>> scores.precision, scores.accuracy, scores.total
    ((0.95, None, 0.75), 0.79, 100.0)
    """

    n_rows: tuple[float, ...]
    n_right: tuple[float, ...]
    target: str | None = None

    def __post_init__(self) -> None:
        for name in ("n_rows", "n_right"):
            values = getattr(self, name)
            values = tuple(map(as_float, values)) if isinstance(values, Iterable) else ()
            object.__setattr__(self, name, values)
        pairs = zip(self.n_rows, self.n_right, strict=False)
        fits = len(self.n_rows) == len(self.n_right) > 0
        if not fits or not all(0 <= right <= rows < math.inf for rows, right in pairs) or not self.total:
            raise InputError(
                "Scores need at least one row, and for each step no more right ones than rows. Got "
                f"n_rows={shown(self.n_rows)}, n_right={shown(self.n_right)}."
            )
        if self.target is not None and not isinstance(self.target, str):
            raise InputError(f"target must be the name of a column. Got {shown(self.target)}.")

    @property
    def total(self) -> float:
        """All rows."""
        return sum(self.n_rows)

    @property
    def accuracy(self) -> float:
        """Share of the rows on which the list is right."""
        return sum(self.n_right) / self.total

    @property
    def precision(self) -> tuple[float | None, ...]:
        """Share of the rows that each step decided on which it was right; None where it decided none."""
        return tuple(
            right / rows if rows else None for rows, right in zip(self.n_rows, self.n_right, strict=True)
        )


def check_steps(steps: Any) -> tuple[Step, ...]:
    """Steps as a tuple, without those that never decide; what is no list, or repeats a label, is refused."""
    several = tuple(steps) if isinstance(steps, Iterable) else (steps,)
    if not all(isinstance(step, Step) for step in several):
        raise InputError(f"steps must be a sequence of Steps. Got {shown(steps)}.")
    labels = [step.label for step in several]
    repeated = next((label for label in labels if labels.count(label) > 1), None)
    if repeated is not None:
        raise InputError(f"Two steps decide {shown(repeated)}. Join their formulas with |, or drop one.")
    return tuple(step for step in several if step.formula != FALSE)


def ranked_steps(ranks: Sequence[float], steps: Sequence[Step], default: Label | None) -> tuple[Step, ...]:
    """Steps by descending rank, of equals the first first; without last ones that decide as the default does.

    Without a default all stay that are ever true.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins"))]
    >>> [step.label for step in ranked_steps([0.9, 0.95], steps, "bird")]
    ['fish']
    """
    order = sorted(range(len(steps)), key=lambda at: -ranks[at])
    ordered = [steps[at] for at in order if steps[at].formula != FALSE]
    while ordered and ordered[-1].label == default:
        ordered.pop()
    return tuple(ordered)


def condition_of(steps: Sequence[Step], default: Label, label: Label) -> Formula:
    """A formula that is true of exactly the rows for which a list decides a label."""
    cases: list[Formula] = []
    earlier: list[Formula] = []
    for step in steps:
        if step.label == label:
            cases.append(And.of([step.formula, *(Not(each) for each in earlier)]))
        earlier.append(step.formula)
    if label == default:
        cases.append(And.of([Not(each) for each in earlier]))
    return to_nnf(Or.of(cases))


def used_concepts(formulas: Iterable[Formula]) -> list[str]:
    """Names of the concepts of formulas, sorted."""
    return sorted({name for formula in formulas for name in formula.concepts})


def truth_of(formulas: Iterable[Formula], data: ConceptData) -> BoolArray:
    """Truth of each formula on each row, shape (n_rows, n_formulas)."""
    several = list(formulas)
    columns = data.packed_columns(used_concepts(several))
    n_words = -(-data.n_rows // 64)
    found = np.empty((data.n_rows, len(several)), dtype=np.bool_)
    for at, formula in enumerate(several):
        found[:, at] = unpack(formula.evaluate_words(columns, n_words), data.n_rows)
    return found


def list_text(
    steps: Sequence[Step], default: Label, words: Vocabulary | None = None, style: str = "ascii"
) -> str:
    r"""A decision list in First-Order Logic, one step a line.

    Examples
    --------
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
    latex = style == "latex"
    then = r"\text{ then }" if latex else "then"

    def opening(word: str) -> str:
        return rf"\text{{{word} }}" if latex else word

    lines = [
        f"{opening('else if' if at else 'if')} {formula_text(step.formula, words, style)} "
        f"{then} {label_text(step.label, style)}"
        for at, step in enumerate(steps)
    ]
    lines.append(f"{opening('otherwise' if lines else 'always')} {label_text(default, style)}")
    return align_latex(f"& {line}" for line in lines) if latex else "\n".join(lines)


def list_sentence(
    steps: Sequence[Step], default: Label, named: Callable[[Label], str], words: Vocabulary | None = None
) -> str:
    """A decision list in plain English, one step a line; ``named`` says how labels are called.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins") & ~Var("fur"))]
    >>> print(list_sentence(steps, "cat", str))
    If wings, then bird;
    otherwise if fins and not fur, then fish;
    otherwise cat.
    """
    if not steps:
        return f"It is always {named(default)}."
    lines = []
    for step in steps:
        always = step.formula == TRUE
        condition = "in any case" if always else f"if {formula_sentence(step.formula, words)}, then"
        lines.append(f"{condition} {named(step.label)};")
    first, *others = lines
    others = [f"otherwise {line}" for line in others]
    return "\n".join([f"{first[0].upper()}{first[1:]}", *others, f"otherwise {named(default)}."])


_MOST_NESTED: Final = 500
"""Steps up to which one is an ``elif`` of the one before: Python nests them, and cannot nest thousands."""


def conditions_to_python(
    conditions: Mapping[Label, Formula],
    default: Label | None,
    words: Vocabulary | None,
    name: str,
    threshold: float,
) -> str:
    """Source of a Python function that decides one row; without a default each label by itself."""
    check_function_name(name)
    cut = check_threshold(threshold)
    literal = threshold_literal(cut) if words is None else words.python_literal
    tests = {label: python_condition(formula, literal) for label, formula in conditions.items()}
    if default is None:
        indented = ((label, test.replace("\n", "\n    ")) for label, test in tests.items())
        answers = (f"        {label!r}: True if {test} else False,\n" for label, test in indented)
        body = f"    return {{\n{''.join(answers)}    }}\n"
    elif tests:
        cases = [f"if {test}:\n        return {label!r}\n    " for label, test in tests.items()]
        chained = ("el" if len(cases) <= _MOST_NESTED else "").join(cases)
        body = f"    {chained}else:\n        return {default!r}\n"
    else:
        body = f"    return {default!r}\n"
    source = f"def {name}(row):\n{body}"
    return source if words is None else words.with_gaps(source, used_concepts(conditions.values()))


def conditions_to_sql(
    conditions: Mapping[Label, Formula],
    default: Label | None,
    words: Vocabulary | None,
    dialect: str,
    threshold: float | None,
    *,
    indent: int | None = None,
) -> str | dict[Label, str]:
    """A ``CASE`` expression that decides one row; without a default an expression for each label."""
    spoken = dialect_named(dialect)
    within = indent if indent is None or default is None else check_count(indent, "indent") + 2
    used = used_concepts(conditions.values())
    check_columns(used if words is None else words.used_columns(used), spoken)
    tests = {
        label: to_sql(formula, dialect, threshold, indent=within)
        if words is None
        else words.to_sql(formula, dialect, indent=within)
        for label, formula in conditions.items()
    }
    if default is None:
        return tests
    otherwise = _sql_label(default, spoken)
    if indent is not None and tests:
        lines = []
        for label, test in tests.items():
            several = isinstance(conditions[label], Or)
            lines.append(f"WHEN {test}{'' if several else f' THEN {_sql_label(label, spoken)}'}")
            lines += [f"THEN {_sql_label(label, spoken)}"] * several
        return f"\n{' ' * indent}".join(["CASE", *lines, f"ELSE {otherwise}"]) + "\nEND"
    cases = " ".join(f"WHEN {test} THEN {_sql_label(label, spoken)}" for label, test in tests.items())
    return f"CASE {cases} ELSE {otherwise} END" if cases else otherwise


def _sql_label(label: Label, dialect: Dialect) -> str:
    """A label as a value of its type; an exponent makes a number a double, not a decimal."""
    if isinstance(label, str):
        return sql_text(label, dialect)
    if isinstance(label, bool):
        return dialect.true if label else dialect.false
    if isinstance(label, float):
        if dialect.name == "postgresql":  # to which a number with an exponent is a decimal, too
            return f"CAST({label!r} AS DOUBLE PRECISION)"
        return sql_number(label, dialect, repr(label) if "e" in repr(label) else f"{label!r}e0")
    if not -(2**63) <= label < 2**63:  # what the integers of databases hold
        raise InputError(
            f"The label {label} cannot be a whole number in {dialect.name}: it takes more than 64 bits. "
            "Rename the class."
        )
    return str(label)
