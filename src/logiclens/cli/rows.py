"""Rows of a file as the rules of a model see them: which columns they need, and what the values are.

What a value is comes from the vocabulary of the rules and not from the rows at hand, so that a row means what
it meant when the rules were made, whatever stands in the rows around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.concept import Concept
from logiclens.concepts.table import Column, Table, ValueType
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownColumnError, UnknownColumnsError, count
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import ConceptData

if TYPE_CHECKING:
    from logiclens.explain import ExplanationSet

_ADVICE = "The rules need it."


class Gaps(NamedTuple):
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
class Needs:
    """What rules need of a table.

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
        truths: dict[str, BoolArray] = {}
        for name, data in columns.items():
            wanted = [concept for concept in self.concepts if self.vocabulary[concept].column == name]
            truths |= _truths(name, data, {concept: self.vocabulary[concept] for concept in wanted})
        return ConceptData(truths)

    @property
    def never_missing(self) -> tuple[str, ...]:
        """Columns of the file that the rules know no gaps in: to them, no value is just another value."""
        if self.vocabulary is None:  # a gap is refused
            return ()
        known = self.vocabulary.optional
        return tuple(place for column, place in self.columns.items() if column not in known)

    def gaps(self, values: Mapping[str, Any], n_rows: int) -> Gaps:
        """Where values are missing in columns that the rules know no gaps in.

        Parameters
        ----------
        values : mapping of str to pyarrow.ChunkedArray or array
            The columns of the file, read as :attr:`types` says.
        n_rows : int
        """
        found = np.zeros(n_rows, dtype=np.int32)
        columns = self.never_missing
        for at, column in reversed([*enumerate(columns)]):
            missing = _missing(column, values[column])
            if missing is not None:
                found[missing] = 2 * at + 1 + (found[missing] > 0)
        return Gaps(columns, found)


def needs(rules: ExplanationSet, names: Sequence[str], *, everything: bool = False) -> Needs:
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
    >>> needs(rules, ["sex", "age"]).types
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
    return Needs(concepts, None, {name: name for name in concepts}, dict.fromkeys(concepts, ValueType.FLAG))


def _found(rules: ExplanationSet, concepts: tuple[str, ...], columns: Mapping[str, str]) -> Needs:
    """The needs of rules with a vocabulary, once it is known where each column is."""
    words = rules.vocabulary
    assert words is not None
    kinds = {place: words.types.get(column, ValueType.TEXT) for column, place in columns.items()}
    return Needs(concepts, words, dict(columns), kinds)


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


def _truths(name: str, data: Any, concepts: Mapping[str, Concept]) -> dict[str, BoolArray]:
    """Truth of concepts on a column; text is looked at once for each distinct value."""
    if isinstance(data, np.ndarray):  # text and numbers, of which a batch may hold but one kind
        column = _column(name, np.append(data, np.array(["", 0], dtype=object)))
        return {concept: condition.truth(column)[:-2] for concept, condition in concepts.items()}
    if str(data.type) != "string":
        column = _column(name, data)
        return {concept: condition.truth(column) for concept, condition in concepts.items()}
    coded = data.combine_chunks().dictionary_encode()
    levels = coded.dictionary.to_pylist()
    column = _column(name, [*levels, None])
    places = coded.indices.fill_null(len(levels)).to_numpy()
    return {concept: condition.truth(column)[places] for concept, condition in concepts.items()}


def _missing(name: str, data: Any) -> BoolArray | None:
    """Rows without a value; None where there is no such row."""
    if isinstance(data, np.ndarray):
        missing = _column(name, np.append(data, np.array(["", 0], dtype=object))).missing[:-2]
    else:
        import pyarrow.compute as pc

        missing = pc.is_null(data, nan_is_null=True).to_numpy()
    return missing if missing.any() else None


def _column(name: str, data: Any) -> Column:
    return Table({name: data}).column(name)
