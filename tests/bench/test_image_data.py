"""Pictures: idx files, JPEG files in an archive, what is said of damaged ones; and the benchmark on toys."""

from __future__ import annotations

import gzip
import io
import json
import struct
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.exceptions import ConvergenceWarning

from benchmarks import pictures as benchmark
from logiclens.bench import load_cub_pictures, load_mnist, load_mnist_pictures
from logiclens.bench._data_files import DataFile
from logiclens.bench.datasets import DIGITS, Pictures, decode_jpeg, read_idx
from tests.errors import error_of

SOURCE = DataFile("toys/toy.gz", "Toys 1.0", "download it from https://toys.example/")


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOGICLENS_DATA", raising=False)


def idx(array: np.ndarray) -> bytes:
    """An idx file of unsigned bytes."""
    head = b"\x00\x00\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.astype(np.uint8).tobytes()


def put(folder: Path, file: str, content: bytes) -> None:
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(content) if file.endswith(".gz") else content)


@pytest.fixture
def mnist(tmp_path: Path) -> Path:
    """A folder with 40 pictures that are as bright as their digits are large, and stored scores of them."""
    digits = np.arange(40) % 10
    images = np.repeat(digits * 25, 28 * 28).reshape(40, 28, 28)
    for part, rows in (("train", slice(0, 30)), ("t10k", slice(30, 40))):
        put(tmp_path, f"mnist/{part}-images-idx3-ubyte.gz", idx(images[rows]))
        put(tmp_path, f"mnist/{part}-labels-idx1-ubyte.gz", idx(digits[rows]))
    scores = np.eye(12)[digits] * 0.9
    np.savez(
        tmp_path / "mnist" / "mnist_concepts.npz",
        labels=digits,
        concepts_digits=scores[:, :10].astype(np.float16),
        concepts_digits_parity=scores.astype(np.float16),
        split_train=np.arange(20),
        split_test=np.arange(20, 40),
    )
    return tmp_path


FILES = ("b/one.jpg", "a/two.jpg", "a/three.jpg")


@pytest.fixture
def cub(tmp_path: Path) -> Path:
    """A folder with three "pictures", each of which is one byte, and two attributes."""
    put(tmp_path, "cub/images.txt.gz", b"".join(f"{i} {n}\n".encode() for i, n in enumerate(FILES, 1)))
    put(tmp_path, "cub/attributes.txt.gz", b"1 has_wing\n2 red\n3 max\n")
    put(tmp_path, "cub/classes.txt.gz", b"1 001.Crow\n2 002.Duck\n")
    with zipfile.ZipFile(tmp_path / "cub" / "images112.zip", "w") as archive:
        for value, name in enumerate(FILES):
            archive.writestr(name, bytes([value + 1]))
    np.savez(
        tmp_path / "cub" / "cub_concepts.npz",
        labels=np.array([1, 0, 0]),
        attr_index=np.array([0, 2]),
        class_attr=np.array([[True, False], [False, True]]),
        split_train=np.array([0, 1]),
        split_test=np.array([2]),
    )
    return tmp_path


def flat(raw: bytes) -> np.ndarray:
    """Decode a byte as a picture of 2 x 4 pixels of that brightness."""
    return np.full((2, 4, 3), raw[0], dtype=np.uint8)


# --- MNIST ---


def test_digits_are_read_in_order(mnist):
    data = load_mnist_pictures(mnist)

    assert repr(data) == "Pictures('mnist': 40 pictures, 1x28x28, 10 concepts, 2 targets)"
    assert data.pictures.dtype == np.uint8
    assert data.pictures[:, 0, 3, 3].tolist() == [25 * (i % 10) for i in range(40)]
    assert data.concepts.argmax(axis=1).tolist() == [i % 10 for i in range(40)]
    assert (data.concepts.sum(axis=1) == 1).all()
    assert data.labels.tolist() == ["even", "odd"] * 20
    assert data.split_test.tolist() == list(range(20, 40))


def test_stored_scores_of_digits(mnist):
    data = load_mnist(mnist)

    assert data.concept_names == DIGITS
    assert data.concepts.shape == (40, 10)
    assert load_mnist(mnist, parity=True).concept_names == (*DIGITS, "even", "odd")
    assert data.labels.tolist() == ["even", "odd"] * 20
    assert data.split_test is not None
    assert len(data.split_test) == 20


def test_labels_and_positions_that_lead_nowhere(mnist):
    put(mnist, "mnist/t10k-labels-idx1-ubyte.gz", idx(np.arange(3)))
    np.savez(
        mnist / "mnist" / "mnist_concepts.npz",
        labels=np.zeros(2, dtype=int),
        concepts_digits=np.zeros((2, 10)),
        split_test=np.array([2]),
    )

    assert "does not have one digit from 0 to 9 for each picture." in error_of(load_mnist_pictures, mnist)
    assert "has values in 'split_test' that are no whole numbers" in error_of(load_mnist, mnist)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4)])
