"""Build step of the documentation: the habits of reStructuredText in docstrings, as Markdown.

Docstrings point at each other as ``:func:`logiclens.logic.minimize``` and at sources as ``[1]_``. Here
the former become links where the target has a page, and plain code where not; the latter lose their marks.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, NameResolutionError, Object

_ROLE = re.compile(
    r":(?:func|class|data|meth|attr|mod|exc|obj):`(?:(?P<title>[^`<]+?) <)?(?P<short>~?)(?P<target>[\w.]+)>?`"
)
_MARKS = [
    (re.compile(r"\.\. (\[\d+\])"), r"\1"),
    (re.compile(r"(\[\d+\])_"), r"\1"),
    (re.compile(r"::$", re.M), ":"),
]


class Roles(Extension):
    """Rewrite the roles of every docstring before it is rendered."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Griffe event: an object has been read."""
        if obj.docstring:
            text = _ROLE.sub(lambda match: _link(match, obj), obj.docstring.value)
            for mark, plain in _MARKS:
                text = mark.sub(plain, text)
            obj.docstring.value = text


def _link(match: re.Match[str], obj: Object) -> str:
    target = match["target"]
    shown = match["title"] or (target.rpartition(".")[2] if match["short"] else target)
    try:
        path = target if target.startswith("logiclens.") else obj.resolve(target)
    except NameResolutionError:  # not a name in this scope: the link stays plain code
        path = target
    return f'<autoref identifier="{path}" optional><code>{shown}</code></autoref>'
