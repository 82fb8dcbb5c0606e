"""Fitted classifiers as values that can be written to a file, and back.

What is kept: settings, networks, rules, names, and how training went. What is not: training rows, and the
truth tables made of them, which would reveal the people behind the rows. Reading runs no code: the class is
looked up in a table, and every entry and tensor is checked before anything is made of it.

See :mod:`logiclens.explain._model_file` for the file and :mod:`logiclens.loading` for reading it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from logiclens.concepts.encoder import ConceptEncoder, check_encoder_settings
from logiclens.errors import InputError, count, listing, shown
from logiclens.estimators._parameters import check_settings, seed_of
from logiclens.estimators.inputs_and_targets import Inputs, Problem
from logiclens.explain._model_file import ModelFile, encode
from logiclens.explain.front import Front
from logiclens.explain.rule import Label, RuleKind, check_labels, label_array, member, plain_label
from logiclens.explain.rule_set import ExplanationSet
from logiclens.files._storage import fields, items, written_whole

if TYPE_CHECKING:
    from logiclens.nn.population import LogicNetwork

_ATTRIBUTES: dict[str, dict[str, type[int] | type[float] | type[bool]]] = {
    "EntropyClassifier": {"max_concepts": int, "tau": float, "temperature": float},
    "MuClassifier": {"max_concepts": int, "tau": float},
    "PsiClassifier": {"fan_in": int, "slope": float, "hard": bool},
    "ReluClassifier": {},
}
"""Attributes of each network besides its tensors. Settings may have been changed since it was made."""
_REFERENCE = "Reference"
"""How the name of a classifier begins whose networks are those of the one called by the rest of it."""
_SAVED = (*_ATTRIBUTES, *(_REFERENCE + name for name in _ATTRIBUTES if name != "PsiClassifier"))

_GONE = frozenset({"aggregation", "candidates", "settle", "unseen"})
"""Settings of earlier releases, which the fit no longer has."""
_OPINION = ("opinion", "opinion_bias", "opinion_margin")
"""Tensors of earlier releases, of a second model whose outputs were added to those of the network."""

_HOME = "logiclens.estimators.classifiers"
Tensors = dict[str, NDArray[Any]]


def save_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier of this package to one file, for :func:`logiclens.loading.load`.

    An old file is replaced whole or stays. Equal models give equal files. A ``random_state`` that is no whole
    number is saved as None; sequences among the settings come back as tuples.

    Raises
    ------
    InputError
        Not a classifier that can be saved, or one that was changed so that it could not be read back.
    sklearn.exceptions.NotFittedError
        It was not fitted.
    OSError
        The file cannot be written.
    """
    kind = type(estimator).__name__
    if kind not in _SAVED or type(estimator).__module__ != _HOME:
        raise InputError(f"Only {', '.join(_SAVED)} can be saved. Got {shown(estimator)}.")
    check_is_fitted(estimator)
    network = estimator.network_
    entries = {
        "estimator": kind,
        "params": {name: _plain(name, value) for name, value in estimator.get_params(deep=False).items()},
        "network": {
            "hidden": [layer.weight.shape[1] for layer in network.linears[:-1]],
            **{name: type_(getattr(network, name)) for name, type_ in _attributes_of(kind).items()},
        },
        "problem": str(estimator.problem_),
        "classes": [plain_label(label) for label in estimator.classes_],
        "concept_names": list(estimator.concept_names_),
        "named": hasattr(estimator, "feature_names_in_"),
    }
    model = ModelFile(entries, estimator.explanations_, _tensors_of(estimator), estimator.front_)
    try:
        restore(model, {kind: type(estimator)})  # what could not be read is not written
    except InputError as error:
        raise InputError(f"This {kind} cannot be saved. {error} Fit it again.") from None
    content = encode(model)
    with written_whole(path) as file:
        file.write(content)


