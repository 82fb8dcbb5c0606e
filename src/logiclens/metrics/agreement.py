"""How far formulas agree with answers: with the truth (accuracy) or with a model (fidelity); rates of a rule.

The paper's score is a macro-F1: each target's formula, on concepts that count as true above 0.5, is compared
with "is this target", and the F1 of yes and of no are averaged; then comes the plain mean over the targets.
The formulas are not combined into one prediction.

A rate of a single rule from few rows says little, so each comes with its Wilson score interval, which stays
within [0, 1] and is sound for small numbers and for rates of 0 and 1. With weights, the number of rows is the
effective one, ``sum(w)**2 / sum(w**2)``: as many rows of equal weight would tell as much.

Answers come as labels, one a row, or as a column of yes and no for each target. Either is read into one
form, a function from a target's position to a Boolean vector, so that no more than one target's answers
need be held at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logiclens.errors import InputError, as_code, count, listing, shown
from logiclens.logic import Formula
from logiclens.logic.arrays import WORD, BoolArray, FloatArray, Words, pack, unpack
from logiclens.logic.data import ConceptData, as_array, as_float, as_weights, check_length, missing_values
from logiclens.logic.formula import check_formula

Rules: TypeAlias = Mapping[Any, Any]
"""From each target to its Formula, or to anything that has one as ``.formula``."""
Answers: TypeAlias = Callable[[int], BoolArray]


def formulas_of(rules: Rules) -> dict[Hashable, Formula]:
    """Each target's formula, in the order of the rules."""
    if not isinstance(rules, Mapping):
        raise InputError(
            f"rules must be a mapping from each target to its formula. Got {shown(rules)}; "
            "write {target: formula}."
        )
    if not rules:
        raise InputError("rules must have at least one target. Got none.")
    return {label: _formula_of(label, rules[label]) for label in rules}


def _formula_of(label: Hashable, rule: Any) -> Formula:
    formula = rule if isinstance(rule, Formula) else getattr(rule, "formula", None)
    if not isinstance(formula, Formula):
        raise InputError(
            f"The rule of target {shown(unboxed(label))} must be a formula, or have one as .formula. "
            f"Got {shown(rule)}; write {as_code(rule) or 'a formula'} instead."
        )
    return formula


def rows_of(rules: Rules, X: Any, names: Sequence[str] | None) -> ConceptData:
    """Rows as the rules themselves read them, where they can: those of a raw table, for instance."""
    read = getattr(rules, "read", None)
    return ConceptData(X, names) if names is not None or read is None else read(X)


def unboxed(label: Any) -> Any:
    """A label as a person would type it: no type of NumPy."""
    return label.item() if isinstance(label, np.generic) else label


def carries_names(table: Any) -> bool:
    """Whether a table names its columns itself, as mappings and data frames do."""
    return isinstance(table, Mapping) or hasattr(type(table), "columns")


