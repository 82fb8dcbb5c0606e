"""What a user says of rows is kept: dates, ranges of a target, categories, groups, files to score on."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from logiclens.cli.row_split import split
from logiclens.evaluation import StepScores
from logiclens.explain.resolution import step_words
from tests.cli.running import refused, run

RANDOM = np.random.default_rng(0)
DAYS = pd.Timestamp("2021-01-01") + pd.to_timedelta(RANDOM.integers(0, 900, 300), unit="D")
VISITS = pd.DataFrame(
    {
        "on": DAYS.strftime("%Y-%m-%d"),
        "ward": RANDOM.choice(["A", "B", "C"], 300),
        "cost": RANDOM.normal(100, 20, 300).round(2),
        "patient": RANDOM.choice(list("abcd"), 300, p=[0.5, 0.3, 0.15, 0.05]),
    }
)
VISITS["late"] = np.where((DAYS.day_of_week >= 5) | (VISITS.ward == "A"), "yes", "no")
QUICK = ["--stability", "0", "--no-compare", "--max-literals", "6"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    VISITS.to_csv("visits.csv", index=False)


def results(*options: str) -> dict:
    run("explain", "visits.csv", "--target", "late", *QUICK, "--json", "found.json", *options)
    return json.loads(Path("found.json").read_text())


def test_dates_are_learned_saved_and_predicted():
    assert "Name it with --date" in run("explain", "visits.csv", "--target", "late", *QUICK).output
    found = results("--date", "on=2021-01-01", "--ignore", "cost", "--save", "model.lens")
    assert found["overall"]["rules_accuracy"] == 1.0
    assert "on weekday = Sunday" in found["decision"]["steps"][0]["text"]
    here = run("predict", "model.lens", "visits.csv", "--truth", "late", "--out", "out.csv").stderr
    assert "the rules are right on 100.0%" in here
    line = refused("explain", "visits.csv", "--target", "late", "--date", "ward")
    assert line.startswith("Column 'ward' has the value ")
    assert "which is no date. Write dates as 2024-01-31; if it means that there is none, say so" in line
    assert "--date counts from a day such as on=2024-01-31" in refused(
        "explain", "visits.csv", "--target", "late", "--date", "on=May"
    )


def test_true_numbers_are_put_into_the_ranges_of_the_model():
    pytest.importorskip("ibis")
    run("explain", "visits.csv", "--target", "cost", "--cut", "90,110.5", *QUICK, "--save", "model.lens")
    texts = ["cost <= 90", "90 < cost <= 110.5", "cost > 110.5"]
    VISITS.assign(cost=[texts[at] for at in np.searchsorted([90, 110.5], VISITS.cost)]).to_csv(
        "t.csv", index=False
    )
    VISITS.to_parquet("visits.parquet")
    shares = []
    for name in ("visits.csv", "t.csv", "visits.parquet"):
        said = run("predict", "model.lens", name, "--truth", "cost", "--out", "out.csv").stderr
        shares += [line for line in said.split("\n") if line.startswith("Of 300 rows")]
    options = ["--truth", "cost", "--out", "out.parquet", "--engine", "duckdb"]
    said = run("predict", "model.lens", "visits.parquet", *options).stderr
    shares += [line for line in said.split("\n") if line.startswith("Of 300 rows")]
    assert len(shares) == 4
    assert len({*shares}) == 1


def test_categories_that_training_did_not_have_are_named():
    pytest.importorskip("ibis")
    results("--ignore", "on,cost,patient", "--save", "model.lens")
    VISITS.assign(ward=["Z", *VISITS.ward[1:]]).to_csv("new.csv", index=False)
    said = (
        "1 value of 'ward' was not in training: 'Z' (1 row). Of it ward = ... is false and ward != ... true."
    )
    assert said in run("predict", "model.lens", "new.csv", "--out", "out.csv").stderr
    engine = ["--engine", "duckdb", "--out", "out.parquet"]
    assert said in run("predict", "model.lens", "new.csv", *engine).stderr
    assert said in run("explain-row", "model.lens", "new.csv", "--row", "1").stderr
    assert "not in training" not in run("explain-row", "model.lens", "new.csv", "--row", "2").stderr
    assert "not in training" not in run("predict", "model.lens", "visits.csv", "--out", "out.csv").stderr


def test_groups_are_acknowledged():
    notes = results("--group", "patient")["data"]["notes"]
    assert any(note.startswith("Rows of the same 'patient' are held out together: ") for note in notes)


@pytest.mark.parametrize("seed", range(4))
def test_of_large_groups_those_nearest_to_the_share_are_held_out(seed: int):
    random = np.random.default_rng(seed)
    groups = random.choice(7, 400, p=random.dirichlet(np.ones(7)))
    groups = np.unique(groups, return_inverse=True)[1]
    held_out = split(random.choice(["a", "b"], 400), 0.3, seed, groups)
    sizes = np.bincount(groups)
    subsets = (np.arange(1, 2 ** len(sizes) - 1)[:, None] >> np.arange(len(sizes))) & 1
    nearest = np.abs(subsets @ sizes - 120).min()
    assert not {*groups[held_out]} & {*groups[~held_out]}
    assert abs(held_out.sum() - 120) <= max(nearest, 4) + 2  # 1 % of the rows is near enough


def test_a_file_to_score_on_in_an_engine():
    pytest.importorskip("ibis")
    VISITS[:200].to_csv("visits.csv", index=False)
    VISITS[200:].assign(extra=1).to_csv("test.csv", index=False)
    options = ["--test", "test.csv", "--date", "on", "--ignore", "cost,patient"]
    here, there = results(*options), results(*options, "--engine", "duckdb")
    assert here["decision"] == there["decision"]
    assert here["overall"]["rules_accuracy"] == there["overall"]["rules_accuracy"]
    assert "Held out: 100 rows of test.csv." in there["data"]["notes"]
    VISITS[200:].drop(columns="ward").to_csv("test.csv", index=False)
    command = ["explain", "visits.csv", "--target", "late", "--test", "test.csv", "--engine", "duckdb"]
    assert refused(*command).startswith("test.csv lacks 'ward'.")


def test_rows_to_score_on_that_were_learned_from_are_told_in_an_engine():
    """The engine held them out without a word."""
    pytest.importorskip("ibis")
    cents = (100 * VISITS.cost).round()  # whole numbers in one file, fractions in the other
    whole = VISITS.assign(cost=cents, weight=np.random.default_rng(1).normal(70, 9, 300).round(2))
    whole[:200].astype({"cost": int}).to_parquet("visits.parquet")
    whole[100:].assign(cost=lambda rows: rows.cost + (rows.index == 299) / 2).to_parquet("test.parquet")
    command = ["explain", "visits.parquet", "--target", "late", "--test", "test.parquet", *QUICK]
    notes = []
    for engine in ([], ["--engine", "duckdb"]):
        run(*command, *engine, "--json", "found.json")
        notes.append(json.loads(Path("found.json").read_text())["data"]["notes"])
        equal = [note for note in notes[-1] if "learned from, but for 'late'" in note]
        assert len(equal) == 1
        assert equal[0].startswith("100 of the rows held out equal some that are ")
    assert set(notes[1]) <= set(notes[0])


def test_a_goal_about_the_answers_of_a_black_box():
    options = ["--predictions", "late", "--goal", "recall=0.9", "--positive", "yes", "--max-literals", "6"]
    said = run("blackbox", "visits.csv", *options, "--date", "on", "--json", "found.json").output
    assert "a recall of 90 % for yes" in said
    assert json.loads(Path("found.json").read_text())["overall"]["goal"]["label"] == "yes"


def test_a_step_that_errs_is_not_right_on_all():
    """The terminal said 100.0 % where the report says >99.9 %."""
    found = StepScores("high", 20000.0, 19999.0, 19999 / 20000, (0.99, 1.0))
    assert step_words(found, last=True) == "right on 19999 of 20000 rows (>99.9%)"
