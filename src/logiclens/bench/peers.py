"""Rule learners compared over the whole front of accuracy against length, each at every size it has.

- Our rules at every length, from one fit whose front has them all.
- Trees: CART, provably optimal trees (STreeD), and sums of small trees (FIGS).
- Rules: RIPPER, and votes of rules that a linear program weighs (RUG).
- Without a size: our networks, and other models without rules on the concepts of our encoder. They show how
  accurate one can get with these concepts.

Packages that a method needs, ours included, are imported when it is fitted.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from logiclens.bench._formula_length import tree_terms
from logiclens.bench._sweep import (
    LONGEST,
    Concepts,
    Ladders,
    Peer,
    RawRows,
    Reader,
    Size,
    SizedModel,
)
from logiclens.bench.method import isolation, package_for
from logiclens.bench.methods import METHODS, Ceiling, learn_rules
from logiclens.explain.resolution import truth_of
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.formula import Var

_LITERALS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256, 320)
"""Totals of a rule set for two classes; for more classes they are that many for each two of them."""


@dataclass(frozen=True)
class RulesPeer(Peer):
    """The rules of a fitted ``MuClassifier``, on the raw table, for each number of literals.

    Its front reaches as far as the comparison for every two classes; the default keeps its usual end.
    """

    # Where the class once stood, here and below: work is kept under that name, and found by it.
    identity: ClassVar[str] = "logiclens.bench.peers.ours.Ours"
    name: str = "mu"
    title: str = "mu"

    def ladders(self, n_classes: int) -> Ladders:
        totals = dict.fromkeys(round(each * n_classes / 2) for each in _LITERALS)
        return [[{"literals": total} for total in totals]]

    def prepare(self, x: Any, part: RawRows, seed: int) -> Any:
        return _fit_ours("mu", x, part.y, seed, max_literals=round(LONGEST * part.n_classes / 2))

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        del part, seed
        return _rules_model(shared.explain(**size))

    def default(self, shared: Any, part: RawRows, seed: int) -> SizedModel:
        del shared
        return _rules_model(_fit_ours("mu", dict(part.columns), part.y, seed).explain())


@dataclass(frozen=True)
class NetworkPeer(Peer):
    """The network of a classifier of ours, without its rules.

    Parameters
    ----------
    kind : {"mu", "relu"}
    """

    identity: ClassVar[str] = "logiclens.bench.peers.ours.Network"
    has_rules: bool = False
    kind: str = "mu"

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        del size
        model = _fit_ours(self.kind, shared, part.y, seed, max_literals=1)  # its rules are not looked at
        return SizedModel(lambda x: np.asarray(model.predict(x), dtype=np.intp))


def _fit_ours(kind: str, x: Any, y: IndexArray, seed: int, **settings: Any) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    from logiclens.estimators import MuClassifier, ReluClassifier

    made = {"mu": MuClassifier, "relu": ReluClassifier}[kind](random_state=seed, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return made.fit(x, y)


def _rules_model(rules: Any) -> SizedModel:
    return SizedModel(
        lambda x: np.asarray(rules.predict(x), dtype=np.intp),
        lambda x: truth_of(map(Var, rules.concepts), rules.read(x, used=rules.concepts)),
        float(rules.literals),
    )


_LEAVES: Final = (2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 1024)
_SPLITS: Final = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 57, 80, 113, 160)
_TREES: Final = ((1, 1), (2, 2), (2, 3), (3, 4), (3, 5), (3, 7), (4, 9), (4, 12), (4, 15), (5, 20), (5, 31))
"""Depth and number of splits of optimal trees."""
_FOLDS: Final = 5


@dataclass(frozen=True)
class NumbersPeer(Peer):
    """A peer that reads raw columns as numbers."""

    def reader(self, part: RawRows) -> Reader:
        from logiclens.estimators.comparison import Numbers

        return Numbers.fit(part.columns).transform


@dataclass(frozen=True)
class ConceptsPeer(Peer):
    """A peer that reads raw columns as the concepts of our encoder."""

    def reader(self, part: RawRows) -> Reader:
        return Concepts.fit(part).transform


@dataclass(frozen=True)
class CartPeer(NumbersPeer):
    """scikit-learn's decision tree, grown best split first to a number of leaves.

    By default its leaves are those of the best inner cross-validation, five folds.
    """

    identity: ClassVar[str] = "logiclens.bench.peers.trees.Cart"
    sizes: ClassVar[Ladders] = [[{"max_leaf_nodes": leaves} for leaves in _LEAVES]]
    name: str = "cart"
    title: str = "CART"

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        from sklearn.tree import DecisionTreeClassifier

        return _tree_model(DecisionTreeClassifier(random_state=seed, **size).fit(shared, part.y))

    def default(self, shared: Any, part: RawRows, seed: int) -> SizedModel:
        from sklearn.model_selection import GridSearchCV, StratifiedKFold
        from sklearn.tree import DecisionTreeClassifier

        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
        tree = DecisionTreeClassifier(random_state=seed)
        search = GridSearchCV(tree, {"max_leaf_nodes": list(_LEAVES)}, cv=folds)
        with warnings.catch_warnings():  # that rare classes are not in every fold
            warnings.simplefilter("ignore", UserWarning)
            return _tree_model(search.fit(shared, part.y).best_estimator_)


def _tree_model(tree: Any) -> SizedModel:
    """A tree of scikit-learn, with its ways."""
    nodes = tree.tree_
    inner = nodes.children_left != nodes.children_right
    splits = list(zip(nodes.feature[inner].tolist(), nodes.threshold[inner].tolist(), strict=True))
    place = {split: at for at, split in enumerate(dict.fromkeys(splits))}
    condition = {int(node): place[split] for node, split in zip(np.flatnonzero(inner), splits, strict=True)}
    # A tree compares numbers of single precision with its limits.
    learned = _split_model(tree, splits, np.float32)
    return replace(learned, ways=tree_terms(tree, condition, len(place), held=False))


@dataclass(frozen=True)
class FigsPeer(NumbersPeer):
    """Sums of trees, grown split by split (Tan et al., 2022), by the package imodels."""

    identity: ClassVar[str] = "logiclens.bench.peers.trees.Figs"
    sizes: ClassVar[Ladders] = [[{"max_rules": splits} for splits in _SPLITS]]
    name: str = "figs"
    title: str = "FIGS"
    slow: bool = True
    package: str = "imodels"

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        imodels = package_for(self.title, self.package)
        with isolation(seed):
            model = imodels.FIGSClassifier(random_state=seed, **size).fit(shared, part.y)
        splits = [split for tree in model.trees_ for split in _splits(tree)]
        return _split_model(model, splits, np.float64)


def _splits(node: Any) -> Iterator[tuple[int, float]]:
    """Features and thresholds of a tree of imodels."""
    if node.left is not None or node.right is not None:
        yield int(node.feature), float(node.threshold)
        for child in (node.left, node.right):
            if child is not None:
                yield from _splits(child)


def _split_model(model: Any, splits: Sequence[tuple[int, float]], kind: type) -> SizedModel:
    """A model whose conditions compare numbers with thresholds."""
    features = np.array([feature for feature, _ in dict.fromkeys(splits)], dtype=np.intp)
    limits = np.array([limit for _, limit in dict.fromkeys(splits)])
    return SizedModel(
        lambda x: np.asarray(model.predict(x), dtype=np.intp),
        lambda x: x.astype(kind)[:, features] <= limits,
        float(len(splits)),
    )


@dataclass(frozen=True)
class StreedPeer(Peer):
    """Optimal trees of a depth and a number of splits (van der Linden et al., 2023), by pystreed.

    They are made of concepts, the most informative of our encoder. A search that comes to its time gives the
    best tree so far.

    Parameters
    ----------
    concepts : int, default 40
        How many concepts, at most.
    """

    identity: ClassVar[str] = "logiclens.bench.peers.trees.Streed"
    sizes: ClassVar[Ladders] = [[{"max_depth": depth, "max_num_nodes": splits} for depth, splits in _TREES]]
    name: str = "streed"
    title: str = "STreeD"
    slow: bool = True
    package: str = "pystreed"
    concepts: int = 40

    def reader(self, part: RawRows) -> Reader:
        return Concepts.fit(part, self.concepts).transform

    def fit_size(self, shared: BoolArray, part: RawRows, size: Size, seed: int) -> SizedModel:
        pystreed = package_for(self.title, self.package)
        with isolation(seed):
            model = pystreed.STreeDClassifier(time_limit=self.fit_seconds, random_seed=seed, **size)
            model.fit(shared.astype(np.int32), part.y)
            used = [*_questions(model.get_tree())]

        def predict(x: BoolArray) -> IndexArray:
            with isolation(seed):
                return np.asarray(model.predict(x.astype(np.int32)), dtype=np.intp)

        return SizedModel(predict, lambda x: x[:, sorted(set(used))], float(len(used)))


def _questions(tree: Any) -> Iterator[int]:
    """Positions of the concepts that a tree of pystreed tests."""
    if tree.is_branching_node():
        yield int(tree.feature)
        yield from _questions(tree.left_child)
        yield from _questions(tree.right_child)


_RULES: Final = (1, 2, 3, 5, 8, None)
_CONDITIONS: Final = (2, None)
"""Most conditions of a rule of RIPPER."""
_DEPTHS: Final = (1, 2, 3, 4, 6)
_PENALTIES: Final = (128.0, 32.0, 8.0, 2.0, 0.5)
"""Prices of a rule in RUG's program."""


