"""Run ``python -m benchmarks.reasons [N_CASES]``: sufficient reasons of rules beside brute force, and timed.

A case is a random decision list over at most six concepts, with or without a raw table, and one row. Brute
force enumerates all rows there can be and all sets of conditions, the shortest first. Times are those of
lists like the ones for 26 letters: about 100 conditions on 16 columns.
"""

from __future__ import annotations

import sys
import time
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from rich.console import Console

from logiclens.concepts import Above, AtMost, Between, Flag, Missing, OneOf, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.explain.resolution import condition_of
from logiclens.logic import FALSE, And, Formula, Not, Or, Var, at_most_one, exactly_one, ordered

_CONCEPTS = (
    Above("age", 30),
    Above("age", 62),
    AtMost("age", 45),
    Between("age", 30, 62),
    OneOf("ward", ("A",)),
    OneOf("ward", ("B",)),
    OneOf("ward", ("B", "C")),
    Missing("ward"),
    Flag("smoker"),
    Above("dose", 1),
)
_VALUES = {
    "age": [20, 40, 50, 70],
    "ward": ["A", "B", "C", "D", None],
    "smoker": [False, True],
    "dose": [0.5, 2],
}


class Case(NamedTuple):
    """A list, what is given, one row, and all rows that there can be."""

    rules: ExplanationSet
    given: list[Formula]
    row: dict[str, list]
    rows: dict[str, list]


def random_case(rng: np.random.Generator) -> Case:
    """A case with a raw table, or one of concepts alone."""
    if rng.random() < 0.5:
        chosen = np.sort(rng.choice(len(_CONCEPTS), rng.integers(1, 7), replace=False))
        words = Vocabulary(
            tuple(_VALUES),
            tuple(_CONCEPTS[at] for at in chosen),
            optional=frozenset(["ward"] if rng.random() < 0.5 else []),
        )
        rules, given = random_list(rng, words.names, words), []
        values = [
            values if name != "ward" or name in words.optional else values[:-1]
            for name, values in _VALUES.items()
        ]
        rows = dict(zip(_VALUES, map(list, zip(*product(*values), strict=True)), strict=True))
    else:
        names = tuple("abcdef"[: rng.integers(1, 7)])
        rules, given = random_list(rng, names), random_constraints(rng, names)
        tuples = np.array(list(product([False, True], repeat=len(names))))
        possible = np.all([each.evaluate(tuples, names) for each in given], axis=0)
        rows = {name: tuples[possible, at].tolist() for at, name in enumerate(names)}
    at = int(rng.integers(len(next(iter(rows.values())))))
    return Case(rules, given, {name: [values[at]] for name, values in rows.items()}, rows)


def random_constraints(rng: np.random.Generator, names: tuple[str, ...]) -> list[Formula]:
    """Exclusive or ordered concepts, or a formula that can be true."""
    kind = rng.integers(5)
    if kind == 0 or len(names) < 2:
        return [Or(Var(names[0]), Not(Var(names[0])))]
    if kind == 4:
        return [random_dnf(rng, names)]
    return [[exactly_one, at_most_one, ordered][kind - 1](names[: rng.integers(2, len(names) + 1)])]


def random_dnf(rng: np.random.Generator, names: tuple[str, ...], terms: int = 3, length: int = 3) -> Formula:
    """A disjunction of a few short terms."""
    found = []
    for _ in range(rng.integers(1, terms + 1)):
        used = rng.choice(len(names), min(rng.integers(1, length + 1), len(names)), replace=False)
        found.append(And.of(Var(names[at]) if rng.random() < 0.5 else Not(Var(names[at])) for at in used))
    return Or.of(found)


def random_list(
    rng: np.random.Generator, names: tuple[str, ...], words: Vocabulary | None = None
) -> ExplanationSet:
    """A list of one to four steps, whose default may be one of their labels."""
    labels = list("wxyz"[: rng.integers(1, 5)])
    steps = [Step(label, random_dnf(rng, names)) for label in labels]
    rules = [Explanation(Rule(label, FALSE)) for label in "wxyz"]
    return ExplanationSet(rules, names, default="wxyz"[rng.integers(4)], steps=steps, vocabulary=words)


