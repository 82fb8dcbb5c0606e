"""Smallest formulas, against the Espresso of PyEDA and SymPy's ``SOPform``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy

from benchmarks.harness import Row, faster, timed
from logiclens import Minimized, TruthTable, Var, equivalent, minimize

try:
    from pyeda.boolalg import espresso
except ImportError:  # compiles C code, which not every machine can
    espresso = None

PLANTED = (Var("x3") & Var("x17")) | (Var("x42") & ~Var("x60")) | (Var("x5") & Var("x71") & ~Var("x88"))


def run() -> Iterator[Row]:
    """Planted rules over 100 concepts, clean and noisy; 12 columns with a proof."""
    if espresso is None:
        yield Row("minimize: PyEDA is not installed", "", "", "", "")
    else:
        yield _against_espresso(noise=0.0, aim="espresso 500x, the planted rule")
        yield _against_espresso(noise=0.05, aim="espresso 20x, no more literals")
    yield _against_sopform()


def _against_espresso(noise: float, aim: str) -> Row:
    random = np.random.default_rng(0)
    X = random.random((2000, 100)) < 0.5
    y = PLANTED.evaluate(X) ^ (random.random(2000) < noise)
    ours, found = timed(lambda: minimize(TruthTable.from_data(X, y)), repeat=3)
    cubes = {(tuple(2 if bit else 1 for bit in row), (int(yes),)) for row, yes in zip(X, y, strict=True)}
    other, answer = timed(lambda: espresso.espresso(100, 1, cubes, espresso.FTYPE | espresso.RTYPE))
    literals = sum(value != 3 for inputs, _ in answer for value in inputs)
    _check_agrees(found, X, y)
    planted = ", planted rule" if noise == 0 and equivalent(found.formula, PLANTED) else ""
    return faster(
        f"minimize: 100 concepts, 2000 rows, {noise:.0%} noise",
        ours,
        other,
        aim,
        notes=(f"({found.literals} literals{planted})", f"({literals} literals)"),
    )


def _against_sopform() -> Row:
    random = np.random.default_rng(0)
    names = [f"c{j}" for j in range(12)]
    every = (np.arange(4096)[:, None] >> np.arange(12) & 1).astype(bool)
    c = [Var(name) for name in names]
    rule = (c[0] & c[1] & ~c[2] & c[7]) | (c[3] & ~c[4] & c[5] & c[8]) | (c[6] & c[9] & c[10] & ~c[11])
    y = rule.evaluate(every, names)
    seen = np.ones(4096, dtype=bool)
    seen[random.choice(4096, 1000, replace=False)] = False
    ours, found = timed(lambda: minimize(TruthTable.from_data(every[seen], y[seen], names=names)), repeat=3)
    symbols = [sympy.Symbol(name) for name in names]
    minterms, dontcares = every[seen & y].astype(int).tolist(), every[~seen].astype(int).tolist()
    other, answer = timed(lambda: sympy.SOPform(symbols, minterms, dontcares))
    terms = sympy.Or.make_args(answer)
    literals = sum(len(sympy.And.make_args(term)) for term in terms)
    _check_agrees(found, every[seen], y[seen], names)
    return faster(
        "minimize: 12 columns, 1000 don't-cares",
        ours,
        other,
        "sympy 50x, no larger, proved",
        notes=(f"({found.literals} literals, {found.status})", f"({literals} literals)"),
    )


def _check_agrees(found: Minimized, X: np.ndarray, y: np.ndarray, names: list[str] | None = None) -> None:
    assert np.array_equal(found.formula.evaluate(X, names), y)
