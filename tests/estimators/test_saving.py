"""Saved models: the same again, no training rows, nothing half-written, no code run, damage named."""

from __future__ import annotations

import errno
import io
import json
import pickle
import struct
import tempfile
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import logiclens.files._storage as saved_files
from logiclens.errors import InputError
from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier, _registry
from logiclens.estimators._saving import save_model
from logiclens.explain._model_file import ModelFile, _checksum, decode, encode
from logiclens.files._storage import write_saved
from logiclens.loading import load, rules_of_model
from logiclens.logic import FALSE
from logiclens.nn import criteria
from logiclens.nn.criteria import iff_loss
from logiclens.nn.mu import MuNetwork
from tests.strategies import HOSTILE_NAMES

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

CLASSIFIERS = [MuClassifier, PsiClassifier, ReluClassifier, EntropyClassifier]
QUICK: dict[str, Any] = {"epochs": 20, "restarts": 1, "l1": 0.005, "device": "cpu", "random_state": 0}
ODD_LABELS = ('"; DROP TABLE x', "<script>alert(1)</script>", "größe", "two\nlines")


def rows(n_concepts: int = 6, n: int = 40) -> np.ndarray:
    return np.random.default_rng(1).random((n, n_concepts))


def targets(x: np.ndarray, problem: str) -> Any:
    first, second = x[:, 0] > 0.5, x[:, 1] > 0.5
    match problem:
        case "binary":
            return first & second
        case "binary of text":
            return np.where(first, "yes", "no")
        case "classes":
            return first.astype(int) + second + 3
        case "classes of floats":
            return first.astype(float) + second
        case "odd classes":
            return np.array(ODD_LABELS, dtype=object)[2 * first + second]
        case "one class":
            return np.full(len(x), "only")
        case "table":
            return np.column_stack([first, second, first & ~second])
    raise AssertionError(problem)


@cache
def fitted(classifier: type, problem: str = "binary", **settings: Any) -> Any:
    x = rows()
    with warnings.catch_warnings():
        if problem == "one class":
            warnings.simplefilter("ignore", UserWarning)
        return classifier(**QUICK, **settings).fit(x, targets(x, problem))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.lens"


def assert_same(model: Any, twin: Any, x: Any) -> None:
    assert type(twin) is type(model)
    assert twin.get_params() == model.get_params()
    assert twin.classes_.dtype == model.classes_.dtype
    assert twin.classes_.tolist() == model.classes_.tolist()
    for method in ("decision_function", "predict", "predict_proba", "decide"):
        mine, other = getattr(model, method)(x), getattr(twin, method)(x)
        assert mine.dtype == other.dtype
        assert mine.tolist() == other.tolist()
    assert twin.explain() == model.explain()
    assert twin.explain(x) == model.explain(x)
    assert twin.front_.to_json() == model.front_.to_json()
    for literals in (0, 2, 60):
        short, other = (each.explain(literals=literals) for each in (model, twin))
        assert short.literals == other.literals
        assert (short.predict(x) == other.predict(x)).all()
    assert twin.concept_relevance_.tolist() == model.concept_relevance_.tolist()
    for name in ("loss_curve_", "n_iter_", "l1_"):
        assert getattr(twin, name).dtype == getattr(model, name).dtype
        assert getattr(twin, name).tolist() == getattr(model, name).tolist()
    for name in ("problem_", "concept_names_", "n_features_in_"):
        assert getattr(twin, name) == getattr(model, name)
    assert hasattr(twin, "feature_names_in_") == hasattr(model, "feature_names_in_")


# The same again


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("problem", ["binary", "classes", "table"])
def test_a_loaded_model_does_what_the_saved_one_did(classifier: type, problem: str, path: Path):
    model = fitted(classifier, problem)
    model.save(path)
    twin = load(path)

    assert_same(model, twin, rows(n=15))
    assert twin.seen_ is None
    assert twin.explain_global(rows()) == model.explain_global(rows())


