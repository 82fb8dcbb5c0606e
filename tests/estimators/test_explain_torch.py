"""A user's own module, explained: by affine maps where it is piecewise linear, by perturbation otherwise."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from logiclens import explain_torch
from logiclens.errors import InputError
from logiclens.explain import RuleKind, Scope
from logiclens.logic import Var, equivalent, parse_formula
from logiclens.logic.normal_form import conjuncts
from logiclens.nn.own_models import EntropyLinear, StepSigmoid, affine_map, prune_inputs, stack_networks
from logiclens.nn.piecewise_linear import trace_model
from tests.strategies import all_rows

AFFINE, PERTURBATION = "affine maps", "perturbation"


def seeded(make: Callable[[], nn.Module], seed: int = 0) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make()
        for part in model.modules():  # as if it had been trained
            if isinstance(part, nn.BatchNorm1d):
                part.running_mean.normal_()
                part.running_var.uniform_(0.5, 2.0)
                nn.init.normal_(part.weight)
            elif isinstance(part, nn.Linear):
                nn.init.normal_(part.weight)
    return model


class Residual(nn.Module):
    """As most people write a network: layers in ``__init__``, functions in ``forward``."""

    def __init__(self, width: int = 5, outputs: int = 1) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, 8), nn.Linear(8, 8)
        self.norm, self.drop, self.last = nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = F.leaky_relu(self.norm(self.first(x.view(x.size(0), -1))), 0.1)
        h = h + F.relu(self.second(self.drop(h))) * 0.5
        return self.last(F.dropout(h, 0.5, training=self.training))


class Twisted(nn.Module):
    """Not piecewise linear: the inputs are multiplied with each other."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, 0] * x[:, 1] + x[:, 2] - 0.5


class Branching(nn.Module):
    """Cannot be traced: what it does depends on the values."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, 0] - 0.5 if x.sum() > -1 else x[:, 1]


PIECEWISE_LINEAR = {
    "linear": lambda: nn.Sequential(nn.Linear(5, 1)),
    "ReLU": lambda: nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 1)),
    "LeakyReLU": lambda: nn.Sequential(nn.Linear(5, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1), nn.Sigmoid()),
    "PReLU, ReLU6": lambda: nn.Sequential(
        nn.Linear(5, 6), nn.PReLU(), nn.Linear(6, 6), nn.ReLU6(), nn.Linear(6, 1)
    ),
    "BatchNorm": lambda: nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1)),
    "Dropout": lambda: nn.Sequential(nn.Dropout(), nn.Linear(5, 6), nn.ReLU(), nn.Dropout(), nn.Linear(6, 1)),
    "nested": lambda: nn.Sequential(
        nn.Flatten(), nn.Sequential(nn.Linear(5, 6), nn.ReLU()), nn.Identity(), nn.Linear(6, 1), nn.Flatten(0)
    ),
    "a class": Residual,
    "entropy": lambda: nn.Sequential(EntropyLinear(5, 6), nn.LeakyReLU(), nn.Linear(6, 1)),
}
OTHERS = {
    "tanh": (
        lambda: nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 1)),
        "Tanh is not known to be piecewise linear",
    ),
    "sigmoid": (
        lambda: nn.Sequential(nn.Linear(5, 6), nn.Sigmoid(), nn.Linear(6, 1)),
        "Sigmoid is not known to be piecewise linear",
    ),
    "gelu": (
        lambda: nn.Sequential(nn.Linear(5, 6), nn.GELU(), nn.Linear(6, 1)),
        "GELU is not known to be piecewise linear",
    ),
    "norm": (
        lambda: nn.Sequential(nn.Linear(5, 6), nn.LayerNorm(6), nn.Linear(6, 1)),
        "LayerNorm is not known to be piecewise linear",
    ),
    "product": (Twisted, "mul is not known to be piecewise linear"),
    "branches": (Branching, "its forward cannot be traced (TraceError)"),
    "steps": (
        lambda: nn.Sequential(nn.Linear(5, 3), StepSigmoid(), nn.Linear(3, 1)),
        "sigmoid is not known to be piecewise linear",
    ),
}


def settings_of(model: nn.Module) -> dict[str, str]:
    return {} if trace_model(model).ends else {"outputs": "logits"}


# --- which route ---


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_piecewise_linear_models_are_recognized(name):
    model = seeded(PIECEWISE_LINEAR[name])

    explained = explain_torch(model, all_rows(5), **settings_of(model))

    assert (explained.route, explained.obstacle) == (AFFINE, "")
    assert "explained by affine maps: 5 concepts, 2 targets, 32 rows" in str(explained)


@pytest.mark.parametrize("name", OTHERS)
def test_of_others_it_is_said_why_not(name):
    make, why = OTHERS[name]
    model = seeded(make)

    explained = explain_torch(model, all_rows(5), **settings_of(model))

    assert (explained.route, explained.obstacle) == (PERTURBATION, why)
    assert f"explained by perturbation ({why})" in str(explained)
    with pytest.raises(InputError, match="is not known to be an affine map at each row"):
        affine_map(model, torch.zeros(1, 5))


class ByName(nn.Module):
    """The functions are called with their arguments by name."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(5, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(input=torch.flatten(input=torch.sum(input=self.first(x), dim=1)))


