"""An opinion in common of several classes: heard where their networks leave open which it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import logiclens.estimators.common_opinion as module
from logiclens.errors import InputError
from logiclens.estimators import MuClassifier, runs
from logiclens.estimators.asking import ask
from logiclens.estimators.balancing import COUNTED, EVEN
from logiclens.estimators.common_opinion import common_opinion
from logiclens.estimators.counting import Fold
from logiclens.estimators.targets import Problem, Targets
from logiclens.explain.local import CONTRADICTED
from logiclens.explain.model_file import decode, encode
from logiclens.loading import load
from logiclens.nn.mu import MuNetwork

N_CLASSES, N_CONCEPTS = 8, 24
NAMES = [f"c{at}" for at in range(N_CONCEPTS)]


def noisy(n: int = 900, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes of many concepts each, some of which are always wrong: no short formula tells them apart."""
    random = np.random.default_rng(42)
    typical = random.random((N_CLASSES, N_CONCEPTS)) < 0.5
    random = np.random.default_rng([seed, 1])
    y = random.integers(0, N_CLASSES, n)
    return np.where(random.random((n, N_CONCEPTS)) < 0.22, ~typical[y], typical[y]) * 1.0, y


X, Y = noisy()
TABLE = dict(zip(NAMES, X.T, strict=True))


@pytest.fixture(scope="module")
def model() -> MuClassifier:
    return MuClassifier(random_state=0, encoder=None).fit(TABLE, Y)


def undecided(model: MuClassifier, x: np.ndarray) -> np.ndarray:
    return (ask(model.network_.alone(), x) > 0).sum(axis=1) != 1


def test_it_is_right_more_often(model: MuClassifier):
    x, y = noisy(4000, seed=1)
    own = ask(model.network_.alone(), x).argmax(axis=1)
    heard = model.predict(x)
    differs = own != heard

    assert differs.any()
    assert undecided(model, x)[differs].all()
    assert (heard == y).mean() > (own == y).mean() + 0.03


def test_no_network_changes_its_mind(model: MuClassifier):
    x, _ = noisy(2000, seed=2)
    assert ((ask(model.network_, x) > 0) == (ask(model.network_.alone(), x) > 0)).all()


def test_probabilities_go_with_what_is_predicted(model: MuClassifier):
    x, _ = noisy(2000, seed=2)
    shares = model.predict_proba(x)

    assert shares.sum(axis=1) == pytest.approx(np.ones(len(x)))
    assert (shares.argmax(axis=1) == model.predict(x)).all()


def test_rules_are_those_of_the_networks_alone(model: MuClassifier, monkeypatch: pytest.MonkeyPatch):
    said = model.predict(TABLE)
    for label, rule in model.explanations_.items():
        assert rule.support == (said == label).sum()
        assert rule.scores is not None
        agreement = (rule.formula.evaluate(X, NAMES) == (said == label)).mean()
        assert rule.scores.fidelity == pytest.approx(agreement)
    assert model.explain(TABLE, Y).formulas == model.explanations_.formulas
    monkeypatch.setattr(runs, "common_opinion", lambda *_: None)
    without = MuClassifier(random_state=0, encoder=None).fit(TABLE, Y)
    assert without.network_.opinion is None
    assert without.explanations_.formulas == model.explanations_.formulas


def test_rows_that_it_decides_about_are_explained(model: MuClassifier):
    moved = np.flatnonzero(model.overruled(X))

    assert len(moved)
    assert (model.overruled(X) == (ask(model.network_.alone(), X).argmax(axis=1) != model.predict(X))).all()
    for at in moved[:20]:
        explained = model.explain_sample(X[[at]])
        alike = explained.formula.evaluate(X, NAMES)
        assert explained.target == model.predict(X[[at]])[0]
        assert alike[at]


def test_weights_say_what_speaks_for_a_class_more_than_for_the_others(model: MuClassifier):
    weights = model.second_opinions_

    assert [*weights] == [*range(N_CLASSES)]
    read = {NAMES[at] for at in np.flatnonzero(model.network_.kept().any(dim=0).numpy())}
    assert all({*of} <= read for of in weights.values())
    for name in read:
        assert sum(of[name] for of in weights.values()) == pytest.approx(0.0, abs=1e-8)
    for of in weights.values():
        assert (np.diff(np.abs([*of.values()])) <= 0).all()


