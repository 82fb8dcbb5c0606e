"""Predictions of rules for the rows of a file: the columns they need, what each row gets, and why.

What a value is comes from the vocabulary of the rules and not from the rows at hand, so that a row means what
it meant when the rules were made, whatever stands in the rows around it. Rows of which the same terms are
true get the same texts, so each is written once for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.concept import Value
from logiclens.concepts.ranges import Ranges
from logiclens.concepts.table import Column, Table, ValueType
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError, UnknownColumnError, UnknownColumnsError, count, percent
from logiclens.explain.resolution import (
    DEFAULT,
    MISSING,
    PRECISION_DIGITS,
    UNCOVERED,
    resolve,
    used_concepts,
)
from logiclens.explain.rule import RuleKind, formula_text, target_in_sentence
from logiclens.logic.arrays import IndexArray, unpack
from logiclens.logic.data import ConceptData
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import TRUE, Formula, plain_name
from logiclens.logic.normal_form import dnf_terms

if TYPE_CHECKING:
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.explain.rule import Label
    from logiclens.files._reading import Batch


_ADVICE = "The rules need it."


class MissingCells(NamedTuple):
    """Values that are missing although the rules know of no gaps.

    Attributes
    ----------
    columns : tuple of str
        Columns in which no value should be missing.
    codes : ndarray of int, shape (n_rows,)
        0 where none is missing; ``2 * at + 1`` where that of column ``at`` is the first, and one more where
        others are missing, too.
    """

    columns: tuple[str, ...]
    codes: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class NeededColumns:
    """The columns of a table that rules need.

    Attributes
    ----------
    concepts : tuple of str
        The concepts that are wanted.
    vocabulary : Vocabulary or None
        What they mean; None where the columns are the concepts themselves.
    columns : dict of str to str
        Where each column that they need is: its name in the vocabulary, and its name in the file.
    types : dict of str to ValueType
        What the values of each column of the file are.
    """

    concepts: tuple[str, ...]
    vocabulary: Vocabulary | None
    columns: dict[str, str]
    types: dict[str, ValueType]

    def named(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Columns of the file, called as the vocabulary calls them."""
        return {column: values[place] for column, place in self.columns.items()}

    def read(self, values: Mapping[str, Any], n_rows: int) -> ConceptData:
        """Truth of the concepts on rows of the file.

        Parameters
        ----------
        values : mapping of str to pyarrow.ChunkedArray or array
            The columns of the file, read as :attr:`types` says.
        n_rows : int
            How many rows there are: rules that are never true, or always, need no column.
        """
        if not self.columns:
            return ConceptData(np.zeros((n_rows, 0), dtype=np.bool_), names=())
        columns = self.named(values)
        if self.vocabulary is None:
            return ConceptData(columns)
        table = {name: _column(name, data) for name, data in columns.items()}
        words = self.vocabulary
        cells = {name: words.cells(name, table.__getitem__) for name in words.used_inputs(self.concepts)}
        return ConceptData(
            {name: words[name].truth(cells[words[name].column])[:n_rows] for name in self.concepts}
        )

    @property
    def never_missing(self) -> tuple[str, ...]:
        """Columns of the file that the rules know no gaps in: to them, no value is just another value."""
        if self.vocabulary is None:  # a gap is refused
            return ()
        known = self.vocabulary.optional
        return tuple(place for column, place in self.columns.items() if column not in known)

    def unseen(self, values: Mapping[str, Any], n_rows: int) -> Iterator[tuple[str, Value, int]]:
        """Categories that training did not have: column, value and how many rows have it.

        Parameters
        ----------
        values : mapping of str to pyarrow.ChunkedArray or array
            The columns of the file, read as :attr:`types` says.
        n_rows : int
        """
        words = self.vocabulary
        if words is None:
            return
        for name in (name for name, _ in words.values if name in self.columns):
            place = self.columns[name]
            column = _column(place, values[place])
            new = {*words.unseen(name, column)}
            rows = np.bincount(column.codes[:n_rows] + 1, minlength=len(column.levels) + 1)[1:]
            found = zip(column.levels, rows.tolist(), strict=True)
            yield from ((place, value, n) for value, n in found if n and value in new)

    def missing(self, values: Mapping[str, Any], n_rows: int) -> MissingCells:
        """Where values are missing in columns that the rules know no gaps in.

        Parameters
        ----------
        values : mapping of str to pyarrow.ChunkedArray or array
            The columns of the file, read as :attr:`types` says.
        n_rows : int
        """
        found = np.zeros(n_rows, dtype=np.int32)
        columns = self.never_missing
        gaps = {} if self.vocabulary is None else self.vocabulary.gaps
        gaps = {self.columns[column]: some for column, some in gaps.items() if column in self.columns}
        for at, column in reversed([*enumerate(columns)]):
            missing = _column(column, values[column]).without(gaps.get(column, ())).missing[:n_rows]
            found[missing] = 2 * at + 1 + (found[missing] > 0)
        return MissingCells(columns, found)