def weights_of(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """Weights of that many rows, not all of them 0; None when none were given."""
    if n_rows == 0:
        raise InputError("Scores need at least one row of data. Got none.")
    if sample_weight is None:
        return None
    weight = as_weights(sample_weight, "sample_weight", n_rows)
    if not weight.any():
        raise InputError("Scores need some weight. All weights of sample_weight are 0.")
    return weight


def yes_or_no(values: Any, what: str, n_rows: int) -> BoolArray:
    """Truth of a vector of Booleans, or of 0 and 1."""
    vector = as_array(values, what)
    check_length(vector, what, n_rows)
    return _truth(vector, what, "for a label write y == label")


def _truth(values: NDArray[Any], what: str, advice: str) -> BoolArray:
    """Truth of Booleans, or of 0 and 1; anything between would leave open who decides, and is refused."""
    if values.dtype == np.bool_:
        return values
    if values.dtype == object:
        cells = values.ravel().tolist()
        fits = [isinstance(cell, (int, float, np.number, np.bool_)) and cell in (0, 1) for cell in cells]
        wrong = ~np.array(fits, dtype=np.bool_).reshape(values.shape)
    elif values.dtype.kind in "iuf":
        wrong = (values != 0) & (values != 1)
    else:
        wrong = np.ones(values.shape, dtype=np.bool_)
    if wrong.any():
        got = shown(unboxed(values[wrong][0]))
        raise InputError(f"{what} must hold Booleans, or 0 and 1. Got {got}; {advice}.")
    truth: BoolArray = values.astype(np.bool_)
    return truth


def answers_of(y: Any, targets: Sequence[Hashable], n_rows: int, what: str) -> Answers:
    """Return the function from a target's position to whether each row is that target.

    Parameters
    ----------
    y : array of shape (n_rows,), or array or data frame of shape (n_rows, n_targets)
        Labels, or a column of yes and no for each target.
    targets : sequence of labels
    n_rows : int
    what : str
        What ``y`` is called in error messages.
    """
    values = as_array(y, what)
    if values.shape == (n_rows, len(targets)):
        columns = _truth(values, what, "pass labels as a vector, and outputs as outputs > 0.5")
        order = _order(y, targets, what)
        return lambda at: columns[:, order[at]]
    if values.ndim == 2 and 1 not in values.shape:
        raise InputError(
            f"{what} must be a vector of labels or have one column for each target, shape "
            f"{(n_rows, len(targets))}. Got shape {values.shape}."
        )
    check_length(values, what, n_rows)
    labels, codes = _distinct(values, what)
    code = {label: number for number, label in enumerate(labels)}
    _check_known(labels, targets, code, what)
    return lambda at: codes == code.get(targets[at], -1)


def _order(y: Any, targets: Sequence[Hashable], what: str) -> list[int]:
    """Position of each target's column: by name where columns are named after targets, else as they stand."""
    positions = list(range(len(targets)))
    if not carries_names(y):
        return positions
    names = [str(name) for name in getattr(y, "column_names", y.columns)]  # pyarrow's, or the others'
    wanted = [str(target) for target in targets]
    if sorted(names) == sorted(wanted):
        return [names.index(target) for target in wanted]
    if set(names) & set(wanted) and names != [str(j) for j in positions]:
        raise InputError(
            f"The columns of {what} are {listing(names)}; the targets are {listing(wanted)}. "
            "Name each column after its target, or pass an array in the order of the rules."
        )
    return positions


def _distinct(values: NDArray[Any], what: str) -> tuple[list[Any], NDArray[np.intp]]:
    """Distinct labels, and for each row the position of its own."""
    if values.dtype != object:
        missing = values != values
        if missing.any():
            raise missing_values(what, missing)
        distinct, codes = np.unique(values, return_inverse=True)
        return list(distinct), codes
    cells = values.tolist()
    try:
        code = {label: number for number, label in enumerate(dict.fromkeys(cells))}
    except TypeError:
        raise InputError(f"Labels must be text, numbers or Booleans. Check the values of {what}.") from None
    absent = {label for label in code if _is_missing(label)}
    if absent:
        raise missing_values(what, np.array([cell in absent for cell in cells]))
    return list(code), np.array([code[cell] for cell in cells], dtype=np.intp)


def _is_missing(label: Any) -> bool:
    """Whether a label is None, the NA of pandas (which answers nothing), or unlike itself as NaN is."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def _check_known(labels: list[Any], targets: Sequence[Hashable], known: Mapping[Any, int], what: str) -> None:
    """Refuse labels that cannot be meant: ``1`` for the target ``'1'``, a probability for a class.

    That a single target does not occur is nothing odd, as long as what does occur is of its kind.
    """
    if any(target in known for target in targets):
        return
    if len(targets) == 1 and _kind(targets[0]) in set(map(_kind, labels)):
        return
    raise InputError(
        f"No label of {what} is a target. Got the labels {listing(map(unboxed, labels))}; the targets "
        f"are {listing(map(unboxed, targets))}. Use the same labels in both, or pass a column of 0 and 1 "
        "for each target."
    )


def _kind(label: Any) -> str:
    if isinstance(label, (float, np.floating)) and not label.is_integer():
        return "fraction"
    if isinstance(label, (int, float, np.integer, np.floating, np.bool_)):
        return "whole number"
    return "text" if isinstance(label, str) else type(label).__name__


def cells_of(truth: BoolArray, said: BoolArray, weight: FloatArray | None) -> FloatArray:
    """Weight of the rows that are rightly no, wrongly yes, wrongly no and rightly yes, shape (4,)."""
    code = 2 * truth.astype(np.uint8) + said
    return np.bincount(code, weight, 4).astype(np.float64)


_BLOCK: Final = 1 << 17  # rows packed at a time
_PRINTED: Final = 10  # targets listed by str()


class ReadOnly:
    """A frozen dataclass whose mappings cannot be changed either."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, Mapping):
                object.__setattr__(self, name, MappingProxyType(dict(value)))

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy cannot be pickled
        values = vars(self).values()
        return type(self), tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)


