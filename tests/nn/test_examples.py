"""Rows for a population: equal ones merged, the loss unchanged."""

from __future__ import annotations

import numpy as np
import torch

from logiclens.nn._descent import PopulationRows, merge_rows
from logiclens.nn.criteria import iff_loss
from tests.nn.populations import make, some_rows


def test_rows_are_merged_only_where_that_halves_them():
    x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])

    kept, place = merge_rows(x)
    assert kept is x
    assert place.tolist() == [0, 1, 2]

    distinct, place = merge_rows(torch.cat([x, x]))
    assert distinct.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert place.tolist() == [1, 1, 0, 1, 1, 0]


def test_distinct_rows_are_in_ascending_order_however_they_lie_in_memory():
    x = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (400, 70)))
    x[:, 2:68] = 0
    distinct, place = merge_rows(x.float())
    expected, where = torch.unique(x.float(), dim=0, return_inverse=True)

    assert torch.equal(distinct, expected)
    assert torch.equal(place, where)
    assert torch.equal(merge_rows(x.float().T.contiguous().T)[0], expected)


def test_merging_adds_weights():
    x = torch.tensor([[1.0, 0.0]] * 3 + [[0.0, 0.0]] * 3)
    weight = torch.arange(6.0)[None]
    rows = PopulationRows(x, weight, weight + 1, weight * 0, weight * 2)

    merged = rows.merged()

    assert merged.x.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert merged.yes.tolist() == [[12.0, 3.0]]
    assert merged.no.tolist() == [[15.0, 6.0]]
    assert merged.check_no.tolist() == [[24.0, 6.0]]


def test_scores_between_0_and_1_are_not_merged():
    rows = some_rows(boolean=False)

    assert rows.merged() is rows


def test_gathered_rows_have_the_loss_of_all_rows():
    """After pruning, each member's tuples are merged for itself."""
    rows = some_rows(n=200)
    network = make("mu", max_concepts=2)
    network.prune()

    gathered = rows.gathered(network)

    assert gathered.x.shape[2] <= 8  # up to four that are learned from, and four to check with
    before = iff_loss(network(rows.x), rows.yes, rows.no)
    after = iff_loss(network.logits(gathered.x), gathered.yes, gathered.no)
    assert torch.allclose(before, after, rtol=1e-12)


def test_tuples_that_are_learned_from_come_first():
    rows = some_rows(n=200)
    network = make("mu", max_concepts=2)
    network.prune()

    gathered = rows.gathered(network)
    learned, checked = gathered.yes + gathered.no > 0, gathered.check_yes + gathered.check_no > 0

    assert not (learned & checked).any()
    for is_learned, tuples in zip(learned, gathered.x.transpose(1, 2), strict=True):
        n_learned = int(is_learned.sum())
        assert 0 < n_learned <= 4
        assert is_learned[:n_learned].all()
        assert len(tuples[:n_learned].unique(dim=0)) == n_learned
    torch.testing.assert_close(
        iff_loss(network.logits(gathered.x), gathered.check_yes, gathered.check_no),
        iff_loss(network(rows.x), rows.check_yes, rows.check_no),
    )


def test_gathered_rows_stay_as_they_are_where_few_are_equal(monkeypatch):
    rows = some_rows(n=200)
    network = make("mu", max_concepts=2)
    network.prune()
    monkeypatch.setattr("logiclens.nn._descent._WORTH_MERGING", 0.0)

    assert rows.gathered(network).yes is rows.yes


def test_where_takes_the_rows_that_are_used():
    rows = some_rows()
    gathered = PopulationRows(rows.x.T, rows.yes, rows.no, rows.check_yes, rows.check_no)
    used = torch.arange(40) % 3 == 0

    some = gathered.where(used)

    assert torch.equal(some.x, rows.x[used].T)
    assert torch.equal(some.check_no, rows.check_no[:, used])
    assert gathered.where(torch.ones(40, dtype=torch.bool)) is gathered
