"""Priors: honoured where data are few, reported where data speak against them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens.concepts.table import Table
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError
from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.folds import RowSplit
from logiclens.estimators.inputs_and_targets import learn_inputs, read_targets
from logiclens.estimators.priors import PriorReport, Priors
from logiclens.logic import Var, equivalent, parse_formula

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

TRUE_PRIORS = ["c2 -> death", "c0 & c1 -> death"]


def patients(n_rows: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Six concepts; death where ``(c0 & c1) | c2``."""
    X = np.random.default_rng(seed).random((n_rows, 6)) < 0.5
    y = np.where((X[:, 0] & X[:, 1]) | X[:, 2], "death", "recovery")
    return {f"c{j}": X[:, j] for j in range(6)}, y


FEW, FEW_Y = patients(12, 0)
MANY, MANY_Y = patients(500, 99)


def mu(**settings) -> MuClassifier:
    return MuClassifier(random_state=0, **settings)


def ready(priors, X, y) -> Priors:
    """Priors as ``fit`` makes them."""
    targets = read_targets(y, Table(X).n_rows)
    return Priors(priors, Table(X), learn_inputs(X, "auto", targets), targets)


def told_by(known: Priors, weight) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Concepts, outputs and weights of what is told."""
    weight = np.asarray(weight, dtype=float)
    task = known.join(RowSplit(weight, 0 * weight), weight, 1.0, 0)
    return tuple(part[len(weight) :] for part in (task.x, task.targets.outputs, task.fold.train))


def test_true_priors_make_up_for_missing_data():
    """Twelve rows: the priors lift rules and network on rows that were never seen."""
    without = []
    for seed in range(3):
        X, y = patients(12, seed)
        plain, told = mu().fit(X, y), mu().fit(X, y, priors=TRUE_PRIORS)
        without.append(plain.explain().score(MANY, MANY_Y))
        assert told.score(MANY, MANY_Y) >= plain.score(MANY, MANY_Y)
        assert told.explain().score(MANY, MANY_Y) == 1.0
        assert equivalent(told.explain()["death"].formula, parse_formula("(c0 & c1) | c2"))

    assert np.mean(without) < 0.95


@pytest.mark.parametrize("kind", [MuClassifier, PsiClassifier, ReluClassifier, EntropyClassifier])
def test_every_network_honours_them(kind):
    told = kind(random_state=0).fit(FEW, FEW_Y, priors=TRUE_PRIORS)

    assert told.explain().score(MANY, MANY_Y) >= 0.97
    for report in told.prior_reports_:
        assert not report.violated
        assert (report.network, report.rules, report.fresh) == (1.0, 1.0, 1.0)


def test_a_false_prior_is_reported():
    told = mu().fit(*patients(200, 1), priors="c3 -> death")
    X, y = patients(200, 1)
    (report,) = told.prior_reports_

    assert report.violated
    assert report.data == pytest.approx(1 - np.mean(X["c3"] & (y != "death")))
    assert report.prior == parse_formula("c3 -> death")
    assert str(report).startswith("~c3 | death: violated by the labels of ")


def test_a_weight_of_nothing_changes_nothing():
    plain, told = mu().fit(FEW, FEW_Y), mu().fit(FEW, FEW_Y, priors="c3 -> death", prior_weight=0)

    assert str(plain.explain()) == str(told.explain())
    assert (plain.predict_proba(MANY) == told.predict_proba(MANY)).all()


def test_scores_and_tables_are_those_of_the_data_alone():
    told = mu().fit(FEW, FEW_Y, priors=TRUE_PRIORS)
    rule = told.explain()["death"]

    assert rule.scores.n_rows == 12
    assert rule.support == (told.predict(FEW) == "death").sum()
    assert told.seen_.table().total == 12


def test_without_priors_nothing_is_reported():
    assert mu().fit(FEW, FEW_Y).prior_reports_ == ()


def test_conditions_on_raw_columns():
    """A prior may name a cut point that the encoder never thought of."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 90, 40), "ward": rng.choice(["A", "B"], 40)})
    y = np.where(frame["age"] > 60, "ill", "well")
    told = mu().fit(frame, y, priors=['"age > 75" -> ill', '"age <= 25" -> well', '"ward = B" -> ill'])

    assert [report.data for report in told.prior_reports_[:2]] == [1.0, 1.0]
    assert told.prior_reports_[2].data == pytest.approx(1 - np.mean((frame["ward"] == "B") & (y == "well")))
    assert told.prior_reports_[0].network == 1.0


