"""The documentation tells the truth: its examples run, its pages cover the code, its commands exist.

``python -m tests.test_docs PAGE ...`` writes what the examples of these pages print into them; read the
difference before you commit it.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import io
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SOURCE = ROOT / "src"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    body: str
    line: int
    """Line of the page on which the body starts."""
    follows_directly: bool
    """Nothing but blank lines since the block before."""


def blocks(text: str) -> Iterator[Block]:
    end = 0
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("body")) + 1
        yield Block(match["language"], match["body"], line, not text[end : match.start()].strip())
        end = match.end()


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_names() -> Iterator[str]:
    for path in sorted((SOURCE / "logiclens").rglob("*.py")):
        part = path.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(part[:-1] if part[-1] == "__init__" else part)


def has_examples(page: Path) -> bool:
    return any(block.language in {"python", "console"} for block in blocks(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", [page for page in PAGES if has_examples(page)], ids=label)
def test_examples_run_and_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    for language, shown, printed in outputs(page):
        where = f"{label(page)}, line {shown.line}"
        if language == "python":
            assert printed.rstrip() == shown.body.rstrip(), f"{where}: the page shows another output"
        else:
            check_shown(shown.body, printed, where)


def outputs(page: Path) -> Iterator[tuple[str, Block, str]]:
    """Run a page: language of each example that shows an output, the block of that output, what is printed.

    Blocks of Python run in order, in one namespace, and so do commands; away from the checkout. A
    ``console`` block whose output is shown holds nothing but ``logiclens`` commands. They find the tables
    of docs/data where they would in a checkout.
    """
    shutil.copytree(DOCS / "data", Path("docs") / "data")
    namespace: dict[str, object] = {"__name__": "__main__"}
    found = [*blocks(page.read_text(encoding="utf-8"))]
    for block, after in zip(found, [*found[1:], None], strict=True):
        shows = after is not None and after.language == "text" and after.follows_directly
        if block.language == "python":
            source = "\n" * (block.line - 1) + block.body  # tracebacks then name the line of the page
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(source, str(page), "exec"), namespace)
            printed = output.getvalue()
        elif block.language == "console" and shows:
            where = f"{label(page)}, line {block.line}"
            assert only_commands(block.body), f"{where}: shows the output of what cannot be run here"
            printed = "".join(map(run_command, commands(block.body)))
        if after is not None and shows and block.language in {"python", "console"}:
            yield block.language, after, printed


def renew(page: Path) -> None:
    """Write what the examples of a page print into it; outputs with ``...`` are to be renewed by hand."""
    text = page.read_text(encoding="utf-8")
    for _, shown, printed in outputs(page):
        if "\n...\n" not in f"\n{shown.body}":
            text = text.replace(f"```text\n{shown.body}```", f"```text\n{printed.rstrip()}\n```")
    page.write_text(text, encoding="utf-8")


def commands(body: str) -> list[str]:
    """Lines of a block, those that end in a backslash joined with the next."""
    return [line for line in body.replace("\\\n", " ").splitlines() if line.strip()]


def only_commands(body: str) -> bool:
    """Whether a block holds ``logiclens`` commands alone, and no pipes."""
    return all(line.startswith("logiclens ") and "|" not in line for line in commands(body))


def run_command(line: str) -> str:
    """What a command prints, at a fixed width and without color; it must succeed."""
    from logiclens.cli import app

    _, *words = shlex.split(line, comments=True)
    environment = {"COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb"}
    result = CliRunner().invoke(app, words, env=environment, prog_name="logiclens")

    assert result.exit_code == 0, f"{line}: {result.output}"
    return result.output


def check_shown(shown: str, printed: str, where: str) -> None:
    """Compare line by line; ``...`` stands for any lines."""
    lines = iter(normalized(printed))
    skipping = False
    for line in normalized(shown):
        if line == "...":
            skipping = True
            continue
        found = line in lines if skipping else line == next(lines, None)
        assert found, f"{where}: the page shows another output, from {line!r} on"
        skipping = False
    assert skipping or next(lines, None) is None, f"{where}: more is printed"


def test_every_fence_names_its_language():
    """A block without a language would be neither run nor checked."""
    bare = [
        f"{label(page)}, line {block.line}"
        for page in PAGES
        for block in blocks(page.read_text(encoding="utf-8"))
        if not block.language
    ]

    assert bare == []


@pytest.mark.parametrize("package", sorted({f"{name}.".split(".")[1] for name in module_names()} - {""}))
def test_docstring_examples_run(package: str):
    inside = [name for name in module_names() if f"{name}.".startswith(f"logiclens.{package}.")]
    failed = [name for name in inside if doctest.testmod(importlib.import_module(name)).failed]

    assert inside
    assert failed == []


def test_the_reference_documents_every_public_name():
    """By itself, or with its module or package; commands have a page of their own."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").rglob("*.md"))
    shown = set(re.findall(r"^::: ([\w.]+)", text, re.MULTILINE))
    missing = []
    for place in [name for name in module_names() if name.count(".") == 1 and name != "logiclens.cli"]:
        package = importlib.import_module(place)
        for name in getattr(package, "__all__", ()):
            value = getattr(package, name)
            home = getattr(value, "__module__", place)
            if not {place, home, f"{place}.{name}", f"{home}.{name}"} & shown:
                missing.append(f"{place}.{name}")

    assert missing == []


