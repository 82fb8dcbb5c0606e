"""Pictures of networks, tables and rules, drawn with matplotlib.

Each is a display in the manner of scikit-learn: ``from_estimator`` draws what a fitted model holds, on the
caller's axes where ``ax`` is given, and ``ax_`` and ``figure_`` are what was drawn on.
"""

from logiclens.plots.coverage import RuleCoverageDisplay
from logiclens.plots.front import FrontDisplay
from logiclens.plots.network import NetworkDisplay
from logiclens.plots.relevance import ConceptRelevanceDisplay
from logiclens.plots.truth_table import TruthTableDisplay

__all__ = [
    "ConceptRelevanceDisplay",
    "FrontDisplay",
    "NetworkDisplay",
    "RuleCoverageDisplay",
    "TruthTableDisplay",
]
