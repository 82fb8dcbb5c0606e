"""A picture of the front: accuracy and fidelity of rules of every length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from logiclens.errors import InputError, count, percent, shown
from logiclens.logic.arrays import FloatArray
from logiclens.plots._fitted import rules_of
from logiclens.plots._style import SMALL, Display, draw_grid, draw_legend, hide_frame, write_title

_ROOM = 0.05  # share of the height that stays free above and below


class FrontDisplay(Display):
    """The lengths that rules may have: accuracy and fidelity against literals, the one shown marked.

    Both are rates on rows used neither to fit weights nor to search for the rules. The band is the 95 %
    confidence interval of the accuracy.

    Parameters
    ----------
    front : Front
        Such as ``front_`` of a classifier.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> from logiclens import Step, Var
    >>> from logiclens.explain.front import Front, Point
    >>> from logiclens.plots import FrontDisplay
    >>> steps = Step("yes", Var("a")),
    >>> points = Point((), "no", 0.6, 0.7, (0.5, 0.7)), Point(steps, "no", 0.8, 0.9, (0.7, 0.9))
    >>> display = FrontDisplay.from_front(Front(points, ("no", "yes"), ("a",), chosen=1))
    >>> display.ax_.get_xlabel(), [line.get_label() for line in display.ax_.lines[:2]]
    ('literals', ['fidelity', 'accuracy'])
    """

    def __init__(self, front: Any) -> None:
        # Front.plot makes this display, so this module cannot import Front.
        if not isinstance(front, Sequence) or not hasattr(front, "chosen"):
            raise InputError(f"front must be a Front, such as front_ of a classifier. Got {shown(front)}.")
        if all(point.accuracy is None for point in front):
            raise InputError(
                "No length of this front was scored, so there is nothing to draw: no rows were held out. "
                "print(front) lists the lengths."
            )
        self.front = front

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the front of a fitted model.

        Parameters
        ----------
        model : fitted classifier, clusterer or pipeline
        ax : Axes, optional
            Where to draw; a new figure when missing.
        **kwargs
            As for :meth:`plot`.
        """
        rules_of(model)  # one that is not fitted says so
        front = getattr(getattr(model, "estimator_", model), "front_", None)
        if front is None:
            raise InputError(f"model must have a front. Got {shown(type(model).__name__)}, which has not.")
        return cls(front).plot(ax, **kwargs)

    @classmethod
    def from_front(cls, front: Any, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw a front.

        Parameters
        ----------
        front : Front
        ax : Axes, optional
        **kwargs
            As for :meth:`plot`.
        """
        return cls(front).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the front.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when missing.
        """
        points = sorted((p for p in self.front if p.accuracy is not None), key=lambda p: p.literals)
        self._start(ax, 6.4, 3.8)
        literals = np.array([point.literals for point in points], dtype=np.float64)
        intervals = np.array([point.interval or (np.nan, np.nan) for point in points])
        self.ax_.fill_between(
            literals, intervals[:, 0], intervals[:, 1], color=self._look.yes, alpha=0.14, linewidth=0
        )
        self._draw_line(literals, points, "fidelity", self._look.second, "D--", 3.5)
        self._draw_line(literals, points, "accuracy", self._look.yes, "o-", 4.5)
        self._mark(points)
        self._draw_texts(intervals)
        return self

    def _draw_line(
        self, literals: FloatArray, points: list[Any], rate: str, color: Any, style: str, size: float
    ) -> None:
        values = np.array([getattr(point, rate) for point in points], dtype=np.float64)  # NaN where None
        self.ax_.plot(
            literals,
            values,
            style,
            color=color,
            markersize=size,
            linewidth=1.3,
            label=rate,
            zorder=3,
        )

    def _mark(self, points: list[Any]) -> None:
        chosen = self.front[self.front.chosen]
        if chosen.accuracy is None:
            return
        ground = {
            "boxstyle": "round,pad=0.15",
            "facecolor": self._look.paper,
            "edgecolor": "none",
            "alpha": 0.8,
        }
        late = 2 * chosen.literals > points[0].literals + points[-1].literals
        self.ax_.plot(
            [chosen.literals],
            [chosen.accuracy],
            "o",
            markersize=10,
            color=self._look.yes,
            markeredgecolor=self._look.paper,
            markeredgewidth=1.5,
            zorder=4,
            label="shown",
        )
        self.ax_.annotate(
            f"shown: {count(chosen.literals, 'literal')}, accuracy {percent(chosen.accuracy)}",
            (chosen.literals, chosen.accuracy),
            (chosen.literals, 0.06),  # below the curves, which rise
            textcoords=("data", "axes fraction"),
            arrowprops={"arrowstyle": "-", "color": self._look.yes, "linewidth": 0.8, "relpos": (late, 0.5)},
            color=self._look.yes,
            fontsize=SMALL + 0.5,
            fontweight="bold",
            ha="right" if late else "left",
            va="bottom",
            bbox=ground,
            zorder=5,
        )

    def _draw_texts(self, intervals: FloatArray) -> None:
        ax = self.ax_
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        ax.set_xlabel("literals", color=self._look.faint, fontsize=SMALL)
        ax.set_ylabel("share of rows left out", color=self._look.faint, fontsize=SMALL)
        drawn = np.concatenate([*(line.get_ydata() for line in ax.lines), intervals.ravel()]).astype(float)
        low, high = float(np.nanmin(drawn)), float(np.nanmax(drawn))
        room = _ROOM * max(high - low, 0.02)
        ax.set_ylim(low - room, high + room)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0 if high - low > 0.1 else 1))
        ax.margins(x=0.08)
        hide_frame(ax, "bottom", "left")
        ax.tick_params(labelsize=SMALL, labelcolor=self._look.ink, length=0)
        draw_grid(ax, "both")
        draw_legend(ax, ax.lines[1::-1], below=20.0)
        write_title(ax, "Accuracy and fidelity against length", "", left=30)
