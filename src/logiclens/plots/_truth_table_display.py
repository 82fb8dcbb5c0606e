"""A picture of the empirical truth table: tuples, how often they occur, what the network says (Fig. 7)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from logiclens.errors import InputError, count, shown
from logiclens.explain.explanation import Explanation
from logiclens.explain.rule import Label
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import check_count
from logiclens.logic.truth_table import TruthTable
from logiclens.plots._fitted import Member, check_rule
from logiclens.plots._style import (
    AS_IT_IS,
    SMALL,
    TITLE,
    Display,
    concept_label,
    draw_legend,
    hide_frame,
    target_label,
    write_footnote,
    write_title,
)

_BARS = 4.0  # width of the longest bar, in columns


class TruthTableDisplay(Display):
    """Truth table of a target: a line for each tuple of concepts, with its frequency and the answers.

    Filled dots are concepts that are true. Bars are rows of the data that have the tuple, by what the network
    says of them. Where the rule says otherwise, its answer is in another color.

    Parameters
    ----------
    table : TruthTable
        Tuples with the weight of yes and of no.
    explanation : Explanation, optional
        The rule to compare the answers with.
    who : str, default "answer"
        Whose answers they are, as the head of their column.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure
    table_ : TruthTable
        What is drawn: the table over the concepts shown.
    rows_ : ndarray of int
        The rows of ``table_`` that are drawn, from top to bottom.

    Examples
    --------
    >>> from logiclens import TruthTable
    >>> from logiclens.plots import TruthTableDisplay
    >>> table = TruthTable.from_data([[0, 1], [1, 0], [1, 0], [1, 1]], [1, 1, 1, 0], names=["a", "b"])
    >>> display = TruthTableDisplay.from_table(table)
    >>> display.table_.yes[display.rows_].tolist()
    [2.0, 1.0, 0.0]

    References
    ----------
    Sec. 4.1 and Fig. 7 of Ciravegna et al., *Logic Explained Networks*.
    """

    table_: TruthTable
    rows_: Any

    def __init__(
        self, table: TruthTable, *, explanation: Explanation | None = None, who: str = "answer"
    ) -> None:
        if not isinstance(table, TruthTable):
            raise InputError(f"table must be a TruthTable. Got {shown(table)}; use TruthTable.from_data.")
        self.table = table
        self.explanation = check_rule(explanation, table.names)
        self.who = who

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        target: Label | None = None,
        X: Any = None,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what the network of a fitted model says about a target.

        Parameters
        ----------
        model : fitted classifier, clusterer or pipeline
        target : label, optional
            Without it, the only target, or the second of two.
        X : data frame, array or mapping, optional
            Rows to count; those of the fit when missing. A loaded model and a clusterer hold none.
        ax : Axes, optional
            Where to draw; a new figure when missing.
        **kwargs
            As for :meth:`plot`.
        """
        member = Member.of(model, target)
        return cls(member.table(X), explanation=member.explanation, who="network").plot(ax, **kwargs)

    @classmethod
    def from_table(
        cls,
        table: TruthTable,
        explanation: Explanation | None = None,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a table, made from whatever answers.

        Parameters
        ----------
        table : TruthTable
        explanation : Explanation, optional
            The rule to compare the answers with; its concepts are among those of the table.
        ax : Axes, optional
        **kwargs
            As for :meth:`plot`.
        """
        return cls(table, explanation=explanation).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, max_rows: int = 16, max_concepts: int = 10) -> Self:
        """Draw the table.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when missing.
        max_rows : int, default 16
            Most tuples to show: the most frequent ones.
        max_concepts : int, default 10
            Most concepts to show: those of the rule, all of them, then others. Tuples that become equal are
            added up.
        """
        most = check_count(max_rows, "max_rows", least=1)
        self.table_ = self._select_concepts(check_count(max_concepts, "max_concepts", least=1))
        self.rows_ = self._order(most)
        n_concepts, n_rows = len(self.table_.names), len(self.rows_)
        answers = [n_concepts + 0.1] if self.explanation is None else [n_concepts + 0.1, n_concepts + 1.1]
        first_bar = answers[-1] + 0.9
        width = 1.9 + 0.42 * (first_bar + _BARS)
        self._start(ax, max(width, 5.2), 1.9 + 0.31 * n_rows)
        self._draw_tuples(n_concepts)
        self._draw_answers(answers)
        self._draw_bars(first_bar)
        self._draw_texts(answers, first_bar)
        return self

    def _select_concepts(self, most: int) -> TruthTable:
        names = self.table.names
        if len(names) <= most:
            return self.table
        used = () if self.explanation is None else self.explanation.concepts
        others = [name for name in self._concepts_by_gain() if name not in used]
        chosen = {*used, *others[: max(most - len(used), 0)]}
        return self.table.select([name for name in names if name in chosen])

    def _concepts_by_gain(self) -> list[str]:
        """Concepts, those first on which answers differ most between true and false."""
        bits = self.table.to_array()
        yes, no = self.table.yes @ bits, self.table.no @ bits
        total = max(float(self.table.yes.sum()), 1e-300), max(float(self.table.no.sum()), 1e-300)
        order = np.argsort(-np.abs(yes / total[0] - no / total[1]), kind="stable")
        return [self.table.names[j] for j in order]

    def _order(self, most: int) -> Any:
        """The most frequent tuples; those first to which the answer is yes."""
        weight = self.table_.yes + self.table_.no
        frequent = np.argsort(-weight, kind="stable")[:most]
        return frequent[np.lexsort((-weight[frequent], ~self._answers()[frequent]))]

    def _answers(self) -> BoolArray:
        """The answer on each tuple of the table: that of more weight."""
        return np.asarray(self.table_.yes > self.table_.no)

    def _draw_tuples(self, n_concepts: int) -> None:
        bits = self.table_.to_array()[self.rows_]
        said = self._answers()[self.rows_]
        for true, color, size in (
            (bits & said[:, None], self._look.yes, 62),
            (bits & ~said[:, None], self._look.faint, 62),
        ):
            y, x = np.nonzero(true)
            self.ax_.scatter(x, y, s=size, color=color, linewidths=0, zorder=3)
        y, x = np.nonzero(~bits)
        self.ax_.scatter(x, y, s=62, facecolors="none", edgecolors=self._look.no, linewidths=1, zorder=2)
        for at in range(0, len(bits), 2):
            self.ax_.axhspan(at - 0.5, at + 0.5, color=self._look.faint, alpha=0.08, linewidth=0, zorder=0)
        turn = int(said.sum())
        if 0 < turn < len(said):
            self.ax_.axhline(turn - 0.5, color=self._look.faint, linewidth=0.8, zorder=1)
        self.ax_.axvline(n_concepts - 0.45, color=self._look.faint, linewidth=0.8, zorder=1)

    def _draw_answers(self, places: list[float]) -> None:
        said = self._answers()[self.rows_]
        for y, answer in enumerate(said):
            self._word(places[0], y, bool(answer), self._look.yes if answer else self._look.faint)
        if self.explanation is not None:
            bits = self.table_.to_array()[self.rows_]
            true = self.explanation.formula.evaluate(bits, self.table_.names)
            for y, (rule, answer) in enumerate(zip(true, said, strict=True)):
                color = self._look.against if rule != answer else self._look.yes if rule else self._look.faint
                self._word(places[1], y, bool(rule), color, "bold" if rule != answer else "normal")

    def _word(self, x: float, y: float, answer: bool, color: str, weight: str = "normal") -> None:
        self.ax_.text(
            x,
            y,
            "yes" if answer else "no",
            color=color,
            fontsize=SMALL,
            fontweight=weight,
            ha="center",
            va="center_baseline",
        )

    def _draw_bars(self, first: float) -> None:
        yes, no = self.table_.yes[self.rows_], self.table_.no[self.rows_]
        scale = _BARS / float((yes + no).max())
        y = np.arange(len(yes))
        self.ax_.barh(y, yes * scale, 0.56, left=first, color=self._look.yes, zorder=2)
        self.ax_.barh(y, no * scale, 0.56, left=first + yes * scale, color=self._look.no, zorder=2)
        for at in range(len(yes)):
            text = f"{yes[at] + no[at]:.6g}"
            if yes[at] > 0 and no[at] > 0:
                text += f" ({min(yes[at], no[at]):.6g} {'no' if yes[at] > no[at] else 'yes'})"
            end = first + (yes[at] + no[at]) * scale + 0.15
            self.ax_.text(end, at, text, color=self._look.ink, fontsize=SMALL, va="center_baseline")

    def _draw_texts(self, answers: list[float], first_bar: float) -> None:
        ax, rule = self.ax_, self.explanation
        words = None if rule is None else rule.vocabulary
        heads = [concept_label(name, words, 26) for name in self.table_.names]
        heads += [self.who, "rule"][: len(answers)]
        steep = max(map(len, heads)) > 3
        ax.set_xticks(
            [*range(len(self.table_.names)), *answers],
            heads,
            rotation=40 if steep else 0,
            ha="left" if steep else "center",
            rotation_mode="anchor",
            fontsize=SMALL + 0.5,
            **AS_IT_IS,
        )
        ax.xaxis.tick_top()
        ax.set_yticks([])
        hide_frame(ax)
        ax.set_xlim(-0.7, first_bar + _BARS + 1.9)
        ax.set_ylim(len(self.rows_) - 0.5, -0.5)
        ax.text(first_bar, -0.78, "rows", fontsize=SMALL + 0.5, va="bottom", color=self._look.ink)
        draw_legend(
            ax,
            [
                Patch(color=self._look.yes, label=f"{self.who}: yes"),
                Patch(color=self._look.no, label=f"{self.who}: no"),
            ],
        )
        title = "Truth table" if rule is None else f"Truth table of {target_label(rule, TITLE)}"
        write_title(ax, title, "" if rule is None else rule.to_sentence(), above=_head_height(heads, steep))
        write_footnote(ax, self._left_out())

    def _left_out(self) -> str:
        """Remark about what is not shown."""
        parts = []
        concepts = len(self.table.names) - len(self.table_.names)
        if concepts:
            parts.append(count(concepts, "concept"))
        rarer = self.table_.n_rows - len(self.rows_)
        if rarer:
            weight = self.table_.yes + self.table_.no
            share = 1 - float(weight[self.rows_].sum() / weight.sum())
            parts.append(f"{count(rarer, 'rarer tuple')} ({share:.1%} of the rows)")
        return f"not shown: {', '.join(parts)}" if parts else ""


def _head_height(heads: list[str], steep: bool) -> float:
    """Points that the heads of the columns take above the axes."""
    longest = max(map(len, heads))
    return 0.66 * 0.56 * (SMALL + 0.5) * longest + 18 if steep else 22.0
