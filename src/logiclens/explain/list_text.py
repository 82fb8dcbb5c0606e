"""A decision list in First-Order Logic and in plain English: if ... then, else if ... then, otherwise.

The formula of a step is about the rows that no earlier step took. So it is not written as
``forall x: class(x) <-> formula(x)``, which would say more than the step decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.explain.rule import formula_text, label_text
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import TRUE, Formula

if TYPE_CHECKING:
    from logiclens.explain.decision_list import Step
    from logiclens.explain.label import Label


def list_text(
    steps: Sequence[Step], default: Label, words: Vocabulary | None = None, style: str = "ascii"
) -> str:
    r"""A decision list in First-Order Logic, one step a line.

    Parameters
    ----------
    steps : sequence of Step
    default : label
    words : Vocabulary, optional
        What the concepts mean in the columns of a raw table.
    style : {"ascii", "unicode", "latex"}, default "ascii"
        As for :meth:`Rule.format <logiclens.explain.Rule.format>`.

    Examples
    --------
    >>> from logiclens.explain import Step
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins") & ~Var("fur"))]
    >>> print(list_text(steps, "cat"))
    if wings(x) then bird
    else if fins(x) & ~fur(x) then fish
    otherwise cat
    >>> print(list_text(steps[:1], "cat", style="latex"))
    \begin{aligned}
    & \text{if } \mathit{wings}(x) \text{ then } \mathit{bird} \\
    & \text{otherwise } \mathit{cat}
    \end{aligned}
    """
    said = [(formula_text(step.formula, words, style), label_text(step.label, style)) for step in steps]
    last = label_text(default, style)
    if style != "latex":
        lines = [f"{_opening(at)} {formula} then {label}" for at, (formula, label) in enumerate(said)]
        return "\n".join([*lines, f"{'otherwise' if lines else 'always'} {last}"])
    lines = [
        rf"& \text{{{_opening(at)} }} {formula} \text{{ then }} {label}"
        for at, (formula, label) in enumerate(said)
    ]
    return aligned([*lines, rf"& \text{{{'otherwise' if lines else 'always'} }} {last}"])


def _opening(at: int) -> str:
    return "else if" if at else "if"


def aligned(lines: Iterable[str]) -> str:
    """Lines of math-mode LaTeX, one below the other."""
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def list_sentence(
    steps: Sequence[Step], default: Label, named: Callable[[Label], str], words: Vocabulary | None = None
) -> str:
    """A decision list in plain English, one step a line.

    Parameters
    ----------
    steps : sequence of Step
    default : label
    named : function of a label
        How a label is called in a sentence.
    words : Vocabulary, optional

    Examples
    --------
    >>> from logiclens.explain import Step
    >>> from logiclens.logic import Var
    >>> steps = [Step("bird", Var("wings")), Step("fish", Var("fins") & ~Var("fur"))]
    >>> print(list_sentence(steps, "cat", str))
    If wings, then bird;
    otherwise if fins and not fur, then fish;
    otherwise cat.
    """
    if not steps:
        return f"It is always {named(default)}."
    lines = [f"{_condition(step.formula, words)} {named(step.label)};" for step in steps]
    lines = [f"otherwise {line}" if at else f"{line[0].upper()}{line[1:]}" for at, line in enumerate(lines)]
    return "\n".join([*lines, f"otherwise {named(default)}."])


def _condition(formula: Formula, words: Vocabulary | None) -> str:
    if formula == TRUE:
        return "in any case"
    return f"if {to_sentence(formula) if words is None else words.to_sentence(formula)}, then"
