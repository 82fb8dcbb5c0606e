"""Names are data: texts made harmless for the page they are shown on.

The template escapes what HTML would take for its own. What is left are signs that are not seen, or that turn
the direction in which the rest is written: these are shown as their number. Words written from right to left
are kept apart, so that they do not turn what stands around them.
"""

from __future__ import annotations

import base64
import hashlib
import re

from markupsafe import Markup, escape

_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HALF = re.compile("[\ud800-\udfff]")  # no text at all: half of a pair
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD_RUN = re.compile(f"[{_LEFTWARD}]+(?: +[{_LEFTWARD}]+)*")


def visible(text: str) -> str:
    r"""Return text with signs shown that are not seen, or that turn the direction of writing.

    Examples
    --------
    >>> visible("a\u202eb"), visible("café\n")
    ('a⟨202E⟩b', 'café\n')
    """
    return _HALF.sub("\ufffd", _UNSEEN.sub(lambda found: f"⟨{ord(found[0]):04X}⟩", text))


def isolated(text: str) -> Markup:
    """Escape text, and put words written from right to left into elements of their own.

    Examples
    --------
    >>> print(isolated("<b> or שלום"))
    &lt;b&gt; or <bdi>שלום</bdi>
    """
    escaped = str(escape(visible(text)))
    return Markup(_LEFTWARD_RUN.sub(lambda found: f"<bdi>{found[0]}</bdi>", escaped))


def led_by(text: str, label: str) -> Markup:
    """Isolate a sentence, and set the label off that it begins with, if it does.

    Examples
    --------
    >>> print(led_by("bird if wings", "bird"), led_by("class 0 if fins", "0"), led_by("No case is 0", "0"))
    <strong>bird</strong> if wings <strong>class 0</strong> if fins No case is 0
    """
    for start in (label, f"“{label}”", f"class {label}"):
        if text.startswith(f"{start} "):
            return Markup("<strong>{}</strong>{}").format(isolated(start), isolated(text[len(start) :]))
    return isolated(text)


def name(text: str) -> Markup:
    """Escape a name, and keep its direction of writing to itself.

    Examples
    --------
    >>> print(name("<b>"))
    <bdi>&lt;b&gt;</bdi>
    """
    return Markup("<bdi>{}</bdi>").format(visible(text))


def inert(text: str) -> str:
    r"""Return JSON that cannot end the element it stands in.

    Examples
    --------
    >>> print(inert('"</script>"'))
    "\u003c/script>"
    """
    return text.replace("<", r"\u003c")


def script_hash(script: str) -> str:
    """Return how a content security policy names a script.

    Examples
    --------
    >>> script_hash("alert(1)")
    'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='
    """
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
