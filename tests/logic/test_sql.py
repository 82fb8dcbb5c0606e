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
    ("formula", "settings", "sql"),
    [
        *(
            (And(Not(Var(NAME)), FALSE), {"dialect": dialect}, '"q""`\\\n" IS NOT TRUE AND FALSE')
            for dialect in ("ansi", "duckdb", "postgresql")
        ),
        (And(Not(Var(NAME)), FALSE), {"dialect": "sqlite"}, '`q"``\\\n` IS NOT 1 AND 0'),
        (And(Not(Var(NAME)), FALSE), {"dialect": "mysql"}, '`q"``\\\n` IS NOT TRUE AND FALSE'),
        (And(Not(Var(NAME)), FALSE), {"dialect": "spark"}, '`q"``\\\n` IS NOT TRUE AND FALSE'),
        (And(Not(Var(NAME)), FALSE), {"dialect": "bigquery"}, '`q"\\`\\\\\\n` IS NOT TRUE AND FALSE'),
        (Not(Not(Not(Or(a, b)))), {}, 'NOT ("a" IS TRUE OR "b" IS TRUE)'),
        (Not(TRUE), {"dialect": "sqlite"}, "NOT 1"),
        (a, {"threshold": 0.5}, '("a" > 0.5) IS TRUE'),
        (a, {"threshold": 1e-5}, '("a" > 1e-05) IS TRUE'),
        (a, {"threshold": 0.1 + 0.2}, '("a" > 0.30000000000000004e0) IS TRUE'),
        (And(a, Var("A")), {"dialect": "postgresql"}, '"a" IS TRUE AND "A" IS TRUE'),
        (And(Var("É"), Var("é")), {"dialect": "sqlite"}, "`É` IS 1 AND `é` IS 1"),
    ],
)
def test_spelling(formula, settings, sql):
    assert to_sql(formula, **settings) == sql


def column(name, dialect):
    return lambda: to_sql(Var(name), dialect)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (column("a", "oracle"), "Unknown SQL dialect 'oracle'. The dialects are 'ansi', "),
        (column("a", "postgres"), "Did you mean 'postgresql'?"),
        (lambda: to_sql(And(a, Var("A")), "sqlite"), "'A' and 'a' are one column in sqlite"),
        (lambda: to_sql(And(Var("É"), Var("é")), "bigquery"), "'É' and 'é' are one column in bigquery"),
        (column("x\0", "ansi"), "NUL character"),
        (column("\ud800", "duckdb"), "UTF-8"),
        (column("é" * 32, "postgresql"), "63 bytes"),
        (column("x" * 65, "mysql"), "more than 64 characters"),
        (column("a 🐦", "mysql"), "outside the Basic Multilingual Plane"),
        (column("a ", "mysql"), "ends with a blank"),
        (column("${env:HOME}", "spark"), "Spark would substitute ${...}"),
        (column("x" * 301, "bigquery"), "more than 300 characters"),
        (lambda: sql_text("\0", dialect_named("sqlite")), "cannot be a text in sqlite"),
        (lambda: sql_text("${a}", dialect_named("spark")), "cannot be a text in spark"),
        (lambda: to_sql("a"), "Got 'a'; write Var('a')."),
        (lambda: to_sql("a & b"), "Got 'a & b'; write parse_formula('a & b')."),
    ],
)
def test_what_a_dialect_cannot_carry_is_refused(call, message):
    assert message in error_of(call)


@pytest.mark.parametrize(("dialect", "deepest"), [("ansi", 80), ("sqlite", 25)])
def test_depth_and_size_are_limited(dialect, deepest):
    with pytest.raises(
        LimitError, match=f"nested {deepest + 1} levels deep; this form takes {deepest} at most"
    ):
        to_sql(deep(deepest + 1), dialect)
    with pytest.raises(LimitError, match="more than 200000 literals"):
        to_sql(shared(20, TRUE), dialect)


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


def test_literals_are_written_as_the_caller_says():
    ansi = dialect_named("ansi")

    def literal(name, positive):
        return f"{ansi.quote(name)} {'>' if positive else '<='} 1"

    assert write_sql(Or(a, Not(b)), ansi, literal, ["a", "b"]) == '"a" > 1 OR "b" <= 1'
    with pytest.raises(InputError, match="'A' and 'a' are one column in duckdb"):
        write_sql(a, dialect_named("duckdb"), literal, ["A", "a"])
