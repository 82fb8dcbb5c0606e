"""The figures one quotes: beside other models, more than chance or not, stable or not."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from logiclens.cli.headlines import _network_sentence
from logiclens.metrics.agreement import wilson
from logiclens.metrics.paired import Lead, p_text
from tests.cli.running import report_facts, run


def write(name: str, frame: pd.DataFrame, y: np.ndarray) -> None:
    frame.assign(y=y).to_csv(name, index=False)


def columns(n: int, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": random.integers(20, 90, n),
            "ward": random.choice(["ICU", "surgery"], n),
            "dose": random.normal(size=n).round(2),
        }
    )


def overall(*options: object) -> dict:
    return json.loads(run("explain", "table.csv", "--target", "y", *options, "--json", "-").stdout)["overall"]


def test_figures_are_about_the_same_rows():
    frame = columns(300)
    write("table.csv", frame, np.where((frame.age > 60) & (frame.ward == "ICU"), "high", "low"))
    found = overall("--stability", 3)
    compared = {each["name"]: each for each in found["comparison"]}

    assert list(compared) == ["rules", "network", "tree", "boosting", "guess"]
    assert compared["rules"]["accuracy"] == found["rules_accuracy"]
    assert compared["network"]["accuracy"] == found["network_accuracy"]
    assert compared["guess"]["accuracy"] == found["guess_accuracy"]
    assert found["network_over_rules"]["lead"] == pytest.approx(
        found["network_accuracy"] - found["rules_accuracy"]
    )
    assert found["better_than_guess"]["claimed"]
    assert found["better_than_guess"]["n"] == 300
    assert {each["condition"].split()[0] for each in found["stability"]["conditions"]} == {"age", "ward"}


def test_the_tree_is_called_by_the_splits_it_has():
    """Of columns a and b, exactly one: rules take four literals, and a tree of four splits there is none."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.integers(2, size=400), "b": random.integers(2, size=400)})
    write("table.csv", frame, np.where(frame.a != frame.b, "one", "none or both"))
    found = {each["name"]: each["title"] for each in overall("--stability", 0)["comparison"]}

    assert found["rules"] == "these rules, 4 literals"
    assert found["tree"] == "a tree with 3 splits"
    assert found["guess"] in ("always one", "always \u2039none or both\u203a")


def test_where_there_are_no_rules_of_that_length_it_is_said():
    frame = columns(200)
    write("table.csv", frame, np.where(frame.age > 60, "high", "low"))
    options = ["--target", "y", "--no-compare", "--stability", 0, "--literals"]

    assert (
        "Note: no rules of 30 literals were found; these have "
        in run("explain", "table.csv", *options, 30).stdout
    )
    assert "Note: no rules of" not in run("explain", "table.csv", *options, 1).stdout


def test_a_column_that_cannot_be_used_does_not_count_as_used():
    frame = columns(400).assign(code=[f"0{at // 2:04d}" for at in range(400)])
    write("table.csv", frame, np.where(frame.age > 60, "high", "low"))
    found = run("explain", "table.csv", "--target", "y", "--no-compare", "--stability", 0, "--json", "r.json")

    assert "table.csv: 400 rows, 3 columns used." in found.stdout
    data = json.loads(Path("r.json").read_text())["data"]
    assert data["columns"] == ["age", "ward", "dose"]
    assert [each["name"] for each in data["dropped"]] == ["code"]


def test_a_lead_of_nothing_is_called_none():
    assert _network_sentence(Lead(20, 0, 0)) == "Network and rules are right on the same rows."
    assert _network_sentence(Lead(20, 3, 3)) == "Network and rules are right on equally many rows."
    assert _network_sentence(Lead(20, 3, 1)).startswith("The network's lead of 10.0 points may be chance")


def test_nothing_is_claimed_of_random_labels():
    write("table.csv", columns(120), np.random.default_rng(1).choice(["a", "b"], 120))
    found = overall("--no-compare", "--stability", 0)

    assert not found["better_than_guess"]["claimed"]
    assert [each["name"] for each in found["comparison"]] == ["rules", "network", "guess"]
    assert found["stability"] is None
    said = run("explain", "table.csv", "--target", "y", "--stability", 0).stdout
    assert "better than always answering" in said or "none beat always answering" in said


