"""What a row of a target counts against a row of the rest: the more the rarer the target is.

Counted one by one, the rows of a target that one row in two hundred belongs to hardly matter: a network that
never says yes is right about 99.5 % of all rows. Counted by inverse frequency, a rule that is wrong as often
as it is right still looks good. So the truth lies between: a small power of the inverse frequency for all
targets, and a larger one for how much rarer a target is than one row in ten.
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
        Of the inverse frequency: 0 counts rows, 1 makes target and rest equal.
    rare_power : float, default 0.0
        Further power, of how many times rarer the target or the rest is than
        :data:`~logiclens.logic.beam.RARE` says.

    Examples
    --------
    >>> Balance(power=1.0).factor(10.0, 90.0)
    array(9.)
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
        beyond = np.sign(ratio) * np.maximum(np.abs(ratio) - np.log(RARE), 0.0)
        return np.asarray(np.exp(self.power * ratio + self.rare_power * beyond))

    def of_rows(self, truth: FloatArray, weight: FloatArray) -> FloatArray:
        """What each row counts, (n,), where ``truth`` says how far it belongs to the target."""
        yes = float(weight @ truth)
        return 1.0 + (self.factor(yes, float(weight.sum()) - yes) - 1.0) * truth


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
EVEN = Balance(power=1.0)
"""Target and rest count the same."""
