"""Run ``python -m benchmarks.page``: write docs/benchmarks.md and its figures from the results that are kept.

Rows of many fold seeds are what ``python -m benchmarks.repeated`` keeps. Other results are folders in
``benchmarks/results/paper`` with ``rows.jsonl`` (or ``rows.jsonl.gz``) and ``about.json``, as ``logiclens
bench paper --out FOLDER`` writes them. Rows of all of them are one run, fold seed by fold seed. Of an
experiment that a folder before has begun, times are shown by themselves, with their machine.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.repeated import KEPT as REPEATED
from benchmarks.repeated import repeated_tables, seeds_of
from benchmarks.verdicts import Verdict, verdict_table, verdicts
from logiclens.bench import result_tables as tables
from logiclens.bench.fold_scores import SECONDS
from logiclens.bench.methods import DEFAULT
from logiclens.bench.reference_figures import PUBLISHED
from logiclens.bench.result_figures import FIGURES, as_svg
from logiclens.bench.result_tables import FOUR, MEASURES, NOTHING, figure, rules_table
from logiclens.bench.scoreboard import Row, Scoreboard, experiment_title, method_title
from logiclens.bench.store import in_order, read_rows
from logiclens.bench.table_layout import Cell, ResultTable, markdown_text

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "paper"
PAGE = ROOT / "docs" / "benchmarks.md"
IMAGES = ROOT / "docs" / "images"
_UNIT = ("experiment", "method", "fold_seed", "fold", "part")

_START = """\
<!-- Made by `python -m benchmarks.page` from benchmarks/results/paper. Do not edit. -->

# Benchmarks

How good are our rules on the six experiments of the paper (Sec. 6)? One command runs them, on the same
folds for every method:

```console
logiclens bench paper --data-dir DATA --out results
```

