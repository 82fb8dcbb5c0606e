"""Explaining a black box: a LEN learns to predict as it does, and states it in rules (Sec. 3.2, Eq. 11).

A black box is a model of scikit-learn or a pipeline, a network of torch, or a function. It predicts rows, a
LEN is trained on its predictions, and the rules of the LEN are scored on rows that the LEN has not seen:
their *fidelity* to the black box is the figure to look at first.

**How outputs are read.**

    an estimator with ``predict``   labels (n,), or a table of 0 and 1 (n, n_targets)
    a ``torch.nn.Module``           logits: (n,) or (n, 1), yes above 0; (n, n_classes), the largest
    a callable                      labels (n,); a table of Booleans or of whole numbers 0 and 1, as above;
                                    probabilities of yes (n,), above 0.5; scores (n, n_classes), the largest

This is settled once, on the rows of a fit: a later batch that happens to hold nothing but 0.0 and 1.0 is then
still read as probabilities. torch is looked at only where the caller has imported it.

**What the LEN learns** about a row is the probability of each class, where the black box gives it, or else
its label. That takes the place of the truth in the fit (:mod:`logiclens.estimators.fit`); nothing else is
different. Probabilities come from

    an estimator with ``predict_proba``   that
    a ``torch.nn.Module``                 its logits
    a callable that returns numbers       these, where they are probabilities

**Which rows to learn from.** On the rows it was trained on, a black box that has learnt them by heart repeats
their labels, noise included; elsewhere it predicts in another, smoother way. The second is what an
explanation should be about.

    rows the black box was not trained on  the best there is: pass those as ``X`` its training rows, and their
    labels    ``out_of_fold=5``: each row is predicted by a copy that never saw it its training rows, without
    labels      ``n_fresh=...``: rows made of pieces of real ones are added
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, Self

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from logiclens.concepts.table import Table
from logiclens.errors import InputError, count, shown
from logiclens.estimators._parameters import seed_of
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.inputs_and_targets import Problem, Targets, read_targets
from logiclens.explain import Explanation, ExplanationSet, GlobalExplanation
from logiclens.explain.front import Front
from logiclens.explain.rule import Label, check_labels, label_array, plain_label
from logiclens.logic import Var
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import as_array, as_float, as_floats, as_weights, check_count
from logiclens.metrics import Agreement, explanation_accuracy
from logiclens.pipelines._native_tables import (
    adopt_features,
    as_labels,
    check_rows,
    hold_out,
    number_of_rows,
    recombine,
    shared_input,
    take,
)

_ROUNDING = 1e-6  # how far outside [0, 1] a probability may fall in single precision


class OutputKind(StrEnum):
    """The forms of the outputs of a black box."""

    LABELS = "labels"
    TABLE = "a table of yes and no"
    ONE = "a number for yes"
    SEVERAL = "a number for each class"


@dataclass(frozen=True)
class OutputFormat:
    """The way to read the outputs of a black box."""

    form: OutputKind
    classes: tuple[Label, ...] = ()
    """The classes that its numbers are for; empty where it returns labels."""
    logits: bool = False
    """Whether its numbers are logits, as those of modules are, rather than probabilities."""

    @classmethod
    def of(cls, black_box: Any, answers: NDArray[Any], n_rows: int, classes: Any = None) -> OutputFormat:
        """Settle how to read outputs, as from :func:`predict_with`; ``classes`` are what its numbers are for.

        Examples
        --------
        >>> OutputFormat.of(len, np.array([0.2, 0.9]), 2, ["no", "yes"]).labels(np.array([0.6]))
        array(['yes'], dtype='<U3')
        """
        if answers.ndim not in (1, 2) or len(answers) != n_rows:
            raise InputError(
                f"The black box must give an answer for each of the {count(n_rows, 'row')}. "
                f"Got shape {answers.shape}."
            )
        form = _form(black_box, answers)
        if form in (OutputKind.LABELS, OutputKind.TABLE):
            if classes is not None:
                raise InputError(
                    "classes names the numbers of a black box; this one answers with labels. Leave it out."
                )
            return cls(form)
        width = 2 if form is OutputKind.ONE else answers.shape[1]
        return cls(form, _classes(classes, width, form), is_module(black_box))

    def labels(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Answers as labels, (n,), or as a table of 0 and 1, (n, n_targets)."""
        if self.form is OutputKind.LABELS:
            return answers
        numbers = as_floats(answers, "The answer of the black box")
        _check_outputs(numbers)
        if self.form is OutputKind.TABLE:
            return (numbers > 0.5).astype(np.int64)
        if self.form is OutputKind.ONE:
            chosen = (numbers > (0.0 if self.logits else 0.5)).astype(np.intp)
        else:
            chosen = numbers.argmax(axis=1)
        return label_array(self.classes)[chosen]

    def degrees(self, answers: NDArray[Any]) -> FloatArray:
        """Answers in numbers as degrees of each class that add up to 1, (n, n_classes)."""
        numbers = as_floats(answers, "The answer of the black box")
        if self.form is OutputKind.ONE:
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


