"""A picture of the front: errors of the formulas that were found, against their length."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from logiclens.errors import InputError, count, shown
from logiclens.explain.explanation import Explanation
from logiclens.explain.label import Label
from logiclens.plots.looks import SMALL, Look, bare, headed, ruled, start
from logiclens.plots.models import rule_of
from logiclens.plots.texts import TITLE, target_label


class FrontDisplay:
    """The formulas to choose from: errors against literals, the chosen one marked.

    Errors are answers of the network that a formula gets wrong, on the table it was made from.

    Parameters
    ----------
    explanation : Explanation
        One that has a front.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    score_ax_ : matplotlib.axes.Axes or None
        The axes of the scores, where they are drawn.
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> from logiclens import Explanation, FrontPoint, Rule, Var
    >>> from logiclens.plots import FrontDisplay
    >>> a, b = Var("a"), Var("b")
    >>> front = [FrontPoint(a, 1, 2.0), FrontPoint(a & b, 2, 0.0)]
    >>> display = FrontDisplay.from_explanation(Explanation(Rule("yes", a & b), front=front))
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('literals', 'errors')
    """

    ax_: Axes
    score_ax_: Axes | None
    figure_: Figure

    def __init__(self, explanation: Explanation) -> None:
        if not isinstance(explanation, Explanation):
            raise InputError(f"explanation must be an Explanation. Got {shown(explanation)}.")
        if not explanation.front:
            raise InputError(
                "This explanation has no front to draw. Use one that explain() of a classifier made with "
                "aggregation='minimal'."
            )
        self.explanation = explanation

    @classmethod
    def from_estimator(
        cls, model: Any, target: Label | None = None, *, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the front of a fitted model's rule.

        Parameters
        ----------
        model : fitted classifier, clusterer or pipeline
        target : label, optional
            Without it, the only target, or the second of two.
        ax : Axes, optional
            Where to draw; a new figure when missing.
        **kwargs
            As for :meth:`plot`.
        """
        return cls(rule_of(model, target)).plot(ax, **kwargs)

    @classmethod
    def from_explanation(cls, explanation: Explanation, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the front of an explanation.

        Parameters
        ----------
        explanation : Explanation
        ax : Axes, optional
        **kwargs
            As for :meth:`plot`.
        """
        return cls(explanation).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, score: bool = False) -> Self:
        """Draw the front.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when missing.
        score : bool, default False
            Whether to draw the scores on held-out rows, too, on axes to the right.
        """
        if not isinstance(score, bool | np.bool_):
            raise InputError(f"score must be True or False. Got {shown(score)}.")
        points = sorted(self.explanation.front, key=lambda point: (point.literals, point.errors))
        scored = [(point.literals, point.score) for point in points if point.score is not None]
        if score and not scored:
            raise InputError(
                "No point of this front has a score: there were no held-out rows. Use score=False."
            )
        self.figure_, self.ax_ = start(ax, 6.4, 3.8)
        self._look = Look.of(self.ax_)
        literals = [point.literals for point in points]
        errors = [point.errors for point in points]
        best = np.minimum.accumulate(errors)  # a longer rule that errs more is beside the line
        self.ax_.plot(
            literals,
            best,
            drawstyle="steps-post",
            color=self._look.faint,
            linewidth=1.2,
            zorder=2,
            label="_steps",
        )
        self.ax_.plot(
            literals,
            errors,
            "o",
            markersize=6,
            markerfacecolor=self._look.paper,
            markeredgecolor=self._look.faint,
            markeredgewidth=1.4,
            zorder=3,
            label="errors",
        )
        self._mark()
        self._draw_texts()
        self.score_ax_ = self._draw_scores(scored) if score else None
        return self

    def _mark(self) -> None:
        chosen = self.explanation.chosen
        if chosen is None:
            return
        lengths = [point.literals for point in self.explanation.front]
        late = 2 * chosen.literals > min(lengths) + max(lengths)
        self.ax_.plot(
            [chosen.literals],
            [chosen.errors],
            "o",
            markersize=10,
            color=self._look.yes,
            markeredgecolor=self._look.paper,
            markeredgewidth=1.5,
            zorder=4,
            label="chosen",
        )
        self.ax_.annotate(
            f"chosen: {count(chosen.literals, 'literal')}, {_errors(chosen.errors)}",
            (chosen.literals, chosen.errors),
            (-4 if late else 4, 13),
            textcoords="offset points",
            color=self._look.yes,
            fontsize=SMALL + 0.5,
            fontweight="bold",
            ha="right" if late else "left",
            va="bottom",
            bbox={
                "boxstyle": "round,pad=0.15",
                "facecolor": self._look.paper,
                "edgecolor": "none",
                "alpha": 0.8,
            },
            zorder=5,
        )

    def _draw_scores(self, points: list[tuple[int, float]]) -> Axes:
        ax = self.ax_.twinx()
        scores = [score for _, score in points]
        ax.plot(
            [literals for literals, _ in points],
            scores,
            "D--",
            color=self._look.beside,
            markersize=4.5,
            linewidth=1.2,
            label="score",
        )
        ax.set_ylabel("score on rows held out", color=self._look.beside, fontsize=SMALL)
        ax.yaxis.set_major_formatter(
            PercentFormatter(1.0, decimals=0 if max(scores) - min(scores) > 0.1 else 1)
        )
        bare(ax)
        ax.margins(y=0.12)
        ax.tick_params(axis="y", labelsize=SMALL, labelcolor=self._look.beside, length=0)
        return ax

    def _draw_texts(self) -> None:
        ax = self.ax_
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        ax.set_xlabel("literals", color=self._look.faint, fontsize=SMALL)
        ax.set_ylabel("errors", color=self._look.faint, fontsize=SMALL)
        most = max(point.errors for point in self.explanation.front)
        ax.set_ylim(-0.04 * max(most, 1.0), 1.12 * max(most, 1.0))
        ax.margins(x=0.08)
        bare(ax, "bottom", "left")
        ax.tick_params(labelsize=SMALL, labelcolor=self._look.ink, length=0)
        ruled(ax, "both")
        headed(
            ax,
            f"Errors against length: {target_label(self.explanation, TITLE)}",
            self.explanation.to_sentence(),
            left=30,
        )


def _errors(errors: float) -> str:
    return "1 error" if errors == 1 else f"{errors:.3g} errors"
