"""Concept embeddings on three made-up tasks: ``python -m benchmarks.embeddings [METHOD ...] [--seeds 10]``.

The tasks are those of Espinosa Zarlenga et al., *Concept Embedding Models* (2022), made anew for each seed,
2000 rows to learn from and 1000 to test on:

    xor            x uniform in [0, 1]^2; concepts x_i > 1/2; y: just one of them
    trigonometry   h normal, of variance 4, in R^3; x: sin h + h, cos h + h, |h|^2; concepts h_i > 0;
                   y: sum h > 1
    dot            v, w normal, of variance 4, in R^2; x: v + w, v - w;
                   concepts v_1 + v_2 > 0, w_1 + w_2 < 0; y: v . w > 0

The concepts decide the classes in *xor* alone. Where nearly all concepts are seen, there is nothing to put
right, so each task is there once more, *blurred*: with normal noise added to x, of half its standard
deviation. All methods have the same network below the concepts. Those of
torch_explain are trained as its tutorials say, and with interventions; they run where it is installed (1.5.1
was), for instance in an environment of its own with this folder and ``src`` on ``PYTHONPATH``:

    python -m benchmarks.embeddings CEM DCR

A run adds to ``benchmarks/results/embeddings.json`` what is not there yet; ``--page`` writes the table of the
documentation from that file, without a run.

Interventions put one concept after the other right, for all test rows at once, in an order by seed that is
the same for all methods.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn

from benchmarks.harness import filled
from logiclens.pipelines import ConceptBottleneckClassifier

RESULTS = Path(__file__).parent / "results" / "embeddings.json"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "figures_on_real_data.md"
N_TRAIN, N_TEST, SIZE = 2000, 1000, 16
FIRST_SEED = 300  # settings were chosen on others
Array = np.ndarray[Any, Any]


class Task(NamedTuple):
    """Raw inputs, true concepts and classes; the last ``N_TEST`` rows are to test on."""

    x: Array
    concepts: Array
    y: Array

    @classmethod
    def of(cls, x: Array, concepts: Array, y: Array) -> Task:
        """The arrays as numbers."""
        return cls(x.astype(np.float32), concepts.astype(float), y.astype(int))


def xor(rng: np.random.Generator) -> Task:
    """Two concepts that decide the class."""
    x = rng.random((N_TRAIN + N_TEST, 2))
    return Task.of(x, x > 0.5, (x[:, 0] > 0.5) ^ (x[:, 1] > 0.5))


def trigonometry(rng: np.random.Generator) -> Task:
    """Signs of three numbers, when the class is about their sum."""
    h = rng.normal(0, 2, (N_TRAIN + N_TEST, 3))
    x = np.column_stack([np.sin(h) + h, np.cos(h) + h, (h**2).sum(axis=1)])
    return Task.of(x, h > 0, h.sum(axis=1) > 1)


def dot(rng: np.random.Generator) -> Task:
    """Sides of two vectors, when the class is about their product."""
    v, w = rng.normal(0, 2, (2, N_TRAIN + N_TEST, 2))
    concepts = np.column_stack([v.sum(axis=1) > 0, w.sum(axis=1) < 0])
    return Task.of(np.hstack([v + w, v - w]), concepts, (v * w).sum(axis=1) > 0)


def blurred(make: Callable[[np.random.Generator], Task], noise: float) -> Callable[..., Task]:
    """A task whose inputs are seen with noise, in standard deviations of x."""

    def task(rng: np.random.Generator) -> Task:
        clear = make(rng)
        x = clear.x + noise * clear.x.std(axis=0) * rng.normal(size=clear.x.shape)
        return clear._replace(x=x.astype(np.float32))

    return task


TASKS = {
    "xor": xor,
    "trigonometry": trigonometry,
    "dot": dot,
    "xor, blurred": blurred(xor, 0.5),
    "trigonometry, blurred": blurred(trigonometry, 0.5),
    "dot, blurred": blurred(dot, 0.5),
}


def features(width: int, seed: int) -> list[nn.Module]:
    """What every method has below its concepts."""
    torch.manual_seed(seed)
    return [nn.Linear(width, 128), nn.LeakyReLU(), nn.Linear(128, 128), nn.LeakyReLU()]


def ours(task: Task, seed: int, order: Array, embedding: int | None) -> dict[str, Any]:
    """Figures of a bottleneck of this package."""
    below = features(task.x.shape[1], seed)
    if embedding is None:
        below.append(nn.Linear(128, task.concepts.shape[1]))
    model = ConceptBottleneckClassifier(
        nn.Sequential(*below),
        embedding=embedding,
        epochs=100,
        patience=100,
        batch_size=256,
        learning_rate=0.005,
        device="cpu",
        random_state=seed,
    )
    model.fit(task.x[:N_TRAIN], task.y[:N_TRAIN], task.concepts[:N_TRAIN])
    x, concepts, y = (part[N_TRAIN:] for part in task)
    accuracy = []
    for n_set in range(len(order) + 1):
        values = np.full(concepts.shape, np.nan)
        values[:, order[:n_set]] = concepts[:, order[:n_set]]
        accuracy.append(float((model.intervene(x, values).predictions_after == y).mean()))
    rules, scores = model.explain(), model.predict_concepts(x)
    decided = rules.predict(scores)
    return {
        "accuracy": accuracy,
        "concepts": model.concept_accuracy(x, concepts),
        "rules": float((decided == y).mean()),
        "fidelity": float((decided == model.predict(x)).mean()),
        "stated fidelity": model.front_[model.front_.chosen].fidelity,
        "literals": rules.literals,
    }


def theirs(task: Task, seed: int, order: Array, reasoning: bool) -> dict[str, Any]:
    """Figures of torch_explain: its embeddings with a linear layer, or with its reasoning layer."""
    from torch_explain.nn.concepts import ConceptEmbedding, ConceptReasoningLayer

    n_concepts = task.concepts.shape[1]
    below = nn.Sequential(*features(task.x.shape[1], seed))
    embedded = ConceptEmbedding(128, n_concepts, SIZE)
    head = ConceptReasoningLayer(SIZE, 2) if reasoning else nn.Linear(n_concepts * SIZE, 1)
    x, concepts, y = (torch.as_tensor(part, dtype=torch.float32) for part in task)
    wanted = nn.functional.one_hot(y.long(), 2).float() if reasoning else y[:, None]
    class_loss = nn.BCELoss() if reasoning else nn.BCEWithLogitsLoss()

    def forward(rows: slice, known: Sequence[int] | None, train: bool) -> tuple[Tensor, Tensor]:
        vectors, scores = embedded(below(x[rows]), intervention_idxs=known, c=concepts[rows], train=train)
        if not reasoning:
            return head(vectors.flatten(1)), scores
        read = scores.clone()
        for at in known or ():
            read[:, at] = concepts[rows][:, at]
        return head(vectors, read), scores

    parameters = [*below.parameters(), *embedded.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=0.01)
    for _ in range(501):
        optimizer.zero_grad()
        found, scores = forward(slice(N_TRAIN), None, True)
        loss = nn.functional.binary_cross_entropy(scores, concepts[:N_TRAIN])
        (loss + 0.5 * class_loss(found, wanted[:N_TRAIN])).backward()
        optimizer.step()
    accuracy = []
    with torch.no_grad():
        for n_set in range(n_concepts + 1):
            found, scores = forward(slice(N_TRAIN, None), order[:n_set].tolist(), False)
            said = found.argmax(dim=1) if reasoning else (found[:, 0] > 0).long()
            accuracy.append(float((said == y[N_TRAIN:]).float().mean()))
    right = (scores > 0.5) == (concepts[N_TRAIN:] > 0.5)
    return {"accuracy": accuracy, "concepts": float(right.float().mean())}


METHODS: dict[str, Callable[[Task, int, Array], dict[str, Any]]] = {
    "embedding": lambda *of: ours(*of, embedding=SIZE),
    "scores": lambda *of: ours(*of, embedding=None),
    "CEM": lambda *of: theirs(*of, reasoning=False),
    "DCR": lambda *of: theirs(*of, reasoning=True),
}
TITLES = {
    "embedding": f"`embedding={SIZE}`",
    "scores": "no embedding",
    "CEM": "CEM, torch_explain",
    "DCR": "DCR, torch_explain",
}


def run(methods: Sequence[str], n_seeds: int) -> None:
    """Measure what is not in the file yet, and add it."""
    for method in methods:
        for name, make in TASKS.items():
            for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
                if any((row["task"], row["seed"]) == (name, seed) for row in known().get(method, ())):
                    continue
                rng = np.random.default_rng(seed)
                task = make(rng)
                order, start = rng.permutation(task.concepts.shape[1]), time.perf_counter()
                found = METHODS[method](task, seed, order)
                record = {"task": name, "seed": seed} | found | {"seconds": time.perf_counter() - start}
                print(method, json.dumps(record), flush=True)
                before = known()
                keep({**before, method: [*before.get(method, ()), record]})


def known() -> dict[str, list[dict[str, Any]]]:
    """What the file holds."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(found: dict[str, list[dict[str, Any]]]) -> None:
    """Write the file, a line for each fit."""
    methods = (
        f'"{method}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]"
        for method, rows in found.items()
    )
    RESULTS.write_text("{\n" + ",\n".join(methods) + "\n}\n")


