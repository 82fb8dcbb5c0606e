"""The same rules from tables that do not fit: counted in an engine through Ibis, or streamed from Parquet.

A truth table is one GROUP BY, a rule is one WHERE clause. So the data stay in DuckDB, in Spark or in whatever
else Ibis speaks, and only the collapsed table comes out. Names are imported when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from logiclens.scale.collapsing import truth_table
    from logiclens.scale.engine import read
    from logiclens.scale.fitting import fit
    from logiclens.scale.predicting import predict
    from logiclens.scale.scoring import score
    from logiclens.scale.streaming.fitting import fit_streaming

_LATE = {
    "fit": "logiclens.scale.fitting",
    "fit_streaming": "logiclens.scale.streaming.fitting",
    "predict": "logiclens.scale.predicting",
    "read": "logiclens.scale.engine",
    "score": "logiclens.scale.scoring",
    "truth_table": "logiclens.scale.collapsing",
}
"""Names imported when they are first asked for, and where they live."""

__all__ = ["fit", "fit_streaming", "predict", "read", "score", "truth_table"]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
