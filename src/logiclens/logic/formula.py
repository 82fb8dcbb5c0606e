"""Propositional formulas over named concepts, as immutable values.

    Formula := TRUE | FALSE | Var(name) | Not(Formula) | And(Formula, ...) | Or(Formula, ...)

A concept's name is any non-empty string: names are never parsed, evaluated or substituted as text.
``==`` compares structure; for logical equivalence see :func:`logiclens.logic.equivalent`. Formulas are
hashable and have a total order: constants, then literals by name, then conjunctions, then disjunctions.

Nesting is limited to :data:`MAX_DEPTH`, so that every function that walks a formula may recurse.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias, final

import numpy as np

from logiclens.errors import InputError, LimitError, TruthValueError, as_code, shown
from logiclens.logic.arrays import BoolArray, Words, unpack
from logiclens.logic.data import THRESHOLD, ConceptData, check_name

MAX_DEPTH = 200
"""Deepest nesting of a formula."""

MAX_SIZE = 200_000
"""Most literals, constants and connectives of a formula that is written out."""
RESERVED = {"and": "&", "or": "|", "not": "~", "true": "TRUE", "false": "FALSE"}
"""Words that are no concepts unless they are quoted, and what to write for them."""

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MAX_REPR = 10_000  # parts of a formula that repr() writes out
_Head: TypeAlias = tuple[int, int, str, int]


class Formula(ABC):
    """A propositional formula; see the module's description for the kinds there are.

    ``f & g``, ``f | g``, ``~f``, ``f >> g`` (implies) and ``f.iff(g)`` build larger formulas; chains of
    one connective become one node, so ``a & b & c`` is ``And(a, b, c)``.
    """

    __slots__ = ("_concepts", "_depth", "_hash", "_literals", "_size")
    _literals: int
    _concepts: tuple[str, ...] | None
    _depth: int
    _hash: int
    _size: int

    def _seal(self, identity: tuple[object, ...], parts: tuple[Formula, ...], literals: int) -> None:
        """Store what is derived from the parts, once: later look-ups cost nothing, also on shared parts."""
        depth = 1 + max((part._depth for part in parts), default=0)
        if depth > MAX_DEPTH:
            raise LimitError(
                f"A formula may be nested {MAX_DEPTH} levels deep at most. "
                "Flatten it: And.of(parts) and Or.of(parts) take any number of parts."
            )
        object.__setattr__(self, "_depth", depth)
        object.__setattr__(self, "_literals", literals)
        object.__setattr__(self, "_concepts", None)  # worked out when first asked for
        object.__setattr__(self, "_size", 1 + sum(part._size for part in parts))
        object.__setattr__(self, "_hash", hash((type(self).__name__, *identity)))

    @property
    def args(self) -> tuple[Formula, ...]:
        """The formulas this one is made of; none for constants and variables."""
        return ()

    @property
    def literals(self) -> int:
        """Number of literals of the formula as written; of its DNF: :func:`logiclens.metrics.complexity`."""
        return self._literals

    @property
    def depth(self) -> int:
        """Levels of nesting; 1 for a constant or a variable."""
        return self._depth

    @property
    def size(self) -> int:
        """Number of constants, variables and connectives as written.

        Parts may be shared, so a formula that takes little memory can be astronomically long as text.
        """
        return self._size

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts that occur, sorted."""
        if self._concepts is None:
            names = {node.name for node in self.walk() if isinstance(node, Var)}
            object.__setattr__(self, "_concepts", tuple(sorted(names)))
        return self._concepts or ()

    def walk(self) -> Iterator[Formula]:
        """Every distinct part of the formula, itself included, each once."""
        seen: set[int] = set()
        waiting: list[Formula] = [self]
        while waiting:
            node = waiting.pop()
            if id(node) not in seen:
                seen.add(id(node))
                yield node
                waiting.extend(reversed(node.args))

    def evaluate(
        self, data: Any, names: Sequence[str] | None = None, *, threshold: float = THRESHOLD
    ) -> BoolArray:
        """Truth of the formula on every row.

        Parameters
        ----------
        data : mapping, data frame or array of shape (n_rows, n_concepts)
            Booleans or numbers in [0, 1]; columns the formula does not use are not looked at.
        names : sequence of str, optional
            Names of an array's columns; ``x0``, ``x1``, ... when missing.
        threshold : float, default 0.5
            A concept counts as true when its value is greater.

        Returns
        -------
        ndarray of bool, shape (n_rows,)

        Raises
        ------
        UnknownConceptError
            The data lack a concept of the formula.
        InputError
            A column that is needed has missing values or values outside [0, 1].

        Examples
        --------
        >>> (Var("a") & ~Var("b")).evaluate({"a": [True, True], "b": [False, True]})
        array([ True, False])
        """
        rows = ConceptData(data, names, threshold)
        columns = rows.packed_columns(self.concepts)
        n_words = -(-rows.n_rows // 64)
        return unpack(self.evaluate_words(columns, n_words), rows.n_rows)

    def evaluate_words(self, columns: Mapping[str, Words], n_words: int) -> Words:
        """Truth on rows packed 64 to a word; bits beyond the last row are meaningless."""
        negated: dict[str, Words] = {}
        done: dict[int, Words] = {}  # parts may be shared

        def value(node: Formula) -> Words:
            if isinstance(node, Var):
                return columns[node.name]
            if isinstance(node, Not) and isinstance(node.arg, Var):
                name = node.arg.name
                if name not in negated:
                    negated[name] = ~columns[name]
                return negated[name]
            if id(node) not in done:
                done[id(node)] = compound(node)
            return done[id(node)]

        def compound(node: Formula) -> Words:
            if isinstance(node, Const):
                return np.full(n_words, ~np.uint64(0) if node.value else np.uint64(0), dtype=np.uint64)
            if isinstance(node, Not):
                return ~value(node.arg)
            combine = np.bitwise_and if isinstance(node, And) else np.bitwise_or
            first, second, *rest = node.args
            words: Words = combine(value(first), value(second))
            for part in rest:
                combine(words, value(part), out=words)
            return words

        return value(self)

    @abstractmethod
    def _head(self) -> _Head:
        """What the total order compares before the parts: ``(kind, size, name, number of parts)``."""

    def __and__(self, other: Formula) -> Formula:
        return And(*_chain(And, self), *_chain(And, other)) if _is_operand(other, "&") else NotImplemented

    def __or__(self, other: Formula) -> Formula:
        return Or(*_chain(Or, self), *_chain(Or, other)) if _is_operand(other, "|") else NotImplemented

    def __invert__(self) -> Formula:
        return Not(self)

    def __rshift__(self, other: Formula) -> Formula:
        return Not(self) | other if _is_operand(other, ">>") else NotImplemented

    def iff(self, other: Formula) -> Formula:
        """Both or neither: ``(self >> other) & (other >> self)``."""
        check_formula(other, "iff")
        return And(self >> other, other >> self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Formula):
            return NotImplemented
        if self._hash != other._hash:
            return False
        return _first_difference(self, other) is None if self.args else self._head() == other._head()

    def __hash__(self) -> int:
        return self._hash

    def __lt__(self, other: Formula) -> bool:
        if not isinstance(other, Formula):
            return NotImplemented
        difference = _first_difference(self, other)
        return difference is not None and difference[0] < difference[1]

    def __bool__(self) -> NoReturn:
        raise TruthValueError(
            "A formula is neither true nor false by itself. Combine formulas with & | ~, not with "
            "and / or / not; compare with ==; use .evaluate(data) for its truth on data."
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"formulas are immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"formulas are immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:  # the stored hash differs between processes
        return type(self), self.args

    def __repr__(self) -> str:
        if self.size > _MAX_REPR:
            return f"<{type(self).__name__} of {self.literals} literals>"
        return f"{type(self).__name__}({', '.join(map(repr, self.args))})"

    def __str__(self) -> str:
        check_writable(self)
        return ASCII.write(self)


@final
class Const(Formula):
    """TRUE or FALSE; use those two names."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    value: bool

    def __init__(self, value: bool) -> None:
        object.__setattr__(self, "value", bool(value))
        self._seal((self.value,), (), 0)

    def _head(self) -> _Head:
        return (0, int(self.value), "", 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return Const, (self.value,)

    def __repr__(self) -> str:
        return "TRUE" if self.value else "FALSE"


@final
class Var(Formula):
    """A concept, by name."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "name", check_name(name))
        self._seal((self.name,), (), 1)

    def _head(self) -> _Head:
        return (1, 1, self.name, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return Var, (self.name,)

    def __repr__(self) -> str:
        return f"Var({self.name!r})"


@final
class Not(Formula):
    """Negation."""

    __slots__ = ("arg",)
    __match_args__ = ("arg",)
    arg: Formula

    def __init__(self, arg: Formula) -> None:
        check_formula(arg, "Not")
        object.__setattr__(self, "arg", arg)
        self._seal((arg,), (arg,), arg.literals)

    @property
    def args(self) -> tuple[Formula, ...]:
        return (self.arg,)

    def _head(self) -> _Head:
        if isinstance(self.arg, Var):  # a literal stands behind its positive twin
            return (1, 1, self.arg.name, 1)
        return (4, self.literals, "", 1)


class _Connective(Formula):
    """Base of And and Or: two or more parts, kept in the order given."""

    __slots__ = ("_args",)
    _args: tuple[Formula, ...]

    def __init__(self, *args: Formula) -> None:
        parts = _checked(type(self).__name__, args, 2)
        object.__setattr__(self, "_args", parts)
        self._seal(parts, parts, sum(part.literals for part in parts))

    @property
    def args(self) -> tuple[Formula, ...]:
        return self._args

    def _head(self) -> _Head:
        return (2 if isinstance(self, And) else 3, self.literals, "", len(self._args))


@final
class And(_Connective):
    """Conjunction of two or more formulas."""

    __slots__ = ()

    @staticmethod
    def of(parts: Iterable[Formula]) -> Formula:
        """Conjunction of any number of formulas: TRUE of none, the formula itself of one."""
        items = _several("And.of", parts)
        return And(*items) if len(items) > 1 else items[0] if items else TRUE


@final
class Or(_Connective):
    """Disjunction of two or more formulas."""

    __slots__ = ()

    @staticmethod
    def of(parts: Iterable[Formula]) -> Formula:
        """Disjunction of any number of formulas: FALSE of none, the formula itself of one."""
        items = _several("Or.of", parts)
        return Or(*items) if len(items) > 1 else items[0] if items else FALSE


TRUE = Const(True)
FALSE = Const(False)


def _chain(kind: type[_Connective], formula: Formula) -> tuple[Formula, ...]:
    return formula.args if isinstance(formula, kind) else (formula,)


def flatten(kind: type[_Connective], formula: Formula) -> Iterator[Formula]:
    """Parts of a conjunction or a disjunction, and of those inside it."""
    if isinstance(formula, kind):
        for part in formula.args:
            yield from flatten(kind, part)
    else:
        yield formula


def _first_difference(f: Formula, g: Formula) -> tuple[_Head, _Head] | None:
    """Heads of the first parts that differ, from left to right; None when the formulas are equal.

    Each pair of parts is looked at once, so that shared parts stay cheap.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [(f, g)]
    while waiting:
        mine, other = waiting.pop()
        pair = (id(mine), id(other))
        if mine is other or pair in seen:
            continue
        seen.add(pair)
        heads = mine._head(), other._head()
        if heads[0] != heads[1]:
            return heads
        waiting.extend(zip(reversed(mine.args), reversed(other.args), strict=True))
    return None


def _several(kind: str, parts: Iterable[Formula]) -> tuple[Formula, ...]:
    if isinstance(parts, Formula) or not isinstance(parts, Iterable):
        raise InputError(f"{kind} takes an iterable of formulas. Got {shown(parts)}; write [f, g, ...].")
    return _checked(kind, tuple(parts), 0)


def check_formula(formula: Any, caller: str) -> None:
    """Refuse what is no formula; ``caller`` is what it was given to."""
    if not isinstance(formula, Formula):
        hint = as_code(formula) or "a formula"
        raise InputError(f"{caller} takes formulas. Got {shown(formula)}; write {hint} instead.")


def _is_operand(other: Any, sign: str) -> bool:
    """Whether an operator can go on; text is refused with advice, the rest is left to Python."""
    if isinstance(other, str):
        check_formula(other, sign)
    return isinstance(other, Formula)


def _checked(kind: str, args: tuple[Formula, ...], least: int) -> tuple[Formula, ...]:
    for arg in args:
        check_formula(arg, kind)
    if len(args) < least:
        raise InputError(
            f"{kind} takes at least {least} formulas. Got {len(args)}; {kind}.of(parts) takes any number."
        )
    return args


@dataclass(frozen=True, slots=True)
class Notation:
    """Spelling of formulas in one language.

    Connectives inside connectives always stand in parentheses: nobody has to know what binds tighter. So do
    literals that are phrases, such as ``age <= 62``, after a sign of negation.

    With ``commas`` a comma stands before the outermost "and" or "or" where there are others within, and no
    parentheses around these: ``a and b, or c``.
    """

    literal: Callable[[str, bool], str]
    true: str
    false: str
    negation: str
    conjunction: str
    disjunction: str
    phrases: bool = False
    commas: bool = False

    def write(self, formula: Formula) -> str:
        """Text of a formula, outermost parentheses left out."""
        if not self.commas:
            return self._write(formula)
        if isinstance(formula, Var | Not):
            text = self._write(formula)
            literal = isinstance(formula, Var) or isinstance(formula.args[0], Var)
            return text[1:-1] if literal and text.startswith("(") else text
        if not any(isinstance(part, And | Or) for part in formula.args):
            return self._write(formula)
        sign = self.conjunction if isinstance(formula, And) else self.disjunction
        return f",{sign}".join(map(self._write, formula.args))

    def alternatives(self, formula: Formula) -> list[str]:
        """Texts of the parts of which one is enough; of a formula that is no disjunction its own."""
        return [*map(self._write, formula.args)] if isinstance(formula, Or) else [self.write(formula)]

    def _write(self, formula: Formula) -> str:
        match formula:
            case Const(value):
                return self.true if value else self.false
            case Var(name):
                return self.literal(name, True)
            case Not(Var(name)):
                return self.literal(name, False)
            case Not(Not(Var(name))) if self.phrases and not self.literal(name, False).startswith("("):
                return f"{self.negation}({self.literal(name, False)})"
            case Not(arg):
                return self.negation + self.part(arg)
        sign = self.conjunction if isinstance(formula, And) else self.disjunction
        return sign.join(map(self.part, formula.args))

    def part(self, formula: Formula) -> str:
        """Text of a formula that stands inside another."""
        text = self._write(formula)
        return f"({text})" if isinstance(formula, And | Or) else text


def check_writable(formula: Any, deepest: int = MAX_DEPTH) -> None:
    """Refuse what is no formula, and formulas that are too large or too deep to be written out."""
    if not isinstance(formula, Formula):
        hint = f"; write {code}" if (code := as_code(formula)) else ""
        raise InputError(f"Only a formula can be written out. Got {shown(formula)}{hint}.")
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
    return name.isidentifier() and name.isprintable() and name.lower() not in RESERVED


def escape(text: str, special: str = "") -> str:
    """Text on one line: backslashes, ``special`` and what cannot be seen become escapes."""
    return "".join(_escaped(char, special) for char in text)


def _escaped(char: str, special: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char in special:
        return f"\\{char}" if char.isascii() else f"\\u{ord(char):04x}"
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def quote(name: str) -> str:
    """A concept's name as it stands in a text: in double quotes unless it is plain."""
    return name if is_plain(name) else f'"{escape(name, chr(34))}"'


OPENING, CLOSING = "‹", "›"
"""Marks around a name that could be misread in a sentence; within them these marks are escaped."""

_WORDS = r"and|or|not|if|then|else|otherwise"
_MISREAD = (
    r"\A\s|\s\Z|\s\s|[\[\]{}\"“”„«»‹›]|[,;](?!\S)|\bis (?:missing|known)\b"
    r"|\A(?:always|never|missing|known)\Z"
)
_UNIT = re.compile(r"(?P<name>[^()]*[^()\s]) \((?P<unit>[^()\s](?:[^()]*[^()\s])?)\)")
"""A name that ends in a unit in parentheses, which are unlike those that group: ``petal length (cm)``."""
_ROUND = re.compile(r"[()]")
_COMPARED = r"|(?<!\S)[<>=!≤≥≠]+(?!\S)"


def misread_with(*words: str, compared: bool = True) -> re.Pattern[str]:
    """Pattern of what is in a name that could be taken for a part of a sentence with these words.

    A name that is not ``compared`` with anything, as that of a class, may have ``<`` and the like in it.
    """
    listed = "|".join([_WORDS, *words])
    signs = _COMPARED if compared else ""
    return re.compile(rf"(?<![\w-])(?:{listed})(?![\w-])|{_MISREAD}{signs}", re.IGNORECASE)


_IN_PLAIN = misread_with()


def plain_name(name: str, misread: re.Pattern[str] = _IN_PLAIN) -> str:
    r"""A name as people write it, between marks that it cannot forge only where it could be misread.

    Parameters
    ----------
    name : str
    misread : pattern, optional
        What a name must not have in it to stand as it is; as for ``plain`` formulas when missing.

    Examples
    --------
    >>> print(plain_name("education-num"), plain_name("<=50K"), plain_name("bill colour"))
    education-num <=50K bill colour
    >>> print(plain_name("petal length (cm)"), plain_name("(a) b"))
    petal length (cm) ‹(a) b›
    >>> print(plain_name("red or blue"), plain_name("age > 62"), plain_name("‹a›\n"))
    ‹red or blue› ‹age > 62› ‹\u2039a\u203a\n›
    """
    unit = _UNIT.fullmatch(name)
    parts = [unit["name"], unit["unit"]] if unit else [name]
    bare = all(part and not misread.search(part) and not _ROUND.search(part) for part in parts)
    if bare and name.isprintable():
        return name
    return f"{OPENING}{escape(name, OPENING + CLOSING)}{CLOSING}"


ASCII = Notation(
    lambda name, positive: ("" if positive else "~") + quote(name), "TRUE", "FALSE", "~", " & ", " | "
)
"""The notation of ``str(formula)``."""
