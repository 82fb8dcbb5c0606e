from __future__ import annotations

import sqlite3

import duckdb
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logiclens.errors import InputError, LimitError
from logiclens.logic.formula import FALSE, TRUE, And, Not, Or, Var
from logiclens.logic.sql import dialect_named, sql_number, sql_text, to_sql, write_sql
from tests.errors import error_of
from tests.logic.test_export import WIDE, expected, tables
from tests.logic.test_syntax import deep, shared
from tests.strategies import all_rows

a, b = Var("a"), Var("b")


def run_sql(connection, sql, columns, rows, column_type):
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(
        f"CREATE TABLE t ({', '.join(f'{name} {column_type}' for name in quoted)}, position INT)"
    )
    marks = ", ".join("?" * (len(columns) + 1))
    connection.executemany(f"INSERT INTO t VALUES ({marks})", [(*row, i) for i, row in enumerate(rows)])
    kept = {i for (i,) in connection.execute(f"SELECT position FROM t WHERE {sql}").fetchall()}
    others = {i for (i,) in connection.execute(f"SELECT position FROM t WHERE NOT ({sql})").fetchall()}
    values = connection.execute(f"SELECT {sql} FROM t ORDER BY position").fetchall()
    assert kept.isdisjoint(others)
    assert kept | others == set(range(len(rows)))
    assert {i for i, (value,) in enumerate(values) if value} == kept
    return [i in kept for i in range(len(rows))]


ENGINES = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request):
    connection = ENGINES[request.param]()
    yield request.param, connection
    connection.close()


@settings(max_examples=60)
@given(table=tables(st.booleans()))
@example(
    table=(Or(Var("TRUE"), Not(Var("false"))), ["TRUE", "false"], [(None, True), (False, None), (True, True)])
)
def test_sql_on_boolean_columns_is_evaluate(engine, table):
    dialect, connection = engine
    formula, columns, rows = table

    assert run_sql(connection, to_sql(formula, dialect), columns, rows, "BOOLEAN") == expected(*table)


@settings(max_examples=40)
@given(table=tables(st.floats(0, 1) | st.sampled_from([0.5, 0.25])), threshold=st.sampled_from([0.5, 0.25]))
def test_sql_on_scores_is_evaluate(engine, table, threshold):
    dialect, connection = engine
    formula, columns, rows = table
    filled = np.array([[0.0 if value is None else value for value in row] for row in rows])
    truth = formula.evaluate(filled, columns, threshold=threshold).tolist()

    assert run_sql(connection, to_sql(formula, dialect, threshold), columns, rows, "DOUBLE") == truth


def test_sql_of_a_wide_formula_runs(engine):
    dialect, connection = engine
    columns = ["a", "b", "c"]
    rows = [tuple(map(bool, row)) for row in all_rows(3)]

    assert run_sql(connection, to_sql(WIDE, dialect), columns, rows, "BOOLEAN") == expected(
        WIDE, columns, rows
    )


@pytest.mark.parametrize("threshold", [None, 5e-324])
def test_sql_of_the_deepest_formula_runs(engine, threshold):
    dialect, connection = engine
    formula = deep(25)
    rows = [(False, True), (True, True), (True, False), (False, None)]

    sql = to_sql(formula, dialect, threshold)

    kind = "BOOLEAN" if threshold is None else "DOUBLE"
    assert run_sql(connection, sql, ["a", "b"], rows, kind) == expected(formula, ["a", "b"], rows)


def test_sql_of_a_missing_sqlite_column_is_an_error_not_a_string(engine):
    dialect, connection = engine
    run_sql(connection, to_sql(a, dialect), ["a"], [(True,)], "BOOLEAN")

    with pytest.raises((sqlite3.OperationalError, duckdb.BinderException)):
        connection.execute(f"SELECT {to_sql(Var('missing'), dialect)} FROM t")


NAME = 'q"`\\\n'


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("ansi", '"q""`\\\n" IS NOT TRUE AND FALSE'),
        ("duckdb", '"q""`\\\n" IS NOT TRUE AND FALSE'),
        ("postgresql", '"q""`\\\n" IS NOT TRUE AND FALSE'),
        ("sqlite", '`q"``\\\n` IS NOT 1 AND 0'),
        ("mysql", '`q"``\\\n` IS NOT TRUE AND FALSE'),
        ("spark", '`q"``\\\n` IS NOT TRUE AND FALSE'),
        ("bigquery", '`q"\\`\\\\\\n` IS NOT TRUE AND FALSE'),
    ],
)
def test_sql_spelling(dialect, sql):
    assert to_sql(And(Not(Var(NAME)), FALSE), dialect) == sql


@pytest.mark.parametrize(
    ("threshold", "sql"),
    [
        (0.5, '("a" > 0.5) IS TRUE'),
        (0, '("a" > 0.0) IS TRUE'),
        (1e-5, '("a" > 1e-05) IS TRUE'),
        (0.1 + 0.2, '("a" > 0.30000000000000004e0) IS TRUE'),
    ],
)
def test_sql_thresholds(threshold, sql):
    assert to_sql(a, threshold=threshold) == sql


