"""Cross-validation with the paper's six metrics (Sec. 6.2): all folds as one population, or shared out.

:func:`cross_explain` is for users. What it stands on, :func:`fit_parts`, is for scores of other kinds.

A population of all folds is the quickest way to train on one processor. To the last bit, though, what becomes
of a network in it depends on the networks beside it: they share matrix products, and the order in which those
add up. Rounding is enough for another network now and then, where labels are noisy. So a chunk that is shared
out among workers (threads, processes or other machines, as joblib has it) is always the networks of one fold,
trained on one thread: what comes out depends neither on the number of workers nor on where they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import check_cv

from logiclens.concepts.table import Table
from logiclens.errors import InputError, MissingDependencyError, count, shown
from logiclens.estimators._parameters import check_settings, seed_of
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.inputs_and_targets import (
    Inputs,
    Problem,
    Targets,
    decisions,
    needed_encoder,
    predicted_index,
    read_groups,
)
from logiclens.explain.rule import label_array
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.metrics import HeldOut, complexity, consistency, explanation_accuracy, fidelity
from logiclens.metrics.held_out import Scoring, check_scoring, score_held_out

if TYPE_CHECKING:
    from logiclens.concepts.encoder import ConceptEncoder
    from logiclens.explain.front import Front
    from logiclens.explain.rule_set import ExplanationSet
    from logiclens.nn.population import LogicNetwork


T = TypeVar("T")

_COLUMNS = (
    *("fold", "n_train", "n_test", "model_accuracy", "model_auc", "model_brier", "explanation_accuracy"),
    *("explanation_accuracy_plain", "rules_accuracy", "complexity", "literals", "fidelity", "fidelity_plain"),
    *("fidelity_joint", "fidelity_unseen", "consistency", "consistency_adjusted", "time"),
)
"""Names that metrics of one's own cannot have."""


def has_workers(n_jobs: int | None) -> bool:
    """True if work goes to workers: their number is given, or joblib's ``parallel_config`` has one in force.

    Examples
    --------
    >>> has_workers(None), has_workers(1), has_workers(-1)
    (False, True, True)
    """
    if n_jobs is None:
        from sklearn.utils.parallel import Parallel

        return bool(Parallel().n_jobs != 1)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InputError(f"n_jobs must be a whole number other than 0, or None. Got {shown(n_jobs)}.")
    return True


def share_out(
    work: Callable[..., T], shared: Sequence[Any], chunks: Iterable[Sequence[Any]], n_jobs: int | None
) -> list[T]:
    """Results of ``work`` for each chunk, in order, on the workers that joblib has.

    It is a function of a module, so that other processes find it, and is called with what is ``shared``,
    which travels once where the workers allow for that, and with a chunk.

    Examples
    --------
    >>> share_out(divmod, [17], [[5], [6]], n_jobs=1)
    [(3, 2), (2, 5)]
    """
    from sklearn.utils.parallel import Parallel, delayed

    from logiclens.nn.population import one_thread_each

    # Processes map large arrays into their memory; torch wants such that it could write to: to copies.
    parallel = Parallel(n_jobs=n_jobs, mmap_mode="c")
    with one_thread_each():  # also that of the workers that are threads of this process
        return list(parallel(delayed(_on_one_thread)(work, *shared, *chunk) for chunk in chunks))


def _on_one_thread(work: Callable[..., T], *arguments: Any) -> T:
    from logiclens.nn.population import one_thread_each

    with one_thread_each():
        return work(*arguments)


