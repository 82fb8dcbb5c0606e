"""Texts of pictures: short, in plain English, and shown as they are.

Names are data. matplotlib would read what stands between dollar signs as mathematics, so every text that
holds a name is drawn with :data:`AS_IT_IS`. Long ones lose their middle, since beginnings and ends tell names
apart; what cannot be seen is escaped as in sentences.
"""

from __future__ import annotations

from textwrap import wrap
from types import MappingProxyType
from typing import Any

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.explain.explanation import Explanation
from logiclens.explain.rule import RuleKind, label_in_sentence
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import Formula, Var

AS_IT_IS = MappingProxyType[str, Any]({"parse_math": False, "usetex": False})
"""Settings of a text that keep matplotlib from reading it as mathematics or LaTeX."""

LONGEST = 40
"""Most characters of a label."""
TITLE = 28
"""Most characters of a target in a title."""


def shorten(text: str, longest: int = LONGEST) -> str:
    """Text of that many characters at most, an ellipsis in place of its middle.

    Examples
    --------
    >>> print(shorten("left_ventricular_ejection_fraction", 20))
    left_vent…n_fraction
    """
    if len(text) <= longest:
        return text
    tail = longest // 2
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def in_words(formula: Formula, vocabulary: Vocabulary | None = None) -> str:
    """A formula in plain English, in the words of a vocabulary where there is one.

    Examples
    --------
    >>> from logiclens.concepts import Above
    >>> words = Vocabulary(("age",), (Above("age", 62),))
    >>> print(in_words(~Var("age > 62"), words))
    age at most 62
    """
    return to_sentence(formula) if vocabulary is None else vocabulary.to_sentence(formula)


def concept_label(name: str, vocabulary: Vocabulary | None = None, longest: int = LONGEST) -> str:
    """What a concept says, as the label of a picture.

    Examples
    --------
    >>> print(concept_label("bill colour"))
    “bill colour”
    """
    return shorten(in_words(Var(name), vocabulary), longest)


def target_label(rule: Explanation, longest: int = LONGEST) -> str:
    """What a rule is about, as part of a title: a name, or the number of a class or cluster.

    Examples
    --------
    >>> from logiclens.explain import Rule
    >>> print(target_label(Explanation(Rule("death", Var("stroke")))))
    death
    >>> print(target_label(Explanation(Rule(3, Var("stroke"), "cluster"))))
    cluster 3
    """
    text = label_in_sentence(rule.target)
    if not isinstance(rule.target, str):
        text = f"{'cluster' if rule.kind is RuleKind.CLUSTER else 'class'} {text}"
    return shorten(text, longest)


def lines_of(text: str, width: int, most: int = 2) -> str:
    """Text on a few lines of some characters; what is too long loses its middle.

    Examples
    --------
    >>> print(lines_of("age above 62 and stroke, or diabetes", 14))
    age above 62
    …, or diabetes
    """
    text = shorten(text, most * width)
    lines = wrap(text, width)
    while len(lines) > most:  # line ends waste room
        text = shorten(text, len(text) - 1)
        lines = wrap(text, width)
    return "\n".join(lines)
