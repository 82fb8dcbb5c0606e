"""Rows of results, looked up by experiment and method: means, standard errors, comparisons fold by fold.

A row is one method on one fold; :mod:`logiclens.bench.fold_scores` lists its columns. An unfinished fold
has no figures. We compare two methods on the folds that both have, so that nobody wins by leaving out what
is hard.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from logiclens.bench.experiments import EXPERIMENTS
from logiclens.bench.method import DONE
from logiclens.bench.methods import METHODS
from logiclens.bench.reference_figures import CLASS_SHOWN, FOLDS_OF_CONSISTENCY, REFERENCE, plain_name
from logiclens.errors import InputError, listing, shown
from logiclens.logic import FALSE, And, Formula, Var
from logiclens.metrics import Recurrence, consistency

Row = Mapping[str, Any]
"""Figures of one method on one fold."""

VARIANTS: Final = {"mimic2-infold": "mimic2"}
"""Honest variants, and the experiment each is a variant of."""
NETWORKS: Final = ("psi", "relu", "mu", "entropy")
"""The LENs, each with defaults of ours and, as ``psi-reference`` and so on, the paper's."""
_ROUNDING: Final = 1e-12  # of a mean


def method_title(name: str) -> str:
    """A method as tables call it; names that are not known are shown as they are.

    Examples
    --------
    >>> method_title("tree"), method_title("mu-reference"), method_title("my own")
    ('decision tree', 'mu (reference)', 'my own')
    """
    return METHODS[name].title if name in METHODS else name


def experiment_title(name: str) -> str:
    """An experiment as tables call it.

    Examples
    --------
    >>> experiment_title("mimic2-ebb"), experiment_title("my table")
    ('MIMIC-II (EBB)', 'my table')
    """
    return EXPERIMENTS[name].title if name in EXPERIMENTS else name


def is_network(method: str) -> bool:
    """True if a method is a LEN, ours or with the paper's settings."""
    return plain_name(method) in NETWORKS


class Mean(NamedTuple):
    """A mean over folds.

    Attributes
    ----------
    value : float
    error : float
        Standard error of the mean; NaN for a single fold.
    n : int
        Folds with a figure.
    of : int
        Folds that some method has rows of.
    """

    value: float
    error: float
    n: int
    of: int