def test_where_no_rules_are_shown_it_is_said_why_and_nothing_contradicts_it():
    """Beside "no rules were found that are better" stood that ten more literals would gain points."""
    write("table.csv", columns(120), np.random.default_rng(2).choice(["a", "b"], 120))
    options = ("explain", "table.csv", "--target", "y", "--stability", 0, "--no-compare")
    said = run(*options).stdout

    assert "none beat always answering" in said
    assert "would gain" not in said
    assert "that may be chance (--literals shows them)." in said
    run(*options, "--html", "report.html", "--json", "found.json")
    longer = report_facts("report.html")["overall"]["longer"]
    assert longer.startswith("Rules of ")
    assert f"{longer} (--literals shows them)." in said
    rated = [each for each in json.loads(Path("found.json").read_text())["front"] if each["literals"] <= 10]
    best = max(rated, key=lambda each: (each["accuracy"], -each["literals"]))
    assert longer.startswith(f"Rules of {best['literals']} literal")
    assert "No rules are shown" not in run(*options, "--literals", 0).stdout


def test_without_rows_held_out_the_claim_rests_on_cross_fitted_answers():
    frame = columns(200)
    write("table.csv", frame, np.where(frame.age > 60, "old", "young"))
    found = overall("--holdout", 0, "--no-compare", "--stability", 0)

    assert found["better_than_guess"]["n"] == 200
    assert found["better_than_guess"]["claimed"]
    assert "lead" not in run("explain", "table.csv", "--target", "y", "--holdout", 0).stdout


@pytest.mark.parametrize(
    ("p_value", "text"), [(0.0004, "p < 0.001"), (0.0123, "p = 0.012"), (0.31, "p = 0.31"), (1.0, "p = 1.00")]
)
def test_a_p_value_is_written_as_people_write_it(p_value: float, text: str):
    assert p_text(p_value) == text


def test_headlines_are_those_of_the_exported_list():
    """Recomputed in DuckDB from the SQL of the list, on the rows that were held out."""
    frame = columns(400)
    kinds = np.select(
        [frame.age > 70, frame.ward == "ICU", frame.dose > 0.5], ["old", "ICU", "dosed"], "other"
    )
    write("table.csv", frame, kinds)
    options = ["--no-compare", "--stability", 0, "--json", "-"]
    found = json.loads(run("explain", "table.csv", "--target", "y", *options).stdout)
    rows = ", ".join(map(str, found["data"]["held_out"]))
    answer = duckdb.sql(
        f"SELECT {found['decision']['sql']} AS said, y, count(*) FROM "
        "(SELECT *, row_number() OVER () AS number FROM read_csv('table.csv')) "
        f"WHERE number IN ({rows}) GROUP BY ALL"
    ).fetchall()

    assert sum(n for *_, n in answer) == found["overall"]["n"]
    right = sum(n for said, true, n in answer if said == true)
    assert right / found["overall"]["n"] == found["overall"]["rules_accuracy"]
    for rule in found["rules"]:
        given = {true: n for said, true, n in answer if said == rule["label"]}
        assert given[rule["label"]] / sum(given.values()) == rule["precision"]["value"]


