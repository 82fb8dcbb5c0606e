"""The shape of the source: documented, short modules, no evaluation of text, quick imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "logiclens"
MODULES = sorted(SOURCE.rglob("*.py"))

MAX_LINES = 400
LONG_MODULES: frozenset[str] = frozenset()
"""Modules allowed to be longer than MAX_LINES, each for a reason worth a comment. None so far."""

# Each runs text as code, or unpickles it. A formula never goes through any of them.
FORBIDDEN_CALLS = frozenset({"eval", "exec", "compile", "__import__", "sympify", "parse_expr"})
FORBIDDEN_METHODS = frozenset({"sympify", "parse_expr", "parse_latex"})
FORBIDDEN_MODULES = frozenset({"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"})

HEAVY = ("torch", "sympy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib")


def label(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@pytest.fixture(params=MODULES, ids=label)
def module(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_the_source_is_found():
    assert SOURCE / "logic" / "formula.py" in MODULES


def test_module_says_what_it_holds(module: Path):
    text = module.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text))

    assert docstring, f"{label(module)} needs a docstring: what is here, and why"


def test_module_is_short(module: Path):
    n_lines = len(module.read_text(encoding="utf-8").splitlines())

    assert n_lines <= MAX_LINES or label(module) in LONG_MODULES, (
        f"{label(module)} has {n_lines} lines: split it by idea, or list it with a reason"
    )


def test_module_never_runs_text_as_code(module: Path):
    assert forbidden_uses(module.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "eval('1')",
        "builtins.exec(code)",
        "compile(source, 'x', 'exec')",
        "__import__('os')",
        "import pickle",
        "from pickle import loads",
        "import joblib.numpy_pickle",
        "sympy.sympify(text)",
        "from sympy import sympify",
        "sympy.parsing.sympy_parser.parse_expr(text)",
    ],
)
def test_the_scan_sees(text: str):
    """The test above would notice each of these."""
    assert len(forbidden_uses(text)) == 1


@pytest.mark.parametrize("text", ["re.compile('a')", "f.evaluate(data)", "'eval(1)'", "import sympy"])
def test_the_scan_lets_pass(text: str):
    assert forbidden_uses(text) == []


def forbidden_uses(text: str) -> list[str]:
    """``line: what`` for each place where the source could run text as code."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            last = name.rpartition(".")[2]
            if name.removeprefix("builtins.") in FORBIDDEN_CALLS or last in FORBIDDEN_METHODS:
                found.append(f"{node.lineno}: {name}()")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            origins = names if isinstance(node, ast.Import) else [node.module or ""]
            if FORBIDDEN_MODULES & {origin.partition(".")[0] for origin in origins} or (
                FORBIDDEN_METHODS & set(names)
            ):
                found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("path", sorted((SOURCE / "logic").glob("*.py")), ids=label)
def test_logic_module_has_its_mirror_among_the_tests(path: Path):
    if path.stem == "__init__":
        pytest.skip("its surface is the subject of test_public_api.py")
    mirror = ROOT / "tests" / "logic" / f"test_{path.stem.lstrip('_')}.py"

    assert mirror.is_file(), f"{label(path)} needs tests/logic/{mirror.name}"


@pytest.mark.parametrize(
    "statement",
    [
        "import logiclens",
        "import logiclens.logic",
        "from logiclens.cli import app; app(['--help'], standalone_mode=False)",
    ],
    ids=["logiclens", "logiclens.logic", "logiclens --help"],
)
def test_start_up_loads_nothing_heavy(statement: str):
    """Run in a process of its own, which has imported nothing else before."""
    code = f"import sys\n{statement}\nprint('loaded:', *sorted(set({HEAVY}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split() == ["loaded:"]
