"""Readers of what rules look like in words: the text of a formula, evaluated on a row of a raw table.

They know the grammar of the text and nothing of vocabularies, so that what they say is what a person would
understand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LOGIC_TOKEN = re.compile(
    r"""\s*(?:(?P<x>\(x\))|(?P<quoted>"(?:\\.|[^"\\])*")|(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"""
    r"""|(?P<word>\w+)|(?P<sign><=|!=|[(){},<>=&|~]))""",
    re.DOTALL,
)
WORDS_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>‹[^›]*›)|(?P<sign>[(){}]|,(?=\s|\Z))|(?P<word>[^\s(){}‹›]+?(?=[(){}]|,?(?:\s|\Z))))""",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|U[0-9a-f]{8}|.)", re.DOTALL)
UNICODE = str.maketrans({"≤": "<=", "≠": "!=", "∈": " in ", "∉": " not in ", "¬": "~", "∧": "&", "∨": "|"})


def unescaped(text: str) -> str:
    """Inverse of the escapes inside quotes."""
    plain = {"n": "\n", "r": "\r", "t": "\t"}

    def one(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else plain.get(code, code)

    return ESCAPE.sub(one, text)


class Reader:
    """Reads tokens one by one; a token is its kind and what it stands for."""

    def __init__(self, text: str, token: re.Pattern[str], row: Mapping[str, Any]) -> None:
        self.row = row
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = token.match(text, at)
            assert match is not None, f"no token at {text[at:]!r}"
            found = match[match.lastgroup]
            if match.lastgroup == "quoted":
                found = unescaped(found[1:-1])
            self.tokens.append((match.lastgroup, found))
            at = match.end()
        self.at = 0

    def next_is(self, *texts: str) -> bool:
        """Whether these words or signs come next; then they are taken."""
        ahead = self.tokens[self.at : self.at + len(texts)]
        if [text for kind, text in ahead if kind != "quoted"] != list(texts):
            return False
        self.at += len(texts)
        return True

    def take(self, *kinds: str) -> str:
        kind, text = self.tokens[self.at]
        assert kind in kinds, f"{text!r} is {kind}, not {kinds}"
        self.at += 1
        return text

    def value(self) -> str | float:
        kind, text = self.tokens[self.at]
        self.at += 1
        assert kind in ("quoted", "number", "word")
        return float(text) if kind == "number" else text

    def missing(self, column: str) -> bool:
        return self.row[column] is None

    def ended(self) -> bool:
        return self.at == len(self.tokens)


class LogicReader(Reader):
    """``age(x) <= 62 & (colour(x) != red | missing(colour(x)))``."""

    def __init__(self, text: str, row: Mapping[str, Any]) -> None:
        outside = re.split(r'("(?:\\.|[^"\\])*")', text)
        outside[::2] = [
            part.translate(UNICODE).replace("⊤", "TRUE").replace("⊥", "FALSE") for part in outside[::2]
        ]
        super().__init__("".join(outside), LOGIC_TOKEN, row)

    def formula(self) -> bool:
        truth = self.part()
        while self.next_is("&"):
            truth = self.part() & truth
        while self.next_is("|"):
            truth = self.part() | truth
        return truth

    def part(self) -> bool:
        if self.next_is("("):
            truth = self.formula()
            assert self.next_is(")")
            return truth
        if self.next_is("~"):
            if [kind for kind, _ in self.tokens[self.at : self.at + 2]][1:] == ["x"]:
                cell = self.row[self.column()]
                return cell is not None and not cell
            return not self.part()
        if self.next_is("TRUE"):
            return True
        if self.next_is("FALSE"):
            return False
        if self.next_is("missing", "("):
            column = self.column()
            assert self.next_is(")")
            return self.missing(column)
        if self.tokens[self.at][0] == "number":
            low = self.value()
            assert self.next_is("<")
            cell = self.row[self.column()]
            assert self.next_is("<=")
            high = self.value()
            return cell is not None and low < cell <= high
        return self.comparison(self.row[self.column()])

    def column(self) -> str:
        name = self.take("quoted", "word")
        self.take("x")
        return name

    def comparison(self, cell: Any) -> bool:
        if self.next_is("<="):
            return (cell is not None) & (self.value() >= (0 if cell is None else cell))
        if self.next_is(">"):
            return (cell is not None) & (self.value() < (0 if cell is None else cell))
        if self.next_is("="):
            return cell == self.value()
        if self.next_is("!="):
            return (cell != self.value()) & (cell is not None)
        if self.next_is("in"):
            return cell in self.several()
        if self.next_is("not", "in"):
            return (cell not in self.several()) & (cell is not None)
        return bool(cell)

    def several(self) -> list[str | float]:
        assert self.next_is("{")
        values = [self.value()]
        while self.next_is(","):
            values.append(self.value())
        assert self.next_is("}")
        return values


class WordsReader(Reader):
    """A formula in words: names stand as they are, up to a word or sign of the sentence."""

    ends: tuple[tuple[str, ...], ...] = (("and",), ("or",))

    def __init__(self, text: str, row: Mapping[str, Any]) -> None:
        super().__init__(text, WORDS_TOKEN, row)

    def formula(self) -> bool:
        truth = self.clause()
        while self.next_is(",", "and"):
            truth = self.clause() & truth
        while self.next_is(",", "or"):
            truth = self.clause() | truth
        return truth

    def clause(self) -> bool:
        truth = self.part()
        while self.next_is("and"):
            truth = self.part() & truth
        while self.next_is("or"):
            truth = self.part() | truth
        return truth

    def part(self) -> bool:
        if self.next_is("("):
            truth = self.clause()
            assert self.next_is(")")
            return truth
        if self.next_is("always"):
            return True
        if self.next_is("never"):
            return False
        if self.next_is("not", "("):
            truth = self.clause()
            assert self.next_is(")")
            return not truth
        if self.next_is("not"):
            if self.next_is("always"):
                return False
            if self.next_is("never"):
                return True
            if self.next_is("not"):
                self.at -= 1
                return not self.part()
            return self.literal(denied=True)
        return self.literal()

    def name(self) -> str:
        """A name between marks, or all words up to the next of the sentence."""
        kind, text = self.tokens[self.at]
        self.at += 1
        assert kind != "sign", text
        if kind == "quoted":
            return text
        words = [text]
        while not self.ended() and not self.at_end_of_name():
            words.append(self.take("word"))
        if self.next_is("("):  # a unit: no group can follow a name
            unit = [self.take("word")]
            while not self.next_is(")"):
                unit.append(self.take("word"))
            words.append(f"({' '.join(unit)})")
        return " ".join(words)

    def at_end_of_name(self) -> bool:
        if self.tokens[self.at][0] == "sign":
            return True
        return any(
            [text for _, text in self.tokens[self.at : self.at + len(end)]] == list(end) for end in self.ends
        )

    def is_value(self, cell: Any) -> bool:
        """Whether the value that comes next is the cell's; a number is compared as one."""
        value = self.name()
        return cell == value if isinstance(cell, str | None) else float(value) == cell

    def number(self) -> float:
        return float(self.name())

    def or_missing(self) -> bool:
        at = self.at
        if self.next_is("or", "missing") and (self.ended() or self.at_end_of_name()):
            return True
        self.at = at
        return False


