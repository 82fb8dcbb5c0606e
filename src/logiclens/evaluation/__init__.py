"""How good rules are on some rows: one value, whoever shows it and wherever the rows are.

:class:`Evaluation` has the joint accuracy, the rates of each rule with their intervals, coverage, conflicts
and the confusion of labels. Compared with a model's predictions instead of the truth, its accuracy is
fidelity. :func:`evaluate` makes it of rows in memory, :func:`logiclens.scale.score` of rows in an engine.
"""

from logiclens.evaluation._evaluate import Evaluation, LabelScores, StepScores, evaluate

__all__ = ["Evaluation", "LabelScores", "StepScores", "evaluate"]
