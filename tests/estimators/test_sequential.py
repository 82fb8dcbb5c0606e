"""Rules of models of your own: exact for psi, by relevance for ReLU, by answers for any."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from torch import nn

from logiclens.errors import InputError, LimitError
from logiclens.estimators.sequential import (
    COMPOSED,
    EXACT,
    explain_network,
    explain_psi,
    explain_relu,
    explain_torch,
)
from logiclens.explain import ExplanationSet
from logiclens.logic import FALSE, TRUE, Not, equivalent, parse_formula
from logiclens.nn.own_models import (
    EntropyLinear,
    StepSigmoid,
    entropy_penalty,
    prune_fan_in,
    prune_inputs,
    stack_networks,
)
from tests.strategies import HOSTILE_NAMES, all_rows

TUPLES = all_rows(2).astype(float)
XOR = parse_formula("(a & ~b) | (~a & b)")


def rules_of(model: nn.Module, X: object, **settings: object) -> ExplanationSet:
    return explain_torch(model, X, **settings).explain()


def filled(model: nn.Sequential, *values: object) -> nn.Sequential:
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), values, strict=True):
            parameter.copy_(torch.tensor(value))
    return model


def xor_network(*end: nn.Module) -> nn.Sequential:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 1), *end)
    return filled(model, [[9.0, 9.0], [9.0, 9.0]], [-5.0, -14.0], [[9.0, -9.0]], [-5.0])


def xor_relu() -> nn.Sequential:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    return filled(model, [[1.0, -1.0], [-1.0, 1.0]], [0.0, 0.0], [[1.0, 1.0]], [-0.5])


@pytest.mark.parametrize("end", [[], [nn.Sigmoid()]])
@pytest.mark.parametrize("explain", [explain_psi, rules_of])
def test_a_single_output_is_about_two_targets(explain, end):
    """The second is what the output says yes to, the first its complement; not both the same."""
    rules = explain(xor_network(*end), TUPLES, names=["a", "b"], targets=["same", "different"])

    assert equivalent(rules["different"].formula, XOR)
    assert equivalent(rules["same"].formula, Not(XOR))
    assert rules.predict(TUPLES).tolist() == ["same", "different", "different", "same"]
    assert [e.scores.fidelity for e in rules.values()] == [1.0, 1.0]
    assert [e.support for e in rules.values()] == [2.0, 2.0]


@pytest.mark.parametrize("explain", [explain_network, explain_relu])
def test_old_names_say_what_replaces_them(explain):
    with pytest.warns(FutureWarning, match=r"becomes explain_torch\(...\).explain\(\)"):
        rules = explain(xor_relu(), TUPLES, names=["a", "b"])

    assert equivalent(rules[1].formula, XOR)


def test_relu_finds_exclusive_or():
    rules = explain_torch(xor_relu(), TUPLES, names=["a", "b"]).explain()

    assert equivalent(rules[1].formula, XOR)
    assert equivalent(rules[0].formula, Not(XOR))


@pytest.mark.parametrize("seed", range(6))
def test_psi_formulas_are_the_hard_network_on_every_tuple(seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = nn.Sequential(
            nn.Linear(5, 4), StepSigmoid(), nn.Linear(4, 3), StepSigmoid(), nn.Linear(3, 2)
        ).double()
    prune_fan_in(model, 2)
    for part in model:
        if isinstance(part, StepSigmoid):
            part.anneal(1.0)
    tuples = all_rows(5)

    rules = explain_psi(model, tuples[:3])

    said = model(torch.from_numpy(tuples.astype(float))).detach().numpy() > 0
    assert np.array_equal(rules.fired(tuples), said)
    assert {e.status for e in rules.values() if e.formula not in (TRUE, FALSE)} <= {EXACT}


def test_soft_sigmoids_are_said_to_be_taken_as_steps():
    rules = explain_psi(xor_network(), TUPLES, names=["a", "b"])

    assert rules[1].status == COMPOSED


def test_a_soft_network_that_its_formula_misses_has_a_lower_fidelity():
    """Two half-true neurons add up to a yes, though each alone is false."""
    model = nn.Sequential(nn.Linear(1, 2), nn.Sigmoid(), nn.Linear(2, 1))
    filled(model, [[1.0], [1.0]], [-1.1, -1.1], [[1.0, 1.0]], [-0.6])

    rules = explain_psi(model, [[0.0], [1.0]])

    assert rules[1].formula == FALSE
    assert rules[1].status == "never predicted by these rules"
    assert rules[1].scores.fidelity == 0.5


def test_several_outputs_the_largest_decides():
    model = filled(nn.Sequential(nn.Linear(3, 3)), (9 * np.eye(3)).tolist(), [-4.0, -4.0, -4.0])
    X = np.eye(3)

    rules = explain_torch(model, X, names=["a", "b", "c"], targets=["u", "v", "w"]).explain()

    assert rules.labels == ("u", "v", "w")
    assert rules.predict(X).tolist() == ["u", "v", "w"]
    assert rules.score(X, ["u", "v", "w"]) == 1.0


def test_several_labels_each_output_for_itself():
    model = filled(nn.Sequential(nn.Linear(2, 2), nn.Sigmoid()), [[9.0, 9.0], [9.0, 9.0]], [-5.0, -14.0])

    rules = explain_torch(model, TUPLES, names=["a", "b"], targets=["or", "and"], multi_label=True).explain()

    assert rules.multi_label
    assert equivalent(rules["or"].formula, parse_formula("a | b"))
    assert equivalent(rules["and"].formula, parse_formula("a & b"))


def test_each_output_has_relevant_concepts_of_its_own():
    """30 concepts, of which each output reads one; only 12 of them are looked at."""
    weight = np.zeros((2, 30), dtype=np.float32)
    weight[0, 29], weight[1, 3] = 5.0, 5.0
    model = nn.Sequential(nn.Linear(30, 2), nn.ReLU(), nn.Linear(2, 2))
    filled(model, weight.tolist(), [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [-2.0, -2.0])
    X = (np.random.default_rng(0).random((200, 30)) > 0.5).astype(float)

    rules = explain_torch(model, X, multi_label=True).explain()

    assert [str(e.formula) for e in rules.values()] == ["x29", "x3"]


def test_a_pruned_network_is_explained_by_the_concepts_it_reads():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(20, 6), nn.LeakyReLU(), nn.Linear(6, 1))
    keep = prune_inputs(model, max_concepts=4).numpy()
    X = (np.random.default_rng(0).random((300, 20)) > 0.5).astype(float)

    rules = explain_torch(model, X).explain()

    used = {f"x{j}" for j in np.flatnonzero(keep)}
    assert all(set(e.concepts) <= used for e in rules.values())
    assert all(e.scores.fidelity == 1.0 for e in rules.values())


def test_rules_are_no_longer_than_told():
    """Exclusive or takes four literals; two are right about three rows of four."""
    found = [rules_of(xor_network(), TUPLES, max_literals=most) for most in (3, 4, None)]

    assert [rules.literals for rules in found] == [2, 4, 4]
    assert [rules[1].scores.fidelity for rules in found] == [0.75, 1.0, 1.0]
    assert {rules[1].scores.part for rules in found} == {"rows given"}


def test_an_entropy_layer_is_explained_by_its_attention():
    model = nn.Sequential(EntropyLinear(3, 1))
    filled(model, [[-1.0, 9.0, 2.0]], [-4.0])
    prune_inputs(model, max_concepts=1)

    rules = explain_torch(model, all_rows(3), names=["a", "b", "c"]).explain()

    assert str(rules[1].formula) == "b"


def test_an_entropy_layer_with_classes_in_a_sequential():
    """Exclusive or and 100 dummy concepts; the last layer has one output, so there is one for each class."""
    X = np.hstack([TUPLES, np.zeros((4, 100))])
    x, y = torch.tensor(X, dtype=torch.float32), torch.tensor([0, 1, 1, 0])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)  # with others a constant may be kept, too: no row tells; rules do not use it
        model = nn.Sequential(
            EntropyLinear(102, 10, n_classes=2),
            nn.LeakyReLU(),
            nn.Linear(10, 4),
            nn.LeakyReLU(),
            nn.Linear(4, 1),
        )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    for _ in range(300):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).squeeze(-1), y) + 1e-4 * entropy_penalty(model)
        loss.backward()
        optimizer.step()
    keep = prune_inputs(model, tau=0.5)

    rules = explain_torch(model, X, targets=["same", "different"]).explain()

    assert keep.nonzero().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert equivalent(rules["different"].formula, parse_formula("(x0 & ~x1) | (~x0 & x1)"))
    assert rules["different"].scores.fidelity == 1.0


def test_kinds_reach_the_rules():
    rules = explain_psi(xor_network(), TUPLES, kind="only_if")

    assert {str(e.kind) for e in rules.values()} == {"only_if"}


def test_any_names_will_do():
    names = list(HOSTILE_NAMES)[:2]

    rules = explain_psi(xor_network(), TUPLES, names=names)

    assert set(rules[1].concepts) == set(names)


def test_the_model_is_not_changed():
    """Neither its mode, nor its precision, nor its weights; dropout is off while it is asked."""
    model = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5), nn.Linear(3, 1))
    before = copy.deepcopy(model.state_dict())

    first, second = rules_of(model, TUPLES), rules_of(model, TUPLES)

    assert model.training
    assert first.formulas == second.formulas
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert next(model.parameters()).dtype == torch.float32


@pytest.mark.parametrize(
    "X", [TUPLES, torch.from_numpy(TUPLES), torch.from_numpy(TUPLES).half(), all_rows(2)]
)
def test_rows_may_be_arrays_or_tensors(X):
    assert equivalent(explain_psi(xor_network(), X, names=["a", "b"])[1].formula, XOR)


def test_rows_may_carry_their_names():
    rules = explain_torch(xor_relu(), {"a": TUPLES[:, 0], "b": TUPLES[:, 1]}).explain()

    assert rules.concept_names == ("a", "b")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_models_and_rows_on_a_gpu():
    X = torch.from_numpy(TUPLES).float().cuda()

    for explain, model in ((explain_psi, xor_network()), (rules_of, xor_relu())):
        moved = model.cuda()
        assert equivalent(explain(moved, X, names=["a", "b"])[1].formula, XOR)
        assert next(moved.parameters()).is_cuda


def test_a_member_of_stacked_networks_is_explained():
    networks = stack_networks(lambda: nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 1)), range(2))

    assert len(explain_psi(networks.member(0), TUPLES)) == 2


def test_a_wide_neuron_has_to_be_pruned_first():
    with pytest.raises(LimitError, match="Neuron 0 of layer 1 has 20 inputs;"):
        explain_psi(nn.Sequential(nn.Linear(20, 1)), np.zeros((1, 20)))


class Sum(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum(dim=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: explain_torch(Sum(), TUPLES), "Where the outputs of Sum begin to be a yes is not known."),
        (lambda: explain_torch(Sum(), TUPLES, threshold="x"), "threshold must be a finite number."),
        (lambda: explain_torch("model", TUPLES), "A model must be a torch.nn.Module."),
        (lambda: explain_psi(xor_network(), np.zeros((1, 3))), "The model reads 2 concepts."),
        (lambda: explain_psi(xor_network(), np.zeros((0, 2))), "There are no rows to predict."),
        (lambda: explain_psi(xor_network(), TUPLES, targets=["yes"]), "The model has 2 targets."),
        (lambda: explain_psi(xor_network(), TUPLES, targets="yes"), "targets must be a sequence of labels."),
        (
            lambda: explain_torch(nn.Sequential(nn.Linear(2, 3)), TUPLES, targets=["a", "b"]),
            "The model has 3 targets.",
        ),
        (
            lambda: explain_torch(stack_networks(xor_network, range(2)), TUPLES, threshold=0),
            "A model must give one row of outputs for each row of",
        ),
        (
            lambda: explain_psi(filled(nn.Sequential(nn.Linear(2, 1)), [[np.nan, 0.0]], [0.0]), TUPLES),
            "The model has outputs that are not finite.",
        ),
    ],
)
def test_errors_tell_the_fix(call, message):
    with pytest.raises(InputError, match=message):
        call()