The methods are our networks with one set of defaults for all experiments; the same networks with the
paper's settings and its extraction (*reference*); a decision tree, Bayesian rule lists (BRL) and RIPPER;
and, to show how much accuracy is possible without rules, logistic regression, a multilayer perceptron and
gradient boosting. The scores are those of the paper ([what do these numbers
mean?](explanation/what_the_numbers_mean.md)). For other tables, see [other rule
learners](explanation/other_rule_learners.md) and [figures on real
data](explanation/figures_on_real_data.md).
"""
_MEANING = {
    "mimic2": "who dies within 28 days, from clinical data",
    "mimic2-ebb": "the same, from the answers of a black box (explaining a black box)",
    "vdem": "electoral democracies, from indices of experts",
    "mnist": "even and odd digits, from the digit that a network saw",
    "mnist-iclu": "clusters of digits, without labels (interpretable clustering)",
    "cub": "200 species of birds, from attributes that a network saw",
}


@dataclass(frozen=True)
class Run:
    """A folder of results: its name, its rows, and the machine and the day."""

    name: str
    rows: tuple[Row, ...]
    about: Mapping[str, Any]


def kept_runs(folder: Path = RESULTS) -> list[Run]:
    """All runs in a folder: its own, then those of folders in it, in the order of their names."""
    paths = [*folder.rglob("rows.jsonl"), *folder.rglob("rows.jsonl.gz")]
    paths.sort(key=lambda path: path.relative_to(folder).parent.parts)
    return [
        Run(
            path.parent.relative_to(folder).as_posix(),
            tuple(read_rows(path)),
            json.loads((path.parent / "about.json").read_text(encoding="utf-8")),
        )
        for path in paths
    ]


def page(runs: Sequence[Run], repeated: Sequence[Row] = ()) -> str:
    """The page of runs and of rows of many fold seeds."""
    rows, again = _merged(runs)
    seeds = _seeds(rows)
    ours = [seed for seed in seeds if _has_default(rows, seed)]
    board = Scoreboard(rows, fold_seed=seeds[0])
    parts = [_START, _section("In short", _in_short(rows, ours)), _claims(runs[0], rows, ours)]
    if repeated:
        parts.append(
            _section(
                "Chance",
                [
                    _chance_remark(board, repeated),
                    *_shown(repeated_tables(repeated)),
                    *_claims_on_all(repeated),
                ],
            )
        )
    parts += [
        _section(
            "The paper's tables",
            [
                "Mean over folds and its standard error. The two best of a line are in bold; for fidelity, "
                "the best network. By a slip of its code, the paper's networks of MIMIC-II (EBB) learned the "
                "true labels; ours learn the answers of a black box ([differences from the reference "
                "code](explanation/differences_from_reference_code.md)).",
                *_by_seed(rows, seeds, lambda each: [tables.metric_table(each, column) for column in FOUR]),
            ],
        ),
        _section(
            "Errors and lengths",
            [
                _image(
                    "errors", "Model error against explanation error of every method, an experiment a panel"
                ),
                _image("lengths", "Macro-F1 of the rules against their literals, an experiment a panel"),
            ],
        ),
        _section(
            "Consistency",
            [
                "How far the same concepts return over the first five folds. Classes for which a method has "
                "no rule in any of them do not count.",
                *_shown(tables.consistency_table(board, adjusted=adjusted) for adjusted in (False, True)),
            ],
        ),
        _section(
            "Time",
            [
                _image("time", "Seconds a fold of every method, an experiment a panel"),
                *_by_seed(rows, seeds, lambda each: [tables.time_table(each)]),
                *_circumstances(runs[0]),
                *_elsewhere(runs, seeds[0]),
                *(part for run in again for part in _times_again(run)),
            ],
        ),
        _section("Rules", _shown([rules_table(board)])),
    ]
    if honest := _shown(tables.honest_tables(rows, seeds[0])):
        remark = (
            "The paper fits its preprocessing on all rows before it splits them, and the network that finds "
            "the concepts has seen its pictures. Each experiment is followed by its variant without that."
        )
        parts.append(_section("Honest variants", [remark, *honest]))
    if len(ours) > 1:
        remark = "Defaults were chosen on other data. The default method on the folds of several seeds:"
        parts.append(_section("Other folds", [remark, *_shown(_seed_tables(rows, ours))]))
    parts.append(
        _section(
            "Each experiment", _shown(tables.experiment_table(board, name) for name in board.experiments)
        )
    )
    parts.append(_section("Machine and day", [_machines(runs)]))
    return "\n".join(parts)


def figures(runs: Sequence[Run]) -> dict[str, bytes]:
    """The figures of the page, by the names of their files."""
    rows, _ = _merged(runs)
    seed = _seeds(rows)[0]
    return {_file(name): as_svg(draw(rows, seed)) for name, draw in FIGURES.items()}


def _merged(runs: Iterable[Run]) -> tuple[list[Row], list[Run]]:
    """Rows of all runs, each piece of work once, and what runs did of experiments that others had begun.

    Times are those of one machine: of such rows, seconds are left out.
    """
    done: dict[tuple[Any, ...], Row] = {}
    begun: set[tuple[str, int]] = set()
    again = []
    for run in runs:
        elsewhere = tuple(row for row in run.rows if (row["experiment"], row["fold_seed"]) in begun)
        if timed := tuple(row for row in elsewhere if row.get("seconds") is not None):
            again.append(replace(run, rows=timed))
        late = {id(row) for row in elsewhere}
        for row in run.rows:
            untimed = dict.fromkeys(SECONDS) if id(row) in late else {}
            done.setdefault(tuple(row[name] for name in _UNIT), {**row, **untimed})
        begun |= {(row["experiment"], row["fold_seed"]) for row in run.rows}
    return in_order([*done.values()]), again


def _seeds(rows: Iterable[Row]) -> list[int]:
    """All fold seeds; first those with rows of the default."""
    rows = list(rows)
    return sorted({row["fold_seed"] for row in rows}, key=lambda seed: (not _has_default(rows, seed), seed))


def _has_default(rows: Iterable[Row], seed: int) -> bool:
    return any((row["method"], row["fold_seed"]) == (DEFAULT, seed) for row in rows)


def _by_seed(
    rows: Sequence[Row], seeds: Sequence[int], made: Callable[[Scoreboard], Iterable[ResultTable]]
) -> Iterator[str]:
    """Tables of each fold seed, which is named where there are several."""
    for seed in seeds:
        if len(seeds) > 1:
            yield f"Fold seed {seed}:"
        yield from _shown(made(Scoreboard(rows, fold_seed=seed)))


def _section(title: str, parts: Iterable[str]) -> str:
    return "\n\n".join([f"## {title}", *parts]) + "\n"


def _shown(found: Iterable[ResultTable]) -> list[str]:
    return [table.to_markdown() for table in found if table.lines]


def _file(name: str) -> str:
    return f"paper_{name}.svg"


def _image(name: str, words: str) -> str:
    return f"![{words}](images/{_file(name)})"


def _machines(runs: Iterable[Run]) -> str:
    """What is known of the machine of each run."""
    lines = []
    for run in runs:
        about = run.about
        machine = [about.get("processor"), f"{about.get('cores')} cores", f"{about.get('memory_gib')} GiB"]
        machine += [about.get("gpu"), about.get("system"), about.get("remark")]
        versions = {"logiclens": about.get("logiclens"), "Python": about.get("python")}
        versions |= about.get("packages", {})
        lines.append(
            (
                Cell(run.name if run.name != "." else "all"),
                Cell(_of_run(run)),
                Cell(", ".join(str(each) for each in machine if each)),
                Cell(", ".join(f"{name} {number}" for name, number in versions.items() if number)),
                Cell(str(about.get("date", NOTHING))),
            )
        )
    return ResultTable("", ("run", "methods", "machine", "versions", "day"), tuple(lines)).to_markdown()


def _of_run(run: Run) -> str:
    seeds = sorted({row["fold_seed"] for row in run.rows})
    methods = dict.fromkeys(name for seed in seeds for name in Scoreboard(run.rows, fold_seed=seed).methods)
    return ", ".join(map(method_title, methods))


def _in_short(rows: Sequence[Row], seeds: Sequence[int]) -> list[str]:
    """The default method on the first seed's folds, an experiment a line, and what the experiments are."""
    seed = seeds[0]
    board, unseen = Scoreboard(rows, fold_seed=seed), Scoreboard(rows, tables.UNSEEN, seed)
    shown = [(board, name, experiment_title(name)) for name in board.main_experiments]
    shown += [(unseen, name, f"{experiment_title(name)}, {tables.UNSEEN}") for name in unseen.experiments]
    lines = [
        (
            Cell(title),
            Cell(_MEANING.get(name, "") if of is board else "the same, pictures that no network had seen"),
            *(_beside_paper(of, name, column) for column in FOUR),
            _best_other(of, name),
        )
        for of, name, title in shown
    ]
    heads = (
        "",
        "task",
        *(MEASURES[column].title for column in FOUR),
        "best other rules (macro-F1)",
    )
    return [
        ResultTable(f"The default, {method_title(DEFAULT)}", heads, tuple(lines)).to_markdown(),
        "In brackets: the same network in the paper. Explanation accuracy and fidelity compare the rule of "
        "each class with the truth and with the network. Complexity is the number of literals of a rule.",
        *(f"Fold seed {each}: {_counted(verdicts(rows, each))}" for each in seeds),
        "The claims are listed below, with the folds on which they do not hold.",
    ]


