"""Options that several commands share, each with its name, its meaning and its limits in one place."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

import typer

from logiclens.cli.terminal import wrong_usage
from logiclens.errors import InputError, UnknownColumnError, listing


class NetworkKind(StrEnum):
    """The networks there are."""

    MU = "mu"
    PSI = "psi"
    RELU = "relu"
    ENTROPY = "entropy"


class RuleKindName(StrEnum):
    """The kinds of rules of a class."""

    IFF = "iff"
    IF = "if"
    ONLY_IF = "only_if"


class EngineName(StrEnum):
    """The engines that rows can be left in."""

    DUCKDB = "duckdb"
    SPARK = "spark"


_TITLES = {EngineName.DUCKDB: "DuckDB", EngineName.SPARK: "Spark"}


class Engine(NamedTuple):
    """An engine, and how much memory it may take.

    Attributes
    ----------
    name : EngineName
    memory : str, optional
        Such as ``"4GB"``.
    """

    name: EngineName
    memory: str | None = None

    @property
    def title(self) -> str:
        """Its name in messages."""
        return _TITLES[self.name]


class FileOptions(NamedTuple):
    """How a file is read, where a person says it; found in the file where not.

    Attributes
    ----------
    delimiter, encoding, decimal : str, optional
        Of a text file.
    skip_lines : int, optional
        Lines of a text file above its header.
    sheet : str, optional
        Of a workbook.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    skip_lines: int | None = None
    sheet: str | None = None

    def entries(self) -> dict[str, Any]:
        """The options by name, as functions that read files take them."""
        return self._asdict()


class ColumnOptions(NamedTuple):
    """What was said of columns, as it was typed.

    Attributes
    ----------
    categorical, numeric : sequence of str
        Columns, as they were named.
    ordered : sequence of str
        ``"column:low<mid<high"``.
    missing : sequence of str
        ``"-999"`` for all columns, ``"column=-999"`` for one.
    date : sequence of str
        Columns, as they were named, or ``"column=2024-01-31"`` with the day to count from.
    """

    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    ordered: Sequence[str] = ()
    missing: Sequence[str] = ()
    date: Sequence[str] = ()

    @classmethod
    def of(cls, *given: Sequence[str] | None) -> ColumnOptions:
        """Options in this order, None where one was not given."""
        return cls(*(each or () for each in given))

    def entries(self) -> dict[str, list[str]]:
        """Those that were given, for JSON."""
        return {name: [*value] for name, value in self._asdict().items() if value}


class Selection(NamedTuple):
    """The part of a table that is used.

    Attributes
    ----------
    target : str, optional
        The column to explain; None where there is none, as for clusters.
    use, ignore : sequence of str
        Columns as they were named; no ``use`` means all.
    apart : sequence of str
        Columns that are neither inputs nor left out, such as the truth beside predictions.
    above : float, optional
        Limit that makes two classes of a target of numbers.
    holdout : float
        Share of the rows to hold out.
    seed : int
    max_rows : int, optional
        Rows to take at most, drawn at random.
    said : ColumnOptions
        What was said of columns.
    cut : tuple of float
        Several such limits, which make ordered classes.
    bins : int, optional
        Classes of equal size to make of a target of numbers.
    group : str, optional
        Column whose values stay on one side of a split.
    split_column : str, optional
        Column whose values say which rows are held out.
    test_value : str, optional
        The value of the rows held out.
    unlabeled : str, optional
        Value of the target that means that there is none; rows without one are learned from. Empty: no value
        does, but such rows are.
    type_notes : bool
        Whether columns that may hold codes or gaps are noted, with the option to say so.
    """

    target: str | None
    use: Sequence[str] = ()
    ignore: Sequence[str] = ()
    apart: Sequence[str] = ()
    above: float | None = None
    holdout: float = 0.3
    seed: int = 0
    max_rows: int | None = None
    said: ColumnOptions = ColumnOptions()
    cut: tuple[float, ...] = ()
    bins: int | None = None
    group: str | None = None
    split_column: str | None = None
    test_value: str | None = None
    unlabeled: str | None = None
    type_notes: bool = True

    @property
    def limits(self) -> tuple[float, ...]:
        """The limits between classes of a target of numbers, as they were given."""
        return self.cut if self.above is None else (self.above,)

    @property
    def aside(self) -> set[str | None]:
        """Columns that are never features."""
        return {self.target, self.group, self.split_column, *self.apart}