def predict_with(black_box: Any, X: Any) -> NDArray[Any]:
    """The outputs of a black box for rows, as an array; one column is flat.

    Examples
    --------
    >>> predict_with(lambda X: [["yes"], ["no"]], np.zeros((2, 1)))
    array(['yes', 'no'], dtype='<U3')
    """
    if is_module(black_box):
        outputs: Any = _logits(black_box, X)
    else:
        outputs = black_box.predict(X) if hasattr(black_box, "predict") else black_box(X)
    return as_plain_array(outputs)


def all_classes(black_box: Any, answers: OutputFormat, given: NDArray[Any]) -> NDArray[Any]:
    """Labels that a black box can predict, sorted: its classes, or else those it has predicted."""
    if answers.classes:
        return np.unique(label_array(answers.classes))
    known = getattr(black_box, "classes_", None) if answers.form is OutputKind.LABELS else None
    if isinstance(known, np.ndarray) and set(given.tolist()) <= set(known.tolist()):
        return known
    return given


def is_module(value: Any) -> bool:
    """True for a network of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def is_fitted(black_box: Any) -> bool:
    """True for what can predict: all but estimators of scikit-learn that have yet to be fitted."""
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

    held_out: list[tuple[Any, Any]]
    order: IndexArray


def fit_out_of_fold(
    black_box: Any, X: Any, y: NDArray[Any], weight: FloatArray, n_folds: int, seed: int
) -> Folds:
    """Fit clones of a black box, each on all rows outside a fold, to predict the fold.

    Weights are handed on unless all are equal. Folds are stratified where every class has a row for each.
    """
    rows = np.arange(len(y))
    rarest = np.unique(y, return_counts=True)[1].min() if y.ndim == 1 else 0
    splitter = (StratifiedKFold if rarest >= n_folds else KFold)(
        n_folds, shuffle=True, random_state=seed % 2**32
    )
    given = None if (weight == weight[0]).all() else weight
    held_out, order = [], []
    for inside, outside in splitter.split(rows, y):
        part = None if given is None else given[inside]
        copied = fit_black_box(clone(black_box), take(X, inside), y[inside], part)
        held_out.append((copied, take(X, outside)))
        order.append(outside)
    return Folds(held_out, np.argsort(np.concatenate(order)))


def check_black_box(black_box: Any) -> None:
    """Refuse what cannot predict."""
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


def _check_outputs(answers: NDArray[Any]) -> None:
    """Refuse outputs that are missing: mostly something is missing in the rows."""
    missing = np.isnan(answers)
    if missing.any():
        rows = np.flatnonzero(missing if missing.ndim == 1 else missing.any(axis=1))
        raise InputError(
            f"The black box answers NaN about {count(len(rows), 'row')}, the first of them row {rows[0]} "
            "(counted from 0). Look there for missing values in X; impute or drop those rows first."
        )


def _form(black_box: Any, answers: NDArray[Any]) -> OutputKind:
    numbers = answers.dtype.kind == "f"
    if numbers:
        _check_outputs(answers)
    within = numbers and bool(((answers >= -_ROUNDING) & (answers <= 1 + _ROUNDING)).all())
    if is_module(black_box):
        if answers.ndim == 1 and within:
            raise InputError(
                "The output of the module lies in [0, 1] on every row, which looks like probabilities; pass "
                "the module without its last Sigmoid, or a callable that returns probabilities."
            )
        return OutputKind.ONE if answers.ndim == 1 else OutputKind.SEVERAL
    predicts = hasattr(black_box, "predict")
    if answers.ndim == 2:
        whole = answers.dtype.kind in "biu" and bool(((answers == 0) | (answers == 1)).all())
        return OutputKind.TABLE if predicts or whole else OutputKind.SEVERAL
    fractions = answers[answers != np.round(answers)] if numbers else answers[:0]
    if len(fractions) and predicts:
        raise InputError(
            f"The black box predicts numbers such as {fractions[0]:g}, not labels. "
            "Pass a callable that compares them with a cut point: lambda X: model.predict(X) > cut."
        )
    if len(fractions) and not within:
        raise InputError(
            f"The black box answers with numbers such as {fractions[0]:g}, neither labels nor probabilities. "
            "Compare them with a cut point: lambda X: answer(X) > cut."
        )
    return OutputKind.ONE if within and not predicts else OutputKind.LABELS


def _classes(classes: Any, width: int, form: OutputKind) -> tuple[Label, ...]:
    if classes is None:
        return (False, True) if form is OutputKind.ONE else tuple(range(width))
    if isinstance(classes, str) or not isinstance(classes, Sequence | np.ndarray):
        raise InputError(f"classes must be a sequence of labels. Got {shown(classes)}.")
    labels = tuple(map(plain_label, classes))
    check_labels(labels)
    if len(labels) != width:
        raise InputError(
            f"classes must name the {width} classes that the black box answers about. Got {len(labels)}."
        )
    return labels


def as_plain_array(outputs: Any) -> NDArray[Any]:
    """Outputs as an array: of tensors, series, frames, sparse matrices; one column is flat."""
    if hasattr(outputs, "detach"):  # a tensor
        outputs = outputs.detach().cpu().numpy()
    wrapped = nw.from_native(outputs, pass_through=True, allow_series=True)
    if isinstance(wrapped, nw.Series | nw.DataFrame):
        outputs = wrapped.to_numpy()
    if hasattr(outputs, "toarray"):
        outputs = outputs.toarray()
    answers = as_array(outputs, "What the black box answers")
    return answers[:, 0] if answers.ndim == 2 and answers.shape[1] == 1 else answers


def _logits(module: Any, X: Any) -> Any:
    """Outputs of a module on rows."""
    import torch

    from logiclens.nn.model_outputs import predict_rows

    if not isinstance(X, torch.Tensor):
        wrapped = nw.from_native(X, pass_through=True, eager_only=True)
        X = wrapped.to_numpy() if isinstance(wrapped, nw.DataFrame) else X
        X = torch.as_tensor(as_floats(X.toarray() if hasattr(X, "toarray") else X, "X"))
    return predict_rows(module, X)


_CONTRADICTIONS = 0.01
"""Share of the rows up to which probabilities may contradict labels: those of some models are estimates."""


def class_names(black_box: Any, answers: OutputFormat) -> NDArray[Any]:
    """Labels of the classes that a black box gives probabilities of, (n_classes,)."""
    if answers.form is OutputKind.LABELS and hasattr(black_box, "predict_proba"):
        return np.asarray(black_box.classes_)
    if not answers.classes:
        raise InputError(
            "answers='probabilities' needs a black box that gives them, and this one gives labels. "
            "Use answers='labels'."
        )
    return label_array(answers.classes)


def probabilities(black_box: Any, X: Any, answers: OutputFormat, outputs: NDArray[Any]) -> FloatArray:
    """Probabilities of the classes on rows, (n, n_classes), in the order of :func:`class_names`.

    ``outputs`` are those for the rows, as from :func:`predict_with`.
    """
    if answers.form is OutputKind.LABELS and hasattr(black_box, "predict_proba"):
        return as_floats(as_plain_array(black_box.predict_proba(X)), "What predict_proba answers")
    class_names(black_box, answers)  # there are some
    return answers.degrees(outputs)


def gives_probabilities(black_box: Any, X: Any, answers: OutputFormat, outputs: NDArray[Any]) -> bool:
    """True for a black box whose probabilities decide; not for one with another threshold.

    The parameters are those of :func:`probabilities`.

    Examples
    --------
    >>> def box(X):
    ...     return np.array([0.2, 0.9])
    >>> answers = OutputFormat.of(box, box(None), 2, ["no", "yes"])
    >>> gives_probabilities(box, None, answers, box(None))
    True
    """
    if answers.form is OutputKind.SEVERAL and not answers.logits and not _are_shares(outputs):
        return False  # only which is the largest means anything
    try:
        names, found = class_names(black_box, answers), probabilities(black_box, X, answers, outputs)
    except Exception:  # whatever keeps it from that, it has given its labels
        return False
    labels = answers.labels(outputs)
    if labels.ndim != 1 or found.shape != (len(labels), *names.shape) or not _are_shares(found):
        return False
    of_label = np.where(labels[:, None] == names, found, 0.0).max(axis=1)
    return bool((of_label < found.max(axis=1)).mean() <= _CONTRADICTIONS)


def _are_shares(numbers: NDArray[Any]) -> bool:
    """True for probabilities: from 0 on, and 1 in each row together."""
    return bool((numbers >= 0).all() and np.allclose(numbers.sum(axis=1), 1.0, atol=1e-3))


@dataclass(frozen=True)
class Lesson:
    """The targets that a LEN learns from a black box: probabilities of its classes, or labels."""

    answers: OutputFormat
    classes: tuple[Label, ...] | None = None
    """The classes whose probabilities are learnt, sorted; None where labels are."""

    @classmethod
    def of(cls, black_box: Any, X: Any, answers: OutputFormat, outputs: NDArray[Any], what: str) -> Lesson:
        """Settle what is learnt; "auto": probabilities where the black box decides by them."""
        if what == "labels" or (what == "auto" and not gives_probabilities(black_box, X, answers, outputs)):
            return cls(answers)
        return cls(answers, tuple(map(plain_label, np.unique(class_names(black_box, answers)))))

    def about(self, black_box: Any, X: Any, outputs: NDArray[Any] | None = None) -> NDArray[Any]:
        """The targets of rows: probabilities (n, n_classes), or labels."""
        outputs = predict_with(black_box, X) if outputs is None else outputs
        if self.classes is None:
            return self.answers.labels(outputs)
        found = probabilities(black_box, X, self.answers, outputs)
        return spread(found, class_names(black_box, self.answers), label_array(self.classes))

    def targets(self, black_box: Any, learnt: NDArray[Any]) -> Targets:
        """Targets in the form of a fit: all classes that a black box can give have a part in them."""
        if self.classes is not None:
            if len(self.classes) == 2:
                return Targets(self.classes, Problem.BINARY, learnt[:, 1:])
            return Targets(self.classes, Problem.SINGLE_LABEL, learnt)
        if learnt.ndim == 2:
            return read_targets(learnt, len(learnt))
        known = all_classes(black_box, self.answers, np.unique(learnt))
        return read_targets(learnt, len(learnt), tuple(map(plain_label, known)))


def check_what(what: Any) -> None:
    """Refuse what cannot be learnt from a black box."""
    if what not in ("auto", "labels", "probabilities"):
        raise InputError(f"answers must be 'auto', 'labels' or 'probabilities'. Got {shown(what)}.")


def spread(values: FloatArray, labels: NDArray[Any], known: NDArray[Any]) -> FloatArray:
    """Columns by label as columns of all labels that are known, (n, n_known); 0 where there is none.

    Examples
    --------
    >>> spread(np.array([[0.3, 0.7]]), np.array(["b", "c"]), np.array(["a", "b", "c"]))
    array([[0. , 0.3, 0.7]])
    """
    found = np.zeros((len(values), len(known)))
    found[:, [known.tolist().index(label) for label in labels.tolist()]] = values
    return found


@dataclass(frozen=True)
class BlackBoxFidelity:
    """Agreement of rules and network with a black box.

    Attributes
    ----------
    part : str
        The rows that were looked at: ``"held out"`` from the training of the LEN or, where none were,
        ``"training"``.
    n_rows : int
        How many there were.
    rules : Agreement
        Agreement of each rule's formula with the black box, target by target.
    network : Agreement
        The same of the network.
    rules_agree : float
        Share of the rows that get the black box's label from the rules as a classifier: the headline.
    network_agree : float
        The same of the network.
    black_box_accuracy : float, optional
        Share of the rows whose true label the black box predicts; None where the truth was not given.
    rules_accuracy : float, optional
        The same of the rules.
    """

    part: str
    n_rows: int
    rules: Agreement
    network: Agreement
    rules_agree: float
    network_agree: float
    black_box_accuracy: float | None = None
    rules_accuracy: float | None = None

    @property
    def macro_f1(self) -> float:
        """The paper's figure: macro-F1 of the rules against the black box, mean over the targets."""
        return self.rules.macro_f1

    @property
    def plain(self) -> float:
        """Share of the rows on which a rule and the black box agree, mean over the targets."""
        return self.rules.plain

    def __str__(self) -> str:
        lines = [f"fidelity to the black box, {count(self.n_rows, 'row')} ({self.part})"]
        for name, agreement, same in (
            ("rules", self.rules, self.rules_agree),
            ("network", self.network, self.network_agree),
        ):
            scores = f"same label {same:.3f}, plain {agreement.plain:.3f}, macro-F1 {agreement.macro_f1:.3f}"
            lines.append(f"  {name:<8} {scores}")
        if self.black_box_accuracy is not None:
            lines.append(
                f"accuracy: black box {self.black_box_accuracy:.3f}, rules {self.rules_accuracy:.3f}"
            )
        return "\n".join(lines)