def restore(model: ModelFile, classifiers: Mapping[str, Any]) -> Any:
    """Make a fitted classifier of what was saved; ``classifiers`` has the classes by name.

    Raises
    ------
    InputError
        Something does not fit together.
    """
    entries = model.entries
    kind = entries["estimator"]
    if not isinstance(kind, str) or kind not in classifiers:
        raise InputError(f"There is no classifier {shown(kind)}. There are {listing(classifiers)}.")
    estimator = classifiers[kind](**_settings(classifiers[kind], entries["params"]))
    problem = member(Problem, entries["problem"], "problem")
    labels = _labels(entries["classes"], problem, kind)
    names = tuple(items(entries["concept_names"], '"concept_names"'))
    if type(entries["named"]) is not bool:
        raise InputError(f'"named" must be true or false. Got {shown(entries["named"])}.')
    _check_rules(model.rules, labels, names, problem)
    if model.front is not None and tuple(map(repr, model.front.labels)) != tuple(map(repr, labels)):
        raise InputError("Its front is about other classes than its network.")
    attributes = _network_attributes(kind, entries["network"])
    tensors = {name: tensor for name, tensor in model.tensors.items() if name not in _OPINION}
    if len(tensors) < len(model.tensors):
        warnings.warn(
            "The model was saved with a second opinion, which this release leaves out. Its network may "
            "predict otherwise for a few rows; its rules decide as before.",
            UserWarning,
            stacklevel=3,  # of whoever called load
        )
    _check_tensors(tensors, problem, len(labels), attributes["hidden"], len(names))

    vocabulary = model.rules.vocabulary
    columns = names if vocabulary is None else vocabulary.columns
    Inputs(np.zeros((0, len(names))), names, entries["named"], columns, vocabulary).note_on(estimator)
    estimator.prior_reports_ = ()
    estimator.classes_ = label_array(labels)
    estimator.problem_ = problem
    estimator.network_ = _network(kind, attributes, tensors, len(names))
    estimator.explanations_ = model.rules
    estimator.front_ = model.front or Front.of(model.rules)
    estimator.seen_ = None  # it holds tuples of training rows, which are not saved
    estimator.loss_curve_ = model.tensors["loss_curve"]
    estimator.n_iter_ = model.tensors["n_iter"]
    estimator.l1_ = model.tensors["penalty"]
    return estimator


# Settings


def _plain(name: str, value: Any) -> Any:
    """Return a setting as a value that JSON can carry."""
    match value:
        case _ if name == "random_state" and not isinstance(value, Integral):
            return None
        case _ if name == "device":
            return str(value)
        case ConceptEncoder():
            return {key: _plain("", part) for key, part in value.get_params(deep=False).items()}
        case None:
            return None
        case str():
            return str(value)
        case bool() | np.bool_():
            return bool(value)
        case Integral():
            return int(value)
        case Real() if isfinite(value):
            return float(value)
        case Mapping():
            return [[plain_label(label), _plain("", part)] for label, part in value.items()]
        case list() | tuple() | np.ndarray():
            return [_plain("", part) for part in value]
    raise InputError(f"The setting {name}={shown(value)} cannot be saved. Pass numbers, text or None.")


def _settings(classifier: Any, saved: Any) -> dict[str, Any]:
    """Settings of a classifier; those that are newer than the file have their defaults."""
    settings: dict[str, Any] = classifier().get_params(deep=False)
    if not isinstance(saved, dict):
        raise InputError(f'"params" must be an object. Got {shown(saved)}.')
    for name, value in saved.items():
        if name in _GONE:
            continue
        if name not in settings:
            raise InputError(f"{classifier.__name__} has no setting {shown(name)}.")
        settings[name] = None if name == "class_weight" and value == "auto" else _setting(name, value)
    check_settings(settings)
    if member(RuleKind, settings["rule"], "rule") is RuleKind.CLUSTER:
        raise InputError("The rule of a classifier must be 'iff', 'if' or 'only_if'. Got 'cluster'.")
    seed_of(settings["random_state"])
    if not isinstance(settings["device"], str):
        raise InputError(f"device must be text. Got {shown(settings['device'])}.")
    if not isinstance(settings["verbose"], int):
        raise InputError(f"verbose must be True or False. Got {shown(settings['verbose'])}.")
    return settings


