"""What rows weigh as yes and as no."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from logiclens.estimators.balancing import COUNTED, EVEN, Balance
from logiclens.estimators.counting import Fold
from logiclens.estimators.weighing import answers_of, balance_factor


def test_balance():
    yes, no = torch.tensor([1.0, 2.0, 0.0, 4.0]), torch.tensor([4.0, 2.0, 3.0, 0.0])

    assert balance_factor(yes, no, EVEN).tolist() == [4.0, 1.0, 1.0, 1.0]
    assert balance_factor(yes, no, COUNTED).tolist() == [1.0] * 4
    assert balance_factor(yes, no, EVEN).dtype == yes.dtype


def test_answers_are_added_up_by_group_where_rows_went():
    outputs = np.array([[1.0, 0.0], [0.25, 0.0], [1.0, 1.0]])
    folds = [Fold(np.array([1.0, 2.0, 0.0]), np.array([0.0, 0.0, 3.0]))]

    answers = answers_of(outputs, folds, [(0, 0), (0, 1)], torch.tensor([1, 1, 0]), 2)

    assert answers.yes.tolist() == [[0.0, 1.5], [0.0, 0.0]]
    assert answers.no.tolist() == [[0.0, 1.5], [0.0, 3.0]]
    assert answers.check_yes.tolist() == [[3.0, 0.0], [3.0, 0.0]]
    assert answers.check_no.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("balance", [0.0, 0.5, 1.0])
def test_a_constant_answer_has_loss_1(balance):
    outputs = np.array([[1.0], [0.0], [0.0], [0.0]])
    folds = [Fold(np.ones(4), np.ones(4))]
    answers = answers_of(outputs, folds, [(0, 0)], torch.arange(4), 4)

    rows = answers.weighted(torch.eye(4), group=2, balance=Balance(balance))

    assert rows.yes.shape == (2, 4)
    for yes, no in ((rows.yes[0].sum(), rows.no[0].sum()), (rows.check_yes[1].sum(), rows.check_no[1].sum())):
        p = yes / (yes + no)
        assert -(yes * p.log() + no * (1 - p).log()) == pytest.approx(1.0)
        assert yes / no == pytest.approx(3.0 ** (balance - 1.0))
