"""Dates as columns of their parts: the same in memory, in SQL, in Python and in a saved vocabulary."""

import datetime as dt
import sqlite3

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens import MuClassifier, load
from logiclens.cli.predictions import MissingCells, RowPredictions
from logiclens.concepts import Above, ConceptEncoder, Missing, OneOf, Table, Vocabulary
from logiclens.concepts.dates import DatePart
from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.explain.counterfactual import term_in_words
from logiclens.logic import Var

DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2100, 12, 31))


def frame(days, texts=False):
    """A table with dates, or with the same as texts that have a time of day, too."""
    told = [None if day is None else dt.datetime.combine(day, dt.time(23, 30)) for day in days]
    if texts:
        told = [None if each is None else f"{each}+02:00" for each in told]
    return pd.DataFrame({"on": pd.Series(told, dtype=object), "x": np.arange(len(told)) % 3})


def part(days, *which):
    return DatePart("on", *which).of(Table({"on": days}).column("on")).values().tolist()


@given(st.lists(st.none() | DAYS, min_size=1))
def test_parts_are_those_of_the_calendar(days):
    known = [day or dt.date(2000, 1, 1) for day in days]
    expected = {
        ("year",): [day.year for day in known],
        ("month",): [day.month for day in known],
        ("weekday",): [f"{day:%A}" for day in known],
        ("days since", "2001-02-03"): [(day - dt.date(2001, 2, 3)).days for day in known],
    }
    for which, values in expected.items():
        wanted = [None if day is None else value for day, value in zip(days, values, strict=True)]
        assert part(days, *which) == wanted
        assert part([None if day is None else f" {day} 23:59" for day in days], *which) == wanted
        moments = np.array([*days, None], dtype="datetime64[ns]")
        assert part(moments, *which)[:-1] == wanted


@settings(deadline=None, max_examples=12)
@given(st.lists(st.none() | DAYS, min_size=6, max_size=30), st.booleans(), st.booleans())
def test_sql_and_python_say_what_memory_says(days, texts, impute):
    duckdb = pytest.importorskip("duckdb")
    table = frame([*days, dt.date(2020, 2, 29), dt.date(2021, 3, 7)], texts)
    missing = "impute" if impute else "concept"
    encoder = ConceptEncoder(types={"on": "date"}, max_cuts=3, missing=missing).fit(table)
    words, truth = encoder.vocabulary_, encoder.transform(table)
    assert Vocabulary.from_saved(words.to_saved()) == words
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    with duckdb.connect() as connection, sqlite3.connect(":memory:") as lite:
        values = [(row["on"], row["x"]) for row in rows]
        connection.execute(f'CREATE TABLE t ("on" {"VARCHAR" if texts else "TIMESTAMP"}, x INTEGER)')
        connection.executemany("INSERT INTO t VALUES (?, ?)", values)
        lite.execute('CREATE TABLE t ("on", x)')
        lite.executemany("INSERT INTO t VALUES (?, ?)", [(day and str(day), x) for day, x in values])
        for name, column in zip(words.names, truth.T, strict=True):
            for formula, expected in ((Var(name), column), (~Var(name), ~column)):
                for dialect in ("duckdb", "ansi", "postgresql"):
                    found = connection.execute(f"SELECT {words.to_sql(formula, dialect)} FROM t").fetchall()
                    assert [true for (true,) in found] == expected.tolist()
                found = lite.execute(f"SELECT {words.to_sql(formula, 'sqlite')} FROM t").fetchall()
                assert [bool(true) for (true,) in found] == expected.tolist()
                space = {}
                exec(words.to_python(formula), space)
                assert [space["rule"](row) for row in rows] == expected.tolist()


def test_days_are_counted_since_the_day_that_is_stated():
    table = {"on": ["2021-05-03", "2021-05-09", "2022-01-01"]}
    stated = ConceptEncoder(types={"on": "date since 2021-05-01"}).fit(table)
    assert "on days since 2021-05-01 > 5" in stated.vocabulary_.names
    assert any(
        "since 2021-01-01" in name
        for name in ConceptEncoder(types={"on": "date"}).fit(table).vocabulary_.names
    )


def test_a_part_that_never_differs_is_dropped():
    encoder = ConceptEncoder(types={"on": "date"}).fit({"on": ["2021-05-03", "2021-05-04", "2021-05-05"]})
    assert encoder.dropped_ == {"on year": "constant", "on month": "constant"}
    assert [row["column"] for row in encoder.describe()][:2] == ["on year", "on month"]


def test_settings_of_a_part():
    table = {"on": ["2021-05-03", "2021-06-04", "2021-08-05"]}
    encoder = ConceptEncoder(
        types={"on": "date", "on month": "category"}, cuts={"on days since 2021-01-01": [200]}
    )
    names = encoder.fit(table).vocabulary_.names
    assert {"on month = 5", "on month = 6", "on month = 8", "on days since 2021-01-01 > 200"} <= {*names}


