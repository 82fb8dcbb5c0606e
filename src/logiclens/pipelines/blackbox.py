"""Explaining a black box: a LEN learns to answer as it does, and says it in rules (Sec. 3.2, Eq. 11).

A black box is whatever answers about rows: a model of scikit-learn or a pipeline, a network of torch, a
function. It is asked about rows, a LEN is trained on its answers, and the rules of the LEN are scored on rows
that the LEN has not seen: their *fidelity* to the black box is the figure to look at first.

What the LEN learns about a row is how probable the black box holds each class to be, where it says so, or
else its label. That takes the place of the truth in the fit (:mod:`logiclens.estimators.fit`); nothing else
is different.

**Which rows to learn from.** On the rows it was trained on, a black box that has learnt them by heart repeats
their labels, noise included; elsewhere it answers in another, smoother way. The second is what an explanation
should be about.

    rows the black box was not trained on  the best there is: pass those as ``X``
    its training rows, and their labels    ``out_of_fold=5``: each row is answered by a copy that never saw it
    its training rows, without labels      ``n_fresh=...``: rows made of pieces of real ones are added
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts.table import Table
from logiclens.errors import InputError, shown
from logiclens.estimators.base import LENClassifier, seed_of
from logiclens.explain import Explanation, ExplanationSet, GlobalExplanation
from logiclens.explain.front import Front
from logiclens.explain.rule import Label, plain_label
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import as_float, check_count
from logiclens.logic.values import as_weights
from logiclens.pipelines.asking import (
    Answers,
    ask,
    check_black_box,
    check_folds,
    fit_black_box,
    fit_folds,
    is_fitted,
)
from logiclens.pipelines.degrees import Lessons, check_what
from logiclens.pipelines.imitation import comparable_truth, measure_fidelity
from logiclens.pipelines.rows import as_labels, check_rows, hold_out, number_of_rows, recombined, take
from logiclens.pipelines.tags import adopt_features, shared_input

OTHERWISE = "the black box answers {}; this is why the network says {}"
"""Status of the explanation of a row about which network and black box differ."""


class BlackBoxExplainer(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A LEN that imitates a black box and states its decisions as rules (Sec. 3.2, Eq. 11).

    Parameters
    ----------
    black_box : fitted or unfitted estimator, torch.nn.Module or callable
        Who is asked, with the rows as they were passed to :meth:`fit`:

        - an estimator or pipeline with ``predict``: labels, or a table of 0 and 1 where rows have several;
        - a ``torch.nn.Module``: logits, one for "yes" (above 0) or one for each class (the largest); rows are
          passed as tensors, in evaluation mode;
        - a callable: labels (n,); a table of Booleans, or of whole numbers 0 and 1; numbers in [0, 1] (n,),
          the probability of "yes" (above one half); or numbers (n, n_classes), of which the largest decides.

        A fitted one is never changed, and clones of the explainer share it. An unfitted estimator is cloned
        and fitted on the rows that are not held out.
    estimator : classifier of this package, optional
        What learns to answer alike; ``MuClassifier`` when missing. Its ``rule`` decides what is said: IFF
        as in Eq. (11), or an implication.
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
        The one that was asked.
    estimator_ : classifier
        The fitted LEN.
    fidelity_ : BlackBoxFidelity
        Of rules and network to :attr:`black_box_` on the rows held out, which the LEN has not seen. A black
        box that was fitted here has not seen them either; one that came fitted may have. The figure says
        nothing about out-of-fold answers: those are only learnt from.
    classes_ : ndarray
        Labels that the black box can give, as far as it says.
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

    def __init__(
        self,
        black_box: Any,
        estimator: Any = None,
        *,
        answers: str = "auto",
        classes: Any = None,
        out_of_fold: int | None = None,
        n_fresh: int = 0,
        test_fraction: float = 0.25,
        random_state: Any = None,
    ) -> None:
        self.black_box = black_box
        self.estimator = estimator
        self.answers = answers
        self.classes = classes
        self.out_of_fold = out_of_fold
        self.n_fresh = n_fresh
        self.test_fraction = test_fraction
        self.random_state = random_state

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
        """Ask the black box about rows, and learn to answer alike.

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
            said = self._first_answers(X)
            learn, measure = hold_out(table, self.answers_.labels(said), weight, self.test_fraction, seed)
        else:
            assert truth is not None  # checked: it has to be fitted
            learn, measure = hold_out(table, truth, weight, self.test_fraction, seed)
            box, train = clone(self.black_box), np.flatnonzero(learn)
            given = None if sample_weight is None else learn[train]
            self.black_box_ = fit_black_box(box, take(X, train), truth[train], given)
            said = self._first_answers(X)
        labels = self.answers_.labels(said)
        if truth is not None:
            comparable_truth(truth, labels)
        self._learn(X, said, truth, learn, seed, concepts)
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
        return self.answers_.labels(ask(self.black_box_, X))

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
            raise InputError("There are no rows to ask about. Pass at least one.")
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
        """Ask about the rows of the fit; what is answered, and returned, decides how answers are read."""
        said = ask(self.black_box_, X)
        self.answers_ = Answers.of(self.black_box_, said, number_of_rows(X, "X"), self.classes)
        self._lessons = Lessons.of(self.black_box_, X, self.answers_, said, self.answers)
        return said

    def _learn(
        self, X: Any, answers: NDArray[Any], truth: Any, weight: FloatArray, seed: int, concepts: Any
    ) -> None:
        """Fit the LEN on the answers about the rows that have a weight, and about fresh ones."""
        asked = take(X, train := np.flatnonzero(weight))
        table = asked if concepts is None else take(concepts, train)
        weight = weight[train]
        if self.out_of_fold is None:
            said = self._lessons.about(self.black_box_, asked, answers[train])
        else:
            folds = fit_folds(self.black_box, asked, truth[train], weight, int(self.out_of_fold), seed)
            said = np.concatenate([self._lessons.about(box, rows) for box, rows in folds.asked])[folds.order]
        if self.n_fresh:
            table, new = recombined(asked, self.n_fresh, np.random.default_rng(seed))
            said = np.concatenate([said, self._lessons.about(self.black_box_, new)])
            weight = np.concatenate([weight, np.full(self.n_fresh, weight.mean())])
        estimator = self.estimator
        if estimator is None:
            from logiclens.estimators import MuClassifier

            estimator = MuClassifier(random_state=seed)
        targets = self._lessons.targets(self.black_box_, said)
        self.estimator_ = clone(estimator).fit(table, targets, sample_weight=weight)
        self.classes_ = self.estimator_.classes_
        adopt_features(self, self.estimator_)

    # What the LEN says

    def predict(self, X: Any) -> NDArray[Any]:
        """The imitation's labels, (n,), or a table of 0 and 1; for the black box's own see :meth:`ask`."""
        return np.asarray(self._len().predict(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """The imitation's probability of each target, (n, n_targets)."""
        return np.asarray(self._len().predict_proba(X))

    def decide(self, X: Any) -> BoolArray:
        """What the imitation says about each target, (n, n_targets)."""
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
            box is asked about them; where the LEN reads a table of its own, the rules are about what the LEN
            says.
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": as many as were chosen when fitting. Nothing is
            trained.
        """
        fitted = self._len()
        if X is None:
            return fitted.explain(literals=literals)  # type: ignore[no-any-return]
        targets = None
        if not self._own_table and number_of_rows(X, "X"):
            targets = self._lessons.targets(self.black_box_, self._lessons.about(self.black_box_, X))
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
