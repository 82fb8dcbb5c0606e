"""``logiclens cluster``, as a person types it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import logiclens
from logiclens.cli import cluster_command
from logiclens.estimators import _clustering
from logiclens.explain import load_rules
from logiclens.files import read_table
from tests.cli.running import PIPE, STAYS, TERMINAL, check_golden, copied, run

ARGUMENTS = ["cluster", "stays.csv", "--ignore", "risk"]
_FIT = cluster_command._fit
_FOUND: dict[Any, Any] = {}


@pytest.fixture(autouse=True)
def _in_a_folder_with_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And clusters are made once for the same settings."""
    monkeypatch.chdir(tmp_path)
    copied(STAYS, tmp_path)

    def fit(source: Any, request: Any, n_clusters: int, progress: Any) -> Any:
        key = source.sha256, str(request.selection), request.settings, n_clusters
        if key not in _FOUND:
            _FOUND[key] = _FIT(source, request, n_clusters, progress)
        return _FOUND[key]

    monkeypatch.setattr(cluster_command, "_fit", fit)


@pytest.mark.parametrize(("where", "env"), [("pipe", PIPE), ("terminal", TERMINAL)])
def test_what_is_printed(where: str, env: dict[str, str | None]):
    result = run(*ARGUMENTS, "--save", "rules.json", env=env)

    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    check_golden(f"cluster.{where}.txt", result.stdout)


@pytest.mark.parametrize("name", ["grouped.csv", "grouped.parquet"])
def test_the_table_gets_a_column(name: str):
    run(*ARGUMENTS, "--out", name, "--save", "rules.json", "--json", "all.json")
    before, after = read_table("stays.csv").table, read_table(name).table
    rules = logiclens.load("rules.json")

    assert after.column_names == [*before.column_names, "cluster"]
    assert after["age"].equals(before["age"])
    for label, rule in rules.items():
        members = after.filter(pyarrow.compute.equal(after["cluster"], label))
        assert rule.evaluate(members).all()
    sizes = [entry["n"] for entry in json.loads(Path("all.json").read_text(encoding="utf-8"))["rules"]]
    assert sizes == [after["cluster"].to_pylist().count(label) for label in rules]


def test_a_name_that_is_taken_gets_a_number():
    text = STAYS.read_text(encoding="utf-8").replace("country", "cluster")
    Path("stays.csv").write_text(text, encoding="utf-8")
    run(*ARGUMENTS, "--out", "grouped.csv")

    assert read_table("grouped.csv").table.column_names[-1] == "cluster_2"


def test_the_report_speaks_of_clusters():
    assert run(*ARGUMENTS, "--html", "r.html").exit_code == 0
    page = Path("r.html").read_text(encoding="utf-8")

    assert '"cluster"' in page
    assert len(page) < 2_000_000


def test_the_report_begins_with_the_list_that_decides():
    """It showed rules by themselves, and the terminal the list."""
    run(*ARGUMENTS, "--html", "r.html")
    page = Path("r.html").read_text(encoding="utf-8")
    section = page[page.index('id="rules"') :]
    steps = re.findall(r'<li class="step.*?</li>\n', section, flags=re.S)[:2]
    text = [" ".join(re.sub("<[^>]*>", " ", step).split()) for step in steps]

    assert "the first step that is true" in section
    assert re.match(r"1\. predicts cluster 0 when 1 condition \d+ rows 100.0% agree", text[0])
    assert section.index('<li class="step') < section.index("Each cluster by itself")


def test_rules_are_saved_whatever_the_name():
    result = run(*ARGUMENTS, "--save", "rules.lens")

    assert "Wrote the rules to rules.lens\n" in result.output
    assert len(load_rules("rules.lens")) == 2


def test_empty_clusters_are_told():
    lines = [f"{at % 2},{at % 2}" for at in range(40)]
    Path("few.csv").write_text("\n".join(["a,b", *lines, ""]), encoding="utf-8")
    result = run("cluster", "few.csv", "--clusters", "3")

    assert "Note: there is less to tell apart than 3 clusters: 1 is empty.\n" in result.output
    assert "LENClusterer made 2 clusters of 40 rows" in result.output


def test_the_table_can_go_to_standard_output():
    result = run(*ARGUMENTS, "--out", "-")
    lines = result.stdout.splitlines()

    assert result.exit_code == 0, result.output
    assert lines[0] == f"{STAYS.read_text(encoding='utf-8').splitlines()[0]},cluster"
    assert len(lines) == 501


def test_a_column_that_is_called_cluster_stays():
    assert run(*ARGUMENTS, "--out", "once.csv").stderr == ""
    result = run("cluster", "once.csv", "--ignore", "risk,cluster", "--out", "twice.csv")

    assert result.stderr == (
        "logiclens: The table has a column 'cluster' already: the clusters are in 'cluster_2'.\n"
    )
    assert read_table("twice.csv").table.column_names[-2:] == ["cluster", "cluster_2"]


def test_clusters_that_follow_one_column_are_told():
    result = run(*ARGUMENTS)

    assert (
        "Note: the clusters follow the column 'age', which alone gives 100.0% of them. "
        "For groups in the other columns: --ignore age\n"
    ) in result.stdout


def test_many_rows_are_told_to_be_sampled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_clustering, "LEARNED", 50)
    lines = [f"{at % 7},{at % 11},{at % 13}" for at in range(300)]
    Path("many.csv").write_text("\n".join(["a,b,c", *lines, ""]), encoding="utf-8")

    assert (
        "Note: The networks learned from 50 different rows, drawn at random; "
        in run("cluster", "many.csv").stdout
    )