class InPlace(nn.Module):
    """Its inputs are changed in place."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(5, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x -= 0.5
        return self.first(x)


@pytest.mark.parametrize(
    "make", [ByName, InPlace, lambda: nn.Sequential(nn.ReLU(inplace=True), nn.Linear(5, 1))]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rows_stay_as_they_are_whatever_a_model_does_with_them(make, dtype):
    model, x = seeded(make).to(dtype), torch.from_numpy(all_rows(5).astype(float))

    explained = explain_torch(model, x)

    assert explained.route == AFFINE
    assert np.array_equal(x.numpy(), all_rows(5))
    assert np.array_equal(explained.x, all_rows(5))


def test_a_forward_that_stores_something_stores_tensors():
    class Storing(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.hidden, self.calls = super().forward(x), self.calls + 1
            self.mean = self.hidden.mean()
            return self.hidden

    model = Storing(2, 1)
    model.calls, model.hidden = 0, None
    model.register_buffer("mean", torch.zeros(()))
    before = copy.deepcopy(vars(model))
    trace_model(model)

    assert (model.calls, model.hidden, model.training) == (0, None, True)
    assert vars(model).keys() == before.keys()
    assert torch.equal(model.mean, torch.zeros(()))


def test_normalization_by_the_rows_beside_is_no_affine_map():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3, track_running_stats=False), nn.Linear(3, 1))

    assert trace_model(model).obstacle == "BatchNorm1d is not known to be piecewise linear"


def test_subclasses_and_hooks_are_not_trusted():
    class Odd(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x) ** 2

    hooked = nn.Linear(2, 1)
    hooked.register_forward_hook(lambda *call: call[2] ** 2)

    assert trace_model(nn.Sequential(Odd(2, 1))).obstacle == "pow is not known to be piecewise linear"
    assert trace_model(nn.Sequential(hooked)).obstacle == "hooks may change what its layers do"


# --- the affine map ---


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_the_affine_map_is_the_model_around_the_row(name):
    """At the row, and at points next to it, in the same linear piece."""
    model = seeded(PIECEWISE_LINEAR[name]).double().eval()
    x = torch.rand(20, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    step = 1e-7 * torch.randn(20, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    inner = model[:-1] if isinstance(model, nn.Sequential) and isinstance(model[-1], nn.Sigmoid) else model

    weight, bias = affine_map(model, x)

    for rows in (x, x + step):
        expected = inner(rows).reshape(20)
        assert torch.allclose((weight[0] * rows).sum(dim=1) + bias[0], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", [*PIECEWISE_LINEAR, *OTHERS])
def test_relevance_is_how_far_the_score_falls(name):
    """By hand: one concept flipped after the other; by affine maps, the same within the linear piece."""
    model = seeded(PIECEWISE_LINEAR[name] if name in PIECEWISE_LINEAR else OTHERS[name][0]).double().eval()
    x = all_rows(5).astype(float)
    explained = explain_torch(model, x, **settings_of(model))
    logits = trace_model(model).logits or model

    def score(rows: np.ndarray) -> np.ndarray:
        return logits(torch.from_numpy(rows)).detach().numpy().reshape(len(rows))

    found = explained.relevance(x)

    assert found.shape == (2, 32, 5)
    assert np.allclose(found[0], -found[1])
    signs = np.where(x > 0.5, 1.0, -1.0)
    for j in range(5):
        moved = x.copy()
        if explained.route == AFFINE:  # a small step within the piece stands for the flip
            moved[:, j] -= 1e-6 * signs[:, j]
            assert np.allclose((score(x) - score(moved)) / 1e-6, found[1, :, j], rtol=1e-3, atol=1e-6)
        else:
            moved[:, j] = 1.0 - moved[:, j]
            assert np.allclose(score(x) - score(moved), found[1, :, j])


def test_only_the_largest_output_counts_by_its_lead():
    model = nn.Sequential(nn.Linear(3, 3), nn.Softmax(dim=1)).double()
    with torch.no_grad():
        model[0].weight.copy_(torch.diag(torch.tensor([3.0, 2.0, 1.0])))
        model[0].bias.zero_()

    found = explain_torch(model, all_rows(3)).relevance([[1, 1, 0]])

    assert found[:, 0].round(6).tolist() == [[3, -2, 0], [-3, 2, 0], [-3, 0, -1]]


# --- explanations ---


def check_example(explained, row, x, answers):
    """What an explanation of one row promises, by brute force over the rows."""
    why = explained.explain_sample(row)
    at = explained.labels.index(why.target)
    covered = why.evaluate(x, names=explained.concept_names)
    own = why.evaluate(row[None], names=explained.concept_names)[0]
    same = (x == row).all(axis=1)
    assert own
    assert answers[same, at].all()
    assert answers[covered, at].all()
    assert why.scores.fidelity == 1.0
    assert why.scores.coverage == covered.mean()
    for literal in conjuncts(why.formula) if why.complexity > 1 else []:
        rest = [each for each in conjuncts(why.formula) if each != literal]
        wider = np.all([each.evaluate(x, explained.concept_names) for each in rest], axis=0)
        assert not answers[wider, at].all()
    assert why.scope is Scope.EXAMPLE
    assert why.kind is RuleKind.ONLY_IF
    return why


@pytest.mark.parametrize("name", [*PIECEWISE_LINEAR, *OTHERS])
def test_every_row_of_a_small_network(name):
    model = seeded(PIECEWISE_LINEAR[name] if name in PIECEWISE_LINEAR else OTHERS[name][0], seed=3)
    x = all_rows(5).astype(float)
    explained = explain_torch(model, x, **settings_of(model))
    said = model.eval()(torch.from_numpy(x).float()).detach().numpy().reshape(32)
    answers = said > (0.5 if trace_model(model).ends == "probabilities" else 0.0)
    both = np.column_stack([~answers, answers])

    assert (explained.answers == both).all()
    for row in x:
        check_example(explained, row, x, both)


@given(seed=st.integers(0, 9999), tanh=st.booleans(), n_rows=st.integers(1, 40))
def test_rows_of_random_networks(seed, tanh, n_rows):
    rng = np.random.default_rng(seed)
    model = seeded(
        lambda: nn.Sequential(nn.Linear(6, 5), nn.Tanh() if tanh else nn.ReLU(), nn.Linear(5, 3)), seed
    )
    x = (rng.random((n_rows, 6)) > 0.5).astype(float)
    explained = explain_torch(model, x, targets=["u", "v", "w"])
    best = model(torch.from_numpy(x).float()).argmax(dim=1).numpy()

    assert explained.predict(x).tolist() == [["u", "v", "w"][at] for at in best]
    check_example(explained, x[0], x, best[:, None] == np.arange(3))


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh])
def test_a_trained_network_gives_back_what_it_learned(activation):
    rng = np.random.default_rng(0)
    x = (rng.random((400, 12)) > 0.5).astype(float)
    y = (x[:, 0] * x[:, 1] + x[:, 2] * (1 - x[:, 3]) > 0).astype(np.float32)
    model = seeded(
        lambda: nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), activation(), nn.Linear(32, 1))
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(150):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(
            model(torch.from_numpy(x).float())[:, 0], torch.from_numpy(y)
        )
        loss.backward()
        optimizer.step()
    planted = parse_formula("(x0 & x1) | (x2 & ~x3)")

    explained = explain_torch(model, x)

    assert equivalent(explained.explain()[1].formula, planted)
    assert explained.explain()[1].scores.fidelity == 1.0
    assert explained.explain()[1].scope is Scope.CLASS
    both = x[(x[:, 0] > 0) & (x[:, 1] > 0) & (x[:, 3] > 0)]
    assert equivalent(explained.explain_set(both, 1).formula, Var("x0") & Var("x1"))
    one = explained.explain_sample(x[y > 0][0])
    assert set(one.concepts) <= {"x0", "x1", "x2", "x3"}
    assert one.status.endswith(f"what matters by {explained.route}")
    assert explained.explain(literals=2).literals <= 2


def test_several_targets_of_a_row():
    model = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid())
    with torch.no_grad():
        model[0].weight.fill_(9.0)
        model[0].bias.copy_(torch.tensor([-5.0, -14.0]))
    explained = explain_torch(model, all_rows(2), ["a", "b"], targets=["or", "and"], multi_label=True)

    assert str(explained.explain_sample([1, 1], "and")) == 'forall x: (a(x) & b(x)) -> "and"(x)'
    assert explained.explain_sample([1, 0]).formula == Var("a")
    assert explained.predict([[1, 1], [0, 1]]).tolist() == [[1, 1], [1, 0]]
    with pytest.raises(InputError, match="The network says yes to 2 targets about this row"):
        explained.explain_sample([1, 1])


@pytest.mark.parametrize("shape", [lambda out: out, lambda out: out[:, 0], lambda out: out[:, :, None]])
@pytest.mark.parametrize("probabilities", [False, True])
def test_outputs_of_all_shapes(shape, probabilities):
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out = self.layer(x)
            return shape(torch.sigmoid(out) if probabilities else out)

    model = Model()
    with torch.no_grad():
        model.layer.weight.copy_(torch.tensor([[4.0, -4.0]]))
        model.layer.bias.fill_(-2.0)
    stated = {"outputs": "probabilities" if probabilities else "logits"}

    for settings in (stated, {"outputs": "auto"}):
        if settings["outputs"] == "auto" and not trace_model(model).ends:
            continue
        explained = explain_torch(model, all_rows(2), ["a", "b"], **settings)
        assert str(explained.explain()[1].formula) == "a & ~b"
        assert explained.route == AFFINE


def test_one_class_of_a_softmax_is_not_its_logit():
    class Second(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.softmax(torch.stack([x[:, 0] * 2, x[:, 1] + 0.5], dim=1), dim=1)[:, 1]

    explained = explain_torch(Second(), all_rows(2), ["a", "b"], outputs="probabilities")

    assert (explained.route, explained.obstacle) == (
        PERTURBATION,
        "softmax is not known to be piecewise linear",
    )
    assert str(explained.explain()[1].formula) == "~a"
    assert np.allclose(explained.relevance([[0, 1]])[1, 0], [2, 1])


def test_a_threshold_of_ones_own():
    model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
    with torch.no_grad():
        model[0].weight.fill_(1.0)
        model[0].bias.fill_(-1.0)  # 0.27, 0.5 and 0.73

    found = {
        at: str(explain_torch(model, all_rows(2), threshold=at).explain()[1].formula) for at in (0.4, 0.6)
    }

    assert found == {0.4: "x0 | x1", 0.6: "x0 & x1"}


def test_rows_by_name_and_one_by_one():
    model = nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, -1.0]]))
        model.bias.fill_(-0.5)
    frame = pd.DataFrame(all_rows(2), columns=["a", "b"]).astype(float)
    explained = explain_torch(model, frame)
    forms = [frame.iloc[[1]], frame[["b", "a"]].iloc[[1]], {"a": [1], "b": [0]}, [1, 0], [[1, 0]]]
    forms += [np.array([1, 0]), torch.tensor([1.0, 0.0]), torch.tensor([[1, 0]])]

    assert {str(explained.explain_sample(row)) for row in forms} == {"forall x: (a(x) & ~b(x)) -> 1(x)"}


def test_a_pruned_model_is_explained_by_what_it_reads():
    model = seeded(lambda: nn.Sequential(nn.Linear(30, 6), nn.LeakyReLU(), nn.Linear(6, 1)))
    keep = prune_inputs(model, max_concepts=4).numpy()
    x = (np.random.default_rng(0).random((200, 30)) > 0.5).astype(float)
    explained = explain_torch(model, x)

    used = {f"x{j}" for j in np.flatnonzero(keep)}
    assert set(explained.explain()[1].concepts) <= used
    assert all(set(explained.explain_sample(row).concepts) <= used for row in x[:20])


# --- the model stays as it is ---


@pytest.mark.parametrize("name", ["a class", "BatchNorm", "tanh"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_nothing_about_the_model_changes(name, dtype):
    model = seeded(PIECEWISE_LINEAR[name] if name in PIECEWISE_LINEAR else OTHERS[name][0]).to(dtype).train()
    next(iter(model.children())).eval()  # a part that its owner froze
    modes = [part.training for part in model.modules()]
    before = copy.deepcopy(model.state_dict())
    x = all_rows(5)

    explained = explain_torch(model, x, **settings_of(model))
    explained.explain_sample(x[0])
    explained.explain_set(x[explained.answers[:, 0]][:3], 0)
    explained.relevance(x)

    assert [part.training for part in model.modules()] == modes
    assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
    assert all(each.grad is None and each.requires_grad for each in model.parameters())
    assert {each.dtype for each in model.parameters()} == {dtype}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_model_on_a_gpu():
    for name in ("a class", "tanh"):
        model = seeded(PIECEWISE_LINEAR[name] if name in PIECEWISE_LINEAR else OTHERS[name][0])
        on_cpu = explain_torch(model, all_rows(5))
        on_gpu = explain_torch(model.cuda(), all_rows(5))

        assert on_gpu.explain() == on_cpu.explain()
        assert on_gpu.explain_sample([1, 0, 1, 0, 1]).rule == on_cpu.explain_sample([1, 0, 1, 0, 1]).rule
        assert next(model.parameters()).is_cuda


# --- bad input ---


def random_model() -> nn.Module:
    class Random(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.dropout(x.sum(dim=1) * 9 + 1)  # training=True is its default

    return Random()


class Verdict(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] != 2:
            raise KeyError
        return x[:, :2] > 0.5


EXPLAINED = explain_torch(seeded(PIECEWISE_LINEAR["ReLU"]), all_rows(5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: explain_torch("model", all_rows(2)), "A model must be a torch.nn.Module."),
        (
            lambda: explain_torch(Twisted(), all_rows(3)),
            "Where the outputs of Twisted begin to be a yes is not",
        ),
        (
            lambda: explain_torch(Twisted(), all_rows(3), outputs="scores"),
            "outputs must be 'auto', 'logits' or",
        ),
        (
            lambda: explain_torch(nn.Sigmoid(), all_rows(1), outputs="logits"),
            "The model ends in a sigmoid or softmax",
        ),
        (lambda: explain_torch(nn.Linear(3, 1), all_rows(2)), "The model reads 3 concepts. Got 2 columns;"),
        (
            lambda: explain_torch(Residual(), all_rows(2)),
            "The model Residual cannot read 4 rows of shape (2,): mat1",
        ),
        (
            lambda: explain_torch(random_model(), np.ones((99, 5)), outputs="logits"),
            "The model Random answers the same row",
        ),
        (
            lambda: explain_torch(
                nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4, track_running_stats=False), nn.Linear(4, 1)),
                all_rows(5),
            ),
            "The model Sequential answers the same row differently when it is asked again.",
        ),
        (
            lambda: explain_torch(stack_networks(lambda: nn.Linear(2, 1), range(3)), all_rows(2)),
            "A model must give one row of outputs for each row of concepts. Got shape (3, 4, 1);",
        ),
        (lambda: explain_torch(Verdict(), all_rows(3)), "cannot read 8 rows of shape (3,): KeyError."),
        (lambda: explain_torch(Verdict(), all_rows(2)), "The model's outputs are True and False. Return the"),
        (lambda: explain_torch(nn.Linear(2, 1), [[0.2, 3.0]]), "outside [0, 1]"),
        (lambda: explain_torch(nn.Linear(2, 1), np.zeros((0, 2))), "There are no rows to predict."),
        (
            lambda: explain_torch(nn.Linear(2, 3), all_rows(2), targets=["a"]),
            "The model has 3 targets. Got 1 label",
        ),
        (lambda: EXPLAINED.explain_sample(all_rows(5)), "explain_sample explains one row. Got 32 rows"),
        (lambda: EXPLAINED.explain_sample(all_rows(5)[0], "no"), "Unknown"),
        (lambda: EXPLAINED.explain_set(all_rows(5)[:0], 1), "There are no rows to explain."),
    ],
)
def test_bad_input_gets_one_clear_line(call, message):
    with pytest.raises(InputError) as info:
        call()

    assert str(info.value).isprintable()
    assert message in str(info.value)
