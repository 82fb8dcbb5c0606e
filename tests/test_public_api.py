"""The public names: what ``__all__`` promises is there, sorted, documented, and nothing else is."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import logiclens
import logiclens.bench
import logiclens.concepts
import logiclens.estimators
import logiclens.evaluation
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
    "PrimeImplicant",
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
    "sufficient_reason",
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
    "CascadeExplanation",
    "Change",
    "Composition",
    "Counterfactual",
    "Explanation",
    "ExplanationSet",
    "Front",
    "GlobalExplanation",
    "HeldOutScores",
    "Limits",
    "Point",
    "PredictionCounterfactual",
    "Resolution",
    "Rule",
    "RuleCheck",
    "RuleKind",
    "Scope",
    "Scores",
    "Step",
    "SufficientReason",
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
    "HeldOut",
    "Lead",
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
    "explain_torch",
    "group_copies",
}
BENCH_NAMES = {
    "DONE",
    "EXPERIMENTS",
    "FAILED",
    "FIGURES",
    "MEASURES",
    "METHODS",
    "PEERS",
    "Cell",
    "DataFileError",
    "Dataset",
    "Experiment",
    "Fold",
    "FoldByFold",
    "HasFolds",
    "Method",
    "Outcome",
    "Pictures",
    "PieceReport",
    "ResultTable",
    "Results",
    "Scoreboard",
    "Stopwatch",
    "TableExperiment",
    "as_document",
    "as_svg",
    "front_figure",
    "front_tables",
    "load_cub",
    "load_cub_pictures",
    "load_dsprites",
    "load_mimic2",
    "load_mnist",
    "load_mnist_pictures",
    "load_tabular",
    "load_vdem",
    "load_vdem_items",
    "on_cluster",
    "one_hot",
    "paper_tables",
    "ranked_table",
    "read_rows",
    "run",
    "run_fronts",
    "table_files",
    "write_rows",
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
    "Ranges",
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
EVALUATION_NAMES = {"Evaluation", "LabelScores", "StepScores", "evaluate"}
SCALE_NAMES = {"fit", "fit_streaming", "predict", "read", "score", "truth_table"}
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
    logiclens.evaluation: EVALUATION_NAMES,
    logiclens.scale: SCALE_NAMES,
}
OFFERED = {name: package for package in list(PROMISED)[:5] for name in PROMISED[package]}
"""Names that the top level offers too, and where they come from; the others stay in their package."""
OFFERED |= {"ConceptEncoder": logiclens.concepts}
OFFERED |= {"Report": logiclens.reporting, "report": logiclens.reporting, "RuleGuard": logiclens.guard}
OFFERED |= dict.fromkeys(LOADING_NAMES, logiclens.loading)
PACKAGES = [logiclens, *PROMISED]


def is_ours(value: object) -> bool:
    """Whether it was made here, not imported for use inside."""
    home = getattr(value, "__module__", None) or type(value).__module__
    return home.partition(".")[0] == "logiclens"


def test_all_is_what_can_be_imported():
    for package in PACKAGES:
        importable = {
            name
            for name in dir(package)
            if not name.startswith("_")
            and not inspect.ismodule(getattr(package, name))
            and (name.isupper() or is_ours(getattr(package, name)))
        }

        assert importable == set(package.__all__) - {"__version__"}, package.__name__
        assert len(set(package.__all__)) == len(package.__all__), package.__name__


def test_the_names_are_kept():
    for package, names in PROMISED.items():
        assert set(package.__all__) == names, package.__name__


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


def test_public_names_are_documented():
    """Methods of public classes too, by themselves or by what they override."""
    bare = []
    for package, name in EVERYTHING:
        value = getattr(package, name)
        documented = name.isupper() or (value if callable(value) else type(value)).__doc__
        bare += [name] * (not documented)
        for member, thing in vars(value).items() if inspect.isclass(value) else ():
            is_method = isinstance(thing, property | classmethod | staticmethod) or inspect.isfunction(thing)
            if is_method and not member.startswith("_") and not inspect.getdoc(getattr(value, member)):
                bare.append(f"{name}.{member}")

    assert bare == []


def test_version_is_one_pip_accepts():
    parts = logiclens.__version__.split(".")

    assert all(part.isdigit() for part in parts[:3])
