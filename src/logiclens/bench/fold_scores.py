"""From what a method made of a fold to one tidy row of figures, with the paper's metrics (Sec. 6.2).

    experiment, part, method  part is empty for all test rows, else the name of a part of them
    fold, fold_seed, seed     number of the fold, seed of the split, seed of the method
    n_train, n_test           rows
    n_concepts                columns
    status                    done, or why there are no figures
    model_accuracy            share of rows that the model, not its rules, gets right
    model_auc                 area under its ROC curve, mean over classes against the rest
    model_brier               mean squared error of its probabilities, from 0 to 1
    explanation_accuracy      macro-F1 of each class's formula, mean over classes; _plain: share
    rules_accuracy            of the rules alone as a classifier
    complexity                literals of the disjunctive normal form, mean over classes
    list_literals             the same of rules that are read in order, as they are read
    fidelity                  macro-F1 against the class that the model answers; _plain: share
    fidelity_outputs          macro-F1 against what the model says of each class by itself; _plain: share
    n_without_rule            classes whose formula is never true
    agreement_model_<name>    share of rows on which the model answers as fold.also[name]
    agreement_rules_<name>    macro-F1 of the formulas against it
    seconds_train, _extract   and seconds, their sum
    used                      concepts of each class's formula, for consistency over the folds
    formulas                  the formula of each class, as text, of at most LONGEST literals
    and a column for each metric of one's own (``scoring=`` of ``run``)

Rates lie in [0, 1]; what does not apply, or was not finished, is None. Classes that do not occur among the
scored rows are left out of means over classes: of pictures that are few, not every species is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from logiclens.bench.experiments import Fold, HasFolds
from logiclens.bench.method import DONE, Method, Outcome, one_hot
from logiclens.errors import InputError, LimitError, UnknownConceptError, listing
from logiclens.logic import FALSE, Formula
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.metrics import HeldOut, complexity, explanation_accuracy, fidelity
from logiclens.metrics.agreement import formulas_of
from logiclens.metrics.held_out import Scoring, score_held_out

Row: TypeAlias = dict[str, Any]
"""Figures of one method on one fold, or on a part of it, by the names of the columns."""

SECONDS = ("seconds_train", "seconds_extract", "seconds")
"""Columns that differ from run to run; all others are the same."""

RATES = (
    "model_accuracy",
    "model_auc",
    "model_brier",
    "explanation_accuracy",
    "explanation_accuracy_plain",
    "rules_accuracy",
    "fidelity",
    "fidelity_plain",
    "fidelity_outputs",
    "fidelity_outputs_plain",
)
"""Columns of shares and macro-F1 that every row has."""

COLUMNS = (
    *("experiment", "part", "method", "fold", "fold_seed", "seed", "n_train", "n_test", "n_concepts"),
    *("status", *RATES, "complexity", "list_literals", "n_without_rule", *SECONDS, "used", "formulas"),
)
"""Columns that every row has; no metric of one's own can have their names."""
LONGEST = 10_000
"""Literals of the longest formula that is kept."""


