"""What is claimed of the methods, checked against the rows: the figure, and whether the claim holds.

Nobody counts by hand, and nobody rounds in favor of a claim: figures are compared as they are in the rows,
and where rows are missing that is what the verdict says. Methods that did not finish all folds are compared
on the folds that they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from logiclens.bench.experiments import EXPERIMENTS
from logiclens.bench.measures import MEASURES, figure, three_digits
from logiclens.bench.methods import DEFAULT
from logiclens.bench.paper_tables import at_least, time_ratio
from logiclens.bench.published import FOLDS_OF_MIMIC2, PUBLISHED, REFERENCE
from logiclens.bench.scoreboard import (
    PAPER_EXPERIMENTS,
    Row,
    Scoreboard,
    experiment_title,
    is_network,
    method_title,
)
from logiclens.bench.table_layout import Cell, Table

NEAR: Final = 0.005
"""How far from the best accuracy still counts as the best."""
NEAR_CONSISTENCY: Final = 0.05
"""The same of consistency."""
MOST_LITERALS: Final = {"mimic2": 8, "mimic2-ebb": 8, "vdem": 4, "mnist": 5, "cub": 4, "mnist-iclu": 2}
"""Of the default method's rules, mean over classes and folds."""
LEAST_FIDELITY: Final = {"mimic2": 0.97, "mimic2-ebb": 0.97, "vdem": 0.99, "mnist": 0.99, "cub": 0.96}
"""Macro-F1 of the default method's rules against its network."""
PSI_GAINS: Final = {"mimic2": 0.15, "mnist": 0.15, "cub": 0.10}
"""Explanation accuracy of psi beyond the paper's."""
CONSISTENT_ON: Final = 4
"""Of the six experiments, on how many the default is among the most consistent."""
FASTER_THAN_BRL: Final = 100
"""How many times as long BRL takes."""
_ROUNDING = 1e-9  # of sums of fractions, not of claims


@dataclass(frozen=True)
class Verdict:
    """A claim and what the rows say about it.

    Attributes
    ----------
    group : str
        What it is about.
    claim : str
    figure : str
        What was found, or what is missing.
    holds : bool or None
        None where rows are missing, or where a figure is only reported.
    reported : bool, default False
        Whether nothing is claimed of the figure.
    """

    group: str
    claim: str
    figure: str
    holds: bool | None
    reported: bool = False

    @property
    def word(self) -> str:
        """What is said about the claim."""
        if self.holds is None:
            return "–"
        return "holds" if self.holds else "does not hold"

    def __str__(self) -> str:
        return f"{self.group}: {self.claim}: {self.figure} ({self.word})"


def verdicts(rows: Iterable[Row], fold_seed: int | None = None, default: str = DEFAULT) -> list[Verdict]:
    r"""Check every claim.

    Parameters
    ----------
    rows : iterable of rows
    fold_seed : int, optional
        Which folds; needed where there are rows of several seeds.
    default : str, default "mu"
        The method that is to be good at everything.

    Examples
    --------
    >>> row = {"experiment": "vdem", "method": "mu", "fold": 0, "fold_seed": 0, "complexity": 4.5}
    >>> found = [each for each in verdicts([row]) if each.holds is not None]
    >>> print(*found, sep="\n")
    V-Dem, mu: at most 4 literals: 4.50 (does not hold)
    """
    board = Scoreboard(rows, fold_seed=fold_seed)
    found: list[Verdict] = []
    for experiment in PAPER_EXPERIMENTS:
        found += _one_default(board, experiment, default)
    for experiment in PAPER_EXPERIMENTS:
        found += _psi(board, experiment)
    found += _consistent(board, default)
    found += _reproduced(board)
    for experiment in PAPER_EXPERIMENTS:
        found += _times(board, experiment, default)
    return found


def verdict_table(found: Iterable[Verdict]) -> Table:
    """Claims, figures and verdicts as a table.

    Examples
    --------
    >>> print(verdict_table([Verdict("V-Dem", "at most 4 literals", "3.60", True)]).to_markdown())
    **Claims**
    <BLANKLINE>
    |  | Claim | Found | Verdict |
    |---|---|---|---|
    | V-Dem | at most 4 literals | 3.60 | holds |
    """
    lines = [
        (Cell(each.group), Cell(each.claim), Cell(each.figure), Cell(each.word, best=each.holds is False))
        for each in found
    ]
    return Table("Claims", ("", "Claim", "Found", "Verdict"), tuple(lines))


# The default method


