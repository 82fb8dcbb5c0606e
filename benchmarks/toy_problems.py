"""Run ``python -m benchmarks.toy_problems [N_SEEDS] [NETWORK ...]``: how often networks find the right rule.

The problems of the paper's Listing 2 and of the tests of its libraries: AND, OR and exclusive or of two
concepts, on four rows; exclusive or beside 100 dummy concepts, which are zero on these rows, or random on 500
rows. A rule is right if it is equivalent to the function, so that it does not depend on a dummy.
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
FUNCTIONS = {"and": "a & b", "or": "a | b", "xor": "(a & ~b) | (~a & b)"}
PROBLEMS = {
    "AND": ("and", None),
    "OR": ("or", None),
    "XOR": ("xor", None),
    "XOR, 100 zeros": ("xor", "zeros"),
    "XOR, 100 random": ("xor", "random"),
}


def make_problem(problem: str, seed: int) -> tuple[np.ndarray, np.ndarray, Formula]:
    """Concepts, labels and the right rule."""
    function, dummies = PROBLEMS[problem]
    tuples = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    X = tuples
    if dummies == "zeros":
        X = np.column_stack([tuples, np.zeros((4, 100))])
    if dummies == "random":
        X = np.random.default_rng(seed).integers(0, 2, size=(N_RANDOM, 102)).astype(float)
    rule = parse_formula(FUNCTIONS[function])
    return X, rule.evaluate(X[:, :2] > 0.5, ["a", "b"]), rule


def is_right(network: str, problem: str, seed: int) -> bool:
    """Whether a network finds the right rule."""
    X, y, rule = make_problem(problem, seed)
    names = ["a", "b", *(f"dummy{j}" for j in range(X.shape[1] - 2))]
    model = NETWORKS[network](seed).fit(pd.DataFrame(X, columns=names), y)
    return equivalent(model.explain()[True].formula, rule)


def main() -> None:
    """Print how many seeds are right."""
    n_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    table = Table("network", *PROBLEMS, box=box.SIMPLE_HEAD)
    for network in sys.argv[2:] or NETWORKS:
        counts = [sum(is_right(network, problem, seed) for seed in range(n_seeds)) for problem in PROBLEMS]
        table.add_row(network, *(f"{count}/{n_seeds}" for count in counts))
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
