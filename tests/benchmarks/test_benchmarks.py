"""The timings run, on tables small enough for a test, and say what they timed."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest
from benchmarks.harness import filled
from sklearn.exceptions import ConvergenceWarning

from benchmarks import experiments, fronts, scale, training, wide_and_long
from logiclens.bench.result_figures import as_svg
from logiclens.estimators import MuClassifier


@pytest.fixture(autouse=True)
def without_real_data(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("LOGICLENS_DATA", raising=False)


def test_compare_says_how_much_of_the_plain_loop_was_timed():
    table = experiments.many_classes(60, 3, boolean=True)
    classifier = MuClassifier(epochs=4, l1=(0.004, 0.008), restarts=2, random_state=0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        row = training.compare(table, classifier, n_folds=2, sampled=3)

    assert "3 classes, 2 folds" in row.what
    assert "from 3 of 24 members" in row.other  # 2 folds x 3 classes x 2 penalties x 2 restarts
    assert "one network for both" not in row.other
    assert re.fullmatch(r"\d+\.\dx", row.ratio)


def test_plain_loop_has_a_network_for_each_of_two_classes():
    table = experiments.many_rows(200, boolean=True)
    classifier = MuClassifier(epochs=4, random_state=0)
    targets, folds = training._folds(classifier, table, 5)

    loop = training.PlainLoop(classifier, table.X, targets, folds)
    loop.time(1)

    assert (len(loop.members), loop.n_explanations, len(loop.training)) == (5 * 2 * 10, 5 * 2, 1)
    total, (trained,), (explained,) = loop.total(), loop.training, loop.extraction
    assert total.wall == pytest.approx(trained.wall * 100 + explained.wall * 10)
    assert total.processor == pytest.approx(trained.processor * 100 + explained.processor * 10)
    assert (loop.members[0].is_class + loop.members[10].is_class == 1).all()


def test_plain_member_learns_a_planted_rule_from_the_concepts_it_keeps():
    random = np.random.default_rng(0)
    X = (random.random((400, 12)) < 0.5).astype(float)
    y = ((X[:, 2] > 0) & (X[:, 5] > 0)).astype(int)
    classifier = MuClassifier(max_concepts=3, random_state=0)
    targets, folds = training._folds(classifier, experiments.Table("planted", X, y), 1)

    member = training._Member(folds[0], targets.truth()[:, 1], 0.008)
    network, kept = training._plain_member(classifier, X, member, epochs=100)

    said_yes = network(training.torch.as_tensor(X, dtype=training.torch.float32)).squeeze(1) > 0
    assert len(kept) == 3
    assert {2, 5} <= set(kept.tolist())
    assert (said_yes.numpy() == y).mean() > 0.98


def test_generated_tables_have_the_sizes_of_the_real_ones():
    mimic, cub = experiments.mimic2_like(), experiments.cub_like(boolean=True)

    assert mimic.X.shape == (1776, 90)
    assert (mimic.X[:, 12:].reshape(-1, 26, 3).sum(axis=2) == 1).all()
    assert cub.X.shape == (9430, 108)
    assert len(np.unique(cub.y)) == 200
    assert experiments.distinct_rows(cub.X) == len(np.unique(cub.X, axis=0)) <= 800


@pytest.mark.parametrize("flags", [True, False])
def test_wide_tables_are_timed_and_their_rule_is_found(flags):
    table, new = (wide_and_long.wide_table(400, 30, seed, flags=flags) for seed in (0, 1))

    row = wide_and_long.compare("wide", table, new)

    assert "400 new rows" in row.ours
    assert float(re.search(r"planted rule: ([\d.]+)%", row.ours)[1]) > 95
    assert re.fullmatch(r"[\d.]+x", row.ratio)


def test_long_tables_have_rows_of_all_kinds_and_few_wrong_labels():
    table = wide_and_long.long_table(4000, seed=0)

    assert table.X.shape == (4000, 12)
    assert table.X["pressure"].isna().mean() == pytest.approx(0.05, abs=0.02)
    assert ((table.y == "yes") != table.planted).mean() == pytest.approx(0.03, abs=0.01)
    assert len(table.X.drop_duplicates()) == 4000


def test_scale_tables_are_the_same_each_time_and_follow_the_planted_rule(tmp_path: Path):
    one, two = (scale.make(tmp_path / name, 3000) for name in ("one", "two"))

    files = sorted(one.glob("*.parquet"))
    rows = pq.read_table(files)
    columns = {name: rows.column(name).to_numpy() for name in rows.column_names}
    planted = scale.PLANTED.evaluate(columns)
    assert rows.equals(pq.read_table(sorted(two.glob("*.parquet"))))
    assert rows.shape == (3000, scale.N_COLUMNS + 1)
    assert (planted != columns["y"]).mean() == pytest.approx(1 / 16, abs=0.02)
    assert scale.make(tmp_path / "one", 3000) == one  # nothing is written again
    assert [file.stat().st_mtime_ns for file in sorted(one.glob("*.parquet"))] == [
        file.stat().st_mtime_ns for file in files
    ]


def test_rows_of_scale_tables_are_distinct_and_only_the_planted_columns_make_the_rule():
    rows = scale.distinct_rows()
    names = [f"c{at:02}" for at in range(scale.N_COLUMNS)]
    columns = dict(zip(names, rows.T, strict=True))
    answers = scale.PLANTED.evaluate(columns)

    assert len(np.unique(np.packbits(rows, axis=1), axis=0)) == len(rows) == 2**16
    for name in scale.PLANTED.concepts:
        twins = [other for other in names if (columns[other] == columns[name]).all()]
        assert twins == [name]
    assert 0.2 < answers.mean() < 0.5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_engine_and_a_group_by_count_the_same_tuples(tmp_path: Path):
    table = scale.make(tmp_path, 4000)

    counted, looked, fitted = (work(table, "1GB") for work in (scale.group_by, scale.engine, scale.fit))

    assert counted["rows"] == fitted["rows"] == 4000
    assert counted["tuples"] == fitted["tuples"]
    assert min(counted["peak_bytes"], looked["peak_bytes"], fitted["peak_bytes"]) > 1e7
    assert fitted["is_planted"]
    assert fitted["accuracy"] == pytest.approx(15 / 16, abs=0.02)
    assert 0 < fitted["seconds_of_training"] < fitted["seconds"]


def test_the_page_on_scale_shows_the_results_that_are_kept():
    found, streamed = scale.kept()

    assert filled(scale.PAGE, scale.tables(found, streamed)) == scale.PAGE.read_text(encoding="utf-8")
    assert str(found["sizes"][-1]["rows"])[0] == "1"
    assert as_svg(scale.curves(found)) == as_svg(scale.curves(found))
    ElementTree.fromstring(scale.FIGURE.read_bytes())  # well-formed


def test_what_is_kept_of_scale_shows_what_the_page_says():
    found, streamed = scale.kept()
    sizes = [scale.summary(size) for size in found["sizes"]]

    assert [size["rows"] for size in sizes] == [10**6, 10**7, 10**8]
    assert all(size["is_planted"] for size in sizes)
    assert max(size["fit_memory"] for size in sizes) < 4
    assert sizes[-1]["processor_ratio"] <= 1.5
    assert sizes[-1]["ratio"] <= 1.5
    assert found["in_memory"]["rules"] == found["in_memory"]["rules_in_memory"]
    assert streamed["gigabytes"] == 20
    assert max(peak for run in streamed["runs"] for peak in run["peak_bytes"]) < 4e9
    assert len({run["rules"] for run in streamed["runs"]}) == 1


def test_fronts_of_a_folder_of_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The smallest table comes first; those on which nothing is chosen are also shown by themselves."""
    monkeypatch.setattr(fronts, "KEPT", tmp_path / "kept.jsonl.gz")
    monkeypatch.setattr(fronts, "FIGURE", tmp_path / "fronts.svg")
    monkeypatch.setattr(fronts, "PAGE", tmp_path / "page.md")
    (tmp_path / "page.md").write_text(f"By hand.\n\n{fronts.BEGIN}\nold tables\n")
    (tmp_path / "tables").mkdir()
    for name, n_rows in (("pima", 60), ("birds", 40)):
        rows = [f"{at % 11},{at % 11 > 5}" for at in range(n_rows)]
        (tmp_path / "tables" / f"{name}.csv").write_text("\n".join(["size,target", *rows, ""]))
    words = [str(tmp_path / "tables"), "--methods", "cart", "--folds", "2", "--out", str(tmp_path / "out")]
    fronts.main([*words, "--write"])
    printed, told = capsys.readouterr()

    assert [line.split(",")[0] for line in told.splitlines()] == ["birds", "birds", "pima", "pima"]
    every, _, held_back = printed.partition("## Tables never used to choose a setting")
    assert "**Accuracy (%) by size as printed, 2 tables**" in every
    assert "**Accuracy (%) by size as printed, 1 table**" in held_back
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("By hand.")
    assert every in page
    assert "old tables" not in page
    assert ElementTree.fromstring((tmp_path / "fronts.svg").read_bytes()).tag.endswith("svg")
    fronts.main([*words, "--tables", "birds"])
    printed, told = capsys.readouterr()
    assert (told, "never used" in printed) == ("", False)
    with pytest.raises(SystemExit, match="Did you mean 'cart'"):
        fronts.main([*words[:2], "cat"])