class Scoreboard:
    """The rows of one run.

    Parameters
    ----------
    rows : iterable of rows
    part : str, default ""
        Which test rows were scored: ``""`` for all of a fold, or a part of them by its name.
    fold_seed : int, optional
        Which folds; needed where there are rows of several seeds.

    Raises
    ------
    InputError
        There are no such rows, rows of several fold seeds, or two for the same fold.

    Examples
    --------
    >>> rows = [
    ...     {"experiment": "mimic2", "method": "mu", "fold": fold, "fold_seed": 0, "fidelity": value}
    ...     for fold, value in enumerate([0.97, 0.99])
    ... ]
    >>> board = Scoreboard(rows)
    >>> board.methods, round(board.mean("mimic2", "mu", "fidelity").value, 4)
    (('mu',), 0.98)
    """

    def __init__(self, rows: Iterable[Row], part: str = "", fold_seed: int | None = None) -> None:
        mine = [row for row in rows if (row.get("part") or "") == part]
        seeds = list(dict.fromkeys(row["fold_seed"] for row in mine))
        if fold_seed is None and len(seeds) > 1:
            raise InputError(
                f"The rows are of the fold seeds {listing(seeds)}. Say which: fold_seed={seeds[0]}."
            )
        self.part = part
        self.fold_seed = seeds[0] if fold_seed is None and seeds else fold_seed
        self.rows = tuple(row for row in mine if row["fold_seed"] == self.fold_seed)
        if not self.rows:
            raise InputError(
                f"There are no rows of the part {shown(part)} and the fold seed {shown(fold_seed)}. "
                "Run the experiments first."
            )
        self._folds = _by_fold(self.rows)

    @property
    def experiments(self) -> tuple[str, ...]:
        """Names of the experiments, the paper's first."""
        return _in_order((key[0] for key in self._folds), tuple(EXPERIMENTS))

    @property
    def main_experiments(self) -> tuple[str, ...]:
        """The experiments without variants of one that is there itself."""
        return tuple(name for name in self.experiments if VARIANTS.get(name) not in self.experiments)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods: rules of others, LENs, LENs as in the paper, models without rules."""
        peers, ceilings = ("tree", "brl", "ripper"), ("logistic", "mlp", "boosting")
        known = (*peers, *NETWORKS, *(f"{name}{REFERENCE}" for name in NETWORKS), *ceilings)
        return _in_order((key[1] for key in self._folds), known)

    def folds(self, experiment: str, method: str) -> tuple[Row, ...]:
        """Rows of a method in an experiment, fold by fold; none if it did not take part."""
        return tuple(self._folds.get((experiment, method), {}).values())

    def values(self, experiment: str, method: str, column: str) -> dict[int, float]:
        """The figure of each fold that has one, by the number of the fold."""
        found = {row["fold"]: row.get(column) for row in self.folds(experiment, method)}
        return {fold: float(value) for fold, value in found.items() if value is not None and value == value}

    def mean(self, experiment: str, method: str, column: str, first: int | None = None) -> Mean | None:
        """Mean of a column over the folds, or over the first ones; None where no fold has a figure."""
        values = [*self.values(experiment, method, column).items()]
        kept = [value for fold, value in values if first is None or fold < first]
        if not kept:
            return None
        # Equal values, such as the seconds of folds that are trained together, differ by rounding at most.
        error = float(np.std(kept, ddof=1)) / math.sqrt(len(kept)) if len(kept) > 1 else math.nan
        error = 0.0 if error < _ROUNDING * abs(float(np.mean(kept))) else error
        of = min(self.n_folds(experiment), first or math.inf)
        return Mean(float(np.mean(kept)), error, len(kept), int(of))

    def n_folds(self, experiment: str) -> int:
        """Folds of an experiment that some method has rows of."""
        return len({fold for (name, _), rows in self._folds.items() if name == experiment for fold in rows})

    def lead(self, experiment: str, column: str, method: str, other: str) -> float | None:
        """A method's lead over another on the folds that both have; None if there are none."""
        mine, theirs = (self.values(experiment, name, column) for name in (method, other))
        shared = sorted(mine.keys() & theirs.keys())
        return float(np.mean([mine[fold] - theirs[fold] for fold in shared])) if shared else None

    def explains(self, experiment: str, method: str) -> bool:
        """True if a method gives rules."""
        return any(
            row.get("used") or row.get("complexity") is not None for row in self.folds(experiment, method)
        )

    def statuses(self, experiment: str, method: str) -> tuple[str, ...]:
        """The distinct statuses of unfinished folds."""
        found = (str(row.get("status") or DONE) for row in self.folds(experiment, method))
        return tuple(dict.fromkeys(status for status in found if status != DONE))

    def class_shown(self, experiment: str) -> str | None:
        """The class whose rules are printed: the paper's or else the last, which is usually "yes"."""
        classes = [
            label for row in self.rows if row["experiment"] == experiment for label in row.get("used") or ()
        ]
        wanted = CLASS_SHOWN.get(experiment)
        return wanted if wanted in classes else next(reversed(classes), None)

    def consistency(self, experiment: str, method: str, label: str | None = None) -> Recurrence | None:
        """Consistency of the concepts of rules over five folds: the paper's index and the adjusted one.

        A class that no fold has a rule for is left out: nothing returns there.

        Parameters
        ----------
        experiment, method : str
        label : str, optional
            One class; the mean over all classes when missing.

        Returns
        -------
        Recurrence or None
            ``adjusted`` is NaN where rows do not say how many concepts there are; None where fewer than two
            of the folds have rules, or no rule has a concept.
        """
        folds = [row for row in self.folds(experiment, method) if row["fold"] < FOLDS_OF_CONSISTENCY]
        used = [row["used"] for row in folds if row.get("used")]
        kept = {name for each in used for name, concepts in each.items() if concepts}
        if label is not None:
            kept &= {label}
        runs = [{name: _conjunction(each[name]) for name in each if name in kept} for each in used]
        runs = [each for each in runs if each]
        if len(runs) < 2:
            return None
        sizes = [row["n_concepts"] for row in folds if row.get("n_concepts")]
        # Where each fold has cut points of its own, more may be used than there are in one of them.
        names = {name for each in runs for formula in each.values() for name in formula.concepts}
        found = consistency(runs, n_concepts=max(*sizes, len(names)) if sizes else None)
        return Recurrence(found.plain, found.adjusted)


def _by_fold(rows: Iterable[Row]) -> dict[tuple[str, str], dict[int, Row]]:
    """Rows by experiment and method, then by the number of the fold, in its order."""
    found: dict[tuple[str, str], dict[int, Row]] = {}
    for row in rows:
        folds = found.setdefault((row["experiment"], row["method"]), {})
        if row["fold"] in folds:
            raise InputError(
                f"There are two rows of {row['method']!r} for fold {row['fold']} of {row['experiment']!r}. "
                "Keep one of them."
            )
        folds[row["fold"]] = row
    return {key: dict(sorted(folds.items())) for key, folds in found.items()}


def _conjunction(concepts: Sequence[str]) -> Formula:
    """A formula that uses these concepts; of none, one that is never true."""
    return And.of(map(Var, concepts)) if concepts else FALSE


def _in_order(names: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    """Each name once: those that are known in that order, then the others as they come."""
    found = dict.fromkeys(names)
    return (*(name for name in known if name in found), *(name for name in found if name not in known))
