"""Explanations of all data (Eq. 3): clauses that hold everywhere.

Eq. (3) joins the formulas of all classes and brings them to CNF. Here tuples that were never seen count as
false. As don't-cares they would make TRUE the answer, always.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import count
from logiclens.explain.compose import smallest_formula
from logiclens.explain.html import clauses_html
from logiclens.explain.rule import Rule, RuleKind
from logiclens.explain.unseen import check_table
from logiclens.logic.data import check_count
from logiclens.logic.formula import TRUE, And, Formula
from logiclens.logic.normal_form import to_nnf
from logiclens.logic.truth_table import TruthTable
from logiclens.metrics.answers import formulas_of

MAX_GLOBAL: Final = 10
"""Most concepts that an explanation of all data looks at, however many are asked for."""


@dataclass(frozen=True)
class GlobalExplanation:
    """Clauses that hold on all data, Eq. (3).

    Attributes
    ----------
    formula : Formula
        In CNF.
    concepts : tuple of str
        The concepts that were looked at.
    status : str
        What was left out, if anything.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns of a raw table.

    Examples
    --------
    >>> from logiclens.logic import parse_formula
    >>> print(GlobalExplanation(parse_formula("(a | b) & ~c"), ("a", "b", "c")))
    forall x: a(x) | b(x)
    forall x: ~c(x)
    """

    formula: Formula
    concepts: tuple[str, ...]
    status: str = ""
    vocabulary: Vocabulary | None = None

    @property
    def clauses(self) -> tuple[Formula, ...]:
        """The parts of the formula, each of which holds on all data; none when it is TRUE."""
        return _clauses(self.formula)

    def __str__(self) -> str:
        return "\n".join(self._lines("ascii", " in O_0"))

    def _repr_html_(self) -> str:
        return clauses_html(self._lines("unicode", " ∈ O_0"), self.status)

    def _lines(self, style: str, cluster: str) -> list[str]:
        """Each clause in First-Order Logic, as a cluster's rule is written but without the cluster."""
        rules = (Rule(0, clause, RuleKind.CLUSTER, self.vocabulary) for clause in self.clauses or (TRUE,))
        return [rule.format(style).replace(cluster, "", 1) for rule in rules]


def explain_global(
    seen: TruthTable,
    rules: Any = None,
    *,
    max_concepts: int = 8,
    max_clauses: int | None = None,
) -> GlobalExplanation:
    """Say what holds on all data: the disjunction of all class formulas on the tuples that occur, as CNF.

    Parameters
    ----------
    seen : TruthTable
        The tuples that occur, over the concepts of the rules or more; answers and weights do not matter.
    rules : ExplanationSet, mapping of label to Formula or Explanation, optional
        The class formulas; tuples on which none is true count as false. Without them all that occurs is true.
    max_concepts : int, default 8
        Concepts to look at, 10 at most. Of more, those that most rules use are taken, of equals those that
        stand first in the table.
    max_clauses : int, optional
        Most clauses of the result; the shortest stay.

    Returns
    -------
    GlobalExplanation
        Its formula is true of every tuple that occurs and makes a rule true. With all concepts and clauses it
        is false of all others.

    Examples
    --------
    Whatever has wings has a beak, and nothing has both wings and fins.

    >>> X = [[1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]]
    >>> found = explain_global(TruthTable.from_data(X, [1] * 5, names=["wings", "beak", "fins"]))
    >>> print(found)
    forall x: ~wings(x) | beak(x)
    forall x: ~wings(x) | ~fins(x)

    References
    ----------
    Sec. 4.1, Eq. (3) of Ciravegna et al., *Logic Explained Networks*.
    """
    check_table(seen, "seen")
    names, notes = seen.names, []
    told = np.ones(seen.n_rows, dtype=np.bool_)
    if rules is not None:
        formulas = formulas_of(rules).values()
        told = np.any([formula.evaluate(seen.to_array(), seen.names) for formula in formulas], axis=0)
        used = Counter(name for formula in formulas for name in formula.concepts)
        names = tuple(sorted((name for name in names if used[name]), key=lambda name: -used[name]))
    most = min(check_count(max_concepts, "max_concepts"), MAX_GLOBAL)
    if len(names) > most:
        notes.append(f"{most} of {count(len(names), 'concept')}")
    names = tuple(name for name in seen.names if name in names[:most])
    positions = [seen.names.index(name) for name in names]
    occurs = np.zeros(1 << len(names), dtype=np.bool_)
    occurs[seen.to_array()[told][:, positions] @ (1 << np.arange(len(names)))] = True
    clauses = sorted(_clauses(to_nnf(~smallest_formula(~occurs, names))), key=lambda part: part.complexity)
    if max_clauses is not None and len(clauses) > check_count(max_clauses, "max_clauses"):
        notes.append(f"{max_clauses} of {count(len(clauses), 'clause')}")
        clauses = clauses[:max_clauses]
    elif not clauses:
        notes.append("every combination occurs")
    return GlobalExplanation(And.of(clauses), names, ", ".join(notes))


def _clauses(formula: Formula) -> tuple[Formula, ...]:
    """Clauses of a CNF."""
    if formula == TRUE:
        return ()
    return formula.args if isinstance(formula, And) else (formula,)