def score(
    experiment: HasFolds,
    method: Method,
    fold: Fold,
    outcome: Outcome,
    *,
    seed: int = 0,
    scoring: Scoring = MappingProxyType({}),
) -> list[Row]:
    """Rows of one fold: all its test rows first, then each of its parts.

    Parameters
    ----------
    experiment : Experiment
    method : Method
    fold : Fold
    outcome : Outcome
        What the method made of it.
    seed : int, default 0
        That the method was fitted with.
    scoring : mapping of str to callable, optional
        Metrics of one's own, functions of a :class:`~logiclens.metrics.HeldOut`; None for methods without
        rules.

    Raises
    ------
    InputError
        The outcome does not fit the fold: other rows or classes, rules about unknown classes or concepts.
    """
    _check(fold, outcome)
    shared = row_head(experiment, method, fold, seed) | {
        "n_concepts": len(fold.concept_names),
        "status": outcome.status,
        **dict.fromkeys((*RATES, "complexity", "list_literals", "n_without_rule")),
        **{f"agreement_{who}_{_column(name)}": None for name in fold.also for who in ("model", "rules")},
        **seconds_of(outcome),
        "used": {},
        "formulas": {},
        **dict.fromkeys(scoring),
    }
    every = np.ones(len(fold.y_test), dtype=np.bool_)
    parts = {"": every, **{name: mask for name, mask in fold.parts.items() if mask.any()}}
    sizes = {name: {"part": name, "n_test": int(mask.sum())} for name, mask in parts.items()}
    if outcome.status != DONE:
        return [shared | sizes[name] for name in parts]
    rules = None if outcome.rules is None else _formula_of_each_class(outcome.rules, fold)
    answers = outcome.decided if rules is None or outcome.decided is not None else _decisions(rules, fold)
    rows = [
        shared | sizes[name] | _figures(fold, outcome, rules, answers, mask) for name, mask in parts.items()
    ]
    if rules is None or answers is None:
        return rows
    for row, mask in zip(rows, parts.values(), strict=True):
        row |= score_held_out(scoring, _held_out(fold, outcome, rules, answers, mask))
    rows[0] |= {
        "used": {name: sorted(formula.concepts) for name, formula in rules.items()},
        "formulas": {name: str(each) for name, each in rules.items() if each.literals <= LONGEST},
    }
    return rows


def _held_out(
    fold: Fold, outcome: Outcome, rules: Mapping[str, Formula], answers: IndexArray, mask: BoolArray
) -> HeldOut:
    """The test rows in the mask, as metrics of one's own see them."""
    n_classes = len(fold.class_names)
    return HeldOut(
        rules,
        fold.concept_names,
        fold.x_test[mask],
        one_hot(fold.y_test[mask], n_classes),
        one_hot(outcome.answers[mask], n_classes),
        one_hot(answers[mask], n_classes),
        None if outcome.probability is None else outcome.probability[mask],
    )


def row_head(experiment: HasFolds, method: Method, fold: Fold, seed: int) -> Row:
    """The columns that every row begins with."""
    return {
        "experiment": experiment.name,
        "part": "",
        "method": method.name,
        "fold": fold.number,
        "fold_seed": experiment.seed,
        "seed": seed,
        "n_train": len(fold.y_train),
        "n_test": len(fold.y_test),
    }


def seconds_of(outcome: Outcome) -> dict[str, float]:
    """The columns of seconds."""
    train, extract = outcome.seconds_train, outcome.seconds_extract
    return dict(zip(SECONDS, (train, extract, train + extract), strict=True))


def unfinished_outcome(fold: Fold, status: str, seconds: float) -> Outcome:
    """The outcome of a method that did not finish."""
    n_rows = len(fold.y_test)
    said = np.zeros((n_rows, len(fold.class_names)), dtype=np.bool_)
    return Outcome(np.zeros(n_rows, dtype=np.intp), said, None, seconds, 0.0, status)


