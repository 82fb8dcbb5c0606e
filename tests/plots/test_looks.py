from __future__ import annotations

import re

import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from logiclens.errors import InputError
from logiclens.plots.looks import (
    Look,
    bare,
    check_most,
    footed,
    headed,
    keyed,
    label_length,
    label_width,
    ruled,
    start,
)


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

    for color in (look.ink, look.faint, look.yes, look.beside):
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


@pytest.mark.parametrize("value", [0, -1, 1.5, "3", None, True])
def test_at_least_one_thing_is_shown(value: object):
    with pytest.raises(InputError, match=r"^max_rows must be a whole number of at least 1. Got "):
        check_most(value, "max_rows")


def test_frames_are_taken_away_but_for_some_sides():
    _, ax = plt.subplots()
    bare(ax, "left")
    ruled(ax, "x")

    assert [side for side, spine in ax.spines.items() if spine.get_visible()] == ["left"]


def test_titles_are_texts_as_they_are_and_no_wider_than_the_figure():
    figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
    headed(ax, "$x$ and $y$", "a $remark$ " * 60)
    footed(ax, "the $end$")
    keyed(ax, [Patch(label="$a$")])
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
