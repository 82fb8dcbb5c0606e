"""RuleGuard: rows whose outputs break the rules that clean rows keep (Sec. 6.4).

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
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownConceptError, shown
from logiclens.explain import ExplanationSet
from logiclens.explain.rule import member
from logiclens.guard.fuzzy import Circuit, TNorm
from logiclens.guard.links import Link, read_links, target_name
from logiclens.guard.violations import Violations
from logiclens.logic import Formula, Var
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import ConceptData, as_float, check_count, check_names, check_one_name_each
from logiclens.logic.formula import FALSE
from logiclens.logic.values import as_weights

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
        How degrees of truth are combined (:mod:`~logiclens.guard.fuzzy`). "boolean" has no gradient.
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
        (:func:`~logiclens.guard.mutual_rules`): tables with these columns are read then.
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
        """How much each rule is broken, in [0, 1], shape (n, n_rules); a tensor for a tensor."""
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
        """Which rules each row breaks, how much, and in words."""
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
        """What each clause counts, by the rows it was broken on; ``doubt`` rows of each kind are made up."""
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