@dataclass(frozen=True)
class RipperPeer(ConceptsPeer):
    """Rules of our encoder's concepts, grown, pruned and optimized one by one (Cohen, 1995)."""

    identity: ClassVar[str] = "logiclens.bench.peers.rule_learners.Ripper"
    sizes: ClassVar[Ladders] = [
        [{"max_rules": rules, "max_rule_conds": most} for rules in _RULES] for most in _CONDITIONS
    ]
    name: str = "ripper"
    title: str = "RIPPER"
    slow: bool = True
    package: str = "wittgenstein"

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        package = package_for(self.title, self.package)
        rules = learn_rules(package, shared, part.y, part.n_classes, seed, **size)
        used = sorted({at for each in rules.sets for rule in each.rules for at, _ in rule})
        n_literals = sum(each.n_literals for each in rules.sets)
        return SizedModel(rules.predict, lambda x: x[:, used], float(n_literals))


@dataclass(frozen=True)
class RugPeer(NumbersPeer):
    """Rules of small trees, weighed by a linear program that also asks for further trees, by ruleopt.

    Where no rule holds the most frequent class is predicted.
    """

    identity: ClassVar[str] = "logiclens.bench.peers.rule_learners.Rug"
    sizes: ClassVar[Ladders] = [
        [{"max_depth": depth, "penalty": each} for depth in _DEPTHS] for each in _PENALTIES
    ]
    name: str = "rug"
    title: str = "RUG"
    slow: bool = True
    package: str = "ruleopt"

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        package = package_for(self.title, self.package)
        solvers = package_for(self.title, f"{self.package}.solver")
        # The package counts classes from 0, without gaps.
        present, y = np.unique(part.y, return_inverse=True)
        with isolation(seed):
            solver = solvers.HiGHSSolver(penalty=size["penalty"])
            model = package.RUGClassifier(solver=solver, max_depth=size["max_depth"], random_state=seed)
            model.fit(shared, y)
        bounds = [bound for rule in model.decision_rules_.values() for bound in _bounds(rule)]

        def predict(x: FloatArray) -> IndexArray:
            if not model.decision_rules_:
                return np.full(len(x), present[np.bincount(y).argmax()])
            with isolation(seed):
                found: IndexArray = present[np.asarray(model.predict(x), dtype=np.intp)]
            return found

        return replace(_split_model(model, bounds, np.float64), predict=predict)


