"""The paper's experiments, and rule learners at every length: what ``logiclens bench`` runs, from Python.

- **Data.** ``load_...`` read files that the user has and the package has not, into a :class:`Dataset` or
  :class:`Pictures`.
- **Experiments.** :data:`EXPERIMENTS` has the paper's; a :class:`TableExperiment` is about any table. Both
  make folds: all that a method may see, and what it is scored on.
- **Methods.** Those of :data:`METHODS` learn each fold once, those of :data:`PEERS` at every size. Derive
  your own from :class:`FoldByFold`.
- **Runs.** :func:`run` and :func:`run_fronts` do each piece of work once and keep it in a folder of
  :class:`Results`, side by side if wished, or on a cluster (:func:`on_cluster`).
- **Tables and figures.** :func:`paper_tables`, :func:`ranked_table` and :func:`front_tables` make tables of
  rows, :data:`FIGURES` and :func:`front_figure` draw them; :func:`as_document` and :func:`as_svg` write them.
"""

from logiclens.bench._data_files import DataFileError
from logiclens.bench._run import FAILED, PieceReport, on_cluster, run
from logiclens.bench.datasets import (
    Dataset,
    Pictures,
    load_cub,
    load_cub_pictures,
    load_dsprites,
    load_mimic2,
    load_mnist,
    load_mnist_pictures,
    load_tabular,
    load_vdem,
    load_vdem_items,
)
from logiclens.bench.experiments import EXPERIMENTS, Experiment, Fold, HasFolds, TableExperiment, table_files
from logiclens.bench.fronts import front_figure, front_tables, run_fronts
from logiclens.bench.method import DONE, FoldByFold, Method, Outcome, Stopwatch, one_hot
from logiclens.bench.methods import METHODS
from logiclens.bench.peers import PEERS
from logiclens.bench.result_figures import FIGURES, as_svg
from logiclens.bench.result_tables import MEASURES, paper_tables, ranked_table
from logiclens.bench.scoreboard import Scoreboard
from logiclens.bench.store import Results, read_rows, write_rows
from logiclens.bench.table_layout import Cell, ResultTable, as_document

__all__ = [
    "DONE",
    "EXPERIMENTS",
    "FAILED",
    "FIGURES",
    "MEASURES",
    "METHODS",
    "PEERS",
    "Cell",
    "DataFileError",
    "Dataset",
    "Experiment",
    "Fold",
    "FoldByFold",
    "HasFolds",
    "Method",
    "Outcome",
    "Pictures",
    "PieceReport",
    "ResultTable",
    "Results",
    "Scoreboard",
    "Stopwatch",
    "TableExperiment",
    "as_document",
    "as_svg",
    "front_figure",
    "front_tables",
    "load_cub",
    "load_cub_pictures",
    "load_dsprites",
    "load_mimic2",
    "load_mnist",
    "load_mnist_pictures",
    "load_tabular",
    "load_vdem",
    "load_vdem_items",
    "on_cluster",
    "one_hot",
    "paper_tables",
    "ranked_table",
    "read_rows",
    "run",
    "run_fronts",
    "table_files",
    "write_rows",
]
