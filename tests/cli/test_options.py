"""Options that several commands share."""

from __future__ import annotations

import pytest
from typer.main import get_command

from logiclens.cli import app
from tests.cli.running import STAYS, run

LEARNING = ("explain", "blackbox", "cluster")
SHARED = {
    *("data", "network", "seed", "max_literals", "use", "ignore", "max_rows", "html", "json", "save", "rows"),
    *("quiet", "device", "delimiter", "encoding", "decimal"),
}


def parameters(command: str) -> dict[str, object]:
    group = get_command(app)
    return {parameter.name: parameter for parameter in group.commands[command].params}  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", LEARNING)
def test_commands_that_learn_share_their_options(command: str):
    assert set(parameters(command)) >= SHARED


@pytest.mark.parametrize("command", LEARNING)
def test_every_option_says_what_it_does(command: str):
    for parameter in parameters(command).values():
        if parameter.param_type_name == "option" and parameter.name != "help":  # type: ignore[attr-defined]
            assert len(parameter.help.split()) >= 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--network", "tree"),
        ("--rule", "maybe"),
        ("--seed", "-1"),
        ("--max-literals", "0"),
        ("--literals", "-1"),
        ("--distillation", "2"),
        ("--holdout", "1"),
        ("--max-rows", "1"),
        ("--folds", "1"),
        ("--above", "high"),
    ],
)
def test_values_that_make_no_sense_are_wrong_usage(option: str, value: str):
    result = run("explain", "nothing.csv", "--target", "y", option, value)

    assert result.exit_code == 2
    assert f"Invalid value for '{option}'" in result.output
    assert "Traceback" not in result.output


def test_a_target_is_needed():
    result = run("explain", STAYS)

    assert result.exit_code == 2
    assert result.stderr.startswith("logiclens: say which column to explain: --target COLUMN. ")
