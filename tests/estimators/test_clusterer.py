"""The clusterer that users of scikit-learn see."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError, UnknownColumnError
from logiclens.estimators.clusterer import PENALTIES, LENClusterer
from logiclens.explain.front import NO_ROWS
from logiclens.logic import FALSE, TRUE, Var, equivalent
from tests.strategies import HOSTILE_NAMES, all_rows

NETWORKS = tuple(PENALTIES)

NO_COLUMNS = (
    "Found array with 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required. "
    "Pass a table with columns."
)


def quick(n_clusters: int = 2, **settings: Any) -> LENClusterer:
    """A clusterer that is done in a fraction of a second."""
    chosen = {"restarts": 2, "epochs": 100, "learning_rate": 0.05} | settings
    return LENClusterer(n_clusters, device="cpu", **{"random_state": 0} | chosen)


def planted(n: int = 240, n_groups: int = 2, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Groups of equal size, each with a concept of its own, and rare concepts that tell nothing."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % n_groups
    data = {f"group_{k}": np.where(group == k, 0.9, 0.2) for k in range(n_groups)}
    return pd.DataFrame(data | {name: rng.random(n) * 0.6 for name in ("noise_a", "noise_b")}), group


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("n_groups", [2, 3])
def test_planted_groups_are_found_with_their_rules(network, n_groups):
    X, group = planted(n_groups=n_groups)

    clusterer = quick(n_groups, network=network).fit(X)

    assert adjusted_rand_score(group, clusterer.labels_) == 1.0
    assert clusterer.mutual_information_ == pytest.approx(np.log(n_groups))
    rules = clusterer.explain()
    for label in range(n_groups):
        fired = rules[label].evaluate(X)
        assert (fired == (clusterer.labels_ == label)).all(), "a rule is about the cluster of its number"
        assert rules[label].complexity <= n_groups - 1
        assert not {"noise_a", "noise_b"} & set(rules[label].concepts)


def gaussian(n_groups: int, seed: int = 0, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Rows of groups in four columns whose means are at least eight standard deviations apart."""
    rng = np.random.default_rng(seed)
    means: list[np.ndarray] = []
    while len(means) < n_groups:
        mean = rng.uniform(0, 25, 4)
        if all(np.linalg.norm(mean - other) >= 8 for other in means):
            means.append(mean)
    group = np.arange(n) % n_groups
    return np.array(means)[group] + rng.normal(size=(n, 4)), group


@pytest.mark.parametrize("n_groups", [2, 5, 8])
def test_separate_groups_of_numbers_are_found_however_many(n_groups):
    X, group = gaussian(n_groups)

    clusterer = LENClusterer(n_groups, restarts=2, l1=0.001, epochs=100, random_state=0).fit(X)

    assert adjusted_rand_score(group, clusterer.labels_) >= 0.95


def test_the_number_of_clusters_can_be_left_to_the_data():
    X, group = planted(n_groups=3)
    clusterer = quick("auto").fit(X)

    assert clusterer.n_clusters_ == 3
    assert adjusted_rand_score(group, clusterer.labels_) == 1.0
    assert clusterer.explain(X).literals <= 30


def test_groups_on_a_lattice_are_found():
    """Cut points of equal weight lose the gaps between groups: the columns are then ranks."""
    rng = np.random.default_rng(0)
    group = rng.integers(6, size=400)
    corner = 10.0 * np.array(list(np.ndindex(2, 2, 2)))[[0, 1, 2, 4, 5, 7]]
    X = corner[group] + rng.normal(size=(400, 3))

    clusterer = LENClusterer(6, restarts=2, l1=0.001, epochs=100, random_state=0).fit(X)

    assert adjusted_rand_score(group, clusterer.labels_) >= 0.95


@pytest.mark.parametrize("network", NETWORKS)
def test_seeds_agree(network):
    X = np.random.default_rng(5).random((150, 5)) < [0.5, 0.25, 0.8, 0.4, 0.1]
    fits = [quick(network=network, random_state=seed).fit(X) for seed in range(4)]

    assert len({str(each.explain()) for each in fits}) == 1
    assert all((each.labels_ == fits[0].labels_).all() for each in fits)


def test_labels_are_never_looked_at():
    X, group = planted(n_groups=3)
    without, given = quick(3).fit(X), quick(3).fit(X, y=group[::-1])

    assert (without.labels_ == given.labels_).all()
    assert without.explain() == given.explain()
    assert (without.predict_proba(X) == given.predict_proba(X)).all()


