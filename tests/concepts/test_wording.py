from __future__ import annotations

import sqlite3

import duckdb
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Between, Flag, Missing, OneOf, Vocabulary
from logiclens.concepts.concept import Condition, Relation
from logiclens.concepts.vocabulary import in_english, in_logic, in_python, in_sql
from logiclens.errors import InputError
from logiclens.explain import Rule
from logiclens.logic import Not, Var
from logiclens.logic.sql import dialect_named
from tests.concepts.readers import read_english, read_logic, read_plain
from tests.concepts.strategies import Raw, raw_formulas

TYPES = {"number": "DOUBLE", "text": "VARCHAR", "Boolean": "BOOLEAN", "0/1": "INTEGER"}
ENGINES = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}

AGE = Condition("age", Relation.BETWEEN, (30.0, 62.0))
COLOUR = Condition("bill colour", Relation.IS, ("red", 'pale "blue"'))


def everywhere(raw: Raw, formula) -> list[bool]:
    """What the formula says of each row, by way of concepts."""
    encoded = raw.vocabulary.encode(raw.table)
    return (
        formula.evaluate(encoded).tolist()
        if formula.concepts
        else [formula.evaluate([[0]], ["a"])[0]] * raw.n_rows
    )


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request):
    connection = ENGINES[request.param]()
    yield request.param, connection
    connection.close()


def run(connection, sql: str, raw: Raw) -> list[bool]:
    """Truth of an expression on each row, once it is sure that it is nowhere NULL."""
    columns = ['"' + name.replace('"', '""') + f'" {TYPES[raw.kinds[name]]}' for name in raw.table]
    connection.execute("DROP TABLE IF EXISTS raw")
    connection.execute(f"CREATE TABLE raw ({', '.join(columns)}, position INT)")
    marks = ", ".join("?" * (len(columns) + 1))
    rows = [(*row.values(), at) for at, row in enumerate(raw.rows())]
    connection.executemany(f"INSERT INTO raw VALUES ({marks})", rows)
    answers = connection.execute(f"SELECT ({sql}), NOT ({sql}) FROM raw ORDER BY position").fetchall()
    assert all(bool(no) is not bool(yes) for yes, no in answers)
    assert not any(answer is None for pair in answers for answer in pair)
    return [bool(yes) for yes, _ in answers]


def hostile(value: str) -> Raw:
    """A column and a value of one awkward name."""
    vocabulary = Vocabulary((value,), (OneOf(value, (value,), True), OneOf(value, ("a", value))))
    return Raw(vocabulary, {value: "text"}, {value: [value, "a", value + " ", value[:-1], None]})


@settings(max_examples=120)
@given(found=raw_formulas(gaps_anywhere=True, gap_values=True))
@example(found=(hostile('"; DROP TABLE raw; --'), Var('"; DROP TABLE raw; -- = "; DROP TABLE raw; --')))
@example(
    found=(
        hostile("it's \\' \\\\ \n %s ? :a $1"),
        Var("it's \\' \\\\ \n %s ? :a $1 = it's \\' \\\\ \n %s ? :a $1"),
    )
)
def test_sql_on_the_raw_table_is_evaluate(engine, found):
    """Whatever the columns and values are called, with NULL anywhere and either answer to it."""
    dialect, connection = engine
    raw, formula = found

    assert run(connection, raw.vocabulary.to_sql(formula, dialect), raw) == everywhere(raw, formula)


@settings(max_examples=100)
@given(raw_formulas(gaps_anywhere=True, gap_values=True))
def test_python_on_rows_is_evaluate(found):
    """Rows with None and NaN anywhere; the source runs without anything else.

    In columns that were complete it stopped at None, and found no literal true of NaN.
    """
    raw, formula = found
    source = raw.vocabulary.to_python(formula, "decide")
    scope: dict[str, object] = {}
    exec(compile(source, "rule", "exec"), scope)
    rows = raw.rows()

    assert [scope["decide"](row) for row in rows] == everywhere(raw, formula)
    with_nan = [{name: np.nan if value is None else value for name, value in row.items()} for row in rows]
    assert [scope["decide"](row) for row in with_nan] == everywhere(raw, formula)
    assert all(type(scope["decide"](row)) is bool for row in rows)


