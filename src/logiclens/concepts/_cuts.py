"""Where to cut a column of numbers: readable cut points, by quantiles, widths, classes or a reference group.

A cut point ``c`` makes the concept ``column > c``. Every function here returns cut points in ascending order,
each with observed values on both sides of it, so that none separates nothing. Between two neighboring
observed values any number says the same of the data; the one taken is easiest to read (:func:`readable`).
Columns of more than 256 distinct values are divided into intervals of equal weight, and the readable number
is looked for within an interval, so that large tables do not make for long numbers; where classes decide, as
far as that does not blur them. See Sec. 3.1 of the paper.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.constants import MAX_CUTS
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray

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


MIN_SHARE = 0.01
_INTERVALS = 256
_MOST_CELLS = 50_000_000  # places times classes that are looked at one by one


class _Observations(NamedTuple):
    """Values that are there, their weights, and which rows of the column they are, (n,)."""

    values: FloatArray
    weights: FloatArray
    present: BoolArray


def _observations(values: Any, sample_weight: Any) -> _Observations:
    numbers = np.asarray(values, dtype=np.float64)
    weights = np.ones(len(numbers)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    present = ~np.isnan(numbers) & (weights > 0)
    return _Observations(numbers[present], weights[present], present)


class _Candidates(NamedTuple):
    """Candidate cut points of a column.

    ``cuts``, (m,), lie in the intervals from ``low`` to ``high``, (m,), and ``bins``, (n,), is the number of
    cuts below each value; ``weights`` are the weights of the n rows.
    """

    cuts: FloatArray
    low: FloatArray
    high: FloatArray
    bins: IndexArray
    weights: FloatArray

    def share_below(self) -> FloatArray:
        """Share of the weight at or below each cut, (m,)."""
        sums = np.bincount(self.bins, self.weights, minlength=len(self.cuts) + 1)
        return np.asarray(np.cumsum(sums)[:-1] / sums.sum())


def _candidates(rows: _Observations) -> _Candidates:
    distinct, place = np.unique(rows.values, return_inverse=True)
    whole = bool((distinct == np.round(distinct)).all())
    ends = np.arange(len(distinct))
    if len(distinct) > _INTERVALS:
        below = np.cumsum(np.bincount(place, rows.weights))
        marks = np.arange(1, _INTERVALS) / _INTERVALS * below[-1]
        ends = np.unique(np.concatenate([[0], np.searchsorted(below, marks), [len(distinct) - 1]]))
    low, high = distinct[ends[:-1]], distinct[ends[1:]]
    cuts = readable(low, high, whole=whole)
    return _Candidates(cuts, low, high, np.searchsorted(cuts, distinct)[place], rows.weights)


def quantile_cuts(
    values: Any, max_cuts: int = MAX_CUTS, *, sample_weight: Any = None, min_share: float = 0.0
) -> FloatArray:
    """Return cut points that divide the rows into parts of about equal weight.

    A column of no more than ``max_cuts + 1`` values is cut between all of them.

    Parameters
    ----------
    values : array of shape (n,)
        Finite numbers; NaN counts as missing and is left out.
    max_cuts : int, default 16
        The most cut points returned; fewer when values repeat.
    sample_weight : array of shape (n,), optional
    min_share : float, default 0
        The least share of the weight on either side of a cut.

    Returns
    -------
    array of shape (at most max_cuts,)

    Examples
    --------
    >>> quantile_cuts(np.arange(100), 3)
    array([24., 49., 74.])
    """
    candidates = _candidates(_observations(values, sample_weight))
    cuts, share = _common(candidates.cuts, candidates.share_below(), min_share)
    if cuts.size <= max_cuts:
        return cuts
    marks = np.arange(1, max_cuts + 1) / (max_cuts + 1)
    nearest = np.abs(share - marks[:, None]).argmin(axis=1)
    return np.asarray(cuts[np.unique(nearest)])


def _common(cuts: FloatArray, share: FloatArray, min_share: float) -> tuple[FloatArray, FloatArray]:
    """The cuts that leave enough weight on either side, and their shares below."""
    enough = (share >= min_share) & (share <= 1 - min_share)
    return cuts[enough], share[enough]


def uniform_cuts(
    values: Any, max_cuts: int = MAX_CUTS, *, sample_weight: Any = None, min_share: float = 0.0
) -> FloatArray:
    """Return cut points that divide the range of the values into parts of about equal width.

    Parameters and result are those of :func:`quantile_cuts`.

    Examples
    --------
    >>> uniform_cuts([0.0, 0.1, 0.2, 7.0, 10.0], 1)
    array([5.])
    """
    candidates = _candidates(_observations(values, sample_weight))
    if not candidates.cuts.size:
        return candidates.cuts
    marks = np.linspace(candidates.low[0], candidates.high[-1], max_cuts + 2)[1:-1]
    places = np.unique(np.searchsorted(candidates.low, marks, side="right") - 1)
    cuts, share = candidates.cuts[places], candidates.share_below()[places]
    return _common(cuts, share, min_share)[0]


def reference_cuts(
    values: Any, is_reference: Any, *, share: float = 0.05, sample_weight: Any = None
) -> FloatArray:
    """Return the limits of a reference group, such as controls: what lies outside is unusual (Sec. 3.1).

    Parameters
    ----------
    values : array of shape (n,)
        Finite numbers; NaN counts as missing and is left out.
    is_reference : array of bool, shape (n,)
        Which rows are the reference group.
    share : float, default 0.05
        Share of the group beyond each limit: its 5th and its 95th percentile.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    array of shape (2,) or fewer
        A limit beyond which no value was observed is left out.

    Examples
    --------
    >>> pressure = np.array([*range(100, 140), 180, 190, 80])
    >>> reference_cuts(pressure, pressure < 150, share=0.0)
    array([150.])
    >>> reference_cuts(pressure, (pressure >= 100) & (pressure < 140))
    array([101., 137.])
    """
    rows = _observations(values, sample_weight)
    group = np.asarray(is_reference)[rows.present]
    candidates = _candidates(rows)
    if not rows.weights[group].sum():
        return candidates.cuts[:0]
    order = np.argsort(rows.values[group], kind="stable")
    ordered, below = rows.values[group][order], np.cumsum(rows.weights[group][order])
    # The outermost values of the group that have at most that share of it beyond them.
    lower = ordered[np.searchsorted(below, share * below[-1], side="right")]
    upper = ordered[np.searchsorted(below, (1 - share) * below[-1], side="left")]
    first = int(np.searchsorted(candidates.high, lower, side="left"))
    last = int(np.searchsorted(candidates.low, upper, side="right")) - 1
    places = []
    if first < len(candidates.cuts) and candidates.low[first] < lower:
        places.append(first)
    if 0 <= last and upper < candidates.high[last]:
        places.append(last)
    return candidates.cuts[sorted(set(places))]


def supervised_cuts(
    values: Any,
    y: NDArray[Any] | None,
    max_cuts: int = MAX_CUTS,
    *,
    sample_weight: Any = None,
    min_share: float = MIN_SHARE,
) -> FloatArray:
    """Return the cut points that tell the classes apart best.

    The cut with the greatest information gain first, then the best within the parts, as long as a cut pays
    for its own description (the minimum description length criterion of Fayyad and Irani, 1993). A column of
    no more than ``max_cuts + 1`` values is cut between all of them: a value may matter together with others.

    Parameters
    ----------
    values : array of shape (n,)
        Finite numbers; NaN counts as missing and is left out.
    y : array of int, shape (n,) or (n, n_outputs), or None
        Codes of classes from 0, for one output or for several, whose gains are added. None: quantiles.
    max_cuts : int, default 16
    sample_weight : array of shape (n,), optional
    min_share : float, default 0.01
        The least share of the weight on either side of a cut, within the part that it divides as well.

    Returns
    -------
    array of shape (at most max_cuts,)

    Examples
    --------
    >>> age = np.arange(20, 80)
    >>> supervised_cuts(age, (age > 62).astype(int))
    array([62.])
    """
    if y is None:
        return quantile_cuts(values, max_cuts, sample_weight=sample_weight, min_share=min_share)
    rows = _observations(values, sample_weight)
    if len(np.unique(rows.values)) <= max_cuts + 1:
        candidates = _candidates(rows)
        return _common(candidates.cuts, candidates.share_below(), min_share)[0]
    codes = np.asarray(y, dtype=np.intp).reshape(len(rows.present), -1)[rows.present]
    return np.array(_best_cuts(_places(rows, codes), max_cuts, min_share * rows.weights.sum()))


def class_sums(bins: IndexArray, n_bins: int, codes: IndexArray, weights: FloatArray) -> FloatArray:
    """Weight of each class of each output in each bin, shape (n_bins, n_outputs, n_classes).

    Parameters
    ----------
    bins : array of shape (n,)
    n_bins : int
    codes : array of shape (n, n_outputs)
    weights : array of shape (n,)
    """
    n_classes = int(codes.max(initial=0)) + 1
    sums = np.empty((n_bins, codes.shape[1], n_classes))
    for output in range(codes.shape[1]):
        cells = np.bincount(bins * n_classes + codes[:, output], weights, minlength=n_bins * n_classes)
        sums[:, output] = cells.reshape(n_bins, n_classes)
    return sums


class _Places(NamedTuple):
    """Places where a column may be cut, numbered from 1.

    Place j lies between the observed values ``low[j - 1]`` and ``high[j - 1]``; ``below[j]``, (n_outputs,
    n_classes), is the weight of the classes below it. ``grid`` are some of the places, to look at first, and
    ``whole`` says whether the values are whole numbers.
    """

    low: FloatArray
    high: FloatArray
    below: FloatArray
    grid: IndexArray
    whole: bool


def _places(rows: _Observations, codes: IndexArray) -> _Places:
    distinct, place = np.unique(rows.values, return_inverse=True)
    ends = np.arange(len(distinct) - 1)  # a cut may stand after each
    if len(distinct) * codes.shape[1] * (int(codes.max()) + 1) > _MOST_CELLS:
        ends = np.unique(np.linspace(0, len(distinct) - 2, _INTERVALS).astype(np.intp))
        place = np.searchsorted(ends, place)
    sums = class_sums(place, len(ends) + 1, codes, rows.weights)
    below = np.concatenate([np.zeros_like(sums[:1]), np.cumsum(sums, axis=0)])
    grid = np.arange(1, len(ends) + 1)
    if len(grid) > _INTERVALS:
        marks = np.arange(1, _INTERVALS) / _INTERVALS * rows.weights.sum()
        grid = np.unique(np.searchsorted(below[1:-1, 0].sum(axis=-1), marks).clip(0, len(ends) - 1)) + 1
    whole = bool((distinct == np.round(distinct)).all())
    return _Places(distinct[ends], distinct[ends + 1], below, grid, whole)


def _best_cuts(places: _Places, limit: int, least: float) -> list[float]:
    """Choose cuts: the best first, each significant in the part that it divides."""
    end = len(places.below) - 1
    parts = [(_best_split(places, 0, end, least), 0, end)]
    cuts: list[float] = []
    while len(cuts) < limit:
        (gain, first, last), start, stop = parts.pop(max(range(len(parts)), key=lambda at: parts[at][0][0]))
        if gain <= 0:
            break
        ends = places.low[first - 1 : first], places.high[last - 1 : last]
        cuts.append(float(readable(*ends, whole=places.whole)[0]))
        at = int(np.searchsorted(places.low, cuts[-1], side="right"))
        parts += [(_best_split(places, *part, least), *part) for part in ((start, at), (at, stop))]
    return sorted(cuts)


def _best_split(places: _Places, start: int, stop: int, least: float) -> tuple[float, int, int]:
    """Bits gained by the best cut of a part, 0 for none that pays, and the first and last place for it.

    There are several where the column has very many values: naming one of m places takes log2 m bits, so
    a place that gains that much less is as good, if its number is shorter.
    """

    def gains(at: IndexArray) -> FloatArray:
        left, whole = places.below[at] - places.below[start], places.below[stop] - places.below[start]
        n_left, total = left[:, 0].sum(axis=-1), whole[0].sum()
        allowed = (n_left > 0) & (n_left < total) & (n_left >= least) & (n_left <= total - least)
        found = np.zeros(len(at))
        found[allowed] = paying_gains(left[allowed], whole)
        return found

    inside = places.grid[(places.grid > start) & (places.grid < stop)]
    found = gains(inside)
    if not found.any():
        return 0.0, start, start
    best = int(found.argmax())
    if len(places.grid) == len(places.low):
        return float(found[best]), int(inside[best]), int(inside[best])
    low = inside[best - 1] if best else start + 1
    near = np.arange(low, inside[best + 1] + 1 if best + 1 < len(inside) else stop)
    found = gains(near)
    best = int(found.argmax())
    worse = np.flatnonzero((found < found[best] - np.log2(len(near))) | (found == 0))
    first, last = worse[worse < best].max(initial=-1) + 1, worse[worse > best].min(initial=len(near)) - 1
    return float(found[best]), int(near[first]), int(near[last])


def paying_gains(parts: FloatArray, whole: FloatArray) -> FloatArray:
    """Bits gained about the classes by telling each part from the rest, 0 where that does not pay for itself.

    It pays (Fayyad and Irani) when ``N gain > log2(N - 1) + sum over outputs of log2(3^k - 2) - k H + k1 H1 +
    k2 H2``, with the entropies H and the numbers k of classes in the whole, the part and the rest.

    Parameters
    ----------
    parts : array of shape (n_parts, n_outputs, n_classes)
        Weight of the classes in each part; neither the part nor the rest is empty.
    whole : array of shape (n_outputs, n_classes)

    Returns
    -------
    array of shape (n_parts,)
    """
    sides = (whole[None], parts, np.maximum(whole - parts, 0.0))
    bits, bits_part, bits_rest = map(entropy_bits, sides)  # (1 or n_parts, n_outputs)
    k, k_part, k_rest = ((side > 0).sum(axis=-1) for side in sides)
    n, n_part, n_rest = (side.sum(axis=-1) for side in sides)
    gain = (bits - bits_part - bits_rest).sum(axis=-1)
    ways = np.where(k > 30, k * np.log2(3.0), np.log2(np.maximum(3.0 ** np.minimum(k, 30) - 2.0, 1.0)))
    price = ways - k * bits / n + k_part * bits_part / n_part + k_rest * bits_rest / n_rest
    total = np.log2(max(float(n[0, 0]) - 1.0, 1.0)) + price.sum(axis=-1)
    return np.where(gain > total, gain, 0.0)


def entropy_bits(counts: FloatArray) -> FloatArray:
    """Entropy times weight, ``N H = N log2 N - sum of n log2 n``, over the last axis."""

    def n_log_n(n: FloatArray) -> FloatArray:
        return n * np.log2(n, out=np.zeros_like(n), where=n > 0)

    return np.asarray(n_log_n(counts.sum(axis=-1)) - n_log_n(counts).sum(axis=-1))
