"""Explanations on demand: of a class, a row, a set of rows, or all of the data (Sec. 4.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownTargetError, count
from logiclens.estimators.inputs import Inputs, read_rows
from logiclens.estimators.settings import is_auto
from logiclens.estimators.targets import Problem, Targets, decisions, read_known_targets
from logiclens.explain import (
    Explanation,
    ExplanationSet,
    GlobalExplanation,
    explain_example,
    explain_global,
    explain_set,
)
from logiclens.explain.compose import all_tuples
from logiclens.explain.front import Front, Seen
from logiclens.explain.rule import Label, plain_label
from logiclens.logic import TruthTable
from logiclens.logic.arrays import BoolArray, FloatArray

if TYPE_CHECKING:
    from logiclens.estimators.fit import Recipe
    from logiclens.nn.population import LogicNetwork

_MOST_CONCEPTS = 14  # concepts whose tuples are all asked when a loaded model has no table


class ExplainingMixin:
    """The explaining methods of a fitted classifier."""

    network_: LogicNetwork
    explanations_: ExplanationSet
    concept_names_: tuple[str, ...]
    vocabulary_: Vocabulary | None
    problem_: Problem
    classes_: Any
    front_: Front
    seen_: Seen | None

    def predict(self, X: Any) -> Any:
        """Predicted labels."""
        raise NotImplementedError

    def recipe(self, inputs: Inputs, targets: Targets) -> Recipe:
        """All settings, in the form in which they are used, for some inputs and targets."""
        raise NotImplementedError

    @property
    def concept_relevance_(self) -> FloatArray:
        """How much each concept matters to each output, (n_outputs, n_concepts), the most relevant 1.

        The relevance of a ReLU network differs from row to row; here it is that at a row of all one halves.
        """
        import torch

        check_is_fitted(self)
        probe = torch.full((1, len(self.concept_names_)), 0.5, dtype=self.network_.l1.dtype)
        scores = self.network_.relevance(probe)
        return np.asarray(scores.reshape(self.network_.members, -1).numpy())

    def explain(self, X: Any = None, y: Any = None, *, literals: int | str = "auto") -> ExplanationSet:
        """The rules of the whole problem (Eq. 2 for each class).

        Parameters
        ----------
        X : data frame, array or mapping, optional
            Rows to explain the network on; without them, the explanations made when fitting are returned.
        y : array, optional
            The truth about the rows. Without it, the rules are searched for in what the network says.
        literals : int or "auto", default "auto"
            Most literals of the rules, all together; "auto": as many as were chosen when fitting. Nothing is
            trained.

        Returns
        -------
        ExplanationSet
        """
        check_is_fitted(self)
        if X is None:
            return self.explanations_ if is_auto(literals) else self.front_.rules(literals)
        from logiclens.estimators.fit import explain_network

        x = self._rows(X)
        if not len(x):
            raise InputError("There are no rows to explain. Pass at least one.")
        labels, weight = self._labels(), np.ones(len(x))
        if y is None:
            said = self._answers(x).astype(float)
            outputs = said[:, 1:] if self.problem_ is Problem.BINARY else said
            targets = Targets(labels, self.problem_, outputs)
        else:
            targets = read_known_targets(y, len(x), labels, self.problem_)
        inputs = Inputs(x, self.concept_names_, True, (), self.vocabulary_)
        if is_auto(literals):
            literals = self.front_[self.front_.chosen].literals
        how = replace(self.recipe(inputs, targets), kind=self.front_.kind, literals=literals)
        if y is None:
            how = replace(how, distillation=1.0)
        return explain_network(self.network_, x, targets, weight, how).rules()

    def explain_sample(self, X: Any, target: Label | None = None) -> Explanation:
        """Example-level explanation (Eq. 1): why the network says what it says about one row.

        The row's literals, cut down to those that are enough on the data: no row about which the network
        says otherwise satisfies them.

        Parameters
        ----------
        X : data frame, array or mapping, one row
        target : label, optional
            The target to explain; the predicted one when missing. It must be one the network says yes to.

        Returns
        -------
        Explanation
        """
        x, label = self._one_row(X, target)
        table = self._table(label)
        at = [self.concept_names_.index(name) for name in table.names]
        relevance = self._row_relevance(x, label)[at]
        return explain_example(x[0, at] > 0.5, table, label, relevance=relevance).worded(self.vocabulary_)

    def explain_set(self, X: Any, target: Label) -> Explanation:
        """Set-level explanation (Eq. 2): what the rows that the network takes for the target have in common.

        Parameters
        ----------
        X : data frame, array or mapping
            The rows; those about which the network, says no to the target are left
            out.
        target : label

        Returns
        -------
        Explanation
        """
        check_is_fitted(self)
        label = self._known(target)
        x = self._rows(X)
        said = self._answers(x)[:, self._labels().index(label)]
        if not said.any():
            raise InputError(
                f"The network says no to {label!r} on all of the {count(len(x), 'row')}. "
                "Choose rows it predicts, or another target."
            )
        table = self._table(label)
        at = [self.concept_names_.index(name) for name in table.names]
        return explain_set(x[said][:, at] > 0.5, table, label).worded(self.vocabulary_)

    def explain_global(self, X: Any = None, *, max_concepts: int = 8) -> GlobalExplanation:
        """Global explanation (Eq. 3): clauses that hold on all of the data.

        Parameters
        ----------
        X : data frame, array or mapping, optional
            The data; those the model was fitted on when missing.
        max_concepts : int, default 8
            Most concepts to speak of: those that the rules use most.

        Returns
        -------
        GlobalExplanation
            The disjunction of the class formulas as a CNF, where tuples that never occurred count as false.
        """
        check_is_fitted(self)
        used = sorted({name for formula in self.explanations_.formulas.values() for name in formula.concepts})
        if X is not None:
            x = self._rows(X)[:, [self.concept_names_.index(name) for name in used]]
            seen = TruthTable.from_data(x, np.ones(len(x)), names=used)
        elif self.seen_ is None:
            raise InputError("A loaded model holds no rows. Pass rows to explain_global.")
        else:
            seen = self.seen_.table().select(used)
        found = explain_global(seen, self.explanations_, max_concepts=max_concepts)
        return replace(found, vocabulary=self.vocabulary_)

    def _rows(self, X: Any) -> FloatArray:
        """Concepts of rows, (n, n_concepts)."""
        check_is_fitted(self)
        return read_rows(X, self.concept_names_, self.vocabulary_, type(self).__name__)

    def _answers(self, x: FloatArray) -> BoolArray:
        """What the network says about each target, (n, n_targets)."""
        from logiclens.estimators.asking import ask

        return decisions(ask(self.network_, x), self.problem_)

    def _labels(self) -> tuple[Label, ...]:
        return tuple(plain_label(label) for label in self.classes_)

    def _known(self, target: Label) -> Label:
        label = plain_label(target)
        if label not in self._labels():
            raise UnknownTargetError(label, self._labels())
        return label

    def _one_row(self, X: Any, target: Label | None) -> tuple[FloatArray, Label]:
        check_is_fitted(self)
        x = self._rows(X)
        if len(x) != 1:
            raise InputError(
                f"explain_sample explains one row. Got {count(len(x), 'row')}; "
                "pass one, as X[:1] or X.iloc[[0]]."
            )
        answers = self._answers(x)[0]
        if target is not None:
            label = self._known(target)
            if not answers[self._labels().index(label)]:
                several = self.problem_ is Problem.MULTI_LABEL
                instead = (
                    "Pass one that it says yes to"
                    if several
                    else "Leave target out to explain what it predicts"
                )
                raise InputError(f"The network says no to {label!r} about this row. {instead}.")
            return x, label
        if self.problem_ is Problem.MULTI_LABEL:
            if answers.sum() != 1:
                if not answers.any():
                    raise InputError("The network says yes to no target about this row: nothing to explain.")
                said = count(int(answers.sum()), "target")
                raise InputError(f"The network says yes to {said} about this row. Pass target=.")
            return x, self._labels()[int(answers.argmax())]
        label = plain_label(self.predict(X)[0])
        if not answers[self._labels().index(label)]:
            raise InputError(
                f"No output says yes about this row; {label!r} is only the nearest. "
                "There is nothing to explain."
            )
        return x, label

    def _row_relevance(self, x: FloatArray, label: Label) -> FloatArray:
        import torch

        output = 0 if self.problem_ is Problem.BINARY else self._labels().index(label)
        scores = self.network_.relevance(torch.as_tensor(x, dtype=self.network_.l1.dtype))[output]
        return np.asarray(scores.reshape(-1, len(self.concept_names_))[0].numpy())

    def _table(self, label: Label) -> TruthTable:
        """What the network says about a target on the rows of the fit or, once loaded, on all tuples."""
        at = self._labels().index(label)
        if self.seen_ is not None:
            return self.seen_.said(at)
        columns = np.flatnonzero(self.network_.kept().any(dim=0).numpy())
        if len(columns) > _MOST_CONCEPTS:
            raise InputError(
                "A loaded model holds no rows, and this one reads too many concepts to try all combinations. "
                "Use explain(X) with rows, or fit the model anew."
            )
        tuples = all_tuples(len(columns))
        x = np.zeros((len(tuples), len(self.concept_names_)))
        x[:, columns] = tuples
        said = self._answers(x)[:, at]
        return TruthTable.from_data(tuples, said, names=[self.concept_names_[j] for j in columns])
