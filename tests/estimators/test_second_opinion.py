"""Second opinions: a regression whose say about unseen rows is known, heard where that gains."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score

import logiclens.estimators.second_opinion as module
from logiclens.concepts.states import without_implied
from logiclens.errors import InputError
from logiclens.estimators import EntropyClassifier, MuClassifier, ReluClassifier
from logiclens.estimators.asking import ask
from logiclens.estimators.second_opinion import (
    best_margin,
    deciding_literals,
    faithful_margin,
    second_opinion,
)
from logiclens.estimators.validation import fit_parts
from logiclens.explain.model_file import decode, encode
from logiclens.loading import load
from logiclens.nn.opinion import Opinion
from logiclens.nn.population import join
from logiclens.scale.streaming.training import narrowed, read_columns

NAMES = [f"c{at}" for at in range(15)]


def added_up(n: int = 900, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two concepts decide, unless thirteen others outweigh them together: no short formula says when."""
    random = np.random.default_rng(seed)
    x = (random.random((n, 15)) < 0.5) * 1.0
    logit = 4.0 * (2.0 * x[:, 0] * x[:, 1] - 1.0) + 1.6 * (x[:, 2:] - 0.5).sum(axis=1)
    return x, (random.random(n) < 1.0 / (1.0 + np.exp(-logit))) * 1.0


X, Y = added_up()
TABLE = dict(zip(NAMES, X.T, strict=True))


@pytest.fixture(scope="module")
def model() -> MuClassifier:
    return MuClassifier(random_state=0, encoder=None).fit(TABLE, Y.astype(int))


# The margin


