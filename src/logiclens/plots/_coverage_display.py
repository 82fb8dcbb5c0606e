"""A picture of a rule term by term: how many rows each term covers, and how often it is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from logiclens.errors import InputError, count, shown
from logiclens.explain.explanation import Explanation, TermScore, term_scores
from logiclens.explain.rule import Label, formula_sentence, true_answers, true_labels
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import check_count
from logiclens.metrics.agreement import Interval, RuleScores, rule_scores
from logiclens.plots._fitted import rule_of
from logiclens.plots._style import (
    AS_IT_IS,
    SMALL,
    TITLE,
    Display,
    draw_bar_axes,
    draw_legend,
    label_length,
    label_width,
    lines_of,
    target_label,
    write_footnote,
    write_title,
)

_DASHED: dict[str, Any] = {"linestyle": (0, (4, 3)), "linewidth": 1}


class RuleCoverageDisplay(Display):
    """Terms of a rule: bars of coverage, points of precision, each with its 95 % interval.

    The first line is the rule as a whole, where it has several terms. The dashed line is the share of the
    target among all rows: the precision of a rule that says nothing.

    Parameters
    ----------
    explanation : Explanation
    scores : RuleScores
        The rates of the rule, as :func:`logiclens.rule_scores` finds them.
    terms : sequence of TermScore
        Those of its terms, as :func:`logiclens.explain.term_scores` finds them.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure
    lines_ : tuple of RuleScores and TermScore
        What is drawn, from top to bottom.

    Examples
    --------
    >>> from logiclens import Explanation, Rule, Var
    >>> from logiclens.plots import RuleCoverageDisplay
    >>> rule = Explanation(Rule("bird", Var("wings") | Var("beak")))
    >>> X = {"wings": [1, 1, 0, 0], "beak": [0, 0, 1, 0]}
    >>> display = RuleCoverageDisplay.from_explanation(rule, X, ["bird", "bat", "bird", "fish"])
    >>> [line.precision for line in display.lines_[1:]]
    [0.5, 1.0]
    """

    lines_: tuple[RuleScores | TermScore, ...]

    def __init__(self, explanation: Explanation, scores: RuleScores, terms: Sequence[TermScore]) -> None:
        if not isinstance(explanation, Explanation):
            raise InputError(f"explanation must be an Explanation. Got {shown(explanation)}.")
        if not isinstance(scores, RuleScores):
            raise InputError(f"scores must be RuleScores, as rule_scores makes them. Got {shown(scores)}.")
        parts = list(terms) if isinstance(terms, Iterable) else [terms]
        for term in parts:
            if not isinstance(term, TermScore):
                raise InputError(f"terms must be TermScores, as term_scores makes them. Got {shown(term)}.")
        self.explanation = explanation
        self.scores = scores
        self.terms = tuple(parts)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any = None,
        target: Label | None = None,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a rule of a fitted model on some rows.

        Parameters
        ----------
        model : fitted classifier, clusterer or pipeline
        X : data frame, array or mapping, n rows
            As the rules read them: raw columns, or concepts.
        y : array of shape (n,), or table of shape (n, n_targets), optional
            The truth about the rows; what the model predicts when missing.
        target : label, optional
            Without it, the only target, or the second of two.
        ax : Axes, optional
            Where to draw; a new figure when missing.
        **kwargs
            As for :meth:`plot`.
        """
        explanation = rule_of(model, target)
        rules = model.explain()
        said = model.predict(X) if y is None else y
        rows = X
        if rules.vocabulary is None:  # columns without names are found by their place
            data = rules.read(X)
            rows = {name: data.column(name) for name in rules.concept_names}
        if rules.multi_label:
            answers = true_answers(said, rules.labels, len(explanation.evaluate(rows)))
            return cls._of(explanation, rows, answers[:, rules.labels.index(explanation.target)], ax, kwargs)
        return cls.from_explanation(explanation, rows, said, ax=ax, **kwargs)

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, X: Any, y: Any, *, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw a rule on some rows.

        Parameters
        ----------
        explanation : Explanation
        X : data frame, array or mapping, n rows
            Concepts, or with a vocabulary the columns of the raw table.
        y : array of shape (n,)
            Labels, of which the target is one.
        ax : Axes, optional
        **kwargs
            As for :meth:`plot`.
        """
        if not isinstance(explanation, Explanation):
            raise InputError(f"explanation must be an Explanation. Got {shown(explanation)}.")
        labels = true_labels(y, [explanation.target], len(explanation.evaluate(X)))
        return cls._of(explanation, X, np.asarray(labels == explanation.target), ax, kwargs)

    @classmethod
    def _of(
        cls, explanation: Explanation, X: Any, is_target: BoolArray, ax: Axes | None, kwargs: dict[str, Any]
    ) -> Self:
        scores = rule_scores(explanation, X, is_target)
        return cls(explanation, scores, term_scores(explanation, X, is_target)).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, max_terms: int = 12) -> Self:
        """Draw the terms.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when missing.
        max_terms : int, default 12
            Most terms to show: those that cover most.
        """
        most = check_count(max_terms, "max_terms", least=1)
        covered = np.array([term.covered for term in self.terms])
        kept = np.sort(np.argsort(-covered, kind="stable")[:most]).tolist()
        self.lines_ = (self.scores, *(self.terms[at] for at in kept if len(self.terms) > 1))
        self._start(ax, 8.2, 1.75 + 0.46 * len(self.lines_))
        self._draw_rates()
        self._draw_texts()
        return self

    def _draw_rates(self) -> None:
        ax, faint = self.ax_, self._look.faint
        for y, score in enumerate(self.lines_):
            ax.barh(y, score.coverage, 0.56, color=self._look.pale, zorder=1)
            _interval(ax, y + 0.16, score.coverage_interval, self._look.yes)
            ax.plot(score.coverage, y + 0.16, "|", color=self._look.yes, markersize=7, zorder=3)
            if score.precision is not None and score.precision_interval is not None and score.covered:
                _interval(ax, y - 0.1, score.precision_interval, self._look.yes, 2.2)
                ax.plot(
                    score.precision,
                    y - 0.1,
                    "o",
                    color=self._look.yes,
                    markersize=7.5,
                    markeredgecolor=self._look.paper,
                    markeredgewidth=1,
                    zorder=4,
                    clip_on=False,
                )
            else:
                ax.text(0.01, y, "true of no row", fontsize=SMALL, color=faint, va="center_baseline")
            rows = f"{score.covered:.6g}"
            ax.text(1.03, y, rows, fontsize=SMALL, va="center_baseline", color=self._look.ink)
        ax.axvline(self.scores.prevalence, color=faint, **_DASHED, zorder=0.5)

    def _draw_texts(self) -> None:
        ax, rule = self.ax_, self.explanation
        texts = [
            "the rule" if isinstance(line, RuleScores) else lines_of(line.to_sentence(), label_length(ax))
            for line in self.lines_
        ]
        if len(texts) == 1:  # the rule is its only term, or a constant
            texts = [lines_of(formula_sentence(rule.formula, rule.vocabulary), label_length(ax))]
        ax.set_yticks(range(len(texts)), texts, **AS_IT_IS)
        if len(texts) > 1:
            ax.get_yticklabels()[0].set_fontweight("bold")
            ax.axhline(0.5, color=self._look.faint, linewidth=0.8)
        ax.set_ylim(len(texts) - 0.4, -0.6)
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.text(1.03, -0.72, "rows", fontsize=SMALL, va="bottom", color=self._look.faint)
        draw_bar_axes(ax, 1.015)
        target = target_label(rule, TITLE)
        handles = [
            Line2D([], [], color=self._look.yes, marker="o", linewidth=2.2, markersize=7, label="precision"),
            Patch(color=self._look.pale, label="coverage"),
            Line2D([], [], color=self._look.faint, label=f"share of {target}", **_DASHED),
        ]
        draw_legend(ax, handles, below=28)
        left = label_width(ax.get_yticklabels())
        n_rows = count(round(self.scores.n), "row")
        write_title(ax, f"Terms of the rule of {target}", f"on {n_rows}, with 95 % intervals", left=left)
        left_out = len(self.terms) - len(self.lines_) + 1
        if len(self.lines_) > 1 and left_out:
            write_footnote(ax, f"not shown: {count(left_out, 'term')} of less coverage", below=28, left=left)


def _interval(ax: Axes, y: float, ends: Interval, color: str, width: float = 1.2) -> None:
    ax.plot(ends, [y, y], color=color, linewidth=width, solid_capstyle="round", zorder=3, clip_on=False)
