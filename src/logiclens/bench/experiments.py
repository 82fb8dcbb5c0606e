"""Experiments as folds: all that a method may see of each, and what it is scored on (Sec. 6.1).

    mimic2     MIMIC-II, imputed, scaled and binned once over all rows, as the paper does; ten folds
    mimic2-ebb the same rows, labeled by a black box that is trained in the fold; scored on the true labels
    vdem       V-Dem, the mid-level indices; five folds
    mnist      concept scores of ten digits to even and odd; ten folds
    mnist-iclu twelve scores, no labels: ten seeds over all rows, matched with even and odd afterwards
    cub        concept scores of birds to 200 species; five folds, pictures the network never saw told apart

``mimic2-infold`` has the folds of ``mimic2``, but means and bins come from the training rows alone. Folds are
stratified and shuffled with the experiment's seed, of which 0 is the paper's.

A :class:`TableExperiment` is an experiment on any table with a target, and to the methods what one of the
paper is: it has folds. Its rows are drawn into folds class by class, and everything that is learned of a
table, cut points included, is learned from the training rows of each fold.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logiclens.bench._data_files import Folder
from logiclens.bench.datasets import Dataset, load_cub, load_mimic2, load_mnist, load_vdem, read_only
from logiclens.concepts import table as raw
from logiclens.errors import FileError, InputError, MissingFileError, count, listing, shown
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import as_shares, check_names, check_one_name_each

Split: TypeAlias = tuple[IndexArray, IndexArray]
"""Positions of the training rows and of the test rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Fold:
    """One fold: what a method learns from, and what it is scored on. The arrays are read-only.

    Parameters
    ----------
    number : int
        From 0; of an experiment without labels, which of its seeds.
    concept_names, class_names : tuple of str
    x_train, x_test : ndarray of float, shape (n_train, n_concepts) and (n_test, n_concepts)
        Degrees in [0, 1]; a concept is true above 0.5.
    y_train : ndarray of int, shape (n_train,)
        Class of each row, by position, that a method learns. Where there is nothing to learn from, it only
        serves to match clusters with classes once they are made.
    y_test : ndarray of int, shape (n_test,)
        The true class of each row.
    parts : mapping of str to ndarray of bool, shape (n_test,)
        Test rows that are scored once more by themselves.
    also : mapping of str to ndarray of int, shape (n_test,)
        Other answers to agree with: those of a black box.
    confidence : ndarray of shape (n_train,), optional
        How probable it is that ``y_train`` is right, where whoever gave it says so, as a black box does.
    columns_train, columns_test : mapping of str to ndarray, shape (n_train,) and (n_test,)
        The columns of the raw table, where there is one, for methods that make conditions of their own.

    Examples
    --------
    >>> x, y = np.array([[0.9], [0.1]]), np.array([1, 0])
    >>> Fold(0, ("wings",), ("fish", "bird"), x, y, x, y)
    Fold(0: 2 training rows, 2 test rows, 1 concept, 2 classes)
    """

    number: int
    concept_names: tuple[str, ...]
    class_names: tuple[str, ...]
    x_train: FloatArray
    y_train: IndexArray
    x_test: FloatArray
    y_test: IndexArray
    parts: Mapping[str, BoolArray] = field(default_factory=dict)
    also: Mapping[str, IndexArray] = field(default_factory=dict)
    confidence: FloatArray | None = None
    columns_train: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    columns_test: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_names(self.concept_names)
        check_names(self.class_names)
        for name in ("train", "test"):
            x, y = getattr(self, f"x_{name}"), getattr(self, f"y_{name}")
            if x.ndim != 2 or y.shape != x.shape[:1] or not len(y):
                raise InputError(
                    f"x_{name} must have shape (rows, concepts) and y_{name} one class a row. "
                    f"Got shapes {x.shape} and {y.shape}."
                )
            check_one_name_each(self.concept_names, x.shape[1])
            for array, at in ((x, f"x_{name}"), (y, f"y_{name}")):
                object.__setattr__(self, at, read_only(array))
        if self.confidence is not None:
            sure = as_shares(self.confidence, "confidence", len(self.y_train))
            object.__setattr__(self, "confidence", read_only(sure))
        for name, values in (*self.parts.items(), *self.also.items()):
            if values.shape != self.y_test.shape:
                raise InputError(
                    f"{name!r} must have one value for each of the {len(self.y_test)} test rows. "
                    f"Got shape {values.shape}."
                )

    def __repr__(self) -> str:
        return (
            f"Fold({self.number}: {len(self.y_train)} training rows, {len(self.y_test)} test rows, "
            f"{count(len(self.concept_names), 'concept')}, {len(self.class_names)} "
            f"{'class' if len(self.class_names) == 1 else 'classes'})"
        )


