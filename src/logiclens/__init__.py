"""Logic Explained Networks: networks over named concepts that say what they do in First-Order Logic.

Formulas, tables, rules and metrics are here at once. What needs scikit-learn or torch (the encoder, the
classifiers, the clusterer, the pipelines, the guard, ``report``, ``cross_explain``, ``load``) is imported
when it is first asked for, so ``import logiclens`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from logiclens import explain as _explain
from logiclens import logic as _logic
from logiclens import metrics as _metrics
from logiclens.explain import *  # noqa: F403 - the names are listed once, in logiclens.explain
from logiclens.logic import *  # noqa: F403
from logiclens.metrics import *  # noqa: F403

if TYPE_CHECKING:
    from logiclens.concepts import ConceptEncoder
    from logiclens.estimators import (
        EntropyClassifier,
        LENClusterer,
        MuClassifier,
        PsiClassifier,
        ReluClassifier,
        cross_explain,
        explain_torch,
        group_copies,
    )
    from logiclens.guard import RuleGuard
    from logiclens.loading import load, rules_of_model
    from logiclens.pipelines import (
        BlackBoxExplainer,
        BlackBoxFidelity,
        CascadeClassifier,
        ConceptBottleneckClassifier,
        Intervention,
        InterventionCurve,
        intervention_curve,
    )
    from logiclens.reporting import Report, report

__version__ = "0.1.0.dev0"

_LATE = {
    "BlackBoxExplainer": "logiclens.pipelines",
    "BlackBoxFidelity": "logiclens.pipelines",
    "CascadeClassifier": "logiclens.pipelines",
    "ConceptBottleneckClassifier": "logiclens.pipelines",
    "ConceptEncoder": "logiclens.concepts",
    "Intervention": "logiclens.pipelines",
    "InterventionCurve": "logiclens.pipelines",
    "intervention_curve": "logiclens.pipelines",
    "EntropyClassifier": "logiclens.estimators",
    "LENClusterer": "logiclens.estimators",
    "MuClassifier": "logiclens.estimators",
    "PsiClassifier": "logiclens.estimators",
    "ReluClassifier": "logiclens.estimators",
    "Report": "logiclens.reporting",
    "RuleGuard": "logiclens.guard",
    "cross_explain": "logiclens.estimators",
    "explain_torch": "logiclens.estimators",
    "group_copies": "logiclens.estimators",
    "load": "logiclens.loading",
    "report": "logiclens.reporting",
    "rules_of_model": "logiclens.loading",
}
"""Names imported when they are first asked for, and where they live."""

__all__ = [
    *_logic.__all__,
    *_explain.__all__,
    *_metrics.__all__,
    "BlackBoxExplainer",
    "BlackBoxFidelity",
    "CascadeClassifier",
    "ConceptBottleneckClassifier",
    "ConceptEncoder",
    "Intervention",
    "InterventionCurve",
    "intervention_curve",
    "EntropyClassifier",
    "LENClusterer",
    "MuClassifier",
    "PsiClassifier",
    "ReluClassifier",
    "Report",
    "RuleGuard",
    "__version__",
    "cross_explain",
    "explain_torch",
    "group_copies",
    "load",
    "report",
    "rules_of_model",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
