"""The rules of a whole problem, one for each target: a mapping, a classifier, a file.

Rules alone can predict, without the network they came from. For labels that exclude one another they decide
as a *decision list* (:mod:`logiclens.explain.resolution`): the label of the first of :attr:`steps
<ExplanationSet.steps>` whose formula is true of a row, and ``default`` where none is. That list is what is
printed, exported and scored. The rule of a class states what the list decides about that class alone.

With ``multi_label=True`` labels do not exclude one another, and the rules that are true are the answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import (
    FileError,
    InputError,
    MissingDependencyError,
    UnknownConceptError,
    UnknownTargetError,
    count,
    listing,
    shown,
)
from logiclens.explain.counterfactual import Decision, PredictionCounterfactual, prediction_counterfactual
from logiclens.explain.explanation import (
    Explanation,
    SufficientReason,
    check_rate,
    facts_of,
    from_saved,
    reason_of,
    to_saved,
)
from logiclens.explain.limits import NO_LIMITS, Limits
from logiclens.explain.resolution import (
    HeldOutScores,
    Resolution,
    Step,
    StepFigures,
    check_steps,
    condition_of,
    conditions_to_python,
    conditions_to_sql,
    list_markdown,
    list_sentence,
    list_text,
    ranked_steps,
    resolve,
    truth_of,
    used_concepts,
)
from logiclens.explain.rule import (
    FAINT,
    Label,
    RuleKind,
    align_latex,
    check_labels,
    formula_text,
    html_box,
    html_logic,
    html_part,
    html_table,
    label_array,
    label_in_sentence,
    markdown_text,
    plain_label,
    target_in_sentence,
    true_answers,
    true_labels,
)
from logiclens.explain.rule_check import RuleCheck, check_list, check_rules
from logiclens.files._storage import (
    as_file,
    fields,
    formula_from_saved,
    formula_to_saved,
    items,
    read_saved,
    read_whole,
    report_damage,
    storable,
    write_saved,
    written_whole,
)
from logiclens.logic.arrays import BoolArray, IndexArray
from logiclens.logic.data import THRESHOLD, ConceptData, check_names
from logiclens.logic.entail import Conflict, Given, conflicts, given_parts
from logiclens.logic.formula import FALSE, Formula
from logiclens.logic.normal_form import disjuncts

_FORMAT = "logiclens.rules"
_VERSION = 4
_SHARED = ("concept_names", "multi_label", "default", "explanations", "vocabulary")
_ENTRIES = (*_SHARED, "steps", "held_out")
_OLDER = {2: (*_SHARED, "priority"), 3: (*_SHARED, "steps")}
"""Version 2: of the rules that were true that of the highest priority decided, of equals the first. Version 3
had no scores of steps."""


@dataclass(frozen=True, repr=False)
class ExplanationSet(Mapping[Label, Explanation]):
    """Explanations of all targets of a problem, by label, in the order given.

    The label of an explanation is the target of its rule, so that the two cannot come apart.

    Attributes
    ----------
    explanations : tuple of Explanation
        One for each target, in class order. Labels are of one type.
    concept_names : tuple of str
        All concepts of the data, in the order of their columns; rules may use some of them only.
    multi_label : bool
        Whether a row may have several labels.
    default : label, optional
        What :meth:`predict` answers where no step is true. When missing, the label with the largest support.
        None in a multi-label set.
    steps : tuple of Step
        What decides, in this order; steps whose formula is ``FALSE`` are left out. When missing, one step for
        each explanation, in the order given. Empty in a multi-label set.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns of a raw table: rules are written in those words, and rows are
        those of that table. When missing, that of the rules.
    held_out : HeldOutScores, optional
        How often each step was right on rows that had no part in the fit, as
        :meth:`Evaluation.held_out <logiclens.evaluation.Evaluation.held_out>` makes them. They are saved with
        the rules, and have no part in comparing rule sets.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ...     steps=[Step("bird", Var("wings"))],
    ... )
    >>> print(rules)
    if wings(x) then bird
    otherwise fish
    >>> rules.predict([[1, 0], [1, 1], [0, 0]]).tolist()
    ['bird', 'bird', 'fish']
    >>> print(rules["fish"])
    forall x: fish(x) <-> fins(x)
    """

    explanations: tuple[Explanation, ...]
    concept_names: tuple[str, ...]
    multi_label: bool = False
    default: Label | None = None
    steps: tuple[Step, ...] = None  # type: ignore[assignment]  # a tuple once it is made
    vocabulary: Vocabulary | None = None
    held_out: HeldOutScores | None = field(default=None, compare=False)
    _by_label: dict[Label, Explanation] = field(init=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        explanations = _several(self.explanations)
        if self.vocabulary is None:
            object.__setattr__(self, "vocabulary", _shared_vocabulary(explanations))
        explanations = tuple(explanation.worded(self.vocabulary) for explanation in explanations)
        object.__setattr__(self, "explanations", explanations)
        check_labels(self.labels)
        object.__setattr__(self, "_by_label", dict(zip(self.labels, self.explanations, strict=True)))
        object.__setattr__(self, "concept_names", check_names(self.concept_names))
        self._check_concepts()
        if not isinstance(self.multi_label, (bool, np.bool_)):
            raise InputError(f"multi_label must be True or False. Got {shown(self.multi_label)}.")
        object.__setattr__(self, "multi_label", bool(self.multi_label))
        object.__setattr__(self, "default", self._check_default())
        object.__setattr__(self, "steps", self._check_steps())
        self._check_held_out()

    def _check_concepts(self) -> None:
        known = set(self.concept_names)
        for explanation in self.explanations:
            for name in explanation.formula.concepts:
                if name not in known:
                    raise UnknownConceptError(name, self.concept_names)

    def _check_default(self) -> Label | None:
        if self.multi_label:
            if self.default is not None:
                raise InputError(
                    "A multi-label set predicts every label whose rule is true. "
                    f"Got default={shown(self.default)}; leave it out."
                )
            return None
        if self.default is None:
            return max(self.explanations, key=lambda explanation: explanation.support).target
        return self[plain_label(self.default)].target

    def _check_steps(self) -> tuple[Step, ...]:
        if self.multi_label:
            if self.steps:
                raise InputError(
                    "A multi-label set predicts every label whose rule is true. Leave out steps=."
                )
            return ()
        if self.steps is None:
            return check_steps(Step(each.target, each.formula) for each in self.explanations)
        steps = check_steps(self.steps)
        for name in used_concepts(step.formula for step in steps):
            if name not in self.concept_names:
                raise UnknownConceptError(name, self.concept_names)
        return tuple(Step(self[step.label].target, step.formula) for step in steps)

    def _check_held_out(self) -> None:
        if self.held_out is None:
            return
        if not isinstance(self.held_out, HeldOutScores):
            raise InputError(f"held_out must be HeldOutScores. Got {shown(self.held_out)}.")
        if self.multi_label or len(self.held_out.n_rows) != len(self.steps) + 1:
            raise InputError(
                f"held_out must have a number for each of {count(len(self.steps), 'step')} and for the "
                f"default. Got {len(self.held_out.n_rows)}."
            )

    @property
    def labels(self) -> tuple[Label, ...]:
        """The targets, in class order."""
        return tuple(explanation.target for explanation in self.explanations)

    @property
    def formulas(self) -> dict[Label, Formula]:
        """The formula of each target, in class order."""
        return {explanation.target: explanation.formula for explanation in self.explanations}

    @property
    def complexity(self) -> float:
        """Literals of a rule's disjunctive normal form, mean over the targets, as the paper reports it."""
        return sum(explanation.complexity for explanation in self.explanations) / len(self)

    @property
    def conditions(self) -> dict[Label, Formula]:
        """What predictions follow from: formulas of the steps; in a multi-label set those of the rules."""
        return self.formulas if self.multi_label else {step.label: step.formula for step in self.steps}

    @property
    def answers(self) -> tuple[Label, ...]:
        """What is predicted by the place of what decides: labels of the steps, then the default."""
        return () if self.default is None else (*self.conditions, self.default)

    @property
    def is_list(self) -> bool:
        """Whether the steps are printed: where labels exclude one another and all rules are IFF rules."""
        several = len(self) > 1 and not self.multi_label
        return several and all(each.kind is RuleKind.IFF for each in self.explanations)

    @property
    def is_resolved(self) -> bool:
        """Whether it is a list whose rules state what its steps decide, rather than being the steps."""
        own = {label: formula for label, formula in self.formulas.items() if formula != FALSE}
        return self.is_list and {step.label: step.formula for step in self.steps} != own

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts that predictions depend on, sorted."""
        return tuple(used_concepts(self.conditions.values()))

    @property
    def literals(self) -> int:
        """Literals in total, as printed: of the steps; in a multi-label set of the rules."""
        return sum(part.literals for part in self.conditions.values())

    def __getitem__(self, label: Label) -> Explanation:
        try:
            return self._by_label[label]
        except (KeyError, TypeError):
            raise UnknownTargetError(label, self.labels) from None

    def __iter__(self) -> Iterator[Label]:
        return iter(self._by_label)

    def __len__(self) -> int:
        return len(self.explanations)

    def fired(self, X: Any, names: Sequence[str] | None = None, *, threshold: float = THRESHOLD) -> BoolArray:
        """Truth of every rule's formula on every row.

        Parameters
        ----------
        X : mapping, data frame or array of shape (n_rows, n_concepts)
            Booleans or numbers in [0, 1]. Columns of a mapping or a frame are found by name, whatever their
            order; those that no rule uses may be missing, and others are not looked at. An array without
            ``names`` must have all of :attr:`concept_names` as its columns, in that order.
        names : sequence of str, optional
            Names of an array's columns.
        threshold : float, default 0.5
            A concept counts as true when its value is greater.

        Returns
        -------
        ndarray of bool, shape (n_rows, n_labels)

        Raises
        ------
        UnknownConceptError
            The data lack a concept of a rule.
        InputError
            An array of another width, or values that are missing or outside [0, 1].
        """
        return self._truth(self.formulas, X, names, threshold)

    def _truth(
        self, formulas: Mapping[Label, Formula], X: Any, names: Sequence[str] | None, threshold: float
    ) -> BoolArray:
        data = self.read(X, names, threshold, used=used_concepts(formulas.values()))
        return truth_of(formulas.values(), data)

    def decided_by(
        self, X: Any, names: Sequence[str] | None = None, *, threshold: float = THRESHOLD
    ) -> IndexArray:
        """Place of the step that decides each row, shape (n_rows,); ``len(steps)`` where the default does.

        The parameters are those of :meth:`fired`. A multi-label set has no list.
        """
        if self.multi_label:
            raise InputError(
                "A multi-label set has no list that decides. Use fired() to see which rules are true."
            )
        return resolve(self._truth(self.conditions, X, names, threshold))

    def read(
        self,
        X: Any,
        names: Sequence[str] | None = None,
        threshold: float = THRESHOLD,
        *,
        used: Sequence[str] | None = None,
    ) -> ConceptData:
        """Read rows as these rules do, whatever they are held in.

        Parameters
        ----------
        X, names, threshold
            As for :meth:`fired`.
        used : sequence of str, optional
            The concepts that are needed; all of them when missing.
        """
        if names is None and self.vocabulary is not None:
            return self.vocabulary.read(X, used)
        data = ConceptData(X, names, threshold)
        if names is not None or data.named:
            return data
        if len(data.names) != len(self.concept_names):
            raise InputError(
                f"The array has {count(len(data.names), 'column')}; these rules are about "
                f"{count(len(self.concept_names), 'concept')}. Pass all of them in order, or names=."
            )
        return ConceptData(X, self.concept_names, threshold)

    def predict(
        self, X: Any, names: Sequence[str] | None = None, *, threshold: float = THRESHOLD
    ) -> NDArray[Any]:
        """Labels by the rules alone: of the first step that is true, else the default.

        Parameters
        ----------
        X, names, threshold
            As for :meth:`fired`.

        Returns
        -------
        ndarray, shape (n_rows,)
            Labels, in their own type; in a multi-label set an array of 0 and 1 of shape (n_rows, n_labels).
        """
        if self.multi_label:
            return self.fired(X, names, threshold=threshold).astype(np.int64)
        answers = np.array([self.labels.index(label) for label in self.answers])
        place = self.decided_by(X, names, threshold=threshold)
        return np.asarray(label_array(self.labels)[answers[place]])

    def coverage_counts(
        self, X: Any, names: Sequence[str] | None = None, *, threshold: float = THRESHOLD
    ) -> Resolution:
        """How many rows each step decides, and how many the default; parameters as for :meth:`fired`."""
        if self.multi_label:
            return Resolution.of_rules(self.fired(X, names, threshold=threshold), self.labels)
        return Resolution.of_list(self.decided_by(X, names, threshold=threshold), list(self.conditions))

    def score(
        self, X: Any, y: Any, names: Sequence[str] | None = None, *, threshold: float = THRESHOLD
    ) -> float:
        """Share of rows on which :meth:`predict` is right; in a multi-label set, right about all labels.

        Parameters
        ----------
        X, names, threshold
            As for :meth:`fired`.
        y : array of shape (n_rows,), or (n_rows, n_labels) in a multi-label set
            True labels, or Booleans or 0 and 1 for each label. Columns that are called like the labels may
            stand in any order.
        """
        predicted = self.predict(X, names, threshold=threshold)
        if not len(predicted):
            raise InputError("A score needs at least one row of data. Got none.")
        if self.multi_label:
            answers = true_answers(y, self.labels, len(predicted))
            return float((predicted == answers).all(axis=1).mean())
        return float((predicted == true_labels(y, self.labels, len(predicted))).mean())

    def conflicts(self, given: Given = None) -> list[Conflict]:
        """Pairs of labels whose formulas can be true together, each with concept values that show it.

        Parameters
        ----------
        given : Formula or iterable of Formula, optional
            What is known about the concepts; see :func:`logiclens.logic.conflicts`. What the vocabulary
            knows of them is added.
        """
        return conflicts(self.formulas, [*given_parts(given), *self.known()])

    def check(self, given: Given = None) -> RuleCheck:
        """Find conflicts, gaps, rules that are always or never true, superfluous terms, concepts used.

        Of a list that was searched for, whose steps are read in order: steps that never decide, and labels
        that are never predicted. Rules that are written by hand, one for each label, are looked at by
        themselves.

        Parameters
        ----------
        given : Formula or iterable of Formula, optional
            What is known about the concepts; what the vocabulary knows of them is added.

        Raises
        ------
        InputError
            What is given contradicts itself.
        LimitError
            A question is too hard; see :func:`~logiclens.logic.sat.satisfying_assignment`.
        """
        known = [*given_parts(given), *self.known()]
        rules = [explanation.rule for explanation in self.explanations]
        if self.is_resolved and self.default is not None:
            return check_list(rules, self.steps, self.concept_names, self.default, self.vocabulary, known)
        return check_rules(rules, self.concept_names, self.default, self.vocabulary, known)

    def counterfactual(
        self,
        x: Any,
        target: Label | None = None,
        *,
        groups: Iterable[Sequence[str]] = (),
        limits: Limits = NO_LIMITS,
        n: int = 1,
    ) -> PredictionCounterfactual:
        """Fewest changes of one row that change its prediction.

        Parameters
        ----------
        x : data frame, mapping or array, one row
            As for :meth:`predict`.
        target : label, optional
            The label that is to be predicted; any other than now when missing. In a multi-label set the label
            that is to join the prediction, or to leave it.
        groups : iterable of sequences of str, optional
            Concepts of which exactly one is true; a vocabulary knows its own.
        limits : Limits, optional
            What may be changed, which way, how far, and at what price.
        n : int, default 1
            How many ways to look for, in all; the others are :attr:`PredictionCounterfactual.alternatives`.

        Returns
        -------
        PredictionCounterfactual
            Of all ways with the least cost, one with the fewest changes that turns the fewest concepts; of
            those, one of the label that stands first.

        Raises
        ------
        UnknownTargetError
            No rule is about the target.
        InputError
            Not one row, or one that the rules cannot read.
        LimitError
            The search looked at too many neighbors.
        """
        wanted = None if target is None else self[target].target
        rules = {label: explanation.rule for label, explanation in self.items()}
        decision = Decision(rules, self.conditions, self.default, self.vocabulary)
        return prediction_counterfactual(
            decision,
            wanted,
            x,
            lambda names: self.read(x, used=names),
            groups=groups,
            limits=limits,
            n=n,
            known=self.concept_names,
        )

    def sufficient_reason(
        self, x: Any, names: Sequence[str] | None = None, *, given: Given = None
    ) -> SufficientReason:
        """Fewest conditions of one row under which the list decides as it does, whatever else holds.

        The reason is about the whole decision: the step that is true, and all earlier ones that are not.

        Parameters
        ----------
        x, names
            One row, as for :meth:`predict`.
        given : Formula or iterable of Formula, optional
            What is known about the concepts; what the vocabulary knows of them is added.

        Returns
        -------
        SufficientReason
            Its status says whether it is proved that none is shorter. Of equally short ones it takes the
            columns that stand first, and of a column the weakest conditions; without a vocabulary the
            concepts that come first by name.

        Raises
        ------
        InputError
            Not one row, one that the rules cannot read, or a multi-label set: there each label has its
            reason, ``rules[label].sufficient_reason(x)``.

        Examples
        --------
        >>> from logiclens.explain import Explanation, Rule
        >>> from logiclens.logic import Var
        >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
        >>> rules = ExplanationSet(found, ["wings", "fins"], default="fish")
        >>> print(rules.sufficient_reason([[0, 1]]))
        forall x: ~wings(x) -> fish(x)
        """
        if self.multi_label or self.default is None:
            raise InputError(
                "In a multi-label set each label has a reason of its own. Ask for it with "
                "rules[label].sufficient_reason(x)."
            )
        data = self.read(x, names, used=self.concepts)
        if data.n_rows != 1:
            raise InputError(f"A reason is about one row. Got {count(data.n_rows, 'row')}.")
        label = self.answers[int(resolve(truth_of(self.conditions.values(), data))[0])]
        words = self.vocabulary if names is None else None
        return reason_of(condition_of(self.steps, self.default, label), label, x, data, words, given)

    def known(self) -> tuple[Formula, ...]:
        """What the vocabulary knows of the concepts that rules use: which of them exclude one another."""
        if self.vocabulary is None:
            return ()
        return self.vocabulary.given(used_concepts(self.formulas.values()))

    def to_sql(
        self, dialect: str = "ansi", threshold: float | None = None, *, indent: int | None = None
    ) -> str | dict[Label, str]:
        """Return an expression that gives the label exactly as :meth:`predict` does.

        Parameters
        ----------
        dialect : {"ansi", "duckdb", "sqlite", "postgresql", "mysql", "spark", "bigquery"}, default "ansi"
            As for :func:`logiclens.logic.to_sql`.
        threshold : float, optional
            For columns of scores, as for :func:`logiclens.logic.to_sql`. With a vocabulary the expression is
            about the columns of the raw table, and the threshold has no part in it.
        indent : int, optional
            Each step, and each term of an OR, stands on a line of its own, after so many blanks and two more;
            all on one line when missing.

        Returns
        -------
        str, or dict of label to str
            A ``CASE`` expression; of a multi-label set a Boolean expression for each label.

        Raises
        ------
        InputError
            Unknown dialect, or a concept, a column or a label that it cannot carry.
        LimitError
            A formula is nested too deep, or too long.

        Examples
        --------
        >>> from logiclens.explain import Explanation, Rule
        >>> from logiclens.logic import Var
        >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
        >>> print(ExplanationSet(found, ["wings", "fins"], default="fish").to_sql())
        CASE WHEN "wings" IS TRUE THEN 'bird' WHEN "fins" IS TRUE THEN 'fish' ELSE 'fish' END
        >>> print(ExplanationSet(found, ["wings", "fins"], default="fish").to_sql(indent=4))
        CASE
            WHEN "wings" IS TRUE THEN 'bird'
            WHEN "fins" IS TRUE THEN 'fish'
            ELSE 'fish'
        END
        """
        return conditions_to_sql(
            self.conditions, self.default, self.vocabulary, dialect, threshold, indent=indent
        )

    def to_python(self, name: str = "predict", threshold: float = THRESHOLD) -> str:
        """Source of a Python function that predicts one row exactly as :meth:`predict` does.

        It needs nothing but Python. Names and labels appear as literals only, so that they are data there,
        too.

        Parameters
        ----------
        name : str, default "predict"
            Name of the function.
        threshold : float, default 0.5
            A value counts as true when it is greater. With a vocabulary the function takes a row of the raw
            table, and the threshold has no part in it.

        Returns
        -------
        str
            The function takes a mapping from names to single values and returns the label; of a multi-label
            set a dictionary of label to whether its rule is true. See :func:`logiclens.logic.to_python` for
            values that may be missing.

        Raises
        ------
        InputError
            The name is not one that a function can have, or the threshold is not in [0, 1).
        LimitError
            A formula is nested too deep, or too long.

        Examples
        --------
        >>> from logiclens.explain import Explanation, Rule
        >>> from logiclens.logic import Var
        >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])
        >>> print(rules.to_python(), end="")
        def predict(row):
            if (
                row['wings'] > 0.5
            ):
                return 'bird'
            else:
                return 'bird'
        """
        return conditions_to_python(self.conditions, self.default, self.vocabulary, name, threshold)

    def to_sympy(self) -> dict[Label, Any]:
        """Return each formula as a SymPy expression; see :func:`logiclens.logic.to_sympy`."""
        return {label: explanation.to_sympy() for label, explanation in self.items()}

    def to_latex(self) -> str:
        """Return all rules as math-mode LaTeX, one a line; needs the amsmath package."""
        return self.format("latex")

    def to_markdown(self, scores: Sequence[StepFigures] = ()) -> str:
        """Return all rules as Markdown: the list that decides, or where there is none each rule.

        Names are shown and do nothing: signs that Markdown acts on are written as entities.

        Parameters
        ----------
        scores : sequence of StepScores, optional
            How often each step is right: ``steps`` of an :class:`~logiclens.evaluation.Evaluation`.

        Examples
        --------
        >>> from logiclens.explain import Explanation, Rule
        >>> from logiclens.logic import Var
        >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
        >>> print(ExplanationSet(found, ["wings", "fins"], default="fish").to_markdown())
        1. if wings then **bird**
        2. else if fins then **fish**
        3. otherwise **fish**
        """
        if self.is_list and self.default is not None:
            self._check_scores(scores)
            return list_markdown(self.steps, self.default, self.vocabulary, scores)
        rules = [explanation.to_markdown() for explanation in self.explanations]
        return "\n\n".join([*rules, markdown_text(self.decision_sentence())])

    def _check_scores(self, scores: Sequence[StepFigures]) -> None:
        n_scores = len(scores) if isinstance(scores, Sequence) else shown(scores)
        if scores and n_scores != len(self.steps) + 1:
            raise InputError(
                f"scores must have one entry for each step and one for the default: "
                f"{len(self.steps) + 1}. Got {n_scores}."
            )

    def to_frame(self, scores: Sequence[StepFigures] = (), backend: Any = "pandas") -> Any:
        """A data frame with a row for each term, in the order of the steps; the default comes last.

        Its columns: ``step`` is the place of the step, from 1, and ``class`` what it decides; ``term`` is one
        of the conjunctions of which one is enough, with its number of ``literals``. ``precision`` and
        ``coverage`` are those of the whole step, on the rows that it decides: each term of a step has the
        same; None where they are not known. Where rules are no list, rows are about the rule of each target,
        without a step, and the figures are those of its ``scores``.

        Parameters
        ----------
        scores : sequence of StepScores, optional
            How often each step is right: ``steps`` of an :class:`~logiclens.evaluation.Evaluation`. When
            missing, :attr:`held_out`.
        backend : {"pandas", "polars", "pyarrow"}, default "pandas"
            What holds it.

        Examples
        --------
        >>> from logiclens.explain import Explanation, Rule
        >>> from logiclens.logic import Var
        >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
        >>> rules = ExplanationSet(found, ["wings", "fins"], default="fish")
        >>> print(rules.to_frame()[["step", "class", "term", "literals"]].to_string(index=False))
         step class      term  literals
            1  bird     wings         1
            2  fish      fins         1
            3  fish otherwise         0
        """
        if not self.is_list or self.default is None:
            return made_frame([each for label in self for each in self._rule_rows(label)], backend)
        self._check_scores(scores)
        figures = [(each.n_rows, each.n_right) for each in scores]
        if not figures and self.held_out is not None:
            figures = [*zip(self.held_out.n_rows, self.held_out.n_right, strict=True)]
        total = sum(n_rows for n_rows, _ in figures)
        parts = [*((step.label, step.formula) for step in self.steps), (self.default, None)]
        rows: list[dict[str, Any]] = []
        for at, (label, formula) in enumerate(parts):
            n_rows, n_right = figures[at] if figures else (0.0, 0.0)
            rates = {"precision": n_right / n_rows if n_rows else None}
            rates["coverage"] = n_rows / total if total else None
            terms = [("otherwise", 0)] if formula is None else self._terms(formula)
            rows += [_frame_row(at + 1, label, *term) | rates for term in terms]
        return made_frame(rows, backend)

    def _rule_rows(self, label: Label) -> list[dict[str, Any]]:
        """Rows about the rule of a target."""
        scores = self[label].scores
        rates = {name: getattr(scores, name, None) for name in ("precision", "coverage")}
        return [_frame_row(None, label, *term) | rates for term in self._terms(self[label].formula)]

    def _terms(self, formula: Formula) -> list[tuple[str, int]]:
        """The terms of a formula as people write them, each with its number of literals."""
        return [(formula_text(term, self.vocabulary, "plain"), term.literals) for term in disjuncts(formula)]

    def to_sentence(self) -> str:
        """Return all rules in plain English: the list that decides, one step a line.

        Where they are printed as one rule for each target: one rule a line, and who decides.

        Examples
        --------
        >>> from logiclens.explain import Explanation, Rule
        >>> from logiclens.logic import Var
        >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
        >>> print(ExplanationSet(found, ["wings", "fins"], default="fish").to_sentence())
        If wings, then bird;
        otherwise if fins, then fish;
        otherwise fish.
        """
        if self.is_list:
            return self.decision_sentence()
        lines = [f"{explanation.to_sentence()}." for explanation in self.explanations]
        return "\n".join([*lines, self.decision_sentence()])

    def decision_sentence(self) -> str:
        """What is predicted, in plain English: the list, or in what order the rules decide."""

        def named(label: Label) -> str:
            return target_in_sentence(self[label].rule)

        if self.multi_label or self.default is None:
            return "Each label is predicted where its rule is true; a row may have several, or none."
        if len(self) == 1:
            return f"If the rule is false, the prediction is {named(self.default)} as well."
        if self.is_list or any(self[step.label].formula != step.formula for step in self.steps):
            return list_sentence(self.steps, self.default, named, self.vocabulary)
        if not self.steps:
            return f"It is always {named(self.default)}."
        order = ", ".join(named(step.label) for step in self.steps)
        return (
            f"The first of these that is true decides: {order}; where none is, it is {named(self.default)}."
        )

    def to_json(self) -> str:
        """JSON text that :meth:`from_json` reads back exactly, fronts and types of labels included."""
        entries = {
            "concept_names": list(map(storable, self.concept_names)),
            "multi_label": self.multi_label,
            "default": self.default,
            "steps": [
                {"label": storable(step.label), "formula": formula_to_saved(step.formula)}
                for step in self.steps
            ],
            "explanations": list(map(to_saved, self.explanations)),
            "vocabulary": None if self.vocabulary is None else self.vocabulary.to_saved(),
            "held_out": None if self.held_out is None else asdict(self.held_out),
        }
        return write_saved(_FORMAT, _VERSION, entries)

    @classmethod
    def from_json(cls, text: str) -> ExplanationSet:
        """Read what :meth:`to_json` wrote; no code is run.

        Raises
        ------
        InputError
            The text is damaged, comes from elsewhere or from a later release.
        """
        entries = read_saved(text, _FORMAT, _VERSION, _ENTRIES, _OLDER)
        with report_damage():
            explanations = tuple(map(from_saved, items(entries["explanations"], '"explanations"')))
            entries |= {"explanations": explanations}
            entries["concept_names"] = tuple(items(entries["concept_names"], '"concept_names"'))
            if entries["multi_label"] is not True and entries["default"] is None:
                raise InputError('"default" must be a label. Got None.')
            if (scores := entries.get("held_out")) is not None:
                entries["held_out"] = _scores_from_saved(scores)
            words = entries["vocabulary"]
            entries["vocabulary"] = None if words is None else Vocabulary.from_saved(words)
            if "priority" in entries:
                priority = items(entries.pop("priority"), '"priority"')
                entries["steps"] = (
                    () if entries["multi_label"] else _by_priority(explanations, priority, entries["default"])
                )
            else:
                entries["steps"] = tuple(map(_step_from_saved, items(entries["steps"], '"steps"')))
            return cls(**entries)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rules to a file, for ``load_rules``; an old file is replaced whole or stays."""
        text = self.to_json()
        with written_whole(path) as file:
            file.write(f"{text}\n".encode())

    def format(self, style: str = "ascii") -> str:
        """The rules in First-Order Logic: the list that decides, one step a line.

        Where a row may have several labels, and where conditions are only necessary or only sufficient: one
        rule for each target.

        Parameters
        ----------
        style : {"ascii", "unicode", "latex", "plain"}, default "ascii"
            ``plain`` is for people: ``if age > 62 and ward = ICU then high``.
        """
        if self.is_list and self.default is not None:
            return list_text(self.steps, self.default, self.vocabulary, style)
        lines = [explanation.rule.format(style) for explanation in self.explanations]
        return align_latex(f"& {line}" for line in lines) if style == "latex" else "\n".join(lines)

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = self.to_sentence().split("\n")
        names = [html_part("b", label_in_sentence(label)) for label in self]
        facts = [html_part("div", facts_of(each), FAINT) for each in self.explanations]
        if self.is_list:
            steps = map(html_logic, self.format("unicode").split("\n"))
            sentences = [html_part("div", line) for line in lines]
            own = zip(names, facts, strict=True)
            return html_box(*steps, *sentences, html_table(("target", "rule of its own"), own))
        logic = [html_logic(each.rule.format("unicode")) for each in self.explanations]
        sentences = [html_part("div", line) for line in lines[: len(self)]]
        rules = zip(names, map("".join, zip(logic, sentences, facts, strict=True)), strict=True)
        policy = (html_part("div", line, FAINT) for line in lines[len(self) :])
        return html_box(html_table(("target", "rule"), rules), *policy)


