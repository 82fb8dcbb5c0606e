"""Options that several commands share."""

from __future__ import annotations

import pytest
from hypothesis import given
from typer.main import get_command

from logiclens import RuleKind
from logiclens.cli import app
from logiclens.cli.options import NetworkKind, RuleKindName, named_columns
from logiclens.errors import UnknownColumnError
from logiclens.estimators.clusterer import PENALTIES
from tests.cli.running import run
from tests.strategies import distinct_names

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


def test_words_are_those_of_the_library():
    assert set(NetworkKind) == set(PENALTIES)
    assert set(RuleKindName) == {str(kind) for kind in RuleKind} - {"cluster"}


@given(distinct_names())
def test_any_name_can_be_given_by_itself(names: list[str]):
    assert named_columns(names, names, "--use") == tuple(names)


def test_names_can_be_joined_with_commas():
    known = ["age", "sex", "a,b", " wide "]

    assert named_columns(["sex,age", "a,b"], known, "--use") == ("sex", "age", "a,b")
    assert named_columns(["age , sex,"], known, "--use") == ("age", "sex")
    assert named_columns(["age, wide ", "age"], known, "--use") == ("age", " wide ")
    assert named_columns([], known, "--use") == ()


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UnknownColumnError) as info:
        named_columns(["age,sx"], ["age", "sex"], "--ignore")

    assert str(info.value) == (
        "The data lack the column 'sx'. Did you mean 'sex'? They have 2 columns: 'age', 'sex'. "
        "It is named by --ignore."
    )
