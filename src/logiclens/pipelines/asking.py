"""Asking a black box, whatever it is, and reading its answers as labels.

    an estimator with ``predict``   labels (n,), or a table of 0 and 1 (n, n_targets)
    a ``torch.nn.Module``           logits: (n,) or (n, 1), yes above 0; (n, n_classes), the largest
    a callable                      labels (n,); a table of Booleans or of whole numbers 0 and 1, as above;
                                    probabilities of yes (n,), above 0.5; scores (n, n_classes), the largest

How answers are read is settled once, on the rows of a fit: a later batch that happens to hold nothing but 0.0
and 1.0 is then still read as probabilities. torch is looked at only where the caller has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from logiclens.errors import InputError, count, shown
from logiclens.explain.rule import Label, check_labels, label_array, plain_label
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.values import as_array, as_floats
from logiclens.pipelines.rows import take

_BLOCK = 1 << 14  # rows that a module is asked about at once
_ROUNDING = 1e-6  # how far outside [0, 1] a probability may fall in single precision


class Form(StrEnum):
    """What answers look like."""

    LABELS = "labels"
    TABLE = "a table of yes and no"
    ONE = "a number for yes"
    SEVERAL = "a number for each class"


@dataclass(frozen=True)
class Answers:
    """How the answers of a black box are read.

    Attributes
    ----------
    form : Form
    classes : tuple of labels
        What the numbers of a black box stand for; empty where it answers with labels.
    logits : bool
        Whether its numbers are logits, as those of modules are, rather than probabilities.
    """

    form: Form
    classes: tuple[Label, ...] = ()
    logits: bool = False

    @classmethod
    def of(cls, black_box: Any, answers: NDArray[Any], n_rows: int, classes: Any = None) -> Answers:
        """Settle how answers are read.

        Parameters
        ----------
        black_box : object
        answers : ndarray
            What it said, as from :func:`ask`.
        n_rows : int
            Rows it was asked about.
        classes : sequence of labels, optional
            What its numbers stand for.

        Examples
        --------
        >>> Answers.of(len, np.array([0.2, 0.9]), 2, ["no", "yes"]).labels(np.array([0.6]))
        array(['yes'], dtype='<U3')
        """
        if answers.ndim not in (1, 2) or len(answers) != n_rows:
            raise InputError(
                f"The black box must give an answer for each of the {count(n_rows, 'row')}. "
                f"Got shape {answers.shape}."
            )
        form = _form(black_box, answers)
        if form in (Form.LABELS, Form.TABLE):
            if classes is not None:
                raise InputError(
                    "classes names the numbers of a black box; this one answers with labels. Leave it out."
                )
            return cls(form)
        width = 2 if form is Form.ONE else answers.shape[1]
        return cls(form, _classes(classes, width, form), is_module(black_box))

    def labels(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Answers as labels, (n,), or as a table of 0 and 1, (n, n_targets)."""
        if self.form is Form.LABELS:
            return answers
        numbers = as_floats(answers, "The answer of the black box")
        _check_answered(numbers)
        if self.form is Form.TABLE:
            return (numbers > 0.5).astype(np.int64)
        if self.form is Form.ONE:
            chosen = (numbers > (0.0 if self.logits else 0.5)).astype(np.intp)
        else:
            chosen = numbers.argmax(axis=1)
        return label_array(self.classes)[chosen]

    def degrees(self, answers: NDArray[Any]) -> FloatArray:
        """Answers in numbers as degrees of each class that add up to 1, (n, n_classes)."""
        numbers = as_floats(answers, "The answer of the black box")
        if self.form is Form.ONE:
            yes = expit(numbers) if self.logits else np.clip(numbers, 0.0, 1.0)
            return np.column_stack([1.0 - yes, yes])
        if self.logits:
            return np.asarray(softmax(numbers, axis=1))
        if numbers.min() < 0 or not numbers.sum(axis=1).all():
            raise InputError(
                "answers='probabilities' needs probabilities. The black box gave a negative number, or zeros "
                "alone; use answers='labels'."
            )
        return np.asarray(numbers / numbers.sum(axis=1, keepdims=True))


