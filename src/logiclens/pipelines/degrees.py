"""How probable a black box holds its classes to be: what a LEN learns from it, where it says so (Eq. 11).

an estimator with ``predict_proba``   what that answers
a ``torch.nn.Module``                 its logits, as probabilities
a callable that answers with numbers  these, where they are probabilities
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, shown
from logiclens.estimators.inputs_and_targets import Problem, Targets, read_targets
from logiclens.explain.rule import Label, label_array, plain_label
from logiclens.logic.arrays import FloatArray
from logiclens.logic.values import as_floats
from logiclens.pipelines.asking import Answers, Form, all_classes, ask, plain_array

_CONTRADICTIONS = 0.01
"""Share of the rows up to which probabilities may contradict labels: those of some models are estimates."""


def class_names(black_box: Any, answers: Answers) -> NDArray[Any]:
    """Labels of the classes that a black box gives probabilities of, (n_classes,)."""
    if answers.form is Form.LABELS and hasattr(black_box, "predict_proba"):
        return np.asarray(black_box.classes_)
    if not answers.classes:
        raise InputError(
            "answers='probabilities' needs a black box that gives them, and this one gives labels. "
            "Use answers='labels'."
        )
    return label_array(answers.classes)


def probabilities(black_box: Any, X: Any, answers: Answers, said: NDArray[Any]) -> FloatArray:
    """Probabilities of the classes on rows, (n, n_classes), in the order of :func:`class_names`.

    Parameters
    ----------
    black_box : estimator with ``predict_proba``, torch.nn.Module, or callable that answers with numbers
    X : data frame, array, sparse matrix, tensor or mapping
    answers : Answers
        How its answers are read.
    said : ndarray
        What it said about the rows, as from :func:`~logiclens.pipelines.asking.ask`.
    """
    if answers.form is Form.LABELS and hasattr(black_box, "predict_proba"):
        return as_floats(plain_array(black_box.predict_proba(X)), "What predict_proba answers")
    class_names(black_box, answers)  # there are some
    return answers.degrees(said)


def gives_probabilities(black_box: Any, X: Any, answers: Answers, said: NDArray[Any]) -> bool:
    """Whether a black box gives probabilities by which it decides; one by another threshold does not.

    The parameters are those of :func:`probabilities`.

    Examples
    --------
    >>> def box(X):
    ...     return np.array([0.2, 0.9])
    >>> answers = Answers.of(box, box(None), 2, ["no", "yes"])
    >>> gives_probabilities(box, None, answers, box(None))
    True
    """
    if answers.form is Form.SEVERAL and not answers.logits and not _are_shares(said):
        return False  # only which is the largest means anything
    try:
        names, found = class_names(black_box, answers), probabilities(black_box, X, answers, said)
    except Exception:  # whatever keeps it from saying so, it has given its labels
        return False
    labels = answers.labels(said)
    if labels.ndim != 1 or found.shape != (len(labels), *names.shape) or not _are_shares(found):
        return False
    of_label = np.where(labels[:, None] == names, found, 0.0).max(axis=1)
    return bool((of_label < found.max(axis=1)).mean() <= _CONTRADICTIONS)


def _are_shares(numbers: NDArray[Any]) -> bool:
    """Whether numbers are probabilities: from 0 on, and 1 in each row together."""
    return bool((numbers >= 0).all() and np.allclose(numbers.sum(axis=1), 1.0, atol=1e-3))


@dataclass(frozen=True)
class Lessons:
    """What a LEN learns from a black box about rows: probabilities of its classes, or labels.

    Attributes
    ----------
    answers : Answers
        How answers are read.
    classes : tuple of labels, optional
        The classes whose probabilities are learnt, sorted; None where labels are.
    """

    answers: Answers
    classes: tuple[Label, ...] | None = None

    @classmethod
    def of(cls, black_box: Any, X: Any, answers: Answers, said: NDArray[Any], what: str) -> Lessons:
        """Settle what is learnt, on rows about which a black box was asked.

        Parameters
        ----------
        black_box, X, answers, said
            As for :func:`probabilities`.
        what : {"auto", "labels", "probabilities"}
            "auto": probabilities where it gives them and decides by them.
        """
        if what == "labels" or (what == "auto" and not gives_probabilities(black_box, X, answers, said)):
            return cls(answers)
        return cls(answers, tuple(map(plain_label, np.unique(class_names(black_box, answers)))))

    def about(self, black_box: Any, X: Any, said: NDArray[Any] | None = None) -> NDArray[Any]:
        """What there is to learn about rows: (n, n_classes), or labels; ``said`` as from a call of ask."""
        said = ask(black_box, X) if said is None else said
        if self.classes is None:
            return self.answers.labels(said)
        found = probabilities(black_box, X, self.answers, said)
        return spread(found, class_names(black_box, self.answers), label_array(self.classes))

    def targets(self, black_box: Any, learnt: NDArray[Any]) -> Targets:
        """The same as targets of a fit: all classes that a black box can give have a part in them."""
        if self.classes is not None:
            if len(self.classes) == 2:
                return Targets(self.classes, Problem.BINARY, learnt[:, 1:])
            return Targets(self.classes, Problem.SINGLE_LABEL, learnt)
        if learnt.ndim == 2:
            return read_targets(learnt, len(learnt))
        known = all_classes(black_box, self.answers, np.unique(learnt))
        return read_targets(learnt, len(learnt), tuple(map(plain_label, known)))


def check_what(what: Any) -> None:
    """Refuse what cannot be learnt from a black box."""
    if what not in ("auto", "labels", "probabilities"):
        raise InputError(f"answers must be 'auto', 'labels' or 'probabilities'. Got {shown(what)}.")


def spread(values: FloatArray, labels: NDArray[Any], known: NDArray[Any]) -> FloatArray:
    """Columns by label as columns of all labels that are known, (n, n_known); 0 where there is none.

    Examples
    --------
    >>> spread(np.array([[0.3, 0.7]]), np.array(["b", "c"]), np.array(["a", "b", "c"]))
    array([[0. , 0.3, 0.7]])
    """
    found = np.zeros((len(values), len(known)))
    found[:, [known.tolist().index(label) for label in labels.tolist()]] = values
    return found