def test_predict_agrees_with_labels_row_by_row_and_in_any_order():
    X, _ = planted(n_groups=3)
    clusterer = quick(3).fit(X)

    assert (clusterer.predict(X) == clusterer.labels_).all()
    assert (quick(3).fit_predict(X) == clusterer.labels_).all()
    assert (clusterer.predict(X[X.columns[::-1]]) == clusterer.labels_).all()
    assert clusterer.predict(X.iloc[[4]])[0] == clusterer.labels_[4]
    assert clusterer.labels_.dtype == np.int64


def test_probabilities_sum_to_one_and_name_the_cluster():
    X, _ = planted(n_groups=3)
    clusterer = quick(3).fit(X)
    p = clusterer.predict_proba(X)

    assert p.shape == (len(X), 3)
    assert np.allclose(p.sum(axis=1), 1.0)
    assert (p.argmax(axis=1) == clusterer.labels_).all()


def test_only_the_side_of_one_half_counts():
    X, _ = planted()
    clusterer = quick().fit(X)

    assert (clusterer.predict((X > 0.5).astype(float)) == clusterer.labels_).all()
    assert clusterer.explain() == quick().fit(X > 0.5).explain()


def test_more_clusters_than_the_data_hold_are_empty_and_reported():
    X = pd.DataFrame({"a": [0, 1] * 10, "b": [1, 1] * 10})

    clusterer = quick(4).fit(X)

    assert clusterer.empty_clusters_ == (2, 3)
    assert set(clusterer.labels_) == {0, 1}
    rules = clusterer.explain()
    assert [rules[label].formula for label in (2, 3)] == [FALSE, FALSE]
    assert {rules[label].status for label in (2, 3)} == {NO_ROWS}
    assert {rules[label].formula for label in (0, 1)} == {Var("a"), ~Var("a")}
    assert clusterer.predict_proba(X).shape == (20, 4)


def test_far_more_clusters_than_rows_train_no_network_in_vain():
    """A thousand clusters of 50 rows took twenty seconds."""
    X = np.random.default_rng(0).random((50, 3))

    clusterer = quick(1000).fit(X)

    assert clusterer.network_.members <= 50
    assert len(clusterer.explain()) == len(clusterer.explain(X)) == clusterer.n_clusters_ == 1000
    assert set(range(50, 1000)) <= set(clusterer.empty_clusters_)
    assert clusterer.predict_proba(X).shape == (50, 1000)
    assert (clusterer.predict_proba(X).argmax(axis=1) == clusterer.labels_).all()


@pytest.mark.parametrize("X", [[[0.2, 0.9]], [[0.0, 1.0]] * 5], ids=["one row", "constant columns"])
def test_nothing_to_tell_apart_is_one_cluster(X):
    clusterer = quick().fit(X)

    assert clusterer.labels_.tolist() == [0] * len(X)
    assert clusterer.empty_clusters_ == (1,)
    assert clusterer.mutual_information_ == 0.0
    assert clusterer.explain()[0].formula == TRUE


def test_one_cluster_is_everything():
    X, _ = planted()
    clusterer = quick(1).fit(X)

    assert set(clusterer.labels_) == {0}
    assert clusterer.explain()[0].formula == TRUE
    assert clusterer.empty_clusters_ == ()


def test_copies_and_opposites_of_a_concept_change_no_cluster():
    X, _ = planted()
    more = X.assign(copy=X["group_0"], opposite=1.0 - X["group_0"])

    assert (quick().fit(more).labels_ == quick().fit(X).labels_).all()


def test_weights_decide_which_clusters_are_even():
    X = pd.DataFrame(all_rows(2).astype(int), columns=["a", "b"])
    weight = np.where(X["a"] == 1, 1.0, 5.0) * np.where(X["b"] == 1, 1.0, 3.0)
    clusterer = quick(literal_cost=0.2)

    equal = clusterer.fit(X).explain()
    weighted = clusterer.fit(X, sample_weight=weight).explain()

    assert {each.concepts for each in equal.values()} == {("a",)}  # as good as b, and before it
    assert {each.concepts for each in weighted.values()} == {("b",)}  # 1 to 3, where a is 1 to 5


