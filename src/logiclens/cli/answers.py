"""What rules say about rows, as columns to be written: the answer, the rule, why, and whether they disagree.

Rows of which the same terms are true get the same texts, so each is written once for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import LimitError
from logiclens.explain.changes import target_named
from logiclens.explain.rule import RuleKind
from logiclens.explain.terms import dnf_terms
from logiclens.logic.arrays import BoolArray, IndexArray, unpack
from logiclens.logic.data import ConceptData
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import TRUE, Formula
from logiclens.logic.syntax import format_formula

if TYPE_CHECKING:
    from logiclens.cli.rows import Gaps
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.explain.label import Label

CONFLICT, UNCOVERED, MISSING = "conflict", "uncovered", "missing"
"""Marks of rows on which several rules fire that exclude one another, of rows on which none does, and of rows
without a value where the rules know of no gaps."""
_MOST_CODES = 1 << 40
_MOST_KEPT = 1 << 16


class Answer(NamedTuple):
    """What is said about a row.

    Attributes
    ----------
    prediction : label
        In a multi-label set the labels, with commas between them.
    rule : str
        Logic of the rule that fired; empty when none did.
    why : str
        A sentence with the term of it that is true.
    mark : str
        ``"conflict"`` or ``"uncovered"``, and ``"missing"``, with a comma between two; or nothing.
    """

    prediction: Label
    rule: str
    why: str
    mark: str


@dataclass
class Answers:
    """Answers of rules, and how many were marked.

    Parameters
    ----------
    rules : ExplanationSet

    Attributes
    ----------
    n_rows, n_conflicts, n_uncovered, n_missing : int
        Rows so far.
    n_predicted : Counter of label to int
        How often each answer was given.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings") | Var("beak")))], ["wings", "beak"])
    >>> answers = Answers(rules)
    >>> found, places = answers.of(ConceptData({"wings": [True, False], "beak": [True, True]}))
    >>> [found[place].why for place in places]
    ['The prediction is bird because wings.', 'The prediction is bird because beak.']
    """

    rules: ExplanationSet
    n_rows: int = 0
    n_conflicts: int = 0
    n_uncovered: int = 0
    n_missing: int = 0
    n_predicted: Counter[Label] = field(default_factory=Counter)
    _terms: list[tuple[Formula, ...]] = field(init=False)
    _order: IndexArray = field(init=False)
    _kept: dict[bytes, Answer] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._terms = [_terms_of(explanation.formula) for explanation in self.rules.explanations]
        self._order = np.argsort(-np.array(self.rules.priority), kind="stable")

    def of(self, data: ConceptData, gaps: Gaps | None = None) -> tuple[list[Answer], IndexArray]:
        """Answers to rows: the distinct ones, and which of them each row gets, shape (n_rows,)."""
        which = self._first_true(data)
        if not self.rules.multi_label:
            which = self._of_winners(which)
        sizes = [len(terms) + 1 for terms in self._terms]
        if gaps is not None:
            which = np.column_stack([which, gaps.codes])
            sizes.append(2 * len(gaps.columns) + 1)
        codes, firsts = _coded(which, sizes)
        found = [self._answer(which[first], gaps) for first in firsts]
        self.n_rows += len(which)
        for answer, n in zip(found, np.bincount(codes, minlength=len(found)).tolist(), strict=True):
            self.n_predicted[answer.prediction] += n
            self.n_conflicts += n * (CONFLICT in answer.mark)
            self.n_uncovered += n * (UNCOVERED in answer.mark)
            self.n_missing += n * (MISSING in answer.mark)
        return found, codes

    def _first_true(self, data: ConceptData) -> NDArray[np.int32]:
        """The first term of each rule that is true of a row, counted from 1; 0 where none is; (n, rules)."""
        used = sorted({name for terms in self._terms for term in terms for name in term.concepts})
        columns = data.packed_columns(used)
        n_words = -(-data.n_rows // 64)
        which = np.zeros((data.n_rows, len(self._terms)), dtype=np.int32)
        for at, terms in enumerate(self._terms):
            for number, term in reversed([*enumerate(terms, start=1)]):
                which[unpack(term.evaluate_words(columns, n_words), data.n_rows), at] = number
        return which

    def _of_winners(self, which: NDArray[np.int32]) -> NDArray[np.int32]:
        """Of rules that fire but do not decide the answer, it does not matter which term is true."""
        fired = which > 0
        winner = self._order[fired[:, self._order].argmax(axis=1)]
        decides: BoolArray = np.zeros(which.shape, dtype=np.bool_)
        decides[np.arange(len(which)), winner] = True
        return np.where(decides, which, np.where(fired, 1, 0)).astype(np.int32)

    def _answer(self, which: NDArray[np.int32], gaps: Gaps | None) -> Answer:
        key = which.tobytes()
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            n = len(self._terms)
            answer = self._written(which[:n])
            self._kept[key] = answer if gaps is None else _with_gap(answer, int(which[n]), gaps.columns)
        return self._kept[key]

    def _written(self, which: NDArray[np.int32]) -> Answer:
        fired = np.flatnonzero(which)
        rules = self.rules.explanations
        if not len(fired):
            if self.rules.default is None:
                return Answer("", "", "No rule is true of it.", UNCOVERED)
            default = target_named(self.rules[self.rules.default].rule)
            return Answer(
                self.rules.default, "", f"No rule is true of it; the default is {default}.", UNCOVERED
            )
        terms = {at: self._terms[at][which[at] - 1] for at in fired}
        if self.rules.multi_label:
            return Answer(
                ", ".join(str(rules[at].target) for at in fired),
                "; ".join(_logic(rules[at]) for at in fired),
                " ".join(_sentence(rules[at], terms[at]) for at in fired),
                "",
            )
        winner = next(at for at in self._order if which[at])
        why = _sentence(rules[winner], terms[winner])
        others = [target_named(rules[at].rule) for at in fired if at != winner]
        if others:
            rule = "rule" if len(others) == 1 else "rules"
            why += f" True of it, too: the {rule} of {_listed(others)}."
        return Answer(rules[winner].target, _logic(rules[winner]), why, CONFLICT if others else "")


def _with_gap(answer: Answer, code: int, columns: Sequence[str]) -> Answer:
    """The answer, and what is missing in the row, by the code of :class:`~logiclens.cli.rows.Gaps`."""
    if not code:
        return answer
    first = repr(columns[(code - 1) // 2])
    what = f"{first} is missing" if code % 2 else f"{first} and other values are missing"
    return answer._replace(
        why=f"{answer.why} Its {what}, and the rules know nothing of that.",
        mark=", ".join(filter(None, (answer.mark, MISSING))),
    )


def _terms_of(formula: Formula) -> tuple[Formula, ...]:
    try:
        return dnf_terms(formula)
    except LimitError:  # too many terms to tell apart
        return (formula,)


def _coded(which: NDArray[np.int32], sizes: Sequence[int]) -> tuple[IndexArray, IndexArray]:
    """Number the distinct rows of an array: the number of each row, and the first row of each number."""
    codes = np.zeros(len(which), dtype=np.int64)
    most = 1
    for column, size in zip(which.T, sizes, strict=True):
        if most * size > _MOST_CODES:
            distinct, codes = np.unique(codes, return_inverse=True)
            most = len(distinct)
        codes = codes * size + column
        most *= size
    _, firsts, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return numbers.reshape(-1), firsts


def _logic(explanation: Explanation) -> str:
    """The formula of a rule, in the words of its vocabulary."""
    words = explanation.vocabulary
    formula = explanation.formula
    return format_formula(formula) if words is None else words.format(formula)


def _sentence(explanation: Explanation, term: Formula) -> str:
    """Why a rule fires."""
    label = target_named(explanation.rule)
    if term == TRUE:
        return f"The prediction is {label}, whatever the row."
    words = explanation.vocabulary
    condition = to_sentence(term) if words is None else words.to_sentence(term)
    if explanation.kind in (RuleKind.IFF, RuleKind.ONLY_IF):
        return f"The prediction is {label} because {condition}."
    return f"The prediction is {label}, all of which satisfy: {condition}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def text_columns(
    found: Sequence[Answer], codes: IndexArray, names: Sequence[str] = Answer._fields
) -> dict[str, Any]:
    """Columns ``prediction``, ``rule``, ``why`` and ``mark`` as dictionary arrays of pyarrow, by name."""
    import pyarrow as pa

    indices = pa.array(codes.astype(np.int32))
    return {
        name: pa.DictionaryArray.from_arrays(indices, pa.array([getattr(answer, name) for answer in found]))
        for name in names
    }
