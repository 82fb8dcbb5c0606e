"""The shape of the source: documented modules, no evaluation of text, quick imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "logiclens"
MODULES = sorted(SOURCE.rglob("*.py"))

# Each runs text as code, or unpickles it. A formula never goes through any of them.
FORBIDDEN_CALLS = frozenset({"eval", "exec", "compile", "__import__", "sympify", "parse_expr"})
FORBIDDEN_METHODS = frozenset({"sympify", "parse_expr", "parse_latex"})
FORBIDDEN_MODULES = frozenset({"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"})
HARMLESS = frozenset({"from joblib import parallel_config"})
"""Says where work is done; nothing is read with it."""

HEAVY = ("torch", "sympy", "sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "jinja2")
NETWORKS = ("torch", "sklearn")


RULES = (
    "from logiclens import Explanation, ExplanationSet, Rule, Var; "
    "rules = ExplanationSet([Explanation(Rule('bird', Var('wings')))], ['wings', 'fins'])"
)
"""A statement that makes rules."""


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
        "from joblib import parallel_config, load",
        "sympy.sympify(text)",
        "from sympy import sympify",
        "sympy.parsing.sympy_parser.parse_expr(text)",
    ],
)
def test_the_scan_sees(text: str):
    """The test above would notice each of these."""
    assert len(forbidden_uses(text)) == 1


@pytest.mark.parametrize(
    "text", ["re.compile('a')", "f.evaluate(data)", "'eval(1)'", "import sympy", *HARMLESS]
)
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
            if ast.unparse(node) in HARMLESS:
                continue
            if FORBIDDEN_MODULES & {origin.partition(".")[0] for origin in origins} or (
                FORBIDDEN_METHODS & set(names)
            ):
                found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "import logiclens",
        "import logiclens.logic",
        "import logiclens.explain",
        "import logiclens.metrics",
        "from logiclens.cli import app; app(['--help'], standalone_mode=False)",
    ],
    ids=["logiclens", "logiclens.logic", "logiclens.explain", "logiclens.metrics", "logiclens --help"],
)
def test_start_up_loads_nothing_heavy(statement: str):
    assert loaded_by(statement, HEAVY) == []


@pytest.mark.parametrize(
    "statement",
    [
        f"{RULES}; rules.predict([[1, 0]]); rules.score([[1, 0]], ['bird'])",
        f"{RULES}; rules.to_json(); rules['bird'].to_sql(); str(rules)",
        f"{RULES}; rules.save('r.json'); logiclens.load('r.json').predict([[1, 0]])",
        f"{RULES}; logiclens.explanation_accuracy(rules, [[1, 0]], ['bird'], names=['wings', 'fins'])",
        "logiclens.explain_class(logiclens.TruthTable.from_data([[0, 1], [1, 0]], [0, 1]), 'yes')",
    ],
    ids=["predict", "export", "load", "score", "explain"],
)
def test_rules_are_used_without_networks(statement: str, tmp_path: Path):
    """Rules go where neither torch nor scikit-learn is installed."""
    assert loaded_by(f"import logiclens; {statement}", NETWORKS, tmp_path) == []


@pytest.mark.parametrize("name", ["MuClassifier", "cross_explain"])
def test_a_classifier_needs_no_torch_until_it_is_fitted(name: str):
    assert loaded_by(f"from logiclens import {name}; {name}", ("torch",)) == []


def loaded_by(statement: str, modules: tuple[str, ...], folder: Path | None = None) -> list[str]:
    """Which of the modules a process has imported that ran the statement and nothing else."""
    code = f"import sys\n{statement}\nprint('loaded:', *sorted(set({modules}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, cwd=folder
    )

    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]
