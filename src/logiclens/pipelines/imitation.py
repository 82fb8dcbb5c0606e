"""How well the rules of a LEN, and its network, say what a black box says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from logiclens.errors import InputError, count, shown
from logiclens.explain.rule import Label, plain_label
from logiclens.logic import Var
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.metrics import Agreement, explanation_accuracy


@dataclass(frozen=True)
class BlackBoxFidelity:
    """How well rules and network say what a black box says.

    Attributes
    ----------
    part : str
        The rows that were looked at: ``"held out"`` from the training of the LEN or, where none were,
        ``"training"``.
    n_rows : int
        How many there were.
    rules, network : Agreement
        Agreement with the black box, target by target: of each rule's formula, and of what the network says.
    rules_agree, network_agree : float
        Share of the rows that get the black box's label, from the rules as a classifier and from the network.
    black_box_accuracy, rules_accuracy : float, optional
        Share of the rows whose true label is predicted; None where the truth was not given.
    """

    part: str
    n_rows: int
    rules: Agreement
    network: Agreement
    rules_agree: float
    network_agree: float
    black_box_accuracy: float | None = None
    rules_accuracy: float | None = None

    @property
    def macro_f1(self) -> float:
        """The headline: macro-F1 of the rules against the black box's answers, mean over the targets."""
        return self.rules.macro_f1

    @property
    def plain(self) -> float:
        """Share of the rows on which a rule and the black box agree, mean over the targets."""
        return self.rules.plain

    def __str__(self) -> str:
        lines = [f"fidelity to the black box, {count(self.n_rows, 'row')} ({self.part})"]
        for name, agreement, same in (
            ("rules", self.rules, self.rules_agree),
            ("network", self.network, self.network_agree),
        ):
            scores = f"macro-F1 {agreement.macro_f1:.3f}, plain {agreement.plain:.3f}, same label {same:.3f}"
            lines.append(f"  {name:<8} {scores}")
        if self.black_box_accuracy is not None:
            lines.append(
                f"accuracy: black box {self.black_box_accuracy:.3f}, rules {self.rules_accuracy:.3f}"
            )
        return "\n".join(lines)


def measure_fidelity(
    estimator: Any,
    table: Any,
    labels: NDArray[Any],
    weight: FloatArray,
    part: str,
    truth: NDArray[Any] | None = None,
) -> BlackBoxFidelity:
    """Compare a fitted LEN and its rules with the answers of a black box.

    Parameters
    ----------
    estimator : classifier of this package, fitted
    table : data frame, array, sparse matrix or mapping, n rows
        What the LEN reads.
    labels : ndarray of shape (n,), or of 0 and 1, (n, n_targets)
        What the black box answers.
    weight : ndarray of shape (n,)
    part : str
        What the rows are.
    truth : ndarray of the shape of ``labels``, optional
        True labels.
    """
    table = table.toarray() if hasattr(table, "toarray") else table  # rules read no sparse ones
    rules = estimator.explain()
    by_rules = rules.predict(table)
    accuracies: dict[str, float] = {}
    if truth is not None:
        true = comparable_truth(truth, labels)
        accuracies["black_box_accuracy"] = _same(labels, true, weight)
        accuracies["rules_accuracy"] = _same(by_rules, true, weight)
    answered = labels > 0 if labels.ndim == 2 else labels[:, None] == estimator.classes_[None]
    return BlackBoxFidelity(
        part,
        len(labels),
        rules=_agreement(rules.labels, rules.fired(table), answered, weight),
        network=_agreement(rules.labels, estimator.decide(table), answered, weight),
        rules_agree=_same(by_rules, labels, weight),
        network_agree=_same(estimator.predict(table), labels, weight),
        **accuracies,
    )


def comparable_truth(truth: NDArray[Any], labels: NDArray[Any]) -> NDArray[Any]:
    """True labels, once it is sure that they can be those of the black box."""
    text = [isinstance(values.ravel()[:1].tolist()[0], str) for values in (truth, labels)]
    if truth.shape != labels.shape or text[0] != text[1]:
        raise InputError(
            f"y has labels such as {shown(plain_label(truth.ravel()[0]))}; the black box answers "
            f"{shown(plain_label(labels.ravel()[0]))}. Pass y in the same words, or leave it out."
        )
    return truth


def _same(one: NDArray[Any], other: NDArray[Any], weight: FloatArray) -> float:
    """Share of the weight on which labels, or all labels of a row, are the same."""
    same = one == other
    return float(weight @ (same if same.ndim == 1 else same.all(axis=1)) / weight.sum())


def _agreement(
    labels: tuple[Label, ...], said: BoolArray, answered: BoolArray, weight: FloatArray
) -> Agreement:
    """Agreement of what is said about each target, (n, n_targets), with the answers."""
    columns = {str(at): said[:, at] for at in range(len(labels))}
    return explanation_accuracy(
        {label: Var(str(at)) for at, label in enumerate(labels)}, columns, answered, sample_weight=weight
    )
