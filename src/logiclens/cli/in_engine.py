"""``logiclens explain --engine``: rules of a table that stays in an engine, printed as ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logiclens.cli.counting import Counted, count_table
from logiclens.cli.engine_outcome import measure, scored_tuples, telling_columns
from logiclens.cli.engines import drawn, files_read, name_of, opened, refuse_whole_rows
from logiclens.cli.explain import print_results, run, setting_entries
from logiclens.cli.learning import classifier
from logiclens.cli.preparing import dropped_by
from logiclens.errors import LimitError
from logiclens.scale._engine_fit import fit

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.cli.engines import Engine
    from logiclens.cli.explain import Asked
    from logiclens.cli.leaks import Telling
    from logiclens.cli.learning import Settings
    from logiclens.cli.outcome import Outcome
    from logiclens.cli.preparing import Dropped
    from logiclens.cli.progress import Progress
    from logiclens.estimators.base import LENClassifier


class Found(NamedTuple):
    """All that is to be told."""

    counted: Counted
    model: LENClassifier
    outcome: Outcome
    dropped: tuple[Dropped, ...]
    telling: tuple[Telling, ...]


def explain_in_engine(data: str, engine: Engine, asked: Asked, progress: Progress) -> None:
    """Learn in an engine, write what is to be written, and print.

    Parameters
    ----------
    data : str
        A file, a folder or a pattern.
    engine : Engine
    asked : Asked
    progress : Progress
    """
    wish, outputs = asked.wish, asked.outputs
    needs = {"--html": outputs.html, "Cross-validation": asked.folds is not None, "--more": asked.more}
    refuse_whole_rows(wish.max_rows, needs)
    outputs.check(*files_read(data))
    if wish.max_rows is not None:
        run(drawn(data, engine, wish.max_rows, wish.seed, progress), asked, progress)
        return
    found = _learn(data, engine, asked, progress)
    _write(found, engine, asked)
    print_results(asked, found.model.explain(), lambda console: _print(console, found, engine, asked))


def _learn(data: str, engine: Engine, asked: Asked, progress: Progress) -> Found:
    rows = opened(data, engine, progress)
    with progress.doing("looking at the columns"):
        counted = count_table(rows, name_of(data), asked.wish)
    model = _trained(counted, asked.settings, progress)
    with progress.doing("scoring the rules"):
        tuples = scored_tuples(model, counted)
        outcome = measure(model, counted, tuples)
        telling = telling_columns(model.explain(), counted, tuples)
    return Found(counted, model, outcome, (*counted.dropped, *dropped_by(model)), telling)


def _trained(counted: Counted, settings: Settings, progress: Progress) -> LENClassifier:
    """A classifier fitted on the rows that are not held out."""
    try:
        with progress.training():
            model = classifier(settings, verbose=progress.shown)
            return fit(model, counted.trained_on, counted.label, columns=counted.columns)
    except LimitError as error:  # its advice is for Python
        raise LimitError(
            error.problem,
            "Use fewer columns (--use, --ignore), or draw rows to read into memory (--max-rows 100000).",
        ) from None


def _write(found: Found, engine: Engine, asked: Asked) -> None:
    from logiclens.cli.as_json import (
        class_entries,
        decision_entries,
        front_entries,
        overall_entries,
        results_json,
    )
    from logiclens.cli.outputs import save_model, write_text

    save_model(found.model, found.model.explain(), asked.outputs)
    if asked.outputs.json is not None:
        text = results_json(
            found.counted,
            [class_entries(each) for each in found.outcome.classes],
            decision_entries(found.model.explain()),
            task="classify",
            overall=overall_entries(found.outcome),
            settings={**setting_entries(asked), **engine.entries()},
            dropped=found.dropped,
            front=front_entries(found.model.front_),
        )
        write_text(asked.outputs.json, text)


def _print(console: Console, found: Found, engine: Engine, asked: Asked) -> None:
    from logiclens.cli import results as show
    from logiclens.cli.printing import print_table, say
    from logiclens.errors import count

    counted, outcome = found.counted, found.outcome
    show.print_heading(
        console,
        counted,
        f"What decides {counted.target}?",
        f"{type(found.model).__name__} trained on {count(outcome.n_train, 'row')} in {engine.title}, "
        f"{count(len(found.model.concept_names_), 'concept')}.",
    )
    headings = show.class_headings(outcome, counted.target, counted.n_used)
    show.print_decision(console, found.model.explain(), headings)
    say(console, show.part_words(outcome))
    print_table(console, show.score_table(outcome.classes))
    say(console, show.accuracy_words(outcome))
    show.print_doubt(console, outcome, counted.target)
    show.print_few(console, outcome)
    show.print_telling(console, found.telling, "Is it known only afterwards?")
    console.print()
    if asked.front:
        show.print_front(console, found.model.front_)
    show.print_dropped(console, found.dropped)
    show.print_files(console, asked.outputs.written(), _next_step(engine, asked))


def _next_step(engine: Engine, asked: Asked) -> str:
    """What to do next, in one line."""
    model = asked.outputs.save
    if model is None:
        return "add --save model.lens to predict"
    return f"logiclens predict {model} 'new/*.parquet' --engine {engine.name} --out predicted.parquet"
