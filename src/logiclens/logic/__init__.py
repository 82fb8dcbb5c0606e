"""Propositional logic over named concepts: formulas, truth tables, minimization, proofs and exports."""

from logiclens.logic.cover import Cover
from logiclens.logic.entail import Conflict, at_most_one, conflicts, equivalent, exactly_one, implies, ordered
from logiclens.logic.export import from_json, to_json, to_python, to_sentence, to_sympy
from logiclens.logic.formula import FALSE, TRUE, And, Formula, Not, Or, Var
from logiclens.logic.minimize import Minimized, Status, minimize, minimize_path, prove
from logiclens.logic.normal_form import simplify, substitute, to_cnf, to_dnf, to_nnf
from logiclens.logic.sat import satisfying_assignment
from logiclens.logic.sql import to_sql
from logiclens.logic.sufficient_reason import PrimeImplicant, sufficient_reason
from logiclens.logic.syntax import format_formula, parse_formula
from logiclens.logic.truth_table import TruthTable

__all__ = [
    "FALSE",
    "TRUE",
    "And",
    "Conflict",
    "Cover",
    "Formula",
    "Minimized",
    "Not",
    "Or",
    "PrimeImplicant",
    "Status",
    "TruthTable",
    "Var",
    "at_most_one",
    "conflicts",
    "equivalent",
    "exactly_one",
    "format_formula",
    "from_json",
    "implies",
    "minimize",
    "minimize_path",
    "ordered",
    "parse_formula",
    "prove",
    "satisfying_assignment",
    "simplify",
    "substitute",
    "sufficient_reason",
    "to_cnf",
    "to_dnf",
    "to_json",
    "to_nnf",
    "to_python",
    "to_sentence",
    "to_sql",
    "to_sympy",
]
