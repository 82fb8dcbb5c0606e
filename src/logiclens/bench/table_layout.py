r"""Tables as values, written as Markdown, as LaTeX (booktabs) and as HTML.

Whatever stands in a cell is text, never markup: titles of experiments are names of files, and rules are full
of names that users chose. Each way of writing shows a text as it is and lets it do nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape as html_escape
from typing import Final

from logiclens.errors import InputError, did_you_mean, listing, shown
from logiclens.explain.rule import markdown_text
from logiclens.logic.formula import escape

FORMATS: Final = ("markdown", "latex", "html")
"""Ways of writing a table."""

# An underscore between letters is one wherever Markdown is read; a colon matters in addresses.
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': r"\textquotedbl{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after \\ it would be an argument
    "*": "{*}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "–": "--",
    "−": "$-$",
    "↔": r"$\leftrightarrow$",
    "μ": r"$\mu$",
    "ψ": r"$\psi$",
    **{char: f"\\{char}" for char in "{}$&#%_"},
}
_STYLE = """\
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
caption { text-align: left; font-weight: 600; padding: .3em 0 }
th, td { padding: .25em .7em; text-align: left; vertical-align: top; overflow-wrap: break-word }
td { font-variant-numeric: tabular-nums }
thead th { border-bottom: 2px solid; border-top: 2px solid }
tbody tr:last-child > * { border-bottom: 2px solid }
tbody th { font-weight: 600 }
.beside { opacity: .6; white-space: nowrap }
.note { opacity: .8; font-size: .9em }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark } }
</style>
"""


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    text : str
    best : bool, default False
        Whether it is set in bold.
    beside : str, default ""
        A figure to compare with, in brackets and gray.
    math : str, default ""
        Math-mode LaTeX that takes the place of the text there.
    """

    text: str
    best: bool = False
    beside: str = ""
    math: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, [self.text, f"[{self.beside}]" if self.beside else ""]))


@dataclass(frozen=True)
class ResultTable:
    """A table with a title and a remark; the first cell of each line names it.

    Parameters
    ----------
    title : str
    heads : tuple of str
    lines : tuple of tuples of Cell
        As many cells a line as there are heads.
    note : str, default ""

    Examples
    --------
    >>> line = (Cell("MIMIC-II"), Cell("98.5±0.3", True, "88.4"))
    >>> table = ResultTable("Fidelity", ("", "μ net"), (line,))
    >>> print(table.to_markdown())
    **Fidelity**
    <BLANKLINE>
    |  | μ net |
    |---|---|
    | MIMIC-II | **98.5±0.3** [88.4] |
    """

    title: str
    heads: tuple[str, ...]
    lines: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for line in self.lines:
            if len(line) != len(self.heads):
                raise InputError(
                    f"Each line must have {len(self.heads)} cells, one for each head. Got {len(line)}."
                )

    def to_markdown(self) -> str:
        """Markdown with a table, as GitHub and MkDocs read it."""
        rows = [_pipes(map(_in_markdown, self.heads)), "|" + "---|" * len(self.heads)]
        rows += [_pipes(map(_markdown_cell, line)) for line in self.lines]
        note = ["", _in_markdown(self.note)] if self.note else []
        title = [f"**{_in_markdown(self.title)}**", ""] if self.title else []
        return "\n".join([*title, *rows, *note])

    def to_latex(self) -> str:
        """A floating table; needs the packages amsmath, booktabs and xcolor.

        Columns whose cells hold rules are paragraphs that may break.
        """
        wide = [any(line[at].math for line in self.lines) for at in range(len(self.heads))]
        columns = "".join(r"p{0.6\textwidth}" if breaks else "l" for breaks in wide)
        rows = [_ampersands(map(latex_text, self.heads)), "\\midrule"]
        rows += [_ampersands(map(_latex_cell, line)) for line in self.lines]
        note = [f"\\par\\smallskip {latex_text(self.note)}"] if self.note else []
        return "\n".join(
            [
                "\\begin{table}[ht]",
                "\\centering\\small",
                f"\\caption{{{latex_text(self.title)}}}",
                f"\\begin{{tabular}}{{{columns}}}",
                "\\toprule",
                *rows,
                "\\bottomrule",
                "\\end{tabular}",
                *note,
                "\\end{table}",
            ]
        )

    def to_html(self) -> str:
        """A ``<table>``, complete in itself; colors are those of the page."""
        heads = "".join(f"<th>{html_text(head)}</th>" for head in self.heads)
        rows = ("".join([_html_cell(line[0], "th"), *map(_html_cell, line[1:])]) for line in self.lines)
        body = "\n".join(f"<tr>{row}</tr>" for row in rows)
        note = f'\n<p class="note">{html_text(self.note)}</p>' if self.note else ""
        return (
            f"<table>\n<caption>{html_text(self.title)}</caption>\n<thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{body}\n</tbody>\n</table>{note}"
        )


