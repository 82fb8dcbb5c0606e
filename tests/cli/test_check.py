"""``logiclens check``: what is odd about saved rules."""

from __future__ import annotations

import pytest

from logiclens.explain import Step
from logiclens.logic import FALSE, TRUE, Var
from tests.cli.running import on_a_terminal, run
from tests.cli.saved import PATIENTS, hostile, rules_of, saved
from tests.strategies import HOSTILE_NAMES

a = Var("a")


def test_what_is_printed(tmp_path):
    result = run("check", saved(PATIENTS, tmp_path))

    assert result.exit_code == 0
    assert result.output.startswith("rules.json: 3 rules, 6 literals\n\n")
    assert "\nEach class by itself:\n" in result.output
    assert result.output.endswith(
        "Conflicts: 1 pair of rules can be true together.\n"
        "  ill and gone, for example: age is above 62 and ward is missing\n"
        "Gap: no rule is true where age is above 30 and at most 62 and (ward is not ICU or missing).\n"
        "  The prediction is then well.\n"
        "Always or never true: no rule.\n"
        "Superfluous terms: none.\n"
        "Concepts: 4 of 4 are used: age is above 30 (2 rules), age is above 62 (2 rules), "
        "ward is ICU (1 rule), ward is missing (1 rule).\n"
    )


@pytest.mark.parametrize(
    ("made", "settings", "code"),
    [
        ({"x": a, "y": ~a}, {}, 0),
        ({"x": a, "y": Var("b") & ~a}, {}, 3),
        ({"x": a, "y": a | ~a}, {}, 3),
        ({"x": TRUE, "y": FALSE}, {}, 3),
        ({"x": a, "y": Var("b")}, {"multi_label": True}, 0),
        ({"x": a, "y": FALSE}, {"multi_label": True}, 3),
    ],
)
def test_strict_tells_by_the_exit_code(tmp_path, made, settings, code):
    path = saved(rules_of(made, ["a", "b"], **settings), tmp_path)

    assert run("check", path, "--strict").exit_code == code
    assert run("check", path).exit_code == 0
    assert run("check", path, "--strict").stdout == run("check", path).stdout


def test_a_fresh_list_is_in_order(tmp_path):
    """The rules of its classes may both be true of rows that were never seen; its steps cannot."""
    own = {"x": a, "y": Var("b"), "z": ~a & ~Var("b")}
    rules = rules_of(own, ["a", "b"], default="z", steps=[Step("x", a), Step("y", Var("b"))])
    result = run("check", saved(rules, tmp_path), "--strict")

    assert rules.conflicts()
    assert result.exit_code == 0
    assert result.stdout.startswith("rules.json: 2 steps, 2 literals\n\n")
    assert "Each class by itself" not in result.stdout
    assert result.stdout.endswith(
        "Conflicts: none; steps are read in order, and the first that is true decides.\n"
        "Default: z where not a and not b.\n"
        "Dead steps: none.\n"
        "Superfluous terms: none.\n"
        "Concepts: 2 of 2 are used: a (1 step), b (1 step).\n"
    )


def test_a_terminal_gets_colors(tmp_path):
    code, shown = on_a_terminal("check", saved(PATIENTS, tmp_path))

    assert code == 0
    assert "\x1b[" in shown
    assert "\x1b" not in run("check", saved(PATIENTS, tmp_path)).output


def test_hostile_names_are_readable_and_inert(tmp_path):
    names = (*HOSTILE_NAMES, "red\x1b[31m", "\u202eturned")
    output = run("check", saved(hostile(names), tmp_path)).output

    assert output.replace("\n", "").isprintable()
    for name in (
        "<script>alert(1)</script>",
        "; DROP TABLE x",
        "שלום",
        "n" * 300,
        "red\\u001b[31m",
        "\\u202e",
    ):
        assert name in output
