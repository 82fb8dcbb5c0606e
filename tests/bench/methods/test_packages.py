"""Code of others: found or missed with one line, seeded, silent, without traces."""

from __future__ import annotations

import random
import sys
import warnings

import numpy as np
import pytest

from logiclens.bench.methods import METHODS
from logiclens.bench.methods.packages import is_installed, package_for, secluded
from logiclens.errors import MissingDependencyError
from tests.bench.methods.toys import two_classes


def test_what_is_installed():
    assert is_installed("numpy")
    assert is_installed("")
    assert not is_installed("no_such_package")
    assert package_for("x", "json") is sys.modules["json"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("brl", "BRL needs the package imodels, which is not installed. Run: pip install 'logiclens[bench]'"),
        (
            "ripper",
            "RIPPER needs the package wittgenstein, which is not installed. "
            "Run: pip install 'logiclens[bench]'",
        ),
    ],
)
def test_a_package_that_is_missing(name, message, monkeypatch):
    monkeypatch.setitem(sys.modules, METHODS[name].package, None)
    with pytest.raises(MissingDependencyError) as info:
        METHODS[name].fit(two_classes(), seed=0)
    assert str(info.value) == message


def test_generators_are_seeded_and_put_back():
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)
    drawn = []
    for _ in range(2):
        with secluded(2**40):
            drawn.append((random.random(), np.random.random()))
    with pytest.raises(KeyError), secluded(0):
        raise KeyError

    assert drawn[0] == drawn[1]
    assert (random.random(), np.random.random()) == expected


def test_nothing_is_printed_or_warned_of(capsys):
    with secluded(0):
        sys.stdout.write("printed")
        warnings.warn("warned", stacklevel=1)
        warnings.showwarning("shown", RuntimeWarning, "here", 1)
    with pytest.warns(UserWarning, match="afterwards"):
        warnings.warn("afterwards", stacklevel=1)

    assert capsys.readouterr() == ("", "")