def _one_default(board: Scoreboard, experiment: str, default: str) -> Iterator[Verdict]:
    group = f"{experiment_title(experiment)}, {method_title(default)}"
    near = f"within {100 * NEAR:g} points of the best"
    yield _near_best(board, experiment, "explanation_accuracy", default, f"explanation macro-F1 {near}")
    yield _shortest(board, experiment, default)
    limit = MOST_LITERALS[experiment]
    yield _compared(
        board, (experiment, default, "complexity"), f"at most {limit} literals", lambda mean: mean <= limit
    )
    if experiment in LEAST_FIDELITY:
        least = LEAST_FIDELITY[experiment]
        found = _compared(
            board,
            (experiment, default, "fidelity"),
            f"fidelity macro-F1 at least {100 * least:g}",
            lambda mean: mean >= least - _ROUNDING,
        )
        others = {
            "fidelity_plain": "share of rows",
            "fidelity_outputs": "with each output by itself",
            "fidelity_outputs_plain": "share of those",
        }
        means = {column: board.mean(experiment, default, column) for column in others}
        beside = ", ".join(
            f"{words} {100 * mean.value:.2f}" for column, words in others.items() if (mean := means[column])
        )
        remark = f"; {beside}" if beside else ""
        yield Verdict(group, found.claim, found.figure + remark, found.holds)
    yield _near_best(
        board, experiment, "model_accuracy", default, f"model accuracy {near} network", is_network
    )


def _near_best(
    board: Scoreboard,
    experiment: str,
    column: str,
    default: str,
    claim: str,
    among: Callable[[str], bool] = lambda _: True,
) -> Verdict:
    group = f"{experiment_title(experiment)}, {method_title(default)}"
    mine = board.mean(experiment, default, column)
    if mine is None:
        return _missing(group, claim, experiment, default)
    leads = {name: lead for name, lead in _leads(board, experiment, column, default).items() if among(name)}
    if len(leads) < 2:
        return Verdict(group, claim, f"{100 * mine.value:.2f}; no other method to compare with", None)
    best = max(leads, key=lambda name: (leads[name], name == default))
    text = f"{100 * mine.value:.2f}; best: {method_title(best)}, {100 * leads[best]:+.2f}"
    few = _unfinished(board, experiment, column, [name for name in board.methods if among(name)])
    return Verdict(group, claim, text + few, leads[best] <= NEAR + _ROUNDING)


def _shortest(board: Scoreboard, experiment: str, default: str) -> Verdict:
    group = f"{experiment_title(experiment)}, {method_title(default)}"
    claim = f"shortest of those within {100 * NEAR:g} points of the best explanation macro-F1"
    mine = board.mean(experiment, default, "complexity")
    leads = _leads(board, experiment, "explanation_accuracy", default)
    if mine is None or default not in leads:
        return _missing(group, claim, experiment, default)
    if len(leads) < 2:
        return Verdict(group, claim, f"{mine.value:.2f}; no other method to compare with", None)
    good = [name for name, lead in leads.items() if lead >= max(leads.values()) - NEAR - _ROUNDING]
    longer = {name: board.lead(experiment, "complexity", name, default) for name in good if name != default}
    shorter = {name: gap for name, gap in longer.items() if gap is not None and gap < -_ROUNDING}
    if default not in good:
        return Verdict(group, claim, f"{mine.value:.2f}, but not among those", False)
    others = ", ".join(f"{method_title(name)} {gap:+.2f}" for name, gap in sorted(shorter.items()))
    if shorter:
        return Verdict(group, claim, f"{mine.value:.2f}; shorter: {others}", False)
    rest = [gap for gap in longer.values() if gap is not None]
    next_one = f"; the next one has {min(rest):+.2f}" if rest else "; no other one is within"
    return Verdict(group, claim, f"{mine.value:.2f}{next_one}", True)


def _leads(board: Scoreboard, experiment: str, column: str, default: str) -> dict[str, float]:
    """How much better each method is than the default, on the folds that both have."""
    found = {name: board.lead(experiment, column, name, default) for name in board.methods}
    return {name: lead for name, lead in found.items() if lead is not None}


def _unfinished(board: Scoreboard, experiment: str, column: str, methods: Iterable[str]) -> str:
    """A remark on methods that are compared on fewer folds, or not at all."""
    remarks = []
    for name in methods:
        mean, statuses = board.mean(experiment, name, column), board.statuses(experiment, name)
        if mean is not None and mean.n < mean.of:
            remarks.append(f"{method_title(name)} on {mean.n} of {mean.of} folds")
        elif mean is None and statuses:
            remarks.append(f"{method_title(name)} {', '.join(statuses)}")
    return "".join(f"; {remark}" for remark in remarks)


def _compared(
    board: Scoreboard, place: tuple[str, str, str], claim: str, test: Callable[[float], bool]
) -> Verdict:
    experiment, method, column = place
    group = f"{experiment_title(experiment)}, {method_title(method)}"
    mean = board.mean(experiment, method, column)
    if mean is None:
        return _missing(group, claim, experiment, method)
    return Verdict(group, claim, figure(mean, MEASURES[column]), test(mean.value))


def _missing(group: str, claim: str, experiment: str, method: str) -> Verdict:
    return Verdict(group, claim, f"no figures of {method!r} in {experiment!r}", None)


# psi