@pytest.mark.parametrize("problem", ["binary of text", "classes of floats", "odd classes", "one class"])
def test_labels_keep_their_type(problem: str, path: Path):
    model = fitted(MuClassifier, problem)
    model.save(path)

    assert_same(model, load(path), rows(n=15))


@pytest.mark.parametrize(
    ("classifier", "settings"),
    [
        *((classifier, {"hidden": (4, 3)}) for classifier in CLASSIFIERS),
        (MuClassifier, {"hidden": ()}),
        (MuClassifier, {"rule": "if"}),
        (PsiClassifier, {"patience": 7, "max_literals": 3}),
        (ReluClassifier, {"class_weight": "balanced"}),
        (EntropyClassifier, {"batch_size": 16, "learning_rate": 0.1, "verbose": False}),
    ],
)
def test_settings_come_back(classifier: type, settings: dict[str, Any], path: Path):
    model = fitted(classifier, **settings)
    save_model(model, path)

    assert_same(model, load(path), rows(n=15))


def test_class_weights_come_back(path: Path):
    x = rows()
    model = MuClassifier(**QUICK, class_weight={True: 2.5, np.False_: 1}).fit(x, targets(x, "binary"))
    model.save(path)
    twin = load(path)

    assert twin.class_weight == {True: 2.5, False: 1.0}
    assert all(type(label) is bool for label in twin.class_weight)


def test_arrays_of_settings_come_back_as_tuples(path: Path):
    x = rows()
    model = MuClassifier(**{**QUICK, "l1": np.array([0.01, 0.005]), "hidden": [np.int64(4)]})
    model.fit(x, targets(x, "binary")).save(path)
    twin = load(path)

    assert (twin.l1, twin.hidden) == ((0.01, 0.005), (4,))
    assert twin.predict_proba(x).tolist() == model.predict_proba(x).tolist()


def test_a_random_state_that_is_no_number_is_not_kept(path: Path):
    x = rows()
    model = MuClassifier(**{**QUICK, "random_state": np.random.RandomState(0)})
    model.fit(x, targets(x, "binary")).save(path)

    assert load(path).random_state is None


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_hostile_names(classifier: type, path: Path):
    x = pd.DataFrame(rows(len(HOSTILE_NAMES)), columns=list(HOSTILE_NAMES))
    model = classifier(**QUICK).fit(x, targets(x.to_numpy(), "odd classes"))
    model.save(path)
    twin = load(path)

    assert_same(model, twin, x.head(10))
    assert twin.feature_names_in_.tolist() == list(HOSTILE_NAMES)
    assert twin.predict(x[x.columns[::-1]]).tolist() == model.predict(x).tolist()
    assert rules_of_model(path) == model.explain()


def test_hostile_outputs(path: Path):
    x = rows()
    y = pd.DataFrame(targets(x, "table"), columns=["a & b", "max", "🐦"])
    model = MuClassifier(**QUICK).fit(x, y)
    model.save(path)

    assert_same(model, load(path), x)


def test_settings_changed_after_fitting_do_not_change_the_network(path: Path):
    model = pickle.loads(pickle.dumps(fitted(EntropyClassifier)))
    model.set_params(temperature=0.1, hidden=(3,), max_literals=2)
    model.save(path)

    assert_same(model, load(path), rows(n=15))


def test_a_loaded_model_can_be_saved_and_fitted_again(path: Path, tmp_path: Path):
    model = fitted(MuClassifier)
    model.save(path)
    twin = load(path)
    twin.save(tmp_path / "again.lens")
    x = rows()

    assert (tmp_path / "again.lens").read_bytes() == path.read_bytes()
    assert twin.fit(x, targets(x, "binary")).predict_proba(x).tolist() == model.predict_proba(x).tolist()