def test_values_that_mean_a_gap():
    table = {"on": ["unknown", "9999-12-31", "2021-06-04", "2021-08-05", "2022-01-01"]}
    encoder = ConceptEncoder(types={"on": "date"}, missing_values=["unknown", "9999-12-31", -999]).fit(table)
    words, truth = encoder.vocabulary_, encoder.transform(table)
    assert truth[:, words.names.index("on is missing")].tolist() == [True, True, False, False, False]
    assert not truth[:2, [name != "on is missing" for name in words.names]].any()
    duckdb = pytest.importorskip("duckdb")
    told = pd.DataFrame(table)  # noqa: F841 - DuckDB finds it by name
    for name, column in zip(words.names, truth.T, strict=True):
        assert [
            true for (true,) in duckdb.sql(f"SELECT {words.to_sql(Var(name))} FROM told").fetchall()
        ] == column.tolist()
        space = {}
        exec(words.to_python(Var(name)), space)
        assert [space["rule"]({"on": day}) for day in table["on"]] == column.tolist()


@pytest.mark.parametrize("value", ["3 May 2021", "2021-02-29", "unknown", "2021-5-3"])
def test_what_is_no_date_is_refused(value):
    with pytest.raises(InputError, match=r"which is no date\. Write dates as 2024-01-31"):
        ConceptEncoder(types={"on": "date"}).fit({"on": ["2021-05-03", value]})


@pytest.mark.parametrize(
    ("table", "types", "message"),
    [
        ({"on": [1, 2]}, {"on": "date"}, "Column 'on' holds numbers, which are no dates."),
        (
            {"on": ["2021-05-03"] * 2, "on year": [1, 2]},
            {"on": "date"},
            "there is a column 'on year' already",
        ),
        ({"on": [1, 2]}, {"off": "date"}, "'off'"),
        ({"on": [1, 2]}, {"on": "date since May"}, "The type of a column must be"),
    ],
)
def test_settings_that_cannot_be(table, types, message):
    with pytest.raises(InputError, match=message):
        ConceptEncoder(types=types).fit(table)


def test_a_model_of_dates(tmp_path):
    random = np.random.default_rng(0)
    days = [dt.date(2019, 6, 1) + dt.timedelta(days=int(day)) for day in random.integers(0, 1500, 200)]
    table = frame(days).assign(x=random.normal(size=200))
    y = np.where([day.isoweekday() >= 6 for day in days], "ill", "well")
    model = MuClassifier(random_state=0, encoder=ConceptEncoder(types={"on": "date"})).fit(table, y)
    rules = model.explain()
    assert rules.score(table, y) == 1.0
    assert {column for name in rules.concepts for column in [rules.vocabulary[name].column]} == {"on weekday"}
    model.save(tmp_path / "model.lens")
    again = load(tmp_path / "model.lens")
    assert again.explain() == rules
    assert (again.predict(table) == model.predict(frame(days, texts=True).assign(x=table.x))).all()
    changed = str(rules.counterfactual(table.iloc[[int(np.flatnonzero(y == "well")[0])]]))
    assert "if on weekday were" in changed
    space = {}
    exec(rules.to_python(), space)
    assert [space["predict"](row) for row in table.to_dict("records")] == rules.predict(table).tolist()
    assert model.compare(table, y, table, y).accuracy("tree")[0] > 0.9


def test_a_vocabulary_from_an_earlier_version_has_no_dates():
    words = Vocabulary(("on",), (Missing("on"),))
    assert "dates" not in words.to_saved()
    assert Vocabulary.from_saved(words.to_saved()).dates == ()


def test_concepts_are_about_columns_or_parts_that_are_there():
    with pytest.raises(InputError, match="'on weekday'"):
        Vocabulary(("on",), (OneOf("on weekday", ("Sunday",)),))
    with pytest.raises(InputError, match="'off'"):
        Vocabulary(("on",), (), dates=(DatePart("off", "year"),))


def test_what_is_true_of_a_missing_date_says_so():
    """Of a date that was missing stood that its year is at most 2020."""
    words = Vocabulary(
        ("on",), (Above("on year", 2020),), dates=(DatePart("on", "year", gaps=("1900-01-01",)),)
    )
    old = ~Var("on year > 2020")

    for on in (None, "1900-01-01", "1900-01-01 10:00"):
        gaps = words.missing_columns({"on": [on]}, words.names)
        assert gaps == {"on year"}
        assert term_in_words(old, words, gaps) == "on year is not above 2020 (missing)"
        assert words.expecting_gaps(gaps).format(old, "plain") == "on year <= 2020 or missing"
    assert not words.missing_columns({"on": ["2020-05-01"]}, words.names)
    rules = ExplanationSet(
        [Explanation(Rule(each, formula)) for each, formula in (("old", old), ("new", ~old))],
        words.names,
        vocabulary=words,
    )
    codes = MissingCells(("on",), np.array([1], dtype=np.int32))
    (said,), _ = RowPredictions(rules).of(rules.read({"on": [None]}), codes)
    assert said.why.startswith("The prediction is old because on year is at most 2020 or missing.")
