"""An explanation: a rule, with what it is about, how it was chosen and how good it is.

A rule alone does not say how far to trust it. An explanation adds the scope (one example, a set, a class,
everything), why this formula was taken, the weight of the rows that it is about, and scores on held-out rows.

A rule in DNF is a list of ways to its target. Some cover most of it, some a handful of rows:
:func:`term_scores` shows which. Terms may overlap, so together they cover more than the rule does.

The reason of a network for one row, :func:`~logiclens.explain.explain_example`, is sufficient on the data.
That of rules, a :class:`SufficientReason`, is sufficient whatever the other columns hold, as rules are
formulas: it is a shortest prime implicant of the decision that contains the row
(:mod:`logiclens.logic.sufficient_reason`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from math import inf
from typing import Any, Final, Self

from numpy.typing import ArrayLike

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, count, percent, shown
from logiclens.explain.counterfactual import Counterfactual, counterfactual
from logiclens.explain.limits import NO_LIMITS, Limits
from logiclens.explain.resolution import truth_of
from logiclens.explain.rule import (
    FAINT,
    Label,
    Rule,
    RuleKind,
    formula_sentence,
    html_box,
    html_logic,
    html_part,
    markdown,
    member,
    plain_label,
)
from logiclens.files._storage import (
    fields,
    formula_from_saved,
    formula_to_saved,
    read_saved,
    report_damage,
    storable,
    write_saved,
)
from logiclens.logic import export
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import THRESHOLD, ConceptData, as_float, check_count
from logiclens.logic.entail import Given, given_parts
from logiclens.logic.formula import TRUE, Const, Formula, Not, escape
from logiclens.logic.normal_form import dnf_terms, to_nnf
from logiclens.logic.sql import to_sql
from logiclens.logic.sufficient_reason import sufficient_reason
from logiclens.logic.syntax import format_formula
from logiclens.metrics.agreement import Interval, Total, share_of, two_sided_quantile, yes_or_no

RATES = ("precision", "recall", "coverage", "accuracy", "fidelity")


@dataclass(frozen=True)
class Scores:
    """How good a formula is, each in [0, 1]; None where it was not measured or is not defined.

    Attributes
    ----------
    part : str
        The rows it was measured on: ``"training"``, ``"validation"``, ``"test"``, ...
    n_rows : int
        How many there were.
    precision : float, optional
        Of the rows on which the formula is true, the share that is the target.
    recall : float, optional
        Of the rows that are the target, the share on which the formula is true.
    coverage : float, optional
        The share of all rows on which the formula is true.
    accuracy : float, optional
        Agreement of the formula with the truth.
    fidelity : float, optional
        Agreement of the formula with the network.

    Examples
    --------
    >>> Scores("validation", 200, precision=0.9, fidelity=0.99).precision
    0.9
    """

    part: str
    n_rows: int
    precision: float | None = None
    recall: float | None = None
    coverage: float | None = None
    accuracy: float | None = None
    fidelity: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "part", check_text(self.part, "part"))
        object.__setattr__(self, "n_rows", check_count(self.n_rows, "n_rows"))
        for name in RATES:
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else check_rate(value, name))

    @property
    def rates(self) -> dict[str, float]:
        """Those that were measured, by name."""
        return {name: getattr(self, name) for name in RATES if getattr(self, name) is not None}


def check_rate(value: float, name: str) -> float:
    """Return a share as a float, once it is sure that it lies in [0, 1]."""
    rate = as_float(value)
    if not 0.0 <= rate <= 1.0:
        raise InputError(f"{name} must be a number in [0, 1]. Got {shown(value)}.")
    return rate


def check_weight(value: float, name: str) -> float:
    """Return a weight as a float, once it is sure that it is finite and not negative."""
    weight = as_float(value)
    if not 0.0 <= weight < inf:
        raise InputError(f"{name} must be a finite number of at least 0. Got {shown(value)}.")
    return weight


def check_text(value: str, name: str) -> str:
    """Return a text as a plain string, of an enumeration's member too."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be a string. Got {shown(value)}.")
    return str.__str__(value)


EQUIVALENT: Final = "equivalent to the list"
"""Status of a formula that is true exactly where the list decides the class, on rows seen or not."""
AGREES: Final = "agrees with the list on all "
"""Beginning of the status of a formula of which no more is known; how many tuples were seen follows."""


class Scope(StrEnum):
    """What an explanation is about (Sec. 4.1)."""

    EXAMPLE = "example"
    """One row, Eq. (1)."""
    SET = "set"
    """Some rows of a target, Eq. (2)."""
    CLASS = "class"
    """All rows of a target."""
    GLOBAL = "global"
    """All rows, Eq. (3)."""


