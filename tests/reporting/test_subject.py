from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from logiclens.errors import InputError
from logiclens.estimators import MuClassifier
from logiclens.pipelines import BlackBoxExplainer
from logiclens.reporting.subject import subject_of


def test_a_classifier_says_what_its_network_says(iris):
    subject = subject_of(iris.model)

    assert (subject.task, subject.network, subject.seed) == ("classify", "MuClassifier", 0)
    assert subject.rules is iris.model.explain()
    assert np.array_equal(subject.decide(iris.X), iris.model.decide(iris.X))
    assert subject.relevance.shape == (3, len(iris.model.concept_names_))
    assert subject.settings["epochs"] == 100


def test_two_classes_share_the_relevance_of_one_output(boxed):
    subject = subject_of(boxed.model)

    assert subject.task == "black box"
    assert np.array_equal(subject.ask(boxed.X), boxed.model.ask(boxed.X))
    assert np.array_equal(subject.relevance[0], subject.relevance[1])
    assert subject.imitation is boxed.model.fidelity_
    assert subject.seed == 0


def test_a_black_box_is_not_asked_about_rows_of_another_table(iris):
    explainer = BlackBoxExplainer(lambda X: X[:, 2] > 3, estimator=iris.model, random_state=0)
    explainer.fit(iris.X.to_numpy(), concepts=iris.X)

    assert subject_of(explainer).ask is None


def test_a_cluster_says_yes_to_its_own_rows(clusters):
    subject = subject_of(clusters.model)

    decided = subject.decide(clusters.X)

    assert subject.task == "cluster"
    assert np.array_equal(decided.argmax(axis=1), clusters.model.predict(clusters.X))
    assert (decided.sum(axis=1) == 1).all()


def test_rules_alone_are_a_subject(iris, clusters):
    assert subject_of(iris.model.explain()).decide is None
    assert subject_of(clusters.model.explain()).task == "cluster"


def test_other_models_are_refused():
    with pytest.raises(InputError) as caught:
        subject_of(DecisionTreeClassifier())
    with pytest.raises(NotFittedError):
        subject_of(MuClassifier())

    assert str(caught.value) == (
        "A report is about a fitted classifier, BlackBoxExplainer or LENClusterer, or about their rules. "
        "Got DecisionTreeClassifier(); for other models pass what their explain() returns."
    )


def test_rules_alone_need_neither_torch_nor_scikit_learn():
    code = (
        "import sys; from logiclens import Explanation, ExplanationSet, Rule, Var; "
        "from logiclens.reporting.gathering import gather_facts; "
        "rules = ExplanationSet([Explanation(Rule('bird', Var('wings')))], ['wings', 'fins']); "
        "gather_facts(rules, [[1, 0]], ['bird']).to_json(); "
        "print(sorted({'torch', 'sklearn', 'matplotlib', 'pyarrow', 'jinja2'} & set(sys.modules)))"
    )

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert answer.stdout == "[]\n"
