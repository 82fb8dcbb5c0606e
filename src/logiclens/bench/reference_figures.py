"""Figures to compare with: the paper's.

They are kept as published, in percent with their spread, and returned as rates in [0, 1] like all rates
of the package. The paper's pictures and V-Dem file are not the ones available today, so its figures for
MNIST, CUB and V-Dem are about other data: compare methods within one run, and read the paper's figures as
context.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple


class Published(NamedTuple):
    """A published figure and its spread, NaN if there is none.

    The spread of the paper is called a standard deviation there and is the standard error of the mean, as
    the rows that its authors' code gives show.
    """

    mean: float
    spread: float


Key = tuple[str, str, str]
"""Column of a row of results, experiment, method."""

_COLUMNS = ("tree", "brl", "psi", "relu", "mu")
# A line for each experiment; for each method of _COLUMNS the mean and its spread.
_TABLES = {
    "model_accuracy": """
        mimic2      77.53 1.45   76.40 1.22   77.19 1.09   80.11 1.87   80.00 0.95
        vdem        85.61 0.57   91.23 0.75   89.78 1.64   92.08 0.37   90.40 0.51
        mnist       99.75 0.01   99.80 0.02   99.80 0.03   99.88 0.02   99.83 0.01
        cub         81.62 1.17   90.79 0.34   91.92 0.27   92.29 0.40   92.21 0.33
        mimic2-ebb  77.53 1.45   77.87 1.24   76.74 1.52   80.00 0.95   79.44 0.97
    """,
    "explanation_accuracy": """
        mimic2      69.15 2.24   70.59 2.17   49.51 3.92   70.28 1.67   71.84 1.82
        vdem        85.45 0.58   91.21 0.75   67.08 9.68   90.21 0.55   88.18 1.07
        mnist       99.74 0.01   99.79 0.02   65.64 5.05   99.74 0.02   99.74 0.02
        cub         89.36 0.92   96.02 0.17   76.10 0.56   87.96 2.81   93.69 0.27
        mimic2-ebb  69.15 2.24   71.68 2.21   51.71 4.78   70.53 1.56   71.84 1.82
    """,
    "complexity": """
        mimic2      66.60 1.45   57.70 35.58     20.60 5.36    39.50 11.62   15.80 1.37
        vdem        30.20 1.20   145.70 57.93    5.40 2.70     18.40 2.17    9.10 0.94
        mnist       47.50 0.72   1352.30 292.62  96.90 10.01   73.30 5.77    80.50 4.85
        cub         45.92 1.16   8.87 0.11       15.96 0.96    60.57 6.95    14.65 0.16
        mimic2-ebb  66.60 1.45   40.50 32.46     24.30 5.40    61.30 13.61   15.80 1.37
    """,
    "fidelity": """
        mimic2      100 0   100 0   51.63 6.68    75.62 2.07   88.37 2.73
        vdem        100 0   100 0   69.67 10.43   96.36 0.64   94.73 2.16
        mnist       100 0   100 0   65.68 5.05    99.85 0.02   99.83 0.02
        cub         100 0   100 0   77.34 0.52    89.28 2.90   95.21 0.25
        mimic2-ebb  100 0   100 0   55.72 8.55    74.14 2.32   88.37 2.73
    """,
    "consistency": """
        mimic2      40.49 nan   30.48 nan    27.62 nan   53.75 nan    71.43 nan
        vdem        72.00 nan   73.33 nan    38.00 nan   64.62 nan    41.67 nan
        mnist       41.67 nan   100.00 nan   96.00 nan   100.00 nan   100.00 nan
        cub         21.47 nan   42.86 nan    41.43 nan   44.17 nan    76.92 nan
        mimic2-ebb  40.49 nan   40.00 nan    25.71 nan   58.67 nan    71.43 nan
    """,
}
# Other figures: method, then mean and spread for each column named.
_CLUSTERS = """
    psi   99.90 0.01   99.90 0.01   2.00 0.00   0.33 0.15   100.00 nan
    mu    94.91 4.99   95.41 4.50   2.30 0.64   2.36 0.75   35.00 nan
    relu  96.87 3.04   95.97 3.94   2.15 0.39   4.15 1.62   45.00 nan