def test_a_model_that_was_saved_hears_it_again(model: MuClassifier, tmp_path: Path):
    model.save(tmp_path / "model.len")
    again = load(tmp_path / "model.len")
    x, _ = noisy(500, seed=3)

    assert (again.predict(x) == model.predict(x)).all()
    assert again.second_opinions_ == model.second_opinions_


def test_a_model_that_was_saved_explains_rows_by_the_network_of_their_class(
    model: MuClassifier, tmp_path: Path
):
    """Without rows, it is asked about tuples of its own concepts; of these, others have nothing to say."""
    model.save(tmp_path / "model.len")
    again = load(tmp_path / "model.len")
    x, _ = noisy(60, seed=4)
    decided = x[~undecided(model, x)]

    assert len(decided) > 20
    for row in decided[:20]:
        explained = again.explain_sample(row[None])
        assert explained.status != CONTRADICTED
        assert explained.formula.evaluate(row[None], NAMES).all()


def test_an_opinion_without_biases_is_refused(model: MuClassifier, tmp_path: Path):
    model.save(tmp_path / "model.len")
    file = decode((tmp_path / "model.len").read_bytes())
    tensors = {name: tensor for name, tensor in file.tensors.items() if name != "opinion_bias"}
    (tmp_path / "broken.len").write_bytes(encode(replace(file, tensors=tensors)))
    with pytest.raises(InputError, match="opinion_bias"):
        load(tmp_path / "broken.len")


# Where it is not heard


def test_where_every_row_is_decided_there_is_nothing_to_say():
    x = np.eye(3)[np.arange(300) % 3]
    fitted = MuClassifier(random_state=0, encoder=None, epochs=60).fit(x, np.arange(300) % 3)

    assert not undecided(fitted, x).any()
    assert fitted.network_.opinion is None


def test_it_must_be_right_about_more_rows_than_the_networks():
    """Here they know best which is nearest."""
    network = untrained(N_CLASSES, N_CONCEPTS)
    best = common_opinion(network, X, targets(np.eye(N_CLASSES)[Y]), whole(len(X)), COUNTED)
    assert best is not None
    with torch.no_grad():
        network.linears[-1].bias[:, 0, 0] -= torch.arange(N_CLASSES) * 5.0  # it is always the first
    truth = np.eye(N_CLASSES)[np.where(np.arange(len(X)) % 4 == 0, 0, Y)]

    assert common_opinion(network, X, targets(truth), whole(len(X)), COUNTED) is None


def test_it_is_judged_by_rows_that_it_has_not_seen():
    """Of many concepts that say nothing, it would know all rows by heart."""
    random = np.random.default_rng(3)
    x = (random.random((120, 80)) < 0.5) * 1.0
    truth = np.eye(3)[np.where(random.random(120) < 0.6, 0, random.integers(0, 3, 120))]
    network = untrained(3, 80)
    with torch.no_grad():
        network.linears[-1].bias[:, 0, 0] -= torch.arange(3) * 5.0  # the first, which is the most frequent
    by_heart = module._Sums.of(x, truth, np.ones(120)).discriminant().logits(x).argmax(axis=1)

    assert (by_heart == truth.argmax(axis=1)).mean() > 0.9
    assert common_opinion(network, x, targets(truth), whole(120), COUNTED) is None


def test_rare_classes_count_more_if_they_are_to():
    y = np.where(np.random.default_rng(0).random(len(Y)) < 0.9, 0, Y)
    truth = np.eye(N_CLASSES)[y]
    found = [
        common_opinion(untrained(N_CLASSES, N_CONCEPTS), X, targets(truth), whole(len(X)), balance)
        for balance in (COUNTED, EVEN)
    ]

    assert found[1] is not None
    said = [0.0 if each is None else (each.logits(X).argmax(axis=1) > 0).mean() for each in found]
    assert said[1] > said[0] + 0.1


def test_networks_that_read_nothing_have_no_opinion():
    network = untrained(N_CLASSES, N_CONCEPTS)
    network.linears[0].prune(torch.zeros(1))
    truth = np.eye(N_CLASSES)[Y]
    assert common_opinion(network, X, targets(truth), whole(len(X)), COUNTED) is None


def test_without_rows_to_check_with_none_is_heard():
    fold = Fold(np.ones(len(X)), np.zeros(len(X)))
    truth = np.eye(N_CLASSES)[Y]
    assert common_opinion(untrained(N_CLASSES, N_CONCEPTS), X, targets(truth), fold, COUNTED) is None


