"""Concept embeddings beside torch_explain: the tasks, and the table of the documentation."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.harness import filled

from benchmarks import embeddings


@pytest.mark.parametrize("name", embeddings.TASKS)
def test_tasks_are_the_same_each_time(name):
    one, again = (embeddings.TASKS[name](np.random.default_rng(1)) for _ in range(2))

    assert all(map(np.array_equal, one, again))
    assert len(one.x) == len(one.concepts) == len(one.y) == embeddings.N_TRAIN + embeddings.N_TEST
    assert 0.3 < one.y.mean() < 0.7
    assert np.abs(one.concepts.mean(axis=0) - 0.5).max() < 0.05


def test_concepts_decide_the_class_of_xor_alone():
    for name, sure in (("xor", True), ("trigonometry", False), ("dot", False)):
        task = embeddings.TASKS[name](np.random.default_rng(1))
        codes = task.concepts @ 2 ** np.arange(task.concepts.shape[1])
        rates = [task.y[codes == code].mean() for code in np.unique(codes)]
        assert all(rate in (0, 1) for rate in rates) == sure


def test_the_page_shows_the_results_that_are_kept():
    page = embeddings.PAGE.read_text(encoding="utf-8")

    assert filled(embeddings.PAGE, {"embeddings": embeddings.table(embeddings.known())}) == page
