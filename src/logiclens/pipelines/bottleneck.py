"""Concept bottleneck: raw inputs to concepts by a network ``g``, concepts to classes by a LEN (Sec. 3.1).

    x -> g -> concept scores in [0, 1] -> LEN -> classes,     forall x: y(x) <-> phi(g(x))     Eq. (10)

The rules are about the concepts that ``g`` sees in ``x``. So they state what the whole pipeline decides, and
are worth as much as ``g`` is right about the concepts.

*Sequential* training (the paper's): ``g`` learns the concepts from labels, then the LEN learns the classes
from the scores of ``g``. *Joint* training goes on from there and takes turns: with the LEN held fixed, ``g``
is moved to lower the loss of the classes plus ``concept_weight`` times the loss of the concepts; with ``g``
held fixed, the LEN is fitted anew. A turn counts only if it lowers the loss of the two on the rows held out.

With *embeddings* the classes are learned from a vector for each concept, together with the concepts
(:mod:`logiclens.nn.embedding`). The vectors may say more than the scores do. Rules are about the scores all
the same, and their fidelity says how much of the network's decisions these tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from logiclens.errors import InputError, count, listing, shown
from logiclens.estimators._parameters import seed_of
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.classifiers import MuClassifier
from logiclens.estimators.inputs_and_targets import read_rows
from logiclens.explain import Explanation, ExplanationSet, GlobalExplanation
from logiclens.explain.front import Front
from logiclens.explain.rule import Label
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD, as_weights
from logiclens.pipelines._native_tables import adopt_features
from logiclens.pipelines.intervention import Intervention, read_known


@dataclass(eq=False, repr=False)
class ConceptBottleneckClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify raw inputs through concepts, and explain it in terms of the concepts.

    Parameters
    ----------
    concept_model : torch.nn.Module, optional
        The network ``g``, from raw inputs (n, ...) to concept logits (n, n_concepts). A copy of it is
        trained, from the weights that it has. Without it the raw inputs are the concepts, as for the
        estimator alone. With ``embedding`` it gives features (n, n_features), better more than concepts.
    estimator : LENClassifier, optional
        What stands on top; a :class:`~logiclens.estimators.MuClassifier` when missing. Without a
        ``random_state`` of its own it takes that of the bottleneck; its ``encoder`` has no part here. With
        ``embedding`` only its settings for rules count.
    embedding : int, optional
        Numbers in the vector of a concept; 16 is usual. Concepts and classes are then trained together, and
        the classes read the vectors. Without it they read the scores alone.
    train_concepts : bool, default True
        Whether to train ``g``; not if it is trained already. The vectors of an embedding are always trained.
    joint : bool, default False
        Whether ``g`` is also moved for the sake of the classes; see :mod:`logiclens.pipelines.bottleneck`.
    rounds : int, default 1
        Turns of joint training.
    concept_weight : float, default 1
        What the loss of the concepts counts in joint training, and with ``embedding``, that of the classes
        being 1.
    epochs : int, default 30
        Passes over the rows when ``g`` is trained, and in each turn of joint training.
    batch_size : int, default 64
        Rows in a mini-batch, and rows that are predicted at once.
    learning_rate : float, default 0.001
        Of AdamW, at its highest; a tenth of it in joint training.
    weight_decay : float, default 0.01
        Of AdamW; of matrices and filters only.
    patience : int, default 10
        Epochs without a better validation loss after which training of ``g`` ends.
    validation_fraction : float, default 0.2
        Share of the rows held out to stop the training of ``g`` by; 0 keeps the last weights.
    augment : callable, optional
        Maps a mini-batch of raw inputs, a tensor, to one that is changed at random: shifts, flips. Used only
        while ``g`` is trained. What it draws from torch's own generator repeats with ``random_state``.
    mixed_precision : bool, default True
        Whether a GPU trains in bfloat16.
    device : str, default "auto"
        "cpu", "cuda", ...; "auto" is CUDA where there is one.
    random_state : int, RandomState or None
        The same number gives the same result.
    verbose : bool, default False
        Whether a line on a terminal, or in a notebook, says what is being done and for how long.

    Attributes
    ----------
    concept_model_ : torch.nn.Module or None
        The trained copy, in evaluation mode; with ``embedding`` an
        :class:`~logiclens.nn.embedding.EmbeddingNetwork`, which contains it.
    estimator_ : LENClassifier
        The fitted LEN; with ``embedding`` what predicts from the vectors.
    concept_names_ : tuple of str
    classes_ : ndarray
    history_ : ConceptHistory or None
        The training of the concepts.
    joint_loss_ : ndarray of shape (n_kept_turns + 1,)
        Loss of classes and concepts on the rows held out, before joint training and after each turn that
        was kept; empty without it.

    Examples
    --------
    >>> import torch
    >>> X = np.random.default_rng(0).normal(size=(300, 2)).astype("float32")
    >>> concepts = {"right": X[:, 0] > 0, "up": X[:, 1] > 0}
    >>> y = np.where((X > 0).all(axis=1), "both", "not both")
    >>> with torch.random.fork_rng():
    ...     _ = torch.manual_seed(0)
    ...     g = torch.nn.Linear(2, 2)
    >>> model = ConceptBottleneckClassifier(g, learning_rate=0.1, random_state=0)
    >>> print(model.fit(X, y, concepts).explain()["both"])
    forall x: both(x) <-> right(x) & up(x)
    >>> model.intervene([[1.0, -1.0]], {"up": 1}).predictions_after.tolist()
    ['both']
    """

    concept_model: Any = None
    estimator: Any = None
    _: KW_ONLY
    embedding: int | None = None
    train_concepts: bool = True
    joint: bool = False
    rounds: int = 1
    concept_weight: float = 1.0
    epochs: int = 30
    batch_size: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    patience: int = 10
    validation_fraction: float = 0.2
    augment: Callable[[Any], Any] | None = None
    mixed_precision: bool = True
    device: str = "auto"
    random_state: Any = None
    verbose: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = isinstance(self.estimator, LENClassifier)
        below = (self.estimator if given else MuClassifier()).__sklearn_tags__()
        tags.input_tags, tags.classifier_tags = below.input_tags, below.classifier_tags
        tags.target_tags = below.target_tags
        return tags

    # Fitting

    def fit(
        self,
        X: Any,
        y: Any,
        concepts: Any = None,
        concept_names: Sequence[str] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Train the concept model and what stands on top of it.

        Parameters
        ----------
        X : array, tensor or frame, n rows
            Raw inputs of any shape (n, ...). Bytes (``uint8``) count as pictures and are divided by 255.
        y : array of shape (n,), or array or frame of shape (n, n_targets)
            Labels of classes, or a table of 0 / 1.
        concepts : array, frame or mapping, (n, n_concepts), optional
            The true concepts, in [0, 1]; needed to train the concept model or its embedding. The names of a
            frame are used.
        concept_names : sequence of str, optional
            Names of the concepts where ``concepts`` has none; ``x0``, ``x1``, ... when missing.
        sample_weight : array of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        self
        """
        from logiclens.pipelines._concept_training import (
            BottleneckTraining,
            check_settings,
            read_labels,
            read_raw,
        )

        check_settings(self.get_params(deep=False))
        estimator = self._new_estimator()
        if self.concept_model is None:
            if concepts is not None or concept_names is not None:
                raise InputError(
                    "concepts and concept_names are for a concept model. "
                    "Got concept_model=None; pass a torch.nn.Module, or leave them out."
                )
            estimator.fit(X, y, sample_weight=sample_weight)
            self.concept_model_, self.history_, self.joint_loss_ = None, None, np.zeros(0)
            self._adopt(estimator)
            return self
        inputs = read_raw(X)
        if not len(inputs):
            raise InputError("There are no rows to learn from. Pass at least one.")
        needed = bool(self.train_concepts) or self.embedding is not None
        labels, names = read_labels(concepts, concept_names, len(inputs), needed=needed)
        weight = None if sample_weight is None else as_weights(sample_weight, "sample_weight", len(inputs))
        fitted = BottleneckTraining(self, inputs, y, labels, names, weight).fit(estimator)
        self.concept_model_, self.row_shape_ = fitted.model, tuple(inputs.shape[1:])
        self.history_, self.joint_loss_ = fitted.history, fitted.joint_loss
        self._adopt(fitted.estimator)
        return self

    def _new_estimator(self) -> LENClassifier:
        """The LEN to fit; scores of a concept model are concepts as they are."""
        estimator: LENClassifier
        if self.estimator is None:
            estimator = MuClassifier(device=self.device, verbose=self.verbose)
        else:
            estimator = clone(self.estimator)
        if estimator.random_state is None:
            estimator.set_params(random_state=self.random_state)
        if self.concept_model is None:
            return estimator
        if self.embedding is not None:
            from logiclens.pipelines._embedding_classifier import EmbeddingClassifier

            estimator = EmbeddingClassifier.like(estimator)
        estimator.set_params(encoder=None)
        return estimator

    def _adopt(self, estimator: LENClassifier) -> None:
        self.estimator_ = estimator
        self._embedded = self.concept_model_ is not None and self.embedding is not None
        self.classes_ = estimator.classes_
        self.concept_names_ = estimator.concept_names_
        adopt_features(self, estimator if self.concept_model_ is None else None)

    # Predicting

    def predict_concepts(self, X: Any) -> FloatArray:
        """Concept scores in [0, 1], shape (n, n_concepts): what the LEN reads.

        Parameters
        ----------
        X : array, tensor or frame, n rows
            Raw inputs.
        """
        check_is_fitted(self)
        if self.concept_model_ is None:
            return read_rows(X, self.concept_names_, self.estimator_.vocabulary_)
        if self._embedded:
            return self.estimator_._rows(X)
        from logiclens.pipelines._concept_training import concept_logits, read_raw

        inputs = read_raw(X, self.row_shape_)
        return np.asarray(expit(concept_logits(self.concept_model_, inputs, self.batch_size)))

    def _len(self) -> LENClassifier:
        check_is_fitted(self)
        return self.estimator_

    def _scores(self, X: Any) -> Any:
        """The inputs of the LEN: concept scores; without a concept model or with embeddings, raw inputs."""
        return X if self.concept_model_ is None or self._embedded else self.predict_concepts(X)

    def _predict_at(self, X: Any, scores: FloatArray) -> NDArray[Any]:
        """Labels of raw inputs with these scores, (n, n_concepts), in the place of the concept model's."""
        top: Any = self.estimator_
        predicted: NDArray[Any] = top.predict_at(X, scores) if self._embedded else top.predict(scores)
        return predicted

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted labels, (n,), or a table of 0 / 1, (n, n_targets), for multi-label problems."""
        return self._len().predict(self._scores(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """``f_i`` for each target, (n, n_targets), as the estimator gives it."""
        return self._len().predict_proba(self._scores(X))

    def decision_function(self, X: Any) -> FloatArray:
        """Logits of the outputs: (n,) for two classes, larger for the second, (n, n_targets) otherwise."""
        return self._len().decision_function(self._scores(X))

    def decide(self, X: Any) -> BoolArray:
        """The targets that the LEN predicts, (n, n_targets): what fidelity is measured against."""
        return self._len().decide(self._scores(X))

    def concept_accuracy(self, X: Any, concepts: Any) -> float:
        """Share of the concept values, over all rows and concepts, that the concept model gets right.

        Parameters
        ----------
        X : array, tensor or frame, n rows
            Raw inputs.
        concepts : array, frame or mapping, (n, n_concepts)
            The true concepts.
        """
        scores = self.predict_concepts(X)
        truth = _true_concepts(self, concepts, len(scores))
        return float(((scores > THRESHOLD) == (truth > THRESHOLD)).mean())

    # Explaining

    @property
    def front_(self) -> Front:
        """Rules of every length, with their accuracy and fidelity on rows held out."""
        return self._len().front_

    def explain(self, X: Any = None, y: Any = None, *, literals: int | str = "auto") -> ExplanationSet:
        """Class-level explanations over the concepts of the raw input (Eq. 10).

        Parameters
        ----------
        X : array, tensor or frame, optional
            Raw inputs to explain the LEN on; without them, the explanations made when fitting are returned.
        y : array, optional
            The truth about them.
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": as many as were chosen when fitting.

        Returns
        -------
        ExplanationSet
            Its ``predict`` and ``score`` take concepts: those of :meth:`predict_concepts`.
        """
        return self._len().explain(None if X is None else self._scores(X), y, literals=literals)

    def explain_sample(self, X: Any, target: Label | None = None) -> Explanation:
        """Example-level explanation of one raw input; see the estimator's."""
        return self._len().explain_sample(self._scores(X), target)

    def explain_set(self, X: Any, target: Label) -> Explanation:
        """What the raw inputs that are taken for the target have in common; see the estimator's."""
        return self._len().explain_set(self._scores(X), target)

    def explain_global(self, X: Any = None, *, max_concepts: int = 8) -> GlobalExplanation:
        """Clauses that hold on all of the data; see the estimator's."""
        below = self._len()
        return below.explain_global(None if X is None else self._scores(X), max_concepts=max_concepts)

    def intervene(self, X: Any, values: Any) -> Intervention:
        """Set concepts by hand and see what becomes of predictions and rules.

        Parameters
        ----------
        X : array, tensor or frame, n rows
            Raw inputs.
        values : mapping, data frame, masked array or array of shape (n, n_concepts)
            A mapping or a frame from some of the concepts to one value, or one for each row; or an array of
            all concepts. What is masked, missing or NaN is left to the concept model.

        Returns
        -------
        Intervention
        """
        before = self.predict_concepts(X)
        check_free(self)
        rules = self.explain()
        return Intervention.of(
            self.concept_names_,
            rules.labels,
            before,
            read_known(values, self.concept_names_, len(before)),
            lambda concepts: (self._predict_at(X, concepts), rules.fired(concepts)),
        )


ORDERS = ("uncertainty", "relevance", "random")
"""In which order concepts can be put right."""


@dataclass(frozen=True, eq=False)
class InterventionCurve:
    """Accuracy as concepts are put right, one after the other.

    Attributes
    ----------
    order : str
        In which order: see :func:`intervention_curve`.
    n_corrected : ndarray of int, shape (n_steps,)
        Concepts of each row whose true value was filled in.
    accuracy : ndarray of shape (n_steps,)
        Share of rows that the classifier then predicts rightly.
    rules_accuracy : ndarray of shape (n_steps,)
        The same of the rules alone.
    """

    order: str
    n_corrected: NDArray[np.intp]
    accuracy: FloatArray
    rules_accuracy: FloatArray

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain lists, for JSON."""
        return {
            "order": self.order,
            "n_corrected": self.n_corrected.tolist(),
            "accuracy": self.accuracy.tolist(),
            "rules_accuracy": self.rules_accuracy.tolist(),
        }


def intervention_curve(
    model: ConceptBottleneckClassifier,
    X: Any,
    y: Any,
    concepts: Any,
    *,
    order: str = "uncertainty",
    steps: Iterable[int] | None = None,
    random_state: Any = None,
) -> InterventionCurve:
    """Accuracy as the true values of more and more concepts are filled in.

    Parameters
    ----------
    model : ConceptBottleneckClassifier
        Fitted.
    X : array, tensor or frame, n rows
        Raw inputs, best such that the model was not fitted on.
    y : array of shape (n,), or (n, n_targets)
        The true targets.
    concepts : array, frame or mapping, (n, n_concepts)
        The true concepts.
    order : {"uncertainty", "relevance", "random"}, default "uncertainty"
        Which concepts of a row come first: those whose scores are nearest to one half; those that matter
        most to the class that is predicted without help, the less certain first among equals; or any.
    steps : iterable of int, optional
        How many concepts to fill in; from none to all, at most about 20 steps, when missing.
    random_state : int, RandomState or None
        Decides the random order.

    Returns
    -------
    InterventionCurve
    """
    check_is_fitted(model)
    check_free(model)
    if not isinstance(order, str) or order not in ORDERS:
        raise InputError(f"order must be one of {listing(ORDERS)}. Got {shown(order)}.")
    scores = model.predict_concepts(X)
    truth = _true_concepts(model, concepts, len(scores))
    chosen = _steps(steps, scores.shape[1])
    rank = _rank(model, X, scores, order, random_state)
    accuracy, by_rules = [], []
    for step in chosen:
        filled = np.where(rank < step, truth, scores)
        accuracy.append(model.estimator_._share_right(model._predict_at(X, filled), y))
        by_rules.append(model.explain().score(filled, y))
    return InterventionCurve(order, chosen, np.array(accuracy), np.array(by_rules))


def _true_concepts(model: ConceptBottleneckClassifier, concepts: Any, n_rows: int) -> FloatArray:
    """The true concepts of rows, (n_rows, n_concepts)."""
    truth = read_rows(concepts, model.concept_names_)
    if len(truth) != n_rows:
        raise InputError(
            f"concepts must have one row for each of the {count(n_rows, 'row')} of X. "
            f"Got {count(len(truth), 'row')}."
        )
    return truth


def check_free(model: ConceptBottleneckClassifier) -> None:
    """Refuse concepts that follow from the columns of a table: they cannot be set by themselves."""
    if model.estimator_.vocabulary_ is not None:
        raise InputError(
            "These concepts follow from the columns of the table, so they cannot be set by hand. "
            "Change the columns, or pass a concept_model."
        )


def _steps(steps: Iterable[int] | None, n_concepts: int) -> NDArray[np.intp]:
    if steps is None:
        return np.unique(np.linspace(0, n_concepts, min(n_concepts, 20) + 1).round().astype(np.intp))
    chosen = np.asarray(list(steps) if isinstance(steps, Iterable) else [steps])
    if chosen.ndim != 1 or not chosen.size or chosen.dtype.kind not in "iu" or (chosen < 0).any():
        raise InputError(f"steps must be whole numbers of at least 0. Got {shown(steps)}; write range(5).")
    return chosen.astype(np.intp)


def _rank(
    model: ConceptBottleneckClassifier, X: Any, scores: FloatArray, order: str, random_state: Any
) -> NDArray[np.intp]:
    """The place of each concept in the order of its row, (n, n_concepts)."""
    doubt = -np.abs(scores - THRESHOLD)
    if order == "random":
        first = np.random.default_rng(seed_of(random_state)).random(scores.shape)
        by_row = np.argsort(first, axis=1)
    elif order == "uncertainty":
        by_row = np.argsort(-doubt, axis=1, kind="stable")
    else:
        by_row = np.lexsort((-doubt, -_row_relevance(model, X)), axis=1)
    rank = np.empty_like(by_row)
    np.put_along_axis(rank, by_row, np.arange(scores.shape[1])[None, :], axis=1)
    return rank


def _row_relevance(model: ConceptBottleneckClassifier, X: Any) -> FloatArray:
    """The relevance of each concept to the prediction for each row, (n, n_concepts)."""
    relevance = np.asarray(model.estimator_.concept_relevance_)
    answers = model.decide(X).astype(float)  # (n, n_targets)
    if len(relevance) == 1:
        return np.repeat(relevance, len(answers), axis=0)
    return np.asarray(answers @ relevance)
