"""Write the tables that the pages show: made up, with what real tables have.

``stays.csv`` are stays in a hospital; ``scored_stays.csv`` has what some model predicted of them, too. Run
``python docs/data/make_stays.py`` to write the files again; they come out the same every time.
"""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path

import numpy as np

N_ROWS = 500
FOLDER = Path(__file__).parent


def main() -> None:
    """Write the tables: risk is high for old patients in the ICU and for smokers with high pressure.

    The model that predicts it has the right idea, and limits that are too low.
    """
    rng = np.random.default_rng(1)
    age = rng.integers(20, 90, N_ROWS)
    ward = rng.choice(["surgery", "ICU", "maternity"], N_ROWS)
    pressure = rng.normal(130, 20, N_ROWS).round().astype(int)
    smoker = rng.random(N_ROWS) < 0.4
    risky = ((age > 60) & (ward == "ICU")) | ((pressure > 150) & smoker)
    risky ^= rng.random(N_ROWS) < 0.02
    unknown = rng.random(N_ROWS) < 0.08
    predicted = ((age > 55) & (ward == "ICU")) | ((pressure > 145) & smoker)
    columns: dict[str, list[object]] = {
        "stay_id": [f"S{1000 + at}" for at in range(N_ROWS)],
        "admitted": [date(2025, 1, 1) + timedelta(days=at // 2) for at in range(N_ROWS)],
        "age": age.tolist(),
        "ward": ward.tolist(),
        "pressure": np.where(unknown, "", pressure).tolist(),
        "smoker": np.where(smoker, "yes", "no").tolist(),
        "country": ["Utopia"] * N_ROWS,
        "risk": np.where(risky, "high", "low").tolist(),
    }
    _write("stays.csv", columns)
    _write("scored_stays.csv", columns | {"predicted": np.where(predicted, "high", "low").tolist()})


def _write(name: str, columns: dict[str, list[object]]) -> None:
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    main()
