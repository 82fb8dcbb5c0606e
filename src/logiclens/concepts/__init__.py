"""From raw tables to concepts: what a column says, in literals that can be read.

The encoder alone needs scikit-learn; it is looked up when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from logiclens.concepts.concept import Above, AtMost, Between, Concept, Flag, Missing, OneOf
from logiclens.concepts.ranges import Ranges
from logiclens.concepts.table import Column, Kind, Table
from logiclens.concepts.vocabulary import Vocabulary

if TYPE_CHECKING:
    from logiclens.concepts.encoder import ConceptEncoder, auto_encoder

__all__ = [
    "Above",
    "AtMost",
    "Between",
    "Column",
    "Concept",
    "ConceptEncoder",
    "Flag",
    "Kind",
    "Missing",
    "OneOf",
    "Ranges",
    "Table",
    "Vocabulary",
    "auto_encoder",
]

_LAZY = ("ConceptEncoder", "auto_encoder")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from logiclens.concepts import encoder

        return getattr(encoder, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
