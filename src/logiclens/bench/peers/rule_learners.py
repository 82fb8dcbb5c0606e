"""Rules: RIPPER, and votes of rules that a linear program weighs (RUG)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from logiclens.bench.methods.packages import package_for, secluded
from logiclens.bench.methods.ripper import learn_rules
from logiclens.bench.peers.part import Concepts, Numbers, Part
from logiclens.bench.peers.sweep import Columns, Knob, Learned, Peer
from logiclens.bench.peers.trees import Begun
from logiclens.logic.arrays import BoolArray, IndexArray

_RULES: Final = (1, 2, 3, 5, 8, None)
_CONDITIONS: Final = (2, None)
"""Most conditions of a rule of RIPPER."""
_DEPTHS: Final = (1, 2, 3, 4, 6)
_PENALTIES: Final = (128.0, 32.0, 8.0, 2.0, 0.5)
"""What RUG's program charges for the cost of a rule."""


@dataclass(frozen=True)
class Ripper(Peer):
    """Rules of our encoder's concepts, grown, pruned and optimized one by one (Cohen, 1995)."""

    name: str = "ripper"
    title: str = "RIPPER"
    slow: bool = True
    package: str = "wittgenstein"

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        del part
        return [[{"max_rules": rules, "max_rule_conds": most} for rules in _RULES] for most in _CONDITIONS]

    def begin(self, part: Part, seed: int) -> Begun:
        del seed
        reader = Concepts.learn(part)
        return Begun(reader, reader.of(part.columns))

    def learn(self, begun: Begun, part: Part, knob: Knob, seed: int) -> Learned:
        package = package_for(self.title, self.package)
        rules = learn_rules(package, begun.x, part.y, part.n_classes, seed, **knob)
        reader = begun.reader
        used = sorted({at for each in rules.sets for rule in each.rules for at, _ in rule})

        def predict(columns: Columns) -> IndexArray:
            return rules.decide(rules.fired(np.asarray(reader.of(columns), dtype=np.bool_)))

        def asks(columns: Columns) -> BoolArray:
            truth: BoolArray = np.asarray(reader.of(columns), dtype=np.bool_)[:, used]
            return truth

        return Learned(predict, asks, float(sum(each.n_literals for each in rules.sets)))


@dataclass(frozen=True)
class Rug(Peer):
    """Rules of small trees, weighed by a linear program that also asks for further trees, by ruleopt.

    Where no rule holds the most frequent class is predicted.
    """

    name: str = "rug"
    title: str = "RUG"
    slow: bool = True
    package: str = "ruleopt"

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        del part
        return [[{"max_depth": depth, "penalty": each} for depth in _DEPTHS] for each in _PENALTIES]

    def begin(self, part: Part, seed: int) -> Begun:
        del seed
        reader = Numbers.learn(part.columns)
        return Begun(reader, reader.of(part.columns))

    def learn(self, begun: Begun, part: Part, knob: Knob, seed: int) -> Learned:
        package = package_for(self.title, self.package)
        solvers = package_for(self.title, f"{self.package}.solver")
        # The package counts classes from 0, without gaps.
        present, y = np.unique(part.y, return_inverse=True)
        with secluded(seed):
            solver = solvers.HiGHSSolver(penalty=knob["penalty"])
            model = package.RUGClassifier(solver=solver, max_depth=knob["max_depth"], random_state=seed)
            model.fit(begun.x, y)
        rules = [*model.decision_rules_.values()]
        bounds = list(dict.fromkeys(bound for rule in rules for bound in _bounds(rule)))
        reader = begun.reader

        def predict(columns: Columns) -> IndexArray:
            with secluded(seed):
                said = model.predict(reader.of(columns)) if rules else np.zeros(0)
            if not rules:
                said = np.full(len(next(iter(columns.values()))), np.bincount(y).argmax())
            found: IndexArray = present[np.asarray(said, dtype=np.intp)]
            return found

        def asks(columns: Columns) -> BoolArray:
            x = reader.of(columns)
            held = [x[:, feature] <= limit for feature, limit in bounds]
            return np.column_stack(held) if held else np.zeros((len(x), 0), dtype=np.bool_)

        return Learned(predict, asks, float(sum(len([*_bounds(rule)]) for rule in rules)))


def _bounds(rule: Any) -> list[tuple[int, float]]:
    """Features and limits of a rule of ruleopt: an interval has two."""
    return [
        (int(feature), float(limit))
        for feature, clause in rule.to_dict().items()
        for limit in (clause["lb"], clause["ub"])
        if isfinite(limit)
    ]