def shortest_by_force(case: Case) -> tuple[int, list[set[str]], set[str]]:
    """Length of the shortest reasons, all of them as sets of concepts, and the concepts in every reason.

    Conditions are those on which it depends whether the list decides the row's label.
    """
    rules = case.rules
    names = condition_of(rules.steps, rules.default, rules.predict(case.row)[0]).concepts
    every = np.column_stack([rules.read(case.rows).column(name) for name in names] or [[]])
    own = np.array([rules.read(case.row).column(name)[0] for name in names], dtype=bool)
    contrary = rules.predict(case.rows) != rules.predict(case.row)[0]
    differs = (every != own)[contrary] if names else np.zeros((0, 0), dtype=bool)

    def is_enough(chosen: tuple[int, ...]) -> bool:
        return bool(differs[:, list(chosen)].any(axis=1).all())

    places = range(len(names))
    for length in range(len(names) + 1):
        found = [chosen for chosen in combinations(places, length) if is_enough(chosen)]
        if found:
            break
    needed = {names[at] for at in places if not is_enough(tuple(other for other in places if other != at))}
    return length, [{names[at] for at in chosen} for chosen in found], needed


def is_exact(case: Case) -> bool:
    """Whether the reason is true of the row, one of the shortest, and says what is necessary."""
    reason = case.rules.sufficient_reason(case.row, given=case.given)
    length, shortest, needed = shortest_by_force(case)
    data = case.rules.read(case.row)
    true = reason.term.evaluate({name: data.column(name) for name in case.rules.concept_names})[0]
    return bool(
        true
        and reason.status == "sufficient: proved; none is shorter"
        and reason.term.literals == length
        and set(reason.term.concepts) in shortest
        and set(reason.necessary.concepts) == needed
    )


def letters(rng: np.random.Generator) -> tuple[ExplanationSet, dict[str, list[int]]]:
    """A list of 26 classes on 16 columns of whole numbers, and 100 rows."""
    columns = tuple(f"x{at}" for at in range(16))
    words = Vocabulary(columns, tuple(Above(name, cut) for name in columns for cut in (3, 5, 7, 9)))

    def term(length: int) -> Formula:
        used = [Var(f"x{at} > {rng.choice([3, 5, 7, 9])}") for at in rng.choice(16, length, replace=False)]
        return And.of(each if rng.random() < 0.5 else Not(each) for each in used)

    steps = [
        Step(label, term(4) if rng.random() < 0.8 else Or(term(2), term(3)))
        for label in map(chr, range(97, 123))
    ]
    rules = [Explanation(Rule(label, FALSE)) for label in map(chr, range(97, 123))]
    made = ExplanationSet(rules, words.names, default="a", steps=steps, vocabulary=words)
    return made, {name: rng.integers(0, 16, 100).tolist() for name in columns}


def main() -> None:
    """Print how many cases are exact, and the times of ten lists."""
    n_cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng, console = np.random.default_rng(0), Console(highlight=False, soft_wrap=True)
    exact = sum(is_exact(random_case(rng)) for _ in range(n_cases))
    console.print(f"{exact} of {n_cases} random lists: a shortest reason, and what is necessary, exactly")
    seconds, literals, proved, conditions = [], [], 0, []
    for _ in range(10):
        rules, rows = letters(rng)
        conditions.append(rules.literals)
        for at in range(100):
            row = {name: [values[at]] for name, values in rows.items()}
            start = time.perf_counter()
            reason = rules.sufficient_reason(row)
            seconds.append(time.perf_counter() - start)
            literals.append(reason.literals)
            proved += reason.status.endswith("none is shorter")
    console.print(
        f"{len(seconds)} rows, lists of 26 classes and {np.mean(conditions):.0f} conditions: "
        f"{1000 * np.mean(seconds):.1f} ms a row (median {1000 * np.median(seconds):.1f}, "
        f"longest {1000 * max(seconds):.0f}); {np.mean(literals):.1f} conditions (most {max(literals)}); "
        f"{proved} proved to be shortest"
    )


if __name__ == "__main__":
    main()
