"""An explanation: a rule, with what it is about, how it was chosen and how good it is.

A rule alone does not say how far to trust it. An explanation adds the scope (one example, a set, a class,
everything), why this formula was taken, the weight of the rows that it is about, scores on held-out rows, and
the front: the other formulas that were found, from short and rough to long and exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING, Any

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, count, shown
from logiclens.explain.export import explanation_html
from logiclens.explain.rule import Label, Rule, RuleKind, member, plain_label
from logiclens.explain.saved import (
    damage_named,
    fields,
    formula_from_saved,
    formula_to_saved,
    items,
    read_saved,
    storable,
    write_saved,
)
from logiclens.logic import export
from logiclens.logic.arrays import BoolArray, unpack
from logiclens.logic.data import THRESHOLD, as_float, check_count
from logiclens.logic.formula import Formula, check_formula
from logiclens.logic.sql import to_sql

if TYPE_CHECKING:
    from logiclens.explain.counterfactual import Counterfactual


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


@dataclass(frozen=True)
class FrontPoint:
    """One of the formulas that were found for a target.

    Attributes
    ----------
    formula : Formula
    literals : int
        Number of its literals.
    errors : float
        Weight of the network's answers that it gets wrong, on the table that it was made from.
    score : float, optional
        In [0, 1], larger is better, on validation data; None when there were none.
    """

    formula: Formula
    literals: int
    errors: float
    score: float | None = None

    def __post_init__(self) -> None:
        check_formula(self.formula, "FrontPoint")
        object.__setattr__(self, "literals", check_count(self.literals, "literals"))
        object.__setattr__(self, "errors", check_weight(self.errors, "errors"))
        if self.score is not None:
            object.__setattr__(self, "score", check_rate(self.score, "score"))


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
    front : tuple of FrontPoint
        The formulas to choose from, :attr:`formula` usually among them.

    Examples
    --------
    >>> from logiclens.logic import FALSE, Var
    >>> a, b = Var("a"), Var("b")
    >>> front = [FrontPoint(FALSE, 0, 9.0), FrontPoint(a, 1, 2.0), FrontPoint(a & b, 2, 0.0)]
    >>> found = Explanation(Rule("yes", a & b, "iff"), status="proved minimal", support=9, front=front)
    >>> print(found)
    forall x: yes(x) <-> a(x) & b(x)
    >>> print(found.shorter(1))
    forall x: yes(x) <-> a(x)
    >>> found.evaluate([[1, 1], [1, 0]], names=["a", "b"])
    array([ True, False])
    """

    rule: Rule
    scope: Scope = Scope.CLASS
    status: str = ""
    support: float = 0.0
    scores: Scores | None = None
    front: tuple[FrontPoint, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Rule):
            raise InputError(f"An explanation is made of a Rule. Got {shown(self.rule)}.")
        object.__setattr__(self, "scope", member(Scope, self.scope, "scope"))
        object.__setattr__(self, "status", check_text(self.status, "status"))
        object.__setattr__(self, "support", check_weight(self.support, "support"))
        if self.scores is not None and not isinstance(self.scores, Scores):
            raise InputError(f"scores must be Scores or None. Got {shown(self.scores)}.")
        points = tuple(self.front) if isinstance(self.front, Iterable) else (self.front,)
        for point in points:
            if not isinstance(point, FrontPoint):
                raise InputError(f"A front is made of FrontPoints. Got {shown(point)}.")
        object.__setattr__(self, "front", points)

    @property
    def target(self) -> Label:
        """Label of the class, cluster or output."""
        return self.rule.target

    @property
    def formula(self) -> Formula:
        """What is said of the target."""
        return self.rule.formula

    @property
    def kind(self) -> RuleKind:
        """How the formula is tied to the target."""
        return self.rule.kind

    @property
    def complexity(self) -> int:
        """Number of literals of the formula."""
        return self.rule.complexity

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

    @property
    def chosen(self) -> FrontPoint | None:
        """The point of the front that has this formula; None when it is not on the front."""
        return next((point for point in self.front if point.formula == self.formula), None)

    def shorter(self, max_literals: int) -> Explanation:
        """Take the best formula of the front that has at most that many literals.

        The best has the highest score; where a candidate has none, the fewest errors. Ties go to fewer
        errors, then to fewer literals. Scores were measured for the formula there was, so they are left out.

        Parameters
        ----------
        max_literals : int

        Returns
        -------
        Explanation
            With the same front; the explanation itself when its formula is the best.

        Raises
        ------
        InputError
            There is no front, or all of its formulas are longer.
        """
        most = check_count(max_literals, "max_literals")
        if not self.front:
            raise InputError(
                "This explanation has no front to choose from. Minimize its table again instead."
            )
        fitting = [point for point in self.front if point.literals <= most]
        if not fitting:
            least = min(point.literals for point in self.front)
            raise InputError(
                f"The shortest formula of the front has {count(least, 'literal')}. Got max_literals={most}."
            )
        scored = [point.score for point in fitting if point.score is not None]
        measured = len(scored) == len(fitting)

        def badness(point: FrontPoint) -> tuple[float, float, int]:
            return (
                -point.score if measured and point.score is not None else 0.0,
                point.errors,
                point.literals,
            )

        formula = min(fitting, key=badness).formula
        if formula == self.formula:
            return self
        status = f"best of the front within {count(most, 'literal')}"
        return replace(self, rule=replace(self.rule, formula=formula), status=status, scores=None)

    def evaluate(self, X: Any, names: Any = None, threshold: float = THRESHOLD) -> BoolArray:
        """Truth of the formula on every row, shape (n_rows,).

        The parameters are those of :meth:`Formula.evaluate <logiclens.logic.formula.Formula.evaluate>`. With
        a vocabulary the rows are those of the raw table, unless ``names`` names the concepts of an array.
        """
        if self.vocabulary is not None and names is None:
            data = self.vocabulary.read(X, self.concepts)
            return unpack(
                self.formula.evaluate_words(data.packed_columns(self.concepts), -(-data.n_rows // 64)),
                data.n_rows,
            )
        return self.formula.evaluate(X, names, threshold=threshold)

    def counterfactual(self, x: Any, *, groups: Iterable[Sequence[str]] = ()) -> Counterfactual:
        """Fewest changes of one row that make the formula true, or false where it is true.

        Parameters
        ----------
        x : data frame, mapping or array, one row
            Concepts, or with a vocabulary the columns of the raw table.
        groups : iterable of sequences of str, optional
            Concepts of which exactly one is true; a vocabulary knows its own.

        Returns
        -------
        Counterfactual
        """
        from logiclens.explain.counterfactual import counterfactual

        return counterfactual(self.rule, x, groups=groups)

    def to_sql(self, dialect: str = "ansi", threshold: float | None = None) -> str:
        """Return the formula as a Boolean SQL expression; see :func:`logiclens.logic.to_sql`.

        With a vocabulary it is about the columns of the raw table, and ``threshold`` has no part in it.
        """
        if self.vocabulary is not None:
            return self.vocabulary.to_sql(self.formula, dialect)
        return to_sql(self.formula, dialect, threshold)

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
        """Return the rule in plain English."""
        return self.rule.to_sentence()

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
        with damage_named():
            words = entries["vocabulary"]
            vocabulary = None if words is None else Vocabulary.from_saved(words)
            return from_saved(entries["explanation"]).worded(vocabulary)

    def __str__(self) -> str:
        return str(self.rule)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return explanation_html(self)


_FORMAT = "logiclens.explanation"
_VERSION = 2
_ENTRIES = ("target", "kind", "formula", "scope", "status", "support", "scores", "front")
_POINT_ENTRIES = ("formula", "literals", "errors", "score")
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
        "front": [
            {
                "formula": formula_to_saved(point.formula),
                "literals": point.literals,
                "errors": point.errors,
                "score": point.score,
            }
            for point in explanation.front
        ],
    }


def from_saved(value: Any) -> Explanation:
    """Inverse of :func:`to_saved`."""
    entries = fields(value, _ENTRIES, "an explanation")
    rule = Rule(plain_label(entries["target"]), formula_from_saved(entries["formula"]), entries["kind"])
    scores = entries["scores"]
    if scores is not None:
        scores = Scores(**fields(scores, _SCORE_ENTRIES, '"scores"'))
    points = [
        fields(point, _POINT_ENTRIES, "a point of a front") for point in items(entries["front"], '"front"')
    ]
    front = tuple(
        FrontPoint(**{**point, "formula": formula_from_saved(point["formula"])}) for point in points
    )
    return Explanation(rule, entries["scope"], entries["status"], entries["support"], scores, front)