@settings(max_examples=100)
@given(raw_formulas())
def test_logic_as_a_person_reads_it_is_evaluate(found):
    raw, formula = found
    expected = everywhere(raw, formula)

    for style in ("ascii", "unicode"):
        text = raw.vocabulary.format(formula, style)
        assert [read_logic(text, row) for row in raw.rows()] == expected
        assert "\n" not in text


@settings(max_examples=100)
@given(raw_formulas())
@example(
    (
        Raw(
            Vocabulary(
                ("colour", "blue"),
                (OneOf("colour", ("red", "blue")), OneOf("colour", ("red",)), Flag("blue")),
            ),
            {"colour": "text", "blue": "Boolean"},
            {"colour": ["red", "blue", "green"], "blue": [False, False, True]},
        ),
        (Var("colour = red") | Var("blue")) & Not(Not(Var("colour in {red, blue}"))),
    )
)
def test_words_as_a_person_reads_them_are_evaluate(found):
    raw, formula = found
    for text, read in (
        (raw.vocabulary.to_sentence(formula), read_english),
        (raw.vocabulary.format(formula, "plain"), read_plain),
    ):
        assert [read(text, row) for row in raw.rows()] == everywhere(raw, formula)
        assert text.isprintable()


PLAIN = ("age", "smoker", "colour")
LATEX = [
    (r"\mathit{missing}", "missing"),
    *((rf"\mathit{{{name}}}", name) for name in (*PLAIN, "red", "blue")),
    (r"\le ", "<= "),
    (r"\notin ", "not in "),
    (r"\ne ", "!= "),
    (r"\in ", "in "),
    (r"\{", "{"),
    (r"\}", "}"),
    (r"\lnot ", "~"),
    (r"\lor ", "| "),
    (r"\land ", "& "),
]


@given(st.data())
def test_latex_says_what_ascii_says(data):
    if_missing = data.draw(st.booleans())
    concepts = (
        Above("age", 30, if_missing),
        AtMost("age", 0.5),
        Between("age", -1, 30),
        Flag("smoker"),
        OneOf("colour", ("red",)),
        OneOf("colour", ("red", "blue"), if_missing),
    )
    words = Vocabulary(PLAIN, concepts)
    name = data.draw(st.sampled_from(words.names))
    formula = data.draw(st.sampled_from([Var(name), ~Var(name), ~Var(name) & Var("smoker")]))
    latex = words.format(formula, "latex")
    for sign, plain in LATEX:
        latex = latex.replace(sign, plain)

    assert latex == words.format(formula)


@pytest.mark.parametrize(
    ("condition", "plain", "symbols", "latex"),
    [
        (AGE, "30 < age(x) <= 62", "30 < age(x) ≤ 62", r"30 < \mathit{age}(x) \le 62"),
        (
            AGE.negated(),
            "(age(x) <= 30 | age(x) > 62 | missing(age(x)))",
            "(age(x) ≤ 30 ∨ age(x) > 62 ∨ missing(age(x)))",
            r"(\mathit{age}(x) \le 30 \lor \mathit{age}(x) > 62 \lor \mathit{missing}(\mathit{age}(x)))",
        ),
        (
            COLOUR,
            r'"bill colour"(x) in {red, "pale \"blue\""}',
            r'"bill colour"(x) ∈ {red, "pale \"blue\""}',
            r"\text{bill colour}(x) \in "
            r"\{\mathit{red}, \text{pale }{}^{\prime\prime}\text{blue}{}^{\prime\prime}\}",
        ),
        (Condition("s", Relation.FAILS), "~s(x)", "¬s(x)", r"\lnot \mathit{s}(x)"),
        (Condition("s", Relation.HOLDS, (), True), "(s(x) | missing(s(x)))", "(s(x) ∨ missing(s(x)))", None),
        (
            Condition("s", Relation.MISSING),
            "missing(s(x))",
            "missing(s(x))",
            r"\mathit{missing}(\mathit{s}(x))",
        ),
        (Condition("s", Relation.PRESENT), "~missing(s(x))", "¬missing(s(x))", None),
        (Condition("s", Relation.IS, ("1",)), 's(x) = "1"', 's(x) = "1"', None),
        (Condition("s", Relation.IS, (1,)), "s(x) = 1", "s(x) = 1", None),
        (Condition("s", Relation.IS_NOT, ("a", "b")), "s(x) not in {a, b}", "s(x) ∉ {a, b}", None),
    ],
)
def test_logic_word_for_word(condition, plain, symbols, latex):
    assert in_logic(condition) == plain
    assert in_logic(condition, "unicode") == symbols
    if latex is not None:
        assert in_logic(condition, "latex") == latex


