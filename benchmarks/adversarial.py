"""What attacks on networks gave, on a page: ``python -m benchmarks.adversarial``.

The experiment itself is ``logiclens bench adversarial``; ``join A.json B.json`` keeps what it gave with
several seeds in one file among the results. Without arguments, the tables of the page and its figure are
made anew from that file.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from logiclens.bench.adversarial_tables import figure, guard_table, markdown_table, pooled, tnorm_table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "adversarial_cub.json"
PAGE = ROOT / "docs" / "how-to" / "guard_a_model.md"
FIGURE = ROOT / "docs" / "images" / "adversarial.svg"
TNORM = "lukasiewicz"


def read_runs(path: Path = RESULTS) -> list[dict[str, Any]]:
    """What each seed gave."""
    runs: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return runs


def tables(runs: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The tables of the page, by name."""
    rows = pooled(row for run in runs for row in run["rows"])
    return {
        "strengths": markdown_table(rows, TNORM),
        "t-norms": tnorm_table(rows, 2, "l2", 0.5),
        "guards": guard_table(runs, 2, TNORM),
    }


def filled(page: str, runs: Sequence[dict[str, Any]]) -> str:
    """The page with its tables made anew, each below the comment that names it."""
    for name, table in tables(runs).items():
        pattern = rf"(<!-- table: {name} -->\n)(?:\|.*\n)*"
        page, n = re.subn(pattern, lambda found, table=table: f"{found[1]}{table}\n", page)
        if n != 1:
            raise SystemExit(f"benchmarks: {PAGE.name} has {n} tables {name!r}; it should have one")
    return page


def draw(runs: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the figure, the same bytes for the same findings."""
    from matplotlib import rc_context

    rows = pooled(row for run in runs for row in run["rows"])
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.hashsalt": "logiclens", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure(rows, TNORM).savefig(
            path, metadata={"Date": None, "Creator": None} if path.suffix == ".svg" else None
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the tables of the page and its figure anew from the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversarial", description=main.__doc__)
    parser.add_argument(
        "join", nargs="*", help="join A.json B.json: keep these findings as the results first"
    )
    options = parser.parse_args(arguments)
    if options.join:
        word, *files = options.join
        if word != "join" or not files:
            parser.error("write join A.json B.json, or nothing")
        runs = [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]
        RESULTS.write_text(json.dumps({"runs": runs}, indent=1) + "\n", encoding="utf-8")
    runs = read_runs(RESULTS)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), runs), encoding="utf-8")
    draw(runs, FIGURE)


if __name__ == "__main__":
    main()
