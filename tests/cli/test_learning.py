"""What commands that learn share: training, figures, reports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import logiclens
from logiclens.cli import learning
from logiclens.cli import options as opt
from logiclens.cli.explain_command import DemoData, demo_table
from logiclens.cli.learning import Request, Settings, classifier, cross_validate, write_report
from logiclens.cli.options import NetworkKind, RuleKindName, Selection, command_line
from logiclens.cli.outputs import METRICS
from logiclens.cli.selection import select_rows
from logiclens.cli.terminal import Progress
from logiclens.reporting import _report
from tests.cli.running import STAYS, CliRunner, run


@pytest.mark.parametrize("network", NetworkKind)
def test_settings_arrive(network: NetworkKind, prepared):
    settings = Settings(network, RuleKindName.ONLY_IF, 7, max_literals=4, distillation=1.0)
    model = classifier(prepared, settings, verbose=True)

    assert type(model).__name__ == f"{network.value.capitalize()}Classifier"
    assert (model.rule, model.random_state, model.max_literals, model.verbose) == ("only_if", 7, 4, True)
    assert (model.literals, model.distillation, model.device) == ("auto", 1.0, "cpu")
    assert isinstance(model.encoder, logiclens.ConceptEncoder)


@pytest.mark.parametrize(
    ("settings", "longest"),
    [({}, "auto"), ({"literals": 80}, "auto"), ({"literals": 8, "max_literals": 5}, 8)],
)
def test_the_front_goes_as_far_as_the_length_that_is_asked_for(
    settings: dict[str, int], longest: Any, prepared
):
    model = classifier(prepared, Settings(**settings))

    assert (model.max_literals, model.literals) == (longest, settings.get("literals", "auto"))


@pytest.fixture
def prepared():
    return select_rows(demo_table(DemoData.IRIS), Selection("species"))


@pytest.fixture
def model(prepared):
    return learning.train(prepared, Settings(), Progress(False))


def test_rows_held_out_are_not_trained_on(prepared, model):
    rows, labels = prepared.part(~prepared.held_out)

    assert len(labels) == 105
    assert model.vocabulary_ == logiclens.ConceptEncoder().fit(rows, labels).vocabulary_


def test_metrics_are_means_over_folds(prepared):
    found = cross_validate(prepared, Settings(), 2, Progress(False))
    scores = logiclens.cross_explain(classifier(prepared, Settings()), prepared.inputs, prepared.labels, cv=2)
    accuracies = np.asarray(scores["model_accuracy"])

    assert list(found) == list(METRICS)
    assert found["model_accuracy"].mean == pytest.approx(accuracies.mean())
    assert found["model_accuracy"].standard_error == pytest.approx(abs(np.diff(accuracies)[0]) / 2)
    assert np.isnan(found["time"].standard_error)


def test_figures_are_those_of_the_rows_held_out(prepared, model):
    found = prepared.evaluate(model)
    rows, truth = prepared.part(prepared.held_out)
    rules = model.explain()

    assert (found.part, found.rows.n_train, found.n) == ("held out", 105, 45)
    assert found.network_accuracy == model.score(rows, truth)
    assert found.truth.accuracy == rules.score(rows, truth)
    assert found.guess_accuracy == pytest.approx(1 / 3)
    assert found.fidelity == (rules.predict(rows) == model.predict(rows)).mean()
    for at, (label, each) in enumerate(zip(rules, found.classes, strict=True)):
        fired = rules[label].evaluate(rows)
        assert (each.label, each.n_all, each.n) == (label, 50, 15)
        assert each.fidelity == (fired == model.decide(rows)[:, at]).mean()
        assert each.agreement == (fired == (truth == label)).mean()


def test_without_rows_held_out_all_are_scored(model):
    found = select_rows(demo_table(DemoData.IRIS), Selection("species", holdout=0.0)).evaluate(model)

    assert (found.part, found.rows.n_train, found.n) == ("trained on", 150, 150)


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
    typed.append(command_line(context))


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


@pytest.mark.parametrize(("holdout", "n_train", "n"), [(0.3, 105, 45), (0.0, 150, 150)])
def test_the_report_knows_where_its_data_come_from(
    holdout: float, n_train: int, n: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    seen: dict[str, Any] = {}
    monkeypatch.setattr("logiclens.reporting.report", lambda *args, **more: seen.update(more, args=args))
    data = replace(demo_table(DemoData.IRIS), notes=("Numbers have a decimal comma.",))
    selection = Selection("species", ignore=["petal width (cm)"], holdout=holdout)
    request = Request(selection, Settings(), rows=True, command="logiclens explain")
    found = learning.fit(select_rows(data, selection), Settings(), Progress(False))
    write_report(tmp_path / "r.html", found, request)
    source = seen["source"]

    assert (source.name, source.n_train, source.task) == ("iris", n_train, "classify")
    assert source.held_out == (holdout > 0)
    assert source.dropped == {"petal width (cm)": "left out by --ignore"}
    assert source.command == "logiclens explain"
    assert source.notes == ("Numbers have a decimal comma.",)
    assert (seen["target"], seen["rows"], seen["path"]) == ("species", True, tmp_path / "r.html")
    assert seen["args"][1].n_rows == n


def test_rows_have_their_numbers_in_the_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    """Those that ``explain-row --row`` takes: rows without a target count, too."""
    monkeypatch.chdir(tmp_path)
    lines = STAYS.read_text(encoding="utf-8").splitlines()
    header = lines[0].split(",")
    first = lines[1].split(",")
    first[header.index("risk")] = ""
    (tmp_path / "rows.csv").write_text("\n".join([lines[0], ",".join(first), *lines[1:], ""]), "utf-8")
    seen: list[Any] = []
    gather = _report.gather_facts
    monkeypatch.setattr(_report, "gather_facts", lambda *a, **m: seen.append(gather(*a, **m)) or seen[-1])
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
