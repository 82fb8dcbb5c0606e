"""Tables and the figure of the adversarial experiment, from its rows (Fig. 11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
"""One attack, strength, t-norm and set of rules; see :mod:`logiclens.bench.adversarial`."""

_COLORS = {"none": "#d6879b", "mu": "#0b7285", "psi": "#8f6a00", "relu": "#5f3dc4", "entropy": "#2b8a3e"}


def strength(row: Row) -> str:
    """Norm and size of the changes that an attack was allowed, as people write them."""
    if row["norm"] == "linf":
        return f"L-infinity {row['eps'] * 255:.3g}/255"
    return f"L2 {row['eps']:.3g}"


def markdown_table(rows: Iterable[Row], tnorm: str) -> str:
    """Robust accuracy in percent, with its 95 % interval: a line for each attack, a column for each rule set.

    Examples
    --------
    >>> row = {"attack": "apgd-ce", "norm": "l2", "eps": 0.5, "towers": 2, "tnorm": "none", "rules": "none"}
    >>> print(markdown_table([row | {"robust": 0.03, "low": 0.02, "high": 0.04}], "product"))
    | towers | attack | strength | no rules |
    |---|---|---|---|
    | 2 | apgd-ce | L2 0.5 | 3.0 (2.0 to 4.0) |
    """
    chosen = [row for row in rows if row["tnorm"] in (tnorm, "none")]
    sets = list(dict.fromkeys(row["rules"] for row in chosen))
    lines: dict[tuple[Any, ...], dict[str, str]] = {}
    for row in chosen:
        line = lines.setdefault((row["towers"], row["attack"], strength(row)), {})
        line[row["rules"]] = f"{row['robust']:.1%} ({row['low']:.1%} to {row['high']:.1%})".replace("%", "")
    heads = ["towers", "attack", "strength", *("no rules" if name == "none" else name for name in sets)]
    cells = [[*map(str, key), *(line.get(name, "") for name in sets)] for key, line in lines.items()]
    return "\n".join([_line(heads), "|" + "---|" * len(heads), *map(_line, cells)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def figure(rows: Iterable[Row], tnorm: str) -> Figure:
    """Robust accuracy against the strength of the attack, a line for each set of rules (Fig. 11).

    Bars are 95 % intervals; rings stand for the attack that knows the guard. One panel for each norm and
    number of towers.
    """
    from matplotlib.figure import Figure

    chosen = [row for row in rows if row["tnorm"] in (tnorm, "none")]
    panels = list(dict.fromkeys((row["towers"], row["norm"]) for row in chosen))
    drawn = Figure(figsize=(4.2 * len(panels), 3.4), layout="constrained")
    axes = drawn.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (towers, norm) in zip(axes, panels, strict=True):
        mine = [row for row in chosen if (row["towers"], row["norm"]) == (towers, norm)]
        for name in dict.fromkeys(row["rules"] for row in mine):
            line = sorted(
                (row for row in mine if row["rules"] == name and row["attack"] == "apgd-ce"),
                key=lambda row: float(row["eps"]),
            )
            color, scale = _COLORS.get(name, "#495057"), 255 if norm == "linf" else 1
            ax.errorbar(
                [row["eps"] * scale for row in line],
                [100 * row["robust"] for row in line],
                [
                    [100 * (row["robust"] - row["low"]) for row in line],
                    [100 * (row["high"] - row["robust"]) for row in line],
                ],
                label="no rules" if name == "none" else name,
                color=color,
                marker="o",
                markersize=4,
                capsize=2,
            )
            rings = [row for row in mine if row["rules"] == name and row["attack"] == "adaptive"]
            ax.plot(
                [row["eps"] * scale for row in rings],
                [100 * row["robust"] for row in rings],
                linestyle="none",
                marker="o",
                markersize=8,
                markerfacecolor="none",
                color=color,
            )
        ax.set_xlabel("L-infinity, in 255ths" if norm == "linf" else "L2")
        ax.set_title("one network for all" if towers == 1 else "concepts seen by a network of their own")
        ax.grid(alpha=0.25)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].set_ylabel("robust accuracy, %")
    axes[0].legend(frameon=False, fontsize="small")
    return drawn