def test_idx_files_of_any_shape(tmp_path, shape):
    array = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    put(tmp_path, "toys/toy.gz", idx(array))

    assert np.array_equal(read_idx(SOURCE, tmp_path), array)

    (tmp_path / "toys" / "toy.gz").unlink()
    put(tmp_path, "toys/toy", idx(array))  # not compressed
    assert np.array_equal(read_idx(SOURCE, tmp_path), array)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x00\x08",
        b"\x00\x00\x08\x00",
        b"\x00\x00\x08\x01\x00",
        b"\x00\x00\x0d\x01\x00\x00\x00\x00",
        idx(np.zeros(4))[:-1],
        idx(np.zeros(4)) + b"0",
        b"hello, this is text",
    ],
)
def test_files_that_are_no_idx_files(tmp_path, content):
    put(tmp_path, "toys/toy.gz", content)

    assert "is not an idx file of unsigned bytes." in error_of(read_idx, SOURCE, tmp_path)


# --- CUB ---


def test_birds_come_in_the_order_of_the_list(cub):
    data = load_cub_pictures(cub, decode=flat)

    assert repr(data) == "Pictures('cub': 3 pictures, 3x2x4, 2 concepts, 2 targets)"
    assert data.pictures[:, 0, 0, 0].tolist() == [1, 2, 3]
    assert data.concept_names == ("has_wing", "max")
    assert data.labels.tolist() == ["002.Duck", "001.Crow", "001.Crow"]
    assert data.concepts.tolist() == [[False, True], [True, False], [True, False]]


def test_some_birds_only(cub):
    data = load_cub_pictures(cub, decode=flat, rows=[2])

    assert data.pictures[:, 0, 0, 0].tolist() == [0, 0, 3]
    assert "rows names no picture." in error_of(load_cub_pictures, cub, decode=flat, rows=[])


def test_pictures_decoded_before_need_no_archive(cub):
    (cub / "cub" / "images112.zip").unlink()
    small = np.zeros((3, 3, 5, 5), dtype=np.uint8)

    assert load_cub_pictures(cub, pictures=small).pictures is small
    assert "concepts must have shape (2, 2). Got (3, 2)." in error_of(
        load_cub_pictures, cub, pictures=small[:2]
    )


def uneven(raw: bytes) -> np.ndarray:
    return np.zeros((raw[0], 4, 3), dtype=np.uint8)


def test_what_is_wrong_with_an_archive(cub):
    archive = cub / "cub" / "images112.zip"

    assert "has pictures of shape (1, 4, 3) and (" in error_of(load_cub_pictures, cub, decode=uneven)
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(FILES[0], b"1")
    assert "'cub/images112.zip' lacks a picture: " in error_of(load_cub_pictures, cub, decode=flat)
    archive.write_bytes(b"not an archive")
    assert "'cub/images112.zip' cannot be read" in error_of(load_cub_pictures, cub, decode=flat)
    archive.unlink()
    assert "is not in the data folder" in error_of(load_cub_pictures, cub, decode=flat)


def test_labels_must_match_the_pictures(cub):
    pictures, truth = np.zeros((2, 1, 1, 1), dtype=np.uint8), np.zeros((2, 1), dtype=bool)
    rest = (("a",), np.array(["no"]), ("no",), np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), "")
    put(cub, "cub/images.txt.gz", b"1 b/one.jpg\n2 a/two.jpg\n3 a/three.jpg\n4 more.jpg\n")

    assert "names 4 pictures where 3 have labels." in error_of(load_cub_pictures, cub, decode=flat)
    assert "labels must have shape (2,). Got (1,)." in error_of(Pictures, "toy", pictures, truth, *rest)


def test_jpeg_files_are_decoded():
    file = io.BytesIO()
    Image.new("L", (2, 1), 7).save(file, "jpeg")

    assert decode_jpeg(file.getvalue()).tolist() == [[[7, 7, 7], [7, 7, 7]]]


# --- the benchmark ---


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
def test_the_benchmark_writes_down_what_it_finds(mnist, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LOGICLENS_DATA", str(mnist))
    words = ["mnist", "--rows", "20", "--epochs", "1", "--width", "2", "--out", str(tmp_path / "out")]
    found = benchmark.main([*words, "--len", '{"epochs": 10, "restarts": 1}'])
    stored = json.loads((tmp_path / "out" / "pictures_mnist.json").read_text(encoding="utf-8"))

    assert stored == found
    assert stored["rows"] == {"train": 20, "test": 20}
    assert stored["stored_concept_accuracy"] == 1.0
    assert stored["intervention_random"]["n_corrected"] == list(range(11))
    assert 0.0 <= stored["bottleneck"]["class_accuracy"] <= 1.0
    printed = capsys.readouterr().out
    assert [name for name in stored if f"{name}: " not in printed] == []

    benchmark.main(
        ["figure", str(tmp_path / "out" / "pictures_mnist.json"), "--out", str(tmp_path / "c.svg")]
    )
    drawn = ElementTree.parse(tmp_path / "c.svg")
    lines = drawn.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [11, 11, 11]


@pytest.mark.parametrize("words", [["figure"], ["figure", "a.json"]])
def test_the_benchmark_says_what_is_missing(words):
    with pytest.raises(SystemExit, match=r"^benchmarks: write "):
        benchmark.main(words)
