"""Logic Explained Networks: networks over named concepts that say what they do in First-Order Logic.

Formulas, tables, rules and metrics are here at once. What needs scikit-learn or torch (the classifiers,
``cross_explain``, ``load``) is imported when it is first asked for, so ``import logiclens`` stays quick.
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
    from logiclens.estimators import (
        EntropyClassifier,
        MuClassifier,
        PsiClassifier,
        ReluClassifier,
        cross_explain,
    )
    from logiclens.loading import load, rules_of_model

__version__ = "0.1.0.dev0"

_LATE = {
    "EntropyClassifier": "logiclens.estimators",
    "MuClassifier": "logiclens.estimators",
    "PsiClassifier": "logiclens.estimators",
    "ReluClassifier": "logiclens.estimators",
    "cross_explain": "logiclens.estimators",
    "load": "logiclens.loading",
    "rules_of_model": "logiclens.loading",
}
"""Names imported when they are first asked for, and where they live."""

__all__ = [
    *_logic.__all__,
    *_explain.__all__,
    *_metrics.__all__,
    "EntropyClassifier",
    "MuClassifier",
    "PsiClassifier",
    "ReluClassifier",
    "__version__",
    "cross_explain",
    "load",
    "rules_of_model",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
