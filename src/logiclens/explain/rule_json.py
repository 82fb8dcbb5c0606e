"""A set of rules as JSON text, which is read back exactly: what ``save`` writes and ``load_rules`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, count
from logiclens.explain.decision_list import Step, ranked_steps
from logiclens.explain.explanation import Explanation, from_saved, to_saved
from logiclens.explain.front import check_rate
from logiclens.explain.label import Label
from logiclens.explain.saved import (
    damage_named,
    fields,
    formula_from_saved,
    formula_to_saved,
    items,
    read_saved,
    storable,
    write_saved,
)

if TYPE_CHECKING:
    from logiclens.explain.rule_set import ExplanationSet

_FORMAT = "logiclens.rules"
_VERSION = 3
_SHARED = ("concept_names", "multi_label", "default", "explanations", "vocabulary")
_ENTRIES = (*_SHARED, "steps")
_OLDER = {2: (*_SHARED, "priority")}
"""Version 2: of the rules that were true that of the highest priority decided, of equals the first."""


def rules_to_json(rules: ExplanationSet) -> str:
    """JSON text of a set of rules, on one line of ASCII."""
    entries = {
        "concept_names": list(map(storable, rules.concept_names)),
        "multi_label": rules.multi_label,
        "default": rules.default,
        "steps": [step_to_saved(step) for step in rules.steps],
        "explanations": list(map(to_saved, rules.explanations)),
        "vocabulary": None if rules.vocabulary is None else rules.vocabulary.to_saved(),
    }
    return write_saved(_FORMAT, _VERSION, entries)


def rules_from_json(kind: type[ExplanationSet], text: str) -> ExplanationSet:
    """Read what :func:`rules_to_json` wrote; no code is run.

    Parameters
    ----------
    kind : type
        The class to make one of.
    text : str

    Raises
    ------
    InputError
        The text is damaged, comes from elsewhere or from a later release.
    """
    entries = read_saved(text, _FORMAT, _VERSION, _ENTRIES, _OLDER)
    with damage_named():
        explanations = tuple(map(from_saved, items(entries["explanations"], '"explanations"')))
        entries |= {"explanations": explanations}
        entries["concept_names"] = tuple(items(entries["concept_names"], '"concept_names"'))
        if entries["multi_label"] is not True and entries["default"] is None:
            raise InputError('"default" must be a label. Got None.')
        words = entries["vocabulary"]
        entries["vocabulary"] = None if words is None else Vocabulary.from_saved(words)
        if "priority" in entries:
            priority = items(entries.pop("priority"), '"priority"')
            entries["steps"] = (
                () if entries["multi_label"] else _by_priority(explanations, priority, entries["default"])
            )
        else:
            entries["steps"] = tuple(map(_step_from_saved, items(entries["steps"], '"steps"')))
        return kind(**entries)


def step_to_saved(step: Step) -> dict[str, Any]:
    """Return a step as an object of JSON."""
    label = storable(step.label) if isinstance(step.label, str) else step.label
    return {"label": label, "formula": formula_to_saved(step.formula)}


def _step_from_saved(value: Any) -> Step:
    entries = fields(value, ("label", "formula"), "a step")
    return Step(entries["label"], formula_from_saved(entries["formula"]))


def _by_priority(
    explanations: Sequence[Explanation], priority: Sequence[Any], default: Label
) -> tuple[Step, ...]:
    """The list that decides as rules with priorities did."""
    ranks = [check_rate(value, "priority") for value in priority]
    if len(ranks) != len(explanations):
        raise InputError(
            f"priority must have one number for each of the {count(len(explanations), 'label')}. "
            f"Got {len(ranks)}."
        )
    return ranked_steps(ranks, [Step(each.target, each.formula) for each in explanations], default)
