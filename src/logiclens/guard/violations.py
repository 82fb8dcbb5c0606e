"""Which rules were broken, how much, and what that means in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from logiclens.explain import RuleKind
from logiclens.explain.rule import label_in_sentence
from logiclens.guard.links import Link
from logiclens.logic import Var, to_sentence
from logiclens.logic.arrays import FloatArray

_LEAST = 0.005  # penalties below this are not worth a line: they would be shown as 0.00


@dataclass(frozen=True)
class Violation:
    """A rule that the outputs of one row break.

    Attributes
    ----------
    link : Link
    penalty : float
        How much, in (0, 1].
    target, formula : float
        How far target and formula of the rule are true; NaN for formulas written by hand.
    """

    link: Link
    penalty: float
    target: float
    formula: float

    def to_sentence(self) -> str:
        """Plain English, with degrees of truth in parentheses.

        Examples
        --------
        >>> from logiclens.explain import Rule
        >>> from logiclens.logic import Var
        >>> link = Link.of(Rule("robin", Var("red_breast")))
        >>> print(Violation(link, 0.9, target=0.97, formula=0.04).to_sentence())
        It is said to be robin (0.97), but not what that takes (0.04): red_breast.
        """
        rule = self.link.rule
        if rule is None:
            return f"Outputs break a rule (by {self.penalty:.2f}): {to_sentence(self.link.demand)}."
        worded = to_sentence if rule.vocabulary is None else rule.vocabulary.to_sentence
        label, words = label_in_sentence(rule.target), worded(rule.formula)
        if rule.vocabulary is not None and rule.target in rule.vocabulary.names:
            label = worded(Var(str(rule.target)))
        if rule.kind is RuleKind.IF or (rule.kind is RuleKind.IFF and self.target >= self.formula):
            return (
                f"It is said to be {label} ({self.target:.2f}), but not what that takes "
                f"({self.formula:.2f}): {words}."
            )
        return (
            f"It is said to be what makes {label} ({self.formula:.2f}): {words}; "
            f"but not {label} ({self.target:.2f})."
        )

    def __str__(self) -> str:
        return self.to_sentence()


@dataclass(frozen=True, eq=False)
class Violations(Sequence[tuple[Violation, ...]]):
    """The rules that each of several rows breaks, the worst first.

    Attributes
    ----------
    links : tuple of Link
    penalties : ndarray of shape (n, n_links)
    targets, formulas : ndarray of shape (n, n_links)
        How far target and formula of each rule are true; NaN for formulas written by hand.
    """

    links: tuple[Link, ...]
    penalties: FloatArray
    targets: FloatArray
    formulas: FloatArray

    def __len__(self) -> int:
        return len(self.penalties)

    @overload
    def __getitem__(self, row: int) -> tuple[Violation, ...]: ...
    @overload
    def __getitem__(self, row: slice) -> Violations: ...
    def __getitem__(self, row: int | slice) -> tuple[Violation, ...] | Violations:
        if isinstance(row, slice):
            return Violations(self.links, self.penalties[row], self.targets[row], self.formulas[row])
        mine = self.penalties[row]
        order = (-mine).argsort(kind="stable")
        return tuple(
            Violation(
                self.links[at], float(mine[at]), float(self.targets[row, at]), float(self.formulas[row, at])
            )
            for at in order[mine[order] >= _LEAST]
        )

    def __iter__(self) -> Iterator[tuple[Violation, ...]]:
        return (self[row] for row in range(len(self)))

    def __str__(self) -> str:
        lines = []
        for at, broken in enumerate(self):
            lines.append(f"row {at}: " + ("all rules are kept" if not broken else ""))
            lines.extend(f"  {violation}" for violation in broken)
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__
