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
from logiclens.explain.resolution import resolve, used_concepts
from logiclens.explain.rule import RuleKind, target_named
from logiclens.logic.arrays import IndexArray, unpack
from logiclens.logic.data import ConceptData
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import TRUE, Formula
from logiclens.logic.normal_form import dnf_terms
from logiclens.logic.syntax import format_formula

if TYPE_CHECKING:
    from logiclens.cli.rows import Gaps
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.explain.rule import Label

DEFAULT, UNCOVERED, MISSING = "default", "uncovered", "missing"
"""Marks of rows that the default decides, of rows that get no label where there may be several, and of rows
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
        Logic of the step that decides, or of the rules that are true; empty where there is none.
    why : str
        A sentence with the term of it that is true.
    mark : str
        ``"default"`` or ``"uncovered"``, and ``"missing"``, with a comma between two; or nothing.
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
    n_rows, n_uncovered, n_missing : int
        Rows so far; those that the default decides, or that get no label; those that lack a value.
    n_predicted : Counter of label to int
        How often each answer was given.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> birds = Explanation(Rule("bird", Var("wings") | Var("beak")))
    >>> rules = ExplanationSet([birds], ["wings", "beak"])
    >>> answers = Answers(rules)
    >>> found, places = answers.of(ConceptData({"wings": [True, False], "beak": [True, True]}))
    >>> [found[place].why for place in places]
    ['The prediction is bird because wings.', 'The prediction is bird because beak.']
    """

    rules: ExplanationSet
    n_rows: int = 0
    n_uncovered: int = 0
    n_missing: int = 0
    n_predicted: Counter[Label] = field(default_factory=Counter)
    _labels: list[Label] = field(init=False)
    _terms: list[tuple[Formula, ...]] = field(init=False)
    _kept: dict[bytes, Answer] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._labels = [*self.rules.conditions]
        self._terms = [_terms_of(formula) for formula in self.rules.conditions.values()]

    def of(self, data: ConceptData, gaps: Gaps | None = None) -> tuple[list[Answer], IndexArray]:
        """Answers to rows: the distinct ones, and which of them each row gets, shape (n_rows,)."""
        which = self._first_true(data)
        if not self.rules.multi_label:
            which = _of_first(which)
        sizes = [len(terms) + 1 for terms in self._terms]
        if gaps is not None:
            which = np.column_stack([which, gaps.codes])
            sizes.append(2 * len(gaps.columns) + 1)
        codes, firsts = _coded(which, sizes)
        found = [self._answer(which[first], gaps) for first in firsts]
        self.n_rows += len(which)
        for answer, n in zip(found, np.bincount(codes, minlength=len(found)).tolist(), strict=True):
            self.n_predicted[answer.prediction] += n
            self.n_uncovered += n * (DEFAULT in answer.mark or UNCOVERED in answer.mark)
            self.n_missing += n * (MISSING in answer.mark)
        return found, codes

    def _first_true(self, data: ConceptData) -> NDArray[np.int32]:
        """The first term of each formula that is true of a row, counted from 1; 0 where none is."""
        columns = data.packed_columns(used_concepts(term for terms in self._terms for term in terms))
        n_words = -(-data.n_rows // 64)
        which = np.zeros((data.n_rows, len(self._terms)), dtype=np.int32)
        for at, terms in enumerate(self._terms):
            for number, term in reversed([*enumerate(terms, start=1)]):
                which[unpack(term.evaluate_words(columns, n_words), data.n_rows), at] = number
        return which

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
        true: list[int] = np.flatnonzero(which).tolist()
        if self.rules.multi_label or self.rules.default is None:
            labels = [self._labels[at] for at in true]
            return Answer(
                ", ".join(map(str, labels)),
                "; ".join(map(self._logic, labels)),
                " ".join(self._why(at, int(which[at])) for at in true) or "No rule is true of it.",
                "" if labels else UNCOVERED,
            )
        part = "step" if self.rules.is_list else "rule"
        if not true:
            default = target_named(self.rules[self.rules.default].rule)
            why = f"No {part} is true of it; the default is {default}."
            return Answer(self.rules.default, "", why, DEFAULT)
        at = true[0]
        earlier = f" No earlier {part} is true of it." if at else ""
        label = self._labels[at]
        return Answer(label, self._logic(label), f"{self._why(at, int(which[at]))}{earlier}", "")

    def _logic(self, label: Label) -> str:
        """The formula that is looked at for a label, in the words of its vocabulary."""
        words, formula = self.rules.vocabulary, self.rules.conditions[label]
        return format_formula(formula) if words is None else words.format(formula)

    def _why(self, at: int, number: int) -> str:
        """Why a label is predicted: the term of that number that is true."""
        return _sentence(self.rules[self._labels[at]], self._terms[at][number - 1])


def _of_first(which: NDArray[np.int32]) -> NDArray[np.int32]:
    """Of steps that come after the one that decides, it does not matter which term is true."""
    decides = np.arange(which.shape[1]) == resolve(which > 0)[:, None]
    return np.where(decides, which, 0).astype(np.int32)


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
