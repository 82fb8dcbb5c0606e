r"""Formulas as text: :func:`format_formula` writes it, :func:`parse_formula` reads it back exactly.

The grammar, from the loosest connective to the tightest::

    formula     := implication [ IFF implication ]                a <-> b <-> c needs parentheses
    implication := disjunction [ IMPLIES implication ]            groups to the right
    disjunction := conjunction { OR conjunction }                 one Or node, however many
    conjunction := operand { AND operand }                        one And node, however many
    operand     := NOT operand | "(" formula ")" | TRUE | FALSE | concept

    IFF     <->  ↔            AND  &  ∧             TRUE   TRUE   ⊤
    IMPLIES ->   →   >>       NOT  ~  !  ¬          FALSE  FALSE  ⊥
    OR      |    ∨

    concept     := a Python identifier, or any text in double quotes
    in quotes   := \\  \"  \n  \r  \t  \uXXXX  \UXXXXXXXX, every other character as it is

``a -> b`` is read as ``a >> b`` and ``a <-> b`` as ``a.iff(b)``. The words and, or, not, true and
false, in any case, are reserved: a concept with such a name is quoted. Parentheses group and leave no
other trace, so ``(a & b) & c`` is ``And(And(a, b), c)``. Reading evaluates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from logiclens.errors import FormulaSyntaxError, InputError, LimitError, did_you_mean, listing, shown
from logiclens.logic.formula import (
    ASCII,
    FALSE,
    MAX_DEPTH,
    RESERVED,
    TRUE,
    And,
    Formula,
    Not,
    Notation,
    Or,
    Var,
    check_writable,
    escape,
    plain_name,
    quote,
)

MAX_LENGTH = 1_000_000
"""Most characters of a text that is read as a formula."""

_CONSTANTS = {"TRUE": TRUE, "⊤": TRUE, "FALSE": FALSE, "⊥": FALSE}
_SIGNS = {"∧": "&", "∨": "|", "¬": "~", "!": "~", "→": "->", ">>": "->", "↔": "<->"}
_CONNECTIVES = ("&", "|", "->", "<->")
_UNESCAPES = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t"}

_TOKEN = re.compile(
    r"(?P<blank>\s+)"
    r"|(?P<sign><->|->|>>|[()~!&|¬∧∨→↔⊤⊥])"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*+")'
    r'|(?P<unclosed>")'
    r'|(?P<word>(?:(?!<->|->|>>)[^\s()~!&|¬∧∨→↔⊤⊥"])+)',
    re.DOTALL,
)
# What other languages write: the sign, and what it is here. Longer signs stand first.
_FOREIGN = {
    "<=>": "<->",
    "<==>": "<->",
    "==>": "->",
    "=>": "->",
    "==": "<-> between concepts",
    "^": "~(a <-> b) for one of the two",
}
_FOREIGN_SIGN = re.compile("|".join(map(re.escape, sorted(_FOREIGN, key=len, reverse=True))))
_COMPARISON = re.compile(r"""[^\s()~!&|"'<>=]+\s*[<>=!]=?\s*[^\s()~!&|"'<>=]+""")
_NEAR = 40  # characters on either side in which a comparison is looked for
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)

# LaTeX acts on some characters wherever they stand, and MathJax shows macros inside \text{...} as they are
# typed. So a name is cut into runs: letters, digits, blanks and harmless signs go into \text{...}, which has
# no macro, and every other character stands outside as mathematics. A plain ASCII identifier is one
# \mathit{...}. Three signs are look-alikes: ~ is \sim, ^ a raised \wedge (not the connective, which stands
# on the line), " a raised double prime.
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


_STYLES = {
    "ascii": ASCII,
    "unicode": Notation(
        lambda name, positive: ("" if positive else "¬") + quote(name), "⊤", "⊥", "¬", " ∧ ", " ∨ "
    ),
    "latex": Notation(
        lambda name, positive: ("" if positive else r"\lnot ") + latex_name(name),
        r"\top",
        r"\bot",
        r"\lnot ",
        r" \land ",
        r" \lor ",
    ),
    "plain": Notation(
        lambda name, positive: ("" if positive else "not ") + plain_name(name),
        "always",
        "never",
        "not ",
        " and ",
        " or ",
        commas=True,
    ),
}


