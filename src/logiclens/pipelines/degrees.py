"""How probable a black box holds its classes to be: what a LEN learns from it, where it says so (Eq. 11).

an estimator with ``predict_proba``   what that answers
a ``torch.nn.Module``                 its logits, as probabilities
a callable that answers with numbers  these, where they are probabilities
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError
from logiclens.explain.label import label_array
from logiclens.logic.arrays import FloatArray
from logiclens.logic.values import as_floats
from logiclens.pipelines.asking import Answers, Form, plain_array

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
