"""``logiclens check`` and ``logiclens export``: check or export the rules of a saved model.

Also reads saved models for other commands: their rules without torch, their network if it is needed.
"""

from __future__ import annotations

import os
import re
from enum import StrEnum
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from logiclens.cli import options as opt
from logiclens.cli.options import one_of
from logiclens.cli.outputs import STDOUT, Outputs, write_text
from logiclens.cli.terminal import checked_output, one_line_errors, percent, print_note
from logiclens.errors import InputError, UnknownTargetError

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.explain import ExplanationSet, RuleCheck
    from logiclens.explain.rule import Label


_RESULTS = re.compile(rb'\s*\{\s*"format"\s*:\s*"logiclens\.results"')


def rules_in(path: str | os.PathLike[str], literals: int | None = None) -> ExplanationSet:
    """The rules that a file holds, of a model or alone; torch is not needed.

    Parameters
    ----------
    path : str or path
    literals : int, optional
        Most literals, all together; those that were shown when missing.

    Raises
    ------
    FileError
        There is no such file, or it may not be read.
    InputError
        It holds neither, is damaged or comes from a later release.
    """
    from logiclens.explain import load_rules
    from logiclens.files._storage import read_whole
    from logiclens.loading import front_of_model, rules_of_model

    content = read_whole(path)
    if _is_model(content):
        return rules_of_model(path) if literals is None else front_of_model(path).rules(literals)
    if content.lstrip()[:1] != b"{":
        raise InputError(
            f"{os.fspath(path)!r} holds neither a model nor rules. "
            "Pass a file that logiclens explain --save wrote."
        )
    if _RESULTS.match(content[:200]):
        raise InputError(
            f"{os.fspath(path)!r} holds results, as --json writes them; save rules with --save rules.json."
        )
    if literals is not None:
        raise InputError(
            f"{os.fspath(path)!r} holds rules of one length. Leave out --literals, or name the model's file."
        )
    return load_rules(path)


def network_in(path: str | os.PathLike[str]) -> Any:
    """The model that a file holds, with its network; None where it holds rules alone."""
    from logiclens.files._storage import read_whole
    from logiclens.loading import load

    return load(path) if _is_model(read_whole(path)) else None


def _is_model(content: bytes) -> bool:
    from logiclens.explain._model_file import is_model

    return is_model(content)


def label_named(rules: ExplanationSet, text: str) -> Label:
    """The label with this text."""
    for label in rules:
        if text in (str(label), str(label).lower() if isinstance(label, bool) else str(label)):
            return label
    raise UnknownTargetError(text, rules.labels)


FOUND = 3
"""Exit code of ``--strict`` when something was found."""


def check(
    model: opt.Model,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with code 3 when a step never decides or a class is never predicted. Of rules that "
            "are no list: when they conflict, leave a gap, or are always or never true.",
        ),
    ] = False,
    literals: opt.SavedLiterals = None,
    logic: opt.Logic = False,
) -> None:
    """Check the rules of a saved model: steps that never decide, conflicts, gaps, concepts used.

    No data are needed: what is said holds of every row that there can be. Exit code 0, also where something
    was found; 3 with --strict.

    \b
    Examples:
      logiclens check model.lens
          print the rules and what is odd about them
      logiclens check rules.json --strict > /dev/null || echo look at the rules
          in a script
    """  # noqa: D301 - \b keeps lines
    from logiclens.cli.terminal import output_console

    with one_line_errors():
        rules = rules_in(model, literals)
        found = rules.check()
        with checked_output():
            _print(output_console(), os.path.basename(model), rules, found, logic=logic)
    if strict and not found.clean:
        raise typer.Exit(FOUND)


def _print(console: Console, name: str, rules: ExplanationSet, found: RuleCheck, *, logic: bool) -> None:
    from logiclens.cli.learning import print_decision, print_mirror, print_rules
    from logiclens.cli.terminal import print_item, print_line
    from logiclens.errors import count

    parts = count(len(rules.steps), "step") if found.is_list else count(len(rules), "rule")
    print_line(console, f"{name}: {parts}, {count(rules.literals, 'literal')}", "bold")
    console.print()
    if rules.is_list:
        print_decision(console, rules, (), logic=logic)
        if not found.is_list:
            print_mirror(console, rules, logic=logic)
    else:
        print_rules(console, ((each, "") for each in rules.values()), logic=logic)
    for line in found.lines:
        if line.startswith("  "):
            print_item(console, line.strip())
        else:
            print_line(console, line)


class Language(StrEnum):
    """The languages that rules can be written in."""

    SQL = "sql"
    PYTHON = "python"
    JSON = "json"
    LATEX = "latex"
    MARKDOWN = "markdown"
    MD = "md"
    SYMPY = "sympy"


class DialectName(StrEnum):
    """The dialects of SQL."""

    ANSI = "ansi"
    DUCKDB = "duckdb"
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"
    SPARK = "spark"
    BIGQUERY = "bigquery"