def as_list(rules: ExplanationSet) -> ExplanationSet:
    """Rules of clusters as the list that decides; other rules as they are.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> found = [Explanation(Rule(at, Var(name), "cluster")) for at, name in enumerate(["wings", "fins"])]
    >>> print(as_list(ExplanationSet(found, ["wings", "fins"], default=1)))
    if wings(x) then 0
    else if fins(x) then 1
    otherwise 1
    """
    if any(each.kind is not RuleKind.CLUSTER for each in rules.explanations):
        return rules
    own = tuple(replace(each, rule=replace(each.rule, kind=RuleKind.IFF)) for each in rules.explanations)
    return ExplanationSet(
        own, rules.concept_names, default=rules.default, steps=rules.steps, vocabulary=rules.vocabulary
    )


BACKENDS: Final = ("pandas", "polars", "pyarrow")
"""What can hold a data frame that is made here."""


def made_frame(rows: Sequence[Mapping[str, Any]], backend: Any) -> Any:
    """A data frame from its rows, which have the same columns; there is at least one."""
    if backend not in BACKENDS:
        raise InputError(f"backend must be one of {listing(BACKENDS)}. Got {shown(backend)}.")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError:
        raise MissingDependencyError(
            f"to_frame(backend={backend!r}) needs {backend}, which is not installed. "
            f"Run: pip install {backend}"
        ) from None


