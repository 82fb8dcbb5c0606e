"""The methods by name, and which of them apply to an experiment."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from logiclens.bench.experiments import EXPERIMENTS
from logiclens.bench.methods import CLUSTERERS, DEFAULT, METHODS, method_for, methods_for
from logiclens.bench.methods.packages import is_installed
from logiclens.bench.methods.tree import Tree
from logiclens.errors import InputError
from tests.bench.methods.toys import check, held, several_classes, two_classes

QUICK = ("tree", "logistic", "mlp", "boosting", "ripper")


def test_names_are_their_own():
    assert all(name == method.name for name, method in [*METHODS.items(), *CLUSTERERS.items()])
    assert len({method.title for method in METHODS.values()}) == len(METHODS)
    assert DEFAULT in METHODS
    assert DEFAULT in CLUSTERERS


def test_what_they_say_about_themselves():
    assert {name for name, each in METHODS.items() if each.slow} == {"brl", "ripper"}
    assert {name for name, each in METHODS.items() if not each.has_rules} == {"logistic", "mlp", "boosting"}
    assert {name for name, each in METHODS.items() if each.package} == {"brl", "ripper"}
    assert {name for name, each in METHODS.items() if each.together} == {
        f"{kind}{end}" for kind in ("mu", "psi", "relu", "entropy") for end in ("", "-reference")
    }


def test_an_experiment_says_how_deep_trees_are():
    assert method_for("tree", EXPERIMENTS["cub"]) == Tree(max_depth=30)
    assert method_for("tree", replace(EXPERIMENTS["vdem"], tree_depth=2)) == Tree(max_depth=2)
    assert methods_for(EXPERIMENTS["vdem"]).keys() == METHODS.keys()


def test_without_labels_there_are_clusterers():
    assert methods_for(EXPERIMENTS["mnist-iclu"]) == CLUSTERERS
    with pytest.raises(InputError) as info:
        method_for("tree", EXPERIMENTS["mnist-iclu"])
    assert (
        str(info.value)
        == ("Unknown method 'tree' for MNIST (ICLU). Did you mean 'relu'? There are mu, psi, relu, entropy.")
        or str(info.value) == "Unknown method 'tree' for MNIST (ICLU). There are mu, psi, relu, entropy."
    )


def test_a_name_that_is_misspelled():
    with pytest.raises(InputError) as info:
        method_for("boost", EXPERIMENTS["vdem"])
    assert str(info.value) == (
        f"Unknown method 'boost' for V-Dem. Did you mean 'boosting'? There are {', '.join(METHODS)}."
    )


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("make", [two_classes, several_classes])
def test_every_quick_method_learns(name, make):
    method = METHODS[name]
    if not is_installed(method.package):
        pytest.skip(f"{method.package} is not installed")
    folds = make(noise=0.0)
    for outcome, fold in zip(method.fit(folds, seed=0), folds, strict=True):
        check(outcome, fold)
        assert (outcome.answers == fold.y_test).mean() > 0.65
        assert (outcome.rules is None) == (not method.has_rules)
        if method.has_rules:
            assert (held(outcome.rules, fold) == outcome.said).all()


def test_methods_are_listed_before_anything_is_imported():
    code = "import sys; from logiclens.bench.methods import METHODS; print(sorted(set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"'torch'", "'imodels'", "'wittgenstein'", "'sklearn'"} & set(done.stdout[1:-2].split(", "))
