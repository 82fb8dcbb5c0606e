r"""A rule: a formula tied to the label of a target, written in First-Order Logic.

    IF        all of the target satisfies the formula         forall x: target(x) -> formula(x)     Eq. (7)
    ONLY IF   all that satisfies the formula is the target    forall x: formula(x) -> target(x)     Eq. (8)
    IFF       both                                            forall x: target(x) <-> formula(x)    Eq. (9)
    CLUSTER   all of the cluster satisfies the formula        forall x in O_i: formula(x)           Eq. (13)

The names are the paper's. Plain English reads "if" the other way round, so sentences say what is meant:
"every high row has: ..." (a *necessary* condition), "rows where ... are high" (a *sufficient* one).

In logic names are quoted as :mod:`logiclens.logic.syntax` quotes them. A target that
is a number or a Boolean stands as it is, a text that looks like one in quotes: ``1(x)`` but ``"1"(x)``.

A label is a text, a whole number, a number or a Boolean, and always a plain value of Python: the scalars of
NumPy that labels usually come as are unpacked. The labels of one problem are all of one type, since ``1``,
``1.0`` and ``True`` would otherwise be one label with three faces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from html import escape as html_escape
from math import isfinite
from typing import Any, TypeAlias, TypeVar

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, did_you_mean, listing, shown
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import as_array, booleanize, check_length, missing_values
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import (
    Const,
    Formula,
    Notation,
    check_formula,
    check_writable,
    escape,
    misread_with,
    plain_name,
    quote,
)
from logiclens.logic.normal_form import dnf_literals
from logiclens.logic.syntax import latex_name, notation_named

Label: TypeAlias = str | int | float
"""A Boolean is an int to Python."""

_LEAST, _MOST = -(2**63), 2**64 - 1  # what NumPy's integers hold
_KINDS = {str: "text", bool: "Booleans", int: "whole numbers", float: "numbers"}


def plain_label(value: Any) -> Label:
    """Return a label as a plain str, bool, int or float."""
    match value:
        case str():
            return str.__str__(value)
        case bool() | np.bool_():
            return bool(value)
        case int() | np.integer() if _LEAST <= value <= _MOST:
            return int(value)
        case float() | np.floating() if isfinite(value):
            return float(value) + 0.0  # -0.0 is 0.0
    raise InputError(
        "A label must be text, a Boolean, a finite number or a whole number of 64 bits at most. "
        f"Got {shown(value)}."
    )


def check_labels(labels: Sequence[Label]) -> None:
    """Refuse plain labels that are repeated or of several types."""
    kinds = {type(label): label for label in reversed(labels)}
    if len(kinds) > 1:
        named = " and ".join(f"{_KINDS[kind]} ({shown(label)})" for kind, label in reversed(kinds.items()))
        raise InputError(f"Labels must be of one type. Got {named}; convert them to one, such as str.")
    if len(set(labels)) < len(labels):
        repeated = sorted({label for label in labels if labels.count(label) > 1})
        raise InputError(f"Labels must be distinct; repeated: {listing(repeated)}. Give each target its own.")


def label_array(labels: Sequence[Label]) -> NDArray[Any]:
    """Plain labels of one type as an array of that type, or of objects where NumPy would change them."""
    array = np.array(labels)
    kept = array.tolist()
    same = kept == list(labels) and list(map(type, kept)) == list(map(type, labels))
    return array if same else np.array(labels, dtype=object)


def true_labels(y: Any, labels: Sequence[Label], n_rows: int) -> NDArray[Any]:
    """Return true labels as an array that can be compared with :func:`label_array`.

    Labels that are not among ``labels`` are allowed, those of another type and missing ones are not.
    """
    truth = as_array(y, "y")
    check_length(truth, "y", n_rows)
    if truth.dtype.kind == "f" and np.isnan(truth).any():
        raise missing_values("y", np.isnan(truth), " (NaN)")
    if truth.dtype.kind not in "biufU":  # objects, strings of variable length, what has no labels in it
        truth = truth.astype(object)
        for label in set(truth.tolist()):
            plain_label(label)
    is_text = isinstance(labels[0], str)
    odd = [label for label in truth[:1].tolist() if isinstance(label, str) != is_text]
    if odd:
        raise InputError(
            f"y has labels such as {shown(odd[0])}; the rules are about labels such as {shown(labels[0])}. "
            "Convert y to their type."
        )
    return truth


def true_answers(y: Any, labels: Sequence[Label], n_rows: int) -> BoolArray:
    """Truth of every label on every row, shape (n_rows, n_labels).

    Columns that are called like the labels may stand in any order.
    """
    columns = column_names(y)
    truth = as_array(list(y.values()), "y").T if isinstance(y, Mapping) else as_array(y, "y")
    if columns is not None and set(labels) <= set(columns):
        truth = truth[:, [columns.index(label) for label in labels]]
    elif columns is not None and isinstance(labels[0], str):
        missing = next(label for label in labels if label not in columns)
        raise InputError(f"y has no column for the label {missing!r}. Name its columns after the labels.")
    if truth.shape != (n_rows, len(labels)):
        raise InputError(
            f"y must have a row for each row of data and a column for each label, shape "
            f"{(n_rows, len(labels))}. Got shape {truth.shape}."
        )
    return booleanize(truth, "y")


def column_names(data: Any) -> list[Any] | None:
    """Return the names that the columns of a mapping or a data frame carry; None for an array."""
    if isinstance(data, Mapping):
        return list(data)
    try:
        frame = nw.from_native(data, pass_through=True)
    except DuplicateError:
        raise InputError("Columns must have distinct names. Rename those that are repeated.") from None
    return frame.collect_schema().names() if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


class RuleKind(StrEnum):
    """How a formula is tied to its target."""

    IF = "if"
    """The target implies the formula: a necessary condition, Eq. (7)."""
    ONLY_IF = "only_if"
    """The formula implies the target: a sufficient condition, Eq. (8)."""
    IFF = "iff"
    """Each implies the other, Eq. (9)."""
    CLUSTER = "cluster"
    """The formula holds on all of a cluster, Eq. (13)."""


@dataclass(frozen=True)
class Rule:
    """A formula tied to a target.

    Attributes
    ----------
    target : str, int, float or bool
        Label of the class, cluster or output; scalars of NumPy become plain values.
    formula : Formula
        ``FALSE`` where no rule was found.
    kind : RuleKind
        Or its text: ``"if"``, ``"only_if"``, ``"iff"`` or ``"cluster"``.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns of a raw table; the rule is then written in those words.

    Examples
    --------
    >>> from logiclens.logic import parse_formula
    >>> rule = Rule("death", parse_formula("(stroke & age_HIGH) | ~liver"), "iff")
    >>> print(rule)
    forall x: death(x) <-> (stroke(x) & age_HIGH(x)) | ~liver(x)
    >>> print(rule.to_sentence())
    Predicts death when stroke and age_HIGH, or not liver

    References
    ----------
    Sec. 4.2, Eq. (7)-(9) and (13) of Ciravegna et al., *Logic Explained Networks*.
    """

    target: Label
    formula: Formula
    kind: RuleKind = RuleKind.IFF
    vocabulary: Vocabulary | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", plain_label(self.target))
        check_formula(self.formula, "Rule")
        object.__setattr__(self, "kind", member(RuleKind, self.kind, "kind of rule"))
        if self.vocabulary is not None:
            if not isinstance(self.vocabulary, Vocabulary):
                raise InputError(f"vocabulary must be a Vocabulary or None. Got {shown(self.vocabulary)}.")
            for name in self.formula.concepts:
                self.vocabulary[name]  # an unknown one raises

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts of the formula, sorted."""
        return self.formula.concepts

    @property
    def complexity(self) -> int:
        """Number of literals of the formula's disjunctive normal form."""
        return dnf_literals(self.formula)

    @property
    def literals(self) -> int:
        """Number of literals of the formula as written."""
        return self.formula.literals

    def format(self, style: str = "ascii") -> str:
        r"""Text of the rule in First-Order Logic, on one line.

        Parameters
        ----------
        style : {"ascii", "unicode", "latex", "plain"}, default "ascii"
            As in :func:`~logiclens.logic.syntax.format_formula`; ``plain`` is a line for people.

        Raises
        ------
        InputError
            Unknown style.
        LimitError
            The formula is too long to be written out.

        Examples
        --------
        >>> from logiclens.logic import Var
        >>> rule = Rule("age > 62", ~Var("red_wing"), "if")
        >>> print(rule.format("unicode"))
        ∀x: "age > 62"(x) → ¬red_wing(x)
        >>> print(Rule(2, Var("red_wing"), "cluster").format("latex"))
        \forall x \in O_{2} \colon \mathit{red\_wing}(x)
        >>> print(Rule("age > 62", ~Var("red_wing"), "if").format("plain"))
        Every age > 62 row has: not red_wing
        """
        if style == "plain":
            return self._said(lambda: formula_text(self.formula, self.vocabulary, style))
        label = label_text(self.target, style)
        formula = formula_text(self.formula, self.vocabulary, style)
        signs, target = _SIGNS[style], f"{label}(x)"
        match self.kind:
            case RuleKind.IF:
                return f"{signs.for_all}{signs.colon}{target}{signs.implies}{formula}"
            case RuleKind.ONLY_IF:
                premise = formula_text(self.formula, self.vocabulary, style, premise=True)
                return f"{signs.for_all}{signs.colon}{premise}{signs.implies}{target}"
            case RuleKind.IFF:
                return f"{signs.for_all}{signs.colon}{target}{signs.iff}{formula}"
        return f"{signs.for_all}{signs.within}{label}{signs.end}{signs.colon}{formula}"

    def to_sentence(self, *, exact: bool = False) -> str:
        """Plain English, on one line.

        Parameters
        ----------
        exact : bool, default False
            Whether it is known that the formula is true where the target is predicted, and nowhere else.

        Examples
        --------
        >>> from logiclens.logic import Var
        >>> f = Var("red") & ~Var("bill colour")
        >>> print(Rule("robin", f, "if").to_sentence())
        Every robin row has: red and not bill colour
        >>> print(Rule("robin", f, "only_if").to_sentence())
        Rows where red and not bill colour are robin
        >>> print(Rule("robin", f, "iff").to_sentence())
        Predicts robin when red and not bill colour
        """
        return self._said(lambda: formula_sentence(self.formula, self.vocabulary), exact=exact)

    def _said(self, formula: Callable[[], str], *, exact: bool = False) -> str:
        """The rule as a sentence, its formula as the caller words it."""
        plain = label_in_sentence(self.target)
        target = plain if isinstance(self.target, str) else f"class {plain}"
        if isinstance(self.formula, Const):
            return _CONSTANT[self.kind, self.formula.value].format(target=target, plain=plain)
        form = _EXACTLY if exact and self.kind is RuleKind.IFF else _SENTENCE[self.kind]
        return form.format(target=target, plain=plain, formula=formula())

    def __str__(self) -> str:
        return self.format()