_MOST_UNSEEN = 5  # values of a column that are named


def unseen_notes(found: Mapping[tuple[str, Value], int]) -> list[str]:
    """Notes on categories that training did not have, each with its rows.

    Examples
    --------
    >>> unseen_notes({("ward", "Z"): 3})
    ["1 value of 'ward' was not in training: 'Z' (3 rows). Of it ward = ... is false and ward != ... true."]
    """
    notes = []
    for column in dict.fromkeys(column for column, _ in found):
        rows = {value: n for (name, value), n in found.items() if name == column}
        often = sorted(rows, key=lambda value: (-rows[value], str(value)))[:_MOST_UNSEEN]
        more = ", ..." if len(rows) > len(often) else ""
        verb, them = ("was", "it") if len(rows) == 1 else ("were", "them")
        name = plain_name(column)
        notes.append(
            f"{count(len(rows), 'value')} of {column!r} {verb} not in training: "
            f"{', '.join(map(repr, often))}{more} ({count(sum(rows.values()), 'row')}). "
            f"Of {them} {name} = ... is false and {name} != ... true."
        )
    return notes


def needed_columns(rules: ExplanationSet, names: Sequence[str], *, everything: bool = False) -> NeededColumns:
    """Find the columns that rules need among those of a file.

    Parameters
    ----------
    rules : ExplanationSet
    names : sequence of str
        The columns of the file.
    everything : bool, default False
        Whether all concepts are wanted, as a network needs them, and not only those in rules.

    Raises
    ------
    UnknownColumnError
        The file lacks a column.
    InputError
        Columns have to be found by their place, and there are more or fewer of them.

    Examples
    --------
    >>> from logiclens.concepts import Above, Vocabulary
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> words = Vocabulary(("age", "sex"), (Above("age", 62),))
    >>> rules = ExplanationSet([Explanation(Rule("old", Var("age > 62"), vocabulary=words))], words.names)
    >>> needed_columns(rules, ["sex", "age"]).types
    {'age': <ValueType.NUMBER: 'numbers'>}
    """
    used = set(rules.concepts)
    concepts = tuple(name for name in rules.concept_names if everything or name in used)
    words = rules.vocabulary
    if words is not None:
        columns = words.used_columns(concepts)
        lacking = [column for column in columns if column not in names]
        if lacking and not words.named:
            return _found(rules, concepts, _by_place(words, columns, names))
        if not lacking or everything or not set(concepts) <= set(names):
            _refuse_lacking(lacking, names)
            return _found(rules, concepts, {column: column for column in columns})
    _refuse_lacking([name for name in concepts if name not in names], names)
    return NeededColumns(
        concepts, None, {name: name for name in concepts}, dict.fromkeys(concepts, ValueType.FLAG)
    )


def _found(rules: ExplanationSet, concepts: tuple[str, ...], columns: Mapping[str, str]) -> NeededColumns:
    """The needs of rules with a vocabulary, once it is known where each column is."""
    words = rules.vocabulary
    assert words is not None
    kinds = {place: words.types.get(column, ValueType.TEXT) for column, place in columns.items()}
    return NeededColumns(concepts, words, dict(columns), kinds)


