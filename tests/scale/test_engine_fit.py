"""A fit in an engine: the same as on the same rows in memory, and what is refused."""

import logging
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from logiclens import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier, scale
from logiclens.concepts import ConceptEncoder
from logiclens.errors import InputError, LimitError, UnknownColumnError, UnknownTargetError
from logiclens.logic import equivalent

pytestmark = pytest.mark.filterwarnings("ignore:.*was still getting better")

N = 160
RANDOM = np.random.default_rng(0)
FLAGS = pd.DataFrame({name: RANDOM.random(N) < 0.5 for name in "abcd"})
ANSWER = (FLAGS.a & ~FLAGS.b) | FLAGS.c
PEOPLE = pd.DataFrame(
    {
        "age": RANDOM.integers(18, 90, N),
        "weight": np.where(RANDOM.random(N) < 0.1, np.nan, RANDOM.normal(70, 10, N).round(1)),
        "sex": RANDOM.choice(["male", "female"], N),
        "color": RANDOM.choice(["red", "green", "blue", None], N),
        "smoker": RANDOM.random(N) < 0.4,
        "clinic": "A",
    }
)
STATE = np.where((PEOPLE.age > 60) & PEOPLE.smoker, "ill", np.where(PEOPLE.weight > 75, "so-so", "well"))
QUICK = {"random_state": 0, "device": "cpu", "epochs": 20, "restarts": 1, "l1": 1e-3}


def gaps(frame: pd.DataFrame, name: str, kind: str) -> pd.DataFrame:
    column = frame[name].astype(kind)
    column[RANDOM.random(len(frame)) < 0.1] = None
    return frame.assign(**{name: column})


TABLES: dict[str, tuple[pd.DataFrame, Any]] = {
    "Booleans": (FLAGS, ANSWER.map({True: "yes", False: "no"})),
    "Boolean target": (FLAGS, ANSWER),
    "0 and 1": (FLAGS.astype(np.int8), ANSWER.astype(int)),
    "floats of 0 and 1": (FLAGS.astype(float), ANSWER.astype(float)),
    "Booleans with gaps": (gaps(FLAGS, "b", "boolean"), ANSWER.astype(int)),
    "0 and 1 with gaps": (gaps(FLAGS.astype(float), "a", "float"), ANSWER.astype(int)),
    "all kinds": (PEOPLE, pd.Series(STATE)),
    "categories": (PEOPLE.astype({"sex": "category", "color": "category"}), pd.Series(STATE)),
    "three classes": (FLAGS, pd.Series(np.where(FLAGS.a, "x", np.where(FLAGS.b, "y", "z")))),
    "several outputs": (FLAGS, pd.DataFrame({"p": FLAGS.a & FLAGS.b, "q": FLAGS.c}).astype(int)),
    "several outputs of all kinds": (
        PEOPLE,
        pd.DataFrame({"p": (PEOPLE.age > 60) & PEOPLE.smoker, "q": PEOPLE.weight > 75}),
    ),
    "one output in a list": (FLAGS, pd.DataFrame({"p": ANSWER.astype(int)})),
    "a constant": (FLAGS.assign(e=True), ANSWER),
    "one class": (FLAGS, pd.Series(["yes"] * N)),
    "row numbers": (FLAGS.assign(number=np.arange(N), name_id=np.arange(N) + 7), ANSWER),
    "nothing but gaps": (
        FLAGS.assign(day=pd.Series([pd.NaT] * N), text=None, number=np.nan),
        ANSWER,
    ),
    "large integers": (FLAGS.assign(big=2**53 + RANDOM.integers(0, 2, N) * 2), ANSWER),
    "text of numbers": (FLAGS.assign(text=RANDOM.integers(0, 5, N).astype(str)), ANSWER),
}


def in_engine(frame: pd.DataFrame, y: Any, **others: Any) -> tuple[Any, Any]:
    """A table with everything, and the target in it."""
    if isinstance(y, pd.DataFrame):
        whole, target = pd.concat([frame, y], axis=1).assign(**others), list(y.columns)
    else:
        labels = y.array if isinstance(y, pd.Series) else y
        whole, target = frame.assign(**{"the target": labels}, **others), "the target"
    return ibis.memtable(pa.Table.from_pandas(whole, preserve_index=False)), target


def assert_same(mine: Any, other: Any, frame: pd.DataFrame) -> None:
    assert mine.classes_.dtype == other.classes_.dtype
    assert mine.classes_.tolist() == other.classes_.tolist()
    assert mine.problem_ is other.problem_
    assert mine.concept_names_ == other.concept_names_
    assert mine.vocabulary_ == other.vocabulary_
    assert mine.feature_names_in_.tolist() == other.feature_names_in_.tolist()
    assert mine.front_.points == other.front_.points
    assert mine.front_.chosen == other.front_.chosen
    assert mine.explanations_ == other.explanations_
    assert_same_rows(mine.seen_, other.seen_)
    assert (mine.decision_function(frame) == other.decision_function(frame)).all()
    assert (mine.predict(frame) == other.predict(frame)).all()
    if mine.encoder_ is not None:
        assert mine.encoder_.describe() == other.encoder_.describe()


