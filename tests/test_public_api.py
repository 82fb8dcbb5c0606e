"""The public names: what ``__all__`` promises is there, sorted, documented, and nothing else is."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

import logiclens
import logiclens.logic

LOGIC_NAMES = {
    "And",
    "Conflict",
    "Cover",
    "FALSE",
    "Formula",
    "Minimized",
    "Not",
    "Or",
    "Status",
    "TRUE",
    "TruthTable",
    "Var",
    "at_most_one",
    "conflicts",
    "equivalent",
    "exactly_one",
    "format_formula",
    "from_json",
    "implies",
    "minimize",
    "minimize_path",
    "ordered",
    "parse_formula",
    "satisfying_assignment",
    "simplify",
    "to_cnf",
    "to_dnf",
    "to_json",
    "to_nnf",
    "to_python",
    "to_sentence",
    "to_sql",
    "to_sympy",
}
"""The promise to users; a name leaves this list only with a note in the changelog."""

PACKAGES = [logiclens, logiclens.logic]


def package_name(package: ModuleType) -> str:
    return package.__name__


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_all_is_what_can_be_imported(package: ModuleType):
    importable = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }

    assert importable == set(package.__all__) - {"__version__"}


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_all_has_no_repetition(package: ModuleType):
    """Its order is ruff's business (RUF022)."""
    assert len(set(package.__all__)) == len(package.__all__)


def test_the_logic_names_are_kept():
    assert set(logiclens.logic.__all__) == LOGIC_NAMES


def test_the_top_level_offers_the_logic_names_too():
    assert set(logiclens.__all__) >= LOGIC_NAMES | {"__version__"}
    for name in LOGIC_NAMES:
        assert getattr(logiclens, name) is getattr(logiclens.logic, name)


@pytest.mark.parametrize("name", sorted(LOGIC_NAMES))
def test_public_name_is_documented(name: str):
    value = getattr(logiclens.logic, name)
    documented = value if inspect.isroutine(value) or inspect.isclass(value) else type(value)

    assert documented.__doc__


CLASSES = sorted(name for name in LOGIC_NAMES if inspect.isclass(getattr(logiclens.logic, name)))


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_are_documented(name: str):
    """Methods of a public class have a docstring, their own or the one they override."""
    value = getattr(logiclens.logic, name)
    bare = [
        member
        for member, thing in vars(value).items()
        if not member.startswith("_")
        and (isinstance(thing, property | classmethod | staticmethod) or inspect.isfunction(thing))
        and not inspect.getdoc(getattr(value, member))
    ]

    assert bare == []


def test_version_is_one_pip_accepts():
    parts = logiclens.__version__.split(".")

    assert all(part.isdigit() for part in parts[:3])
