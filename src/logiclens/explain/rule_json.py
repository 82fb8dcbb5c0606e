"""A set of rules as JSON text, which is read back exactly: what ``save`` writes and ``load_rules`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError
from logiclens.explain.explanation import from_saved, to_saved
from logiclens.explain.saved import damage_named, items, read_saved, storable, write_saved

if TYPE_CHECKING:
    from logiclens.explain.rule_set import ExplanationSet

_FORMAT = "logiclens.rules"
_VERSION = 2
_ENTRIES = ("concept_names", "multi_label", "default", "priority", "explanations", "vocabulary")


def rules_to_json(rules: ExplanationSet) -> str:
    """JSON text of a set of rules, on one line of ASCII."""
    entries = {
        "concept_names": list(map(storable, rules.concept_names)),
        "multi_label": rules.multi_label,
        "default": rules.default,
        "priority": rules.priority,
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
    entries = read_saved(text, _FORMAT, _VERSION, _ENTRIES)
    with damage_named():
        for key in ("concept_names", "priority", "explanations"):
            entries[key] = tuple(items(entries[key], f'"{key}"'))
        if entries["multi_label"] is not True and entries["default"] is None:
            raise InputError('"default" must be a label. Got None.')
        if not entries["priority"]:
            raise InputError('"priority" must not be empty.')
        words = entries["vocabulary"]
        entries["vocabulary"] = None if words is None else Vocabulary.from_saved(words)
        return kind(**{**entries, "explanations": tuple(map(from_saved, entries["explanations"]))})