def test_rows_of_weight_zero_get_a_cluster_but_no_say():
    X, _ = planted()
    strange = pd.DataFrame(1.0, index=range(500), columns=X.columns)
    weight = np.r_[np.ones(len(X)), np.zeros(len(strange))]

    clusterer = quick().fit(pd.concat([X, strange]), sample_weight=weight)

    alone = quick().fit(X)
    assert (clusterer.labels_[: len(X)] == alone.labels_).all()
    assert (clusterer.predict_proba(X) == alone.predict_proba(X)).all()
    assert len(clusterer.labels_) == len(weight)
    assert clusterer.mutual_information_ == pytest.approx(np.log(2))


@pytest.mark.parametrize("names", [HOSTILE_NAMES[at : at + 2] for at in range(0, len(HOSTILE_NAMES) - 1, 2)])
def test_names_are_data(names):
    X, _ = planted()
    renamed = X.iloc[:, [0, 2]].set_axis(list(names), axis=1)

    clusterer = quick().fit(renamed)

    assert clusterer.concept_names_ == tuple(names)
    assert {each.concepts for each in clusterer.explain().values()} == {(names[0],)}


def test_explain_on_other_rows_keeps_the_numbers():
    X, _ = planted(n_groups=3)
    clusterer = quick(3).fit(X)
    rows = X[clusterer.labels_ != 1]

    rules = clusterer.explain(rows)

    assert rules.labels == (0, 1, 2)
    assert (rules[1].formula, rules[1].status) == (FALSE, NO_ROWS)
    for label in (0, 2):
        assert (rules[label].evaluate(rows) == (clusterer.predict(rows) == label)).all()


def test_fitted_attributes():
    X, _ = planted()
    clusterer = quick().fit(X)

    assert clusterer.concept_names_ == tuple(X.columns)
    assert clusterer.feature_names_in_.tolist() == list(X.columns)
    assert clusterer.n_features_in_ == 4
    assert clusterer.explanations_ is clusterer.explain()
    assert clusterer.network_.members == 2
    assert 0 < clusterer.n_iter_ <= 100
    assert clusterer.l1_ in PENALTIES["mu"]
    assert not hasattr(clusterer.fit(X.to_numpy()), "feature_names_in_")


@pytest.mark.parametrize("network", NETWORKS)
def test_mini_batches_find_the_groups_too(network):
    X, group = planted()
    clusterer = quick(network=network, batch_size=3).fit(X)

    assert adjusted_rand_score(group, clusterer.labels_) == 1.0


def test_a_random_state_object_and_none_are_taken():
    X, group = planted()
    for state in (np.random.RandomState(1), None):
        assert adjusted_rand_score(group, quick(random_state=state).fit(X).labels_) == 1.0


def test_the_global_generators_are_left_alone():
    import torch

    X, _ = planted()
    before, in_torch = np.random.get_state()[1].copy(), torch.random.get_rng_state()
    quick(random_state=None).fit(X)

    assert (np.random.get_state()[1] == before).all()
    assert torch.equal(torch.random.get_rng_state(), in_torch)


def test_too_little_training_is_warned_of():
    X, _ = planted()
    text = "LENClusterer was still undecided between clusters after 2 epochs. Raise epochs, or learning_rate."
    with pytest.warns(ConvergenceWarning, match=re.escape(text)):
        quick(epochs=2, learning_rate=0.01).fit(X)


def test_enough_training_is_not():
    X, _ = planted(n_groups=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick(3).fit(X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1, or 'auto'. Got 0."),
        ({"max_concepts": "auto"}, "max_concepts must be a whole number of at least 1. Got 'auto'."),
        ({"max_literals": 0}, "max_literals must be a whole number of at least 1, or 'auto'. Got 0."),
        ({"literal_cost": -0.1}, "literal_cost must be a number of at least 0. Got -0.1."),
        ({"literal_cost": "low"}, "literal_cost must be a number of at least 0. Got 'low'."),
        ({"learning_rate": True}, "learning_rate must be a positive number. Got True."),
        ({"network": "entropie"}, "Unknown network 'entropie'."),
        ({"network": None}, "Unknown network None. There are 'mu', 'psi', 'relu', 'entropy'."),
    ],
)
def test_bad_settings_are_refused_word_for_word(settings, message):
    with pytest.raises(InputError) as info:
        LENClusterer(**settings).fit([[0, 1], [1, 0]])

    assert message in str(info.value)


@pytest.mark.parametrize(
    ("X", "weight", "message"),
    [
        (np.zeros((0, 2)), None, "There are no rows to learn from. Pass at least one."),
        (np.zeros((2, 0)), None, NO_COLUMNS),
        ([[0], [1]], [0, 0], "All weights in sample_weight are zero. Give some row a positive weight."),
    ],
)
def test_bad_data_are_refused_word_for_word(X, weight, message):
    with pytest.raises(InputError) as info:
        quick().fit(X, sample_weight=weight)

    assert str(info.value) == message


