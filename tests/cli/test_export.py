"""``logiclens export``: what it writes is what the rules say, exactly, and inert on a terminal."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import logiclens
from logiclens.cli.saved_rules import DialectName, Language, format_rules
from logiclens.explain import Explanation, HeldOutScores, load_rules
from logiclens.loading import rules_of_model
from logiclens.logic import Var
from logiclens.logic.sql import _DIALECTS
from tests.cli.running import STAYS, on_a_terminal, run
from tests.cli.saved import PATIENTS, hostile, model_file, rules_of, saved
from tests.strategies import HOSTILE_NAMES


@pytest.fixture
def rules_file(tmp_path: Path) -> str:
    return saved(PATIENTS, tmp_path)


def without_comments(text: str) -> str:
    """SQL without the two lines that say where it comes from."""
    head = text.splitlines(keepends=True)[:2]
    return text.removeprefix("".join(head)) if text.startswith("-- ") else text


@pytest.mark.parametrize(("words", "exported"), [([], PATIENTS), (["--class", "ill"], PATIENTS["ill"])])
@pytest.mark.parametrize("language", ["sql", "python", "json", "latex", "markdown"])
def test_each_language_is_what_the_rules_export(rules_file, language, words, exported):
    name = "md" if language == "markdown" else language
    result = run("export", rules_file, "--to", name, *words)
    layout = {"indent": 0 if words else 4} if language == "sql" else {}
    text = getattr(exported, f"to_{language}")(**layout)

    assert result.exit_code == 0, result.output
    assert without_comments(result.stdout) == (text if language == "python" else f"{text}\n")
    if name == "md":
        assert run("export", rules_file, "--to", "markdown", *words).stdout == result.stdout
    assert result.stderr.startswith("Note: this formula") == bool(words)


def test_markdown_says_how_often_each_step_was_right():
    run("explain", STAYS, "-t", "risk", "--no-compare", "--stability", 0, "--save", "model.lens")

    assert run("export", "model.lens", "--to", "md").stdout.splitlines() == [
        "1. if age > 58 and ward = ICU, or pressure > 153 and smoker = yes then **high**: right on 28 of the "
        "29 rows it decides (96.6%)",
        "2. otherwise **low**: right on 118 of 121 rows (97.5%)",
        "",
        "4 literals, right on 97.3% of 150 rows held out.",
    ]


def test_sympy_can_be_built_again(rules_file):
    scope: dict[str, object] = {}
    exec(run("export", rules_file, "--to", "sympy").stdout, scope)
    assert scope["rules"] == PATIENTS.to_sympy()
    exec(run("export", rules_file, "--to", "sympy", "--class", "well").stdout, scope)
    assert scope["rule"] == PATIENTS["well"].to_sympy()


def test_settings_of_a_language(rules_file):
    mysql = run("export", rules_file, "--to", "sql", "--dialect", "mysql").stdout
    assert without_comments(mysql) == f"{PATIENTS.to_sql('mysql', indent=4)}\n"
    assert run("export", rules_file, "--to", "python", "--name", "which").stdout == PATIENTS.to_python(
        "which"
    )


def test_all_dialects_are_there():
    assert set(DialectName) == set(_DIALECTS)


def test_several_labels_are_columns():
    rules = rules_of({"x": Var("a"), 'say "hi"': ~Var("b")}, ["a", "b"], multi_label=True)
    sql = format_rules(rules, Language.SQL, dialect=DialectName.DUCKDB)

    assert sql == '"a" IS TRUE AS "x",\n"b" IS NOT TRUE AS "say ""hi"""\n'
    found = duckdb.sql(f"SELECT {sql} FROM (SELECT true AS a, true AS b)")
    assert (found.columns, found.fetchall()) == (["x", 'say "hi"'], [(True, False)])


@pytest.mark.parametrize(
    ("labels", "text", "label"), [([0, 1], "1", 1), ([0.5, 1.5], "1.5", 1.5), ([False, True], "true", True)]
)
def test_labels_that_are_no_text(tmp_path, labels, text, label):
    rules = rules_of(dict.fromkeys(labels, Var("a")), ["a"], default=labels[0])
    found = run("export", saved(rules, tmp_path), "--to", "json", "--class", text).stdout

    assert Explanation.from_json(found) == rules[label]


def test_the_rules_of_a_model(tmp_path):
    model = model_file(tmp_path)
    rules = rules_of_model(model)

    assert without_comments(run("export", model, "--to", "sql").stdout) == f"{rules.to_sql(indent=4)}\n"
    out = tmp_path / "rules.json"
    result = run("export", model, "--to", "json", "--out", str(out))
    assert (result.exit_code, result.output) == (0, "")
    assert load_rules(out) == rules


