"""Large tables: what is trained on, and that it says what all of it would."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from logiclens.estimators import MuClassifier, reducing
from logiclens.estimators.asking import ask
from logiclens.estimators.counting import Fold
from logiclens.estimators.inputs import read_concepts
from logiclens.estimators.reducing import is_large, reduced, sample, telling_concepts
from logiclens.estimators.runs import fit_folds
from logiclens.estimators.targets import read_targets
from logiclens.loading import load
from logiclens.logic import equivalent, parse_formula
from tests.estimators.toys import CLASSIFIERS, quick


def scores(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers that are all distinct, and an output that is true of one in ten."""
    x = np.random.default_rng(seed).random((n, 3))
    return x, (x[:, :1] > 0.9).astype(float)


def whole_fold(n: int) -> Fold:
    check = (np.arange(n) % 4 == 0).astype(float)
    return Fold(1.0 - check, check)


# --- rows ---


@given(st.integers(0, 10**6), st.integers(1, 300))
def test_a_sample_weighs_what_all_rows_weigh(seed, n_drawn):
    x, outputs = scores(400, seed)
    fold = whole_fold(400)

    drawn = sample(x, outputs, fold, n_drawn, seed)

    for weight, part in ((fold.train, drawn.train), (fold.check, drawn.check)):
        assert part @ outputs == pytest.approx(weight @ outputs)
        assert part.sum() == pytest.approx(weight.sum())
        assert not part[weight == 0].any()
    n_found = int((drawn.train > 0).sum() + (drawn.check > 0).sum())
    assert abs(n_found - n_drawn) <= 4  # one for each output and part


def test_of_a_rare_output_more_is_drawn():
    x, outputs = scores(2000)
    drawn = sample(x, outputs, whole_fold(2000), 400, seed=0)

    chosen = drawn.train + drawn.check > 0
    assert outputs[chosen].mean() == pytest.approx(1 / (1 + 9**0.5), abs=0.03)  # by the square root


def test_an_output_of_few_rows_keeps_them_all():
    x, _ = scores(1000)
    outputs = np.zeros((1000, 1))
    outputs[:6] = 1.0
    drawn = sample(x, outputs, whole_fold(1000), 100, seed=0)

    assert ((drawn.train + drawn.check)[:6] == 1.0).all()
    assert (drawn.train + drawn.check > 0).sum() == pytest.approx(100, abs=2)


def test_a_row_of_several_outputs_counts_as_its_rarest():
    rng = np.random.default_rng(0)
    x = rng.random((1000, 2))
    common, rare = rng.random(1000) < 0.9, np.arange(1000) < 8
    drawn = sample(x, np.column_stack([common, rare]) * 1.0, whole_fold(1000), 200, seed=0)

    assert (drawn.train + drawn.check)[:8].all()


@given(st.integers(0, 10**6))
def test_a_sample_does_not_depend_on_the_order_of_rows_or_on_repetition(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (60, 7)).astype(float)
    outputs = (rng.random((60, 1)) < 0.3).astype(float)
    counts = rng.integers(1, 4, 60)
    again = rng.permutation(np.repeat(np.arange(60), counts))

    counted = sample(x, outputs, Fold(counts * 1.0, counts * 0.0), 20, seed)
    one_by_one = sample(x[again], outputs[again], Fold(np.ones(len(again)), np.zeros(len(again))), 20, seed)

    def by_row(values: np.ndarray, weight: np.ndarray) -> dict[tuple[float, ...], float]:
        rows = map(tuple, values[weight > 0].tolist())
        return dict(zip(rows, weight[weight > 0].tolist(), strict=True))

    both = np.hstack([x, outputs])
    assert by_row(both, counted.train) == by_row(both[again], one_by_one.train)


# --- concepts ---


def test_copies_of_one_signal_do_not_crowd_out_another(monkeypatch):
    monkeypatch.setattr(reducing, "TELLING", (8, 2, 8))
    rng = np.random.default_rng(0)
    strong, weak = rng.random(500) < 0.5, rng.random(500) < 0.5
    copies = strong[:, None] ^ (rng.random((500, 100)) < 0.02)
    x = np.column_stack([copies, weak, rng.random((500, 100)) < 0.5]).astype(float)
    y = (strong | (weak & (rng.random(500) < 0.5)))[:, None].astype(float)

    taken = telling_concepts(x, y, np.ones(500))

    assert 100 in taken
    assert len(taken) == 8
    assert (np.diff(taken) > 0).all()


def test_each_output_has_its_own_telling_concepts(monkeypatch):
    monkeypatch.setattr(reducing, "TELLING", (256, 4, 8))
    x = (np.random.default_rng(0).random((300, 50)) < 0.5).astype(float)

    taken = telling_concepts(x, x[:, [7, 40]], np.ones(300))

    assert {7, 40} <= {*taken.tolist()}
    assert len(taken) <= 8


@given(st.integers(0, 10**6))
def test_telling_concepts_count_rows_by_their_weight(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (40, 30)).astype(float)
    y, counts = x[:, [3]] * x[:, [4]], rng.integers(0, 4, 40)
    again = np.repeat(np.arange(40), counts)

    first = telling_concepts(x, y, counts * 1.0)
    assert first.tolist() == telling_concepts(x[again], y[again], np.ones(len(again))).tolist()