def cross_explain(  # noqa: PLR0913 - settings of a cross-validation
    estimator: LENClassifier,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    scoring: Scoring | None = None,
    n_jobs: int | None = None,
    unlabeled: Any = None,
) -> Any:
    """Score a classifier and its rules by cross-validation: the six metrics of the paper, fold by fold.

    All folds, outputs, penalties and restarts are trained as one population, as far as the folds have the
    same concepts; the result of a fold is that of a clone fitted on the fold's training rows alone. A raw
    table is encoded fold by fold, by its training rows.

    Parameters
    ----------
    estimator : classifier of this package
        Its settings; it is not changed.
    X : data frame, array, sparse matrix or mapping, n rows
    y : array of shape (n,), or array or frame of shape (n, n_targets)
    cv : int, cross-validation generator or iterable of (train, test), default 10
        A whole number means that many stratified folds, shuffled with the estimator's ``random_state``.
    groups : array of shape (n,), optional
        Rows of one group stay on one side of every fold, also where ``cv`` is a number, and of the splits of
        the fit in each fold.
    sample_weight : array of shape (n,), optional
        Weights of the training rows.
    scoring : mapping of str to callable, optional
        Metrics of your own: a function of a :class:`~logiclens.metrics.HeldOut`, the rules and predictions of
        a fold on its test rows, to a number, by the name of its column.
    n_jobs : int, optional
        Workers to share the folds out among, in the meaning of joblib: -1 is one for each processor, and
        joblib's ``parallel_config`` chooses what they are (processes, threads, a Dask cluster) and, when this
        is missing, how many. Each fold is then trained by itself, on one thread of its worker, so that all
        numbers of workers and all kinds give the same figures. They are those of the one population, but for
        its rounding: where labels are noisy, that may lead to another network.
    unlabeled : label, optional
        One that means that there is none. Rows without a label (None, NaN and NaT are none, too) are learned
        from where they are among the training rows; scores are about labeled rows alone.

    Returns
    -------
    data frame
        One row for each fold, of the kind of ``X``, a pandas frame when ``X`` is none. Columns:

        - ``fold``, ``n_train``, ``n_test``;
        - ``model_accuracy``: of the network's predictions; ``model_auc``: area under the ROC curve, mean over
          classes against the rest, NaN where none has rows of both kinds; ``model_brier``: mean squared error
          of the probabilities, half of its sum over classes where they exclude one another;
        - ``explanation_accuracy``: the paper's, the macro-F1 of each rule against its class, mean over
          classes;
          ``explanation_accuracy_plain``: the share of rows a rule gets right, mean over classes;
        - ``rules_accuracy``: of the rules alone as a classifier;
        - ``complexity``: literals, mean over classes; ``literals``: of the rule set as printed;
        - ``fidelity`` and ``fidelity_plain``: the same as explanation accuracy, against the
          network;
          ``fidelity_joint``: share of rows on which the rule set decides as the network does;
          ``fidelity_unseen``: plain, on rows whose concepts do not occur in training, NaN when there are
          none;
        - ``consistency``: how far the same concepts return over the folds (the same value in every row),
          ``consistency_adjusted``: corrected for chance;
        - the metrics of ``scoring``;
        - ``time``: seconds of training and extraction, of the one population divided by the number of folds,
          otherwise of each fold.
    """
    if not isinstance(estimator, LENClassifier):
        raise InputError(
            "cross_explain needs a classifier of this package, such as MuClassifier(). "
            f"Got {shown(estimator)}."
        )
    check_settings(estimator.get_params(deep=False))
    scoring = check_scoring(scoring, _COLUMNS)
    spread = has_workers(n_jobs)
    estimator = clone(estimator)
    estimator.set_params(random_state=seed_of(estimator.random_state))
    targets, weight = estimator.read_data(X, y, sample_weight, unlabeled)
    labels = targets.strata() if targets.problem is not Problem.MULTI_LABEL else targets.outputs
    parts = _splits(cv, labels, groups, estimator.random_state)
    if targets.unlabeled is not None:
        parts = [(train, test[~targets.unlabeled[test]]) for train, test in parts]
        if not all(len(test) and targets.observed(weight)[train].any() for train, test in parts):
            raise InputError("A fold has no labeled row to learn from, or none to test on. Use fewer folds.")
    if groups is not None:
        targets = replace(targets, groups=read_groups(groups, len(weight)))
    if not all(weight[train].any() for train, _ in parts):
        raise InputError("All training rows of a fold have weight 0. Use fewer folds, or other weights.")
    if spread:
        weights = [_only(weight, train) for train, _ in parts]
        estimator.set_params(encoder=_common_encoder(estimator, X, weights))
        chunks = [([part], at) for at, part in enumerate(parts)]
        shared = (estimator, _collect(X), targets, weight, scoring)
        scored = [fold for (fold,) in share_out(_score_folds, shared, chunks, n_jobs)]
    else:
        scored = _score_folds(estimator, X, targets, weight, scoring, parts)
    usable = {name for fold in scored for name in fold.names}
    recurring = consistency([fold.rules for fold in scored], n_concepts=len(usable))
    shared_scores = {"consistency": recurring.plain, "consistency_adjusted": recurring.adjusted}
    rows = [
        {"fold": at, "n_train": len(train), "n_test": len(test)}
        | fold.scores
        | shared_scores
        | fold.own_scores
        | {"time": fold.seconds}
        for at, (fold, (train, test)) in enumerate(zip(scored, parts, strict=True))
    ]
    return _frame(rows, X)


