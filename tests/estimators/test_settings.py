"""Settings: what is refused, in which words."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from logiclens.constants import WIDTHS
from logiclens.estimators._parameters import check_settings, penalties, seed_of, widths
from tests.errors import error_of
from tests.estimators.toys import CLASSIFIERS, quick


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_defaults_are_allowed(kind):
    check_settings(CLASSIFIERS[kind]().get_params())


WHOLE = "must be a whole number of at least 1"


@pytest.mark.parametrize(
    ("kind", "setting", "value", "message"),
    [
        ("mu", "epochs", 0, f"epochs {WHOLE}. Got 0."),
        ("mu", "epochs", 1.5, f"epochs {WHOLE}. Got 1.5."),
        ("mu", "epochs", True, f"epochs {WHOLE}. Got True."),
        ("mu", "restarts", -1, f"restarts {WHOLE}. Got -1."),
        ("mu", "patience", "3", f"patience {WHOLE}. Got '3'."),
        ("mu", "max_concepts", 0, f"max_concepts {WHOLE}, or 'auto'. Got 0."),
        ("mu", "max_literals", None, f"max_literals {WHOLE}, or 'auto'. Got None."),
        ("psi", "fan_in", 0, f"fan_in {WHOLE}. Got 0."),
        ("mu", "batch_size", 0, f"batch_size {WHOLE}, or None for as many as suit the table. Got 0."),
        ("mu", "batch_size", 2.5, f"batch_size {WHOLE}, or None for as many as suit the table. Got 2.5."),
        ("mu", "hidden", (0,), f"The size of a hidden layer {WHOLE}. Got 0."),
        ("mu", "hidden", (2.5,), f"The size of a hidden layer {WHOLE}. Got 2.5."),
        ("mu", "hidden", 5, "hidden must be the sizes of the hidden layers, such as (10,). Got 5."),
        ("mu", "hidden", "10", "hidden must be the sizes of the hidden layers, such as (10,). Got '10'."),
        (
            "mu",
            "validation_fraction",
            1,
            "validation_fraction must be a number of at least 0 and less than 1. Got 1.",
        ),
        (
            "mu",
            "validation_fraction",
            "a",
            "validation_fraction must be a number of at least 0 and less than 1. Got 'a'.",
        ),
        ("mu", "learning_rate", 0, "learning_rate must be a positive number. Got 0."),
        ("mu", "learning_rate", np.nan, "learning_rate must be a positive number. Got nan."),
        ("mu", "tau", 2, "tau must be a number in [0, 1]. Got 2."),
        ("mu", "tau", "a", "tau must be a number in [0, 1]. Got 'a'."),
        ("entropy", "temperature", 0, "temperature must be a positive number. Got 0."),
        ("entropy", "temperature", np.nan, "temperature must be a positive number. Got nan."),
        (
            "mu",
            "encoder",
            "Auto",
            "encoder must be 'auto', a ConceptEncoder, or None for inputs that are concepts in [0, 1]. "
            "Got 'Auto'.",
        ),
        ("mu", "distillation", 1.5, "distillation must be a number in [0, 1]. Got 1.5."),
        ("psi", "distillation", "a", "distillation must be a number in [0, 1]. Got 'a'."),
        ("mu", "literal_cost", -0.1, "literal_cost must be a number in [0, 1], or 'auto'. Got -0.1."),
        ("mu", "literal_cost", np.nan, "literal_cost must be a number in [0, 1], or 'auto'. Got nan."),
        ("mu", "literals", -1, "literals must be a whole number of at least 0, or 'auto'. Got -1."),
        ("mu", "literals", 2.5, "literals must be a whole number of at least 0, or 'auto'. Got 2.5."),
        ("mu", "literals", "few", "literals must be a whole number of at least 0, or 'auto'. Got 'few'."),
        ("mu", "literals", True, "literals must be a whole number of at least 0, or 'auto'. Got True."),
        ("psi", "fan_in", 17, "fan_in must be at most 16. Got 17; 2 to 9 are readable."),
        ("mu", "l1", -1, "l1 must be a number of at least 0, or several to choose from. Got -1."),
        ("mu", "l1", (), "l1 must be a number of at least 0, or several to choose from. Got ()."),
        ("mu", "l1", "a", "l1 must be a number of at least 0, or several to choose from. Got 'a'."),
        (
            "mu",
            "class_weight",
            "x",
            "class_weight must be 'balanced', None or a mapping from label to weight. Got 'x'.",
        ),
        (
            "mu",
            "class_weight",
            "auto",
            "class_weight must be 'balanced', None or a mapping from label to weight. Got 'auto'.",
        ),
        (
            "mu",
            "rule",
            "cluster",
            "The rule of a classifier must be 'iff', 'if' or 'only_if'. Got 'cluster'.",
        ),
        (
            "mu",
            "rule",
            "onlyif",
            "Unknown rule 'onlyif'. Did you mean 'only_if'? There are 'if', 'only_if', 'iff', 'cluster'.",
        ),
        (
            "mu",
            "device",
            "abacus",
            "device must be 'auto', 'cpu' or a device that torch can use here. Got 'abacus'.",
        ),
        (
            "mu",
            "random_state",
            -1,
            "random_state must be a whole number of at least 0, None or a RandomState. Got -1.",
        ),
        (
            "mu",
            "random_state",
            "a",
            "random_state must be a whole number of at least 0, None or a RandomState. Got 'a'.",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(kind, setting, value, message):
    assert error_of(quick(kind, **{setting: value}).fit, [[0.0], [1.0]], [0, 1]) == message


def test_penalties_are_one_or_several():
    assert penalties(0.5) == (0.5,)
    assert penalties(np.float32(0.5)) == (0.5,)
    assert penalties([0, 1]) == (0.0, 1.0)
    assert penalties(np.array([0.5, 0.25])) == (0.5, 0.25)


def test_numbers_of_concepts_to_choose_from():
    assert widths("auto") == (*WIDTHS, sys.maxsize)  # and all of them
    assert widths(np.int64(7)) == (7,)
    assert list(WIDTHS) == sorted(set(WIDTHS))


def test_seeds():
    assert seed_of(5) == seed_of(np.int64(5)) == 5
    assert seed_of(np.random.RandomState(1)) == seed_of(np.random.RandomState(1))
    assert seed_of(None) >= 0
