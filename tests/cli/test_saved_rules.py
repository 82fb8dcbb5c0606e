"""Saved files, as commands read them."""

from __future__ import annotations

import pytest

from logiclens.cli.saved_rules import label_named, network_in, rules_in
from logiclens.errors import UnknownTargetError
from logiclens.loading import rules_of_model
from logiclens.logic import Var
from tests.cli.saved import PATIENTS, model_file, rules_of, saved


def test_rules_of_either_file(tmp_path):
    assert rules_in(saved(PATIENTS, tmp_path)) == PATIENTS
    assert rules_in(model_file(tmp_path)) == rules_of_model(model_file(tmp_path))


def test_rules_of_another_length_are_in_models_only(tmp_path):
    file = model_file(tmp_path)

    assert rules_in(file, 0).literals == 0
    assert rules_in(file, 1000).literals >= rules_in(file).literals


def test_a_network_is_in_models_only(tmp_path):
    assert network_in(saved(PATIENTS, tmp_path)) is None
    assert network_in(model_file(tmp_path)).predict({"age": [70], "ward": ["B"]}).tolist() == ["ill"]


def test_labels_as_they_are_typed():
    assert label_named(PATIENTS, "ill") == "ill"
    assert label_named(rules_of({1: Var("a"), 2: Var("a")}, ["a"]), "2") == 2
    assert label_named(rules_of({False: Var("a"), True: Var("a")}, ["a"]), "true") is True
    with pytest.raises(UnknownTargetError) as info:
        label_named(rules_of({1: Var("a"), 2: Var("a")}, ["a"]), "3")
    assert str(info.value) == "Unknown class '3'. The 2 known classes are 1, 2."
