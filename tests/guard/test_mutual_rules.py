"""Rules between the columns of a table, and a guard of raw tables."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from logiclens.errors import InputError
from logiclens.estimators import EntropyClassifier
from logiclens.guard import RuleGuard, mutual_rules


def readings(n, seed=0):
    """A thermometer with two scales, a door that opens when it is warm, and a lamp of no importance."""
    rng = np.random.default_rng(seed)
    celsius = rng.uniform(0, 40, n)
    celsius[rng.random(n) < 0.05] = np.nan
    return pd.DataFrame(
        {
            "celsius": celsius,
            "fahrenheit": (32 + 1.8 * np.nan_to_num(celsius, nan=20)).round(1),
            "door": np.where(np.nan_to_num(celsius, nan=20) > 25, "open", "shut"),
            "lamp": rng.choice(["red", "green"], n),
        }
    )


@pytest.fixture(scope="module")
def rules():
    return mutual_rules(readings(400))


def test_columns_are_explained_by_the_others(rules):
    targets = [explanation.target for explanation in rules]

    assert any(name.startswith("celsius > ") for name in targets)
    assert any(name.startswith("door = ") for name in targets)
    for explanation in rules:
        own = explanation.vocabulary[explanation.target].column
        assert own not in {explanation.vocabulary[name].column for name in explanation.concepts}
        assert explanation.evaluate(readings(50)).shape == (50,)


def test_a_guard_of_such_rules_reads_raw_tables_and_notices_drift(rules):
    guard = RuleGuard(rules).fit(readings(300, seed=1))
    clean, drifted = readings(400, seed=2), readings(400, seed=2)
    drifted["celsius"] = np.random.default_rng(3).permutation(drifted["celsius"])

    assert (guard.predict(clean) == -1).mean() < 0.1
    assert (guard.predict(drifted) == -1).mean() > 0.5
    row = pd.DataFrame({"lamp": ["red"], "door": ["shut"], "celsius": [38.0], "fahrenheit": [40.0]})
    assert guard.predict(row).tolist() == [-1]
    assert "celsius" in str(guard.violations(row))
    assert "fahrenheit" in str(guard.violations(row))


def test_another_network_and_rare_concepts():
    table = readings(300)
    rules = mutual_rules(table[["celsius", "fahrenheit"]], EntropyClassifier(random_state=0), min_share=0.3)

    assert rules
    for explanation in rules:
        share = explanation.vocabulary.encode(table)[explanation.target].mean()
        assert 0.3 <= share <= 0.7


@pytest.mark.parametrize(
    ("table", "estimator", "message"),
    [
        (readings(50), "mu", "mutual_rules needs a classifier such as MuClassifier(). Got 'mu'."),
        (
            readings(50)[["celsius"]],
            None,
            "The columns say nothing about each other. Pass a table whose columns hang together.",
        ),
    ],
)
def test_what_is_refused(table, estimator, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        mutual_rules(table, estimator)