@dataclass(frozen=True)
class Explanation:
    """A rule, with what it is about, how it was chosen and how good it is.

    Attributes
    ----------
    rule : Rule
    scope : Scope
        Or its text: ``"example"``, ``"set"``, ``"class"`` or ``"global"``.
    status : str
        Why this formula: ``"proved minimal"``, ``"best found"``, ``"never predicted on the data"``, ...
    support : float
        Weight of the rows that are explained: those to which the network says yes (the paper's ``O_i``), or
        the part of them that the scope is. It does not depend on the formula.
    scores : Scores, optional
        How good the formula is, and on which rows: ``part`` is "training" for those of a fit.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> found = Explanation(Rule("yes", Var("a") & Var("b"), "iff"), status="proved minimal", support=9)
    >>> print(found)
    forall x: yes(x) <-> a(x) & b(x)
    >>> found.evaluate([[1, 1], [1, 0]], names=["a", "b"])
    array([ True, False])
    """

    rule: Rule
    scope: Scope = Scope.CLASS
    status: str = ""
    support: float = 0.0
    scores: Scores | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Rule):
            raise InputError(f"An explanation is made of a Rule. Got {shown(self.rule)}.")
        object.__setattr__(self, "scope", member(Scope, self.scope, "scope"))
        object.__setattr__(self, "status", check_text(self.status, "status"))
        object.__setattr__(self, "support", check_weight(self.support, "support"))
        if self.scores is not None and not isinstance(self.scores, Scores):
            raise InputError(f"scores must be Scores or None. Got {shown(self.scores)}.")

    @property
    def target(self) -> Label:
        """Label of the class, cluster or output."""
        return self.rule.target

    @property
    def formula(self) -> Formula:
        """The formula of the rule."""
        return self.rule.formula

    @property
    def kind(self) -> RuleKind:
        """How the formula is tied to the target."""
        return self.rule.kind

    @property
    def complexity(self) -> int:
        """Number of literals of the formula's disjunctive normal form."""
        return self.rule.complexity

    @property
    def literals(self) -> int:
        """Number of literals of the formula as written."""
        return self.rule.literals

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts of the formula, sorted."""
        return self.rule.concepts

    @property
    def vocabulary(self) -> Vocabulary | None:
        """What the concepts mean in the columns of a raw table, where that is known."""
        return self.rule.vocabulary

    def worded(self, vocabulary: Vocabulary | None) -> Explanation:
        """The same explanation in the words of a vocabulary."""
        return replace(self, rule=replace(self.rule, vocabulary=vocabulary))

    def evaluate(self, X: Any, names: Any = None, threshold: float = THRESHOLD) -> BoolArray:
        """Truth of the formula on every row, shape (n_rows,).

        The parameters are those of :meth:`Formula.evaluate <logiclens.logic.formula.Formula.evaluate>`. With
        a vocabulary the rows are those of the raw table, unless ``names`` names the concepts of an array.
        """
        return truth_of([self.formula], self.read(X, names, threshold))[:, 0]

    def read(self, X: Any, names: Any = None, threshold: float = THRESHOLD) -> ConceptData:
        """Read rows as the formula does: those of the raw table where there is a vocabulary."""
        if self.vocabulary is not None and names is None:
            return self.vocabulary.read(X, self.concepts)
        return ConceptData(X, names, threshold)

    def counterfactual(
        self, x: Any, *, groups: Iterable[Sequence[str]] = (), limits: Limits = NO_LIMITS, n: int = 1
    ) -> Counterfactual:
        """Fewest changes of one row that make the formula true, or false where it is true.

        Parameters
        ----------
        x : data frame, mapping or array, one row
            Concepts, or with a vocabulary the columns of the raw table.
        groups : iterable of sequences of str, optional
            Concepts of which exactly one is true; a vocabulary knows its own.
        limits : Limits, optional
            What may be changed, which way, how far, and at what price.
        n : int, default 1
            How many ways to look for, in all.

        Returns
        -------
        Counterfactual
        """
        return counterfactual(self.rule, x, groups=groups, limits=limits, n=n)

    def sufficient_reason(self, x: Any, names: Any = None, *, given: Given = None) -> SufficientReason:
        """Fewest conditions of one row under which the formula stays true, or false where it is.

        Parameters
        ----------
        x, names
            One row, as for :meth:`evaluate`.
        given : Formula or iterable of Formula, optional
            What is known about the concepts; what the vocabulary knows of them is added.

        Returns
        -------
        SufficientReason
            As for :meth:`ExplanationSet.sufficient_reason`.
        """
        words = self.vocabulary if names is None else None
        return reason_of(self.formula, self.target, x, self.read(x, names), words, given)

    def to_sql(
        self, dialect: str = "ansi", threshold: float | None = None, *, indent: int | None = None
    ) -> str:
        """Return the formula as a Boolean SQL expression; see :func:`logiclens.logic.to_sql`.

        With a vocabulary it is about the columns of the raw table, and ``threshold`` has no part in it.
        """
        if self.vocabulary is not None:
            return self.vocabulary.to_sql(self.formula, dialect, indent=indent)
        return to_sql(self.formula, dialect, threshold, indent=indent)

    def to_python(self, name: str = "rule", threshold: float = THRESHOLD) -> str:
        """Source of a Python function for the formula; see :func:`logiclens.logic.to_python`.

        With a vocabulary it takes a row of the raw table, and ``threshold`` has no part in it.
        """
        if self.vocabulary is not None:
            return self.vocabulary.to_python(self.formula, name)
        return export.to_python(self.formula, name, threshold=threshold)

    def to_sympy(self) -> Any:
        """Return the formula as a SymPy expression; see :func:`logiclens.logic.to_sympy`."""
        return export.to_sympy(self.formula)

    def to_latex(self) -> str:
        """Return the rule as math-mode LaTeX."""
        return self.rule.format("latex")

    def to_sentence(self) -> str:
        """Return the rule in plain English, which says no more than is known of it.

        A rule that goes one way only comes with how often it holds. Of a class of a list it says "exactly"
        where that is proved, and otherwise what the status says.

        Examples
        --------
        >>> from logiclens.logic import Var
        >>> scores = Scores("training", 200, precision=0.9, recall=0.97)
        >>> print(Explanation(Rule("robin", Var("red"), "if"), scores=scores).to_sentence())
        Every robin row has: red (97.0% of them in 200 training rows)
        """
        scores, sentence = self.scores, self.rule.to_sentence(exact=self.status == EQUIVALENT)
        if self.kind is RuleKind.IFF and self.status.startswith(AGREES):
            return f"{sentence} ({self.status})"
        if scores is None or self.kind is RuleKind.IFF or isinstance(self.formula, Const):
            return sentence
        rate = scores.precision if self.kind is RuleKind.ONLY_IF else scores.recall
        rows = f"{scores.n_rows} {escape(scores.part)} {'row' if scores.n_rows == 1 else 'rows'}"
        return sentence if rate is None else f"{sentence} ({percent(rate)} of them in {rows})"

    def to_json(self) -> str:
        """JSON text that :meth:`from_json` reads back exactly, fronts and types of labels included."""
        words = None if self.vocabulary is None else self.vocabulary.to_saved()
        return write_saved(_FORMAT, _VERSION, {"explanation": to_saved(self), "vocabulary": words})

    @classmethod
    def from_json(cls, text: str) -> Explanation:
        """Read what :meth:`to_json` wrote; no code is run.

        Raises
        ------
        InputError
            The text is damaged, comes from elsewhere or from a later release.
        """
        entries = read_saved(text, _FORMAT, _VERSION, ["explanation", "vocabulary"])
        with report_damage():
            words = entries["vocabulary"]
            vocabulary = None if words is None else Vocabulary.from_saved(words)
            return from_saved(entries["explanation"]).worded(vocabulary)

    def __str__(self) -> str:
        return str(self.rule)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_box(
            html_logic(self.rule.format("unicode")),
            html_part("div", f"{self.to_sentence()}."),
            html_part("div", facts_of(self), FAINT),
        )

    def to_markdown(self) -> str:
        """Return the rule as Markdown: in plain English, and as logic in a block of code."""
        return markdown([f"{self.to_sentence()}."], self.rule.format("unicode"))


def facts_of(explanation: Explanation) -> str:
    """Length, status, support and scores of an explanation, on one line."""
    found = [count(explanation.literals, "literal"), explanation.status]
    if explanation.support:
        found.append(f"support {explanation.support:.10g}")
    scores = explanation.scores
    if scores is not None and scores.rates:
        rates = ", ".join(f"{name} {percent(rate)}" for name, rate in scores.rates.items())
        found.append(f"on {scores.n_rows} rows ({scores.part}): {rates}")
    return " · ".join(filter(None, found))


_FORMAT = "logiclens.explanation"
_VERSION = 2
_ENTRIES = ("target", "kind", "formula", "scope", "status", "support", "scores", "front")
_SCORE_ENTRIES = ("part", "n_rows", *RATES)


def to_saved(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as an object of JSON."""
    return {
        "target": storable(explanation.target),
        "kind": str(explanation.kind),
        "formula": formula_to_saved(explanation.formula),
        "scope": str(explanation.scope),
        "status": storable(explanation.status),
        "support": explanation.support,
        "scores": None if explanation.scores is None else asdict(explanation.scores),
        "front": [],  # earlier releases read it
    }