class TargetScores(NamedTuple):
    """Agreement of one target's formula with the answers."""

    macro_f1: float
    plain: float


@dataclass(frozen=True)
class Agreement(ReadOnly):
    """Agreement of formulas with answers: means over the targets, and each target.

    Attributes
    ----------
    macro_f1 : float
        The paper's score: the F1 of yes and of no, averaged; see :func:`macro_f1`.
    plain : float
        Share of the rows on which formula and answer are the same. With many targets this is close to 1
        even for ``FALSE``, as each target is rare.
    by_target : mapping of label to TargetScores, read-only
    """

    macro_f1: float
    plain: float
    by_target: Mapping[Any, TargetScores] = field(hash=False)

    def __str__(self) -> str:
        return "\n".join([f"{self._means()}, {count(len(self.by_target), 'target')}", *self._lines()])

    def _means(self) -> str:
        return f"macro-F1 {self.macro_f1:.3f}, plain {self.plain:.3f}"

    def _lines(self) -> list[str]:
        labels = [repr(unboxed(label)) for label in list(self.by_target)[:_PRINTED]]
        width = max(map(len, labels), default=0)
        pairs = zip(labels, self.by_target.values(), strict=False)
        lines = [f"  {label:<{width}}  {s.macro_f1:.3f}  {s.plain:.3f}" for label, s in pairs]
        left = len(self.by_target) - len(labels)
        return [*lines, f"  and {left} more"] if left else lines


@dataclass(frozen=True)
class Fidelity(Agreement):
    """Agreement with a model's predictions, also on tuples of concepts that were never seen.

    Attributes
    ----------
    unseen : Agreement or None
        Agreement on the rows whose tuple of concepts does not occur in ``seen``; None where there are none.
    n_unseen : int
        Number of those rows.
    """

    unseen: Agreement | None = None
    n_unseen: int = 0

    def _lines(self) -> list[str]:
        if self.unseen is None:
            return super()._lines()
        return [*super()._lines(), f"  unseen tuples, {count(self.n_unseen, 'row')}: {self.unseen._means()}"]