CONDITIONS = {
    "age > 40": [False, False, True, True, False],
    "age >= 40": [False, True, True, True, False],
    "age < 40": [True, False, False, False, False],
    "age <= 40": [True, True, False, False, False],
    "age = 40": [False, True, False, False, False],
    "age != 40": [True, False, True, True, False],
    "age = 41": [False] * 5,
    "40 < age <= 60": [False, False, True, False, False],
    "40 <= age < 60": [False, True, False, False, False],
    "40 <= age <= 40": [False, True, False, False, False],
    "ward = A": [True, False, True, False, False],
    "ward != A": [False, True, False, True, False],
    "ward = a = b": [False, True, False, False, False],
    "a > b > 0": [True, False, True, False, False],
    "1 < a > b <= 2": [False, False, True, False, False],
    "code = 7": [True, False, False, True, False],
}


@pytest.mark.parametrize(("name", "expected"), CONDITIONS.items())
def test_what_a_condition_means(name, expected):
    """Of a row without a value none is true; names and values may hold signs."""
    frame = pd.DataFrame(
        {
            "age": [20, 40, 60, 80, None],
            "ward": ["A", "a = b", "A", "C", None],
            "a > b": [1.0, 0.0, 2.0, 0.0, 0.0],
            "code": pd.Categorical([7, 8, 9, 7, None]),
        }
    )
    known = ready([Var(name) >> Var("ill")], frame, ["ill", "well", "ill", "well", "well"])
    (formula,) = known.formulas
    nobody = np.zeros((5, 2), dtype=bool)

    allowed = known.holds(formula, known.table, known.inputs.values, nobody)
    assert (~allowed).tolist() == expected


def test_three_classes():
    """A prior that forbids a class leaves the others as frequent as they are."""
    rng = np.random.default_rng(0)
    X = {name: rng.random(30) < 0.5 for name in "abc"}
    y = np.where(X["a"], "one", np.where(X["b"], "two", "three"))
    told = mu().fit(X, y, priors=["a -> one", "~a -> ~one"])

    assert all(report.network == 1.0 for report in told.prior_reports_)


def test_several_targets_at_once():
    rng = np.random.default_rng(0)
    X = {name: rng.random(40) < 0.5 for name in "abc"}
    y = pd.DataFrame({"bird": X["a"], "flies": X["a"] & X["b"]})
    told = mu().fit(X, y, priors=["flies -> bird", "~a -> ~bird"])

    assert [report.data for report in told.prior_reports_] == [1.0, 1.0]
    assert [report.rules for report in told.prior_reports_] == [1.0, 1.0]


def two_outputs() -> tuple[dict[str, np.ndarray], pd.DataFrame]:
    """Every row of three concepts twice; nothing flies that is no bird."""
    bits = np.tile((np.arange(8)[:, None] >> np.arange(3)) & 1, (2, 1)).astype(bool)
    X = dict(zip("abc", bits.T, strict=True))
    return X, pd.DataFrame({"bird": X["a"], "flies": X["a"] & X["b"]})


@pytest.mark.parametrize("order", [1, -1])
def test_formulas_that_leave_an_output_nothing_say_nothing(order):
    """The order of the formulas does not matter: none of them wins."""
    X, y = two_outputs()
    x, outputs, weight = told_by(ready(["c -> bird", "c & b -> ~bird"][::order], X, y), np.ones(16))
    b, c = x[:, 1] > 0.5, x[:, 2] > 0.5

    assert len(x)
    assert (c & ~b).all()
    assert (outputs[:, 0] == 1.0).all()
    assert weight.sum() == pytest.approx(16)


def test_an_output_that_is_left_nothing_stays_as_it_is():
    """What is contradicted about one output takes nothing from another."""
    X, y = two_outputs()
    x, outputs, _ = told_by(ready(["c -> bird", "c -> ~bird", "c -> flies"], X, y), np.ones(16))

    assert (x[:, 2] == 1.0).all()
    assert (outputs[:, 1] == 1.0).all()
    assert set(outputs[:, 0]) == {0.0, 0.5, 1.0}  # as observed, and as common as it is on fresh rows


