"""Pictures of a target's network: a sketch of it (Fig. 8), and how much each concept matters to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from numpy.typing import ArrayLike

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError, count, shown
from logiclens.explain.compose import check_layers, compose
from logiclens.explain.explanation import Explanation
from logiclens.explain.rule import Label
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import as_floats, check_count, check_names
from logiclens.logic.formula import Formula, Var
from logiclens.logic.normal_form import substitute
from logiclens.logic.syntax import format_formula
from logiclens.plots._fitted import Member, check_rule, check_words
from logiclens.plots._style import (
    AS_IT_IS,
    SMALL,
    TITLE,
    Display,
    concept_label,
    draw_bar_axes,
    draw_legend,
    hide_frame,
    label_length,
    label_width,
    shorten,
    target_label,
    write_footnote,
    write_title,
)

_GAP = 2.0  # between neighboring layers, where neighboring concepts are 1 apart
_APART = 0.9  # between neighboring hidden units
_TINY = 1e-300
_PRUNED = 5  # pruned concepts that are drawn
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Layer:
    """Units of one layer, and where they stand.

    Attributes
    ----------
    units : ndarray of int
        Positions of its units, from top to bottom.
    y : ndarray of float
        Where they stand, larger is lower.
    x : float
        Where the layer stands.
    """

    units: IndexArray
    y: FloatArray
    x: float


def path_signs(weights: Sequence[FloatArray]) -> list[FloatArray]:
    """Signs of the products of weights along the ways from each unit to the output.

    Activations between layers never turn a sign, so a unit whose ways all have the same sign raises the
    output (1) or lowers it (-1). Where they differ, or there is none, nothing can be said (0).

    Parameters
    ----------
    weights : sequence of ndarray of float, shape (n_out, n_in)
        From the concepts to a single output.

    Returns
    -------
    list of ndarray of float
        One for each layer but the concepts, hidden layers first; the output has 1.

    Examples
    --------
    >>> first, second = np.array([[1.0], [-1.0]]), np.array([[1.0, 2.0], [1.0, 0.0]])
    >>> [layer.tolist() for layer in path_signs([first, second, np.array([[1.0, -1.0]])])]
    [[0.0, 1.0], [1.0, -1.0], [1.0]]
    """
    up: BoolArray = np.ones(1, dtype=np.bool_)
    down = ~up
    found = [np.ones(1)]
    for weight in reversed(weights[1:]):
        more, less = (weight > 0).T, (weight < 0).T
        raised = (more & up) | (less & down)
        lowered = (more & down) | (less & up)
        up, down = np.asarray(raised.any(axis=1)), np.asarray(lowered.any(axis=1))
        found.append(up.astype(np.float64) - down)
    found.reverse()
    return found


def unit_strengths(weights: Sequence[FloatArray]) -> list[FloatArray]:
    """Strength of each unit of each layer: the sum over its paths of the products of absolute weights.

    Parameters
    ----------
    weights : sequence of ndarray of float, shape (n_out, n_in)
        From the concepts to a single output.

    Returns
    -------
    list of ndarray of float
        One for each layer, concepts and output included; 0 for hidden units that no input reaches.

    Examples
    --------
    >>> hidden, output = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[2.0, 3.0]])
    >>> [layer.tolist() for layer in unit_strengths([hidden, output])]
    [[2.0, 0.0], [2.0, 0.0], [1.0]]
    """
    found = [np.ones(1)]
    for weight in reversed(weights):
        found.append(np.abs(weight).T @ found[-1])
    found.reverse()
    reached = np.ones(len(found[0]), dtype=np.bool_)
    for depth, weight in enumerate(weights[:-1], start=1):
        reached = (np.abs(weight) @ reached) > 0
        found[depth] = np.where(reached, found[depth], 0.0)
    return found


def place_units(
    weights: Sequence[FloatArray], max_concepts: int, max_units: int, *, spread: float = 1.0
) -> list[Layer]:
    """Choose the strongest units of each layer, and where to draw them.

    Parameters
    ----------
    weights : sequence of ndarray of float, shape (n_out, n_in)
        From the concepts to a single output.
    max_concepts, max_units : int
        Most concepts, and most units of each hidden layer.
    spread : float, default 1
        Multiplies the distances between hidden units.

    Returns
    -------
    list of Layer
        Concepts from the strongest to the weakest, those without a connection left out; hidden units near
        what they read.
    """
    forces = unit_strengths(weights)
    last = len(weights)
    chosen = []
    for depth, force in enumerate(forces[:-1]):
        alive = np.flatnonzero(weights[0].any(axis=0) if depth == 0 else force > 0)
        order = alive[np.argsort(-force[alive], kind="stable")]
        chosen.append(order[: max_units if depth else max_concepts])
    chosen.append(np.zeros(1, dtype=np.int64))
    spans = [
        max(len(units) - 1, 0) * (_APART * spread if depth else 1.0) for depth, units in enumerate(chosen)
    ]
    middle = max(*spans, 2.0) / 2
    layers: list[Layer] = []
    for depth, (units, span) in enumerate(zip(chosen, spans, strict=True)):
        order = units
        if 0 < depth < last:  # lines cross less where units stand near what they read
            weight = np.abs(weights[depth - 1][np.ix_(units, layers[-1].units)])
            pull = weight @ layers[-1].y / np.maximum(weight.sum(axis=1), _TINY)
            order = units[np.argsort(pull, kind="stable")]
        y = middle + (np.linspace(-span / 2, span / 2, len(order)) if span else np.zeros(len(order)))
        layers.append(Layer(order, y, _GAP * depth))
    return layers


def curve(x: float, y: float, end_x: float, end_y: float) -> Path:
    """A line that leaves and arrives level."""
    bend = 0.5 * (end_x - x)
    points = [(x, y), (x + bend, y), (end_x - bend, end_y), (end_x, end_y)]
    return Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])


class NetworkDisplay(Display):
    """The network of a target: concepts to the left, hidden units, the target to the right.

    Lines are connections, as thick as their weights are large within their layer. Their color says whether
    they speak for the target or against it: the sign of the product of weights along the way to the output,
    so that two negative ones speak for it. Lines from which some ways speak for it and others against it, as
    can be with two hidden layers or more, are gray. Concepts that were pruned stand below, without lines.
    Beside the units of a psi network stand their formulas (Fig. 8a).

    Parameters
    ----------
    weights : sequence of arrays
        One of shape (n_out, n_in) for each layer, from the concepts to a single output; 0 where a connection
        was pruned.
    names : sequence of str
        The concepts, one for each input of the first layer.
    explanation : Explanation, optional
        The rule of the target.
    vocabulary : Vocabulary, optional
        What the concepts mean.
    neurons : sequence of sequence of Formula, optional
        Formulas of the units, layer by layer, as :func:`logiclens.compose` makes them.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure
    kept_ : tuple of str
        The concepts drawn with connections, from top to bottom.
    pruned_ : tuple of str
        Those drawn without.
    connections_ : tuple of ndarray
        Between neighboring layers, the weights of the lines, in the order of the lines of
        ``ax_.collections``.
    speaks_ : tuple of ndarray
        For each of these lines 1 where it speaks for the target, -1 where against it, 0 where both.

    Examples
    --------
    >>> from logiclens.plots import NetworkDisplay
    >>> weights = [[[1.0, -1.0, 0.0], [0.5, 0.0, 0.0]], [[2.0, 1.0]]]
    >>> display = NetworkDisplay(weights, ["a", "b", "c"]).plot()
    >>> display.kept_, display.pruned_
    (('a', 'b'), ('c',))
    >>> NetworkDisplay([[[-1.0]], [[-2.0]]], ["a"]).plot().speaks_[0].tolist()
    [1]

    References
    ----------
    Sec. 5 and Fig. 8 of Ciravegna et al., *Logic Explained Networks*.
    """

    kept_: tuple[str, ...]
    pruned_: tuple[str, ...]
    connections_: tuple[FloatArray, ...]
    speaks_: tuple[IndexArray, ...]

    def __init__(
        self,
        weights: Sequence[ArrayLike],
        names: Sequence[str],
        *,
        explanation: Explanation | None = None,
        vocabulary: Vocabulary | None = None,
        neurons: Sequence[Sequence[Formula]] = (),
    ) -> None:
        self.names = check_names(names)
        self.weights = _layers(weights, len(self.names))
        self.explanation = check_rule(explanation, self.names)
        self.vocabulary = check_words(vocabulary, self.explanation, self.names)
        self.neurons = _formulas(neurons, self.weights)

    @classmethod
    def from_estimator(
        cls, model: Any, target: Label | None = None, *, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the network of a fitted model's target.

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
            member.weights(),
            member.names,
            explanation=member.explanation,
            vocabulary=member.estimator.vocabulary_,
            neurons=_neurons(member),
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, max_concepts: int = 12, max_units: int = 12) -> Self:
        """Draw the network.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when missing.
        max_concepts : int, default 12
            Most concepts to draw with their connections: those that matter most.
        max_units : int, default 12
            Most units to draw in a hidden layer.
        """
        most = (
            check_count(max_concepts, "max_concepts", least=1),
            check_count(max_units, "max_units", least=1),
        )
        layers = place_units(self.weights, *most, spread=1.8 if self.neurons else 1.0)
        pruned = np.flatnonzero(~self._kept())
        self.kept_ = tuple(self.names[j] for j in layers[0].units)
        self.pruned_ = tuple(self.names[j] for j in pruned[:_PRUNED])
        lowest = max(float(layer.y.max(initial=0.0)) for layer in layers)
        height = lowest + (1.4 + 0.72 * (min(len(pruned), _PRUNED + 1) - 1) if len(pruned) else 0.0)
        self._start(ax, self._width(), 1.5 + 0.36 * height)
        self._draw_connections(layers)
        self._draw_units(layers)
        self._draw_pruned(pruned, lowest + 1.4)
        self._draw_texts(layers, height)
        return self

    def _width(self) -> float:
        """Inches for the lines, and for the labels on both sides of them."""
        labels = [concept_label(name, self.vocabulary) for name in (*self.kept_, *self.pruned_)]
        longest = max(map(len, labels), default=0)
        output = 6 if self.explanation is None else len(target_label(self.explanation))
        drawn = 2.6 if self.neurons else 2.2
        return 0.5 + 0.08 * (longest + max(output, 24 if self.neurons else 0)) + drawn * len(self.weights)

    def _kept(self) -> BoolArray:
        """True for concepts with a connection, shape (n_concepts,)."""
        return np.asarray(self.weights[0].any(axis=0))

    def _draw_connections(self, layers: list[Layer]) -> None:
        drawn, speaks = [], []
        colors = {1: self._look.yes, -1: self._look.against, 0: self._look.no}
        onward = path_signs(self.weights)
        for weight, left, right, sign in zip(self.weights, layers, layers[1:], onward, strict=False):
            part = weight[np.ix_(right.units, left.units)]
            to, start_at = np.nonzero(part)
            values = part[to, start_at]
            order = np.argsort(np.abs(values), kind="stable")  # strong ones on top
            to, start_at, values = to[order], start_at[order], values[order]
            says = (np.sign(values) * sign[right.units][to]).astype(np.intp)
            share = np.abs(values) / max(float(np.abs(weight).max()), 1e-300)
            lines = PathCollection(
                [curve(left.x, left.y[i], right.x, right.y[j]) for i, j in zip(start_at, to, strict=True)],
                facecolors="none",
                edgecolors=[colors[said] for said in says.tolist()],
                linewidths=0.3 + 3.4 * share,
                alpha=(0.25 + 0.6 * share).tolist() or None,
                zorder=1,
            )
            lines.set_capstyle("butt")
            self.ax_.add_collection(lines, autolim=False)
            drawn.append(values)
            speaks.append(says)
        self.connections_, self.speaks_ = tuple(drawn), tuple(speaks)

    def _draw_units(self, layers: list[Layer]) -> None:
        for depth, layer in enumerate(layers):
            outer = depth in (0, len(layers) - 1)
            self.ax_.scatter(
                np.full(len(layer.units), layer.x),
                layer.y,
                s=90 if outer else 60,
                color=self._look.yes if outer else self._look.paper,
                edgecolors=self._look.paper if outer else self._look.faint,
                linewidths=1.2,
                zorder=3,
            )
        longest = label_length(self.ax_)
        for name, y in zip(self.kept_, layers[0].y.tolist(), strict=True):
            self._say(0.0, y, concept_label(name, self.vocabulary, longest), -9)
        output = "output" if self.explanation is None else target_label(self.explanation, longest // 2 + 6)
        self._say(layers[-1].x, float(layers[-1].y[0]), output, 9, fontweight="bold")
        if self.neurons:
            self._draw_formulas(layers)

    def _draw_formulas(self, layers: list[Layer]) -> None:
        """Write its formula beside each unit, over short names of what it reads."""
        for depth, (formulas, layer) in enumerate(zip(self.neurons, layers[1:], strict=False)):
            before = layers[depth]
            letter = "h" if depth else "c"
            names = [f"h{depth}_{at}" for at in range(len(self.weights[depth - 1]))] if depth else self.names
            short = {names[unit]: Var(_subscript(letter, at)) for at, unit in enumerate(before.units, 1)}
            for at, (unit, y) in enumerate(zip(layer.units, layer.y, strict=True), start=1):
                formula = formulas[unit]
                known = {name: short.get(name, Var("…")) for name in formula.concepts}
                text = format_formula(substitute(formula, known), "unicode").replace('"', "")
                if depth == len(self.neurons) - 1:
                    faint: dict[str, Any] = {"color": self._look.faint, "fontsize": SMALL - 0.5}
                    self._say(layer.x, float(y) + 0.7, shorten(text, 32), 9, **faint)
                else:
                    self._tag(layer.x, y, f"{_subscript('h', at)} = {shorten(text, 30)}")
        for at, y in enumerate(layers[0].y, start=1):
            self._tag(layers[0].x, y, _subscript("c", at))

    def _tag(self, x: float, y: float, text: str) -> None:
        """Write a formula above a unit, on a pale ground."""
        ground = {
            "boxstyle": "round,pad=0.1",
            "facecolor": self._look.paper,
            "edgecolor": "none",
            "alpha": 0.75,
        }
        faint: dict[str, Any] = {"color": self._look.faint, "fontsize": SMALL - 1}
        self._say(x, y, text, 0, 11, ha="center", va="center", zorder=4, bbox=ground, **faint)

    def _draw_pruned(self, pruned: IndexArray, top: float) -> None:
        if not len(pruned):
            return
        faint: dict[str, Any] = {"color": self._look.faint, "fontsize": SMALL}
        longest = label_length(self.ax_)
        y = top + 0.72 * np.arange(len(self.pruned_))
        rings: dict[str, Any] = {"facecolors": "none", "edgecolors": self._look.no, "linewidths": 1.0}
        self.ax_.scatter(np.zeros(len(y)), y, s=36, zorder=3, **rings)
        for name, at in zip(self.pruned_, y.tolist(), strict=True):
            self._say(0.0, at, concept_label(name, self.vocabulary, longest), -9, **faint)
            self.ax_.plot([0.08, 0.5], [at, at], ":", color=self._look.no, linewidth=1)
        self._say(0.5, float(y.mean()), "pruned", 6, **faint)
        more = len(pruned) - len(y)
        if more:
            self._say(0.0, top + 0.72 * len(y), f"and {more} more", -9, **faint)

    def _say(self, x: float, y: float, text: str, right: float, above: float = 0.0, **settings: Any) -> None:
        """Write beside a point: this many points to the right of it, or to the left where negative."""
        usual = {"ha": "left" if right > 0 else "right", "va": "center_baseline", "color": self._look.ink}
        self.ax_.annotate(
            text,
            (x, y),
            (right, above),
            textcoords="offset points",
            annotation_clip=False,
            **usual | settings,
            **AS_IT_IS,
        )

    def _draw_texts(self, layers: list[Layer], height: float) -> None:
        ax = self.ax_
        ax.set_xlim(-0.15, layers[-1].x + 0.15)
        ax.set_ylim(height + 0.2, -0.6)
        ax.set_xticks([])
        ax.set_yticks([])
        hide_frame(ax)
        handles = [
            Line2D([], [], color=self._look.yes, linewidth=2.5, label="speaks for"),
            Line2D([], [], color=self._look.against, linewidth=2.5, label="speaks against"),
        ]
        if any((part == 0).any() for part in self.speaks_):
            handles.append(Line2D([], [], color=self._look.no, linewidth=2.5, label="both"))
        draw_legend(ax, handles)
        left = label_width([text for text in ax.texts if text.get_horizontalalignment() == "right"]) + 8
        rule = self.explanation
        remark = "" if rule is None else rule.to_sentence()
        write_title(
            ax, "Network" if rule is None else f"Network of {target_label(rule, TITLE)}", remark, left=left
        )
        write_footnote(ax, self._left_out(layers), left=left)

    def _left_out(self, layers: list[Layer]) -> str:
        """Remark about what is not drawn."""
        parts = []
        concepts = int(self._kept().sum()) - len(self.kept_)
        if concepts:
            parts.append(count(concepts, "weaker concept"))
        hidden = sum(len(weight) for weight in self.weights[:-1])
        units = hidden - sum(len(layer.units) for layer in layers[1:-1])
        if units:
            parts.append(f"{units} of {count(hidden, 'hidden unit')}")
        return f"not drawn: {', '.join(parts)}" if parts else ""


def _subscript(letter: str, number: int) -> str:
    return f"{letter}{number}".translate(_SUBSCRIPTS)


def _layers(weights: Any, n_concepts: int) -> tuple[FloatArray, ...]:
    if isinstance(weights, str) or not isinstance(weights, Sequence):
        raise InputError(f"weights must be a sequence of arrays, one a layer. Got {shown(weights)}.")
    arrays = [as_floats(weight, f"weights of layer {at}") for at, weight in enumerate(weights, start=1)]
    for at, weight in enumerate(arrays, start=1):
        if weight.ndim != 2:
            raise InputError(f"Weights of layer {at} must be of shape (n_out, n_in). Got {weight.shape}.")
    found = tuple(weight for weight, _ in check_layers([(w, np.zeros(len(w))) for w in arrays]))
    if found[0].shape[1] != n_concepts or len(found[-1]) != 1:
        raise InputError(
            f"The layers must lead from {count(n_concepts, 'concept')} to one output. "
            f"Got {count(found[0].shape[1], 'input')} and {count(len(found[-1]), 'output')}."
        )
    return found


def _formulas(neurons: Any, weights: tuple[FloatArray, ...]) -> tuple[tuple[Formula, ...], ...]:
    """Formulas of all units, or none at all."""
    layers = [*neurons] if isinstance(neurons, Sequence) else [neurons]
    if not layers:
        return ()
    parts = [tuple(part) if isinstance(part, Sequence) else (part,) for part in layers]
    formulas = all(isinstance(formula, Formula) for part in parts for formula in part)
    if not formulas or [len(part) for part in parts] != [len(weight) for weight in weights]:
        raise InputError(
            "neurons must be a formula for each unit of each layer, as compose makes them. "
            f"Got {shown(neurons)}."
        )
    return tuple(parts)


def _neurons(member: Member) -> tuple[tuple[Formula, ...], ...]:
    """Formulas of a psi network's units; none of other networks, whose units are no formulas."""
    if not hasattr(member.network, "neurons"):
        return ()
    try:
        return compose(list(zip(member.weights(), member.biases(), strict=True)), member.names).neurons
    except LimitError:  # a fan-in beyond what a person could read
        return ()


_BELOW = 36.0  # points from the axes to the remarks below their labels
_PRUNED_BARS = 6  # pruned concepts that have a bar


class ConceptRelevanceDisplay(Display):
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
            vocabulary=member.estimator.vocabulary_,
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
        most = check_count(max_concepts, "max_concepts", least=1)
        used = np.isin(self.names, () if self.explanation is None else self.explanation.concepts)
        first = np.lexsort((-self.relevance, ~self.kept, ~used))
        first = first[: min(most, max(int((self.kept | used).sum()) + _PRUNED_BARS, 1))]
        order = first[np.lexsort((-self.relevance[first], ~self.kept[first]))]
        self.names_ = tuple(self.names[j] for j in order)
        self._start(ax, 7.0, 1.5 + 0.27 * len(order))
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
        ax.set_xlabel("relevance", color=self._look.faint, fontsize=SMALL)
        draw_bar_axes(ax, max(1.0, float(self.relevance.max(initial=0.0))) * 1.02)
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
