"""``logiclens bench tables``, as a person types it."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from joblib import parallel_config

from logiclens.bench import method as clock
from logiclens.bench import result_figures
from logiclens.files import read_table
from tests.cli.running import PIPE, TERMINAL, check_golden, refused, run

WORDS = ["bench", "tables", "tables", "--method", "tree,logistic", "--folds", "3"]


@pytest.fixture(autouse=True)
def _in_a_folder_with_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And every lap of a stopwatch takes as long as the one before, and no figures are drawn."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(result_figures, "as_svg", lambda _: b"<svg></svg>")
    ticks = count()
    monkeypatch.setattr(clock, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 4))
    Path("tables").mkdir()
    for name, limit in (("adults", 5), ("<i>birds", 3)):
        rows = [f"{at % 11},{'abc'[at % 3]},{at % 11 > limit or at % 3 == 2}" for at in range(60)]
        write(f"{name}.csv", "size,kind,target", rows)


def write(name: str, header: str, rows: list[str]) -> None:
    Path("tables", name).write_text("\n".join([header, *rows, ""]), encoding="utf-8")


@pytest.mark.parametrize(("where", "env"), [("pipe", PIPE), ("terminal", TERMINAL)])
def test_what_is_printed(where: str, env: dict[str, str | None]):
    result = run(*WORDS, env=env)

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    check_golden(f"bench_tables.{where}.txt", result.stdout)


def test_names_are_data_and_methods_are_ranked():
    assert run(*WORDS, "--out", "results").exit_code == 0

    assert read_table("results/rows.csv").n_rows == 12  # tables, methods and folds
    assert "<i>birds" not in Path("results/tables.html").read_text(encoding="utf-8")
    assert "| Mean rank |" in Path("results/tables.md").read_text(encoding="utf-8")


def test_a_changed_table_is_run_again():
    run(*WORDS)
    rows = [f"{at % 7},{at % 7 > 3}" for at in range(60)]
    write("adults.csv", "size,target", rows)
    run(*WORDS)
    units = [json.loads(path.read_text(encoding="utf-8")) for path in Path("results/units").iterdir()]

    assert len(units) == 12
    assert {row["n_concepts"] for unit in units for row in unit["rows"]} == {
        13,
        6,
    }  # cut points before and after


def test_two_at_a_time_give_the_same():
    run(*WORDS, "--out", "one")
    with parallel_config("threading"):
        run(*WORDS, "--out", "two", "--jobs", "2")
    one, two = (read_table(f"{name}/rows.csv").table for name in ("one", "two"))
    same = [name for name in one.column_names if not name.startswith("seconds")]

    assert one.select(same).equals(two.select(same))


def test_rows_and_columns_that_are_not_used_are_told():
    rows = [f"{at % 7},2020-01-{at % 20 + 10},{'' if at < 3 else at % 7 > 3}" for at in range(60)]
    write("gaps.csv", "size,day,target", rows)
    result = run(*WORDS)

    assert result.exit_code == 0, result.output
    first, second = result.stderr.splitlines()
    assert first == "logiclens: gaps.csv: 3 rows without a value of 'target' left out."
    assert second.startswith("logiclens: gaps.csv: 1 column not used: 'day': holds dates")


def test_of_many_columns_without_a_use_the_first_are_named():
    names = [f"same{at}" for at in range(15)]
    rows = [f"{at % 7},{','.join('x' * 15)},{at % 7 > 3}" for at in range(60)]
    write("wide.csv", f"size,{','.join(names)},target", rows)
    (line,) = run(*WORDS).stderr.splitlines()

    assert line.startswith("logiclens: wide.csv: 15 columns not used: 'same0': ")
    assert "'same11': " in line
    assert "'same12'" not in line
    assert line.endswith("; and 3 more.")


def test_tables_that_cannot_be_used_are_left_out():
    write("flat.csv", "a,target", ["1,x", "2,x", "3,x"])
    write("short.csv", "a,target", ["1,x", "2,y", "3,x"])
    write("empty.csv", "a,target", [])
    write("dates.csv", "day,target", [f"2020-01-{at + 10},{at % 2}" for at in range(12)])
    write("other.csv", "a,b", ["1,2", "3,4"])
    result = run(*WORDS)

    assert result.exit_code == 0, result.output
    for line, (name, why) in zip(
        result.stderr.splitlines(),
        {
            "dates": "No column can be used: 'day': holds dates",
            "empty": "'tables/empty.csv' has a header and no rows.",
            "flat": "Column 'target' is 'x' in every row,",
            "other": "The data lack the column 'target'.",
            "short": "The largest class has 2 rows, too few for 3 folds.",
        }.items(),
        strict=True,
    ):
        assert line.startswith(f"logiclens: {name}.csv is left out: {why}")


def test_no_table_that_can_be_used():
    assert run(*WORDS, "--target", "nothing").stderr.splitlines()[-1] == (
        "logiclens: None of the 2 tables in 'tables' can be used."
    )
    Path("tables", "adults.csv").unlink()
    assert refused(*WORDS, "--target", "sise") == (
        "<i>birds.csv: The data lack the column 'sise'. Did you mean 'size'? They have 3 columns: 'size', "
        "'kind', 'target'. Name one of them."
    )


def test_a_target_of_numbers_needs_a_limit():
    write("long.csv", "a,target", [f"{at % 5},{at}" for at in range(60)])

    assert "long.csv is left out: Column 'target' has 60 different numbers" in run(*WORDS).stderr
    for name in ("adults", "<i>birds"):
        Path("tables", f"{name}.csv").unlink()
    result = run(*WORDS, "--above", "29.5")
    assert result.exit_code == 0, result.output
    assert "| long.csv |" in result.stdout
    assert "Mean rank" not in result.stdout


def test_what_makes_no_sense_is_refused():
    assert refused("bench", "tables", "nowhere") == "There is no folder 'nowhere'. Check its name."
    few = run(*WORDS[:-1], "1")
    assert few.exit_code == 2
    assert "Invalid value for '--folds': Input should be greater than or equal to 2" in few.stderr


def test_results_do_not_go_among_the_tables():
    assert refused(*WORDS, "--out", "tables/../tables") == (
        "'tables/../tables' is the folder of tables. Name another one with --out."
    )
    assert sorted(path.name for path in Path("tables").iterdir()) == ["<i>birds.csv", "adults.csv"]


def test_how_tables_are_written_can_be_said():
    Path("tables", "odd.csv").write_bytes(
        "größe;target\n".encode("latin-1") + b"".join(b"%d,5;%d\n" % (at % 7, at % 7 > 3) for at in range(60))
    )
    result = run(*WORDS, "--delimiter", ";", "--encoding", "latin-1", "--decimal", ",")

    assert result.exit_code == 0, result.output
    assert "| odd.csv |" in result.stdout


def test_a_scheduler_that_is_not_there():
    """One line, and nothing is written but the folder that results would go to."""
    assert refused(*WORDS, "--scheduler", "somewhere") == (
        "'somewhere' is no address of a Dask scheduler: missing port number in address 'somewhere'. "
        "Write it like 'tcp://host:8786'."
    )
    assert [*Path("results").iterdir()] == []
