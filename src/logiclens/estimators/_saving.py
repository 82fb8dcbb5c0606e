"""Fitted classifiers as values that can be written to a file, and back.

What is kept: settings, networks, rules, names, and how training went. What is not: training rows, and the
truth tables made of them, which would reveal the people behind the rows. Reading runs no code of the file:
the class is looked up among those that are defined, a criterion among those that are registered, and every
entry and tensor is checked before anything is made of it. A class makes its own network.

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
from logiclens.errors import InputError, count, shown
from logiclens.estimators._parameters import CROSS_ENTROPY, check_criterion, check_settings, seed_of
from logiclens.estimators._registry import CLASSIFIERS, OURS
from logiclens.estimators.inputs_and_targets import Inputs, Problem
from logiclens.explain._model_file import ModelFile, encode
from logiclens.explain.front import Front
from logiclens.explain.rule import Label, RuleKind, check_labels, label_array, member, plain_label
from logiclens.explain.rule_set import ExplanationSet
from logiclens.files._storage import fields, items, written_whole

if TYPE_CHECKING:
    from logiclens.nn.population import LogicNetwork

_GONE = frozenset({"aggregation", "candidates", "settle", "unseen"})
"""Settings of earlier releases, which the fit no longer has."""
_KNOWN = ("n_concepts", "training")
"""Numbers of a network that the rest of the file says."""
_OPINION = ("opinion", "opinion_bias", "opinion_margin")
"""Tensors of earlier releases, of a second model whose outputs were added to those of the network."""

Tensors = dict[str, NDArray[Any]]


def save_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier to one file, for :func:`logiclens.loading.load`.

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
    if CLASSIFIERS.get(kind) is not type(estimator):
        raise InputError(
            f"A model is loaded by the name of its class, and {kind!r} is another class now. Give the class "
            "a name of its own, without a leading underscore, and fit again."
        )
    check_is_fitted(estimator)
    network = estimator.network_
    entries = {
        "estimator": kind,
        "params": {name: _plain(name, value) for name, value in estimator.get_params(deep=False).items()},
        "network": {
            "hidden": [layer.weight.shape[1] for layer in network.linears[:-1]],
            **_attributes(network),
        },
        "problem": str(estimator.problem_),
        "classes": [plain_label(label) for label in estimator.classes_],
        "concept_names": list(estimator.concept_names_),
        "named": hasattr(estimator, "feature_names_in_"),
    }
    model = ModelFile(entries, estimator.explanations_, _tensors_of(estimator), estimator.front_)
    try:
        restore(model)  # what could not be read is not written
    except InputError as error:
        raise InputError(f"This {kind} cannot be saved. {error} Fit it again.") from None
    content = encode(model)
    with written_whole(path) as file:
        file.write(content)


def check_known(model: ModelFile) -> None:
    """Refuse a model whose class is not defined here, or whose criterion is not registered.

    Raises
    ------
    InputError
        It says what to do.
    """
    kind, params = model.entries["estimator"], model.entries["params"]
    if not isinstance(kind, str) or kind not in CLASSIFIERS:
        raise InputError(
            f"Its class {shown(kind)} is not defined here. Import the module that defines it, and load again."
        )
    if isinstance(params, dict) and isinstance(criterion := params.get("criterion", CROSS_ENTROPY), str):
        check_criterion(criterion)


def restore(model: ModelFile) -> Any:
    """Make a fitted classifier of what was saved, if :func:`check_known` has nothing against it.

    Raises
    ------
    InputError
        Something does not fit together.
    """
    entries = model.entries
    kind = entries["estimator"]
    settings = _settings(CLASSIFIERS[kind], entries["params"])
    estimator: Any = CLASSIFIERS[kind](**settings)
    problem = member(Problem, entries["problem"], "problem")
    labels = _labels(entries["classes"], problem, kind)
    names = tuple(items(entries["concept_names"], '"concept_names"'))
    if type(entries["named"]) is not bool:
        raise InputError(f'"named" must be true or false. Got {shown(entries["named"])}.')
    _check_rules(model.rules, labels, names, problem)
    if model.front is not None and tuple(map(repr, model.front.labels)) != tuple(map(repr, labels)):
        raise InputError("Its front is about other classes than its network.")
    hidden = _hidden(entries["network"])
    tensors = {name: tensor for name, tensor in model.tensors.items() if name not in _OPINION}
    if len(tensors) < len(model.tensors):
        warnings.warn(
            "The model was saved with a second opinion, which this release leaves out. Its network may "
            "predict otherwise for a few rows; its rules decide as before.",
            UserWarning,
            stacklevel=3,  # of whoever called load
        )
    own = _check_tensors(tensors, problem, len(labels), hidden, len(names))
    network = _network(CLASSIFIERS[kind](**settings | {"hidden": hidden}), tensors, own, len(names))
    _set_attributes(network, entries["network"])

    vocabulary = model.rules.vocabulary
    columns = names if vocabulary is None else vocabulary.columns
    Inputs(np.zeros((0, len(names))), names, entries["named"], columns, vocabulary).note_on(estimator)
    estimator.prior_reports_ = ()
    estimator.classes_ = label_array(labels)
    estimator.problem_ = problem
    estimator.network_ = network
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
        case _ if name == "criterion":
            return _name_of(value)
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


def _name_of(criterion: Any) -> str:
    if not isinstance(criterion, str):
        from logiclens.nn.criteria import name_of_criterion

        name = name_of_criterion(criterion)
        if name is None:
            raise InputError(
                f"The criterion {shown(criterion)} cannot be saved without a name. Give it one with "
                "logiclens.nn.criteria.register_criterion."
            )
        return name
    return criterion


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
    # Two classes share one output, but for a mu network of the paper's, and perhaps for others' classes.
    ours = CLASSIFIERS[kind].__module__ == OURS and kind != "ReferenceMuClassifier"
    too_few = two and problem is Problem.SINGLE_LABEL and ours
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


def _attributes(network: LogicNetwork) -> dict[str, int | float | bool]:
    """Numbers that a network has beside its tensors; settings may have been changed since it was made."""
    return {
        name: value
        for name, value in vars(network).items()
        if type(value) in (int, float, bool) and not name.startswith("_") and name not in _KNOWN
    }


def _set_attributes(network: LogicNetwork, saved: Any) -> None:
    """Set the numbers that were saved; they must be those that a network of this class has."""
    expected = _attributes(network)
    for name, value in fields(saved, ("hidden", *expected), '"network"').items():
        if name == "hidden":
            continue
        if type(value) is not type(expected[name]) or not isfinite(value):
            kind = type(expected[name]).__name__
            raise InputError(f"{name} of a network must be of type {kind}. Got {shown(value)}.")
        setattr(network, name, value)


def _hidden(saved: Any) -> tuple[int, ...]:
    """Sizes of the hidden layers."""
    if not isinstance(saved, dict) or "hidden" not in saved:
        fields(saved, ("hidden",), '"network"')
    sizes = items(saved["hidden"], '"hidden"')
    for size in sizes:
        if type(size) is not int or size < 1:
            raise InputError(
                f"A hidden layer's size must be a whole number of at least 1. Got {shown(size)}."
            )
    return tuple(sizes)


def _check_tensors(
    tensors: Mapping[str, NDArray[Any]],
    problem: Problem,
    n_labels: int,
    hidden: tuple[int, ...],
    n_concepts: int,
) -> Tensors:
    """Refuse tensors that are missing, of another shape or type, or hold impossible values.

    Returns those that are none of layers or training: a class may have its own.
    """
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
    own = {name: tensor for name, tensor in tensors.items() if name not in expected}
    ours = {name: tensor for name, tensor in tensors.items() if name in expected}
    for name, tensor in fields(ours, expected, "The network").items():
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
    return own


def _check_columns(columns: NDArray[Any], n_concepts: int) -> None:
    ordered = np.sort(columns, axis=1)
    distinct = (ordered[:, 1:] > ordered[:, :-1]).all()
    if not columns.shape[1] or not distinct or ordered.min() < 0 or ordered.max() >= n_concepts:
        raise InputError("The tensor 'columns' must hold positions of concepts, each once for an output.")


def _network(
    classifier: Any, tensors: Mapping[str, NDArray[Any]], own: Tensors, n_concepts: int
) -> LogicNetwork:
    """Have a classifier make its network, and give it tensors: those that were checked, and its own."""
    import torch

    parts = {name: torch.tensor(array) for name, array in tensors.items()}
    streams = [np.random.default_rng(0)] * len(tensors["l1"])  # for weights that are replaced below
    network: LogicNetwork = classifier.make_network(streams, n_concepts, tensors["l1"].tolist(), n_concepts)
    network.double().eval()
    expected = {
        name: tensor for name, tensor in network.state_dict().items() if name not in {*tensors} - {*own}
    }
    n_layers = sum(name.endswith(".mask") for name in tensors)
    if len(network.linears) != n_layers:
        raise InputError(f"Its network has {count(n_layers, 'layer')}, not {len(network.linears)}.")
    for name, array in fields(own, expected, "The network").items():
        if array.shape[:1] != expected[name].shape[:1] or not np.isfinite(array).all():
            raise InputError(
                f"The tensor {name!r} must hold finite numbers, a row for each member. "
                f"Got shape {array.shape}."
            )
        place, _, last = name.rpartition(".")
        module, value = network.get_submodule(place), parts[name].to(expected[name].dtype)
        learned = last in dict(module.named_parameters(recurse=False))
        setattr(module, last, torch.nn.Parameter(value) if learned else value)
    network.l1 = parts["l1"]
    network.columns = parts.get("columns")
    for at, layer in enumerate(network.linears):
        layer.weight = torch.nn.Parameter(parts[f"layers.{at}.weight"])
        layer.bias = torch.nn.Parameter(parts[f"layers.{at}.bias"])
        layer.mask = parts[f"layers.{at}.mask"].double()
    return network
