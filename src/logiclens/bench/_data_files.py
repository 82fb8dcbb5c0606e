"""Where the data files lie, and how they are read.

None of the data belong to the package. A folder that holds them is named by the argument ``data_dir`` or,
without it, by the environment variable ``LOGICLENS_DATA``. Files are only read: nothing is downloaded,
nothing is written. Tables are CSV, read with the standard library; a file may be compressed with gzip or
not.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, listing, shown
from logiclens.logic.arrays import FloatArray

DATA_VARIABLE = "LOGICLENS_DATA"
"""The environment variable that names the folder with the data."""

Folder: TypeAlias = str | os.PathLike[str] | None
"""A folder with the data; None for the one that the environment variable names."""

MISSING = frozenset({"", "?"})
"""Cells, blanks aside, whose value is missing."""

DAMAGED = "cannot be read: it is damaged, or not what its name says"
UNREADABLE = (OSError, EOFError, zlib.error, BadZipFile, ValueError, TypeError, RuntimeError)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file, by its place in the data folder, and where it comes from.

    Parameters
    ----------
    file : str
        Path below the data folder, with ``/``.
    origin : str
        Who publishes it, under which name.
    advice : str
        How to get it, as a clause: ``"download it from ..."``.
    """

    file: str
    origin: str
    advice: str

    def error(self, what: str) -> DataFileError:
        """An error that says what is wrong with the file and where to get it."""
        return DataFileError(self, what)


class DataFileError(InputError):
    """A data file that is missing or damaged.

    Parameters
    ----------
    source : DataFile
    what : str, default ""
        What is wrong with the file, as a clause; empty where no folder was found to look in.
    folder : str, optional
        The folder that does not exist; None where none is named.
    by_argument : bool, default False
        Whether an argument names the folder, and not the environment variable.

    Examples
    --------
    >>> error = DataFileError(DataFile("toy.csv", "Toys 1.0", "make it"), folder="gone", by_argument=True)
    >>> error.text("--data-dir").partition(",")[0]
    "The data folder 'gone' (--data-dir) does not exist"
    """

    def __init__(
        self, source: DataFile, what: str = "", folder: str | None = None, by_argument: bool = False
    ) -> None:
        self.source, self.what, self.folder, self.by_argument = source, what, folder, by_argument
        super().__init__(self.text())

    def text(self, argument: str = "data_dir=") -> str:
        """The message, naming the argument or option that sets the data folder."""
        file, part = self.source.file, f"part of {self.source.origin}: {self.source.advice}"
        remedy = f"or name another folder with {argument} or {DATA_VARIABLE}"
        if self.what:
            return f"The file {file!r} {self.what}. It is {part}, {remedy}."
        if self.folder is None:
            return (
                f"No data folder is named, and {file!r} is needed. Pass {argument} or set {DATA_VARIABLE}; "
                f"the file is {part}."
            )
        by = argument.removesuffix("=") if self.by_argument else DATA_VARIABLE
        return (
            f"The data folder {self.folder!r} ({by}) does not exist, and {file!r} is needed. "
            f"The file is {part}, {remedy}."
        )

    def __reduce__(self) -> tuple[type[DataFileError], tuple[DataFile, str, str | None, bool]]:
        return DataFileError, (self.source, self.what, self.folder, self.by_argument)


_CUB = "CUB-200-2011 of Caltech"
_CUB_PLACE = "https://www.vision.caltech.edu/datasets/cub_200_2011/"
CUB_SCORES = DataFile(
    "cub/cub_concepts.npz", _CUB, f"make it with a network trained on the pictures of {_CUB_PLACE}"
)
CUB_ATTRIBUTES = DataFile("cub/attributes.txt.gz", _CUB, f"download it from {_CUB_PLACE}")
CUB_CLASSES = DataFile("cub/classes.txt.gz", _CUB, f"download it from {_CUB_PLACE}")
CUB_IMAGES = DataFile("cub/images.txt.gz", _CUB, f"download it from {_CUB_PLACE}")
CUB_ARCHIVE = DataFile(
    "cub/images112.zip", _CUB, f"make it of the pictures of {_CUB_PLACE}, 112 pixels a side"
)
_MNIST = "the MNIST database of handwritten digits"
_MNIST_PLACE = "download it from https://ossci-datasets.s3.amazonaws.com/mnist/"
MNIST_FILES = tuple(
    tuple(
        DataFile(f"mnist/{part}-{kind}-ubyte.gz", _MNIST, _MNIST_PLACE)
        for kind in ("images-idx3", "labels-idx1")
    )
    for part in ("train", "t10k")
)
"""Pictures and labels, to learn from and to test."""
MNIST_SCORES = DataFile(
    "mnist/mnist_concepts.npz", _MNIST, "make it with a network trained on a part of the pictures"
)