# --- both ---


def test_small_tables_are_left_alone():
    x, _ = scores(100)

    assert not is_large(x, whole_fold(100))


def test_repeated_rows_do_not_make_a_table_large(monkeypatch):
    monkeypatch.setattr(reducing, "MOST_ROWS", 50)
    x, _ = scores(100)
    first_half = Fold((np.arange(100) < 50) * 1.0, np.zeros(100))

    assert is_large(x, whole_fold(100))
    assert not is_large(np.round(x), whole_fold(100))
    assert not is_large(x, first_half)  # rows of weight 0 are none


def test_what_is_trained_on_is_within_the_limits(monkeypatch):
    monkeypatch.setattr(reducing, "MOST_ROWS", 50)
    monkeypatch.setattr(reducing, "CELLS", 60)
    monkeypatch.setattr(reducing, "MOST_CONCEPTS", 2)
    monkeypatch.setattr(reducing, "TELLING", (1, 1, 1))
    monkeypatch.setattr(reducing, "_ROUNDS", 1)
    x, outputs = scores(200)
    part = reduced(x, outputs, whole_fold(200), seed=0)

    assert part.columns.tolist() == [0]
    assert len(part.x) == pytest.approx(30, abs=4)
    assert part.x.shape[1] == 1
    assert part.fold.train.shape == part.fold.check.shape == (len(part.x),)
    assert (part.outputs == (part.x > 0.9)).all()


def large_flags(n: int = 1500, width: int = 40) -> tuple[pd.DataFrame, np.ndarray]:
    """Flags that are hardly ever twice the same, and labels: ``f3 & f17 | f30``."""
    x = np.random.default_rng(1).random((n, width)) < 0.5
    y = np.where((x[:, 3] & x[:, 17]) | x[:, 30], "yes", "no")
    return pd.DataFrame(x, columns=[f"f{j}" for j in range(width)]), y


@pytest.fixture
def low_limits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reducing, "MOST_ROWS", 500)
    monkeypatch.setattr(reducing, "MOST_CONCEPTS", 30)
    monkeypatch.setattr(reducing, "TELLING", (12, 4, 24))


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("kind", sorted(CLASSIFIERS))
def test_every_network_reads_all_concepts_though_it_learned_from_some(kind, tmp_path):
    X, y = large_flags()
    model = quick(kind, epochs=80).fit(X, y)

    assert model.network_.n_concepts == 40
    assert model.concept_relevance_.shape == (model.network_.members, 40)
    assert (model.predict(X) == y).mean() > 0.9
    assert (model.explain().predict(X) == y).mean() > 0.85
    model.save(tmp_path / "model")
    assert (load(tmp_path / "model").predict(X) == model.predict(X)).all()


@pytest.mark.usefixtures("low_limits")
def test_the_planted_rule_is_found_and_found_again():
    X, y = large_flags()
    first, second = (MuClassifier(random_state=0, device="cpu").fit(X, y).explain() for _ in range(2))

    assert equivalent(first["yes"].formula, parse_formula("f3 & f17 | f30"))
    assert first.formulas == second.formulas
    assert first["yes"].scores.n_rows == len(X)  # rules are scored on all rows


@pytest.mark.usefixtures("low_limits")
@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
def test_a_row_of_weight_2_is_two_rows():
    X, y = large_flags(800)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    again = np.repeat(np.arange(len(X)), weight)

    weighted = quick("mu").fit(X, y, sample_weight=weight)
    repeated = quick("mu").fit(X.iloc[again], y[again])

    assert weighted.explain().formulas == repeated.explain().formulas
    assert np.allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("width", [30, 40])
@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
def test_a_fold_is_what_a_fit_on_that_fold_would_have_been(width):
    """Some folds are large, and some are not."""
    X, y = large_flags(1000)
    x = np.array(X, dtype=float)[:, :width]
    clf, targets, names = quick("mu"), read_targets(y, 1000), X.columns[:width]
    recipe = clf.recipe(read_concepts(x, [*names]))
    parts = [np.arange(1000) < n for n in (800, 400, 700)]
    folds = [clf.hold_out(x, targets, part.astype(float)) for part in parts]

    for found, part in zip(fit_folds(recipe, x, targets, folds), parts, strict=True):
        alone = quick("mu").fit(X.iloc[part, :width], y[part])
        assert alone.explain().formulas == found.rules.formulas
        assert np.allclose(ask(alone.network_, x), ask(found.network, x), atol=1e-3)


@pytest.mark.usefixtures("low_limits")
def test_several_labels_and_classes_are_learned_from_a_sample():
    X, _ = large_flags()
    outputs = X[["f1", "f2", "f5"]].astype(int)
    rules = quick("mu").fit(X, outputs).explain()
    assert [str(rule.formula) for rule in rules.values()] == ["f1", "f2", "f5"]

    labels = np.select([X["f1"], X["f2"]], ["a", "b"], "c")
    rules = quick("mu", epochs=80).fit(X, labels).explain()
    assert (rules.predict(X) == labels).all()