@given(seed=st.integers(0, 10_000), least=st.sampled_from([0.7, 0.9, 0.98]), ties=st.booleans())
def test_of_all_margins_the_one_that_gains_most_is_taken(seed: int, least: float, ties: bool):
    random = np.random.default_rng(seed)
    truth = (random.random(60) < 0.4) * 1.0
    rules = np.stack([truth, truth]).astype(bool) ^ (random.random((2, 60)) < 0.15)
    said = rules[0] ^ (random.random(60) < 0.02)
    logit = np.where(truth > 0.5, 1.0, -1.0) * random.normal(1.0, 1.2, 60)
    logit = np.round(logit) if ties else logit
    weight = random.integers(1, 4, 60) * 1.0
    best = -np.inf
    for margin in [module.SURE, *(size for size in np.abs(logit) if size > module.SURE)]:
        moved = (np.abs(logit) > margin) & ((logit > 0) != said)
        now = np.where(moved, logit > 0, said)
        gain = weight @ ((now == truth) * 1.0 - (said == truth))
        agrees = np.mean([f1_score(now, rule, average="macro", sample_weight=weight) for rule in rules])
        if moved.any() and agrees >= least and gain > module.STANDARD_ERRORS * np.sqrt(weight[moved].sum()):
            best = max(best, gain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAST_FIDELITY", least)
        found = best_margin(logit, truth, weight, said, rules)

    if best == -np.inf:
        assert found is None
    else:
        assert found is not None
        now = np.where((np.abs(logit) > found) & ((logit > 0) != said), logit > 0, said)
        assert weight @ ((now == truth) * 1.0 - (said == truth)) == best


def test_it_is_not_heard_where_it_is_right_as_often_as_wrong():
    truth = np.tile([1.0, 0.0], 50)
    said = np.repeat([True, False], 50)
    logit = np.where(said, -3.0, 3.0)

    assert best_margin(logit, truth, np.ones(100), said, said[None]) is None


@given(
    seed=st.integers(0, 10_000),
    least=st.sampled_from([0.7, 0.9, 0.98]),
    start=st.sampled_from([0.5, 1.5, 9.0]),
)
def test_the_smallest_margin_is_taken_that_keeps_to_the_rules(seed: int, least: float, start: float):
    random = np.random.default_rng(seed)
    rules = random.random((2, 60)) < 0.4
    rules[1] = rules[0] ^ (random.random(60) < 0.03)
    said = rules[0] ^ (random.random(60) < 0.02)
    logit = np.round(random.normal(0.0, 2.0, 60) * 2.0) / 2.0
    weight = random.integers(1, 4, 60) * 1.0

    def keeps(margin: float) -> bool:
        now = np.where((np.abs(logit) > margin) & ((logit > 0) != said), logit > 0, said)
        return (
            np.mean([f1_score(now, rule, average="macro", sample_weight=weight) for rule in rules]) >= least
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAST_FIDELITY", least)
        found = faithful_margin(logit, weight, said, rules, start)
    sizes = np.unique(np.abs(logit[((logit > 0) != said) & (np.abs(logit) > start)]))
    margins = [start, *sizes[:-1]]  # with the largest, no row would be left

    if not any(map(keeps, margins)):
        assert found is None or not len(sizes)
    else:
        assert found is not None
        first = next(margin for margin in margins if keeps(margin))
        assert ((np.abs(logit) > found) == (np.abs(logit) > first))[(logit > 0) != said].all()


# One output


def test_what_rules_leave_to_be_heard_must_be_a_gain(monkeypatch: pytest.MonkeyPatch):
    said = X[:, 0] * X[:, 1] > 0.5
    found = second_opinion(X, Y, np.ones(len(X)), np.array([0, 1]), said, said[None], 15)
    assert found is not None

    monkeypatch.setattr(module, "faithful_margin", lambda *_: 100.0)
    assert second_opinion(X, Y, np.ones(len(X)), np.array([0, 1]), said, said[None], 15) is None


def test_it_keeps_to_the_rules_on_all_rows():
    """A regression on all rows is surer of them than those on parts, which the margin is chosen by."""
    larger = 0
    for seed in range(6):
        x, y = added_up(400, seed)
        said = x[:, 0] * x[:, 1] > 0.5
        found = second_opinion(x, y, np.ones(len(x)), np.array([0, 1]), said, said[None], 15)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "faithful_margin", lambda *_: module.SURE)
            before = second_opinion(x, y, np.ones(len(x)), np.array([0, 1]), said, said[None], 15)
        assert before is not None
        if found is None:
            continue
        z = x @ found.weight + found.bias
        now = np.where((np.abs(z) > found.margin) & ((z > 0) != said), z > 0, said)
        assert f1_score(now, said, average="macro") >= module.LEAST_FIDELITY
        larger += found.margin > before.margin

    assert larger


def test_it_reads_what_the_network_reads_and_a_few_more():
    kept, said = np.array([13, 14]), X[:, 0] * X[:, 1] > 0.5
    found = second_opinion(X, Y, np.ones(len(X)), kept, said, said[None], 12)

    assert found is not None
    read = np.flatnonzero(found.weight)
    assert {13, 14} < {*read.tolist()}
    assert len(read) == 12


def test_what_the_network_knows_is_not_said_again(monkeypatch: pytest.MonkeyPatch):
    """Concepts that only repeat it have next to no weight, and those have that say something else."""
    random = np.random.default_rng(0)
    x = (random.random((4000, 6)) < 0.5) * 1.0
    said = x[:, 0] * x[:, 1] > 0.5
    logit = np.where(said, 2.0, -2.0) + 2.5 * (x[:, 2:] - 0.5).sum(axis=1)
    truth = (random.random(4000) < 1.0 / (1.0 + np.exp(-logit))) * 1.0
    monkeypatch.setattr(module, "LEAST_FIDELITY", 0.5)
    found = second_opinion(x, truth, np.ones(4000), np.array([0, 1]), said, said[None], 6)

    assert found is not None
    assert np.abs(found.weight[:2]).max() < 0.5
    assert found.weight[2:] == pytest.approx(np.full(4, 2.5), abs=0.4)
    assert found.bias == pytest.approx(-5.0, abs=0.7)
    against = (logit > 0) != said
    assert ((np.abs(x @ found.weight + found.bias) > found.margin)[against]).all()  # it outweighs the network


def test_of_very_many_concepts_those_are_weighed_that_go_with_the_target(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_CONCEPTS", 8)
    monkeypatch.setattr(module, "LEAST_FIDELITY", 0.9)  # of so few concepts many rows are equal
    wide = np.hstack([np.random.default_rng(5).random((len(X), 40)), X])
    kept, said = np.array([54]), X[:, 14] > 0.5
    found = second_opinion(wide, Y, np.ones(len(X)), kept, said, said[None], 6)

    assert found is not None
    assert (np.flatnonzero(found.weight) >= 40).all()


def test_of_very_many_rows_some_stand_for_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    counts = np.random.default_rng(0).integers(0, 5, 1000) * 1.0
    some = module.drawn(counts)

    assert some.sum() in (99, 100)
    assert (counts[some > 0] > 0).all()
    assert (module.drawn(counts[:100]) == counts[:100]).all()


def test_rows_in_order_are_drawn_at_random(monkeypatch: pytest.MonkeyPatch):
    """Every so many rows of all combinations, listed, would all have the same last concept."""
    monkeypatch.setattr(module, "MOST_ROWS", 256)
    every = np.array([*product([0.0, 1.0], repeat=12)])
    drawn = module.drawn(np.ones(len(every)))

    assert np.abs(drawn @ every / drawn.sum() - 0.5).max() < 0.12


def test_noise_is_hardly_ever_heard():
    """Among hundreds of concepts that say nothing, some seem to."""
    heard = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        x = (random.random((300, 250)) < 0.5) * 1.0
        said = x[:, 0] > 0.5
        truth = np.where(random.random(300) < 0.15, ~said, said) * 1.0
        found = second_opinion(x, truth, np.ones(300), np.array([0]), said, said[None], 14)
        heard.append(found is not None)

    assert sum(heard) <= 2


def test_concepts_that_say_nothing_are_not_read():
    wide = np.hstack([X, np.ones((len(X), 3))])
    kept, said = np.array([0, 1]), X[:, 0] * X[:, 1] > 0.5
    found = second_opinion(wide, Y, np.ones(len(X)), kept, said, said[None], 18)

    assert found is not None
    assert np.flatnonzero(found.weight).tolist() == [*range(15)]


# Classifiers


@pytest.mark.parametrize("classifier", [MuClassifier, EntropyClassifier])
def test_a_network_that_hears_one_is_right_more_often(classifier: type):
    fitted = classifier(random_state=0, encoder=None).fit(TABLE, Y.astype(int))
    x, y = added_up(4000, seed=1)

    assert fitted.network_.opinion is not None
    own, heard = ask(fitted.network_.alone(), x)[:, 0] > 0, ask(fitted.network_, x)[:, 0] > 0
    assert (heard == y).mean() > (own == y).mean()
    assert (heard != own).mean() < 0.05  # not everywhere


def decided(n: int = 900, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, what a black box decides about them, and how probable it holds that to be."""
    random = np.random.default_rng(seed)
    x = (random.random((n, 15)) < 0.5) * 1.0
    logit = 4.0 * (2.0 * x[:, 0] * x[:, 1] - 1.0) + 1.6 * (x[:, 2:] - 0.5).sum(axis=1)
    return x, (logit > 0) * 1, 1.0 / (1.0 + np.exp(-np.abs(logit)))


def told(x: np.ndarray, y: np.ndarray, sure: np.ndarray | None = None, **more: Any) -> MuClassifier:
    table = dict(zip(NAMES, x.T, strict=True))
    return MuClassifier(random_state=0, encoder=None).fit(table, y, confidence=sure, **more)


def weights_of(fitted: MuClassifier) -> np.ndarray:
    said = fitted.second_opinions_[1]
    return np.array([said.get(name, 0.0) for name in NAMES])


def test_it_learns_from_how_probable_labels_are():
    """Networks and rules are the same. Weights are those of the odds, and not of whatever parts decisions."""
    x, y, sure = decided()
    plain, confident = told(x, y), told(x, y, sure)
    own = [ask(each.network_.alone(), x) for each in (plain, confident)]

    assert plain.explanations_.formulas == confident.explanations_.formulas
    assert (own[0] == own[1]).all()
    weights = [weights_of(each) for each in (plain, confident)]
    assert 1.1 < weights[1][2:].min() < weights[1][2:].max() < 1.6  # 1.6, less what a penalty takes away
    assert np.ptp(weights[0][2:]) > 2 * np.ptp(weights[1][2:])


def test_labels_that_are_certain_are_labels():
    x, y, _ = decided()
    plain, certain = told(x, y), told(x, y, np.ones(len(y)))

    assert certain.second_opinions_ == plain.second_opinions_
    assert (ask(certain.network_, x) == ask(plain.network_, x)).all()


def test_rows_that_are_equal_have_the_mean_of_what_is_said_of_them():
    x, y, sure = decided(500)
    less, more = sure - (1 - sure) / 2, sure + (1 - sure) / 2
    less, more = np.maximum(less, 0.5), more - np.maximum(0.5 - less, 0.0)
    twice = told(np.concatenate([x, x]), np.concatenate([y, y]), np.concatenate([less, more]))
    once = told(x, y, sure, sample_weight=np.full(len(y), 2.0))

    assert weights_of(once).any()
    assert np.allclose(weights_of(twice), weights_of(once), atol=1e-6)


@pytest.mark.parametrize(
    ("sure", "message"),
    [
        (np.ones(3), "confidence must have one value for each of the 900 rows. Got shape (3,)."),
        (
            np.full(900, 90.0),
            "confidence must be numbers in [0, 1]. Got 90; of percentages take a hundredth.",
        ),
        (
            np.full(900, np.nan),
            "confidence has 900 missing values (NaN), the first in row 0 (counted from 0). Impute or drop "
            "those rows first.",
        ),
        (
            np.linspace(0.25, 1.0, 900),
            "Of two classes the label is the more probable one, and confidence is 0.25 for some. Pass how "
            "probable each label itself is, such as predict_proba(X).max(axis=1).",
        ),
    ],
)
def test_confidence_that_cannot_be_is_refused(sure: np.ndarray, message: str):
    x, y, _ = decided()
    with pytest.raises(InputError) as caught:
        told(x, y, sure)

    assert str(caught.value) == message


def test_rows_of_weight_zero_may_say_what_they_want():
    x, y, sure = decided(400)
    weight = (np.arange(400) < 350) * 1.0
    odd = np.where(weight > 0, np.maximum(sure, 0.5 - 1e-10), 0.1)

    assert weights_of(told(x, y, odd, sample_weight=weight)).tolist() == pytest.approx(
        weights_of(told(x[:350], y[:350], sure[:350])).tolist()
    )


def test_priors_and_confidence_go_together():
    x, y, sure = decided(300)
    y = np.where(y, "yes", "no")
    plain, confident = (told(x, y, each, priors="c0 & c1 -> yes") for each in (None, sure))

    assert confident.explanations_.formulas == plain.explanations_.formulas


def test_parts_of_the_rows_have_a_confidence_of_their_own():
    """A part is a fit: the same weights, whether it is told of as a part or by itself."""
    x, y, sure = decided(700)
    table = dict(zip(NAMES, x.T, strict=True))
    classifier = MuClassifier(random_state=0, encoder=None)
    targets, _ = classifier.read_data(table, y, None)
    weights = [np.ones(700), (np.arange(700) < 600) * 1.0]
    parts = fit_parts(classifier, table, targets, weights, confidences=[None, sure])

    alone = [told(x, y), told(x[:600], y[:600], sure[:600])]
    for part, fitted in zip(parts, alone, strict=True):
        assert np.allclose(part.network.opinion.numpy(), fitted.network_.opinion.numpy(), atol=1e-9)
    assert not np.allclose(alone[0].network_.opinion.numpy(), alone[1].network_.opinion.numpy(), atol=0.1)


def test_a_table_of_targets_says_itself_how_far():
    x, y, sure = decided(200)
    with pytest.raises(InputError) as caught:
        told(x, np.column_stack([y, 1 - y]), sure)

    assert str(caught.value) == (
        "confidence is about labels, one a row. Of a table of targets pass degrees in [0, 1] instead."
    )


def test_of_three_classes_a_label_may_be_less_probable_than_not():
    x, y, _ = decided(300)
    three = y + (x[:, 5] > 0.5)

    assert len(told(x, three, np.full(300, 0.4 + 1e-12)).explain()) == 3


def test_rules_are_those_of_the_network_alone(model: MuClassifier):
    again = model.explain(TABLE, Y.astype(int))

    assert again.formulas == model.explanations_.formulas
    for label, rule in model.explanations_.items():
        said = model.predict(TABLE) == label
        agreement = (rule.formula.evaluate(X, NAMES) == said).mean()
        assert rule.scores is not None
        assert rule.scores.fidelity == pytest.approx(agreement)
        assert rule.support == said.sum()


def test_rows_that_it_decides_about_are_explained_by_what_makes_it_sure(model: MuClassifier):
    """Whatever else is true: of all rows there can be that satisfy it, the network says the same."""
    moved = np.flatnonzero(model.overruled(X))
    random = (np.random.default_rng(7).random((4000, 15)) < 0.5) * 1.0

    assert len(moved)
    for at in moved:
        explained = model.explain_sample(X[[at]])
        others = random.copy()
        for name in explained.concepts:
            others[:, NAMES.index(name)] = X[at, NAMES.index(name)]
        assert explained.status == "a second opinion decides, whatever else is true"
        assert explained.formula.evaluate(X[[at]], NAMES).all()
        assert explained.formula.evaluate(others, NAMES).all()
        assert (model.predict(others) == model.predict(X[[at]])).all()


def test_what_follows_from_the_rest_is_not_said_again():
    """Of a raw table, ``income > 62000`` says that it is above 9800, ``city = Rome`` that it is not Bari."""
    random = np.random.default_rng(1)
    n = 2000
    age, city = random.integers(18, 90, n), random.choice(["Rome", "Pisa", "Siena", "Bari"], n)
    job, income = random.choice(["cook", "smith", "clerk"], n), random.lognormal(10, 1, n).round()
    logit = (age - 50) / 15 + 1.5 * (city == "Rome") - 1.2 * (job == "cook") + np.log(income) - 10
    sure = 1.0 / (1.0 + np.exp(-2 * np.abs(logit)))
    table = {"age": age, "city": city, "job": job, "income": income}
    fitted = MuClassifier(random_state=0).fit(table, logit > 0, confidence=sure)
    moved = np.flatnonzero(fitted.overruled(table))

    assert len(moved)
    for at in moved:
        row = {name: values[[at]] for name, values in table.items()}
        formula = fitted.explain_sample(row).formula
        words = fitted.vocabulary_.groups(formula.concepts)
        assert without_implied(formula, words) == formula
        assert max(map(str(formula).count, (" income > ", " income <= ", " city = "))) <= 1


@given(seed=st.integers(0, 10_000))
def test_literals_that_decide_are_few_and_enough(seed: int):
    random = np.random.default_rng(seed)
    opinion = Opinion(random.normal(0, 2, 5) * (random.random(5) < 0.8), random.normal(), random.random())
    row = random.random(5) < 0.5
    every = np.array([*product([False, True], repeat=5)])
    z = every @ opinion.weight + opinion.bias
    own = row @ opinion.weight + opinion.bias

    def enough(kept: tuple[int, ...]) -> bool:
        alike = z[(every[:, kept] == row[list(kept)]).all(axis=1)]
        return bool((alike > opinion.margin).all() if own > 0 else (alike < -opinion.margin).all())

    found = deciding_literals(opinion, row, yes=bool(own > 0))
    if found is None:
        assert abs(own) <= opinion.margin
    else:
        assert enough(tuple(found))
        assert len(found) <= 1 or not any(enough(few) for few in combinations(range(5), len(found) - 1))


def test_rows_and_weights_can_be_asked_for(model: MuClassifier):
    own, heard = ask(model.network_.alone(), X)[:, 0] > 0, model.predict(X) == 1
    assert (model.overruled(TABLE) == (own != heard)).all()

    no, yes = model.second_opinions_.values()
    weights = np.abs([*yes.values()])
    assert (np.diff(weights) <= 0).all()  # those first that weigh most
    assert not {"c0", "c1"} & {*[*yes][:9]}  # the network says what these two say
    assert no == {name: -weight for name, weight in yes.items()}
    assert {*yes} == {NAMES[at] for at in np.flatnonzero(model.network_.opinion[0].numpy())}
    without = MuClassifier(random_state=0, encoder=None, settle=False).fit(TABLE, Y.astype(int))
    assert without.second_opinions_ == {0: {}, 1: {}}
    assert not without.overruled(X).any()


def test_errors_of_shorter_and_longer_rules_are_counted_with_it(model: MuClassifier):
    for label, rule in model.explanations_.items():
        said = model.predict(TABLE) == label
        for point in rule.front:
            assert point.errors == (point.formula.evaluate(X, NAMES) != said).sum()


@pytest.mark.parametrize(
    "settings",
    [
        {"settle": False},
        {"aggregation": "paper", "settle": False},
        {"rule": "only_if"},
        {"unseen": "ask"},
    ],
)
def test_networks_that_do_not_settle_hear_none(settings: dict[str, Any], model: MuClassifier):
    fitted = MuClassifier(random_state=0, encoder=None, **settings)
    assert fitted.fit(TABLE, Y.astype(int)).network_.opinion is None
    assert model.network_.opinion is not None  # with the defaults


def test_networks_that_read_all_concepts_hear_none():
    fitted = ReluClassifier(random_state=0, encoder=None, epochs=60, restarts=1).fit(TABLE, Y.astype(int))
    assert fitted.network_.opinion is None


def test_priors_are_not_overruled():
    labels = np.where(Y > 0.5, "yes", "no")
    fitted = MuClassifier(random_state=0, encoder=None).fit(TABLE, labels, priors="(c0 & c1) -> yes")
    assert fitted.network_.opinion is None


def test_of_several_classes_none_is_overruled():
    fitted = MuClassifier(random_state=0, encoder=None, epochs=60).fit(TABLE, Y + X[:, 0] * X[:, 1])
    assert fitted.network_.members == 3
    assert fitted.network_.opinion_margin is None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_rows", [1, 2, 5, 12])
def test_of_a_handful_of_rows_nothing_is_heard(n_rows: int):
    soft = np.column_stack([np.linspace(0.2, 0.7, n_rows), np.full(n_rows, 0.4)])
    fitted = MuClassifier(random_state=0, encoder=None, epochs=20, restarts=1, l1=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(X[:n_rows], soft)

    assert fitted.network_.opinion is None


def test_of_several_outputs_each_has_its_own():
    y = np.column_stack([Y, X[:, 0] * X[:, 1]])
    fitted = MuClassifier(random_state=0, encoder=None).fit(TABLE, y)

    assert fitted.network_.opinion is not None
    assert fitted.network_.opinion[0].any()
    assert not fitted.network_.opinion[1].any()  # a rule that is right has nothing to gain


def test_no_more_concepts_than_were_asked_for(model: MuClassifier):
    few = MuClassifier(random_state=0, encoder=None, max_concepts=9).fit(TABLE, Y.astype(int))

    assert few.network_.opinion is not None
    assert few.network_.read().sum() <= 9
    assert 6 < model.network_.read().sum() <= 30


def test_sets_of_rows_are_explained_by_the_network_alone(model: MuClassifier):
    assert model.explain_set(TABLE, 1).complexity <= 6
    assert model.tables_[1].names == tuple(np.array(NAMES)[model.network_.kept()[0].numpy()])


def test_networks_are_joined_before_they_hear(model: MuClassifier):
    with pytest.raises(ValueError, match=r"^Join networks before they hear second opinions\.$"):
        join([model.network_, model.network_])


def test_it_is_pickled(model: MuClassifier):
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(TABLE) == model.predict_proba(TABLE)).all()


@pytest.mark.parametrize("part", ["opinion", "opinion_bias", "opinion_margin"])
def test_files_that_lack_a_part_of_it_are_refused(model: MuClassifier, part: str, tmp_path: Path):
    model.save(tmp_path / "model.len")
    file = decode((tmp_path / "model.len").read_bytes())
    tensors = {name: tensor for name, tensor in file.tensors.items() if name != part}
    (tmp_path / "model.len").write_bytes(encode(replace(file, tensors=tensors)))

    with pytest.raises(InputError, match=part):
        load(tmp_path / "model.len")


def test_files_with_a_negative_margin_are_refused(model: MuClassifier, tmp_path: Path):
    model.save(tmp_path / "model.len")
    file = decode((tmp_path / "model.len").read_bytes())
    tensors = {**file.tensors, "opinion_margin": -file.tensors["opinion_margin"]}
    (tmp_path / "model.len").write_bytes(encode(replace(file, tensors=tensors)))

    with pytest.raises(InputError, match=r"The tensor 'opinion_margin' must not be negative\."):
        load(tmp_path / "model.len")


def test_it_is_saved(model: MuClassifier, tmp_path: Path):
    model.save(tmp_path / "model.len")
    again = load(tmp_path / "model.len")

    assert (again.predict_proba(TABLE) == model.predict_proba(TABLE)).all()
    assert again.network_.opinion is not None
    for at in np.flatnonzero(model.overruled(X)):
        assert again.explain_sample(X[[at]]) == model.explain_sample(X[[at]])


@torch.no_grad()
def test_a_stream_reads_its_columns(model: MuClassifier):
    columns = read_columns(model.network_)
    few = narrowed(model.network_, columns)
    whole = narrowed(model.network_, columns)
    whole.widen(torch.as_tensor(columns), len(NAMES))

    assert ask(whole, X) == pytest.approx(ask(model.network_, X))
    assert columns.tolist() == np.flatnonzero(model.network_.read()[0].numpy()).tolist()
    assert ask(few, X[:, columns]) == pytest.approx(ask(model.network_, X))