def _bounds(rule: Any) -> list[tuple[int, float]]:
    """Features and limits of a rule of ruleopt: an interval has two."""
    return [
        (int(feature), float(limit))
        for feature, clause in rule.to_dict().items()
        for limit in (clause["lb"], clause["ub"])
        if isfinite(limit)
    ]


@dataclass(frozen=True)
class CeilingPeer(ConceptsPeer):
    """A classifier of scikit-learn: ``boosting``, ``mlp`` or ``logistic``, by its name."""

    identity: ClassVar[str] = "logiclens.bench.peers.ceilings.Ceiling"
    has_rules: bool = False

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        del size
        ceiling = METHODS[self.name]
        assert isinstance(ceiling, Ceiling)
        model = ceiling.train(shared.astype(np.float64), part.y, seed)
        return SizedModel(lambda x: model.predict(x.astype(np.float64)))


OURS = "mu"
"""Name of the method that all others are compared with."""

PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        peer.name: peer
        for peer in (
            RulesPeer(),
            CartPeer(),
            StreedPeer(),
            FigsPeer(),
            RipperPeer(),
            RugPeer(),
            NetworkPeer("mu_network", "network of mu"),
            NetworkPeer("relu_network", "network of ReLU", kind="relu"),
            CeilingPeer("boosting", "gradient boosting"),
            CeilingPeer("mlp", "MLP"),
            CeilingPeer("logistic", "logistic regression"),
        )
    }
)
"""Every method by name, in the order of tables: those with rules first."""
