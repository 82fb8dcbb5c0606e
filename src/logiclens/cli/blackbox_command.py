"""``logiclens blackbox``: explain a model by a column of its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.headlines import measure
from logiclens.cli.learning import (
    Request,
    Settings,
    check_mirror,
    check_rows,
    coverage_words,
    fit,
    goal_entries,
    name_a_column,
    next_step,
    part_words,
    print_goal,
    print_heading,
    print_rest,
    print_results,
    print_scored_rules,
    read,
    read_test,
    select,
    with_positive,
    write,
)
from logiclens.cli.options import (
    ColumnOptions,
    FileOptions,
    NetworkKind,
    RuleKindName,
    Selection,
    command_line,
    goal_of_options,
    share_held_out,
)
from logiclens.cli.outputs import Outputs
from logiclens.cli.terminal import Progress, one_line_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from logiclens.cli.selection import Fit, MemoryRows
    from logiclens.evaluation._evaluate import Leak
    from logiclens.explain import ExplanationSet
    from logiclens.files import TableFile


def blackbox(  # noqa: PLR0913 - the options of a command
    context: typer.Context,
    data: opt.Data,
    predictions: Annotated[
        str | None,
        typer.Option(
            help="Column with what the model answered about each row.  [required]", metavar="COLUMN"
        ),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            help="Column with what is true: never an input, it adds accuracies of model and rules.",
            metavar="COLUMN",
        ),
    ] = None,
    above: Annotated[
        float | None,
        typer.Option(help="For predictions that are numbers: yes is above this limit.", metavar="NUMBER"),
    ] = None,
    goal: opt.GoalOption = None,
    positive: opt.Positive = None,
    network: opt.NetworkOption = NetworkKind.MU,
    rule: opt.KindOption = RuleKindName.IFF,
    seed: opt.Seed = 0,
    literals: opt.Literals = None,
    front: opt.FrontOption = False,
    max_literals: opt.MaxLiterals = None,
    distillation: opt.Distillation = None,
    use: opt.Use = None,
    ignore: opt.Ignore = None,
    categorical: opt.Categorical = None,
    numeric: opt.Numeric = None,
    ordered: opt.Ordered = None,
    missing: opt.MissingValues = None,
    date: opt.Date = None,
    holdout: opt.Holdout = 0.3,
    test: opt.TestOption = None,
    split_column: opt.SplitColumn = None,
    test_value: opt.TestValue = None,
    group: opt.Group = None,
    max_rows: opt.MaxRows = None,
    html: opt.Html = None,
    json: opt.Json = None,
    save: opt.Save = None,
    rows: opt.Rows = False,
    logic: opt.Logic = False,
    mirror: opt.Mirror = False,
    quiet: opt.Quiet = False,
    device: opt.Device = "cpu",
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
    skip_lines: opt.SkipLines = None,
    sheet: opt.Sheet = None,
) -> None:
    """Learn the rules behind the predictions that a model made.

    A network learns to answer as the model did, and its rules say how. What counts is fidelity: how often
    rules and model agree on rows held out. Predictions for rows that the model was not trained on tell most.

    \b
    Examples:
      logiclens blackbox scored.csv --predictions predicted
          rules for what the model does
      logiclens blackbox scored.csv --predictions predicted --truth outcome --html report.html
          compare with the truth, too, and write a report
      logiclens blackbox scored.csv --predictions score --above 0.5 --ignore row_id
          predictions that are probabilities
      logiclens blackbox scored.csv --predictions predicted --goal recall=0.9 --positive ill
          the rules nearest to the model that find nine of ten rows it calls ill
    """  # noqa: D301 - \b keeps lines
    if truth == predictions is not None:
        raise typer.BadParameter(
            "it is the column of --predictions; name another one.", param_hint="'--truth'"
        )
    with one_line_errors():
        layout = FileOptions(delimiter, encoding, decimal, skip_lines, sheet)
        check_rows(rows, html)
        check_mirror(mirror, rule)
        holdout = share_held_out(context, holdout, test, split_column, test_value)
        said = ColumnOptions.of(categorical, numeric, ordered, missing, date)
        if predictions is None:
            name_a_column("say which column has the answers: --predictions COLUMN", data, delimiter, encoding)
        apart = () if truth is None else (truth,)
        request = Request(
            Selection(
                predictions,
                use or (),
                ignore or (),
                apart,
                above,
                holdout,
                seed,
                max_rows,
                said,
                group=group,
                split_column=split_column,
                test_value=test_value,
            ),
            Settings(
                network,
                rule,
                seed,
                max_literals,
                literals,
                distillation,
                device,
                goal_of_options(goal, positive),
                positive,
            ),
            Outputs(html, json, save),
            front=front,
            rows=rows,
            logic=logic,
            mirror=mirror,
            quiet=quiet,
            command=command_line(context),
        )
        request.outputs.check(*([data] if test is None else [data, test]))
        progress = Progress.on_terminal(quiet)
        source = read(data, progress, layout, said)
        held = None if test is None else read_test(test, source, progress, layout, said)
        _run(source, request, progress, held)


class Compared(NamedTuple):
    """Accuracy of black box and rules on the scored rows that have a true class."""

    truth: str
    n: int
    black_box: float
    rules: float


def _run(source: TableFile, request: Request, progress: Progress, test: TableFile | None = None) -> None:
    from logiclens.cli.outputs import class_entries, overall_entries

    _check_limit(source, request.selection)
    rows = select(source, request, progress, test)
    true, note = true_answers(rows, request.selection)
    rows = replace(rows, notes=(*rows.notes, *filter(None, [note])))
    request = with_positive(request, rows)
    found = fit(rows, request.settings, progress)
    found = replace(found, leaks=(*found.leaks, *_separating(found)))
    doubt = not measure(found, progress, compare=False).beats_a_guess and found.model.front_.goal is None
    compared = None if true is None else compare(found.rules, rows, true)
    classes = [
        class_entries(each) | {"fidelity": each.agreement, "fidelity_to_network": each.fidelity}
        for each in found.classes
    ]
    overall = (
        overall_entries(found)
        | goal_entries(found)
        | {
            "black_box_fidelity": found.truth.explanation_accuracy,
            "black_box_fidelity_plain": found.truth.explanation_accuracy_plain,
            "truth": None if compared is None else compared._asdict(),
        }
    )
    write(found, request, progress, classes, overall, task="black box", shown={"truth": true})
    print_results(
        request, found.rules, lambda console: _print(console, found, request, compared, doubt=doubt)
    )


def _check_limit(source: TableFile, selection: Selection) -> None:
    """Refuse probabilities without a limit, and suggest 0.5 rather than their median."""
    import numpy as np

    from logiclens.concepts._columns import MOST_NUMBERS
    from logiclens.concepts.table import Kind, Table
    from logiclens.errors import InputError

    table = Table(source.table)
    if selection.above is not None or selection.target is None or selection.target not in table:
        return
    column = table.column(selection.target)
    if column.kind is not Kind.NUMBER or column.missing.all():
        return
    numbers = column.numbers()[~column.missing]
    n_levels, yes = len(np.unique(numbers)), numbers > 0.5
    if n_levels > MOST_NUMBERS and numbers.min() >= 0 and numbers.max() <= 1 and yes.any() and not yes.all():
        raise InputError(
            f"Column {selection.target!r} has {n_levels} different numbers from 0 to 1, as probabilities "
            f"are. Say from where on the answer is yes: --above 0.5 ({yes.mean():.1%} of its values are)."
        )


def compare(rules: ExplanationSet, rows: MemoryRows, true: NDArray[Any]) -> Compared:
    """Compare black box and rules with the true classes, shape (n,)."""
    import numpy as np

    known = rows.scored & (true != "")
    inputs, answers = rows.part(known)
    predicted = rules.predict(inputs) if known.any() else answers
    right = [np.asarray(values, dtype=str) == true[known].astype(str) for values in (answers, predicted)]
    (name,) = rows.apart
    return Compared(name, int(known.sum()), *(float(each.mean()) if each.size else np.nan for each in right))


def _separating(found: Fit) -> list[Leak]:
    """Columns of numbers with a limit that tells the two answers apart, as a probability does.

    Cut points of the rules seldom hit that limit, so the figures of the rules do not show it.
    """
    import numpy as np

    from logiclens.cli.selection import MemoryRows
    from logiclens.concepts._columns import MOST_NUMBERS
    from logiclens.concepts.table import Kind, Table
    from logiclens.evaluation._evaluate import Leak

    rows = found.rows
    assert isinstance(rows, MemoryRows)
    answers, codes = np.unique(rows.labels, return_inverse=True)
    known = {leak.column for leak in found.leaks}
    leaks = []
    for name in rows.columns if len(answers) == 2 and len(rows.columns) > 1 else ():
        column = Table(rows.inputs).column(name)
        if name in known or column.kind is not Kind.NUMBER or column.missing.any():
            continue
        numbers = column.numbers()
        low, high = numbers[codes == 0], numbers[codes == 1]
        apart = low.max() < high.min() or high.max() < low.min()
        if apart and len(np.unique(numbers)) > MOST_NUMBERS:
            leaks.append(Leak(name, 1.0))
    return leaks


_YES = frozenset({"yes", "y", "true", "t", "1", "positive", "pos"})
_NO = frozenset({"no", "n", "false", "f", "0", "negative", "neg"})


def _yes_among(texts: Sequence[str]) -> set[str] | None:
    """Which of two texts at most mean yes; None where they do not say so."""
    words = [text.strip().lower() for text in texts]
    yes = {text for text, word in zip(texts, words, strict=True) if word in _YES}
    no = {text for text, word in zip(texts, words, strict=True) if word in _NO}
    return yes if len(yes) <= 1 and len(no) <= 1 and len(yes) + len(no) == len(texts) else None


def true_answers(rows: MemoryRows, selection: Selection) -> tuple[NDArray[Any] | None, str]:
    """True classes, written like the predictions, shape (n,); empty where they are missing; and a note.

    Two values may be written in another way than two answers: Yes and No, true and false, 1 and 0. Where
    predictions are compared with a limit, the larger of two numbers is yes, of others those above one half;
    of two texts that do not say which is yes, the one that goes with yes more often. None where no column has
    the truth.

    Raises
    ------
    InputError
        True values that are none of the answers.
    """
    if not selection.apart:
        return None, ""
    import numpy as np

    from logiclens.cli.selection import side_labels
    from logiclens.concepts.table import Table
    from logiclens.errors import InputError, listing

    (name,), above = selection.apart, selection.above
    column = Table({name: rows.apart[name]}).column(name)
    answers = np.unique(rows.labels.astype(str)).tolist()
    texts = np.array([*map(_as_text, column.levels), ""], dtype=object)
    true: NDArray[Any] = texts[column.codes]  # code -1 is the last
    note, values = "", [text for text in dict.fromkeys(true) if text]
    said_yes = {side_labels(f"{rows.target}", above)[1]} if above is not None else _yes_among(answers)
    if said_yes and len(answers) == 2 and not set(values) & set(answers):
        (yes,), (no,) = said_yes, set(answers) - said_yes
        sure = _yes_among(values)
        if sure is None and column.is_numeric and above is not None:
            numbers = column.numbers()
            limit = numbers[~column.missing].min() if len(values) == 2 else 0.5
            sure = {text for text, number in zip(true, numbers, strict=True) if text and number > limit}
        elif sure is None and above is not None and len(values) == 2:
            said = rows.labels.astype(str) == yes
            shares = [float(said[true == value].mean()) for value in values]
            sure = {values[int(shares[1] > shares[0])]}
            note = f"{next(iter(sure))!r} of {name!r} counts as {yes}, with which it goes more often."
        if sure is not None:
            true = np.array(["" if not text else yes if text in sure else no for text in true], dtype=object)
    if not set(true) & set(answers):
        raise InputError(
            f"Column {name!r} has no value that is also a prediction: {listing(values)} against "
            f"{listing(answers)}. Write both in the same way, or omit --truth."
        )
    return true, note


def _as_text(value: Any) -> str:
    """A value, written like the class of a prediction."""
    if not isinstance(value, float):
        return f"{value}"
    return f"{int(value)}" if value == round(value) else f"{value:.10g}"


def _print(console: Console, found: Fit, request: Request, compared: Compared | None, *, doubt: bool) -> None:
    from logiclens.cli.terminal import percent, print_line
    from logiclens.errors import count
    from logiclens.reporting._subject import BLACK_BOX, question_of

    rows, truth = found.rows, found.truth
    print_heading(
        console,
        found,
        question_of(BLACK_BOX, rows.target),
        f"learned its answers on {count(rows.n_train, 'row')}",
    )

    def figures() -> None:
        print_line(
            console,
            f"The rules give the model's answer on {percent(truth.accuracy)} of these rows, the network "
            f"behind them on {percent(found.network_accuracy)}; always the most common answer, "
            f"{percent(found.guess_accuracy)}. {coverage_words(found)}",
        )
        print_goal(console, found, request.settings)

    print_scored_rules(
        console,
        found,
        request,
        f"On the {part_words(found)}, compared with the model's answers:",
        figures,
        "Is it another answer of the model?",
        doubt=doubt,
        by_network=False,
    )
    if compared is not None:
        print_line(
            console,
            f"Of {count(compared.n, 'row')} with a value of {compared.truth!r}, the model is right on "
            f"{percent(compared.black_box)}, its rules on {percent(compared.rules)}.",
        )
    console.print()
    print_rest(console, found, request, next_step(request))