def explanation_accuracy(
    rules: Rules,
    X: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Agreement:
    """Accuracy of rules: how well each target's formula tells the target from the rest, on true labels.

    Parameters
    ----------
    rules : mapping of label to Formula, or to an object with a Formula as ``.formula``
        Not every label of ``y`` needs a rule, and a target need not occur in ``y``.
    X : mapping, data frame or array of shape (n_rows, n_concepts)
        Concepts, true when greater than 0.5. Columns that no formula uses are not looked at. For rules that
        were made from a raw table, its rows.
    y : array of shape (n_rows,), or array or data frame of shape (n_rows, n_targets)
        Labels; or, where a row can have several, a column of Booleans or of 0 and 1 for each target. Columns
        stand in the order of the rules, unless those of a frame are named after the targets.
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    sample_weight : array of shape (n_rows,), optional
        Non-negative weights; 1 when missing.

    Raises
    ------
    InputError
        ``y`` does not fit the rows or the targets.

    References
    ----------
    *Explanation accuracy* in Sec. 6.2 of Ciravegna et al., *Logic Explained Networks*.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> X = {"wings": [1, 1, 0, 0], "fins": [0, 0, 1, 0]}
    >>> rules = {"bird": Var("wings"), "fish": ~Var("wings")}
    >>> print(explanation_accuracy(rules, X, ["bird", "bird", "fish", "cat"]))
    macro-F1 0.867, plain 0.875, 2 targets
      'bird'  1.000  1.000
      'fish'  0.733  0.750
    """
    formulas = formulas_of(rules)
    data = rows_of(rules, X, names)
    weight = weights_of(sample_weight, data.n_rows)
    answers = answers_of(y, list(formulas), data.n_rows, "y")
    return Agreement(*_agreement(formulas, _cells(formulas, data, answers, [weight])[0]))


def fidelity(
    rules: Rules,
    X: Any,
    predictions: Any,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    seen: Any = None,
) -> Fidelity:
    """Fidelity of rules: how well each target's formula repeats a model's answers.

    Parameters
    ----------
    rules, X, names, sample_weight
        As for :func:`explanation_accuracy`.
    predictions : array of shape (n_rows,), or array or data frame of shape (n_rows, n_targets)
        The model's answers, in the form of ``y`` there.
    seen : mapping, data frame or array of shape (n_seen, n_concepts), optional
        The data the rules were made from. On tuples that do not occur there the formulas promise nothing, so
        agreement on them is worth knowing. A tuple holds all concepts of ``seen``, also those that no
        formula uses; an array has the names of the columns of ``X``.

    References
    ----------
    *Fidelity* in Sec. 6.2 of Ciravegna et al., *Logic Explained Networks*.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> print(fidelity({1: Var("x0")}, [[1, 0], [0, 0], [1, 1]], [1, 0, 0], seen=[[1, 0], [0, 0]]))
    macro-F1 0.667, plain 0.667, 1 target
      1  0.667  0.667
      unseen tuples, 1 row: macro-F1 0.000, plain 0.000
    """
    formulas = formulas_of(rules)
    data = rows_of(rules, X, names)
    weight = weights_of(sample_weight, data.n_rows)
    answers = answers_of(predictions, list(formulas), data.n_rows, "predictions")
    weights = [weight]
    n_unseen = 0
    if seen is not None:
        known = rows_of(rules, seen, None if carries_names(seen) else names or data.names)
        same = is_among(_packed(data, data.positions(known.names)), _packed(known, range(len(known.names))))
        unseen = np.where(same, 0.0, 1.0 if weight is None else weight)
        n_unseen = int(np.count_nonzero(unseen))
        weights.append(unseen)
    cells = _cells(formulas, data, answers, weights)
    rest = Agreement(*_agreement(formulas, cells[1])) if n_unseen else None
    return Fidelity(*_agreement(formulas, cells[0]), rest, n_unseen)


def macro_f1(truth: ArrayLike, predicted: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Mean of the F1 of yes and of no; an answer that neither side ever gives is left out.

    Parameters
    ----------
    truth, predicted : array of shape (n_rows,)
        Booleans, or 0 and 1.
    sample_weight : array of shape (n_rows,), optional
        Non-negative weights.

    Returns
    -------
    float
        What scikit-learn's ``f1_score(average="macro", zero_division=0)`` gives, but that rows of weight 0
        do not count as occurrences.

    Examples
    --------
    >>> round(macro_f1([1, 1, 0, 0], [1, 0, 0, 0]), 3), macro_f1([0, 0], [0, 0])
    (0.733, 1.0)
    """
    length = np.size(as_array(truth, "truth"))
    yes, said = yes_or_no(truth, "truth", length), yes_or_no(predicted, "predicted", length)
    return float(macro_f1_of(cells_of(yes, said, weights_of(sample_weight, length))))


def _cells(
    formulas: Mapping[Hashable, Formula],
    data: ConceptData,
    answers: Answers,
    weights: Sequence[FloatArray | None],
) -> FloatArray:
    """The table of answer against formula for each weighting and target, shape (n_weightings, n_targets, 4).

    Each column is read once and each formula evaluated once.
    """
    used = sorted({name for formula in formulas.values() for name in formula.concepts})
    columns = data.packed_columns(used)
    n_words = -(-data.n_rows // WORD)
    cells = np.empty((len(weights), len(formulas), 4))
    for at, formula in enumerate(formulas.values()):
        said = unpack(formula.evaluate_words(columns, n_words), data.n_rows)
        for which, weight in enumerate(weights):
            cells[which, at] = cells_of(answers(at), said, weight)
    return cells


def _agreement(
    formulas: Mapping[Hashable, Formula], cells: FloatArray
) -> tuple[float, float, dict[Hashable, TargetScores]]:
    f1 = macro_f1_of(cells)  # (n_targets,)
    plain = (cells[:, 0] + cells[:, 3]) / cells.sum(axis=1)
    scores = map(TargetScores, f1.tolist(), plain.tolist())
    return float(f1.mean()), float(plain.mean()), dict(zip(formulas, scores, strict=True))


def macro_f1_of(cells: FloatArray) -> FloatArray:
    """Macro-F1 of tables of shape (..., 4)."""
    right = cells[..., [0, 3]]  # (..., no and yes)
    possible = 2 * right + cells[..., [1]] + cells[..., [2]]
    occurs = possible > 0
    f1 = np.divide(2 * right, possible, out=np.zeros_like(possible), where=occurs)
    mean: FloatArray = f1.sum(axis=-1) / occurs.sum(axis=-1)
    return mean


def is_among(rows: Words, others: Words) -> BoolArray:
    """Whether each tuple occurs among others; both are packed, (n_rows, n_words)."""
    if not rows.shape[1]:
        return np.full(len(rows), len(others) > 0)
    whole_row = np.dtype((np.void, rows.shape[1] * rows.itemsize))  # compared byte by byte
    one, other = (np.ascontiguousarray(words).view(whole_row)[:, 0] for words in (rows, others))
    return np.isin(one, other)


def _packed(data: ConceptData, positions: Sequence[int]) -> Words:
    """Tuples of some concepts, packed, shape (n_rows, n_words)."""
    none = np.zeros((0, -(-len(positions) // WORD)), dtype=np.uint64)
    return np.concatenate([none, *map(pack, data.blocks(positions, _BLOCK))])


class Total(NamedTuple):
    """Weight of some rows, and the sum of its squares; both the number of rows without weights."""

    weight: float
    squares: float

    def plus(self, other: Total) -> Total:
        """That of both."""
        return Total(self.weight + other.weight, self.squares + other.squares)

    @classmethod
    def of_rows(cls, n_rows: float) -> Total:
        """That of rows without weights."""
        return cls(n_rows, n_rows)


Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class RuleScores:
    """The rates of a rule, each with its interval.

    A rate of nothing is NaN, and its interval is (0, 1): precision of a rule that is never true, recall of a
    target that does not occur.

    Attributes
    ----------
    n, covered : float
        Number of rows, and of those for which the formula is true; their weight if weights were given.
    precision, precision_interval : float, (float, float)
        Share of the target among the rows for which the formula is true.
    recall, recall_interval : float, (float, float)
        Share of the rows of the target for which the formula is true.
    coverage, coverage_interval : float, (float, float)
        Share of all rows for which the formula is true.
    prevalence, prevalence_interval : float, (float, float)
        Share of the target among all rows.
    lift : float
        Precision divided by prevalence: how many times as common the target is where the formula is true.
        NaN when either is NaN or the target does not occur.
    """

    n: float
    covered: float
    precision: float
    precision_interval: Interval
    recall: float
    recall_interval: Interval
    coverage: float
    coverage_interval: Interval
    prevalence: float
    prevalence_interval: Interval
    lift: float

    def __str__(self) -> str:
        lines = [f"true for {self.covered:.10g} of {self.n:.10g}, lift {self.lift:.2f}"]
        for name in ("precision", "recall", "coverage", "prevalence"):
            low, high = getattr(self, f"{name}_interval")
            lines.append(f"  {name:<10}  {getattr(self, name):.3f}  [{low:.3f}, {high:.3f}]")
        return "\n".join(lines)


def rule_scores(
    formula: Any,
    X: Any,
    y_is_target: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
) -> RuleScores:
    """Precision, recall, coverage, prevalence and lift of a formula for one target.

    Parameters
    ----------
    formula : Formula, or an Explanation
    X : mapping, data frame or array of shape (n_rows, n_concepts)
        Concepts, true when greater than 0.5; for an explanation that was made from a raw table, its rows.
    y_is_target : array of shape (n_rows,)
        Whether each row is the target: Booleans, or 0 and 1. From labels, ``y == label`` makes them.
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    sample_weight : array of shape (n_rows,), optional
        Non-negative weights; 1 when missing.
    confidence : float, default 0.95
        Of the intervals, between 0 and 1.

    References
    ----------
    E. B. Wilson: "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the
    American Statistical Association 22 (1927).

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> scores = rule_scores(Var("wings"), {"wings": [1, 1, 1, 0]}, [1, 1, 0, 0])
    >>> scores.recall, scores.coverage
    (1.0, 0.75)
    >>> print(scores)
    true for 3 of 4, lift 1.33
      precision   0.667  [0.208, 0.939]
      recall      1.000  [0.342, 1.000]
      coverage    0.750  [0.301, 0.954]
      prevalence  0.500  [0.150, 0.850]
    """
    if not isinstance(getattr(formula, "formula", None), Formula):
        check_formula(formula, "rule_scores")
    true: BoolArray = formula.evaluate(X, names)
    weight = weights_of(sample_weight, len(true))
    target = yes_or_no(y_is_target, "y_is_target", len(true))
    counted = np.ones(len(true)) if weight is None else weight / weight.max()  # large squares would overflow
    rows, targets, fired = (
        Total(float(part.sum()), float(part @ part)) for part in (counted, counted[target], counted[true])
    )
    scores = rates_of(rows, targets, fired, float(counted[true & target].sum()), confidence)
    if weight is None:
        return scores
    return replace(scores, n=float(weight.sum()), covered=float(weight[true].sum()))


def rates_of(rows: Total, target: Total, fired: Total, both: float, confidence: float = 0.95) -> RuleScores:
    """Rates from all rows, those of the target, those where the rule fires, and the weight of both."""
    precision = share_of(both, fired, confidence)
    prevalence = share_of(target.weight, rows, confidence)
    return RuleScores(
        rows.weight,
        fired.weight,
        *precision,
        *share_of(both, target, confidence),
        *share_of(fired.weight, rows, confidence),
        *prevalence,
        precision[0] / prevalence[0] if prevalence[0] > 0 else np.nan,
    )


def two_sided_quantile(confidence: float) -> float:
    """Standard deviations of a normal distribution from the middle to the end of an interval.

    Examples
    --------
    >>> round(two_sided_quantile(0.95), 2)
    1.96
    """
    level = as_float(confidence)
    if not 0 < level < 1:
        raise InputError(f"confidence must be a number between 0 and 1. Got {shown(confidence)}.")
    return NormalDist().inv_cdf((1 + level) / 2)


def share_of(part: float, whole: Total, confidence: float = 0.95) -> tuple[float, Interval]:
    """Share of a weight that lies in a part, and its Wilson score interval.

    Examples
    --------
    >>> rate, (low, high) = share_of(3.0, Total(4.0, 4.0))
    >>> f"{rate}: {low:.3f} to {high:.3f}"
    '0.75: 0.301 to 0.954'
    """
    if whole.weight == 0:
        return np.nan, (0.0, 1.0)
    rate = min(part / whole.weight, 1.0)  # sums of fractions may be off by the last digit
    return rate, wilson(rate, whole.weight * (whole.weight / whole.squares), confidence)


def wilson(rate: float, n: float, confidence: float = 0.95) -> Interval:
    """Wilson score interval of a rate that was seen on this many rows.

    Examples
    --------
    >>> low, high = wilson(0.75, 4)
    >>> f"{low:.3f} to {high:.3f}"
    '0.301 to 0.954'
    """
    z = two_sided_quantile(confidence)
    center = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    # At rates of 0 and 1 rounding may put the ends just outside.
    return min(max(center - half, 0.0), rate), max(min(center + half, 1.0), rate)