def ask(black_box: Any, X: Any) -> NDArray[Any]:
    """What a black box answers about rows, as an array; one column is flat.

    Parameters
    ----------
    black_box : estimator, torch.nn.Module or callable
    X : data frame, array, sparse matrix, tensor or mapping

    Examples
    --------
    >>> ask(lambda X: [["yes"], ["no"]], np.zeros((2, 1)))
    array(['yes', 'no'], dtype='<U3')
    """
    if is_module(black_box):
        said: Any = _logits(black_box, X)
    else:
        said = black_box.predict(X) if hasattr(black_box, "predict") else black_box(X)
    return plain_array(said)


def all_classes(black_box: Any, answers: Answers, given: NDArray[Any]) -> NDArray[Any]:
    """Labels that a black box can give, sorted: those it says it has, or else those it has given."""
    if answers.classes:
        return np.unique(label_array(answers.classes))
    known = getattr(black_box, "classes_", None) if answers.form is Form.LABELS else None
    if isinstance(known, np.ndarray) and set(given.tolist()) <= set(known.tolist()):
        return known
    return given


def is_module(value: Any) -> bool:
    """Whether a value is a network of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def is_fitted(black_box: Any) -> bool:
    """Whether a black box can be asked: all but estimators of scikit-learn that have yet to be fitted."""
    if not hasattr(black_box, "fit") or is_module(black_box):
        return True
    try:
        check_is_fitted(black_box)
    except NotFittedError:
        return False
    except AttributeError:  # it has no tags, so scikit-learn cannot tell
        return True
    return True


def fit_black_box(black_box: Any, X: Any, y: NDArray[Any], sample_weight: FloatArray | None) -> Any:
    """Fit an estimator, with weights where there are any and it takes them; return it."""
    if sample_weight is None or not has_fit_parameter(black_box, "sample_weight"):
        return black_box.fit(X, y)
    return black_box.fit(X, y, sample_weight=sample_weight)


class Folds(NamedTuple):
    """Black boxes, each with rows that it was not fitted on, and the order that puts all rows back."""

    asked: list[tuple[Any, Any]]
    order: IndexArray


def fit_folds(black_box: Any, X: Any, y: NDArray[Any], weight: FloatArray, n_folds: int, seed: int) -> Folds:
    """Fit clones of a black box, each on all rows outside a fold, to be asked about the fold.

    Parameters
    ----------
    black_box : estimator
    X : data frame, array, sparse matrix or tensor, n rows
    y : ndarray of shape (n,), or (n, n_targets)
    weight : ndarray of shape (n,)
        Handed on unless all are equal.
    n_folds : int
    seed : int
        Decides the folds, which are stratified where every class has a row for each.
    """
    rows = np.arange(len(y))
    rarest = np.unique(y, return_counts=True)[1].min() if y.ndim == 1 else 0
    splitter = (StratifiedKFold if rarest >= n_folds else KFold)(
        n_folds, shuffle=True, random_state=seed % 2**32
    )
    given = None if (weight == weight[0]).all() else weight
    asked, order = [], []
    for inside, outside in splitter.split(rows, y):
        part = None if given is None else given[inside]
        copied = fit_black_box(clone(black_box), take(X, inside), y[inside], part)
        asked.append((copied, take(X, outside)))
        order.append(outside)
    return Folds(asked, np.argsort(np.concatenate(order)))


def check_black_box(black_box: Any) -> None:
    """Refuse what cannot be asked."""
    can_answer = hasattr(black_box, "predict") or callable(black_box)
    if isinstance(black_box, type) or not can_answer:
        remedy = "; make one with ()" if isinstance(black_box, type) else ""
        raise InputError(
            "black_box must be a model with predict, a torch.nn.Module or a callable. "
            f"Got {shown(black_box)}{remedy}."
        )


def check_folds(n_folds: Any, black_box: Any, y: Any, n_rows: int) -> None:
    """Refuse a number of folds that cannot be made, or a black box that cannot be fitted."""
    if isinstance(n_folds, bool) or not isinstance(n_folds, int | np.integer) or not 2 <= n_folds <= n_rows:
        raise InputError(
            f"out_of_fold must be a number of folds from 2 to the {count(n_rows, 'row')} there are, or None. "
            f"Got {shown(n_folds)}."
        )
    if not hasattr(black_box, "fit") or y is None:
        raise InputError(
            "out_of_fold fits clones of the black box, so it needs an estimator, and y. "
            "Leave it out, or see n_fresh for rows that the black box has not seen."
        )


def _check_answered(answers: NDArray[Any]) -> None:
    """Refuse answers that are missing: mostly something is missing in the rows that were asked about."""
    missing = np.isnan(answers)
    if missing.any():
        rows = np.flatnonzero(missing if missing.ndim == 1 else missing.any(axis=1))
        raise InputError(
            f"The black box answers NaN about {count(len(rows), 'row')}, the first of them row {rows[0]} "
            "(counted from 0). Look there for missing values in X; impute or drop those rows first."
        )


def _form(black_box: Any, answers: NDArray[Any]) -> Form:
    numbers = answers.dtype.kind == "f"
    if numbers:
        _check_answered(answers)
    within = numbers and bool(((answers >= -_ROUNDING) & (answers <= 1 + _ROUNDING)).all())
    if is_module(black_box):
        if answers.ndim == 1 and within:
            raise InputError(
                "The output of the module lies in [0, 1] on every row, which looks like probabilities; pass "
                "the module without its last Sigmoid, or a callable that returns probabilities."
            )
        return Form.ONE if answers.ndim == 1 else Form.SEVERAL
    if hasattr(black_box, "predict"):
        if answers.ndim == 2:
            return Form.TABLE
        if numbers and (answers != np.round(answers)).any():
            wrong = answers[answers != np.round(answers)][0]
            raise InputError(
                f"The black box predicts numbers such as {wrong:g}, not labels. "
                "Pass a callable that compares them with a cut point: lambda X: model.predict(X) > cut."
            )
        return Form.LABELS
    if answers.ndim == 2:
        whole = answers.dtype.kind in "biu" and bool(((answers == 0) | (answers == 1)).all())
        return Form.TABLE if whole else Form.SEVERAL
    if numbers and not within and (answers != np.round(answers)).any():
        wrong = answers[answers != np.round(answers)][0]
        raise InputError(
            f"The black box answers with numbers such as {wrong:g}, neither labels nor probabilities. "
            "Compare them with a cut point: lambda X: answer(X) > cut."
        )
    return Form.ONE if within else Form.LABELS


def _classes(classes: Any, width: int, form: Form) -> tuple[Label, ...]:
    if classes is None:
        return (False, True) if form is Form.ONE else tuple(range(width))
    if isinstance(classes, str) or not isinstance(classes, Sequence | np.ndarray):
        raise InputError(f"classes must be a sequence of labels. Got {shown(classes)}.")
    labels = tuple(map(plain_label, classes))
    check_labels(labels)
    if len(labels) != width:
        raise InputError(
            f"classes must name the {width} classes that the black box answers about. Got {len(labels)}."
        )
    return labels


def plain_array(said: Any) -> NDArray[Any]:
    """What a black box answers, as an array: tensors, series, frames, sparse matrices; one column is flat."""
    if hasattr(said, "detach"):  # a tensor
        said = said.detach().cpu().numpy()
    wrapped = nw.from_native(said, pass_through=True, allow_series=True)
    if isinstance(wrapped, nw.Series | nw.DataFrame):
        said = wrapped.to_numpy()
    if hasattr(said, "toarray"):
        said = said.toarray()
    answers = as_array(said, "What the black box answers")
    return answers[:, 0] if answers.ndim == 2 and answers.shape[1] == 1 else answers


def _logits(module: Any, X: Any) -> Any:
    """Outputs of a module on rows, in evaluation mode; the modes of its parts are put back."""
    import torch

    if not isinstance(X, torch.Tensor):
        wrapped = nw.from_native(X, pass_through=True, eager_only=True)
        X = wrapped.to_numpy() if isinstance(wrapped, nw.DataFrame) else X
        X = torch.as_tensor(as_floats(X.toarray() if hasattr(X, "toarray") else X, "X"))
    weights = next(iter([*module.parameters(), *module.buffers()]), torch.zeros(0))
    kind = weights.dtype if weights.dtype.is_floating_point else torch.float32
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        with torch.no_grad():
            blocks = [
                module(X[start : start + _BLOCK].to(weights.device, kind))
                for start in range(0, len(X), _BLOCK)
            ]
    finally:
        for part, mode in modes:
            part.training = mode
    return torch.cat([block.detach().float().cpu() for block in blocks])
