"""Rules as one SQL expression: what a database answers is what the rules predict."""

from __future__ import annotations

import sqlite3
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import FALSE, TRUE, Var, to_sql
from logiclens.logic.sql import dialect_named
from tests.concepts.strategies import Raw, raw_tables
from tests.explain.strategies import explanation_sets
from tests.strategies import all_rows, formulas

a, b = Var("a"), Var("b")
ENGINES = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request):
    connection = ENGINES[request.param]()
    yield request.param, connection
    connection.close()


def rules_of(formulas: dict[Any, Any], **settings: Any) -> ExplanationSet:
    explanations = [Explanation(Rule(label, formula)) for label, formula in formulas.items()]
    return ExplanationSet(explanations, ["a", "b"], **settings)


def make_table(connection: Any, dialect: str, names: tuple[str, ...], rows: np.ndarray, kind: str) -> None:
    """A table ``t`` with the rows, in the order of its column ``row_number_of_t``."""
    quote = dialect_named(dialect).quote
    columns = ", ".join(f"{quote(name)} {kind}" for name in names)
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TABLE t (row_number_of_t INTEGER, {columns})")
    marks = ", ".join("?" * (len(names) + 1))
    connection.executemany(f"INSERT INTO t VALUES ({marks})", [(i, *r) for i, r in enumerate(rows.tolist())])


def answers(connection: Any, sql: str) -> list[Any]:
    found = connection.execute(f"SELECT {sql} FROM t ORDER BY row_number_of_t").fetchall()
    return [answer for (answer,) in found]


@settings(max_examples=60)
@given(rules=explanation_sets())
@example(rules=rules_of({'say "hi"': b, "": a & b, "it's": a}, default="it's"))
@example(rules=rules_of({0.1: a, 1e300: b, -0.0: a & b}, default=0.1))
@example(rules=rules_of({3.298435685860118e-302: a, 0.931507922123123: b, 5e-324: TRUE}, default=5e-324))
@example(rules=rules_of({False: a, True: a | b}, default=False))
@example(rules=rules_of({-(2**63): a, 2**63 - 1: b}, default=-(2**63)))
def test_the_expression_is_predict(engine, rules):
    """Hostile names and labels of any type, conflicts and rows without a rule included."""
    dialect, connection = engine
    try:
        sql, in_lines = rules.to_sql(dialect), rules.to_sql(dialect, indent=4)
    except InputError as error:
        assume("cannot be a" not in str(error) and "are one column" not in str(error))
        raise
    folded = {dialect_named(dialect).fold(name) for name in rules.concept_names}
    assume(len(folded) == len(rules.concept_names) and not any("\0" in name for name in rules.concept_names))
    X = all_rows(len(rules.concept_names))
    make_table(connection, dialect, rules.concept_names, X, "BOOLEAN")

    expected = rules.predict(X)
    if rules.multi_label:
        for each in (sql, in_lines):
            found = np.column_stack([answers(connection, each[label]) for label in rules])
            assert list(each) == list(rules)
            assert (found == expected).all()
    else:
        assert answers(connection, sql) == answers(connection, in_lines) == expected.tolist()


KINDS = {"number": "DOUBLE", "0/1": "DOUBLE", "text": "VARCHAR", "Boolean": "BOOLEAN"}


@st.composite
def raw_rule_sets(draw) -> tuple[ExplanationSet, Raw]:
    """Rules of columns of all kinds, and rows with None and NaN anywhere, and values that no rule names."""
    raw = draw(raw_tables(gaps_anywhere=True, gap_values=True))
    for name, values in raw.table.items():
        if raw.kinds[name] in ("number", "0/1") and name in raw.vocabulary.types:
            nan = draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
            raw.table[name] = [
                np.nan if gap and value is None else value for gap, value in zip(nan, values, strict=True)
            ]
    words = raw.vocabulary
    found = draw(st.lists(formulas(st.sampled_from(words.names), 4), min_size=2, max_size=3))
    explanations = [Explanation(Rule(f"y{at}", formula)) for at, formula in enumerate(found)]
    several = draw(st.booleans())
    return ExplanationSet(explanations, words.names, several, vocabulary=words), raw


