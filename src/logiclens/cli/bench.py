"""``logiclens bench``: experiments of the paper, to be run by anyone."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from logiclens.cli.bench_paper import paper
from logiclens.cli.bench_tables import tables
from logiclens.cli.choices import one_of
from logiclens.cli.failing import clear_errors

bench = typer.Typer(
    name="bench",
    help="Experiments of the paper, to be run by anyone.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class SceneName(StrEnum):
    """The scenes of the adversarial experiment."""

    DIGITS = "digits"
    CUB = "cub"


@bench.callback()
def _bench() -> None:
    """Experiments of the paper, to be run by anyone."""


bench.command()(paper)
bench.command()(tables)


@bench.command()
def adversarial(
    data: Annotated[
        SceneName,
        typer.Option(help="Pictures to attack.", parser=one_of(SceneName), metavar="|".join(SceneName)),
    ] = SceneName.DIGITS,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the data; LOGICLENS_DATA by default.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for rules and results.")] = Path("results"),
    device: Annotated[str, typer.Option(help="Where networks run: cpu, cuda.")] = "cpu",
    epochs: Annotated[int, typer.Option(min=1, help="Passes of training.")] = 60,
    steps: Annotated[int, typer.Option(min=1, help="Steps of an attack.")] = 100,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Attack a network that says concepts and classes, and guard it by rules.

    Networks are trained on one part of the pictures, and LENs learn rules from it. Guards are set on a second
    part, to reject 5 % of it; a third part is attacked. Printed: robust accuracy with and without each set of
    rules, for several strengths. Results and rules go to the output folder as they come; rules found there
    are used again.

    \b
    Examples:
      logiclens bench adversarial
          pictures of digits, which need no files
      logiclens bench adversarial --data cub --data-dir DATA --device cuda
          pictures of birds, as in the paper
    """  # noqa: D301 - \b keeps lines
    with clear_errors():
        _adversarial(data, data_dir, out, device, (epochs, steps, seed))


def _adversarial(
    data: SceneName, data_dir: Path | None, out: Path, device: str, numbers: tuple[int, int, int]
) -> None:
    import sys

    import torch

    from logiclens.bench.adversarial import NETWORKS, Findings, Protocol, learn_rules, run
    from logiclens.bench.adversarial_tables import markdown_table
    from logiclens.bench.scenes import cub_scene, digits_scene
    from logiclens.explain import load_rules
    from logiclens.guard.attack import Budget, Norm

    epochs, steps, seed = numbers
    out.mkdir(parents=True, exist_ok=True)
    scene = cub_scene(data_dir, seed=seed) if data is SceneName.CUB else digits_scene(seed=seed)

    def tell(line: str) -> None:
        if sys.stderr.isatty():
            typer.echo(line, err=True)

    rules = {}
    for name in NETWORKS:
        file = out / f"rules_{scene.name}_{name}.json"
        if not file.exists():
            learn_rules(scene, [name], seed=seed, device=device)[name].save(file)
        rules[name] = load_rules(file)
    findings = Findings(out / f"adversarial_{scene.name}.json", tell=tell)
    findings.note("torch", f"{torch.__version__}, {device}")
    findings.note(
        "pictures", {"train": len(scene.train), "guard": len(scene.calibrate), "attack": len(scene.test)}
    )
    findings.note("seed", seed)
    sizes = (0.25, 0.5, 1.0) if data is SceneName.CUB else (0.3, 0.6, 1.0)
    weak = [Budget(size, Norm.L2, steps) for size in sizes]
    sharp = [Budget(size / 255 if data is SceneName.CUB else size / 20, Norm.LINF, steps) for size in (1, 2)]
    known = (weak[1],)
    run(
        scene, rules, Protocol(2, epochs, (*weak, *sharp), known, seed=seed), device=device, findings=findings
    )
    run(scene, rules, Protocol(1, epochs, (weak[1],), seed=seed), device=device, findings=findings)
    for tnorm in ("lukasiewicz", "product", "boolean"):
        typer.echo(f"\nRobust accuracy in %, {tnorm} t-norm:\n")
        typer.echo(markdown_table(findings.rows, tnorm))
