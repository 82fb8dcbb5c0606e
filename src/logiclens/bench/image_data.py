"""The pictures of the paper's experiments, with their concepts: MNIST's digits and CUB's birds (Sec. 6).

Pictures are bytes of shape (n, channels, height, width), as
:class:`~logiclens.pipelines.ConceptBottleneckClassifier` takes them. The files are read from the data folder;
nothing is downloaded or written. The birds are JPEG files in one archive;
Pillow or torchvision, whichever is installed, decodes them.
"""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
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
    MNIST_FILES,
    MNIST_SCORES,
    UNREADABLE,
    DataFile,
    Folder,
    check_positions,
    find_file,
    read_arrays,
    read_names,
)
from logiclens.bench.datasets import DIGITS, PARITY
from logiclens.errors import InputError, MissingDependencyError, count, shown
from logiclens.logic.arrays import BoolArray, IndexArray
from logiclens.logic.data import check_names

Bytes = NDArray[np.uint8]
Decoder = Callable[[bytes], Bytes]
"""From the bytes of a JPEG file to a picture, (height, width, 3)."""


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
        Decodes the bytes of a JPEG file into an array of bytes, (height, width, 3); by default Pillow does
        or, where it is not installed, torchvision.
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
    wanted = ("labels", "attr_index", "class_attr", "split_train", "split_test")
    stored = read_arrays(CUB_SCORES, wanted, data_dir)
    attributes, targets = read_names(CUB_ATTRIBUTES, data_dir), read_names(CUB_CLASSES, data_dir)
    files = read_names(CUB_IMAGES, data_dir)
    sizes = {"labels": len(targets), "attr_index": len(attributes)}
    check_positions(CUB_SCORES, stored, sizes | dict.fromkeys(("split_train", "split_test"), len(files)))
    labels = stored["labels"]
    if len(labels) != len(files):
        raise CUB_IMAGES.error(f"names {len(files)} pictures where {len(labels)} have labels")
    if pictures is None:
        chosen = range(len(files)) if rows is None else rows
        pictures = _read_archive(files, decode or find_decoder(), chosen, data_dir)
    return Pictures(
        name="cub",
        pictures=pictures,
        concepts=stored["class_attr"][labels].astype(np.bool_),
        concept_names=tuple(attributes[j] for j in stored["attr_index"].tolist()),
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
    path = find_file(source, data_dir)
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except UNREADABLE:
        raise source.error(DAMAGED) from None
    n_axes = raw[3] if raw[:3] == b"\x00\x00\x08" and len(raw) > 3 else 0
    head = 4 + 4 * n_axes
    shape = tuple(np.frombuffer(raw[4:head], dtype=">u4").astype(int).tolist()) if len(raw) >= head else ()
    if not n_axes or len(shape) != n_axes or len(raw) != head + int(np.prod(shape)):
        raise source.error("is not an idx file of unsigned bytes")
    return np.frombuffer(raw, dtype=np.uint8, offset=head).reshape(shape)


def find_decoder() -> Decoder:
    """The JPEG decoder of this machine: Pillow or, without it, torchvision.

    Raises
    ------
    MissingDependencyError
        When neither is installed.
    """
    try:
        Image = import_module("PIL.Image")
    except ImportError:
        return _torchvision()

    def decode(raw: bytes) -> Bytes:
        with Image.open(io.BytesIO(raw)) as picture:
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)

    return decode


def _torchvision() -> Decoder:
    try:
        torch, reader = import_module("torch"), import_module("torchvision.io")
    except (ImportError, RuntimeError, OSError):  # torchvision may be built without its reader of pictures
        raise MissingDependencyError(
            "The pictures are JPEG files, and neither Pillow nor torchvision is installed. "
            "Install one of them, for instance with pip install pillow."
        ) from None

    def decode(raw: bytes) -> Bytes:
        data = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
        return np.asarray(reader.decode_jpeg(data, mode=reader.ImageReadMode.RGB).permute(1, 2, 0))

    return decode


def _read_archive(files: Sequence[str], decode: Decoder, rows: Sequence[int], data_dir: Folder) -> Bytes:
    """Decode pictures in several threads, as decoders release the GIL; (n, 3, height, width)."""
    path = find_file(CUB_ARCHIVE, data_dir)
    chosen = list(rows)
    if not chosen:
        raise InputError("rows names no picture. Pass at least one, or None for all.")
    try:
        with zipfile.ZipFile(path) as archive:
            raw = [archive.read(files[row]) for row in chosen]
    except KeyError as error:
        raise CUB_ARCHIVE.error(f"lacks a picture: {error.args[0]}") from None
    except UNREADABLE:
        raise CUB_ARCHIVE.error(DAMAGED) from None
    first = decode(raw[0])
    pictures = np.zeros((len(files), 3, *first.shape[:2]), dtype=np.uint8)

    def place(at: int) -> None:
        picture = decode(raw[at])
        if picture.shape != first.shape:
            raise CUB_ARCHIVE.error(f"has pictures of shape {shown(first.shape)} and {shown(picture.shape)}")
        pictures[chosen[at]] = picture.transpose(2, 0, 1)

    with ThreadPoolExecutor(min(os.cpu_count() or 1, 16)) as pool:
        list(pool.map(place, range(len(chosen))))
    return pictures
