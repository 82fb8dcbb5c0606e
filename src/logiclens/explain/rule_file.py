"""Rules in a file of their own: JSON, which neither torch nor scikit-learn is needed to read."""

from __future__ import annotations

import os

from logiclens.errors import FileError, InputError
from logiclens.explain.rule_set import ExplanationSet
from logiclens.explain.saved import read_file
from logiclens.files.writing import as_file


def load_rules(path: str | os.PathLike[str]) -> ExplanationSet:
    """Read the rules that :meth:`ExplanationSet.save` wrote; no code is run.

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
    file = as_file(path)
    try:
        return ExplanationSet.from_json(read_file(file))
    except FileError:
        raise
    except InputError as error:
        raise InputError(f"{os.fspath(path)!r} does not hold rules that can be read. {error}") from None
