"""Models without rules and without a size, on our encoder's concepts: how accurate one can get with these."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from logiclens.bench.peers.part import Concepts, Part
from logiclens.bench.peers.sweep import Columns, Knob, Learned, Peer
from logiclens.bench.peers.trees import Begun
from logiclens.logic.arrays import IndexArray


@dataclass(frozen=True)
class Ceiling(Peer):
    """A classifier of scikit-learn: ``boosting``, ``mlp`` or ``logistic``, by its name."""

    has_rules: bool = False

    def begin(self, part: Part, seed: int) -> Begun:
        del seed
        reader = Concepts.learn(part)
        return Begun(reader, reader.of(part.columns).astype(np.float64))

    def learn(self, begun: Begun, part: Part, knob: Knob, seed: int) -> Learned:
        from sklearn.exceptions import ConvergenceWarning

        del knob
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = self._model(seed).fit(begun.x, part.y)

        def predict(columns: Columns) -> IndexArray:
            said: IndexArray = model.predict(begun.reader.of(columns).astype(np.float64))
            return said

        return Learned(predict)

    def _model(self, seed: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.neural_network import MLPClassifier

        if self.name == "boosting":
            return HistGradientBoostingClassifier(random_state=seed)
        if self.name == "mlp":
            return MLPClassifier(random_state=seed)
        return LogisticRegression(max_iter=1000, random_state=seed)
