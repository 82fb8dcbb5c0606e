"""``logiclens export``: the rules of a saved model for another program, or for a document."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from logiclens.cli import options as opt
from logiclens.cli.choices import one_of
from logiclens.cli.failing import clear_errors
from logiclens.cli.models import Model
from logiclens.cli.outputs import STDOUT, Outputs, write_text

if TYPE_CHECKING:
    from logiclens.explain import ExplanationSet
    from logiclens.explain.rule import Label


class Language(StrEnum):
    """What rules can be written as."""

    SQL = "sql"
    PYTHON = "python"
    JSON = "json"
    LATEX = "latex"
    MARKDOWN = "md"
    SYMPY = "sympy"


class Dialect(StrEnum):
    """The dialects of SQL."""

    ANSI = "ansi"
    DUCKDB = "duckdb"
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"
    SPARK = "spark"
    BIGQUERY = "bigquery"


def export(
    model: Model,
    to: Annotated[
        Language,
        typer.Option(help="What to write the rules as.", parser=one_of(Language), metavar="|".join(Language)),
    ],
    label: Annotated[
        str | None,
        typer.Option("--class", help="The rule of this class alone: whether it is true.", metavar="LABEL"),
    ] = None,
    dialect: Annotated[
        Dialect | None,
        typer.Option(
            help="Dialect of SQL.  [default: ansi]", parser=one_of(Dialect), metavar="|".join(Dialect)
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
    """Write the rules of a saved model in another language, each exactly as the rules predict.

    Names stand in the quotes of the language, with its escapes. SQL and Python decide as the rules do: by the
    first step that is true, and by the default where none is.

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
    from logiclens.cli.models import label_named, rules_in

    with clear_errors():
        Outputs(out=out).check(model)
        rules = rules_in(model, literals)
        chosen = None if label is None else label_named(rules, label)
        write_text(out, exported(rules, to, chosen, dialect or Dialect.ANSI, name))


def exported(
    rules: ExplanationSet,
    to: Language,
    label: Label | None = None,
    dialect: str = Dialect.ANSI,
    name: str | None = None,
) -> str:
    """Rules, or the rule of one label, in another language; the text ends its last line."""
    if to is Language.PYTHON:
        default = "predict" if label is None else "rule"
        one = rules if label is None else rules[label]
        return one.to_python(default if name is None else name)
    if to is Language.SQL:
        return f"{_sql(rules, label, dialect)}\n"
    if to is Language.SYMPY:
        return f"{_sympy(rules, label)}\n"
    if to is Language.MARKDOWN:
        return f"{(rules if label is None else rules[label]).to_markdown()}\n"
    one = rules if label is None else rules[label]
    return f"{one.to_json() if to is Language.JSON else one.to_latex()}\n"


def _sql(rules: ExplanationSet, label: Label | None, dialect: str) -> str:
    """An expression; of several labels a column for each."""
    from logiclens.logic.sql import dialect_named

    if label is not None:
        return rules[label].to_sql(dialect)
    made = rules.to_sql(dialect)
    if isinstance(made, str):
        return made
    quote = dialect_named(dialect).quote
    return ",\n".join(f"{test} AS {quote(str(each))}" for each, test in made.items())


def _sympy(rules: ExplanationSet, label: Label | None) -> str:
    """Source that builds the expressions again: names are string literals in it."""
    expressions = {label: rules[label].to_sympy()} if label is not None else rules.to_sympy()
    import sympy

    sources = {each: sympy.srepr(expression) for each, expression in expressions.items()}
    head = "from sympy import And, Not, Or, Symbol, false, true\n\n"
    if label is not None:
        return f"{head}rule = {sources[label]}"
    entries = "".join(f"    {each!r}: {source},\n" for each, source in sources.items())
    return f"{head}rules = {{\n{entries}}}"
