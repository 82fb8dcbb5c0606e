"""Models without rules, on the degrees of the concepts: how accurate one can get with these concepts."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from logiclens.bench.methods.method import FoldByFold, Outcome, Stopwatch, by_class, one_hot

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold


@dataclass(frozen=True)
class Ceiling(FoldByFold):
    """A classifier of scikit-learn that answers, and explains nothing."""

    has_rules: bool = False

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        from sklearn.exceptions import ConvergenceWarning

        watch = Stopwatch()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = self.model(seed).fit(fold.x_train, fold.y_train)
        seconds = watch.lap()
        answers = model.predict(fold.x_test)
        said = one_hot(answers, len(fold.class_names))
        return Outcome(answers, said, None, seconds, 0.0, probability=by_class(model, fold.x_test, fold))

    @abstractmethod
    def model(self, seed: int) -> Any:
        """The classifier, still to be fitted."""


@dataclass(frozen=True)
class Logistic(Ceiling):
    """Logistic regression."""

    name: str = "logistic"
    title: str = "logistic regression"

    def model(self, seed: int) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000, random_state=seed)


@dataclass(frozen=True)
class Perceptron(Ceiling):
    """A multilayer perceptron with the settings of scikit-learn."""

    name: str = "mlp"
    title: str = "multilayer perceptron"

    def model(self, seed: int) -> Any:
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier(random_state=seed)


@dataclass(frozen=True)
class Boosting(Ceiling):
    """Gradient boosting of trees, by histograms."""

    name: str = "boosting"
    title: str = "gradient boosting"

    def model(self, seed: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(random_state=seed)
