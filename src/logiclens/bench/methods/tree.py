"""The decision tree, and its leaves as formulas (a baseline of Sec. 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from logiclens.bench.methods.method import FoldByFold, Outcome, Stopwatch, by_class, one_hot
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import And, Formula, Not, Or, Var

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold


@dataclass(frozen=True)
class Tree(FoldByFold):
    """scikit-learn's decision tree on the truth values of the concepts.

    A class is the disjunction of the ways to its leaves, as they are read off the tree: nothing is merged or
    shortened. So the rules say what the tree says.

    Parameters
    ----------
    max_depth : int, default 5
    """

    name: str = "tree"
    title: str = "decision tree"
    max_depth: int = 5

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        from sklearn.tree import DecisionTreeClassifier

        watch = Stopwatch()
        tree = DecisionTreeClassifier(max_depth=self.max_depth, random_state=seed)
        tree.fit(fold.x_train > THRESHOLD, fold.y_train)
        seconds = watch.lap()
        ways = tree_ways(tree, fold.concept_names)
        rules = {name: Or.of(ways.get(at, [])) for at, name in enumerate(fold.class_names)}
        extracting = watch.lap()
        bits = fold.x_test > THRESHOLD
        answers = tree.predict(bits)
        said, probability = one_hot(answers, len(fold.class_names)), by_class(tree, bits, fold)
        return Outcome(answers, said, rules, seconds, extracting, probability=probability)


def tree_ways(tree: Any, names: tuple[str, ...]) -> dict[int, list[Formula]]:
    """The ways from the root to the leaves of each class, left to right.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        Fitted on truth values.
    names : tuple of str
        Of its inputs.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0).fit([[0, 0], [0, 1], [1, 1]], [0, 1, 1])
    >>> {label: [str(way) for way in ways] for label, ways in tree_ways(tree, ("a", "b")).items()}
    {0: ['~b'], 1: ['b']}
    """
    nodes = tree.tree_
    best = tree.classes_[nodes.value[:, 0, :].argmax(axis=1)]
    found: dict[int, list[Formula]] = {}
    waiting: list[tuple[int, tuple[Formula, ...]]] = [(0, ())]
    while waiting:
        node, way = waiting.pop()
        left, right = nodes.children_left[node], nodes.children_right[node]
        if left == right:
            found.setdefault(int(best[node]), []).append(And.of(way))
            continue
        concept = Var(names[nodes.feature[node]])
        waiting += [(right, (*way, concept)), (left, (*way, Not(concept)))]
    return found