def formula_text(formula: Formula, words: Vocabulary | None, style: str, *, premise: bool = False) -> str:
    """A formula about ``x``, in the words of a vocabulary where there is one.

    A premise of an implication is put in parentheses where it needs them.
    """
    formula, notation = _worded(formula, words, style)
    return notation.part(formula) if premise else notation.write(formula)


def alternatives(formula: Formula, words: Vocabulary | None, style: str) -> list[str]:
    """Texts of the parts of a disjunction, of which one is enough; of another formula its own."""
    formula, notation = _worded(formula, words, style)
    return notation.alternatives(formula)


def _worded(formula: Formula, words: Vocabulary | None, style: str) -> tuple[Formula, Notation]:
    """A formula as it is written in a style, and the notation that writes it."""
    notation = notation_named(style)
    check_writable(formula)
    if words is None:
        bare = notation.literal
        about = "" if style == "plain" else "(x)"
        notation = replace(notation, literal=lambda name, positive: f"{bare(name, positive)}{about}")
    else:
        formula, literal = words.written(formula, style)
        notation = replace(notation, literal=literal, phrases=True)
    return formula, notation


def formula_sentence(formula: Formula, words: Vocabulary | None) -> str:
    """A formula in plain English, in the words of a vocabulary where there is one."""
    return to_sentence(formula) if words is None else words.to_sentence(formula)


