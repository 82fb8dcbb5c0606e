from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens import errors
from logiclens.errors import (
    ColumnError,
    EngineError,
    FileError,
    ForbiddenFileError,
    FormulaSyntaxError,
    InputError,
    LimitError,
    LogicLensError,
    MissingDependencyError,
    MissingFileError,
    Reason,
    TruthValueError,
    UnknownColumnError,
    UnknownColumnsError,
    UnknownConceptError,
    UnknownTargetError,
    as_code,
    count,
    did_you_mean,
    listing,
    shown,
)
from tests.strategies import HOSTILE_NAMES, names

BUILTIN = {
    LogicLensError: Exception,
    InputError: ValueError,
    UnknownConceptError: KeyError,
    UnknownColumnError: KeyError,
    UnknownColumnsError: KeyError,
    UnknownTargetError: KeyError,
    ColumnError: ValueError,
    FileError: OSError,
    MissingFileError: FileNotFoundError,
    ForbiddenFileError: PermissionError,
    FormulaSyntaxError: ValueError,
    LimitError: OverflowError,
    TruthValueError: TypeError,
    EngineError: RuntimeError,
    MissingDependencyError: ImportError,
}

RAISED = [
    LogicLensError("Something."),
    InputError("Bad data."),
    UnknownConceptError("red_wings", ["red", "red_wing"], "Pass names= for an array."),
    UnknownColumnError("age", ["Age", "sex"], "The rules need it."),
    UnknownColumnsError(["age", "sex"], ["color"]),
    UnknownTargetError("1", [0, 1]),
    ColumnError("birth", Reason("holds dates", remedy="Make it a number"), "which are no concepts"),
    FileError("The file 'x.csv' is damaged.", "x.csv"),
    MissingFileError("There is no file 'x.csv'.", "x.csv"),
    ForbiddenFileError("'x.csv' may not be read.", "x.csv"),
    FormulaSyntaxError("Unexpected sign. Remove it", "a & !! b", 4),
    LimitError("Too much.", "Take less."),
    TruthValueError("No truth."),
    EngineError("The connection is lost."),
    MissingDependencyError("Install it."),
]


def kind(error: LogicLensError) -> str:
    return type(error).__name__


def test_every_error_of_the_module_is_listed_here():
    """The table above and the list of examples leave none out."""
    defined = {
        value
        for name, value in vars(errors).items()
        if not name.startswith("_")
        and inspect.isclass(value)
        and issubclass(value, Exception)
        and value.__module__ == errors.__name__
    }

    assert defined == set(BUILTIN) == {type(error) for error in RAISED}


@pytest.mark.parametrize(("error", "builtin"), BUILTIN.items(), ids=lambda value: value.__name__)
def test_an_error_is_ours_and_the_builtin_it_claims(error, builtin):
    assert issubclass(error, LogicLensError)
    assert issubclass(error, builtin)


@pytest.mark.parametrize("error", BUILTIN, ids=lambda value: value.__name__)
def test_the_tree_in_the_module_description_is_true(error):
    """Each line names the error and, in parentheses, the builtin."""
    (line,) = [line for line in errors.__doc__.splitlines() if f" {error.__name__} " in f" {line} "]

    if "(" in line:
        assert f"({BUILTIN[error].__name__})" in line


@pytest.mark.parametrize("error", RAISED, ids=kind)
def test_pickling_keeps_type_text_and_fields(error):
    """Errors cross process borders whole."""
    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize("error", [UnknownConceptError, UnknownColumnError, UnknownTargetError])
@given(name=names(), known=st.lists(names(), max_size=12))
def test_an_unknown_name_is_one_line_and_survives_pickling(error, name, known):
    found = error(name, iter(known))
    copy = pickle.loads(pickle.dumps(found))

    assert str(found).isprintable()
    assert found.known == tuple(known)
    assert (vars(copy), str(copy)) == (vars(found), str(found))