def _frame_row(step: int | None, label: Label, term: str, literals: int) -> dict[str, Any]:
    return {"step": step, "class": label, "term": term, "literals": literals}


def _shared_vocabulary(explanations: Sequence[Explanation]) -> Vocabulary | None:
    first = explanations[0].vocabulary
    if any(explanation.vocabulary != first for explanation in explanations):
        raise InputError("The explanations of a set have different vocabularies. Pass the one to use.")
    return first


def _several(explanations: Any) -> tuple[Explanation, ...]:
    several = tuple(explanations) if isinstance(explanations, Iterable) else (explanations,)
    for explanation in several:
        if not isinstance(explanation, Explanation):
            raise InputError(
                f"An ExplanationSet takes a sequence of Explanations. Got {shown(explanation)} in it."
            )
    if not several:
        raise InputError("An ExplanationSet needs at least one explanation. Got none.")
    return several


def load_rules(path: str | os.PathLike[str]) -> ExplanationSet:
    """Read the rules that :meth:`ExplanationSet.save` wrote; no code is run.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    ExplanationSet

    Raises
    ------
    InputError
        The file is damaged, comes from elsewhere or from a later release.
    """
    file = as_file(path)
    try:
        return ExplanationSet.from_json(read_whole(file).decode())
    except FileError:
        raise
    except UnicodeDecodeError:
        raise InputError(
            f"{os.fspath(path)!r} does not hold rules that can be read. "
            "The file is not text in UTF-8, so it was not saved here."
        ) from None
    except InputError as error:
        raise InputError(f"{os.fspath(path)!r} does not hold rules that can be read. {error}") from None


def _step_from_saved(value: Any) -> Step:
    entries = fields(value, ("label", "formula"), "a step")
    return Step(entries["label"], formula_from_saved(entries["formula"]))


def _scores_from_saved(value: Any) -> HeldOutScores:
    entries = fields(value, ("n_rows", "n_right", "target"), '"held_out"')
    n_rows, n_right = (tuple(items(entries[name], f'"{name}"')) for name in ("n_rows", "n_right"))
    return HeldOutScores(n_rows, n_right, entries["target"])


def _by_priority(
    explanations: Sequence[Explanation], priority: Sequence[Any], default: Label
) -> tuple[Step, ...]:
    """The list that decides as rules with priorities did."""
    ranks = [check_rate(value, "priority") for value in priority]
    if len(ranks) != len(explanations):
        raise InputError(
            f"priority must have one number for each of the {count(len(explanations), 'label')}. "
            f"Got {len(ranks)}."
        )
    return ranked_steps(ranks, [Step(each.target, each.formula) for each in explanations], default)
