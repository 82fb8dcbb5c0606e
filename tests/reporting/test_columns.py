from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from logiclens.concepts import Above, ConceptEncoder, Flag, Missing, OneOf, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.reporting import Source
from logiclens.reporting._about_data import MOST_COLUMNS
from logiclens.reporting._facts import ClassFacts, ColumnFacts, DroppedFacts
from logiclens.reporting._report import gather_facts
from tests.reporting.conftest import quick


@pytest.fixture(scope="module")
def people():
    """A classifier of a table with gaps, a constant and an identifier."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 200).astype(float)
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(200) < 0.1, np.nan, age),
            "color": rng.choice(["red", "blue", "green"], 200),
            "smoker": rng.random(200) < 0.4,
            "clinic": "A",
            "id": [f"p{j}" for j in range(200)],
        }
    )
    y = np.where((age > 50) & table.smoker, "ill", "well")
    return quick(encoder=ConceptEncoder()).fit(table, y), table, y


def test_columns_are_told_as_the_encoder_read_them(people):
    model, table, y = people

    left = {"cabin": "asked for", "clinic": "constant, as they say"}
    found = gather_facts(model, table, y, source=Source("people.csv", dropped=left)).data

    assert (found.n_columns, found.n_concepts) == (6, len(model.concept_names_))
    columns = {column.name: column for column in found.columns}
    assert {name: column.kind for name, column in columns.items()} == {
        "age": "number",
        "color": "category",
        "smoker": "flag",
    }
    assert columns["age"].missing_share == pytest.approx(table.age.isna().mean())
    assert columns["smoker"].used
    assert [column.used for column in found.columns] == sorted((c.used for c in found.columns), reverse=True)
    assert found.dropped == (
        DroppedFacts("clinic", "constant, as they say"),
        DroppedFacts("id", "an identifier: 200 values in 200 rows"),
        DroppedFacts("cabin", "asked for"),
    )


def test_rows_and_classes_are_counted(people):
    model, table, y = people

    known = gather_facts(model, table, y, source=Source("p.csv", n_train=300, data_sha256="ab")).data
    unknown = gather_facts(model).data

    assert (known.name, known.n_rows, known.n_train, known.n_held_out) == ("p.csv", 500, 300, 200)
    assert (known.sha256, known.classes_of) == ("ab", "rows held out")
    n_ill = int((y == "ill").sum())
    assert known.classes[0] == ClassFacts("ill", n_ill, n_ill / 200)
    assert (unknown.n_rows, unknown.n_held_out) == (None, None)
    assert unknown.classes_of == "training rows, by the network's answers"
    assert sum(one.share for one in unknown.classes) == pytest.approx(1)


def test_rows_of_the_fit_are_named_so(people, clusters):
    model, table, y = people

    facts = gather_facts(model, table, y, source=Source(n_train=200, held_out=False))

    assert (facts.data.n_rows, facts.data.n_held_out, facts.data.classes_of) == (200, None, "training rows")
    assert (facts.overall.part, facts.overall.n) == ("training rows", 200)
    facts = gather_facts(clusters.model, clusters.X, source=Source(n_train=len(clusters.X)))
    assert (facts.overall.part, facts.data.classes_of) == ("rows given", "rows given, by their cluster")
    assert (facts.data.n_rows, facts.data.n_held_out) == (len(clusters.X), None)


def test_whose_answers_classes_are_is_said(iris):
    assert gather_facts(iris.model, iris.X).data.classes_of == "rows held out, by the answers of the network"


def test_rules_alone_tell_what_their_vocabulary_knows():
    words = Vocabulary(
        ("age", "color", "ill", "odd", "gone"),
        (Missing("age"), Above("age", 3), OneOf("color", ("red",)), Flag("ill"), Missing("odd")),
    )
    rules = ExplanationSet(
        [Explanation(Rule("yes", Var("ill"))), Explanation(Rule("maybe", Var("age > 3")))],
        words.names,
        vocabulary=words,
    )
    table = {"age": [1, None], "color": ["red", None], "ill": [True, False], "odd": [None, "b"]}

    found = gather_facts(rules, table, ["yes", "new"]).data

    assert found.columns == (
        ColumnFacts("age", "number", 0.5, True),
        ColumnFacts("ill", "flag", 0.0, True),
        ColumnFacts("color", "category", 0.5, False),
        ColumnFacts("odd", "category", 0.5, False),
    )
    assert found.dropped == (DroppedFacts("gone", "dropped when concepts were made"),)
    assert [(one.label, one.n) for one in found.classes] == [("yes", 1), ("maybe", 0), ("new", 1)]
    assert gather_facts(rules).data.columns[0].missing_share is None


def test_gaps_of_columns_without_names_are_counted():
    """Columns found by their place were listed without the share of their gaps."""
    words = Vocabulary(("age", "weight"), (Above("age", 3), Above("weight", 9)), optional=frozenset({"age"}))
    rules = ExplanationSet([Explanation(Rule("yes", Var("age > 3")))], words.names, vocabulary=words)

    found = gather_facts(rules, np.array([[1.0, 2.0], [np.nan, 3.0]])).data.columns

    assert [(column.name, column.missing_share) for column in found] == [("age", 0.5), ("weight", 0.0)]


def test_of_very_many_columns_the_first_are_listed_those_of_rules_before_others():
    names = [f"x{j}" for j in range(1000)]
    rules = ExplanationSet([Explanation(Rule("yes", Var("x999")))], names)

    found = gather_facts(rules, source=Source(dropped={f"d{j}": "constant" for j in range(250)})).data

    assert len(found.columns) == len(found.dropped) == MOST_COLUMNS
    assert found.columns[0] == ColumnFacts("x999", "score", 0.0, True)
    assert (found.n_columns, found.n_columns_left_out, found.n_dropped_left_out) == (1250, 800, 50)


def test_notes_on_how_the_file_was_read_are_kept():
    rules = ExplanationSet([Explanation(Rule("a", Var("x")))], ["x"])
    many = [f"Column {at} was read as text." for at in range(MOST_COLUMNS + 3)]

    assert gather_facts(rules).data.notes == ()
    assert gather_facts(rules, source=Source(notes=["Numbers have a decimal comma."])).data.notes == (
        "Numbers have a decimal comma.",
    )
    found = gather_facts(rules, source=Source(notes=tuple(many))).data
    assert (found.notes, found.n_notes_left_out) == (tuple(many[:MOST_COLUMNS]), 3)
    assert hash(Source(notes=["a"])) == hash(Source(notes=("a",)))