def _setting(name: str, value: Any) -> Any:
    if name == "encoder" and isinstance(value, dict):
        return _encoder(value)
    if name == "class_weight" and isinstance(value, list):
        return dict(_weight(pair) for pair in value)
    if isinstance(value, list) and all(type(part) in (int, float) for part in value):
        return tuple(value)
    if isinstance(value, list | dict):
        raise InputError(f"The setting {name} has a value that no setting has. Got {shown(value)}.")
    return value


def _encoder(saved: dict[str, Any]) -> ConceptEncoder:
    """The encoder with these settings; those of single columns are pairs of column and setting."""
    settings = ConceptEncoder().get_params(deep=False)
    for name, value in saved.items():
        if name not in settings:
            raise InputError(f"ConceptEncoder has no setting {shown(name)}.")
        pairs = isinstance(value, list) and (name in ("cuts", "types") or [*map(type, value[:1])] == [list])
        settings[name] = dict(map(partial(_of_column, name), value)) if pairs else value
        if name == "missing_values" and isinstance(settings[name], list):
            settings[name] = tuple(value)
    encoder = ConceptEncoder(**settings)
    check_encoder_settings(encoder)
    return encoder


def _of_column(setting: str, pair: Any) -> tuple[str, Any]:
    if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
        raise InputError(f"{setting} must hold pairs of a column and its setting. Got {shown(pair)}.")
    return pair[0], pair[1]


def _weight(pair: Any) -> tuple[Label, float]:
    if not isinstance(pair, list) or len(pair) != 2 or type(pair[1]) not in (int, float):
        raise InputError(f"class_weight must hold pairs of label and weight. Got {shown(pair)}.")
    return plain_label(pair[0]), float(pair[1])


# Targets and rules


def _labels(saved: Any, problem: Problem, kind: str) -> tuple[Label, ...]:
    labels = tuple(plain_label(label) for label in items(saved, '"classes"'))
    check_labels(labels)
    two = len(labels) == 2
    # Two classes share one output, but for a mu network of the paper's.
    too_few = two and problem is Problem.SINGLE_LABEL and kind != "ReferenceMuClassifier"
    if not labels or too_few or (problem is Problem.BINARY and not two):
        raise InputError(f"{count(len(labels), 'label')} cannot make a problem of the kind {str(problem)!r}.")
    return labels


def _check_rules(
    rules: ExplanationSet, labels: tuple[Label, ...], names: tuple[str, ...], problem: Problem
) -> None:
    if tuple(map(repr, rules.labels)) != tuple(map(repr, labels)):
        raise InputError("Its rules are about other classes than its network.")
    if rules.concept_names != names:
        raise InputError("Its rules are about other concepts than its network.")
    if rules.multi_label != (problem is Problem.MULTI_LABEL):
        raise InputError(f"Its rules are not those of a problem of the kind {str(problem)!r}.")


# Networks


def _tensors_of(estimator: Any) -> Tensors:
    network = estimator.network_
    tensors = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
    tensors = {
        name: array.astype(np.uint8) if name.endswith("mask") else array for name, array in tensors.items()
    }
    return tensors | {
        "loss_curve": np.asarray(estimator.loss_curve_, dtype=np.float64),
        "n_iter": np.asarray(estimator.n_iter_, dtype=np.int64),
        "penalty": np.asarray(estimator.l1_, dtype=np.float64),
    }


def _attributes_of(kind: str) -> dict[str, type[int] | type[float] | type[bool]]:
    return _ATTRIBUTES[kind.removeprefix(_REFERENCE)]


def _network_attributes(kind: str, saved: Any) -> dict[str, Any]:
    types = _attributes_of(kind)
    attributes = fields(saved, ("hidden", *types), '"network"')
    for size in items(attributes["hidden"], '"hidden"'):
        if type(size) is not int or size < 1:
            raise InputError(
                f"A hidden layer's size must be a whole number of at least 1. Got {shown(size)}."
            )
    for name, type_ in types.items():
        value = attributes[name]
        if type(value) is not type_ or not isfinite(value):
            raise InputError(f"{name} of a network must be of type {type_.__name__}. Got {shown(value)}.")
    return attributes


