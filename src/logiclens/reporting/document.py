"""The report: one HTML file that shows rules, how good they are, and what they say of any row."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape
from typing import Any

from logiclens.errors import count
from logiclens.files.writing import as_file, written_whole
from logiclens.reporting.columns import Source
from logiclens.reporting.facts import Facts
from logiclens.reporting.gathering import gather_facts

_HEIGHT = 800  # of the page in a notebook, in pixels


@dataclass(frozen=True)
class Report:
    """A report: a page to read, and what it says as values.

    In a notebook it shows itself.

    Attributes
    ----------
    html : str
        One HTML document that needs nothing else.
    facts : Facts
        What it says.
    """

    html: str = field(repr=False)
    facts: Facts = field(repr=False)

    def __repr__(self) -> str:
        n, size = len(self.facts.rules), len(self.html.encode()) / 1000
        return f"Report({self.facts.title!r}, {count(n, 'rule')}, {size:,.0f} KB)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; an old file is replaced whole or stays.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        FileError
            The file cannot be written.
        """
        with written_whole(path) as file:
            file.write(self.html.encode())

    def _repr_html_(self) -> str:
        page = escape(self.html, quote=True)
        style = f"width: 100%; height: {_HEIGHT}px; border: 1px solid #8888"
        title = escape(self.facts.title, quote=True)
        return f'<iframe title="{title}" srcdoc="{page}" allow="clipboard-write" style="{style}"></iframe>'


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    target: str | None = None,
    rows: bool = False,
    source: Source | None = None,
) -> Report:
    """Make a report: rules as logic, sentence and picture, how good they are, and what they say of any row.

    Parameters
    ----------
    model : fitted classifier, BlackBoxExplainer or LENClusterer, or ExplanationSet
    X : data frame, array, sparse matrix or mapping, n rows, optional
        Rows to measure the rules on: rows held out, that the model was not fitted on. Without them the
        scores of the fit are shown, and named so.
    y : array of shape (n,), or of shape (n, n_targets), optional
        The truth about them. Without it the rules are compared with what they explain. Of a black box that
        cannot be asked, since its rows are of another table or its answers alone are known, its answers.
    path : str or path, optional
        File to write the page to.
    title : str, optional
        A question about the target when missing.
    target : str, optional
        What is decided; the name of ``y`` when missing, where it has one.
    rows : bool, default False
        Whether rows about which the rules are wrong are shown with their values. Otherwise no row is in the
        page, only counts, rounded ranges and typical values.
    source : Source, optional
        Where the data come from.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        ``model`` is none of the above or not fitted, or the rows do not fit it.
    FileError
        The file cannot be written.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings", "fins"])
    >>> page = report(rules, [[1, 0], [0, 1]], ["bird", "bird"], target="animal")
    >>> page.facts.overall.explanation_accuracy_plain
    0.5
    """
    from logiclens.reporting.page import render

    if path is not None:
        as_file(path)  # a folder is refused before the work is done
    facts = gather_facts(model, X, y, title=title, target=target, rows=rows, source=source)
    made = Report(render(facts), facts)
    if path is not None:
        made.save(path)
    return made