@pytest.mark.parametrize(
    ("condition", "plain"),
    [
        (AGE, "30 < age <= 62"),
        (AGE.negated(), "(age <= 30 or age > 62 or missing)"),
        (Condition("education-num", Relation.AT_MOST, (12,), True), "(education-num <= 12 or missing)"),
        (COLOUR, 'bill colour in {red, ‹pale "blue"›}'),
        (COLOUR.negated(), '(bill colour not in {red, ‹pale "blue"›} or missing)'),
        (Condition("income", Relation.IS, ("<=50K",)), "income = <=50K"),
        (Condition("income", Relation.IS_NOT, ("> 50 %",)), "income != ‹> 50 %›"),
        (Condition("role", Relation.IS, ("Not-in-family",)), "role = Not-in-family"),
        (Condition("role", Relation.IS, ("wife or child",)), "role = ‹wife or child›"),
        (Condition("zip", Relation.IS, ("0100",)), "zip = 0100"),
        (Condition("s", Relation.HOLDS, (), True), "(s or missing)"),
        (Condition("s", Relation.FAILS), "not s"),
        (Condition("missing", Relation.MISSING), "‹missing› is missing"),
        (Condition("s", Relation.PRESENT), "s is known"),
    ],
)
def test_plain_word_for_word(condition, plain):
    assert in_logic(condition, "plain") == plain


def test_text_like_a_number_is_marked_where_a_column_holds_both():
    words = Vocabulary(("code",), (OneOf("code", ("1", "a")), OneOf("code", (1,))))
    text, number = map(Var, words.names)

    assert words.format(text | number, "plain") == "code in {‹1›, a} or code = 1"
    assert words.to_sentence(text | number) == "(code is either ‹1› or a) or code is 1"


@pytest.mark.parametrize(
    ("condition", "said", "if_it_were"),
    [
        (AGE, "age is above 30 and at most 62", "age were above 30 and at most 62"),
        (
            AGE.negated(),
            "(age is at most 30 or above 62 or missing)",
            "(age were at most 30 or above 62 or missing)",
        ),
        (
            Condition("age", Relation.OUTSIDE, (1, 2)),
            "(age is at most 1 or above 2)",
            "(age were at most 1 or above 2)",
        ),
        (Condition("age", Relation.ABOVE, (62.0,)), "age is above 62", "age were above 62"),
        (
            Condition("age", Relation.AT_MOST, (0.5,), True),
            "(age is at most 0.5 or missing)",
            "(age were at most 0.5 or missing)",
        ),
        (
            COLOUR,
            '(bill colour is either red or ‹pale "blue"›)',
            '(bill colour were either red or ‹pale "blue"›)',
        ),
        (
            COLOUR.negated(),
            '(bill colour is neither red nor ‹pale "blue"› or missing)',
            '(bill colour were neither red nor ‹pale "blue"› or missing)',
        ),
        (
            Condition("c", Relation.IS_NOT, ("a", "b", 3)),
            "c is neither a, b nor 3",
            "c were neither a, b nor 3",
        ),
        (Condition("c", Relation.IS, ("red",)), "c is red", "c were red"),
        (Condition("c", Relation.IS_NOT, ("red",)), "c is not red", "c were not red"),
        (Condition("c", Relation.IS, ("missing",)), "c is ‹missing›", "c were ‹missing›"),
        (Condition("c", Relation.IS, ("1",)), "c is 1", "c were 1"),
        (Condition("c", Relation.MISSING), "c is missing", "c were missing"),
        (Condition("c", Relation.PRESENT), "c is known", "c were known"),
        (Condition("never", Relation.HOLDS), "‹never›", "‹never› were true"),
        (Condition("c", Relation.FAILS), "not c", "c were false"),
    ],
)
def test_english_word_for_word(condition, said, if_it_were):
    assert in_english(condition) == said
    assert in_english(condition, were=True) == if_it_were