ACCURACY, BALANCED = "accuracy", "balanced"
"""Goals that are words."""

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(options: type[Choice]) -> Callable[[str], Choice]:
    """Make a reader for one of several words, with a plain message if it fails."""

    def read(text: str) -> Choice:
        if text not in set(options):
            raise typer.BadParameter(f"{text!r} is not one of {listing(map(str, options))}.")
        return options(text)

    return read


def named_columns(given: Iterable[str], known: Sequence[str], option: str) -> tuple[str, ...]:
    """Columns named by an option; each text is one name, or several with commas.

    Parameters
    ----------
    given : iterable of str
        The texts, one for each time that the option was given.
    known : sequence of str
        The columns there are.
    option : str
        What the option is called, for the error message.

    Raises
    ------
    UnknownColumnError
        A name that is not among them.

    Examples
    --------
    >>> named_columns(["age, sex", "height, in cm"], ["age", "sex", "height, in cm"], "--use")
    ('age', 'sex', 'height, in cm')
    """
    found: dict[str, None] = {}
    for text in given:
        for name in (text,) if text in known else text.split(","):
            column = name if name in known else name.strip()
            if column and column not in known:
                raise UnknownColumnError(column, known, f"It is named by {option}.")
            if column:
                found[column] = None
    return tuple(found)


