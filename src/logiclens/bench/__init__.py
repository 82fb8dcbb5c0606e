"""The paper's experiments: the tables they run on."""

from logiclens.bench.data import (
    Dataset,
    load_cub,
    load_dsprites,
    load_mimic2,
    load_tabular,
    load_vdem,
)

__all__ = ["Dataset", "load_cub", "load_dsprites", "load_mimic2", "load_tabular", "load_vdem"]