@pytest.mark.parametrize(
    ("condition", "dialect", "sql"),
    [
        (AGE, "ansi", '("age" > 30 AND "age" <= 62) IS TRUE'),
        (AGE.negated(), "sqlite", "(`age` > 30 AND `age` <= 62) IS NOT 1"),
        (Condition("age", Relation.OUTSIDE, (30.0, 62.0)), "duckdb", '("age" > 30 AND "age" <= 62) IS FALSE'),
        (Condition("age", Relation.AT_MOST, (0.1,)), "duckdb", '("age" > 0.1e0) IS FALSE'),
        (Condition("age", Relation.ABOVE, (0.5,), True), "mysql", "(`age` > 0.5) IS NOT FALSE"),
        (Condition("age", Relation.AT_MOST, (0.1,)), "sqlite", "(`age` > 0.1e0) IS 0"),
        (
            Condition("x", Relation.IS, (0.931507922123123, 2.0)),
            "sqlite",
            "(`x` IN ((8390277461932723 * 1.0 / 9007199254740992), 2)) IS 1",
        ),
        (Condition("age", Relation.ABOVE, (16777217.0,)), "duckdb", '("age" > 16777217e0) IS TRUE'),
        (Condition("age", Relation.IS, (16777217,)), "duckdb", '("age" = 16777217) IS TRUE'),
        (Condition("s", Relation.HOLDS), "duckdb", '"s" IS TRUE'),
        (Condition("s", Relation.FAILS), "duckdb", '"s" IS FALSE'),
        (Condition("s", Relation.FAILS, (), True), "sqlite", "`s` IS NOT 1"),
        (Condition("s", Relation.MISSING), "ansi", '"s" IS NULL'),
        (Condition("s", Relation.PRESENT), "ansi", '"s" IS NOT NULL'),
        (Condition("it's", Relation.IS, ("it's",)), "ansi", "(\"it's\" = 'it''s') IS TRUE"),
        (Condition("a", Relation.IS, ("b\\'",)), "mysql", r"(`a` = 'b\\\'') IS TRUE"),
        (Condition("a", Relation.IS, ("b\n'",)), "bigquery", r"(`a` = 'b\n\'') IS TRUE"),
        (Condition("a", Relation.IS_NOT, ("b", "c")), "ansi", "(\"a\" IN ('b', 'c')) IS FALSE"),
        (Condition("a", Relation.ABOVE, (62,), gaps=(-999, 999)), "ansi", '(NULLIF("a", 999) > 62) IS TRUE'),
        (
            Condition("a", Relation.MISSING, (), True, (-9, 0.5)),
            "ansi",
            'NULLIF(NULLIF("a", -9), 0.5) IS NULL',
        ),
    ],
)
def test_sql_word_for_word(condition, dialect, sql):
    assert in_sql(condition, dialect_named(dialect)) == sql


def test_a_flag_of_numbers_is_compared():
    assert (
        in_sql(Condition("s", Relation.HOLDS), dialect_named("ansi"), numeric=True) == '("s" > 0.5) IS TRUE'
    )


@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.floats(-1e30, 1e30) | st.sampled_from([0.1, 0.3, 16777217.0, 1e40]),
    st.booleans(),
)
@example(float(np.float32(0.1)), 0.1, True)
@example(16777216.0, 16777217.0, True)
def test_columns_of_single_precision_are_not_rounded(number, cut, near):
    """DuckDB brings 0.1 to the precision of the column, where it is greater than 0.1."""
    cut = float(np.float64(number) + cut * 1e-9) if near and cut not in (0.1, 16777217.0) else cut
    words = Vocabulary(("a",), (Above("a", cut),))
    sql = words.to_sql(Var(words.names[0]), "duckdb")
    answer = duckdb.execute(f"SELECT {sql} FROM (SELECT ?::FLOAT AS a)", [number]).fetchone()

    assert answer == (words.encode({"a": np.array([number], dtype=np.float32)})[words.names[0]][0],)


