"""A logistic regression with a penalty on the squares of its weights, by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import FloatArray, IndexArray

_STEPS = 20
_CLOSE = 1e-2  # a last step of that size leaves an error of about its square
_HALVED = 30  # times, at most
_LEAST_SLOPE = 1e-6


@dataclass(frozen=True, eq=False)
class Regression:
    """A weighted sum of concepts, and what it says.

    Attributes
    ----------
    weight : ndarray of shape (n_concepts,)
        0 for concepts that it does not read.
    bias : float
        Without a penalty.
    """

    weight: FloatArray
    bias: float

    @classmethod
    def of(
        cls,
        x: FloatArray,
        truth: FloatArray,
        weight: FloatArray,
        ridge: float,
        columns: IndexArray | None = None,
        start: Regression | None = None,
    ) -> Regression:
        """Fit it.

        Parameters
        ----------
        x : ndarray of shape (n, n_concepts)
        truth, weight : ndarray of shape (n,)
        ridge : float
            Half of it times the sum of squares is the penalty.
        columns : ndarray of int, optional
            The concepts that it reads; all when missing.
        start : Regression, optional
            Where to begin. There is one optimum, so this decides how soon it is found, not what is found.

        Examples
        --------
        >>> x = np.array([[0.0], [0.0], [1.0], [1.0]])
        >>> even = Regression.of(x, np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4), ridge=1.0)
        >>> even.logits(x).round(1).tolist()
        [0.9, 0.9, 1.3, 1.3]
        """
        read = np.arange(x.shape[1]) if columns is None else columns
        design = np.column_stack([x[:, read], np.ones(len(x))])
        # A direction need not be exact, as gradients are; but the penalty must not drown in what is rounded.
        single = 1e-6 * weight.sum() < 0.01 * ridge
        coarse: NDArray[Any] = design.astype(np.float32 if single else np.float64)
        penalty = np.append(np.full(len(read), ridge), _LEAST_SLOPE)
        found = np.zeros(design.shape[1]) if start is None else np.append(start.weight[read], start.bias)

        def at(place: FloatArray) -> tuple[float, FloatArray]:
            logit = design @ place
            small = np.exp(-np.abs(logit))
            loss = weight @ (np.maximum(logit, 0.0) + np.log1p(small) - truth * logit)
            share = np.where(logit > 0, 1.0, small) / (1.0 + small)
            return float(loss + penalty @ np.square(place) / 2.0), share

        loss, share = at(found)
        for _ in range(_STEPS):
            slope = weight * np.maximum(share * (1.0 - share), _LEAST_SLOPE)
            rooted = coarse * np.sqrt(slope).astype(coarse.dtype)[:, None]
            curvature = rooted.T @ rooted + np.diag(penalty)  # of one matrix, half of the products suffice
            step = np.linalg.solve(curvature, (weight * (share - truth)) @ design + penalty * found)
            near = np.abs(step).max() < _CLOSE
            after, share = at(found - step)
            for _ in range(0 if near else _HALVED):
                if after <= loss:
                    break
                step = step / 2.0  # too far from the optimum for a whole step
                after, share = at(found - step)
            found, loss = found - step, after
            if near:
                break
        whole = np.zeros(x.shape[1])
        whole[read] = found[:-1]
        return cls(whole, float(found[-1]))

    def logits(self, x: FloatArray) -> FloatArray:
        """What it says about rows, (n,)."""
        return np.asarray(x @ self.weight + self.bias)
