"""The paper's data (Sec. 6): tables as concepts and targets, and pictures with their concepts.

Loaders read files that you have and the package does not; the error about a missing file says where it
comes from. They never write anything. V-Dem exists in several versions: compare methods on one and the same
file.

Columns become concepts by one fixed recipe, so that figures can be compared with the paper's. A number
becomes three concepts, LOW, NORMAL and HIGH, for three bins of equal width; each category becomes a
concept. This is how the reference implementation makes the 90 concepts of MIMIC-II; the five bins of blood
pressure that the paper mentions (Sec. 6.1) would not give 90. The recipe is separate from any encoder with
settings, so that the tables of the experiments never change.

Pictures are bytes of shape (n, channels, height, width), as
:class:`~logiclens.pipelines.ConceptBottleneckClassifier` takes them. The birds are JPEG files in one archive.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.bench._data_files import (
    CUB_ARCHIVE,
    CUB_ATTRIBUTES,
    CUB_CLASSES,
    CUB_IMAGES,
    CUB_SCORES,
    DAMAGED,
    MISSING,
    MNIST_FILES,
    MNIST_SCORES,
    UNREADABLE,
    DataFile,
    Folder,
    as_number,
    check_positions,
    find_file,
    read_arrays,
    read_bytes,
    read_names,
    read_table,
)
from logiclens.errors import InputError, UnknownConceptError, count, did_you_mean, listing, shown
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import booleanize, check_names, check_one_name_each, missing_values

MIMIC2 = DataFile(
    "mimic2/full_cohort_data.csv.gz",
    "PhysioNet mimic2-iaccd 1.0",
    "download it from https://physionet.org/content/mimic2-iaccd/1.0/",
)
FLAGS = tuple(
    "aline_flg gender_num sepsis_flg chf_flg afib_flg renal_flg liver_flg copd_flg cad_flg stroke_flg "
    "mal_flg resp_flg".split()
)
MEASURED = tuple(
    "abg_count age bmi bun_first chloride_first creatinine_first day_icu_intime_num hgb_first "
    "hour_icu_intime hr_1st icu_los_day iv_day_1 map_1st pco2_first platelet_first po2_first "
    "potassium_first sapsi_first service_num sodium_first sofa_first spo2_1st tco2_first temp_1st "
    "wbc_first weight_first".split()
)
"""In the order of the alphabet, as in the reference implementation."""

VDEM = DataFile(
    "vdem/vdem_core_post2000.csv.gz",
    "V-Dem, country-years after 2000",
    "make it from the country-year tables of https://v-dem.net/data/",
)
MID_LEVEL = tuple(
    "v2x_api v2x_mpi v2x_freexp_altinf v2x_frassoc_thick v2x_suffr v2xel_frefair v2x_elecoff v2xcl_rol "
    "v2x_cspart v2xdl_delib v2x_egal v2xeg_eqprotec v2xeg_eqaccess v2xeg_eqdr".split()
)

_DSPRITES = "the dSprites example of the reference implementation"
_DSPRITES_PLACE = "download it from https://github.com/pietrobarbiero/logic_explained_networks"
_DSPRITES_CONCEPTS = DataFile("dsprites/dsprites_c_train.csv.gz", _DSPRITES, _DSPRITES_PLACE)
_DSPRITES_TARGETS = DataFile("dsprites/dsprites_y_train.csv.gz", _DSPRITES, _DSPRITES_PLACE)
_SHAPES = ("square", "ellipse", "heart")
_SCALES = ("0.5", "0.6", "0.7", "0.8", "0.9", "1.0")
_FACTORS: tuple[tuple[str, ...], ...] = (
    ("color = white",),
    tuple(f"shape = {shape}" for shape in _SHAPES),
    tuple(f"scale = {scale}" for scale in _SCALES),
    tuple(f"orientation = {step}" for step in range(0, 40, 5)),
    tuple(f"x = {step}" for step in range(0, 32, 2)),
    tuple(f"y = {step}" for step in range(0, 32, 2)),
)

ITEMS = tuple(
    "v2cldiscm v2cldiscw v2clrspct v2cltrnslw v2cseeorgs v2csreprss v2eldonate v2elembaut v2elpubfin "
    "v2exbribe v2exremhsp v2exrescon v2juhcind v2juncind v2jupack v2jupoatck v2jureform v2jureview "
    "v2lgfunds v2lgoppart v2lgotovst v2mebias v2mecenefi v2mecenefm v2mecorrpt v2mecrit v2meslfcen "
    "v2peedueq v2pehealth v2pepwrgen v2pepwrses v2pepwrsoc v2psbars v2pscohesv v2psoppaut v2psplats".split()
)
_ITEM_COLUMNS = (*(f"{item}_ord" for item in ITEMS), *MID_LEVEL, "v2x_polyarchy")
"""The ordinal items that fewer than one in six of the rows lack."""

BINS = ("LOW", "NORMAL", "HIGH")
"""Names of the three bins of a number."""

MOST_VALUES = 10
"""Numbers with at most this many distinct values are taken as categories."""

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
PARITY = ("even", "odd")

_UCI = "of the UCI repository, https://archive.ics.uci.edu/"
_TABULAR = {
    "heart_disease_cleveland": f"Heart Disease (Cleveland) {_UCI}",
    "mushroom": f"Mushroom {_UCI}",
    "tic_tac_toe": f"Tic-Tac-Toe Endgame {_UCI}",
    "titanic_2201": "Titanic, the table of 2201 persons by class, age and sex",
    "zoo": f"Zoo {_UCI}",
}
"""Origin of each table."""
Bytes = NDArray[np.uint8]
Decoder = Callable[[bytes], Bytes]
"""Decodes the bytes of a JPEG file into a picture, (height, width, 3)."""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Concepts and targets of an experiment. The arrays are read-only.

    Parameters
    ----------
    name : str
        What the data set is called.
    concepts : array of shape (n_rows, n_concepts)
        Booleans, or numbers in [0, 1].
    concept_names : tuple of str
        One name for each column.
    labels : array of shape (n_rows,) or (n_rows, n_targets)
        The name of each row's target; or 0 and 1, one column for each target.
    target_names : tuple of str
        All targets.
    groups : tuple of tuple of str
        Sets of concepts of which exactly one is true in each row.
    citation : str
        Origin and terms.
    split_test : array of int, optional
        Rows that the network which made the concept scores has not seen.

    Examples
    --------
    >>> table = Dataset("toy", np.array([[True], [False]]), ("a",), np.array(["no", "yes"]), ("no", "yes"))
    >>> table
    Dataset('toy': 2 rows, 1 concept, 2 targets)
    """

    name: str
    concepts: FloatArray | BoolArray
    concept_names: tuple[str, ...]
    labels: NDArray[Any]
    target_names: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    citation: str = ""
    split_test: IndexArray | None = None

    def __post_init__(self) -> None:
        check_names(self.concept_names)
        check_names(self.target_names)
        if self.concepts.ndim != 2:
            raise InputError(f"concepts must have shape (rows, concepts). Got shape {self.concepts.shape}.")
        check_one_name_each(self.concept_names, self.concepts.shape[1])
        truth = booleanize(self.concepts, "The concept array")
        self._check_labels(len(truth))
        for group in self.groups:
            unknown = [name for name in group if name not in self.concept_names]
            if unknown:
                raise UnknownConceptError(unknown[0], self.concept_names)
            columns = [self.concept_names.index(name) for name in group]
            wrong = np.flatnonzero(truth[:, columns].sum(axis=1) != 1)
            if wrong.size:
                raise InputError(
                    f"Exactly one concept of a group must be true; in row {wrong[0]} (counted from 0) this "
                    f"does not hold of {listing(group)}. Check the table {self.name!r}."
                )
        for field in ("concepts", "labels", "split_test"):
            if (array := getattr(self, field)) is not None:
                object.__setattr__(self, field, read_only(array))

    def _check_labels(self, n_rows: int) -> None:
        expected = (n_rows,) if self.labels.ndim == 1 else (n_rows, len(self.target_names))
        if self.labels.shape != expected:
            raise InputError(f"labels must have shape {expected}. Got shape {self.labels.shape}.")
        allowed = self.target_names if self.labels.ndim == 1 else (0, 1)
        unknown = sorted(set(np.unique(self.labels).tolist()).difference(allowed))
        if unknown:
            raise InputError(f"labels must be among {listing(allowed)}. Got {listing(unknown)}.")

    def __repr__(self) -> str:
        n_rows, n_concepts = self.concepts.shape
        sizes = (count(n_rows, "row"), count(n_concepts, "concept"), count(len(self.target_names), "target"))
        return f"Dataset({self.name!r}: {', '.join(sizes)})"


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view of an array that cannot be written to; the caller's own array stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


