"""How pictures look: few colors that color-blind readers tell apart, no frames, space for long names.

The colors are of the palette of Okabe and Ito. Letters and backgrounds follow the user's style, so that
pictures suit dark backgrounds as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from logiclens.errors import InputError, shown
from logiclens.plots.texts import AS_IT_IS, LONGEST, lines_of, shorten

SMALL: Final = 9.0
"""Size of letters of remarks, in points."""
LINE: Final = 1.36 * SMALL
"""Height of a line of them."""


@dataclass(frozen=True)
class Look:
    """Colors for one background.

    Attributes
    ----------
    yes : color
        What is true, kept or chosen.
    pale : color
        The same with less weight.
    no : color
        What is false or pruned.
    against : color
        What speaks against: negative weights, disagreement.
    beside : color
        A second quantity.
    faint : color
        Remarks, and lines that only guide the eye.
    ink, paper : color
        Of letters, and of the background.
    """

    yes: str
    pale: str
    no: str
    against: str
    beside: str
    faint: str
    ink: Any = "black"
    paper: Any = "white"

    @classmethod
    def of(cls, ax: Axes) -> Look:
        """The colors that suit some axes."""
        figure = ax.get_figure(root=True)
        paper = to_rgba(ax.get_facecolor())
        if paper[3] < 0.5 and figure is not None:  # transparent axes
            paper = to_rgba(figure.get_facecolor())
        if paper[3] < 0.5:
            paper = (1.0, 1.0, 1.0, 1.0)
        red, green, blue, _ = paper
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        return replace(_ON_DARK if dark else _ON_LIGHT, ink=ax.title.get_color(), paper=paper)


_ON_LIGHT: Final = Look("#0072B2", "#A9CFE8", "#B4BAC3", "#D55E00", "#00805D", "#757C87")
_ON_DARK: Final = Look("#56B4E9", "#2C6287", "#5C636E", "#F08A3C", "#3CC9A0", "#9AA2AE")


def check_most(value: int, name: str) -> int:
    """Return how many things to show at most, once it is sure that it is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} must be a whole number of at least 1. Got {shown(value)}.")
    return int(value)


def start(ax: Axes | None, width: float, height: float) -> tuple[Figure, Axes]:
    """The axes to draw on: the caller's, or those of a new figure of that size, in inches."""
    if ax is None:
        return plt.subplots(figsize=(width, height), layout="constrained")
    if not isinstance(ax, Axes):
        raise InputError(f"ax must be axes of matplotlib, as plt.subplots makes them. Got {shown(ax)}.")
    figure = ax.get_figure(root=True)
    if figure is None:
        raise InputError("ax belongs to no figure (any more). Make new axes, as plt.subplots does.")
    return figure, ax


def bare(ax: Axes, *keep: str) -> None:
    """Take the frame away, but for some sides."""
    color = Look.of(ax).faint
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)
        spine.set_color(color)
    ax.tick_params(length=0)


def ruled(ax: Axes, axis: Literal["x", "y", "both"]) -> None:
    """Draw thin lines at the ticks, behind everything."""
    ax.grid(axis=axis, color=Look.of(ax).faint, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)


def headed(ax: Axes, title: str, remark: str = "", *, above: float = 8.0, left: float = 0.0) -> None:
    """Write a title, and in small letters below it what it means.

    Parameters
    ----------
    ax : Axes
    title, remark : str
    above : float, default 8
        Points between the axes and the remark, for what stands there.
    left : float, default 0
        Points by which both begin before the axes: where its labels begin.
    """
    small = _beside(ax, remark, above, left) if remark else None
    n_lines = 0
    if small is not None:
        small.set_text(lines_of(remark, _letters(ax, small, left), most=3))
        n_lines = small.get_text().count("\n") + 1
    large = _beside(ax, title, above + (LINE * n_lines + 5 if n_lines else 0), left)
    large.set(fontsize=12, fontweight="bold", color=Look.of(ax).ink)
    large.set_text(shorten(title, _letters(ax, large, left)))


def footed(ax: Axes, remark: str, *, below: float = 8.0, left: float = 0.0) -> None:
    """Write a remark in small letters, so many points below the axes and before them."""
    if remark:
        _beside(ax, remark, -below, left)


def _beside(ax: Axes, text: str, above: float, left: float) -> Text:
    """Small letters above or below the axes."""
    return ax.annotate(
        text,
        (0, 1 if above > 0 else 0),
        (-left, above),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom" if above > 0 else "top",
        fontsize=SMALL,
        color=Look.of(ax).faint,
        annotation_clip=False,
        **AS_IT_IS,
    )


def keyed(ax: Axes, handles: Sequence[Any], *, below: float = 6.0) -> None:
    """Say what colors and signs mean, in one line to the right, so many points below the axes."""
    figure = ax.get_figure(root=True)
    if figure is None:
        return
    place = ax.transAxes + ScaledTranslation(0, -below / 72, figure.dpi_scale_trans)
    legend = ax.legend(
        handles=handles,
        loc="upper right",
        bbox_to_anchor=(1, 0),
        bbox_transform=place,
        ncols=len(handles),
        frameon=False,
        fontsize=SMALL,
        handlelength=1.4,
        borderaxespad=0,
        borderpad=0,
    )
    for text in legend.get_texts():
        text.update(dict(AS_IT_IS))


def label_width(texts: Sequence[Text]) -> float:
    """Points that the widest of some labels takes, with the space beside it."""
    return max(map(_width, texts), default=0.0) + 4


def _width(text: Text) -> float:
    figure = text.get_figure(root=True)
    return 0.0 if figure is None else float(text.get_window_extent().width) * 72 / figure.dpi


def _letters(ax: Axes, text: Text, left: float) -> int:
    """How many letters like those of a text fit on a line that begins so many points before the axes."""
    longest = max(map(len, text.get_text().splitlines()), default=0)
    return max(int(_line(ax, left) * longest / max(_width(text), 1.0)), 12)


def _line(ax: Axes, left: float) -> float:
    """Points of a line that begins so many points before the axes."""
    figure = ax.get_figure(root=True)
    inches = 6.4 if figure is None else float(figure.get_size_inches()[0])
    if figure is not None and len(figure.axes) > 1:  # others stand beside it
        return 0.95 * (72 * inches * ax.get_position().width + left)
    return 0.97 * 72 * inches


def label_length(ax: Axes) -> int:
    """Most letters of labels to the left of axes, so that they leave room for what is drawn."""
    return max(min(int(0.45 * _line(ax, 0.0) / 5.6), LONGEST), 12)
