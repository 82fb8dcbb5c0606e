"""RuleGuard: rejects rows whose outputs break the rules that clean rows keep (Sec. 6.4).

A model that says several things at once, classes and the concepts that go with them, can contradict what is
known to hold between them. An adversary who changes a picture until the class is another one changes the
concepts by the way, but not as the rules demand; so does a broken sensor, a drift of the data, a wrong label.
What a rule demands becomes penalties between 0 and 1; a row is rejected when the sum of its penalties is
larger than that of all but a few clean rows.

Two things go beyond the sum over rules of Melacci et al. (2020). A rule that demands several things is broken
by each of them: ``robin -> red & ~blue`` is two clauses, and a row that breaks both is worse than a row that
breaks one. And a clause counts the more the more seldom clean rows break it: if clauses were broken
independently, with a chance ``q`` on clean rows, the log-likelihood of a row would fall by ``-log q`` for
each that it breaks, so that is the weight.

A rule ties a target to a formula over concepts. Where a model says both, targets and concepts, the rule is a
*link*: a demand on the outputs, as one formula over their names. A formula written by hand, such as
``robin -> ~blue_wing``, is a link as it stands.

How far a formula is true of numbers in [0, 1] is up to a t-norm. It says how true ``a & b`` is when ``a`` and
``b`` are true to some degree; with ``~a`` as ``1 - a`` it says the same of every formula:

    product        a & b = a * b                   a | b = 1 - (1 - a) * (1 - b)
    lukasiewicz    a & b = max(0, a + b - 1)       a | b = min(1, a + b)
    boolean        both after ``a > 0.5``

All formulas are made into one circuit whose parts are computed level by level, equal parts once. So the work
is a few operations on arrays however many formulas there are, and it is the same work for NumPy arrays and
for torch tensors, through which gradients flow.

Where there is no model, each column of a table is explained by all the others: a LEN learns each of its
concepts from the concepts of the other columns. What comes out holds of the table as it was:
``weight > 72.8 <-> bmi > 28 | ...``. A guard set on such rules notices when columns no longer go together:
a sensor that stands still, a changed unit, rows that were joined wrongly.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts.encoder import ConceptEncoder
from logiclens.concepts.table import Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError, UnknownConceptError, shown
from logiclens.estimators import MuClassifier
from logiclens.estimators.base import LENClassifier
from logiclens.explain import Explanation, ExplanationSet, Rule, RuleKind
from logiclens.explain.explanation import check_rate
from logiclens.explain.rule import label_in_sentence, member
from logiclens.logic import parse_formula, to_cnf, to_sentence
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import (
    THRESHOLD,
    ConceptData,
    as_float,
    as_weights,
    check_count,
    check_names,
    check_one_name_each,
)
from logiclens.logic.formula import FALSE, TRUE, And, Const, Formula, Not, Or, Var


@dataclass(frozen=True)
class Link:
    """Demand of a rule on the outputs.

    Attributes
    ----------
    demand : Formula
        True of outputs that keep the rule.
    rule : Rule, optional
        Where it comes from; None for a formula written by hand.
    """

    demand: Formula
    rule: Rule | None = None

    @classmethod
    def of(cls, rule: Rule) -> Link:
        """The link that a rule is (Eq. 7 to 9)."""
        target, formula = Var(target_name(rule)), rule.formula
        match rule.kind:
            case RuleKind.IF:
                return cls(target >> formula, rule)
            case RuleKind.ONLY_IF:
                return cls(formula >> target, rule)
            case RuleKind.IFF:
                return cls(target.iff(formula), rule)
        raise InputError("The rule of a cluster links no output to a formula. Pass rules of classes.")

    @property
    def clauses(self) -> tuple[Formula, ...]:
        """The parts of the demand's CNF, each of which has to be true.

        A demand whose CNF would be too large is one part.

        Examples
        --------
        >>> for clause in Link.of(Rule("robin", Var("red") & ~Var("blue"), "if")).clauses:
        ...     print(clause)
        ~blue | ~robin
        red | ~robin
        """
        try:
            parts = to_cnf(self.demand)
        except LimitError:
            return (self.demand,)
        return parts.args if isinstance(parts, And) else (parts,)

    def __str__(self) -> str:
        return str(self.demand if self.rule is None else self.rule)


def target_name(rule: Rule) -> str:
    """Name of the output that a rule is about: the label as text."""
    return str(rule.target)


def read_links(rules: Any) -> tuple[Link, ...]:
    """Read rules of any kind: explanations, rules, formulas, texts of formulas, or several of them.

    Rules of targets that never occurred, or always, say nothing that outputs could break; they stay, so that
    links and rules can be told by their number.
    """
    if isinstance(rules, Mapping) and not isinstance(rules, ExplanationSet):
        raise InputError("Rules are a list, not a mapping. Write each, such as 'robin <-> red_breast'.")
    one = isinstance(rules, str | Formula | Rule | Explanation | ExplanationSet)
    parts = (rules,) if one or not isinstance(rules, Iterable) else rules
    links = tuple(link for part in parts for link in _links(part))
    if not links:
        raise InputError("A guard needs at least one rule. Got none.")
    for link in links:
        if link.rule is not None and target_name(link.rule) in link.rule.formula.concepts:
            name = target_name(link.rule)
            raise InputError(
                f"The rule of {name!r} speaks of a concept of the same name. Rename one of the two outputs."
            )
    if all(isinstance(link.demand, Const) for link in links):
        raise InputError("No rule can be broken: all are constants. Pass rules that speak of outputs.")
    return links


def _links(part: Any) -> list[Link]:
    match part:
        case ExplanationSet():
            return [Link.of(explanation.rule) for explanation in part.explanations]
        case Explanation():
            return [Link.of(part.rule)]
        case Rule():
            return [Link.of(part)]
        case Formula():
            return [Link(part)]
        case str():
            return [Link(parse_formula(part))]
    raise InputError(
        f"Rules are explanations, rules, formulas or texts such as 'robin -> ~blue_wing'. Got {shown(part)}."
    )


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
        robin (0.97) requires what does not hold (0.04): red_breast.
        """
        rule = self.link.rule
        if rule is None:
            return f"Outputs break a rule (by {self.penalty:.2f}): {to_sentence(self.link.demand)}."
        worded = to_sentence if rule.vocabulary is None else rule.vocabulary.to_sentence
        label, words = label_in_sentence(rule.target), worded(rule.formula)
        if rule.vocabulary is not None and rule.target in rule.vocabulary.names:
            label = worded(Var(str(rule.target)))
        if rule.kind is RuleKind.IF or (rule.kind is RuleKind.IFF and self.target >= self.formula):
            return f"{label} ({self.target:.2f}) requires what does not hold ({self.formula:.2f}): {words}."
        return (
            f"{label} ({self.target:.2f}) does not hold, but what implies it does "
            f"({self.formula:.2f}): {words}."
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

    def __str__(self) -> str:
        lines = []
        for at, broken in enumerate(self):
            lines.append(f"row {at}: " + ("all rules are kept" if not broken else ""))
            lines.extend(f"  {violation}" for violation in broken)
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__


class TNorm(StrEnum):
    """How degrees of truth are combined; see the module's description."""

    PRODUCT = "product"
    LUKASIEWICZ = "lukasiewicz"
    BOOLEAN = "boolean"


class _CircuitLevel(NamedTuple):
    """Parts of one kind that need earlier parts only.

    Attributes
    ----------
    kind : type
        Not, And or Or.
    parts : ndarray of shape (n_parts, most_arguments)
        Numbers of the arguments, about as many in each row; short rows are filled up with TRUE (And) or FALSE
        (Or), which change nothing.
    """

    kind: type[Formula]
    parts: IndexArray


@dataclass(frozen=True, eq=False)
class Circuit:
    """Several formulas over the columns of a table, made ready to be evaluated together.

    Attributes
    ----------
    n_columns : int
    levels : tuple
        What is worked out one after the other. Part 0 is FALSE and part 1 TRUE, then come the columns.
    outputs : ndarray of int, shape (n_formulas,)
        The part that each formula is.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> a, b = Var("a"), Var("b")
    >>> circuit = Circuit.of([a & b, a >> b], ["a", "b"])
    >>> circuit.truth(np.array([[0.5, 0.25]]), TNorm.PRODUCT)
    array([[0.125, 0.625]])
    """

    n_columns: int
    levels: tuple[_CircuitLevel, ...]
    outputs: IndexArray

    @classmethod
    def of(cls, formulas: Sequence[Formula], names: Sequence[str]) -> Circuit:
        """Make a circuit of formulas whose concepts are among the names of the columns."""
        place: dict[Formula, int] = {FALSE: 0, TRUE: 1}
        place |= {Var(name): at + 2 for at, name in enumerate(names)}
        waiting = {
            part for formula in formulas for part in formula.walk() if not isinstance(part, Const | Var)
        }
        levels: list[_CircuitLevel] = []
        for alike in _alike(waiting):
            kind, widest = type(alike[0]), max(len(part.args) for part in alike)
            arguments = np.full((len(alike), widest), 1 if kind is And else 0, dtype=np.intp)
            for row, part in zip(arguments, alike, strict=True):
                row[: len(part.args)] = [place[argument] for argument in part.args]
            levels.append(_CircuitLevel(kind, arguments))
            place |= {part: len(place) + at for at, part in enumerate(alike)}
        return cls(
            len(names), tuple(levels), np.array([place[formula] for formula in formulas], dtype=np.intp)
        )

    @property
    def n_parts(self) -> int:
        """Number of values computed for each row."""
        return 2 + self.n_columns + sum(len(level.parts) for level in self.levels)

    def truth(self, values: Any, tnorm: TNorm) -> Any:
        """Degrees of truth of the formulas, shape (n, n_formulas).

        Parameters
        ----------
        values : ndarray or torch.Tensor of shape (n, n_columns)
            In [0, 1].
        tnorm : TNorm
        """
        if isinstance(values, np.ndarray):
            concatenate: Any = np.concatenate
        else:
            from torch import concatenate  # where there are tensors, torch is loaded
        columns = values.T if tnorm is not TNorm.BOOLEAN else (values.T > THRESHOLD) * 1.0
        false = columns[:0].sum(axis=0)[None]
        found = concatenate([false, false + 1.0, columns])
        for level in self.levels:
            found = concatenate([found, self._compute(level, found, tnorm)])
        return found[self.outputs].T

    @staticmethod
    def _compute(level: _CircuitLevel, found: Any, tnorm: TNorm) -> Any:
        """Degrees of truth of the parts of a level, shape (n_parts, n)."""
        if level.kind is Not:
            return 1.0 - found[level.parts[:, 0]]
        arguments = [found[place] for place in level.parts.T]
        if level.kind is Or:  # a | b is ~(~a & ~b) for every t-norm here
            arguments = [1.0 - argument for argument in arguments]
        total = arguments[0]
        for argument in arguments[1:]:
            total = (
                total * argument if tnorm is not TNorm.LUKASIEWICZ else (total + argument - 1.0).clip(min=0.0)
            )
        return total if level.kind is And else 1.0 - total


def _alike(parts: Iterable[Formula]) -> list[list[Formula]]:
    """Parts of one depth, one kind and about as many arguments together, the shallow ones first."""
    groups: dict[tuple[int, str, int], list[Formula]] = {}
    for part in sorted(parts):
        key = part.depth, type(part).__name__, (len(part.args) - 1).bit_length()
        groups.setdefault(key, []).append(part)
    return [groups[key] for key in sorted(groups)]


_PARTS = 5  # into which clean rows are cut to weigh rules by some and score the others
_CHUNK = 1 << 21  # numbers worked out at a time: rows times parts of formulas


class RuleGuard(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Rejects rows whose outputs break rules.

    Parameters
    ----------
    rules : ExplanationSet, Explanation, Rule, Formula, text, or several of them
        What links the outputs. A rule of a target links the output of that name with the concepts of its
        formula; a formula, or a text such as ``"robin -> ~blue_wing"``, is to be true as it stands.
    contamination : float, default 0.05
        Share of the clean rows that may be rejected, in (0, 0.5].
    tnorm : {"product", "lukasiewicz", "boolean"}, default "product"
        How degrees of truth are combined (:mod:`~logiclens.guard.rule_guard`). "boolean" has no gradient.
    names : sequence of str, optional
        Names of the outputs, for arrays and tensors. When missing: the concepts of an ExplanationSet in
        their order, then its labels; data frames carry their own.
    rule_weight : {"rarity", None} or array of shape (n_rules,), default "rarity"
        What each clause counts: the less often clean rows break it the more; all the same; or as its rule
        is given to count.

    Attributes
    ----------
    links_ : tuple of Link
        What is demanded, in the order of the rules.
    names_ : tuple of str
        Names of the outputs.
    vocabulary_ : Vocabulary or None
        What the outputs are, where rules speak of the columns of a raw table alone
        (:func:`~logiclens.guard.rule_guard`): tables with these columns are read then.
    clauses_ : tuple of Formula
        What has to be true, one rule after the other.
    rule_of_clause_ : ndarray of int, shape (n_clauses,)
        The rule that each clause belongs to.
    weight_ : ndarray of shape (n_clauses,)
    offset_ : float
        The score below which a row is rejected.
    n_clean_ : int
        Number of rows that the threshold was set on.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> guard = RuleGuard("robin -> red_breast", names=["robin", "red_breast"])
    >>> clean = np.random.default_rng(0).random((200, 1)).repeat(2, axis=1)  # both, or neither
    >>> guard.fit(clean).predict(np.array([[0.9, 0.8], [0.9, 0.1]]))
    array([ 1, -1])
    >>> print(guard.violations(np.array([[0.9, 0.1]])))
    row 0:
      Outputs break a rule (by 0.81): not robin or red_breast.

    References
    ----------
    Sec. 6.4 of Ciravegna et al., *Logic Explained Networks*; Melacci et al., *Domain Knowledge Alleviates
    Adversarial Attacks in Multi-Label Classifiers*, 2020.
    """

    def __init__(
        self,
        rules: Any,
        contamination: float = 0.05,
        tnorm: str = "product",
        *,
        names: Any = None,
        rule_weight: Any = "rarity",
    ) -> None:
        self.rules = rules
        self.contamination = contamination
        self.tnorm = tnorm
        self.names = names
        self.rule_weight = rule_weight

    def fit(self, outputs: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn passes it
        """Set the threshold on clean rows.

        Parameters
        ----------
        outputs : data frame, mapping, array or tensor of shape (n, n_outputs)
            What the model says about clean rows, in [0, 1]; not those that it, or the rules, learnt from.
        y : ignored

        Returns
        -------
        self
        """
        share = as_float(self.contamination)
        if not 0.0 < share <= 0.5:
            raise InputError(f"contamination must be a number in (0, 0.5]. Got {shown(self.contamination)}.")
        self._tnorm = member(TNorm, self.tnorm, "t-norm")
        self.links_ = read_links(self.rules)
        self.vocabulary_ = self._shared_vocabulary()
        self.names_ = self._output_names(outputs)
        for name in sorted({name for link in self.links_ for name in link.demand.concepts}):
            if name not in self.names_:
                raise UnknownConceptError(name, self.names_)
        self.n_features_in_ = len(self.names_)
        parts = [link.clauses for link in self.links_]
        self.clauses_ = tuple(clause for part in parts for clause in part)
        self.rule_of_clause_ = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        self._parts = Circuit.of(self.clauses_, self.names_)
        self._whole = Circuit.of([link.demand for link in self.links_], self.names_)
        self._sides = Circuit.of([side for link in self.links_ for side in _sides(link)], self.names_)
        values = self._read(outputs)
        if len(values) < 2:
            raise InputError(f"A guard is set on two clean rows or more. Got {len(values)}.")
        penalties = 1.0 - self._truth(self._parts, np.asarray(_numpy(values)))
        self.weight_ = self._weights(penalties, 1.0)
        self.n_clean_, at = len(values), int(share * (len(values) - 1))
        # Equal scores may fall on either side as weights differ: no more than the share by the final weights.
        scores = self._clean_scores(penalties), -(penalties @ self.weight_)
        self.offset_ = float(min(np.sort(part)[at] for part in scores))
        self._rank = at + 1
        return self

    def penalties(self, outputs: Any) -> Any:
        """Degree to which each row breaks each rule, in [0, 1], shape (n, n_rules); a tensor for a tensor."""
        check_is_fitted(self)
        return 1.0 - self._truth(self._whole, self._read(outputs))

    def score_samples(self, outputs: Any) -> Any:
        """Minus the weighted sum of the penalties of all clauses, shape (n,): the lower, the more is broken.

        A tensor for a tensor, with gradients.
        """
        check_is_fitted(self)
        penalties = 1.0 - self._truth(self._parts, self._read(outputs))
        if isinstance(penalties, np.ndarray):
            return -(penalties @ self.weight_)
        return -(penalties @ penalties.new_tensor(self.weight_))

    def decision_function(self, outputs: Any) -> Any:
        """Scores above the threshold: negative for rows to reject, shape (n,)."""
        return self.score_samples(outputs) - self.offset_

    def predict(self, outputs: Any) -> NDArray[np.int64]:
        """1 for rows to keep, -1 for rows to reject, shape (n,)."""
        return np.where(_numpy(self.decision_function(outputs)) < 0, -1, 1)

    def alarm_interval(self, n_rows: int, confidence: float = 0.95) -> tuple[float, float]:
        """Share of new clean rows that is to be expected to be rejected: from, to.

        Two things are left to chance, which rows the threshold was set on, and which are new. The share
        follows a beta-binomial distribution, whatever the scores are; where many rows have equal scores,
        fewer are rejected.

        Parameters
        ----------
        n_rows : int
            How many new rows there are.
        confidence : float, default 0.95
            How often the share is to lie between the two, in (0, 1).

        Examples
        --------
        >>> import numpy as np
        >>> guard = RuleGuard("robin -> red_breast", names=["robin", "red_breast"])
        >>> low, high = guard.fit(np.random.default_rng(0).random((400, 2))).alarm_interval(1000)
        >>> print(f"{low:.1%} to {high:.1%}")
        2.7% to 7.7%
        """
        from scipy.stats import betabinom  # takes a while to import

        check_is_fitted(self)
        if check_count(n_rows, "n_rows") < 1:
            raise InputError(f"n_rows must be at least 1. Got {n_rows}.")
        level = as_float(confidence)
        if not 0.0 < level < 1.0:
            raise InputError(f"confidence must be a number in (0, 1). Got {shown(confidence)}.")
        rejected = betabinom(n_rows, self._rank, self.n_clean_ - self._rank + 1)
        low, high = rejected.ppf([(1.0 - level) / 2.0, (1.0 + level) / 2.0]) / n_rows
        return float(low), float(high)

    def violations(self, outputs: Any) -> Violations:
        """Rules that each row breaks, how much, and in words."""
        check_is_fitted(self)
        values = np.asarray(_numpy(self._read(outputs)))
        sides = self._truth(self._sides, values).reshape(len(values), len(self.links_), 2)
        by_hand = np.array([link.rule is None for link in self.links_])
        sides[:, by_hand] = np.nan
        penalties = 1.0 - self._truth(self._whole, values)
        return Violations(self.links_, penalties, sides[..., 0], sides[..., 1])

    def _truth(self, circuit: Circuit, values: Any) -> Any:
        """Degrees of truth, shape (n, n_formulas); of arrays some rows at a time."""
        if not isinstance(values, np.ndarray):
            return circuit.truth(values, self._tnorm)
        step = max(_CHUNK // circuit.n_parts, 1)
        parts = [
            circuit.truth(values[at : at + step], self._tnorm) for at in range(0, max(len(values), 1), step)
        ]
        return np.concatenate(parts)

    def _weights(self, penalties: FloatArray, doubt: float) -> FloatArray:
        """Weight of each clause, by the rows it was broken on; ``doubt`` rows of each kind are made up."""
        if self.rule_weight is None:
            return np.ones(len(self.clauses_))
        if isinstance(self.rule_weight, str):
            if self.rule_weight != "rarity":
                raise InputError(
                    f"rule_weight must be 'rarity', None or an array. Got {shown(self.rule_weight)}."
                )
            rate = (penalties.sum(axis=0) + doubt) / (len(penalties) + 2.0 * doubt)
            return np.asarray(-np.log(rate))
        return as_weights(self.rule_weight, "rule_weight", len(self.links_))[self.rule_of_clause_]

    def _clean_scores(self, penalties: FloatArray) -> FloatArray:
        """Scores of clean rows, each with weights that other rows decided, shape (n,).

        Rules that the very rows happen to keep would weigh too much, and the threshold would be too high for
        new rows.
        """
        part = np.arange(len(penalties)) % _PARTS
        scores = np.empty(len(penalties))
        for at in range(_PARTS):
            others = penalties[part != at]
            weight = self._weights(others, len(others) / len(penalties))
            scores[part == at] = -(penalties[part == at] @ weight)
        return scores

    def _shared_vocabulary(self) -> Vocabulary | None:
        """The vocabulary of rules that speak of nothing but its concepts, so that raw tables can be read."""
        shared = {None if link.rule is None else link.rule.vocabulary for link in self.links_}
        only = shared.pop()
        if self.names is not None or shared or only is None:
            return None
        spoken_of = {name for link in self.links_ for name in link.demand.concepts}
        return only if spoken_of <= set(only.names) else None

    def _output_names(self, outputs: Any) -> tuple[str, ...]:
        if self.names is not None:
            return check_names(self.names)
        if self.vocabulary_ is not None:
            return self.vocabulary_.names
        if not _is_tensor(outputs):
            data = ConceptData(outputs)
            if data.named:
                return data.names
        if isinstance(self.rules, ExplanationSet):
            names = (*self.rules.concept_names, *map(str, self.rules.labels))
            if len(set(names)) == len(names):
                return names
        raise InputError(
            "The outputs have no names. "
            "Pass a data frame, or RuleGuard(..., names=[...]) with one for each column."
        )

    def _read(self, outputs: Any) -> Any:
        """Outputs as an array, or a tensor as it is, with their columns in the order of the names."""
        if _is_tensor(outputs):
            if outputs.ndim != 2 or outputs.shape[1] != len(self.names_):
                raise InputError(
                    f"The outputs must have shape (rows, {len(self.names_)}). Got {tuple(outputs.shape)}."
                )
            if not bool(((outputs >= 0) & (outputs <= 1)).all()):
                raise InputError("Outputs must lie in [0, 1] and none may be missing. Apply a sigmoid first.")
            return outputs if outputs.is_floating_point() else outputs.float()
        if self.vocabulary_ is not None:
            return self.vocabulary_.read(outputs).scores(self.names_)
        data = ConceptData(outputs)
        if data.named:
            return data.scores(self.names_)
        check_one_name_each(self.names_, len(data.names))
        return ConceptData(outputs, self.names_).scores()


def _sides(link: Link) -> tuple[Formula, Formula]:
    """Target and formula of a rule; anything for formulas written by hand."""
    if link.rule is None:
        return FALSE, FALSE
    return Var(target_name(link.rule)), link.rule.formula


def _is_tensor(outputs: Any) -> bool:
    return hasattr(outputs, "detach")


def _numpy(values: Any) -> NDArray[Any]:
    return values if isinstance(values, np.ndarray) else np.asarray(values.detach().cpu().double().numpy())


_OTHER = ""  # label of the rows on which a concept is false


def mutual_rules(X: Any, estimator: Any = None, *, min_share: float = 0.01) -> list[Explanation]:
    """Learn what each column of a table says about the others.

    Parameters
    ----------
    X : data frame, mapping or array, n rows
        A raw table; its columns are made concepts by a :class:`~logiclens.concepts.ConceptEncoder`.
    estimator : classifier of this package, optional
        What learns each column; ``MuClassifier(random_state=0)`` when missing.
    min_share : float, default 0.01
        Concepts that are true or false of a smaller share of the rows get no rule.

    Returns
    -------
    list of Explanation
        In the words of the table's columns; the target of each is a concept of its vocabulary. For
        :class:`~logiclens.guard.RuleGuard`, which then reads raw tables.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> celsius = rng.uniform(0, 40, 400)
    >>> table = {"celsius": celsius, "fahrenheit": 32 + 1.8 * celsius, "day": rng.integers(0, 7, 400)}
    >>> rules = mutual_rules(table)
    >>> print(rules[0])
    forall x: "celsius > 2.65"(x) <-> fahrenheit(x) > 36.8
    """
    model = MuClassifier(random_state=0) if estimator is None else estimator
    if not isinstance(model, LENClassifier):
        raise InputError(f"mutual_rules needs a classifier such as MuClassifier(). Got {shown(estimator)}.")
    check_rate(min_share, "min_share")
    model = clone(model).set_params(encoder=None)
    table = Table(X)
    vocabulary: Vocabulary = ConceptEncoder().fit(X).vocabulary_
    truth = vocabulary.encode(table)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for column in vocabulary.used_columns(vocabulary.names):
            found.extend(_of_column(column, model, vocabulary, truth, min_share))
    if not found:
        raise InputError(
            "The columns say nothing about each other. Pass a table whose columns hang together."
        )
    return found


def _of_column(
    column: str, model: LENClassifier, vocabulary: Vocabulary, truth: dict[str, BoolArray], min_share: float
) -> list[Explanation]:
    """Rules of the concepts of one column, over those of the others."""
    mine = [
        name
        for name in vocabulary.names
        if vocabulary[name].column == column and min_share <= truth[name].mean() <= 1 - min_share
    ]
    others = {name: truth[name] for name in vocabulary.names if vocabulary[name].column != column}
    if not mine or not others:
        return []
    if len(mine) == 1:
        y = np.where(truth[mine[0]], mine[0], _OTHER)
        found = [clone(model).fit(others, y).explain()[mine[0]]]
    else:  # labels of an array are 0, 1, ...
        y = np.column_stack([truth[name] for name in mine]).astype(int)
        found = list(clone(model).fit(others, y).explain().values())
    return [
        replace(explanation, rule=Rule(name, explanation.formula, explanation.kind, vocabulary))
        for name, explanation in zip(mine, found, strict=True)
        if explanation.literals
    ]
