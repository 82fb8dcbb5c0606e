"""``logiclens demo``: what ``logiclens explain`` does, on a small data set that scikit-learn carries."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.choices import Network, one_of
from logiclens.cli.explain import Asked, run
from logiclens.cli.failing import clear_errors
from logiclens.cli.learning import Settings
from logiclens.cli.outputs import Outputs

if TYPE_CHECKING:
    import pyarrow


class DemoData(StrEnum):
    """The data sets of the demonstration; scikit-learn carries them."""

    WINE = "wine"
    IRIS = "iris"
    CANCER = "breast_cancer"


TARGETS = {DemoData.WINE: "cultivar", DemoData.IRIS: "species", DemoData.CANCER: "diagnosis"}
"""What the classes of each are called."""


class Carried(NamedTuple):
    """A data set as if it had been read from a file."""

    table: pyarrow.Table
    name: str
    sha256: str | None = None
    notes: tuple[str, ...] = ()


def demo(
    data: Annotated[
        DemoData,
        typer.Option(help="Data set to learn.", parser=one_of(DemoData), metavar="|".join(DemoData)),
    ] = DemoData.WINE,
    network: opt.NetworkOption = Network.MU,
    html: opt.Html = None,
    save: opt.Save = None,
) -> None:
    """Show what explain does, on a data set that is already here.

    A network is trained on 70 % of the rows, and the rules that say what it does are scored on the others.
    How good shorter and longer rules are follows, and what would change the class of one row.

    \b
    Examples:
      logiclens demo
      logiclens demo --data breast_cancer --network psi
      logiclens demo --html report.html
    """  # noqa: D301 - \b keeps lines
    from logiclens.cli.preparing import Wish
    from logiclens.cli.progress import Progress

    with clear_errors():
        asked = Asked(Wish(TARGETS[data]), Settings(network), Outputs(html, save=save), more=True, front=True)
        asked.outputs.check()
        run(carried(data), asked, Progress.on_terminal())


def carried(data: DemoData) -> Carried:
    """The columns of a data set, and its classes as one more column."""
    import pyarrow as pa
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{data.value}")()
    columns = dict(zip(map(str, bunch.feature_names), bunch.data.T, strict=True))
    columns[TARGETS[data]] = bunch.target_names[bunch.target].tolist()
    return Carried(pa.table(columns), data.value)
