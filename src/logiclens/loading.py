"""Read back what was saved: rules or a fitted classifier, whichever a file holds. Its code is never run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from logiclens.errors import InputError
from logiclens.explain._model_file import ModelFile, decode, is_model
from logiclens.explain.front import Front
from logiclens.explain.rule_set import ExplanationSet, load_rules
from logiclens.files._storage import read_whole

if TYPE_CHECKING:
    from logiclens.estimators.base import LENClassifier


def load(path: str | os.PathLike[str]) -> LENClassifier | ExplanationSet:
    """Read a file that the ``save`` of a classifier or of its rules wrote; no code of the file is run.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    classifier or ExplanationSet
        A fitted classifier that predicts as the saved one did and has its rules; nothing of the training rows
        is saved, so single rows are explained on all combinations of the concepts that the network keeps. Or
        rules, for which neither torch nor scikit-learn is imported.

    Raises
    ------
    InputError
        The file is damaged, comes from elsewhere or from a later release, or needs a class or criterion of
        your own that is not defined, or not registered, yet.

    Examples
    --------
    >>> import tempfile
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rules.save(f"{folder}/birds.json")
    ...     print(load(f"{folder}/birds.json"))
    forall x: bird(x) <-> wings(x)
    """
    content = read_whole(path)
    if content.lstrip()[:1] == b"{" and not is_model(content):
        return load_rules(path)
    with _file_named(path, "a model" if is_model(content) else "a model or rules"):
        if not is_model(content):
            raise InputError("It was not saved here. Pass a file that save() wrote.")
        model = decode(content)
        from logiclens.estimators._saving import check_known, restore

        check_known(model)
        try:
            classifier: LENClassifier = restore(model)
        except InputError as error:
            raise InputError(f"{error} Save it again.") from None
        return classifier


def rules_of_model(path: str | os.PathLike[str]) -> ExplanationSet:
    """Read the rules alone out of the file of a model; neither torch nor scikit-learn is needed.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    ExplanationSet

    Raises
    ------
    InputError
        The file is damaged, comes from elsewhere or from a later release.
    """
    return _model_file(path).rules


def front_of_model(path: str | os.PathLike[str]) -> Front:
    """Read rules of every length out of the file of a model; neither torch nor scikit-learn is needed.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Front
        Of a file that has one length, a front of that.

    Raises
    ------
    InputError
        The file is damaged, comes from elsewhere or from a later release.
    """
    model = _model_file(path)
    return Front.of(model.rules) if model.front is None else model.front


def _model_file(path: str | os.PathLike[str]) -> ModelFile:
    content = read_whole(path)
    with _file_named(path, "a model"):
        if not is_model(content):
            raise InputError("It was not saved by a classifier. For the file of rules use load_rules().")
        return decode(content)


@contextmanager
def _file_named(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError(f"{os.fspath(path)!r} does not hold {what} that can be read. {error}") from None
