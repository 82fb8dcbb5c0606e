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


_STRENGTHS = {
    SceneName.DIGITS: {"l2": (0.3, 0.6, 1.0), "linf": (0.05, 0.1)},
    SceneName.CUB: {"l2": (0.1, 0.25, 0.5, 1.0, 2.0), "linf": (0.5 / 255, 1 / 255, 2 / 255, 4 / 255)},
}
"""How far attacks may change a picture, by the norm."""
_MIDDLE = {SceneName.DIGITS: 0.6, SceneName.CUB: 0.5}
"""L2 strength of the attack that knows the guard, and of that on one network for concepts and classes."""


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
    rules, for several strengths. Results and rules go to the output folder as they come; rules of the same
    seed that are found there are used again.

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
        file = out / f"rules_{scene.name}_{seed}_{name}.json"
        if not file.exists():
            learn_rules(scene, [name], seed=seed, device=device)[name].save(file)
        rules[name] = load_rules(file)
    findings = Findings(out / f"adversarial_{scene.name}_{seed}.json", tell=tell)
    findings.note("torch", f"{torch.__version__}, {device}")
    findings.note(
        "pictures", {"train": len(scene.train), "guard": len(scene.calibrate), "attack": len(scene.test)}
    )
    findings.note("seed", seed)
    plain = [Budget(size, Norm(norm), steps) for norm, sizes in _STRENGTHS[data].items() for size in sizes]
    middle = (Budget(_MIDDLE[data], Norm.L2, steps),)
    for protocol in (
        Protocol(2, epochs, tuple(plain), adaptive=middle, seed=seed),
        Protocol(1, epochs, middle, seed=seed),
    ):
        run(scene, rules, protocol, device=device, findings=findings)
    for tnorm in ("lukasiewicz", "product", "boolean"):
        typer.echo(f"\nRobust accuracy in %, {tnorm} t-norm:\n")
        typer.echo(markdown_table(findings.rows, tnorm))