def counted_and_repeated(n: int = 60) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Raw columns with gaps, labels, counts, and the rows one by one in another order."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, n).astype(float)
    frame = pd.DataFrame({"age": age, "ward": rng.choice(["A", "B", "C"], n), "smoker": rng.random(n) < 0.5})
    y = np.where(age > 50, "ill", "well")
    frame.loc[::9, "age"] = np.nan
    counts = np.random.default_rng(1).integers(0, 4, n)
    order = np.random.default_rng(2).permutation(counts.sum())
    return frame, y, counts, np.repeat(np.arange(n), counts)[order]


COUNTED_PRIORS = ['"age > 70" -> ill', '"ward = C" & smoker -> ill', '"age < 30" -> well']


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (MuClassifier, "iff"),
        (MuClassifier, "if"),
        (PsiClassifier, "iff"),
        (ReluClassifier, "iff"),
        (EntropyClassifier, "only_if"),
    ],
)
def test_a_row_counted_twice_is_two_rows(kind, rule):
    X, y, counts, many = counted_and_repeated()
    settings = {"rule": rule, "epochs": 12, "restarts": 1, "l1": 0.005, "random_state": 0, "device": "cpu"}

    counted = kind(**settings).fit(X, y, sample_weight=counts, priors=COUNTED_PRIORS)
    repeated = kind(**settings).fit(X.iloc[many], y[many], priors=COUNTED_PRIORS)

    assert counted.explain() == repeated.explain()
    assert counted.prior_reports_ == repeated.prior_reports_
    assert np.allclose(counted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("several", [False, True])
def test_what_is_told_is_the_same_of_counted_rows(several):
    """Also of three classes, and of soft targets of which several may be true."""
    X, _, counts, many = counted_and_repeated()
    rng = np.random.default_rng(3)
    y = pd.DataFrame(rng.random((60, 2)), columns=["ill", "well"])
    if not several:
        y = pd.Series(rng.choice(["ill", "well", "dead"], 60))
    targets, again = read_targets(y, 60), read_targets(y.iloc[many], len(many))
    inputs = learn_inputs(X, "auto", targets, counts.astype(float))
    same = replace(inputs, values=inputs.values[many])
    counted = told_by(Priors(COUNTED_PRIORS, Table(X), inputs, targets), counts)
    repeated = told_by(Priors(COUNTED_PRIORS, Table(X.iloc[many]), same, again), np.ones(len(many)))

    assert len(counted[0])
    for one, other in zip(counted, repeated, strict=True):
        assert (one == other).all()


def test_what_is_told_weighs_as_its_row_and_only_counted_values_are_drawn():
    X = {"a": np.array([0.0, 0.0, 1.0, 1.0]), "b": np.array([0.0, 1.0, 1.0, 0.0])}
    known = ready(["a -> yes"], X, ["no", "no", "yes", "yes"])
    weight = np.array([1000.0, 1000.0, 3000.0, 0.0])
    _, drawn = known.fresh(weight, 0)

    assert len(drawn) == 10_000
    assert drawn.mean(axis=0) == pytest.approx([0.6, 0.8], abs=0.02)
    x, _, told = told_by(known, weight)
    assert (x[:, 0] == 1.0).all()
    n_fresh, n_both = drawn[:, 0].sum(), (drawn[:, 0] * drawn[:, 1]).sum()
    share = told[x[:, 1] == 1.0].sum() / told.sum()
    assert share == pytest.approx((3000 + n_both) / (3000 + n_fresh))
    assert told.sum() == pytest.approx(weight.sum())


def test_the_order_of_the_rows_does_not_change_what_is_drawn():
    frame = pd.DataFrame({"age": [70, None, 20, 50], "ward": ["B", "A", None, "C"]})
    y = np.array(["ill", "well", "well", "ill"])
    one, other = (ready(['"ward = B" -> ill'], frame[::step], y[::step]) for step in (1, -1))
    drawn, again = (known.fresh(np.ones(4), 0)[0] for known in (one, other))

    for name in ("age", "ward"):
        assert drawn.column(name).values().tolist() == again.column(name).values().tolist()
    assert {*drawn.column("ward").values()} == {"A", "B", "C", None}


def test_classes_that_are_left_are_as_common_as_they_weigh():
    X = {"a": np.array([1.0, 0.0, 0.0, 0.0]), "b": np.array([0.0, 1.0, 0.0, 1.0])}
    known = ready(["a -> ~one"], X, ["one", "two", "three", "three"])
    _, outputs, _ = told_by(known, [1, 6, 2, 0])

    assert known.labels == ("one", "three", "two")
    assert outputs == pytest.approx(np.tile([0.0, 0.25, 0.75], (len(outputs), 1)))


def test_a_prior_that_forbids_everything_is_a_penalty_on_nothing():
    told = mu().fit(FEW, FEW_Y, priors=["c0 & ~c0"])
    (report,) = told.prior_reports_

    assert report.data == report.network == 0.0


def test_what_a_report_says():
    held = PriorReport(Var("a") >> Var("b"), 1.0, 1.0, 0.5, 0.25)

    assert str(held) == (
        "~a | b: holds for all labels; holds for 100.0% by the network, 50.0% by the rules, 25.0% of fresh "
        "rows"
    )


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        (3, "priors must be formulas, or their text. Got 3."),
        ([3], "A prior must be a formula, or its text. Got 3."),
        ("c9 -> death", "Unknown concept 'c9'. The 6 known concepts are 'c0', 'c1', 'c2', 'c3', 'c4',"),
        ("c2 -> deth", "Unknown concept 'deth'. The 6 known concepts are 'c0', 'c1', 'c2', 'c3', 'c4',"),
    ],
)
def test_what_is_refused(priors, message):
    with pytest.raises(InputError) as info:
        mu().fit(FEW, FEW_Y, priors=priors)

    assert message in str(info.value)


