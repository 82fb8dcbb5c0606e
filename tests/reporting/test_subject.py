from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from logiclens.evaluation import _evaluate
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.logic.arrays import unpack
from logiclens.pipelines import BlackBoxExplainer
from logiclens.reporting._subject import label_rows, subject_of


def test_a_classifier_says_what_its_network_says(iris):
    subject = subject_of(iris.model)

    assert (subject.task, subject.model, subject.seed) == ("classify", "MuClassifier", 0)
    assert subject.rules is iris.model.explain()
    said, codes = subject.network.answer(subject.network.read(iris.X))
    assert np.array_equal(said, iris.model.decide(iris.X))
    assert np.array_equal(iris.model.classes_[codes], iris.model.predict(iris.X))
    assert subject.relevance.shape == (3, len(iris.model.concept_names_))
    assert subject.settings["epochs"] == 100


def test_two_classes_share_the_relevance_of_one_output(boxed):
    subject = subject_of(boxed.model)

    assert subject.task == "black box"
    assert np.array_equal(subject.black_box(boxed.X), boxed.model.ask(boxed.X))
    assert np.array_equal(subject.relevance[0], subject.relevance[1])
    assert subject.imitation is boxed.model.fidelity_
    assert subject.seed == 0


def test_a_black_box_is_not_asked_about_rows_of_another_table(iris):
    explainer = BlackBoxExplainer(lambda X: X[:, 2] > 3, estimator=iris.model, random_state=0)
    explainer.fit(iris.X.to_numpy(), concepts=iris.X)

    assert subject_of(explainer).black_box is None


def test_a_cluster_says_yes_to_its_own_rows(clusters):
    subject = subject_of(clusters.model)

    decided, _ = subject.network.answer(subject.network.read(clusters.X))

    assert subject.task == "cluster"
    assert np.array_equal(decided.argmax(axis=1), clusters.model.predict(clusters.X))
    assert (decided.sum(axis=1) == 1).all()


def test_rules_alone_are_a_subject(iris, clusters):
    assert subject_of(iris.model.explain()).network is None
    assert subject_of(clusters.model.explain()).task == "cluster"


def test_rules_alone_need_neither_torch_nor_scikit_learn():
    code = (
        "import sys; from logiclens import Explanation, ExplanationSet, Rule, Var; "
        "from logiclens.reporting._report import gather_facts; "
        "rules = ExplanationSet([Explanation(Rule('bird', Var('wings')))], ['wings', 'fins']); "
        "gather_facts(rules, [[1, 0]], ['bird']).to_json(); "
        "print(sorted({'torch', 'sklearn', 'matplotlib', 'pyarrow', 'jinja2'} & set(sys.modules)))"
    )

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert answer.stdout == "[]\n"


def of(model, X, y=None):
    return label_rows(subject_of(model), X, y)


def test_the_truth_is_what_rules_are_compared_with(iris):
    rows = of(iris.model, iris.X, iris.y)

    assert rows.n_rows == 75
    assert (rows.reference.by, rows.model.by, rows.black_box) == ("the truth", "the network", None)
    labels = iris.model.classes_
    assert np.array_equal(labels[rows.truth.codes], iris.y)
    assert np.array_equal(labels[rows.network.codes], iris.model.predict(iris.X))
    for at, label in enumerate(labels):
        assert np.array_equal(unpack(rows.truth.words[at], rows.n_rows), iris.y == label)


def test_without_the_truth_rules_are_compared_with_what_they_explain(iris, clusters):
    assert of(iris.model, iris.X).reference.by == "the network"
    assert of(clusters.model, clusters.X).reference.by == "the clusters"
    assert of(iris.model.explain(), iris.X).reference is None


def test_rules_of_a_black_box_are_compared_with_it(boxed):
    rows = of(boxed.model, boxed.X, boxed.y)

    assert (rows.reference.by, rows.model.by, rows.truth.by) == (
        "the black box",
        "the black box",
        "the truth",
    )
    assert np.array_equal(rows.black_box.codes == 1, boxed.model.ask(boxed.X))


def test_answers_of_a_black_box_that_cannot_be_asked_come_as_the_truth_would(iris):
    subject = subject_of(iris.model)

    rows = label_rows(replace(subject, task="black box"), iris.X, iris.y)

    assert (rows.reference.by, rows.truth) == ("the black box", None)


@pytest.mark.parametrize(
    "held",
    [lambda X: X, pa.Table.from_pandas, lambda X: X.to_numpy(), lambda X: dict(X.items())],
    ids=["pandas", "pyarrow", "array", "mapping"],
)
def test_it_does_not_matter_what_rows_are_held_in(iris, held):
    rows, expected = of(iris.model, held(iris.X), iris.y), of(iris.model, iris.X, iris.y)

    assert rows.concepts.keys() == expected.concepts.keys()
    for name, words in rows.concepts.items():
        assert np.array_equal(words, expected.concepts[name])


def test_concepts_and_sparse_rows_are_read_too(iris):
    rules = iris.model.explain()
    concepts = pd.DataFrame(rules.vocabulary.encode(iris.X))
    plain = ExplanationSet([Explanation(Rule(1, Var("a")))], ["a", "b"])

    assert np.array_equal(of(rules, concepts).predicted.codes, of(rules, iris.X).predicted.codes)
    assert of(plain, scipy.sparse.csr_matrix([[0.0, 1.0], [1.0, 0.0]])).n_rows == 2


def test_a_network_is_asked_in_blocks(iris, monkeypatch):
    whole = of(iris.model, iris.X).network
    monkeypatch.setattr(_evaluate, "_BLOCK", 7)

    parts = of(iris.model, iris.X).network

    assert np.array_equal(whole.codes, parts.codes)
    assert all(map(np.array_equal, whole.words, parts.words))