"""
_CLUSTER_COLUMNS = ("model_accuracy", "explanation_accuracy", "complexity", "seconds", "consistency")
_ENTROPY = """
    mimic2  79.05 nan   66.93 nan   3.50 nan    nan nan
    mnist   99.81 nan   99.62 nan   50.00 nan   99.63 nan
    cub     92.95 nan   95.24 nan   3.74 nan    99.86 nan
"""
_FOUR = ("model_accuracy", "explanation_accuracy", "complexity", "fidelity")
_COUNTS = frozenset({"complexity", "seconds"})
"""Columns that are no rates."""

CLASS_SHOWN: Final = {
    "mimic2": "death",
    "mimic2-ebb": "death",
    "mimic2-infold": "death",
    "vdem": "electoral democracy",
    "mnist": "even",
    "mnist-iclu": "even",
    "cub": "001.Black_footed_Albatross",
}
"""The class whose rules the paper prints. It gives the consistency of one class and does not say of which."""
FOLDS_OF_CONSISTENCY: Final = 5
"""Folds, or seeds, over which the paper counts how far concepts return."""


def _lines(text: str) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """The name at the beginning of each line, and its means and spreads."""
    for line in text.strip().splitlines():
        name, *figures = line.split()
        yield name, [*zip(map(float, figures[::2]), map(float, figures[1::2]), strict=True)]


def _read_published() -> dict[Key, Published]:
    pairs: dict[Key, tuple[float, float]] = {}
    for column, text in _TABLES.items():
        for experiment, found in _lines(text):
            pairs |= {
                (column, experiment, method): each for method, each in zip(_COLUMNS, found, strict=True)
            }
    for method, found in _lines(_CLUSTERS):
        columns = zip(_CLUSTER_COLUMNS, found, strict=True)
        pairs |= {(column, "mnist-iclu", method): each for column, each in columns}
    for experiment, found in _lines(_ENTROPY):
        pairs |= {(column, experiment, "entropy"): each for column, each in zip(_FOUR, found, strict=True)}
    scale = {key: 1 if key[0] in _COUNTS else 100 for key in pairs}
    return {
        key: Published(mean / scale[key], spread / scale[key])
        for key, (mean, spread) in pairs.items()
        if mean == mean
    }


PUBLISHED: Final[Mapping[Key, Published]] = _read_published()
"""The paper's figures, by column, experiment and method; complexity and seconds are no rates.

Tables 4 to 8 and 10 of Ciravegna et al., *Logic Explained Networks*; for entropy networks, Barbiero et al.,
*Entropy-Based Logic Explanations of Neural Networks*, AAAI 2022.
"""

REFERENCE = "-reference"
"""Ending of the names of methods that are set as in the paper."""


def plain_name(method: str) -> str:
    """Name of a method without the mark of the paper's own settings.

    Examples
    --------
    >>> plain_name("mu-reference"), plain_name("tree")
    ('mu', 'tree')
    """
    return method.removesuffix(REFERENCE)


def published(column: str, experiment: str, method: str) -> Published | None:
    """The paper's figure for a method, whichever settings it has now; None where it has none.

    Parameters
    ----------
    column : str
        Of the rows of results: ``"model_accuracy"``, ``"explanation_accuracy"``, ``"complexity"``,
        ``"fidelity"``, ``"consistency"`` or ``"seconds"``.
    experiment, method : str
        Names as in the rows.

    References
    ----------
    Tables 4 to 8 and 10 of Ciravegna et al., *Logic Explained Networks*; of entropy networks, Barbiero et
    al., *Entropy-Based Logic Explanations of Neural Networks*, AAAI 2022.

    Examples
    --------
    >>> published("explanation_accuracy", "mimic2", "mu-reference")
    Published(mean=0.7184, spread=0.0182)
    >>> published("complexity", "mimic2", "boosting") is None
    True
    """
    return PUBLISHED.get((column, experiment, plain_name(method)))