def test_saving_twice_gives_equal_files(tmp_path: Path):
    x = rows()
    for at in range(2):
        model = MuClassifier(**QUICK).fit(x, targets(x, "classes"))
        model.save(tmp_path / f"{at}.lens")

    assert (tmp_path / "0.lens").read_bytes() == (tmp_path / "1.lens").read_bytes()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_no_training_value_is_in_the_file(classifier: type, path: Path):
    x = rows()
    fitted(classifier).save(path)
    content = path.read_bytes()

    for value in x.ravel():
        for written in (struct.pack("<d", value), struct.pack("<f", value), repr(float(value)).encode()):
            assert written not in content


def test_the_header_is_json_that_anyone_can_read(path: Path):
    fitted(MuClassifier).save(path)
    with safetensors.safe_open(path, framework="np") as file:
        saved = json.loads(file.metadata()["logiclens"])

    assert (saved["format"], saved["version"], saved["estimator"]) == ("logiclens.model", 2, "MuClassifier")
    assert saved["rules"]["format"] == "logiclens.rules"


# Other ways to copy


def test_load_reads_rules(tmp_path: Path):
    rules = fitted(MuClassifier, "odd classes").explain()
    rules.save(tmp_path / "rules.json")

    assert load(str(tmp_path / "rules.json")) == rules


# What cannot be saved


# Classes of one's own


class GatedNetwork(MuNetwork):
    """A weight of its own for each member and concept, and a number beside it."""

    def __init__(self, *settings: Any, **more: Any) -> None:
        super().__init__(*settings, **more)
        self.gate = torch.nn.Parameter(torch.ones(self.members, self.n_concepts))
        self.sharpness = 2.0

    def logits(self, inputs: torch.Tensor) -> torch.Tensor:
        gate = self.gate if self.columns is None else self.gate.gather(1, self.columns)
        return super().logits(inputs * torch.sigmoid(self.sharpness * gate)[:, :, None])


class GatedClassifier(MuClassifier):
    def make_network(self, streams: Any, n_concepts: int, l1: Any, width: int) -> Any:
        return GatedNetwork(streams, n_concepts, self.hidden, l1, max_concepts=width)


@pytest.mark.parametrize("settings", [{}, {"max_concepts": 3}, {"hidden": (4, 3)}])
@pytest.mark.parametrize("problem", ["binary", "classes"])
def test_a_class_of_ones_own_comes_back_with_its_network(settings: dict[str, Any], problem: str, path: Path):
    model = fitted(GatedClassifier, problem, **settings)
    assert (model.network_.gate != 1).any()
    model.save(path)

    assert_same(model, load(path), rows(n=15))


def test_a_class_that_is_not_defined_is_not_loaded(path: Path, monkeypatch: pytest.MonkeyPatch):
    fitted(GatedClassifier).save(path)
    monkeypatch.delitem(_registry.CLASSIFIERS, "GatedClassifier")
    with pytest.raises(InputError) as caught:
        load(path)

    assert str(caught.value).endswith(
        "Its class 'GatedClassifier' is not defined here. Import the module that defines it, and load again."
    )


def test_the_class_defined_last_has_the_name(path: Path):
    def define() -> Any:
        class Twin(MuClassifier):
            pass

        return Twin(**QUICK)

    first = define().fit(rows(), targets(rows(), "binary"))
    first.save(path)
    last = define()

    assert type(load(path)) is type(last)
    with pytest.raises(InputError, match="'Twin' is another class now"):
        first.save(path)


def test_no_class_takes_the_name_of_ours(path: Path):
    theirs: Any = type("MuClassifier", (MuClassifier,), {"__module__": "elsewhere"})
    fitted(MuClassifier).save(path)

    assert type(load(path)) is MuClassifier
    with pytest.raises(InputError, match="'MuClassifier' is another class now"):
        theirs(**QUICK).fit(rows(), targets(rows(), "binary")).save(path)


