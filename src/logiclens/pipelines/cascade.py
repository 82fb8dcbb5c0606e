"""Cascades: concepts explained by concepts, level by level, down to those of the data (Sec. 3.1).

    C1 -> LEN -> C2 -> LEN -> ... -> LEN -> classes

Each level's concepts are learnt from the level below by a multi-label LEN, the classes from the last level.
The next level reads the decisions of a level, yes or no. So its rules can be put into the rules above: the
formulas of the concepts take the place of the concepts, until a class is a formula of the first level. That
formula is long. Shorter ones are found on the data, as for any network
(:func:`logiclens.estimators.fit.explain_answers`), for the predictions of the rules of all levels together.

**What a level learns from.** By default from the true concepts below it: then its rules are about what the
concepts mean, not about how well they are predicted, and a concept that is set by hand has the effect that it
should have. ``train_on="predictions"`` takes what the level below predicts, out of fold: the rules then make
up for its mistakes, which is worth something where concepts are hard to predict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from logiclens.errors import InputError, shown
from logiclens.estimators._parameters import is_auto, most_literals, price_of_literal, seed_of
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.inputs_and_targets import (
    Targets,
    decided_targets,
    decisions,
    explained_rows,
    read_concepts,
    read_known_targets,
    read_rows,
)
from logiclens.explain import (
    CascadeExplanation,
    Explanation,
    ExplanationSet,
    RuleKind,
    explain_example,
    explain_set,
)
from logiclens.explain.front import Front, Seen
from logiclens.explain.rule import Label, plain_label
from logiclens.logic import Formula, TruthTable
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD, as_weights, check_count
from logiclens.logic.normal_form import substitute
from logiclens.pipelines._native_tables import adopt_features, check_rows, number_of_rows, shared_input, take
from logiclens.pipelines.intervention import Intervention, check_possible, read_known


def level_classifiers(estimator: Any, n_levels: int, seed: int) -> list[LENClassifier]:
    """A classifier to be fitted for each level above the first: clones of one, or of one for each.

    Without an estimator they are ``MuClassifier`` with the seed.
    """
    if estimator is None:
        from logiclens.estimators import MuClassifier

        estimator = MuClassifier(random_state=seed)
    several = isinstance(estimator, Sequence) and not isinstance(estimator, str)
    given = list(estimator) if several else [estimator] * n_levels
    if len(given) != n_levels:
        raise InputError(
            f"estimator must be one classifier, or one for each of the {n_levels} levels above the first. "
            f"Got {len(given)}."
        )
    for each in given:
        if not isinstance(each, LENClassifier):
            raise InputError(
                "A cascade is made of classifiers of this package, such as MuClassifier(). "
                f"Got {shown(each)}."
            )
    chain: list[LENClassifier] = [clone(each) for each in given]
    for at, each in enumerate(chain):
        if at < n_levels - 1:
            if several and each.get_params()["rule"] != "iff":
                raise InputError(
                    f"The rules of level {at + 2} must be equivalences, or they cannot be put into those "
                    f"above. Got rule={shown(each.get_params()['rule'])}; use 'iff'."
                )
            each.set_params(rule="iff")
        if at:
            each.set_params(encoder=None)  # predictions of a level are concepts already
    return chain


def read_levels(levels: Any) -> list[tuple[tuple[str, ...], FloatArray]]:
    """Names and values of the concepts of each level above the first."""
    if levels is None:
        return []
    if isinstance(levels, str | Mapping) or not isinstance(levels, Sequence):
        raise InputError(
            "levels must be a sequence of tables, one for each level above the first. "
            f"Got {shown(levels)}; write [table]."
        )
    found = []
    for at, table in enumerate(levels):
        inputs = read_concepts(table)
        width = inputs.values.shape[1]
        if not width:
            raise InputError(f"Level {at + 2} has no concepts. Leave it out, or pass at least one column.")
        names = inputs.names if inputs.named else tuple(f"c{at + 2}_{j}" for j in range(width))
        found.append((names, inputs.values))
    return found


def fit_concepts(
    estimator: LENClassifier, X: Any, values: FloatArray, sample_weight: ArrayLike | None
) -> LENClassifier:
    """Fit a multi-label LEN. A single concept has its complement beside it: one column would be labels."""
    if values.shape[1] == 1:
        values = np.hstack([values, 1.0 - values])
    return estimator.fit(X, values, sample_weight=sample_weight)


def as_columns(names: Sequence[str], scores: FloatArray) -> dict[str, FloatArray]:
    """Scores as the next level reads them: yes or no."""
    return {name: (scores[:, j] > THRESHOLD).astype(np.float64) for j, name in enumerate(names)}


def rename_targets(rules: ExplanationSet, names: Sequence[str]) -> ExplanationSet:
    """The rules of a level, called after its concepts."""
    found = [
        replace(explanation, rule=replace(explanation.rule, target=name))
        for explanation, name in zip(rules.explanations, names, strict=False)  # without a complement
    ]
    return replace(rules, explanations=tuple(found))


def _concepts_of(reasons: Sequence[Explanation]) -> list[str]:
    """The concepts that reasons speak of, sorted."""
    return sorted({name for each in reasons for name in each.concepts})


def _weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_rows)
    return as_weights(sample_weight, "sample_weight", n_rows)


@dataclass(eq=False, repr=False)
class CascadeClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Classify through levels of concepts, and explain it, level by level and from the first to the last.

    Parameters
    ----------
    estimator : classifier of this package, or sequence of them, optional
        What stands on each level: clones of one, or one for each, the last for the classes;
        ``MuClassifier`` when missing. The rules of concepts are always equivalences, as no others can be
        put in their place; those of the classes are of the estimator's kind.
    train_on : {"concepts", "predictions"}, default "concepts"
        What a level learns from: the true concepts below it, or what is predicted of them out of fold; see
        :mod:`logiclens.pipelines.cascade`.
    n_folds : int, default 5
        Folds of the predictions that are trained on.
    max_literals : int or "auto", default "auto"
        Literals of the longest rules of the classes in terms of the first level, all together; "auto": 60 for
        two classes, 20 per class for more.
    random_state : int, RandomState or None
        Seed of the folds, and of the default estimator.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each level above the first.
    level_names_ : tuple of tuple of str
        Names of the concepts of each level, the first included.
    composed_ : dict of label to Formula
        The rules of all levels put into one another, exactly.
    explanations_ : ExplanationSet
        The same, minimized on the rows of the fit: what :meth:`explain` returns.
    front_ : Front
        Such rules of every length.
    seen_ : Seen
        The distinct rows of the fit, in concepts of the first level, with the predictions of the cascade.
    classes_ : ndarray
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((300, 4)) > 0.5
    >>> middle = np.column_stack([X[:, 0] & X[:, 1], X[:, 2] | X[:, 3]])
    >>> cascade = CascadeClassifier(random_state=0)
    >>> cascade = cascade.fit(X, middle[:, 0] & middle[:, 1], levels=[middle])
    >>> print(cascade.explain_levels()[1][True])
    forall x: True(x) <-> c2_0(x) & c2_1(x)
    >>> print(cascade.explain()[True])
    forall x: True(x) <-> (x0(x) & x1(x) & x2(x)) | (x0(x) & x1(x) & x3(x))

    References
    ----------
    *Cascading* in Sec. 3.1 of Ciravegna et al., *Logic Explained Networks*.
    """

    estimator: Any = None
    _: KW_ONLY
    train_on: str = "concepts"
    n_folds: int = 5
    max_literals: int | str = "auto"
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        several = isinstance(self.estimator, Sequence)
        tags.input_tags = shared_input(self.estimator[0] if several else self.estimator)
        return tags

    def fit(
        self, X: Any, y: Any, levels: Sequence[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train every level, and explain.

        Parameters
        ----------
        X : data frame, array, sparse matrix or mapping, n rows
            The first level.
        y : array of shape (n,), or array or frame of shape (n, n_targets)
            Labels of classes, or a table of outputs.
        levels : sequence of tables (n, n_concepts), optional
            Frames, mappings or arrays of 0 and 1, or of numbers in [0, 1]: the concepts of the second level,
            of the third, ... Those of an array are called ``c2_0``, ``c2_1``, ... Without any, this is one
            LEN.
        sample_weight : array of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        self
        """
        seed = seed_of(self.random_state)
        self._check()
        tables = read_levels(levels)
        for at, (_, values) in enumerate(tables):
            check_rows(values, f"Level {at + 2}", number_of_rows(X, "X"))
        chain = level_classifiers(self.estimator, len(tables) + 1, seed)
        below: Any = X
        self.estimators_: list[LENClassifier] = []
        for (names, values), estimator in zip(tables, chain[:-1], strict=True):
            fit_concepts(estimator, below, values, sample_weight)
            self.estimators_.append(estimator)
            if self.train_on == "predictions":
                values = self._out_of_fold(estimator, below, values, sample_weight, seed)
            below = dict(zip(names, values.T, strict=True))
        self.estimators_.append(chain[-1].fit(below, y, sample_weight=sample_weight))
        first, last = self.estimators_[0], self.estimators_[-1]
        self.level_names_ = (first.concept_names_, *(names for names, _ in tables))
        self.classes_ = last.classes_
        adopt_features(self, first)
        self.composed_ = self._compose()
        self.front_ = self._front(X, y, sample_weight) if tables else last.front_
        self.seen_ = self._seen(X, sample_weight) if tables else last.seen_
        self.explanations_ = self.front_.rules()
        return self

    def _check(self) -> None:
        if self.train_on not in ("concepts", "predictions"):
            raise InputError(f"train_on must be 'concepts' or 'predictions'. Got {shown(self.train_on)}.")
        check_count(self.n_folds, "n_folds", least=2)
        most: Any = self.max_literals
        if not is_auto(most):
            check_count(most, "max_literals")

    def _out_of_fold(
        self, fitted: LENClassifier, X: Any, values: FloatArray, weight: ArrayLike | None, seed: int
    ) -> FloatArray:
        """Predictions of concepts by clones that have not seen the rows, (n, n_concepts)."""
        predicted = np.zeros(values.shape)
        given = None if weight is None else np.asarray(weight, dtype=np.float64)
        if len(values) < self.n_folds:
            raise InputError(
                f"train_on='predictions' needs a row for each of the {self.n_folds} folds. Got {len(values)}."
            )
        splitter = KFold(int(self.n_folds), shuffle=True, random_state=seed % 2**32)
        for inside, outside in splitter.split(values):
            part = None if given is None else given[inside]
            estimator = fit_concepts(clone(fitted), take(X, inside), values[inside], part)
            predicted[outside] = estimator.decide(take(X, outside))[:, : values.shape[1]]
        return predicted

    # Predicting

    def predict_levels(self, X: Any) -> list[FloatArray]:
        """Scores of every level above the first, each (n, n_concepts); last those of the classes.

        What counts as true, above one half, is what the next level reads.

        Parameters
        ----------
        X : data frame, array, sparse matrix or mapping
            The first level.
        """
        scores, below = self._below_last(X)
        return [*scores, self.estimators_[-1].predict_proba(below)]

    def _below_last(self, X: Any) -> tuple[list[FloatArray], Any]:
        """Scores of the levels between the first and the last, and what the last one reads."""
        check_is_fitted(self, "estimators_")
        scores: list[FloatArray] = []
        below: Any = X
        for estimator, names in zip(self.estimators_[:-1], self.level_names_[1:], strict=True):
            scores.append(estimator.predict_proba(below)[:, : len(names)])
            below = as_columns(names, scores[-1])
        return scores, below

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted labels, (n,), or a table of 0 and 1, (n, n_targets), for multi-label problems."""
        _, below = self._below_last(X)
        return self.estimators_[-1].predict(below)

    def predict_proba(self, X: Any) -> FloatArray:
        """Scores of the classes, (n, n_targets)."""
        return self.predict_levels(X)[-1]

    def decide(self, X: Any) -> BoolArray:
        """The targets that the cascade predicts, (n, n_targets): what fidelity is measured against."""
        _, below = self._below_last(X)
        return self.estimators_[-1].decide(below)

    # Explaining

    def explain_levels(self) -> list[ExplanationSet]:
        """Rules of every level above the first in terms of the level below it; last those of the classes."""
        check_is_fitted(self, "estimators_")
        return [
            *(
                rename_targets(estimator.explain(), names)
                for estimator, names in zip(self.estimators_[:-1], self.level_names_[1:], strict=True)
            ),
            self.estimators_[-1].explain(),
        ]

    def explain(self, X: Any = None, y: Any = None, *, literals: int | str = "auto") -> ExplanationSet:
        """Rules of the classes in terms of the first level: composed, then minimized on the data.

        Parameters
        ----------
        X : data frame, array or mapping, optional
            Rows to minimize on; those of the fit when missing.
        y : array, optional
            The truth about them, which decides how long the rules are; without it, the predictions of the
            cascade.
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": those of the best accuracy, less the price of
            their literals. Nothing is trained.

        Returns
        -------
        ExplanationSet
            In the scores of a rule, ``fidelity`` is its agreement with the cascade, ``accuracy`` with the
            truth. :attr:`composed_` has the formulas as they were before.
        """
        check_is_fitted(self, "estimators_")
        if X is None:
            return self.explanations_ if is_auto(literals) else self.front_.rules(literals)
        if len(self.estimators_) == 1:
            return self.estimators_[0].explain(X, y, literals=literals)
        return self._front(X, y, None).rules(literals)

    def explain_sample(self, X: Any, target: Label | None = None) -> CascadeExplanation:
        """Example-level explanation through all levels (Sec. 4.1): why one row gets its class.

        The last level says which of its concepts were enough for the class. The level below says, of each of
        these, why it is true or false of the row, and so on down to the concepts of the data. The reasons of
        the lowest level together are cut down to what is enough on the data: no row for which the cascade
        predicts otherwise satisfies it. Where they are not enough, other literals of the row are added.

        Parameters
        ----------
        X : data frame, array or mapping, one row
            The first level.
        target : label, optional
            The target to explain; the predicted one when missing. It must be one the cascade predicts.

        Returns
        -------
        CascadeExplanation
            In terms of the first level; its ``levels`` are the reasons of each level.
        """
        scores, below = self._below_last(X)
        why = self.estimators_[-1].explain_sample(below, target)
        inputs = [X, *(as_columns(*each) for each in zip(self.level_names_[1:], scores, strict=True))]
        levels: list[tuple[Explanation, ...]] = [(why,)]
        for at in reversed(range(len(scores))):
            levels.append(self._reasons(at, inputs[at], scores[at][0] > THRESHOLD, _concepts_of(levels[-1])))
        found = why if len(levels) == 1 else self._composed_reason(X, why, levels[-1])
        return CascadeExplanation(
            found.rule, found.scope, found.status, found.support, found.scores, tuple(levels[::-1])
        )

    def explain_set(self, X: Any, target: Label) -> Explanation:
        """Set-level explanation (Eq. 2): what rows have in common, in terms of the first level.

        Parameters
        ----------
        X : data frame, array or mapping
            The rows; those for which the cascade does not predict the target are left out.
        target : label

        Returns
        -------
        Explanation
        """
        label, rows = explained_rows(self.decide(X), self._labels(), target)
        table, at = self._table(label)
        found = explain_set(self._first(X)[rows][:, at] > THRESHOLD, table, label)
        return self.estimators_[0].worded(found, X)

    def _table(self, label: Label) -> tuple[TruthTable, list[int]]:
        """What the cascade predicted about a target in the fit, and which concepts the table is about."""
        assert self.seen_ is not None  # a fit has rows
        table = self.seen_.predictions(self._labels().index(label))
        return table, [self.level_names_[0].index(name) for name in table.names]

    def _reasons(self, at: int, X: Any, answers: BoolArray, wanted: Sequence[str]) -> tuple[Explanation, ...]:
        """Why some concepts of a level are true or false of a row; ``answers`` says which, (n_concepts,)."""
        estimator, names = self.estimators_[at], self.level_names_[at + 1]
        found = []
        for name in wanted:
            j = names.index(name)
            label = plain_label(estimator.classes_[j])  # columns of an array have no names
            why = estimator.explain_answer(X, label, bool(answers[j]))
            found.append(replace(why, rule=replace(why.rule, target=name)))
        return tuple(found)

    def _composed_reason(self, X: Any, why: Explanation, reasons: Sequence[Explanation]) -> Explanation:
        """What the reasons of the lowest level come to."""
        first, x, wanted = self.estimators_[0], self._first(X), set(_concepts_of(reasons))
        relevance = np.array([float(name in wanted) for name in self.level_names_[0]])  # others come last
        table, at = self._table(why.target)
        found = explain_example(
            x[0, at] > THRESHOLD, table, why.target, relevance=relevance[at], kind=why.kind, part="training"
        )
        return first.worded(found, X)

    def _compose(self) -> dict[Label, Formula]:
        """The formula of each class, the formulas of all levels below put in the place of their concepts."""
        *below, last = self.explain_levels()
        composed = dict(last.formulas)
        for rules in reversed(below):
            meaning = {str(name): formula for name, formula in rules.formulas.items()}
            composed = {label: substitute(formula, meaning) for label, formula in composed.items()}
        return composed

    def _front(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Front:
        """Rules of every length for the predictions of the rules of all levels together."""
        from logiclens.estimators.fit import SearchSettings, explain_answers

        last, names, x = self.estimators_[-1], self.level_names_[0], self._first(X)
        if not len(x):
            raise InputError("There are no rows to explain. Pass at least one.")
        answers = self.decide(X)
        targets = self._targets(y, answers)
        weight = _weights(sample_weight, len(x))
        search = SearchSettings(
            last.front_.kind,
            names,
            self.estimators_[0].vocabulary_,
            distillation=1.0,
            literal_cost=price_of_literal(last.literal_cost, targets),
            max_literals=most_literals(self.max_literals, targets),
            class_weight=last.class_weight,
        )
        used = {name for formula in self.composed_.values() for name in formula.concepts}
        kept = np.array([name in used for name in names])
        predicted = self._predicted_by_rules(x)
        return explain_answers(predicted, answers, x, targets, weight, search, kept, by_truth=True)

    def _targets(self, y: Any, answers: BoolArray) -> Targets:
        """The truth about rows or, when it is missing, what the cascade predicts."""
        problem = self.estimators_[-1].problem_
        if y is None:
            return decided_targets(answers, self._labels(), problem)
        return read_known_targets(y, len(answers), self._labels(), problem)

    def _labels(self) -> tuple[Label, ...]:
        return tuple(plain_label(label) for label in self.classes_)

    def _seen(self, X: Any, sample_weight: ArrayLike | None) -> Seen:
        """The distinct tuples of what the first network reads, with the predictions of the cascade."""
        from logiclens.estimators.fit import FrontSearch, SearchSettings

        names, first = self.level_names_[0], self.estimators_[0]
        x, answers = self._first(X), self.decide(X)
        settings = SearchSettings(RuleKind.IFF, names, first.vocabulary_)
        kept = np.isin(names, [] if first.seen_ is None else first.seen_.names)
        rows = FrontSearch(
            settings, x > THRESHOLD, self._targets(None, answers), [_weights(sample_weight, len(x))]
        )
        return rows.seen(kept, answers)

    def _predicted_by_rules(self, x: FloatArray) -> FloatArray:
        """The predictions of the rules of all levels, one after the other, (n, n_targets)."""
        names = self.level_names_[0]
        *below, last = self.explain_levels()
        for rules, above in zip(below, self.level_names_[1:], strict=True):
            x, names = rules.fired(x, names).astype(np.float64)[:, : len(above)], above
        if self.estimators_[-1].front_.kind is not RuleKind.IFF or last.multi_label:
            return last.fired(x, names).astype(np.float64)
        return np.asarray(last.predict(x, names)[:, None] == self.classes_, dtype=np.float64)

    # Intervening

    def intervene(self, X: Any, level: int, values: Any) -> Intervention:
        """Set concepts of a level by hand, and see what the cascade predicts then.

        Parameters
        ----------
        X : data frame, array, sparse matrix or mapping, n rows
            The first level.
        level : int
            1 for the concepts of the data, 2 for the first that are predicted, and so on.
        values : mapping, data frame or array of shape (n, n_concepts)
            From some of the level's concepts to a value in [0, 1], or to one for each row; or an array of all
            of them. NaN leaves a concept as it is. Where the first level was encoded, its concepts must stay
            such as a row of the raw table can have.

        Returns
        -------
        Intervention
            Concepts of the level, predictions and rules of the classes that fire, before and after.
        """
        check_is_fitted(self, "estimators_")
        n_levels = len(self.level_names_)
        whole = isinstance(level, int | np.integer) and not isinstance(level, bool)
        if not whole or not 1 <= level <= n_levels:
            raise InputError(
                f"level must be a whole number from 1 to {n_levels}, the last level there is. "
                f"Got {shown(level)}."
            )
        names = self.level_names_[level - 1]
        before = self._first(X) if level == 1 else self.predict_levels(X)[level - 2]
        known = read_known(values, names, len(before))
        words = self.estimators_[0].vocabulary_
        if level == 1 and words is not None:
            after = np.where(np.isnan(known), before, known)
            check_possible(words, names, ~np.isnan(known), after)
        labels = self._labels()
        return Intervention.of(
            names, labels, before, known, lambda concepts: self._from_level(concepts, int(level))
        )

    def _from_level(self, scores: FloatArray, level: int) -> tuple[NDArray[Any], BoolArray]:
        """Predictions, and which rules of the classes fire, given the concepts of a level."""
        from logiclens.estimators.networks import predict_logits

        x = scores if level == 1 else (scores > THRESHOLD).astype(np.float64)
        for estimator, names in zip(self.estimators_[level - 1 : -1], self.level_names_[level:], strict=True):
            predicted = decisions(predict_logits(estimator.network_, x), estimator.problem_)
            x = predicted[:, : len(names)].astype(np.float64)
        last, columns = self.estimators_[-1], dict(zip(self.level_names_[-1], x.T, strict=True))
        fired = last.explain().fired(columns)
        return last.predict(columns), fired

    def _first(self, X: Any) -> FloatArray:
        """The concepts of the first level, (n, n_concepts)."""
        return read_rows(X, self.level_names_[0], self.estimators_[0].vocabulary_)