class HasFolds(Protocol):
    """What :func:`run` needs to know of an experiment."""

    @property
    def name(self) -> str:
        """Name in rows of results."""
        ...

    @property
    def title(self) -> str:
        """Name in tables."""
        ...

    @property
    def n_folds(self) -> int:
        """Number of folds or, without labels, of seeds."""
        ...

    @property
    def seed(self) -> int:
        """Draws the folds."""
        ...

    @property
    def supervised(self) -> bool:
        """True if there are labels to learn from."""
        ...

    @property
    def tree_depth(self) -> int:
        """Greatest depth of a decision tree."""
        ...

    def folds(self, data_dir: Folder = None, which: Sequence[int] | None = None) -> list[Fold]:
        """Make the folds; by default all that are asked for."""
        ...


Maker: TypeAlias = Callable[["Experiment", Folder, Sequence[int]], list[Fold]]
"""Makes the folds of those numbers from the files in a folder."""


@dataclass(frozen=True)
class Experiment:
    """An experiment: its folds, and how they are made.

    Parameters
    ----------
    name : str
        As the command line spells it.
    title : str
        As tables show it.
    n_folds : int
        Into how many folds the rows are split; of an experiment without labels, the number of seeds.
    make : callable
        ``make(experiment, data_dir, which)`` gives the folds of those numbers, in that order.
    seed : int, default 0
        Of the shuffle before the split; 0 is the paper's.
    supervised : bool, default True
        Whether there are labels to learn from. Without, only methods that make clusters apply.
    tree_depth : int, default 5
        How deep a decision tree may grow.
    first : int, optional
        Take only this many folds, from the first; all when missing.

    Examples
    --------
    >>> from dataclasses import replace
    >>> few = replace(EXPERIMENTS["mimic2"], seed=3, first=2)
    >>> few.numbers
    (0, 1)
    """

    name: str
    title: str
    n_folds: int
    make: Maker = field(repr=False)
    seed: int = 0
    supervised: bool = True
    tree_depth: int = 5
    first: int | None = None

    def __post_init__(self) -> None:
        if self.first is not None and not 1 <= self.first <= self.n_folds:
            raise InputError(
                f"{self.title} has {self.n_folds} folds. Got {shown(self.first)} of them; "
                f"ask for 1 to {self.n_folds}."
            )

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the folds that are asked for."""
        return tuple(range(self.first or self.n_folds))

    def folds(self, data_dir: Folder = None, which: Sequence[int] | None = None) -> list[Fold]:
        """Load the data and split them.

        Parameters
        ----------
        data_dir : path, optional
            Folder with the data; the one that ``LOGICLENS_DATA`` names when missing.
        which : sequence of int, optional
            Numbers of the folds to make; :attr:`numbers` when missing.

        Raises
        ------
        InputError
            A file is missing (the message says where it comes from), or there is no such fold.
        """
        chosen = self.numbers if which is None else tuple(which)
        wrong = [number for number in chosen if number not in range(self.n_folds)]
        if wrong:
            raise InputError(
                f"{self.title} has the folds 0 to {self.n_folds - 1}. Got {listing(wrong)}; leave them out."
            )
        return self.make(self, data_dir, chosen)


def split_rows(labels: IndexArray, n_folds: int, seed: int) -> list[Split]:
    """Training rows and test rows of each fold, stratified by class and shuffled.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
    n_folds, seed : int

    Examples
    --------
    >>> [test.tolist() for _, test in split_rows(np.array([0, 1, 0, 1]), 2, seed=0)]
    [[1, 2], [0, 3]]
    """
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels))


def split_common_rows(labels: IndexArray, n_folds: int, seed: int, *, fewest: int) -> list[Split]:
    """Split like :func:`split_rows`, but keep all rows of rare classes for training in every fold.

    Examples
    --------
    >>> [test.tolist() for _, test in split_common_rows(np.array([0, 1, 0, 1, 2]), 2, seed=0, fewest=2)]
    [[1, 2], [0, 3]]
    """
    rare = np.bincount(labels)[labels] < fewest
    common, always = np.flatnonzero(~rare), np.flatnonzero(rare)
    if not len(common):
        return []
    with warnings.catch_warnings():  # that rare classes are not in every fold
        warnings.simplefilter("ignore", UserWarning)
        found = split_rows(labels[common], n_folds, seed)
    return [(np.union1d(common[train], always).astype(np.intp), common[test]) for train, test in found]


def class_index(data: Dataset) -> IndexArray:
    """Class of each row by its position among the targets, shape (n,)."""
    place = {name: at for at, name in enumerate(data.target_names)}
    found, codes = np.unique(data.labels, return_inverse=True)
    return np.array([place[name] for name in found.tolist()], dtype=np.intp)[codes]


def _dataset_fold(number: int, data: Dataset, rows: Split) -> Fold:
    (train, test), x, y = rows, np.asarray(data.concepts, dtype=np.float64), class_index(data)
    return Fold(number, data.concept_names, data.target_names, x[train], y[train], x[test], y[test])


def _table_folds(
    experiment: Experiment, data_dir: Folder, which: Sequence[int], load: Callable[[Folder], Dataset]
) -> list[Fold]:
    """Folds of a table that is made into concepts once."""
    data = load(data_dir)
    splits = split_rows(class_index(data), experiment.n_folds, experiment.seed)
    return [_dataset_fold(number, data, splits[number]) for number in which]


def _in_fold(experiment: Experiment, data_dir: Folder, which: Sequence[int]) -> list[Fold]:
    """Folds of MIMIC-II, means and bins from the training rows of each."""
    labels = class_index(load_mimic2(data_dir))
    splits = split_rows(labels, experiment.n_folds, experiment.seed)
    return [_dataset_fold(n, load_mimic2(data_dir, learn_from=splits[n][0]), splits[n]) for n in which]


def _black_box(experiment: Experiment, data_dir: Folder, which: Sequence[int]) -> list[Fold]:
    """Folds of MIMIC-II whose training labels are the answers of a network with one hidden layer."""
    return [_black_box_labels(fold) for fold in _table_folds(experiment, data_dir, which, load_mimic2)]


def _black_box_labels(fold: Fold) -> Fold:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    box = MLPClassifier((50,), early_stopping=True, max_iter=500, random_state=fold.number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        box.fit(fold.x_train, fold.y_train)
    return replace(
        fold,
        y_train=box.predict(fold.x_train),
        also={"black box": box.predict(fold.x_test)},
        confidence=box.predict_proba(fold.x_train).max(axis=1),
    )


def _birds(experiment: Experiment, data_dir: Folder, which: Sequence[int]) -> list[Fold]:
    """Folds of CUB; test pictures that the network was not trained on are a part of their own."""
    data = load_cub(data_dir)
    splits = split_rows(class_index(data), experiment.n_folds, experiment.seed)
    unseen = np.zeros(len(data.labels), dtype=np.bool_)
    unseen[data.split_test] = True
    folds = [_dataset_fold(number, data, splits[number]) for number in which]
    return [replace(fold, parts={"unseen pictures": unseen[splits[fold.number][1]]}) for fold in folds]


def _seeds(_: Experiment, data_dir: Folder, which: Sequence[int]) -> list[Fold]:
    """All rows of MNIST, with even and odd among the concepts, once for each seed."""
    data = load_mnist(data_dir, parity=True)
    every = np.arange(len(data.labels))
    whole = _dataset_fold(0, data, (every, every))
    return [replace(whole, number=number) for number in which]


EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        each.name: each
        for each in (
            Experiment("mimic2", "MIMIC-II", 10, partial(_table_folds, load=load_mimic2)),
            Experiment("mimic2-ebb", "MIMIC-II (EBB)", 10, _black_box),
            Experiment("vdem", "V-Dem", 5, partial(_table_folds, load=load_vdem)),
            Experiment("mnist", "MNIST E/O", 10, partial(_table_folds, load=load_mnist)),
            Experiment("mnist-iclu", "MNIST (ICLU)", 10, _seeds, supervised=False),
            Experiment("cub", "CUB", 5, _birds, tree_depth=30),
            Experiment("mimic2-infold", "MIMIC-II (in fold)", 10, _in_fold),
        )
    }
)
"""The paper's six experiments by name, and the variant with preprocessing inside the folds."""