def test_a_tensor_of_another_network_is_refused(path: Path):
    model = file_of(fitted(GatedClassifier))
    tensors = dict(model.tensors)
    for gate, said in ((None, "lacks the entry 'gate'"), (np.ones((2, 6)), "a row for each member")):
        tensors = {**model.tensors, "gate": gate}
        if gate is None:
            del tensors["gate"]
        assert said in refusal(encode(replace(model, tensors=tensors)), path)


def test_a_criterion_of_ones_own_comes_back_by_its_name(path: Path, monkeypatch: pytest.MonkeyPatch):
    def own(logits: Any, yes: Any, no: Any) -> Any:
        return iff_loss(logits, yes, no)

    monkeypatch.setattr(criteria, "_CRITERIA", dict(criteria._CRITERIA))
    model = MuClassifier(**QUICK, criterion=own).fit(rows(), targets(rows(), "binary"))
    with pytest.raises(InputError, match=r"cannot be saved without a name.*register_criterion"):
        model.save(path)
    criteria.register_criterion("mine")(own)
    model.save(path)
    twin = load(path)

    assert_same(model.set_params(criterion="mine"), twin, rows(n=15))
    monkeypatch.setattr(criteria, "_CRITERIA", {"if": criteria.if_loss})
    with pytest.raises(InputError, match=r"'mine'.*has to be registered first.*register_criterion\.$"):
        load(path)


def test_an_unfitted_model_is_not_saved(path: Path):
    with pytest.raises(NotFittedError, match="This MuClassifier instance is not fitted yet"):
        save_model(MuClassifier(), path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epochs": 0}, "This MuClassifier cannot be saved. epochs must be a whole number of at least 1."),
        ({"tau": np.nan}, "The setting tau=nan cannot be saved. Pass numbers, text or None."),
        ({"rule": len}, "The setting rule=<built-in function len> cannot be saved."),
        ({"rule": "cluster"}, "This MuClassifier cannot be saved."),
    ],
)
def test_a_model_that_could_not_be_loaded_is_not_saved(settings: dict[str, Any], message: str, path: Path):
    model = pickle.loads(pickle.dumps(fitted(MuClassifier))).set_params(**settings)
    with pytest.raises(InputError) as caught:
        model.save(path)

    assert message in str(caught.value)
    assert not path.exists()


def test_weights_that_are_not_finite_are_not_saved(path: Path):
    model = pickle.loads(pickle.dumps(fitted(MuClassifier)))
    model.network_.linears[0].weight.data[0, 0, 0] = np.nan
    with pytest.raises(InputError) as caught:
        model.save(path)

    assert "This MuClassifier cannot be saved." in str(caught.value)


# Writing


def test_a_missing_folder_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError) as caught:
        fitted(MuClassifier).save(tmp_path / "missing" / "model.lens")

    assert caught.value.filename == str(tmp_path / "missing" / "model.lens")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_and_nothing_else(path: Path, monkeypatch: pytest.MonkeyPatch):
    path.write_bytes(b"old")

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.EACCES, "Permission denied", "draft")

    monkeypatch.setattr(saved_files.os, "replace", fail)
    with pytest.raises(PermissionError) as caught:
        fitted(MuClassifier).save(path)

    assert caught.value.filename == str(path)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == {"model.lens": b"old"}


def test_an_old_file_is_replaced(path: Path):
    path.write_bytes(b"old")
    fitted(MuClassifier).save(path)

    assert [file.name for file in path.parent.iterdir()] == ["model.lens"]
    assert load(path).explain() == fitted(MuClassifier).explain()


# Reading what is not right


def refusal(content: bytes, path: Path, read: Any = load) -> str:
    """What is said about a file, after its name."""
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert message.isprintable()
    assert message.startswith(f"{str(path)!r} ")
    return message.removeprefix(f"{str(path)!r} ")


@cache
def saved() -> ModelFile:
    """What is in the file of a small model."""
    with tempfile.TemporaryDirectory() as folder:
        fitted(MuClassifier, hidden=(10,)).save(f"{folder}/model.lens")
        return decode(Path(f"{folder}/model.lens").read_bytes())


