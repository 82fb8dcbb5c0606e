"""A table of example rules: for each experiment and method the shortest of its good ones (Table 9).

Rules are read back from the text that rows keep, so that they can be written in any notation: names in them
are data and stay so.
"""

from __future__ import annotations

from typing import Final

from logiclens.bench.scoreboard import Scoreboard, experiment_title, method_title
from logiclens.bench.table_layout import Cell, Table
from logiclens.logic import Formula, Var, format_formula, parse_formula
from logiclens.logic.syntax import latex_name
from logiclens.metrics import complexity

LONGEST: Final = 20
"""Most literals of a rule that is printed."""


def rules_table(board: Scoreboard, longest: int = LONGEST) -> Table:
    """One rule for each method of each experiment, of the class that the paper prints, where rows keep it.

    A rule is good when the fold it is of is at least as accurate as the method's mean; of these the shortest
    is shown, and of equally short ones that of the first fold.

    Parameters
    ----------
    board : Scoreboard
    longest : int, default 20
        Most literals of a rule that is printed; of a longer one, the number of its literals is.

    Examples
    --------
    >>> row = {"experiment": "vdem", "method": "mu", "fold": 0, "fold_seed": 0, "explanation_accuracy": 0.9}
    >>> print(rules_table(Scoreboard([row | {"example": {"free": "fair & ~egal"}}])).to_markdown())
    **Example rules**
    <BLANKLINE>
    |  | Model | Rule | Literals |
    |---|---|---|---|
    | V-Dem | mu | free ↔ fair ∧ ¬egal | 2 |
    <BLANKLINE>
    The shortest rule of the folds that are at least as accurate as the method's mean.
    """
    lines = []
    for experiment in board.main_experiments:
        for method in board.methods:
            found = good_rule(board, experiment, method)
            if found is not None:
                lines.append(
                    (Cell(experiment_title(experiment)), Cell(method_title(method)), *_cells(*found, longest))
                )
    note = (
        "The shortest rule of the folds that are at least as accurate as the method's mean." if lines else ""
    )
    return Table("Example rules", ("", "Model", "Rule", "Literals"), tuple(lines), note)


def good_rule(board: Scoreboard, experiment: str, method: str) -> tuple[str, Formula] | None:
    """The class and the formula of the shortest good rule; None where rows keep no rules."""
    mean = board.mean(experiment, method, "explanation_accuracy")
    accuracy = board.values(experiment, method, "explanation_accuracy")
    rows = [
        row
        for row in board.folds(experiment, method)
        if row.get("example") and mean is not None and accuracy.get(row["fold"], -1.0) >= mean.value - 1e-12
    ]
    if not rows:
        return None
    wanted, kept = board.class_shown(experiment), [str(label) for label in rows[0]["example"]]
    label = wanted if wanted in kept and wanted is not None else kept[-1]
    formulas = [parse_formula(row["example"][label]) for row in rows if label in row["example"]]
    return label, min(formulas, key=complexity)


def _cells(label: str, formula: Formula, longest: int) -> tuple[Cell, Cell]:
    literals = round(complexity(formula))
    name = format_formula(Var(label), "unicode")
    if literals > longest:
        return Cell(
            f"{name} ↔ (too long)", math=rf"{latex_name(label)} \leftrightarrow \text{{(too long)}}"
        ), Cell(str(literals))
    text = f"{name} ↔ {format_formula(formula, 'unicode')}"
    math = rf"{latex_name(label)} \leftrightarrow {format_formula(formula, 'latex')}"
    return Cell(text, math=math), Cell(str(literals))
