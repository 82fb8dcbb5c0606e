"""Folds shared out: the same figures whatever the workers are, and however many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from joblib import parallel_config
from sklearn.base import clone

from logiclens.errors import InputError
from logiclens.estimators import ReluClassifier, cross_explain, validation
from logiclens.estimators.chunks import is_shared_out, share_out
from tests.clusters import small_cluster
from tests.estimators.toys import CLASSIFIERS, NAMES, quick

RANDOM = np.random.default_rng(0)
SCORES = RANDOM.random((90, 4))
NOISY = ((SCORES[:, 0] > 0.5) & (SCORES[:, 1] > 0.5)) ^ (RANDOM.random(90) < 0.1)
RAW = pd.DataFrame({"age": RANDOM.integers(20, 90, 90), "color": RANDOM.choice(["red", "blue"], 90)})
OLD = np.where((RAW["age"] > 50) & (RAW["color"] == "red"), "yes", "no")
TABLES: dict[str, tuple[Any, Any]] = {"scores": (SCORES, NOISY), "raw": (RAW, OLD)}


def figures(table: str = "scores", kind: str = "mu", **settings: Any) -> pd.DataFrame:
    """All columns but time, which is nobody's but the machine's."""
    X, y = TABLES[table]
    clf = quick(kind, epochs=20, l1=(0.002, 0.02))
    return cross_explain(clf, X, y, **{"cv": 3} | settings).drop(columns="time")


@pytest.fixture(scope="module")
def by_itself() -> dict[str, pd.DataFrame]:
    """Fold after fold, in this process."""
    return {table: figures(table, n_jobs=1) for table in TABLES}


# --- the same figures ---


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_fold_is_to_the_last_bit_a_fit_on_its_rows(kind: str, monkeypatch: pytest.MonkeyPatch):
    fitted: list[validation.Part] = []
    fit_parts = validation.fit_parts
    monkeypatch.setattr(
        validation, "fit_parts", lambda *args, **more: fitted.extend(fit_parts(*args, **more)) or fitted[-1:]
    )
    parts = [(np.arange(60), np.arange(60, 90)), (np.arange(30, 90), np.arange(30))]
    figures(kind=kind, cv=parts, n_jobs=1)

    clf = quick(kind, epochs=20, l1=(0.002, 0.02))
    for part, (train, _) in zip(fitted, parts, strict=True):
        twin = clone(clf).fit(SCORES[train], NOISY[train])
        assert part.rules.formulas == twin.explain().formulas
        pairs = zip(part.network.parameters(), twin.network_.parameters(), strict=True)
        assert all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_give_the_same_figures(table: str, n_jobs: int, by_itself: dict[str, pd.DataFrame]):
    before = torch.get_num_threads()
    with parallel_config(backend="threading"):
        found = figures(table, n_jobs=n_jobs)

    pd.testing.assert_frame_equal(found, by_itself[table], check_exact=True)
    assert torch.get_num_threads() == before


def test_processes_give_the_same_figures(by_itself: dict[str, pd.DataFrame]):
    for table, expected in by_itself.items():
        pd.testing.assert_frame_equal(figures(table, n_jobs=2), expected, check_exact=True)


def test_a_configuration_in_force_is_enough(by_itself: dict[str, pd.DataFrame]):
    with parallel_config(backend="threading", n_jobs=2):
        found = figures()

    pd.testing.assert_frame_equal(found, by_itself["scores"], check_exact=True)


def test_without_workers_all_folds_are_one_population(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(validation, "share_out", lambda *_: pytest.fail("nothing is to be shared out"))
    sizes = []
    fit_parts = validation.fit_parts
    monkeypatch.setattr(
        validation, "fit_parts", lambda *args: (sizes.append(len(args[3])), fit_parts(*args))[1]
    )

    assert len(figures(n_jobs=None)) == 3
    assert sizes == [3]


def test_one_population_has_the_same_figures_but_for_rounding(by_itself: dict[str, pd.DataFrame]):
    """Of this table even to the last bit: each fold has concepts of its own, so it is a population anyway."""
    pd.testing.assert_frame_equal(figures("raw"), by_itself["raw"], check_exact=True)


def test_seeds_of_the_paper_count_up_with_the_fold():
    """Its ReLU networks are trained with dropout, so another seed is another network."""
    clf = ReluClassifier.reference(epochs=12, hidden=(8,), random_state=3, device="cpu")
    whole, apart = (
        cross_explain(clf, SCORES, NOISY, cv=3, n_jobs=n_jobs).drop(columns="time") for n_jobs in (None, 1)
    )

    pd.testing.assert_frame_equal(whole, apart, check_exact=True)


@pytest.mark.parametrize(
    "table",
    [
        dict(zip(NAMES, SCORES.T, strict=True)),
        pl.DataFrame(dict(zip(NAMES, SCORES.T, strict=True))),
        pl.DataFrame(dict(zip(NAMES, SCORES.T, strict=True))).lazy(),
    ],
    ids=["mapping", "polars", "polars, lazy"],
)
def test_any_kind_of_table_travels(table: Any, by_itself: dict[str, pd.DataFrame]):
    with parallel_config(backend="threading"):
        found = cross_explain(quick("mu", epochs=20, l1=(0.002, 0.02)), table, NOISY, cv=3, n_jobs=2)
    columns = by_itself["scores"].columns

    assert {name: [*found[name]] for name in columns if name != "fidelity_unseen"} == {
        name: [*by_itself["scores"][name]] for name in columns if name != "fidelity_unseen"
    }


def test_each_fold_has_its_own_seconds():
    seconds = cross_explain(quick("mu", epochs=20), SCORES, NOISY, cv=3, n_jobs=1)["time"]

    assert (seconds > 0).all()
    assert seconds.nunique() == 3


# --- on a cluster ---


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with small_cluster() as client:
        yield client


@pytest.mark.parametrize("table", TABLES)
def test_a_cluster_gives_the_same_figures(table: str, cluster: Any, by_itself: dict[str, pd.DataFrame]):
    with parallel_config(backend="dask"):
        found = figures(table)

    assert len(cluster.nthreads()) == 2
    pd.testing.assert_frame_equal(found, by_itself[table], check_exact=True)


@pytest.mark.usefixtures("cluster")
def test_work_is_done_by_the_workers_of_a_cluster():
    with parallel_config(backend="dask"):
        found = share_out(_process, [], [[at] for at in range(4)], None)

    assert [at for at, _ in found] == [0, 1, 2, 3]
    assert os.getpid() not in {process for _, process in found}


@pytest.mark.usefixtures("cluster")
def test_an_error_on_a_cluster_comes_back_as_it_is():
    with parallel_config(backend="dask"), pytest.raises(InputError) as info:
        share_out(_refuse, [], [[at] for at in range(4)], None)

    assert str(info.value) == "No luck."


def _process(at: int) -> tuple[int, int]:
    return at, os.getpid()


def _refuse(at: int) -> None:
    del at
    raise InputError("No luck.")


# --- sharing out ---


def test_threads_of_a_chunk(monkeypatch: pytest.MonkeyPatch):
    """One for each, so that workers do not fight for processors; in other processes, too."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)

    assert share_out(_threads, [], [[]] * 2, 1) == [1, 1]
    assert share_out(_threads, [], [[]] * 2, 2) == [1, 1]


