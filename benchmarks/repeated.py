"""How much of a lead is chance: MIMIC-II, twice, on the folds of many seeds.

Less than two thousand rows are few: the mean of ten folds is uncertain by a point, and the best of a dozen
methods is ahead by as much without being better. So the methods are run on the folds of further seeds, and
compared fold by fold:

    for seed in 11 12 13 14 15 16 17 18; do
        logiclens bench paper --experiment mimic2,mimic2-ebb --fold-seed $seed --out many/$seed
    done
    python -m benchmarks.repeated many/*

keeps their rows in ``benchmarks/results/repeated.jsonl.gz`` for ``python -m benchmarks.page``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from logiclens.bench.measures import FOUR, MEASURES, NOTHING
from logiclens.bench.methods import DEFAULT
from logiclens.bench.results import in_order, read_rows, write_rows
from logiclens.bench.scoreboard import Row, Scoreboard, experiment_title, method_title
from logiclens.bench.table_layout import Cell, Table

KEPT = Path(__file__).parent / "results" / "repeated.jsonl.gz"
_LONG = ("used", "example")  # columns that no table here shows
_LEADS = ("model_accuracy", "explanation_accuracy")


def seeds_of(rows: Iterable[Row]) -> list[int]:
    """The fold seeds that rows are of."""
    return sorted({row["fold_seed"] for row in rows})


def repeated_tables(rows: Sequence[Row]) -> list[Table]:
    """Means over the folds of all seeds, an experiment a table; in brackets the lead over the default.

    The standard error of a lead comes from its spread over the seeds.
    """
    boards = [Scoreboard(rows, fold_seed=seed) for seed in seeds_of(rows)]
    experiments = dict.fromkeys(name for board in boards for name in board.main_experiments)
    return [_table(boards, name) for name in experiments]


def _table(boards: Sequence[Scoreboard], experiment: str) -> Table:
    heads = ("", *(MEASURES[column].title for column in FOUR))
    lines = []
    for method in dict.fromkeys(name for board in boards for name in board.methods):
        cells = [_cell(boards, experiment, method, column) for column in FOUR]
        if any(cell.text != NOTHING for cell in cells):
            lines.append((Cell(method_title(method)), *cells))
    return Table(experiment_title(experiment), heads, tuple(lines))


def _cell(boards: Sequence[Scoreboard], experiment: str, method: str, column: str) -> Cell:
    means = [mean.value for board in boards if (mean := board.mean(experiment, method, column))]
    if not means:
        return Cell(NOTHING)
    scale = 100.0 if MEASURES[column].rate else 1.0
    text = f"{scale * np.mean(means):.2f}"
    leads = [board.lead(experiment, column, method, DEFAULT) for board in boards]
    known = [lead for lead in leads if lead is not None]
    if column not in _LEADS or method == DEFAULT or len(known) < 2:
        return Cell(text)
    error = np.std(known, ddof=1) / np.sqrt(len(known))
    return Cell(f"{text} ({scale * np.mean(known):+.2f}±{scale * error:.2f})")


def main(folders: Sequence[str]) -> None:
    """Keep the rows of some folders of results."""
    rows = [row for folder in folders for row in read_rows(Path(folder) / "rows.jsonl")]
    slim = [{name: value for name, value in row.items() if name not in _LONG} for row in rows]
    write_rows(KEPT, in_order([row for row in slim if row["part"] == ""]))
    print(f"{KEPT.name}: {len(slim)} rows of the fold seeds {', '.join(map(str, seeds_of(slim)))}")


if __name__ == "__main__":
    main(sys.argv[1:])
