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
BATCH = f"{WHOLE}, or None for as many as suit the table"
SIZES = "must be the sizes of the hidden layers, such as (10,)"
SHARE = "must be a number of at least 0 and less than 1"
POSITIVE = "must be a positive number"
RATE = "must be a number in [0, 1]"
LENGTH = "must be a whole number of at least 0, or 'auto'"
SEVERAL = "must be a number of at least 0, or several to choose from"
ENCODER = "must be 'auto', a ConceptEncoder, or None for inputs that are concepts in [0, 1]"
WEIGHTS = "must be 'balanced', None or a mapping from label to weight"
DEVICE = "must be 'auto', 'cpu' or a device that torch can use here"
SEED = "must be a whole number of at least 0, None or a RandomState"


@pytest.mark.parametrize(
    ("kind", "setting", "value", "rule"),
    [
        ("mu", "epochs", 0, WHOLE),
        ("mu", "epochs", 1.5, WHOLE),
        ("mu", "epochs", True, WHOLE),
        ("mu", "restarts", -1, WHOLE),
        ("mu", "patience", "3", WHOLE),
        ("psi", "fan_in", 0, WHOLE),
        ("mu", "max_concepts", 0, f"{WHOLE}, or 'auto'"),
        ("mu", "max_literals", None, f"{WHOLE}, or 'auto'"),
        ("mu", "batch_size", 0, BATCH),
        ("mu", "hidden", 5, SIZES),
        ("mu", "hidden", "10", SIZES),
        ("mu", "validation_fraction", 1, SHARE),
        ("mu", "validation_fraction", "a", SHARE),
        ("mu", "learning_rate", 0, POSITIVE),
        ("mu", "learning_rate", np.nan, POSITIVE),
        ("mu", "learning_rate", True, POSITIVE),
        ("entropy", "temperature", 0, POSITIVE),
        ("entropy", "temperature", np.True_, POSITIVE),
        ("mu", "tau", 2, RATE),
        ("mu", "tau", True, RATE),
        ("mu", "distillation", 1.5, RATE),
        ("psi", "distillation", "a", RATE),
        ("mu", "literal_cost", -0.1, f"{RATE}, or 'auto'"),
        ("mu", "literal_cost", np.nan, f"{RATE}, or 'auto'"),
        ("mu", "literals", -1, LENGTH),
        ("mu", "literals", "few", LENGTH),
        ("mu", "literals", True, LENGTH),
        ("mu", "l1", -1, SEVERAL),
        ("mu", "l1", (), SEVERAL),
        ("mu", "l1", "a", SEVERAL),
        ("mu", "l1", True, SEVERAL),
        ("mu", "encoder", "Auto", ENCODER),
        ("mu", "class_weight", "auto", WEIGHTS),
        ("mu", "device", "abacus", DEVICE),
        ("mu", "random_state", -1, SEED),
        ("mu", "random_state", "a", SEED),
    ],
)
def test_settings_that_make_no_sense_are_refused(kind, setting, value, rule):
    expected = f"{setting} {rule}. Got {value!r}."

    assert error_of(quick(kind, **{setting: value}).fit, [[0.0], [1.0]], [0, 1]) == expected


@pytest.mark.parametrize(
    ("kind", "setting", "value", "message"),
    [
        ("mu", "hidden", (2.5,), f"The size of a hidden layer {WHOLE}. Got 2.5."),
        ("psi", "fan_in", 17, "fan_in must be at most 16. Got 17; 2 to 9 are readable."),
        (
            "mu",
            "rule",
            "cluster",
            "The rule of a classifier must be 'iff', 'if' or 'only_if'. Got 'cluster'.",
        ),
        ("mu", "rule", "onlyif", "Unknown rule 'onlyif'. Did you mean 'only_if'? There are 'if', 'only_if',"),
    ],
)
def test_settings_with_a_message_of_their_own(kind, setting, value, message):
    assert message in error_of(quick(kind, **{setting: value}).fit, [[0.0], [1.0]], [0, 1])


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
