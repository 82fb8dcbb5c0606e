"""From trained networks to explanations of all targets.

A network that keeps few concepts is asked about the rows; its yes and no become a truth table over those
concepts, and the formula comes from there (:mod:`logiclens.explain.classwise`). Of a ReLU network, which
keeps all concepts, the ones that matter most over the rows make the table. A psi network is
read neuron by neuron (:mod:`logiclens.explain.compose`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.estimators.asking import Grouped, ask, by_tuple
from logiclens.estimators.balancing import COUNTED, Balance
from logiclens.estimators.counting import Fold, effective_rows, number_of_rows
from logiclens.estimators.second_opinion import retold
from logiclens.estimators.targets import Problem, Targets, decisions
from logiclens.explain.classwise import (
    ALWAYS,
    NEVER,
    explain_class,
    rates_on,
)
from logiclens.explain.compose import Composition, compose
from logiclens.explain.decision_list import Step, ranked_steps, simplify_list
from logiclens.explain.explanation import Explanation, Scope
from logiclens.explain.label import Label
from logiclens.explain.paper import TOP_K, explain_class_as_in_paper
from logiclens.explain.positive import prefer_values
from logiclens.explain.rule import Rule, RuleKind
from logiclens.explain.rule_set import ExplanationSet
from logiclens.explain.two_classes import explain_two_classes, flipped
from logiclens.explain.unseen import unseen_tuples, with_unseen
from logiclens.logic import FALSE, TRUE, Formula, Not, TruthTable, simplify
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.minimize import Exact
from logiclens.logic.values import THRESHOLD
from logiclens.nn.population import LogicNetwork
from logiclens.nn.psi import PsiNetwork

_SAMPLED = 1 << 12  # unseen tuples asked about where there are too many to ask about all
_MOST_READ = 8  # concepts of a table when the network itself keeps all

LONGEST, LONGEST_CONDITION = 32, 9
"""Literals of the longest formula to consider, unless asked for others: of an equivalence, and of a condition
that is only necessary or only sufficient, which need not say everything."""
EXACT = "exact: composed of the network's neurons"


@dataclass(frozen=True)
class Extraction:
    """How to explain.

    Attributes
    ----------
    kind : RuleKind
    names : tuple of str
        The concepts.
    max_literals : int, default :data:`LONGEST`
        Longest formula to consider.
    balance : Balance
        How rows are weighed where formulas are chosen.
    ask : bool
        Whether the network is asked about tuples that do not occur (``unseen="ask"``).
    exact : {"auto", False}
        Whether short formulas are proved minimal.
    as_in_paper : bool
        Whether formulas are aggregated as in the paper instead of taken from the front.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns of a raw table: no formula speaks of what cannot be.
    n_told : int
        Rows at the end that are no data, but what priors tell; they have no part in scores.
    """

    kind: RuleKind
    names: tuple[str, ...]
    max_literals: int = LONGEST
    balance: Balance = COUNTED
    ask: bool = False
    as_in_paper: bool = False
    exact: Exact = "auto"
    vocabulary: Vocabulary | None = None
    n_told: int = 0

    def observed(self, weight: FloatArray) -> FloatArray:
        """The weights of rows, without those that are no data."""
        return np.where(np.arange(len(weight)) < len(weight) - self.n_told, weight, 0.0)


def explain_targets(
    network: LogicNetwork, x: FloatArray, targets: Targets, fold: Fold, how: Extraction
) -> tuple[ExplanationSet, dict[Label, TruthTable]]:
    """Explain every target on the rows of a fold; with the tables the formulas come from.

    Parameters
    ----------
    network : LogicNetwork
        One member for each output.
    x : ndarray of shape (n, n_concepts)
    targets : Targets
    fold : Fold
        Both parts make the tables and decide how long formulas are.
    how : Extraction

    Notes
    -----
    Formulas and tables are those of the networks without second opinions; scores are of what is said in the
    end.
    """
    if network.opinion is not None:
        rules, tables = explain_targets(network.alone(), x, targets, fold, how)
        return retold(rules, network, x, targets, fold, how), tables
    weight = how.observed(fold.train + fold.check)
    answers = decisions(ask(network, x), targets.problem)
    truth = targets.truth()
    if isinstance(network, PsiNetwork):
        found = _composed(network, x, answers, truth, targets, fold, how)
    else:
        reader = Reader(network, x, fold, how)
        if targets.problem is Problem.BINARY:
            found = reader.explain_both(answers[:, 1], truth[:, 1], targets.labels)
        else:
            found = [
                reader.explain(at, answers[:, at], truth[:, at], label)
                for at, label in enumerate(targets.labels)
            ]
    explanations = [explanation for explanation, _ in found]
    tables = {explanation.target: table for explanation, table in found}
    return rule_set(explanations, x, truth, weight, how.names, targets.problem, how.vocabulary), tables


class Reader:
    """Reads formulas off the members of a network, from their answers on the rows of a fold."""

    def __init__(self, network: LogicNetwork, x: FloatArray, fold: Fold, how: Extraction) -> None:
        self.network = network
        self.x = x
        self.fold = fold
        self.how = how
        self.weight = fold.train + fold.check
        self._bits = np.asfortranarray(x > THRESHOLD)  # concepts are read one by one
        self._rows: Grouped | None = None
        # Where chance is judged, weights add up to the number of rows that they stand for.
        observed = how.observed(self.weight)
        self.scale = effective_rows(observed) / float(observed.sum())
        self.kept = network.kept().cpu().numpy()
        probe = network.relevance(torch.as_tensor(x[:1], dtype=network.l1.dtype, device=network.l1.device))
        self.general = None if probe.dim() == 3 else probe.cpu().numpy()

    def columns(self, member: int) -> tuple[IndexArray, FloatArray]:
        """Concepts to read for a member, and their relevance: (m,), or (n, m) by row."""
        if self.general is not None:
            columns = np.flatnonzero(self.kept[member])
            return columns, self.general[member, columns]
        one = self.network.select(torch.tensor([member], device=self.network.l1.device))
        most = len(self.how.names) if self.how.as_in_paper else _MOST_READ
        scores = one.relevance(torch.as_tensor(self.x, dtype=one.l1.dtype, device=one.l1.device))
        by_row = scores[0].cpu().numpy()
        columns = np.sort(np.argsort(-(self.weight @ by_row), kind="stable")[:most])
        return columns, by_row[:, columns]

    def explain(
        self,
        member: int,
        said_yes: BoolArray,
        truth: FloatArray,
        label: Label,
        is_yes: bool = True,
    ) -> tuple[Explanation, TruthTable]:
        """The explanation of what a member says about a target, and the table it comes from.

        ``is_yes`` is what an output above one half says about the target: no to the first of two classes.
        """
        columns, scores = self.columns(member)
        rows = self.rows_over(columns)
        table = rows.answers(said_yes, self.weight)
        if self.how.as_in_paper:
            x = self.x[:, columns]
            found = _as_in_paper(x, said_yes, truth, scores, label, self.fold, list(table.names))
            return replace(found, rule=replace(found.rule, formula=self.possible(found.formula))), table
        order = self._order(table, columns, scores)
        # The formula's length is decided on all rows: those held out have already decided when training
        # stopped, and of a rare target there may be none among them. Where the network is asked about unseen
        # tuples, the formula that agrees with it most is taken.
        true: TruthTable | None = self.counted(truth, rows)
        if self.how.ask:
            table, true = _asked(self.network, member, is_yes, table, columns, self.how.vocabulary), None
        explanation = explain_class(
            table,
            label,
            kind=self.how.kind,
            truth=true,
            order=order,
            max_literals=self.how.max_literals,
            exact=self.how.exact,
        )
        return self._finished(explanation, table, said_yes, truth, rows)

    def explain_both(
        self, said_yes: BoolArray, truth: FloatArray, labels: tuple[Label, ...]
    ) -> list[tuple[Explanation, TruthTable]]:
        """The explanations of two classes, from what the one member says about the second."""
        sides = [(~said_yes, 1.0 - truth), (said_yes, truth)]
        if self.how.kind is not RuleKind.IFF or self.how.as_in_paper or self.how.ask:
            return [self.explain(0, *sides[at], label, is_yes=at == 1) for at, label in enumerate(labels)]
        columns, scores = self.columns(0)
        rows = self.rows_over(columns)
        table = rows.answers(said_yes, self.weight)
        found = explain_two_classes(
            table,
            (labels[0], labels[1]),
            self.counted(truth, rows),
            order=self._order(table, columns, scores),
            max_literals=self.how.max_literals,
            exact=self.how.exact,
        )
        return [
            self._finished(explanation, of, said, true, rows)
            for explanation, of, (said, true) in zip(found, (flipped(table), table), sides, strict=True)
        ]

    def _order(self, table: TruthTable, columns: IndexArray, scores: FloatArray) -> FloatArray:
        """How the concepts matter, (m,) or by tuple of a table, (n_tuples, m)."""
        return by_tuple(table, self.x[:, columns], scores, self.weight) if scores.ndim == 2 else scores

    def _finished(
        self,
        explanation: Explanation,
        table: TruthTable,
        said_yes: BoolArray,
        truth: FloatArray,
        rows: Grouped,
    ) -> tuple[Explanation, TruthTable]:
        """An explanation in the words of a raw table, with scores on the rows that are data."""
        if self.how.vocabulary is not None:
            explanation = _worded(explanation, table, self.how.vocabulary)
        seen = self.how.observed(self.weight)
        if self.how.n_told:
            table = rows.answers(said_yes, seen)
        rates = rates_on(
            explanation.formula, table, rows.truth(truth, seen), "training", number_of_rows(seen)
        )
        support = float(table.yes.sum()) if self.how.n_told else explanation.support
        return replace(explanation, scores=rates, support=support), table

    def rows_over(self, columns: IndexArray) -> Grouped:
        """The rows of the fold by their tuple over some concepts; asked twice in a row, the same."""
        names = tuple(self.how.names[j] for j in columns)
        if self._rows is None or self._rows.names != names:
            self._rows = Grouped(self._bits[:, columns], names)
        return self._rows

    def counted(self, truth: FloatArray, rows: Grouped) -> TruthTable:
        """The truth about a target, rows counted as where formulas are chosen."""
        return rows.truth(truth, self.weight * self.scale * self.how.balance.of_rows(truth, self.weight))

    def possible(self, formula: Formula) -> Formula:
        """A formula without what follows from the rest of it in a raw table."""
        return formula if self.how.vocabulary is None else self.how.vocabulary.simplify(formula)


def _worded(explanation: Explanation, table: TruthTable, vocabulary: Vocabulary) -> Explanation:
    """The explanation with values in place of negated values, where the table leaves that open."""
    formula = prefer_values(explanation.formula, table, vocabulary)
    if formula == explanation.formula:
        return explanation
    front = [
        replace(point, formula=formula) if point.formula == explanation.formula else point
        for point in explanation.front
    ]
    return replace(explanation, rule=replace(explanation.rule, formula=formula), front=tuple(front))


def _as_in_paper(
    x: FloatArray,
    said_yes: BoolArray,
    truth: FloatArray,
    scores: FloatArray,
    label: Label,
    fold: Fold,
    names: list[str],
) -> Explanation:
    """The paper's aggregation: example-level explanations of training rows, kept while validation gains.

    Only rows of the target that the network is right about are examples. Where a row's concepts are its own,
    as a ReLU network's are, the most frequent explanations are candidates, otherwise all.
    """
    trained, checked = fold.train > 0, fold.check > 0
    rows = trained & (truth > 0.5)
    found = explain_class_as_in_paper(
        x[rows],
        said_yes[rows],
        label,
        names=names,
        validation=(x[checked], truth[checked] > 0.5) if checked.any() else None,
        relevance=scores[rows] if scores.ndim == 2 else None,
        top_k=TOP_K if scores.ndim == 2 else None,
    )
    if found.scores is None:
        return found
    table = TruthTable.from_data(x[trained], said_yes[trained], names=names)
    plain = TruthTable.from_data(x[checked], truth[checked] > 0.5, names=names)
    return replace(found, scores=rates_on(found.formula, table, plain, "validation"))


def _asked(
    network: LogicNetwork,
    member: int,
    is_yes: bool,
    table: TruthTable,
    columns: IndexArray,
    vocabulary: Vocabulary | None,
) -> TruthTable:
    """The table with the tuples that do not occur, as a member answers them; a sample of very many.

    Tuples that no row of a raw table can have are not asked about.
    """
    new = unseen_tuples(table)
    if new is None:
        new = np.random.default_rng(0).random((_SAMPLED, len(columns))) < 0.5
    if vocabulary is not None:
        new = new[vocabulary.possible(new, table.names)]
    whole = np.zeros((len(new), network.n_concepts))
    whole[:, columns] = new
    return with_unseen(table, new, (ask(network, whole)[:, member] > 0) == is_yes)


def composition(network: PsiNetwork, output: int, names: tuple[str, ...]) -> Composition:
    """The formulas of all neurons of one output of a psi network."""
    return compose(network.neurons(output), names)


def _composed(
    network: PsiNetwork,
    x: FloatArray,
    answers: BoolArray,
    truth: FloatArray,
    targets: Targets,
    fold: Fold,
    how: Extraction,
) -> list[tuple[Explanation, TruthTable]]:
    formulas: list[Formula] = [composition(network, i, how.names).outputs[0] for i in range(network.members)]
    if targets.problem is Problem.BINARY:
        formulas = [simplify(Not(formulas[0])), formulas[0]]
    if how.vocabulary is not None:
        formulas = list(map(how.vocabulary.simplify, formulas))
    weight = how.observed(fold.train + fold.check)
    found = []
    for at, (label, formula) in enumerate(zip(targets.labels, formulas, strict=True)):
        columns = [how.names.index(name) for name in sorted(formula.concepts)]
        rows = Grouped(x[:, columns], [how.names[j] for j in columns])
        table = rows.answers(answers[:, at], weight)
        scores = rates_on(
            formula, table, rows.truth(truth[:, at], weight), "training", number_of_rows(weight)
        )
        status = ALWAYS if formula == TRUE else NEVER if formula == FALSE else EXACT
        explanation = Explanation(
            Rule(label, formula, how.kind),
            scope=Scope.CLASS,
            status=status,
            support=float(table.yes.sum()),
            scores=scores,
        )
        found.append((explanation, table))
    return found


def rule_set(
    explanations: list[Explanation],
    x: FloatArray,
    truth: FloatArray,
    weight: FloatArray,
    names: tuple[str, ...],
    problem: Problem,
    vocabulary: Vocabulary | None = None,
) -> ExplanationSet:
    """Explanations of all targets, with the list that decides where labels exclude one another.

    The rule that is right most often on the rows where it is true comes first; the default is the most
    frequent class among rows no rule covers, of all rows where every row is covered.
    """
    if problem is Problem.MULTI_LABEL:
        return ExplanationSet(tuple(explanations), names, multi_label=True, vocabulary=vocabulary)
    fired = np.column_stack([e.evaluate(x, names=names) for e in explanations])
    covered = weight @ fired
    right = (weight[:, None] * truth * fired).sum(axis=0)
    precision = np.minimum(right / np.where(covered > 0, covered, 1.0), 1.0).tolist()
    left = weight * ~fired.any(axis=1)
    frequency = left @ truth if left.any() else weight @ truth
    default = explanations[int(frequency.argmax())].target
    ranked = ranked_steps(precision, [Step(e.target, e.formula) for e in explanations], default)
    steps, default = simplify_list(ranked, default)
    return ExplanationSet(tuple(explanations), names, default=default, steps=steps, vocabulary=vocabulary)
