"""Explanations of a truth table at four scopes (Sec. 4.1): one example, a set of them, a class, all data.

**One example.** Eq. (1) writes down all literals of the example. Most are there by accident, so they are cut
down to what is sufficient on the data: literals are taken, the most relevant first, until no tuple to which
the network says no satisfies the term; then superfluous ones are dropped, the least relevant first. What is
left is minimal: without any of its literals the term would hold on a contrary tuple.

**A set of examples.** Eq. (2) joins the terms of its members. The shortest formula is wanted that holds on
all of them and on no tuple to which the network says no; other tuples with a yes are don't-cares.

**A class.** Eq. (2) for all rows of a target. The rules of a whole problem come from
:mod:`logiclens.estimators.fit` as a decision list; what such a list decides about one class, the paper's
``phi_c``, is minimized on the list's own decisions (:func:`class_formulas`).

**All data.** Eq. (3) joins the formulas of all classes and brings them to CNF: clauses that hold everywhere.
Here tuples that were never seen count as false. As don't-cares they would make TRUE the answer, always.

Tuples that never occurred can be listed, and added to a table with the predictions of a network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.constants import IF_MISS, ONLY_IF_FALSE_YES
from logiclens.errors import InputError, LimitError, count, shown
from logiclens.explain.compose import all_tuples, smallest_formula
from logiclens.explain.explanation import AGREES, EQUIVALENT, Explanation, Scope, Scores
from logiclens.explain.resolution import (
    Step,
    check_steps,
    condition_of,
    resolve,
    truth_of,
    used_concepts,
)
from logiclens.explain.rule import (
    FAINT,
    Label,
    Rule,
    RuleKind,
    html_box,
    html_logic,
    html_part,
    member,
    plain_label,
)
from logiclens.logic.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    Terms,
    pack,
    quiet_products,
)
from logiclens.logic.cover import Cover
from logiclens.logic.data import ConceptData, as_answers, as_floats, check_count
from logiclens.logic.entail import Given, given_parts
from logiclens.logic.formula import FALSE, TRUE, And, Formula, Not, check_formula
from logiclens.logic.minimize import Exact, agreeing_formula, minimize, minimize_path
from logiclens.logic.normal_form import conjuncts, simplify, to_dnf, to_nnf
from logiclens.logic.sat import find_assignment
from logiclens.logic.truth_table import TruthTable
from logiclens.metrics.agreement import formulas_of, is_among

UNSEEN_SHARE: Final = 0.01
"""Weight of all unseen tuples together, as a share of the weight of those that were seen."""
_MOST_TUPLES: Final = 1 << 14


def unseen_tuples(table: TruthTable, limit: int = _MOST_TUPLES) -> BoolArray | None:
    """Tuples of a table's concepts that are not in it, for a network to predict.

    Parameters
    ----------
    table : TruthTable
    limit : int, default 16384
        Most tuples that there may be, seen or not: 2 to the power of the number of concepts.

    Returns
    -------
    ndarray of bool, shape (n_unseen, n_concepts), or None
        In counting order, the first concept changing fastest; None when there are more than ``limit`` tuples.

    Examples
    --------
    >>> table = TruthTable.from_data([[0, 0], [1, 1]], [0, 1], names=["a", "b"])
    >>> unseen_tuples(table).astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    check_table(table, "table")
    n_concepts = len(table.names)
    if n_concepts >= 63 or 1 << n_concepts > check_count(limit, "limit"):
        return None
    new = np.ones(1 << n_concepts, dtype=np.bool_)
    new[table.rows[:, 0].astype(np.intp) if n_concepts else 0] = False
    return all_tuples(n_concepts)[new]


