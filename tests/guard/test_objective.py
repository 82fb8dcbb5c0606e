"""What attackers want."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy

from logiclens.guard import RuleGuard
from logiclens.guard.attack import Evade, Misclassify, Mislabel

LOGITS = torch.tensor([[3.0, 0.0, 9.0], [-1.0, 2.0, -9.0]], dtype=torch.float64)
Y = torch.tensor([0, 0])


def test_only_the_classes_count():
    attack = Misclassify([0, 1])

    assert torch.equal(attack.loss(LOGITS, Y), cross_entropy(LOGITS[:, :2], Y, reduction="none"))
    assert attack.reached(LOGITS, Y).tolist() == [False, True]
    assert Misclassify().reached(LOGITS, Y).tolist() == [True, True]


def test_several_labels():
    truth = torch.tensor([[1, 0, 1], [0, 1, 1]])

    assert Mislabel().reached(LOGITS, truth).tolist() == [False, True]
    assert Mislabel().reached(LOGITS - 0.5, torch.tensor([[1, 0, 1], [0, 1, 0]])).tolist() == [False, False]
    assert Mislabel().loss(LOGITS, truth)[1] > 9


def test_evading_takes_both_another_class_and_no_alarm():
    guard = RuleGuard("jay -> blue", names=["robin", "jay", "blue"]).fit([[1, 0, 0], [0, 1, 0.9]] * 50)
    attack = Evade(guard, Misclassify([0, 1]))
    caught = torch.tensor([[-5.0, 5.0, -5.0]], dtype=torch.float64)
    through = torch.tensor([[-5.0, 5.0, 5.0]], dtype=torch.float64)
    right = torch.tensor([[5.0, -5.0, -5.0]], dtype=torch.float64)

    assert [attack.reached(row, Y[:1]).item() for row in (caught, through, right)] == [False, True, False]
    assert attack.loss(through, Y[:1]).item() == 0
    assert attack.loss(caught, Y[:1]) < 0
    assert attack.loss(right, Y[:1]) < 0
