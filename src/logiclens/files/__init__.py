"""Tables in files: CSV, TSV and Parquet, compressed or not, whole or in batches.

What needs pyarrow is imported on first use, so that writing a file needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from logiclens.files._storage import written_whole

if TYPE_CHECKING:
    from logiclens.concepts.table import ValueType
    from logiclens.files._reading import Batch, Batches, TableFile, read_batches, read_table

_LATE = {
    "Batch": "logiclens.files._reading",
    "Batches": "logiclens.files._reading",
    "TableFile": "logiclens.files._reading",
    "ValueType": "logiclens.concepts.table",
    "read_batches": "logiclens.files._reading",
    "read_table": "logiclens.files._reading",
}
"""Names imported on first use, and where they live."""

__all__ = ["Batch", "Batches", "TableFile", "ValueType", "read_batches", "read_table", "written_whole"]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