def with_unseen(table: TruthTable, tuples: BoolArray, answers: ArrayLike) -> TruthTable:
    """Add tuples that were never seen to a table, with the predictions of the network.

    All of them together weigh :data:`UNSEEN_SHARE` of the table. So a formula that has to agree with every
    tuple minds them, while one that may err gives them up before it gives up rows that occur.

    Parameters
    ----------
    table : TruthTable
    tuples : ndarray of bool, shape (n_unseen, n_concepts)
        As from :func:`unseen_tuples`.
    answers : array of shape (n_unseen,)
        Booleans or numbers in [0, 1].

    Returns
    -------
    TruthTable
    """
    check_table(table, "table")
    if not len(tuples):
        return table
    yes = as_answers(answers, len(tuples), 0.5)
    weight = UNSEEN_SHARE * table.total / len(tuples)
    return table.merge(TruthTable.from_counts(tuples, yes * weight, ~yes * weight, table.names))


def check_table(value: Any, name: str) -> TruthTable:
    """Return a table, once it is sure that it is one."""
    if isinstance(value, TruthTable):
        return value
    raise InputError(
        f"{name} must be a TruthTable. Got {shown(value)}; "
        "build one with TruthTable.from_data(concepts, answers)."
    )


SUFFICIENT = "sufficient on the data"
CONTRADICTED = "the network says no to most rows with the same concepts"
CONTRADICTED_NO = "the network says yes to most rows with the same concepts"
UNSUPPORTED = "no row of the data satisfies it"
UNOPPOSED = "nothing on the data speaks against it"
_MOST_NUMBERS: Final = 1 << 22  # of examples times contrary tuples that are worked on at once


def explain_example(
    sample: ArrayLike,
    table: TruthTable,
    target: Label,
    *,
    relevance: ArrayLike | None = None,
    kind: RuleKind | str = RuleKind.ONLY_IF,
    answer: bool = True,
    part: str = "given",
) -> Explanation:
    """Explain why the network gives one example its target, or why it does not.

    Parameters
    ----------
    sample : array of shape (n_concepts,)
        The example, over the table's concepts in their order: Booleans or numbers in [0, 1].
    table : TruthTable
        The network's yes and no about the target.
    target : str, int, float or bool
    relevance : array of shape (n_concepts,), optional
        How much each concept matters to the network at this example, larger for more. Without it, literals
        that exclude the most contrary weight are taken first.
    kind : RuleKind, default "only_if"
        The term is a sufficient condition; pass another where the network was trained for that.
    answer : bool, default True
        Whether the network says yes to the target for this example. Of a no the reason is a condition that
        the target needs and the example lacks: an IF rule, whose formula is false of the example.
    part : str, default "given"
        What the rows of the table are called in the scores.

    Returns
    -------
    Explanation
        Of one term, which the example satisfies; of a no, of the negation of such a term. Its scores say on
        which share of the table's rows that term is true (``coverage``), and for which share of those the
        network answers as it does for the example (``fidelity``).

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> table = TruthTable.from_data(X, [1, 0, 0, 0], names=["wings", "beak", "fins"])
    >>> print(explain_example([1, 1, 0], table, "bird"))
    forall x: (wings(x) & beak(x)) -> bird(x)
    >>> print(explain_example([1, 1, 0], table, "bird", relevance=[0, 1, 2]))
    forall x: (beak(x) & ~fins(x)) -> bird(x)
    >>> print(explain_example([0, 1, 1], table, "bird", answer=False))
    forall x: bird(x) -> wings(x)

    References
    ----------
    Sec. 4.1, Eq. (1) of Ciravegna et al., *Logic Explained Networks*.
    """
    check_table(table, "table")
    if not isinstance(answer, (bool, np.bool_)):
        raise InputError(f"answer must be True or False. Got {shown(answer)}.")
    if not answer:
        table = replace(table, yes=table.no, no=table.yes)
    samples = read_samples(np.asarray(sample)[None], table.names)
    matters = None if relevance is None else np.asarray(relevance)[None]
    terms = explain_examples(samples, table, relevance=matters)
    formula = cover_of(terms, table.names).to_formula()
    own = is_among(table.rows, pack(samples))
    against = table.no > table.yes
    contradicted = CONTRADICTED if answer else CONTRADICTED_NO
    true = fired_rows(formula, table)
    scores = _term_scores(true, table, part)
    status = UNOPPOSED if not against.any() else contradicted if against[own].any() else _sufficient(scores)
    if not true.any():
        status = UNSUPPORTED
    if answer:
        rule = Rule(target, formula, member(RuleKind, kind, "kind of rule"))
    else:
        rule = Rule(target, to_nnf(Not(formula)), RuleKind.IF)
    return Explanation(rule, Scope.EXAMPLE, status, 1.0, scores)