def test_every_page_is_in_the_navigation():
    """MkDocs checks the other direction."""
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [
        label(page) for page in DOCS.rglob("*.md") if page.relative_to(DOCS).as_posix() not in navigation
    ]

    assert missing == []


def test_the_overview_names_everything_public():
    overview = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    public = importlib.import_module("logiclens").__all__

    assert [name for name in public if f"`{name}`" not in overview] == []


MAP = DOCS / "explanation" / "paper_map.md"
CHECKS = DOCS / "explanation" / "reference_checks.md"
NUMBER = r"\d+(?:\.\d+)?"
NUMBERED = re.compile(
    rf"\b(Eq\.|Fig\.|Tables?|Listings?|Theorem|Example) ({NUMBER}(?:(?:, | and | to ){NUMBER})*)"
)


def rows_of(text: str) -> list[list[str]]:
    """The cells of every row of the tables of a page, as many as its head has; without heads."""
    found, lines, width = [], text.splitlines(), 0
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("|---"):
            width = line.count("|") - 1
        elif line.startswith("|") and not after.startswith("|---"):
            found.append([cell.strip() for cell in line[1:-1].split(" | ")])
            assert len(found[-1]) == width, line
    return found


def numbered_in(cell: str) -> Iterator[str]:
    """What a cell says of the paper: ``Eq. 7 to 9`` is three."""
    for kind, numbers in NUMBERED.findall(cell):
        name = kind.rstrip("s")
        for part in re.split(", | and ", numbers):
            first, _, last = part.partition(" to ")
            if "." in first:
                yield f"{name} {first}"
            else:
                yield from (f"{name} {number}" for number in range(int(first), int(last or first) + 1))


@pytest.mark.parametrize("page", [MAP, CHECKS], ids=label)
def test_tests_that_are_named_exist(page: Path):
    text = page.read_text(encoding="utf-8")
    files = set(re.findall(r"`((?:tests|benchmarks)/[\w/]+\.py)(?:::\w+)?`", text))
    inside = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)

    assert files
    assert [path for path in sorted(files) if not (ROOT / path).is_file()] == []
    assert [
        f"{path}::{name}"
        for path, name in inside
        if f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")
    ] == []


def test_the_paper_map_is_complete():
    """Each numbered item has a row, and each row a module, a test and a verdict."""
    ours, features = MAP.read_text(encoding="utf-8").split("## What torch_explain has")
    rows = rows_of(ours)
    named = {each for row in rows for each in numbered_in(row[0])}
    wanted = {"Theorem 4.1", "Example 1", "Listing 1", "Listing 2"}
    wanted |= {f"Eq. {number}" for number in range(1, 18)}
    wanted |= {f"Fig. {number}" for number in range(1, 12)}
    wanted |= {f"Table {number}" for number in range(1, 11)}
    modules = set(re.findall(r"`((?:nn|explain|estimators|pipelines|concepts)\.[\w.]+)`", ours))

    assert wanted - named == set()
    assert [row for row in [*rows, *rows_of(features.split("\n## ")[0])] if not all(row)] == []
    assert {each for each in modules if f"logiclens.{each}" not in module_names()} == set()


