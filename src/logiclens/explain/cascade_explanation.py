"""The explanation of one row through all levels of a cascade: each level's reason, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, shown
from logiclens.explain.explanation import Explanation, facts_of, from_saved, to_saved
from logiclens.explain.rule import FAINT, html_box, html_logic, html_part, markdown
from logiclens.files._storage import read_saved, report_damage, write_saved

_FORMAT = "logiclens.cascade_explanation"
_VERSION = 1


@dataclass(frozen=True)
class CascadeExplanation(Explanation):
    """Why a cascade predicts what it does for one row: through all levels, and level by level.

    Taken by itself it is the explanation in terms of the first level, as any :class:`Explanation`.

    Attributes
    ----------
    levels : tuple of tuple of Explanation
        For each level above the first, from the lowest up, the reasons of what the level above it relies on;
        last the reason of the prediction. Of a concept that is true of the row the reason is a sufficient
        condition, which the row satisfies. Of one that is false it is a necessary condition, which the row
        lacks.

    Examples
    --------
    >>> from logiclens.explain import Rule
    >>> from logiclens.logic import Var
    >>> ill = Explanation(Rule("ill", Var("fever") & Var("cough"), "only_if"), "example")
    >>> home = Explanation(Rule("home", Var("ill"), "only_if"), "example")
    >>> rule = Rule("home", Var("fever") & Var("cough"), "only_if")
    >>> print(CascadeExplanation(rule, "example", levels=[[ill], [home]]))
    forall x: (fever(x) & cough(x)) -> home(x)
      level 3: forall x: ill(x) -> home(x)
      level 2: forall x: (fever(x) & cough(x)) -> ill(x)
    """

    levels: tuple[tuple[Explanation, ...], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.levels, str) or not isinstance(self.levels, Iterable):
            raise InputError(f"levels must be sequences of explanations. Got {shown(self.levels)}.")
        levels = tuple(tuple(level) for level in self.levels)
        if not all(isinstance(each, Explanation) for level in levels for each in level):
            raise InputError("levels must be sequences of explanations. Got something else in them.")
        object.__setattr__(self, "levels", levels)

    def _reasons(self) -> list[tuple[int, Explanation]]:
        """The reasons, from the prediction down, each with the number of its level."""
        numbered = list(enumerate(self.levels, start=2))
        return [(number, each) for number, level in reversed(numbered) for each in level]

    def format(self, style: str = "ascii") -> str:
        """Text of the reasons in First-Order Logic, a line each; the styles are those of a rule."""
        below = (f"  level {number}: {each.rule.format(style)}" for number, each in self._reasons())
        return "\n".join([self.rule.format(style), *below])

    def to_sentence(self) -> str:
        """Return the reasons in plain English, a line each; the first is the one through all levels."""
        below = (f"  Level {number}: {each.to_sentence()}" for number, each in self._reasons())
        return "\n".join([super().to_sentence(), *below])

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        sentences = (html_part("div", f"{line}.") for line in self.to_sentence().splitlines())
        facts = html_part("div", facts_of(self), FAINT)
        return html_box(html_logic(self.format("unicode")), *sentences, facts)

    def to_markdown(self) -> str:
        """Return the reasons as Markdown: in plain English, and as logic in a block of code."""
        sentences = (f"{line.strip()}." for line in self.to_sentence().splitlines())
        return markdown(sentences, self.format("unicode"))

    def to_json(self) -> str:
        """JSON text that :meth:`from_json` reads back exactly, with the reasons of each level."""
        words = None if self.vocabulary is None else self.vocabulary.to_saved()
        levels = [[to_saved(each) for each in level] for level in self.levels]
        entries = {"explanation": to_saved(self), "levels": levels, "vocabulary": words}
        return write_saved(_FORMAT, _VERSION, entries)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote; no code is run.

        Raises
        ------
        InputError
            The text is damaged, comes from elsewhere or from a later release.
        """
        entries = read_saved(text, _FORMAT, _VERSION, ["explanation", "levels", "vocabulary"])
        with report_damage():
            words: Any = entries["vocabulary"]
            vocabulary = None if words is None else Vocabulary.from_saved(words)
            levels = tuple(
                tuple(from_saved(each).worded(None if at else vocabulary) for each in level)
                for at, level in enumerate(entries["levels"])
            )
            whole = from_saved(entries["explanation"]).worded(vocabulary)
            return cls(whole.rule, whole.scope, whole.status, whole.support, whole.scores, levels)
