"""Options that several commands share, each with its name, its meaning and its limits in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from logiclens.cli.choices import EngineName, Kind, Network, one_of

Data: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="Table with a header: CSV, TSV or Parquet, also .gz; - reads standard input."
    ),
]
NetworkOption: TypeAlias = Annotated[
    Network,
    typer.Option("--network", help="Network to train.", parser=one_of(Network), metavar="|".join(Network)),
]
KindOption: TypeAlias = Annotated[
    Kind,
    typer.Option(
        "--rule",
        help="What rules say of a class: exactly when it holds (iff), what it needs (if), or what is enough "
        "for it (only_if).",
        parser=one_of(Kind),
        metavar="|".join(Kind),
    ),
]
Seed: TypeAlias = Annotated[
    int,
    typer.Option(help="The same number gives the same rules.", min=0, max=2**32 - 1, metavar="NUMBER"),
]
Literals: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Literals of the rules, all together; the fit does not depend on it.  [default: as few as are "
        "about as accurate as the best]",
        min=0,
        metavar="NUMBER",
    ),
]
SavedLiterals: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--literals",
        help="Rules of at most so many literals, of a model that has rules of several lengths.  [default: "
        "those that were shown]",
        min=0,
        metavar="NUMBER",
    ),
]
MaxLiterals: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Literals of the longest rules that are looked for.  [default: 60; of more than three classes, "
        "20 a class]",
        min=1,
        metavar="NUMBER",
    ),
]
Distillation: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="What rules are looked for in: 0 the labels alone, 1 what the network says alone.  "
        "[default: 0.5]",
        min=0.0,
        max=1.0,
        metavar="SHARE",
    ),
]
Use: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns to use, and no others: name,name,... A name with a comma is given by itself; the "
        "option can be repeated.",
        metavar="COLUMNS",
    ),
]
Ignore: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="Columns to leave out, named like those of --use.", metavar="COLUMNS")
]
Holdout: TypeAlias = Annotated[
    float,
    typer.Option(
        help="Share of the rows to hold out and score on; 0 for none.", min=0.0, max=0.9, metavar="SHARE"
    ),
]
MaxRows: TypeAlias = Annotated[
    int | None, typer.Option(help="Take so many rows at most, drawn at random.", min=2, metavar="NUMBER")
]
Html: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="Write a report to read and send around: one file, no network needed.", metavar="FILE"),
]
Json: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="Write rules, scores and settings as JSON; - for standard output.", metavar="FILE"),
]
Save: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="Write the model for later use; a name that ends in .json: its rules.", metavar="FILE"),
]
Rows: TypeAlias = Annotated[
    bool, typer.Option("--rows", help="Put the rows on which rules are wrong into the report.")
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", help="Print the rules alone, one a line, and no progress.")
]
Device: TypeAlias = Annotated[
    str,
    typer.Option(help="Where to train: cpu gives the same rules everywhere; cuda, auto.", metavar="DEVICE"),
]
Delimiter: TypeAlias = Annotated[
    str | None, typer.Option(help="What separates columns.  [default: found in the data]", metavar="SIGN")
]
Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option(help="How letters are stored, such as latin-1.  [default: utf-8]", metavar="NAME"),
]
Decimal: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Sign before the decimals of a number.  [default: found in the data]", metavar="SIGN"),
]
Engine: TypeAlias = Annotated[
    EngineName | None,
    typer.Option(
        "--engine",
        help="Leave the rows in an engine, for tables that do not fit into memory. DATA is then a Parquet or "
        "CSV file, a quoted pattern such as 'data/*.parquet', or a folder of Parquet files.",
        parser=one_of(EngineName),
        metavar="|".join(EngineName),
    ),
]
Memory: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The most memory that the engine takes, such as 4GB; for --engine.", metavar="SIZE"),
]