def assert_same_rows(mine: Any, other: Any) -> None:
    assert mine.names == other.names
    assert mine.n_rows == other.n_rows
    for part in ("rows", "truth", "answers", "weight"):
        assert (getattr(mine, part) == getattr(other, part)).all()


@pytest.mark.filterwarnings("ignore:y holds the class")
@pytest.mark.parametrize("name", TABLES)
def test_a_fit_is_the_same_as_in_memory(name: str):
    frame, y = TABLES[name]
    table, target = in_engine(frame, y)

    found = scale.fit(MuClassifier(**QUICK), table, target)

    assert_same(found, MuClassifier(**QUICK).fit(frame, y), frame)


@pytest.mark.parametrize("kind", [EntropyClassifier, ReluClassifier, PsiClassifier])
@pytest.mark.parametrize("name", ["all kinds", "several outputs"])
def test_all_classifiers_fit_in_an_engine(kind: Any, name: str):
    frame, y = TABLES[name]
    table, target = in_engine(frame, y)

    found = scale.fit(kind(**QUICK), table, target)

    assert_same(found, kind(**QUICK).fit(frame, y), frame)


@pytest.mark.parametrize(
    "settings",
    [
        {"encoder": ConceptEncoder(cuts="quantile")},
        {"encoder": ConceptEncoder(cuts="uniform", intervals=True)},
        {"encoder": ConceptEncoder(missing="impute", max_categories=2, min_share=0.0)},
        {"encoder": ConceptEncoder(cuts={"age": [30, 50]})},
        {"encoder": ConceptEncoder(cuts="reference", reference=2)},
        {"class_weight": {"ill": 3}},
        {"class_weight": {"so-so": 0}},
        {"class_weight": "balanced"},
        {"rule": "if"},
        {"literals": 3},
        {"distillation": 1.0, "literal_cost": 0.01},
    ],
    ids=str,
)
def test_settings_mean_the_same(settings: dict[str, Any]):
    table, target = in_engine(PEOPLE, STATE)

    found = scale.fit(MuClassifier(**QUICK, **settings), table, target)

    assert_same(found, MuClassifier(**QUICK, **settings).fit(PEOPLE, STATE), PEOPLE)


def test_reference_settings_look_at_rows_one_by_one():
    table, target = in_engine(FLAGS, ANSWER)

    found = scale.fit(EntropyClassifier.reference(**QUICK), table, target)

    expected = EntropyClassifier.reference(**QUICK).fit(FLAGS, ANSWER)
    assert found.explanations_.formulas == expected.explanations_.formulas
    assert found.seen_.n_rows == expected.seen_.n_rows == N


def test_counts_as_weights_are_rows():
    counts = RANDOM.integers(0, 4, N)
    table, target = in_engine(PEOPLE, STATE, times=counts)

    found = scale.fit(MuClassifier(**QUICK), table, target, weights="times")

    assert_same(found, MuClassifier(**QUICK).fit(PEOPLE, STATE, counts), PEOPLE)


@pytest.mark.parametrize("max_rows", [1 << 20, N - 1])
def test_other_weights_are_as_in_memory_but_for_rounding(max_rows: int):
    """An answer without noise: where two formulas are as good, rounding may decide between them."""
    weights, answer = RANDOM.random(N) + 0.5, (FLAGS.b & ~FLAGS.c).rename("answer")
    table, target = in_engine(FLAGS, answer, importance=weights)

    found = scale.fit(MuClassifier(**QUICK), table, target, weights="importance", max_rows=max_rows)

    expected = MuClassifier(**QUICK).fit(FLAGS, answer, weights)
    for label, formula in expected.explanations_.formulas.items():
        assert equivalent(found.explanations_.formulas[label], formula)
    assert (found.predict(FLAGS) == expected.predict(FLAGS)).all()


def test_weights_of_any_size():
    """Whole numbers that no integer holds."""
    weights = np.where(FLAGS.d, 2.0**64, 2.0**63)
    table, target = in_engine(FLAGS, ANSWER, times=weights)

    found = scale.fit(MuClassifier(**QUICK), table, target, weights="times")

    expected = MuClassifier(**QUICK).fit(FLAGS, ANSWER, weights)
    assert found.explanations_.formulas == expected.explanations_.formulas


