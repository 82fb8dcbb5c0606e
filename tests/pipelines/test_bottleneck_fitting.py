"""How a bottleneck is fitted: rows held out, labels, losses, settings that are refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from logiclens.errors import InputError
from logiclens.estimators import MuClassifier, PsiClassifier
from logiclens.pipelines._concept_training import concept_loss, joint_loss, split_rows
from tests.errors import error_of
from tests.pipelines.raw_toys import linear, plane, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y, CONCEPTS = plane(60)


@given(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=1, max_size=40), st.floats(0, 0.99))
def test_rows_are_learnt_from_or_held_out(weights, fraction):
    weight = np.array(weights)
    if not weight.any():
        with pytest.raises(InputError, match="All weights in sample_weight are 0"):
            split_rows(len(weight), weight, fraction, 0)
        return
    rows, check = (part.numpy() for part in split_rows(len(weight), weight, fraction, 0))

    assert len(rows) >= 1
    assert np.array_equal(np.sort(np.concatenate([rows, check])), np.flatnonzero(weight))
    assert len(check) <= round(fraction * len(np.flatnonzero(weight)))


def test_the_split_repeats_with_the_seed():
    one, same, other = (split_rows(100, None, 0.2, seed)[1].tolist() for seed in (0, 0, 1))

    assert one == same != other


@pytest.mark.parametrize("kind", [MuClassifier(epochs=40, random_state=0), PsiClassifier(random_state=0)])
def test_gradients_reach_the_concepts_through_the_network(kind):
    """Of a psi network, too, whose inputs are steps."""
    network = kind.fit(CONCEPTS, Y).network_.requires_grad_(False)
    outputs = torch.as_tensor(Y != "both").float()[:, None]
    logits = torch.from_numpy(X).double().requires_grad_()
    loss = joint_loss(network, outputs, concept_loss(torch.from_numpy(CONCEPTS)), 0.0, None)
    loss(logits, torch.arange(60)).sum().backward()

    assert logits.grad is not None
    assert (logits.grad.abs().sum(dim=0) > 0).all()
    assert all(parameter.grad is None for parameter in network.parameters())


def test_the_joint_loss_is_that_of_classes_and_concepts():
    network = MuClassifier(epochs=10, random_state=0).fit(CONCEPTS, Y).network_
    outputs = torch.as_tensor(Y != "both").float()[:, None]
    logits, rows = torch.from_numpy(X), torch.arange(60)
    weight = torch.linspace(0, 2, 60)
    plain, concepts = (concept_loss(torch.from_numpy(CONCEPTS).float(), w) for w in (None, weight))
    task = joint_loss(network, outputs, concepts, 0.0, None)(logits, rows)
    both = joint_loss(network, outputs, concepts, 3.0, weight)(logits, rows)
    share = torch.sigmoid(network(torch.sigmoid(logits).to(network.l1.dtype))[0])

    assert torch.allclose(task, -torch.log(torch.where(outputs[:, 0] > 0, share, 1 - share)))
    assert torch.allclose(both, weight * (task + 3.0 * plain(logits, rows)))


def test_classes_of_which_one_is_true_share_a_softmax():
    kind = np.where(Y == "both", "both", np.where(CONCEPTS[:, 0] > 0, "right", "none"))
    model = MuClassifier(epochs=10, random_state=0).fit(CONCEPTS, kind)
    outputs = torch.as_tensor(kind[:, None] == model.classes_).float()
    logits, rows = torch.from_numpy(X), torch.arange(60)
    plain = concept_loss(torch.from_numpy(CONCEPTS).float())
    task = joint_loss(model.network_, outputs, plain, 0.0, None, exclusive=True)(logits, rows)

    share = model.predict_proba(torch.sigmoid(logits).double().numpy())
    assert np.allclose(task.detach().numpy(), -np.log(share[outputs.numpy() > 0]), atol=1e-5)


COUNT = "{} must be a whole number of at least 1. Got {}."


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"epochs": 0}, COUNT.format("epochs", 0)),
        ({"batch_size": 2.5}, COUNT.format("batch_size", 2.5)),
        ({"patience": True}, COUNT.format("patience", True)),
        ({"rounds": "1"}, COUNT.format("rounds", "'1'")),
        ({"learning_rate": 0}, "learning_rate must be a positive number. Got 0."),
        ({"weight_decay": -1}, "weight_decay must be a number of at least 0. Got -1."),
        ({"concept_weight": np.inf}, "concept_weight must be a number of at least 0. Got inf."),
        ({"validation_fraction": 1}, "validation_fraction must be a number of at least 0 and less than 1."),
        ({"augment": "flip"}, "augment must be a function of a mini-batch. Got 'flip'."),
        ({"estimator": "mu"}, "estimator must be a classifier of this package. Got 'mu';"),
        ({"concept_model": "cnn"}, "concept_model must be a torch.nn.Module. Got 'cnn';"),
        ({"device": "abacus"}, "device must be 'auto', 'cpu' or a device that torch can use here."),
        ({"random_state": -1}, "random_state must be a whole number of at least 0, None or a RandomState."),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_settings_that_make_no_sense(settings, text):
    assert text in error_of(quick(linear()).set_params(**settings).fit, X, Y, CONCEPTS)