def export(
    model: opt.Model,
    to: Annotated[
        Language,
        typer.Option(help="What to write the rules as.", parser=one_of(Language), metavar="|".join(Language)),
    ],
    label: Annotated[
        str | None,
        typer.Option("--class", help="The rule of this class alone: whether it is true.", metavar="LABEL"),
    ] = None,
    dialect: Annotated[
        DialectName | None,
        typer.Option(
            help="Dialect of SQL.  [default: ansi]", parser=one_of(DialectName), metavar="|".join(DialectName)
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the Python function.  [default: predict, or rule]", metavar="NAME"),
    ] = None,
    literals: opt.SavedLiterals = None,
    out: Annotated[
        Path,
        typer.Option(
            help="Write to this file instead of standard output.", metavar="FILE", show_default=False
        ),
    ] = STDOUT,
) -> None:
    """Write the rules of a saved model in another language, together exactly as the rules predict.

    Names stand in the quotes of the language, with its escapes. SQL and Python decide as the rules do: by the
    first step that is true, and by the default where none is. SQL begins with a comment that says where it
    comes from; the same model gives the same text.

    \b
    Examples:
      logiclens export model.lens --to sql --dialect postgresql
          a CASE expression that predicts in a database
      logiclens export model.lens --to python --out rules.py
          a function that needs nothing but Python
      logiclens export model.lens --to sql --class ill
          the condition for one class
      logiclens export model.lens --to md | pandoc -o rules.docx
          for a document
    """  # noqa: D301 - \b keeps lines
    if dialect is not None and to is not Language.SQL:
        raise typer.BadParameter("there are dialects of SQL only; add --to sql.", param_hint="'--dialect'")
    if name is not None and to is not Language.PYTHON:
        raise typer.BadParameter("only Python needs a name; add --to python.", param_hint="'--name'")

    from logiclens.explain.explanation import EQUIVALENT

    with one_line_errors():
        Outputs(out=out).check(model)
        rules = rules_in(model, literals)
        chosen = None if label is None else label_named(rules, label)
        text = format_rules(rules, to, chosen, dialect or DialectName.ANSI, name)
        if to is Language.SQL:
            text = f"{_provenance(rules, os.path.basename(model), chosen)}\n{text}"
        write_text(out, text)
        if chosen is not None and rules.is_list and rules[chosen].status != EQUIVALENT:
            print_note(
                f"Note: this formula {rules[chosen].status}, and may decide other rows otherwise. "
                "Without --class, the list itself is written."
            )


def format_rules(
    rules: ExplanationSet,
    to: Language,
    label: Label | None = None,
    dialect: str = DialectName.ANSI,
    name: str | None = None,
) -> str:
    """Rules, or the rule of one label, in another language; the text ends its last line."""
    one: Any = rules if label is None else rules[label]
    match to:
        case Language.PYTHON:
            default = "predict" if label is None else "rule"
            return str(one.to_python(default if name is None else name))
        case Language.SQL:
            text = _sql(rules, label, dialect)
        case Language.SYMPY:
            text = _sympy(rules, label)
        case Language.MARKDOWN | Language.MD:
            text = one.to_markdown() if label is not None else _markdown(rules)
        case Language.JSON:
            text = one.to_json()
        case Language.LATEX:
            text = one.to_latex()
    return f"{text}\n"


_INDENT = 4


def _provenance(rules: ExplanationSet, name: str, label: Label | None) -> str:
    """Comments in SQL: what is predicted, by which rules, and how often they were right."""
    import logiclens
    from logiclens.errors import count
    from logiclens.logic.sql import sql_comment

    scores = rules.held_out
    target = "The prediction" if scores is None or scores.target is None else scores.target
    what = target if label is None else f"{target}: whether it is {label}"
    lines = [f"{what}, by the rules of {name} (logiclens {logiclens.__version__})"]
    literals = rules.literals if label is None else rules[label].literals
    right = ""
    if scores is not None and label is None:
        right = f", right on {percent(scores.accuracy)} of {count(round(scores.total), 'row')} held out"
    lines.append(f"{count(literals, 'literal')}{right}")
    return "\n".join(map(sql_comment, lines))


def _sql(rules: ExplanationSet, label: Label | None, dialect: str) -> str:
    """An expression; of several labels a column for each."""
    from logiclens.logic.sql import dialect_named

    if label is not None:
        return rules[label].to_sql(dialect, indent=0)
    made = rules.to_sql(dialect, indent=_INDENT)
    if isinstance(made, str):
        return made
    quote = dialect_named(dialect).quote
    return ",\n".join(f"{test} AS {quote(str(each))}" for each, test in made.items())


def _markdown(rules: ExplanationSet) -> str:
    """Rules with, where it is known, how often each step was right on the rows held out."""
    from logiclens.errors import count
    from logiclens.evaluation import StepScores

    scores = rules.held_out
    if scores is None:
        return rules.to_markdown()
    unknown = (nan, nan)
    steps = [
        StepScores(label, n, right, right / n if n else nan, unknown)
        for label, n, right in zip(rules.answers, scores.n_rows, scores.n_right, strict=True)
    ]
    rows = f"{count(round(scores.total), 'row')} held out"
    right = f"{count(rules.literals, 'literal')}, right on {percent(scores.accuracy)} of {rows}."
    return f"{rules.to_markdown(steps)}\n\n{right}"


def _sympy(rules: ExplanationSet, label: Label | None) -> str:
    """Python source that builds the expressions with sympy; names are string literals."""
    expressions = {label: rules[label].to_sympy()} if label is not None else rules.to_sympy()
    import sympy

    sources = {each: sympy.srepr(expression) for each, expression in expressions.items()}
    head = "from sympy import And, Not, Or, Symbol, false, true\n\n"
    if label is not None:
        return f"{head}rule = {sources[label]}"
    entries = "".join(f"    {each!r}: {source},\n" for each, source in sources.items())
    return f"{head}rules = {{\n{entries}}}"
