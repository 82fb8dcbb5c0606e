"""What may be asked of a run, and what makes it the run it is: by that a checkpoint knows its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from logiclens.errors import InputError, count, listing, shown
from logiclens.estimators.base import LENClassifier
from logiclens.scale.streaming.source import ParquetSource

_NOT_PART_OF_A_RUN = ("verbose", "device", "random_state")


def check_estimator(estimator: Any) -> None:
    """Refuse what is no classifier of ours, or is to encode raw columns."""
    if not isinstance(estimator, LENClassifier):
        raise InputError(
            "fit_streaming fits MuClassifier, EntropyClassifier, PsiClassifier or ReluClassifier. "
            f"Got {shown(estimator)}."
        )
    estimator.check_settings()
    if estimator.row_by_row:
        raise InputError(
            f"{type(estimator).__name__} looks at all rows at once, as in the paper. Use a classifier "
            "without the reference settings."
        )
    if estimator.encoder is not None and not isinstance(estimator.encoder, str):
        raise InputError(
            "fit_streaming reads scores in [0, 1] as they are. Use encoder=None, or logiclens.scale.fit, "
            "which makes concepts of raw columns."
        )


def concepts_of(
    columns: Sequence[str] | None, targets: tuple[str, ...], files: ParquetSource
) -> tuple[str, ...]:
    """The columns that are concepts: those named, or all but the targets."""
    if columns is None:
        names = tuple(name for name in files.types if name not in targets)
    elif not isinstance(columns, list | tuple) or not all(isinstance(name, str) for name in columns):
        raise InputError(f"columns must be a list of names. Got {shown(columns)}.")
    else:
        names = tuple(columns)
    if not names:
        raise InputError("There is no column besides the targets. Pass files that have concepts.")
    if len(set(names)) < len(names) or set(names) & set(targets):
        odd = next(name for name in names if names.count(name) > 1 or name in targets)
        raise InputError(f"columns names {odd!r} twice, or the target. Name each concept once.")
    files.check_columns(names)
    return names


def run_of(
    estimator: LENClassifier, files: ParquetSource, targets: tuple[str, ...], concepts: tuple[str, ...]
) -> dict[str, Any]:
    """What makes a run what it is; a text for each thing, for messages."""
    settings = {
        name: repr(value)
        for name, value in estimator.get_params(deep=False).items()
        if name not in _NOT_PART_OF_A_RUN
    }
    state = estimator.random_state
    seed = repr(int(state)) if isinstance(state, int | np.integer) else "drawn"
    n_files, n_rows = count(len(files.paths), "file"), count(files.n_rows, "row")
    return {
        "files": f"{n_files} of {n_rows}, {_digest(files.extent)}",
        "target": listing(targets),
        "columns": f"{count(len(concepts), 'column')}, {_digest(concepts)}",
        "estimator": type(estimator).__name__,
        **settings,
        "random_state": seed,
    }


def last_change(files: ParquetSource) -> str:
    """When the files were last written, for a checkpoint: other data may look the same from outside.

    It is not part of :func:`run_of`, as copies of the files on several machines may be of any age.
    """
    latest = np.datetime64(max(files.changed), "ns").astype("datetime64[s]")
    return f"{latest} UTC, {_digest(files.changed)}"


def _digest(value: object) -> str:
    return sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def check_same(runs: Sequence[Mapping[str, Any]]) -> None:
    """Refuse processes that were started with different files or settings."""
    for run in runs:
        for key, value in runs[0].items():
            if run.get(key) != value:
                raise InputError(
                    f"The processes disagree on {key}: {value} in one, {run.get(key)} in another. "
                    "Give all of them the same files and settings."
                )
