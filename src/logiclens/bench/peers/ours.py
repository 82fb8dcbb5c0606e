"""Our own rules at every length, by one fit whose front has them all; and our networks, beside them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from logiclens.bench.peers.part import Part
from logiclens.bench.peers.sweep import LONGEST, Columns, Knob, Learned, Peer
from logiclens.explain.resolution import truth_of
from logiclens.logic.arrays import BoolArray, IndexArray
from logiclens.logic.formula import Var

_LITERALS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256, 320)
"""Totals of a rule set for two classes; for more classes they are that many for each two of them."""


@dataclass(frozen=True)
class Ours(Peer):
    """The rules of a fitted ``MuClassifier``, on the raw table, for each number of literals.

    Its front goes as far as the longest rules that are compared; by default it is as long as it is.
    """

    name: str = "mu"
    title: str = "mu"

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        totals = dict.fromkeys(round(each * part.n_classes / 2) for each in _LITERALS)
        return [[{"literals": total} for total in totals]]

    def begin(self, part: Part, seed: int) -> Any:
        return _fitted("mu", part, seed, max_literals=int(LONGEST) * part.n_classes)

    def learn(self, begun: Any, part: Part, knob: Knob, seed: int) -> Learned:
        del part, seed
        return _learned(begun.explain(**knob))

    def default(self, begun: Any, part: Part, seed: int) -> Learned:
        del begun
        return _learned(_fitted("mu", part, seed).explain())


@dataclass(frozen=True)
class Network(Peer):
    """The network of a classifier of ours, without its rules.

    Parameters
    ----------
    kind : {"mu", "relu"}
    """

    has_rules: bool = False
    kind: str = "mu"

    def learn(self, begun: Any, part: Part, knob: Knob, seed: int) -> Learned:
        del begun, knob
        model = _fitted(self.kind, part, seed, max_literals=1)  # its rules are not looked at
        return Learned(lambda columns: np.asarray(model.predict(dict(columns)), dtype=np.intp))


def _fitted(kind: str, part: Part, seed: int, **settings: Any) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    from logiclens.estimators import MuClassifier, ReluClassifier

    made = {"mu": MuClassifier, "relu": ReluClassifier}[kind](random_state=seed, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return made.fit(dict(part.columns), part.y)


def _learned(rules: Any) -> Learned:
    def predict(columns: Columns) -> IndexArray:
        return np.asarray(rules.predict(dict(columns)), dtype=np.intp)

    def asks(columns: Columns) -> BoolArray:
        return truth_of(map(Var, rules.concepts), rules.read(dict(columns), used=rules.concepts))

    return Learned(predict, asks, float(rules.literals))
