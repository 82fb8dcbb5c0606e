"""Rules in a report: texts, scores, terms, who breaks them, the list that decides, every length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from logiclens.concepts.concept import as_term, without_implied
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError
from logiclens.evaluation._evaluate import LabeledRows, RowLabels
from logiclens.explain.counterfactual import term_in_words
from logiclens.explain.explanation import Explanation
from logiclens.explain.front import Front, Point
from logiclens.explain.resolution import list_sentence, list_text
from logiclens.explain.rule import Rule, RuleKind, formula_sentence, target_in_sentence
from logiclens.explain.rule_set import ExplanationSet, as_list
from logiclens.logic.arrays import BoolArray, IndexArray, Words, pack, unpack
from logiclens.logic.entail import Conflict, conflicts
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import FALSE, And, Const, Formula, Var
from logiclens.logic.normal_form import dnf_terms, to_nnf
from logiclens.logic.sat import find_assignment
from logiclens.logic.syntax import format_formula
from logiclens.reporting._about_data import tree_of
from logiclens.reporting._facts import (
    NO_RATE,
    BreakPattern,
    Breaks,
    CheckFacts,
    ConflictFacts,
    CurvePoint,
    Exports,
    LengthFacts,
    PolicyFacts,
    Rate,
    RelevanceFacts,
    RuleFacts,
    RuleScoreFacts,
    StepFacts,
    TermFacts,
    UncoveredFacts,
)
from logiclens.reporting._subject import BLACK_BOX, Subject


@dataclass(frozen=True)
class Detail:
    """Limits of what is listed; the facts say how much there is."""

    literals: int = 3000
    """Of all lengths that are shown, together."""
    groups: int = 40_000
    """Numbers about groups of rows."""
    terms: int = 24
    """Terms of a rule."""
    patterns: int = 5
    """Patterns of rows that break a rule, of each kind."""
    relevant: int = 12
    """Concepts by how much they matter."""
    repeated: bool = True
    """Whether the list is written in words, too, and as code."""
    exports: bool = True
    """Whether there are rules for other programs."""


FULL = Detail()

DETAILS = (
    FULL,
    Detail(literals=1000, groups=20_000, terms=12, patterns=3, relevant=8),
    Detail(literals=0, groups=10_000, terms=8, patterns=2, relevant=5, repeated=False),
    Detail(literals=0, groups=5_000, terms=3, patterns=1, relevant=3, repeated=False),
    Detail(literals=0, groups=5_000, terms=1, patterns=1, relevant=2, repeated=False),
    Detail(literals=0, groups=5_000, terms=0, patterns=0, relevant=0, repeated=False, exports=False),
)
"""From all that is worth reading to the least that is a report: the rules, and what they get wrong."""


def rules_facts(
    subject: Subject, places: Mapping[str, int], rows: LabeledRows | None, detail: Detail = FULL
) -> tuple[RuleFacts, ...]:
    """The facts about each rule; without rows, the scores of the fit; ``places`` are those of concepts."""
    found = []
    for at, explanation in enumerate(subject.rules.values()):
        terms = _terms(explanation, at, places, rows)
        found.append(
            RuleFacts(
                label=str(explanation.target),
                logic=explanation.rule.format("unicode"),
                logic_ascii=explanation.rule.format() if detail.exports else "",
                sentence=explanation.to_sentence(),
                status=explanation.status,
                support=explanation.support,
                tree=tree_of(explanation.formula, places),
                exports=exports_of(explanation) if detail.exports else Exports(None, None, None),
                scores=_stored_scores(explanation) if rows is None else _scores(explanation, rows),
                terms=terms[: detail.terms],
                n_terms=len(terms),
                breaks=breaks_of(explanation.rule, at, rows, detail.patterns),
                relevance=_relevance(subject, at, detail.relevant),
            )
        )
    return tuple(found)


def exports_of(rules: Explanation | ExplanationSet) -> Exports:
    """A rule, or a list, in other languages; None in one that cannot carry its names."""
    return Exports(_try_export(rules.to_sql), _try_export(rules.to_python), _try_export(rules.to_latex))


def _try_export(write: Callable[[], Any]) -> str | None:
    try:
        return str(write())
    except (InputError, LimitError):
        return None


def _scores(explanation: Explanation, rows: LabeledRows) -> RuleScoreFacts:
    label = explanation.target
    wanted, truth, model = (
        None if found is None else found.by_label[label]
        for found in map(rows.against, (rows.reference, rows.truth, rows.model))
    )
    return RuleScoreFacts(
        n=rows.n_rows,
        literals=explanation.literals,
        precision=NO_RATE if wanted is None else Rate.among(wanted, "precision"),
        recall=NO_RATE if wanted is None else Rate.among(wanted, "recall"),
        coverage=Rate.of(*rows.share(rows.given[rows.rules.labels.index(label)])),
        accuracy=None if truth is None else truth.macro_f1,
        fidelity=None if model is None else model.macro_f1,
        accuracy_plain=None if truth is None else truth.agreement,
        fidelity_plain=None if model is None else model.agreement,
    )


def _stored_scores(explanation: Explanation) -> RuleScoreFacts:
    """The scores of the fit, which have no intervals."""
    scores, literals = explanation.scores, explanation.literals
    if scores is None:
        return RuleScoreFacts(literals=literals)
    return RuleScoreFacts(
        n=scores.n_rows,
        literals=literals,
        precision=Rate(scores.precision),
        recall=Rate(scores.recall),
        coverage=Rate(scores.coverage),
        accuracy_plain=scores.accuracy,
        fidelity_plain=scores.fidelity,
    )


def _terms(
    explanation: Explanation, at: int, places: Mapping[str, int], rows: LabeledRows | None
) -> tuple[TermFacts, ...]:
    """Each term of a rule in DNF, in its order; none of a constant, or of a form that would be too large."""
    if isinstance(explanation.formula, Const):
        return ()
    try:
        terms = dnf_terms(explanation.formula)
    except LimitError:
        return ()
    words = explanation.vocabulary
    found = []
    for term in terms:
        covered, coverage, precision = None, NO_RATE, NO_RATE
        if rows is not None:
            fired = rows.fired(term)
            covered = rows.count(fired)
            coverage = Rate.of(*rows.share(fired))
            if rows.reference is not None:
                precision = Rate.of(*rows.share(rows.reference.words[at], fired))
        found.append(
            TermFacts(
                format_formula(term, "unicode") if words is None else words.format(term, "unicode"),
                formula_sentence(term, words),
                tree_of(term, places),
                covered,
                coverage,
                precision,
            )
        )
    return tuple(found)


def _relevance(subject: Subject, at: int, most: int) -> tuple[RelevanceFacts, ...]:
    """The concepts that matter most to a target, the most relevant first."""
    if subject.relevance is None:
        return ()
    values = np.clip(subject.relevance[at], 0.0, 1.0)
    words, names = subject.rules.vocabulary, subject.rules.concept_names
    order = np.argsort(-values, kind="stable")[:most]
    return tuple(
        RelevanceFacts(formula_sentence(Var(names[j]), words), float(values[j]))
        for j in order
        if values[j] > 0
    )


FALSE_ALARM, MISSED = "false alarm", "missed"

_BREAKING = {
    RuleKind.IFF: (FALSE_ALARM, MISSED),
    RuleKind.IF: (MISSED,),
    RuleKind.ONLY_IF: (FALSE_ALARM,),
    RuleKind.CLUSTER: (MISSED,),
}


def breaks_of(rule: Rule, at: int, rows: LabeledRows | None, most: int = FULL.patterns) -> Breaks:
    """Rows that break a rule, whose label has the place ``at``; at most this many patterns of each kind."""
    kinds = _BREAKING[rule.kind]
    if rows is None or rows.reference is None:
        return Breaks("", kinds, None, None, (), 0)
    fired, wanted = rows.fired(rule.formula), rows.reference.words[at]
    patterns: list[BreakPattern] = []
    n_patterns = 0
    wrong = {FALSE_ALARM: fired & ~wanted, MISSED: wanted & ~fired}
    for kind in kinds:
        tuples, counts = _tuples(wrong[kind], rule.concepts, rows)
        n_patterns += len(counts)
        heaviest = np.argsort(-counts, kind="stable")[:most]
        patterns += (
            _pattern(rule, kind, tuples[which], int(counts[which]), rows) for which in heaviest.tolist()
        )
    return Breaks(
        rows.reference.by,
        kinds,
        rows.count(wrong[FALSE_ALARM]),
        rows.count(wrong[MISSED]),
        tuple(patterns),
        n_patterns,
    )


def pattern_sentence(term: Formula, vocabulary: Vocabulary | None) -> str:
    """A conjunction in English, without what follows from the rest of it.

    Examples
    --------
    >>> from logiclens.concepts import Above, Missing
    >>> from logiclens.logic import Var
    >>> words = Vocabulary(("age",), (Above("age", 62), Missing("age")))
    >>> print(pattern_sentence(~Var("age > 62") & ~Var("age is missing"), words))
    age is at most 62
    """
    if vocabulary is None:
        return to_sentence(term)
    short = without_implied(term, vocabulary.groups(term.concepts))
    return term_in_words(term if short == FALSE else short, vocabulary)


def _pattern(rule: Rule, kind: str, state: BoolArray, n: int, rows: LabeledRows) -> BreakPattern:
    if not rule.concepts:
        return BreakPattern("any row", kind, n, rows.n_rows)
    term = as_term(rule.concepts, state)
    return BreakPattern(pattern_sentence(term, rule.vocabulary), kind, n, rows.count(rows.fired(term)))


def _tuples(wrong: Words, concepts: Sequence[str], rows: LabeledRows) -> tuple[BoolArray, IndexArray]:
    """Distinct tuples of some concepts among rows, (n, k), and how often each occurs, (n,)."""
    which = np.flatnonzero(unpack(wrong, rows.n_distinct))
    if not which.size:
        return np.zeros((0, len(concepts)), dtype=np.bool_), np.zeros(0, dtype=np.intp)
    if not concepts:
        return np.zeros((1, 0), dtype=np.bool_), np.array([len(which)])
    truth = np.column_stack([unpack(rows.concepts[name], rows.n_distinct)[which] for name in concepts])
    distinct, counts = np.unique(pack(truth), axis=0, return_counts=True)
    return unpack(distinct, len(concepts)), counts


def policy_facts(
    rules: ExplanationSet, places: Mapping[str, int], rows: LabeledRows | None, detail: Detail = FULL
) -> PolicyFacts:
    """The decision of all rules together; rows are counted step by step.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
    >>> facts = policy_facts(ExplanationSet(found, ["wings", "fins"]), {"wings": 0, "fins": 1}, None)
    >>> [step.logic for step in facts.steps], facts.default.logic
    (['if wings(x) then bird', 'else if fins(x) then fish'], 'otherwise bird')
    """
    if rules.multi_label:
        return PolicyFacts((), None, multi_label=True, printed=False, exports=None)
    listed = as_list(rules)
    printed = listed.is_list
    blank = [""] * (len(rules.steps) + 1)
    logic = listed.format("unicode").split("\n") if printed else blank
    sentences = listed.to_sentence().split("\n") if printed and detail.repeated else blank
    counts = _counts(None if rows is None else rows.decided_by, rules.answers, rules.labels, rows)
    steps = tuple(
        StepFacts(
            label=str(step.label),
            rule=rules.labels.index(step.label),
            logic=logic[at],
            sentence=sentences[at],
            literals=step.literals,
            tree=None if step.formula == rules[step.label].formula else tree_of(step.formula, places),
            **counts[at],
        )
        for at, step in enumerate(rules.steps)
    )
    assert rules.default is not None
    return PolicyFacts(
        steps,
        _default(rules.default, rules.labels, logic[-1], sentences[-1], counts[-1]),
        multi_label=False,
        printed=printed,
        exports=exports_of(listed) if printed and detail.repeated else None,
    )


def _counts(
    places: IndexArray | None, answers: Sequence[Any], labels: Sequence[Any], rows: LabeledRows | None
) -> list[dict[str, Any]]:
    """For each answer the rows that get it from there, and how often it is right, as fields of a step."""
    if places is None or rows is None:
        return [{"n": None}] * len(answers)
    if rows.reference is None or rows.reference.codes is None:
        return [{"n": n} for n in rows.tally(places, len(answers)).tolist()]
    codes = np.array([labels.index(answer) for answer in answers], dtype=np.intp)
    right = codes[places] == rows.reference.codes
    counts = rows.tally(2 * places + right, 2 * len(answers)).reshape(-1, 2).tolist()
    hit = pack(right)
    return [
        {"n": wrong + hits, "n_right": hits, "precision": Rate.of(*rows.share(hit, pack(places == at)))}
        for at, (wrong, hits) in enumerate(counts)
    ]


def _default(
    label: Any, labels: Sequence[Any], logic: str, sentence: str, counts: Mapping[str, Any]
) -> StepFacts:
    """The last line of a list."""
    return StepFacts(str(label), labels.index(label), logic, sentence, 0, **counts)


LEFT_OUT = "training rows left out in turn"
"""The rows that lengths are scored on where a report has none."""
LEFT_OUT_BY_CLASS = f"{LEFT_OUT}, as means over the classes"
"""The same where each class has a rule of its own."""


def shown_points(front: Front | None, most_literals: int) -> tuple[int, ...]:
    """Places of the points that are shown: in even steps, the first, the last and the chosen one among them.

    Examples
    --------
    >>> from logiclens.explain.resolution import Step
    >>> from logiclens.logic import And, Var
    >>> formulas = [And.of(Var(f"x{j}") for j in range(n + 1)) for n in range(9)]
    >>> points = tuple(Point((Step("yes", formula),), "no") for formula in formulas)
    >>> front = Front(points, ("no", "yes"), tuple(f"x{j}" for j in range(9)), chosen=3)
    >>> shown_points(front, 100), shown_points(front, 20), shown_points(front, 0)
    ((0, 1, 2, 3, 4, 5, 6, 7, 8), (0, 3, 5, 8), ())
    """
    if front is None:
        return ()
    for n_points in range(len(front), 1, -1):
        kept = {*np.linspace(0, len(front) - 1, n_points).round().astype(int).tolist(), front.chosen}
        if sum(front[at].literals for at in kept) <= most_literals:
            return tuple(sorted(kept))
    return ()


def lengths_facts(
    subject: Subject, shown: Sequence[int], places: Mapping[str, int], rows: LabeledRows | None
) -> tuple[LengthFacts, ...]:
    """The facts about rules of each length that is shown; without rows, the scores of the fit."""
    front = subject.front
    return () if front is None else tuple(_length(subject, front, at, places, rows) for at in shown)


def _length(
    subject: Subject, front: Front, at: int, places: Mapping[str, int], rows: LabeledRows | None
) -> LengthFacts:
    point = front[at]
    steps = tuple(step for step in point.steps if step.formula != FALSE)
    counts: list[dict[str, Any]] = [{"n": None}] * (len(steps) + 1)
    if rows is None:
        accuracy, fidelity = _stored_rates(point, subject.task)
    else:
        accuracy, fidelity, counts = _scored(front, replace(point, steps=steps), rows)
    words = front.vocabulary
    if as_list(subject.rules).is_list and point.default is not None:
        logic = list_text(steps, point.default, words, "unicode").split("\n")
        rules = subject.rules
        named = {label: target_in_sentence(explanation.rule) for label, explanation in rules.items()}
        sentences = list_sentence(steps, point.default, named.__getitem__, words).split("\n")
    else:
        made = [Rule(step.label, step.formula, front.kind, vocabulary=words) for step in steps]
        logic = [*(rule.format("unicode") for rule in made), ""]
        sentences = [*(f"{rule.to_sentence()}." for rule in made), ""]
    return LengthFacts(
        literals=point.literals,
        chosen=at == front.chosen,
        accuracy=accuracy,
        fidelity=fidelity,
        steps=tuple(
            StepFacts(
                label=str(step.label),
                rule=front.labels.index(step.label),
                logic=logic[place],
                sentence=sentences[place],
                literals=step.literals,
                tree=tree_of(step.formula, places),
                **counts[place],
            )
            for place, step in enumerate(steps)
        ),
        default=None
        if point.default is None
        else _default(point.default, front.labels, logic[-1], sentences[-1], counts[-1]),
    )


MOST_CURVE = 60
"""Points of the front that are drawn."""


def curve_places(front: Front | None, shown: Sequence[int]) -> tuple[int, ...]:
    """Places of the points of a front that are drawn: those that are shown, and others in even steps."""
    if front is None or len(shown) == len(front):
        return tuple(shown)
    steps = np.linspace(0, len(front) - 1, min(MOST_CURVE, len(front)))
    return tuple(sorted({*steps.round().astype(int).tolist(), *shown}))


def curve_facts(subject: Subject, places: Sequence[int], rows: LabeledRows | None) -> tuple[CurvePoint, ...]:
    """How good rules of more lengths are than are listed."""
    front = subject.front
    if front is None:
        return ()
    found = []
    for at in places:
        point = front[at]
        accuracy, fidelity = (
            _stored_rates(point, subject.task) if rows is None else _scored(front, point, rows)[:2]
        )
        found.append(CurvePoint(point.literals, accuracy, fidelity))
    return tuple(found)


def _stored_rates(point: Point, task: str) -> tuple[Rate, float | None]:
    """Scores of the fit; for a black box its answers are what was to be met."""
    low, high = point.interval or (None, None)
    if task == BLACK_BOX:
        return NO_RATE, point.accuracy
    return Rate(point.accuracy, low, high), point.fidelity


def _scored(front: Front, point: Point, rows: LabeledRows) -> tuple[Rate, float | None, list[dict[str, Any]]]:
    """Accuracy and fidelity of rules on rows, and the rows that each step decides.

    Where a row may have several labels, all of them have to be met, and steps are counted where they are
    true.
    """
    formulas = [step.formula for step in point.steps]
    if front.multi_label:
        own = {step.label: rows.fired(step.formula) for step in point.steps}
        nothing = rows.fired(FALSE)
        predicted = RowLabels("the rules", tuple(own.get(label, nothing) for label in front.labels), None)
        counts = [{"n": rows.count(words)} for words in own.values()]
    else:
        place = rows.first_true(formulas)
        labels = [*(step.label for step in point.steps), point.default]
        codes = np.array([front.labels.index(label) for label in labels], dtype=np.intp)[place]
        predicted = RowLabels("the rules", (), codes)
        counts = _counts(place, labels, front.labels, rows)
    right = rows.alike(predicted, rows.truth)
    accuracy = NO_RATE if right is None else Rate.of(*rows.share(right))
    return accuracy, rows.share_alike(predicted, rows.model), counts


MOST_CONFLICTS = 20
"""Pairs of rules that are listed."""

_MANY_RULES = 40  # from here on, what is not listed is not put into words either


def check_facts(rules: ExplanationSet) -> CheckFacts:
    """Conflicts, gaps and constant rules, from the rules alone; nothing where that is too much work.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> rules = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
    >>> check_facts(ExplanationSet(rules, ["wings", "fins"])).conflicts[0].example
    'wings and fins'
    """
    try:
        many = len(rules) >= _MANY_RULES and not rules.is_resolved
        return _of_many(rules) if many else _of_few(rules)
    except LimitError:
        return CheckFacts(None, None, None, None, (), ())


def _of_few(rules: ExplanationSet) -> CheckFacts:
    found = rules.check()
    gap = None if rules.multi_label else found.uncovered  # there, no label at all is an answer
    return CheckFacts(
        conflicts=tuple(
            ConflictFacts((str(pair.first), str(pair.second)), pair.region.example_text)
            for pair in found.conflicts[:MOST_CONFLICTS]
        ),
        n_conflicts=len(found.conflicts),
        uncovered=None if gap is None else UncoveredFacts(gap.text, gap.example_text),
        covered=None if rules.multi_label else gap is None,
        always=tuple(map(str, found.always)),
        never=tuple(map(str, found.never)),
        dead=tuple(map(str, found.dead)) if found.is_list else None,
    )


def _of_many(rules: ExplanationSet) -> CheckFacts:
    known, formulas = rules.known(), rules.formulas
    pairs = [] if rules.multi_label else conflicts(formulas, known)
    gap = None if rules.multi_label else find_assignment(known, formulas.values())
    text = f"rows of which none of the {len(rules)} formulas is true"
    return CheckFacts(
        conflicts=tuple(_pair(rules, pair) for pair in pairs[:MOST_CONFLICTS]),
        n_conflicts=len(pairs),
        uncovered=None if gap is None else UncoveredFacts(text, ""),
        covered=None if rules.multi_label else gap is None,
        always=tuple(str(label) for label, f in formulas.items() if find_assignment(known, [f]) is None),
        never=tuple(str(label) for label, f in formulas.items() if find_assignment([*known, f]) is None),
    )


def _pair(rules: ExplanationSet, pair: Conflict) -> ConflictFacts:
    """Two rules that can be true together, with terms of both for an example."""
    terms = [
        _true_term(rules[label].formula, pair.witness)  # type: ignore[index]
        for label in (pair.first, pair.second)
    ]
    return ConflictFacts(
        (str(pair.first), str(pair.second)), pattern_sentence(to_nnf(And.of(terms)), rules.vocabulary)
    )


def _true_term(formula: Formula, witness: Mapping[str, bool]) -> Formula:
    """The shortest term of a formula that is true of a witness."""
    row = {name: [value] for name, value in witness.items()}
    return min((t for t in dnf_terms(formula) if t.evaluate(row)[0]), key=lambda term: term.literals)