@settings(max_examples=150)
@given(found=raw_rule_sets())
def test_a_gap_means_the_same_everywhere(engine, found):
    """Lists, single rules and labels by themselves: in Python as in the database as in predict.

    In columns that were complete, Python stopped at None and took no literal of NaN for true; DuckDB took NaN
    for a large number.
    """
    dialect, connection = engine
    rules, raw = found
    numbers_for_text = {
        name: [*values[1:], 7] if raw.kinds[name] == "text" else values for name, values in raw.table.items()
    }
    for table in (raw.table, numbers_for_text):
        try:
            expected = rules.predict(table).tolist()
            single = [rule.evaluate(table).tolist() for rule in rules.values()]
        except InputError:  # numbers alone are compared with text
            continue
        rows = [{name: table[name][at] for name in table} for at in range(raw.n_rows)]
        said = [*map(made(rules.to_python("decide"), "decide"), rows)]
        assert ([[*map(int, each.values())] for each in said] if rules.multi_label else said) == expected
        assert [[*map(made(rule.to_python(), "rule"), rows)] for rule in rules.values()] == single

    quote = dialect_named(dialect).quote
    columns = ", ".join(f"{quote(name)} {KINDS[raw.kinds[name]]}" for name in raw.table)
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TABLE t (row_number_of_t INTEGER, {columns})")
    marks = ", ".join("?" * (len(raw.table) + 1))
    connection.executemany(
        f"INSERT INTO t VALUES ({marks})", [(at, *row.values()) for at, row in enumerate(raw.rows())]
    )
    for rule in rules.values():
        assert answers(connection, rule.to_sql(dialect)) == rule.evaluate(raw.table).tolist()
    if not rules.multi_label:
        assert answers(connection, rules.to_sql(dialect)) == rules.predict(raw.table).tolist()


def made(source: str, name: str) -> Any:
    """The function of a source that needs nothing else."""
    scope: dict[str, Any] = {}
    exec(compile(source, "rules", "exec"), scope)
    return scope[name]


def test_steps_and_terms_have_lines_of_their_own():
    """A text that looks like SQL stays as it is."""
    words = Vocabulary(("age", "ward"), (Above("age", 62), OneOf("ward", ("A\nOR B",))))
    old, ward = (Var(name) for name in words.names)
    found = [Explanation(Rule("high", old | ward)), Explanation(Rule("low", ~old & ~ward))]
    steps = [Step("high", old | ward), Step("low", ~old)]
    rules = ExplanationSet(found, words.names, vocabulary=words, default="low", steps=steps)

    assert rules.to_sql("duckdb", indent=2) == (
        "CASE\n"
        "  WHEN (NULLIF(\"age\", CAST('NaN' AS DOUBLE)) > 62) IS TRUE\n"
        "    OR (\"ward\" = 'A\nOR B') IS TRUE\n"
        "  THEN 'high'\n"
        "  WHEN (NULLIF(\"age\", CAST('NaN' AS DOUBLE)) > 62) IS NOT TRUE THEN 'low'\n"
        "  ELSE 'low'\n"
        "END"
    )
    query = (
        f"SELECT {rules.to_sql('duckdb', indent=2)} FROM (VALUES (1, 'A\nOR B'), (1, 'A')) AS t(age, ward)"
    )
    assert duckdb.connect().execute(query).fetchall() == [("high",), ("low",)]


