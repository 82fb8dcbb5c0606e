"""How often predictions are right, where a column of the file has the truth, counted batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.concepts.table import ValueType
from logiclens.errors import InputError, UnknownColumnError, count
from logiclens.logic.arrays import IndexArray

if TYPE_CHECKING:
    from logiclens.explain import ExplanationSet
    from logiclens.explain.rule import Label
    from logiclens.files._reading import Batch


class Truth:
    """Counts predictions that are right.

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
        self._plain = _reader(rules.labels)
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
        levels = [self._plain(level) for level in coded.dictionary.to_pylist()]
        places = coded.indices.fill_null(len(levels)).to_numpy()
        true = np.array([*(self._labels.get(level, -1) for level in levels), -1])[places]
        said = np.array([self._labels.get(self._plain(label), -2) for label in predictions])
        self.n += int((places < len(levels)).sum())
        self.n_known += int((true >= 0).sum())
        self.n_right += int((true == said[codes]).sum())

    def summary(self) -> str:
        """What was found, in one line."""
        if not self.n_known:
            return f"Column {self.column!r} has no value that is a class of the rules: nothing is compared."
        share = f"{self.n_right / self.n:.1%}"
        return (
            f"Of {count(self.n, 'row')} with a value of {self.column!r}, the rules are right about {share}."
        )


def _reader(labels: Sequence[Label]) -> Callable[[Any], Any]:
    """What makes labels and values comparable: text says ``1.0`` or ``true`` where a label is 1 or True."""
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
