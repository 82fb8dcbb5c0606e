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
    percent,
    print_item,
    print_line,
    print_logic,
    print_note,
    print_table,
    text_table,
)
from logiclens.errors import count

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.concepts import Vocabulary
    from logiclens.explain import Explanation, ExplanationSet, SufficientReason, TermScore
    from logiclens.files import TableFile
    from logiclens.logic import Formula


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
            *_prediction(rules, one, file.table, _style(console, logic)),
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
    from logiclens.errors import InputError

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


def _prediction(rules: ExplanationSet, one: Any, table: Any, style: str) -> list[Paragraph]:
    """The prediction of the rules: the step that decides, or the rules that are true, and why."""
    if rules.multi_label:
        true = zip(rules, rules.fired(one)[0], strict=True)
        return [_label(rules, label, one, table, style) for label, yes in true if yes] or [
            Paragraph("The rules predict no label: none of them is true of this row.", ())
        ]
    at = int(rules.decided_by(one)[0])
    label = rules.predict(one).tolist()[0]
    named = _named(rules, label)
    heading, word = f"The rules predict {named}:", "step" if rules.is_list else "rule"
    because = _because(rules.sufficient_reason(one), one)
    if at == len(rules.steps):
        return [Paragraph(heading, (f"No {word} is true of this row, and {named} is the default.", *because))]
    rule = replace(rules[label].rule, formula=rules.steps[at].formula)
    lines = (*because, *_true_terms(rules, replace(rules[label], rule=rule), one, table))
    if at:
        lines += (f"No earlier {word} is true of this row.",)
    written = rules.format if rules.is_list else rule.format
    place = at if rules.is_list else 0
    step = written(style).split("\n")[place].removeprefix("else ")  # the earlier ones are not printed
    return [Paragraph(heading, lines, step)]


def _label(rules: ExplanationSet, label: Any, one: Any, table: Any, style: str) -> Paragraph:
    """One of several labels that are predicted, and why."""
    heading = f"The rules predict {_named(rules, label)}:"
    because = _because(rules[label].sufficient_reason(one), one)
    lines = (*because, *_true_terms(rules, rules[label], one, table))
    return Paragraph(heading, lines, rules[label].rule.format(style))


def _named(rules: ExplanationSet, label: Any) -> str:
    from logiclens.explain.rule import target_in_sentence

    return target_in_sentence(rules[label].rule)


def _because(reason: SufficientReason, one: Any) -> tuple[str, ...]:
    """The shortest reason in plain English, and what is proved of it."""
    from logiclens.explain.explanation import SHORTEST
    from logiclens.logic import TRUE

    if reason.term == TRUE:
        return ("The rules predict this for every row.",)
    needed = f"of these, {_in_words(reason, reason.necessary, one)} is needed"
    if reason.necessary == TRUE:
        needed = "other reasons would do, too"
    elif reason.necessary == reason.term:
        needed = f"{'it' if reason.literals == 1 else 'each condition'} is needed"
    given_up = "" if reason.status == SHORTEST else "; there may be a shorter reason"
    return (
        f"Because: {_in_words(reason, reason.term, one)}.",
        f"That is enough, whatever the other columns hold; {needed}{given_up}.",
    )


def _in_words(explanation: Explanation, term: Formula, one: Any) -> str:
    from logiclens.explain.counterfactual import term_in_words

    words = explanation.vocabulary
    gaps = frozenset() if words is None else words.missing_columns(one, term.concepts)
    return term_in_words(term, words, gaps)


def _true_terms(rules: ExplanationSet, explanation: Explanation, one: Any, table: Any) -> tuple[str, ...]:
    """The terms of a rule that are true of a row, in plain English, those that are right most often first.

    How often is known where the table has the column that is predicted. Without it the only term is no news.
    """
    from logiclens.explain import term_scores

    true = sorted((score for score in term_scores(explanation, one) if score.covered), key=str)
    known = {score.formula: score for score in _scored(rules, explanation, table) if score.covered}
    if not known and len(true) == 1:
        return ()
    found = [known.get(score.formula, score) for score in true]
    found.sort(key=lambda each: (-(each.precision or 0.0), -each.coverage))
    return tuple(
        f"True of this row: {_in_words(explanation, each.formula, one)}{_strength(each)}."
        for each in found[:_MOST_TERMS]
    )


def _strength(score: TermScore) -> str:
    """How often a term is right, with the interval, where that is known."""
    if score.precision is None or score.precision_interval is None:
        return ""
    low, high = score.precision_interval
    n_right = round(score.precision * score.covered)
    rows = f"{n_right} of {count(score.covered, 'such row')}"
    return f" (right on {rows} in the file, 95 % interval {percent(low)} to {percent(high)})"


def _scored(rules: ExplanationSet, explanation: Explanation, table: Any) -> tuple[TermScore, ...]:
    """The terms of a rule on the rows of a table that have a class; none where it is not known."""
    from logiclens.cli.predictions import classes_of
    from logiclens.errors import InputError
    from logiclens.explain import term_scores

    target = None if rules.held_out is None else rules.held_out.target
    if target not in table.column_names:
        return ()
    classes = classes_of(rules, table.column(target))
    rows = table.filter(classes >= 0)
    try:
        return term_scores(explanation, rows, classes[classes >= 0] == [*rules].index(explanation.target))
    except InputError:  # another row than the one that is asked about cannot be read
        return ()


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
