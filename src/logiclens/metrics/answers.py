"""What the scores are computed from: the formulas of rules, answers for each target, and weights.

Answers come as labels, one a row, or as a column of yes and no for each target. Either is read into one
form, a function from a target's position to a Boolean vector, so that no more than one target's answers
need be held at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logiclens.errors import InputError, as_code, listing, shown
from logiclens.logic import Formula
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import ConceptData
from logiclens.logic.values import as_array, as_weights, check_length, missing_values

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
            f"The rule of target {shown(plain_label(label))} must be a formula, or have one as .formula. "
            f"Got {shown(rule)}; write {as_code(rule) or 'a formula'} instead."
        )
    return formula


def rows_of(rules: Rules, X: Any, names: Sequence[str] | None) -> ConceptData:
    """Rows as the rules themselves read them, where they can: those of a raw table, for instance."""
    read = getattr(rules, "read", None)
    return ConceptData(X, names) if names is not None or read is None else read(X)


def plain_label(label: Any) -> Any:
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
        got = shown(plain_label(values[wrong][0]))
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
        f"No label of {what} is a target. Got the labels {listing(map(plain_label, labels))}; the targets "
        f"are {listing(map(plain_label, targets))}. Use the same labels in both, or pass a column of 0 and 1 "
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