def as_document(tables: Sequence[ResultTable], form: str) -> str:
    """All tables as one document: ``"markdown"``, ``"latex"`` (for another to input) or ``"html"`` (a page).

    Examples
    --------
    >>> print(as_document([ResultTable("Empty", ("a", "b"), ())], "markdown"), end="")
    **Empty**
    <BLANKLINE>
    | a | b |
    |---|---|

    Raises
    ------
    InputError
        There is no such way of writing.
    """
    if form == "markdown":
        return "\n\n".join(table.to_markdown() for table in tables) + "\n"
    if form == "latex":
        packages = "% \\usepackage{amsmath,booktabs,xcolor}"
        return "\n\n".join([packages, *(table.to_latex() for table in tables)]) + "\n"
    if form == "html":
        body = "\n".join(table.to_html() for table in tables)
        head = f'<meta charset="utf-8">\n<title>Results</title>\n{_STYLE}'
        return f'<!doctype html>\n<html lang="en">\n<head>\n{head}</head>\n<body>\n{body}\n</body>\n</html>\n'
    raise InputError(
        f"A table is written as {listing(FORMATS)}. {did_you_mean(str(form), FORMATS)}Got {shown(form)}."
    )


def latex_text(text: str) -> str:
    r"""Text that LaTeX shows as it is, outside of mathematics.

    Examples
    --------
    >>> print(latex_text("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(_LATEX.get(char, char) for char in _one_line(text))


def html_text(text: str) -> str:
    """Text that HTML shows as it is.

    Examples
    --------
    >>> print(html_text("<script>"))
    &lt;script&gt;
    """
    return html_escape(_one_line(text))


def _in_markdown(text: str) -> str:
    """Text that Markdown shows as it is, also in a cell of a table."""
    return markdown_text(_one_line(text))


def _one_line(text: str) -> str:
    """Text on one line, with invisible characters escaped."""
    return "".join(char if char.isprintable() else escape(char) for char in text)


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _ampersands(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _markdown_cell(cell: Cell) -> str:
    text = _in_markdown(cell.text)
    shown_text = f"**{text}**" if cell.best and text else text
    return " ".join(filter(None, [shown_text, f"[{_in_markdown(cell.beside)}]" if cell.beside else ""]))


def _latex_cell(cell: Cell) -> str:
    text = f"${cell.math}$" if cell.math else latex_text(cell.text)
    shown_text = rf"{{\boldmath\textbf{{{text}}}}}" if cell.best and text else text
    beside = rf"\textcolor{{gray}}{{{latex_text(f'[{cell.beside}]')}}}" if cell.beside else ""
    return " ".join(filter(None, [shown_text, beside]))


def _html_cell(cell: Cell, tag: str = "td") -> str:
    text = html_text(cell.text)
    shown_text = f"<strong>{text}</strong>" if cell.best and text else text
    beside = f'<span class="beside">[{html_text(cell.beside)}]</span>' if cell.beside else ""
    return f"<{tag}>{' '.join(filter(None, [shown_text, beside]))}</{tag}>"