def load_mimic2(data_dir: Folder = None, *, learn_from: IndexArray | None = None) -> Dataset:
    """Load the MIMIC-II table: patients with an arterial line or without, and whether they died.

    There are 12 flags and 26 numbers, each cut into three bins of equal width: 90 concepts. Missing values
    are replaced by the column's mean over all rows, those of flags too, so that the one patient of unknown
    gender has a number between 0 and 1 there. A patient counts as dead who died in the unit, in the
    hospital, within 28 days or later.

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``mimic2/full_cohort_data.csv.gz``; by default the one that ``LOGICLENS_DATA`` names.
    learn_from : array of int, optional
        Rows whose means and ranges are used for all; all rows when missing, as in the paper.

    Returns
    -------
    Dataset
        Numbers of shape (1776, 90); targets ``recovery`` and ``death``, of which 497 are ``death``.
    """
    table = read_table(MIMIC2, data_dir)
    columns = [impute_mean(table.numbers(name), name, learn_from)[:, None] for name in FLAGS]
    groups = []
    for name in MEASURED:
        names, truth = three_bins(name, impute_mean(table.numbers(name), name, learn_from), learn_from)
        groups.append(names)
        columns.append(truth.astype(np.float64))
    outcome = table.matrix(("day_28_flg", "hosp_exp_flg", "icu_exp_flg", "censor_flg"))
    if np.isnan(outcome).any():
        raise missing_values("The outcome of MIMIC-II", np.isnan(outcome))
    died = (outcome[:, :3] > 0).any(axis=1) | (outcome[:, 3] < 1)
    return Dataset(
        name="mimic2",
        concepts=np.hstack(columns),
        concept_names=(*FLAGS, *(name for group in groups for name in group)),
        labels=np.where(died, "death", "recovery"),
        target_names=("recovery", "death"),
        groups=tuple(groups),
        citation="MIMIC-II arterial-line cohort, PhysioNet mimic2-iaccd 1.0; ODC-By 1.0",
    )


