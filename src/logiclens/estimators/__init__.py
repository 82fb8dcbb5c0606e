"""The classifiers and the clusterer, with the methods of scikit-learn; ``explain_torch`` for other networks.

``explain_torch`` is imported when it is first used, as it needs torch at once.
"""

from typing import TYPE_CHECKING, Any

from logiclens.estimators.classifiers import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.clusterer import LENClusterer
from logiclens.estimators.groups import group_copies
from logiclens.estimators.validation import cross_explain

if TYPE_CHECKING:
    from logiclens.estimators.sequential import explain_torch

__all__ = [
    "EntropyClassifier",
    "LENClusterer",
    "MuClassifier",
    "PsiClassifier",
    "ReluClassifier",
    "cross_explain",
    "explain_torch",
    "group_copies",
]


def __getattr__(name: str) -> Any:
    if name == "explain_torch":
        from logiclens.estimators.sequential import explain_torch

        return explain_torch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