def _best_other(board: Scoreboard, experiment: str) -> Cell:
    """The method, of all but the default, whose rules are right most often, with its literals."""
    means = {
        name: mean.value
        for name in board.methods
        if name != DEFAULT and (mean := board.mean(experiment, name, "explanation_accuracy"))
    }
    if not means:
        return Cell(NOTHING)
    best = max(means, key=lambda name: means[name])
    literals = board.mean(experiment, best, "complexity")
    length = f", {literals.value:.2f} literals" if literals else ""
    return Cell(f"{method_title(best)} {100 * means[best]:.2f}{length}")


def _beside_paper(board: Scoreboard, experiment: str, column: str) -> Cell:
    """A figure of the default, that of the paper beside it."""
    mean = board.mean(experiment, DEFAULT, column)
    theirs = None if board.part else PUBLISHED.get((column, experiment, DEFAULT))
    return Cell(
        NOTHING if mean is None else figure(mean, MEASURES[column]),
        beside=figure(theirs, MEASURES[column]) if theirs else "",
    )


def _claims(run: Run, rows: Sequence[Row], seeds: Sequence[int]) -> str:
    parts = []
    for seed in seeds:
        found = verdicts(rows, seed)
        parts.append(f"**Fold seed {seed}**: {_counted(found)}")
        if seed == seeds[0]:
            parts.append(verdict_table(found).to_markdown())
        elif wrong := [each for each in found if each.holds is False]:
            parts += ["These do not hold:", verdict_table(wrong).to_markdown()]
    intro = (
        "Our goals for the default, mu, and whether it reaches them. Rules are compared with the best figure "
        "that the paper has of its own networks, the accuracy of the network with that of a multilayer "
        "perceptron on the same folds. Means over folds are compared as they are; in brackets is the 95 % "
        "interval of Student's t. A dash means that rows are missing."
    )
    chosen = [markdown_text(each) for each in run.about.get("settings", ())]
    return _section("Claims", [intro, *parts, *(["**How settings were chosen**"] if chosen else []), *chosen])


