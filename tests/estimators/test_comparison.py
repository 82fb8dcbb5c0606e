"""A tree, boosting and a guess beside the rules."""

from __future__ import annotations

import numpy as np
import pandas as pd

from logiclens import MuClassifier
from logiclens.estimators.comparison import fit_rivals


def table(n: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": random.uniform(20, 90, n).round(),
            "ward": random.choice(["ICU", "surgery", None], n),
            "smoker": random.random(n) < 0.4,
        }
    )
    y = np.where((frame.age > 60) & (frame.ward == "ICU"), "high", "low")
    frame.loc[::7, "age"] = np.nan
    return frame, y


def test_all_answer_all_rows_whatever_their_columns_hold():
    frame, y = table()
    unseen = frame.iloc[300:].assign(ward="maternity")
    found = {each.name: each for each in fit_rivals(frame[:300], y[:300], unseen, splits=3)}

    assert list(found) == ["tree", "boosting", "guess"]
    assert all(len(each.predicted) == 100 for each in found.values())
    assert set(found["guess"].predicted) == {"low"}


def test_the_tree_has_as_many_splits_as_were_asked_for():
    frame, y = table()

    assert {fit_rivals(frame, y, frame, splits=n)[0].splits for n in (0, 1)} == {1}
    assert fit_rivals(frame, y, frame, splits=5)[0].splits in (4, 5)


def test_boosting_finds_what_there_is():
    frame, y = table()
    boosting = fit_rivals(frame[:300], y[:300], frame[300:], splits=3)[1]

    assert boosting.right(y[300:]).mean() > 0.9


def test_a_seed_gives_the_same_answers():
    frame, y = table()
    first, second = (fit_rivals(frame, y, frame, splits=4, seed=3) for _ in range(2))

    assert all((a.predicted == b.predicted).all() for a, b in zip(first, second, strict=True))


def test_a_class_of_one_row_and_numbers_of_any_size():
    n = 10_400
    x = np.arange(n, dtype=float)
    y = np.where(x > 5000, "large", "small").astype(object)
    y[7] = "rare"
    x[-1] = 1e60
    found = fit_rivals({"x": x}, y, {"x": x}, splits=2)

    assert [each.name for each in found] == ["tree", "boosting", "guess"]
    assert found[0].right(y).mean() > 0.99


def test_rows_of_a_group_are_not_counted_as_rows_of_their_own():
    frame, y = table()
    model = MuClassifier(epochs=20, restarts=1, random_state=0).fit(frame[:300], y[:300])
    five = np.repeat(np.arange(100, 160), 5)

    alone = model.compare(frame.iloc[five], y[five], frame[:300], y[:300])
    together = model.compare(frame.iloc[five], y[five], frame[:300], y[:300], groups=five)

    assert together.accuracy("guess")[0] == alone.accuracy("guess")[0]
    narrow, wide = (float(np.ptp(each.accuracy("guess")[1])) for each in (alone, together))
    assert wide > 1.5 * narrow