def load_vdem(data_dir: Folder = None) -> Dataset:
    """Load the V-Dem table: countries year by year, and whether they are electoral democracies.

    The concepts are the 14 mid-level indices, each true above 0.5; the target is ``v2x_polyarchy`` above
    0.5. Rows that lack one of them are left out.

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``vdem/vdem_core_post2000.csv.gz``; by default the one that ``LOGICLENS_DATA`` names.

    Returns
    -------
    Dataset
        Booleans of shape (3260, 14); targets ``non-electoral democracy`` and ``electoral democracy``.
    """
    values = _complete_rows(read_table(VDEM, data_dir).matrix((*MID_LEVEL, "v2x_polyarchy")))
    return _democracies("vdem", booleanize(values, "The table of V-Dem"))


def _complete_rows(values: FloatArray) -> FloatArray:
    """Rows of V-Dem without missing values."""
    complete = values[~np.isnan(values).any(axis=1)]
    if not len(complete):
        raise VDEM.error("has no row without missing values")
    return complete


def _democracies(name: str, indices: BoolArray) -> Dataset:
    """The mid-level indices, and electoral democracy, which is the last column."""
    targets = ("non-electoral democracy", "electoral democracy")
    return Dataset(
        name=name,
        concepts=np.ascontiguousarray(indices[:, :-1]),
        concept_names=MID_LEVEL,
        labels=np.array(targets)[indices[:, -1].astype(np.intp)],
        target_names=targets,
        citation="Varieties of Democracy (V-Dem), country-years after 2000, v-dem.net; CC BY-SA 4.0",
    )


