"""How explanations look in a notebook: small pieces of HTML, complete in themselves.

Colors are the notebook's own, light or dark: nothing is set but faint lines. Every text is escaped, and what
cannot be seen, such as the signs that turn the direction of writing, is written as an escape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as html_escape
from typing import TYPE_CHECKING

from logiclens.explain.rule import label_in_sentence
from logiclens.logic.notation import escape

if TYPE_CHECKING:
    from logiclens.explain.counterfactual import Change
    from logiclens.explain.explanation import Explanation
    from logiclens.explain.rule_set import ExplanationSet

_BOX = "max-width:60em;overflow-wrap:anywhere;line-height:1.45"
_LOGIC = "font-family:monospace;white-space:pre-wrap;margin:.3em 0"
_FAINT = "opacity:.75;font-size:.92em"
_CELL = (
    "text-align:left;vertical-align:top;min-width:6em;padding:.25em .6em;"
    "border-top:1px solid rgba(128,128,128,.4)"
)


def explanation_html(explanation: Explanation) -> str:
    """A rule as logic and in plain English, and how far to trust it."""
    return _box(
        _logic(explanation.rule.format("unicode")),
        _part("div", f"{explanation.to_sentence()}."),
        _part("div", _facts(explanation), _FAINT),
    )


def rules_html(rules: ExplanationSet) -> str:
    """The list that decides, as logic and in plain English, with the literals and rates of each class.

    Where it is no list of classes: a table of rules.
    """
    if rules.is_list:
        rows = [
            (_part("b", label_in_sentence(each.target)), _part("div", _facts(each), _FAINT))
            for each in rules.values()
        ]
        said = (_part("div", line) for line in rules.to_sentence().split("\n"))
        steps = (_logic(line) for line in rules.format("unicode").split("\n"))
        return _box(*steps, *said, _table(("target", "rule of its own"), rows))
    rows = [
        (
            _part("b", label_in_sentence(explanation.target)),
            _logic(explanation.rule.format("unicode"))
            + _part("div", f"{explanation.to_sentence()}.")
            + _part("div", _facts(explanation), _FAINT),
        )
        for explanation in rules.values()
    ]
    policy = rules.to_sentence().split("\n")[len(rules) :]
    return _box(_table(("target", "rule"), rows), *(_part("div", line, _FAINT) for line in policy))


def clauses_html(clauses: Sequence[str], status: str) -> str:
    """Clauses that hold on all data, one a line."""
    return _box(*map(_logic, clauses), *([_part("div", f"{status}.", _FAINT)] if status else []))


def counterfactual_html(sentence: str, changes: Sequence[Change] | None) -> str:
    """What would have to be different, in plain English and change by change."""
    rows = [tuple(_part("span", text) for text in (c.what, c.before, c.after)) for c in changes or ()]
    table = [_table(("what", "as it is", "it would change if"), rows)] if rows else []
    return _box(_part("div", sentence), *table)


def check_html(lines: Iterable[str]) -> str:
    """Findings about rules, one a line; details are set in."""
    indented = "margin-left:1.5em"
    return _box(*(_part("div", line.strip(), indented if line[:1] == " " else "") for line in lines))


def _facts(explanation: Explanation) -> str:
    """Length, status, support and scores on one line."""
    facts = [f"{explanation.complexity} literal{'' if explanation.complexity == 1 else 's'}"]
    if explanation.status:
        facts.append(explanation.status)
    if explanation.support:
        facts.append(f"support {explanation.support:.10g}")
    if explanation.scores is not None:
        rates = [f"{name} {rate:.1%}" for name, rate in explanation.scores.rates.items()]
        if rates:
            facts.append(
                f"on {explanation.scores.n_rows} rows ({explanation.scores.part}): {', '.join(rates)}"
            )
    return " · ".join(facts)


def _box(*parts: str) -> str:
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def _logic(text: str) -> str:
    return f'<div dir="ltr" style="{_LOGIC}">{_safe(text)}</div>'


def _part(tag: str, text: str, style: str = "") -> str:
    """A sentence, from left to right whatever script a name in it is; a name alone runs as it should."""
    styled = f' style="{style}"' if style else ""
    return f'<{tag} dir="{"auto" if tag == "b" else "ltr"}"{styled}>{_safe(text)}</{tag}>'


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    head = "".join(f'<th style="{_CELL}">{_safe(text)}</th>' for text in headings)
    cells = ("".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f'<table style="border-collapse:collapse"><tr>{head}</tr>{body}</table>'


def _safe(text: str) -> str:
    r"""Text that a browser shows and does nothing else with.

    Examples
    --------
    >>> print(_safe("<b>\u202e"))
    &lt;b&gt;\u202e
    """
    return html_escape("".join(char if char.isprintable() else escape(char) for char in text))
