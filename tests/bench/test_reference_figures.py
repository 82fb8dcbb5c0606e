"""The figures to compare with."""

from __future__ import annotations

import pytest

from logiclens.bench.experiments import EXPERIMENTS
from logiclens.bench.methods import METHODS
from logiclens.bench.reference_figures import PUBLISHED, published

COUNTS = {"complexity", "seconds"}


def test_keys_are_names_that_rows_have_and_rates_are_rates():
    for (column, experiment, method), (mean, spread) in PUBLISHED.items():
        assert experiment in EXPERIMENTS
        assert method in METHODS
        assert column in COUNTS or 0 <= mean <= 1
        assert not spread < 0  # NaN where there is none


def test_the_tables_are_full():
    """Five experiments, five methods and five tables; clusters and entropy networks have fewer."""
    five = [
        key
        for key in PUBLISHED
        if key[1] != "mnist-iclu" and key[2] in ("tree", "brl", "psi", "relu", "mu") and key[0] != "seconds"
    ]

    assert len(five) == 5 * 5 * 5
    assert sum(key[1] == "mnist-iclu" for key in PUBLISHED) == 3 * 5
    assert sum(key[2] == "entropy" for key in PUBLISHED) == 4 + 4 + 3


def test_figures_are_those_of_the_paper():
    """One of each table, from its corners."""
    assert published("model_accuracy", "mimic2", "tree") == pytest.approx((0.7753, 0.0145))
    assert published("explanation_accuracy", "mimic2-ebb", "mu") == pytest.approx((0.7184, 0.0182))
    assert published("complexity", "mnist", "brl") == pytest.approx((1352.3, 292.62))
    assert published("fidelity", "cub", "relu") == pytest.approx((0.8928, 0.0290))
    assert published("consistency", "vdem", "psi").mean == pytest.approx(0.38)
    assert published("seconds", "mnist-iclu", "relu") == pytest.approx((4.15, 1.62))


def test_settings_of_the_paper_have_the_same_figure():
    assert published("fidelity", "cub", "mu-reference") == published("fidelity", "cub", "mu")
    assert published("fidelity", "cub", "boosting") is None
    assert published("fidelity", "my table", "mu") is None
