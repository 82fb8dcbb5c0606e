"""Numbers that people can read: the one with the fewest digits between two others."""

from __future__ import annotations

import numpy as np

from logiclens.logic.arrays import FloatArray

_DIGITS = 18  # more than a float has


def readable(low: FloatArray, high: FloatArray, *, whole: bool = False) -> FloatArray:
    """Return the number with the fewest digits between each pair of numbers.

    Among several the one that ends in 5 is taken, then the one nearest to the middle. ``x > cut`` is false of
    ``low`` and true of ``high`` in every case.

    Parameters
    ----------
    low, high : array of shape (n,)
        ``low < high``, pair by pair.
    whole : bool, default False
        Whether the column holds whole numbers only: then the cut is one, and may be ``low`` itself.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> readable(np.array([61.0, 0.1, 1.5]), np.array([62.3, 0.9, 1.52]))
    array([62.  ,  0.5 ,  1.51])
    >>> readable(np.array([62.0, 59.0]), np.array([63.0, 64.0]), whole=True)
    array([62., 60.])
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    inner = low - 1.0 if whole else low  # low itself is allowed
    negative = high <= 0
    near = np.where(negative, -high, inner)
    far = np.where(negative, -inner, high)
    cuts = np.where(negative, -1.0, 1.0) * _fewest_digits(near, far)
    cuts = np.where((inner < 0) & (high > 0), 0.0, cuts)
    good = (cuts >= low if whole else cuts > low) & (cuts < high)
    middle = low / 2 + high / 2
    return np.where(good, cuts, np.where((middle > low) & (middle < high) & (not whole), middle, low))


@np.errstate(all="ignore")
def _fewest_digits(low: FloatArray, high: FloatArray) -> FloatArray:
    """Multiples of the largest power of ten strictly between two numbers, ``0 <= low < high``; NaN for none.

    At the first power that has a multiple, all its multiples there have the same number of digits.
    """
    cuts = np.full(low.shape, np.nan)
    top = np.floor(np.log10(high))
    for digit in range(_DIGITS):
        power = top - digit
        # Divided by a power of ten where it is a fraction: that rounds once, as reading "0.3" does.
        up, down = 10.0 ** np.maximum(power, 0), 10.0 ** np.maximum(-power, 0)
        first = np.floor(low / up * down) + 1
        last = np.ceil(high / up * down) - 1
        # The product of a number and a power may round to a multiple, or beyond it.
        first += first * up / down <= low
        first -= (first - 1) * up / down > low
        last -= last * up / down >= high
        last += (last + 1) * up / down < high
        middle = (low + high) / 2 / up * down
        multiple = np.clip(np.round(middle), first, last)
        five = np.round((middle - 5) / 10) * 10 + 5
        multiple = np.where((five >= first) & (five <= last), five, multiple)
        cut = multiple * up / down
        found = np.isnan(cuts) & (first <= last) & (cut > low) & (cut < high)
        cuts[found] = cut[found]
        if not np.isnan(cuts).any():
            break
    return cuts
