"""The encoder: a scikit-learn transformer from raw tables to concepts, and the rule for when one is needed.

What becomes of a column is decided in :mod:`logiclens.concepts._columns`, where numbers are cut in
:mod:`logiclens.concepts._cuts`. What is learned is a :class:`~logiclens.concepts.Vocabulary`, a value that
needs neither the training data nor scikit-learn.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts._columns import (
    ALL_COLUMNS,
    CONSTANT,
    ColumnSettings,
    Evidence,
    Reading,
    class_codes,
    read_column,
    read_targets,
)
from logiclens.concepts._cuts import MIN_SHARE
from logiclens.concepts.concept import OneOf, Value
from logiclens.concepts.dates import DatePart, first_of_year, is_date
from logiclens.concepts.table import Column, Table, check_tells_apart, why_no_concept
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.constants import MAX_CUTS
from logiclens.errors import InputError, Reason, count, listing, shown
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import as_float, as_weights, check_count, check_name

_log = logging.getLogger("logiclens")

_CUTS = ("auto", "quantile", "uniform", "supervised", "reference")
_ADVICE = {
    "numbers": "Column %r has numbers written as text. Convert it with pd.to_numeric, without any commas.",
    "dates": "Column %r has dates written as text. Write them as 2024-01-31 to use their parts.",
}


class ConceptEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a raw table into concepts that read naturally: ``age > 62``, ``color = red``, ``age is missing``.

    Booleans and columns of 0 and 1 stay as they are. Numbers are compared with cut points, text and
    categories with their common values. Columns that say nothing (constants, identifiers) are dropped; those
    about which a person has to decide (dates, free text, nested values) are refused. The paper asks for such
    concepts in Sec. 3.1.

    Parameters
    ----------
    cuts : {"auto", "quantile", "uniform", "supervised", "reference"} or mapping, default "auto"
        How numbers are cut: into parts of equal weight (``"auto"`` and ``"quantile"``) or equal width, where
        the classes of ``y`` differ most, or at the limits of a reference group. Quantiles do not look at
        ``y``: no column is lost that matters only together with another, and figures on rows held out stay
        honest. A mapping takes columns to cut points of your own; the others are cut by quantiles.
    max_cuts : int, default 16
        The most cut points of a column.
    intervals : bool, default False
        Make intervals that exclude each other (``30 < age <= 62``) instead of thresholds that imply each
        other (``age > 30``).
    missing : {"concept", "impute"}, default "concept"
        What a missing value means. ``"concept"``: a concept of its own where there were any when fitting, and
        all others of the column are false; they are also where a value is missing later, in a column that had
        none missing. ``"impute"``: the same as the median or the most common value.
    max_categories : int, default 12
        The most values of a column that get a concept; of the others, and of new ones, none is true.
    min_share : float, default 0.01
        The least share of the rows that have a value, or lie on one side of a cut point. Where cut points are
        supervised, a rarer value has a concept, too, if it tells the classes apart.
    reference : label, optional
        The class in ``y`` that is the reference group, for ``cuts="reference"``: its 5th and 95th percentiles
        are the cut points.
    types : mapping of str to str or sequence, default None
        What columns are, where a look at their values would say something else. ``"category"``: numbers are
        names of categories, as codes are, and each common one gets a concept (``region = 3``). ``"number"``:
        cut points, also where numbers look like an identifier or a code. A sequence of values, the lowest
        first: an order, of which each value means "this or a higher one" (``size in {mid, high}``).
        ``"date"``: dates, or texts such as 2024-01-31 10:30, become year, month, weekday and days since the
        first day of their earliest year (``admitted year > 2020``); ``"date since 2024-01-01"`` states
        another day.
    missing_values : sequence of values, or mapping of str to sequence of values, default ()
        Values that mean that there is none, such as -999: of all columns, or by column. The vocabulary keeps
        them, so that they mean the same in new rows, in SQL and in an engine.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The concepts and what they mean.
    dropped_ : dict of str to str
        The columns that have no concepts, and why.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Only where the table carried names.

    Examples
    --------
    >>> people = {"age": [25, 38, 47, 63, 70, 51], "color": ["red", "blue", "red", "green", "red", "blue"]}
    >>> encoder = ConceptEncoder(max_cuts=1).fit(people)
    >>> encoder.get_feature_names_out().tolist()
    ['age > 50', 'color = red', 'color = blue', 'color = green']
    >>> encoder.transform({"age": [51], "color": ["purple"]})
    array([[ True, False, False, False]])
    """

    def __init__(  # noqa: PLR0913 - the settings of an encoder
        self,
        *,
        cuts: str | Mapping[str, Sequence[float]] = "auto",
        max_cuts: int = MAX_CUTS,
        intervals: bool = False,
        missing: str = "concept",
        max_categories: int = 12,
        min_share: float = MIN_SHARE,
        reference: Any = None,
        types: Mapping[str, str | Sequence[Value]] | None = None,
        missing_values: Sequence[Value] | Mapping[str, Sequence[Value]] = (),
    ) -> None:
        self.cuts = cuts
        self.max_cuts = max_cuts
        self.intervals = intervals
        self.missing = missing
        self.max_categories = max_categories
        self.min_share = min_share
        self.reference = reference
        self.types = types
        self.missing_values = missing_values

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Decide on the concepts.

        Parameters
        ----------
        X : data frame, mapping or array of shape (n, n_columns)
            Whatever :class:`~logiclens.concepts.Table` reads. Of a Table itself, which a model passes for
            each part of its rows, nothing is logged: the model calls :func:`log_remarks`, once.
        y : array of shape (n,) or (n, n_outputs), optional
            Labels, of one output or of several, to choose cut points by.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts as two rows, one of weight 0 as none.
        """
        table = Table(X)
        check_tells_apart(table.n_rows, table.names)
        recipe, parts = self.recipe(has_targets=y is not None).of_table(
            table.names, lambda name, gaps: first_of_year(table.column(name), gaps)
        )
        for name in recipe.own_cuts:
            if name in table:
                table.column(name).without(recipe.gaps.get(name, ())).numbers()  # refuses text
        targets = read_targets(y, table.n_rows)
        evidence = Evidence(
            np.ones(table.n_rows)
            if sample_weight is None
            else as_weights(sample_weight, "sample_weight", table.n_rows),
            class_codes(targets),
            self.is_reference(targets),
        )
        table, evidence = _weighty(table, evidence)
        columns = [column for name in table.names for column in _columns_of(table.column(name), parts)]
        readings = [read_column(column, recipe, evidence) for column in columns]
        self.adopt(readings, table.names, named=table.named, parts=parts)
        if not isinstance(X, Table):
            log_remarks(self)
        return self

    def adopt(
        self,
        readings: Sequence[Reading],
        columns: tuple[str, ...],
        *,
        named: bool = True,
        parts: Sequence[DatePart] = (),
    ) -> Self:
        """Take over what became of each column: what :meth:`fit` ends with.

        Parameters
        ----------
        readings : sequence of Reading
            One for each of the columns and, of dates, for each part.
        columns : tuple of str
        named : bool, default True
            Whether the table carried these names.
        parts : sequence of DatePart, default ()
        """
        dates = {part.column for part in parts}
        readings = [each for each in readings if each.concepts or each.column not in dates]
        concepts = tuple(concept for reading in readings for concept in reading.concepts)
        if not concepts:
            raise InputError(
                "No concept can be made of this table: "
                f"{_each(f'{reading.column!r} is dropped ({reading.reason})' for reading in readings)}. "
                "Pass columns whose values differ."
            )
        optional = frozenset(reading.column for reading in readings if reading.missing)
        about = {concept.column for concept in concepts}
        used = tuple(part for part in parts if part.name in about)
        optional |= {part.column for part in used if part.name in optional}
        optional &= about | {*columns}
        values = tuple((each.column, each.values) for each in readings if each.values and each.concepts)
        self.vocabulary_ = Vocabulary(columns, concepts, named, optional, used, values)
        self.dropped_ = {each.column: str(each.reason) for each in readings if not each.concepts}
        self.n_features_in_ = len(columns)
        self._readings = list(readings)
        self.__dict__.pop("feature_names_in_", None)
        if named:
            self.feature_names_in_ = np.array(columns, dtype=object)
        return self

    def transform(self, X: Any) -> BoolArray:
        """Truth of the concepts, shape (n, n_concepts).

        Columns are found by name where both tables carry names, so that their order does not matter and
        columns too many do no harm; else by place. A value that was never seen has no concept that is true.
        """
        check_is_fitted(self)
        table = Table(X)
        by_place = not (table.named and self.vocabulary_.named)
        if by_place and len(table.names) != self.n_features_in_:
            raise InputError(
                f"X has {len(table.names)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input. Pass the same columns in the same order."
            )
        return np.column_stack([*self.vocabulary_.encode(table).values()])

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]:
        """Names of the concepts, shape (n_concepts,).

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns, where the table had none.
        """
        check_is_fitted(self)
        vocabulary = self.vocabulary_
        if input_features is not None:
            if isinstance(input_features, str) or not isinstance(input_features, Iterable):
                raise InputError(f"input_features must be a sequence of names. Got {shown(input_features)}.")
            columns = tuple(map(str, input_features))
            if len(columns) != self.n_features_in_:
                raise InputError(
                    "input_features should have length equal to the number of columns, "
                    f"{self.n_features_in_}. Got {len(columns)}."
                )
            if vocabulary.named and columns != vocabulary.columns:
                raise InputError(
                    "input_features is not equal to feature_names_in_, which the table carried. Leave it out."
                )
            new = dict(zip(vocabulary.columns, columns, strict=True))
            dates = [replace(part, column=new[part.column]) for part in vocabulary.dates]
            new |= {old.name: part.name for old, part in zip(vocabulary.dates, dates, strict=True)}
            concepts = (replace(concept, column=new[concept.column]) for concept in vocabulary.concepts)
            vocabulary = Vocabulary(columns, tuple(concepts), dates=tuple(dates))
        return np.array(vocabulary.names, dtype=object)

    def reasons(self) -> dict[str, Reason]:
        """Return why columns have no concepts, by column, in parts; :attr:`dropped_` has the same as text."""
        check_is_fitted(self)
        return {each.column: each.reason for each in self._readings if each.reason and not each.concepts}

    def describe(self) -> list[dict[str, Any]]:
        """Return what became of each column, for people to read or to make a data frame of.

        Returns
        -------
        list of dict
            For each column its name (``column``), what it holds (``values``), the share of missing values
            (``missing``), the names of its concepts (``concepts``) and a remark (``remark``).

        Examples
        --------
        >>> encoder = ConceptEncoder().fit({"smoker": [True, False], "clinic": ["A", "A"]})
        >>> for row in encoder.describe():
        ...     print(row["column"], row["concepts"] or row["remark"])
        smoker ['smoker']
        clinic dropped: constant
        """
        check_is_fitted(self)
        names = iter(self.vocabulary_.names)
        return [
            {
                "column": reading.column,
                "values": str(reading.kind),
                "missing": reading.missing,
                "concepts": [next(names) for _ in reading.concepts],
                "remark": f"dropped: {reading.reason}" if reading.reason else reading.note,
            }
            for reading in self._readings
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # concepts are Booleans
        return tags

    def recipe(self, *, has_targets: bool) -> ColumnSettings:
        """Return the settings, once it is sure that they make sense.

        Parameters
        ----------
        has_targets : bool
            Whether there is a ``y``.
        """
        cuts = "auto" if isinstance(self.cuts, Mapping) else self.cuts
        if not isinstance(cuts, str) or cuts not in _CUTS:
            raise InputError(
                f"cuts must be one of {listing(_CUTS)}, or a mapping from columns to cut points. "
                f"Got {shown(self.cuts)}."
            )
        if not isinstance(self.missing, str) or self.missing not in ("concept", "impute"):
            raise InputError(f"missing must be 'concept' or 'impute'. Got {shown(self.missing)}.")
        if not isinstance(self.intervals, (bool, np.bool_)):
            raise InputError(f"intervals must be True or False. Got {shown(self.intervals)}.")
        if not 0 <= as_float(self.min_share) < 0.5:
            raise InputError(f"min_share must be a number in [0, 0.5). Got {shown(self.min_share)}.")
        if (self.reference is not None) != (cuts == "reference"):
            raise InputError(
                "cuts='reference' and reference=, the class in y to compare with, belong together. "
                f"Got cuts={shown(self.cuts)} and reference={shown(self.reference)}."
            )
        if cuts in ("supervised", "reference") and not has_targets:
            raise InputError(f"cuts={cuts!r} needs y. Pass it to fit, or use cuts='quantile'.")
        return ColumnSettings(
            cuts="quantile" if cuts == "auto" else cuts,
            own_cuts=_own_cuts(self.cuts) if isinstance(self.cuts, Mapping) else {},
            max_cuts=_at_least_one(self.max_cuts, "max_cuts"),
            max_categories=_at_least_one(self.max_categories, "max_categories"),
            min_share=as_float(self.min_share),
            intervals=bool(self.intervals),
            impute=self.missing == "impute",
            types=_types(self.types),
            gaps=_gaps(self.missing_values),
        )

    def is_reference(self, targets: Sequence[Column]) -> BoolArray | None:
        """Mark the rows of the reference group, (n,), by the columns of ``y``; None without one."""
        if self.reference is None:
            return None
        if len(targets) > 1:
            raise InputError(f"cuts='reference' needs a y of one column. Got {len(targets)} columns.")
        levels = targets[0].levels
        if np.ndim(self.reference) or self.reference not in levels:
            raise InputError(
                f"reference must be a label in y: {listing(levels)}. Got {shown(self.reference)}."
            )
        return np.asarray(targets[0].codes == levels.index(self.reference))


def _columns_of(column: Column, parts: Sequence[DatePart]) -> list[Column]:
    """A column or, where it holds dates, their parts."""
    return [part.of(column) for part in parts if part.column == column.name] or [column]


def log_remarks(encoder: ConceptEncoder | None) -> None:
    """Log what a person should know about the columns: those dropped, and numbers or dates written as text.

    The level is WARNING, and INFO for columns that are constant. None, for no encoder, has nothing to tell.
    """
    for reading in () if encoder is None else encoder._readings:
        level = logging.INFO if reading.reason == CONSTANT else logging.WARNING
        if reading.reason:
            _log.log(level, "Column %r is dropped: %s.", reading.column, reading.reason)
        if reading.as_text:
            _log.log(level, _ADVICE[reading.as_text], reading.column)


def check_encoder_settings(encoder: ConceptEncoder) -> None:
    """Refuse settings that make no sense, whatever the encoder will be fitted on."""
    encoder.recipe(has_targets=True)


def auto_encoder(table: Table) -> ConceptEncoder | None:
    """Return an encoder for a table that needs one; None for a table whose columns are concepts already.

    They are when every value lies in [0, 1] and every column that is not constant has values on both sides of
    one half. A log line says which it was.

    Examples
    --------
    >>> auto_encoder(Table([[0.1, 1.0], [0.9, 0.0]])) is None
    True
    >>> auto_encoder(Table({"age": [62, 30]}))
    ConceptEncoder()
    """
    if not isinstance(table, Table):
        raise InputError(f"auto_encoder looks at a Table. Got {shown(table)}; write Table(data).")
    return encoder_for(map(table.column, table.names))


def encoder_for(columns: Iterable[Column]) -> ConceptEncoder | None:
    """Return an encoder if some column is no concept already; see :func:`auto_encoder`."""
    n_columns = 0
    for column in columns:
        if reason := why_no_concept(column):
            _log.info("The table is encoded: column %r %s.", column.name, reason)
            return ConceptEncoder()
        n_columns += 1
    _log.info("The table is used as it is: %s.", count(n_columns, "concept"))
    return None


def _weighty(table: Table, evidence: Evidence) -> tuple[Table, Evidence]:
    """The rows that weigh something."""
    used = evidence.weights > 0
    if not used.any():
        raise InputError("sample_weight is zero for every row. Give some rows a weight.")
    if used.all():
        return table, evidence
    return table.take(used), evidence.take(used)


def _own_cuts(cuts: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    found = {}
    for name, points in cuts.items():
        if not isinstance(name, str):
            raise InputError(f"cuts must name columns by strings. Got {shown(name)}.")
        numbers = [as_float(point) for point in points] if isinstance(points, Iterable) else []
        if not numbers or isinstance(points, str) or not np.isfinite(numbers).all():
            raise InputError(
                f"The cut points of a column must be a sequence of finite numbers. Got {shown(points)} for "
                f"{shown(name)}; write [30, 62]."
            )
        found[name] = sorted(set(numbers))
    return found


def _types(types: Any) -> dict[str, str | tuple[Value, ...]]:
    if not isinstance(types, Mapping | None):
        raise InputError(
            f"types must map columns to what they are. Got {shown(types)}; write {{'region': 'category'}}."
        )
    found: dict[str, str | tuple[Value, ...]] = {}
    for name, kind in (types or {}).items():
        check_name(name)
        if isinstance(kind, str) and (kind in ("category", "number") or is_date(kind)):
            found[name] = kind
        elif isinstance(kind, list | tuple) and len(set(kind)) == len(kind) > 1:
            found[name] = OneOf(name, tuple(kind)).values
        else:
            raise InputError(
                "The type of a column must be 'category', 'number', 'date', or a list of two values or more, "
                f"each once, the lowest first. Got {shown(kind)} for {shown(name)}."
            )
    return found


def _gaps(values: Any) -> dict[str, tuple[Value, ...]]:
    """Values that mean that there is none, by column; those of all columns under the empty name."""
    by_column = values if isinstance(values, Mapping) else {ALL_COLUMNS: values}
    found = {}
    for name, some in by_column.items():
        if not isinstance(some, list | tuple):
            raise InputError(
                f"missing_values must be a sequence of values, or one for each column. Got {shown(values)}; "
                "write [-999]."
            )
        if some:
            found[name] = OneOf(name or "values", tuple(some)).values
    return found


def _at_least_one(value: Any, name: str) -> int:
    number = check_count(value, name)
    if not number:
        raise InputError(f"{name} must be at least 1. Got {shown(value)}.")
    return number


def _each(phrases: Iterable[str]) -> str:
    """The first few of some phrases."""
    every = [*phrases]
    few = ", ".join(every[:3])
    return few if len(every) <= 3 else f"{few} and so on for {len(every)} columns"
