"""``logiclens demo``: the main job on a small data set that scikit-learn carries."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import logiclens
from logiclens.cli.choices import Network, one_of
from logiclens.cli.failing import clear_errors, written
from logiclens.cli.printing import percent, plain_table, print_rule

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.table import Table

    from logiclens.estimators.base import LENClassifier
    from logiclens.explain import ExplanationSet


class DemoData(StrEnum):
    """The data sets of the demonstration; scikit-learn carries them."""

    WINE = "wine"
    IRIS = "iris"
    CANCER = "breast_cancer"


def demo(
    data: Annotated[
        DemoData,
        typer.Option(help="Data set to learn.", parser=one_of(DemoData), metavar="|".join(DemoData)),
    ] = DemoData.WINE,
    network: Annotated[
        Network,
        typer.Option(help="Network to train.", parser=one_of(Network), metavar="|".join(Network)),
    ] = Network.MU,
) -> None:
    """Train a network on a small data set, and print the rules that say what it does.

    Columns are compared with cut points, which gives readable concepts. Cut points, network and rules come
    from about 70 % of the rows, drawn at random but the same every time; network and rules are scored on the
    others.

    Try: logiclens demo --data breast_cancer --network psi
    """
    with clear_errors():
        _demo(data, network)


class _Split(NamedTuple):
    """Raw columns and classes, and which rows are held out."""

    columns: dict[str, NDArray[Any]]
    classes: NDArray[Any]
    held_out: NDArray[Any]

    def rows(self, which: NDArray[Any]) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
        """Columns of some rows, by name, and their classes."""
        return {name: values[which] for name, values in self.columns.items()}, self.classes[which]


def _demo(data: DemoData, network: Network) -> None:
    from rich.console import Console

    split = _load(data)
    model = _trained(split, network)
    with written():
        _print_demo(Console(highlight=False), data, split, model)


def _trained(split: _Split, network: Network) -> LENClassifier:
    """A classifier fitted on the training part; on the CPU, so that all machines find the same."""
    import warnings

    make = getattr(logiclens, f"{network.value.capitalize()}Classifier")
    model: LENClassifier = make(random_state=0, device="cpu", verbose=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a network could be trained longer is beside the point
        return model.fit(*split.rows(~split.held_out))


def _print_demo(console: Console, data: DemoData, split: _Split, model: LENClassifier) -> None:
    n_trained, n_held_out = (~split.held_out).sum(), split.held_out.sum()
    console.print(
        f"{data.value}: {len(split.classes)} rows, {len(split.columns)} columns, "
        f"{len(model.concept_names_)} concepts; {type(model).__name__} trained on {n_trained} rows, scored "
        f"on the other {n_held_out}.\n",
        soft_wrap=True,
    )
    rules = model.explain()
    for rule in rules.values():
        print_rule(console, rule, f"{rule.to_sentence()}.")
    console.print("Each rule on the rows held out:")
    console.print(_score_table(split, model))
    console.print(_overall(split, model), soft_wrap=True)
    if any(rule.front for rule in rules.values()):
        console.print(
            "Training rows on which a rule of that length and the network differ (*: the rule above):",
            soft_wrap=True,
        )
        console.print(_front_table(rules))
    _print_example(console, split, model)


def _score_table(split: _Split, model: LENClassifier) -> Table:
    from logiclens.metrics import complexity, rule_scores

    rows, classes = split.rows(split.held_out)
    said = model.decide(rows)
    table = plain_table("class", "literals", "precision", "recall", "fidelity")
    for at, (label, explanation) in enumerate(model.explain().items()):
        scores = rule_scores(explanation, rows, classes == label)
        agreed = float((explanation.evaluate(rows) == said[:, at]).mean())
        literals = f"{complexity(explanation.formula):g}"
        rates = (percent(rate) for rate in (scores.precision, scores.recall, agreed))
        table.add_row(f"{label}", literals, *rates)
    return table


def _overall(split: _Split, model: LENClassifier) -> str:
    """Network and rules as classifiers, in words."""
    rows, classes = split.rows(split.held_out)
    rules = model.explain()
    counts = rules.coverage_counts(rows)
    return (
        f"The network is right about {percent(model.score(rows, classes))} of these rows, its rules "
        f"alone about {percent(rules.score(rows, classes))}. No rule fires on {counts.n_uncovered} of "
        f"them, more than one on {counts.n_conflicts}.\n"
    )


def _front_table(rules: ExplanationSet) -> Table:
    table = plain_table("literals", *map(str, rules), first="right")
    columns = []
    for rule in rules.values():
        marks = {point.literals: f"{point.errors:.0f}" for point in rule.front}
        if rule.chosen is not None:
            marks[rule.chosen.literals] = f"*{rule.chosen.errors:.0f}"
        columns.append(marks)
    for literals in sorted(set().union(*columns)):
        table.add_row(f"{literals}", *(column.get(literals, "") for column in columns))
    return table


def _print_example(console: Console, split: _Split, model: LENClassifier) -> None:
    """Why the network says what it says about the first of the rows held out, and what would change it."""
    rows, classes = split.rows(split.held_out)
    row = {name: values[:1] for name, values in rows.items()}
    found = model.explain_sample(row)
    console.print("Why the network gives the first row held out its class:", soft_wrap=True)
    print_rule(console, found, f"{found.to_sentence()}. In truth it is {classes[0]}.")
    change = model.explain()[found.target].counterfactual(row)
    console.print("The least that would turn the rule of that class:", soft_wrap=True)
    console.print(f"  {change}", soft_wrap=not console.is_terminal, markup=False)


def _load(data: DemoData) -> _Split:
    import numpy as np
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{data.value}")()
    columns = dict(zip(map(str, bunch.feature_names), bunch.data.T, strict=True))
    held_out = np.random.default_rng(0).random(len(bunch.target)) < 0.3
    return _Split(columns, bunch.target_names[bunch.target], held_out)
