from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import same_color

from logiclens import FALSE, TRUE, Explanation, Rule, TruthTable, Var
from logiclens.plots import TruthTableDisplay
from logiclens.plots._style import Look
from tests.plots.conftest import fitted
from tests.strategies import labelled_rows

a, b, c = map(Var, "abc")
TABLE = TruthTable.from_counts(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]], yes=[0, 30, 2, 5], no=[40, 0, 1, 0], names=["a", "b", "c"]
)


def words(ax: Axes, place: float) -> list[str]:
    """Texts at some x, from top to bottom."""
    texts = [text for text in ax.texts if text.get_position()[0] == pytest.approx(place)]
    return [text.get_text() for text in sorted(texts, key=lambda text: text.get_position()[1])]


def bars(ax: Axes) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of the bars of yes and of no."""
    yes, no = ax.containers[:2]
    return np.array([bar.get_width() for bar in yes]), np.array([bar.get_width() for bar in no])


def test_bars_are_as_long_as_tuples_are_frequent():
    display = TruthTableDisplay.from_table(TABLE)
    yes, no = bars(display.ax_)
    scale = 4 / 40

    np.testing.assert_allclose(yes, np.array([30, 5, 2, 0]) * scale)
    np.testing.assert_allclose(no, np.array([0, 0, 1, 40]) * scale)


def test_dots_are_filled_where_concepts_are_true():
    display = TruthTableDisplay.from_table(TABLE)
    look = Look.of(display.ax_)
    true_yes, true_no, false = display.ax_.collections[:3]

    assert sorted(map(tuple, true_yes.get_offsets().tolist())) == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 1)]
    assert len(true_no.get_offsets()) == 0
    assert len(false.get_offsets()) == 4 * 3 - 5
    assert same_color(true_yes.get_facecolor()[0], look.yes)


def test_the_rule_stands_beside_the_answer_and_disagreement_is_marked():
    display = TruthTableDisplay.from_table(TABLE, Explanation(Rule("bird", a)))

    assert words(display.ax_, 3.1) == ["yes", "yes", "yes", "no"]
    assert words(display.ax_, 4.1) == ["yes", "yes", "no", "no"]
    marked = [
        text for text in display.ax_.texts if text.get_fontweight() == "bold" and text.get_text() == "no"
    ]
    assert [text.get_position()[1] for text in marked] == [2]


@pytest.mark.parametrize(("formula", "said"), [(TRUE, "yes"), (FALSE, "no"), (b, None)])
def test_constants_and_single_concepts_are_rules_like_any_other(formula: Any, said: str | None):
    display = TruthTableDisplay.from_table(TABLE, Explanation(Rule("bird", formula)))

    rule = words(display.ax_, 4.1)
    assert set(rule) == {said} if said else rule == ["no", "yes", "yes", "no"]


def test_frequencies_are_written_out():
    texts = [text.get_text() for text in TruthTableDisplay.from_table(TABLE).ax_.texts]

    assert {"30", "5", "3 (1 no)", "40"} <= set(texts)


def test_rare_tuples_are_left_out_and_counted():
    display = TruthTableDisplay.from_table(TABLE, max_rows=2)

    assert TABLE.yes[display.rows_].tolist() == [30, 0]
    assert "not shown: 2 rarer tuples (10.3% of the rows)" in [t.get_text() for t in display.ax_.texts]


def test_of_many_concepts_those_of_the_rule_are_shown_and_tuples_added_up():
    display = TruthTableDisplay.from_table(TABLE, Explanation(Rule("bird", c)), max_concepts=1)

    assert display.table_.names == ("c",)
    assert display.table_.yes.tolist() == [32, 5]
    assert "not shown: 2 concepts" in [text.get_text() for text in display.ax_.texts]


def test_all_concepts_of_the_rule_are_shown_however_many():
    display = TruthTableDisplay.from_table(TABLE, Explanation(Rule("bird", a & b & c)), max_concepts=1)

    assert display.table_.names == ("a", "b", "c")


def test_without_a_rule_the_concepts_that_tell_most_are_shown():
    assert TruthTableDisplay.from_table(TABLE, max_concepts=1).table_.names == ("a",)


def test_a_table_without_concepts_is_one_line():
    table = TruthTable.from_data(np.zeros((3, 0)), [1, 1, 0], names=[])
    display = TruthTableDisplay.from_table(table, Explanation(Rule("bird", TRUE)))

    assert words(display.ax_, 0.1) == ["yes"]


@given(labelled_rows())
@settings(max_examples=15)
def test_all_the_weight_is_drawn(rows: Any):
    X, y, weight, names = rows
    table = TruthTable.from_data(X, y, names=names, sample_weight=weight)
    display = TruthTableDisplay.from_table(table, max_rows=100)
    yes, no = bars(display.ax_)
    plt.close(display.figure_)

    share = (yes.sum() + no.sum()) / max(yes + no)
    assert share == pytest.approx(table.total / (table.yes + table.no).max())
    heads = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert len(heads) == len(names) + 1


@pytest.mark.parametrize("kind", ["Mu", "Psi", "Relu", "Entropy"])
def test_every_network_is_drawn(kind: str):
    model = fitted(kind)
    display = TruthTableDisplay.from_estimator(model, "virginica", max_rows=1000)

    shown = display.table_
    assert shown.total == pytest.approx(model.seen_.weight.sum())
    assert display.ax_.get_xticklabels()[-2].get_text() == "network"