def test_other_columns_and_no_rows_are_refused():
    X, _ = planted()
    clusterer = quick().fit(X)

    with pytest.raises(UnknownColumnError):
        clusterer.predict({"other": [1.0]})
    with pytest.raises(InputError, match=re.escape("There are no rows to explain. Pass at least one.")):
        clusterer.explain(X.iloc[:0])


@pytest.mark.parametrize("method", ["predict", "predict_proba", "explain"])
def test_an_unfitted_clusterer_says_so(method):
    with pytest.raises(NotFittedError, match="LENClusterer instance is not fitted yet"):
        getattr(LENClusterer(), method)([[0, 1]])


def test_a_formula_is_what_its_cluster_has_in_common_on_the_data():
    """Two concepts that always go together are one: either may be named."""
    X = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 1] * 20})
    rules = quick().fit(X).explain()

    assert {str(each.formula) for each in rules.values()} == {"a", "~a"}
    assert not equivalent(rules[0].formula, rules[1].formula)


# --- raw tables ---


def households(n: int = 120) -> pd.DataFrame:
    """Two kinds of households, told by income and kind of home, with a gap."""
    rng = np.random.default_rng(0)
    rich = np.arange(n) % 2 == 1
    income = np.where(rich, rng.normal(90, 5, n), rng.normal(30, 5, n)).round(1)
    income[0] = np.nan
    return pd.DataFrame({"income": income, "home": np.where(rich, "house", "flat")})


@pytest.mark.parametrize("network", NETWORKS)
def test_raw_tables_are_encoded(network):
    table = households()
    clusterer = quick(network=network).fit(table)

    assert adjusted_rand_score(table["home"] == "house", clusterer.labels_) == 1.0
    assert clusterer.n_features_in_ == 2
    assert clusterer.feature_names_in_.tolist() == ["income", "home"]
    assert clusterer.vocabulary_ == clusterer.encoder_.vocabulary_
    assert clusterer.concept_names_ == clusterer.vocabulary_.names
    rules = clusterer.explain()
    assert (rules.predict(table) == clusterer.labels_).all(), "rules read the raw table"
    assert rules.vocabulary == clusterer.explain(table).vocabulary == clusterer.vocabulary_
    assert (clusterer.predict(table[["home", "income"]]) == clusterer.labels_).all()


def test_rows_of_weight_zero_have_no_say_in_the_encoding():
    table = households()
    strange = pd.concat([table, pd.DataFrame({"income": [1e6] * 50, "home": ["castle"] * 50})])
    weight = np.r_[np.ones(len(table)), np.zeros(50)]

    assert quick().fit(strange, sample_weight=weight).vocabulary_ == quick().fit(table).vocabulary_


def test_concepts_need_no_vocabulary():
    X, _ = planted()

    for encoder in ("auto", None):
        clusterer = quick(encoder=encoder).fit(X)
        assert (clusterer.vocabulary_, clusterer.encoder_) == (None, None)


def test_an_encoder_of_ones_own_is_cloned():
    encoder = ConceptEncoder(cuts={"income": [60]})
    clusterer = quick(encoder=encoder).fit(households())

    assert "income > 60" in clusterer.concept_names_
    assert not hasattr(encoder, "vocabulary_")


def test_sparse_matrices_are_refused_with_advice():
    with pytest.raises(InputError, match="Sparse matrices are not read here"):
        quick().fit(scipy.sparse.eye_array(3))


# --- rules of every length ---


def test_rules_of_every_length_are_there_without_training():
    X, _ = planted(n_groups=3)
    clusterer = quick(3).fit(X)
    front = clusterer.front_

    lengths = [point.literals for point in front]
    assert lengths == sorted(set(lengths))
    assert front.rules() == clusterer.explain()
    assert clusterer.explain(literals=0).predict(X).tolist() == [0] * len(X)
    longest = clusterer.explain(literals=30)
    assert (longest.predict(X) == clusterer.labels_).all()
    assert longest.literals <= 30
    assert clusterer.explain(X, literals=0).literals == 0


def test_the_longest_rules_are_as_long_as_told():
    X = np.random.default_rng(5).random((150, 5)) < 0.5

    assert quick(4, max_literals=3).fit(X).front_[-1].literals <= 3
