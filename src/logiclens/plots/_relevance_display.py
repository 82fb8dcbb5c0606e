"""A picture of how much each concept matters to the network of a target, and which ones it reads at all."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, count, shown
from logiclens.explain.explanation import Explanation
from logiclens.explain.rule import Label
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import as_floats, check_names
from logiclens.plots._fitted import Member, check_rule, check_words
from logiclens.plots._style import (
    AS_IT_IS,
    SMALL,
    TITLE,
    Look,
    check_most,
    concept_label,
    draw_grid,
    draw_legend,
    hide_frame,
    label_length,
    label_width,
    start,
    target_label,
    write_footnote,
    write_title,
)

_BELOW = 36.0  # points from the axes to the remarks below their labels
_PRUNED = 6  # pruned concepts that are drawn


class ConceptRelevanceDisplay:
    """Relevance of concepts to a target: a bar for each, the most relevant of length 1.

    Bars are dark for concepts that the rule speaks of, pale for others that the network reads. Pruned
    concepts have no bar.

    Parameters
    ----------
    names : sequence of str
        The concepts.
    relevance : array of shape (n_concepts,)
        Numbers of at least 0.
    kept : array of bool, shape (n_concepts,), optional
        Which concepts the network reads; when missing, those whose relevance is not 0.
    explanation : Explanation, optional
        The rule of the target.
    vocabulary : Vocabulary, optional
        What the concepts mean; that of the rule when missing.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure
    names_ : tuple of str
        The concepts drawn, from top to bottom.

    Examples
    --------
    >>> from logiclens.plots import ConceptRelevanceDisplay
    >>> display = ConceptRelevanceDisplay(["age", "sex", "stroke"], [0.4, 0.0, 1.0]).plot()
    >>> display.names_
    ('stroke', 'age', 'sex')
    """

    ax_: Axes
    figure_: Figure
    names_: tuple[str, ...]

    def __init__(
        self,
        names: Any,
        relevance: ArrayLike,
        *,
        kept: ArrayLike | None = None,
        explanation: Explanation | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.names = check_names(names)
        self.relevance = _relevances(relevance, len(self.names))
        read = self.relevance > 0 if kept is None else np.asarray(kept)
        if read.dtype != np.bool_ or read.shape != self.relevance.shape:
            raise InputError(
                f"kept must be a Boolean for each of the {count(len(self.names), 'concept')}. "
                f"Got {shown(kept)}."
            )
        self.kept = read
        self.explanation = check_rule(explanation, self.names)
        self.vocabulary = check_words(vocabulary, self.explanation, self.names)

    @classmethod
    def from_estimator(
        cls, model: Any, target: Label | None = None, *, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the concepts of a fitted model's network.

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
        member = Member.of(model, target)
        display = cls(
            member.names,
            member.relevance(),
            kept=member.kept(),
            explanation=member.explanation,
            vocabulary=member.vocabulary,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, max_concepts: int = 16) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when missing.
        max_concepts : int, default 16
            Most concepts to show: those of the rule, then the most relevant ones.
        """
        most = check_most(max_concepts, "max_concepts")
        used = np.isin(self.names, () if self.explanation is None else self.explanation.concepts)
        first = np.lexsort((-self.relevance, ~self.kept, ~used))
        first = first[: min(most, max(int((self.kept | used).sum()) + _PRUNED, 1))]
        order = first[np.lexsort((-self.relevance[first], ~self.kept[first]))]
        self.names_ = tuple(self.names[j] for j in order)
        self.figure_, self.ax_ = start(ax, 7.0, 1.5 + 0.27 * len(order))
        self._look = Look.of(self.ax_)
        y = np.arange(len(order))
        colors = [self._look.yes if used[j] or self.explanation is None else self._look.pale for j in order]
        length = np.where(self.kept[order], self.relevance[order], 0.0)
        self.ax_.barh(y, length, 0.62, color=colors, zorder=2)
        for at in np.flatnonzero(~self.kept[order]).tolist():
            self.ax_.text(0.012, at, "pruned", fontsize=SMALL, color=self._look.faint, va="center_baseline")
        self._draw_texts(order, used)
        return self

    def _draw_texts(self, order: IndexArray, used: BoolArray) -> None:
        ax = self.ax_
        labels = [concept_label(name, self.vocabulary, label_length(ax)) for name in self.names_]
        ax.set_yticks(range(len(order)), labels, **AS_IT_IS)
        for label, kept in zip(ax.get_yticklabels(), self.kept[order], strict=True):
            if not kept:
                label.set_color(self._look.faint)
        ax.set_ylim(len(order) - 0.4, -0.6)
        ax.set_xlim(0, max(1.0, float(self.relevance.max(initial=0.0))) * 1.02)
        ax.set_xlabel("relevance", color=self._look.faint, fontsize=SMALL)
        hide_frame(ax, "left")
        ax.tick_params(axis="y", length=0)
        ax.tick_params(axis="x", labelsize=SMALL, labelcolor=self._look.faint, length=0)
        draw_grid(ax, "x")
        rule = self.explanation
        if rule is not None:
            drawn = self.kept[order]
            seen = [
                (self._look.yes, "in the rule", used[order] & drawn),
                (self._look.pale, "kept by the network", ~used[order] & drawn),
            ]
            handles = [Patch(color=color, label=text) for color, text, there in seen if there.any()]
            draw_legend(ax, handles, below=_BELOW)
        left = label_width(ax.get_yticklabels())
        title = "Concepts" if rule is None else f"Concepts of {target_label(rule, TITLE)}"
        n_kept = int(self.kept.sum())
        write_title(
            ax, title, f"{n_kept} of {count(len(self.names), 'concept')} kept by the network", left=left
        )
        write_footnote(ax, self._left_out(order), below=_BELOW, left=left)

    def _left_out(self, order: IndexArray) -> str:
        """Remark about what is not drawn."""
        number = len(self.names) - len(order)
        pruned = int((~self.kept).sum() - (~self.kept[order]).sum())
        if not number:
            return ""
        some = f", {'all' if pruned == number else pruned} pruned" if pruned else ""
        return f"not shown: {count(number, 'concept')}{some}"


def _relevances(values: ArrayLike, n_concepts: int) -> FloatArray:
    numbers = as_floats(values, "relevance")
    if numbers.shape != (n_concepts,) or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise InputError(
            f"relevance must be a number of at least 0 for each of the {count(n_concepts, 'concept')}. "
            f"Got {shown(values)}."
        )
    return numbers