ELEVEN = [f"c{j}" for j in range(11)]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            UnknownConceptError("red_wings", ["red", "red_wing"]),
            "Unknown concept 'red_wings'. Did you mean 'red_wing'? The 2 known concepts are 'red', ",
        ),
        (UnknownConceptError("a", ["b"], "Look again."), "The only known concept is 'b'. Look again."),
        (UnknownConceptError("a", []), "Unknown concept 'a'. There are no concepts at all."),
        (
            UnknownConceptError("x99", ELEVEN),
            "The 11 known concepts are 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', ",
        ),
        (UnknownConceptError("x99", ELEVEN), "'c7' and 3 more."),
        (UnknownConceptError("two\nline", ["two\nlines"]), r"Did you mean 'two\nlines'?"),
        (
            UnknownColumnError("age", ["Age", "sex"]),
            "The data lack the column 'age'. Did you mean 'Age'? They have 2 columns: 'Age', 'sex'.",
        ),
        (
            UnknownColumnError("Y", ["id", "y"]),
            "The data lack the column 'Y'. Did you mean 'y'? They have 2 columns: 'id', 'y'.",
        ),
        (UnknownColumnError("age", ["sex"]), "The data lack the column 'age'. Their only column is 'sex'."),
        (UnknownColumnError("age", [], "Look again."), "They have no columns at all. Look again."),
        (
            UnknownTargetError("deaths", ["death", "max"]),
            "Unknown class 'deaths'. Did you mean 'death'? The 2 known classes are 'death', 'max'.",
        ),
        (
            UnknownTargetError("1", [0, 1]),
            "Unknown class '1'. Did you mean 1? The 2 known classes are 0, 1.",
        ),
        (UnknownTargetError(None, [True]), "Unknown class None. The only known class is True."),
        (UnknownTargetError(1.5, []), "Unknown class 1.5. There are no classes at all."),
        (UnknownTargetError(np.zeros((3, 3)), ["a"]), "Unknown class a value of type ndarray."),
    ],
    ids=str,
)
def test_an_unknown_name_says_what_is_known(error, message):
    assert message in str(error)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a", "Var('a')"),
        ("age > 62", "Var('age > 62')"),
        ("a & b", "parse_formula('a & b')"),
        ("~a", "parse_formula('~a')"),
        ("a -> b", "parse_formula('a -> b')"),
        ('"age > 62"', "parse_formula('\"age > 62\"')"),
        ("TRUE", "parse_formula('TRUE')"),
        ("", ""),
        ("x" * 200, ""),
        (None, ""),
    ],
)
def test_as_code(text, code):
    assert as_code(text) == code


@pytest.mark.parametrize(
    ("text", "position", "place"),
    [
        ("a & !b", 4, "column 5: 'a & ▸!b'"),
        ("", 0, "column 1: '▸'"),
        ("a &", 3, "column 4: 'a &▸'"),
        ("x" * 40, 20, "column 21: '...xxxxxxxxxxxx▸xxxxxxxxxxxx...'"),
        ("two\nlines", 3, r"line 1, column 4: 'two▸\nlines'"),
        ("two\nlines", 4, r"line 2, column 1: 'two\n▸lines'"),
        ("a &\n\n b b", 7, r"line 3, column 3: 'a &\n\n b▸ b'"),
    ],
)
def test_a_syntax_error_points_at_the_column(text, position, place):
    assert str(FormulaSyntaxError("Wrong here", text, position)) == f"Wrong here ({place})"


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["a"], "'a'"),
        (["a", "it's"], "'a', \"it's\""),
        (range(8), "0, 1, 2, 3, 4, 5, 6, 7"),
        (range(9), "0, 1, 2, 3, 4, 5, 6, 7 and 1 more"),
        (iter("ab"), "'a', 'b'"),
    ],
)
def test_listing(items, text):
    assert listing(items) == text
    assert [count(number, "row") for number in range(3)] == ["0 rows", "1 row", "2 rows"]


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("red_wings", ["red", "red_wing"], "Did you mean 'red_wing'? "),
        ("zebra", ["red", "red_wing"], ""),
        ("a", [], ""),
        ("", ["a"], ""),
        ("n" * 299, ["n" * 300], ""),
    ],
    ids=["near", "far", "none known", "empty", "too long to compare"],
)
def test_did_you_mean(name, known, text):
    assert did_you_mean(name, known) == text


@pytest.mark.parametrize("name", [name for name in HOSTILE_NAMES if 3 < len(name) < 100])
def test_a_typing_error_is_noticed_for_any_name(name):
    assert did_you_mean(name + "s", [name, "zz"]) == f"Did you mean {name!r}? "


def test_a_very_long_name_is_reported_at_once():
    """Comparing names takes time quadratic in their length, so long ones are not compared."""
    known = [f"{'x' * 5000}{j}" for j in range(500)]

    assert "Did you mean" not in str(UnknownConceptError("x" * 5001, known))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("a\nb", r"'a\nb'"),
        ([1, 2], "[1, 2]"),
        (np.zeros((3, 3)), "a value of type ndarray"),
        ([0] * 1000, "a value of type list"),
    ],
    ids=["None", "line break", "list", "array", "long"],
)
def test_shown_is_one_short_line(value, text):
    assert shown(value) == text
