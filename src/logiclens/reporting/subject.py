"""What a report is about: rules, and where there is one the model that they were made of.

Rules alone need neither torch nor scikit-learn. A model adds what its network says about rows, how much each
concept matters to it, and the settings that an audit asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, shown
from logiclens.explain.front import Front
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray

CLASSIFY, BLACK_BOX, CLUSTER = "classify", "black box", "cluster"
TASKS = (CLASSIFY, BLACK_BOX, CLUSTER)
"""What rules can be for."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Rules, and what is known of the model that they were made of.

    Attributes
    ----------
    rules : ExplanationSet
    task : {"classify", "black box", "cluster"}
    network : str
        What the model is called; empty for rules alone.
    decide : callable, optional
        What the network says about each target, from rows to Booleans, (n, n_labels).
    predict : callable, optional
        The network's labels of rows.
    front : Front, optional
        Rules of every length, :attr:`rules` among them.
    ask : callable, optional
        The labels of the black box that is explained.
    relevance : ndarray of shape (n_labels, n_concepts), optional
    encoder : ConceptEncoder, optional
        What made the concepts, where it is still there.
    imitation : BlackBoxFidelity, optional
        How well a black box was imitated when the model was fitted.
    settings : mapping
    seed : int, optional
    part : str
        What the rows are called that rules are measured on.
    """

    rules: ExplanationSet
    task: str = CLASSIFY
    network: str = ""
    decide: Callable[[Any], BoolArray] | None = None
    predict: Callable[[Any], NDArray[Any]] | None = None
    front: Front | None = None
    ask: Callable[[Any], NDArray[Any]] | None = None
    relevance: FloatArray | None = None
    encoder: Any = None
    imitation: Any = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    part: str = "rows held out"


def subject_of(model: Any) -> Subject:
    """Read a fitted classifier, black-box explainer or clusterer, or rules alone, of one length or more.

    Raises
    ------
    InputError
        It is none of them.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> subject_of(ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])).task
    'classify'
    """
    if isinstance(model, ExplanationSet):
        kinds = {str(explanation.kind) for explanation in model.values()}
        return Subject(model, CLUSTER if kinds == {"cluster"} else CLASSIFY)
    if isinstance(model, Front):
        return replace(subject_of(model.rules()), front=model)
    from logiclens.estimators.base import LENClassifier

    if isinstance(model, LENClassifier):
        return _of_classifier(model)
    from logiclens.estimators.clusterer import LENClusterer

    if isinstance(model, LENClusterer):
        return _of_clusterer(model)
    from logiclens.pipelines.black_box import BlackBoxExplainer

    if isinstance(model, BlackBoxExplainer):
        return _of_black_box(model)
    raise InputError(
        "A report is about a fitted classifier, BlackBoxExplainer or LENClusterer, or about their rules. "
        f"Got {shown(model)}; for other models pass what their explain() returns."
    )


def _of_classifier(model: Any, task: str = CLASSIFY) -> Subject:
    rules = model.explain()
    relevance = model.concept_relevance_
    if len(relevance) == 1:  # one output for two classes: what matters to one matters to the other
        relevance = np.repeat(relevance, len(rules), axis=0)
    return Subject(
        rules,
        task,
        type(model).__name__,
        decide=model.decide,
        predict=model.predict,
        front=model.front_,
        relevance=relevance,
        encoder=model.encoder_,
        settings=model.get_params(deep=False),
        seed=_seed(model.random_state),
    )


def _of_clusterer(model: Any) -> Subject:
    rules = model.explain()
    return Subject(
        rules,
        CLUSTER,
        type(model).__name__,
        front=getattr(model, "front_", None),
        decide=lambda X: model.predict(X)[:, None] == np.array(rules.labels),
        predict=model.predict,
        encoder=model.encoder_,
        settings=model.get_params(deep=False),
        seed=_seed(model.random_state),
        part="rows given",  # clusters are mostly looked at on the rows that they were made of
    )


def _of_black_box(model: Any) -> Subject:
    model.explain()  # one that is not fitted says so
    fitted = _of_classifier(model.estimator_, BLACK_BOX)
    mine = {name: value for name, value in model.get_params(deep=False).items() if name != "estimator"}
    return Subject(
        fitted.rules,
        BLACK_BOX,
        fitted.network,
        decide=fitted.decide,
        predict=fitted.predict,
        front=fitted.front,
        # Rows of a table of its own mean nothing to the black box.
        ask=None if model._own_table else model.ask,
        relevance=fitted.relevance,
        encoder=fitted.encoder,
        imitation=model.fidelity_,
        settings={**mine, **fitted.settings},
        seed=_seed(model.random_state) if model.random_state is not None else fitted.seed,
    )


def _seed(random_state: Any) -> int | None:
    """The seed, where it is a number that can be passed again."""
    return int(random_state) if isinstance(random_state, int | np.integer) else None
