"""What commands refuse: one line on standard error, an exit code, and every file as it was."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path

import pytest

from logiclens.cli import learning
from tests.cli.in_files import in_file, in_files, stays
from tests.cli.running import SCORED, STAYS, copied, run
from tests.cli.saved import PATIENTS, TABLE, from_the_future, saved

FILES = {
    "rows.csv": TABLE,
    "age.csv": "id,age\n1,2\n",
    "empty.csv": "",
    "header.csv": "a,y\n",
    "column.csv": "y\nyes\nno\n",
    "class.csv": "a,y\n1,yes\n2,yes\n",
    "ragged.csv": "a,y\n1,yes\n2\n",
    "row.csv": "a,y\n1,yes\n",
    "results.json": '{\n  "format": "logiclens.results",\n  "version": 1\n}\n',
    "same.csv": "a,b\n1,x\n1,x\n",
    "score.csv": "x,score\n" + "".join(f"{at},{at / 250:.3f}\n" for at in range(200)),
}

COLUMNS = "stay_id, admitted, age, ward, pressure, smoker, country, risk"
ENGINE = "rules.json rows.parquet --engine duckdb"
IN_MEMORY = (
    "needs rows in memory, and --engine leaves them in the engine. Draw some with --max-rows 100000, or "
    "leave out --engine."
)


@pytest.fixture(autouse=True)
def _in_a_folder_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is trained: what is refused is refused before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(learning, "train", pytest.fail)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("latin.csv").write_bytes("größe,y\n1,ja\n2,nein\n".encode("latin-1"))
    copied(STAYS, tmp_path)
    copied(SCORED, tmp_path)
    in_files(stays(), tmp_path / "stays")
    in_file({"age": [70], "ward": ["ICU"], "when": [date(2020, 1, 1)]})
    Path("none").mkdir()
    saved(PATIENTS, tmp_path)
    from_the_future(tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        # files that are read
        ("explain nothing.csv -t y", "There is no file 'nothing.csv'. Check its name and folder."),
        ("predict rules.json stay.csv", "There is no file 'stay.csv'. Did you mean 'stays.csv'?"),
        ("check zzz", "There is no file 'zzz'. Check its name and folder."),
        ("export . --to sql", "'.' is a folder. Name a file in it."),
        (
            "explain latin.csv -t y --encoding utf-8",
            "'latin.csv' is not text in UTF-8, in line 1. Name its encoding",
        ),
        ("explain empty.csv -t y", "'empty.csv' is empty."),
        ("explain header.csv -t y", "'header.csv' has a header and no rows."),
        ("explain ragged.csv -t y", "'ragged.csv' has 1 value in line 3; the header names 2 columns."),
        ("explain row.csv -t y", "The table has 1 row. At least 2 are needed to compare."),
        ("explain-row rules.json rows.csv --row 6", "'rows.csv' has 5 rows; there is no row 6."),
        ("explain 'no/*.parquet' -t y --engine duckdb", "No file fits the pattern 'no/*.parquet'."),
        ("explain no.parquet -t y --engine duckdb", "There is no file or folder 'no.parquet'."),
        ("explain none -t y --engine duckdb", "The folder 'none' holds no Parquet file."),
        ("explain stays -t y --engine duckdb --memory lots", "memory must be an amount such as '4GB'"),
        # models
        ("predict rows.csv rows.csv", "'rows.csv' holds neither a model nor rules."),
        ("export future.json --to sql", "'future.json' does not hold rules that can be read."),
        ("predict rules.json rows.csv --network", "'rules.json' holds rules alone. Leave out --network"),
        ("check results.json", "'results.json' holds results, as --json writes them; save rules with --save"),
        ("check rules.json --literals 3", "'rules.json' holds rules of one length. Leave out --literals"),
        # columns and classes
        ("explain column.csv -t y", "There is no column to learn from beside 'y'."),
        ("explain class.csv -t y", "Column 'y' is 'yes' in every row, so there is nothing to explain."),
        ("explain stays.csv -t rsk", "The data lack the column 'rsk'. Did you mean 'risk'?"),
        ("explain stays.csv -t age", "Column 'age' has 70 different numbers, too many to be classes."),
        (
            "explain stays.csv -t risk --folds 501",
            "--folds must be at most the number of rows, 500.",
        ),
        ("blackbox scored_stays.csv --predictions prediction", "The data lack the column 'prediction'."),
        ("blackbox scored_stays.csv --predictions predicted --truth rsk", "The data lack the column 'rsk'."),
        ("blackbox score.csv --predictions score", "Column 'score' has 200 different numbers from 0 to 1"),
        ("cluster same.csv --out new.csv", "No column can be used: 'a': constant, and so on for 2 columns."),
        ("predict rules.json age.csv", "The data lack the column 'ward'."),
        ("predict rules.json age.csv --engine duckdb --out o.parquet", "The data lack the column 'ward'."),
        (
            "predict rules.json rows.csv --truth wards",
            "The data lack the column 'wards'. Did you mean 'ward'?",
        ),
        ("explain-row rules.json age.csv --row 1", "The data lack the column 'ward'."),
        (
            "explain-row rules.json rows.csv --row 1 --class ills",
            "Unknown class 'ills'.",
        ),
        ("export rules.json --to sql --class il", "Unknown class 'il'. Did you mean 'ill'?"),
        ("export rules.json --to python --name 1st", "A function cannot be called '1st'."),
        ("explain stays -t risk --use agee --engine duckdb", "The data lack the column 'agee'."),
        (f"predict {ENGINE} --out new.parquet --truth wen", "The data lack the column 'wen'."),
        (f"predict {ENGINE} --out new.parquet --truth when", "Labels must be text, numbers or Booleans."),
        # files that are written
        ("explain stays.csv -t risk --html no/such/file", "'no/such/file' cannot be written: there is no"),
        ("explain stays.csv -t risk --save no/such/file", "'no/such/file' cannot be written: there is no"),
        ("explain stays -t risk --save stays/0.parquet --engine duckdb", "'stays/0.parquet' is read, too."),
        (f"predict {ENGINE} --out no/new.parquet", "'no/new.parquet' cannot be written: there is no folder"),
        (f"predict {ENGINE} --out rows.parquet", "'rows.parquet' is read, too."),
        ("explain stays.csv -t risk --json ./stays.csv", "'stays.csv' is read, too."),
        ("predict rules.json rows.csv --out rules.json", "'rules.json' is read, too."),
        ("predict rules.json rows.csv --out ./rows.csv", "'rows.csv' is read, too."),
        ("export rules.json --to sql --out rules.json", "'rules.json' is read, too."),
        (
            "predict rules.json rows.csv --out no/out.csv",
            "'no/out.csv' cannot be written: there is",
        ),
        ("export rules.json --to sql --out no/rules.sql", "'no/rules.sql' cannot be written: there is no"),
        ("predict rules.json rows.csv --out .", "'.' is a folder. Name a file in it."),
    ],
)
def test_refused(words: str, message: str):
    before = contents()
    result = run(*shlex.split(words))

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"logiclens: {message}")
    assert result.stderr.count("\n") == 1
    assert contents() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("demo --literal-cost 0.1", "No such option: --literal-cost"),
        ("demo --data mnist", "'mnist' is not one of 'wine', 'iris', 'breast_cancer'."),
        ("check", "Missing argument 'MODEL'"),
        ("explain-row rules.json rows.csv", "Missing option '--row'"),
        ("explain-row rules.json rows.csv --row 0", "Invalid value for '--row': "),
        ("export rules.json", "Missing option '--to'"),
        (
            "export rules.json --to cobol",
            "'cobol' is not one of 'sql', 'python', 'json', 'latex', 'markdown', 'md', ",
        ),
        ("export rules.json --to md --dialect mysql", "there are dialects of SQL only; add --to sql."),
        ("export rules.json --to md --name f", "only Python needs a name; add --to python."),
        ("blackbox rows.csv --predictions a --truth a", "it is the column of --predictions; name another"),
        ("explain rows.csv -t y --rows", "--rows puts rows into the report. Add --html report.html, or omit"),
        ("blackbox rows.csv --predictions y --rows", "--rows puts rows into the report."),
        ("cluster rows.csv --rows", "--rows puts rows into the report."),
        *(
            (words, f"say which column to explain: --target COLUMN. {name} has {COLUMNS} (8 columns).\n")
            for words, name in (
                ("explain stays.csv", "stays.csv"),
                ("explain stays --engine duckdb", "stays"),
            )
        ),
        (
            "blackbox scored_stays.csv",
            "say which column has the answers: --predictions COLUMN. scored_stays.csv has "
            f"{COLUMNS}, ... (9 columns).\n",
        ),
        ("explain several/*.csv -t y", "'several/*.csv' stands for several files. Add --engine duckdb"),
        ("predict rules.json stays", "'stays' stands for several files. Add --engine duckdb"),
        ("explain rows.csv --memory 4GB", "--memory is for an engine. Add --engine duckdb, or omit it."),
        ("explain - --engine duckdb", "--engine reads files, and - is standard input. Name a file, or"),
        ("explain rows.csv --engine duckdb --decimal ,", "--decimal is not for an engine, which reads files"),
        ("predict rules.json - --engine duckdb", "--engine reads files, and - is standard input."),
        ("explain rows.csv --engine sqlite", "'sqlite' is not one of 'duckdb', 'spark'."),
        ("explain stays -t risk --engine duckdb --html r.html", f"--html {IN_MEMORY}"),
        ("explain stays -t risk --engine duckdb --cv", f"Cross-validation {IN_MEMORY}"),
        ("explain stays -t risk --engine duckdb --folds 3", f"Cross-validation {IN_MEMORY}"),
        ("explain stays -t risk --engine duckdb --more", f"--more {IN_MEMORY}"),
        (f"predict {ENGINE}", "--engine writes Parquet. Say where: --out predicted.parquet"),
        (f"predict {ENGINE} --out out.csv", "Give --out a name that ends in .parquet, not out.csv."),
        (f"predict {ENGINE} --out out.parquet --network", "--network needs rows in memory, and --engine"),
        (f"predict {ENGINE} --out s3://bucket/out.parquet", "--out must be a place on this machine."),
    ],
)
def test_wrong_usage(words: str, message: str):
    before = contents()
    result = run(*shlex.split(words))

    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert contents() == before


def contents() -> dict[str, bytes]:
    """All files, with what they hold."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}
