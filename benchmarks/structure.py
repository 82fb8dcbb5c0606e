"""Run ``python -m benchmarks.structure [TREE]``: how large the source is, and how far four jobs walk through.

The first table counts modules, lines of code (without docstrings, comments and blank lines) and lines of
tests; modules that only one other imports; names of modules and classes that mean two things; and modules
that import each other. The second runs four jobs under a profile hook, and counts the functions and modules
of the package that they go through, and how deep calls are nested. TREE is another checkout to measure.
"""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tempfile
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Any

JOBS = ("command", "fit", "scale.fit", "minimize")
DATA = Path(__file__).parents[1] / "docs" / "data" / "stays.csv"


def lines_of_code(path: Path) -> int:
    """Lines with code: no docstrings, comments or blank lines."""
    text = path.read_text(encoding="utf-8")
    documentation: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for part in node.body:
                if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                    documentation |= set(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped and token.string:
            code |= set(range(token.start[0], token.end[0] + 1))
    return len(code - documentation)


def imports(modules: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The modules of the package that each module imports anywhere in its text."""
    found: dict[str, set[str]] = {}
    for name, tree in modules.items():
        used = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                used |= {each if each in modules else node.module for each in inner}
        found[name] = (used & modules.keys()) - {name}
    return found


def in_rings(graph: dict[str, set[str]]) -> list[str]:
    """Modules from which imports lead back to themselves."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        new = set(graph[start])
        while new:
            seen |= new
            new = set().union(*(graph[name] for name in new)) - seen
        return seen

    return [name for name in graph if name in reached(name)]


def repeated(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Names with several homes."""
    homes: dict[str, set[str]] = defaultdict(set)
    for name, home in pairs:
        homes[name.lstrip("_")].add(home)
    return sorted(name for name, several in homes.items() if len(several) > 1)


def counts(tree: Path) -> Iterator[tuple[str, str]]:
    """What is counted, and the figure."""
    source = tree / "src"
    paths = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(source.rglob("*.py"))
    }
    modules = {name: ast.parse(path.read_bytes()) for name, path in paths.items()}
    graph = imports(modules)
    importers: dict[str, set[str]] = defaultdict(set)
    for name, used in graph.items():
        for each in used:
            importers[each].add(name)
    package = {name: name.rpartition(".")[0] for name in modules}
    alone = [name for name, by in importers.items() if len(by) == 1 and package[name] == package[min(by)]]
    classes = (
        (node.name, name)
        for name, parsed in modules.items()
        for node in parsed.body
        if isinstance(node, ast.ClassDef)
    )
    tests = sum(len(path.read_bytes().splitlines()) for path in (tree / "tests").rglob("*.py"))
    yield "modules", f"{len(modules)}"
    yield "lines of code", f"{sum(map(lines_of_code, paths.values()))}"
    yield "lines of tests", f"{tests}"
    yield "modules with one importer in their package", f"{len(alone)}"
    yield "module names with two homes", _listed(repeated((n.rpartition(".")[2], n) for n in modules))
    yield "class names with two homes", _listed(repeated(classes))
    yield "modules that import each other", _listed(in_rings(graph))


def _listed(names: list[str]) -> str:
    return f"{len(names)} {' '.join(names)}".strip()


def job(name: str, folder: Path) -> Callable[[], object]:
    """One of the jobs, with everything imported that it needs first."""
    import pandas as pd

    import logiclens
    import logiclens.cli
    from logiclens.logic import TruthTable, minimize

    columns = ["age", "ward", "pressure", "smoker"]
    if name == "command":
        arguments = ["--target", "risk", "--html", f"{folder}/report.html", "--save", f"{folder}/model.lens"]
        return lambda: logiclens.cli.app(["explain", os.fspath(DATA), *arguments])
    frame = pd.read_csv(DATA)
    if name == "fit":
        model = logiclens.MuClassifier(random_state=0)
        return lambda: model.fit(frame[columns], frame["risk"]).explain()
    if name == "scale.fit":
        import ibis

        from logiclens import scale

        table = ibis.duckdb.connect().create_table("stays", frame[[*columns, "risk"]])
        return lambda: scale.fit(logiclens.MuClassifier(random_state=0), table, "risk")
    inputs = pd.DataFrame({"age": frame["age"] > 58, "ICU": frame["ward"] == "ICU"})
    truth = TruthTable.from_data(inputs, frame["risk"] == "high")
    return lambda: minimize(truth)


def walk(name: str) -> str:
    """Functions, modules and depth of a job that ran once before, so that imports do not count."""
    import logiclens

    root = os.path.dirname(os.path.abspath(logiclens.__file__))
    functions: set[tuple[str, str]] = set()
    deepest = 0

    def enter(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal deepest
        del argument
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(root) or "<" in code.co_name:
            return
        functions.add((code.co_filename, code.co_qualname))
        depth, caller = 0, frame
        while caller is not None:
            depth += caller.f_code.co_filename.startswith(root)
            caller = caller.f_back  # type: ignore[assignment]
        deepest = max(deepest, depth)

    for hook in (None, enter):
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), suppress(SystemExit):
            work = job(name, Path(folder))
            sys.setprofile(hook)
            try:
                work()
            finally:
                sys.setprofile(None)
    modules = {filename for filename, _ in functions}
    return f"{len(functions)} functions of {len(modules)} modules, {deepest} deep"


def main() -> None:
    """Print both tables; each job runs in a process of its own, on the tree that is measured."""
    if sys.argv[1:2] == ["--job"]:
        print(walk(sys.argv[2]))
        return
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    for what, figure in counts(tree):
        print(f"{what:<45} {figure}")
    paths = os.pathsep.join(map(str, [tree / "src", Path(__file__).parents[1]]))
    for name in JOBS:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.structure", "--job", name],
            env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        print(f"{name:<45} {done.stdout.strip() or done.stderr.strip().rpartition(chr(10))[2]}")


if __name__ == "__main__":
    main()
