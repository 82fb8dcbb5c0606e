"""How to order the literals of one row of a network of your own: ``python -m benchmarks.own_models FOLDER``.

FOLDER has raw tables as CSV, their target last. A network is trained in torch on one half of each, and rows
of the other half are explained on the first: with literals ordered by how far the score falls if the concept
is flipped (*signed*, what :func:`~logiclens.estimators.explain_torch` does), by the size of that alone
(*absolute*), or by what they exclude on the data (*none*). *Same answer*: of the other rows of the second
half that the explanation covers, the share about which the model says the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from rich.console import Console
from torch import nn

from benchmarks.terminal import printed_table
from logiclens import ConceptEncoder, TruthTable, explain_torch
from logiclens.explain import explain_example

TABLES = "saheart bupa wdbc vehicle vowel contraceptive banana segment tae haberman".split()
MOST_ROWS, EXPLAINED = 1500, 100


def trained(x: np.ndarray, y: np.ndarray, activation: type[nn.Module]) -> nn.Module:
    """A small network, trained in full batches."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(x.shape[1], 20), activation(), nn.Linear(20, int(y.max()) + 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.01)
    for _ in range(150):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(torch.tensor(x).float()), torch.tensor(y)).backward()
        optimizer.step()
    return model


def rows_of(path: Path) -> Iterator[tuple[str, str, int, float, float]]:
    """Activation, order, literals, coverage and same answers (NaN where no other row is covered)."""
    table = pd.read_csv(path)
    table = table.sample(min(len(table), MOST_ROWS), random_state=0)
    labels = table.iloc[:, -1].astype(str).to_numpy()
    y, half = np.unique(labels, return_inverse=True)[1], len(table) // 2
    encoder = ConceptEncoder().fit(table.iloc[:half, :-1], labels[:half])
    x = np.asarray(encoder.transform(table.iloc[:, :-1]), dtype=float)
    seen, new = x[:half], x[half:]
    for activation in (nn.ReLU, nn.Tanh):
        explained = explain_torch(trained(seen, y[:half], activation), seen)
        said, relevance = explained.predict(new), explained.relevance(new[:EXPLAINED])
        for at in range(min(EXPLAINED, len(new))):
            own = relevance[explained.labels.index(said[at]), at]
            answers = explained.answers[:, explained.labels.index(said[at])]
            data = TruthTable.from_data(seen, answers, names=explained.concept_names)
            for order, scores in {"signed": own, "absolute": abs(own), "none": None}.items():
                why = explain_example(new[at], data, said[at], relevance=scores)
                covered = why.evaluate(new, explained.concept_names)
                covered[at] = False
                same = (said[covered] == said[at]).mean() if covered.any() else np.nan
                yield activation.__name__, order, why.complexity, covered.mean(), same


def main(arguments: Sequence[str] | None = None) -> None:
    """Print means over tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.own_models", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", nargs="*", default=TABLES)
    options = parser.parse_args(arguments)
    columns = ["activation", "order", "literals", "covered", "same answer"]
    found = []
    for name in options.tables:
        rows = pd.DataFrame(rows_of(options.folder / f"{name}.csv.gz"), columns=columns)
        found.append(rows.groupby(columns[:2], as_index=False).mean())
    table = printed_table(f"Explanations of rows, means over {len(found)} tables", *columns, n_words=2)
    for (activation, order), mean in pd.concat(found).groupby(columns[:2]).mean().iterrows():
        literals, covered, same = mean
        table.add_row(activation, order, f"{literals:.1f}", f"{100 * covered:.1f} %", f"{100 * same:.1f} %")
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
