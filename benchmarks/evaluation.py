"""Truth of a formula on 60000 rows, against SymPy's ``to_dnf`` and ``lambdify``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy

from benchmarks.harness import Row, faster, timed
from logiclens import And, Cover, Formula, Or, Var, to_dnf, to_sympy

ROWS, CONCEPTS = 60_000, 30
NAMES = [f"c{j}" for j in range(CONCEPTS)]


def run() -> Iterator[Row]:
    """A flat DNF of 20 terms, and a formula composed of neurons' formulas whose DNF has 20.

    On the flat one ``to_dnf`` has nothing to do, and the aim is not reached: there the set-up of ``lambdify``
    is compared with reading the columns, which takes us most of the time.
    """
    random = np.random.default_rng(0)
    X = random.random((ROWS, CONCEPTS)) < 0.5
    flat = _dnf(random, range(CONCEPTS), terms=20, literals=4)
    yield _compare("20-term DNF, 60000 rows", flat, X)
    while len(Cover.from_formula(to_dnf(composed := _composed(random)))) != 20:
        pass
    yield _compare("composed formula, 20 terms as a DNF, 60000 rows", composed, X)


def _dnf(random: np.random.Generator, columns: range | np.ndarray, terms: int, literals: int) -> Formula:
    def term() -> Formula:
        chosen = random.choice(columns, literals, replace=False)
        return And(*(Var(NAMES[j]) if random.random() < 0.5 else ~Var(NAMES[j]) for j in chosen))

    return Or(*(term() for _ in range(terms)))


def _composed(random: np.random.Generator) -> Formula:
    """Three hidden neurons of fan-in 5 and an output neuron over them, as psi networks give."""
    h1, h2, h3 = (
        _dnf(random, random.choice(CONCEPTS, 5, replace=False), terms=4, literals=3) for _ in range(3)
    )
    return (h1 & ~h2) | (~h1 & h3)


def _compare(what: str, formula: Formula, X: np.ndarray) -> Row:
    expression = to_sympy(formula)
    symbols = [sympy.Symbol(name) for name in NAMES]

    def by_sympy() -> np.ndarray:
        function = sympy.lambdify(symbols, sympy.to_dnf(expression), "numpy")
        return function(*X.T)

    ours, answer = timed(lambda: formula.evaluate(X, NAMES), repeat=20)
    by_sympy()  # once before, so that its first-call set-up does not count
    other, expected = timed(by_sympy, repeat=3)
    assert np.array_equal(answer, expected)
    return faster(f"evaluate: {what}", ours, other, "sympy 300x")