def test_rows_of_weight_0_are_not_looked_at():
    """In memory an infinite number is refused even there."""
    heights = np.where(np.arange(N) == 3, np.inf, PEOPLE.age)
    table, target = in_engine(FLAGS.assign(age=heights), ANSWER, times=np.arange(N) != 3)

    found = scale.fit(MuClassifier(**QUICK), table, target, weights="times")

    assert found.seen_.n_rows == N - 1


@pytest.mark.parametrize(
    "kind", [pa.float64(), pa.float32(), pa.decimal128(9, 2)], ids=["floats", "single precision", "decimals"]
)
def test_labels_are_plain_floats(kind: pa.DataType):
    """Of zeros there is one, and decimals, which are refused in memory, are floats."""
    floats = pa.array(np.where(ANSWER, 1.0, -0.0)).cast(kind)
    table = ibis.memtable(pa.Table.from_pandas(FLAGS, preserve_index=False).append_column("y", floats))

    found = scale.fit(MuClassifier(**QUICK), table, "y")

    assert [str(label) for label in found.classes_.tolist()] == ["0.0", "1.0"]


def test_columns_can_be_chosen():
    table, target = in_engine(FLAGS, ANSWER)

    found = scale.fit(MuClassifier(**QUICK), table, target, columns=["c", "a"])

    assert_same(found, MuClassifier(**QUICK).fit(FLAGS[["c", "a"]], ANSWER), FLAGS)


def test_a_sample_is_drawn_by_the_engine():
    many = pd.concat([FLAGS] * 50, ignore_index=True)
    table, target = in_engine(many, pd.concat([ANSWER] * 50))

    found = scale.fit(MuClassifier(**QUICK), table, target, sample=2000)

    assert 1500 < found.seen_.n_rows < 2500
    assert found.classes_.tolist() == [False, True]


def test_a_sample_of_more_rows_than_there_are_is_the_table():
    table, target = in_engine(PEOPLE, STATE, times=2)

    found = scale.fit(MuClassifier(**QUICK), table, target, sample=N, weights="times")

    assert_same(found, MuClassifier(**QUICK).fit(PEOPLE, STATE, np.full(N, 2)), PEOPLE)


def test_dropped_columns_are_told(caplog: pytest.LogCaptureFixture):
    table, target = in_engine(FLAGS.assign(number=np.arange(N)), ANSWER)

    with caplog.at_level(logging.WARNING):
        scale.fit(MuClassifier(**QUICK), table, target)

    assert "Column 'number' is dropped: row numbers from 0." in caplog.messages


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]):
    table, target = in_engine(FLAGS, ANSWER)

    scale.fit(MuClassifier(random_state=0, verbose=True), table, target)

    assert capsys.readouterr() == ("", "")


