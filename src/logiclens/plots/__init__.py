"""Pictures of networks, tables and rules, drawn with matplotlib.

Each is a display in the manner of scikit-learn: ``from_estimator`` draws what a fitted model holds, on the
caller's axes where ``ax`` is given, and ``ax_`` and ``figure_`` are what was drawn on.
"""

from logiclens.plots._coverage_display import RuleCoverageDisplay
from logiclens.plots._front_display import FrontDisplay
from logiclens.plots._network_display import ConceptRelevanceDisplay, NetworkDisplay
from logiclens.plots._truth_table_display import TruthTableDisplay

__all__ = [
    "ConceptRelevanceDisplay",
    "FrontDisplay",
    "NetworkDisplay",
    "RuleCoverageDisplay",
    "TruthTableDisplay",
]
