"""A method: something that learns from the training rows of folds and predicts their test rows.

Models of other packages print, warn, and draw from generators that the whole process shares;
:func:`isolation` contains that.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from logiclens.errors import InputError, MissingDependencyError, did_you_mean, shown
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.formula import Formula

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold


DONE = "done"
"""Status of a fit that came to its end."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method predicts for the test rows of one fold, and its rules.

    Parameters
    ----------
    answers : ndarray of int, shape (n_test,)
        Class that the model, not its rules, gives each test row.
    said : ndarray of bool, shape (n_test, n_classes)
        What the model says about each class by itself; where it only names one class, that one alone.
    rules : mapping of class name to Formula, or None
        A formula over the fold's concept names for every class; None for a model without rules.
    seconds_train, seconds_extract : float
        Where the two cannot be told apart, all of it is training.
    status : str, default "done"
    list_literals : float, optional
        Literals of rules that are read in order, as they are read, mean over classes. The formula of a class
        has more: it also says that no earlier rule fired.
    decided : ndarray of int, shape (n_test,), optional
        Class that the rules give each test row, where they decide as a list.
    probability : ndarray of shape (n_test, n_classes), optional
        How probable the model says that each class is, where it says so.

    Examples
    --------
    >>> answers = np.array([1, 0])
    >>> Outcome(answers, one_hot(answers, 2), None, seconds_train=0.1, seconds_extract=0.0).status
    'done'
    """

    answers: IndexArray
    said: BoolArray
    rules: Mapping[str, Formula] | None
    seconds_train: float
    seconds_extract: float
    status: str = DONE
    list_literals: float | None = None
    decided: IndexArray | None = None
    probability: FloatArray | None = None


class Method(Protocol):
    """A learner under the name that rows of results carry."""

    @property
    def name(self) -> str:
        """Short name, for files and options."""
        ...

    @property
    def title(self) -> str:
        """Name for people."""
        ...

    @property
    def together(self) -> bool:
        """True if all folds of an experiment are one piece of work."""
        ...

    @property
    def has_rules(self) -> bool:
        """True if outcomes have rules."""
        ...

    @property
    def slow(self) -> bool:
        """True if a fit may take hours; it then runs in a process that can be stopped."""
        ...

    @property
    def package(self) -> str:
        """The extra package it needs; empty for none."""
        ...

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        """Learn each fold's training rows and predict its test rows.

        Parameters
        ----------
        folds : sequence of Fold
            Of one experiment.
        seed : int
            The same folds and the same seed give the same outcomes, seconds apart.

        Returns
        -------
        list of Outcome
            One for each fold, in their order.
        """
        ...


@dataclass(frozen=True)
class FoldByFold(ABC):
    """A method that learns one fold at a time.

    A class may state an ``identity``: the name under which finished work is kept. Work that was done before
    the class moved or changed its name is then still found.
    """

    identity: ClassVar[str]
    name: str
    title: str
    has_rules: bool = True
    slow: bool = False
    package: str = ""
    together: ClassVar[bool] = False

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        """Learn each fold's training rows and predict its test rows; see :meth:`Method.fit`."""
        return [self.fit_fold(fold, seed) for fold in folds]

    @abstractmethod
    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        """Learn one fold."""


AnyMethod = TypeVar("AnyMethod", bound=Method)


class Stopwatch:
    """Measures seconds since it was made or last read.

    Parameters
    ----------
    *packages : str
        To be loaded first: torch takes seconds for that, which are no method's work.

    Examples
    --------
    >>> Stopwatch("numpy").lap() >= 0.0
    True
    """

    def __init__(self, *packages: str) -> None:
        for name in packages:
            import_module(name)
        self._since = time.perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = time.perf_counter()
        seconds, self._since = now - self._since, now
        return seconds


def one_hot(answers: Any, n_classes: int) -> BoolArray:
    """The classes of rows, (n,), as a table, (n, n_classes), with one True a row.

    Examples
    --------
    >>> one_hot([1, 0], 2).tolist()
    [[False, True], [True, False]]
    """
    return np.eye(n_classes, dtype=np.bool_)[np.asarray(answers, dtype=np.intp)]


def by_class(model: Any, x: Any, fold: Fold) -> FloatArray:
    """Probabilities of a model of scikit-learn by class of the fold, (n, n_classes); 0 where it has none."""
    probability = np.zeros((len(x), len(fold.class_names)))
    probability[:, np.asarray(model.classes_, dtype=np.intp)] = model.predict_proba(x)
    return probability


def is_installed(package: str) -> bool:
    """True if a package is installed; it is not imported. The empty name is always there.

    Examples
    --------
    >>> is_installed("json"), is_installed("no_such_package"), is_installed("")
    (True, False, True)
    """
    return not package or importlib.util.find_spec(package) is not None


def package_for(title: str, package: str) -> Any:
    """Import a package that a method needs.

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
            return import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "logiclens":
            raise
        raise MissingDependencyError(
            f"{title} needs the package {package}, which is not installed. "
            "Run: pip install 'logiclens[bench]'"
        ) from None


def object_at(place: str) -> Any:
    """What ``module:name`` says, also in a module of the working directory; the module is imported.

    Raises
    ------
    InputError
        The module cannot be imported, or has nothing of that name.

    Examples
    --------
    >>> object_at("math:pi")
    3.141592653589793
    """
    module, _, name = place.partition(":")
    if not module or not name:
        raise InputError(f"Write module:name, such as my_methods:MyMethod. Got {shown(place)}.")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(module)
    except Exception as error:
        why = " ".join(str(error).split())
        raise InputError(f"The module {module!r} cannot be imported: {type(error).__name__}: {why}") from None
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"The module {module!r} has no {name!r}. Write module:name.")
        found = getattr(found, part)
    return found


def named_method(methods: Mapping[str, AnyMethod], name: str, where: str = "") -> AnyMethod:
    """The method of that name.

    Parameters
    ----------
    methods : mapping of str to Method
    name : str
    where : str, default ""
        Goes on after the name in the message.

    Raises
    ------
    InputError
        There is none.
    """
    if name not in methods:
        raise InputError(
            f"Unknown method {shown(name)}{where}. {did_you_mean(name, methods)}"
            f"There are {', '.join(methods)}."
        )
    return methods[name]


def available(
    methods: Mapping[str, Method], names: Sequence[str], tell: Callable[[str], object]
) -> tuple[str, ...]:
    """The methods to run: those named or, if none is, all whose packages are installed.

    Parameters
    ----------
    methods : mapping of str to Method
    names : sequence of str
    tell : callable
        Is told, in a line, of each method that is left out.

    Raises
    ------
    InputError
        There is no method of that name.
    MissingDependencyError
        A method that was named needs a package that is not installed.
    """
    for name in names:
        method = named_method(methods, name)
        if method.package:
            package_for(method.title, method.package)
    if names:
        return tuple(names)
    lacking = {name: each.package for name, each in methods.items() if not is_installed(each.package)}
    for name, package in lacking.items():
        tell(f"{name} is left out: it needs {package}. Run: pip install 'logiclens[bench]'")
    return tuple(name for name in methods if name not in lacking)


@contextmanager
def isolation(seed: int) -> Iterator[None]:
    """Isolate other people's code: seed and restore the shared generators, print nothing, warn of nothing.

    Parameters
    ----------
    seed : int
        At least 0.

    Examples
    --------
    >>> with isolation(0):
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
