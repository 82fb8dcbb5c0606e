"""Parts of dates in an engine: what memory learns and says of them."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

ibis = pytest.importorskip("ibis")

from logiclens import MuClassifier, scale  # noqa: E402
from logiclens.concepts import ConceptEncoder  # noqa: E402
from logiclens.errors import InputError  # noqa: E402
from logiclens.scale import _expressions  # noqa: E402


def told(kind):
    random = np.random.default_rng(0)
    days = [
        dt.datetime(2019, 6, 1, 23, 30) + dt.timedelta(days=int(day)) for day in random.integers(0, 1500, 300)
    ]
    y = np.where([day.isoweekday() >= 6 or day.year > 2022 for day in days], "ill", "well")
    days = [None if at < 9 else day for at, day in enumerate(days)]
    if kind == "text":
        days = [None if day is None else f"{day:%Y-%m-%dT%H:%M}" for day in days]
    elif kind == "date":
        days = [None if day is None else day.date() for day in days]
    return pd.DataFrame({"on": pd.Series(days, dtype=object), "x": random.normal(size=300), "y": y})


@pytest.mark.parametrize("kind", ["text", "date", "timestamp"])
def test_a_fit_in_an_engine_is_that_in_memory(kind):
    import pyarrow as pa

    frame = told(kind)
    encoder = ConceptEncoder(types={"on": "date"}, max_cuts=4)
    here = MuClassifier(random_state=0, encoder=encoder).fit(frame[["on", "x"]], frame.y).explain()
    table = ibis.memtable(pa.Table.from_pandas(frame, preserve_index=False))
    there = scale.fit(MuClassifier(random_state=0, encoder=encoder), table, "y").explain()
    assert there.vocabulary == here.vocabulary
    found = scale.predict(there, table).to_pyarrow().to_pandas()
    assert found.prediction.tolist() == there.predict(frame).tolist()
    words = here.vocabulary
    concepts = _expressions.concept_columns(table, words, words.names)
    counted = table.aggregate(**{f"c{at}": truth.sum() for at, truth in enumerate(concepts.values())})
    assert [*counted.to_pyarrow().to_pylist()[0].values()] == [
        truth.sum() for truth in words.encode(frame).values()
    ]


def test_times_with_a_zone_are_refused():
    import pyarrow as pa

    moments = pa.array([0, 10**9], pa.timestamp("s", "UTC"))
    table = ibis.memtable(pa.table({"on": moments, "y": ["a", "b"]}))
    encoder = ConceptEncoder(types={"on": "date"})
    with pytest.raises(InputError, match="has a time zone"):
        scale.fit(MuClassifier(encoder=encoder), table, "y")
