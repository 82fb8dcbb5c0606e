"""The base of the four classifiers: reading data, fitting, predicting, explaining.

The work is done below: :mod:`~logiclens.estimators.fit` is the fit on one page, and
:mod:`~logiclens.estimators.networks` trains its networks. This module puts them behind the methods that users
of scikit-learn know. torch is imported when a network is made or used, not before.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts.encoder import log_remarks
from logiclens.concepts.table import Table
from logiclens.constants import DISTILLATION, EPOCHS, HIDDEN, INFORMATION, MU_L1, RESTARTS
from logiclens.errors import InputError, count, shown
from logiclens.estimators._parameters import (
    CROSS_ENTROPY,
    ProgressLine,
    check_settings,
    is_auto,
    most_literals,
    penalties,
    price_of_literal,
    progress_line,
    seed_of,
    widths,
)
from logiclens.estimators._registry import register
from logiclens.estimators.folds import RowSplit
from logiclens.estimators.inputs_and_targets import (
    Inputs,
    Problem,
    Targets,
    check_extent,
    check_labeled,
    decided_targets,
    decisions,
    explained_rows,
    explained_target,
    input_tags,
    learn_inputs,
    predicted_index,
    read_groups,
    read_known_targets,
    read_partial_targets,
    read_rows,
    read_weights,
)
from logiclens.estimators.priors import Priors, check_prior_weight
from logiclens.explain import (
    Explanation,
    ExplanationSet,
    GlobalExplanation,
    RuleKind,
    explain_example,
    explain_global,
    explain_set,
)
from logiclens.explain.compose import all_tuples
from logiclens.explain.rule import Label, label_array, member, plain_label
from logiclens.logic import TruthTable
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD
from logiclens.metrics.goal import Goal

if TYPE_CHECKING:
    from logiclens.estimators.comparison import Comparison
    from logiclens.estimators.fit import Fitted, Recipe
    from logiclens.estimators.stability import Stability
    from logiclens.nn.population import LogicNetwork, Streams

_MOST_CONCEPTS = 14  # concepts whose tuples are all tried when a loaded model has no table


@dataclass(kw_only=True, eq=False, repr=False)
class LENClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers: a network for each target, and the rules that state what it does.

    Not to be used by itself: see :class:`~logiclens.estimators.MuClassifier` and the others, which share
    these settings. One of your own is a subclass, usually of one of these, with its :meth:`make_network`; the
    tutorial "Write your own LEN" shows one. It is saved under its name; the class that was defined last under
    a name is the one that is loaded.

    Attributes
    ----------
    classes_ : ndarray
        Labels of the classes, or names of the outputs.
    explanations_ : ExplanationSet
        What :meth:`explain` returns.
    concept_names_ : tuple of str
    vocabulary_ : Vocabulary or None
        What the concepts mean in the columns of the raw table, where it was encoded.
    encoder_ : ConceptEncoder or None
        The fitted encoder; None where the inputs are concepts, and in a model that was loaded.
    concept_relevance_ : ndarray of shape (n_outputs, n_concepts)
    network_ : LogicNetwork
        One member for each output.
    problem_ : Problem
        How outputs stand for targets.
    loss_curve_ : ndarray of shape (epochs, n_outputs)
        Training loss.
    n_iter_ : ndarray of shape (n_outputs,)
    l1_ : ndarray of shape (n_outputs,)
        The penalty that was chosen.
    prior_reports_ : tuple of PriorReport
        How far each of the priors holds.
    front_ : Front
        Rules of every length, with their accuracy and fidelity on rows held out.
    """

    rule: str = "iff"
    distillation: float = DISTILLATION
    literal_cost: float | str = "auto"
    max_literals: int | str = "auto"
    literals: int | str = "auto"
    class_weight: Any = None
    goal: str | None = None
    positive: Any = None
    criterion: Any = CROSS_ENTROPY
    hidden: Sequence[int] = HIDDEN
    l1: float | Sequence[float] = MU_L1
    restarts: int = RESTARTS
    epochs: int = EPOCHS
    learning_rate: float = 0.02
    batch_size: int | None = None
    patience: int = 30
    validation_fraction: float = 0.25
    encoder: Any = "auto"
    device: str = "auto"
    random_state: Any = None
    verbose: bool = False

    prunes: ClassVar[bool] = True
    """Whether concepts or connections are pruned half-way through training."""
    prunes_inputs: ClassVar[bool] = False
    """Whether it is concepts that are pruned, by the norms of what they are connected with."""
    row_by_row: ClassVar[bool] = False
    """Whether rules are made of rows one by one, so that equal rows cannot be merged and counted."""
    decides_singly: ClassVar[bool] = False
    """Whether each output decides by itself, rather than the largest one, when there are several."""

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        register(cls)

    def make_network(
        self, streams: Streams, n_concepts: int, l1: Sequence[float], width: int
    ) -> LogicNetwork:
        """Make a population of this classifier's networks, one member for each stream.

        ``width`` is the number of concepts that a network keeps, where it is pruned to some.
        """
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = input_tags(tags.input_tags, self.encoder)
        tags.classifier_tags.multi_label = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        priors: Any = (),
        prior_weight: float = 0.3,
        unlabeled: Any = None,
    ) -> Self:
        """Train the networks and explain them.

        Parameters
        ----------
        X : data frame, array, sparse matrix or mapping, n rows
            A raw table, or concepts in [0, 1]; the names of a frame's columns are used in the rules.
        y : array of shape (n,), or array or frame of shape (n, n_targets)
            Labels of classes; or a table of 0 / 1, or of soft targets in [0, 1], several of which may be
            true. A row whose label is None, NaN or NaT, or that has none in any column, takes part without a
            label.
        sample_weight : array of shape (n,), optional
            Non-negative weights: a row of weight 2 counts as two rows, one of weight 0 as none.
        groups : array of shape (n,), optional
            Rows with the same value, such as those of one patient, are held out together, so that scores and
            the choice of a length are about new groups.
        priors : Formula or text, or several, optional
            What is known to hold of concepts and targets (:mod:`~logiclens.estimators.priors`), such as
            ``stroke -> death``: a penalty on networks and rules that break it.
        prior_weight : float, default 0.3
            What all priors count together, as a multiple of the labeled data.
        unlabeled : label, optional
            One that means that there is none, such as -1. Without it, -1 is a class.

        Returns
        -------
        self
        """
        self.check_settings()
        targets, weight = self.read_data(X, y, sample_weight, unlabeled)
        if groups is not None:
            targets = replace(targets, groups=read_groups(groups, len(weight)))
        inputs = self.read_inputs(X, targets, weight)
        if len(targets.labels) == 1 and targets.problem is not Problem.MULTI_LABEL:
            warnings.warn(
                f"y holds the class {shown(targets.labels[0])} alone, so it is always predicted. "
                "Pass rows of two classes or more.",
                UserWarning,
                stacklevel=2,
            )
        known = Priors(priors, Table(X), inputs, targets)
        return self.fit_inputs(inputs, targets, weight, known, prior_weight)

    def check_settings(self) -> None:
        """Refuse settings that make no sense, whatever the data."""
        kinds = {each.kind for each in signature(type(self).__init__).parameters.values()}
        if Parameter.VAR_KEYWORD in kinds:
            raise InputError(
                f"{type(self).__name__}.__init__ must name its settings, without **. Leave it as it is, and "
                "make a setting of your own a class attribute."
            )
        check_settings(self.get_params(deep=False))

    def fit_inputs(
        self,
        inputs: Inputs,
        targets: Targets,
        weight: FloatArray,
        known: Priors | None = None,
        prior_weight: float = 0.3,
    ) -> Self:
        """Train the networks on what was read before, and explain them: :meth:`fit` ends with it.

        Targets may be the probabilities of a black box.
        """
        from logiclens.estimators.fit import fit_folds

        log_remarks(inputs.encoder)
        fold = self.hold_out(inputs.values, targets, weight)
        known = Priors((), Table(inputs.values), inputs, targets) if known is None else known
        task = known.join(fold, weight, check_prior_weight(prior_weight), seed_of(self.random_state))
        recipe = self.recipe(inputs, targets)
        line = self._progress_line()
        fitted = fit_folds(recipe, task.x, task.targets, [task.fold], line)[0]
        if line is not None:
            line.end("trained, with rules of every length")
        self.adopt(fitted, inputs, targets)
        self.prior_reports_ = known.report(
            weight, seed_of(self.random_state), self._predictions, fitted.rules
        )
        if not fitted.trained.converged.all():
            warnings.warn(
                f"{type(self).__name__} was still getting better after {int(self.n_iter_.max())} epochs. "
                "Raise epochs, or learning_rate.",
                ConvergenceWarning,
                stacklevel=3,  # of whoever called fit
            )
        return self

    def read_data(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, unlabeled: Any = None
    ) -> tuple[Targets, FloatArray]:
        """Read targets and row weights; ``unlabeled`` is a label that means that there is none."""
        table = Table(X)
        check_extent(table)
        n_rows = table.n_rows
        targets = read_partial_targets(y, n_rows, unlabeled)
        if self._kind() is not RuleKind.IFF or (
            self.decides_singly and targets.problem is Problem.SINGLE_LABEL
        ):
            targets = targets.output_by_output()
        weight = read_weights(sample_weight, n_rows)
        if not targets.observed(weight).any():
            raise InputError("All rows with a label have weight 0. Give some of them a positive weight.")
        return targets, weight

    def read_inputs(self, X: Any, targets: Targets, weight: FloatArray) -> Inputs:
        """Read concepts, or encode a raw table; an encoder learns from labeled rows that weigh something."""
        inputs = learn_inputs(X, self.encoder, targets, weight)
        if not inputs.names:
            raise InputError("No column tells the rows apart, so there are no concepts. Pass other columns.")
        return inputs

    def hold_out(self, x: FloatArray, targets: Targets, weight: FloatArray) -> RowSplit:
        """Set a validation part aside, in proportion from every class."""
        return targets.hold_out(x, weight, self.validation_fraction, seed_of(self.random_state))

    def recipe(self, inputs: Inputs, targets: Targets) -> Recipe:
        """All settings, in the form in which they are used, for some inputs and targets."""
        from logiclens.estimators.fit import Recipe
        from logiclens.estimators.networks import Population
        from logiclens.nn.criteria import find_criterion
        from logiclens.nn.training import Plan

        population = Population(
            make=self.make_network,
            penalties=penalties(self.l1),
            restarts=self.restarts,
            seed=seed_of(self.random_state),
            device=self.device,
            widths=widths(self.max_concepts) if self.prunes_inputs else (),
            joint=targets.problem is Problem.SINGLE_LABEL,
            information=INFORMATION if targets.unlabeled is not None else (0.0,),
        )
        plan = Plan(
            criterion=find_criterion(self.criterion),
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            patience=self.patience,
            prune=self.prunes,
        )
        return Recipe(
            self._kind(),
            inputs.names,
            inputs.vocabulary,
            distillation=self.distillation,
            literal_cost=price_of_literal(self.literal_cost, targets),
            max_literals=most_literals(self.max_literals, targets, self.literals),
            literals=self.literals,
            class_weight=self.class_weight,
            goal=None if self.goal is None else Goal.parse(self.goal, self._positive()),
            population=population,
            plan=plan,
        )

    def _positive(self) -> Label | None:
        return None if self.positive is None else plain_label(self.positive)

    def _kind(self) -> RuleKind:
        kind = member(RuleKind, self.rule, "rule")
        if kind is RuleKind.CLUSTER:
            raise InputError("The rule of a classifier must be 'iff', 'if' or 'only_if'. Got 'cluster'.")
        return kind

    def _progress_line(self) -> ProgressLine | None:
        return progress_line(type(self).__name__, "training", more=True) if self.verbose else None

    def adopt(self, fitted: Fitted, inputs: Inputs, targets: Targets) -> None:
        """Take over the result of a fit."""
        inputs.note_on(self)
        self.classes_ = label_array(targets.labels)
        self.problem_ = targets.problem
        self.network_ = fitted.network
        self.explanations_ = fitted.rules
        self.front_ = fitted.front
        self.seen_ = fitted.front.seen
        self.loss_curve_ = fitted.trained.loss_curve
        self.n_iter_ = fitted.trained.n_iter
        self.l1_ = fitted.trained.penalty

    def decision_function(self, X: Any) -> FloatArray:
        """Logits of the outputs: (n,) for two classes, larger for the second, (n, n_targets) otherwise."""
        logits = self._logits(X)
        if self.problem_ is Problem.OUTPUT_BY_OUTPUT and logits.shape[1] == 2:
            return np.asarray(logits[:, 1] - logits[:, 0])
        return logits[:, 0] if self.problem_ is Problem.BINARY else logits

    def _logits(self, X: Any) -> FloatArray:
        """Logits by output, (n, n_outputs)."""
        return self._read(X)[1]

    def _read(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Concepts of rows, (n, n_concepts), and the network's outputs for them, (n, n_outputs)."""
        from logiclens.estimators.networks import predict_logits

        x = self._rows(X)
        return x, predict_logits(self.network_, x)

    def decide(self, X: Any) -> BoolArray:
        """The targets that the network predicts, (n, n_targets): what fidelity is measured against.

        The class of the largest output, for single-label problems; every output above one half for
        multi-label problems and, output by output, for psi networks.
        """
        return decisions(self._logits(X), self.problem_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted labels, (n,), or a table of 0 / 1, (n, n_targets), for multi-label problems."""
        return self._named(self._logits(X))

    def _named(self, logits: FloatArray) -> NDArray[Any]:
        """What outputs say, in labels or, for multi-label problems, in 0 / 1."""
        if self.problem_ is Problem.MULTI_LABEL:
            return (logits > 0).astype(np.int64)
        return np.asarray(self.classes_[predicted_index(logits, self.problem_)])

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Share of the rows whose label, or all of whose labels, are predicted.

        A soft target is a yes where it is above one half.
        """
        return self._share_right(self.predict(X), y, sample_weight)

    def _share_right(self, predicted: NDArray[Any], y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Share of predictions, as :meth:`predict` gives them, that are right; see :meth:`score`."""
        weight = read_weights(sample_weight, len(predicted))
        if self.problem_ is not Problem.MULTI_LABEL:
            check_labeled(y)
            return float(accuracy_score(y, predicted, sample_weight=weight))
        truth = read_known_targets(y, len(predicted), self._labels(), self.problem_).outputs > THRESHOLD
        return float(np.average((predicted == truth).all(axis=1), weights=weight))

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each target, (n, n_targets), calibrated on validation rows.

        Rows of problems with one label add up to 1.
        """
        from logiclens.estimators.networks import as_probabilities

        return as_probabilities(self._logits(X), self.problem_)

    def compare(
        self, X: Any, y: Any, X_train: Any, y_train: Any, *, groups: ArrayLike | None = None
    ) -> Comparison:
        """Rules and network beside a small tree, boosting and a guess, on the same rows.

        Parameters
        ----------
        X, y : as for :meth:`fit`
            Rows to score on, with one label each.
        X_train, y_train : as for :meth:`fit`
            The rows that were learned from: tree and boosting learn from them, too.
        groups : array of shape (n,), optional
            As for :meth:`fit`, of the rows to score on: intervals and leads count groups.

        Returns
        -------
        Comparison
        """
        from logiclens.estimators.comparison import compare

        return compare(self, X, y, X_train, y_train, groups)

    def stability(
        self,
        X: Any,
        y: Any,
        *,
        groups: ArrayLike | None = None,
        n_resamples: int = 10,
        random_state: int = 0,
    ) -> Stability:
        """How often the conditions of the rules return in fits to resamples of the rows.

        Parameters
        ----------
        X, y : as for :meth:`fit`
            The rows that were learned from, and their labels.
        groups : array of shape (n,), optional
            As for :meth:`fit`: rows of a group are drawn together.
        n_resamples : int, default 10
        random_state : int, default 0

        Returns
        -------
        Stability
        """
        from logiclens.estimators.stability import resample_rules

        return resample_rules(self, X, y, groups=groups, n_resamples=n_resamples, random_state=random_state)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, atomically: weights and rules, no training rows.

        Read it back with :func:`logiclens.load`, which runs no code of the file: a class or criterion of your
        own has to be defined, or registered, under the same name. Without rows, a loaded model explains
        single rows and sets of rows on all combinations of the concepts it keeps, not on those that occur.
        """
        from logiclens.estimators._saving import save_model

        check_is_fitted(self)
        save_model(self, path)

    @property
    def concept_relevance_(self) -> FloatArray:
        """How much each concept matters to each output, (n_outputs, n_concepts), the most relevant 1.

        The relevance of a ReLU network differs from row to row; here it is that at a row of all one halves.
        """
        import torch

        check_is_fitted(self)
        probe = torch.full((1, len(self.concept_names_)), 0.5, dtype=self.network_.l1.dtype)
        scores = self.network_.relevance(probe)
        return np.asarray(scores.reshape(self.network_.members, -1).numpy())

    def explain(self, X: Any = None, y: Any = None, *, literals: int | str = "auto") -> ExplanationSet:
        """The rules of the whole problem (Eq. 2 for each class).

        Parameters
        ----------
        X : data frame, array or mapping, optional
            Rows to explain the network on; without them, the explanations made when fitting are returned.
        y : array, optional
            The truth about the rows. Without it, the rules are searched for in the network's predictions.
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": as many as were chosen when fitting. Nothing is
            trained.

        Returns
        -------
        ExplanationSet
        """
        check_is_fitted(self)
        if X is None:
            return self.explanations_ if is_auto(literals) else self.front_.rules(literals)
        from logiclens.estimators.fit import explain_logits

        x, logits = self._read(X)
        if not len(x):
            raise InputError("There are no rows to explain. Pass at least one.")
        if y is None:
            targets = decided_targets(decisions(logits, self.problem_), self._labels(), self.problem_)
        else:
            targets = read_known_targets(y, len(x), self._labels(), self.problem_)
        inputs = Inputs(x, self.concept_names_, True, (), self.vocabulary_)
        if is_auto(literals):
            literals = self.front_[self.front_.chosen].literals
        how = self.recipe(inputs, targets).settled(self.front_.goal)
        how = replace(how, kind=self.front_.kind, literals=literals)
        if y is None:
            how = replace(how, distillation=1.0)
        kept = self._kept()[None]
        return explain_logits(how, x, targets, [np.ones(len(x))], [logits], kept, self.network_).rules()

    def _kept(self) -> BoolArray:
        """The concepts that rules may use, (n_concepts,): those that the network reads."""
        return np.asarray(self.network_.kept().any(dim=0).cpu().numpy())

    def explain_sample(self, X: Any, target: Label | None = None) -> Explanation:
        """Example-level explanation (Eq. 1): why the network predicts what it does for one row.

        The row's literals, cut down to those that are enough on the data: no row for which the network
        predicts otherwise satisfies them. Where concepts are scores, rows that are alike as Booleans may get
        different answers; the status then says how many.

        Parameters
        ----------
        X : data frame, array or mapping, one row
        target : label, optional
            The target to explain; the predicted one when missing. It must be one the network predicts.

        Returns
        -------
        Explanation
        """
        return self.explain_answer(X, self._one_row(X, target)[1])

    def explain_answer(self, X: Any, label: Label, answer: bool = True) -> Explanation:
        """Why the network says yes, or no, to a target for one row.

        Of a no the reason is what the target needs and the row lacks; see
        :func:`~logiclens.explain.explain_example`.
        """
        x, table = self._rows(X), self._table(label)
        at = [self.concept_names_.index(name) for name in table.names]
        relevance = self._row_relevance(x, label)[at]
        part = "possible" if self.seen_ is None else "training"
        found = explain_example(
            x[0, at] > THRESHOLD, table, label, relevance=relevance, answer=answer, part=part
        )
        return self.worded(found, X)

    def worded(self, found: Explanation, X: Any) -> Explanation:
        """An explanation of rows in the words of their table; where it has gaps, they say what these mean."""
        words = self.vocabulary_
        if words is None:
            return found
        return found.worded(words.expecting_gaps(words.missing_columns(X, found.concepts)))

    def explain_set(self, X: Any, target: Label) -> Explanation:
        """Set-level explanation (Eq. 2): what the rows that the network takes for the target have in common.

        Parameters
        ----------
        X : data frame, array or mapping
            The rows; those for which the network does not predict the target are left out.
        target : label

        Returns
        -------
        Explanation
        """
        check_is_fitted(self)
        x, logits = self._read(X)
        label, rows = explained_rows(decisions(logits, self.problem_), self._labels(), target)
        table = self._table(label)
        at = [self.concept_names_.index(name) for name in table.names]
        return self.worded(explain_set(x[rows][:, at] > THRESHOLD, table, label), X)

    def explain_global(self, X: Any = None, *, max_concepts: int = 8) -> GlobalExplanation:
        """Global explanation (Eq. 3): clauses that hold on all of the data.

        Parameters
        ----------
        X : data frame, array or mapping, optional
            The data; those the model was fitted on when missing.
        max_concepts : int, default 8
            Most concepts to look at: those that the rules use most.

        Returns
        -------
        GlobalExplanation
            The disjunction of the class formulas as a CNF, where tuples that never occurred count as false.
        """
        check_is_fitted(self)
        used = sorted({name for formula in self.explanations_.formulas.values() for name in formula.concepts})
        if X is not None:
            x = self._rows(X)[:, [self.concept_names_.index(name) for name in used]]
            seen = TruthTable.from_data(x, np.ones(len(x)), names=used)
        elif self.seen_ is None:
            raise InputError("A loaded model holds no rows. Pass rows to explain_global.")
        else:
            seen = self.seen_.table().select(used)
        found = explain_global(seen, self.explanations_, max_concepts=max_concepts)
        return replace(found, vocabulary=self.vocabulary_)

    def _rows(self, X: Any) -> FloatArray:
        """Concepts of rows, (n, n_concepts)."""
        check_is_fitted(self)
        return read_rows(X, self.concept_names_, self.vocabulary_, type(self).__name__)

    def _predictions(self, x: FloatArray) -> BoolArray:
        """The targets that the network predicts, (n, n_targets)."""
        from logiclens.estimators.networks import predict_logits

        return decisions(predict_logits(self.network_, x), self.problem_)

    def _labels(self) -> tuple[Label, ...]:
        return tuple(plain_label(label) for label in self.classes_)

    def _one_row(self, X: Any, target: Label | None) -> tuple[FloatArray, Label]:
        check_is_fitted(self)
        x, logits = self._read(X)
        if len(x) != 1:
            raise InputError(
                f"explain_sample explains one row. Got {count(len(x), 'row')}; "
                "pass one, as X[:1] or X.iloc[[0]]."
            )
        predicted, several = decisions(logits, self.problem_)[0], self.problem_ is Problem.MULTI_LABEL
        chosen = explained_target(predicted, self._labels(), target, several=several)
        if chosen is not None:
            return x, chosen
        label = self._labels()[int(predicted_index(logits, self.problem_)[0])]
        if not predicted[self._labels().index(label)]:
            raise InputError(
                f"No output is above one half for this row; {label!r} only scores highest. "
                "There is nothing to explain."
            )
        return x, label

    def _row_relevance(self, x: FloatArray, label: Label) -> FloatArray:
        """How much each concept matters to a target at one row of concepts, (n_concepts,), at most 1."""
        import torch

        output = 0 if self.problem_ is Problem.BINARY else self._labels().index(label)
        scores = self.network_.relevance(torch.as_tensor(x, dtype=self.network_.l1.dtype))[output]
        return np.asarray(scores.reshape(-1, len(self.concept_names_))[0].numpy())

    def _table(self, label: Label) -> TruthTable:
        """The network's yes and no about a target on the rows of the fit or, once loaded, on all tuples."""
        at = self._labels().index(label)
        if self.seen_ is not None:
            return self.seen_.predictions(at)
        columns = np.flatnonzero(self._kept())
        if len(columns) > _MOST_CONCEPTS:
            raise InputError(
                "A loaded model holds no rows, and this one reads too many concepts to try all combinations. "
                "Use explain(X) with rows, or fit the model anew."
            )
        tuples = all_tuples(len(columns))
        x = np.zeros((len(tuples), len(self.concept_names_)))
        x[:, columns] = tuples
        predicted = self._predictions(x)[:, at]
        return TruthTable.from_data(tuples, predicted, names=[self.concept_names_[j] for j in columns])
