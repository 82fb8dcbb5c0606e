"""What is claimed of the default method, checked against the rows: the figure, and whether the claim holds.

The claims are about the paper's experiments (Sec. 6). Rules are at least as right as those of the paper's
best LEN, no longer than those of its shortest, and agree with the network at least as well as those of its
best; the network is as accurate as a multilayer perceptron on the same folds. Nobody rounds in favor of a
claim: means are compared as they are in the rows, and where rows are missing that is what the verdict says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import t

from logiclens.bench.experiments import EXPERIMENTS
from logiclens.bench.methods import DEFAULT
from logiclens.bench.reference_figures import PUBLISHED
from logiclens.bench.result_tables import MEASURES, Measure
from logiclens.bench.scoreboard import Row, Scoreboard, experiment_title, method_title
from logiclens.bench.table_layout import Cell, ResultTable

PAPER_EXPERIMENTS: Final = ("mimic2", "mimic2-ebb", "vdem", "mnist", "mnist-iclu", "cub")
"""The six experiments of the paper."""
NEAR: Final = 0.005
"""How far below the accuracy of the multilayer perceptron the network may be."""
YARDSTICK: Final = "mlp"
"""The method that the network's accuracy is compared with."""
PAPERS_NETWORKS: Final = ("mu", "psi", "relu")
"""The LENs of the paper."""
_CLAIMS = (
    ("explanation_accuracy", "explanation macro-F1 at least the paper's best LEN"),
    ("complexity", "no more literals than the paper's shortest LEN"),
    ("fidelity", "fidelity macro-F1 at least the paper's best LEN"),
)
_LEVEL = 0.95  # of intervals
_ROUNDING = 1e-9  # of sums of fractions, not of claims


@dataclass(frozen=True)
class Verdict:
    """A claim and what the rows say about it.

    Attributes
    ----------
    group : str
        What it is about.
    claim : str
    figure : str
        What was found, with its 95 % confidence interval over folds, or what is missing.
    holds : bool or None
        None where rows are missing.
    """

    group: str
    claim: str
    figure: str
    holds: bool | None

    @property
    def word(self) -> str:
        """What is said about the claim."""
        if self.holds is None:
            return "–"
        return "holds" if self.holds else "does not hold"

    def __str__(self) -> str:
        return f"{self.group}: {self.claim}: {self.figure} ({self.word})"


def verdicts(rows: Iterable[Row], fold_seed: int | None = None, default: str = DEFAULT) -> list[Verdict]:
    r"""Check every claim.

    Parameters
    ----------
    rows : iterable of rows
    fold_seed : int, optional
        Which folds; needed where there are rows of several seeds.
    default : str, default "mu"
        The method that the claims are about.

    Examples
    --------
    >>> row = {"experiment": "vdem", "method": "mu", "fold_seed": 0}
    >>> rows = [row | {"fold": fold, "complexity": 5.0 + fold} for fold in range(3)]
    >>> found = [each for each in verdicts(rows) if each.holds is not None]
    >>> print(*found, sep="\n")
    V-Dem, mu: no more literals than the paper's shortest LEN, psi 5.40: 6.00 (3.52 to 8.48) (does not hold)
    """
    board = Scoreboard(rows, fold_seed=fold_seed)
    found: list[Verdict] = []
    for experiment in PAPER_EXPERIMENTS:
        found += _beside_paper(board, experiment, default)
        if EXPERIMENTS[experiment].supervised:  # clusters have no truth to learn
            found.append(_as_accurate(board, experiment, default))
    return found


def verdict_table(found: Iterable[Verdict]) -> ResultTable:
    """Claims, figures and verdicts as a table.

    Examples
    --------
    >>> print(verdict_table([Verdict("V-Dem", "at most 4 literals", "3.60", True)]).to_markdown())
    **Claims**
    <BLANKLINE>
    |  | Claim | Found | Verdict |
    |---|---|---|---|
    | V-Dem | at most 4 literals | 3.60 | holds |
    """
    lines = [
        (Cell(each.group), Cell(each.claim), Cell(each.figure), Cell(each.word, best=each.holds is False))
        for each in found
    ]
    return ResultTable("Claims", ("", "Claim", "Found", "Verdict"), tuple(lines))


def _beside_paper(board: Scoreboard, experiment: str, default: str) -> Iterator[Verdict]:
    """The default's rules against the best figure of the paper's networks, where the paper has one."""
    for column, words in _CLAIMS:
        measure = MEASURES[column]
        sign = -1.0 if measure.low else 1.0
        theirs = {
            name: PUBLISHED[column, experiment, name].mean
            for name in PAPERS_NETWORKS
            if (column, experiment, name) in PUBLISHED
        }
        if not theirs:
            continue
        best = max(theirs, key=lambda name: sign * theirs[name])
        claim = f"{words}, {method_title(best)} {_scaled(theirs[best], measure):.2f}"
        values = [*board.values(experiment, default, column).values()]
        if values:
            holds = sign * (float(np.mean(values)) - theirs[best]) >= -_ROUNDING
            yield Verdict(_group(experiment, default), claim, _figure(values, measure), holds)
        else:
            yield _missing(_group(experiment, default), claim, experiment, default)


def _as_accurate(board: Scoreboard, experiment: str, default: str) -> Verdict:
    """The default's network against a multilayer perceptron, on the folds that both have."""
    column = "model_accuracy"
    title = method_title(YARDSTICK)
    claim = f"model accuracy within {100 * NEAR:g} points of a {title}"
    mine, theirs = (board.values(experiment, name, column) for name in (default, YARDSTICK))
    shared = sorted(mine.keys() & theirs.keys())
    if not shared:
        lacking = YARDSTICK if mine else default
        return _missing(_group(experiment, default), claim, experiment, lacking)
    leads = [mine[fold] - theirs[fold] for fold in shared]
    measure = MEASURES[column]
    mean = _scaled(float(np.mean([mine[fold] for fold in shared])), measure)
    few = f"; on {len(shared)} of {len(mine)} folds" if len(shared) < len(mine) else ""
    text = f"{mean:.2f}; lead {_figure(leads, measure, sign='+')}{few}"
    return Verdict(_group(experiment, default), claim, text, float(np.mean(leads)) >= -NEAR - _ROUNDING)


def _figure(values: Sequence[float], measure: Measure, sign: str = "") -> str:
    """A mean over folds and its confidence interval, that of Student's t; one fold has none."""
    mean = float(np.mean(values))
    text = f"{_scaled(mean, measure):{sign}.2f}"
    if len(values) < 2:
        return text
    half = float(np.std(values, ddof=1)) / math.sqrt(len(values)) * t.ppf((1 + _LEVEL) / 2, len(values) - 1)
    low, high = (_scaled(end, measure) for end in (mean - half, mean + half))
    return f"{text} ({low:{sign}.2f} to {high:{sign}.2f})"


def _scaled(value: float, measure: Measure) -> float:
    return (100.0 if measure.rate else 1.0) * value


def _group(experiment: str, method: str) -> str:
    return f"{experiment_title(experiment)}, {method_title(method)}"


def _missing(group: str, claim: str, experiment: str, method: str) -> Verdict:
    return Verdict(group, claim, f"no figures of {method!r} in {experiment!r}", None)