def format_formula(formula: Formula, style: str = "ascii") -> str:
    r"""Text of a formula, on one line.

    Parameters
    ----------
    formula : Formula
    style : {"ascii", "unicode", "latex", "plain"}, default "ascii"
        ``ascii`` uses the ASCII operators ``~ & |``, ``unicode`` uses ``¬ ∧ ∨``. In both, a name that is
        an identifier in any script stands as it is, any other in double quotes, with escapes only for
        quotes, backslashes and what cannot be seen. :func:`parse_formula` reads both back, up to its
        length limit. ``latex`` is math mode for LaTeX (with the amsmath package) and for MathJax; see
        :func:`latex_name`. ``plain`` is for people, and is not read back: ``and``, ``or``, ``not``, and names
        as they are; one that could be misread stands between ``‹`` and ``›``.

    Returns
    -------
    str

    Raises
    ------
    InputError
        Not a formula, or an unknown style.
    LimitError
        More than :data:`~logiclens.logic.formula.MAX_SIZE` literals and connectives.

    Examples
    --------
    >>> f = (Var("red") & ~Var("bill colour")) | Var("größe")
    >>> print(format_formula(f))
    (red & ~"bill colour") | größe
    >>> print(format_formula(f, "unicode"))
    (red ∧ ¬"bill colour") ∨ größe
    >>> print(format_formula(f, "plain"))
    red and not bill colour, or größe
    >>> print(format_formula(~Var("red_wing"), "latex"))
    \lnot \mathit{red\_wing}
    """
    check_writable(formula)
    return notation_named(style).write(formula)


def notation_named(style: str) -> Notation:
    """The notation of a style; the error about an unknown one names the nearest."""
    if isinstance(style, str) and style in _STYLES:
        return _STYLES[style]
    nearest = did_you_mean(style, _STYLES) if isinstance(style, str) else ""
    raise InputError(f"Unknown style {shown(style)}. {nearest}The styles are {listing(_STYLES)}.")


class _Token(NamedTuple):
    kind: str  # a sign, "operand" or "end"
    shown: str
    position: int
    operand: Formula = TRUE


def parse_formula(text: str) -> Formula:
    """Read the formula that a text stands for; the module's description has the grammar.

    Parameters
    ----------
    text : str
        At most :data:`MAX_LENGTH` characters.

    Returns
    -------
    Formula
        With exactly the structure that the text shows: nothing is simplified.

    Raises
    ------
    FormulaSyntaxError
        The text is not a formula; the message points at the column.
    LimitError
        The text is too long or nested too deep.

    Examples
    --------
    >>> parse_formula('(red & ~"bill colour") | small')
    Or(And(Var('red'), Not(Var('bill colour'))), Var('small'))
    >>> parse_formula("a -> b") == Var("a") >> Var("b")
    True
    """
    if not isinstance(text, str):
        raise InputError(f"A formula is read from a string. Got {type(text).__name__}.")
    if len(text) > MAX_LENGTH:
        raise LimitError(f"A formula's text may have {MAX_LENGTH} characters at most. Got {len(text)}.")
    if not text.strip():
        raise FormulaSyntaxError("The text is empty. Write TRUE or FALSE for a constant", text, 0)
    open_parts = [_OpenPart(0)]
    want_operand = True
    for token in _tokens(text):
        if want_operand:
            want_operand = _read_operand(open_parts, token, text)
        else:
            want_operand = _read_operator(open_parts, token, text)
    return open_parts[0].formula()