def load_vdem_items(data_dir: Folder = None) -> tuple[Dataset, Dataset]:
    """Load the two levels of V-Dem: items to indices, and indices to electoral democracy.

    That is the paper's example of a cascade (Sec. 3.1, Sec. 6). The first level here are the 36 ordinal items
    that nearly all country-years have; each answer is a concept, such as ``v2mecrit = 3``. The indices and
    the target are true above 0.5, as for :func:`load_vdem`. Rows that lack any of them are left out.

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``vdem/vdem_core_post2000.csv.gz``; by default the one that ``LOGICLENS_DATA`` names.

    Returns
    -------
    items, indices : Dataset
        Over the same 2737 rows. The concepts of the first are the answers to the 36 items, its labels 0 and
        1 for each of the 14 indices. The concepts of the second are the indices, its labels
        ``non-electoral democracy`` and ``electoral democracy``.
    """
    complete = _complete_rows(read_table(VDEM, data_dir).matrix(_ITEM_COLUMNS))
    answers, upper = complete[:, : len(ITEMS)], booleanize(complete[:, len(ITEMS) :], "The table of V-Dem")
    groups, truth = [], []
    for item, column in zip(ITEMS, answers.T, strict=True):
        found, codes = np.unique(column, return_inverse=True)
        groups.append(tuple(f"{item} = {answer:g}" for answer in found))
        truth.append(np.eye(len(found), dtype=np.bool_)[codes])
    indices = _democracies("vdem indices", upper)
    items = Dataset(
        name="vdem items",
        concepts=np.hstack(truth),
        concept_names=tuple(name for group in groups for name in group),
        labels=upper[:, :-1].astype(np.int8),
        target_names=MID_LEVEL,
        groups=tuple(groups),
        citation=indices.citation,
    )
    return items, indices


def vdem_country_years(data_dir: Folder = None) -> list[tuple[str, int]]:
    """Country and year of each row of :func:`load_vdem_items`."""
    table = read_table(VDEM, data_dir)
    complete = ~np.isnan(table.matrix(_ITEM_COLUMNS)).any(axis=1)
    names, years = table.cells("country_name"), table.numbers("year")
    return [(names[at], int(years[at])) for at in np.flatnonzero(complete)]


def load_cub(data_dir: Folder = None) -> Dataset:
    """Load the CUB table: concept scores that a network gives to pictures of birds, and their species.

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``cub/cub_concepts.npz``, ``cub/attributes.txt.gz`` and ``cub/classes.txt.gz``; by
        default the one that ``LOGICLENS_DATA`` names.

    Returns
    -------
    Dataset
        Numbers of shape (11788, 108); 200 targets; ``split_test`` holds the 2358 pictures that the network
        was not trained on.
    """
    stored, attributes, targets = _read_cub(("concepts_resnet10", "split_test"), data_dir)
    scores = stored["concepts_resnet10"]
    check_positions(CUB_SCORES, stored, {"split_test": len(scores)})
    return Dataset(
        name="cub",
        concepts=scores.astype(np.float64),
        concept_names=attributes,
        labels=np.array(targets)[stored["labels"]],
        target_names=targets,
        citation="Caltech-UCSD Birds-200-2011; non-commercial research. Concept scores of a ResNet10",
        split_test=stored["split_test"].astype(np.intp),
    )


def _read_cub(
    names: Sequence[str], data_dir: Folder
) -> tuple[dict[str, NDArray[Any]], tuple[str, ...], tuple[str, ...]]:
    """Stored arrays, labels among them; the attributes that are concepts; the species."""
    stored = read_arrays(CUB_SCORES, ("labels", "attr_index", *names), data_dir)
    attributes, targets = read_names(CUB_ATTRIBUTES, data_dir), read_names(CUB_CLASSES, data_dir)
    check_positions(CUB_SCORES, stored, {"labels": len(targets), "attr_index": len(attributes)})
    return stored, tuple(attributes[at] for at in stored["attr_index"].tolist()), targets