def test_terminal_json_and_report_have_one_lead_and_intervals_that_know_of_groups():
    """The report forgot that rows were copies: its p-value and intervals were those of six times the rows."""
    frame = columns(100).assign(score=np.random.default_rng(5).normal(size=100))
    y = np.where((frame.age > 60) ^ (np.random.default_rng(4).random(100) < 0.2), "high", "low")
    write("table.csv", pd.concat([frame] * 6), np.tile(y, 6))
    options = ["--no-compare", "--stability", 0, "--html", "report.html"]
    found = json.loads(run("explain", "table.csv", "--target", "y", *options, "--json", "-").stdout)
    text = Path("report.html").read_text(encoding="utf-8").split('id="facts">')[1]
    facts = json.loads(text.split("</script>")[0])
    lead, shown = found["overall"]["better_than_guess"], facts["overall"]["lead"]

    assert lead["n"] == pytest.approx(100, abs=1e-6)
    assert {name: shown[name] for name in ("low", "high", "p_value", "claimed")} == {
        name: lead[name] for name in ("low", "high", "p_value", "claimed")
    }
    ahead, shown = found["overall"]["network_over_rules"], facts["overall"]["network_lead"]
    assert [shown[name] for name in ("size", "low", "high")] == pytest.approx([*ahead.values()], abs=1e-4)
    n = len(found["data"]["held_out"]) / 6
    for step in facts["policy"]["steps"]:
        precision = step["precision"]
        ends = wilson(precision["value"], step["n"] / 6)
        assert (precision["low"], precision["high"]) == pytest.approx(ends, abs=1e-4)
    rules = {each["name"]: each for each in found["overall"]["comparison"]}["rules"]
    assert (rules["low"], rules["high"]) == pytest.approx(wilson(rules["accuracy"], n))
    point = facts["lengths"][-1]["accuracy"]
    assert (point["low"], point["high"]) == pytest.approx(wilson(point["value"], n), abs=1e-4)
    for each in found["front"]:
        assert (each["low"], each["high"]) == pytest.approx(wilson(each["accuracy"], 100 - n), abs=1e-6)


def test_the_report_counts_columns_and_names_classes_as_the_terminal_does():
    frame = columns(300).assign(
        visit_id=np.arange(300) + 7, day=pd.date_range("2024-01-01", periods=300).astype(str)
    )
    write("table.csv", frame, 10 * frame.age)
    options = ["--above", "500", "--date", "day", "--no-compare", "--stability", 0, "--html", "report.html"]
    printed = run("explain", "table.csv", "--target", "y", *options).stdout
    text = Path("report.html").read_text(encoding="utf-8")
    facts = json.loads(text.split('id="facts">')[1].split("</script>")[0])
    data = facts["data"]

    assert "300 rows, 4 columns used" in printed
    assert data["n_columns"] - len(data["dropped"]) == 4  # a date is one, whatever is made of it
    assert "visit_id" not in {each["column"] for each in facts["grouped"]}  # each row has its own
    assert '<bdi class="is">y &gt; 500</bdi>' in text
    assert '<span class="of"><bdi>y</bdi> =</span>' not in text


def test_columns_are_not_doubted_where_the_network_knows_more():
    frame = columns(300)
    noise = np.random.default_rng(2).random(300) < 0.08
    write("table.csv", frame, np.where(((frame.age > 60) & (frame.ward == "ICU")) ^ noise, "high", "low"))
    options = ["--target", "y", "--literals", 0, "--no-compare", "--stability", 0]
    printed = run("explain", "table.csv", *options).stdout

    assert "The network's lead" in printed
    assert "is more than chance" in printed
    assert "may not decide" not in printed


def test_rules_of_one_direction_say_that_their_front_is_a_mean_over_classes():
    frame = columns(200)
    write("table.csv", frame, np.where((frame.age > 60) | (frame.ward == "ICU"), "high", "low"))
    options = ["--target", "y", "--front", "--no-compare", "--stability", 0]
    plain, only_if = (
        run("explain", "table.csv", *options, *more).stdout for more in ([], ["--rule", "only_if"])
    )

    assert "means over the classes" in " ".join(only_if.split())
    assert "means over the classes" not in " ".join(plain.split())


def test_a_weighted_class_does_not_change_what_a_guess_is():
    write("table.csv", columns(250), np.where(np.random.default_rng(3).random(250) < 0.2, "Yes", "No"))
    found = overall("--goal", "balanced", "--literals", 3, "--no-compare", "--stability", 0)

    assert not found["better_than_guess"]["claimed"]


def test_what_was_learned_from_is_no_proof():
    write("table.csv", columns(60), np.random.default_rng(1).choice(["a", "b"], 60))
    options = ["--holdout", 0, "--rule", "only_if", "--literals", 8, "--no-compare", "--stability", 0]

    assert not overall(*options)["better_than_guess"]["claimed"]
    assert "it is not tested" in run("explain", "table.csv", "--target", "y", *options).stdout
