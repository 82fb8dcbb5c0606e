"""``logiclens explain-row``: why one row of a table is predicted as it is, and what would change that."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.saved_rules import label_named, network_in, rules_in
from logiclens.cli.terminal import (
    checked_output,
    one_line_errors,
    output_console,
    print_item,
    print_line,
    print_logic,
    print_note,
    print_table,
    text_table,
)

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.concepts import Vocabulary
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.files import TableFile


def explain_row(  # noqa: PLR0913 - the options of a command
    model: opt.Model,
    data: opt.Data,
    row: Annotated[
        int, typer.Option(help="Row to explain; the first below the header is 1.", min=1, metavar="NUMBER")
    ],
    target: Annotated[
        str | None,
        typer.Option("--class", help="What would make it this class?  [default: any other]", metavar="LABEL"),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(help="A column that must stay as it is. Can be repeated.", metavar="COLUMN"),
    ] = None,
    increasing: Annotated[
        list[str] | None, typer.Option(help="A column that may only increase, such as age.", metavar="COLUMN")
    ] = None,
    decreasing: Annotated[
        list[str] | None, typer.Option(help="A column that may only decrease.", metavar="COLUMN")
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            help="What a column may become: income=1000:3000, age=:65, ward=ICU,ER.",
            metavar="COLUMN=RANGE",
        ),
    ] = None,
    costs: Annotated[
        list[str] | None,
        typer.Option(
            "--cost", help="What a change of a column costs, 1 where nothing is said.", metavar="COLUMN=PRICE"
        ),
    ] = None,
    ways: Annotated[
        int, typer.Option(help="How many ways to change it to look for.", min=1, metavar="NUMBER")
    ] = 1,
    literals: opt.SavedLiterals = None,
    logic: opt.Logic = False,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
    skip_lines: opt.SkipLines = None,
    sheet: opt.Sheet = None,
) -> None:
    """Say why one row is predicted as it is, and the least that would have to be different.

    \b
    Examples:
      logiclens explain-row model.lens patients.csv --row 17
          the values that count, the rule that decides, why, and what would change it
      logiclens explain-row model.lens patients.csv --row 17 --class well
          what would make it well?
      logiclens explain-row model.lens patients.csv --row 17 --fixed sex --increasing age --ways 3
          three ways to another prediction, with the same sex and no younger
      logiclens explain-row rules.json patients.parquet --row 1
          by rules alone: nothing of the network is loaded
    """  # noqa: D301 - \b keeps lines
    from logiclens.cli.predictions import needed_columns, unseen_notes
    from logiclens.explain import Limits
    from logiclens.files import ValueType, read_table

    with one_line_errors():
        rules = rules_in(model, literals)
        wanted = None if target is None else label_named(rules, target)
        words = rules.vocabulary
        limits = Limits(
            fixed or (),
            increasing or (),
            decreasing or (),
            dict(_range(text, words) for text in ranges or ()),
            dict(_price(text) for text in costs or ()),
        )
        types = dict.fromkeys(rules.concept_names, ValueType.FLAG) if words is None else words.types
        layout = opt.FileOptions(delimiter, encoding, decimal, skip_lines, sheet)
        file = read_table(data, **layout.entries(), types=types)
        one = _one_row(file, row)
        values = _values(rules, one)
        found = rules.counterfactual(one, wanted, limits=limits, n=ways)
        console = output_console()
        paragraphs = [
            *_prediction(rules, one, _style(console, logic)),
            *_network(model, rules, one),
            Paragraph("What would change it:", (str(found), *map(str, found.alternatives))),
        ]
        needed = needed_columns(rules, one.column_names)
        read = {name: one.column(name) for name in needed.columns.values()}
        unseen = unseen_notes({(name, value): n for name, value, n in needed.unseen(read, 1)})
        for note in (*file.notes, *unseen):
            print_note(note)
        with checked_output():
            _print(console, f"Row {row} of {file.name}", values, paragraphs, logic=logic)


def _style(console: Console, logic: bool) -> str:
    if not logic:
        return "plain"
    return "unicode" if console.is_terminal else "ascii"


def _range(text: str, words: Vocabulary | None) -> tuple[str, Any]:
    """A column, and the ends of an interval or values, from ``age=18:65`` or ``ward=ICU,ER``."""
    from logiclens.errors import InputError
    from logiclens.files import ValueType

    column, _, told = text.rpartition("=")
    if not column or not told:
        raise InputError(f"--range is COLUMN=LOW:HIGH or COLUMN=VALUE,VALUE. Got {text!r}.")
    kind = None if words is None or column in words.parts else words.types.get(column)
    if ":" in told and kind not in (ValueType.TEXT, ValueType.MIXED):
        low, _, high = told.partition(":")
        return column, tuple(None if not end else _number(end) for end in (low, high))
    if kind is ValueType.TEXT:
        return column, {*told.split(",")}
    return column, {_FLAGS.get(value.lower(), _number(value)) for value in told.split(",")}


def _price(text: str) -> tuple[str, Any]:
    from logiclens.errors import InputError

    column, _, price = text.rpartition("=")
    if not column:
        raise InputError(f"--cost is COLUMN=PRICE. Got {text!r}.")
    return column, _number(price)


def _number(text: str) -> str | float:
    """A number, if the text is one."""
    try:
        return float(text)
    except ValueError:
        return text


_FLAGS = {"yes": 1, "true": 1, "no": 0, "false": 0}

_MOST_TERMS = 5  # of one rule that are listed


class Paragraph(NamedTuple):
    """A heading, a line of a rule, if any, and sentences."""

    heading: str
    lines: tuple[str, ...]
    rule: str = ""


def _one_row(file: TableFile, row: int) -> Any:
    from logiclens.errors import InputError, count

    if row > file.n_rows:
        raise InputError(
            f"{file.name!r} has {count(file.n_rows, 'row')}; there is no row {row}. Rows count from 1."
        )
    return file.table.slice(row - 1, 1)


def _values(rules: ExplanationSet, one: Any) -> list[tuple[str, str]]:
    """The values that the rules look at, by column."""
    from logiclens.cli.predictions import needed_columns
    from logiclens.concepts.concept import value_text

    found = []
    gaps = {} if rules.vocabulary is None else rules.vocabulary.gaps
    for column, place in needed_columns(rules, one.column_names).columns.items():
        value = one.column(place)[0].as_py()
        text = value_text(value) if isinstance(value, float) and isfinite(value) else str(value)
        text = f"{text} (missing)" if value in gaps.get(column, ()) else text
        found.append((place, "missing" if value is None or value != value else text))
    return found


def _prediction(rules: ExplanationSet, one: Any, style: str) -> list[Paragraph]:
    """The prediction of the rules: the step that decides, or the rules that are true, and why."""
    if rules.multi_label:
        true = zip(rules, rules.fired(one)[0], strict=True)
        return [_label(rules, label, one, style) for label, yes in true if yes] or [
            Paragraph("The rules predict no label: none of them is true of this row.", ())
        ]
    at = int(rules.decided_by(one)[0])
    label = rules.predict(one).tolist()[0]
    named = _named(rules, label)
    heading, word = f"The rules predict {named}:", "step" if rules.is_list else "rule"
    if at == len(rules.steps):
        return [Paragraph(heading, (f"No {word} is true of this row, and {named} is the default.",))]
    rule = replace(rules[label].rule, formula=rules.steps[at].formula)
    lines = _why(replace(rules[label], rule=rule), one)
    if at:
        lines += (f"No earlier {word} is true of this row.",)
    written = rules.format if rules.is_list else rule.format
    place = at if rules.is_list else 0
    step = written(style).split("\n")[place].removeprefix("else ")  # the earlier ones are not printed
    return [Paragraph(heading, lines, step)]


def _label(rules: ExplanationSet, label: Any, one: Any, style: str) -> Paragraph:
    """One of several labels that are predicted, and why."""
    heading = f"The rules predict {_named(rules, label)}:"
    return Paragraph(heading, _why(rules[label], one), rules[label].rule.format(style))


def _named(rules: ExplanationSet, label: Any) -> str:
    from logiclens.explain.rule import target_in_sentence

    return target_in_sentence(rules[label].rule)


def _why(explanation: Explanation, one: Any) -> tuple[str, ...]:
    """The terms of a rule that are true of a row, in plain English."""
    from logiclens.explain import term_scores
    from logiclens.explain.counterfactual import term_in_words

    true = [score for score in term_scores(explanation, one) if score.covered][:_MOST_TERMS]
    words, concepts = explanation.vocabulary, explanation.concepts
    gaps = frozenset() if words is None else words.missing_columns(one, concepts)
    reasons = (term_in_words(score.formula, words, gaps) for score in true)
    return tuple(f"{'Also because' if at else 'Because'}: {text}." for at, text in enumerate(reasons))


def _network(path: str, rules: ExplanationSet, one: Any) -> list[Paragraph]:
    """The prediction of the network, where there is one and the table has its columns."""
    from logiclens.errors import InputError

    model = network_in(path)
    if model is None:
        return []
    try:
        predicted = model.predict(one).tolist()[0]
    except InputError as error:
        return [Paragraph("The network cannot be asked:", (str(error),))]
    labels = [predicted]
    if rules.multi_label:
        labels = [label for label, yes in zip(rules, predicted, strict=True) if yes]
    named = ", ".join(_named(rules, label) for label in labels)
    return [Paragraph(f"The network predicts {named or 'no label'}.", ())]


def _print(
    console: Console,
    heading: str,
    values: list[tuple[str, str]],
    paragraphs: list[Paragraph],
    *,
    logic: bool,
) -> None:
    print_line(console, heading, "bold")
    if values:
        print_table(console, text_table("column", "value", rows=values))
    for part in paragraphs:
        print_line(console, part.heading, "bold")
        if part.rule and logic:
            print_logic(console, part.rule)
        elif part.rule:
            print_item(console, part.rule)
        for line in part.lines:
            print_item(console, line)