@settings(max_examples=300)
@given(
    value=st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-1e6, 1e6)
    | st.floats(0, 1).map(lambda value: round(value, 15))
)
@example(value=3.298435685860118e-302)
@example(value=0.931507922123123)
@example(value=5e-324)
@example(value=-1.7976931348623157e308)
@example(value=2.0**1023)
def test_a_number_is_read_back_as_it_was(engine, value):
    """SQLite may read a decimal number one unit in the last place off: a label or a cut was another one."""
    dialect, connection = engine
    number = sql_number(value, dialect_named(dialect))

    assert connection.execute(f"SELECT {number} = ?", [value]).fetchone() == (True,)


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (0.0, "0.0"),
        (-0.35, "-0.35"),
        (123.456, "123.456"),
        (1e-7, "1e-07"),
        (1e17, "1e+17"),
        (1e23, "(2980232238769531 * 1.0 * 33554432)"),
        (0.931507922123123, "(8390277461932723 * 1.0 / 9007199254740992)"),
        (-(2.0**-70), "(-1 * 1.0 / 4611686018427387904 / 256)"),
        (2.0**62, "(1 * 1.0 * 4611686018427387904)"),
    ],
)
def test_sqlite_gets_a_quotient_where_it_may_misread_a_number(value, sql):
    assert sql_number(value, dialect_named("sqlite")) == sql


def test_sql_negations():
    assert to_sql(Not(Not(Not(Or(a, b))))) == 'NOT ("a" IS TRUE OR "b" IS TRUE)'
    assert to_sql(Not(TRUE), "sqlite") == "NOT 1"


KNOWN = "The dialects are 'ansi', 'duckdb', 'sqlite', 'postgresql', 'mysql', 'spark', 'bigquery'."


@pytest.mark.parametrize(
    ("formula", "dialect", "message"),
    [
        (a, "oracle", f"Unknown SQL dialect 'oracle'. {KNOWN}"),
        (a, "postgres", f"Unknown SQL dialect 'postgres'. Did you mean 'postgresql'? {KNOWN}"),
        (And(a, Var("A")), "sqlite", "'A' and 'a' are one column in sqlite. Rename one of the concepts."),
        (And(Var("É"), Var("é")), "bigquery", "'É' and 'é' are one column in bigquery. Rename one of the"),
    ],
)
def test_sql_needs_a_dialect_that_keeps_columns_apart(formula, dialect, message):
    assert message in error_of(to_sql, formula, dialect)


@pytest.mark.parametrize(
    ("name", "dialect", "reason"),
    [
        ("x\0", "ansi", "it holds a NUL character"),
        ("\ud800", "duckdb", "it cannot be encoded as UTF-8"),
        ("é" * 32, "postgresql", "PostgreSQL would cut it to 63 bytes"),
        ("x" * 65, "mysql", "it has more than 64 characters"),
        ("a 🐦", "mysql", "'🐦' lies outside the Basic Multilingual Plane"),
        ("a ", "mysql", "it ends with a blank"),
        ("${env:HOME}", "spark", "Spark would substitute ${...}"),
        ("x" * 301, "bigquery", "it has more than 300 characters"),
    ],
)
def test_sql_refuses_what_a_dialect_cannot_carry(name, dialect, reason):
    message = error_of(to_sql, Var(name), dialect)

    assert message.endswith(f" cannot be a column in {dialect}: {reason}. Rename the concept.")


def test_sql_keeps_case_apart_where_the_dialect_does():
    assert to_sql(And(a, Var("A")), "postgresql") == '"a" IS TRUE AND "A" IS TRUE'
    assert to_sql(And(Var("É"), Var("é")), "sqlite") == "`É` IS 1 AND `é` IS 1"


@pytest.mark.parametrize(("dialect", "deepest"), [("ansi", 80), ("sqlite", 25)])
def test_nesting_is_limited(dialect, deepest):
    with pytest.raises(
        LimitError,
        match=rf"^The formula is nested {deepest + 1} levels deep; this form takes {deepest} at most. "
        r"Bring it into a normal form first.$",
    ):
        to_sql(deep(deepest + 1), dialect)


def test_size_is_limited_and_arguments_are_checked():
    with pytest.raises(LimitError, match="more than 200000 literals and connectives when written out"):
        to_sql(shared(70, TRUE))
    with pytest.raises(InputError, match=r"^Only a formula can be written out. Got 'a'; write Var\('a'\).$"):
        to_sql("a")
    with pytest.raises(
        InputError,
        match=r"^Only a formula can be written out. Got 'a & b'; write parse_formula\('a & b'\).$",
    ):
        to_sql("a & b")


@settings(max_examples=60)
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20))
@example(text="it's \\' \" ` -- \n; DROP TABLE t")
def test_a_text_is_read_back_as_it_was(engine, text):
    dialect, connection = engine

    assert connection.execute(f"SELECT {sql_text(text, dialect_named(dialect))}").fetchone() == (text,)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("ansi", "'it''s \\ \n'"),
        ("postgresql", "'it''s \\ \n'"),
        ("mysql", "'it\\'s \\\\ \n'"),
        ("spark", "'it\\'s \\\\ \n'"),
        ("bigquery", "'it\\'s \\\\ \\n'"),
    ],
)
def test_texts_by_the_rules_of_the_dialect(dialect, sql):
    assert sql_text("it's \\ \n", dialect_named(dialect)) == sql


@pytest.mark.parametrize(
    ("text", "dialect", "message"),
    [
        ("\0", "sqlite", "x00' cannot be a text in sqlite:"),
        ("${a}", "spark", "' cannot be a text in spark:"),
    ],
)
def test_texts_that_a_dialect_cannot_carry_are_refused(text, dialect, message):
    with pytest.raises(InputError, match=message):
        sql_text(text, dialect_named(dialect))
    assert sql_text("${a}", dialect_named("duckdb")) == "'${a}'"


def test_literals_are_written_as_the_caller_says():
    ansi = dialect_named("ansi")

    def literal(name, positive):
        return f"{ansi.quote(name)} {'>' if positive else '<='} 1"

    assert write_sql(Or(a, Not(b)), ansi, literal, ["a", "b"]) == '"a" > 1 OR "b" <= 1'
    with pytest.raises(InputError, match="'A' and 'a' are one column in duckdb"):
        write_sql(a, dialect_named("duckdb"), literal, ["A", "a"])