@dataclass(frozen=True, eq=False, repr=False)
class TableExperiment:
    """An experiment on a raw table: folds of its rows, each encoded by its own training rows.

    Parameters
    ----------
    name : str
        What rows of results call it.
    table : data frame, mapping or array, n rows
        Whatever :class:`~logiclens.concepts.Table` reads; columns of numbers, text or Booleans.
    labels : array of shape (n,)
        The class of each row. A class of one row is learned in every fold and scored in none.
    n_folds : int, default 10
    seed : int, default 0
        Draws the folds.
    tree_depth : int, default 5
        Most questions in a row that a decision tree may ask.

    Raises
    ------
    InputError
        Fewer than two classes, another number of labels than rows, or too few rows for the folds.

    Examples
    --------
    >>> people = {"age": [25, 38, 47, 63, 70, 51, 33, 66], "smoker": [True, False] * 4}
    >>> seniors = TableExperiment("seniors", people, ["no", "no", "no", "yes"] * 2, n_folds=2)
    >>> fold = seniors.folds()[0]
    >>> fold.class_names, fold.x_train.shape[0], fold.x_test.shape[0]
    (('no', 'yes'), 4, 4)
    """

    name: str
    table: Any
    labels: ArrayLike
    n_folds: int = 10
    seed: int = 0
    tree_depth: int = 5
    supervised: ClassVar[bool] = True

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels, dtype=object)
        n_rows = raw.Table(self.table).n_rows
        if labels.shape != (n_rows,):
            raise InputError(
                f"labels must have shape ({n_rows},), one for each row. Got shape {labels.shape}."
            )
        object.__setattr__(self, "labels", labels)
        _, _, sizes = self._classes
        if len(sizes) < 2:
            raise InputError(f"There must be two classes or more. Got {len(sizes)}: pass other labels.")
        if isinstance(self.n_folds, bool) or not isinstance(self.n_folds, int) or self.n_folds < 2:
            raise InputError(f"n_folds must be a whole number from 2 on. Got {shown(self.n_folds)}.")
        if sizes.max() < self.n_folds:
            raise InputError(
                f"The largest class has {count(int(sizes.max()), 'row')}, too few for {self.n_folds} folds. "
                "Ask for fewer folds."
            )

    def __repr__(self) -> str:
        sizes = f"{count(len(np.asarray(self.labels)), 'row')}, {self.n_folds} folds"
        return f"TableExperiment({self.name!r}: {sizes})"

    @property
    def title(self) -> str:
        """Name in tables: its name."""
        return self.name

    def folds(self, data_dir: Folder = None, which: Sequence[int] | None = None) -> list[Fold]:
        """Folds of the rows.

        Parameters
        ----------
        data_dir : optional
            Of no use here: the table is there.
        which : sequence of int, optional
            Numbers of the folds that are wanted, counted from 0; all when missing.

        Returns
        -------
        list of Fold
            Concepts differ from fold to fold, as cut points do.

        Raises
        ------
        InputError
            A column about which a person has to decide, such as dates, or a fold of whose training rows no
            concept can be made.
        """
        del data_dir
        table = raw.Table(self.table)
        names, y, _ = self._classes
        wanted = range(self.n_folds) if which is None else which
        # The only row of a class is always one to learn from.
        parts = split_common_rows(y, self.n_folds, self.seed, fewest=2)
        return [_encoded_fold(number, table, names, y, parts[number]) for number in wanted]

    @cached_property
    def _classes(self) -> tuple[tuple[str, ...], IndexArray, NDArray[np.intp]]:
        """Names of the classes in the order of the alphabet, the class of each row, and sizes."""
        texts = np.array([str(label) for label in np.asarray(self.labels, dtype=object).tolist()])
        found, y, sizes = np.unique(texts, return_inverse=True, return_counts=True)
        return tuple(found.tolist()), y, sizes


