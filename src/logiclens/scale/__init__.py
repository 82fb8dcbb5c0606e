"""Rules from tables that do not fit in memory: counted in an engine through Ibis, or streamed from Parquet.

A truth table is one GROUP BY, a rule is one WHERE clause. So the data stay in DuckDB, in Spark or in any
other engine that Ibis speaks to, and only the collapsed table comes out. Names are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from logiclens.scale._collapse import truth_table
    from logiclens.scale._engine import read
    from logiclens.scale._engine_fit import fit
    from logiclens.scale._fit_streaming import fit_streaming
    from logiclens.scale._rule_queries import predict, score

_LATE = {
    "fit": "logiclens.scale._engine_fit",
    "fit_streaming": "logiclens.scale._fit_streaming",
    "predict": "logiclens.scale._rule_queries",
    "read": "logiclens.scale._engine",
    "score": "logiclens.scale._rule_queries",
    "truth_table": "logiclens.scale._collapse",
}
"""Names imported on first use, and where they live."""

__all__ = ["fit", "fit_streaming", "predict", "read", "score", "truth_table"]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