def load_mnist(data_dir: Folder = None, *, parity: bool = False) -> Dataset:
    """Load the MNIST table: concept scores that a network gives to digits, and whether they are even.

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``mnist/mnist_concepts.npz``; by default the one that ``LOGICLENS_DATA`` names.
    parity : bool, default False
        Whether ``even`` and ``odd`` are concepts, too, as in the paper's clustering.

    Returns
    -------
    Dataset
        Numbers of shape (70000, 10), or (70000, 12); targets ``even`` and ``odd``; ``split_test`` holds the
        35000 digits that the network was not trained on.
    """
    field = "concepts_digits_parity" if parity else "concepts_digits"
    stored = read_arrays(MNIST_SCORES, (field, "labels", "split_test"), data_dir)
    check_positions(MNIST_SCORES, stored, {"labels": len(DIGITS), "split_test": len(stored[field])})
    return Dataset(
        name="mnist",
        concepts=stored[field].astype(np.float64),
        concept_names=DIGITS + PARITY if parity else DIGITS,
        labels=np.array(PARITY)[stored["labels"] % 2],
        target_names=PARITY,
        citation="MNIST; CC BY-SA 3.0. Concept scores of a ResNet10",
        split_test=stored["split_test"].astype(np.intp),
    )


def load_dsprites(data_dir: Folder = None) -> Dataset:
    """Load the dSprites table: shape, scale, orientation and place of a figure; targets are shape and scale.

    Scales are written as in dSprites, orientations and places as steps (of 40 and of 32).

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``dsprites/dsprites_c_train.csv.gz`` and ``dsprites/dsprites_y_train.csv.gz``; by
        default the one that ``LOGICLENS_DATA`` names.

    Returns
    -------
    Dataset
        Booleans of shape (5530, 50); labels of shape (5530, 18), 0 or 1.
    """
    names = tuple(name for factor in _FACTORS for name in factor)
    targets = tuple(f"{shape}, scale {scale}" for shape in _SHAPES for scale in _SCALES)
    concepts = _indexed_table(_DSPRITES_CONCEPTS, len(names), data_dir)
    labels = _indexed_table(_DSPRITES_TARGETS, len(targets), data_dir)
    return Dataset(
        name="dsprites",
        concepts=concepts,
        concept_names=names,
        labels=labels.astype(np.int8),
        target_names=targets,
        groups=_FACTORS,
        citation="dSprites concept and label tables of the reference implementation's examples; Apache-2.0",
    )


def _indexed_table(source: DataFile, width: int, data_dir: Folder) -> BoolArray:
    """Truth of a table whose first column is an index, shape (n_rows, width)."""
    table = read_table(source, data_dir)
    if len(table.columns) != width + 1:
        raise source.error(f"has {len(table.columns)} columns where an index and {width} more belong")
    return booleanize(table.matrix([*table.columns][1:]), f"The file {source.file!r}")


def load_tabular(name: str, data_dir: Folder = None) -> Dataset:
    """Load one of the small, well-known tables, made into concepts.

    A column of numbers with more than ten distinct values becomes ``column_LOW``, ``column_NORMAL`` and
    ``column_HIGH``; any other column becomes a concept ``column = value`` for each value. Missing cells are
    the concept ``column missing``. The concepts of a column are a group: exactly one of them is true.

    Parameters
    ----------
    name : str
        ``heart_disease_cleveland``, ``mushroom``, ``tic_tac_toe``, ``titanic_2201`` or ``zoo``.
    data_dir : path, optional
        Folder with ``tabular/<name>.csv.gz``, whose column ``target`` holds the labels; by default the one
        that ``LOGICLENS_DATA`` names.

    Returns
    -------
    Dataset
        Booleans; labels and target names as the file spells them.
    """
    if name not in _TABULAR:
        near = did_you_mean(name, _TABULAR) if isinstance(name, str) else ""
        raise InputError(f"Unknown table {shown(name)}. {near}The known tables are {listing(_TABULAR)}.")
    origin = _TABULAR[name]
    advice = "save it with a header line and the labels in a column 'target'"
    source = DataFile(f"tabular/{name}.csv.gz", origin, advice)
    table = read_table(source, data_dir)
    labels = np.array(table.cells("target"))
    unlabeled = np.isin(labels, sorted(MISSING))
    if unlabeled.any():
        raise missing_values("Column 'target'", unlabeled)
    parts = [encode_column(name, cells) for name, cells in table.columns.items() if name != "target"]
    if not parts:
        raise source.error("has no column but 'target'")
    return Dataset(
        name=name,
        concepts=np.hstack([truth for _, truth in parts]),
        concept_names=tuple(concept for names, _ in parts for concept in names),
        labels=labels,
        target_names=tuple(np.unique(labels).tolist()),
        groups=tuple(names for names, _ in parts),
        citation=f"{origin}; CC BY 4.0",
    )


