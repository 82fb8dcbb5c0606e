"""Saved rules and models for the commands that use them."""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path

from logiclens.concepts import Above, Missing, OneOf, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import Formula, Var, parse_formula

WORDS = Vocabulary(
    ("age", "ward"), (Above("age", 30), Above("age", 62), OneOf("ward", ("ICU",)), Missing("ward"))
)


def rules_of(made: dict, names, **settings) -> ExplanationSet:
    """Rules with these formulas, by label."""
    return ExplanationSet([Explanation(Rule(label, f)) for label, f in made.items()], list(names), **settings)


PATIENTS = rules_of(
    {
        "ill": parse_formula('"age > 62" | ("age > 30" & "ward = ICU")'),
        "well": parse_formula('~"age > 30"'),
        "gone": parse_formula('"age > 62" & "ward is missing"'),
    },
    WORDS.names,
    vocabulary=WORDS,
    default="well",
    steps=[
        Step("gone", parse_formula('"age > 62" & "ward is missing"')),
        Step("ill", parse_formula('"age > 62" | ("age > 30" & "ward = ICU")')),
        Step("well", parse_formula('~"age > 30"')),
    ],
)
"""Rules that conflict above 62 without a ward, and are silent from 30 to 62 outside of intensive care."""

TABLE = "id,age,ward\n1,70,ICU\n2,40,ICU\n3,20,\n4,80,\n5,50,B\n"


def hostile(names: tuple[str, ...]) -> ExplanationSet:
    """Rules with names as concepts and as labels."""
    made: dict[str, Formula] = {name: Var(name) & ~Var(names[at - 1]) for at, name in enumerate(names)}
    return rules_of(made, names, default=names[0])


def saved(rules: ExplanationSet, folder: Path, name: str = "rules.json") -> str:
    """File of some rules."""
    rules.save(folder / name)
    return str(folder / name)


def from_the_future(folder: Path) -> str:
    """File of rules that a later release wrote."""
    text = json.dumps({**json.loads(PATIENTS.to_json()), "version": 99})
    (folder / "future.json").write_text(text)
    return str(folder / "future.json")


@functools.cache
def model_bytes() -> bytes:
    """A saved model of a few patients; its rules are about their age and ward."""
    import tempfile

    from logiclens import MuClassifier

    ages = [70, 65, 80, 75, 20, 25, 28, 22, 40, 45, 50, 35] * 4
    table = {"age": ages, "ward": ["ICU", "B", "ICU", "B"] * 12}
    outcome = ["ill" if age > 60 else "well" for age in ages]
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        MuClassifier(random_state=0, device="cpu").fit(table, outcome).save(f"{folder}/model.lens")
        return Path(folder, "model.lens").read_bytes()


def model_file(folder: Path) -> str:
    """File of that model."""
    (folder / "model.lens").write_bytes(model_bytes())
    return str(folder / "model.lens")
