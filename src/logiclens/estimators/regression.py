"""A logistic regression with a penalty on the squares of its weights, by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from logiclens.logic.arrays import FloatArray, IndexArray

_STEPS = 20
_CLOSE = 1e-2  # a last step of that size leaves an error of about its square
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
        coarse = design.astype(np.float32)  # a direction need not be exact: gradients are
        penalty = np.append(np.full(len(read), ridge), _LEAST_SLOPE)
        found = np.zeros(design.shape[1]) if start is None else np.append(start.weight[read], start.bias)

        def at(place: FloatArray) -> tuple[float, FloatArray]:
            logit = np.clip(design @ place, -30.0, 30.0)
            share = 1.0 / (1.0 + np.exp(-logit))
            loss = -(weight @ np.log1p(-share)) - (weight * truth) @ logit + penalty @ np.square(place) / 2.0
            return float(loss), share

        loss, share = at(found)
        for _ in range(_STEPS):
            slope = weight * np.maximum(share * (1.0 - share), _LEAST_SLOPE)
            rooted = coarse * np.sqrt(slope, dtype=np.float32)[:, None]
            curvature = rooted.T @ rooted + np.diag(penalty)  # of one matrix, half of the products suffice
            step = np.linalg.solve(curvature, (weight * (share - truth)) @ design + penalty * found)
            after, share = at(found - step)
            while after > loss and np.abs(step).max() >= _CLOSE:  # too far from the optimum for a whole step
                step = step / 2.0
                after, share = at(found - step)
            found, loss = found - step, after
            if np.abs(step).max() < _CLOSE:
                break
        whole = np.zeros(x.shape[1])
        whole[read] = found[:-1]
        return cls(whole, float(found[-1]))

    def logits(self, x: FloatArray) -> FloatArray:
        """What it says about rows, (n,)."""
        return np.asarray(x @ self.weight + self.bias)
