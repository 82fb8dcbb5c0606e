"""``logiclens bench paper``, as a person types it, on a small table that looks like V-Dem."""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from logiclens.bench import method as clock
from logiclens.bench import result_figures
from logiclens.bench._data_files import DATA_VARIABLE
from logiclens.bench.datasets import MID_LEVEL
from logiclens.bench.experiments import EXPERIMENTS
from logiclens.files import read_table
from tests.cli.running import PIPE, TERMINAL, check_golden, refused, run

WORDS = ["bench", "paper", "--experiment", "vdem", "--method", "tree,logistic", "--data-dir", "data"]
_AS_SVG = result_figures.as_svg
_AT_PHYSIONET = "PhysioNet mimic2-iaccd 1.0: download it from https://physionet.org/content/mimic2-iaccd/1.0/"


@pytest.fixture(autouse=True)
def _in_a_folder_with_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And every lap of a stopwatch takes as long as the one before, and no figures are drawn."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(result_figures, "as_svg", lambda _: b"<svg></svg>")
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    ticks = count()
    monkeypatch.setattr(clock, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 4))
    values = np.random.default_rng(0).random((80, len(MID_LEVEL)))
    polyarchy = np.where((values[:, 4] > 0.5) & (values[:, 5] > 0.5), 0.8, 0.2)
    lines = [",".join([*MID_LEVEL, "v2x_polyarchy"])]
    lines += [",".join(f"{value:.3f}" for value in row) for row in np.column_stack([values, polyarchy])]
    folder = tmp_path / "data" / "vdem"
    folder.mkdir(parents=True)
    (folder / "vdem_core_post2000.csv").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(("where", "env"), [("pipe", PIPE), ("terminal", TERMINAL)])
def test_what_is_printed(where: str, env: dict[str, str | None]):
    result = run(*WORDS, env=env)

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    check_golden(f"bench_paper.{where}.txt", result.stdout)


def test_what_there_is():
    check_golden("bench_paper_list.txt", run("bench", "paper", "--list", "--data-dir", "data").output)


def test_files_that_are_written(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(result_figures, "as_svg", _AS_SVG)
    assert run(*WORDS, "--out", "a/b").exit_code == 0
    names = {path.name for path in Path("a/b").iterdir() if path.is_file()}

    assert names == {
        *("tables.md", "tables.tex", "tables.html", "rows.csv", "rows.jsonl", "about.json"),
        *("time.svg", "errors.svg", "lengths.svg"),
    }
    rows = read_table("a/b/rows.csv").table
    assert rows["method"].to_pylist() == ["logistic"] * 5 + ["tree"] * 5
    assert rows["fold"].to_pylist() == [0, 1, 2, 3, 4] * 2


def test_the_first_folds_of_another_seed():
    assert run(*WORDS, "--folds", "2", "--fold-seed", "7").exit_code == 0
    rows = read_table("results/rows.csv").table

    assert rows["fold"].to_pylist() == [0, 1, 0, 1]
    assert set(rows["fold_seed"].to_pylist()) == {7}


def test_one_fold_has_no_standard_error():
    printed = run(*WORDS, "--folds", "1").stdout

    assert "means over 1 fold." in printed
    assert "standard error" not in printed


def test_all_tables_in_another_form():
    for form, name in (("markdown", "tables.md"), ("latex", "tables.tex"), ("html", "tables.html")):
        printed = run(*WORDS, "--format", form).stdout
        assert printed == Path("results", name).read_text(encoding="utf-8")


def test_what_is_done_is_not_done_again():
    run(*WORDS)
    before = {path: path.read_bytes() for path in Path("results/units").iterdir()}
    run(*WORDS, "--method", "tree")

    assert {path: path.read_bytes() for path in Path("results/units").iterdir()} == before


def test_without_a_name_experiments_run_whose_data_are_there():
    result = run("bench", "paper", "--method", "tree", "--data-dir", "data")
    told = result.stderr.splitlines()

    assert result.exit_code == 0, result.output
    assert "**V-Dem**" in result.stdout
    assert [line.split()[1] for line in told] == [name for name in EXPERIMENTS if name != "vdem"]
    assert told[0] == (
        "logiclens: mimic2 is left out. The file 'mimic2/full_cohort_data.csv.gz' is not in the data folder "
        f"'data'. It is part of {_AT_PHYSIONET}, or name another folder with --data-dir or LOGICLENS_DATA."
    )


@pytest.mark.parametrize("words", [[], ["--experiment", "mimic2-infold"]])
def test_no_data_folder(words: list[str]):
    assert "Pass --data-dir or set LOGICLENS_DATA" in refused("bench", "paper", *words)


def test_what_makes_no_sense_is_refused():
    assert refused("bench", "paper", "--experiment", "mimic") == (
        "Unknown experiment 'mimic'. Did you mean 'mimic2'? The known ones are mimic2, mimic2-ebb, vdem, "
        "mnist, mnist-iclu, cub, mimic2-infold."
    )
    assert refused("bench", "paper", "--method", "tre").startswith(
        "Unknown method 'tre'. Did you mean 'tree'? "
    )
    assert refused(*WORDS, "--folds", "6") == "V-Dem has 5 folds. Got 6 of them; ask for 1 to 5."
    Path("file").touch()
    assert refused(*WORDS, "--out", "file") == "'file' is a file. Name a folder for results with --out."
    assert refused(*WORDS, "--out", "file/results") == (
        "The folder 'file/results' cannot be made: Not a directory. Name another one with --out."
    )
    none = run(*WORDS, "--folds", "0")
    assert none.exit_code == 2
    assert "Invalid value for '--folds': Input should be greater than or equal to 1" in none.stderr


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from logiclens.cli import app\n"
        "try: app(['bench', 'paper', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'sklearn', 'matplotlib', 'pyarrow', 'scipy', 'joblib'} & set(sys.modules)\n"
        "sys.exit(f'{heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.returncode == 0, done.stderr