def measure_fidelity(
    estimator: Any,
    table: Any,
    labels: NDArray[Any],
    weight: FloatArray,
    part: str,
    truth: NDArray[Any] | None = None,
) -> BlackBoxFidelity:
    """Compare a fitted LEN and its rules with the labels that a black box predicts for rows of a table."""
    table = table.toarray() if hasattr(table, "toarray") else table  # rules read no sparse ones
    rules = estimator.explain()
    by_rules = rules.predict(table)
    accuracies: dict[str, float] = {}
    if truth is not None:
        true = comparable_truth(truth, labels)
        accuracies["black_box_accuracy"] = _same(labels, true, weight)
        accuracies["rules_accuracy"] = _same(by_rules, true, weight)
    answered = labels > 0 if labels.ndim == 2 else labels[:, None] == estimator.classes_[None]
    return BlackBoxFidelity(
        part,
        len(labels),
        rules=_agreement(rules.labels, rules.fired(table), answered, weight),
        network=_agreement(rules.labels, estimator.decide(table), answered, weight),
        rules_agree=_same(by_rules, labels, weight),
        network_agree=_same(estimator.predict(table), labels, weight),
        **accuracies,
    )


def comparable_truth(truth: NDArray[Any], labels: NDArray[Any]) -> NDArray[Any]:
    """True labels, once it is sure that they can be those of the black box."""
    text = [isinstance(values.ravel()[:1].tolist()[0], str) for values in (truth, labels)]
    if truth.shape != labels.shape or text[0] != text[1]:
        raise InputError(
            f"y has labels such as {shown(plain_label(truth.ravel()[0]))}; the black box answers "
            f"{shown(plain_label(labels.ravel()[0]))}. Pass y in the same words, or leave it out."
        )
    return truth


