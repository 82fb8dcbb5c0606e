"""``logiclens explain``, as a person types it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import logiclens
from logiclens.cli import learning, outputs
from logiclens.files import read_table
from tests.cli.running import PIPE, STAYS, TERMINAL, check_golden, copied, report_facts, run

HOSTILE = [
    "<script>alert(1)</script>",
    '"; DROP TABLE x',
    "\u202eشارع",
    "long " * 60,
    "a\x1b[31mred\x1b[0m",
    "[bold]b[/bold]",
]


@pytest.fixture(autouse=True)
def _in_a_folder_with_stays(tmp_path: Path) -> None:
    copied(STAYS, tmp_path)


@pytest.mark.parametrize(("where", "env"), [("pipe", PIPE), ("terminal", TERMINAL)])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("explain", ["--save", "model.lens", "--html", "report.html"]),
        ("explain_more", ["--more", "--ignore", "stay_id,admitted,country"]),
        ("explain_quiet", ["--quiet"]),
        (
            "explain_above",
            ["--target", "pressure", "--above", "130", "--ignore", "risk", "--literals", "3", "--front"],
        ),
        ("explain_only_if", ["--rule", "only_if", "--max-rows", "200"]),
    ],
)
def test_what_is_printed(name: str, options: list[str], where: str, env: dict[str, str | None]):
    result = run("explain", "stays.csv", "--target", "risk", *options, env=env)

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    check_golden(f"{name}.{where}.txt", result.stdout)


def test_a_length_may_be_asked_for():
    run("explain", "stays.csv", "--target", "risk", "--save", "model.lens")
    rules = logiclens.load("model.lens").explain(literals=2)

    shown = run("explain", "stays.csv", "--target", "risk", "--literals", "2", "--quiet").output
    assert shown == f"{rules.format('plain')}\n"
    assert run("export", "model.lens", "--to", "json", "--literals", "2").output == f"{rules.to_json()}\n"
    assert f"{rules}\n" in run("check", "model.lens", "--literals", "2", "--logic").output
    found = run("predict", "model.lens", "stays.csv", "--literals", "2", "--only-prediction").stdout
    predicted = [row["prediction"] for row in csv.DictReader(io.StringIO(found))]
    assert predicted == rules.predict(read_table("stays.csv").table).tolist()


def test_scores_are_about_rows_held_out():
    run("explain", "stays.csv", "--target", "risk", "--json", "all.json", "--save", "rules.json")
    found = json.loads(Path("all.json").read_text(encoding="utf-8"))
    rules = logiclens.load("rules.json")
    table = read_table("stays.csv").table
    labels = np.array(table["risk"].to_pylist())
    from logiclens.cli.row_split import split

    held_out = split(labels, 0.3, 0)
    rows = table.take(np.flatnonzero(held_out))

    assert found["overall"]["n"] == held_out.sum()
    assert found["overall"]["rules_accuracy"] == rules.score(rows, labels[held_out])
    fired = rules["high"].evaluate(rows)
    high = labels[held_out] == "high"
    (entry,) = [each for each in found["rules"] if each["label"] == "high"]
    assert entry["precision"]["value"] == high[fired].mean()
    assert entry["recall"]["value"] == fired[high].mean()
    assert entry["coverage"]["value"] == fired.mean()
    assert entry["n"] == high.sum()
    assert entry["logic"] == str(rules["high"])


def partly_labeled(value: str) -> None:
    """Write the stays as some.csv, every other one of which has this risk."""
    header, *rows = STAYS.read_text(encoding="utf-8").splitlines()
    at = header.split(",").index("risk")
    for number in range(0, len(rows), 2):
        cells = rows[number].split(",")
        rows[number] = ",".join([*cells[:at], value, *cells[at + 1 :]])
    Path("some.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")


@pytest.mark.parametrize("value", ["", "-1", "open"])
def test_rows_without_a_class_are_learned_from(value: str):
    partly_labeled(value)
    quick = ("explain", "some.csv", "--target", "risk", "--stability", "2", "--no-compare")
    result = run(*quick, f"--unlabeled={value}", "--json", "all.json")
    found = json.loads(Path("all.json").read_text(encoding="utf-8"))
    n = len(STAYS.read_text(encoding="utf-8").splitlines()) - 1

    assert f"{(n + 1) // 2} rows without a value of 'risk' learned from without a class." in " ".join(
        result.output.split()
    )
    assert {rule["label"] for rule in found["rules"]} == {"high", "low"}
    assert found["overall"]["n"] < n / 2


def test_they_take_part_in_cross_validation():
    partly_labeled("")
    result = run(
        "explain", "some.csv", "--target", "risk", "--unlabeled", "", "--folds", "2", "--stability", "0"
    )
    assert result.exit_code == 0


def test_a_value_that_means_no_class_must_occur():
    result = run("explain", "stays.csv", "--target", "risk", "--unlabeled", "hihg")
    assert "No row has 'hihg' in 'risk'. Did you mean 'high'?" in " ".join(result.output.split())
    result = run("explain", "stays.csv", "--target", "risk", "--unlabeled", "", "--engine", "duckdb")
    assert "--unlabeled needs rows in memory" in " ".join(result.output.split())


def test_a_table_comes_from_standard_input():
    result = run("explain", "-", "--target", "risk", "--quiet", input=STAYS.read_bytes())

    assert [line.split()[0] for line in result.output.splitlines()] == ["if", "otherwise"]


def test_the_report_is_written_and_says_where_it_comes_from():
    result = run("explain", "stays.csv", "--target", "risk", "--html", "my report.html")
    page = Path("my report.html").read_text(encoding="utf-8")

    assert "Wrote the report to my report.html\n" in result.output
    assert "logiclens explain stays.csv --target risk --html 'my report.html'" in page.replace("&#39;", "'")
    assert read_table("stays.csv").sha256 in page
    assert "S1001" not in page  # no rows unless asked for
    assert len(page) < 2_000_000


def test_the_report_has_what_is_printed_of_other_models_and_resamples_and_groups():
    arguments = ["stays.csv", "--target", "risk", "--ignore", "smoker", "--stability", "2"]
    assert run("explain", *arguments, "--html", "r.html", "--json", "r.json").exit_code == 0
    overall = json.loads(Path("r.json").read_text(encoding="utf-8"))["overall"]
    facts = report_facts("r.html")

    shown = [(each["name"], each["title"], each["accuracy"]["value"]) for each in facts["compared"]]
    assert shown == [(each["name"], each["title"], each["accuracy"]) for each in overall["comparison"]]
    assert facts["overall"]["lead"]["p_value"] == overall["better_than_guess"]["p_value"]
    assert facts["stability"]["agreement"] == overall["stability"]["agreement"]
    first = facts["grouped"][0]
    assert (first["column"], [group["name"] for group in first["groups"]]) == ("smoker", ["no", "yes"])


def test_cross_validation_prints_the_six_metrics_of_the_paper():
    result = run("explain", "stays.csv", "--target", "risk", "--cv", "--folds", "2", "--json", "cv.json")
    found = json.loads(Path("cv.json").read_text(encoding="utf-8"))["cross_validation"]

    assert "Cross-validation, 2 folds of 500 rows:" in result.output
    for metric, words in outputs.METRICS.items():
        assert words in result.output
        assert set(found[metric]) == {"mean", "standard_error"}
    assert found["consistency"]["standard_error"] is None
    assert 0.9 < found["model_accuracy"]["mean"] <= 1


def test_names_can_do_no_harm():
    """Letter by letter: nothing in a name is obeyed, and all of it can be read."""
    rng = np.random.default_rng(0)
    flags = rng.random((120, len(HOSTILE))) < 0.5
    label = np.where(flags[:, 0] & flags[:, 2], HOSTILE[4], np.where(flags[:, 1], HOSTILE[2], HOSTILE[3]))
    header = ",".join('"{}"'.format(name.replace('"', '""')) for name in [*HOSTILE, "kind \x1b]0;x\x07"])
    lines = [
        ",".join([*map(str, row.astype(int)), f'"{name}"']) for row, name in zip(flags, label, strict=True)
    ]
    Path("odd\u202e.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    arguments = ["explain", "odd\u202e.csv", "--target", "kind \x1b]0;x\x07"]

    assert run(*arguments, "--html", "r.html", "--json", "r.json").exit_code == 0
    for where, env in (("pipe", PIPE), ("terminal", TERMINAL)):
        result = run(*arguments, "--more", env=env)
        assert "\u202e" not in result.output
        assert "\x1b[31m" not in result.output
        assert "\x07" not in result.output
        check_golden(f"hostile.{where}.txt", result.output)
    assert "<script>alert(1)" not in Path("r.html").read_text(encoding="utf-8")
    labels = [entry["label"] for entry in json.loads(Path("r.json").read_text(encoding="utf-8"))["rules"]]
    assert set(labels) == {HOSTILE[4], HOSTILE[2], HOSTILE[3].strip()} | {HOSTILE[3]} & set(labels)


# What is refused: one line, exit code 1, and no file


def content(text: str, name: str = "rows.csv") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_ctrl_c_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(learning, "train", stop)
    result = run("explain", "stays.csv", "--target", "risk", "--html", "r.html", "--save", "m.lens")

    assert result.exit_code == 130
    assert result.output == "logiclens: stopped; no file is half-written.\n"
    assert os.listdir() == ["stays.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_real_ctrl_c_while_the_table_is_read():
    """The table comes from a named pipe, which is open once it is being read."""
    os.mkfifo("rows.csv")
    command = [
        sys.executable,
        "-m",
        "logiclens",
        "explain",
        "rows.csv",
        "--target",
        "risk",
        "--html",
        "r.html",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        with Path("rows.csv").open("wb"):
            process.send_signal(signal.SIGINT)
        message = process.stderr.read()  # of a signal just before a read Python hears when that ends

    assert process.returncode == 130
    assert message == "logiclens: stopped; no file is half-written.\n"
    assert sorted(os.listdir()) == ["rows.csv", "stays.csv"]


def test_ctrl_c_while_writing_keeps_the_old_file(monkeypatch: pytest.MonkeyPatch):
    Path("r.html").write_text("old", encoding="utf-8")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", stop)
    result = run("explain", "stays.csv", "--target", "risk", "--html", "r.html")

    assert result.exit_code == 130
    assert Path("r.html").read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir()) == ["r.html", "stays.csv"]


def test_a_column_that_gives_the_answer_away_is_named():
    """On a terminal, too."""
    rng = np.random.default_rng(0)
    days, ages = rng.integers(1, 100, 300), rng.integers(20, 90, 300)
    rows = [f"{day},{age},{int(day <= 30)}" for day, age in zip(days, ages, strict=True)]
    content("\n".join(["day of death,age,dead", *rows, ""]))
    note = (
        "Note: column 'day of death' alone gives 100.0% of the answers. Is it known only afterwards? Then "
        "leave it out: --ignore 'day of death'"
    )

    assert f"\n{note}\n" in run("explain", "rows.csv", "-t", "dead").stdout
    shown = run("explain", "rows.csv", "-t", "dead", env=TERMINAL | {"NO_COLOR": "1"}).stdout
    assert note in " ".join(re.sub(r"\x1b\[[0-9;]*m", "", shown).split())
    assert "alone gives" not in run("explain", "rows.csv", "-t", "dead", "--use", "day of death").stdout
    more = run("explain", "rows.csv", "-t", "dead", "--more").stdout
    assert re.search(r"are class (\d)\.\n  In truth it is class \1\.\n", more)


def test_the_formula_of_each_class_is_printed_on_request(tmp_path: Path):
    copied(STAYS, tmp_path)
    quick = ["--max-rows", "200", "--no-compare", "--stability", "0"]
    plain = run("explain", tmp_path / "stays.csv", "--target", "risk", "--mirror", *quick).stdout
    logic = run("explain", tmp_path / "stays.csv", "--target", "risk", "--mirror", "--logic", *quick).stdout

    assert "\nEach class by itself:\nPredicts high when" in plain
    assert plain.count("  Equivalent to the list.\n") == logic.count("  Equivalent to the list.\n") == 2
    assert "<->" not in plain
    assert "\nforall x: high(x) <-> " in logic
    refused = run("explain", tmp_path / "stays.csv", "--target", "risk", "--mirror", "--rule", "if")
    assert refused.exit_code == 2
    assert "--mirror prints the formula of each class beside the list. Omit it, or --rule." in refused.stderr


def test_quiet_rules_are_in_plain_words_or_logic(tmp_path: Path):
    copied(STAYS, tmp_path)
    quick = ["--target", "risk", "--max-rows", "200", "--quiet"]
    plain = run("explain", tmp_path / "stays.csv", *quick).stdout
    logic = run("explain", tmp_path / "stays.csv", *quick, "--logic").stdout

    assert "(x)" not in plain
    assert "(x)" in logic
    assert plain.count("\n") == logic.count("\n")
