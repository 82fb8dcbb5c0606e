"""What an audit needs to repeat a report: versions, seed, settings, hashes, the time.

The time is that of ``SOURCE_DATE_EPOCH`` where it is set, so that the same report is the same file.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import logiclens
from logiclens.errors import InputError, shown
from logiclens.reporting.columns import Source
from logiclens.reporting.facts import Provenance
from logiclens.reporting.rule_facts import Plain
from logiclens.reporting.subject import Subject

PACKAGES = ("narwhals", "numpy", "pyarrow", "scikit-learn", "scipy", "torch")
"""Packages that results depend on."""


def provenance_of(subject: Subject, source: Source) -> Provenance:
    """What an audit needs to repeat it.

    Raises
    ------
    InputError
        ``SOURCE_DATE_EPOCH`` is set, and no number of seconds.
    """
    return Provenance(
        version=logiclens.__version__,
        created=created(),
        seed=subject.seed,
        network=subject.network,
        settings=plain_settings(subject.settings),
        data_sha256=source.data_sha256,
        rules_sha256=hashlib.sha256(subject.rules.to_json().encode()).hexdigest(),
        python=platform.python_version(),
        packages={name: found for name in PACKAGES if (found := _version(name))},
        command=source.command,
    )


def created() -> str:
    """The time, in UTC, to the second."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).isoformat(timespec="seconds")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"SOURCE_DATE_EPOCH must be a whole number of seconds since 1970. Got {shown(epoch)}."
        ) from None


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Plain]:
    """Settings as JSON knows them: what is neither a number nor a word, as it would be written.

    Examples
    --------
    >>> plain_settings({"l1": (0.1, 0.2), "verbose": False, "model": object})
    {'l1': '(0.1, 0.2)', 'verbose': False, 'model': 'type'}
    """
    return {name: _plain(value) for name, value in settings.items()}


def _plain(value: Any) -> Plain:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, tuple | list | dict) or hasattr(value, "get_params"):
        text = " ".join(repr(value).split())
        return text if len(text) <= 200 else f"{text[:199]}…"
    return type(value).__name__  # the text of others may hold an address, which would differ each time


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
