"""Models of other packages, which print, warn and draw from the generators that all of a process share."""

from __future__ import annotations

import importlib
import importlib.util
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from logiclens.errors import MissingDependencyError


def is_installed(package: str) -> bool:
    """Whether a package is there; it is not imported. No package needs nothing.

    Examples
    --------
    >>> is_installed("json"), is_installed("no_such_package"), is_installed("")
    (True, False, True)
    """
    return not package or importlib.util.find_spec(package) is not None


def package_for(title: str, package: str) -> Any:
    """Import what a method needs.

    Parameters
    ----------
    title : str
        The method.
    package : str

    Raises
    ------
    MissingDependencyError
        It is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "logiclens":
            raise
        raise MissingDependencyError(
            f"{title} needs the package {package}, which is not installed. "
            "Run: pip install 'logiclens[bench]'"
        ) from None


@contextmanager
def secluded(seed: int) -> Iterator[None]:
    """A place for code of others: shared generators are seeded and put back, nothing printed or warned of.

    Parameters
    ----------
    seed : int
        At least 0.

    Examples
    --------
    >>> with secluded(0):
    ...     print("not to be seen")
    """
    python, legacy = random.getstate(), np.random.get_state()
    try:
        random.seed(seed)
        np.random.seed(seed % 2**32)
        with warnings.catch_warnings(record=True), redirect_stdout(StringIO()):
            warnings.simplefilter("always")
            yield
    finally:
        random.setstate(python)
        np.random.set_state(legacy)
