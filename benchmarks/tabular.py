"""Raw tables to rules: ``python -m benchmarks.tabular [--fold-seed 0]``.

For each of the five tables of the data folder (``LOGICLENS_DATA``) and two of scikit-learn's: the defaults of
``MuClassifier`` on the raw columns, and a decision tree of depth 5 on the same ten folds. Literals are those
of all classes together: of the rules, and of the tree's formulas, one term a leaf.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from rich.console import Console
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.blackbox import tree_literals
from benchmarks.terminal import printed_table
from logiclens import MuClassifier, cross_explain
from logiclens.bench._data_files import DataFile, find_file

FILES = ("mushroom", "tic_tac_toe", "zoo", "heart_disease_cleveland", "titanic_2201")


def tables() -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    """Name, raw columns and labels."""
    for name in FILES:
        source = DataFile(f"tabular/{name}.csv.gz", "the UCI repository", "download it there")
        frame = pd.read_csv(find_file(source))
        yield name, frame.drop(columns="target"), frame["target"]
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine)):
        data = load(as_frame=True)
        yield name, data.data, data.target.map(dict(enumerate(map(str, data.target_names))))


def tree_pipeline():
    """A tree of depth 5 on one-hot categories and imputed numbers."""
    columns = make_column_transformer(
        (SimpleImputer(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, DecisionTreeClassifier(max_depth=5, random_state=0))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, then the rules."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tabular", description=main.__doc__)
    parser.add_argument("--fold-seed", type=int, default=0)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)
    console = Console(highlight=False, width=150)
    heads = ["table", "rows x columns", "fit s", "all rows: rules", "literals", "folds: network", "rules"]
    heads += ["literals", "tree", "literals"]
    shown = printed_table(f"Ten folds, fold seed {options.fold_seed}", *heads)
    rules = {}
    for name, X, y in tables():
        start = time.perf_counter()
        model = MuClassifier(random_state=0).fit(X, y)
        seconds = time.perf_counter() - start
        rules[name] = model.explain()
        folds = StratifiedKFold(10, shuffle=True, random_state=options.fold_seed)
        ours = cross_explain(MuClassifier(random_state=0), X, y, cv=folds).mean()
        right, literals = [], []
        for train, test in folds.split(X, y):
            pipeline = tree_pipeline().fit(X.iloc[train], y.iloc[train])
            right.append(pipeline.score(X.iloc[test], y.iloc[test]))
            literals.append(tree_literals(pipeline[-1]) * y.nunique())
        n_classes = y.nunique()
        shown.add_row(
            name,
            f"{len(X)} x {X.shape[1]}",
            f"{seconds:.1f}",
            f"{100 * rules[name].score(X, y):.2f}",
            str(sum(each.complexity for each in rules[name].values())),
            f"{100 * ours['model_accuracy']:.2f}",
            f"{100 * ours['rules_accuracy']:.2f}",
            f"{n_classes * ours['complexity']:.1f}",
            f"{100 * np.mean(right):.2f}",
            f"{np.mean(literals):.1f}",
        )
    console.print(shown)
    for name, found in rules.items():
        console.print(f"\n{name}\n{found}", soft_wrap=True)


if __name__ == "__main__":
    main()
