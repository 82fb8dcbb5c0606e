"""How often conditions return in fits to resamples."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens import MuClassifier
from logiclens.errors import InputError
from logiclens.estimators.stability import resample_rules
from logiclens.logic import Var

RANDOM = np.random.default_rng(0)
COLUMNS = {name: RANDOM.uniform(0, 100, 400) for name in ("age", "dose", "height")}
RISK = np.where((COLUMNS["age"] > 60) & (COLUMNS["dose"] > 50), "high", "low")


@pytest.fixture(scope="module")
def model() -> MuClassifier:
    return MuClassifier(random_state=0).fit(COLUMNS, RISK)


def test_a_plain_rule_returns(model: MuClassifier):
    found = resample_rules(model, COLUMNS, RISK, n_resamples=5)
    columns = {model.vocabulary_[literal.concepts[0]].column for literal in found.returns}

    assert columns >= {"age", "dose"}
    assert np.mean(list(found.returns.values())) > 0.8
    assert found.agreement > 0.9


def test_rules_about_noise_return_less_often(model: MuClassifier):
    random = np.random.default_rng(1)
    noisy = np.where(random.random(len(RISK)) < 0.3, random.choice(["high", "low"], len(RISK)), RISK)
    plain = MuClassifier(random_state=0, literals=8).fit(COLUMNS, noisy)
    found = resample_rules(plain, COLUMNS, noisy, n_resamples=5)

    assert found.agreement < resample_rules(model, COLUMNS, RISK, n_resamples=5).agreement
    assert np.mean(list(found.returns.values())) < 1.0


def test_the_same_numbers_come_again(model: MuClassifier):
    first, second = (resample_rules(model, COLUMNS, RISK, n_resamples=2) for _ in range(2))

    assert first == second


def test_concepts_without_columns_and_several_targets():
    x = RANDOM.integers(0, 2, (200, 3))
    model = MuClassifier(random_state=0).fit(x, x[:, :2])
    found = resample_rules(model, x, x[:, :2], n_resamples=3)

    assert found.returns == {Var("x0"): 1.0, Var("x1"): 1.0}
    assert found.agreement == 1.0


def test_no_rule_has_no_conditions():
    x = np.random.default_rng(1).integers(0, 2, (100, 2))
    y = np.random.default_rng(2).integers(0, 2, 100)
    model = MuClassifier(random_state=0, literals=0).fit(x, y)

    assert resample_rules(model, x, y, n_resamples=2).returns == {}


def test_no_resample_is_refused(model: MuClassifier):
    with pytest.raises(InputError, match="n_resamples"):
        resample_rules(model, COLUMNS, RISK, n_resamples=0)


def test_a_rare_category_does_not_return_as_another_one():
    """Two wards of 3 % of the rows differ on 6 % of them, and counted as one condition."""
    random = np.random.default_rng(0)
    ward = random.choice(["A", "B", "C"], 1000, p=[0.03, 0.03, 0.94])
    wards = {"ward": ward, "age": random.uniform(0, 100, 1000)}
    model = MuClassifier(random_state=0, literals=1).fit(wards, ward == "A")
    same, other = (resample_rules(model, wards, ward == name, n_resamples=3) for name in "AB")

    assert set(same.returns.values()) == {1.0}
    assert set(other.returns.values()) == {0.0}


def test_rows_of_a_group_are_drawn_together(model: MuClassifier):
    """Six copies of each row say no more than one."""
    copied = {name: np.repeat(column, 6) for name, column in COLUMNS.items()}
    flipped = np.where(np.random.default_rng(1).random(400) < 0.3, "low", RISK)
    patients = np.repeat(np.arange(400), 6)
    apart = resample_rules(model, copied, np.repeat(flipped, 6), n_resamples=5)
    together = model.stability(copied, np.repeat(flipped, 6), groups=patients, n_resamples=5)

    assert together.agreement <= apart.agreement
    with pytest.raises(InputError, match="groups"):
        model.stability(COLUMNS, RISK, groups=patients)