def test_a_missing_file_stays_a_missing_file(path: Path):
    with pytest.raises(FileNotFoundError):
        load(path)
    with pytest.raises(FileNotFoundError):
        rules_of_model(path)


def test_a_folder_is_refused(tmp_path: Path):
    for read in (load, rules_of_model):
        with pytest.raises(InputError) as caught:
            read(tmp_path)
        assert str(caught.value) == f"{str(tmp_path)!r} is a folder. Name a file in it."


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("a pickle was loaded",)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", pickle.dumps(Trap()), b"text", b"PK\x03\x04", b"\0" * 100],
    ids=["empty", "PNG", "pickle", "text", "zip", "zeros"],
)
def test_foreign_files_are_refused(content: bytes, path: Path):
    assert "does not hold a model or rules that can be read. It was not saved here." in refusal(content, path)
    assert "does not hold a model that can be read. It was not saved by a classifier." in refusal(
        content, path, rules_of_model
    )


def test_foreign_json_is_refused(path: Path):
    assert "does not hold rules that can be read." in refusal(b'{"format": "tea"}', path)


def test_a_foreign_safetensors_file_is_refused(path: Path):
    for metadata in (None, {"format": "pt"}):
        assert "does not hold a model that can be read." in refusal(
            safetensors.numpy.save({"a": np.zeros(2)}, metadata), path
        )


def test_a_later_version_is_refused(path: Path):
    later = json.dumps({"format": "logiclens.model", "version": 3, "anything": None})
    for read in (load, rules_of_model):
        assert (
            "does not hold a model that can be read. The text has version 3 of logiclens.model;"
            in refusal(safetensors.numpy.save({"a": np.zeros(2)}, {"logiclens": later}), path, read)
        )


def test_unknown_and_missing_entries_are_refused(path: Path):
    content = encode(saved())
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    entries = json.loads(header["__metadata__"]["logiclens"])
    tensors = safetensors.numpy.load(content)

    more = json.dumps({**entries, "code": "print()"})
    assert "does not hold a model that can be read." in refusal(
        safetensors.numpy.save(tensors, {"logiclens": more}), path
    )
    del entries["checksum"]
    assert "does not hold a model that can be read." in refusal(
        safetensors.numpy.save(tensors, {"logiclens": json.dumps(entries)}), path
    )


@pytest.mark.parametrize("kind", ["os.system", ["MuClassifier"]])
def test_what_is_no_class_is_refused(kind: Any, path: Path):
    model = saved()

    text = refusal(encode(replace(model, entries={**model.entries, "estimator": kind})), path)

    assert f"Its class {kind!r} is not defined here." in text


def test_tensors_of_other_types_are_refused(path: Path):
    content = encode(saved())
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    tensors = safetensors.numpy.load(content)
    tensors["l1"] = tensors["l1"].astype(np.float16)

    assert "does not hold a model that can be read." in refusal(
        safetensors.numpy.save(tensors, header["__metadata__"]), path
    )


@given(data=st.data())
def test_any_cut_is_noticed(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory):
    content = encode(saved())
    header = 8 + int.from_bytes(content[:8], "little")
    end = data.draw(st.sampled_from([8, 9, header, len(content) - 1]) | st.integers(0, len(content) - 1))
    said = refusal(content[:end], tmp_path_factory.getbasetemp() / "cut.lens")

    if end < 9:
        assert said.startswith("does not hold a model or rules that can be read. It was not saved here.")
    elif end < header:
        assert said == (
            "does not hold a model that can be read. It is damaged: it ends within its header. Save it again."
        )
    else:
        assert said == (
            "does not hold a model that can be read. It is damaged: its tensors cannot be read. "
            "Save it again."
        )