@given(rows=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_scores_are_compared_with_the_threshold(engine, rows):
    dialect, connection = engine
    rules = rules_of({"x": a & ~b, "y": b}, default="x")
    make_table(connection, dialect, ("a", "b"), np.array(rows), "DOUBLE")

    found = answers(connection, rules.to_sql(dialect, threshold=0.25))
    assert found == rules.predict(np.array(rows), threshold=0.25).tolist()


def test_steps_stand_in_their_order():
    steps = [Step("y", b), Step("x", a), Step("z", TRUE)]
    rules = rules_of({"x": a, "y": b, "z": TRUE}, steps=steps, default="y")

    assert rules.to_sql() == (
        "CASE WHEN \"b\" IS TRUE THEN 'y' WHEN \"a\" IS TRUE THEN 'x' WHEN TRUE THEN 'z' ELSE 'y' END"
    )


def test_a_list_without_steps_answers_with_its_default():
    assert rules_of({1: FALSE, 2: FALSE}, default=2).to_sql("sqlite") == "2"


def test_several_labels_are_one_expression_each():
    rules = rules_of({"x": a, "y": ~b}, multi_label=True)

    assert rules.to_sql("mysql", 0.3) == {"x": to_sql(a, "mysql", 0.3), "y": to_sql(~b, "mysql", 0.3)}


@pytest.mark.parametrize(
    ("label", "text"), [(3, "3"), (-0.5, "-0.5e0"), (1e-7, "1e-07"), (True, "TRUE"), ("it's", "'it''s'")]
)
def test_labels_keep_their_type(label, text):
    """A number that is not whole is a double: decimals would not be equal to it."""
    assert (
        rules_of({label: a}, default=label).to_sql() == f'CASE WHEN "a" IS TRUE THEN {text} ELSE {text} END'
    )


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("sqlite", "(8390277461932723 * 1.0 / 9007199254740992)"),
        ("postgresql", "CAST(0.931507922123123 AS DOUBLE PRECISION)"),
        ("mysql", "0.931507922123123e0"),
    ],
)
def test_a_label_is_that_very_double(dialect, text):
    """SQLite may misread decimal numbers; to PostgreSQL all of them are decimals, which take a cast."""
    rules = rules_of({0.931507922123123: a, 2.0: b}, default=0.931507922123123)

    assert rules.to_sql(dialect).startswith("CASE WHEN ")
    assert f" THEN {text} " in rules.to_sql(dialect)
    assert rules.to_sql(dialect).endswith(f" ELSE {text} END")


def test_raw_columns(engine):
    dialect, connection = engine
    words = Vocabulary(("age", "ward"), (Above("age", 62), OneOf("ward", ("it's",))))
    old = Explanation(Rule("old", Var("age > 62")))
    odd = Explanation(Rule("odd", ~Var("ward = it's") & Var("age > 62")))
    rules = ExplanationSet([odd, old], words.names, default="old", vocabulary=words)
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute("CREATE TABLE t (row_number_of_t INTEGER, age DOUBLE, ward VARCHAR)")
    connection.execute(
        "INSERT INTO t VALUES (0, 70, 'it''s'), (1, 70, 'x'), (2, 62, 'x'), (3, 62.5, 'it''s')"
    )

    expected = rules.predict({"age": [70, 70, 62, 62.5], "ward": ["it's", "x", "x", "it's"]})
    assert expected.tolist() == ["old", "odd", "old", "old"]
    assert answers(connection, rules.to_sql(dialect)) == expected.tolist()


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            ExplanationSet(
                [Explanation(Rule("x", a)), Explanation(Rule("y", Var("A")))], ["a", "A"], default="x"
            ),
            "'A' and 'a' are one column in duckdb. Rename one of the concepts.",
        ),
        (rules_of({2**63: a}, default=2**63), "The label 9223372036854775808 cannot be a whole number in"),
        (rules_of({"\0": a}, default="\0"), "'\\x00' cannot be a text in duckdb: it holds a NUL"),
    ],
)
def test_what_a_database_cannot_carry_is_refused(rules, message):
    """Columns that differ in case alone as well when no single rule has both."""
    with pytest.raises(InputError) as info:
        rules.to_sql("duckdb")
    assert message in str(info.value)
