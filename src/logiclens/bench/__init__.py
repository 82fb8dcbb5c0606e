"""The paper's experiments: the tables and pictures they run on."""

from logiclens.bench.data import (
    Dataset,
    load_cub,
    load_dsprites,
    load_mimic2,
    load_tabular,
    load_vdem,
)
from logiclens.bench.pictures import Pictures, load_cub_pictures, load_mnist, load_mnist_pictures
from logiclens.bench.vdem import load_vdem_items

__all__ = [
    "Dataset",
    "Pictures",
    "load_cub",
    "load_cub_pictures",
    "load_dsprites",
    "load_mimic2",
    "load_mnist",
    "load_mnist_pictures",
    "load_tabular",
    "load_vdem",
    "load_vdem_items",
]