def _figures(
    fold: Fold,
    outcome: Outcome,
    rules: Mapping[str, Formula] | None,
    answers: IndexArray | None,
    mask: BoolArray,
) -> Row:
    """All figures of the test rows in the mask."""
    truth, chosen = fold.y_test[mask], outcome.answers[mask]
    figures: Row = {"model_accuracy": float((chosen == truth).mean())}
    if outcome.probability is not None:
        figures |= _of_probabilities(outcome.probability[mask], truth)
    for name, other in fold.also.items():
        figures[f"agreement_model_{_column(name)}"] = float((chosen == other[mask]).mean())
    if rules is None or answers is None:
        return figures
    occurs = np.flatnonzero(np.bincount(truth, minlength=len(fold.class_names)))
    scored = {fold.class_names[at]: rules[fold.class_names[at]] for at in occurs.tolist()}
    x, names = fold.x_test[mask], fold.concept_names
    accuracy = explanation_accuracy(scored, x, truth[:, None] == occurs, names=names)
    to_answer = fidelity(scored, x, chosen[:, None] == occurs, names=names)
    to_outputs = fidelity(scored, x, outcome.said[mask][:, occurs], names=names)
    for name, other in fold.also.items():
        agreed = fidelity(scored, x, other[mask][:, None] == occurs, names=names)
        figures[f"agreement_rules_{_column(name)}"] = agreed.macro_f1
    return figures | {
        "explanation_accuracy": accuracy.macro_f1,
        "explanation_accuracy_plain": accuracy.plain,
        "rules_accuracy": float((answers[mask] == truth).mean()),
        "complexity": _literals(rules),
        "list_literals": outcome.list_literals,
        "fidelity": to_answer.macro_f1,
        "fidelity_plain": to_answer.plain,
        "fidelity_outputs": to_outputs.macro_f1,
        "fidelity_outputs_plain": to_outputs.plain,
        "n_without_rule": sum(formula == FALSE for formula in rules.values()),
    }


def _of_probabilities(probability: FloatArray, truth: IndexArray) -> Row:
    """Area under the ROC curve, and Brier score."""
    from logiclens.estimators.validation import area_under_curve

    true = truth[:, None] == np.arange(probability.shape[1])
    auc = area_under_curve(probability, true)
    brier = float(np.square(probability - true).sum(axis=1).mean()) / 2.0
    return {"model_auc": None if np.isnan(auc) else auc, "model_brier": brier}


def _decisions(rules: Mapping[str, Formula], fold: Fold) -> IndexArray:
    """The class that rules alone give each test row; those most precise in training decide first."""
    formulas = list(rules.values())
    fired = np.column_stack([each.evaluate(fold.x_train, fold.concept_names) for each in formulas])
    truth = fold.y_train[:, None] == np.arange(len(formulas))
    precision = (fired & truth).sum(axis=0) / np.maximum(fired.sum(axis=0), 1)
    open_ = ~fired.any(axis=1)
    default = int((truth[open_] if open_.any() else truth).sum(axis=0).argmax())
    decided = np.full(len(fold.y_test), default, dtype=np.intp)
    for at in np.argsort(-precision, kind="stable")[::-1]:
        decided[formulas[at].evaluate(fold.x_test, fold.concept_names)] = at
    return decided


def _literals(rules: Mapping[str, Formula]) -> float | None:
    """Mean literals of a class's DNF; None if a DNF is too large."""
    try:
        return complexity(rules)
    except LimitError:
        return None


def _column(name: str) -> str:
    return name.replace(" ", "_")


def _formula_of_each_class(rules: Mapping[str, Any], fold: Fold) -> dict[str, Formula]:
    """A formula for every class, in order; FALSE for a class without a rule."""
    formulas = formulas_of(rules)
    return {name: formulas.get(name, FALSE) for name in fold.class_names}


def _check(fold: Fold, outcome: Outcome) -> None:
    n_rows, n_classes = len(fold.y_test), len(fold.class_names)
    if outcome.answers.shape != (n_rows,) or outcome.said.shape != (n_rows, n_classes):
        raise InputError(
            f"An outcome must have answers of shape {(n_rows,)} and outputs of shape {(n_rows, n_classes)}. "
            f"Got shapes {outcome.answers.shape} and {outcome.said.shape}."
        )
    strange = [name for name in outcome.rules or () if name not in fold.class_names]
    if strange:
        raise InputError(
            f"Rules must be about the classes {listing(fold.class_names)}. Got rules of {listing(strange)}."
        )
    known = set(fold.concept_names)
    for formula in formulas_of(outcome.rules).values() if outcome.rules else ():
        for name in formula.concepts:
            if name not in known:
                raise UnknownConceptError(name, fold.concept_names)