SOFT = FLAGS.assign(s=RANDOM.random(N), t=RANDOM.random(N))
TIMES = pd.Series(pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(N), "D"))
REFUSED: dict[str, tuple[pd.DataFrame, Any, dict[str, Any], type[Exception], str]] = {
    "too many tuples": (FLAGS, ANSWER, {"max_rows": 5}, LimitError,
        "The table does not collapse enough: its 160 rows have more than 5 distinct combinations"),
    "scores": (SOFT, ANSWER, {}, LimitError,
        "Columns 's', 't' hold scores between 0 and 1, and rows collapse by yes and no only."),
    "one score": (FLAGS.assign(s=0.7), ANSWER, {}, LimitError,
        "Column 's' holds scores between 0 and 1, and rows collapse by yes and no only. Stream"),
    "no rows": (FLAGS[:0], ANSWER[:0], {}, InputError, "There are no rows to learn from. Pass at least one."),
    "missing target": (FLAGS, ANSWER.astype("boolean").mask(FLAGS.index < 3), {}, InputError,
        "Column 'the target' has 3 missing values. Impute or drop those rows first."),
    "measurements": (FLAGS, pd.Series(np.arange(N) + 0.5), {}, InputError,
        "Unknown label type: continuous. y must hold the labels of classes. Got the number 0.5;"),
    "unknown column": (FLAGS, ANSWER, {"columns": ["a", "e"]}, UnknownColumnError,
        "The data lack the column 'e'. They have 5 columns: 'a', 'b', 'c', 'd', 'the target'."),
    "unknown weights": (FLAGS, ANSWER, {"weights": "e"}, UnknownColumnError,
        "The data lack the column 'e'. They have 5 columns: 'a', 'b', 'c', 'd', 'the target'."),
    "the target is a column": (FLAGS, ANSWER, {"columns": ["a", "the target"]}, InputError,
        "'the target' is among the columns to learn from, and the target or the weights. Leave"),
    "no columns": (FLAGS[[]], ANSWER, {}, InputError,
        "The table has no columns to learn from but the target and the weights. Add some."),
    "nothing left": (PEOPLE[["clinic"]].assign(other=3), ANSWER, {}, InputError,
        "No concept can be made of this table: 'clinic' is dropped (constant), 'other' is"),
    "dates": (FLAGS.assign(day=TIMES), ANSWER, {}, InputError,
        "Column 'day' holds dates or times, which are no concepts. Name it with --date"),
    "times": (FLAGS.assign(day=TIMES - TIMES[0]), ANSWER, {}, InputError,
        "Column 'day' holds dates or times, which are no concepts. Name it with --date"),
    "targets of lists": (FLAGS, pd.Series([[1]] * N), {}, InputError,
        "Labels must be text, numbers or Booleans. Column 'the target' holds other values, of"),
    "targets of times": (FLAGS, (TIMES - TIMES[0]).dt.as_unit("us"), {}, InputError,
        "Labels must be text, numbers or Booleans. Column 'the target' holds dates or times, of"),
    "outputs of text": (PEOPLE, PEOPLE[["smoker", "sex"]].set_axis(["p", "q"], axis=1), {}, InputError,
        "A table of outputs must hold Booleans or numbers in [0, 1]. Column 'q' holds text; name"),
    "lists": (FLAGS.assign(day=[[1]] * N), ANSWER, {}, InputError,
        "Column 'day' has values of type list. Make columns of numbers or text of what is"),
    "infinity": (FLAGS.assign(x=np.where(FLAGS.a, np.inf, 3.0)), ANSWER, {}, InputError,
        "Column 'x' has an infinite value (inf). Replace it by a number, or by NaN if it is"),
    "weights below 0": (FLAGS.assign(w=-1.0), ANSWER, {"weights": "w"}, InputError,
        "Column 'w' has 160 missing, infinite or negative weights. Weights must be finite and"),
    "weights of 0": (FLAGS.assign(w=0), ANSWER, {"weights": "w"}, InputError,
        "All weights in column 'w' are zero. Give some row a positive weight."),
    "no sample": (FLAGS, ANSWER, {"sample": 0}, InputError,
        "sample must be at least 1, or None for all rows. Got 0."),
    "no tuples": (FLAGS, ANSWER, {"max_rows": 0}, InputError, "max_rows must be at least 1. Got 0."),
}  # fmt: skip
"""Tables, targets and options, and how what is said of them begins."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str):
    frame, y, options, error, message = REFUSED[name]
    table, target = in_engine(frame, y)

    with pytest.raises(error) as info:
        scale.fit(MuClassifier(**QUICK), table, target, **options)

    assert str(info.value).startswith(message)


def test_one_row_by_one_has_a_limit():
    table, target = in_engine(FLAGS, ANSWER)

    with pytest.raises(LimitError, match="The reference settings look at rows one by one, and"):
        scale.fit(EntropyClassifier.reference(**QUICK), table, target, max_rows=100)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (PEOPLE, "Column 'age' has the value 89.0, outside [0, 1]. Turn it into concepts first, for instance "
         "by comparing it with a cut point."),
        (PEOPLE[["sex"]], "Column 'sex' has values of type string; concepts are Booleans or numbers in "
         "[0, 1]. Encode the column first."),
        (gaps(FLAGS, "a", "boolean"), None),
    ],
)  # fmt: skip
def test_without_an_encoder_columns_must_be_concepts(frame: pd.DataFrame, message: str | None):
    table, target = in_engine(frame, ANSWER)
    if message is None:
        number = int(frame.a.isna().sum())
        message = f"Column 'a' has {number} missing values. Impute or drop those rows first."

    with pytest.raises(InputError) as info:
        scale.fit(MuClassifier(**QUICK, encoder=None), table, target)

    assert str(info.value) == message


def test_classes_of_class_weights_must_be_there():
    table, target = in_engine(FLAGS, ANSWER)

    with pytest.raises(UnknownTargetError, match="Unknown class 'yes'"):
        scale.fit(MuClassifier(**QUICK, class_weight={"yes": 2}), table, target)


@pytest.mark.parametrize("estimator", [None, "mu", ConceptEncoder()])
def test_only_classifiers_of_this_package_are_fitted(estimator: Any):
    table, target = in_engine(FLAGS, ANSWER)

    with pytest.raises(InputError, match=r"scale.fit needs a classifier of this package"):
        scale.fit(estimator, table, target)


def test_too_many_classes_are_refused_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("logiclens.scale._engine_fit.MOST_OUTPUTS", 20)
    table = ibis.memtable(pa.table({"a": [True, False] * 5, "y": [str(n) for n in range(10)]}))

    with pytest.raises(LimitError, match="10 classes on 10 distinct rows are too many to learn"):
        scale.fit(MuClassifier(), table, "y")
