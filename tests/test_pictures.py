"""The pictures of the documentation: there, small, shown, and made by a script that asks nobody else."""

from __future__ import annotations

import importlib.util
import io
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from logiclens.bench.result_figures import FIGURES

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("logiclens_pictures", ROOT / "docs" / "make_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OF_RESULTS = {"adversarial.svg", "fronts.svg", *(f"paper_{name}.svg" for name in (*FIGURES, "consistency"))}
"""Made of results that are kept, by ``benchmarks.adversarial_page``, ``fronts`` and ``page``."""


def test_pictures_are_small_and_the_script_makes_them_all(script: ModuleType):
    there = {path.name for path in IMAGES.iterdir()}
    source = (ROOT / "docs" / "make_pictures.py").read_text(encoding="utf-8")
    made = {name for name in there if name in source or f'"{Path(name).stem}"' in source}

    assert there >= {"terminal.svg", *script.SHOTS}
    assert all(path.stat().st_size <= script.LARGEST for path in IMAGES.iterdir())
    assert there - made <= OF_RESULTS


def test_every_picture_is_shown_somewhere_with_words_for_who_cannot_see_it():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = re.findall(
        r'!\[([^\]]*)\]\((?:\.\./|docs/)*images/([\w.]+)\)|<img [^>]*?alt="([^"]*)"[^>]*>', text
    )
    sources = set(re.findall(r"images/([\w.]+)", text))

    assert {path.name for path in IMAGES.iterdir()} <= sources
    assert all(len((alt or other).split()) >= 5 for alt, _, other in shown)


def test_a_terminal_is_drawn_without_anything_from_outside(script: ModuleType):
    drawn = script.terminal("\x1b[1mWhat decides <script>?\x1b[0m\n∀x: a(x) ↔ b(x)")

    ElementTree.fromstring(drawn)  # well-formed
    assert "&lt;script&gt;" in drawn
    assert "<script>" not in drawn
    assert "href=" not in drawn
    assert "@import" not in drawn
    assert all(link.startswith("#") for link in re.findall(r"url\(([^)]*)\)", drawn))


def test_compacting_changes_no_flat_color(script: ModuleType):
    pixels = np.zeros((20, 30, 3), dtype=np.uint8)
    pixels[:10] = [0, 114, 178]
    png = io.BytesIO()
    Image.fromarray(pixels).save(png, "PNG")

    with Image.open(io.BytesIO(script.compact(png.getvalue()))) as image:
        np.testing.assert_array_equal(np.asarray(image.convert("RGB")), pixels)