@given(data=st.data())
def test_any_changed_bit_is_noticed(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory):
    """Refused in one line, or, where a bit makes no difference (``1e-05``, ``1E-05``), read as before."""
    content = bytearray(encode(saved()))
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path_factory.getbasetemp() / "flipped.lens"
    path.write_bytes(bytes(content))
    said, twin = "", None
    try:
        twin = load(path)
    except InputError as error:
        said = str(error)

    if twin is not None:
        assert_same(fitted(MuClassifier), twin, rows(n=10))
    else:
        assert said.isprintable()
        assert said.startswith(f"{str(path)!r} does not hold a model ")


def test_damage_in_the_header_is_named(path: Path):
    content = encode(saved()).replace(b'"dtype":', b'"dtype"!', 1)

    assert "does not hold a model that can be read. It is damaged: its header cannot be read." in refusal(
        content, path
    )


NO_VALUE = object()
WEIGHT = "layers.0.weight"
POSITIONS = "The tensor 'columns' must hold positions of concepts"
NET = {"hidden": [10], "max_concepts": 8, "tau": 0.0}


def misshapen(
    name: str, shape: tuple[int, ...], got: str, its: tuple[int, ...], wanted: str = "float64"
) -> str:
    return f"The tensor {name!r} must be of type {wanted} and shape {shape}. Got {got} and {its}."


@pytest.mark.parametrize(
    ("entry", "value", "said"),
    [
        ("estimator", "PsiClassifier", "PsiClassifier has no setting 'max_concepts'."),
        ("params", [], '"params" must be an object. Got [].'),
        ("params", {"code": "print()"}, "MuClassifier has no setting 'code'."),
        ("params", {"epochs": -1}, "epochs must be a whole number of at least 1. Got -1."),
        (
            "params",
            {"rule": "cluster"},
            "The rule of a classifier must be 'iff', 'if' or 'only_if'. Got 'cluster'.",
        ),
        (
            "params",
            {"random_state": -1},
            "random_state must be a whole number of at least 0, None or a RandomState. Got -1.",
        ),
        ("params", {"device": 3}, "device must be text. Got 3."),
        ("params", {"verbose": "no"}, "verbose must be True or False. Got 'no'."),
        ("params", {"l1": [[1.0]]}, "The setting l1 has a value that no setting has. Got [[1.0]]."),
        ("params", {"l1": {"a": 1}}, "The setting l1 has a value that no setting has. Got {'a': 1}."),
        (
            "params",
            {"class_weight": [["a"]]},
            "class_weight must hold pairs of label and weight. Got ['a'].",
        ),
        (
            "problem",
            "riddle",
            "Unknown problem 'riddle'. "
            "There are 'binary', 'single-label', 'output by output', 'multi-label'.",
        ),
        ("problem", "single-label", "2 labels cannot make a problem of the kind 'single-label'."),
        ("problem", "multi-label", "Its rules are not those of a problem of the kind 'multi-label'."),
        ("classes", "ab", "\"classes\" must be a list. Got 'ab'."),
        ("classes", [], "0 labels cannot make a problem of the kind 'binary'."),
        ("classes", [0, 1], "Its rules are about other classes than its network."),
        ("classes", [True, True], "Labels must be distinct; repeated: True. Give each target its own."),
        ("concept_names", ["a"], "Its rules are about other concepts than its network."),
        ("concept_names", None, '"concept_names" must be a list. Got None.'),
        ("named", 1, '"named" must be true or false. Got 1.'),
        ("network", {}, "\"network\" lacks the entry 'hidden'."),
        ("network", NET | {"hidden": [10**12]}, misshapen(WEIGHT, (1, 10**12, 6), "float64", (1, 10, 6))),
        (
            "network",
            NET | {"hidden": [0]},
            "A hidden layer's size must be a whole number of at least 1. Got 0.",
        ),
        ("network", NET | {"max_concepts": 8.0}, "max_concepts of a network must be of type int. Got 8.0."),
        ("network", NET | {"forward": 1}, "\"network\" has an unknown entry 'forward'."),
    ],
)
def test_entries_that_make_no_sense_are_refused(entry: str, value: Any, said: str, path: Path):
    model = saved()
    crafted = replace(model, entries={**model.entries, entry: value})

    expected = f"does not hold a model that can be read. {said} Save it again."
    assert refusal(encode(crafted), path) == expected


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (WEIGHT, NO_VALUE, "The network lacks the entry 'layers.0.weight'."),
        ("loss_curve", NO_VALUE, "The network lacks the entry 'loss_curve'."),
        ("extra", np.zeros(1), "The network has an unknown entry 'extra'."),
        (WEIGHT, np.zeros((1, 10, 5)), misshapen(WEIGHT, (1, 10, 6), "float64", (1, 10, 5))),
        ("n_iter", np.zeros(1), misshapen("n_iter", (1,), "float64", (1,), wanted="int64")),
        ("loss_curve", np.zeros(()), misshapen("loss_curve", (0, 1), "float64", ())),
        (
            "layers.1.bias",
            np.full((1, 1, 1), np.inf),
            "The tensor 'layers.1.bias' holds values that are not finite.",
        ),
        (
            "layers.1.mask",
            np.full((1, 1, 10), 2, dtype=np.uint8),
            "The tensor 'layers.1.mask' must hold 0 and 1 only.",
        ),
        *(
            ("columns", np.array([columns]), f"{POSITIONS}, each once for an output.")
            for columns in ([0, 1, 2, 3, 4, 6], [0, 1, 2, 3, 4, 4], [-1, 1, 2, 3, 4, 5])
        ),
    ],
)
def test_tensors_that_make_no_sense_are_refused(name: str, value: Any, said: str, path: Path):
    model = saved()
    tensors = {**model.tensors, name: value}
    if value is NO_VALUE:
        del tensors[name]

    expected = f"does not hold a model that can be read. {said} Save it again."
    assert refusal(encode(replace(model, tensors=tensors)), path) == expected