@pytest.mark.parametrize("settings", [{"settle": False}, {"rule": "only_if"}, {"unseen": "ask"}])
def test_networks_that_do_not_settle_hear_none(settings: dict[str, object]):
    fitted = MuClassifier(random_state=0, encoder=None, epochs=60, restarts=1, **settings).fit(TABLE, Y)
    assert fitted.network_.opinion is None


@pytest.mark.parametrize("problem", [Problem.MULTI_LABEL, Problem.OUTPUT_BY_OUTPUT])
def test_of_outputs_that_do_not_exclude_each_other_there_is_none(problem: Problem):
    truth = np.eye(N_CLASSES)[Y]
    network = untrained(N_CLASSES, N_CONCEPTS)
    labels = tuple(range(N_CLASSES))

    assert common_opinion(network, X, targets(truth), whole(len(X)), COUNTED) is not None
    assert common_opinion(network, X, Targets(labels, problem, truth), whole(len(X)), COUNTED) is None


# The discriminant


def untrained(members: int, n_concepts: int, seed: int = 0) -> MuNetwork:
    """Networks that say no to everything, each to its own degree."""
    streams = [np.random.default_rng([seed, member]) for member in range(members)]
    network = MuNetwork(streams, n_concepts, (4,), [0.01] * members).double()
    with torch.no_grad():
        network.linears[-1].bias -= 10.0
    return network


def targets(truth: np.ndarray) -> Targets:
    return Targets(tuple(range(truth.shape[1])), Problem.SINGLE_LABEL, truth)


def whole(n_rows: int) -> Fold:
    """A fold that is checked with every fourth row."""
    check = np.arange(n_rows) % 4 == 0
    return Fold(1.0 - check, 1.0 * check)


def test_it_is_a_linear_discriminant(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "SHRUNK", 0.1)
    found = common_opinion(
        untrained(N_CLASSES, N_CONCEPTS), X, targets(np.eye(N_CLASSES)[Y]), whole(len(X)), COUNTED
    )
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X, Y)
    x, y = noisy(2000, seed=4)

    assert found is not None
    ours = (x @ found.weight.T + found.bias).argmax(axis=1)
    assert (ours == peer.predict(x)).mean() > 0.98
    assert (ours == y).mean() == pytest.approx((peer.predict(x) == y).mean(), abs=0.01)


def test_rows_that_count_twice_are_two_rows():
    network, twice = untrained(N_CLASSES, N_CONCEPTS), np.r_[0:900, 0:300]
    weight = np.where(np.arange(900) < 300, 2.0, 1.0)
    truth = np.eye(N_CLASSES)[Y]
    one = common_opinion(network, X, targets(truth), Fold(weight * 0.75, weight * 0.25), COUNTED)
    other = common_opinion(network, X[twice], targets(truth[twice]), whole(1200), COUNTED)

    assert one is not None
    assert other is not None
    assert one.weight == pytest.approx(other.weight)
    assert one.bias == pytest.approx(other.bias)


def test_of_very_many_concepts_those_are_read_that_tell_classes_apart(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_CONCEPTS", N_CONCEPTS)
    wide = np.hstack([(np.random.default_rng(0).random((len(X), 50)) < 0.5) * 1.0, X])
    found = common_opinion(
        untrained(N_CLASSES, 50 + N_CONCEPTS), wide, targets(np.eye(N_CLASSES)[Y]), whole(len(X)), COUNTED
    )

    assert found is not None
    read = np.flatnonzero(found.weight.any(axis=0))
    assert len(read) == N_CONCEPTS
    assert (read >= 50).mean() > 0.9


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_rows", [1, 2, 5, 9])
def test_of_a_handful_of_rows_something_finite_is_said_or_nothing(n_rows: int):
    truth = np.eye(3)[np.arange(n_rows) % 3]
    found = common_opinion(untrained(3, N_CONCEPTS), X[:n_rows], targets(truth), whole(n_rows), COUNTED)

    assert found is None or np.isfinite(found.logits(X)).all()


def test_classes_that_do_not_vary_are_told_apart():
    """Nothing varies within classes, and one of them is rarely there."""
    y = np.r_[np.zeros(200, int), np.ones(200, int), [2, 2]]
    x = np.eye(3)[y]
    found = common_opinion(untrained(3, 3, seed=1), x, targets(np.eye(3)[y]), whole(len(y)), COUNTED)

    assert found is not None
    assert np.isfinite(found.weight).all()
    assert ((x @ found.weight.T + found.bias).argmax(axis=1) == y).all()
