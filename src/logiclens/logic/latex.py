r"""Names in math-mode LaTeX, for documents and for web pages.

LaTeX acts on some characters wherever they stand, and MathJax shows macros inside ``\text{...}`` as they are
typed. So a name is cut into runs: letters, digits, blanks and harmless signs go into ``\text{...}``, which
holds no macro, and every other character stands outside as mathematics. A plain ASCII identifier is one
``\mathit{...}``. Three signs are look-alikes: ``~`` is ``\sim``, ``^`` a raised ``\wedge`` (not the
connective, which stands on the line), ``"`` a raised double prime.
"""

from __future__ import annotations

import re

from logiclens.logic.notation import Notation, escape

# In braces a sign is spaced like a letter; {<} cannot open a tag in a web page, either.
_MATH = {
    "\\": r"{\backslash}",
    "~": r"{\sim}",
    "^": r"{}^{\wedge}",
    '"': r"{}^{\prime\prime}",
    **{char: f"{{{char}}}" for char in "<>|"},
    **{char: f"\\{char}" for char in "{}$&#%_"},
}
_PIECE = re.compile(f"[{re.escape(''.join(_MATH))}]|[^{re.escape(''.join(_MATH))}]+")
# LaTeX joins each of these pairs to one sign, or two blanks to one blank; two boxes keep them apart.
_JOINED = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=[`!?])(?=`)|(?<= )(?= )")


def _literal(name: str, positive: bool) -> str:
    return ("" if positive else r"\lnot ") + latex_name(name)


def latex_name(name: str) -> str:
    r"""Return a concept's name as math-mode LaTeX that shows it and does nothing else.

    Examples
    --------
    >>> print(latex_name("red_wing"), latex_name("age > 62"))
    \mathit{red\_wing} \text{age }{>}\text{ 62}
    """
    if name.isidentifier() and name.isascii():
        return r"\mathit{" + name.replace("_", r"\_") + "}"
    visible = "".join(char if char.isprintable() else escape(char) for char in name)
    return "".join(_MATH.get(piece) or _text(piece) for piece in _PIECE.findall(visible))


def _text(run: str) -> str:
    return "".join(rf"\text{{{part}}}" for part in _JOINED.split(run))


LATEX = Notation(_literal, r"\top", r"\bot", r"\lnot ", r" \land ", r" \lor ")