def test_settings_newer_than_a_file_have_their_defaults(path: Path):
    model = saved()
    params = {name: value for name, value in model.entries["params"].items() if name != "max_literals"}
    path.write_bytes(encode(replace(model, entries={**model.entries, "params": params})))

    assert load(path).max_literals == MuClassifier().max_literals


def test_rules_of_another_release_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch):
    model = saved()
    text = model.rules.to_json().replace('"version": 4', '"version": 7', 1)
    monkeypatch.setattr(type(model.rules), "to_json", lambda _: text)

    assert "does not hold a model that can be read. The text has version 7 of logiclens.rules;" in refusal(
        encode(model), path
    )


def test_rules_of_the_version_before_are_read_as_a_list(path: Path, monkeypatch: pytest.MonkeyPatch):
    """Of the rules that were true that of the highest priority decided."""
    model = saved()
    entries = json.loads(model.rules.to_json())
    del entries["steps"], entries["held_out"]
    labels = list(model.rules)
    entries |= {"version": 2, "priority": [at / 10 for at in range(len(labels))], "default": labels[0]}
    with monkeypatch.context() as patch:
        patch.setattr(type(model.rules), "to_json", lambda _: json.dumps(entries))
        path.write_bytes(encode(model))

    found = load(path).explain()
    assert [step.label for step in found.steps] == [
        label for label in reversed(labels[1:]) if model.rules[label].formula != FALSE
    ]
    assert found.default == labels[0]


def test_an_open_file_is_no_path():
    with pytest.raises(InputError, match=r"^A path must be a text or a path object\. Got <_io\.BytesIO"):
        load(io.BytesIO(b""))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        ({"cuts": [1]}, "cuts must hold pairs of a column and its setting. Got 1."),
        ({"max_cuts": "x"}, "max_cuts must be a whole number of at least 0. Got 'x'."),
        ({"depth": 3}, "ConceptEncoder has no setting 'depth'."),
    ],
)
def test_an_encoder_that_cannot_be_is_refused(encoder, message, path: Path):
    model = saved()
    entries = {**model.entries, "params": {**model.entries["params"], "encoder": encoder}}

    text = refusal(encode(ModelFile(entries, model.rules, model.tensors)), path)

    assert text == f"does not hold a model that can be read. {message} Save it again."


