"""The notebooks run from top to bottom, and print what is stored in them; the site shows all of it.

``python -m tests.test_notebooks`` runs them and stores what they print; read the difference before you commit
it.
"""

from __future__ import annotations

import importlib.util
import re
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def run(path: Path, folder: Path) -> Any:
    """A notebook with the outputs of a run in a folder; an error in a cell is an error here."""
    notebook = read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    here = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=here).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when each cell began and ended
    notebook.metadata.language_info = {"name": "python"}  # without the version that it ran with
    return notebook


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("logiclens_docs_hooks", DOCS / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(cell: Any, hooks: ModuleType) -> str:
    """The text of all outputs of a cell; pictures and HTML have no part in it."""
    return "".join(map(hooks.output_text, cell.outputs)).rstrip()


def complaints(cell: Any) -> list[str]:
    """What was written to the error stream: warnings, mostly."""
    return [output.text for output in cell.outputs if output.get("name") == "stderr"]


def test_there_is_a_notebook():
    assert NOTEBOOKS != []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=label)
def test_a_notebook_prints_what_is_stored_in_it(
    path: Path, hooks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It runs in a folder, and with settings, of its own."""
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))

    cells = zip(read(path).cells, run(path, tmp_path).cells, strict=True)

    for number, (old, new) in enumerate(cells):
        if old.cell_type == "code":
            assert complaints(new) == [], f"{label(path)}, cell {number}"
            assert printed(new, hooks) == printed(old, hooks), f"{label(path)}, cell {number}: another output"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=label)
def test_a_notebook_is_stored_as_it_ran(path: Path):
    """From top to bottom, once, with outputs, and without a word about the machine."""
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]

    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any(cell.outputs for cell in code)
    assert all(complaints(cell) == [] for cell in code)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert [cell.metadata for cell in notebook.cells if cell.metadata] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=label)
def test_the_page_of_a_notebook_shows_its_cells(path: Path, hooks: ModuleType):
    """The page beside it holds a marker, which is filled in when the site is built."""
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    (marker,) = re.findall(hooks.NOTEBOOK, page)
    filled = hooks.on_page_markdown(page)

    assert marker == path.relative_to(DOCS).as_posix()
    assert "<!--" not in filled
    for cell in read(path).cells:
        assert cell.source in filled
        if cell.cell_type == "code":
            assert printed(cell, hooks) in filled


def store() -> None:
    """Run all notebooks and store what they print."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            notebook = run(path, Path(folder))
        path.write_text(nbformat.writes(notebook).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    store()
