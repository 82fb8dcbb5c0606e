"""How sure a black box is of what it answers: degrees of its classes, where it gives any.

    an estimator with ``predict_proba``   what that answers
    a ``torch.nn.Module``                 its logits, as probabilities
    a callable that answers with numbers  these, where they are probabilities

Who learns decisions learns them, whatever the degrees. These may tell it how certain a decision is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError
from logiclens.explain.label import label_array
from logiclens.logic.arrays import FloatArray
from logiclens.logic.values import THRESHOLD, as_floats
from logiclens.pipelines.asking import Answers, Form, ask, plain_array

_MOST_TORN = 0.01
"""Share of the rows up to which probabilities may contradict labels: those of some models are estimates."""


def class_names(black_box: Any, answers: Answers) -> NDArray[Any]:
    """Labels of the classes that a black box gives degrees of, (n_classes,)."""
    if answers.form is Form.LABELS and hasattr(black_box, "predict_proba"):
        return np.asarray(black_box.classes_)
    if not answers.classes:
        raise InputError(
            "answers='probabilities' needs a black box that gives them, and this one gives labels. "
            "Use answers='labels'."
        )
    return label_array(answers.classes)


def probabilities(
    black_box: Any, X: Any, answers: Answers, said: NDArray[Any] | None = None
) -> tuple[NDArray[Any], FloatArray]:
    """Labels of the classes, (n_classes,), and their degrees on rows, (n, n_classes).

    Parameters
    ----------
    black_box : estimator with ``predict_proba``, torch.nn.Module, or callable that answers with numbers
    X : data frame, array, sparse matrix, tensor or mapping
    answers : Answers
        How its answers are read.
    said : ndarray, optional
        What it said about the rows, as from :func:`ask`, where it has been asked already.
    """
    names = class_names(black_box, answers)
    if answers.form is Form.LABELS:
        return names, as_floats(plain_array(black_box.predict_proba(X)), "What predict_proba answers")
    return names, answers.degrees(ask(black_box, X) if said is None else said)


def confidence(
    black_box: Any, X: Any, answers: Answers, labels: NDArray[Any], said: NDArray[Any] | None = None
) -> FloatArray:
    """How probable a black box of two classes holds each of its labels to be, (n,); 1 where it says nothing.

    Parameters
    ----------
    black_box, X, answers, said
        As for :func:`probabilities`.
    labels : ndarray of shape (n,), or (n, n_targets)
        What it said, as labels.

    Examples
    --------
    >>> def box(X):
    ...     return np.array([0.2, 0.9])
    >>> answers = Answers.of(box, box(None), 2, ["no", "yes"])
    >>> confidence(box, None, answers, answers.labels(box(None))).tolist()
    [0.8, 0.9]
    """
    try:
        names, found = _degrees_of_two(black_box, X, answers, said)
    except Exception:  # whatever keeps it from saying so, it has given its labels
        return np.ones(len(labels))
    if found.shape != (len(labels), 2) or not _are_shares(found) or not np.isin(labels, names).all():
        return np.ones(len(labels))
    return np.where(labels == names[1], found[:, 1], found[:, 0])


def doubts(sure: FloatArray) -> FloatArray | None:
    """What there is to learn from how probable labels are, (n,); None where that is nothing.

    What a black box decides counts. If it holds the other class to be more probable in more than one row of a
    hundred, it decides by something else than probabilities, such as another threshold; these say nothing
    then.

    Parameters
    ----------
    sure : ndarray of shape (n,)
        Of all rows, as from :func:`confidence`.

    Examples
    --------
    >>> doubts(np.array([0.9, 1.0])), doubts(np.array([0.9, 0.3])), doubts(np.ones(2))
    (array([0.9, 1. ]), None, None)
    """
    if (sure < THRESHOLD).mean() > _MOST_TORN or (sure == 1.0).all():
        return None
    return np.maximum(sure, THRESHOLD)


def _degrees_of_two(
    black_box: Any, X: Any, answers: Answers, said: NDArray[Any] | None
) -> tuple[NDArray[Any], FloatArray]:
    """Labels and degrees of two classes; no degrees of more, or where only the largest number means much."""
    if answers.form is Form.LABELS:
        known = np.asarray(getattr(black_box, "classes_", ()))
        can_say = hasattr(black_box, "predict_proba") and known.shape == (2,)
    else:
        can_say = len(answers.classes) == 2
        if can_say and answers.form is Form.SEVERAL and not answers.logits:
            said = ask(black_box, X) if said is None else said
            can_say = _are_shares(said)
    nothing = np.empty(0), np.empty((0, 0))
    return probabilities(black_box, X, answers, said) if can_say else nothing


def _are_shares(numbers: NDArray[Any]) -> bool:
    """Whether numbers are probabilities: from 0 on, and 1 in each row together."""
    return bool((numbers >= 0).all() and np.allclose(numbers.sum(axis=1), 1.0, atol=1e-3))


def spread(values: NDArray[Any], labels: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """Columns by label as columns of all labels that are known, (n, n_known); 0 where there is none.

    Examples
    --------
    >>> spread(np.array([[0.3, 0.7]]), np.array(["b", "c"]), np.array(["a", "b", "c"]))
    array([[0. , 0.3, 0.7]])
    """
    found = np.zeros((len(values), len(known)), dtype=values.dtype)
    found[:, [known.tolist().index(label) for label in labels.tolist()]] = values
    return found
