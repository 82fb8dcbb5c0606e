"""What a row of a target counts against a row of the rest: the more the rarer the target is.

Counted one by one, the rows of a target that one row in two hundred belongs to hardly matter: a network that
never says yes is right about 99.5 % of all rows. Counted by inverse frequency, a rule that is wrong as often
as it is right still looks good. So the truth lies between: a power of the inverse frequency, and another one
for how much rarer a target is than one row in ten.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.beam import RARE


@dataclass(frozen=True)
class Balance:
    """How rows are weighed.

    Attributes
    ----------
    power : float, default 0.0
        Of how many times rarer the target is than the rest, or the rest than the target, up to
        :data:`~logiclens.logic.beam.RARE` times.
    rare_power : float, default 0.0
        Of how many times rarer it is than that.

    Examples
    --------
    >>> Balance(power=0.5).factor(10.0, 90.0)
    array(3.)
    >>> Balance(rare_power=0.5).factor([10.0, 1.0], [90.0, 225.0])
    array([1., 5.])
    """

    power: float = 0.0
    rare_power: float = 0.0

    def factor(self, yes: ArrayLike, no: ArrayLike) -> FloatArray:
        """What a yes counts against a no, for the weight of each; 1 where there is none of either."""
        yes, no = np.asarray(yes, dtype=np.float64), np.asarray(no, dtype=np.float64)
        usable = (yes > 0) & (no > 0)
        ratio = np.log(np.where(usable, no, 1.0) / np.where(usable, yes, 1.0))
        usual = np.clip(ratio, -np.log(RARE), np.log(RARE))
        return np.asarray(np.exp(self.power * usual + self.rare_power * (ratio - usual)))

    def of_rows(self, truth: FloatArray, weight: FloatArray) -> FloatArray:
        """What each row counts, (n,), where ``truth`` says how far it belongs to the target.

        The rows weigh as much as before together, so that chance is judged by as many rows as there are.
        """
        total = float(weight.sum())
        yes = float(weight @ truth)
        counts = 1.0 + (self.factor(yes, total - yes) - 1.0) * truth
        return np.asarray(counts * (total / max(float(weight @ counts), np.finfo(np.float64).tiny)))


def is_rare(yes: ArrayLike, no: ArrayLike) -> BoolArray:
    """Whether there is more than :data:`~logiclens.logic.beam.RARE` times as much no as yes, for each.

    Examples
    --------
    >>> is_rare([10.0, 1.0], [90.0, 90.0])
    array([False,  True])
    """
    return np.asarray(np.asarray(no) > RARE * np.asarray(yes))


COUNTED = Balance()
"""Every row counts the same."""
EVEN = Balance(power=1.0, rare_power=1.0)
"""Target and rest count the same."""
