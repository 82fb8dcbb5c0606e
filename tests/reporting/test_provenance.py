from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

import logiclens
from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError
from logiclens.reporting import Source
from logiclens.reporting._subject import created, plain_settings, provenance_of, subject_of


def test_what_an_audit_needs_is_there(iris, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")

    found = provenance_of(subject_of(iris.model), Source(command="logiclens explain x.csv", data_sha256="ab"))

    assert found.version == logiclens.__version__
    assert found.created == "1970-01-02T00:00:00+00:00"
    assert (found.seed, found.network, found.settings["epochs"]) == (0, "MuClassifier", 100)
    assert (found.data_sha256, found.command) == ("ab", "logiclens explain x.csv")
    assert found.rules_sha256 == hashlib.sha256(iris.model.explain().to_json().encode()).hexdigest()
    assert found.packages["numpy"] == np.__version__


def test_rules_alone_have_neither_seed_nor_settings(iris):
    found = provenance_of(subject_of(iris.model.explain()), Source())

    assert (found.seed, found.network, found.settings) == (None, "", {})


def test_the_time_is_now_unless_it_is_set(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)

    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", created())


@pytest.mark.parametrize("epoch", ["soon", "1e99", "9" * 40])
def test_a_time_that_is_none_is_refused(epoch, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)

    with pytest.raises(InputError) as caught:
        created()

    assert str(caught.value) == (
        f"SOURCE_DATE_EPOCH must be a whole number of seconds since 1970. Got {epoch!r}."
    )


def test_settings_are_written_the_same_each_time():
    found = plain_settings(
        {
            "a": None,
            "b": 0.5,
            "c": float("nan"),
            "d": (1, 2),
            "e": ConceptEncoder(max_cuts=1),
            "f": lambda x: x,
            "g": list(range(1000)),
            "h": np.int64(3),
        }
    )

    assert list(found.values())[:6] == [None, 0.5, "nan", "(1, 2)", "ConceptEncoder(max_cuts=1)", "function"]
    assert len(found["g"]) == 200
    assert found["h"] == 3