def _same(one: NDArray[Any], other: NDArray[Any], weight: FloatArray) -> float:
    """Share of the weight on which labels, or all labels of a row, are the same."""
    same = one == other
    return float(weight @ (same if same.ndim == 1 else same.all(axis=1)) / weight.sum())


def _agreement(
    labels: tuple[Label, ...], outputs: BoolArray, answered: BoolArray, weight: FloatArray
) -> Agreement:
    """Agreement of predictions for each target, (n, n_targets), with those of the black box."""
    columns = {str(at): outputs[:, at] for at in range(len(labels))}
    return explanation_accuracy(
        {label: Var(str(at)) for at, label in enumerate(labels)}, columns, answered, sample_weight=weight
    )


OTHERWISE = "the black box answers {}; this is why the network says {}"
"""Status of the explanation of a row about which network and black box differ."""


@dataclass(eq=False, repr=False)
class BlackBoxExplainer(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A LEN that imitates a black box and states its decisions as rules (Sec. 3.2, Eq. 11).

    Parameters
    ----------
    black_box : fitted or unfitted estimator, torch.nn.Module or callable
        The model to explain. It predicts rows as they were passed to :meth:`fit`:

        - an estimator or pipeline with ``predict``: labels, or a table of 0 and 1 where rows have several;
        - a ``torch.nn.Module``: logits, one for "yes" (above 0) or one for each class (the largest); rows are
          passed as tensors, in evaluation mode;
        - a callable: labels (n,); a table of Booleans, or of whole numbers 0 and 1; numbers in [0, 1] (n,),
          the probability of "yes" (above one half); or numbers (n, n_classes), of which the largest decides.

        A fitted one is never changed, and clones of the explainer share it. An unfitted estimator is cloned
        and fitted on the rows that are not held out.
    estimator : classifier of this package, optional
        What learns to predict alike; ``MuClassifier`` when missing. Its ``rule`` decides the kind of rules:
        IFF as in Eq. (11), or an implication.
    answers : {"auto", "labels", "probabilities"}, default "auto"
        What the LEN learns: decisions, or probabilities (the soft ``g_i`` of Eq. 11). "auto": probabilities
        where the black box gives them and decides by them, not by another threshold. Fidelity is about
        decisions either way.
    classes : sequence of labels, optional
        Names for the classes of a module or callable that answers with numbers; ``False`` and ``True`` for
        one, 0, 1, ... for several, when missing.
    out_of_fold : int, optional
        Learn from out-of-fold answers: that many clones of the black box are fitted, each on the rows outside
        a fold, and answer about the fold. For estimators, with ``y``.
    n_fresh : int, default 0
        Rows to add that the black box never saw: a real row in which about a quarter of the columns have the
        values of another one. Columns that only make sense together should not be taken apart: let the black
        box take the raw table, not one-hot columns.
    test_fraction : float, default 0.25
        Share of the rows that the LEN does not learn from. :attr:`fidelity_` is measured on them, and about
        the very rules that :meth:`explain` returns: nothing is fitted again afterwards. With 0 it is measured
        on the training rows, and says so.
    random_state : int, RandomState or None
        Decides which rows are held out and made; also the seed of the default estimator.

    Attributes
    ----------
    black_box_ : object
        The one that predicts.
    estimator_ : classifier
        The fitted LEN.
    fidelity_ : BlackBoxFidelity
        Of rules and network to :attr:`black_box_` on the rows held out, which the LEN has not seen. A black
        box that was fitted here has not seen them either; one that came fitted may have. The figure says
        nothing about out-of-fold answers: those are only learnt from.
    classes_ : ndarray
        Labels that the black box can predict, as far as is known.
    n_features_in_ : int
        Columns of the table that the LEN reads.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((300, 4))
    >>> explainer = BlackBoxExplainer(lambda X: (X[:, 0] > 0.5) & (X[:, 2] > 0.5), random_state=0).fit(X)
    >>> print(explainer.explain()[True])
    forall x: True(x) <-> x0(x) & x2(x)
    >>> explainer.fidelity_.macro_f1
    1.0

    References
    ----------
    Sec. 3.2 and Sec. 4.2, Eq. (11) of Ciravegna et al., *Logic Explained Networks*.
    """

    black_box: Any
    estimator: Any = None
    _: KW_ONLY
    answers: str = "auto"
    classes: Any = None
    out_of_fold: int | None = None
    n_fresh: int = 0
    test_fraction: float = 0.25
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = shared_input(self.estimator, self.black_box)
        tags.target_tags.required = not is_fitted(self.black_box)
        return tags

    def __sklearn_clone__(self) -> Self:
        """A fitted black box is what is explained, not a setting: clones share it."""
        settings = self.get_params(deep=False)
        shared = not hasattr(self.black_box, "get_params") or is_fitted(self.black_box)
        copied = {
            name: value if name == "black_box" and shared else clone(value, safe=False)
            for name, value in settings.items()
        }
        return type(self)(**copied)

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, concepts: Any = None
    ) -> Self:
        """Let the black box predict rows, and learn to predict alike.

        Parameters
        ----------
        X : data frame, array, sparse matrix, tensor or mapping, n rows
            What the black box takes.
        y : array of shape (n,), or of shape (n, n_targets), optional
            True labels. An unfitted black box, and ``out_of_fold``, need them; otherwise they only add
            accuracies to :attr:`fidelity_`.
        sample_weight : array of shape (n,), optional
            Non-negative weights.
        concepts : data frame, array, sparse matrix or mapping, n rows, optional
            What the LEN takes, where that is another table: the same rows in words that people understand.
            Every method but :meth:`ask` then takes rows of this table.

        Returns
        -------
        self
        """
        n_rows = self._check(X, y, concepts)
        seed = seed_of(self.random_state)
        weight = np.ones(n_rows)
        if sample_weight is not None:
            weight = as_weights(sample_weight, "sample_weight", n_rows)
            if not weight.any():
                raise InputError("All weights in sample_weight are zero. Give some row a positive weight.")
        truth, table = None if y is None else as_labels(y), Table(X if concepts is None else concepts)
        if is_fitted(self.black_box):
            self.black_box_ = self.black_box
            outputs = self._first_answers(X)
            learn, measure = hold_out(table, self.answers_.labels(outputs), weight, self.test_fraction, seed)
        else:
            assert truth is not None  # checked: it has to be fitted
            learn, measure = hold_out(table, truth, weight, self.test_fraction, seed)
            box, train = clone(self.black_box), np.flatnonzero(learn)
            given = None if sample_weight is None else learn[train]
            self.black_box_ = fit_black_box(box, take(X, train), truth[train], given)
            outputs = self._first_answers(X)
        labels = self.answers_.labels(outputs)
        if truth is not None:
            comparable_truth(truth, labels)
        self._learn(X, outputs, truth, learn, seed, concepts)
        self._own_table = concepts is not None
        weight, part = (measure, "held out") if measure.any() else (learn, "training")
        self.fidelity_ = measure_fidelity(
            self.estimator_,
            take(X if concepts is None else concepts, rows := np.flatnonzero(weight)),
            labels[rows],
            weight[rows],
            part,
            None if truth is None else truth[rows],
        )
        return self

    def ask(self, X: Any) -> NDArray[Any]:
        """The black box's own labels of rows, (n,), or a table of 0 and 1, (n, n_targets).

        Parameters
        ----------
        X : data frame, array, sparse matrix, tensor or mapping
            What the black box takes.
        """
        check_is_fitted(self, "black_box_")
        return self.answers_.labels(predict_with(self.black_box_, X))

    def _check(self, X: Any, y: Any, concepts: Any) -> int:
        """Refuse what cannot be used; return the number of rows."""
        check_black_box(self.black_box)
        check_what(self.answers)
        if not 0.0 <= as_float(self.test_fraction) < 1.0:
            raise InputError(
                "test_fraction must be a number of at least 0 and less than 1. "
                f"Got {shown(self.test_fraction)}."
            )
        check_count(self.n_fresh, "n_fresh")
        if self.estimator is not None and not isinstance(self.estimator, LENClassifier):
            raise InputError(
                "estimator must be a classifier of this package, such as MuClassifier(). "
                f"Got {shown(self.estimator)}."
            )
        n_rows = number_of_rows(X, "X")
        if n_rows == 0:
            raise InputError("There are no rows to predict. Pass at least one.")
        if not is_fitted(self.black_box) and y is None:
            raise InputError(
                "BlackBoxExplainer requires y to be passed, but the target y is None: the black box is not "
                "fitted yet. Fit it first, or pass y."
            )
        check_rows(y, "y", n_rows)
        if self.out_of_fold is not None:
            check_folds(self.out_of_fold, self.black_box, y, n_rows)
        if concepts is not None and self.n_fresh:
            raise InputError(
                "n_fresh makes rows for the black box alone, and concepts= is another table. "
                "Leave one of them out."
            )
        check_rows(concepts, "concepts", n_rows)
        return n_rows

    def _first_answers(self, X: Any) -> NDArray[Any]:
        """Outputs for the rows of the fit, which decide how outputs are read."""
        outputs = predict_with(self.black_box_, X)
        self.answers_ = OutputFormat.of(self.black_box_, outputs, number_of_rows(X, "X"), self.classes)
        self._lesson = Lesson.of(self.black_box_, X, self.answers_, outputs, self.answers)
        return outputs

    def _learn(
        self, X: Any, answers: NDArray[Any], truth: Any, weight: FloatArray, seed: int, concepts: Any
    ) -> None:
        """Fit the LEN on the labels of the rows that have a weight, and of fresh ones."""
        learned = take(X, train := np.flatnonzero(weight))
        table = learned if concepts is None else take(concepts, train)
        weight = weight[train]
        if self.out_of_fold is None:
            outputs = self._lesson.about(self.black_box_, learned, answers[train])
        else:
            folds = fit_out_of_fold(
                self.black_box, learned, truth[train], weight, int(self.out_of_fold), seed
            )
            outputs = np.concatenate([self._lesson.about(box, rows) for box, rows in folds.held_out])[
                folds.order
            ]
        if self.n_fresh:
            table, new = recombine(learned, self.n_fresh, np.random.default_rng(seed))
            outputs = np.concatenate([outputs, self._lesson.about(self.black_box_, new)])
            weight = np.concatenate([weight, np.full(self.n_fresh, weight.mean())])
        estimator = self.estimator
        if estimator is None:
            from logiclens.estimators import MuClassifier

            estimator = MuClassifier(random_state=seed)
        targets = self._lesson.targets(self.black_box_, outputs)
        self.estimator_ = clone(estimator).fit(table, targets, sample_weight=weight)
        self.classes_ = self.estimator_.classes_
        adopt_features(self, self.estimator_)

    # Predictions and rules of the LEN

    def predict(self, X: Any) -> NDArray[Any]:
        """The imitation's labels, (n,), or a table of 0 and 1; for the black box's own see :meth:`ask`."""
        return np.asarray(self._len().predict(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """The imitation's probability of each target, (n, n_targets)."""
        return np.asarray(self._len().predict_proba(X))

    def decide(self, X: Any) -> BoolArray:
        """The targets that the imitation predicts, (n, n_targets)."""
        return np.asarray(self._len().decide(X))

    @property
    def front_(self) -> Front:
        """Rules of every length, with accuracy (as the black box answers) and fidelity on rows held out."""
        front: Front = self._len().front_
        return front

    def explain(self, X: Any = None, *, literals: int | str = "auto") -> ExplanationSet:
        """Class-level explanations of the black box's decisions (Eq. 2).

        Parameters
        ----------
        X : data frame, array or mapping, optional
            Rows to explain it on; without them, the explanations made when fitting are returned. The black
            box predicts them; where the LEN reads a table of its own, the rules are about the predictions of
            the LEN.
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": as many as were chosen when fitting. Nothing is
            trained.
        """
        fitted = self._len()
        if X is None:
            return fitted.explain(literals=literals)  # type: ignore[no-any-return]
        targets = None
        if not self._own_table and number_of_rows(X, "X"):
            targets = self._lesson.targets(self.black_box_, self._lesson.about(self.black_box_, X))
        return fitted.explain(X, targets, literals=literals)  # type: ignore[no-any-return]

    def explain_sample(self, X: Any, target: Label | None = None) -> Explanation:
        """Example-level explanation (Eq. 1): why one row gets its label.

        Parameters
        ----------
        X : data frame, array or mapping, one row
        target : label, optional
            The target to explain; the predicted one when missing.

        Returns
        -------
        Explanation
            Its ``status`` says so where the black box answers otherwise: what is explained is the network.
        """
        found: Explanation = self._len().explain_sample(X, target)
        if self._own_table:
            return found
        labels = self.ask(X)
        if labels.ndim == 1 and labels[0] != found.target:
            return replace(found, status=OTHERWISE.format(repr(plain_label(labels[0])), repr(found.target)))
        return found

    def explain_set(self, X: Any, target: Label) -> Explanation:
        """Set-level explanation (Eq. 2): what rows have in common that get the target.

        Parameters
        ----------
        X : data frame, array or mapping
        target : label
        """
        return self._len().explain_set(X, target)  # type: ignore[no-any-return]

    def explain_global(self, X: Any = None, *, max_concepts: int = 8) -> GlobalExplanation:
        """Global explanation (Eq. 3): clauses that hold on all of the data.

        Parameters
        ----------
        X : data frame, array or mapping, optional
            The data; those of the fit when missing.
        max_concepts : int, default 8
            Most concepts to speak of.
        """
        return self._len().explain_global(X, max_concepts=max_concepts)  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the imitation to a file, for :func:`logiclens.load`: network and rules, no black box."""
        self._len().save(path)

    def _len(self) -> Any:
        check_is_fitted(self, "estimator_")
        return self.estimator_