def _by_place(words: Vocabulary, columns: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """The columns of a file for those of a vocabulary that had no names."""
    if len(names) != len(words.columns):
        raise InputError(
            f"The file has {count(len(names), 'column')}; {len(words.columns)} were there when the rules "
            "were made, and they had no names. Pass the same columns in the same order."
        )
    place = dict(zip(words.columns, names, strict=True))
    return {column: place[column] for column in columns}


def _refuse_lacking(lacking: Sequence[str], names: Sequence[str]) -> None:
    if len(lacking) == 1:
        raise UnknownColumnError(lacking[0], names, _ADVICE)
    if lacking:
        raise UnknownColumnsError(lacking, names, "The rules need them.")


def _column(name: str, data: Any) -> Column:
    """A column; where text and numbers are mixed, both stand below the last row: these may lack one kind."""
    if isinstance(data, np.ndarray):
        data = np.append(data, np.array(["", 0], dtype=object))
    return Table({name: data}).column(name)


_MOST_CODES = 1 << 40
_MOST_KEPT = 1 << 16


class Prediction(NamedTuple):
    """The prediction for a row, and its reason.

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
    precision : float, optional
        How often the step that decides was right on rows held out from the fit; None where that is not known.
    """

    prediction: Label
    rule: str
    why: str
    mark: str
    precision: float | None = None


@dataclass
class RowPredictions:
    """Predictions of rules, and how many were marked.

    Parameters
    ----------
    rules : ExplanationSet

    Attributes
    ----------
    n_rows, n_uncovered, n_missing : int
        Rows so far; those that the default decides, or that get no label; those that lack a value.
    n_predicted : Counter of label to int
        How often each was made.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> birds = Explanation(Rule("bird", Var("wings") | Var("beak")))
    >>> rules = ExplanationSet([birds], ["wings", "beak"])
    >>> predictions = RowPredictions(rules)
    >>> found, places = predictions.of(ConceptData({"wings": [True, False], "beak": [True, True]}))
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
    _kept: dict[bytes, Prediction] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._labels = [*self.rules.conditions]
        self._terms = [_terms_of(formula) for formula in self.rules.conditions.values()]

    def of(
        self, data: ConceptData, missing: MissingCells | None = None
    ) -> tuple[list[Prediction], IndexArray]:
        """Predictions for rows: the distinct ones, and which of them each row gets, shape (n_rows,)."""
        which = self._first_true(data)
        if not self.rules.multi_label:
            which = _of_first(which)
        sizes = [len(terms) + 1 for terms in self._terms]
        if missing is not None:
            which = np.column_stack([which, missing.codes])
            sizes.append(2 * len(missing.columns) + 1)
        codes, firsts = _number_rows(which, sizes)
        found = [self._prediction(which[first], missing) for first in firsts]
        for each, n in zip(found, np.bincount(codes, minlength=len(found)).tolist(), strict=True):
            self.count(each.prediction, each.mark, n)
        return found, codes

    def count(self, prediction: Label, mark: str, n: int) -> None:
        """Count rows with a prediction and a mark."""
        self.n_rows += n
        self.n_predicted[prediction] += n
        self.n_uncovered += n * (DEFAULT in mark or UNCOVERED in mark)
        self.n_missing += n * (MISSING in mark)

    def _first_true(self, data: ConceptData) -> NDArray[np.int32]:
        """The first term of each formula that is true of a row, counted from 1; 0 where none is."""
        columns = data.packed_columns(used_concepts(term for terms in self._terms for term in terms))
        n_words = -(-data.n_rows // 64)
        which = np.zeros((data.n_rows, len(self._terms)), dtype=np.int32)
        for at, terms in enumerate(self._terms):
            for number, term in reversed([*enumerate(terms, start=1)]):
                which[unpack(term.evaluate_words(columns, n_words), data.n_rows), at] = number
        return which

    def _prediction(self, which: NDArray[np.int32], missing: MissingCells | None) -> Prediction:
        key = which.tobytes()
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            n = len(self._terms)
            code = 0 if missing is None else int(which[n])
            prediction = self._with_reason(which[:n], gaps=code > 0)
            self._kept[key] = (
                prediction if missing is None else _with_missing(prediction, code, missing.columns)
            )
        return self._kept[key]

    def _with_reason(self, which: NDArray[np.int32], *, gaps: bool) -> Prediction:
        true: list[int] = np.flatnonzero(which).tolist()
        if self.rules.multi_label or self.rules.default is None:
            labels = [self._labels[at] for at in true]
            return Prediction(
                ", ".join(map(str, labels)),
                "; ".join(map(self._logic, labels)),
                " ".join(self._why(at, int(which[at]), gaps=gaps) for at in true) or "No rule is true of it.",
                "" if labels else UNCOVERED,
            )
        part = "step" if self.rules.is_list else "rule"
        if not true:
            default = target_in_sentence(self.rules[self.rules.default].rule)
            why = f"No {part} is true of it; the default is {default}."
            return Prediction(self.rules.default, "", why, DEFAULT, self._precision(-1))
        at = true[0]
        earlier = f" No earlier {part} is true of it." if at else ""
        label = self._labels[at]
        why = f"{self._why(at, int(which[at]), gaps=gaps)}{earlier}"
        return Prediction(label, self._logic(label), why, "", self._precision(at))

    def _precision(self, at: int) -> float | None:
        """The precision of a step by its place, rounded as it is written."""
        scores = self.rules.held_out
        found = None if scores is None else scores.precision[at]
        return None if found is None else round(found, PRECISION_DIGITS)

    def _logic(self, label: Label) -> str:
        """The formula that decides for a label, as people write it."""
        return formula_text(self.rules.conditions[label], self.rules.vocabulary, "plain")

    def _why(self, at: int, number: int, *, gaps: bool) -> str:
        """The reason why a label is predicted: the term of that number, which is true.

        Where values are missing of which the rules know no gaps, what is true of a gap says so.
        """
        explanation = self.rules[self._labels[at]]
        if gaps and (words := explanation.vocabulary) is not None:
            explanation = explanation.worded(words.expecting_gaps(words.inputs))
        return _sentence(explanation, self._terms[at][number - 1])


def _of_first(which: NDArray[np.int32]) -> NDArray[np.int32]:
    """Ignore the terms of steps after the one that decides."""
    decides = np.arange(which.shape[1]) == resolve(which > 0)[:, None]
    return np.where(decides, which, 0).astype(np.int32)


def _with_missing(prediction: Prediction, code: int, columns: Sequence[str]) -> Prediction:
    """The prediction, and what is missing in the row, by its code in :class:`MissingCells`."""
    if not code:
        return prediction
    first = repr(columns[(code - 1) // 2])
    what = f"{first} is missing" if code % 2 else f"{first} and other values are missing"
    return prediction._replace(
        why=f"{prediction.why} Its {what}, and the rules know nothing of that.",
        mark=", ".join(filter(None, (prediction.mark, MISSING))),
    )


def _terms_of(formula: Formula) -> tuple[Formula, ...]:
    try:
        return dnf_terms(formula)
    except LimitError:  # too many terms to tell apart
        return (formula,)


def _number_rows(which: NDArray[np.int32], sizes: Sequence[int]) -> tuple[IndexArray, IndexArray]:
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
    """The reason why a rule is true, as a sentence."""
    label = target_in_sentence(explanation.rule)
    if term == TRUE:
        return f"The prediction is {label}, whatever the row."
    words = explanation.vocabulary
    condition = to_sentence(term) if words is None else words.to_sentence(term)
    if explanation.kind in (RuleKind.IFF, RuleKind.ONLY_IF):
        return f"The prediction is {label} because {condition}."
    return f"The prediction is {label}, all of which satisfy: {condition}."


def text_columns(
    found: Sequence[Prediction], codes: IndexArray, names: Sequence[str] = Prediction._fields
) -> dict[str, Any]:
    """The fields of predictions as arrays of pyarrow, by name; texts are dictionary arrays."""
    import pyarrow as pa

    indices = pa.array(codes.astype(np.int32))
    columns = {}
    for name in names:
        if name == "precision":
            columns[name] = pa.array([each.precision for each in found], pa.float64()).take(indices)
        else:
            values = pa.array([getattr(each, name) for each in found])
            columns[name] = pa.DictionaryArray.from_arrays(indices, values)
    return columns


class ClassFigures(NamedTuple):
    """How good predictions are about one class: its precision and recall, and the rows that have it."""

    label: Label
    precision: float
    recall: float
    n: int


class TrueClasses:
    """Counts right predictions.

    Parameters
    ----------
    rules : ExplanationSet
    column : str
        The column that has the truth.
    names : sequence of str
        The columns of the file.

    Attributes
    ----------
    n, n_right : int
        Rows that have a value, and those of them whose prediction is right.
    n_known : int
        Rows whose value is a label of the rules.

    Raises
    ------
    UnknownColumnError
        The file lacks the column.
    InputError
        The rules give several labels to a row.
    """

    def __init__(self, rules: ExplanationSet, column: str, names: Sequence[str]) -> None:
        if column not in names:
            raise UnknownColumnError(column, names, "It is named by --truth.")
        if rules.multi_label:
            raise InputError(
                "These rules give a row several labels, so no column has the truth. Omit --truth."
            )
        self.column = column
        self.n = self.n_right = self.n_known = 0
        self._counts = np.zeros((len(rules) + 1, len(rules)), dtype=np.int64)  # the last row: other values
        self.ranges = Ranges.of_labels(rules.labels)
        self._plain = _reader(rules.labels)
        self._rules = rules
        self._labels = {self._plain(label): at for at, label in enumerate(rules)}

    def compare(self, batch: Batch, predictions: Sequence[Label], codes: IndexArray) -> None:
        """Count the rows of a batch.

        Parameters
        ----------
        batch : Batch
        predictions : sequence of label
            The distinct predictions.
        codes : ndarray of int, shape (n,)
            Which of them each row has.
        """
        values = batch.values({self.column: ValueType.TEXT})[self.column]
        coded = values.combine_chunks().dictionary_encode()
        texts = coded.dictionary.to_pylist()
        if self.ranges is not None:
            texts = _in_ranges(texts, self.ranges, batch.origin.layout.decimal)
        levels = [*map(self._plain, texts)]
        places = coded.indices.fill_null(len(levels)).to_numpy()
        true = np.array([*(self._labels.get(level, -1) for level in levels), -1])[places]
        predicted = np.array([self._labels.get(self._plain(label), -2) for label in predictions])
        self.n += int((places < len(levels)).sum())
        self.n_known += int((true >= 0).sum())
        self.n_right += int((true == predicted[codes]).sum())
        present = places < len(levels)
        pairs = np.stack([true, predicted[codes]])[:, present]
        np.add.at(self._counts, tuple(pairs), 1)

    def by_class(self) -> list[ClassFigures]:
        """Precision and recall of each label; none where nothing was compared."""
        if not self.n_known:
            return []
        return [ClassFigures(label, *_rates(self._counts, at)) for at, label in enumerate(self._rules)]

    def summary(self) -> str:
        """A line with the share of right predictions."""
        if not self.n_known:
            return f"Column {self.column!r} has no value that is a class of the rules: nothing is compared."
        share = percent(self.n_right / self.n)
        return f"Of {count(self.n, 'row')} with a value of {self.column!r}, the rules are right on {share}."


def classes_of(rules: ExplanationSet, column: Any) -> IndexArray:
    """Place of the class that each value of a column is, (n,); -1 where it is none, or missing."""
    coded = column.cast("string").combine_chunks().dictionary_encode()
    plain = _reader(rules.labels)
    places = {plain(label): at for at, label in enumerate(rules)}
    levels = [places.get(plain(text), -1) for text in coded.dictionary.to_pylist()]
    return np.asarray(np.array([*levels, -1])[coded.indices.fill_null(len(levels)).to_numpy()])


def _in_ranges(texts: Sequence[str], ranges: Ranges, decimal: str) -> list[str]:
    """The range of each number; other texts, such as the ranges themselves, stay."""
    numbers = [_as_number(str(text).replace(decimal, ".")) for text in texts]
    known = [number if isinstance(number, float) else np.nan for number in numbers]
    return [label or text for label, text in zip(ranges.label(known).tolist(), texts, strict=True)]


def _rates(counts: NDArray[np.int64], at: int) -> tuple[float, float, int]:
    """Precision, recall and rows of a label, from the rows of each true label that get each label."""
    right, given, true = counts[at, at], counts[:, at].sum(), int(counts[at].sum())
    return (
        float(right / given) if given else np.nan,
        float(right / true) if true else np.nan,
        true,
    )


def _reader(labels: Sequence[Label]) -> Callable[[Any], Any]:
    """Make labels comparable with text: ``1.0`` or ``true`` for the labels 1 or True."""
    if all(isinstance(label, bool) for label in labels):
        return lambda value: str(value).strip().lower()
    if all(isinstance(label, int | float) for label in labels):
        return _as_number
    return lambda value: str(value).strip()


def _as_number(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value).strip()
