r"""How much of a lead is chance: MIMIC-II, twice, on the folds of many seeds.

Less than two thousand rows are few: the mean of ten folds is uncertain by a point, and the best of many
methods is ahead by as much without being better. So the methods are run on the folds of further seeds, and
compared fold by fold:

    for seed in 11 12 13 14 15 16 17 18; do
        logiclens bench paper --experiment mimic2,mimic2-ebb --fold-seed $seed --out many/$seed \
            --method mu,psi,relu,entropy,mu-reference,relu-reference,entropy-reference,tree,ripper,logistic
    done
    python -m benchmarks.repeated many/*

keeps their rows in ``benchmarks/results/repeated.jsonl.gz`` for ``python -m benchmarks.page``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from logiclens.bench.methods import DEFAULT
from logiclens.bench.result_tables import FOUR, MEASURES, NOTHING
from logiclens.bench.scoreboard import Row, Scoreboard, experiment_title, method_title
from logiclens.bench.store import in_order, read_rows, write_rows
from logiclens.bench.table_layout import Cell, ResultTable
from logiclens.errors import LogicLensError
from logiclens.logic.arrays import FloatArray

KEPT = Path(__file__).parent / "results" / "repeated.jsonl.gz"
_LONG = ("used", "formulas", "example")  # columns that no table here shows
_UNIT = ("experiment", "method", "fold_seed", "fold")
_LEADS = ("model_accuracy", "explanation_accuracy")


def seeds_of(rows: Iterable[Row]) -> list[int]:
    """The fold seeds that rows are of."""
    return sorted({row["fold_seed"] for row in rows})


def repeated_tables(rows: Sequence[Row]) -> list[ResultTable]:
    """Means over the folds of all seeds, an experiment a table; in brackets the lead over the default."""
    boards = [Scoreboard(rows, fold_seed=seed) for seed in seeds_of(rows)]
    experiments = dict.fromkeys(name for board in boards for name in board.main_experiments)
    return [_table(boards, name) for name in experiments]


def _table(boards: Sequence[Scoreboard], experiment: str) -> ResultTable:
    heads = ("", *(MEASURES[column].title for column in FOUR))
    lines = []
    for method in dict.fromkeys(name for board in boards for name in board.methods):
        cells = [_cell(boards, experiment, method, column) for column in FOUR]
        if any(cell.text != NOTHING for cell in cells):
            lines.append((Cell(method_title(method)), *cells))
    return ResultTable(experiment_title(experiment), heads, tuple(lines))


def _cell(boards: Sequence[Scoreboard], experiment: str, method: str, column: str) -> Cell:
    mine, theirs = (_by_fold(boards, experiment, name, column) for name in (method, DEFAULT))
    if not mine:
        return Cell(NOTHING)
    scale = 100.0 if MEASURES[column].rate else 1.0
    text = f"{scale * np.mean([*mine.values()]):.2f}"
    leads = np.array([mine[fold] - theirs[fold] for fold in mine.keys() & theirs.keys()])
    if column not in _LEADS or method == DEFAULT or len(leads) < 2:
        return Cell(text)
    error = lead_error(leads, len(boards))
    return Cell(f"{text} ({scale * leads.mean():+.2f}±{scale * error:.2f})")


def lead_error(leads: FloatArray, n_seeds: int) -> float:
    """Standard error of a mean lead over the folds of several seeds.

    Folds share most of their training rows, so leads of folds are not independent of one another. The
    variance of their mean is taken as ``(1/k + test/train) s^2`` (Nadeau and Bengio, 2003): more seeds make
    it smaller only to where one draw of rows is all there is.
    """
    k = len(leads)
    n_folds = k / n_seeds
    return float(np.sqrt((1.0 / k + 1.0 / (n_folds - 1.0)) * leads.var(ddof=1)))


def _by_fold(
    boards: Sequence[Scoreboard], experiment: str, method: str, column: str
) -> dict[tuple[int, int], float]:
    return {
        (seed, fold): value
        for seed, board in enumerate(boards)
        for fold, value in board.values(experiment, method, column).items()
    }


def gathered(folders: Sequence[str]) -> list[Row]:
    """Rows of some folders of results, without long columns; a line and no rows are kept where that fails."""
    if not folders:
        raise SystemExit("Name the folders of results: python -m benchmarks.repeated many/*")
    try:
        rows = [row for folder in folders for row in read_rows(Path(folder) / "rows.jsonl")]
    except LogicLensError as error:
        raise SystemExit(str(error)) from None
    slim = [{name: value for name, value in row.items() if name not in _LONG} for row in rows]
    whole = in_order([row for row in slim if row["part"] == ""])
    work = Counter(tuple(row[name] for name in _UNIT) for row in whole)
    if twice := [unit for unit, times in work.items() if times > 1]:
        raise SystemExit(f"Some work is there twice, such as {', '.join(map(str, twice[0]))}. Name it once.")
    if len(seeds_of(whole)) < 2:
        raise SystemExit("Leads need at least two fold seeds. Run more: logiclens bench paper --fold-seed 12")
    return whole


def main(folders: Sequence[str]) -> None:
    """Keep the rows of some folders of results, and print the leads."""
    rows = gathered(folders)
    write_rows(KEPT, rows)
    for table in repeated_tables(rows):
        print(table.to_markdown(), end="\n\n")
    print(f"{KEPT.name}: {len(rows)} rows of the fold seeds {', '.join(map(str, seeds_of(rows)))}")


if __name__ == "__main__":
    main(sys.argv[1:])