@pytest.mark.parametrize(
    ("value", "dialect", "message"),
    [
        ("a\0b", "duckdb", "x00b' cannot be a text in duckdb:"),
        ("\ud800", "ansi", "ud800' cannot be a text in ansi:"),
        ("${x}", "spark", "' cannot be a text in spark:"),
    ],
)
def test_values_that_sql_cannot_carry_are_refused(value, dialect, message):
    with pytest.raises(InputError, match=message):
        in_sql(Condition("a", Relation.IS, (value,)), dialect_named(dialect))


@pytest.mark.parametrize(
    ("condition", "source"),
    [
        (AGE, "30 < row['age'] <= 62"),
        (AGE.negated(), "not 30 < row['age'] <= 62"),
        (Condition("it's", Relation.IS, ("a", 1)), "row[\"it's\"] in ('a', 1)"),
        (
            Condition("it's", Relation.IS, ("a", 1), True),
            '(row["it\'s"] != row["it\'s"] or row["it\'s"] in (\'a\', 1))',
        ),
        (Condition("s", Relation.FAILS), "row['s'] <= 0.5"),
        (Condition("s", Relation.PRESENT), "row['s'] == row['s']"),
        (Condition("s", Relation.ABOVE, (62,), True), "not row['s'] <= 62"),
    ],
)
def test_python_word_for_word(condition, source):
    assert in_python(condition) == source


WORDS = Vocabulary(
    ("age", "sex"),
    (Above("age", 17), Above("age", 5), Missing("age"), OneOf("sex", ("male",))),
    optional={"sex"},
)
OLD, GROWN, GAP, MALE = map(Var, WORDS.names)


@pytest.mark.parametrize(
    ("formula", "english", "logic"),
    [
        (~OLD & ~GAP, "age is at most 17", "age(x) <= 17"),
        (~GAP & OLD, "age is above 17", "age(x) > 17"),
        (GROWN & ~OLD, "age is above 5 and at most 17", "5 < age(x) <= 17"),
        (
            ~OLD & MALE & GROWN,
            "age is above 5 and at most 17 and sex is male",
            "5 < age(x) <= 17 & sex(x) = male",
        ),
        (
            ~(GROWN & ~OLD),
            "age is at most 5 or above 17 or missing",
            "(age(x) <= 5 | age(x) > 17 | missing(age(x)))",
        ),
        (OLD & ~GROWN, "age is above 17 and age is at most 5", "age(x) > 17 & age(x) <= 5"),
        (~GAP, "age is known", "~missing(age(x))"),
        (
            ~OLD & ~MALE,
            "(age is at most 17 or missing) and (sex is not male or missing)",
            "(age(x) <= 17 | missing(age(x))) & (sex(x) != male | missing(sex(x)))",
        ),
        (
            (~OLD & ~GAP) | (~GROWN & MALE),
            "age is at most 17, or (age is at most 5 or missing) and sex is male",
            "age(x) <= 17 | ((age(x) <= 5 | missing(age(x))) & sex(x) = male)",
        ),
        (~(~OLD & ~GAP), "age is above 17 or missing", "(age(x) > 17 | missing(age(x)))"),
    ],
)
def test_what_is_known_of_a_value_is_said_once(formula, english, logic):
    assert WORDS.to_sentence(formula) == english
    assert WORDS.format(formula) == logic
    assert Rule("y", formula, vocabulary=WORDS).format() == f"forall x: y(x) <-> {logic}"


def test_names_of_shortened_literals_are_taken_by_no_concept():
    words = Vocabulary(("age", "0"), (Above("age", 17), Missing("age"), Flag("0")))

    assert (
        words.to_sentence(~Var("age > 17") & ~Var("age is missing") & Var("0")) == "age is at most 17 and 0"
    )