@dataclass(frozen=True, eq=False)
class CsvTable:
    """Cells of a CSV file, as text without blanks around it.

    Parameters
    ----------
    source : DataFile
        The file.
    columns : mapping of str to tuple of str
        The cells of each column, all of the same length.
    """

    source: DataFile
    columns: Mapping[str, tuple[str, ...]]

    def cells(self, name: str) -> tuple[str, ...]:
        """Cells of the column with that name."""
        if name not in self.columns:
            raise self.source.error(f"has no column {name!r}")
        return self.columns[name]

    def numbers(self, name: str) -> FloatArray:
        """Numbers of the column with that name, shape (n_rows,); NaN where one is missing."""
        cells = self.cells(name)
        meaning = {cell: np.nan if cell in MISSING else as_number(cell) for cell in set(cells)}
        if None in meaning.values():
            row = next(row for row, cell in enumerate(cells) if meaning[cell] is None)
            raise self.source.error(
                f"has {shown(cells[row])} where a number belongs (column {name!r}, row {row}, counted from 0)"
            )
        return np.array([meaning[cell] for cell in cells], dtype=np.float64)

    def matrix(self, names: Sequence[str]) -> FloatArray:
        """Numbers of several columns, shape (n_rows, n_names); NaN where one is missing."""
        return np.stack([self.numbers(name) for name in names], axis=1)


def as_number(cell: str) -> float | None:
    """The finite number in a cell, or None if there is none."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if np.isfinite(value) and "_" not in cell else None  # Python reads 1_0 as 10


def find_file(source: DataFile, data_dir: Folder = None) -> Path:
    """Path of a file in the data folder, compressed or not.

    Parameters
    ----------
    source : DataFile
        The file.
    data_dir : path, optional
        The data folder; the one that ``LOGICLENS_DATA`` names when missing.

    Raises
    ------
    InputError
        When no folder is named, or it does not exist, or the file is not in it.
    """
    chosen = os.environ.get(DATA_VARIABLE) if data_dir is None else data_dir
    if not chosen:
        raise DataFileError(source)
    if not isinstance(chosen, str | os.PathLike):
        raise InputError(f"data_dir must be a path. Got {shown(chosen)}; write data_dir='folder'.")
    folder = Path(chosen)
    if not folder.is_dir():
        raise DataFileError(source, folder=str(folder), by_argument=data_dir is not None)
    for file in (source.file, source.file.removesuffix(".gz")):
        if (folder / file).is_file():
            return folder / file
    raise source.error(f"is not in the data folder {str(folder)!r}")


def read_table(source: DataFile, data_dir: Folder = None) -> CsvTable:
    """All cells of a CSV file whose first line names the columns."""
    lines = _lines(source, data_dir)
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines) if row]
    except csv.Error:
        raise source.error(DAMAGED) from None
    if len(rows) < 2:
        raise source.error("has no rows")
    header = rows[0]
    repeated = [name for name, times in Counter(header).items() if times > 1]
    if repeated:
        raise source.error(f"names a column twice: {listing(repeated)}")
    for number, row in enumerate(rows[1:]):
        if len(row) != len(header):
            raise source.error(
                f"has {len(row)} cells in row {number} (counted from 0) where the header has {len(header)}"
            )
    return CsvTable(source, dict(zip(header, zip(*rows[1:], strict=True), strict=True)))


def read_names(source: DataFile, data_dir: Folder = None) -> tuple[str, ...]:
    """Names in a text file of lines such as ``12 name``, in the order of the lines."""
    return tuple(line.split(maxsplit=1)[-1].strip() for line in _lines(source, data_dir) if line.strip())


def read_arrays(source: DataFile, names: Sequence[str], data_dir: Folder = None) -> dict[str, NDArray[Any]]:
    """Some arrays of an ``.npz`` file, by name; arrays of Python objects are refused."""
    path = find_file(source, data_dir)
    try:
        # Opened here, because np.load leaves a damaged archive open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            absent = [name for name in names if name not in stored.files]
            arrays = {name: stored[name] for name in names if name not in absent}
    except UNREADABLE:
        raise source.error(DAMAGED) from None
    if absent:
        raise source.error(f"has no array {listing(absent)}")
    return arrays


def read_bytes(source: DataFile, data_dir: Folder = None) -> bytes:
    """The content of a file, decompressed."""
    path = find_file(source, data_dir)
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except UNREADABLE:
        raise source.error(DAMAGED) from None


def _lines(source: DataFile, data_dir: Folder) -> list[str]:
    try:
        text = read_bytes(source, data_dir).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise source.error(DAMAGED) from None
    # newline="": the csv module decides what ends a line; some of the files end theirs with \r alone.
    return list(io.StringIO(text, newline=""))


def check_positions(source: DataFile, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]) -> None:
    """Refuse an array whose values are not positions from 0 to its size minus 1."""
    for name, size in sizes.items():
        index = arrays[name]
        if index.dtype.kind not in "iu" or ((index < 0) | (index >= size)).any():
            raise source.error(f"has values in {name!r} that are no whole numbers from 0 to {size - 1}")