def label_text(label: Label, style: str) -> str:
    """A label in First-Order Logic, or as people write it."""
    notation_named(style)  # an unknown style raises
    if style == "plain":
        return label_in_sentence(label)
    if style != "latex":
        return quote(label) if isinstance(label, str) else str(label)
    if isinstance(label, str):
        return latex_name(label) if label else r"\varepsilon"  # the sign for the empty text
    return str(label) if type(label) is int else rf"\text{{{label}}}"


Member = TypeVar("Member", bound=StrEnum)


def member(options: type[Member], value: str, what: str) -> Member:
    """Return the member of an enumeration that has a value; others are refused, with the nearest one."""
    if isinstance(value, str) and value in options.__members__.values():
        return options(value)
    texts = [str(option) for option in options]
    nearest = did_you_mean(value, texts) if isinstance(value, str) else ""
    raise InputError(f"Unknown {what} {shown(value)}. {nearest}There are {listing(texts)}.")


_SENTENCE = {
    RuleKind.IF: "Every {target} row has: {formula}",
    RuleKind.ONLY_IF: "Rows where {formula} are {target}",
    RuleKind.IFF: "Predicts {target} when {formula}",
    RuleKind.CLUSTER: "Every row of cluster {plain} has: {formula}",
}
_EXACTLY = "Predicts {target} exactly when {formula}"
_CONSTANT = {
    (RuleKind.IF, True): "Nothing is known that every {target} row has",
    (RuleKind.IF, False): "No row is {target}",
    (RuleKind.ONLY_IF, True): "Every row is {target}",
    (RuleKind.ONLY_IF, False): "Nothing is known that makes a row {target}",
    (RuleKind.IFF, True): "Always predicts {target}",
    (RuleKind.IFF, False): "Never predicts {target}",
    (RuleKind.CLUSTER, True): "Nothing is known that every row of cluster {plain} has",
    (RuleKind.CLUSTER, False): "Cluster {plain} has no rows",
}


