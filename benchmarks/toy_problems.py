"""Run ``python -m benchmarks.toy_problems [N_SEEDS] [NETWORK ...]``: how often networks find the right rules.

The problems of the paper's Listing 2 and of the tests of its libraries, on four rows: AND, OR and exclusive
or of two concepts, as a class or as two targets, of values 0 and 1 or -1 and 1, beside dummies that never
change; and whether none, one or both are true. With 100 random dummies there are 500 rows. Rules are right if
they are equivalent to the functions, so that they do not depend on a dummy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from logiclens import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.logic import Formula, equivalent, parse_formula

NETWORKS: dict[str, Callable[[int], Any]] = {
    "psi": lambda seed: PsiClassifier(random_state=seed),
    "psi (10, 4)": lambda seed: PsiClassifier(hidden=(10, 4), random_state=seed),
    "psi (12, 8, 5)": lambda seed: PsiClassifier(hidden=(12, 8, 5), random_state=seed),
    "psi, Listing 1": lambda seed: PsiClassifier(
        hidden=(200,), fan_in=10, l1=0.001, epochs=100, learning_rate=1e-4, random_state=seed
    ),
    "mu": lambda seed: MuClassifier(random_state=seed),
    "relu": lambda seed: ReluClassifier(random_state=seed),
    "entropy": lambda seed: EntropyClassifier(random_state=seed),
}
N_RANDOM = 500
XOR = "(a & ~b) | (~a & b)"
FUNCTIONS: dict[str, dict[Any, str]] = {
    "and": {True: "a & b"},
    "or": {True: "a | b"},
    "xor": {True: XOR},
    "two": {"different": XOR, "same": "(a & b) | (~a & ~b)"},
    "three": {0: "~a & ~b", 1: XOR, 2: "a & b"},
}
PROBLEMS = {
    "AND": ("and", None),
    "OR": ("or", None),
    "XOR": ("xor", None),
    "XOR, two targets": ("two", None),
    "XOR of -1 and 1": ("xor", "signs"),
    "none, one, both": ("three", None),
    "XOR, 0 and 1": ("xor", "constants"),
    "XOR, 100 zeros": ("xor", "zeros"),
    "XOR, 100 random": ("xor", "random"),
}


def make_problem(problem: str, seed: int) -> tuple[pd.DataFrame, Any, dict[Any, Formula]]:
    """Rows, labels and the right rules."""
    function, dummies = PROBLEMS[problem]
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    if dummies == "constants":
        X = np.column_stack([X, np.zeros(4), np.ones(4)])
    if dummies == "zeros":
        X = np.column_stack([X, np.zeros((4, 100))])
    if dummies == "random":
        X = np.random.default_rng(seed).integers(0, 2, size=(N_RANDOM, 102)).astype(float)
    rules = {label: parse_formula(text) for label, text in FUNCTIONS[function].items()}
    truth = {label: rule.evaluate(X[:, :2] > 0.5, ["a", "b"]) for label, rule in rules.items()}
    names = ["a", "b", *(f"dummy{j}" for j in range(X.shape[1] - 2))]
    table = pd.DataFrame(2.0 * X - 1.0 if dummies == "signs" else X, columns=names)
    if function == "two":
        return table, pd.DataFrame(truth), rules
    return table, X[:, :2].sum(axis=1).astype(int) if function == "three" else truth[True], rules


def is_right(network: str, problem: str, seed: int) -> bool:
    """Whether a network finds the right rules."""
    X, y, rules = make_problem(problem, seed)
    found = NETWORKS[network](seed).fit(X, y).explain()
    if problem == "XOR of -1 and 1":  # conditions have cut points, and the rows are all that there can be
        return bool((found.predict(X) == y).all())
    return all(equivalent(found[label].formula, rule) for label, rule in rules.items())


def main() -> None:
    """Print how many seeds are right."""
    n_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    table = Table("network", *PROBLEMS, box=box.SIMPLE_HEAD)
    for network in sys.argv[2:] or NETWORKS:
        counts = [sum(is_right(network, problem, seed) for seed in range(n_seeds)) for problem in PROBLEMS]
        table.add_row(network, *(f"{count}/{n_seeds}" for count in counts))
    Console(highlight=False, width=160).print(table)


if __name__ == "__main__":
    main()
