from __future__ import annotations

import logging
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from logiclens.concepts import Above, ConceptEncoder, Missing, OneOf, Table, Vocabulary, auto_encoder
from logiclens.errors import InputError
from logiclens.estimators import LENClusterer, MuClassifier, cross_explain
from logiclens.logic import Var
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, distinct_names

PEOPLE = {
    "age": [25, 38, None, 63, 70, 51],
    "color": ["red", "blue", "red", "green", None, "red"],
    "smoker": [True, False, False, True, False, True],
    "children": [0, 1, 1, 0, 1, 0],
    "clinic": ["A"] * 6,
}
WELL = ["yes", "yes", "yes", "no", "no", "no"]
NAMES = [
    "age > 50",
    "age > 60",
    "age is missing",
    "color = red",
    "color = blue",
    "color = green",
    "color is missing",
    "smoker",
    "children",
]
FRAMES = {"mapping": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def fitted(**settings: object) -> ConceptEncoder:
    return ConceptEncoder(max_cuts=2, **settings).fit(PEOPLE)


def rows(table: dict[str, list[object]]) -> list[list[object]]:
    return [list(row) for row in zip(*table.values(), strict=True)]


# --- scikit-learn ---


def test_scikit_learn_has_no_complaints():
    results = check_estimator(ConceptEncoder(), on_fail=None, on_skip=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}

    assert failed == {}


def test_it_works_inside_a_pipeline():
    X = pd.DataFrame({"age": np.arange(60)[::-1], "color": ["red", "blue", "green"] * 20})
    model = make_pipeline(ConceptEncoder(max_cuts=1, cuts="supervised"), DecisionTreeClassifier())
    model.fit(X, X["age"] > 41)

    assert model.score(X, X["age"] > 41) == 1.0
    assert model[:-1].get_feature_names_out()[0] == "age > 41"


SHOPS = {
    "region": [1, 2, 3, 3, 2, 1],
    "size": ["low", "high", "mid", "low", "high", "mid"],
    "age": [5, 9, 99, 7, 5, 99],
}


def test_what_columns_are_can_be_said():
    """Numbers as categories, an order of texts, numbers for missing values; all of it survives a file."""
    settings = {"types": {"region": "category", "size": ["low", "mid", "high"]}, "missing_values": [99]}
    encoder = ConceptEncoder(max_cuts=1, **settings).fit(SHOPS)
    words = Vocabulary.from_saved(encoder.vocabulary_.to_saved())

    assert words == encoder.vocabulary_
    assert words.names[:5] == ("region = 1", "region = 2", "region = 3", "size in {mid, high}", "size = high")
    assert words.names[5:] == ("age > 5", "age is missing")
    assert (words.gaps, words.optional) == ({"region": (99,), "age": (99,)}, {"age"})
    found = words.encode({"region": [3.0, 99.0], "size": ["mid", "other"], "age": [99, 6]})
    assert [name for name, truth in found.items() if truth[0]] == [
        "region = 3",
        "size in {mid, high}",
        "age is missing",
    ]
    assert [name for name, truth in found.items() if truth[1]] == ["age > 5"]


def test_numbers_that_look_like_codes_can_be_compared():
    rows = {"shop_id": [*range(100, 130)], "code": [1, 2] * 15, "flag": [True, False] * 15}
    encoder = ConceptEncoder(max_cuts=1, types=dict.fromkeys(rows, "number")).fit(rows)

    assert encoder.get_feature_names_out().tolist() == ["shop_id > 114", "code > 1", "flag"]


def test_imputed_values_of_an_order():
    rows = {"size": ["low", "mid", "mid", None, "high"]}
    encoder = ConceptEncoder(missing="impute", types={"size": ["low", "mid", "high"]}).fit(rows)

    assert encoder.transform({"size": [None, "high"]}).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"types": "category"}, "types must map columns to what they are. Got 'category'; write"),
        (
            {"types": {"region": "code"}},
            "The type of a column must be 'category', 'number', 'date', or a list of two values",
        ),
        (
            {"types": {"size": ["low", "low"]}},
            "each once, the lowest first. Got \\['low', 'low'\\] for 'size'.",
        ),
        ({"types": {"x": "number"}}, "The data lack the column 'x'.*It is named by types."),
        ({"types": {"size": "number"}}, "Column 'size' must hold numbers. Got text, such as 'low'."),
        (
            {"types": {"size": ["low", "mid"]}},
            "Column 'size' has the value 'high', which its order 'low', 'mid' lacks",
        ),
        ({"missing_values": {"x": [9]}}, "The data lack the column 'x'.*It is named by missing_values."),
        (
            {"missing_values": 99},
            "missing_values must be a sequence of values, or one for each column. Got 99",
        ),
        ({"missing_values": [None]}, "A value must be text or a finite number. Got None."),
    ],
)
def test_types_and_gaps_that_cannot_be(settings, message):
    with pytest.raises(InputError, match=message):
        ConceptEncoder(**settings).fit(SHOPS)


