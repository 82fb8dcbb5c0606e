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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from logiclens.errors import FormulaSyntaxError, InputError, LimitError, listing, shown
from logiclens.logic.formula import FALSE, MAX_DEPTH, TRUE, And, Const, Formula, Not, Or, Var

MAX_LENGTH = 1_000_000
"""Most characters of a text that is read as a formula."""
MAX_SIZE = 200_000
"""Most literals, constants and connectives of a formula that is written out."""

_RESERVED = {"and": "&", "or": "|", "not": "~", "true": "TRUE", "false": "FALSE"}
_CONSTANTS = {"TRUE": TRUE, "⊤": TRUE, "FALSE": FALSE, "⊥": FALSE}
_SIGNS = {"∧": "&", "∨": "|", "¬": "~", "!": "~", "→": "->", ">>": "->", "↔": "<->"}
_CONNECTIVES = ("&", "|", "->", "<->")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t"}

_TOKEN = re.compile(
    r"(?P<blank>\s+)"
    r"|(?P<sign><->|->|>>|[()~!&|¬∧∨→↔⊤⊥])"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*+")'
    r'|(?P<unclosed>")'
    r'|(?P<word>(?:(?!<->|->|>>)[^\s()~!&|¬∧∨→↔⊤⊥"])+)',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Notation:
    """How one way of writing formulas spells its parts.

    Connectives inside connectives always stand in parentheses: nobody has to know what binds tighter.
    """

    literal: Callable[[str, bool], str]
    true: str
    false: str
    negation: str
    conjunction: str
    disjunction: str

    def write(self, formula: Formula) -> str:
        """Text of a formula, outermost parentheses left out."""
        match formula:
            case Const(value):
                return self.true if value else self.false
            case Var(name):
                return self.literal(name, True)
            case Not(Var(name)):
                return self.literal(name, False)
            case Not(arg):
                return self.negation + self.part(arg)
        sign = self.conjunction if isinstance(formula, And) else self.disjunction
        return sign.join(map(self.part, formula.args))

    def part(self, formula: Formula) -> str:
        """Text of a formula that stands inside another."""
        text = self.write(formula)
        return f"({text})" if isinstance(formula, And | Or) else text


def check_writable(formula: Any, deepest: int = MAX_DEPTH) -> None:
    """Refuse what is no formula, and formulas that are too large or too deep to be written out."""
    if not isinstance(formula, Formula):
        got = shown(formula)
        hint = f"; write Var({got})" if isinstance(formula, str) and formula and got == repr(formula) else ""
        raise InputError(f"Only a formula can be written out. Got {got}{hint}.")
    if formula.depth > deepest:
        raise LimitError(
            f"The formula is nested {formula.depth} levels deep; this form takes {deepest} at most. "
            "Bring it into a normal form first."
        )
    if formula.size > MAX_SIZE:
        raise LimitError(
            f"The formula has more than {MAX_SIZE} literals and connectives when written out. "
            "Simplify it first, or write its parts one by one."
        )


def is_plain(name: str) -> bool:
    """Whether a concept's name can stand in a text as it is, without quotes."""
    return name.isidentifier() and name.isprintable() and name.lower() not in _RESERVED


def escape(text: str, special: str, *, ascii_only: bool = False) -> str:
    """Text on one line: backslashes, ``special`` and what cannot be seen become escapes."""
    return "".join(_escaped(char, special, ascii_only) for char in text)


def _escaped(char: str, special: str, ascii_only: bool) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char in special:
        return f"\\{char}" if char.isascii() else f"\\u{ord(char):04x}"
    if char.isprintable() and (char.isascii() or not ascii_only):
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def _ascii_literal(name: str, positive: bool) -> str:
    bare = is_plain(name) and name.isascii()
    return ("" if positive else "~") + (name if bare else f'"{escape(name, chr(34), ascii_only=True)}"')


def _unicode_literal(name: str, positive: bool) -> str:
    return ("" if positive else "¬") + (name if is_plain(name) else f'"{escape(name, chr(34))}"')


# Braces keep -- , '' and `` from becoming ligatures; < and > as words are inert in HTML, too.
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': "{''}",
    "'": "{'}",
    "-": "{-}",
    " ": r"\ ",
    **{char: f"\\{char}" for char in "{}$&#%_"},
}


def _latex_literal(name: str, positive: bool) -> str:
    shown = "".join(char if char.isprintable() else _escaped(char, "", False) for char in name)
    body = "".join(_LATEX.get(char, char) for char in shown)
    command = r"\mathit" if name.isidentifier() and name.isascii() else r"\text"
    return ("" if positive else r"\lnot ") + f"{command}{{{body}}}"


