"""Tables and the figure of attacks on networks (Fig. 11).

    python -m benchmarks.adversarial_page [A.json B.json]

The experiment itself is ``python -m benchmarks.adversarial``. Findings of several seeds, each with a network,
rules and pictures of its own, are joined into one file among the results; without arguments, the tables of
the page and its figure are made anew from that file. The tables are about all seeds together.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import filled
from logiclens.bench.result_figures import as_svg
from logiclens.bench.table_layout import Cell, ResultTable
from logiclens.metrics.agreement import wilson

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "adversarial_cub.json"
PAGE = ROOT / "docs" / "explanation" / "guard_under_attack.md"
FIGURE = ROOT / "docs" / "images" / "adversarial.svg"
TNORM = "lukasiewicz"

Row = Mapping[str, Any]
"""One attack, strength, t-norm and set of rules; see :mod:`benchmarks.adversarial`."""

Run = Mapping[str, Any]
"""Findings of one seed: facts ``about`` it, and ``rows``."""

_SAME = ("towers", "attack", "norm", "eps", "rules", "tnorm")
_MEANS = ("robust", "rejected", "clean_rejected", "clean_right", "literals")
_HEADS = {"none": "no rules", "apgd-ce": "APGD-CE", "adaptive": "knows the guard"}
_PAPER = ("l2", 0.5)  # the strength of Fig. 11
_COLORS = {"none": "#d6879b", "psi": "#8f6a00", "mu": "#0b7285", "relu": "#5f3dc4", "entropy": "#2b8a3e"}


def strength(row: Row) -> str:
    """Norm and size of the changes that an attack was allowed, as people write them."""
    if row["norm"] == "linf":
        return f"L-infinity {row['eps'] * 255:.3g}/255"
    return f"L2 {row['eps']:.3g}"


def pooled(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """One row for those that differ in their seed alone: means over all pictures, and 95 % intervals.

    No picture is attacked with two seeds of 0 to 4 (:func:`~benchmarks.scenes.cub_scene`), so the number
    of pictures is the sum. Rows are sorted: two networks before one, weak attacks before strong ones.

    Examples
    --------
    >>> row = {"attack": "apgd-ce", "norm": "l2", "eps": 0.5, "towers": 2, "tnorm": "none", "rules": "none"}
    >>> row |= {"rejected": 0.0, "clean_rejected": 0.0, "clean_right": 0.5, "literals": 0.0, "n": 100}
    >>> (both,) = pooled([row | {"robust": 0.02, "seed": 2}, row | {"robust": 0.04, "seed": 3}])
    >>> both["robust"], both["n"], both["seeds"]
    (0.03, 200, (2, 3))
    """
    alike: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        alike.setdefault(tuple(row[name] for name in _SAME), []).append(row)
    found = []
    for key, mine in alike.items():
        n = sum(row["n"] for row in mine)
        both = dict(zip(_SAME, key, strict=True)) | {"n": n, "seeds": tuple(row["seed"] for row in mine)}
        both |= {name: sum(row[name] * row["n"] for row in mine) / n for name in _MEANS}
        low, high = wilson(both["robust"], n)
        found.append(both | {"low": low, "high": high})
    return sorted(
        found, key=lambda row: (-row["towers"], row["norm"], row["attack"] == "adaptive", row["eps"])
    )


def markdown_table(rows: Iterable[Row], tnorm: str) -> str:
    """Robust accuracy in percent, with its 95 % interval: a line for each attack, a column for each rule set.

    Examples
    --------
    >>> row = {"attack": "apgd-ce", "norm": "l2", "eps": 0.5, "towers": 2, "tnorm": "none", "rules": "none"}
    >>> print(markdown_table([row | {"robust": 0.03, "low": 0.02, "high": 0.04}], "product"))
    | networks | attack | strength | no rules |
    |---|---|---|---|
    | 2 | APGD-CE | L2 0.5 | 3.0 (2.0 to 4.0) |
    """
    chosen = [row for row in rows if row["tnorm"] in (tnorm, "none")]
    sets = list(dict.fromkeys(row["rules"] for row in chosen))
    lines: dict[tuple[Any, ...], dict[str, str]] = {}
    for row in chosen:
        attack = _HEADS.get(row["attack"], row["attack"])
        line = lines.setdefault((row["towers"], attack, strength(row)), {})
        line[row["rules"]] = _percent(row["robust"], (row["low"], row["high"]))
    heads = ["networks", "attack", "strength", *(_HEADS.get(name, name) for name in sets)]
    return _table(heads, [[*key, *(line.get(name, "") for name in sets)] for key, line in lines.items()])


def tnorm_table(rows: Iterable[Row], towers: int, norm: str, eps: float) -> str:
    """Robust accuracy in percent at one strength: a line for each t-norm, a column for each rule set."""
    at = (towers, "apgd-ce", norm, eps)
    mine = [row for row in rows if (row["towers"], row["attack"], row["norm"], row["eps"]) == at]
    sets = list(dict.fromkeys(row["rules"] for row in mine if row["rules"] != "none"))
    values = {(row["tnorm"], row["rules"]): f"{100 * row['robust']:.1f}" for row in mine}
    tnorms = dict.fromkeys(row["tnorm"] for row in mine if row["tnorm"] != "none")
    lines = [[tnorm, *(values.get((tnorm, name), "") for name in sets)] for tnorm in tnorms]
    return _table(["t-norm", *sets], lines)


def guard_table(runs: Sequence[Run], towers: int, tnorm: str) -> str:
    """What each set of rules is, does to clean pictures, and costs beside the network; a line for each run.

    Shares are in percent; that of rejected pictures has its 95 % interval. Costs are microseconds a picture,
    and their share of what the network takes on the same device.
    """
    lines = []
    for run in runs:
        costs = run["about"][f"microseconds_{towers}"]
        mine = [row for row in run["rows"] if (row["towers"], row["tnorm"]) == (towers, tnorm)]
        for row in {row["rules"]: row for row in mine}.values():
            name, own = row["rules"], f"{row['rules']} {tnorm}"
            rejected = wilson(row["clean_rejected"], row["n"])
            lines.append(
                [
                    *(name, row["seed"], run["about"]["classes_with_a_rule"][name], f"{row['literals']:.1f}"),
                    *(_percent(row["clean_rejected"], rejected), f"{100 * row['clean_right']:.1f}"),
                    *(
                        f"{cost[own]:.1f} ({100 * cost[own] / cost['forward']:.2g} %)"
                        for cost in costs.values()
                    ),
                ]
            )
    heads = [
        "rules",
        "seed",
        "classes with one",
        "literals per class",
        "clean rejected",
        "clean right and kept",
    ]
    costly = [f"cost, {device}" for device in runs[0]["about"][f"microseconds_{towers}"]]
    return _table([*heads, *costly], sorted(lines, key=lambda line: _place(line[0])))


def _table(heads: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    cells = tuple(tuple(Cell(str(each)) for each in line) for line in lines)
    return ResultTable("", tuple(heads), cells).to_markdown()


def _place(name: str) -> int:
    """Where a set of rules comes among the others."""
    return [*_COLORS].index(name) if name in _COLORS else len(_COLORS)


def _percent(rate: float, interval: tuple[float, float]) -> str:
    return f"{100 * rate:.1f} ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"


def figure(rows: Iterable[Row], tnorm: str) -> Figure:
    """Robust accuracy with each set of rules, at the strength of the paper (Fig. 11) and over strengths.

    Bars are pale where one network says both, concepts and classes. Whiskers are 95 % intervals; rings stand
    for the attack that knows the guard. The other panels, one for each norm, are about two networks.

    Parameters
    ----------
    rows : iterable of Row
        One for each attack, strength, t-norm and set of rules, as of :func:`pooled`.
    tnorm : str
        The t-norm to draw.
    """
    from matplotlib.figure import Figure

    chosen = [row for row in rows if row["tnorm"] in (tnorm, "none")]
    curves = [row for row in chosen if row["towers"] == 2]
    norms = list(dict.fromkeys(row["norm"] for row in curves))
    drawn = Figure(figsize=(4.0 * (1 + len(norms)), 3.4), layout="constrained")
    axes = drawn.subplots(1, 1 + len(norms), sharey=True, squeeze=False)[0]
    _draw_bars(axes[0], [row for row in chosen if (row["norm"], row["eps"]) == _PAPER])
    for ax, norm in zip(axes[1:], norms, strict=True):
        _draw_curves(ax, [row for row in curves if row["norm"] == norm], 255 if norm == "linf" else 1)
        ax.set_xlabel("L-infinity, in 255ths" if norm == "linf" else "L2")
        ax.set_title("changes of any pixel" if norm == "linf" else "changes of the whole picture")
    for ax in axes:
        ax.grid(alpha=0.25, axis="y")
        ax.set_axisbelow(True)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].set_ylabel("robust accuracy, %")
    axes[0].set_ylim(bottom=0)
    if norms:
        axes[1].legend(frameon=False, fontsize="small", loc="upper left")
    return drawn


def _draw_bars(ax: Any, rows: Sequence[Row]) -> None:
    """Bars at one strength, in pairs: two networks, and one."""
    sets = list(dict.fromkeys(row["rules"] for row in rows))
    for row in rows:
        color, place = _color(row), sets.index(row["rules"]) + (-0.2 if row["towers"] == 2 else 0.2)
        if row["attack"] == "adaptive":
            _draw_rings(ax, [place], [row])
            continue
        ax.bar(place, 100 * row["robust"], 0.36, color=color, alpha=1.0 if row["towers"] == 2 else 0.4)
        ax.errorbar(place, 100 * row["robust"], _whiskers([row]), color="#343a40", capsize=2, linewidth=1)
    marks = {
        "two networks": ("s", "#495057"),
        "one network": ("s", "#b6b9bc"),
        "knows the guard": ("o", "white"),
    }
    for label, (marker, fill) in marks.items():
        ax.plot([], [], marker, color=fill, markeredgecolor="#343a40" if marker == "o" else fill, label=label)
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    ax.set_xticks(range(len(sets)), [_HEADS.get(name, name) for name in sets])
    ax.set_xlabel("rules of the guard")
    ax.set_title(f"APGD-CE, {strength({'norm': _PAPER[0], 'eps': _PAPER[1]})}")


def _draw_curves(ax: Any, rows: Sequence[Row], scale: int) -> None:
    """Lines over the strengths of one norm, a line for each set of rules."""
    for name in dict.fromkeys(row["rules"] for row in rows):
        mine = [row for row in rows if row["rules"] == name]
        line = sorted((row for row in mine if row["attack"] == "apgd-ce"), key=lambda row: float(row["eps"]))
        ax.errorbar(
            [row["eps"] * scale for row in line],
            [100 * row["robust"] for row in line],
            _whiskers(line),
            label=_HEADS.get(name, name),
            color=_color(line[0]),
            marker="o",
            markersize=4,
            capsize=2,
        )
        rings = [row for row in mine if row["attack"] == "adaptive"]
        _draw_rings(ax, [row["eps"] * scale for row in rings], rings)
    sizes = sorted({row["eps"] * scale for row in rows})
    ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{size:.3g}" for size in sizes])
    ax.minorticks_off()


def _draw_rings(ax: Any, places: Sequence[float], rows: Sequence[Row]) -> None:
    """Rings for attacks that know the guard."""
    for place, row in zip(places, rows, strict=True):
        style = {
            "marker": "o",
            "markersize": 7,
            "markerfacecolor": "white",
            "markeredgewidth": 1.5,
            "zorder": 3,
        }
        ax.plot(place, 100 * row["robust"], linestyle="none", color="#343a40", **style)


def _whiskers(rows: Sequence[Row]) -> list[list[float]]:
    """How far the intervals go below and above, in points."""
    return [
        [100 * (row["robust"] - row["low"]) for row in rows],
        [100 * (row["high"] - row["robust"]) for row in rows],
    ]


def _color(row: Row) -> str:
    return _COLORS.get(row["rules"], "#495057")


def read_runs(path: Path = RESULTS) -> list[dict[str, Any]]:
    """Findings of each seed."""
    runs: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return runs


def tables(runs: Sequence[Run]) -> dict[str, str]:
    """The tables of the page, by name."""
    rows = pooled(row for run in runs for row in run["rows"])
    return {
        "strengths": markdown_table(rows, TNORM),
        "t-norms": tnorm_table(rows, 2, "l2", 0.5),
        "guards": guard_table(runs, 2, TNORM),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the tables of the page and its figure anew from the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversarial_page", description=main.__doc__)
    parser.add_argument(
        "findings", nargs="*", type=Path, help="files to keep as the results first, one a seed"
    )
    options = parser.parse_args(arguments)
    if options.findings:
        joined = [json.loads(file.read_text(encoding="utf-8")) for file in options.findings]
        RESULTS.write_text(json.dumps({"runs": joined}, indent=1) + "\n", encoding="utf-8")
    runs = read_runs(RESULTS)
    PAGE.write_text(filled(PAGE, tables(runs)), encoding="utf-8")
    FIGURE.write_bytes(as_svg(figure(pooled(row for run in runs for row in run["rows"]), TNORM)))


if __name__ == "__main__":
    main()
