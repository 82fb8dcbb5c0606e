"""A decision list: labels that exclude one another, in order, each with the formula that decides for it.

The decision about a row is the label of the first step whose formula is true, and the default where none is.
So the formula of a step is to be read together with the steps above it. What the list says of one class, on
its own, is the paper's ``phi_c``: :func:`class_formulas` finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from logiclens.errors import InputError, LimitError, count, shown
from logiclens.explain.check import parts_of
from logiclens.explain.rule import Label, plain_label
from logiclens.logic.arrays import BoolArray, IndexArray, unpack
from logiclens.logic.data import ConceptData
from logiclens.logic.entail import Given
from logiclens.logic.formula import FALSE, And, Formula, Not, Or, check_formula
from logiclens.logic.minimizer import Minimizer
from logiclens.logic.normal_form import simplify, to_dnf, to_nnf
from logiclens.logic.problem import Problem
from logiclens.logic.sat import find_assignment
from logiclens.logic.truth_table import TruthTable


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
    def of_list(cls, place: IndexArray, labels: Sequence[Label]) -> Resolution:
        """Count rows by the place of the step that decides them; by the number of steps where none does.

        Examples
        --------
        >>> Resolution.of_list(np.array([0, 2, 0]), ["bird", "fish"])
        Resolution(n_rows=3, by_label={'bird': 2, 'fish': 0}, n_uncovered=1)
        """
        counts = np.bincount(place, minlength=len(labels) + 1).tolist()
        return cls(len(place), dict(zip(labels, counts[:-1], strict=True)), counts[-1])

    @classmethod
    def of_rules(cls, fired: BoolArray, labels: Sequence[Label]) -> Resolution:
        """Count the rows of a table of which rule of a multi-label set is true where, (n_rows, n_labels).

        Examples
        --------
        >>> Resolution.of_rules(np.array([[True, True], [False, False]]), ["bird", "fish"])
        Resolution(n_rows=2, by_label={'bird': 1, 'fish': 1}, n_uncovered=1)
        """
        counts = fired.sum(axis=0).tolist()
        uncovered = int((~fired.any(axis=1)).sum())
        return cls(len(fired), dict(zip(labels, counts, strict=True)), uncovered)


EQUIVALENT: Final = "equivalent to the list"
"""Status of a formula that is true exactly where the list decides the class, on rows seen or not."""

_MOST_LITERALS: Final = 300  # of a DNF that is kept where the list's own condition is shorter
_MOST_TERMS: Final = 60  # of the list's own condition as a DNF
_MOST_CONFLICTS: Final = 200  # dead ends of a proof of equivalence


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
        return self.formula.complexity


def checked_steps(steps: Any) -> tuple[Step, ...]:
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
    >>> [step.label for step in ranked_steps([0.9, 0.95], steps, "cat")]
    ['fish', 'bird']
    >>> [step.label for step in ranked_steps([0.9, 0.95], steps, "bird")]
    ['fish']
    """
    order = sorted(range(len(steps)), key=lambda at: -ranks[at])
    ordered = [steps[at] for at in order if steps[at].formula != FALSE]
    while ordered and ordered[-1].label == default:
        ordered.pop()
    return tuple(ordered)


def first_true(true: BoolArray) -> IndexArray:
    """Place of the first true entry of each row, (n_rows, n_steps); ``n_steps`` where none is true.

    Examples
    --------
    >>> first_true(np.array([[False, True], [True, True], [False, False]])).tolist()
    [1, 0, 2]
    """
    ends = np.ones((len(true), 1), dtype=np.bool_)
    return np.asarray(np.hstack([true, ends]).argmax(axis=1))


def decided_condition(steps: Sequence[Step], default: Label, label: Label) -> Formula:
    """What is true of exactly the rows for which a list decides a label.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins"))]
    >>> print(decided_condition(steps, "cat", "fish"))
    fins & ~wings
    >>> print(decided_condition(steps, "cat", "cat"))
    ~wings & ~fins
    """
    cases: list[Formula] = []
    earlier: list[Formula] = []
    for step in steps:
        if step.label == label:
            cases.append(And.of([step.formula, *(Not(each) for each in earlier)]))
        earlier.append(step.formula)
    if label == default:
        cases.append(And.of([Not(each) for each in earlier]))
    return to_nnf(Or.of(cases))