def _sufficient(scores: Scores | None) -> str:
    """The status of a term that no tuple speaks against; where concepts are scores, rows within one may."""
    if scores is None or scores.fidelity is None or scores.fidelity == 1:
        return SUFFICIENT
    return f"{SUFFICIENT} but for {1 - scores.fidelity:.1%} of the rows that it covers"


def _term_scores(true: BoolArray, table: TruthTable, part: str) -> Scores | None:
    """How many rows of a table a term is about, and for how many of them the network says yes."""
    if not table.total:
        return None
    covered = float((table.yes + table.no) @ true)
    return Scores(
        part,
        round(table.total),
        coverage=_share(covered, table.total),
        fidelity=_share(float(table.yes @ true), covered) if covered else None,
    )


def explain_examples(samples: ArrayLike, table: TruthTable, *, relevance: ArrayLike | None = None) -> Terms:
    """Terms that are sufficient for many examples, one each.

    Parameters
    ----------
    samples : array of shape (n_samples, n_concepts)
        Over the table's concepts in their order: Booleans or numbers in [0, 1].
    table : TruthTable
        The network's yes and no about the target that it predicts for all of them.
    relevance : array of shape (n_concepts,) or (n_samples, n_concepts), optional
        As for :func:`explain_example`.

    Returns
    -------
    Terms, shape (n_samples, n_concepts)
        1 for a concept, -1 for its negation, 0 for neither. No tuple with more weight of no than of yes
        satisfies an example's term, except the example's own.

    Examples
    --------
    >>> table = TruthTable.from_data([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> explain_examples([[1, 1], [1, 0]], table).tolist()
    [[1, 0], [1, 0]]
    """
    check_table(table, "table")
    rows = read_samples(samples, table.names)
    scores = None if relevance is None else read_relevance(relevance, rows.shape)
    terms = np.zeros(rows.shape, dtype=np.int8)
    against = table.no > table.yes
    contrary, weight = table.to_array()[against], table.no[against]
    if not len(contrary) or not rows.size:
        return terms
    size = max(1, _MOST_NUMBERS // len(contrary))
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        if scores is None:
            orders = _greedy_order(block, contrary, weight)
        else:
            orders = np.argsort(-scores[start : start + size], axis=1, kind="stable")
        for at, order in enumerate(orders):
            needed = _needed(contrary != block[at], order)
            terms[start + at, needed] = np.where(block[at, needed], 1, -1)
    return terms


def explain_set(
    samples: ArrayLike,
    table: TruthTable,
    target: Label,
    *,
    order: Sequence[str] | ArrayLike | None = None,
    kind: RuleKind | str = RuleKind.ONLY_IF,
) -> Explanation:
    """Explain what makes the network give some examples their target.

    Parameters
    ----------
    samples : array of shape (n_samples, n_concepts)
        Over the table's concepts in their order: Booleans or numbers in [0, 1].
    table : TruthTable
        The network's yes and no about the target.
    target : str, int, float or bool
        The target that the network predicts for all of them.
    order : sequence of str, or array of shape (n_concepts,), optional
        Which concepts matter, as for :func:`logiclens.logic.minimize`.
    kind : RuleKind, default "only_if"

    Returns
    -------
    Explanation
        Its formula holds on all of the examples and on no tuple with more weight of no than of yes, but for
        tuples of the examples themselves.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> table = TruthTable.from_data(X, [1, 1, 1, 0], names=["wings", "beak", "fins"])
    >>> print(explain_set(X[:2], table, "bird"))
    forall x: wings(x) -> bird(x)

    References
    ----------
    Sec. 4.1, Eq. (2) of Ciravegna et al., *Logic Explained Networks*.
    """
    check_table(table, "table")
    rows = read_samples(samples, table.names)
    if not len(rows):
        raise InputError("A set of examples needs at least one row. Got none.")
    against = (table.no > table.yes) & ~is_among(table.rows, pack(rows))
    wanted = np.concatenate([np.ones(len(rows)), np.zeros(int(against.sum()))])
    avoided = np.concatenate([np.zeros(len(rows)), table.no[against]])
    tuples = np.concatenate([rows, table.to_array()[against]])
    found = minimize(TruthTable.from_counts(tuples, wanted, avoided, table.names), order=order)
    status = UNOPPOSED if not against.any() else str(found.status)
    return Explanation(
        Rule(target, found.formula, member(RuleKind, kind, "kind of rule")),
        Scope.SET,
        status,
        support=float(len(rows)),
    )


def cover_of(terms: Terms, names: Sequence[str]) -> Cover:
    """Return terms as a cover over those concepts."""
    return Cover(names, pack(terms > 0), pack(terms < 0))


def read_samples(samples: ArrayLike, names: Sequence[str]) -> BoolArray:
    """Truth of examples over those concepts, shape (n_samples, n_concepts)."""
    data, nothing = ConceptData(samples, names), np.zeros((0, len(names)), dtype=np.bool_)
    return np.concatenate([nothing, *data.blocks(range(len(names)), 1 << 17)])


def read_relevance(relevance: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Finite scores of that shape, or of one row that stands for all."""
    scores = as_floats(relevance, "relevance")
    if scores.shape not in (shape, shape[1:]):
        raise InputError(
            f"relevance must have a score for each concept: shape {shape[1:]} or {shape}. "
            f"Got shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        raise InputError("relevance must hold finite scores. Check for NaN and infinity.")
    return np.broadcast_to(scores, shape)


@quiet_products
def _greedy_order(rows: BoolArray, contrary: BoolArray, weight: FloatArray) -> IndexArray:
    """For each example its concepts, those first that exclude most of the contrary weight left over."""
    n_rows, n_concepts = rows.shape
    order = np.zeros(rows.shape, dtype=np.intp)
    taken = np.zeros(rows.shape, dtype=np.bool_)
    left = np.broadcast_to(weight, (n_rows, len(weight))).copy()
    everyone, true = np.arange(n_rows), contrary.astype(np.float64)
    for step in range(n_concepts):
        with_concept = left @ true
        excluded = np.where(rows, left.sum(axis=1, keepdims=True) - with_concept, with_concept)
        excluded[taken] = -np.inf
        order[:, step] = best = excluded.argmax(axis=1)
        taken[everyone, best] = True
        left[contrary.T[best] != rows[everyone, best, None]] = 0.0
    return order


def _needed(excludes: BoolArray, order: IndexArray) -> BoolArray:
    """Which literals of an example are needed to exclude the contrary tuples; the last go first.

    ``excludes``, (n_contrary, n_concepts), says which literals are false of which contrary tuples.
    """
    needed = np.ones(excludes.shape[1], dtype=np.bool_)
    times = excludes.sum(axis=1)
    excludes, times = excludes[times > 0], times[times > 0]  # but for the example's own tuple
    for at in reversed(order):
        rest = times - excludes[:, at]
        if rest.all():
            needed[at], times = False, rest
    return needed


PRICES: Final = {
    RuleKind.IFF: (1.0, 1.0),
    RuleKind.IF: (1.0, IF_MISS),
    RuleKind.ONLY_IF: (ONLY_IF_FALSE_YES, 1.0),
}
"""Price of a false yes and of a miss: what makes IF and ONLY IF rules differ from equivalences (Sec. 4.2)."""

NEVER, ALWAYS = "never predicted on the data", "always predicted on the data"
USELESS = {
    RuleKind.IF: "no formula but TRUE holds on nearly all of the target",
    RuleKind.ONLY_IF: "no formula is nearly always right about the target",
}
"""Status of an implication that says nothing."""


def explain_class(
    table: TruthTable,
    target: Label,
    *,
    kind: RuleKind | str = RuleKind.IFF,
    truth: TruthTable | None = None,
    order: Sequence[str] | ArrayLike | None = None,
    max_literals: int | None = 20,
    exact: Exact = "auto",
) -> Explanation:
    """Explain one target from the predictions of a network.

    Parameters
    ----------
    table : TruthTable
        The network's yes and no about the target, over the concepts that it kept.
    target : str, int, float or bool
        Label of the target.
    kind : RuleKind, default "iff"
        How the formula is tied to the target. For IF a miss costs 199 times what a false yes does, for ONLY
        IF a false yes 19 times what a miss does.
    truth : TruthTable, optional
        Validation rows: the weight of those that are the target (yes) and that are not (no), over the same
        concepts or more. The formula is the shortest that is right about as much of it as the best, within
        one standard error. Without it, or when all of its rows are on one side, the formula that agrees most
        with the network is taken.
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), optional
        Which concepts matter, as for :func:`logiclens.logic.minimize`.
    max_literals : int or None, default 20
        Length of the longest formula to consider; None for no limit.
    exact : {"auto", True, False}, default "auto"
        Whether formulas are proved to be the best of their length, as by
        :func:`logiclens.logic.minimize_path`.

    Returns
    -------
    Explanation
        Scores are those on ``truth``, but for fidelity, the agreement with ``table``.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> table = TruthTable.from_data(X, [0, 1, 1, 0], names=["x1", "x2"])
    >>> print(explain_class(table, "xor"))
    forall x: xor(x) <-> (~x1(x) & x2(x)) | (x1(x) & ~x2(x))
    >>> print(explain_class(table, "xor", kind="only_if", max_literals=2))
    forall x: (x1(x) & ~x2(x)) -> xor(x)

    References
    ----------
    Sec. 4.1, Eq. (2), and Sec. 4.2 of Ciravegna et al., *Logic Explained Networks*.
    """
    check_table(table, "table")
    target, kind = plain_label(target), member(RuleKind, kind, "kind of rule")
    held_out = None if truth is None else check_table(truth, "truth").select(table.names)
    rated = held_out if held_out is not None and held_out.yes.any() and held_out.no.any() else None
    formula: Formula
    if not (table.yes.any() and table.no.any()):
        formula, status = (TRUE, ALWAYS) if table.yes.any() else (FALSE, NEVER)
    else:
        false_yes, miss = PRICES.get(kind, PRICES[RuleKind.IFF])
        priced = TruthTable(table.names, table.rows, table.yes * miss, table.no * false_yes)
        path = minimize_path(priced, max_literals=max_literals, exact=exact, order=order)
        at = len(path) - 1 if rated is None else _shortest([each.formula for each in path], rated, kind)
        formula, status = path[at].formula, str(path[at].status)
        if at == len(path) - 1 and path[at].errors > 0 and path[at].literals and max_literals is not None:
            status = f"{status} within max_literals={max_literals}"
        if kind in USELESS and formula in (TRUE, FALSE):
            status = USELESS[kind]
    return Explanation(
        Rule(target, formula, kind),
        scope=Scope.CLASS,
        status=status,
        support=float(table.yes.sum()),
        scores=None if held_out is None else rates_on(formula, table, held_out, "validation"),
    )


def _shortest(formulas: Sequence[Formula], truth: TruthTable, kind: RuleKind) -> int:
    """The first formula within one standard error of the best, at the prices of its kind of rule."""
    false_yes, miss = PRICES.get(kind, PRICES[RuleKind.IFF])
    fired = np.array([fired_rows(each, truth) for each in formulas])
    total = truth.total
    loss = (np.where(fired, 0.0, miss * truth.yes) + np.where(fired, false_yes * truth.no, 0.0)).sum(axis=1)
    best = int(loss.argmin())
    # Rows on which a formula differs from the best one lose or win a price; the rest are equal.
    differs = fired != fired[best]
    spread = (differs * (miss**2 * truth.yes + false_yes**2 * truth.no)).sum(axis=1) / total
    error = np.sqrt(np.maximum(spread - ((loss - loss[best]) / total) ** 2, 0.0) / total)
    return int(np.flatnonzero((loss - loss[best]) / total <= error)[0])


def rates_on(
    formula: Formula, table: TruthTable, truth: TruthTable, part: str, n_rows: int | None = None
) -> Scores:
    """How good a formula is on the rows of ``truth``, and how well it agrees with the network on ``table``.

    The number of rows is their weight, rounded, when it is not given.
    """
    fired = fired_rows(formula, truth)
    right, covered = float(truth.yes @ fired), float((truth.yes + truth.no) @ fired)
    total, members = truth.total, float(truth.yes.sum())
    agreed = np.where(fired_rows(formula, table), table.yes, table.no).sum()
    return Scores(
        part=part,
        n_rows=round(total) if n_rows is None else n_rows,
        precision=_share(right, covered) if covered else None,
        recall=_share(right, members) if members else None,
        coverage=_share(covered, total),
        accuracy=_share(float(np.where(fired, truth.yes, truth.no).sum()), total),
        fidelity=_share(float(agreed), table.total),
    )


def fired_rows(formula: Formula, table: TruthTable) -> BoolArray:
    """Truth of a formula on each tuple of a table, shape (n_rows,)."""
    return formula.evaluate(table.to_array(), table.names)


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0)  # sums in another order may differ in the last digit


_MOST_LITERALS: Final = 300  # of a DNF that is kept where the list's own condition is shorter
_MOST_TERMS: Final = 60  # of the list's own condition as a DNF
_MOST_CONFLICTS: Final = 200  # dead ends of a proof of equivalence


def class_formulas(
    steps: Sequence[Step],
    default: Label,
    labels: Sequence[Label],
    table: TruthTable | None = None,
    *,
    given: Given = None,
    wide: bool = False,
) -> dict[Label, tuple[Formula, str]]:
    """For each class the formula that is true where the list decides it: the paper's ``phi_c``.

    Each is the shortest DNF that was found to agree with the list on all tuples that were seen; others are
    don't-cares. Where a formula that agrees on every tuple whatever is no longer, that is taken.

    Parameters
    ----------
    steps : sequence of Step
    default : label
    labels : sequence of labels
        All classes, also those without a step.
    table : TruthTable, optional
        The distinct tuples that were seen, over the concepts of the steps at least. Their weight counts, the
        answers do not. When missing, every tuple counts as seen.
    given : Formula or iterable of Formula, optional
        What is known about the concepts.
    wide : bool, default False
        Whether formulas may use all concepts of the table, rather than those of the steps alone.

    Returns
    -------
    dict of label to (Formula, str)
        In the order of the labels; the text says ``"equivalent to the list"`` where that is proved, and
        otherwise that it was found to agree on the rows that were seen.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins"))]
    >>> seen = TruthTable.from_data([[1, 0], [0, 1], [0, 0]], [1, 1, 1], names=["wings", "fins"])
    >>> for label, (formula, status) in class_formulas(steps, "cat", ["bird", "cat", "fish"], seen).items():
    ...     print(f"{label}: {formula} ({status})")
    bird: wings (equivalent to the list)
    cat: ~fins & ~wings (equivalent to the list)
    fish: fins (agrees with the list on all rows seen)
    """
    kept, default, known = check_steps(steps), plain_label(default), given_parts(given)
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise InputError(f"labels must be a sequence of labels. Got {shown(labels)}.")
    for formula in known:
        check_formula(formula, "given")
    conditions = {label: condition_of(kept, default, label) for label in map(plain_label, labels)}
    if table is None:
        dnfs = {label: _written_out(each) for label, each in conditions.items()}
        return {
            label: (conditions[label] if each is None else each, EQUIVALENT) for label, each in dnfs.items()
        }
    check_table(table, "table")
    used = list(table.names) if wide else used_concepts(step.formula for step in kept)
    tuples = table.select(used)
    true = truth_of((step.formula for step in kept), ConceptData(tuples.to_array(), tuples.names))
    decided, answers = resolve(true), [*(step.label for step in kept), default]
    weight = tuples.yes + tuples.no
    agrees = f"{AGREES}rows seen"
    found = {}
    for label, condition in conditions.items():
        if kept and label == kept[0].label != default:
            found[label] = kept[0].formula, EQUIVALENT
            continue
        own = np.array([answer == label for answer in answers])[decided]
        about = replace(tuples, yes=np.where(own, weight, 0.0), no=np.where(own, 0.0, weight))
        formula, proved = _class_formula(condition, about, known)
        found[label] = formula, EQUIVALENT if proved else agrees
    return found


def _class_formula(condition: Formula, table: TruthTable, known: list[Formula]) -> tuple[Formula, bool]:
    """The shortest formula for a condition on a table, and whether it is proved to be equivalent."""
    written = _written_out(condition)
    longest = _MOST_LITERALS if written is None else min(_MOST_LITERALS, written.literals - 1)
    found = agreeing_formula(table, longest)
    if found is None:
        return condition if written is None else written, True
    formula = found.formula
    try:
        differs = any(
            find_assignment([*known, one, Not(other)], max_conflicts=_MOST_CONFLICTS) is not None
            for one, other in ((formula, condition), (condition, formula))
        )
    except LimitError:  # a proof takes long
        return formula, False
    return formula, not differs


def _written_out(condition: Formula) -> Formula | None:
    """A condition as a DNF; None where that takes long."""
    try:
        return simplify(to_dnf(condition, _MOST_TERMS))
    except LimitError:
        return None


MAX_GLOBAL: Final = 10
"""Most concepts that an explanation of all data looks at, whatever ``max_concepts`` is."""


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
        return () if self.formula == TRUE else conjuncts(self.formula)

    def __str__(self) -> str:
        return "\n".join(self._lines("ascii", " in O_0"))

    def _repr_html_(self) -> str:
        note = [html_part("div", f"{self.status}.", FAINT)] if self.status else []
        return html_box(*map(html_logic, self._lines("unicode", " ∈ O_0")), *note)

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
    """Explain what holds on all data: the disjunction of all class formulas on the tuples that occur, as CNF.

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
    covered = np.ones(seen.n_rows, dtype=np.bool_)
    if rules is not None:
        formulas = formulas_of(rules).values()
        covered = np.any([formula.evaluate(seen.to_array(), seen.names) for formula in formulas], axis=0)
        used = Counter(name for formula in formulas for name in formula.concepts)
        names = tuple(sorted((name for name in names if used[name]), key=lambda name: -used[name]))
    most = min(check_count(max_concepts, "max_concepts"), MAX_GLOBAL)
    if len(names) > most:
        notes.append(f"{most} of {count(len(names), 'concept')}")
    names = tuple(name for name in seen.names if name in names[:most])
    positions = [seen.names.index(name) for name in names]
    occurs = np.zeros(1 << len(names), dtype=np.bool_)
    occurs[seen.to_array()[covered][:, positions] @ (1 << np.arange(len(names)))] = True
    cnf = to_nnf(~smallest_formula(~occurs, names))
    clauses = [] if cnf == TRUE else sorted(conjuncts(cnf), key=lambda part: part.literals)
    if max_clauses is not None and len(clauses) > check_count(max_clauses, "max_clauses"):
        notes.append(f"{max_clauses} of {count(len(clauses), 'clause')}")
        clauses = clauses[:max_clauses]
    elif not clauses:
        notes.append("every combination occurs")
    return GlobalExplanation(And.of(clauses), names, ", ".join(notes))