# Columns as concepts


def impute_mean(values: FloatArray, name: str, learn_from: IndexArray | None = None) -> FloatArray:
    """Values of a column, shape (n_rows,), NaN replaced by the mean of the others.

    With ``learn_from``, positions of rows, the mean is that of those rows alone.

    Examples
    --------
    >>> impute_mean(np.array([1.0, np.nan, 2.0]), "weight")
    array([1. , 1.5, 2. ])
    """
    known = values if learn_from is None else values[learn_from]
    if np.isnan(known).all():
        raise InputError(
            f"Column {name!r} has no value at all, so none can be imputed. Leave the column out."
        )
    return np.where(np.isnan(values), known[~np.isnan(known)].mean(), values)


def equal_width_bins(values: FloatArray) -> IndexArray:
    """Bin 0, 1 or 2 of each finite number, for three bins of equal width between the least and the greatest.

    A value on the edge between two bins belongs to the upper one; the greatest value belongs to the last
    bin. When all values are equal they are in bin 0.

    Parameters
    ----------
    values : array of shape (n_rows,)

    Returns
    -------
    array of shape (n_rows,)

    Examples
    --------
    >>> equal_width_bins(np.array([0.0, 1.0, 2.9, 3.0, 6.0, 9.0]))
    array([0, 0, 0, 1, 2, 2])
    """
    least, greatest = values.min(), values.max()
    if least == greatest:
        return np.zeros(len(values), dtype=np.intp)
    # The same arithmetic as scaling with scikit-learn's MinMaxScaler, so that values on an edge fall alike.
    scale = 1.0 / (greatest - least)
    scaled = values * scale - least * scale
    edges = np.linspace(scaled.min(), scaled.max(), len(BINS) + 1)[1:-1]
    bins: IndexArray = np.searchsorted(edges, scaled, side="right")
    return bins


