"""Build step of the documentation: links for the cross-references in docstrings.

Docstrings point at each other as ``:func:`logiclens.logic.minimize```, which every Python tool
understands as text. Here the roles become links where the target has a page, and plain code where not.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, NameResolutionError, Object

_ROLE = re.compile(r":(?:func|class|data|meth|attr|mod|exc|obj):`(~?)([\w.]+)`")


class Roles(Extension):
    """Rewrite the roles of every docstring before it is rendered."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Griffe event: an object has been read."""
        if obj.docstring:
            obj.docstring.value = _ROLE.sub(
                lambda match: _link(match[2], bool(match[1]), obj), obj.docstring.value
            )


def _link(target: str, short: bool, obj: Object) -> str:
    shown = target.rpartition(".")[2] if short else target
    path = target
    if not target.startswith("logiclens."):
        try:
            path = obj.resolve(target)
        except NameResolutionError:  # not a name in this scope: leave it as code
            path = target
    return f'<autoref identifier="{path}" optional><code>{shown}</code></autoref>'