@pytest.mark.parametrize("language", Language)
def test_hostile_names_are_exported_and_shown(tmp_path, language):
    """Each language carries them; what has control characters is never raw where a person reads it."""
    rules = hostile(HOSTILE_NAMES)
    result = run("export", saved(rules, tmp_path), "--to", language)

    assert result.exit_code == 0, result.output
    if language is Language.JSON:
        assert json.loads(result.stdout)["concept_names"] == list(HOSTILE_NAMES)
    if language is Language.PYTHON:
        tree = ast.parse(result.stdout)
        assert {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} == {"row"}
    if language is not Language.SQL:
        assert result.stdout.replace("\n", "").isprintable()


def test_hostile_names_in_sql_are_columns(tmp_path):
    """The query gives what the rules predict, and the table is still there."""
    names = ('"; DROP TABLE t; --', "<script>alert(1)</script>", "\u200fשלום", "two\nlines", "n" * 300)
    rules = hostile(names)
    sql = run("export", saved(rules, tmp_path), "--to", "sql", "--dialect", "duckdb").stdout
    connection = duckdb.connect()
    columns = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}" BOOLEAN' for name in names)
    connection.execute(f"CREATE TABLE t ({columns})")
    connection.execute(
        "INSERT INTO t VALUES (true, false, false, false, true), (false, false, true, true, false)"
    )

    expected = rules.predict([[1, 0, 0, 0, 1], [0, 0, 1, 1, 0]]).tolist()
    assert [row[0] for row in connection.execute(f"SELECT {sql} FROM t").fetchall()] == expected


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_terminal_obeys_no_name(tmp_path):
    """An escape sequence, a mark that turns the direction of writing."""
    rules = rules_of({"x": Var("red\x1b[31m\u202e")}, ["red\x1b[31m\u202e"], default="x")
    code, shown = on_a_terminal("export", saved(rules, tmp_path), "--to", "sql")

    assert code == 0
    assert without_comments(shown) == (
        "CASE\n    WHEN \"red\\u001b[31m\\u202e\" IS TRUE THEN 'x'\n    ELSE 'x'\nEND\n"
        "logiclens: what cannot be seen is shown by its number; --out FILE writes it as it is.\n"
    )
    out = tmp_path / "rules.sql"
    assert on_a_terminal("export", saved(rules, tmp_path), "--to", "sql", "--out", str(out)) == (0, "")
    assert without_comments(out.read_text()) == f"{rules.to_sql(indent=4)}\n"


@pytest.mark.parametrize(
    "name", ["*/ DROP TABLE t; --", "a\nDROP TABLE t", "a\r\x85\u2028b", "/*/ ${x}", "x\0", "\\", "'"]
)
def test_a_comment_says_where_it_comes_from_and_no_name_ends_it(tmp_path, name):
    """The name of the target and of the file; a date would make the text another one every day."""
    scores = HeldOutScores((3, 1, 0, 6), (3, 1, 0, 5), name)
    file = f"m{name.replace('/', '').replace(chr(0), '')}.json"
    path = saved(replace(PATIENTS, held_out=scores), tmp_path, file)
    text = run("export", path, "--to", "sql", "--dialect", "duckdb").stdout
    head = text.split("\n")[:2]

    assert text == run("export", path, "--to", "sql", "--dialect", "duckdb").stdout
    assert without_comments(text) == f"{PATIENTS.to_sql('duckdb', indent=4)}\n"
    assert all(line.startswith("-- ") and line.isprintable() for line in head)
    assert not any(sign in line for line in head for sign in ("*/", "/*", "${"))
    assert f"logiclens {logiclens.__version__}" in head[0]
    assert head[1] == "-- 6 literals, right on 90.0% of 10 rows held out"
    assert duckdb.sql(f"SELECT {text} FROM (SELECT 70 AS age, 'ICU' AS ward)").fetchall() == [("ill",)]


def test_a_pipe_that_knows_ascii_only_gets_the_exact_text(tmp_path):
    rules = rules_of({"größe": Var("größe")}, ["größe"], default="größe")
    command = [sys.executable, "-m", "logiclens", "export", saved(rules, tmp_path), "--to", "sql"]
    result = subprocess.run(
        command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"}, check=True
    )

    assert without_comments(result.stdout.decode()) == f"{rules.to_sql(indent=4)}\n"