def test_every_name_of_torch_explain_has_a_row():
    """The public classes and functions of its version 1.5.1."""
    features = MAP.read_text(encoding="utf-8").split("## What torch_explain has")[1].split("\n## ")[0]
    theirs = " ".join(row[0] for row in rows_of(features))
    names = """EntropyLinear ConceptEmbedding ConceptReasoningLayer softselect Logic GodelTNorm ProductTNorm
        entropy_logic_loss l1_loss prune_equal_fanin explain_class explain_classes test_explanation
        test_explanations complexity concept_consistency formula_consistency replace_names get_predictions
        get_the_good_and_bad_terms xor trigonometry dot"""

    assert [name for name in names.split() if not re.search(rf"\b{name}\b", theirs)] == []


def test_the_checks_of_the_reference_packages_are_counted():
    text = CHECKS.read_text(encoding="utf-8")
    rows = [row for row in rows_of(text) if len(row) == 5 and row[0].isdigit()]
    holding = [row for row in rows if row[4].startswith("holds")]
    here = (ROOT / "tests" / "test_reference_checks.py").read_text(encoding="utf-8")
    asked = set(re.findall(r"`(test_\w+)`", text))

    assert [int(row[0]) for row in rows] == [*range(1, len(rows) + 1)]
    assert all(row[4].startswith(("holds", "not wanted")) for row in rows)
    assert all(row[3] for row in holding)
    assert f"they ask {len(rows)} things" in text
    assert f"{len(holding)} hold, and {len(rows) - len(holding)} are not wanted" in text
    assert asked == set(re.findall(r"^def (test_\w+)", here, re.MULTILINE))


def test_architecture_names_files_that_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", text))

    assert named
    assert [path for path in sorted(named) if not (SOURCE / "logiclens" / path).is_file()] == []


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("logiclens_docs_hooks", DOCS / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_is_in_the_reference_and_helps(hooks: ModuleType):
    """The page is filled in when the site is built; here the same hook fills it in."""
    from logiclens.cli import app

    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    filled = hooks.on_page_markdown(page)
    paths = hooks.command_paths(app)

    assert hooks.MARKER in page
    assert ("demo",) in paths
    for path in paths:
        assert f"## `{' '.join(('logiclens', *path))}`" in filled
        assert len(description(hooks.help_text(app, path)).split()) >= 3, f"{path} does not say what it does"


def description(help_text: str) -> str:
    """Words between the usage line and the options of a help text, drawn in boxes or not."""
    before_options = re.split(r"╭|^\w+:$", help_text, maxsplit=1, flags=re.MULTILINE)[0]
    return " ".join(line for line in before_options.splitlines() if "Usage:" not in line)


def test_make_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"]:
        text = page.read_text(encoding="utf-8")
        in_shell = "\n".join(block.body for block in blocks(text) if block.language in {"console", "sh"})
        named = set(re.findall(r"`make ([a-z]+)`", text)) | set(re.findall(r"\bmake ([a-z]+)", in_shell))

        assert named <= targets, label(page)


def test_the_readme_shows_the_two_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shell = "\n".join(block.body for block in blocks(readme) if block.language in {"console", "sh"})

    assert "make demo" in shell
    assert "make test" in shell


def test_ci_runs_what_a_developer_runs():
    commands = [
        line
        for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
        if line.startswith("make ")
    ]

    assert commands == ["make check", "make test", "make spark"]


def test_links_between_files_lead_somewhere():
    """MkDocs checks the links of docs/; these are the pages it does not see."""
    broken = []
    for page in ROOT.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                broken.append(f"{label(page)}: {target}")

    assert broken == []


def test_the_readme_shows_what_the_demo_prints(hooks: ModuleType):
    """Line by line, blanks and times aside; ``...`` stands for lines left out."""
    from logiclens.cli import app

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    place = re.search(r"<!-- demo output: begin.*?-->(.*?)<!-- demo output: end -->", readme, re.DOTALL)
    assert place is not None
    (shown,) = blocks(place[1].lstrip())
    printed = CliRunner().invoke(app, ["demo"], env={"COLUMNS": hooks.WIDTH, "NO_COLOR": "1", "TERM": "dumb"})

    assert printed.exit_code == 0, printed.output
    check_shown(shown.body, printed.output, "README.md")


def normalized(text: str) -> list[str]:
    """Lines without outer blanks, empty ones dropped, every duration replaced."""
    lines = (re.sub(r"\d+(\.\d+)? ?(ms|s)\b", "# s", line.strip()) for line in text.splitlines())
    return [re.sub(r"^(seconds for a fold +)\d.*", r"\1#", line) for line in lines if line]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            renew(path)