def label_in_sentence(target: Label) -> str:
    """A target in plain English; a name that could be misread stands between marks, also the empty one."""
    return plain_name(target, _NO_LABEL) if isinstance(target, str) else str(target)


_NO_LABEL = misread_with("when", "where", "row has", compared=False)
"""What a label must not have in it to stand in a sentence as it is."""


def target_in_sentence(rule: Rule) -> str:
    """What a rule is about, in a sentence: ``bird``, ``class 3``, ``cluster 3``."""
    plain = label_in_sentence(rule.target)
    if rule.kind is RuleKind.CLUSTER:
        return f"cluster {plain}"
    return plain if isinstance(rule.target, str) else f"class {plain}"


@dataclass(frozen=True, slots=True)
class _RuleSigns:
    for_all: str
    within: str
    colon: str
    implies: str
    iff: str
    end: str = ""  # of the cluster's label


_SIGNS = {
    "ascii": _RuleSigns("forall x", " in O_", ": ", " -> ", " <-> "),
    "unicode": _RuleSigns("∀x", " ∈ O_", ": ", " → ", " ↔ "),
    "latex": _RuleSigns(
        r"\forall x", r" \in O_{", r" \colon ", r" \rightarrow ", r" \leftrightarrow ", end="}"
    ),
}


def align_latex(lines: Iterable[str]) -> str:
    """Lines of math-mode LaTeX, one below the other."""
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is.

    Examples
    --------
    >>> print(markdown_text("<b> | *x*"), markdown_text("red_wing"), markdown_text("http://x"))
    &lt;b&gt; &#124; &#42;x&#42; red_wing http&#58;//x
    """
    return _ACTIVE.sub(lambda found: _ENTITIES.get(found[0], f"&#{ord(found[0])};"), text)


def markdown(sentences: Iterable[str], logic: str) -> str:
    """Plain English, line by line, and logic in a block of code."""
    english = "  \n".join(map(markdown_text, sentences))  # two blanks: the line ends here
    return f"{english}\n\n```text\n{logic}\n```"


# An underscore between letters is one wherever Markdown is read. Signs of comparison stay where they
# open no tag and are no line of their own.
_ACTIVE = re.compile(
    r"[&*`\[\]\\|~$#^{}]|<(?![= 0-9])|(?<=\S)>|=(?==)|(?<==)=|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|:(?=//)"
)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}

_BOX = "max-width:60em;overflow-wrap:anywhere;line-height:1.45"
_LOGIC = "font-family:monospace;white-space:pre-wrap;margin:.3em 0"
_CELL = (
    "text-align:left;vertical-align:top;min-width:6em;padding:.25em .6em;"
    "border-top:1px solid rgba(128,128,128,.4)"
)
FAINT = "opacity:.75;font-size:.92em"


def html_box(*parts: str) -> str:
    """Pieces of HTML as one for a notebook, whose own colors stay, light or dark."""
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def html_logic(text: str) -> str:
    """A line of logic as HTML."""
    return f'<div dir="ltr" style="{_LOGIC}">{html_text(text)}</div>'


def html_part(tag: str, text: str, style: str = "") -> str:
    """A sentence, from left to right whatever script a name in it is; a name alone runs as it should."""
    styled = f' style="{style}"' if style else ""
    return f'<{tag} dir="{"auto" if tag == "b" else "ltr"}"{styled}>{html_text(text)}</{tag}>'


def html_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML already."""
    head = "".join(f'<th style="{_CELL}">{html_text(text)}</th>' for text in headings)
    cells = ("".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f'<table style="border-collapse:collapse"><tr>{head}</tr>{body}</table>'


def html_text(text: str) -> str:
    r"""Text that a browser shows and does nothing else with; what cannot be seen is escaped.

    Examples
    --------
    >>> print(html_text("<b>\u202e"))
    &lt;b&gt;\u202e
    """
    return html_escape("".join(char if char.isprintable() else escape(char) for char in text))