class _OpenPart:
    """Parts read since a parenthesis opened; a stack of these makes recursion needless."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.negations = 0
        self._conjuncts: list[Formula] = []
        self._disjuncts: list[Formula] = []
        self._premises: list[Formula] = []
        self.left: Formula | None = None

    def add(self, operand: Formula) -> None:
        for _ in range(self.negations):
            operand = Not(operand)
        self.negations = 0
        self._conjuncts.append(operand)

    def connect(self, sign: str) -> None:
        """Close whatever binds tighter than the sign that follows; & closes nothing."""
        if sign == "|":
            self._disjuncts.append(self._conjunction())
        elif sign == "->":
            self._premises.append(self._disjunction())
        elif sign == "<->":
            self.left = self._implication()

    def formula(self) -> Formula:
        right = self._implication()
        return right if self.left is None else self.left.iff(right)

    def _conjunction(self) -> Formula:
        parts, self._conjuncts = self._conjuncts, []
        return And.of(parts)

    def _disjunction(self) -> Formula:
        parts, self._disjuncts = [*self._disjuncts, self._conjunction()], []
        return Or.of(parts)

    def _implication(self) -> Formula:
        conclusion = self._disjunction()
        premises, self._premises = self._premises, []
        if not premises:
            return conclusion
        # What p >> (q >> conclusion) gives, for the whole chain at once.
        return Or(*map(Not, premises), *(conclusion.args if isinstance(conclusion, Or) else (conclusion,)))


def _read_operand(open_parts: list[_OpenPart], token: _Token, text: str) -> bool:
    """Take what may begin an operand; return whether an operand is still wanted."""
    part = open_parts[-1]
    if token.kind == "operand":
        part.add(token.operand)
        return False
    if token.kind == "~":
        part.negations += 1
    elif token.kind == "(":
        open_parts.append(_OpenPart(token.position))
    elif token.kind in ("&", "|") and text[token.position - 1 : token.position] == token.kind:
        reason = f"{token.kind * 2!r} is no operator here. Write {token.kind}"
        raise FormulaSyntaxError(reason, text, token.position - 1)
    else:
        reason = f"Expected a concept, got {token.shown}. Put a concept, ~ or ( here"
        raise FormulaSyntaxError(reason, text, token.position)
    if max(part.negations, len(open_parts) - 1) > MAX_DEPTH:
        raise LimitError(
            f"A formula may be nested {MAX_DEPTH} levels deep at most; the text goes deeper at column "
            f"{token.position + 1}. Leave out needless parentheses and negations."
        )
    return True


def _read_operator(open_parts: list[_OpenPart], token: _Token, text: str) -> bool:
    """Take what may follow an operand; return whether an operand is wanted next."""
    part = open_parts[-1]
    if token.kind in _CONNECTIVES:
        if token.kind == "<->" and part.left is not None:
            raise FormulaSyntaxError(
                "Two <-> in a row. Say with parentheses what is meant", text, token.position
            )
        part.connect(token.kind)
        return True
    if token.kind == ")":
        if len(open_parts) == 1:
            reason = "This parenthesis closes nothing. Remove it, or open one before"
            raise FormulaSyntaxError(reason, text, token.position)
        open_parts.pop()
        open_parts[-1].add(part.formula())
    elif token.kind == "end":
        if len(open_parts) > 1:
            raise FormulaSyntaxError("This parenthesis is never closed. Add a )", text, part.start)
    else:
        reason = (
            f"Expected an operator, got {token.shown}. Put & or | before it, or put a name that has "
            "blanks or signs in double quotes"
        )
        raise FormulaSyntaxError(reason, text, token.position)
    return False


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind, found, position = match.lastgroup, match.group(), match.start()
        if kind == "word":
            yield _word(found, text, position)
        elif kind == "quoted":
            yield _Token("operand", repr(found), position, Var(_unquote(found, text, position)))
        elif kind == "unclosed":
            reason = 'This quote is never closed. Add a " after the name'
            raise FormulaSyntaxError(reason, text, position)
        elif found in _CONSTANTS:
            yield _Token("operand", repr(found), position, _CONSTANTS[found])
        elif kind == "sign":
            yield _Token(_SIGNS.get(found, found), repr(found), position)
    yield _Token("end", "the end of the text", len(text))


def _word(word: str, text: str, position: int) -> _Token:
    shown = repr(word if len(word) <= 40 else f"{word[:40]}...")
    if word in _CONSTANTS:
        return _Token("operand", shown, position, _CONSTANTS[word])
    if word.lower() in RESERVED:
        reason = f"{shown} is reserved. Write {RESERVED[word.lower()]}, or quote it if it is a concept"
        raise FormulaSyntaxError(reason, text, position)
    if not word.isidentifier():
        raise _strange(word, text, position)
    return _Token("operand", shown, position, Var(word))


def _strange(word: str, text: str, position: int) -> FormulaSyntaxError:
    """Advice about a word that is no name: another sign, or quotes."""
    if foreign := _FOREIGN_SIGN.search(word):
        instead = _FOREIGN[foreign[0]]
        reason = (
            f"{foreign[0]!r} is no operator here. Write {instead}, or put a name that has it in double quotes"
        )
        return FormulaSyntaxError(reason, text, position + foreign.start())
    shown = repr(word if len(word) <= 40 else f"{word[:40]}...")
    start = max(0, position - _NEAR)
    near = _COMPARISON.finditer(text[start : position + _NEAR])
    names = [found[0] for found in near if found.start() <= position - start < found.end()]
    example = names[0] if names else word if len(word) <= 40 else ""
    reason = f"{shown} is no operator and no plain name. Put a name like that in double quotes"
    if example and '"' not in example and "\\" not in example and example.isprintable():
        reason += f': "{example}"'
    return FormulaSyntaxError(reason, text, position)


def _unquote(quoted: str, text: str, position: int) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if code in _UNESCAPES:
            return _UNESCAPES[code]
        if len(code) > 1 and int(code[1:], 16) <= 0x10FFFF:
            return chr(int(code[1:], 16))
        reason = f"Unknown escape {match[0]!r} in a quoted name. Write two backslashes for one"
        raise FormulaSyntaxError(reason, text, position + match.start())

    if quoted == '""':
        raise FormulaSyntaxError("A concept name must not be empty. Put it in the quotes", text, position)
    # Positions count from the opening quote, so that errors point into the text.
    return _ESCAPE.sub(character, quoted)[1:-1]
