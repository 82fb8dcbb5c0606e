"""The adversarial experiment, on digits."""

from __future__ import annotations

import json
import re

import pytest
from benchmarks.adversarial import Findings, Protocol, learn_rules, run
from benchmarks.scenes import digits_scene

from benchmarks import adversarial
from logiclens.errors import InputError
from logiclens.guard.attack import Budget


@pytest.fixture(scope="module")
def scene():
    return digits_scene()


@pytest.fixture(scope="module")
def rules(scene):
    return learn_rules(scene, ["mu", "entropy"], seed=0)


@pytest.fixture(scope="module")
def found(scene, rules, tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "adversarial.json"
    protocol = Protocol(
        2, 25, (Budget(0.6, "l2", 15), Budget(1.0, "l2", 15)), (Budget(0.6, "l2", 8),), (1.0,)
    )
    return run(scene, rules, protocol, findings=Findings(path))


def test_rules_tell_the_digits_apart(rules):
    for name, found in rules.items():
        assert len(found) == 10, name
        assert 1 < found.complexity < 5


def test_guarded_networks_stand_more(found):
    for eps in (0.6, 1.0):
        rows = [row for row in found.rows if row["eps"] == eps and row["attack"] == "apgd-ce"]
        (bare,) = (row for row in rows if row["rules"] == "none")
        guarded = [row for row in rows if row["rules"] != "none"]

        assert len(guarded) == 2 * 3
        for row in guarded:
            assert row["robust"] >= bare["robust"]
            assert row["low"] <= row["robust"] <= row["high"]
            assert row["clean_rejected"] < 0.12
        assert max(row["robust"] for row in guarded) > bare["robust"] + 0.1


def test_an_attacker_who_knows_the_guard_gets_further(found):
    rows = {(row["attack"], row["rules"], row["tnorm"]): row for row in found.rows if row["eps"] == 0.6}

    for name in ("mu", "entropy"):
        blind = rows["apgd-ce", name, "lukasiewicz"]
        assert rows["adaptive", name, "lukasiewicz"]["robust"] <= blind["robust"]


def test_everything_found_is_in_the_file(found):
    stored = json.loads(found.path.read_text(encoding="utf-8"))

    assert stored["rows"] == found.rows
    assert stored["about"]["class_accuracy_2"] > 0.85
    assert stored["about"]["classes_with_a_rule"] == {"mu": 10, "entropy": 10}
    assert {row["seed"] for row in stored["rows"]} == {0}
    assert list(found.path.parent.iterdir()) == [found.path]


def test_the_number_of_towers():
    with pytest.raises(InputError, match=re.escape("towers must be 1 or 2. Got 3.")):
        Protocol(3)


def test_what_the_guards_cost_beside_the_network(found):
    costs = found.about["microseconds_2"]

    assert list(costs) == ["cpu"]
    assert set(costs["cpu"]) == {"forward"} | {
        f"{name} {tnorm}" for name in ("mu", "entropy") for tnorm in ("product", "lukasiewicz", "boolean")
    }
    assert all(cost > 0 for cost in costs["cpu"].values())


def test_digits_are_attacked_and_guarded(tmp_path, monkeypatch, capsys):
    """One kind of rules, and a few pictures to attack."""
    scene = digits_scene()
    few = type(scene)(**{**vars(scene), "test": scene.test[:40]})
    monkeypatch.setattr(adversarial, "NETWORKS", {"mu": adversarial.NETWORKS["mu"]})
    monkeypatch.setattr(adversarial, "digits_scene", lambda **_: few)
    adversarial.main(["--out", str(tmp_path), "--epochs", "2", "--steps", "3"])

    assert "| networks | attack | strength | no rules | mu |" in capsys.readouterr().out
    stored = json.loads((tmp_path / "adversarial_digits_0.json").read_text(encoding="utf-8"))
    assert {row["towers"] for row in stored["rows"]} == {1, 2}
    tried = {(row["attack"], row["norm"], row["eps"]) for row in stored["rows"] if row["towers"] == 2}
    assert tried == {
        *(("apgd-ce", "l2", 0.3), ("apgd-ce", "l2", 0.6), ("apgd-ce", "l2", 1.0), ("adaptive", "l2", 0.6)),
        *(("apgd-ce", "linf", 0.05), ("apgd-ce", "linf", 0.1)),
    }
    assert [path.name for path in tmp_path.glob("rules_*")] == ["rules_digits_0_mu.json"]  # 0: the seed


def test_without_the_data_it_says_where_they_are_from(tmp_path):
    with pytest.raises(SystemExit, match="CUB-200-2011"):
        adversarial.main(["--data", "cub", "--data-dir", str(tmp_path), "--out", str(tmp_path)])
