"""The ``logiclens`` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import logiclens
from logiclens.errors import LogicLensError, listing

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.table import Table

    from logiclens.logic import Minimized

app = typer.Typer(
    name="logiclens",
    help="Short logical rules over named concepts, from yes-or-no answers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class DemoData(StrEnum):
    """The data sets of the demonstration; scikit-learn carries them."""

    WINE = "wine"
    IRIS = "iris"
    CANCER = "breast_cancer"


def _data_set(text: str) -> DemoData:
    """Name of a data set; typer's own reading of an enumeration says "Value error, ..." when it fails."""
    if text not in set(DemoData):
        raise typer.BadParameter(f"{text!r} is not one of {listing(map(str, DemoData))}.")
    return DemoData(text)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"logiclens {logiclens.__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Short logical rules over named concepts, from yes-or-no answers."""
    if isinstance(sys.stdout, TextIOWrapper):  # a terminal that lacks a sign gets its number, not a traceback
        sys.stdout.reconfigure(errors="backslashreplace")


@app.command()
def demo(
    data: Annotated[
        DemoData, typer.Option(help="Data set to explain.", parser=_data_set, metavar="|".join(DemoData))
    ] = DemoData.WINE,
    literal_cost: Annotated[
        float, typer.Option(min=0, help="Share of the rows that one more literal must put right.")
    ] = 0.02,
) -> None:
    """Find a rule for each class of a small data set, and show the choice of shorter and longer ones.

    Every number is compared with two cut points, which gives named Boolean concepts; a truth table counts
    how often each combination belongs to the class; the smallest formula for the table is the rule. Cut
    points and rules come from about 70 % of the rows, drawn at random but the same every time; the rules are
    scored on the others.

    Try: logiclens demo --data breast_cancer --literal-cost 0.01
    """
    with _clear_errors():
        _demo(data, literal_cost)


class _Split(NamedTuple):
    """Boolean concepts and classes, and which rows are held out."""

    concepts: NDArray[Any]
    names: list[str]
    classes: NDArray[Any]
    held_out: NDArray[Any]


class _ClassRule(NamedTuple):
    """A class, its rule, the share of held-out rows the rule gets right, and the rules of other lengths."""

    label: str
    rule: Minimized
    right: float
    front: tuple[Minimized, ...]


def _demo(data: DemoData, literal_cost: float) -> None:
    from rich.console import Console

    split = _load(data)
    rules = [_explain(split, label, literal_cost) for label in sorted(set(split.classes))]
    with _written():
        _print_demo(Console(highlight=False), data, split, rules)


def _print_demo(console: Console, data: DemoData, split: _Split, rules: list[_ClassRule]) -> None:
    console.print(
        f"{data.value}: {len(split.classes)} rows, {len(split.names)} Boolean concepts; "
        f"rules from {(~split.held_out).sum()} rows, scored on the other {split.held_out.sum()}.\n",
        soft_wrap=True,
    )
    for found in rules:
        _print_rule(console, found)
    console.print("The rules, one against the rest:")
    console.print(_score_table(rules))
    console.print("Training errors of the best rule by length (blank: a shorter one does as well):")
    console.print(_front_table(rules))


def _explain(split: _Split, label: str, literal_cost: float) -> _ClassRule:
    from logiclens.logic import TruthTable, minimize, minimize_path

    is_class = split.classes == label
    train, test = ~split.held_out, split.held_out
    table = TruthTable.from_data(split.concepts[train], is_class[train], names=split.names)
    rule = minimize(table, literal_cost=literal_cost)
    predicted = rule.formula.evaluate(split.concepts[test], names=split.names)
    right = float((predicted == is_class[test]).mean())
    return _ClassRule(label, rule, right, minimize_path(table, max_literals=8))


def _print_rule(console: Console, found: _ClassRule) -> None:
    """The rule as logic and in words; on a terminal with the signs of logic, wrapped."""
    from rich.text import Text

    from logiclens.logic import format_formula, to_sentence

    fancy = console.is_terminal
    forall, iff = ("∀x:", "↔") if fancy else ("forall x:", "<->")
    formula = format_formula(found.rule.formula, style="unicode" if fancy else "ascii")
    console.print(Text(f"{forall} {found.label} {iff} {formula}", "bold"), soft_wrap=not fancy)
    console.print(
        Text(f"  {found.label} if and only if {to_sentence(found.rule.formula)}.\n"), soft_wrap=not fancy
    )


def _score_table(rules: list[_ClassRule]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("class", overflow="fold")
    for heading in ("literals", "training\nerrors", "held-out\nright"):
        table.add_column(heading, justify="right", overflow="fold", no_wrap=True)
    table.add_column("status", overflow="fold")
    for label, rule, right, _ in rules:
        table.add_row(label, f"{rule.literals}", f"{rule.errors:g}", f"{right:.1%}", rule.status)
    return table


def _front_table(rules: list[_ClassRule]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("literals", justify="right", overflow="fold")
    for found in rules:
        table.add_column(found.label, justify="right", overflow="fold")
    errors = [{point.literals: f"{point.errors:g}" for point in found.front} for found in rules]
    for literals in sorted(set().union(*errors)):
        table.add_row(f"{literals}", *(column.get(literals, "") for column in errors))
    return table


def _load(data: DemoData) -> _Split:
    """Each number compared with its terciles on the training rows, rounded to be readable."""
    import numpy as np
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{data.value}")()
    held_out = np.random.default_rng(0).random(len(bunch.target)) < 0.3
    names: list[str] = []
    columns = []
    for name, values in zip(bunch.feature_names, bunch.data.T, strict=True):
        for cut in dict.fromkeys(
            float(f"{cut:.3g}") for cut in np.quantile(values[~held_out], [1 / 3, 2 / 3])
        ):
            names.append(f"{name} > {cut:g}")
            columns.append(values > cut)
    return _Split(np.column_stack(columns), names, bunch.target_names[bunch.target], held_out)


@contextmanager
def _clear_errors() -> Iterator[None]:
    """One line on standard error and exit code 1 for errors of ours; no traceback."""
    try:
        yield
    except LogicLensError as error:
        typer.echo(f"logiclens: {error}", err=True)
        raise typer.Exit(1) from None


@contextmanager
def _written() -> Iterator[None]:
    """No traceback when the output cannot be written: a reader that went away, or a full disk."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        raise typer.Exit(1) from None
    except OSError as error:
        _drop_output()
        typer.echo(f"logiclens: the output cannot be written: {error.strerror}.", err=True)
        raise typer.Exit(1) from None


def _drop_output() -> None:
    """What is still waiting to be written goes nowhere; Python would try once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