def test_a_name_for_two_things_is_refused():
    with pytest.raises(InputError) as info:
        mu().fit({**FEW, "death": FEW["c0"]}, FEW_Y, priors="c2 -> death")

    assert str(info.value) == "'death' is both a concept and a target. Rename the column."


PEOPLE = pd.DataFrame({"age": [20, 30, 70, 80, 50, 60], "gender": ["male", "female"] * 3})
ILL = ["well", "well", "ill", "ill", "well", "ill"]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("gender = mal", "No row has gender = 'mal'. Did you mean 'male'?"),
        ("gender = xyz", "No row has gender = 'xyz'. The column has 'male', 'female'."),
        ("agee > 50", "The data lack the column 'agee'."),
        ("40 < agee <= 50", "The data lack the column 'agee'."),
        ("60 < age <= 40", "low must be less than high. Got 60.0 and 40.0."),
        ("gender > 3", "Column 'gender' must hold numbers. Got text, such as 'male'."),
    ],
)
def test_conditions_that_are_refused(prior, message):
    with pytest.raises(InputError) as info:
        mu().fit(PEOPLE, ILL, priors=Var(prior) >> Var("ill"))

    assert message in str(info.value)
    assert isinstance(info.value, UnknownColumnError) == message.startswith("The data lack")


def test_a_value_of_rows_that_do_not_count_is_refused():
    frame = PEOPLE.assign(gender=["male", "female", "male", "female", "male", "other"])
    with pytest.raises(InputError) as info:
        mu().fit(frame, ILL, sample_weight=[1, 1, 1, 1, 1, 0], priors='"gender = other" -> ill')

    assert str(info.value) == "No row has gender = 'other'. The column has 'male', 'female'."


def test_a_concept_that_reads_as_a_condition_is_an_unknown_concept():
    """Where columns are concepts already, their names may look like conditions."""
    X = {"age > 62": FEW["c0"], "b": FEW["c1"]}
    with pytest.raises(UnknownConceptError, match=r"^Unknown concept 'age > 26'. Did you mean 'age > 62'\?"):
        mu().fit(X, FEW_Y, priors='"age > 26" -> death')


def test_a_condition_on_no_number_is_unknown():
    frame = pd.DataFrame({"age": [20, 30, 70, 80], "ward": list("ABAB")})
    with pytest.raises(UnknownConceptError):
        mu().fit(frame, ["well", "well", "ill", "ill"], priors='"age > old" -> ill')


@pytest.mark.parametrize("weight", [-1, np.nan, "1", None])
def test_the_weight_is_a_number(weight):
    with pytest.raises(InputError, match=r"^prior_weight must be a number of at least 0\. Got "):
        mu().fit(FEW, FEW_Y, priors=TRUE_PRIORS, prior_weight=weight)