def _threads() -> int:
    return torch.get_num_threads()


def test_large_arrays_can_be_written_to_in_other_processes():
    """They are mapped into memory, and torch warns of such that cannot be written to."""
    shared = np.zeros(1 << 18)

    assert share_out(_total, [shared], [[1], [2]], 2) == [1.0, 2.0]
    assert not shared.any()


def _total(array: np.ndarray, value: float) -> float:
    array[0] = value
    return float(torch.as_tensor(array).sum())


def test_an_error_in_another_process_comes_back_as_it_is():
    with pytest.raises(InputError) as info:
        share_out(_refuse, [], [[1], [2]], 2)

    assert str(info.value) == "No luck."


def test_when_work_is_shared_out():
    assert not is_shared_out(None)
    assert is_shared_out(1)
    with parallel_config(backend="threading", n_jobs=1):
        assert not is_shared_out(None)
    with parallel_config(backend="threading", n_jobs=2):
        assert is_shared_out(None)


@pytest.mark.parametrize("n_jobs", [0, 2.0, "2", True])
def test_what_is_no_number_of_workers_is_refused(n_jobs: Any):
    with pytest.raises(InputError) as info:
        is_shared_out(n_jobs)

    assert str(info.value) == f"n_jobs must be a whole number other than 0, or None. Got {n_jobs!r}."
