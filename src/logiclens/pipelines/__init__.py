"""Pipelines: from raw inputs or somebody else's model to rules (Sec. 3.1 and 3.2).

Names are imported when they are first used, so that importing the package stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from logiclens.pipelines.black_box import BlackBoxExplainer, BlackBoxFidelity
    from logiclens.pipelines.bottleneck import (
        ConceptBottleneckClassifier,
        InterventionCurve,
        intervention_curve,
    )
    from logiclens.pipelines.cascade import CascadeClassifier
    from logiclens.pipelines.intervention import Intervention

_LATE = {
    "BlackBoxExplainer": "logiclens.pipelines.black_box",
    "BlackBoxFidelity": "logiclens.pipelines.black_box",
    "CascadeClassifier": "logiclens.pipelines.cascade",
    "ConceptBottleneckClassifier": "logiclens.pipelines.bottleneck",
    "Intervention": "logiclens.pipelines.intervention",
    "InterventionCurve": "logiclens.pipelines.bottleneck",
    "intervention_curve": "logiclens.pipelines.bottleneck",
}
"""Names imported when they are first used, and where they live."""

__all__ = [
    "BlackBoxExplainer",
    "BlackBoxFidelity",
    "CascadeClassifier",
    "ConceptBottleneckClassifier",
    "Intervention",
    "InterventionCurve",
    "intervention_curve",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