class EnglishReader(WordsReader):
    """``age is at most 62 and (colour is not red or missing)``."""

    ends = (("and",), ("or",), ("is",), ("nor",))

    def literal(self, denied: bool = False) -> bool:
        cell = self.row[self.name()]
        truth = self.comparison(cell, denied)
        if cell is None and truth != "gap":
            truth = False
        if self.or_missing():
            return truth is True or cell is None
        return cell is None if truth == "gap" else bool(truth)

    def comparison(self, cell: Any, denied: bool) -> bool | str:
        known = cell is not None
        if self.next_is("is", "missing"):
            return "gap"
        if self.next_is("is", "known"):
            return known
        if self.next_is("is", "above"):
            low = self.number()
            if self.next_is("and", "at", "most"):
                high = self.number()
                return known and low < cell <= high
            return known and cell > low
        if self.next_is("is", "at", "most"):
            low = self.number()
            if self.next_is("or", "above"):
                high = self.number()
                return known and not low < cell <= high
            return known and cell <= low
        if self.next_is("is", "either"):
            return self.is_listed(cell, "or")
        if self.next_is("is", "neither"):
            return not self.is_listed(cell, "nor")
        if self.next_is("is", "not"):
            return not self.is_value(cell)
        if self.next_is("is"):
            return self.is_value(cell)
        return known and bool(cell) != denied

    def is_listed(self, cell: Any, word: str) -> bool:
        found = [self.is_value(cell)]
        while self.next_is(","):
            found.append(self.is_value(cell))
        assert self.next_is(word)
        return any([*found, self.is_value(cell)])


COMPARISONS = ("<", ">", "<=", ">=", "=", "!=")


class PlainReader(WordsReader):
    """``age <= 62 and (bill colour != red or missing)``."""

    ends = (
        ("and",),
        ("or",),
        ("in", "{"),
        ("not", "in", "{"),
        ("is", "missing"),
        ("is", "known"),
        *((sign,) for sign in COMPARISONS),
    )

    def literal(self, denied: bool = False) -> bool:
        if not denied and [text for _, text in self.tokens[self.at + 1 : self.at + 2]] == ["<"]:
            low = self.number()
            assert self.next_is("<")
            cell = self.row[self.name()]
            assert self.next_is("<=")
            high = self.number()
            truth = cell is not None and low < cell <= high
        else:
            cell = self.row[self.name()]
            if self.next_is("is", "missing"):
                return cell is None
            truth = self.comparison(cell, denied) and cell is not None
        gap = self.or_missing()
        return truth or (gap and cell is None)

    def comparison(self, cell: Any, denied: bool) -> bool:
        known = cell is not None
        if self.next_is("is", "known"):
            return known
        if self.next_is(">"):
            low = self.number()
            return known and cell > low
        if self.next_is("<="):
            low = self.number()
            return known and cell <= low
        if self.next_is("="):
            return self.is_value(cell)
        if self.next_is("!="):
            return not self.is_value(cell)
        if self.next_is("in", "{"):
            return self.is_listed(cell)
        if self.next_is("not", "in", "{"):
            return not self.is_listed(cell)
        return known and bool(cell) != denied

    def is_listed(self, cell: Any) -> bool:
        found = [self.is_value(cell)]
        while self.next_is(","):
            found.append(self.is_value(cell))
        assert self.next_is("}")
        return any(found)


def read_logic(text: str, row: Mapping[str, Any]) -> bool:
    """Truth of a formula in the style "ascii" or "unicode" on a row."""
    reader = LogicReader(text, row)
    truth = reader.formula()
    assert reader.ended()
    return bool(truth)


def read_english(text: str, row: Mapping[str, Any]) -> bool:
    """Truth of a sentence on a row."""
    reader = EnglishReader(text, row)
    truth = reader.formula()
    assert reader.ended()
    return bool(truth)


def read_plain(text: str, row: Mapping[str, Any]) -> bool:
    """Truth of a formula in the style "plain" on a row."""
    reader = PlainReader(text, row)
    truth = reader.formula()
    assert reader.ended()
    return bool(truth)
