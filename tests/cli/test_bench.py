"""``logiclens bench``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from logiclens.bench import adversarial, scenes
from logiclens.cli import app


@pytest.fixture
def quick(monkeypatch):
    """One kind of rules, and a few pictures to attack."""
    whole = scenes.digits_scene

    def few(*, seed):
        scene = whole(seed=seed)
        return type(scene)(**{**vars(scene), "test": scene.test[:40]})

    monkeypatch.setattr(adversarial, "NETWORKS", {"mu": adversarial.NETWORKS["mu"]})
    monkeypatch.setattr(scenes, "digits_scene", few)


@pytest.mark.usefixtures("quick")
def test_digits_are_attacked_and_guarded(tmp_path):
    words = ["bench", "adversarial", "--out", str(tmp_path), "--epochs", "2", "--steps", "3"]
    result = CliRunner().invoke(app, words)

    assert result.exit_code == 0, result.output
    assert "| networks | attack | strength | no rules | mu |" in result.output
    stored = json.loads((tmp_path / "adversarial_digits_0.json").read_text(encoding="utf-8"))
    assert {row["towers"] for row in stored["rows"]} == {1, 2}
    tried = {(row["attack"], row["norm"], row["eps"]) for row in stored["rows"] if row["towers"] == 2}
    assert tried == {
        *(("apgd-ce", "l2", 0.3), ("apgd-ce", "l2", 0.6), ("apgd-ce", "l2", 1.0), ("adaptive", "l2", 0.6)),
        *(("apgd-ce", "linf", 0.05), ("apgd-ce", "linf", 0.1)),
    }
    assert [path.name for path in tmp_path.glob("rules_*")] == ["rules_digits_0_mu.json"]  # 0: the seed


def test_without_the_data_it_says_where_they_are_from(tmp_path):
    words = ["bench", "adversarial", "--data", "cub", "--data-dir", str(tmp_path), "--out", str(tmp_path)]
    result = CliRunner().invoke(app, words)

    assert result.exit_code == 1
    assert result.output.count("\n") == 1
    assert "CUB-200-2011" in result.output
