"""The shape of the source: no text run as code, no rings, one name for one thing, quick imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"

# Each runs text as code, or unpickles it. A formula never goes through any of them.
FORBIDDEN_CALLS = frozenset({"eval", "exec", "compile", "__import__", "sympify", "parse_expr"})
FORBIDDEN_METHODS = frozenset({"sympify", "parse_expr", "parse_latex"})
FORBIDDEN_MODULES = frozenset({"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"})
HARMLESS = frozenset({"from joblib import parallel_config"})
"""Says where work is done; nothing is read with it."""

HEAVY = ("torch", "sympy", "sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "jinja2")

# These lists hold what is left to do; they only ever get shorter.
SHARED_MODULE_NAMES = frozenset({})
"""Names of modules in more than one package."""
SHARED_CLASS_NAMES = frozenset({})
"""Names of public classes in more than one package."""


def dotted(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): ast.parse(path.read_bytes()) for path in sorted(SOURCE.rglob("*.py"))}


def test_the_source_is_found():
    assert "logiclens.logic" in MODULES
    assert len(MODULES) > 50


def test_no_module_runs_text_as_code():
    assert {name: found for name, tree in MODULES.items() if (found := forbidden_uses(tree))} == {}


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
    assert len(forbidden_uses(ast.parse(text))) == 1


@pytest.mark.parametrize(
    "text", ["re.compile('a')", "f.evaluate(data)", "'eval(1)'", "import sympy", *HARMLESS]
)
def test_the_scan_lets_pass(text: str):
    assert forbidden_uses(ast.parse(text)) == []


def forbidden_uses(tree: ast.Module) -> list[str]:
    """``line: what`` for each place where the source could run text as code."""
    found = []
    for node in ast.walk(tree):
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


def test_no_modules_import_each_other():
    found = rings({name: set(imported(tree)) - {name} for name, tree in MODULES.items()})

    assert [" -> ".join((*ring, ring[0])) for ring in found] == []


def test_rings_are_found():
    graph = {"a": {"b", "d"}, "b": {"c"}, "c": {"a"}, "d": {"e"}, "e": set()}

    assert rings(graph) == [("a", "b", "c")]


def imported(tree: ast.Module) -> Iterator[str]:
    """Modules of the package that a module imports anywhere in its text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in MODULES else node.module for name in inner)


def rings(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """The shortest ring through each module that is in one, each ring once, from its first name on."""
    found = set()
    for start in graph:
        paths = [(start,)]
        seen = set()
        while paths:
            path = paths.pop(0)
            if start in graph[path[-1]]:
                first = path.index(min(path))
                found.add(path[first:] + path[:first])
                break
            new = sorted(graph[path[-1]] - seen)
            seen.update(new)
            paths += [(*path, name) for name in new]
    return sorted(found)


def test_a_name_is_one_module():
    places = defaultdict(list)
    for name in MODULES:
        places[name.rpartition(".")[2].lstrip("_")].append(name)

    assert repeated(places, SHARED_MODULE_NAMES) == {}


def test_a_name_is_one_public_class():
    places = defaultdict(list)
    for module, tree in MODULES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)

    assert repeated(places, SHARED_CLASS_NAMES) == {}


def repeated(places: dict[str, list[str]], known: frozenset[str]) -> dict[str, list[str]]:
    return {name: found for name, found in places.items() if len(found) > 1 and name not in known}


def test_start_up_loads_nothing_heavy():
    statement = (
        "import logiclens.logic, logiclens.explain, logiclens.metrics; "
        "from logiclens.cli import app; app(['--help'], standalone_mode=False)"
    )

    assert loaded_by(statement, HEAVY) == []


def test_rules_are_used_without_networks(tmp_path: Path):
    """Rules go where neither torch nor scikit-learn is installed."""
    statement = """
import logiclens
from logiclens import Explanation, ExplanationSet, Rule, Var
rules = ExplanationSet([Explanation(Rule('bird', Var('wings')))], ['wings', 'fins'])
rules.predict([[1, 0]]); rules.score([[1, 0]], ['bird'])
rules.to_json(); rules['bird'].to_sql(); str(rules)
rules.save('r.json'); logiclens.load('r.json').predict([[1, 0]])
logiclens.explanation_accuracy(rules, [[1, 0]], ['bird'], names=['wings', 'fins'])
logiclens.explain_class(logiclens.TruthTable.from_data([[0, 1], [1, 0]], [0, 1]), 'yes')
"""

    assert loaded_by(statement, ("torch", "sklearn"), tmp_path) == []


def test_a_classifier_needs_no_torch_until_it_is_fitted():
    assert loaded_by("from logiclens import MuClassifier, cross_explain", ("torch",)) == []


def loaded_by(statement: str, modules: tuple[str, ...], folder: Path | None = None) -> list[str]:
    """Those of the modules that a process has imported after it ran the statement and nothing else."""
    code = f"import sys\n{statement}\nprint('loaded:', *sorted(set({modules}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, cwd=folder
    )

    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]
