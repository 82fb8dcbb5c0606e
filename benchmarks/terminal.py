"""What benchmarks on real data share: concepts as a frame, and a table to print."""

from __future__ import annotations

import numpy as np
import pandas as pd
from rich import box
from rich.table import Table

from logiclens.bench import Dataset


def frame(data: Dataset) -> pd.DataFrame:
    """The concepts of a data set, as numbers."""
    return pd.DataFrame(np.array(data.concepts, dtype=float), columns=list(data.concept_names))


def printed_table(title: str, *heads: str, n_words: int = 1) -> Table:
    """A table for a terminal: the first columns hold words, all others figures."""
    table = Table(title=title, box=box.SIMPLE_HEAD)
    for at, head in enumerate(heads):
        table.add_column(head, justify="left" if at < n_words else "right")
    return table