def three_bins(
    name: str, values: FloatArray, learn_from: IndexArray | None = None
) -> tuple[tuple[str, ...], BoolArray]:
    """Names and truth of the three concepts of a column of finite numbers.

    With ``learn_from``, positions of rows, the range is that of those rows alone; what lies beyond it belongs
    to the nearest bin.

    Examples
    --------
    >>> names, truth = three_bins("age", np.array([20.0, 50.0, 80.0]))
    >>> names
    ('age_LOW', 'age_NORMAL', 'age_HIGH')
    >>> truth.astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    if learn_from is not None:
        values = np.clip(values, values[learn_from].min(), values[learn_from].max())
    return tuple(f"{name}_{bin_}" for bin_ in BINS), np.eye(len(BINS), dtype=np.bool_)[
        equal_width_bins(values)
    ]


def encode_column(name: str, cells: Sequence[str]) -> tuple[tuple[str, ...], BoolArray]:
    """Names and truth of the concepts of a column of text; in each row exactly one of them is true.

    A column of numbers with more than ten distinct values is cut into three bins. Any other column gets a
    concept ``name = value`` for each value, in order. Missing cells have a concept of their own, the last:
    ``name missing``.

    Parameters
    ----------
    name : str
        Name of the column.
    cells : sequence of str, length n_rows

    Returns
    -------
    names : tuple of str
    truth : array of shape (n_rows, n_names)

    Examples
    --------
    >>> names, truth = encode_column("color", ["red", "", "blue"])
    >>> names
    ('color = blue', 'color = red', 'color missing')
    >>> truth.astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """
    missing = np.array([cell in MISSING for cell in cells], dtype=np.bool_)
    present = [cell for cell in cells if cell not in MISSING]
    stated = [as_number(cell) for cell in present]
    numbers = [number for number in stated if number is not None]
    is_numeric = len(numbers) == len(present)
    values: FloatArray | NDArray[np.str_] = np.array(numbers) if is_numeric else np.array(present)
    distinct, codes = np.unique(values, return_inverse=True)
    if is_numeric and len(distinct) > MOST_VALUES:
        names, truth = three_bins(name, np.array(numbers))
    else:
        names = tuple(f"{name} = {_value_text(value)}" for value in distinct.tolist())
        truth = np.eye(len(distinct), dtype=np.bool_)[codes]
    if not missing.any():
        return names, truth
    whole = np.zeros((len(cells), len(names) + 1), dtype=np.bool_)
    whole[~missing, :-1] = truth
    whole[:, -1] = missing
    return (*names, f"{name} missing"), whole


def _value_text(value: float | str) -> str:
    """A value as part of a name; whole numbers without ``.0``, so that 1 and 1.0 are the same."""
    return value if isinstance(value, str) else repr(value + 0.0).removesuffix(".0")  # + 0.0: no -0


@dataclass(frozen=True, eq=False, repr=False)
class Pictures:
    """Pictures with their concepts and classes.

    Attributes
    ----------
    name : str
    pictures : ndarray of uint8, shape (n, channels, height, width)
    concepts : ndarray of bool, shape (n, n_concepts)
        The true concepts.
    concept_names : tuple of str
    labels : ndarray of shape (n,)
        The name of each picture's target.
    target_names : tuple of str
    split_train, split_test : ndarray of int
        Rows that the network behind the stored concept scores was trained on, and those it was not.
    citation : str
        Origin and terms.
    """

    name: str
    pictures: Bytes
    concepts: BoolArray
    concept_names: tuple[str, ...]
    labels: NDArray[Any]
    target_names: tuple[str, ...]
    split_train: IndexArray
    split_test: IndexArray
    citation: str

    def __post_init__(self) -> None:
        check_names(self.concept_names)
        n_rows = len(self.pictures)
        if self.concepts.shape != (n_rows, len(self.concept_names)):
            raise InputError(
                f"concepts must have shape {(n_rows, len(self.concept_names))}. Got {self.concepts.shape}."
            )
        if self.labels.shape != (n_rows,):
            raise InputError(f"labels must have shape {(n_rows,)}. Got {self.labels.shape}.")

    def __repr__(self) -> str:
        size = "x".join(map(str, self.pictures.shape[1:]))
        sizes = (count(len(self.pictures), "picture"), size, count(len(self.concept_names), "concept"))
        return f"Pictures({self.name!r}: {', '.join(sizes)}, {count(len(self.target_names), 'target')})"


def load_mnist_pictures(data_dir: Folder = None) -> Pictures:
    """Load the digits of MNIST, first the 60000 of its training set, then the 10000 of its test set.

    Parameters
    ----------
    data_dir : path, optional
        Folder with the four idx files and ``mnist_concepts.npz`` (for the split) in ``mnist``; by default the
        one that ``LOGICLENS_DATA`` names.

    Returns
    -------
    Pictures
        Bytes of shape (70000, 1, 28, 28); the concepts are the ten digits, the targets ``even`` and ``odd``.
    """
    parts = [[read_idx(source, data_dir) for source in part] for part in MNIST_FILES]
    pictures = np.concatenate([images for images, _ in parts])[:, None]
    digits = np.concatenate([labels for _, labels in parts])
    if len(digits) != len(pictures) or (digits > 9).any():
        raise MNIST_FILES[0][1].error("does not have one digit from 0 to 9 for each picture")
    stored = read_arrays(MNIST_SCORES, ("split_train", "split_test"), data_dir)
    check_positions(MNIST_SCORES, stored, dict.fromkeys(stored, len(pictures)))
    return Pictures(
        name="mnist",
        pictures=pictures,
        concepts=np.eye(10, dtype=np.bool_)[digits],
        concept_names=DIGITS,
        labels=np.array(PARITY)[digits % 2],
        target_names=PARITY,
        split_train=stored["split_train"].astype(np.intp),
        split_test=stored["split_test"].astype(np.intp),
        citation="MNIST; CC BY-SA 3.0",
    )


def load_cub_pictures(
    data_dir: Folder = None,
    *,
    decode: Decoder | None = None,
    rows: Sequence[int] | None = None,
    pictures: Bytes | None = None,
) -> Pictures:
    """Load the birds of CUB with the 108 attributes of their species.

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``images112.zip``, ``images.txt.gz``, ``cub_concepts.npz``, ``attributes.txt.gz`` and
        ``classes.txt.gz`` in ``cub``; by default the one that ``LOGICLENS_DATA`` names.
    decode : callable, optional
        Decodes the bytes of a JPEG file into an array of bytes, (height, width, 3); by default Pillow does.
    rows : sequence of int, optional
        Pictures to decode; the others are left black. All when missing.
    pictures : ndarray of uint8, shape (11788, 3, height, width), optional
        The pictures, where they were decoded before; the archive is not needed then.

    Returns
    -------
    Pictures
        Bytes of shape (11788, 3, 112, 112); 200 targets. An attribute is true of a picture when it is of most
        pictures of its species.
    """
    stored, attributes, targets = _read_cub(("class_attr", "split_train", "split_test"), data_dir)
    files = read_names(CUB_IMAGES, data_dir)
    check_positions(CUB_SCORES, stored, dict.fromkeys(("split_train", "split_test"), len(files)))
    labels = stored["labels"]
    if len(labels) != len(files):
        raise CUB_IMAGES.error(f"names {len(files)} pictures where {len(labels)} have labels")
    if pictures is None:
        chosen = range(len(files)) if rows is None else rows
        pictures = _read_archive(files, decode or decode_jpeg, chosen, data_dir)
    return Pictures(
        name="cub",
        pictures=pictures,
        concepts=stored["class_attr"][labels].astype(np.bool_),
        concept_names=attributes,
        labels=np.array(targets)[labels],
        target_names=targets,
        split_train=stored["split_train"].astype(np.intp),
        split_test=stored["split_test"].astype(np.intp),
        citation="Caltech-UCSD Birds-200-2011; non-commercial research",
    )


def read_idx(source: DataFile, data_dir: Folder = None) -> Bytes:
    """Read an idx file of unsigned bytes.

    The head is two zeros, the type (8: unsigned bytes), the number of dimensions, and the length of each as
    four bytes, the most significant first.
    """
    raw = read_bytes(source, data_dir)
    n_axes = raw[3] if raw[:3] == b"\x00\x00\x08" and len(raw) > 3 else 0
    head = 4 + 4 * n_axes
    shape = tuple(np.frombuffer(raw[4:head], dtype=">u4").astype(int).tolist()) if len(raw) >= head else ()
    if not n_axes or len(shape) != n_axes or len(raw) != head + int(np.prod(shape)):
        raise source.error("is not an idx file of unsigned bytes")
    return np.frombuffer(raw, dtype=np.uint8, offset=head).reshape(shape)


def decode_jpeg(raw: bytes) -> Bytes:
    """The picture in a JPEG file, (height, width, 3)."""
    from PIL import Image  # matplotlib needs it, too

    with Image.open(io.BytesIO(raw)) as picture:
        return np.asarray(picture.convert("RGB"), dtype=np.uint8)


def _read_archive(files: Sequence[str], decode: Decoder, rows: Sequence[int], data_dir: Folder) -> Bytes:
    """Decode pictures in several threads, as decoders release the GIL; (n, 3, height, width)."""
    path = find_file(CUB_ARCHIVE, data_dir)
    if not len(rows):
        raise InputError("rows names no picture. Pass at least one, or None for all.")
    try:
        with zipfile.ZipFile(path) as archive:
            raw = [archive.read(files[row]) for row in rows]
    except KeyError as error:
        raise CUB_ARCHIVE.error(f"lacks a picture: {error.args[0]}") from None
    except UNREADABLE:
        raise CUB_ARCHIVE.error(DAMAGED) from None
    shape = decode(raw[0]).shape
    pictures = np.zeros((len(files), 3, *shape[:2]), dtype=np.uint8)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 16)) as pool:
        for row, picture in zip(rows, pool.map(decode, raw), strict=True):
            if picture.shape != shape:
                raise CUB_ARCHIVE.error(f"has pictures of shape {shown(shape)} and {shown(picture.shape)}")
            pictures[row] = picture.transpose(2, 0, 1)
    return pictures