def _chance_remark(board: Scoreboard, rows: Sequence[Row]) -> str:
    seeds = seeds_of(rows)
    folds = len({(row["fold_seed"], row["fold"]) for row in rows})
    experiments = {row["experiment"] for row in rows}
    run = {row["method"] for row in rows}
    left_out = [
        method_title(name)
        for name in board.methods
        if name not in run and any(board.folds(each, name) for each in experiments)
    ]
    without = f" Without {', '.join(left_out)}." if left_out else ""
    leads = (
        f" In brackets: the lead over {method_title(DEFAULT)} on the same folds, and its standard error, "
        "corrected for folds that share their rows (Nadeau and Bengio, 2003)."
    )
    return (
        "MIMIC-II has few rows, so a method may lead by a point without being better. Here are "
        f"{folds} further folds, of the seeds {', '.join(map(str, seeds))}."
        + (leads if DEFAULT in run else "")
        + without
    )


def _claims_on_all(rows: Sequence[Row]) -> list[str]:
    """What does not hold on the folds of all seeds together."""
    pooled = [{**row, "fold_seed": 0, "fold": 1000 * row["fold_seed"] + row["fold"]} for row in rows]
    found = [each for each in verdicts(pooled, 0) if each.holds is not None]
    if not found:
        return []
    wrong = [each for each in found if not each.holds]
    said = "Of what is claimed, on all of these folds together: " + _counted(found)
    return [said, *([verdict_table(wrong).to_markdown()] if wrong else [])]


def _counted(found: Iterable[Verdict]) -> str:
    times = Counter(each.holds for each in found)
    undecided = f"{times[None]} {'is' if times[None] == 1 else 'are'} not decided for lack of rows"
    return (
        f"{times[True]} claims hold, {times[False]} {'does' if times[False] == 1 else 'do'} not, {undecided}."
    )


def _circumstances(run: Run) -> list[str]:
    """What the first run says of itself, and so of its seconds."""
    remark = run.about.get("remark")
    return [f"Of this run: {markdown_text(remark)}."] if remark else []


def _elsewhere(runs: Sequence[Run], seed: int) -> list[str]:
    """Which experiments of the table of times were not run on the first machine."""
    first = {row["experiment"] for row in runs[0].rows if row["fold_seed"] == seed}
    found = {}
    for run in runs[1:]:
        for row in run.rows:
            if row["fold_seed"] == seed and row["experiment"] not in first:
                found.setdefault(row["experiment"], run.name)
    return [
        f"The line of {experiment_title(name)} is of the run *{run}*, on a machine that is named at the end."
        for name, run in found.items()
    ]


def _times_again(run: Run) -> list[str]:
    machine = run.about.get("gpu") or run.about.get("processor") or run.name
    board = Scoreboard(run.rows, fold_seed=min(row["fold_seed"] for row in run.rows))
    remark = f" ({run.about['remark']})" if run.about.get("remark") else ""
    return [
        f"Run *{run.name}*, {markdown_text(str(machine))}{markdown_text(remark)}:",
        *_shown([replace(tables.time_table(board), note="")]),
    ]


def _seed_tables(rows: Sequence[Row], seeds: Sequence[int]) -> list[ResultTable]:
    """The default method, a column for each fold seed."""
    boards = [Scoreboard(rows, fold_seed=seed) for seed in seeds]
    found = []
    for column in FOUR:
        lines = []
        for name in boards[0].main_experiments:
            means = [board.mean(name, DEFAULT, column) for board in boards]
            cells = [Cell(NOTHING if mean is None else figure(mean, MEASURES[column])) for mean in means]
            lines.append((Cell(experiment_title(name)), *cells))
        title = f"{MEASURES[column].title}, {method_title(DEFAULT)}"
        found.append(ResultTable(title, ("", *(f"fold seed {seed}" for seed in seeds)), tuple(lines)))
    return found


def main() -> None:
    """Write the page and its figures."""
    runs = kept_runs()
    PAGE.write_text(page(runs, read_rows(REPEATED)), encoding="utf-8")
    for name, drawn in figures(runs).items():
        (IMAGES / name).write_bytes(drawn)
    print(f"{PAGE.relative_to(ROOT)}: {sum(len(run.rows) for run in runs)} rows of {len(runs)} runs")


if __name__ == "__main__":
    main()
