"""What the tests of the reference packages check, asked of this package.

The page ``docs/explanation/reference_checks.md`` lists the checks, and says which are not wanted and why.
Here they have few seeds; ``python -m benchmarks.toy_problems`` has twenty.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from benchmarks.toy_problems import is_right
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn

from logiclens import (
    FALSE,
    TRUE,
    And,
    Formula,
    Not,
    Or,
    TruthTable,
    Var,
    complexity,
    consistency,
    cross_explain,
    equivalent,
    exactly_one,
    explain_example,
    explain_torch,
    explanation_accuracy,
    fidelity,
    implies,
    load,
    parse_formula,
)
from logiclens.bench.experiments import Fold
from logiclens.bench.methods import METHODS
from logiclens.errors import FormulaSyntaxError, InputError
from logiclens.estimators.sequential import explain_psi
from logiclens.nn.criteria import iff_loss
from logiclens.nn.own_models import (
    EntropyLinear,
    StepSigmoid,
    affine_map,
    entropy_penalty,
    l1_penalty,
    prune_fan_in,
    prune_inputs,
    stack_networks,
)
from tests.estimators.toys import CLASSIFIERS
from tests.strategies import all_rows

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

KINDS = list(CLASSIFIERS)
SEEDS = range(2)
PAIRS = all_rows(2).astype(float)
XOR = (PAIRS.sum(axis=1) == 1).astype(int)
OR = (PAIRS.sum(axis=1) > 0).astype(int)
DIFFERENT = parse_formula("(a & ~b) | (~a & b)")
SAME = parse_formula("(a & b) | (~a & ~b)")


def table(X: np.ndarray, names: str = "ab") -> pd.DataFrame:
    """Rows whose concepts are named, in order; further ones are dummies."""
    return pd.DataFrame(X, columns=[*names, *(f"dummy{j}" for j in range(X.shape[1] - len(names)))])


def learned(kind: str, X: pd.DataFrame, y: Any, seed: int = 0) -> Any:
    return CLASSIFIERS[kind](random_state=seed, device="cpu").fit(X, y)


def one(X: pd.DataFrame, **values: int) -> pd.DataFrame:
    """The first row with these values."""
    return X[(X[list(values)] == pd.Series(values)).all(axis=1)].head(1)


# --- classifiers ---


@pytest.mark.parametrize("kind", KINDS)
def test_exclusive_or_with_one_output(kind):
    X = table(PAIRS)
    for seed in SEEDS:
        model = learned(kind, X, XOR, seed)
        rules = model.explain()

        assert model.score(X, XOR) == 1.0
        assert equivalent(rules[1].formula, DIFFERENT)
        assert equivalent(rules[0].formula, SAME)
        assert model.explain_sample(one(X, a=0, b=1)).formula == And(Not(Var("a")), Var("b"))


@pytest.mark.parametrize("kind", KINDS)
def test_exclusive_or_with_two_outputs(kind):
    X = table(PAIRS)
    y = pd.DataFrame({"different": XOR, "same": 1 - XOR})
    for seed in SEEDS:
        model = learned(kind, X, y, seed)

        assert (model.predict(X) == y.to_numpy()).all()
        assert equivalent(model.explain()["different"].formula, DIFFERENT)
        assert equivalent(model.explain()["same"].formula, SAME)
        reason = model.explain_sample(one(X, a=0, b=1), "different")
        assert reason.formula == And(Not(Var("a")), Var("b"))


@pytest.mark.parametrize("kind", KINDS)
def test_exclusive_or_beside_dummies(kind):
    """They are always 0 or always 1, and one row is there three times."""
    X = table(np.column_stack([PAIRS, np.zeros(4), np.ones(4)])[[0, 1, 1, 1, 2, 3]])
    y = XOR[[0, 1, 1, 1, 2, 3]]
    for seed in SEEDS:
        model = learned(kind, X, y, seed)
        rules = model.explain()

        assert equivalent(rules[1].formula, DIFFERENT)
        assert equivalent(rules[0].formula, SAME)
        assert explanation_accuracy(rules, X, y).plain == 1.0
        assert model.explain_sample(one(X, a=0, b=1)).formula == And(Not(Var("a")), Var("b"))


@pytest.mark.parametrize("kind", KINDS)
def test_exclusive_or_beside_a_hundred_dummies(kind):
    X = table(np.column_stack([PAIRS, np.zeros((4, 101))]))
    model = learned(kind, X, XOR)
    rules = model.explain()

    assert equivalent(rules[1].formula, DIFFERENT)
    assert explanation_accuracy(rules, X, XOR).macro_f1 == 1.0
    assert fidelity(rules, X, model.predict(X)).macro_f1 == 1.0
    assert [rules[label].complexity for label in (0, 1)] == [4, 4]
    assert complexity(rules) == 4.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("problem", ["AND", "OR"])
def test_and_and_or(kind, problem):
    assert all(is_right(kind, problem, seed) for seed in SEEDS)


@pytest.mark.parametrize("kind", KINDS)
def test_exclusive_or_beside_a_hundred_random_dummies(kind):
    assert is_right(kind, "XOR, 100 random", 1)


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_of_minus_one_and_one(kind):
    X = table(2 * PAIRS - 1)
    for seed in SEEDS:
        rules = learned(kind, X, XOR, seed).explain()

        assert (rules.predict(X) == XOR).all()
        assert rules[1].complexity == rules[0].complexity == 4


@pytest.mark.parametrize("kind", KINDS)
def test_three_classes(kind):
    """Neither, one, both."""
    X, y = table(PAIRS), PAIRS.sum(axis=1).astype(int)
    for seed in SEEDS:
        rules = learned(kind, X, y, seed).explain()

        assert equivalent(rules[0].formula, parse_formula("~a & ~b"))
        assert equivalent(rules[1].formula, DIFFERENT)
        assert equivalent(rules[2].formula, parse_formula("a & b"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_reason_has_no_needless_literal(kind):
    """Of OR, where only ``b`` is true, they expect ``~a & b``; ``b`` is enough."""
    X = table(np.column_stack([PAIRS, np.zeros((4, 2))]))
    model = learned(kind, X, OR)

    assert equivalent(model.explain()[1].formula, parse_formula("a | b"))
    assert equivalent(model.explain()[0].formula, parse_formula("~a & ~b"))
    assert model.explain_sample(one(X, a=0, b=1)).formula == Var("b")
    assert model.explain_sample(one(X, a=0, b=0)).formula == parse_formula("~a & ~b")


@pytest.mark.parametrize("kind", KINDS)
def test_losses_of_all_epochs(kind):
    model = learned(kind, table(PAIRS), XOR)

    assert len(model.loss_curve_) == model.n_iter_
    assert np.isfinite(model.loss_curve_).all()


def test_uniform_scores():
    """Four scores, of which two decide; a fifth of the rows is not trained on."""
    rows = np.random.default_rng(0).random((100, 4))
    X = table(rows)
    y = (rows[:, 0] > 0.5) ^ (rows[:, 1] > 0.5)
    model = CLASSIFIERS["mu"](encoder=None, random_state=0, device="cpu").fit(X[:80], y[:80])

    assert model.score(X[80:], y[80:]) >= 0.9
    assert equivalent(model.explain()[True].formula, DIFFERENT)
    assert explanation_accuracy(model.explain(), X[80:], y[80:]).plain == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_parity_of_digits(kind):
    """Ten digits, one true in each row, and two dummies. A psi neuron must read as many as are even."""
    digits = [f"digit{j}" for j in range(10)]
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 10, 300)
    X = table(np.column_stack([np.eye(10)[seen], np.zeros((300, 2))]), digits)
    y = np.where(seen % 2, "odd", "even")
    settings = {"fan_in": 5} if kind == "psi" else {}
    model = CLASSIFIERS[kind](**settings, random_state=0, device="cpu").fit(X, y)
    rules, given = model.explain(), exactly_one(digits)
    even = Or(
        *[And(*[Var(each) if each == digit else Not(Var(each)) for each in digits]) for digit in digits[::2]]
    )

    assert model.score(X, y) == 1.0
    assert equivalent(rules["even"].formula, even, given=given)
    assert kind == "psi" or rules["even"].complexity == 5


@pytest.mark.parametrize("n_classes", [1, 3])
def test_iris(n_classes, tmp_path):
    """Measurements of flowers: one class against the others, and all three."""
    data = load_iris(as_frame=True)
    y = data.target_names[data.target] if n_classes == 3 else (data.target == 2).to_numpy()
    model = learned("mu", data.data, y)
    model.save(tmp_path / "model.lens")
    again = load(tmp_path / "model.lens")

    assert model.score(data.data, y) >= 0.9
    assert model.explain().score(data.data, y) >= 0.9
    assert (again.predict(data.data) == model.predict(data.data)).all()
    assert again.explain() == model.explain()


@pytest.mark.parametrize(("method", "y"), [("tree", XOR), ("logistic", (PAIRS @ [-1, 1] > 0).astype(int))])
def test_models_to_compare_with(method, y):
    X, y = np.tile(PAIRS, (10, 1)), np.tile(y, 10)
    fold = Fold(0, ("a", "b"), ("no", "yes"), X, y, X, y)
    (outcome,) = METHODS[method].fit([fold], seed=0)

    assert (outcome.answers == y).all()


# --- networks of your own ---


def trained(model: nn.Module, loss: Callable[[], Tensor], epochs: int = 300, rate: float = 0.02) -> nn.Module:
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for _ in range(epochs):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    return model


@pytest.mark.parametrize("bias", [True, False])
def test_a_relu_network_of_ones_own(bias):
    x, y = torch.tensor(PAIRS).float(), torch.tensor(XOR)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(2, 20, bias=bias),
        nn.ReLU(),
        nn.Linear(20, 8, bias=bias),
        nn.ReLU(),
        nn.Linear(8, 2, bias=bias),
    )
    trained(model, lambda: nn.functional.cross_entropy(model(x), y))
    weight, shift = affine_map(model, x)
    explained = explain_torch(model, x, ["a", "b"])

    assert torch.allclose((weight * x).sum(dim=-1) + shift, model(x).T, atol=1e-5)
    assert equivalent(explained.explain()[1].formula, DIFFERENT)
    assert equivalent(explained.explain_sample([1, 1]).formula, parse_formula("a & b"))


@pytest.mark.parametrize("hidden", [(4,), (10, 5)])
def test_a_psi_network_of_ones_own(hidden):
    """Linear layers, sigmoids between them, and two inputs to each neuron."""
    x, y = torch.tensor(PAIRS).float(), torch.tensor(XOR).float()
    sizes = [2, *hidden, 1]

    def make() -> nn.Module:
        layers = [nn.Linear(sizes[0], sizes[1])]
        for before, after in pairwise(sizes[1:]):
            layers += [StepSigmoid(), nn.Linear(before, after)]
        return nn.Sequential(*layers)

    networks = stack_networks(make, seeds=range(20))
    optimizer = torch.optim.AdamW(networks.parameters(), lr=0.1)
    for epoch in range(200):
        if epoch == 100:
            prune_fan_in(networks, 2)
        for part in networks.modules():
            if isinstance(part, StepSigmoid):
                part.anneal(max(0.0, epoch - 100) / 100)
        optimizer.zero_grad()
        losses = iff_loss(networks(x).squeeze(-1), y, 1 - y)
        (losses.sum() + 1e-4 * l1_penalty(networks)).backward()
        optimizer.step()
    rules = explain_psi(networks.member(int(losses.argmin())), x, names=["a", "b"])

    assert equivalent(rules[1].formula, DIFFERENT)
    assert equivalent(rules[0].formula, SAME)
    assert rules[1].complexity == 4
    assert explanation_accuracy(rules, table(PAIRS), XOR).plain == 1.0
    assert consistency([rules]).plain == 1.0


@pytest.mark.parametrize(("shift", "found"), [(0.0, "FALSE"), (0.1, "d | ~b")])
def test_given_weights(shift, found):
    """With exactly these weights two neurons are at 0.5 on some rows, which they take for a yes."""
    weights = [[1.0, 0, 2, 0, 0], [1, 0, 3, 0, 0], [0, 1, 0, -1, 0]], [[-1.0, 0, -2]]
    biases = [1.0, 0, -1 + shift], [1 + shift]
    model = nn.Sequential(nn.Linear(5, 3), nn.Sigmoid(), nn.Linear(3, 1), nn.Sigmoid())
    with torch.no_grad():
        for layer, weight, bias in zip((model[0], model[2]), weights, biases, strict=True):
            layer.weight.copy_(torch.tensor(weight))
            layer.bias.copy_(torch.tensor(bias))
    rules = explain_psi(model, all_rows(5).astype(float), names=list("abcde"))

    assert equivalent(rules[1].formula, FALSE if found == "FALSE" else parse_formula(found))


def test_scores_are_between_zero_and_one():
    model = nn.Sequential(nn.Linear(1, 4), nn.Sigmoid(), nn.Linear(4, 1), nn.Sigmoid())
    x = torch.arange(0, 1, step=0.1)[:, None]

    assert len(explain_psi(model, x)) == 2
    with pytest.raises(InputError, match=r"outside \[0, 1\]"):
        explain_psi(model, x + 0.5)


def entropy_network(x: Tensor, n_classes: int, temperature: float = 0.7) -> nn.Module:
    return nn.Sequential(
        EntropyLinear(x.shape[1], 10, n_classes=n_classes, temperature=temperature),
        nn.LeakyReLU(),
        nn.Linear(10, 10),
        nn.LeakyReLU(),
        nn.Linear(10, 1),
    )


@pytest.mark.parametrize("n_dummies", [0, 1])
def test_an_entropy_network_of_ones_own(n_dummies):
    x = torch.cat([torch.tensor(PAIRS), torch.zeros(4, n_dummies)], dim=1).float()
    for seed in SEEDS:
        torch.manual_seed(seed)
        model = entropy_network(x, 2)
        trained(
            model,
            lambda model=model: (
                nn.functional.cross_entropy(model(x).squeeze(-1), torch.tensor(XOR))
                + 1e-4 * entropy_penalty(model)
            ),
        )
        prune_inputs(model, tau=0.5)
        rules = explain_torch(model, table(x.numpy())).explain()

        assert equivalent(rules[1].formula, DIFFERENT)
        assert equivalent(rules[0].formula, SAME)
        assert explanation_accuracy(rules, table(x.numpy()), XOR).plain == 1.0


def test_an_entropy_network_of_three_classes():
    """Four rows of four concepts; each output has a sigmoid of its own."""
    x = torch.tensor([[0, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]).float()
    y = torch.tensor([0, 1, 1, 2])
    torch.manual_seed(0)
    model = nn.Sequential(entropy_network(x, 3), nn.Flatten(), nn.Sigmoid())
    trained(
        model,
        lambda: nn.functional.binary_cross_entropy(model(x), torch.eye(3)[y]) + 1e-4 * entropy_penalty(model),
    )
    rules = explain_torch(model, x, list("abcd")).explain()

    assert (rules.predict(table(x.numpy(), "abcd")) == y.numpy()).all()
    assert not {TRUE, FALSE} & {rule.formula for rule in rules.values()}


def test_four_outputs_and_rows_held_out():
    """Some rows are equal and have other labels; formulas are scored on rows that were not trained on."""
    rows = [
        "0000",
        "0100",
        "1000",
        "1000",
        "1000",
        "1100",
        "0000",
        "0001",
        "1100",
        "0000",
        "0101",
        "0000",
        "0101",
    ]
    x = torch.tensor([[int(bit) for bit in row] for row in [*rows, "0010", "0011"]]).float()
    exclusive, bright = x[:, 0] != x[:, 1], (x[:, 2:].sum(dim=1) > 0) | (torch.arange(15) == 7)
    y = torch.stack([exclusive, ~exclusive, bright, ~bright], dim=1).float()
    y[10] = torch.tensor([0.0, 1, 1, 0])
    train = torch.tensor([0, 1, 2, 5, 6, 7, 13, 14])
    test = torch.tensor([each for each in range(15) if each not in train.tolist()])
    names = ["different", "same", "bright", "dark"]
    torch.manual_seed(0)
    model = entropy_network(x, 4, temperature=0.3)
    trained(
        model,
        lambda: (
            nn.functional.binary_cross_entropy_with_logits(model(x[train]).squeeze(-1), y[train])
            + 1e-4 * entropy_penalty(model)
        ),
    )
    rules = explain_torch(model, table(x[train].numpy(), "abcd"), targets=names, multi_label=True).explain()
    scored = explanation_accuracy(
        rules, table(x[test].numpy(), "abcd"), pd.DataFrame(y[test].numpy(), columns=names).astype(bool)
    )

    assert equivalent(rules["same"].formula, ~rules["different"].formula, given=parse_formula("~c & ~d"))
    assert equivalent(rules["dark"].formula, ~rules["bright"].formula, given=parse_formula("~a | ~c"))
    assert scored.plain >= 0.75


def test_rows_that_see_one_another_are_refused():
    """A node of a graph is no row of concepts: its answer depends on its neighbors."""

    class Graph(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = EntropyLinear(2, 4), nn.Linear(4, 1)

        def forward(self, x: Tensor) -> Tensor:
            return self.last(torch.relu(self.first(x + x.mean(dim=0))))

    with pytest.raises(InputError, match="look at other rows"):
        explain_torch(Graph(), PAIRS)


# --- formulas and scores ---


@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        ("~a | ~b", [True, True, True, False]),
        ("a & b", [False, False, False, True]),
        ("(~a & ~b) | (a & b)", [True, False, False, True]),
        ("(a & ~b) | (~a & b)", [False, True, True, False]),
        ("~a & ~b", [True, False, False, False]),
        ("~a & b", [False, True, False, False]),
    ],
)
def test_a_formula_is_true_where_it_says(formula, truth):
    """Whatever the class that it is scored for."""
    parsed, X = parse_formula(formula), table(PAIRS)[["a", "b"]]
    order = np.lexsort((X["b"], X["a"]))
    scored = explanation_accuracy({0: ~parsed, 1: parsed}, X.iloc[order], np.array(truth).astype(int))

    assert parsed.evaluate(X.iloc[order]).tolist() == truth
    assert scored.by_target[0].plain == scored.by_target[1].plain == 1.0


def test_a_bracket_that_was_never_opened_is_refused():
    with pytest.raises(FormulaSyntaxError):
        parse_formula("~a | ~b)")


def test_no_rule_can_be_evaluated():
    assert not FALSE.evaluate(table(PAIRS)).any()
    assert parse_formula("a & b").evaluate(table(PAIRS)).sum() == 1


@pytest.mark.parametrize(("y", "row", "short"), [([0, 1, 1, 1], 0, "~a & ~b"), ([0, 2, 1, 1], 1, "~a & b")])
def test_a_reason_is_shortened_on_the_rows(y, row, short):
    """To what is true of the same rows."""
    X = np.array([[0, 0, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]])
    whole = And(*[Var(name) if value else Not(Var(name)) for name, value in zip("abcd", X[row], strict=True)])
    truth = TruthTable.from_data(X, np.array(y) == y[row], names=list("abcd"))
    reason = explain_example(X[row], truth, "yes").formula

    assert reason == parse_formula(short)
    assert implies(whole, reason)
    assert (reason.evaluate(table(X, "abcd")) == whole.evaluate(table(X, "abcd"))).all()


def test_a_reason_against_the_data_says_so():
    """The row is of another class than the one that is asked about."""
    X = np.array([[0, 0, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]])
    truth = TruthTable.from_data(X, [0, 1, 0, 0], names=list("abcd"))
    reason = explain_example(X[0], truth, "yes")

    assert reason.formula.evaluate(table(X, "abcd")).tolist()[0]
    assert "no" in reason.status
    assert reason.scores is not None
    assert reason.scores.fidelity < 1.0


def test_consistency_over_folds():
    X = table(np.tile(PAIRS, (20, 1)))
    scores = cross_explain(CLASSIFIERS["mu"](random_state=0, device="cpu"), X, np.tile(XOR, 20), cv=5)
    formulas: list[dict[int, Formula]] = [{1: DIFFERENT}] * 5

    assert consistency(formulas).plain == 1.0
    assert (scores["explanation_accuracy"] == 1.0).all()
    assert (scores["complexity"] == 4).all()