def _check_tensors(
    tensors: Mapping[str, NDArray[Any]], problem: Problem, n_labels: int, hidden: list[int], n_concepts: int
) -> None:
    """Refuse tensors that are missing, unknown, of another shape or type, or hold impossible values."""
    n_outputs = 1 if problem is Problem.BINARY else n_labels
    # What the file decides freely: how many concepts are read, how many epochs there were.
    width = tensors["columns"].shape[-1] if "columns" in tensors and tensors["columns"].ndim else n_concepts
    epochs = len(tensors["loss_curve"]) if "loss_curve" in tensors and tensors["loss_curve"].ndim else 0
    expected: dict[str, tuple[str, tuple[int, ...]]] = {
        "l1": ("float64", (n_outputs,)),
        "penalty": ("float64", (n_outputs,)),
        "n_iter": ("int64", (n_outputs,)),
        "loss_curve": ("float64", (epochs, n_outputs)),
    }
    if "columns" in tensors:
        expected["columns"] = ("int64", (n_outputs, width))
    sizes = [width, *hidden, 1]
    for at, (n_in, n_out) in enumerate(pairwise(sizes)):
        expected[f"layers.{at}.weight"] = ("float64", (n_outputs, n_out, n_in))
        expected[f"layers.{at}.mask"] = ("uint8", (n_outputs, n_out, n_in))
        expected[f"layers.{at}.bias"] = ("float64", (n_outputs, n_out, 1))
    for name, tensor in fields(dict(tensors), expected, "The network").items():
        dtype, shape = expected[name]
        if tensor.dtype != dtype or tensor.shape != shape:
            raise InputError(
                f"The tensor {name!r} must be of type {dtype} and shape {shape}. "
                f"Got {tensor.dtype} and {tensor.shape}."
            )
        if name != "loss_curve" and not np.isfinite(tensor).all():
            raise InputError(f"The tensor {name!r} holds values that are not finite.")
        if name.endswith("mask") and (tensor > 1).any():
            raise InputError(f"The tensor {name!r} must hold 0 and 1 only.")
    if "columns" in tensors:
        _check_columns(tensors["columns"], n_concepts)


def _check_columns(columns: NDArray[Any], n_concepts: int) -> None:
    ordered = np.sort(columns, axis=1)
    distinct = (ordered[:, 1:] > ordered[:, :-1]).all()
    if not columns.shape[1] or not distinct or ordered.min() < 0 or ordered.max() >= n_concepts:
        raise InputError("The tensor 'columns' must hold positions of concepts, each once for an output.")


def _network(
    kind: str, attributes: dict[str, Any], tensors: Mapping[str, NDArray[Any]], n_concepts: int
) -> LogicNetwork:
    """Make the network of tensors that were checked."""
    import torch

    from logiclens.nn.entropy import EntropyNetwork
    from logiclens.nn.mu import MuNetwork
    from logiclens.nn.psi import PsiNetwork
    from logiclens.nn.relu import ReluNetwork

    made: dict[str, type[LogicNetwork]] = {
        "EntropyClassifier": EntropyNetwork,
        "MuClassifier": MuNetwork,
        "PsiClassifier": PsiNetwork,
        "ReluClassifier": ReluNetwork,
    }
    parts = {name: torch.tensor(array) for name, array in tensors.items()}
    width = tensors["layers.0.weight"].shape[2]
    streams = [np.random.default_rng(0)] * len(tensors["l1"])  # for weights that are replaced below
    network = made[kind.removeprefix(_REFERENCE)](
        streams, width, attributes["hidden"], tensors["l1"].tolist()
    )
    network.n_concepts = n_concepts
    network.l1 = parts["l1"]
    network.columns = parts.get("columns")
    for at, layer in enumerate(network.linears):
        layer.weight = torch.nn.Parameter(parts[f"layers.{at}.weight"])
        layer.bias = torch.nn.Parameter(parts[f"layers.{at}.bias"])
        layer.mask = parts[f"layers.{at}.mask"].double()
    for name in _attributes_of(kind):
        setattr(network, name, attributes[name])
    return network