def _psi(board: Scoreboard, experiment: str) -> Iterator[Verdict]:
    group = f"{experiment_title(experiment)}, {method_title('psi')}"
    claim = "fidelity 100 on every output of every fold"
    agreed = board.values(experiment, "psi", "fidelity_outputs_plain")
    if agreed:
        exact = sum(value == 1.0 for value in agreed.values())
        n_folds = len(board.folds(experiment, "psi"))
        text = f"exact in {exact} of {n_folds} folds; least {100 * min(agreed.values()):.2f}"
        yield Verdict(group, claim, text, exact == n_folds)
    else:
        yield _missing(group, claim, experiment, "psi")
    if experiment in PSI_GAINS:
        theirs = PUBLISHED["explanation_accuracy", experiment, "psi"]
        aim = theirs.mean + PSI_GAINS[experiment]
        yield _compared(
            board,
            (experiment, "psi", "explanation_accuracy"),
            f"explanation macro-F1 at least {100 * PSI_GAINS[experiment]:g} points above the paper's "
            f"{100 * theirs.mean:.2f}",
            lambda mean: mean >= aim - _ROUNDING,
        )


# Consistency


def _consistent(board: Scoreboard, default: str) -> Iterator[Verdict]:
    for adjusted, index in ((False, "the paper's index"), (True, "adjusted for chance")):
        for whole, scope in ((False, "one class"), (True, "mean over classes")):
            yield _most_consistent(board, default, (adjusted, whole), f"{index}, {scope}")


def _most_consistent(board: Scoreboard, default: str, which: tuple[bool, bool], named: str) -> Verdict:
    adjusted, whole = which
    claim = (
        f"best or within {100 * NEAR_CONSISTENCY:g} points of it on {CONSISTENT_ON} of "
        f"{len(PAPER_EXPERIMENTS)}: {named}"
    )
    texts, near = [], []
    for experiment in PAPER_EXPERIMENTS:
        label = None if whole else board.class_shown(experiment)
        found = {name: board.consistency(experiment, name, label) for name in board.methods}
        values = {name: each[adjusted] for name, each in found.items() if each is not None}
        values = {name: value for name, value in values.items() if value == value}
        if default not in values or len(values) < 2:
            continue
        best = max(values, key=lambda name: (values[name], name == default))
        near.append(values[default] >= values[best] - NEAR_CONSISTENCY - _ROUNDING)
        rival = "" if best == default else f" against {100 * values[best]:.1f} of {method_title(best)}"
        texts.append(f"{experiment_title(experiment)} {100 * values[default]:.1f}{rival}")
    missing = len(PAPER_EXPERIMENTS) - len(near)
    enough = sum(near) >= CONSISTENT_ON
    holds = None if missing and not enough and sum(near) + missing >= CONSISTENT_ON else enough
    remark = f"; {missing} not measured" if missing else ""
    text = f"{sum(near)} of {len(near)}: {'; '.join(texts)}{remark}" if near else "not measured"
    return Verdict(f"Consistency, {method_title(default)}", claim, text, holds)


# The reproduction, and time


def _reproduced(board: Scoreboard) -> Iterator[Verdict]:
    for method in ("mu", "relu"):
        name = f"{method}{REFERENCE}"
        for column in ("model_accuracy", "explanation_accuracy", "complexity", "fidelity"):
            theirs, measure = PUBLISHED[column, "mimic2", method], MEASURES[column]
            title = measure.title[0].lower() + measure.title[1:]
            claim = f"{title} within the paper's {figure(theirs, measure)}, first {FOLDS_OF_MIMIC2} folds"
            group = f"{experiment_title('mimic2')}, {method_title(name)}"
            mean = board.mean("mimic2", name, column, first=FOLDS_OF_MIMIC2)
            if mean is None:
                yield _missing(group, claim, "mimic2", name)
            else:
                near = abs(mean.value - theirs.mean) <= theirs.spread + _ROUNDING
                yield Verdict(group, claim, figure(mean, measure), near)


def _times(board: Scoreboard, experiment: str, default: str) -> Iterator[Verdict]:
    if not EXPERIMENTS[experiment].supervised:  # neither BRL nor trees make clusters
        return
    group = f"{experiment_title(experiment)}, {method_title(default)}"
    for peer, claim in (
        ("brl", f"at least {FASTER_THAN_BRL} times as fast as BRL"),
        ("tree", "time as a multiple of the decision tree's, reported"),
    ):
        ratio = time_ratio(board, experiment, peer, default)
        if not ratio:
            missing = f"no times of {method_title(peer)} on the same machine"
            yield Verdict(group, claim, missing, None, reported=peer == "tree")
        elif peer == "tree":
            yield Verdict(group, claim, f"{three_digits(1 / ratio)} times", None, reported=True)
        else:
            bound = at_least(board, experiment, peer)  # of a bound that is too low nothing is known
            holds = None if bound and ratio < FASTER_THAN_BRL else ratio >= FASTER_THAN_BRL
            yield Verdict(group, claim, f"{bound}{three_digits(ratio)} times", holds)
