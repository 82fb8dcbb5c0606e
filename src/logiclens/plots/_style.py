"""The looks and texts of pictures: few colors, no frames, short texts that are shown as they are.

The colors are of the palette of Okabe and Ito, which color-blind readers tell apart. Letters and backgrounds
follow the user's style, so that pictures suit dark backgrounds as well.

Names are data. matplotlib would read what stands between dollar signs as mathematics, so every text that
holds a name is drawn with :data:`AS_IT_IS`. Long ones lose their middle, since beginnings and ends tell names
apart; what cannot be seen is escaped as in sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Final, Literal

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, shown
from logiclens.explain.explanation import Explanation
from logiclens.explain.rule import RuleKind, formula_sentence, label_in_sentence
from logiclens.logic.formula import Var

AS_IT_IS = MappingProxyType[str, Any]({"parse_math": False, "usetex": False})
"""Settings of a text that keep matplotlib from reading it as mathematics or LaTeX."""

LONGEST = 40
"""Most characters of a label."""
TITLE = 28
"""Most characters of a target in a title."""
SMALL: Final = 9.0
"""Size of letters of remarks, in points."""
LINE: Final = 1.36 * SMALL
"""Height of a line of them."""


def shorten(text: str, longest: int = LONGEST) -> str:
    """Text of that many characters at most, an ellipsis in place of its middle.

    Examples
    --------
    >>> print(shorten("left_ventricular_ejection_fraction", 20))
    left_vent…n_fraction
    """
    if len(text) <= longest:
        return text
    tail = longest // 2
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def concept_label(name: str, vocabulary: Vocabulary | None = None, longest: int = LONGEST) -> str:
    """A concept in words, as the label of a picture.

    Examples
    --------
    >>> print(concept_label("bill colour"))
    bill colour
    """
    return shorten(formula_sentence(Var(name), vocabulary), longest)


def target_label(rule: Explanation, longest: int = LONGEST) -> str:
    """The target of a rule as part of a title: a name, or the number of a class or cluster.

    Examples
    --------
    >>> from logiclens.explain import Rule
    >>> print(target_label(Explanation(Rule("death", Var("stroke")))))
    death
    >>> print(target_label(Explanation(Rule(3, Var("stroke"), "cluster"))))
    cluster 3
    """
    text = label_in_sentence(rule.target)
    if not isinstance(rule.target, str):
        text = f"{'cluster' if rule.kind is RuleKind.CLUSTER else 'class'} {text}"
    return shorten(text, longest)


def lines_of(text: str, width: int, most: int = 2) -> str:
    """Text on a few lines of some characters; what is too long loses its middle.

    Examples
    --------
    >>> print(lines_of("age above 62 and stroke, or diabetes", 14))
    age above 62
    …, or diabetes
    """
    text = shorten(text, most * width)
    lines = wrap(text, width)
    while len(lines) > most:  # line ends waste room
        text = shorten(text, len(text) - 1)
        lines = wrap(text, width)
    return "\n".join(lines)


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
    second : color
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
    second: str
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


class Display:
    """A picture: the axes that it is drawn on, and the colors that suit these."""

    ax_: Axes
    figure_: Figure

    def _start(self, ax: Axes | None, width: float, height: float) -> None:
        """Draw on the caller's axes, or on those of a new figure of that size, in inches."""
        self.figure_, self.ax_ = start(ax, width, height)
        self._look = Look.of(self.ax_)


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


def hide_frame(ax: Axes, *keep: str) -> None:
    """Take the frame away, but for some sides."""
    color = Look.of(ax).faint
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)
        spine.set_color(color)
    ax.tick_params(length=0)


def draw_bar_axes(ax: Axes, most: float) -> None:
    """Draw the axes of horizontal bars: labels to the left, and numbers from 0 on below."""
    ax.set_xlim(0, most)
    hide_frame(ax, "left")
    ax.tick_params(axis="x", labelsize=SMALL, labelcolor=Look.of(ax).faint)
    draw_grid(ax, "x")


def draw_grid(ax: Axes, axis: Literal["x", "y", "both"]) -> None:
    """Draw thin lines at the ticks, behind everything."""
    ax.grid(axis=axis, color=Look.of(ax).faint, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)


def write_title(ax: Axes, title: str, remark: str = "", *, above: float = 8.0, left: float = 0.0) -> None:
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
    small = _remark(ax, remark, above, left) if remark else None
    n_lines = 0
    if small is not None:
        small.set_text(lines_of(remark, _letters(ax, small, left), most=3))
        n_lines = small.get_text().count("\n") + 1
    large = _remark(ax, title, above + (LINE * n_lines + 5 if n_lines else 0), left)
    large.set(fontsize=12, fontweight="bold", color=Look.of(ax).ink)
    large.set_text(shorten(title, _letters(ax, large, left)))


def write_footnote(ax: Axes, remark: str, *, below: float = 8.0, left: float = 0.0) -> None:
    """Write a remark in small letters, this many points below the axes and before them."""
    if remark:
        _remark(ax, remark, -below, left)


def _remark(ax: Axes, text: str, above: float, left: float) -> Text:
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


def draw_legend(ax: Axes, handles: Sequence[Any], *, below: float = 6.0) -> None:
    """Say what colors and signs mean, in one line to the right, this many points below the axes."""
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
    """Number of letters like those of a text that fit on a line from this many points before the axes."""
    longest = max(map(len, text.get_text().splitlines()), default=0)
    return max(int(_line(ax, left) * longest / max(_width(text), 1.0)), 12)


def _line(ax: Axes, left: float) -> float:
    """Points of a line that begins this many points before the axes."""
    figure = ax.get_figure(root=True)
    inches = 6.4 if figure is None else float(figure.get_size_inches()[0])
    if figure is not None and len(figure.axes) > 1:  # others stand beside it
        return 0.95 * (72 * inches * ax.get_position().width + left)
    return 0.97 * 72 * inches


def label_length(ax: Axes) -> int:
    """Most letters of labels to the left of axes, so that they leave room for what is drawn."""
    return max(min(int(0.45 * _line(ax, 0.0) / 5.6), LONGEST), 12)