def class_formulas(
    steps: Sequence[Step],
    default: Label,
    labels: Sequence[Label],
    table: TruthTable | None = None,
    *,
    given: Given = None,
    wide: bool = False,
) -> dict[Label, tuple[Formula, str]]:
    """For each class the formula that is true where the list decides it: the paper's ``phi_c``.

    Each is the shortest DNF that was found to agree with the list on all tuples that were seen; others are
    don't-cares. Where a formula that agrees on every tuple whatever is no longer, that is taken.

    Parameters
    ----------
    steps : sequence of Step
    default : label
    labels : sequence of labels
        All classes, also those without a step.
    table : TruthTable, optional
        The distinct tuples that were seen, over the concepts of the steps at least. Their weight counts, the
        answers do not. When missing, every tuple counts as seen.
    given : Formula or iterable of Formula, optional
        What is known about the concepts.
    wide : bool, default False
        Whether formulas may use all concepts of the table, rather than those of the steps alone.

    Returns
    -------
    dict of label to (Formula, str)
        In the order of the labels; the text says ``"equivalent to the list"`` where that is proved, and
        otherwise on how many tuples it was found to agree.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins"))]
    >>> seen = TruthTable.from_data([[1, 0], [0, 1], [0, 0]], [1, 1, 1], names=["wings", "fins"])
    >>> for label, (formula, status) in class_formulas(steps, "cat", ["bird", "cat", "fish"], seen).items():
    ...     print(f"{label}: {formula} ({status})")
    bird: wings (equivalent to the list)
    cat: ~fins & ~wings (equivalent to the list)
    fish: fins (agrees with the list on all 3 tuples seen)
    """
    kept, default, known = checked_steps(steps), plain_label(default), parts_of(given)
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise InputError(f"labels must be a sequence of labels. Got {shown(labels)}.")
    labels = [plain_label(label) for label in labels]
    for formula in known:
        check_formula(formula, "given")
    if table is None:
        return {label: (_whatever_is_seen(kept, default, label), EQUIVALENT) for label in labels}
    if not isinstance(table, TruthTable):
        raise InputError(f"table must be a TruthTable. Got {shown(table)}.")
    tuples = _Tuples.of(kept, default, table, wide)
    return {label: _class_formula(kept, default, label, tuples, known) for label in labels}


@dataclass(frozen=True, eq=False)
class _Tuples:
    """The tuples that were seen, over the concepts of a list, with what the list decides on each."""

    table: TruthTable
    decided: IndexArray
    labels: tuple[Label, ...]
    seen: int

    @classmethod
    def of(cls, steps: Sequence[Step], default: Label, table: TruthTable, wide: bool) -> _Tuples:
        used = list(table.names) if wide else used_concepts(step.formula for step in steps)
        kept = table.select(used)
        true = truth_of((step.formula for step in steps), ConceptData(kept.to_array(), used))
        labels = (*(step.label for step in steps), default)
        return cls(kept, first_true(true), labels, table.n_rows)

    def about(self, label: Label) -> TruthTable:
        """Yes where the list decides the label, no elsewhere."""
        which = np.array([each == label for each in self.labels])[self.decided]
        weight = self.table.yes + self.table.no
        return replace(self.table, yes=np.where(which, weight, 0.0), no=np.where(which, 0.0, weight))


def _class_formula(
    steps: Sequence[Step], default: Label, label: Label, tuples: _Tuples, known: Sequence[Formula]
) -> tuple[Formula, str]:
    """A formula for one class, and how far it is what the list says."""
    if steps and label == steps[0].label != default:
        return steps[0].formula, EQUIVALENT
    condition = decided_condition(steps, default, label)
    written = _written_out(condition)
    longest = _MOST_LITERALS if written is None else min(_MOST_LITERALS, written.complexity - 1)
    found = Minimizer(Problem(tuples.about(label), None), exact=False, restarts=1).agree_within(longest)
    if found is None:
        return condition if written is None else written, EQUIVALENT
    if _same(found.formula, condition, known):
        return found.formula, EQUIVALENT
    return found.formula, f"agrees with the list on all {count(tuples.seen, 'tuple')} seen"


def _whatever_is_seen(steps: Sequence[Step], default: Label, label: Label) -> Formula:
    """A formula that is true exactly where a list decides a label."""
    condition = decided_condition(steps, default, label)
    written = _written_out(condition)
    return condition if written is None else written


def _written_out(condition: Formula) -> Formula | None:
    """A condition as a DNF; None where that takes long."""
    try:
        return simplify(to_dnf(condition, _MOST_TERMS))
    except LimitError:
        return None


def _same(formula: Formula, condition: Formula, known: Sequence[Formula]) -> bool:
    """Whether two formulas are proved to be true of the same tuples; False where a proof takes long."""
    return all(
        _never([*known, one, Not(other)]) for one, other in ((formula, condition), (condition, formula))
    )


def _never(formulas: Sequence[Formula]) -> bool:
    """Whether it is proved that formulas are never true together; False where a proof takes long."""
    try:
        return find_assignment(formulas, max_conflicts=_MOST_CONFLICTS) is None
    except LimitError:
        return False


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