_STYLES = {
    "ascii": Notation(_ascii_literal, "TRUE", "FALSE", "~", " & ", " | "),
    "unicode": Notation(_unicode_literal, "⊤", "⊥", "¬", " ∧ ", " ∨ "),
    "latex": Notation(_latex_literal, r"\top", r"\bot", r"\lnot ", r" \land ", r" \lor "),
}


def format_formula(formula: Formula, style: str = "ascii") -> str:
    r"""Text of a formula, on one line.

    Parameters
    ----------
    formula : Formula
    style : {"ascii", "unicode", "latex"}, default "ascii"
        ``ascii`` uses ``~ & |`` and no character beyond ASCII; ``unicode`` uses ``¬ ∧ ∨`` and leaves
        readable names as they are. :func:`parse_formula` reads both back, up to its length limit.
        ``latex`` is math-mode LaTeX with every special character of a name escaped; ``\text`` needs
        the amsmath package.

    Returns
    -------
    str

    Raises
    ------
    InputError
        Not a formula, or an unknown style.
    LimitError
        More than :data:`MAX_SIZE` literals and connectives.

    Examples
    --------
    >>> f = (Var("red") & ~Var("bill colour")) | Var("größe")
    >>> print(format_formula(f))
    (red & ~"bill colour") | "gr\u00f6\u00dfe"
    >>> print(format_formula(f, "unicode"))
    (red ∧ ¬"bill colour") ∨ größe
    >>> print(format_formula(~Var("red_wing"), "latex"))
    \lnot \mathit{red\_wing}
    """
    if not isinstance(style, str) or style not in _STYLES:
        raise InputError(f"Unknown style {shown(style)}. The styles are {listing(_STYLES)}.")
    check_writable(formula)
    return _STYLES[style].write(formula)


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
    groups = [_Group(0)]
    want_operand = True
    for token in _tokens(text):
        if want_operand:
            want_operand = _read_operand(groups, token, text)
        else:
            want_operand = _read_operator(groups, token, text)
    return groups[0].formula()


class _Group:
    """What has been read since a parenthesis opened; a stack of these makes recursion needless."""

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


def _read_operand(groups: list[_Group], token: _Token, text: str) -> bool:
    """Take what may begin an operand; return whether an operand is still wanted."""
    group = groups[-1]
    if token.kind == "operand":
        group.add(token.operand)
        return False
    if token.kind == "~":
        group.negations += 1
    elif token.kind == "(":
        groups.append(_Group(token.position))
    else:
        reason = f"Expected a concept, got {token.shown}. Put a concept, ~ or ( here"
        raise FormulaSyntaxError(reason, text, token.position)
    if max(group.negations, len(groups) - 1) > MAX_DEPTH:
        raise LimitError(
            f"A formula may be nested {MAX_DEPTH} levels deep at most; the text goes deeper at column "
            f"{token.position + 1}. Leave out needless parentheses and negations."
        )
    return True


def _read_operator(groups: list[_Group], token: _Token, text: str) -> bool:
    """Take what may follow an operand; return whether an operand is wanted next."""
    group = groups[-1]
    if token.kind in _CONNECTIVES:
        if token.kind == "<->" and group.left is not None:
            raise FormulaSyntaxError(
                "Two <-> in a row. Say with parentheses what is meant", text, token.position
            )
        group.connect(token.kind)
        return True
    if token.kind == ")":
        if len(groups) == 1:
            reason = "This parenthesis closes nothing. Remove it, or open one before"
            raise FormulaSyntaxError(reason, text, token.position)
        groups.pop()
        groups[-1].add(group.formula())
    elif token.kind == "end":
        if len(groups) > 1:
            raise FormulaSyntaxError("This parenthesis is never closed. Add a )", text, group.start)
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
            yield _Token("operand", repr(found), position, Var(_unquoted(found, text, position)))
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
    if word.lower() in _RESERVED:
        reason = f"{shown} is reserved. Write {_RESERVED[word.lower()]}, or quote it if it is a concept"
        raise FormulaSyntaxError(reason, text, position)
    if not word.isidentifier():
        reason = f"{shown} is no operator and no plain name. Put a name like that in double quotes"
        raise FormulaSyntaxError(reason, text, position)
    return _Token("operand", shown, position, Var(word))


def _unquoted(quoted: str, text: str, position: int) -> str:
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
