"""The programs of test_fit_streaming.py: two processes that fit together, and a fit killed again and again.

One program does both, since most of its time goes to importing; the processes are copies of it. Arguments: a
folder of Parquet files, a folder for results, and the seed of the moments at which a fit is killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from logiclens.errors import InputError
from logiclens.estimators import MuClassifier, PsiClassifier
from logiclens.scale import fit_streaming
from logiclens.scale._checkpoint import Checkpoint, StoredPart
from logiclens.scale._fit_streaming import process_group

# Two that fit together

TOGETHER = (MuClassifier, PsiClassifier)


def together(folder: str, results: str) -> dict[int, Any]:
    """What each of two processes finds; torchrun starts them the same way, but without copying itself."""
    settings = LaunchConfig(
        1,
        1,
        2,
        run_id="together",
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        start_method="fork",
        monitor_interval=0.2,
    )
    found: dict[int, Any] = elastic_launch(settings, one_of_two)(folder, results)
    return found


def one_of_two(folder: str, results: str) -> dict[str, Any]:
    """Fit two classifiers, and return what came out."""
    found: dict[str, Any] = {"refused": refused_in_one()}
    for classifier in TOGETHER:
        model = classifier(random_state=0, epochs=30, restarts=1, device="cpu")
        checkpoint = f"{results}/{classifier.__name__}"
        fit_streaming(model, folder, "y", batch_rows=90, epochs=2, sample=600, checkpoint=checkpoint)
        found[classifier.__name__] = {
            "curve": model.loss_curve_.tolist(),
            "rules": model.explanations_.to_json(),
        }
    return found


def refused_in_one() -> str:
    """An error of the second process alone."""
    with process_group("cpu") as processes:
        try:
            processes.each(lambda: 1 if processes.is_first else _refuse())
        except InputError as error:
            return str(error)
    return "not refused"


def _refuse() -> int:
    raise InputError("This is wrong. Do that.")


# One that is killed

KILLS = 3
MOST = 3
"""Files of the checkpoint that a fit writes before it waits to be killed; all of them are not the end."""


def fit(folder: str, checkpoint: str, result: Path) -> None:
    """Fit, and write all that came out as bytes."""
    model = MuClassifier(random_state=0, epochs=30, restarts=1, device="cpu")
    fit_streaming(model, folder, "y", batch_rows=60, epochs=2, sample=600, checkpoint=checkpoint, every=4)
    weights = b"".join(p.detach().numpy().tobytes() for p in model.network_.parameters())
    result.write_bytes(model.explanations_.to_json().encode() + model.loss_curve_.tobytes() + weights)


def in_a_process(work: Callable[[], None]) -> int:
    """Start a copy of this process that does the work and ends."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return process


def fit_to_be_killed(folder: str, checkpoint: str, result: Path, tell: int) -> None:
    """Fit, tell of each file of the checkpoint that is written, and wait after some of them."""
    write, written = Checkpoint.write, 0

    def told(self: Checkpoint, name: str, stored: StoredPart) -> None:
        nonlocal written
        write(self, name, stored)
        written += 1
        os.write(tell, b".")
        while written == MOST:
            signal.pause()

    Checkpoint.write = told  # type: ignore[method-assign]
    fit(folder, checkpoint, result)


def killed(folder: str, results: str, seed: int) -> dict[str, Any]:
    """How often it was killed, whether in the end nothing can be told of it, and what else is left.

    It is killed at any moment after one of its files is there: while it explores, trains, writes,
    or waits.
    """
    whole, resumed = Path(results, "whole"), Path(results, "resumed")
    os.waitpid(in_a_process(lambda: fit(folder, f"{results}/first", whole)), 0)
    moments = random.Random(seed)
    n_killed = 0
    for _ in range(KILLS):
        told, tell = os.pipe()
        process = in_a_process(lambda tell=tell: fit_to_be_killed(folder, f"{results}/second", resumed, tell))
        os.close(tell)
        for _ in range(moments.randint(1, MOST)):
            os.read(told, 1)
        time.sleep(moments.uniform(0.0, 0.1))
        os.kill(process, signal.SIGKILL)
        n_killed += os.WIFSIGNALED(os.waitpid(process, 0)[1])
        os.close(told)
    unfinished = not resumed.exists()
    os.waitpid(in_a_process(lambda: fit(folder, f"{results}/second", resumed)), 0)
    return {
        "times": n_killed,
        "unfinished": unfinished,
        "same": whole.read_bytes() == resumed.read_bytes(),
        "files": sorted(os.listdir(f"{results}/second")),
    }


def main() -> None:
    """Do both, and write what came out as JSON."""
    folder, results, seed = sys.argv[1:]
    first, second = together(folder, results).values()
    found = {
        "first": first,
        "second": second,
        "files": {each.__name__: sorted(os.listdir(Path(results, each.__name__))) for each in TOGETHER},
        "killed": killed(folder, results, int(seed)),
    }
    Path(results, "found.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