def table(found: dict[str, list[dict[str, Any]]]) -> str:
    """The table of the documentation: means over the seeds, with the standard deviation of the accuracy."""
    heads = (
        "task, in percent",
        "method",
        "accuracy",
        "all concepts set",
        "gain",
        "concepts right",
        "rules right",
        "fidelity",
        "literals",
    )
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for task in TASKS:
        for method in TITLES:
            rows = [row for row in found.get(method, ()) if row["task"] == task]
            if not rows:
                continue
            first, last = (np.array([row["accuracy"][at] for row in rows]) * 100 for at in (0, -1))
            cells = [
                f"{first.mean():.1f} ± {first.std(ddof=1):.1f}",
                f"{last.mean():.1f}",
                f"{(last - first).mean():+.2f}",
                f"{100 * np.mean([row['concepts'] for row in rows]):.1f}",
            ]
            for name, factor in (("rules", 100), ("fidelity", 100), ("literals", 1)):
                values = [row[name] for row in rows if name in row]
                cells.append(f"{factor * np.mean(values):.1f}" if values else "")
            lines.append(f"| {task} | {TITLES[method]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print figures as they are measured, then the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embeddings", description=main.__doc__)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help=f"of {', '.join(METHODS)}")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--page", action="store_true", help="write the table of the documentation")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.methods if name not in METHODS]:
        parser.error(f"no method called {unknown[0]!r}; there are {', '.join(METHODS)}.")
    warnings.simplefilter("ignore", ConvergenceWarning)
    if not options.page:
        run(options.methods or ["embedding", "scores"], options.seeds)
    found = table(known())
    print(found)
    if options.page:
        PAGE.write_text(filled(PAGE, {"embeddings": found}), encoding="utf-8")


if __name__ == "__main__":
    main()
