"""The page of benchmarks is what the results that are kept give."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.page import IMAGES, PAGE, REPEATED, Run, figures, kept_runs, page
from benchmarks.repeated import gathered, repeated_tables, seeds_of

from logiclens.bench.store import read_rows, write_rows
from tests.bench.made_up import made_up_rows

ABOUT = {
    "processor": "a|b",
    "cores": 2,
    "memory_gib": 8.0,
    "python": "3.11",
    "date": "2026-01-02",
    "gpu": None,
}


def test_the_page_is_up_to_date():
    runs, text = kept_runs(), PAGE.read_text(encoding="utf-8")
    shown = set(re.findall(r"images/(paper_\w+\.svg)", text))

    assert text == page(runs, read_rows(REPEATED)), "run python -m benchmarks.page"
    assert shown == figures(runs).keys()
    assert shown == {path.name for path in IMAGES.glob("paper_*.svg")}


def test_what_a_run_says_of_its_seconds_stands_beside_them():
    rows = tuple(made_up_rows())
    told = Run(".", rows, ABOUT | {"remark": "a|b waited"})

    assert "Of this run: a&#124;b waited." in page([told])
    assert "Of this run" not in page([Run(".", rows, ABOUT)])


def test_how_settings_were_chosen_stands_below_the_claims():
    rows = tuple(made_up_rows())
    made = page([Run(".", rows, ABOUT | {"settings": ["On a|b.", "On c."]})])
    claims = made[made.index("## Claims") : made.index("## The paper's tables")]

    assert "**How settings were chosen**\n\nOn a&#124;b.\n\nOn c." in claims
    assert "How settings" not in page([Run(".", rows, ABOUT)])


def test_leads_on_many_folds_have_their_standard_error():
    """Two seeds of three folds: the tree leads by 2 points on one and by 4 on the other."""
    rows = [
        {
            "experiment": "mimic2",
            "method": method,
            "part": "",
            "fold": fold,
            "fold_seed": seed,
            "model_accuracy": 0.7 + lead,
            "complexity": 4.5,
        }
        for seed, ahead in ((11, 0.02), (12, 0.04))
        for method, lead in (("mu", 0.0), ("tree", ahead))
        for fold in range(3)
    ]
    (table,) = repeated_tables(rows)
    text = table.to_markdown()
    error = ((1 / 6 + 1 / 2) * np.var([0.02] * 3 + [0.04] * 3, ddof=1)) ** 0.5

    assert "| mu | 70.00 | – | 4.50 | – |" in text
    assert f"| decision tree | 73.00 (+3.00±{100 * error:.2f}) | – | 4.50 | – |" in text
    assert "6 further folds, of the seeds 11, 12. In brackets: the lead over mu" in page(
        [Run(".", tuple(made_up_rows()), ABOUT)], rows
    )


@pytest.mark.parametrize(
    ("folders", "message"),
    [
        ([], "Name the folders of results: python -m benchmarks.repeated many/*"),
        (["nowhere"], "There is no file 'nowhere/rows.jsonl'"),
        (["11"], "Leads need at least two fold seeds. Run more: logiclens bench paper --fold-seed 12"),
        (["11", "12", "11"], "Some work is there twice, such as mimic2, mu, 11, 0. Name it once."),
    ],
)
def test_nothing_is_kept_of_wrong_folders(folders, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in (11, 12):
        Path(str(seed)).mkdir()
        row = {"experiment": "mimic2", "method": "mu", "part": "", "fold": 0, "fold_seed": seed}
        write_rows(Path(str(seed)) / "rows.jsonl", [row])

    with pytest.raises(SystemExit, match=re.escape(message)):
        gathered(folders)

    assert seeds_of(gathered(["11", "12"])) == [11, 12]


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    first = tuple(row for row in made_up_rows() if row["experiment"] in ("mimic2", "cub", "mimic2-infold"))
    timed = tuple(row for row in first if row["experiment"] == "cub" and row["method"] == "mu")
    fresh = tuple(row | {"fold_seed": 7} for row in first)
    return [Run(".", first, ABOUT), Run("fresh", fresh, ABOUT), Run("gpu", timed, ABOUT | {"gpu": "H200"})]


def test_a_page_of_results(runs: list[Run]):
    text = page(runs)
    sections = [line for line in text.splitlines() if line.startswith("## ")]

    assert sections == [
        "## In short",
        "## Claims",
        "## The paper's tables",
        "## Errors and lengths",
        "## Consistency",
        "## Time",
        "## Rules",
        "## Honest variants",
        "## Other folds",
        "## Each experiment",
        "## Machine and day",
    ]
    assert "| CUB | 200 species of birds, from attributes that a network saw | " in text
    assert "a&#124;b, 2 cores, 8.0 GiB" in text
    assert "2026-01-02" in text
    assert "fold seed 7" in text


def test_the_same_work_on_another_machine_gives_times_alone(runs: list[Run]):
    """Its rows are there already; merging them would count folds twice."""
    text = page(runs)
    without = page(runs[:2])

    assert "Run *gpu*, H200:" in text
    assert text.split("## Time")[1].split("Run *")[0] in without.split("## Time")[1]


def test_a_line_of_times_from_another_machine_says_so(runs: list[Run]):
    apart = [
        Run(name, tuple(row for row in runs[0].rows if (row["experiment"] == "cub") == late), ABOUT)
        for name, late in ((".", False), ("gpu", True))
    ]

    assert "The line of CUB is of the run *gpu*" in page(apart)
    assert "The line of" not in page(runs)


def test_what_a_run_did_for_the_first_time_is_kept(runs: list[Run]):
    """Also of one that did something again."""
    only_cub = Run(".", tuple(row for row in runs[0].rows if row["experiment"] == "cub"), ABOUT)
    text = page([only_cub, runs[0]])

    assert (
        text.split("## Claims")[1].split("## Time")[0]
        == page(runs[:1]).split("## Claims")[1].split("## Time")[0]
    )
    assert "Run *.*, a&#124;b:" in text
    assert text.split("Run *")[1].split("##")[0].count("| CUB |") == 1
    assert "MIMIC-II" not in text.split("Run *")[1].split("##")[0]


def test_runs_are_read_from_folders(tmp_path: Path, runs: list[Run]):
    for run in runs:
        folder = tmp_path / run.name
        folder.mkdir(exist_ok=True)
        write_rows(
            folder / ("rows.jsonl.gz" if run.name == "gpu" else "rows.jsonl"), [dict(row) for row in run.rows]
        )
        (folder / "about.json").write_text(json.dumps(run.about), encoding="utf-8")

    assert page(kept_runs(tmp_path)) == page(runs)
