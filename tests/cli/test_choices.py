"""Options that are one of several words, and columns that are named."""

from __future__ import annotations

import pytest
import typer
from hypothesis import given

from logiclens import RuleKind
from logiclens.cli.choices import Kind, Network, named_columns, one_of
from logiclens.errors import UnknownColumnError
from logiclens.estimators.clusterer import PENALTIES
from tests.strategies import distinct_names


def test_a_word_is_read():
    assert one_of(Network)("psi") is Network.PSI


@pytest.mark.parametrize("text", ["tree", "", "MU", "mu "])
def test_other_words_are_refused(text: str):
    with pytest.raises(typer.BadParameter) as info:
        one_of(Network)(text)

    assert str(info.value) == f"{text!r} is not one of 'mu', 'psi', 'relu', 'entropy'."


def test_words_are_those_of_the_library():
    assert set(Network) == set(PENALTIES)
    assert set(Kind) == {str(kind) for kind in RuleKind} - {"cluster"}


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
