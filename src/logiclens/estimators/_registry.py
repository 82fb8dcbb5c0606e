"""Classifiers by name: a saved model is loaded as the class that has its name."""

from __future__ import annotations

from typing import Any

OURS = "logiclens.estimators.classifiers"
"""Module of the classifiers of this package, whose names nobody else can take."""
CLASSIFIERS: dict[str, type[Any]] = {}
"""Every classifier by name, ours and others that are defined; of several of a name the last."""


def register(kind: type[Any]) -> None:
    """Remember a class by its name, unless that is private or one of ours."""
    name = kind.__name__
    taken = name in CLASSIFIERS and CLASSIFIERS[name].__module__ == OURS and kind.__module__ != OURS
    if not (taken or name.startswith("_")):
        CLASSIFIERS[name] = kind
