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
ENGLISH_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>“[^”]*”)|(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?P<word>\w+)|(?P<sign>[(),]))""",
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


class EnglishReader(Reader):
    """``age is at most 62 and (colour is not red or missing)``."""

    def __init__(self, text: str, row: Mapping[str, Any]) -> None:
        super().__init__(text, ENGLISH_TOKEN, row)

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
            return self.literal(self.take("quoted", "word"), denied=True)
        return self.literal(self.take("quoted", "word"))

    def literal(self, column: str, denied: bool = False) -> bool:
        cell = self.row[column]
        truth = self.comparison(cell, denied)
        if cell is None and truth != "gap":
            truth = False
        if self.next_is("or", "missing"):
            return truth is True or cell is None
        return cell is None if truth == "gap" else bool(truth)

    def comparison(self, cell: Any, denied: bool) -> bool | str:
        known = cell is not None
        if self.next_is("is", "missing"):
            return "gap"
        if self.next_is("is", "known"):
            return known
        if self.next_is("is", "above"):
            low = self.value()
            if self.next_is("and", "at", "most"):
                high = self.value()
                return known and low < cell <= high
            return known and cell > low
        if self.next_is("is", "at", "most"):
            low = self.value()
            if self.next_is("or", "above"):
                high = self.value()
                return known and not low < cell <= high
            return known and cell <= low
        if self.next_is("is", "either"):
            return cell in self.listed("or")
        if self.next_is("is", "neither"):
            return cell not in self.listed("nor")
        if self.next_is("is", "not"):
            return cell != self.value()
        if self.next_is("is"):
            return cell == self.value()
        return known and bool(cell) != denied

    def listed(self, word: str) -> list[str | float]:
        values = [self.value()]
        while self.next_is(","):
            values.append(self.value())
        assert self.next_is(word)
        return [*values, self.value()]


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