def from_saved(value: Any) -> Explanation:
    """Inverse of :func:`to_saved`."""
    entries = fields(value, _ENTRIES, "an explanation")
    rule = Rule(plain_label(entries["target"]), formula_from_saved(entries["formula"]), entries["kind"])
    scores = entries["scores"]
    if scores is not None:
        scores = Scores(**fields(scores, _SCORE_ENTRIES, '"scores"'))
    return Explanation(rule, entries["scope"], entries["status"], entries["support"], scores)


SHORTEST: Final = "sufficient: proved; none is shorter"
"""Status of a reason of rules that is a shortest one."""
PROVED: Final = "sufficient: proved; the search for a shorter one was given up"
"""Status of a reason of rules of which nothing can be left out, where the search took too many steps."""


_REASON_FORMAT = "logiclens.sufficient_reason"
_REASON_VERSION = 1


@dataclass(frozen=True, repr=False)
class SufficientReason(Explanation):
    """Conditions of one row under which rules decide as they do, whatever its other columns hold.

    Attributes
    ----------
    necessary : Formula
        The conjunction of the conditions that are in every sufficient reason: with one of them changed alone
        the decision can turn. ``TRUE`` where there is none.
    term : Formula
        The conjunction of the reason's conditions, all of which are true of the row.

    Examples
    --------
    >>> from logiclens.explain import ExplanationSet, Step
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     ["wings", "fins"],
    ...     default="bird",
    ...     steps=[Step("fish", Var("fins") & ~Var("wings"))],
    ... )
    >>> reason = rules.sufficient_reason({"wings": [1], "fins": [0]})
    >>> print(reason)
    forall x: ~fins(x) -> bird(x)
    >>> reason.status, reason.necessary
    ('sufficient: proved; none is shorter', TRUE)
    """

    necessary: Formula = TRUE

    @property
    def term(self) -> Formula:
        """The conjunction of the reason's conditions, all of which are true of the row."""
        return self.formula if self.kind is RuleKind.ONLY_IF else to_nnf(Not(self.formula))

    def to_json(self) -> str:
        """JSON text that :meth:`from_json` reads back exactly."""
        words = None if self.vocabulary is None else self.vocabulary.to_saved()
        necessary = formula_to_saved(self.necessary)
        entries = {"explanation": to_saved(self), "necessary": necessary, "vocabulary": words}
        return write_saved(_REASON_FORMAT, _REASON_VERSION, entries)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote; no code is run.

        Raises
        ------
        InputError
            The text is damaged, comes from elsewhere or from a later release.
        """
        entries = read_saved(
            text, _REASON_FORMAT, _REASON_VERSION, ["explanation", "necessary", "vocabulary"]
        )
        with report_damage():
            words: Any = entries["vocabulary"]
            vocabulary = None if words is None else Vocabulary.from_saved(words)
            known = from_saved(entries["explanation"]).worded(vocabulary)
            necessary = formula_from_saved(entries["necessary"])
            return cls(known.rule, known.scope, known.status, known.support, known.scores, necessary)


def reason_of(
    decision: Formula,
    target: Label,
    x: Any,
    data: ConceptData,
    words: Vocabulary | None,
    given: Given,
) -> SufficientReason:
    """Find out why a formula is true of a row, or false.

    ``data`` are the concepts of the row ``x``. Of a formula that is false the reason is stated as an IF
    rule: what the target needs, and the row lacks.
    """
    names = decision.concepts
    if data.n_rows != 1:
        raise InputError(f"A reason is about one row. Got {count(data.n_rows, 'row')}.")
    row = {name: bool(data.column(name)[0]) for name in names}
    known, order = given_parts(given), names
    if words is not None:
        words = words.expecting_gaps(words.missing_columns(x, names))
        known = [*known, *words.given(names)]
        order = _weakest_first(words, row)
    true = bool(decision.evaluate([[row[name] for name in names]], names)[0])
    found = sufficient_reason(decision if true else Not(decision), row, known, order=order)
    if true:
        rule = Rule(target, found.term, RuleKind.ONLY_IF, words)
    else:
        rule = Rule(target, to_nnf(Not(found.term)), RuleKind.IF, words)
    status = SHORTEST if found.shortest else PROVED
    return SufficientReason(rule, Scope.EXAMPLE, status, 1.0, None, found.necessary)


def _weakest_first(words: Vocabulary, row: dict[str, bool]) -> tuple[str, ...]:
    """Concepts by column; of one column first those whose value in the row excludes least."""
    found: list[str] = []
    for group in words.groups(row):
        values = [row[name] for name in group.names]
        shared = (group.states == values).sum(axis=0).tolist()
        found += [
            name for _, name in sorted(zip(shared, group.names, strict=True), key=lambda p: (-p[0], p[1]))
        ]
    return tuple(found)


@dataclass(frozen=True)
class TermScore:
    """What one term of a rule covers, and how often it is right.

    Attributes
    ----------
    formula : Formula
        A conjunction of literals.
    vocabulary : Vocabulary or None
        What its concepts mean in the columns of a raw table.
    n : int
        All rows.
    covered : int
        Rows for which the term is true.
    alone : int
        Rows for which it is true and no other term of the rule is.
    coverage : float
        Share of all rows for which the term is true; NaN without rows.
    coverage_interval : (float, float)
        Of the coverage; (0, 1) without rows.
    precision : float, optional
        Share of the target among the rows for which the term is true; NaN where it is never true, None when
        it is not known which rows are the target.
    precision_interval : (float, float), optional
        Of the precision.
    """

    formula: Formula
    vocabulary: Vocabulary | None = field(repr=False)
    n: int
    covered: int
    alone: int
    coverage: float
    coverage_interval: Interval
    precision: float | None = None
    precision_interval: Interval | None = None

    def format(self, style: str = "ascii") -> str:
        """The term as logic, on one line, in the words of the vocabulary where there is one."""
        if self.vocabulary is None:
            return format_formula(self.formula, style)
        return self.vocabulary.format(self.formula, style)

    def to_sentence(self) -> str:
        """The term in plain English, on one line."""
        return formula_sentence(self.formula, self.vocabulary)

    def __str__(self) -> str:
        text = f"{self.format()}: true for {self.covered} of {self.n}"
        return text if self.precision is None else f"{text}, precision {self.precision:.3f}"


def term_scores(
    explanation: Explanation,
    X: Any,
    y_is_target: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> tuple[TermScore, ...]:
    """Coverage and precision of each term of a rule, with their intervals.

    Parameters
    ----------
    explanation : Explanation
    X : mapping, data frame or array of shape (n_rows, n_concepts)
        Concepts, true when greater than 0.5; for an explanation that was made from a raw table, its rows.
    y_is_target : array of shape (n_rows,), optional
        Whether each row is the target: Booleans, or 0 and 1. From labels, ``y == explanation.target`` makes
        them. Without it there is no precision.
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    confidence : float, default 0.95
        Of the Wilson score intervals, between 0 and 1.

    Returns
    -------
    tuple of TermScore
        In the order of the formula, or of its DNF where it is none; empty for ``FALSE``.

    Raises
    ------
    InputError
        What is given cannot be read.
    LimitError
        The formula has no DNF of a reasonable length.

    Examples
    --------
    >>> from logiclens.logic import parse_formula
    >>> bird = Explanation(Rule("bird", parse_formula("(wings & beak) | feathers")))
    >>> X = {"wings": [1, 1, 0, 0], "beak": [1, 1, 1, 0], "feathers": [1, 0, 0, 0]}
    >>> for score in term_scores(bird, X, [1, 0, 0, 0]):
    ...     print(score)
    wings & beak: true for 2 of 4, precision 0.500
    feathers: true for 1 of 4, precision 1.000
    """
    if not isinstance(explanation, Explanation):
        raise InputError(f"term_scores is about an Explanation. Got {shown(explanation)}.")
    two_sided_quantile(confidence)  # one that is no confidence raises
    terms = dnf_terms(explanation.formula)
    true = truth_of(terms, explanation.read(X, names))
    target = None if y_is_target is None else yes_or_no(y_is_target, "y_is_target", len(true))
    only = true.sum(axis=1) == 1
    found = []
    for term, mine in zip(terms, true.T, strict=True):
        covered = int(mine.sum())
        coverage, interval = share_of(covered, Total.of_rows(len(true)), confidence)
        precision = (
            (None, None)
            if target is None
            else share_of(float((mine & target).sum()), Total.of_rows(covered), confidence)
        )
        found.append(
            TermScore(
                term,
                explanation.vocabulary,
                len(true),
                covered,
                int((mine & only).sum()),
                coverage,
                interval,
                *precision,
            )
        )
    return tuple(found)
