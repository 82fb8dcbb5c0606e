"""``logiclens blackbox``: explain a model by a column of its predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.learning import (
    Request,
    Settings,
    check_mirror,
    check_rows,
    coverage_words,
    fit,
    name_a_column,
    next_step,
    part_words,
    print_heading,
    print_rest,
    print_results,
    print_scored_rules,
    read,
    select,
    write,
)
from logiclens.cli.options import ColumnOptions, NetworkKind, RuleKindName, Selection, command_line
from logiclens.cli.outputs import Outputs
from logiclens.cli.terminal import Progress, one_line_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from logiclens.cli.selection import Fit, MemoryRows
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
    holdout: opt.Holdout = 0.3,
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
    """  # noqa: D301 - \b keeps lines
    if truth == predictions is not None:
        raise typer.BadParameter(
            "it is the column of --predictions; name another one.", param_hint="'--truth'"
        )
    with one_line_errors():
        check_rows(rows, html)
        check_mirror(mirror, rule)
        said = ColumnOptions.of(categorical, numeric, ordered, missing)
        if predictions is None:
            name_a_column("say which column has the answers: --predictions COLUMN", data, delimiter, encoding)
        apart = () if truth is None else (truth,)
        request = Request(
            Selection(predictions, use or (), ignore or (), apart, above, holdout, seed, max_rows, said),
            Settings(network, rule, seed, max_literals, literals, distillation, device),
            Outputs(html, json, save),
            front=front,
            rows=rows,
            logic=logic,
            mirror=mirror,
            quiet=quiet,
            command=command_line(context),
        )
        request.outputs.check(data)
        progress = Progress.on_terminal(quiet)
        _run(read(data, progress, delimiter, encoding, decimal, said), request, progress)


class Compared(NamedTuple):
    """Accuracy of black box and rules on the scored rows that have a true class."""

    truth: str
    n: int
    black_box: float
    rules: float


def _run(source: TableFile, request: Request, progress: Progress) -> None:
    from logiclens.cli.outputs import class_entries, overall_entries

    _check_limit(source, request.selection)
    rows = select(source, request, progress)
    true = true_answers(rows, request.selection)
    found = fit(rows, request.settings, progress)
    compared = None if true is None else compare(found.rules, rows, true)
    classes = [
        class_entries(each) | {"fidelity": each.agreement, "fidelity_to_network": each.fidelity}
        for each in found.classes
    ]
    overall = overall_entries(found) | {
        "black_box_fidelity": found.truth.explanation_accuracy,
        "black_box_fidelity_plain": found.truth.explanation_accuracy_plain,
        "truth": None if compared is None else compared._asdict(),
    }
    write(found, request, progress, classes, overall, task="black box")
    print_results(request, found.rules, lambda console: _print(console, found, request, compared))


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


def true_answers(rows: MemoryRows, selection: Selection) -> NDArray[Any] | None:
    """True classes, written like the predictions, shape (n,); empty where they are missing.

    Where predictions are compared with a limit, numbers and Booleans are yes if greater than one half. None
    where no column has the truth.

    Raises
    ------
    InputError
        True values that are none of the answers.
    """
    if not selection.apart:
        return None
    import numpy as np

    from logiclens.cli.selection import side_labels
    from logiclens.concepts.table import Table
    from logiclens.errors import InputError, listing

    (name,), above = selection.apart, selection.above
    column = Table({name: rows.apart[name]}).column(name)
    answers = np.unique(rows.labels.astype(str)).tolist()
    texts = np.array([*map(_as_text, column.levels), ""], dtype=object)
    true: NDArray[Any] = texts[column.codes]  # code -1 is the last
    if above is not None and column.is_numeric:
        sides = np.array(side_labels(f"{rows.target}", above), dtype=object)
        true = np.where(column.missing, "", sides[(column.numbers() > 0.5).astype(np.intp)])
    if not set(true) & set(answers):
        values = [text for text in dict.fromkeys(true) if text]
        raise InputError(
            f"Column {name!r} has no value that is also a prediction: {listing(values)} against "
            f"{listing(answers)}. Write both in the same way, or omit --truth."
        )
    return true


def _as_text(value: Any) -> str:
    """A value, written like the class of a prediction."""
    if not isinstance(value, float):
        return f"{value}"
    return f"{int(value)}" if value == round(value) else f"{value:.10g}"


def _print(console: Console, found: Fit, request: Request, compared: Compared | None) -> None:
    from logiclens.cli.terminal import percent, print_line
    from logiclens.errors import count

    rows, truth = found.rows, found.truth
    print_heading(
        console,
        found,
        f"What does the model behind {rows.target} do?",
        f"learned its answers on {count(rows.n_train, 'row')}",
    )
    print_scored_rules(
        console,
        found,
        request,
        f"On the {part_words(found)}, compared with the model's answers:",
        lambda: print_line(
            console,
            f"The rules give the model's answer on {percent(truth.accuracy)} of these rows (macro-F1 "
            f"{truth.explanation_accuracy:.3f}), the network behind them on "
            f"{percent(found.network_accuracy)}; always the most common answer, "
            f"{percent(found.guess_accuracy)}. {coverage_words(found)}",
        ),
        "Is it another answer of the model?",
        doubt=truth.accuracy <= found.guess_accuracy,
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
