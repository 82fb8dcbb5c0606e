"""The report of a command."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from logiclens.cli import options as opt
from logiclens.cli.reports import command_typed, write_report
from logiclens.reporting import _gathering
from tests.cli.running import STAYS, CliRunner, run

app = typer.Typer()
typed: list[str] = []


@app.command()
def show(
    context: typer.Context,
    data: str,  # noqa: ARG001 - read from the context
    use: opt.Use = None,  # noqa: ARG001
    seed: opt.Seed = 0,  # noqa: ARG001
    rows: opt.Rows = False,  # noqa: ARG001
) -> None:
    """Note what was typed."""
    typed.append(command_typed(context))


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["a.csv"], "logiclens show a.csv"),
        (["my data.csv", "--seed", "3"], "logiclens show 'my data.csv' --seed 3"),
        (["--rows", "a.csv", "--use", "a,b", "--use", "c"], "logiclens show a.csv --use a,b --use c --rows"),
    ],
)
def test_the_command_can_be_typed_again(words: list[str], command: str):
    assert CliRunner().invoke(app, words, prog_name="show").exit_code == 0

    assert typed[-1] == command


def test_the_report_knows_where_its_data_come_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    from logiclens.cli.demo import DemoData, carried
    from logiclens.cli.preparing import Wish, prepare

    seen: dict[str, Any] = {}
    monkeypatch.setattr("logiclens.reporting.report", lambda *args, **more: seen.update(more, args=args))
    data = carried(DemoData.IRIS)._replace(notes=("Numbers have a decimal comma.",))
    prepared = prepare(data, Wish("species", ignore=["petal width (cm)"]))
    write_report(tmp_path / "r.html", "model", prepared, rows=True, command="logiclens explain")
    source = seen["source"]

    assert (source.name, source.n_train, source.task) == ("iris", 105, "classify")
    assert source.held_out is True
    assert source.dropped == {"petal width (cm)": "left out by --ignore"}
    assert source.command == "logiclens explain"
    assert source.notes == ("Numbers have a decimal comma.",)
    assert (seen["target"], seen["rows"], seen["path"]) == ("species", True, tmp_path / "r.html")
    assert seen["args"][1].num_rows == len(seen["args"][2]) == 45


def test_rows_that_were_trained_on_are_not_called_held_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    from logiclens.cli.demo import DemoData, carried
    from logiclens.cli.preparing import Wish, prepare

    seen: dict[str, Any] = {}
    monkeypatch.setattr("logiclens.reporting.report", lambda *_, **more: seen.update(more))
    write_report(tmp_path / "r.html", "model", prepare(carried(DemoData.IRIS), Wish("species", holdout=0.0)))

    assert seen["source"].held_out is False
    assert seen["source"].n_train == 150


def test_rows_have_their_numbers_in_the_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    """Those that ``explain-row --row`` takes: rows without a target count, too."""
    monkeypatch.chdir(tmp_path)
    lines = STAYS.read_text(encoding="utf-8").splitlines()
    header = lines[0].split(",")
    first = lines[1].split(",")
    first[header.index("risk")] = ""
    (tmp_path / "rows.csv").write_text("\n".join([lines[0], ",".join(first), *lines[1:], ""]), "utf-8")
    seen: list[Any] = []
    gather = _gathering.gather_facts
    monkeypatch.setattr(_gathering, "gather_facts", lambda *a, **m: seen.append(gather(*a, **m)) or seen[-1])
    done = run("explain", "rows.csv", "--target", "risk", "--html", "r.html", "--rows", "--save", "m.json")

    assert done.exit_code == 0, done.output
    listed = seen[0].rows
    assert listed
    for row in listed:
        values = dict(zip(header, ([lines[0], ",".join(first), *lines[1:]][row.row]).split(","), strict=True))
        assert values["ward"] == row.values["ward"]
        assert values["risk"] == row.truth
        assert float(values["age"]) == row.values["age"]
        told = run("explain-row", "m.json", "rows.csv", "--row", row.row).output
        assert f"The rules predict {row.rules}:" in told
