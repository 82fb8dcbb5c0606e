"""What is odd about a set of rules, found from the rules alone: no data are needed.

- *conflicts*: two rules that can be true of one row, though their labels exclude one another;
- *gaps*: rows of which no rule is true;
- rules that are *always* or *never* true, and terms that add nothing to their rule;
- which concepts are used, and which are not.

The steps of a list are read in order, so they cannot conflict, and what they leave is the default's. There,
*dead* steps are looked for, which an earlier one makes superfluous, and labels that are never predicted.

What the vocabulary knows is taken into account: nobody is both above 62 and at most 30.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from logiclens.concepts.concept import without_implied
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import LimitError, count
from logiclens.explain.counterfactual import term_in_words
from logiclens.explain.resolution import Step
from logiclens.explain.rule import Label, Rule, RuleKind, html_box, html_part, target_in_sentence
from logiclens.logic.entail import conflicts, implies
from logiclens.logic.formula import FALSE, TRUE, And, Formula, Not, Or, Var
from logiclens.logic.normal_form import conjuncts, dnf_terms, simplify, to_dnf, to_nnf
from logiclens.logic.sat import find_assignment

_MOST_TERMS = 1_000  # terms up to which formulas are looked at term by term
_LISTED_LITERALS = 60  # literals up to which a region is written in full
_LISTED_PAIRS = 30  # pairs of rules that are listed
_LISTED_CONCEPTS = 12  # concepts, labels, and conditions of a term that are listed
_LISTED_TERMS = 30  # superfluous terms that are listed


@dataclass(frozen=True)
class Region:
    """The rows of which ``formula`` is true, in words; ``witness`` has the concepts of one of them."""

    formula: Formula
    witness: Mapping[str, bool] = field(hash=False)
    vocabulary: Vocabulary | None = field(default=None, repr=False)

    @property
    def example(self) -> Formula:
        """A conjunction of literals that the witness satisfies; every row that does is in the region."""
        return _short(_true_part(self.formula, self.witness), self.vocabulary)

    @property
    def cases(self) -> tuple[Formula, ...]:
        """The region case by case, as conjunctions of literals; none where they are too many to list."""
        try:
            cases = dnf_terms(self.formula, _MOST_TERMS)
        except LimitError:
            return ()
        return cases if sum(case.literals for case in cases) <= _LISTED_LITERALS else ()

    @property
    def text(self) -> str:
        """The region in plain English; of a very long one how long it is."""
        if not self.cases:
            return f"cases that take {self.formula.literals} literals to describe"
        return ", or ".join(term_in_words(case, self.vocabulary) for case in self.cases)

    @property
    def example_text(self) -> str:
        """The example in plain English; of a very long one the beginning."""
        return _in_short(self.example, self.vocabulary)


@dataclass(frozen=True)
class RuleConflict:
    """Two rules, ``first`` and ``second``, that are both true of the rows of a ``region``."""

    first: Label
    second: Label
    region: Region


@dataclass(frozen=True)
class RuleCheck:
    """What is odd about a set of rules.

    Attributes
    ----------
    rules : tuple of Rule
        The rules that were looked at; of a list those of its labels.
    multi_label : bool
        Whether a row may have several labels; then there are no conflicts, and gaps are no fault.
    default : label or None
        What rows get of which no rule is true.
    conflicts : tuple of RuleConflict
        Pairs of rules that can be true together.
    uncovered : Region or None
        The rows of which no rule is true; None when there are none.
    always : tuple of labels
        Rules that are true of every row.
    never : tuple of labels
        Rules that are true of no row.
    superfluous : mapping of label to tuple of Formula
        Terms that a rule could do without: its others are true wherever they are, or they never are.
    used : mapping of str to int
        The concepts of the rules, with the number of rules that use them; the most used first.
    unused : tuple of str
        The other concepts of the data.
    is_list : bool, default False
        Whether steps were looked at that are read in order: they cannot conflict, what they leave is no
        fault, and of ``never`` are the labels that are never predicted.
    dead : tuple of labels
        Steps that never decide, since an earlier one is true wherever they are.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins", "legs"],
    ...     default="fish",
    ... )
    >>> print(rules.check())
    Conflicts: 1 pair of rules can be true together.
      bird and fish, for example: wings and fins
    Gap: no rule is true where not fins and not wings.
      The prediction is then fish.
    Always or never true: no rule.
    Superfluous terms: none.
    Concepts: 2 of 3 are used: wings (1 rule), fins (1 rule).
    """

    rules: tuple[Rule, ...]
    multi_label: bool
    default: Label | None
    conflicts: tuple[RuleConflict, ...]
    uncovered: Region | None
    always: tuple[Label, ...]
    never: tuple[Label, ...]
    superfluous: Mapping[Label, tuple[Formula, ...]] = field(hash=False)
    used: Mapping[str, int] = field(hash=False)
    unused: tuple[str, ...]
    is_list: bool = False
    dead: tuple[Label, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether one rule at most is true of every row, one at least, and each of some and not of all.

        Of a list: whether each step decides some row, and each label is predicted.

        What several classes need (IF) may well be true together, and what is enough for a class (ONLY IF)
        need not be true of every row: neither is a fault.
        """
        if self.is_list:
            return not (self.dead or self.never)
        clash = bool(self.conflicts) and not self._all(RuleKind.IF, RuleKind.CLUSTER)
        gap = self.uncovered is not None and not self.multi_label and not self._all(RuleKind.ONLY_IF)
        return not (clash or gap or self.always or self.never)

    def _all(self, *kinds: RuleKind) -> bool:
        return all(rule.kind in kinds for rule in self.rules)

    @property
    def lines(self) -> tuple[str, ...]:
        """The findings in plain English; details begin with two blanks."""
        what = self._of_list() if self.is_list else self._of_rules()
        parts = (what, self._superfluous(), self._concepts())
        return tuple(line for part in parts for line in part)

    def _name(self, label: Label) -> str:
        return next(target_in_sentence(rule) for rule in self.rules if rule.target == label)

    def _names(self, labels: Sequence[Label]) -> str:
        """Labels, the first few only."""
        return _listed(list(map(self._name, labels)))

    def _of_rules(self) -> Iterator[str]:
        yield from self._conflicts()
        yield from self._gap()
        yield from self._constants()

    def _of_list(self) -> Iterator[str]:
        yield "Conflicts: none; steps are read in order, and the first that is true decides."
        assert self.default is not None
        default = self._name(self.default)
        if self.uncovered is None:
            yield f"Default: {default} decides no row; some step is true of each."
        elif self.uncovered.formula == TRUE:
            yield f"Default: {default} decides every row."
        elif len(self.uncovered.cases) == 1:
            yield f"Default: {default} where {self.uncovered.text}."
        else:
            yield from self._cases(f"Default: {default} in")
        dead = self._names(self.dead)
        yield (
            f"Dead steps: {dead}; an earlier step is true wherever they are." if dead else "Dead steps: none."
        )
        if self.never:
            yield f"Never predicted: {self._names(self.never)}."

    def _cases(self, start: str) -> Iterator[str]:
        """The rows that are not covered, case by case, or by an example."""
        assert self.uncovered is not None
        cases = self.uncovered.cases
        if not cases:
            yield f"{start} {self.uncovered.text}."
            yield f"  For example: {self.uncovered.example_text}"
            return
        yield f"{start} {len(cases)} cases."
        for case in cases:
            yield f"  {term_in_words(case, self.uncovered.vocabulary)}"

    def _conflicts(self) -> Iterator[str]:
        if self.multi_label:
            yield "Conflicts: none, since a row may have several labels."
        elif not self.conflicts:
            yield "Conflicts: none; no two rules can be true together."
        else:
            harmless = ", as conditions that are only necessary may" if self._all(RuleKind.IF) else ""
            yield f"Conflicts: {count(len(self.conflicts), 'pair')} of rules can be true together{harmless}."
        for found in self.conflicts[:_LISTED_PAIRS]:
            both = f"{self._name(found.first)} and {self._name(found.second)}"
            yield f"  {both}, for example: {found.region.example_text}"
        if len(self.conflicts) > _LISTED_PAIRS:
            yield f"  and {count(len(self.conflicts) - _LISTED_PAIRS, 'more pair')}"

    def _gap(self) -> Iterator[str]:
        if self.uncovered is None:
            yield "Gap: none; at least one rule is true of each row."
            return
        if self.uncovered.formula == TRUE:
            yield "Gap: no rule is true of any row."
        elif len(self.uncovered.cases) == 1:
            yield f"Gap: no rule is true where {self.uncovered.text}."
        else:
            yield from self._cases("Gap: no rule is true in")
        if self.default is None:
            yield "  No label is then predicted."
        else:
            yield f"  The prediction is then {self._name(self.default)}."

    def _constants(self) -> Iterator[str]:
        if not self.always and not self.never:
            yield "Always or never true: no rule."
        for labels, word in ((self.always, "Always"), (self.never, "Never")):
            if labels:
                rules = "the rule of" if len(labels) == 1 else "the rules of"
                yield f"{word} true: {rules} {self._names(labels)}."

    def _superfluous(self) -> Iterator[str]:
        if not self.superfluous:
            yield "Superfluous terms: none."
            return
        yield f"Superfluous terms: {sum(map(len, self.superfluous.values()))}."
        found = [(rule, term) for rule in self.rules for term in self.superfluous.get(rule.target, ())]
        for rule, term in found[:_LISTED_TERMS]:
            yield f"  {target_in_sentence(rule)}: {_in_short(term, rule.vocabulary)}"
        if len(found) > _LISTED_TERMS:
            yield f"  and {len(found) - _LISTED_TERMS} more"

    def _concepts(self) -> Iterator[str]:
        words, part = self.rules[0].vocabulary, "step" if self.is_list else "rule"
        listed = [f"{term_in_words(Var(name), words)} ({count(n, part)})" for name, n in self.used.items()]
        known = len(self.used) + len(self.unused)
        names = f": {_listed(listed)}" if listed else ""
        yield f"Concepts: {len(self.used)} of {known} are used{names}."

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Findings, one a line; details are set in."""
        inset = "margin-left:1.5em"
        return html_box(
            *(html_part("div", line.strip(), inset if line[0] == " " else "") for line in self.lines)
        )


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - _LISTED_CONCEPTS
    return f"{', '.join(texts[:_LISTED_CONCEPTS])}{f' and {more} more' if more > 0 else ''}"


def _in_short(term: Formula, words: Vocabulary | None) -> str:
    """A conjunction in plain English; of a long one the first conditions, and how many more there are."""
    literals = conjuncts(term)
    more = len(literals) - _LISTED_CONCEPTS
    if more <= 1:
        return term_in_words(term, words)
    return f"{term_in_words(And.of(literals[:_LISTED_CONCEPTS]), words)} and {more} more conditions"


def check_rules(
    rules: Sequence[Rule],
    concept_names: Sequence[str],
    default: Label | None,
    words: Vocabulary | None,
    known: list[Formula],
) -> RuleCheck:
    """Find conflicts, gaps, constant rules, superfluous terms, and the concepts that are used.

    Without a default a row may have several labels. ``known`` is known about the concepts.
    """
    formulas = {rule.target: rule.formula for rule in rules}
    implies(FALSE, FALSE, known)  # what contradicts itself raises
    clashes = []
    for found in [] if default is None else conflicts(formulas, known):
        both = And(formulas[found.first], formulas[found.second])  # type: ignore[index]
        region = Region(both, found.witness, words)
        clashes.append(RuleConflict(found.first, found.second, region))  # type: ignore[arg-type]
    used, unused = _use_of(concept_names, formulas.values())
    return RuleCheck(
        rules=tuple(rules),
        multi_label=default is None,
        default=default,
        conflicts=tuple(clashes),
        uncovered=_uncovered(formulas.values(), words, known),
        always=tuple(label for label, f in formulas.items() if find_assignment(known, [f]) is None),
        never=tuple(label for label, f in formulas.items() if find_assignment([*known, f]) is None),
        superfluous={label: terms for label, f in formulas.items() if (terms := _superfluous(f, known))},
        used=used,
        unused=unused,
    )


def check_list(
    rules: Sequence[Rule],
    steps: Sequence[Step],
    concept_names: Sequence[str],
    default: Label,
    words: Vocabulary | None,
    known: list[Formula],
) -> RuleCheck:
    """Find dead steps of a list, labels that are never predicted, superfluous terms, and what is used.

    A term is superfluous where an earlier step is true, too. Parameters are those of :func:`check_rules`.
    """
    implies(FALSE, FALSE, known)
    dead, superfluous = [], {}
    earlier: list[Formula] = []
    for step in steps:
        if find_assignment([*known, step.formula], earlier) is None:
            dead.append(step.label)
        elif terms := _superfluous(step.formula, [*known, *map(Not, earlier)]):
            superfluous[step.label] = terms
        earlier.append(step.formula)
    uncovered = _uncovered(earlier, words, known)
    predicted = {step.label for step in steps} - set(dead)
    if uncovered is not None:
        predicted.add(default)
    used, unused = _use_of(concept_names, earlier)
    return RuleCheck(
        rules=tuple(rules),
        multi_label=False,
        default=default,
        conflicts=(),
        uncovered=uncovered,
        always=(),
        never=tuple(rule.target for rule in rules if rule.target not in predicted),
        superfluous=superfluous,
        used=used,
        unused=unused,
        is_list=True,
        dead=tuple(dead),
    )


def _uncovered(formulas: Iterable[Formula], words: Vocabulary | None, known: list[Formula]) -> Region | None:
    """The rows of which no formula is true."""
    several = list(formulas)
    gap = find_assignment(known, several)
    return None if gap is None else Region(_written_out(Not(Or.of(several)), words), gap, words)


def _use_of(
    concept_names: Sequence[str], formulas: Iterable[Formula]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """How many formulas use each concept, the most used first; and the concepts that none does."""
    used = Counter(name for formula in formulas for name in formula.concepts)
    place = {name: at for at, name in enumerate(concept_names)}
    order = sorted(used, key=lambda name: (-used[name], place[name]))
    return {name: used[name] for name in order}, tuple(name for name in concept_names if name not in used)


def _written_out(formula: Formula, words: Vocabulary | None) -> Formula:
    """A short DNF that says the same of every row there can be; the formula itself where that is long."""
    try:
        short = simplify(to_dnf(formula, _MOST_TERMS))
    except LimitError:
        return to_nnf(formula)
    return short if words is None else words.simplify(short)


def _true_part(formula: Formula, witness: Mapping[str, bool]) -> Formula:
    """A conjunction of literals of a formula that is true of a witness: they are true of it, and imply it."""

    def part(node: Formula) -> Formula | None:
        if isinstance(node, And):
            parts = [part(each) for each in node.args]
            return None if None in parts else And.of([each for each in parts if each is not None])
        if isinstance(node, Or):
            true = [found for each in node.args if (found := part(each)) is not None]
            return min(true, key=lambda found: found.literals, default=None)
        positive = isinstance(node, Var)
        return node if all(witness.get(name, False) == positive for name in node.concepts) else None

    found = part(to_nnf(formula))
    return FALSE if found is None else found


def _short(term: Formula, words: Vocabulary | None) -> Formula:
    """A conjunction without repetitions, and without literals that follow from the rest."""
    folded = to_nnf(term)
    return folded if words is None else without_implied(folded, words.groups(folded.concepts))


def _superfluous(formula: Formula, known: list[Formula]) -> tuple[Formula, ...]:
    """Terms that are implied by those that stay; of equal ones the later goes."""
    try:
        kept = list(dnf_terms(formula, _MOST_TERMS))
    except LimitError:
        return ()
    found = []
    for term in reversed(list(kept)):
        at = len(kept) - 1 - kept[::-1].index(term)
        others = kept[:at] + kept[at + 1 :]
        if find_assignment([*known, term], others) is None and kept != [term]:
            found.append(term)
            kept = others
    return tuple(reversed(found))
