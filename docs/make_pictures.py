"""Make the pictures of the README and the documentation: ``make pictures``.

Everything is made by what users run: the command on a small table, its report in a browser, the displays of
:mod:`logiclens.plots`. Pictures are written to ``docs/images``, each below 150 KB.
Screenshots need Chromium; without it they are left as they are, and a line says so.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

IMAGES = Path(__file__).parent / "images"
LARGEST = 150_000
"""Bytes of a picture."""
TABLE = Path(__file__).parent / "data" / "stays.csv"
COMMAND = ("explain", TABLE.name, "--target", "risk", "--html", "report.html")
COLUMNS = 100


class Shot(NamedTuple):
    """A screenshot of the report: what is at its top, and the settings of the browser."""

    top: str
    width: int
    height: int
    scheme: str = "light"
    scale: float = 1.0

    def take(self, chromium: Any, report: Path) -> bytes:
        """The picture, as PNG."""
        page = chromium.new_page(
            viewport={"width": self.width, "height": self.height},
            color_scheme=self.scheme,
            device_scale_factor=self.scale,
        )
        page.goto(report.as_uri())
        page.wait_for_load_state("networkidle")
        page.locator(self.top).evaluate(
            "(part) => part.scrollIntoView({block: 'start', behavior: 'instant'})"
        )
        drawn: bytes = page.screenshot()
        page.close()
        return drawn


SHOTS = {
    "report_light.png": Shot("body", 1180, 1130),
    "report_dark.png": Shot(".decision > h3", 1180, 1330, scheme="dark"),
    "report_phone.png": Shot("#try", 375, 900, scale=2.0),
}


def main() -> None:
    """Make all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(TABLE, folder)
        (IMAGES / "terminal.svg").write_text(terminal(run_command(folder)), encoding="utf-8")
        draw_plots()
        photograph(Path(folder) / "report.html")
    for path in sorted(IMAGES.iterdir()):
        size = path.stat().st_size
        say(f"{path.relative_to(IMAGES.parents[1])}  {size / 1000:.0f} KB")
        if size > LARGEST:
            raise SystemExit(f"{path.name} is too large: {size} bytes, at most {LARGEST}.")


def say(line: str) -> None:
    """Tell who runs this how far it is."""
    sys.stdout.write(f"{line}\n")


# The terminal


def run_command(folder: str) -> str:
    """What the command prints on a terminal, colors included."""
    settings = {"COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": ""}
    done = subprocess.run(
        [sys.executable, "-m", "logiclens", *COMMAND],
        cwd=folder,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        encoding="utf-8",
    )
    return done.stdout


def terminal(printed: str) -> str:
    """SVG of a terminal that shows a text; nothing is loaded from outside."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, legacy_windows=False
    )
    console.print(Text.assemble(("$ ", "dim"), (f"logiclens {' '.join(COMMAND)}", "bold"), "\n"))
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    console.print(Text.from_ansi("\n".join(lines)))
    drawn = console.export_svg(title="logiclens", unique_id="terminal")
    return re.sub(r"@font-face\s*{[^}]*}\s*", "", drawn)


# The plots


def draw_plots() -> None:
    """Draw the pictures of docs/how-to/make_a_report.md, as the page does."""
    import matplotlib as mpl
    from sklearn.datasets import load_wine

    from logiclens import MuClassifier
    from logiclens.plots import (
        ConceptRelevanceDisplay,
        FrontDisplay,
        NetworkDisplay,
        RuleCoverageDisplay,
        TruthTableDisplay,
    )

    mpl.use("Agg")
    wine = load_wine(as_frame=True)
    X, y = wine.data, wine.target_names[wine.target]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a network could be trained longer is beside the point
        model = MuClassifier(random_state=0, device="cpu").fit(X, y)
    displays: dict[str, Any] = {
        "truth_table": TruthTableDisplay.from_estimator(model, "class_0"),
        "relevance": ConceptRelevanceDisplay.from_estimator(model, "class_0"),
        "network": NetworkDisplay.from_estimator(model, "class_0"),
        "front": FrontDisplay.from_estimator(model),
        "coverage": RuleCoverageDisplay.from_estimator(model, X, y, "class_1"),
    }
    for name, display in displays.items():
        drawn = io.BytesIO()
        display.figure_.savefig(drawn, dpi=120)
        (IMAGES / f"{name}.png").write_bytes(compact(drawn.getvalue()))


# The report


def photograph(report: Path) -> None:
    """Take screenshots of the report in Chromium."""
    with browser() as chromium:
        if chromium is None:
            say("There is no Chromium: the screenshots of the report are left as they are.")
            return
        for name, shot in SHOTS.items():
            (IMAGES / name).write_bytes(compact(shot.take(chromium, report)))


@contextmanager
def browser() -> Iterator[Any]:
    """A Chromium that can be driven, or None where there is none."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def compact(png: bytes) -> bytes:
    """The picture with a palette of its own, which takes a fraction of the space, and without a date."""
    from PIL import Image

    packed = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(packed, "PNG", optimize=True)
    return packed.getvalue()


if __name__ == "__main__":
    main()
