from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from logiclens import Explanation, Rule, Var
from logiclens.errors import InputError
from logiclens.plots._style import (
    LONGEST,
    Look,
    concept_label,
    draw_grid,
    draw_legend,
    hide_frame,
    label_length,
    label_width,
    lines_of,
    shorten,
    start,
    target_label,
    write_footnote,
    write_title,
)
from tests.strategies import names


@given(st.text(max_size=80), st.integers(3, 60))
def test_a_short_text_stays_and_a_long_one_keeps_both_ends(text: str, longest: int):
    short = shorten(text, longest)

    assert len(short) == min(len(text), longest)
    if len(text) <= longest:
        assert short == text
    else:
        head, tail = short[: longest - longest // 2 - 1], short[-(longest // 2) :]
        assert text.startswith(head)
        assert text.endswith(tail)


@given(names())
def test_labels_of_concepts_are_one_short_line(name: str):
    label = concept_label(name)

    assert len(label) <= LONGEST
    assert label.isprintable()


@pytest.mark.parametrize(
    ("target", "kind", "expected"),
    [("death", "iff", "death"), (3, "iff", "class 3"), (0, "cluster", "cluster 0"), ("3", "iff", "3")],
)
def test_numbers_are_said_to_be_classes_or_clusters(target: object, kind: str, expected: str):
    assert target_label(Explanation(Rule(target, Var("a"), kind))) == expected


@given(st.lists(st.sampled_from(["age", "above", "62,", "n" * 30]), max_size=20), st.integers(12, 40))
def test_lines_are_few_and_short(words: list[str], width: int):
    lines = lines_of(" ".join(words), width, most=2).splitlines()

    assert len(lines) <= 2
    assert all(len(line) <= width for line in lines)


def contrast(color: object, other: object) -> float:
    """By the rule of WCAG 2."""

    def luminance(value: object) -> float:
        parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(value)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted([luminance(color), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_letters_can_be_read_on_their_background(style: str):
    with plt.style.context(style):
        look = Look.of(plt.subplots()[1])

    for color in (look.ink, look.faint, look.yes, look.second):
        assert contrast(color, look.paper) >= 4.1
    assert contrast(look.against, look.paper) >= 3
    assert contrast(look.yes, look.pale) >= 1.8


def test_transparent_axes_look_as_what_is_behind_them():
    figure, ax = plt.subplots(facecolor="black")
    ax.set_facecolor("none")

    assert Look.of(ax).paper == (0, 0, 0, 1)
    figure.set_facecolor("none")
    assert Look.of(ax).paper == (1, 1, 1, 1)


def test_drawing_starts_on_the_callers_axes():
    figure, ax = plt.subplots()

    assert start(ax, 1, 1) == (figure, ax)
    made, _ = start(None, 3, 2)
    assert made.get_size_inches().tolist() == [3, 2]


@pytest.mark.parametrize("ax", ["axes", 3, [None]])
def test_other_things_than_axes_are_refused(ax: object):
    with pytest.raises(InputError, match=r"^ax must be axes of matplotlib, as plt.subplots makes them. Got "):
        start(ax, 1, 1)


def test_axes_that_were_removed_are_refused():
    _, ax = plt.subplots()
    ax.remove()

    with pytest.raises(InputError, match=re.escape("ax belongs to no figure (any more). Make new axes")):
        start(ax, 1, 1)


def test_frames_are_taken_away_but_for_some_sides():
    _, ax = plt.subplots()
    hide_frame(ax, "left")
    draw_grid(ax, "x")

    assert [side for side, spine in ax.spines.items() if spine.get_visible()] == ["left"]


def test_titles_are_texts_as_they_are_and_no_wider_than_the_figure():
    figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
    write_title(ax, "$x$ and $y$", "a $remark$ " * 60)
    write_footnote(ax, "the $end$")
    draw_legend(ax, [Patch(label="$a$")])
    figure.draw_without_rendering()

    remark, title, foot = ax.texts
    assert (title.get_text(), foot.get_text()) == ("$x$ and $y$", "the $end$")
    assert remark.get_text().count("\n") == 2
    texts = [*ax.texts, *ax.get_legend().get_texts()]
    assert not any(text.get_parse_math() for text in texts)
    assert all(text.get_window_extent().width <= figure.bbox.width for text in texts)
    assert title.get_window_extent().y0 >= remark.get_window_extent().y1 - 2


def test_labels_leave_room_for_what_is_drawn():
    _, wide = plt.subplots(figsize=(12, 3))
    _, several = plt.subplots(1, 4, figsize=(6, 3))
    text = wide.text(0, 0, "four")

    assert label_length(wide) > label_length(several[0]) >= 12
    assert label_width([]) < label_width([text]) < label_width([text, wide.text(0, 0, "a longer one")])
