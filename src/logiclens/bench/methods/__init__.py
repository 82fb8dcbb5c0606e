"""The methods that are compared: our networks, trees, rule lists, rule sets, and models without rules.

Packages that a method needs, ours included, are imported when it is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from logiclens.bench.methods.brl import BayesianRuleList
from logiclens.bench.methods.ceilings import Boosting, Logistic, Perceptron
from logiclens.bench.methods.clusterers import Clusterer
from logiclens.bench.methods.method import Method, Outcome
from logiclens.bench.methods.networks import Network
from logiclens.bench.methods.ripper import Ripper
from logiclens.bench.methods.tree import Tree
from logiclens.errors import InputError, did_you_mean, shown

if TYPE_CHECKING:
    from logiclens.bench.experiments import HasFolds

__all__ = ["CLUSTERERS", "DEFAULT", "METHODS", "Method", "Outcome", "method_for", "methods_for"]

DEFAULT = "mu"
"""Name of the method that the package itself starts with."""

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Network("mu", "mu"),
            Network("psi", "psi"),
            Network("relu", "ReLU"),
            Network("entropy", "entropy"),
            Network("mu-reference", "mu (reference)", reference=True),
            Network("psi-reference", "psi (reference)", reference=True),
            Network("relu-reference", "ReLU (reference)", reference=True),
            Network("entropy-reference", "entropy (reference)", reference=True),
            Tree(),
            BayesianRuleList(),
            Ripper(),
            Logistic(),
            Perceptron(),
            Boosting(),
        )
    }
)
"""Every method by name, for experiments with classes to learn."""

CLUSTERERS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Clusterer("mu", "mu"),
            Clusterer("psi", "psi"),
            Clusterer("relu", "ReLU"),
            Clusterer("entropy", "entropy"),
        )
    }
)
"""Those for experiments without, under the names of their networks."""


def methods_for(experiment: HasFolds) -> Mapping[str, Method]:
    """The methods that apply to an experiment, by name, with what the experiment says about them.

    Parameters
    ----------
    experiment : Experiment
    """
    if not experiment.supervised:
        return CLUSTERERS
    tree = Tree(max_depth=experiment.tree_depth)
    return MappingProxyType({**METHODS, tree.name: tree})


def method_for(name: str, experiment: HasFolds) -> Method:
    """One of :func:`methods_for`.

    Parameters
    ----------
    name : str
    experiment : Experiment

    Raises
    ------
    InputError
        There is none of that name.
    """
    known = methods_for(experiment)
    if name not in known:
        raise InputError(
            f"Unknown method {shown(name)} for {experiment.title}. {did_you_mean(name, known)}"
            f"There are {', '.join(known)}."
        )
    return known[name]
