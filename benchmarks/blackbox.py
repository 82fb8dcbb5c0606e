"""Rules that explain black boxes on MIMIC-II, beside trees that do: ``python -m benchmarks.blackbox``.

Needs the data (``LOGICLENS_DATA``, see :mod:`logiclens.bench`). Ten folds, stratified and shuffled: in each
a black box is trained on the labels of the training rows, a LEN learns to answer as it does, and what the
rules say on the test rows is compared with what the black box says there: the macro-F1 of each rule, mean
over the classes. The tree learns from the same answers, and is grown leaf by leaf until the formulas of its
classes, one term a leaf, have at least as many literals as ours, on average over the classes.

The black boxes repeat the labels of rows they have seen, so the LEN learns from out-of-fold answers
(``out_of_fold=5``); with ``--seen`` it learns what they say about their own training rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.terminal import frame, printed_table
from logiclens.bench import load_mimic2
from logiclens.metrics import complexity, fidelity, macro_f1
from logiclens.pipelines import BlackBoxExplainer
from logiclens.pipelines.black_box import fit_out_of_fold

COLUMNS = (
    "black box accuracy",
    "fidelity",
    "fidelity, plain",
    "network fidelity",
    "literals",
    "tree fidelity",
    "tree literals",
    "better folds",
    "s",
)
N_OUTSIDE = 5  # folds of the out-of-fold answers


def black_boxes() -> dict[str, Any]:
    """The models to explain, with settings of their own library."""
    return {
        "random forest": RandomForestClassifier(200, random_state=0),
        "gradient boosting": GradientBoostingClassifier(random_state=0),
        "MLP": MLPClassifier((50,), max_iter=300, random_state=0),
    }


def tree_literals(tree: DecisionTreeClassifier) -> float:
    """Literals of the formulas of a tree's classes, one term a leaf, on average over the classes."""
    nodes = tree.tree_
    waiting, literals = [(0, frozenset[tuple[int, bool]]())], 0
    while waiting:
        at, path = waiting.pop()
        if nodes.children_left[at] < 0:
            literals += len(path)
        else:
            concept = int(nodes.feature[at])
            waiting.append((int(nodes.children_left[at]), path | {(concept, False)}))
            waiting.append((int(nodes.children_right[at]), path | {(concept, True)}))
    return literals / len(tree.classes_)


def tree_as_long(X: Any, answers: np.ndarray, literals: float) -> DecisionTreeClassifier:
    """The smallest tree whose formulas have at least that many literals, on average over the classes."""
    for n_leaves in range(2, 200):
        tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, answers)
        if tree_literals(tree) >= literals:
            break
    return tree


def fold(model: Any, X: pd.DataFrame, y: np.ndarray, parts: Any, seen: bool) -> dict[str, float]:
    """Scores of rules and tree on the test rows of one fold."""
    train, test = parts
    fitted = clone(model).fit(X.iloc[train], y[train])
    start = time.perf_counter()
    explainer = BlackBoxExplainer(
        fitted, out_of_fold=None if seen else N_OUTSIDE, test_fraction=0, random_state=0
    )
    explainer.fit(X.iloc[train], y[train])
    spent = time.perf_counter() - start
    rules, said = explainer.explain(), fitted.predict(X.iloc[test])
    faithful = fidelity(rules, X.iloc[test], said)
    if seen:
        answers = fitted.predict(X.iloc[train])
    else:  # the very answers that the LEN learnt from
        folds = fit_out_of_fold(model, X.iloc[train], y[train], np.ones(len(train)), N_OUTSIDE, 0)
        answers = np.concatenate([copied.predict(rows) for copied, rows in folds.held_out])[folds.order]
    tree = tree_as_long(X.iloc[train], answers, complexity(rules))
    label = fitted.classes_[0]
    by_tree = macro_f1(
        said == label, tree.predict(X.iloc[test]) == label
    )  # of two classes both have the same
    return {
        "black box accuracy": float((said == y[test]).mean()),
        "fidelity": faithful.macro_f1,
        "fidelity, plain": faithful.plain,
        "network fidelity": macro_f1(said == label, explainer.predict(X.iloc[test]) == label),
        "literals": complexity(rules),
        "tree fidelity": by_tree,
        "tree literals": tree_literals(tree),
        "better folds": float(faithful.macro_f1 >= by_tree),
        "s": spent,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blackbox", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seen", action="store_true", help="learn from answers about rows already seen")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)
    data = load_mimic2()
    X, y = frame(data), np.array(data.labels)
    where = "its own training rows" if options.seen else "out-of-fold answers"
    title = f"MIMIC-II, {options.folds} folds (seed {options.seed}), learnt from {where}"
    table = printed_table(title, "black box", *COLUMNS)
    for name, model in black_boxes().items():
        splitter = StratifiedKFold(options.folds, shuffle=True, random_state=options.seed)
        rows = pd.DataFrame([fold(model, X, y, parts, options.seen) for parts in splitter.split(X, y)])
        mean, better = rows.mean(), int(rows["better folds"].sum())
        shown = (f"{better} of {len(rows)}" if c == "better folds" else _shown(c, mean[c]) for c in COLUMNS)
        table.add_row(name, *shown)
    Console(highlight=False, width=160).print(table)


def _shown(column: str, value: float) -> str:
    return f"{value:.2f}" if "literals" in column or column == "s" else f"{100 * value:.2f}"


if __name__ == "__main__":
    main()
