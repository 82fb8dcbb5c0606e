"""``logiclens explain-row``: why a row is predicted as it is, and what would change it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.explain import HeldOutScores
from logiclens.logic import FALSE, Var
from tests.cli import running
from tests.cli.saved import PATIENTS, TABLE, model_file, rules_of, saved


def run(*arguments: object, **settings):
    return running.run("explain-row", *arguments, **settings)


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> Path:
    """A folder with rules and a table; the work is done there."""
    saved(PATIENTS, tmp_path)
    Path("rows.csv").write_text(TABLE)
    return tmp_path


def test_what_is_printed():
    result = run("rules.json", "rows.csv", "--row", "1")

    assert result.exit_code == 0, result.output
    assert result.output == (
        "Row 1 of rows.csv\n"
        "\n"
        " column  value\n"
        " ─────────────\n"
        " age     70\n"
        " ward    ICU\n"
        "\n"
        "The rules predict ill:\n"
        "  if age > 62, or age > 30 and ward = ICU then ill\n"
        "  Because: age is above 30 and ward is ICU.\n"
        "  That is enough, whatever the other columns hold; other reasons would do, too.\n"
        "  True of this row: age is above 30 and ward is ICU.\n"
        "  True of this row: age is above 62.\n"
        "  No earlier step is true of this row.\n"
        "What would change it:\n"
        "  The prediction would be well if age were at most 30.\n"
    )


def test_the_rule_that_decides_is_logic_on_request():
    result = run("rules.json", "rows.csv", "--row", "1", "--logic")

    assert "\nif age(x) > 62 | (age(x) > 30 & ward(x) = ICU) then ill\n" in result.output


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            2,
            "  Because: age is above 30 and ward is ICU.\n"
            "  That is enough, whatever the other columns hold; each condition is needed.\n"
            "  No earlier step is true of this row.\nWhat would",
        ),
        (3, " ward    missing\n\nThe rules predict well:\n"),
        (3, "then well\n  Because: age is at most 30.\n"),
        (4, "The rules predict gone:\n"),
        (4, "then gone\n  Because: age is above 62 and ward is missing.\n"),
        (
            5,
            "The rules predict well:\n  No step is true of this row, and well is the default.\n  Because:",
        ),
        (5, "  Because: age is at most 62 and (ward is not ICU or missing).\n"),
        (5, "change it:\n  The prediction would be ill if age were above 62.\n"),
    ],
)
def test_each_kind_of_row(row: int, expected: str):
    assert expected in run("rules.json", "rows.csv", "--row", row).output


def test_terms_that_are_right_more_often_come_first(files):
    """A file with the column that is predicted says how often; rows without a class do not count."""
    scored = replace(PATIENTS, held_out=HeldOutScores((1, 1, 1, 1), (1, 1, 1, 1), "state"))
    saved(scored, files, "scored.json")
    Path("known.csv").write_text(
        "age,ward,state\n70,ICU,ill\n70,A,ill\n70,B,ill\n40,ICU,well\n40,ICU,ill\n40,ICU,\n20,A,odd\n"
    )
    assert (
        "  True of this row: age is above 62 (right on 3 of 3 such rows in the file, "
        "95 % interval 43.9% to 100.0%).\n"
        "  True of this row: age is above 30 and ward is ICU (right on 2 of 3 such rows in the file, "
        "95 % interval 20.8% to 93.9%).\n"
    ) in run("scored.json", "known.csv", "--row", "1").output


def test_a_decision_that_is_always_the_same(files):
    saved(rules_of({"x": Var("a") | ~Var("a"), "y": FALSE}, ["a"], default="x"), files, "always.json")
    Path("bits.csv").write_text("a\n1\n")

    assert "  The rules predict this for every row.\n" in run("always.json", "bits.csv", "--row", "1").output


def test_a_class_can_be_asked_for():
    output = run("rules.json", "rows.csv", "--row", "1", "--class", "gone").output

    assert output.endswith("  The prediction would be gone if ward were missing.\n")


def ways(*options: object) -> str:
    return run("rules.json", "rows.csv", "--row", "1", *options).output.partition("change it:\n")[2]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--ways", 3), ["would be well if age were at most 30", "would be gone if ward were missing"]),
        (("--increasing", "age", "--ways", 3), ["would be gone if ward were missing"]),
        (("--fixed", "age"), ["would be gone if ward were missing"]),
        (("--decreasing", "age", "--cost", "age=2"), ["would be gone if ward were missing"]),
        (("--range", "age=20:60"), ["would be well if age were at most 30"]),
        (("--range", "age=40:"), ["would be gone if ward were missing"]),
        (("--range", "ward=ICU,B"), ["would be well if age were at most 30"]),
    ],
)
def test_the_way_may_have_limits(options: tuple[object, ...], said: list[str]):
    assert ways(*options) == "".join(f"  The prediction {one}.\n" for one in said)


def test_what_forbids_every_change_is_said():
    assert ways("--fixed", "ward", "--increasing", "age") == (
        "  No change within the limits would do: age may only increase. But for that: "
        "The prediction would be well if age were at most 30.\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fixed", "agee"), "'agee'. Did you mean 'age'?"),
        (("--increasing", "ward"), "The values of 'ward' have no order."),
        (("--range", "age"), "--range is COLUMN=LOW:HIGH or COLUMN=VALUE,VALUE. Got 'age'."),
        (("--range", "age=60:20"), "The range of 'age' must be (low, high)"),
        (("--cost", "age"), "--cost is COLUMN=PRICE. Got 'age'."),
        (("--cost", "age=cheap"), "The cost of 'age' must be a positive number."),
    ],
)
def test_limits_that_cannot_be(options: tuple[object, ...], said: str):
    result = run("rules.json", "rows.csv", "--row", "1", *options)

    assert result.exit_code == 1
    assert said in " ".join(result.stderr.split())


def test_the_network_is_asked_where_there_is_one(files):
    model = model_file(files)
    output = run(model, "rows.csv", "--row", "1").output

    assert "The rules predict ill:\n" in output
    assert "The network predicts ill.\n" in output
    Path("less.csv").write_text("age\n70\n")
    less = run(model, "less.csv", "--row", "1")
    assert less.exit_code == 0, less.output
    assert "The network cannot be asked:\n  The data lack the column 'ward'." in less.output


def test_rows_with_several_labels(files):
    rules = rules_of({"x": Var("a"), "y": Var("a") & Var("b"), "z": FALSE}, ["a", "b"], multi_label=True)
    saved(rules, files, "several.json")
    Path("bits.csv").write_text("a,b\n1,1\n0,1\n0.7,0.2\n")

    both = run("several.json", "bits.csv", "--row", "1").output
    assert "The rules predict x:\n" in both
    assert "The rules predict y:\n" in both
    none = run("several.json", "bits.csv", "--row", "2").output
    assert "The rules predict no label: none of them is true of this row.\n" in none
    assert none.endswith("  x would be predicted if a were true.\n")
    one = run("several.json", "bits.csv", "--row", "3", "--class", "y").output
    assert one.endswith("  y would be predicted if b were true.\n")


def test_columns_without_names_are_found_by_their_place(files):
    words = Vocabulary(("x0", "x1"), (Above("x1", 62),), named=False)
    saved(
        rules_of({"x": Var("x1 > 62"), "y": ~Var("x1 > 62")}, words.names, vocabulary=words),
        files,
        "bare.json",
    )
    Path("two.csv").write_text("height,age\n180,70\n")
    output = run("bare.json", "two.csv", "--row", "1").output

    assert " age     70\n" in output
    assert "The rules predict x:\n" in output


def test_codes_are_text_to_the_rules(files):
    """A column that was text is text, also in a file with none but numbers in it."""
    words = Vocabulary(("code",), (OneOf("code", ("007",)),))
    rules = rules_of({"x": Var("code = 007"), "y": ~Var("code = 007")}, words.names, vocabulary=words)
    saved(rules, files, "codes.json")
    Path("codes.csv").write_text("code\n007\n7\n")

    assert "The rules predict x:" in run("codes.json", "codes.csv", "--row", "1").output
    assert "The rules predict y:" in run("codes.json", "codes.csv", "--row", "2").output


def test_hostile_names_and_values_are_inert(files):
    name = '<script>\x1b[31m"; DROP'
    rules = rules_of({"x": Var(name), "y": ~Var(name)}, [name])
    saved(rules, files, "hostile.json")
    quoted = name.replace('"', '""')
    Path("hostile.csv").write_text(f'"{quoted}"\n1\n')
    output = run("hostile.json", "hostile.csv", "--row", "1").output

    assert output.replace("\n", "").isprintable()
    assert '<script>\\u001b[31m"; DROP  1' in output


def test_other_files():
    Path("rows.tsv").write_text(TABLE.replace(",", "\t"))
    assert run("rules.json", "rows.tsv", "--row", "1").stdout.startswith("Row 1 of rows.tsv")
    assert "The rules predict ill" in run("rules.json", "-", "--row", "2", input=TABLE).output


def test_a_value_that_is_no_number_counts_as_missing():
    Path("odd.csv").write_text("age,ward\nold,ICU\n62,ICU\n")
    result = run("rules.json", "odd.csv", "--row", "1")

    assert result.exit_code == 0
    assert re.search(r"^ age +missing$", result.stdout, re.MULTILINE)
    assert result.stderr == (
        "Column 'age': 1 of 2 values is no number ('old', line 2) and counts as missing.\n"
    )
