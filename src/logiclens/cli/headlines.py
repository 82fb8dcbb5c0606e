"""The figures one quotes: rules beside what one would get otherwise, and how far to rely on them.

Accuracies are about the rows held out. The test against the most common class pools them with the training
rows, whose answers come from rules that had not seen them (:attr:`Front.lead`); what longer rules gain, and
stability, are about the training rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from logiclens.cli.terminal import percent, plain_table, print_line, print_table, short
from logiclens.errors import count
from logiclens.explain.front import longer_words, ten_more
from logiclens.explain.rule import label_in_sentence
from logiclens.metrics.paired import Lead, p_text

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.cli.selection import Fit
    from logiclens.cli.terminal import Progress
    from logiclens.estimators.comparison import Comparison
    from logiclens.estimators.stability import Stability
    from logiclens.explain.rule import Label

_MOST = 12  # conditions that are listed
_SELDOM = 0.5  # share of the resamples below which a condition is doubted


@dataclass(frozen=True)
class Headlines:
    """What is said of all rules together.

    Attributes
    ----------
    comparison : Comparison or None
        None where an engine has too many different rows to compare row by row.
    over_guess : Lead
        Of the rules over always answering the most common class of the training rows; of each part of the
        cross-fit, its own.
    guess : label
        That class.
    gain : float or None
        What ten literals more would gain, cross-fitted; None without such rules.
    stability : Stability or None
    """

    comparison: Comparison | None
    over_guess: Lead
    guess: Any
    gain: float | None
    stability: Stability | None

    @property
    def knows_more(self) -> bool:
        """Whether the network is ahead of the rules by more than chance."""
        if self.comparison is None or "network" not in self.comparison.right:
            return False
        lead = self.comparison.lead("network", "rules")
        return lead.is_real and lead.size > 0

    @property
    def beats_a_guess(self) -> bool:
        """Whether the rules are better than the most common class, by more than chance."""
        return self.over_guess.is_ahead


def measure(found: Fit, progress: Progress, *, compare: bool = True, resamples: int = 0) -> Headlines:
    """Compare rules with network, tree, boosting and a guess, and with rules of resamples.

    Parameters
    ----------
    found : Fit
    progress : Progress
    compare : bool, default True
        Whether tree and boosting are trained, where the rows are in memory.
    resamples : int, default 0
        How many resamples to fit to, where the rows are in memory.
    """
    from logiclens.cli.selection import MemoryRows

    rows, front = found.rows, found.model.front_
    sizes = rows.class_sizes
    guess = max(sizes, key=lambda label: sizes[label][0])
    comparison = _compare(found, guess, progress, compare)
    held_out = found.truth.lead_over(guess) if comparison is None else comparison.lead("rules", "guess")
    over_guess = Lead.pooled(front.lead, held_out if rows.n_held else None)
    stability = None
    if resamples and isinstance(rows, MemoryRows):
        from logiclens.estimators.stability import resample_rules

        with progress.show(f"fitting to {count(resamples, 'resample')}"):
            stability = resample_rules(found.model, *rows.learned(~rows.held_out), n_resamples=resamples)
    return Headlines(comparison, over_guess, guess, ten_more(front), stability)


def _compare(found: Fit, guess: Any, progress: Progress, train: bool) -> Comparison | None:
    """Whether rules, network and others are right on each row scored."""
    from logiclens.cli.selection import MemoryRows
    from logiclens.concepts.table import Table
    from logiclens.estimators.comparison import Comparison, fit_rivals

    labeled, rows = found.labeled, found.rows
    if labeled is None or labeled.truth is None or labeled.truth.codes is None:
        return None
    predicted, network, true = labeled.predicted.codes, labeled.network, labeled.truth.codes
    assert predicted is not None
    right, splits = {"rules": predicted == true}, 0
    if network is not None and network.codes is not None:
        right["network"] = network.codes == true
    if train and isinstance(rows, MemoryRows):
        words = found.rules.vocabulary
        plain = Table if words is None else words.with_parts
        (learned, known), (inputs, labels) = rows.part(~rows.held_out), rows.part(rows.scored)
        with progress.show("training a tree and boosting on the same rows"):
            rivals = fit_rivals(plain(learned), known, plain(inputs), splits=found.rules.literals)
        right |= {each.name: each.right(labels) for each in rivals if each.name != "guess"}
        splits = sum(each.splits for each in rivals)
    right["guess"] = true == found.rules.labels.index(guess)
    return Comparison(right, labeled.counts, labeled.groups, splits)


def titles(found: Fit, lines: Headlines) -> Mapping[str, str]:
    """What each way to answer is called."""
    splits = 0 if lines.comparison is None else lines.comparison.splits
    return {
        "rules": f"these rules, {count(found.rules.literals, 'literal')}",
        "network": "the network",
        "tree": f"a tree with {count(splits, 'split')}",
        "boosting": "boosting",
        "guess": f"always {_named(lines.guess)}",
    }


def _named(label: Label) -> str:
    """A class, between marks where it could be misread."""
    return short(label_in_sentence(label))


def print_headlines(console: Console, found: Fit, lines: Headlines) -> None:
    """The accuracy of rules and others, what of it is more than chance, and how stable the rules are."""
    named = titles(found, lines)
    table = plain_table("accuracy of", "right", "95 % interval")
    if lines.comparison is None:
        table.add_row(named["rules"], percent(found.truth.accuracy), _spread(found.truth.accuracy_interval))
        table.add_row(named["guess"], percent(found.guess_accuracy), "")
    else:
        for name in lines.comparison.right:
            rate, interval = lines.comparison.accuracy(name)
            table.add_row(named[name], percent(rate), _spread(interval))
    print_table(console, table)
    for sentence in sentences(found, lines):
        print_line(console, sentence)


def sentences(found: Fit, lines: Headlines) -> Iterator[str]:
    """What of the figures is more than chance, and what longer rules would gain."""
    guess, lead = f"always answering {_named(lines.guess)}", lines.over_guess
    none = found.rules.literals == 0 and found.rules.is_list and found.model.literals == "auto"
    if none:
        yield f"No rules are shown: on training rows left out in turn, none beat {guess} by more than chance."
    elif lines.beats_a_guess:
        yield f"The rules are better than {guess} ({p_text(lead.p_value)})."
    elif not lead.n_rows:
        yield f"No row was held out, so it is not tested whether the rules are better than {guess}."
    else:
        yield f"It is not shown that the rules are better than {guess} ({p_text(lead.p_value)})."
    if lead.n_rows and (found.rules.literals or not found.rules.is_list):
        yield _tested_on(found)
    if lines.comparison is not None and "network" in lines.comparison.right and found.rows.n_held:
        yield _network_sentence(lines.comparison.lead("network", "rules"))
    if gain := longer_words(found.model.front_, found.rules, none=none):
        hint = " (--literals shows them)" if none else " (--literals)"
        yield f"{gain}{'' if 'gain nothing' in gain else hint}."
    if found.network is not None:
        yield f"Rules and network agree on {percent(found.fidelity)} of these rows (fidelity)."


def _tested_on(found: Fit) -> str:
    """The rows that the test against a guess is about."""
    n_held, n_train = found.rows.n_held, found.rows.n_train
    if found.model.front_.lead is None:
        return f"That is tested on the {count(n_held, 'row')} held out."
    cross_fitted = f"the {count(n_train, 'training row')}, answered by rules found without them"
    return f"That is tested on {f'the {n_held} rows held out and ' if n_held else ''}{cross_fitted}."


def _network_sentence(lead: Lead) -> str:
    if not lead.wins and not lead.losses:
        return "Network and rules are right on the same rows."
    if not lead.size:
        return "Network and rules are right on equally many rows."
    ahead, sign = ("network's", 1) if lead.size >= 0 else ("rules'", -1)
    low, high = sorted(100 * sign * end for end in lead.interval)
    verdict = "is more than chance" if lead.is_real else "may be chance"
    return f"The {ahead} lead of {100 * abs(lead.size):.1f} points {verdict} ({low:+.1f} to {high:+.1f})."


def _spread(interval: tuple[float, float]) -> str:
    return " to ".join(map(percent, interval))


def print_stability(console: Console, found: Fit, stability: Stability | None) -> None:
    """How often each condition returns; those that return least often, where there are many."""
    words = found.rules.vocabulary
    if stability is None or words is None or not stability.returns:
        return
    ranked = sorted(stability.returns.items(), key=lambda each: each[1])
    listed = dict(ranked[:_MOST]) if len(ranked) > _MOST else stability.returns
    print_line(
        console,
        f"Fits to {count(stability.n_resamples, 'resample')} of the training rows give rules that decide "
        f"{percent(stability.agreement)} of the rows in the same way."
        + (f" The {_MOST} conditions that return least often:" if len(ranked) > _MOST else ""),
    )
    table = plain_table("condition", "returns in")
    for condition, share in listed.items():
        times = round(share * stability.n_resamples)
        table.add_row(short(words.format(condition, "plain")), f"{times} of {stability.n_resamples}")
    print_table(console, table)
    if any(share < _SELDOM for share in stability.returns.values()):
        print_line(
            console,
            "Note: a condition that returns in less than half of the resamples is one choice among several "
            "that do as well. Do not read it as a cause.",
            "yellow",
        )
        console.print()


def headline_entries(found: Fit, lines: Headlines) -> dict[str, Any]:
    """The same, for JSON."""
    comparison, lead = lines.comparison, lines.over_guess
    named = titles(found, lines)
    entries: dict[str, Any] = {
        "better_than_guess": {
            "claimed": lines.beats_a_guess and found.rules.literals > 0,
            "p_value": lead.p_value,
            "lead": lead.size,
            "low": lead.interval[0],
            "high": lead.interval[1],
            "n": lead.n_rows,
        },
        "ten_more_literals": lines.gain,
        "comparison": [],
        "network_over_rules": None,
        "stability": None,
    }
    if comparison is not None:
        for name in comparison.right:
            rate, (low, high) = comparison.accuracy(name)
            entries["comparison"].append(
                {"name": name, "title": named[name], "accuracy": rate, "low": low, "high": high}
            )
        if "network" in comparison.right:
            ahead = comparison.lead("network", "rules")
            entries["network_over_rules"] = {
                "lead": ahead.size,
                "low": ahead.interval[0],
                "high": ahead.interval[1],
            }
    if lines.stability is not None:
        words = found.rules.vocabulary
        assert words is not None
        entries["stability"] = {
            "n_resamples": lines.stability.n_resamples,
            "agreement": lines.stability.agreement,
            "conditions": [
                {"condition": words.format(each, "plain"), "returns": share}
                for each, share in lines.stability.returns.items()
            ],
        }
    return entries