# Files of version 1


def as_version_1(model: Any, **tensors: Any) -> bytes:
    """The file that the first version wrote: rules of one length with priorities, settings that are gone."""
    written = decode(encode(file_of(model)))
    params = {name: value for name, value in written.entries["params"].items() if name in FIRST_SETTINGS}
    params |= {"settle": True, "candidates": 4, "unseen": "ignore", "aggregation": "minimal"}
    params |= {"class_weight": "auto"}
    entries: dict[str, Any] = {**written.entries, "params": params}
    rules = json.loads(written.rules.to_json())
    steps = rules.pop("steps")
    del rules["held_out"]
    order = [step["label"] for step in steps]
    ranks = [1.0 - order.index(label) / 10 if label in order else 0.0 for label in written.rules.labels]
    rules |= {"version": 2, "priority": ranks}
    entries |= {"rules": rules, "logiclens_version": "0.1.0"}
    kept = {name: np.asarray(array, order="C") for name, array in {**written.tensors, **tensors}.items()}
    sealed = {"checksum": _checksum(entries, kept), **entries}
    return safetensors.numpy.save(kept, {"logiclens": write_saved("logiclens.model", 1, sealed)})


FIRST_SETTINGS = {"rule", "max_concepts", "tau", "max_literals", "hidden", "l1", "restarts", "epochs"} | {
    "learning_rate",
    "batch_size",
    "patience",
    "validation_fraction",
    "encoder",
    "device",
    "random_state",
    "verbose",
}


def file_of(model: Any) -> ModelFile:
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.lens")
        return decode(Path(f"{folder}/model.lens").read_bytes())


OPINION = {
    "opinion": np.zeros((1, 6)),
    "opinion_bias": np.zeros(1),
    "opinion_margin": np.ones(1),
}


@pytest.mark.parametrize("problem", ["binary", "binary of text"])
def test_a_file_of_version_1_decides_as_before(problem: str, path: Path):
    """What it lacks has its defaults; what it has too much is told of, and left out."""
    model = fitted(MuClassifier, problem)
    path.write_bytes(as_version_1(model, **OPINION))
    with pytest.warns(UserWarning, match="The model was saved with a second opinion") as caught:
        twin = load(path)
    x = rows(n=60)

    assert caught[0].filename == __file__
    assert (twin.explain().predict(x) == model.explain().predict(x)).all()
    assert (twin.predict_proba(x) == model.predict_proba(x)).all()
    assert (twin.class_weight, twin.distillation) == (None, MuClassifier().distillation)
    assert not {"settle", "candidates", "unseen", "aggregation"} & set(twin.get_params())
    assert len(twin.front_) == 1
    assert (twin.explain(literals=3).predict(x) == model.explain().predict(x)).all()
    assert (rules_of_model(path).predict(x) == model.explain().predict(x)).all()


def test_a_file_of_version_1_without_opinions_is_read_in_silence(path: Path):
    model = fitted(MuClassifier)
    path.write_bytes(as_version_1(model))
    twin = load(path)
    twin.save(path)

    assert load(path).explain() == twin.explain()
    assert (load(path).predict(rows()) == model.predict(rows())).all()


def test_a_front_about_other_classes_is_refused(path: Path):
    model = saved()
    other = file_of(fitted(MuClassifier, "binary of text"))

    assert "does not hold a model that can be read." in refusal(
        encode(replace(model, front=other.front)), path
    )


def test_a_damaged_front_is_named(path: Path, monkeypatch: pytest.MonkeyPatch):
    model = saved()
    written = model.front.to_json() | {"chosen": 99}
    monkeypatch.setattr(type(model.front), "to_json", lambda _: written)

    assert "does not hold a model that can be read." in refusal(encode(model), path)