class _ScoredFold(NamedTuple):
    """A fold: its scores, those of one's own metrics, its rules, the concepts that they may use, seconds."""

    scores: dict[str, float]
    own_scores: dict[str, float]
    rules: ExplanationSet
    names: tuple[str, ...]
    seconds: float


def _score_folds(
    estimator: LENClassifier,
    X: Any,
    targets: Targets,
    weight: FloatArray,
    scoring: Scoring,
    parts: Sequence[tuple[IndexArray, IndexArray]],
    first: int = 0,
) -> list[_ScoredFold]:
    """Some folds, from number ``first`` on; those with the same concepts are trained together."""
    start = time.perf_counter()
    weights = [_only(weight, train) for train, _ in parts]
    fitted = fit_parts(clone(estimator), X, targets, weights, first)
    seconds = (time.perf_counter() - start) / len(parts)
    return [
        _ScoredFold(*_scores(part, *rows, targets, scoring), part.rules, part.inputs.names, seconds)
        for part, rows in zip(fitted, parts, strict=True)
    ]


def _collect(X: Any) -> Any:
    """The data, in memory: what a lazy frame would read may not be where a worker is."""
    frame = nw.from_native(X, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


@dataclass(frozen=True, eq=False)
class NetworkPredictions:
    """The predictions of a network; all but the first have shape (n, n_targets)."""

    chosen: IndexArray
    """Position of the target of the largest output, (n,)."""
    decided: BoolArray
    """What fidelity is measured against (:func:`~logiclens.estimators.inputs_and_targets.decisions`)."""
    above: BoolArray
    """Whether the output of each target, by itself, is above one half."""
    probability: FloatArray


@dataclass(frozen=True, eq=False)
class FittedPart:
    """A fit on some of the rows; ``inputs`` has the concepts of all rows, as this part encodes them."""

    rules: ExplanationSet
    front: Front
    network: LogicNetwork
    inputs: Inputs
    problem: Problem

    def predict(self, x: FloatArray) -> NetworkPredictions:
        """The network's predictions for rows of concepts, (n, n_concepts)."""
        from logiclens.estimators.networks import as_probabilities, predict_logits

        logits = predict_logits(self.network, x)
        above = decisions(logits, self.problem) if self.problem is Problem.BINARY else logits > 0.0
        chosen, decided = predicted_index(logits, self.problem), decisions(logits, self.problem)
        return NetworkPredictions(chosen, decided, above, as_probabilities(logits, self.problem))


def fit_parts(
    estimator: LENClassifier,
    X: Any,
    targets: Targets,
    weights: Sequence[FloatArray],
    first: int = 0,
) -> list[FittedPart]:
    """Fit every part: those with the same concepts as one population, each with an encoder of its own.

    The ``encoder`` of the estimator is set to what the rows need. Weights are those of the rows in each part,
    0 for rows that it does not learn from; ``first`` is the number of the first part, where they are some of
    many.
    """
    from logiclens.estimators.fit import Fitted, fit_folds

    estimator.set_params(encoder=_common_encoder(estimator, X, weights))
    inputs = [estimator.read_inputs(X, targets, weight) for weight in weights]
    folds = [
        replace(estimator.hold_out(part.values, targets, weight), number=number)
        for number, (part, weight) in enumerate(zip(inputs, weights, strict=True), first)
    ]
    found: dict[int, Fitted] = {}
    for vocabulary in dict.fromkeys(part.vocabulary for part in inputs):
        alike = [at for at, part in enumerate(inputs) if part.vocabulary == vocabulary]
        one = inputs[alike[0]]
        results = fit_folds(estimator.recipe(one, targets), one.values, targets, [folds[at] for at in alike])
        found |= dict(zip(alike, results, strict=True))
    return [
        FittedPart(found[at].rules, found[at].front, found[at].network, each, targets.problem)
        for at, each in enumerate(inputs)
    ]


def _common_encoder(estimator: LENClassifier, X: Any, weights: Sequence[FloatArray]) -> ConceptEncoder | None:
    """The encoder of all parts: one may lack the row that shows that columns are no concepts."""
    return needed_encoder(Table(X), estimator.encoder, np.sum(weights, axis=0))


def _scores(
    part: FittedPart, train: IndexArray, test: IndexArray, targets: Targets, scoring: Scoring
) -> tuple[dict[str, float], dict[str, float]]:
    """Metrics of one fold, on its test rows: ours, and those of ``scoring``."""
    x, rules, names = part.inputs.values, part.rules, part.rules.concept_names
    predicted = part.predict(x[test])
    truth = targets.truth()[test] > 0.5
    decided = rules.predict(x[test], names)
    single = targets.problem is not Problem.MULTI_LABEL
    if single:
        labels = label_array(targets.labels)
        y: Any = labels[truth.argmax(axis=1)]
        right = predicted.chosen == truth.argmax(axis=1)
        joint = decided == labels[predicted.chosen]
        by_rules = decided[:, None] == labels
    else:
        y = truth
        by_rules = np.asarray(decided) > 0
        right = (predicted.above == truth).all(axis=1)
        joint = (decided == predicted.decided).all(axis=1)
    accuracy = explanation_accuracy(rules, x[test], truth, names=names)
    faithful = fidelity(rules, x[test], predicted.decided, names=names, seen=x[train])
    fold = HeldOut(
        rules, names, x[test], truth, predicted.decided, by_rules, predicted.probability, part.network
    )
    ours = {
        "model_accuracy": float(right.mean()),
        "model_auc": area_under_curve(predicted.probability, truth),
        "model_brier": float(np.square(predicted.probability - truth).sum(axis=1).mean())
        / (2 if single else truth.shape[1]),
        "explanation_accuracy": accuracy.macro_f1,
        "explanation_accuracy_plain": accuracy.plain,
        "rules_accuracy": float(rules.score(x[test], y, names=names)),
        "complexity": complexity(rules),
        "literals": float(rules.literals),
        "fidelity": faithful.macro_f1,
        "fidelity_plain": faithful.plain,
        "fidelity_joint": float(joint.mean()),
        "fidelity_unseen": np.nan if faithful.unseen is None else faithful.unseen.plain,
    }
    return ours, score_held_out(scoring, fold)


def area_under_curve(scores: FloatArray, truth: BoolArray) -> float:
    """Area under the ROC curve, mean over the targets that some rows belong to and others do not."""
    ranks = rankdata(scores, axis=0)
    yes, no = truth.sum(axis=0), (~truth).sum(axis=0)
    rated = (yes > 0) & (no > 0)
    if not rated.any():
        return float("nan")
    above = (ranks * truth).sum(axis=0) - yes * (yes + 1) / 2
    return float((above[rated] / (yes[rated] * no[rated])).mean())


def _splits(
    cv: Any, labels: NDArray[Any], groups: ArrayLike | None, random_state: Any
) -> list[tuple[IndexArray, IndexArray]]:
    every = np.arange(len(labels))
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        cv = _splitter(int(cv), len(labels), labels, groups, random_state)
    try:
        found = list(check_cv(cv, labels, classifier=True).split(every, labels, groups))
        parts = [(every[train], every[test]) for train, test in found]  # masks become indices
    except (IndexError, ValueError) as error:
        raise InputError(f"The data cannot be split: {error}") from None
    if not parts:
        raise InputError("cv has no folds. Pass at least one pair of training and test rows.")
    for train, test in parts:
        if not len(train) or not len(test):
            raise InputError("A fold has no training or no test rows. Use fewer folds.")
    return parts


def _splitter(
    n_folds: int, n_rows: int, labels: NDArray[Any], groups: ArrayLike | None, random_state: Any
) -> Any:
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    if not 2 <= n_folds <= n_rows:
        raise InputError(
            f"cv must be a number of folds from 2 to the {count(n_rows, 'row')} there are. Got {n_folds}."
        )
    rarest = np.unique(labels, return_counts=True)[1].min() if labels.ndim == 1 else 0
    kind: Any = StratifiedKFold if rarest >= n_folds else KFold
    if groups is not None:
        kind = StratifiedGroupKFold if rarest >= n_folds else GroupKFold
    return kind(n_folds, shuffle=True, random_state=seed_of(random_state) % 2**32)


def _only(weight: FloatArray, rows: IndexArray) -> FloatArray:
    part = np.zeros_like(weight)
    part[rows] = weight[rows]
    return part


def _frame(rows: Sequence[dict[str, float]], X: Any) -> Any:
    """The rows as a frame of the kind of ``X``."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        backend: Any = frame.implementation
    else:
        backend = nw.Implementation.PANDAS
    columns: dict[str, Iterable[float]] = {name: [row[name] for row in rows] for name in rows[0]}
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError:
        raise MissingDependencyError(
            "cross_explain returns a pandas frame for arrays, and pandas is not installed. "
            "Run: pip install pandas"
        ) from None
