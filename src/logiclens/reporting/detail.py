"""How much a report lists, so that pages of many rules stay small: less of everything, step by step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detail:
    """How much is listed; the facts say how much there is.

    Attributes
    ----------
    literals : int
        Of all lengths that are shown, together.
    terms : int
        Terms of a rule.
    patterns : int
        Patterns of rows that break a rule, of each kind.
    relevant : int
        Concepts by how much they matter.
    repeated : bool
        Whether the list is told in words, too, and as code.
    exports : bool
        Whether there are rules for other programs.
    """

    literals: int = 3000
    terms: int = 24
    patterns: int = 5
    relevant: int = 12
    repeated: bool = True
    exports: bool = True


FULL = Detail()
DETAILS = (
    FULL,
    Detail(literals=1000, terms=12, patterns=3, relevant=8),
    Detail(literals=0, terms=8, patterns=2, relevant=5, repeated=False),
    Detail(literals=0, terms=3, patterns=1, relevant=3, repeated=False),
    Detail(literals=0, terms=1, patterns=1, relevant=2, repeated=False),
    Detail(literals=0, terms=0, patterns=0, relevant=0, repeated=False, exports=False),
)
"""From all that is worth reading to the least that is a report: the rules, and what they get wrong."""