def _encoded_fold(
    number: int, table: raw.Table, class_names: tuple[str, ...], y: IndexArray, rows: Split
) -> Fold:
    from logiclens.concepts.encoder import ConceptEncoder

    (train, test), (training, tested) = rows, map(table.take, rows)
    encoder = ConceptEncoder().fit(training, y[train])
    return Fold(
        number=number,
        concept_names=tuple(encoder.get_feature_names_out().tolist()),
        class_names=class_names,
        x_train=encoder.transform(training).astype(np.float64),
        y_train=y[train],
        x_test=encoder.transform(tested).astype(np.float64),
        y_test=y[test],
        columns_train=_columns(training),
        columns_test=_columns(tested),
    )


def _columns(table: raw.Table) -> dict[str, NDArray[Any]]:
    """Every column as an array that survives pickling and reads back as the same column."""
    found = {}
    for name in table.names:
        column = table.column(name)
        whole = column.is_numeric and not column.missing.any()
        found[name] = column.raw if whole else column.values()
    return found


KINDS = (".csv", ".tsv", ".parquet", ".pq")
"""Endings of files with tables."""
PACKED = (".gz", ".bz2", ".zst")
"""Endings that may follow, where a file is compressed."""


def table_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Tables of a folder, in the order of the alphabet.

    Parameters
    ----------
    folder : str or path
        Files in it that are called ``.csv``, ``.tsv``, ``.parquet`` or ``.pq``, or so and compressed; folders
        in it are not looked into.

    Raises
    ------
    InputError
        There is no such folder, or no table in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("zoo.csv.gz", "birds.parquet", "notes.txt"):
    ...         _ = Path(folder, name).write_text("")
    ...     [file.name for file in table_files(folder)]
    ['birds.parquet', 'zoo.csv.gz']
    """
    if not isinstance(folder, str | os.PathLike):
        raise InputError(f"The folder must be a path. Got {shown(folder)}; write 'tables'.")
    place, named = Path(folder), os.fspath(folder)
    if place.is_file():
        raise InputError(f"{named!r} is a file. Name the folder that it is in.")
    if not place.is_dir():
        raise MissingFileError(f"There is no folder {named!r}. Check its name.", named)
    try:
        files = sorted(path for path in place.iterdir() if path.is_file() and _is_table(path.name))
    except OSError as error:
        raise FileError(f"The folder {named!r} cannot be read: {error.strerror}.", named) from None
    if not files:
        raise InputError(
            f"The folder {named!r} has no tables. Put files into it that end in {', '.join(KINDS)}; "
            "they may be compressed."
        )
    return files


def _is_table(name: str) -> bool:
    stem, end = os.path.splitext(name.lower())
    if end in PACKED:
        stem, end = os.path.splitext(stem)
    return end in KINDS and not stem.startswith(".")
