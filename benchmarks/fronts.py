r"""Rule learners over the whole front of accuracy against length, on folders of tables.

    python -m benchmarks.fronts FOLDER ... [--methods cart,figs] [--tables a,b] [--folds 5] [--fold-seed 0]

Every method chooses its size on validation rows up to 5, 10, 20, 40 and 80 literals per class, as
``logiclens bench tables --front`` does; the smallest tables come first. Printed are tables of all that ran
and, by themselves, of the twelve on which nothing is chosen. Pieces of work are kept in the folder of
``--out``, so that a run that was stopped goes on. ``--write`` keeps the rows in
``benchmarks/results/fronts.jsonl.gz``, draws ``docs/images/fronts.svg`` and writes the tables of
``docs/explanation/other_rule_learners.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from logiclens.bench import (
    PEERS,
    PieceReport,
    Results,
    TableExperiment,
    as_svg,
    front_figure,
    front_tables,
    run_fronts,
    table_files,
    write_rows,
)
from logiclens.bench.fold_scores import Row
from logiclens.bench.fronts import FIT_SECONDS
from logiclens.bench.method import available
from logiclens.errors import LogicLensError
from logiclens.files import read_table

KEPT = Path(__file__).parent / "results" / "fronts.jsonl.gz"
FIGURE = Path(__file__).parents[1] / "docs" / "images" / "fronts.svg"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "other_rule_learners.md"
BEGIN = "<!-- tables, by python -m benchmarks.fronts -->"
"""Where the tables of the page begin; what stands before is written by hand."""
PICTURE = (
    "![Accuracy against length, a line for each method, beside each other for both axes of length]"
    f"(../images/{FIGURE.name})"
)
TARGET = "target"
HELD_BACK = frozenset(
    "appendicitis bands dermatology fars flare ionosphere letter mammographic optdigits penbased pima "
    "satimage".split()
)
"""Tables on which no setting is chosen."""


def by_size(files: Iterable[Path]) -> list[Path]:
    """Files, the smallest first, so that figures of many tables are there soon."""
    return sorted(files, key=lambda file: (file.stat().st_size, file.name))


def experiments(
    folders: Sequence[str], names: Sequence[str], folds: int, fold_seed: int
) -> Iterator[TableExperiment]:
    """An experiment for each table, the smallest file first; its target is the column of that name."""
    for file in by_size(file for folder in folders for file in table_files(folder)):
        name = file.name.partition(".")[0]
        if names and name not in names:
            continue
        table = read_table(file).table
        labels = table.column(TARGET).to_numpy(zero_copy_only=False)
        yield TableExperiment(name, table.drop_columns([TARGET]), labels, folds, fold_seed)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fronts", description=main.__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="tables whose classes are in 'target'")
    parser.add_argument("--methods", default="", help="names with commas; all that are installed by default")
    parser.add_argument("--tables", default="", help="names of files without their ends; all by default")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--fold-seed", type=int, default=0)
    parser.add_argument("--fit-seconds", type=float, default=FIT_SECONDS, help="what a fit may take")
    parser.add_argument("--out", default="results/fronts", help="folder of the pieces of work")
    parser.add_argument("--write", action="store_true", help="keep rows and figure in the repository")
    options = parser.parse_args(arguments)
    named = [name for name in options.methods.split(",") if name]
    tables = [name for name in options.tables.split(",") if name]
    try:
        methods = available(PEERS, named, lambda line: print(line, file=sys.stderr))
        rows = run_fronts(
            experiments(options.folders, tables, options.folds, options.fold_seed),
            methods,
            results=Results(options.out),
            fit_seconds=options.fit_seconds,
            progress=_report,
        )
    except LogicLensError as error:
        raise SystemExit(str(error)) from None
    found = sections(rows)
    print(found)
    if options.write:
        write_rows(KEPT, rows)
        FIGURE.write_bytes(as_svg(front_figure(rows)))
        before = PAGE.read_text(encoding="utf-8").split(BEGIN)[0]
        PAGE.write_text(f"{before}{BEGIN}\n\n{PICTURE}\n\n{found}", encoding="utf-8")
        print(f"{KEPT.name}: {len(rows)} rows; {FIGURE.name}; {PAGE.name}")


def sections(rows: Sequence[Row]) -> str:
    """The tables in Markdown: of all data and, by themselves, of those on which nothing is chosen."""
    held_back = [row for row in rows if row["experiment"] in HELD_BACK]
    lines = []
    for part, title in ((rows, "All tables"), (held_back, "Tables never used to choose a setting")):
        if part:
            lines += [f"## {title}", *(table.to_markdown() for table in front_tables(part))]
    return "\n\n".join(lines) + "\n"


def _report(step: PieceReport) -> None:
    if not step.kept:
        print(f"{step.experiment}, {step.method}, fold {step.folds[0]}: {step.status}", file=sys.stderr)


if __name__ == "__main__":
    main()
