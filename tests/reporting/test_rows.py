from __future__ import annotations

import json

import numpy as np
import pandas as pd

from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.reporting import Source
from logiclens.reporting._about_data import MOST_ROWS
from logiclens.reporting._report import gather_facts

RULES = ExplanationSet(
    [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ["wings", "fins"],
    default="fish",
)


def test_rows_about_which_the_rules_are_wrong_are_listed_with_marks():
    X = pd.DataFrame({"name": ["owl", "eel", "cod", "ray"], "fins": [0, 0, 1, 1], "wings": [1, 0, 0, 1]})

    facts = gather_facts(RULES, X, ["bird", "bird", "fish", "fish"], rows=True)

    assert json.loads(facts.to_json())["rows"] == [
        {
            "row": 2,
            "values": {"wings": 0, "fins": 0, "name": "eel"},
            "truth": "bird",
            "network": None,
            "rules": "fish",
            "mark": "default",
        },
        {
            "row": 4,
            "values": {"wings": 1, "fins": 1, "name": "ray"},
            "truth": "fish",
            "network": None,
            "rules": "bird",
            "mark": "",
        },
    ]
    assert facts.n_rows_left_out == 0


def test_no_row_is_in_the_facts_unless_asked_for():
    secret = "this belongs to one person"
    X = pd.DataFrame({"name": [secret, "b"], "fins": [0, 1], "wings": [0, 1]})

    hidden = gather_facts(RULES, X, ["bird", "fish"])

    assert hidden.rows is None
    assert secret not in hidden.to_json()
    assert secret in gather_facts(RULES, X, ["bird", "fish"], rows=True).to_json()


def test_of_many_rows_the_first_are_listed(iris):
    y = np.where(iris.y == "setosa", "virginica", "setosa")
    X, y = pd.concat([iris.X] * 3), np.tile(y, 3)

    facts = gather_facts(iris.model, X, y, rows=True)

    assert len(facts.rows) == MOST_ROWS
    assert facts.n_rows_left_out == 225 - MOST_ROWS
    assert facts.rows[0].network in iris.model.classes_
    assert next(iter(facts.rows[0].values)) == facts.inputs[0].name


def test_several_labels_of_a_row_stand_side_by_side(several):
    facts = gather_facts(several.model, several.X, ~several.y, rows=True)

    assert {row.truth for row in facts.rows} <= {"", "y0", "y1", "y0, y1"}
    assert all(row.mark == "" for row in facts.rows)


def test_values_of_every_type_are_written():
    X = pd.DataFrame(
        {
            "wings": [1, 1],
            "fins": [0, 0],
            "born": pd.to_datetime(["2020-01-02", None]),
            "weight": [1.5, np.nan],
            "tame": [True, False],
        }
    )

    facts = gather_facts(RULES, X, ["fish", "fish"], rows=True)

    first, second = (dict(row.values) for row in facts.rows)
    assert (first["born"][:10], first["weight"], first["tame"]) == ("2020-01-02", 1.5, True)
    assert (second["born"], second["weight"], second["tame"]) == (None, None, False)


def test_rows_are_called_what_the_source_says():
    X = pd.DataFrame({"fins": [0, 0, 1, 1], "wings": [1, 0, 0, 1]})
    y = ["bird", "bird", "fish", "fish"]

    facts = gather_facts(RULES, X, y, rows=True, source=Source(row_numbers=np.array([11, 12, 15, 30])))

    assert [row.row for row in facts.rows or ()] == [12, 30]
