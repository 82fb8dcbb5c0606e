"""``logiclens blackbox``: rules for what some model does, from a column of its predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.choices import Kind, Network
from logiclens.cli.explain import (
    Asked,
    Results,
    check_rows,
    learn,
    name_a_column,
    next_step,
    print_results,
    read,
    write,
)
from logiclens.cli.failing import clear_errors
from logiclens.cli.learning import Settings
from logiclens.cli.outputs import Outputs
from logiclens.cli.reports import command_typed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from logiclens.cli.preparing import Prepared, Source, Wish
    from logiclens.cli.progress import Progress
    from logiclens.pipelines import BlackBoxFidelity


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
    network: opt.NetworkOption = Network.MU,
    rule: opt.KindOption = Kind.IFF,
    seed: opt.Seed = 0,
    literals: opt.Literals = None,
    front: Annotated[
        bool,
        typer.Option("--front", help="Also print how rules of each length do."),
    ] = False,
    max_literals: opt.MaxLiterals = None,
    distillation: opt.Distillation = None,
    use: opt.Use = None,
    ignore: opt.Ignore = None,
    holdout: opt.Holdout = 0.3,
    max_rows: opt.MaxRows = None,
    html: opt.Html = None,
    json: opt.Json = None,
    save: opt.Save = None,
    rows: opt.Rows = False,
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
    from logiclens.cli.preparing import Wish
    from logiclens.cli.progress import Progress

    if truth == predictions is not None:
        raise typer.BadParameter(
            "it is the column of --predictions; name another one.", param_hint="'--truth'"
        )
    with clear_errors():
        check_rows(rows, html)
        if predictions is None:
            name_a_column("say which column has the answers: --predictions COLUMN", data, delimiter, encoding)
        apart = () if truth is None else (truth,)
        asked = Asked(
            Wish(predictions, use or (), ignore or (), apart, above, holdout, seed, max_rows),
            Settings(network, rule, seed, max_literals, device, literals, distillation),
            Outputs(html, json, save),
            front=front,
            rows=rows,
            quiet=quiet,
            command=command_typed(context),
        )
        asked.outputs.check(data)
        progress = Progress.on_terminal(quiet)
        _run(read(data, progress, delimiter, encoding, decimal), asked, progress)


class Compared(NamedTuple):
    """Accuracies on the rows scored whose truth is known."""

    truth: str
    n: int
    black_box: float
    rules: float


def _run(source: Source, asked: Asked, progress: Progress) -> None:
    from logiclens.cli.as_json import class_entries, overall_entries

    _check_limit(source, asked.wish)
    results = learn(source, asked, progress, lambda prepared: true_answers(prepared, asked))
    fidelity = _fidelity(results)
    compared = compare(results, asked)
    classes = [
        class_entries(found) | {"fidelity": found.agreement, "fidelity_to_network": found.fidelity}
        for found in results.outcome.classes
    ]
    overall = overall_entries(results.outcome) | {
        "black_box_fidelity": fidelity.macro_f1,
        "black_box_fidelity_plain": fidelity.plain,
        "truth": None if compared is None else compared._asdict(),
    }
    write(results, asked, progress, classes, overall, task="black box")
    print_results(
        asked,
        results.model.explain(),
        lambda console: _print(console, results, asked, fidelity, compared),
    )


def _check_limit(source: Source, wish: Wish) -> None:
    """Probabilities need a limit, and have one that is better than the middle of these."""
    import numpy as np

    from logiclens.concepts._columns import MOST_NUMBERS
    from logiclens.concepts.table import Kind as Holds
    from logiclens.concepts.table import Table
    from logiclens.errors import InputError

    table = Table(source.table)
    if wish.above is not None or wish.target is None or wish.target not in table:
        return
    column = table.column(wish.target)
    if column.kind is not Holds.NUMBER or column.missing.all():
        return
    numbers = column.numbers()[~column.missing]
    n_levels, yes = len(np.unique(numbers)), numbers > 0.5
    if n_levels > MOST_NUMBERS and numbers.min() >= 0 and numbers.max() <= 1 and yes.any() and not yes.all():
        raise InputError(
            f"Column {wish.target!r} has {n_levels} different numbers from 0 to 1, as probabilities are. Say "
            f"from where on the answer is yes: --above 0.5 ({yes.mean():.1%} of its values are)."
        )


def _fidelity(results: Results) -> BlackBoxFidelity:
    import numpy as np

    from logiclens.pipelines.black_box import measure_fidelity

    inputs, answers = results.prepared.rows(results.prepared.scored)
    part = "held out" if results.outcome.held_out else "training"
    return measure_fidelity(results.model, inputs, answers, np.ones(len(answers)), part)


def compare(results: Results, asked: Asked) -> Compared | None:
    """Accuracies of black box and rules, where a column has the truth."""
    import numpy as np

    prepared = results.prepared
    true = true_answers(prepared, asked)
    if true is None:
        return None
    known = prepared.scored & (true != "")
    inputs, answers = prepared.rows(known)
    said = results.model.explain().predict(inputs) if known.any() else answers
    right = [np.asarray(values, dtype=str) == true[known].astype(str) for values in (answers, said)]
    return Compared(
        asked.wish.apart[0],
        int(known.sum()),
        *(float(each.mean()) if each.size else np.nan for each in right),
    )


def true_answers(prepared: Prepared, asked: Asked) -> NDArray[Any] | None:
    """The truth in the words of the predictions, as text, shape (n,); empty where it is missing.

    Where predictions are compared with a limit, numbers and Booleans are yes if greater than one half. None
    where no column has the truth.

    Raises
    ------
    InputError
        True values that are none of the answers.
    """
    if not asked.wish.apart:
        return None
    import numpy as np

    from logiclens.concepts.table import Table
    from logiclens.errors import InputError, listing

    (name,), above = asked.wish.apart, asked.wish.above
    column = Table({name: prepared.apart[name]}).column(name)
    answers = np.unique(prepared.labels.astype(str)).tolist()
    texts = np.array([*map(_as_text, column.levels), ""], dtype=object)
    true: NDArray[Any] = texts[column.codes]  # code -1 is the last
    if above is not None and column.is_numeric:
        sides = np.array(
            [f"{prepared.target} <= {above:.10g}", f"{prepared.target} > {above:.10g}"], dtype=object
        )
        true = np.where(column.missing, "", sides[(column.numbers() > 0.5).astype(np.intp)])
    if not set(true) & set(answers):
        values = [text for text in dict.fromkeys(true) if text]
        raise InputError(
            f"Column {name!r} has no value that is also a prediction: {listing(values)} against "
            f"{listing(answers)}. Write both in the same way, or omit --truth."
        )
    return true


def _as_text(value: Any) -> str:
    """A value as a class of predictions is called."""
    if not isinstance(value, float):
        return f"{value}"
    return f"{int(value)}" if value == round(value) else f"{value:.10g}"


def _print(
    console: Console, results: Results, asked: Asked, fidelity: BlackBoxFidelity, compared: Compared | None
) -> None:
    from logiclens.cli import results as show
    from logiclens.cli.printing import percent, print_table, say
    from logiclens.errors import count

    prepared, outcome = results.prepared, results.outcome
    target = f"{prepared.target}"
    show.print_heading(
        console,
        prepared,
        f"What does the model behind {target} do?",
        f"{type(results.model).__name__} learned its answers on {count(outcome.n_train, 'row')}, "
        f"{count(len(results.model.concept_names_), 'concept')}.",
    )
    headings = show.class_headings(outcome, target, len(prepared.labels))
    show.print_decision(console, results.model.explain(), headings)
    say(console, f"{show.part_words(outcome)[:-1]}, compared with the model's answers:")
    print_table(console, show.score_table(outcome.classes, by_network=False))
    say(
        console,
        f"The rules give the model's answer on {percent(fidelity.rules_agree)} of these rows (macro-F1 "
        f"{fidelity.macro_f1:.3f}), the network behind them on {percent(fidelity.network_agree)}; always the "
        f"most common answer, {percent(outcome.guess_accuracy)}. {show.coverage_words(outcome)}",
    )
    show.print_doubt(console, outcome, target)
    show.print_few(console, outcome)
    show.print_telling(console, results.telling, "Is it another answer of the model?")
    if compared is not None:
        say(
            console,
            f"Of {count(compared.n, 'row')} with a value of {compared.truth!r}, the model is right about "
            f"{percent(compared.black_box)}, its rules about {percent(compared.rules)}.",
        )
    console.print()
    if asked.front:
        show.print_front(console, results.model.front_)
    show.print_dropped(console, results.dropped)
    show.print_files(console, asked.outputs.written(), next_step(asked))