Model: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="File that --save wrote: a model, or rules alone."),
]
Data: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Table with a header: CSV, TSV, Parquet, also .gz, or .xlsx; - reads standard input.",
    ),
]
NetworkOption: TypeAlias = Annotated[
    NetworkKind,
    typer.Option(
        "--network", help="Network to train.", parser=one_of(NetworkKind), metavar="|".join(NetworkKind)
    ),
]
KindOption: TypeAlias = Annotated[
    RuleKindName,
    typer.Option(
        "--rule",
        help="What rules say of a class: exactly when it holds (iff), what it needs (if), or what is enough "
        "for it (only_if).",
        parser=one_of(RuleKindName),
        metavar="|".join(RuleKindName),
    ),
]
Seed: TypeAlias = Annotated[
    int,
    typer.Option(help="The same number gives the same rules.", min=0, max=2**32 - 1, metavar="NUMBER"),
]
Literals: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Literals of the rules, all together; the fit does not depend on it.  [default: the "
        "most accurate on rows left out, less a price for each literal]",
        min=0,
        metavar="NUMBER",
    ),
]
SavedLiterals: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--literals",
        help="Rules of at most this many literals, of a model that has rules of several lengths.  [default: "
        "those that were shown]",
        min=0,
        metavar="NUMBER",
    ),
]
MaxLiterals: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Literals of the longest rules that are looked for.  [default: 60; of more than three classes, "
        "20 per class]",
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
Categorical: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns whose numbers are codes, named like those of --use: rules say Region = 3.",
        metavar="COLUMNS",
    ),
]
Numeric: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns of numbers, named like those of --use, that look like codes or text.",
        metavar="COLUMNS",
    ),
]
Ordered: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="A column and its values, the lowest first: 'size:low<mid<high', in quotes. Can be repeated.",
        metavar="ORDER",
    ),
]
MissingValues: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        help="A value that means that there is none, such as -999; of one column: age=-999. Can be repeated.",
        metavar="VALUE",
    ),
]
Unlabeled: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Learn also from rows whose class is not known: those without a value of the target, and those "
        "with this one, such as -1. '' for the former alone.",
        metavar="VALUE",
    ),
]
Date: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns of dates, named like those of --use: rules use year, month, weekday and days since the "
        "first year began, or since a day: admitted=2024-01-31.",
        metavar="COLUMNS",
    ),
]
Holdout: TypeAlias = Annotated[
    float,
    typer.Option(
        help="Share of the rows to hold out and score on; 0 for none.", min=0.0, max=0.9, metavar="SHARE"
    ),
]
TestOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--test",
        help="Hold out the rows of this file, which has the same columns, and learn from all of DATA.",
        metavar="FILE",
    ),
]
SplitColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Column that says which rows are held out, such as train and test, or 0 and 1; never a feature.",
        metavar="COLUMN",
    ),
]
TestValue: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Its value for the rows held out, where that is not plain.", metavar="VALUE"),
]
Group: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Column whose values, such as patients, stay on one side of every split; never a feature.",
        metavar="COLUMN",
    ),
]
GoalOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--goal",
        help="What rules are chosen for: accuracy, all classes alike (balanced), or the most accurate ones "
        "that reach a recall or precision of one class, such as recall=0.9.  [default: accuracy]",
        metavar="GOAL",
    ),
]
Positive: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The class of that recall or precision.  [default: the rarest one]", metavar="CLASS"),
]
Bins: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="For a target of numbers: this many ordered classes of equal size.", min=2, metavar="NUMBER"
    ),
]
Cut: TypeAlias = Annotated[
    str | None,
    typer.Option(help="For a target of numbers: ordered classes between limits: 10,50", metavar="NUMBERS"),
]
MaxRows: TypeAlias = Annotated[
    int | None, typer.Option(help="Take this many rows at most, drawn at random.", min=2, metavar="NUMBER")
]
FrontOption: TypeAlias = Annotated[
    bool, typer.Option("--front", help="Also print how rules of each length do.")
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
Logic: TypeAlias = Annotated[
    bool, typer.Option("--logic", help="Print rules in First-Order Logic, rather than in plain words.")
]
Mirror: TypeAlias = Annotated[
    bool, typer.Option("--mirror", help="Also print the formula of each class, beside the list.")
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
    typer.Option(
        help="How letters are stored, such as latin-1.  [default: utf-8, or else cp1252]", metavar="NAME"
    ),
]
Decimal: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Sign before the decimals of a number.  [default: found in the data]", metavar="SIGN"),
]
SkipLines: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Lines of a text file above its header.  [default: found where it is plain]",
        min=0,
        metavar="NUMBER",
    ),
]
Sheet: TypeAlias = Annotated[
    str | None, typer.Option(help="Sheet of an Excel workbook.  [default: the first]", metavar="NAME")
]
EngineOption: TypeAlias = Annotated[
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


def command_line(context: typer.Context) -> str:
    """The running command as a line for the shell, without options at their defaults."""
    return shlex.join(["logiclens", f"{context.info_name}", *_words(context)])


def _words(context: typer.Context) -> Iterator[str]:
    for parameter in context.command.params:
        name = f"{parameter.name}"
        value, origin = context.params.get(name), context.get_parameter_source(name)
        if origin is None or origin.name != "COMMANDLINE":
            continue
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is False and getattr(parameter, "secondary_opts", None):
                yield parameter.secondary_opts[0]
                continue
            if parameter.param_type_name != "argument":
                yield parameter.opts[0]
            if each is not True:
                yield f"{each}"


# What goes together


def cut_points(text: str | None) -> tuple[float, ...]:
    """The limits that --cut names, in ascending order.

    Examples
    --------
    >>> cut_points("10, 50")
    (10.0, 50.0)
    """
    if text is None:
        return ()
    try:
        limits = [float(part) for part in text.split(",")]
    except ValueError:
        limits = []
    if not limits or any(not abs(limit) < float("inf") for limit in limits):
        wrong_usage(f"--cut takes numbers with commas between them, such as 10,50. Got {text!r}.")
    return tuple(sorted(set(limits)))


def check_classes(above: float | None, cut: str | None, bins: int | None) -> None:
    """Refuse more than one way to make classes of numbers."""
    given = {"--above": above, "--cut": cut, "--bins": bins}
    named = [option for option, value in given.items() if value is not None]
    if len(named) > 1:
        wrong_usage(f"{' and '.join(named)} make classes in different ways. Give one of them.")


def goal_of_options(goal: str | None, positive: str | None) -> str | None:
    """The goal that --goal names; None for accuracy.

    Examples
    --------
    >>> goal_of_options("recall=0.9", "ill"), goal_of_options("accuracy", None)
    ('recall=0.9', None)
    """
    rate = goal is not None and goal not in (ACCURACY, BALANCED)
    if rate:
        from logiclens.metrics.goal import Goal

        try:
            Goal.parse(goal)
        except InputError:
            wrong_usage(
                f"--goal is accuracy, balanced, or such as recall=0.9 or precision=0.9. Got {goal!r}."
            )
    if positive is not None and not rate:
        wrong_usage("--positive is the class of a recall or precision. Add --goal recall=0.9, or omit it.")
    return None if goal == ACCURACY else goal


def share_held_out(
    context: typer.Context,
    holdout: float,
    test: str | None,
    split_column: str | None,
    test_value: str | None,
) -> float:
    """The share of the rows to draw and hold out: none where --test or --split-column names them.

    More than one way to hold rows out is refused.
    """
    if test_value is not None and split_column is None:
        wrong_usage("--test-value is a value of --split-column COLUMN. Add that, or omit it.")
    origin = context.get_parameter_source("holdout")
    drawn = origin is not None and origin.name == "COMMANDLINE"
    given = {"--test": test is not None, "--split-column": split_column is not None, "--holdout": drawn}
    named = [option for option, here in given.items() if here]
    if len(named) > 1:
        wrong_usage(f"{' and '.join(named)} hold rows out in different ways. Give one of them.")
    return holdout if test is None and split_column is None else 0.0


def engine_of_options(
    name: EngineName | None,
    memory: str | None,
    data: str,
    layout: FileOptions,
) -> Engine | None:
    """The engine that the options ask for, if any.

    Parameters
    ----------
    name : EngineName, optional
    memory : str, optional
    data : str
        What is read.
    layout : FileOptions
        How text is read without an engine.

    Raises
    ------
    typer.Exit
        What is asked for makes no sense together.
    """
    if name is None:
        if memory is not None:
            wrong_usage("--memory is for an engine. Add --engine duckdb, or omit it.")
        if is_pattern(data):
            wrong_usage(
                f"{data!r} stands for several files. Add --engine duckdb to read them all, or name one."
            )
        return None
    if data == "-":
        wrong_usage(
            "--engine reads files, and - is standard input. Name a file, or a pattern: 'data/*.parquet'."
        )
    if data.lower().endswith(".xlsx"):
        wrong_usage("--engine reads CSV and Parquet. Save the sheet as one of these, or leave out --engine.")
    for name_of_one, value in layout.entries().items():
        option = f"--{name_of_one.replace('_', '-')}"
        if value is not None:
            wrong_usage(f"{option} is not for an engine, which reads files its own way. Omit it.")
    return Engine(name, memory)


def is_pattern(data: str) -> bool:
    """True of a folder or a pattern, which may stand for several files."""
    return os.path.isdir(data) or (glob.has_magic(data) and not os.path.exists(data))


def refuse_whole_rows(max_rows: int | None, others: Mapping[str, Any]) -> None:
    """Refuse options that need rows in memory, unless --max-rows draws some.

    Parameters
    ----------
    max_rows : int, optional
    others : mapping of str to any
        Options that need rows, by their names.
    """
    for option, value in others.items():
        if max_rows is None and value not in (None, False):
            wrong_usage(
                f"{option} needs rows in memory, and --engine leaves them in the engine. "
                "Draw some with --max-rows 100000, or leave out --engine."
            )
