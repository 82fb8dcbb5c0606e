"""Trees: CART, trees that are proved best (STreeD), and sums of small trees (FIGS)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from logiclens.bench.methods.packages import package_for, secluded
from logiclens.bench.peers.part import Concepts, Numbers, Part
from logiclens.bench.peers.shortening import tree_terms
from logiclens.bench.peers.sweep import Columns, Knob, Learned, Peer
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray

_LEAVES: Final = (2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 1024)
_SPLITS: Final = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 57, 80, 113, 160)
_TREES: Final = ((1, 1), (2, 2), (2, 3), (3, 4), (3, 5), (3, 7), (4, 9), (4, 12), (4, 15), (5, 20), (5, 31))
"""Depth and number of splits of optimal trees."""
_FOLDS: Final = 5


class Begun(NamedTuple):
    """Rows as a tree reads them."""

    reader: Numbers | Concepts
    x: Any


@dataclass(frozen=True)
class Cart(Peer):
    """scikit-learn's decision tree, grown best split first to a number of leaves.

    By default its leaves are those of the best inner cross-validation, five folds.
    """

    name: str = "cart"
    title: str = "CART"

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        del part
        return [[{"max_leaf_nodes": leaves} for leaves in _LEAVES]]

    def begin(self, part: Part, seed: int) -> Begun:
        del seed
        reader = Numbers.learn(part.columns)
        return Begun(reader, reader.of(part.columns))

    def learn(self, begun: Begun, part: Part, knob: Knob, seed: int) -> Learned:
        from sklearn.tree import DecisionTreeClassifier

        return self._read(DecisionTreeClassifier(random_state=seed, **knob).fit(begun.x, part.y), begun)

    def default(self, begun: Begun, part: Part, seed: int) -> Learned:
        import warnings

        from sklearn.model_selection import GridSearchCV, StratifiedKFold
        from sklearn.tree import DecisionTreeClassifier

        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
        tree = DecisionTreeClassifier(random_state=seed)
        search = GridSearchCV(tree, {"max_leaf_nodes": list(_LEAVES)}, cv=folds)
        with warnings.catch_warnings():  # that rare classes are not in every fold
            warnings.simplefilter("ignore", UserWarning)
            return self._read(search.fit(begun.x, part.y).best_estimator_, begun)

    def _read(self, tree: Any, begun: Begun) -> Learned:
        nodes = tree.tree_
        inner = nodes.children_left != nodes.children_right
        splits = list(zip(nodes.feature[inner].tolist(), nodes.threshold[inner].tolist(), strict=True))
        place = {split: at for at, split in enumerate(dict.fromkeys(splits))}
        asked = {int(node): place[split] for node, split in zip(np.flatnonzero(inner), splits, strict=True)}
        # A tree compares numbers of single precision with its limits.
        learned = _learned(tree, begun, splits, np.float32)
        return replace(learned, ways=tree_terms(tree, asked, len(place), held=0))


@dataclass(frozen=True)
class Figs(Peer):
    """Sums of trees, grown split by split (Tan et al., 2022), by the package imodels."""

    name: str = "figs"
    title: str = "FIGS"
    slow: bool = True
    package: str = "imodels"

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        del part
        return [[{"max_rules": splits} for splits in _SPLITS]]

    def begin(self, part: Part, seed: int) -> Begun:
        del seed
        reader = Numbers.learn(part.columns)
        return Begun(reader, reader.of(part.columns))

    def learn(self, begun: Begun, part: Part, knob: Knob, seed: int) -> Learned:
        imodels = package_for(self.title, self.package)
        with secluded(seed):
            model = imodels.FIGSClassifier(random_state=seed, **knob).fit(begun.x, part.y)
        return _learned(model, begun, [split for tree in model.trees_ for split in _splits(tree)], np.float64)


def _splits(node: Any) -> Iterator[tuple[int, float]]:
    """Features and limits of a tree of imodels."""
    if node.left is not None or node.right is not None:
        yield int(node.feature), float(node.threshold)
        for child in (node.left, node.right):
            if child is not None:
                yield from _splits(child)


def _learned(model: Any, begun: Begun, splits: Sequence[tuple[int, float]], kind: type) -> Learned:
    """A model that compares numbers with limits, as a peer's model."""
    reader = begun.reader
    features = np.array([feature for feature, _ in dict.fromkeys(splits)], dtype=np.intp)
    limits = np.array([limit for _, limit in dict.fromkeys(splits)])

    def predict(columns: Columns) -> IndexArray:
        said: IndexArray = np.asarray(model.predict(reader.of(columns)), dtype=np.intp)
        return said

    def asks(columns: Columns) -> BoolArray:
        x: FloatArray = reader.of(columns).astype(kind)
        held: BoolArray = x[:, features] <= limits
        return held

    return Learned(predict, asks, float(len(splits)))


@dataclass(frozen=True)
class Streed(Peer):
    """Optimal trees of a depth and a number of splits (van der Linden et al., 2023), by pystreed.

    They are made of concepts, the most informative of our encoder. A search that comes to its time gives the
    best tree so far.

    Parameters
    ----------
    concepts : int, default 40
        How many concepts, at most.
    """

    name: str = "streed"
    title: str = "STreeD"
    slow: bool = True
    package: str = "pystreed"
    concepts: int = 40

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        del part
        return [[{"max_depth": depth, "max_num_nodes": splits} for depth, splits in _TREES]]

    def begin(self, part: Part, seed: int) -> Begun:
        del seed
        reader = Concepts.learn(part, self.concepts)
        return Begun(reader, reader.of(part.columns))

    def learn(self, begun: Begun, part: Part, knob: Knob, seed: int) -> Learned:
        pystreed = package_for(self.title, self.package)
        with secluded(seed):
            model = pystreed.STreeDClassifier(time_limit=self.fit_seconds, random_seed=seed, **knob)
            model.fit(begun.x.astype(np.int32), part.y)
            used = [*_questions(model.get_tree())]
        reader = begun.reader

        def predict(columns: Columns) -> IndexArray:
            with secluded(seed):
                said = model.predict(reader.of(columns).astype(np.int32))
            return np.asarray(said, dtype=np.intp)

        def asks(columns: Columns) -> BoolArray:
            truth: BoolArray = np.asarray(reader.of(columns), dtype=np.bool_)[:, sorted(set(used))]
            return truth

        return Learned(predict, asks, float(len(used)))


def _questions(tree: Any) -> Iterator[int]:
    """Positions of the concepts that a tree of pystreed asks about."""
    if tree.is_branching_node():
        yield int(tree.feature)
        yield from _questions(tree.left_child)
        yield from _questions(tree.right_child)
