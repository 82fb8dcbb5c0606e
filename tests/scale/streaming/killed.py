"""What test_fitting.py starts to see a fit killed with SIGKILL, again and again, and gone on with.

Arguments: a folder of Parquet files, a folder for results, and shares of the time of a whole fit after which
to kill it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from logiclens.estimators import MuClassifier
from logiclens.scale import fit_streaming


def fit(folder: str, checkpoint: str, result: Path) -> None:
    """Fit, and write all that came out as bytes."""
    model = MuClassifier(random_state=0, epochs=60, restarts=1, device="cpu")
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


def main() -> None:
    """Print how often it was killed, and whether in the end nothing can be told of it."""
    folder, results, *shares = sys.argv[1:]
    whole, resumed = Path(results, "whole"), Path(results, "resumed")
    start = time.perf_counter()
    os.waitpid(in_a_process(lambda: fit(folder, f"{results}/first", whole)), 0)
    seconds = time.perf_counter() - start
    n_killed = 0
    for share in map(float, shares):
        process = in_a_process(lambda: fit(folder, f"{results}/second", resumed))
        time.sleep(share * seconds)
        os.kill(process, signal.SIGKILL)
        n_killed += os.WIFSIGNALED(os.waitpid(process, 0)[1])
    os.waitpid(in_a_process(lambda: fit(folder, f"{results}/second", resumed)), 0)
    same = whole.read_bytes() == resumed.read_bytes()
    drafts = [name for name in os.listdir(f"{results}/second") if name.endswith(".tmp")]
    sys.stdout.write(
        f"killed {n_killed} times, {'the same' if same else 'different'}, {len(drafts)} drafts\n"
    )


if __name__ == "__main__":
    main()
