"""What a saved file holds, for commands that use one: rules without torch, the network where it is needed."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from logiclens.errors import InputError, UnknownTargetError

if TYPE_CHECKING:
    from logiclens.explain import ExplanationSet
    from logiclens.explain.rule import Label

_RESULTS = re.compile(rb'\s*\{\s*"format"\s*:\s*"logiclens\.results"')

Model: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="File that --save wrote: a model, or rules alone."),
]


def rules_in(path: str | os.PathLike[str], literals: int | None = None) -> ExplanationSet:
    """The rules that a file holds, of a model or alone; torch is not needed.

    Parameters
    ----------
    path : str or path
    literals : int, optional
        Most literals, all together; those that were shown when missing.

    Raises
    ------
    FileError
        There is no such file, or it may not be read.
    InputError
        It holds neither, is damaged or comes from a later release.
    """
    from logiclens.explain import load_rules
    from logiclens.files._atomic import read_whole
    from logiclens.loading import front_of_model, rules_of_model

    content = read_whole(path)
    if _is_model(content):
        return rules_of_model(path) if literals is None else front_of_model(path).rules(literals)
    if content.lstrip()[:1] != b"{":
        raise InputError(
            f"{os.fspath(path)!r} holds neither a model nor rules. "
            "Pass a file that logiclens explain --save wrote."
        )
    if _RESULTS.match(content[:200]):
        raise InputError(
            f"{os.fspath(path)!r} holds results, as --json writes them; save rules with --save rules.json."
        )
    if literals is not None:
        raise InputError(
            f"{os.fspath(path)!r} holds rules of one length. Leave out --literals, or name the model's file."
        )
    return load_rules(path)


def network_in(path: str | os.PathLike[str]) -> Any:
    """The model that a file holds, with its network; None where it holds rules alone."""
    from logiclens.files._atomic import read_whole
    from logiclens.loading import load

    return load(path) if _is_model(read_whole(path)) else None


def _is_model(content: bytes) -> bool:
    from logiclens.explain._model_file import is_model

    return is_model(content)


def label_named(rules: ExplanationSet, text: str) -> Label:
    """The label that a text on the command line stands for."""
    for label in rules:
        if text in (str(label), str(label).lower() if isinstance(label, bool) else str(label)):
            return label
    raise UnknownTargetError(text, rules.labels)
