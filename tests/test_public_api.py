"""The public names: what ``__all__`` promises is there, sorted, documented, and nothing else is."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import logiclens
import logiclens.bench
import logiclens.concepts
import logiclens.estimators
import logiclens.explain
import logiclens.files
import logiclens.guard
import logiclens.loading
import logiclens.logic
import logiclens.metrics
import logiclens.pipelines
import logiclens.plots
import logiclens.reporting
import logiclens.scale

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
    "prove",
    "satisfying_assignment",
    "simplify",
    "substitute",
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

EXPLAIN_NAMES = {
    "Change",
    "Composition",
    "Counterfactual",
    "Explanation",
    "ExplanationSet",
    "Front",
    "GlobalExplanation",
    "Point",
    "PredictionCounterfactual",
    "Resolution",
    "Rule",
    "RuleCheck",
    "RuleKind",
    "Scope",
    "Scores",
    "Step",
    "TermScore",
    "class_formulas",
    "compose",
    "counterfactual",
    "explain_class",
    "explain_class_as_in_paper",
    "explain_example",
    "explain_examples",
    "explain_global",
    "explain_set",
    "load_rules",
    "term_scores",
    "unseen_tuples",
    "with_unseen",
}
METRICS_NAMES = {
    "Agreement",
    "Consistency",
    "Fidelity",
    "Recurrence",
    "RuleScores",
    "TargetScores",
    "complexity",
    "consistency",
    "explanation_accuracy",
    "fidelity",
    "macro_f1",
    "rule_scores",
}
ESTIMATORS_NAMES = {
    "EntropyClassifier",
    "LENClusterer",
    "MuClassifier",
    "PsiClassifier",
    "ReluClassifier",
    "cross_explain",
}
BENCH_NAMES = {
    "Dataset",
    "Pictures",
    "load_cub",
    "load_cub_pictures",
    "load_dsprites",
    "load_mimic2",
    "load_mnist",
    "load_mnist_pictures",
    "load_tabular",
    "load_vdem",
    "load_vdem_items",
}
CONCEPTS_NAMES = {
    "Above",
    "AtMost",
    "Between",
    "Column",
    "Concept",
    "ConceptEncoder",
    "Flag",
    "Kind",
    "Missing",
    "OneOf",
    "Table",
    "Vocabulary",
    "auto_encoder",
}
PIPELINES_NAMES = {
    "BlackBoxExplainer",
    "BlackBoxFidelity",
    "CascadeClassifier",
    "ConceptBottleneckClassifier",
    "Intervention",
    "InterventionCurve",
    "intervention_curve",
}
PLOTS_NAMES = {
    "ConceptRelevanceDisplay",
    "FrontDisplay",
    "NetworkDisplay",
    "RuleCoverageDisplay",
    "TruthTableDisplay",
}
FILES_NAMES = {
    "Batch",
    "Batches",
    "TableFile",
    "ValueType",
    "read_batches",
    "read_table",
    "written_whole",
}
REPORTING_NAMES = {"Facts", "Report", "Source", "report"}
SCALE_NAMES = {"RuleSetScores", "fit", "fit_streaming", "predict", "read", "score", "truth_table"}
GUARD_NAMES = {"Link", "RuleGuard", "Violation", "Violations", "mutual_rules"}
LOADING_NAMES = {"load", "rules_of_model"}

PROMISED = {
    logiclens.logic: LOGIC_NAMES,
    logiclens.explain: EXPLAIN_NAMES,
    logiclens.metrics: METRICS_NAMES,
    logiclens.estimators: ESTIMATORS_NAMES,
    logiclens.pipelines: PIPELINES_NAMES,
    logiclens.concepts: CONCEPTS_NAMES,
    logiclens.bench: BENCH_NAMES,
    logiclens.files: FILES_NAMES,
    logiclens.plots: PLOTS_NAMES,
    logiclens.reporting: REPORTING_NAMES,
    logiclens.guard: GUARD_NAMES,
    logiclens.scale: SCALE_NAMES,
}
OFFERED = {name: package for package in list(PROMISED)[:5] for name in PROMISED[package]}
"""Names that the top level offers too, and where they come from; the others stay in their package."""
OFFERED |= {"ConceptEncoder": logiclens.concepts}
OFFERED |= {"Report": logiclens.reporting, "report": logiclens.reporting, "RuleGuard": logiclens.guard}
OFFERED |= dict.fromkeys(LOADING_NAMES, logiclens.loading)
PACKAGES = [logiclens, *PROMISED]


def package_name(package: ModuleType) -> str:
    return package.__name__


def is_ours(value: object) -> bool:
    """Whether it was made here, not imported for use inside."""
    home = getattr(value, "__module__", None) or type(value).__module__
    return home.partition(".")[0] == "logiclens"


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_all_is_what_can_be_imported(package: ModuleType):
    importable = {
        name
        for name in dir(package)
        if not name.startswith("_")
        and not inspect.ismodule(getattr(package, name))
        and is_ours(getattr(package, name))
    }

    assert importable == set(package.__all__) - {"__version__"}


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_all_has_no_repetition(package: ModuleType):
    """Its order is ruff's business (RUF022)."""
    assert len(set(package.__all__)) == len(package.__all__)


@pytest.mark.parametrize("package", PROMISED, ids=package_name)
def test_the_names_are_kept(package: ModuleType):
    assert set(package.__all__) == PROMISED[package]


def test_the_top_level_offers_the_names_too():
    assert set(logiclens.__all__) == {*OFFERED, "__version__"}
    for name, package in OFFERED.items():
        assert getattr(logiclens, name) is getattr(package, name)


def test_star_import_brings_everything():
    """The names that are loaded late included."""
    code = "from logiclens import *; import logiclens; print(*(set(logiclens.__all__) - set(globals())))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_a_name_that_does_not_exist_is_missing_as_ever():
    with pytest.raises(AttributeError, match="module 'logiclens' has no attribute 'NuClassifier'"):
        _ = logiclens.NuClassifier


EVERYTHING = [(package, name) for package, names in PROMISED.items() for name in sorted(names)]
EVERYTHING += [(logiclens.loading, name) for name in sorted(LOADING_NAMES)]


@pytest.mark.parametrize(
    ("package", "name"), EVERYTHING, ids=[f"{package.__name__}.{name}" for package, name in EVERYTHING]
)
def test_public_name_is_documented(package: ModuleType, name: str):
    value = getattr(package, name)
    documented = value if inspect.isroutine(value) or inspect.isclass(value) else type(value)

    assert documented.__doc__


CLASSES = [(package, name) for package, name in EVERYTHING if inspect.isclass(getattr(package, name))]


@pytest.mark.parametrize(
    ("package", "name"), CLASSES, ids=[f"{package.__name__}.{name}" for package, name in CLASSES]
)
def test_public_methods_are_documented(package: ModuleType, name: str):
    """Methods of a public class have a docstring, their own or the one they override."""
    value = getattr(package, name)
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
