"""What everything that is saved shares: a format and a version, exact JSON, no half-written files.

A saved value is one JSON object whose entries ``format`` and ``version`` say what it is. Reading runs no
code, and refuses with one line what is damaged, comes from elsewhere or from a later release.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from logiclens.errors import InputError, listing, shown
from logiclens.logic import export
from logiclens.logic.formula import Formula

Stored = TypeVar("Stored")


def storable(value: Stored) -> Stored:
    """Return a value that JSON carries unchanged; in a text a split surrogate pair would be one character."""
    if isinstance(value, str) and json.loads(json.dumps(value)) != value:
        raise InputError(f"JSON cannot carry the text {value!r}: it holds a split surrogate pair. Rename it.")
    return value


def formula_to_saved(formula: Formula) -> Any:
    """Return what :func:`logiclens.logic.to_json` writes under ``"formula"``."""
    return json.loads(export.to_json(formula))["formula"]


def formula_from_saved(value: Any) -> Formula:
    """Inverse of :func:`formula_to_saved`."""
    return export.from_json(json.dumps({"format": "logiclens.formula", "version": 1, "formula": value}))


def write_saved(kind: str, version: int, entries: dict[str, Any]) -> str:
    """JSON text of a value, on one line of ASCII."""
    return json.dumps({"format": kind, "version": version, **entries}, allow_nan=False)


def read_saved(
    text: str,
    kind: str,
    version: int,
    keys: Collection[str],
    older: Mapping[int, Collection[str]] | None = None,
) -> dict[str, Any]:
    """Entries of a value that :func:`write_saved` wrote, besides ``format`` and ``version``.

    Exactly ``keys`` must be there, or the keys of one of the ``older`` versions.

    Examples
    --------
    >>> read_saved(write_saved("tea", 1, {"cups": 3}), "tea", 1, ["cups"])
    {'cups': 3}
    """
    if not isinstance(text, str):
        raise InputError(f"{kind} is read from a string. Got {type(text).__name__}.")
    try:
        with report_damage():
            saved = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{kind} is saved as JSON; this text is not: {error}. Save it again.") from None
    except RecursionError:
        raise InputError("This text is nested too deep to have been saved here. Save it again.") from None
    if not isinstance(saved, dict) or saved.get("format") != kind:
        raise InputError(f'The text must be a JSON object with "format": "{kind}". Got {_format_of(saved)}.')
    got = saved.get("version")
    known = {**(older or {}), version: keys}
    if type(got) is not int or got not in known:
        found = f"version {got}" if type(got) is int else "no version"
        raise InputError(
            f"The text has {found} of {kind}; this release reads version {version}. "
            "Update logiclens, or save it again."
        )
    with report_damage():
        del saved["format"], saved["version"]
        return fields(saved, known[got], kind)


@contextmanager
def report_damage() -> Iterator[None]:
    """While a saved value is put together: say of whatever is refused that the text is damaged."""
    try:
        yield
    except InputError as error:
        raise InputError(f"This text is damaged: {error} Save it again.") from None


def fields(value: Any, keys: Collection[str], what: str) -> dict[str, Any]:
    """Entries of a JSON object, in the order of the keys, once it is sure that they are those expected."""
    if not isinstance(value, dict):
        raise InputError(f"{what} must be an object. Got {shown(value)}.")
    odd = sorted(set(keys) ^ set(value))
    if odd:
        problem = "lacks the entry" if odd[0] in keys else "has an unknown entry"
        raise InputError(f"{what} {problem} {shown(odd[0])}.")
    return {key: value[key] for key in keys}


def items(value: Any, what: str) -> list[Any]:
    """Return a JSON list, once it is sure that it is one."""
    if not isinstance(value, list):
        raise InputError(f"{what} must be a list. Got {shown(value)}.")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise InputError(f"an entry is repeated in {listing(key for key, _ in pairs)}.")
    return entries


def _refuse_constant(name: str) -> NoReturn:
    raise InputError(f"it holds {name}, which is no number.")


def _format_of(saved: Any) -> str:
    if not isinstance(saved, dict):
        return f"a {type(saved).__name__}"
    return f'"format": {shown(saved["format"])}' if "format" in saved else "an object without it"
