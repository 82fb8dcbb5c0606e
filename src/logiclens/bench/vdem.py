"""V-Dem in two levels: the coders' items, the indices made from them, and whether a country is a democracy.

That is the paper's example of a cascade (Sec. 3.1, Sec. 6). The first level here are the 36 ordinal items
that nearly all country-years have, each answer a concept of its own.
"""

from __future__ import annotations

import numpy as np

from logiclens.bench.data import MID_LEVEL, VDEM, Dataset, Folder
from logiclens.bench.encode import one_hot
from logiclens.bench.files import read_table
from logiclens.logic.data import booleanize

ITEMS = tuple(
    "v2cldiscm v2cldiscw v2clrspct v2cltrnslw v2cseeorgs v2csreprss v2eldonate v2elembaut v2elpubfin "
    "v2exbribe v2exremhsp v2exrescon v2juhcind v2juncind v2jupack v2jupoatck v2jureform v2jureview "
    "v2lgfunds v2lgoppart v2lgotovst v2mebias v2mecenefi v2mecenefm v2mecorrpt v2mecrit v2meslfcen "
    "v2peedueq v2pehealth v2pepwrgen v2pepwrses v2pepwrsoc v2psbars v2pscohesv v2psoppaut v2psplats".split()
)
"""The ordinal items that fewer than one in six of the rows lack."""

_TARGETS = ("non-electoral democracy", "electoral democracy")


def load_vdem_items(data_dir: Folder = None) -> tuple[Dataset, Dataset]:
    """Load the two levels of V-Dem: items to indices, and indices to electoral democracy.

    The items are one-hot: ``v2mecrit = 3``. The indices and the target are true above 0.5, as for
    :func:`~logiclens.bench.load_vdem`. Rows that lack any of them are left out.

    Parameters
    ----------
    data_dir : path, optional
        Folder with ``vdem/vdem_core_post2000.csv.gz``; by default the one that ``LOGICLENS_DATA`` names.

    Returns
    -------
    items, indices : Dataset
        Over the same 2737 rows. The concepts of the first are the answers to the 36 items, its labels 0 and
        1 for each of the 14 indices. The concepts of the second are the indices, its labels
        ``non-electoral democracy`` and ``electoral democracy``.
    """
    table = read_table(VDEM, data_dir)
    values = table.matrix((*(f"{item}_ord" for item in ITEMS), *MID_LEVEL, "v2x_polyarchy"))
    complete = values[~np.isnan(values).any(axis=1)]
    if not len(complete):
        raise VDEM.error("has no row without missing values")
    answers, upper = complete[:, : len(ITEMS)], booleanize(complete[:, len(ITEMS) :], "The table of V-Dem")
    groups, columns = [], []
    for item, column in zip(ITEMS, answers.T, strict=True):
        found, codes = np.unique(column, return_inverse=True)
        groups.append(tuple(f"{item} = {answer:g}" for answer in found))
        columns.append(one_hot(codes, len(found)))
    items = Dataset(
        name="vdem items",
        concepts=np.hstack(columns),
        concept_names=tuple(name for group in groups for name in group),
        labels=upper[:, :-1].astype(np.int8),
        target_names=MID_LEVEL,
        groups=tuple(groups),
        citation="Varieties of Democracy (V-Dem), country-years after 2000, v-dem.net; CC BY-SA 4.0",
    )
    indices = Dataset(
        name="vdem indices",
        concepts=np.ascontiguousarray(upper[:, :-1]),
        concept_names=MID_LEVEL,
        labels=np.array(_TARGETS)[upper[:, -1].astype(np.intp)],
        target_names=_TARGETS,
        citation=items.citation,
    )
    return items, indices
