"""What the counts of the source see."""

from __future__ import annotations

from pathlib import Path

from benchmarks.structure import counts, in_rings, lines_of_code, repeated


def test_documentation_is_no_code(tmp_path: Path):
    path = tmp_path / "a.py"
    path.write_text('"""What it is."""\n\nx = 1  # a remark\n"""What x is."""\n\n\ny = (\n    2\n)\n')

    assert lines_of_code(path) == 4


def test_rings_and_repeated_names_are_found():
    assert in_rings({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert repeated([("_rows", "a"), ("rows", "b"), ("cells", "a")]) == ["rows"]


def test_this_tree_has_one_meaning_for_a_name_and_no_rings():
    found = dict(counts(Path(__file__).parents[2]))

    assert found["module names with two homes"] == "0"
    assert found["modules that import each other"] == "0"
