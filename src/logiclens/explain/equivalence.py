"""Formulas that a target may be equivalent to, from short and rough to long and exact."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from logiclens.explain.choosing import Measured, choose_point, literal_worth
from logiclens.explain.front import FrontPoint
from logiclens.logic.arrays import BoolArray
from logiclens.logic.formula import Formula
from logiclens.logic.minimize import Minimized
from logiclens.logic.truth_table import TruthTable


@dataclass(frozen=True, eq=False)
class Equivalents:
    """The formulas that were found for what a network says about a target, by length.

    Attributes
    ----------
    table : TruthTable
        What the network says.
    truth : TruthTable or None
        Rows whose truth is known, which decide how long the formula is. Without them what the network says
        does.
    found : tuple of Minimized
    front : tuple of FrontPoint
        The same, with their accuracy on ``truth``.
    measured : Measured or None
        How far each row of ``truth`` matters to that.
    """

    table: TruthTable
    truth: TruthTable | None
    found: tuple[Minimized, ...]
    front: tuple[FrontPoint, ...]
    measured: Measured | None

    @classmethod
    def of(cls, table: TruthTable, truth: TruthTable | None, found: tuple[Minimized, ...]) -> Equivalents:
        """Measure formulas that were found for a table."""
        front = tuple(FrontPoint(each.formula, each.literals, each.errors) for each in found)
        if truth is None:
            return cls(table, truth, found, front, None)
        measured = _measured(found, truth)
        scored = zip(front, measured.scores.tolist(), strict=True)
        return cls(
            table, truth, found, tuple(replace(point, score=score) for point, score in scored), measured
        )

    @property
    def worth(self) -> float:
        """What a literal less is worth, as a share of the rows."""
        counted = self.table if self.truth is None else self.truth
        return literal_worth(float(counted.yes.sum()), float(counted.no.sum()))

    def best(self) -> int:
        """Position of the formula whose literals all earn their reading; what agrees most without truth."""
        if self.measured is None:
            return int(
                np.argmin([point.errors for point in self.front])
            )  # the first of equals is the shortest
        return choose_point(self.front, self.measured.influence, self.measured.weight, worth=self.worth)

    def fired(self) -> BoolArray:
        """Truth of each formula on each tuple that the network was asked about, (n_formulas, n_rows)."""
        return np.array([each.cover.contains(self.table.rows) for each in self.found])

    def taken(self, best: Minimized) -> tuple[Formula, str, tuple[FrontPoint, ...]]:
        """A formula, its status, and the front with it; what it is better than is left out of that."""
        point = FrontPoint(best.formula, best.literals, best.errors)
        if self.truth is not None:
            point = replace(point, score=float(_measured((best,), self.truth).scores[0]))
        shorter = [
            each for each in self.front if each.literals < point.literals and each.errors > point.errors
        ]
        longer = [
            each for each in self.front if each.literals > point.literals and each.errors < point.errors
        ]
        return best.formula, str(best.status), (*shorter, point, *longer)


def _measured(found: tuple[Minimized, ...], truth: TruthTable) -> Measured:
    return Measured.of(np.array([each.cover.contains(truth.rows) for each in found]), truth, "accuracy")