@pytest.mark.parametrize(("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_frames_come_out_where_they_are_asked_for(container, kind):
    frame = fitted().set_output(transform=container).transform(pd.DataFrame(PEOPLE))

    assert isinstance(frame, kind)
    assert [*frame.columns] == NAMES
    assert frame["age > 50"].to_list() == [False, False, False, True, True, True]


@pytest.mark.parametrize("method", ["transform", "get_feature_names_out", "describe"])
def test_an_encoder_that_is_not_fitted_says_so(method):
    with pytest.raises(NotFittedError, match="This ConceptEncoder instance is not fitted yet"):
        getattr(ConceptEncoder(), method)(*([PEOPLE] if method == "transform" else []))


def test_names_of_columns_that_had_none():
    encoder = ConceptEncoder(max_cuts=1).fit([[1, "a"], [2, "b"], [3, "c"], [4, "a"]])

    assert not hasattr(encoder, "feature_names_in_")
    assert encoder.get_feature_names_out().tolist()[:2] == ["x0 > 2", "x1 = a"]
    assert encoder.get_feature_names_out(["age", "color"]).tolist()[:2] == ["age > 2", "color = a"]


def test_names_of_columns_that_have_some():
    encoder = fitted()

    assert encoder.feature_names_in_.tolist() == [*PEOPLE]
    assert encoder.get_feature_names_out([*PEOPLE]).tolist() == NAMES
    assert "input_features is not equal to feature_names_in_, which" in error_of(
        encoder.get_feature_names_out, [*"abcde"]
    )
    assert "input_features should have length equal to the number" in error_of(
        encoder.get_feature_names_out, ["a"]
    )
    assert "input_features must be a sequence of names" in error_of(encoder.get_feature_names_out, "abcde")


def test_fitting_again_forgets_the_names():
    encoder = fitted().fit([[1], [2], [3]])

    assert not hasattr(encoder, "feature_names_in_")
    assert encoder.n_features_in_ == 1


# --- what becomes of a table ---


def test_concepts_of_a_mixed_table():
    encoder = fitted()

    assert encoder.vocabulary_.names == tuple(encoder.get_feature_names_out()) == tuple(NAMES)
    assert encoder.vocabulary_.concepts[:4] == (
        Above("age", 50),
        Above("age", 60),
        Missing("age"),
        OneOf("color", ("red",)),
    )
    assert (encoder.vocabulary_.columns, encoder.vocabulary_.named) == (tuple(PEOPLE), True)
    assert encoder.dropped_ == {"clinic": "constant"}
    assert encoder.n_features_in_ == 5


def test_truth_of_a_mixed_table():
    truth = fitted().transform(PEOPLE)

    assert truth.dtype == np.bool_
    assert truth.astype(int).tolist() == [
        [0, 0, 0, 1, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1, 0, 0, 0, 1],
        [0, 0, 1, 1, 0, 0, 0, 0, 1],
        [1, 1, 0, 0, 0, 1, 0, 1, 0],
        [1, 1, 0, 0, 0, 0, 1, 0, 1],
        [1, 0, 0, 1, 0, 0, 0, 1, 0],
    ]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_container_gives_the_same_concepts(make):
    assert ConceptEncoder(max_cuts=2).fit(make(PEOPLE)).vocabulary_ == fitted().vocabulary_
    assert (fitted().transform(make(PEOPLE)) == fitted().transform(PEOPLE)).all()


@pytest.mark.parametrize(
    "make", [rows, lambda table: np.array(rows(table), dtype=object)], ids=["lists", "array"]
)
def test_arrays_are_read_by_place(make):
    encoder = ConceptEncoder(max_cuts=2).fit(make(PEOPLE))

    assert encoder.get_feature_names_out()[0] == "x0 > 50"
    for data in (make(PEOPLE), PEOPLE):
        assert (encoder.transform(data) == fitted().transform(PEOPLE)).all()
    assert (fitted().transform(make(PEOPLE)) == fitted().transform(PEOPLE)).all()


def test_columns_may_come_in_another_order_and_with_others():
    shuffled = {"new": ["?"] * 6, **dict(reversed(PEOPLE.items()))}

    assert (fitted().transform(pd.DataFrame(shuffled)) == fitted().transform(PEOPLE)).all()


def test_a_dropped_column_may_be_lacking_later():
    rest = {name: values for name, values in PEOPLE.items() if name != "clinic"}

    assert (fitted().transform(rest) == fitted().transform(PEOPLE)).all()


def test_an_array_of_another_width():
    assert "X has 2 features, but ConceptEncoder is expecting 5" in error_of(fitted().transform, [[1, 2]])


def test_new_values_have_no_concept():
    row = {"age": 1000, "color": "purple", "smoker": False, "children": 0}

    assert [NAMES[at] for at in np.flatnonzero(fitted().transform(row)[0])] == ["age > 50", "age > 60"]


def test_values_that_are_missing_only_later_have_no_concept():
    row = {"age": 20, "color": "blue", "smoker": None, "children": np.nan}

    assert [NAMES[at] for at in np.flatnonzero(fitted().transform(row)[0])] == ["color = blue"]


def test_missing_values_can_be_imputed():
    encoder = fitted(missing="impute")
    truth = dict(zip(encoder.get_feature_names_out(), encoder.transform(PEOPLE).T, strict=True))

    assert not any("missing" in name for name in truth)
    assert truth["age > 50"][2]  # as 51, the median
    assert not truth["age > 60"][2]
    assert truth["color = red"][4]


def test_the_classes_choose_the_cuts():
    ages = np.arange(100)[::-1]
    table = {"age": ages}

    supervised = ConceptEncoder(cuts="supervised")
    assert supervised.fit(table, ages > 62).get_feature_names_out().tolist() == ["age > 62"]
    both = np.column_stack([ages > 30, ages > 62])
    assert supervised.fit(table, both).get_feature_names_out().tolist() == ["age > 30", "age > 62"]


def test_by_default_the_classes_have_no_part_in_the_cuts():
    ages = np.arange(100)[::-1]
    default = ConceptEncoder().fit({"age": ages}, ages > 62).vocabulary_

    assert default == ConceptEncoder().fit({"age": ages}).vocabulary_
    assert default == ConceptEncoder(cuts="quantile", max_cuts=16).fit({"age": ages}).vocabulary_
    assert len(default.names) == 16
    few = ConceptEncoder(max_cuts=4).fit({"age": ages}, ages > 62)
    assert few.get_feature_names_out().tolist() == ["age > 19", "age > 39", "age > 59", "age > 79"]


def squares(n_rows: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Two columns that say nothing about the class by themselves, and everything together."""
    x = np.random.default_rng(0).random((n_rows, 2))
    return {"a": x[:, 0], "b": x[:, 1]}, (x[:, 0] > 0.5) ^ (x[:, 1] > 0.5)


def test_columns_that_matter_only_together_are_cut_by_quantiles():
    table, y = squares(2000)
    supervised = ConceptEncoder(cuts="supervised").fit(table, y)
    encoder = ConceptEncoder().fit(table, y)

    assert len(supervised.vocabulary_.names) == 2
    assert len(encoder.vocabulary_.names) == 32
    tree = make_pipeline(ConceptEncoder(), DecisionTreeClassifier(max_depth=5)).fit(table, y)
    assert tree.score(*squares(3000)) > 0.9


def test_cuts_of_equal_width():
    skewed = {"income": np.arange(101.0) ** 2}
    names = ConceptEncoder(cuts="uniform", max_cuts=1).fit(skewed).get_feature_names_out()

    assert names.tolist() == ["income > 5000"]


def test_a_reference_group():
    pressure = np.array([*range(100, 140), 170, 175, 180, 70, 75])
    group = np.array(["control"] * 40 + ["ill"] * 5)
    encoder = ConceptEncoder(cuts="reference", reference="control").fit({"pressure": pressure}, group)

    assert encoder.get_feature_names_out().tolist() == ["pressure > 101", "pressure > 137"]


def test_cut_points_of_ones_own():
    encoder = ConceptEncoder(cuts={"age": [62, 30, 30]}, intervals=True).fit(
        {"age": [20, 40, 70], "n": [1, 2, 3]}
    )

    assert encoder.get_feature_names_out().tolist() == [
        "age <= 30",
        "30 < age <= 62",
        "age > 62",
        "n <= 1",
        "1 < n <= 2",
        "n > 2",
    ]


@pytest.mark.parametrize("settings", [{}, {"missing": "impute"}, {"intervals": True}], ids=str)
def test_weights_count_as_repetitions(settings):
    weights = np.array([2, 1, 0, 3, 1, 1])
    weighted = ConceptEncoder(**settings).fit(PEOPLE, WELL, sample_weight=weights)
    at = np.repeat(np.arange(6), weights)
    repeated = ConceptEncoder(**settings).fit(Table(PEOPLE).take(at), np.array(WELL)[at])

    assert weighted.vocabulary_ == repeated.vocabulary_


def test_a_description_for_people():
    first, *_, last = fitted().describe()

    assert first == {
        "column": "age",
        "values": "numbers",
        "missing": pytest.approx(1 / 6),
        "concepts": NAMES[:3],
        "remark": "",
    }
    assert last == {
        "column": "clinic",
        "values": "text",
        "missing": 0.0,
        "concepts": [],
        "remark": "dropped: constant",
    }


def test_what_is_dropped_is_logged(caplog):
    with caplog.at_level(logging.INFO, logger="logiclens"):
        fitted()

    assert caplog.messages == ["Column 'clinic' is dropped: constant."]
    assert [record.levelname for record in caplog.records] == ["INFO"]


PATIENTS = pd.DataFrame(
    {
        "Unnamed: 0": np.arange(30),
        "patient_id": np.arange(30) % 29,
        "empty": [None] * 30,
        "ward": ["A"] * 30,
        "price": ["1,234.50", "83", "7"] * 10,
        "seen": ["31.12.2020", "1.2.2021", "1.3.2021"] * 10,
        "age": np.arange(60, 30, -1),
    }
)
TOLD = [
    "Column 'Unnamed: 0' is dropped: the index of a pandas frame.",
    "Column 'patient_id' is dropped: an identifier: 29 values in 30 rows.",
    "Column 'empty' is dropped: all values missing.",
    "Column 'price' has numbers written as text. Convert it with pd.to_numeric, without any commas.",
    "Column 'seen' has dates written as text. Write them as 2024-01-31 to use their parts.",
]


def test_what_a_person_should_know_is_a_warning(caplog):
    encoder = ConceptEncoder().fit(PATIENTS)

    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == TOLD
    assert encoder.dropped_ == {
        "Unnamed: 0": "the index of a pandas frame",
        "patient_id": "an identifier: 29 values in 30 rows",
        "empty": "all values missing",
        "ward": "constant",
    }


def test_a_warning_is_seen_without_any_configuration():
    table = "{'a': [1, 2], 'b': [None] * 2}"
    code = f"from logiclens.concepts import ConceptEncoder; ConceptEncoder().fit({table})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stderr == "Column 'b' is dropped: all values missing.\n"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", [MuClassifier, LENClusterer])
def test_models_tell_once(model, caplog):
    model(epochs=2, restarts=1, random_state=0).fit(PATIENTS, PATIENTS["age"] > 45)

    assert [message for message in caplog.messages if message.startswith("Column")] == TOLD


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_folds_tell_nothing_again_and_again(caplog):
    cross_explain(MuClassifier(epochs=2, restarts=1, random_state=0), PATIENTS, PATIENTS["age"] > 45, cv=3)

    assert not [message for message in caplog.messages if message.startswith("Column")]


@pytest.mark.parametrize("intervals", [False, True])
def test_python_says_the_same_of_gaps_that_are_imputed(intervals):
    """The median, 2, is below every cut, so that no concept is true of a gap."""
    table = {"dose": [1.0, 2.0, 2.0, 2.0, 40.0, 50.0, None, np.nan], "age": [30, 40, 50, 60, 70, 80, 90, 20]}
    encoder = ConceptEncoder(cuts={"dose": [10, 45]}, missing="impute", intervals=intervals).fit(table)
    words = Vocabulary.from_saved(encoder.vocabulary_.to_saved())

    assert "dose" in words.optional
    for name in words.names:
        for formula in (Var(name), ~Var(name), Var(name) | ~Var(words.names[0])):
            scope: dict[str, object] = {}
            exec(compile(words.to_python(formula), "rule", "exec"), scope)
            rule = scope["rule"]
            expected = formula.evaluate(words.encode(table))
            assert [rule(dict(zip(table, row, strict=True))) for row in rows(table)] == expected.tolist()


# --- names and values are data ---


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_any_name_of_a_column_and_any_value(name):
    table = {name: [1.5, 2.5, 3.5, 4.5], f"{name}?": [name, "other", name, "third"]}
    encoder = ConceptEncoder(max_cuts=1).fit(table)

    assert encoder.get_feature_names_out()[:2].tolist() == [f"{name} > 3", f"{name}? = {name}"]
    assert encoder.transform(table)[:, 1].tolist() == [True, False, True, False]


CELLS = st.none() | st.integers(-50, 50) | st.floats(-50, 50).map(lambda number: round(number, 3))
WORDS = st.none() | st.sampled_from(["red", "blue", "green", "", "a = b", "1"])


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[object]]:
    """A column of a number that varies, and one or more of numbers or words, with gaps."""
    n_rows = draw(st.integers(3, 25))
    names = draw(distinct_names(2, 4))
    kinds = draw(st.lists(st.sampled_from([CELLS, WORDS]), min_size=len(names) - 1, max_size=len(names) - 1))
    columns = [draw(st.lists(kind, min_size=n_rows, max_size=n_rows)) for kind in kinds]
    return dict(zip(names, [[*range(n_rows)][::-1], *columns], strict=True))


@given(tables(), st.sampled_from(["concept", "impute"]))
def test_thresholds_imply_each_other_and_values_exclude_each_other(table, missing):
    encoder = ConceptEncoder(missing=missing).fit(table)
    truth = encoder.transform(table)
    concepts = encoder.vocabulary_.concepts
    for i, one in enumerate(concepts):
        for j, other in enumerate(concepts):
            if one.column != other.column or i == j:
                continue
            if isinstance(one, Above) and isinstance(other, Above) and one.cut > other.cut:
                assert (truth[:, i] <= truth[:, j]).all()
            elif not (isinstance(one, Above) and isinstance(other, Above)):
                assert not (truth[:, i] & truth[:, j]).any()


@given(tables())
def test_intervals_cover_every_number_once(table):
    encoder = ConceptEncoder(intervals=True).fit(table)
    truth = encoder.transform(table)
    for name in encoder.vocabulary_.columns:
        at = [
            place
            for place, concept in enumerate(encoder.vocabulary_.concepts)
            if concept.column == name and concept.kind in ("at most", "between", "above", "missing")
        ]
        if sum(encoder.vocabulary_.concepts[place].kind != "missing" for place in at) > 1:
            assert (truth[:, at].sum(axis=1) == 1).all()


@given(tables())
def test_a_row_is_encoded_the_same_alone(table):
    encoder = ConceptEncoder().fit(table)
    alone = [encoder.transform({name: values[row] for name, values in table.items()}) for row in range(3)]

    assert (np.vstack(alone) == encoder.transform(table)[:3]).all()


# --- what is refused ---


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cuts": "entropy"}, "cuts must be one of 'auto', 'quantile', 'uniform',"),
        ({"cuts": {3: [1]}}, "cuts must name columns by strings."),
        ({"cuts": {"age": "ab"}}, "The cut points of a column must be a sequence of finite"),
        ({"cuts": {"age": 30}}, "The cut points of a column must be a sequence of finite"),
        ({"cuts": {"color": [1]}}, "Column 'color' must hold numbers."),
        ({"cuts": {"Age": [1]}}, "The data lack the column 'Age'."),
        ({"cuts": "supervised"}, "cuts='supervised' needs y."),
        ({"cuts": "reference"}, "cuts='reference' and reference=, the class in y to"),
        ({"reference": "well"}, "cuts='reference' and reference=, the class in y to"),
        ({"max_cuts": 0}, "max_cuts must be at least 1."),
        ({"max_cuts": 2.5}, "max_cuts must be a whole number of at least 0."),
        ({"max_categories": 0}, "max_categories must be at least 1."),
        ({"min_share": 0.5}, "min_share must be a number in [0, 0.5)."),
        ({"missing": "drop"}, "missing must be 'concept' or 'impute'."),
        ({"intervals": "yes"}, "intervals must be True or False."),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    assert message in error_of(ConceptEncoder(**settings).fit, PEOPLE)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"] * 3, "reference must be a label in y:"),
        ([[0, 1]] * 6, "cuts='reference' needs a y of one column."),
    ],
)
def test_a_reference_group_that_is_not_there(y, message):
    encoder = ConceptEncoder(cuts="reference", reference="control")

    assert message in error_of(encoder.fit, PEOPLE, y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            {"a": [1, 1], "b": [None, None], "c": ["x", "x"], "d": [0, 0]},
            "No concept can be made of this table:",
        ),
        ([[1, 2]], "At least 2 rows are needed to tell values apart."),
        (np.zeros((3, 0)), "Found array with 0 feature(s) (shape=(3, 0)) while a"),
    ],
)
def test_tables_that_say_nothing(X, message):
    assert message in error_of(ConceptEncoder().fit, X)


def test_weights_that_leave_nothing():
    assert "sample_weight is zero for every row" in error_of(
        ConceptEncoder().fit, PEOPLE, sample_weight=[0] * 6
    )


# --- when an encoder is needed ---


@pytest.mark.parametrize(
    "data",
    [
        [[0, 1], [1, 0]],
        [[True, False], [False, True]],
        [[0.1, 0.9], [0.6, 0.2]],
        [[0.3, 0.9], [0.3, 0.2]],
        {"a": [True, False], "b": [0.0, 1.0]},
        np.zeros((0, 2)),
    ],
)
def test_concepts_need_no_encoder(data, caplog):
    with caplog.at_level(logging.INFO, logger="logiclens"):
        assert auto_encoder(Table(data)) is None

    assert caplog.messages == ["The table is used as it is: 2 concepts."]


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ([1, 62], "has values outside [0, 1]"),
        ([-0.1, 1], "has values outside [0, 1]"),
        ([0.1, 0.2], "has no values on both sides of 0.5"),
        ([0.5, 0.2], "has no values on both sides of 0.5"),
        ([0.6, 0.9], "has no values on both sides of 0.5"),
        (["a", "b"], "holds text"),
        ([0, None], "has missing values"),
    ],
)
def test_anything_else_is_encoded(column, reason, caplog):
    with caplog.at_level(logging.INFO, logger="logiclens"):
        encoder = auto_encoder(Table({"fine": [0, 1], "c": column}))

    assert isinstance(encoder, ConceptEncoder)
    assert encoder.get_params() == ConceptEncoder().get_params()
    assert caplog.messages == [f"The table is encoded: column 'c' {reason}."]


def test_what_is_no_table_is_not_looked_at():
    assert "auto_encoder looks at a Table" in error_of(auto_encoder, [[1]])


def test_concepts_alone_need_no_scikit_learn():
    code = (
        "import sys, logiclens.concepts.vocabulary as v; from logiclens.concepts import Table; "
        "Table({'a': [1]}).column('a'); assert 'sklearn' not in sys.modules; "
        "from logiclens.concepts import ConceptEncoder; assert 'sklearn' in sys.modules"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
