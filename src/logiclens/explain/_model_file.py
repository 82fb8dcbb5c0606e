"""The file of a saved model: tensors and one JSON text, in the safetensors format.

The JSON text stands in the header, under ``logiclens``. It holds everything but the tensors: what kind of
model it is, its settings, its rules, and a checksum of all of it, so that damage is noticed wherever it is.
What the entries and tensors mean is up to who saves the model, ``estimators/_saving.py``; here they are
only kept together. ``loading.py`` reads any saved file.
So the rules of a model can be read where neither torch nor scikit-learn is installed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from logiclens.errors import InputError, shown
from logiclens.explain.front import Front
from logiclens.explain.rule_set import ExplanationSet
from logiclens.files._storage import read_saved, report_damage, write_saved

_KEY = "logiclens"
_FORMAT = "logiclens.model"
_VERSION = 2
_ENTRIES = ("estimator", "params", "network", "problem", "classes", "concept_names", "named")
_SEALED = (*_ENTRIES, "rules", "front", "logiclens_version")
_OLDER = {1: ("checksum", *_ENTRIES, "rules", "logiclens_version")}
"""Version 1 had rules of one length."""
_KINDS = {"F64": "<f8", "I64": "<i8", "U8": "|u1"}


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What is in the file of a model.

    Attributes
    ----------
    entries : dict of str to object
        ``estimator`` (the name of its class), ``params`` (its settings), ``network`` (what the tensors do
        not say about the network), ``problem``, ``classes``, ``concept_names``, ``named`` (whether the data
        carried the names): values that JSON can carry.
    rules : ExplanationSet
    tensors : dict of str to ndarray
        Of float64, int64 or uint8.
    front : Front, optional
        Rules of every length; None in files that have one length only.
    """

    entries: Mapping[str, Any]
    rules: ExplanationSet
    tensors: Mapping[str, NDArray[Any]]
    front: Front | None = None


def encode(model: ModelFile) -> bytes:
    """Return a model as the bytes of its file; equal models give equal bytes.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])
    >>> entries = {"estimator": "Some", "params": {}, "network": {}, "problem": "multi-label"}
    >>> entries |= {"classes": ["bird"], "concept_names": ["wings"], "named": True}
    >>> content = encode(ModelFile(entries, rules, {"bias": np.zeros(2)}))
    >>> is_model(content)
    True
    >>> print(decode(content).rules)
    forall x: bird(x) <-> wings(x)
    """
    tensors = {name: np.asarray(array, order="C") for name, array in model.tensors.items()}
    entries = {key: model.entries[key] for key in _ENTRIES}
    entries |= {"rules": json.loads(model.rules.to_json())}
    entries |= {"front": None if model.front is None else model.front.to_json()}
    entries |= {"logiclens_version": _release()}
    sealed = {"checksum": _checksum(entries, tensors), **entries}
    return safetensors.numpy.save(tensors, {_KEY: write_saved(_FORMAT, _VERSION, sealed)})


def decode(content: bytes) -> ModelFile:
    """Read what :func:`encode` returned; no code is run.

    Raises
    ------
    InputError
        The bytes are damaged, come from elsewhere or from a later release.
    """
    text = _metadata(content).get(_KEY)
    if not isinstance(text, str):
        raise InputError(
            f"It is a safetensors file without the entry {_KEY!r} in its header, so it was not saved here."
        )
    entries = read_saved(
        text, _FORMAT, _VERSION, ("checksum", *_SEALED), _OLDER
    )  # the checksum needs the order
    tensors = _tensors(content)
    if entries.pop("checksum") != _checksum(entries, tensors):
        raise InputError("It is damaged: its checksum does not match the rest of it. Save it again.")
    rules = ExplanationSet.from_json(json.dumps(entries["rules"]))
    front = None
    if entries.get("front") is not None:
        with report_damage():
            front = Front.from_json(entries["front"], rules.concept_names, rules.vocabulary)
    return ModelFile({key: entries[key] for key in _ENTRIES}, rules, tensors, front)


def is_model(content: bytes) -> bool:
    """Whether the bytes start as a safetensors file does: the length of the header, then a JSON object."""
    return content[4:9] == b"\0\0\0\0{"


def _metadata(content: bytes) -> dict[str, Any]:
    """Texts in the header of a safetensors file."""
    end = 8 + int.from_bytes(content[:8], "little")
    if end > len(content):
        raise InputError("It is damaged: it ends within its header. Save it again.")
    try:
        header = json.loads(content[8:end])
    except (ValueError, RecursionError):
        raise InputError("It is damaged: its header cannot be read. Save it again.") from None
    metadata = header.get("__metadata__") if isinstance(header, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _tensors(content: bytes) -> dict[str, NDArray[Any]]:
    try:
        found = safetensors.deserialize(content)  # type: ignore[no-untyped-call]
    except safetensors.SafetensorError:
        raise InputError("It is damaged: its tensors cannot be read. Save it again.") from None
    for name, tensor in found:
        if tensor["dtype"] not in _KINDS:
            raise InputError(
                f"Its tensor {shown(name)} is of the type {tensor['dtype']}, which no model here has."
            )
    return {
        name: np.frombuffer(tensor["data"], dtype=_KINDS[tensor["dtype"]]).reshape(tensor["shape"])
        for name, tensor in sorted(found)
    }


def _checksum(entries: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 over the entries, in their order, and the tensors, by name. It finds damage, not deceit."""
    total = sha256(json.dumps(entries, allow_nan=False).encode("ascii"))
    for name in sorted(tensors):
        total.update(json.dumps([name, tensors[name].dtype.str, tensors[name].shape]).encode("ascii"))
        total.update(tensors[name].tobytes())
    return total.hexdigest()


def _release() -> str:
    try:
        return version("logiclens")
    except PackageNotFoundError:  # run from its source
        return "unknown"
