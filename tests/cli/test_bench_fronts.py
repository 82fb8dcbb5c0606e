"""``logiclens bench tables --front``, as a person types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from logiclens.bench._run import FAILED
from tests.cli.running import refused, run

WORDS = ["bench", "tables", "tables", "--front", "--folds", "2"]


@pytest.fixture(autouse=True)
def _in_a_folder_with_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tables").mkdir()
    for name, limit in (("adults", 5), ("birds", 3)):
        rows = [f"{at % 11},{'abc'[at % 3]},{at % 11 > limit or at % 3 == 2}" for at in range(60)]
        Path("tables", f"{name}.csv").write_text("\n".join(["size,kind,target", *rows, ""]), encoding="utf-8")


def test_tables_figure_and_rows():
    result = run(*WORDS, "--method", "cart,logistic")

    assert result.exit_code == 0, result.output
    assert "**Accuracy (%) by size as printed, 2 tables**" in result.stdout
    assert "| CART | " in result.stdout
    assert "All tables, the figure and rows are in 'results/fronts': tables.md" in result.stdout
    names = {path.name for path in Path("results/fronts").iterdir() if path.is_file()}
    assert names == {
        *("tables.md", "tables.tex", "tables.html", "front.svg", "rows.csv", "rows.jsonl", "about.json")
    }

    printed = Path("results/fronts/tables.md").read_text(encoding="utf-8")
    assert printed.partition("\n")[0] in result.stdout


def test_another_form_and_what_is_kept():
    run(*WORDS, "--method", "cart")
    units = {path: path.stat().st_mtime_ns for path in Path("results/fronts/units").iterdir()}
    printed = run(*WORDS, "--method", "cart", "--format", "latex").stdout

    assert printed == Path("results/fronts/tables.tex").read_text(encoding="utf-8")
    assert {path: path.stat().st_mtime_ns for path in Path("results/fronts/units").iterdir()} == units
    assert len(units) == 4


def test_a_method_that_fails_is_told(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise ValueError("no luck")

    monkeypatch.setattr("logiclens.bench.peers.CartPeer.fit_size", fail)
    result = run(*WORDS, "--method", "cart,logistic")

    assert result.exit_code == 1
    assert f"adults.csv, cart; birds.csv, cart: {FAILED}ValueError: no luck" in result.stderr


def test_only_peers_are_known():
    assert refused(*WORDS, "--method", "tree").startswith("Unknown method 'tree'.")
