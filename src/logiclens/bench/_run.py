"""Run methods on experiments: each piece of work once, stored as soon as it is done, in parallel if you like.

A piece of work is a method on one fold or, for a method that trains all folds as one population, on all
folds of an experiment. Work that is in the folder of results is not repeated, so a run that was killed
continues where it stopped. Interruptions change nothing but the seconds.

Seconds only mean something if a fit has the machine to itself. A parallel run computes scores first, then
fits every piece once more, one after the other, for its seconds alone. Methods that may take hours are
fitted once, in a separate process that can be stopped.

Pieces run in this process, in several, or on a Dask cluster, named by the address of its scheduler. joblib
knows Dask as a backend; what is added here are clear words where there is no such cluster, or none any
more.
"""

from __future__ import annotations

import _thread
import asyncio
import importlib
import logging
import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from logiclens.bench._data_files import Folder
from logiclens.bench.experiments import Fold, HasFolds
from logiclens.bench.fold_scores import COLUMNS, Row, score, seconds_of, unfinished_outcome
from logiclens.bench.method import DONE, Method, Outcome
from logiclens.bench.methods import CLUSTERERS, METHODS, OwnLEN, as_method, method_for, methods_for
from logiclens.bench.store import FinishedPiece, Key, Results, fingerprint, fold_checksum, in_order, key_of
from logiclens.errors import EngineError, InputError, MissingDependencyError, shown
from logiclens.metrics.held_out import Scoring, check_scoring

FAILED = "failed: "
"""Beginning of the status of a fit that raised an error; the next run tries it again."""
_PATIENCE = 4.0  # seconds for a scheduler to answer, and for workers to turn up
_BACKEND = "dask"  # as joblib calls it
_AGAIN = "Look after it and start the same work again: what is finished is kept."
_LOOKS = 0.5  # seconds between two looks at whether it is still there


@dataclass(frozen=True)
class PieceReport:
    """The progress report after each piece of work.

    Attributes
    ----------
    experiment, method : str
        Their names.
    folds : tuple of int
        Numbers of the folds.
    status : str
        ``done``, or why there are no figures.
    kept : bool
        Whether it was in the folder of results already.
    timing : bool
        Whether it was fitted once more for its seconds.
    done, total : int
        How many pieces are behind, of how many.
    """

    experiment: str
    method: str
    folds: tuple[int, ...]
    status: str
    kept: bool
    timing: bool
    done: int
    total: int


OnPiece: TypeAlias = Callable[[PieceReport], None]


@dataclass(frozen=True, eq=False)
class PlannedPiece:
    """A piece of work: a method, the folds it is fitted to, and the key of its results."""

    experiment: HasFolds
    method: Method
    folds: tuple[Fold, ...]
    key: Key
    scoring: Scoring = field(default_factory=dict)


def run(  # noqa: PLR0913 - settings of a run
    experiments: Sequence[HasFolds],
    methods: Sequence[Any],
    *,
    results: Results,
    data_dir: Folder = None,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    timings: bool = True,
    scoring: Scoring | None = None,
    progress: OnPiece | None = None,
) -> list[Row]:
    """Run methods on experiments and store the results.

    Parameters
    ----------
    experiments : sequence of Experiment
    methods : sequence of str, Method or classifier
        By name, those of :mod:`logiclens.bench.methods` that apply to the experiment; or your own: a
        :class:`~logiclens.bench.FoldByFold`, a classifier of this package or its class.
    results : Results
        Where pieces are stored, and found again.
    data_dir : path, optional
        Folder with the data; the one that ``LOGICLENS_DATA`` names when missing.
    n_jobs : int or None, default 1
        How many pieces are worked on at a time; joblib's meaning, so that its ``parallel_config`` can choose
        another backend, and with None another number.
    time_limit : float, optional
        Seconds after which a fit of a slow method is stopped; never when missing.
    timings : bool, default True
        Whether seconds have to be those of fits that had the machine to themselves.
    scoring : mapping of str to callable, optional
        Metrics of your own by the names of their columns, as of ``cross_explain``: functions of a
        :class:`~logiclens.metrics.HeldOut`. They are None for methods without rules.
    progress : callable, optional
        Called with a :class:`PieceReport` after each piece.

    Returns
    -------
    list of rows
        Of these experiments and methods alone, in order; see :mod:`logiclens.bench.fold_scores`.

    Raises
    ------
    InputError
        A file with data is missing, a method is unknown, or a setting cannot be used.
    """
    _check_settings(results, n_jobs, time_limit)
    tasks = plan_pieces(experiments, methods, data_dir, scoring)
    found = {
        task.key: unit for task in tasks if (unit := results.stored(task.key)) and _is_final(unit, time_limit)
    }
    waiting = [task for task in tasks if task.key not in found]
    # Slow methods are fitted once: alone, if their seconds are to count.
    alone = [task for task in waiting if n_jobs == 1 or (timings and task.method.slow)]
    side_by_side = [task for task in waiting if task not in alone]
    again = [task for task in tasks if timings and not (task in alone or _has_seconds(found.get(task.key)))]
    steps, total = count(1), len(tasks) + len(again)

    def report(unit: FinishedPiece, *, kept: bool = False, timing: bool = False) -> None:
        if progress is not None:
            key, status = unit.key, str(unit.rows[0]["status"])
            progress(
                PieceReport(key.experiment, key.method, key.folds, status, kept, timing, next(steps), total)
            )

    for unit in found.values():
        report(unit, kept=True)
    done = _do_side_by_side(side_by_side, n_jobs, time_limit)
    for timed, pieces in ((False, done), (True, ((task, _do_piece(task, time_limit)) for task in alone))):
        for task, rows in pieces:
            unit = FinishedPiece(task.key, tuple(rows), timed, time_limit if task.method.slow else None)
            found[task.key] = unit
            _store(results, unit)
            report(unit)
    for task in again:
        unit = found[task.key]
        if unit.finished:
            unit = found[task.key] = _retime(unit, _outcomes(task, time_limit))
            _store(results, unit)
        report(unit, timing=True)
    return in_order(row for task in tasks for row in found[task.key].rows)


def plan_pieces(
    experiments: Sequence[HasFolds],
    methods: Sequence[Any],
    data_dir: Folder = None,
    scoring: Scoring | None = None,
) -> list[PlannedPiece]:
    """List the pieces of work, experiment by experiment; parameters as for :func:`run`.

    A method by name that does not apply to an experiment, such as a tree where there are no labels, is left
    out there, and so is a classifier.
    """
    tasks = []
    scoring = check_scoring(scoring, COLUMNS)
    metrics = f" {fingerprint(scoring)}" if scoring else ""
    for experiment in experiments:
        # A method that is known, but not for this experiment, is left out.
        inapplicable = (METHODS.keys() | CLUSTERERS.keys()) - methods_for(experiment).keys()
        kept = [each for each in methods if not (isinstance(each, str) and each in inapplicable)]
        chosen = [method_for(each, experiment) if isinstance(each, str) else as_method(each) for each in kept]
        chosen = [each for each in chosen if experiment.supervised or not isinstance(each, OwnLEN)]
        folds = experiment.folds(data_dir) if chosen else []
        sums = {fold.number: fold_checksum(fold) for fold in folds}
        for method in chosen:
            for group in [folds] if method.together else [[fold] for fold in folds]:
                numbers = [fold.number for fold in group]
                seeds = (experiment.seed, training_seed(experiment))
                data = " ".join(sums[number] for number in numbers) + metrics
                key = key_of(experiment.name, method, numbers, seeds, data)
                tasks.append(PlannedPiece(experiment, method, tuple(group), key, scoring))
    twice = [task.key for task in tasks if sum(task.key.file == other.key.file for other in tasks) > 1]
    if twice:
        raise InputError(
            f"{twice[0].method!r} on {twice[0].experiment!r} is asked for twice. Name each once, or give "
            "them names of their own."
        )
    return tasks


def training_seed(experiment: HasFolds) -> int:
    """Seed that methods are fitted with: 0 or, where folds are seeds, one that no other fold seed reaches."""
    return 0 if experiment.supervised else experiment.seed * experiment.n_folds


def duration(seconds: float) -> str:
    """A time limit in words.

    Examples
    --------
    >>> duration(7200), duration(8880), duration(90)
    ('2 h', '2.47 h', '90 s')
    """
    return f"{seconds / 3600:.3g} h" if seconds >= 3600 else f"{seconds:g} s"


def _check_settings(results: Results, n_jobs: int | None, time_limit: float | None) -> None:
    if not isinstance(results, Results):
        raise InputError(f"results must be a Results. Got {shown(results)}; write Results('results').")
    if n_jobs is not None and (not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0):
        raise InputError(f"n_jobs must be a whole number other than 0, or None. Got {shown(n_jobs)}.")
    if time_limit is None:
        return
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float) or not time_limit > 0:
        raise InputError(f"time_limit must be a positive number of seconds. Got {shown(time_limit)}.")
    if math.isinf(time_limit):
        raise InputError("time_limit must be finite. Leave it out for no limit.")


def _is_final(unit: FinishedPiece, time_limit: float | None) -> bool:
    """True if a piece need not run again: it finished, or it already had more time."""
    if unit.finished:
        return True
    return time_limit is not None and unit.limit is not None and time_limit <= unit.limit


def _has_seconds(unit: FinishedPiece | None) -> bool:
    return unit is not None and (unit.timed or not unit.finished)


def _store(results: Results, unit: FinishedPiece) -> None:
    """Store a piece unless it failed; the next run tries a failed piece again."""
    if not any(str(row["status"]).startswith(FAILED) for row in unit.rows):
        results.store(unit)


def _retime(unit: FinishedPiece, outcomes: Sequence[Outcome]) -> FinishedPiece:
    """A piece with the seconds of another fit, if that one finished."""
    if any(outcome.status != DONE for outcome in outcomes):
        return unit
    seconds = {number: seconds_of(each) for number, each in zip(unit.key.folds, outcomes, strict=True)}
    return replace(unit, rows=tuple(row | seconds[row["fold"]] for row in unit.rows), timed=True)


def _do_side_by_side(
    tasks: Sequence[PlannedPiece], n_jobs: int | None, time_limit: float | None
) -> Iterator[tuple[PlannedPiece, list[Row]]]:
    """Run pieces in parallel; yield each as soon as it is done."""
    if not tasks:
        return
    from sklearn.utils.parallel import Parallel, delayed

    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend that hands over everything at the end
        parallel = Parallel(n_jobs=n_jobs)
    calls = (delayed(_do_numbered)(at, task, time_limit) for at, task in enumerate(tasks))
    for at, rows in parallel(calls):
        yield tasks[at], rows


def _do_numbered(at: int, task: PlannedPiece, time_limit: float | None) -> tuple[int, list[Row]]:
    return at, _do_piece(task, time_limit)


def _do_piece(task: PlannedPiece, time_limit: float | None) -> list[Row]:
    """Run a piece of work; its rows."""
    outcomes = _outcomes(task, time_limit)
    try:
        return _score_outcomes(task, outcomes)
    except Exception as error:
        seconds = sum(each.seconds_train for each in outcomes)
        return _score_outcomes(task, _unfinished(task.folds, _failure_status(error), seconds))


def _score_outcomes(task: PlannedPiece, outcomes: Sequence[Outcome]) -> list[Row]:
    pairs = zip(task.folds, outcomes, strict=True)
    # What a peer's outcome says, the peer knows.
    scored = getattr(task.method, "score", None) or partial(score, scoring=task.scoring)
    rows = (scored(task.experiment, task.method, fold, each, seed=task.key.seed) for fold, each in pairs)
    return [row for several in rows for row in several]


def _outcomes(task: PlannedPiece, time_limit: float | None) -> list[Outcome]:
    """The outcome of each fold; an error becomes a status, so that other pieces continue."""
    start = time.perf_counter()
    try:
        outcomes = _fit_within(task.method, task.folds, task.key.seed, time_limit)
        if len(outcomes) != len(task.folds):
            raise InputError(f"A method must give {len(task.folds)} outcomes. Got {len(outcomes)}.")
    except Exception as error:
        return _unfinished(task.folds, _failure_status(error), time.perf_counter() - start)
    return outcomes


def _unfinished(folds: Sequence[Fold], status: str, seconds: float) -> list[Outcome]:
    """Outcomes of folds that together took so long, and did not come to their end."""
    return [unfinished_outcome(fold, status, seconds / len(folds)) for fold in folds]


def _failure_status(error: Exception) -> str:
    return f"{FAILED}{type(error).__name__}: {' '.join(str(error).split())}"


def _fit_within(method: Method, folds: Sequence[Fold], seed: int, limit: float | None) -> list[Outcome]:
    """Fit a method; a slow one is stopped at the time limit."""
    if not method.slow or limit is None:
        return method.fit(folds, seed)
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_fit_apart, args=(sender, method, folds, seed))
    with _allow_children(), _block_interrupts():
        process.start()
    sender.close()
    try:
        receiver.recv()  # the process is up: from now on its time counts
        if not receiver.poll(limit):
            return _unfinished(folds, f"not finished in {duration(limit)}", limit)
        found: list[Outcome] | str = receiver.recv()
    except EOFError:
        process.join()
        found = f"{FAILED}the process ended with exit code {process.exitcode}"
    finally:
        receiver.close()
        process.kill()
        process.join()
    return found if isinstance(found, list) else _unfinished(folds, found, 0.0)


@contextmanager
def _allow_children() -> Iterator[None]:
    """Allow this process to start children: Dask forbids it, as they may outlive a worker; ours do not."""
    own = multiprocessing.current_process()
    before, own.daemon = own.daemon, False
    try:
        yield
    finally:
        own.daemon = before


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Start a process that ignores Ctrl-C; its parent handles the interrupt and ends it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _fit_apart(sender: Connection, method: Method, folds: Sequence[Fold], seed: int) -> None:
    """Fit in a separate process, which ends when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that started it, which ends this one
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    sender.send(None)
    try:
        sender.send(method.fit(folds, seed))
    except Exception as error:
        sender.send(_failure_status(error))


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def on_cluster(address: str) -> Iterator[None]:
    """Run everything given to joblib inside this context on the workers of a Dask scheduler.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://10.0.0.7:8786``.

    Raises
    ------
    InputError
        That is no address.
    EngineError
        No scheduler answers there, it has no workers, or it was lost while work was being done.
    MissingDependencyError
        Dask is not installed.
    """
    with _silence_logs(), closing(_client(address)) as client:
        from joblib import parallel_config  # type: ignore[import-untyped]

        lost = threading.Event()
        try:
            with parallel_config(backend=_BACKEND), _watch(client, lost):
                yield
        except KeyboardInterrupt:
            if not lost.is_set():
                raise
            raise EngineError(f"The Dask scheduler at {address!r} is gone. {_AGAIN}") from None
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "distributed":
                raise
            raise EngineError(f"The Dask cluster at {address!r} failed: {_line(error)}. {_AGAIN}") from None


@contextmanager
def _watch(client: Any, lost: threading.Event) -> Iterator[None]:
    """Interrupt the main thread when the scheduler is lost; joblib would wait forever.

    In the background of a script interrupts are ignored, as they are for what is in front. This one is not.
    """
    over = threading.Event()

    def interrupt(*_: object) -> None:
        if lost.is_set():
            raise KeyboardInterrupt

    def look() -> None:
        while not over.wait(_LOOKS):
            if client.status in ("closing", "closed"):
                lost.set()
                _thread.interrupt_main()
                return

    in_main = threading.current_thread() is threading.main_thread()
    ignored = in_main and signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, interrupt)
    if in_main:
        threading.Thread(target=look, daemon=True).start()
    try:
        yield
    finally:
        over.set()
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _silence_logs() -> Iterator[None]:
    """Silence Dask's log lines; we raise an error of our own instead."""
    loggers = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if name.partition(".")[0] == "distributed" and isinstance(logger, logging.Logger)
    ]
    before = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was


def _client(address: str) -> Any:
    """A connection to a scheduler that has workers."""
    if not isinstance(address, str) or not address.strip():
        raise InputError(
            f"The address of a Dask scheduler must be a text such as 'tcp://host:8786'. Got {shown(address)}."
        )
    dask = _dask()
    # A client that finds no scheduler leaves threads and tracebacks behind; so one is looked for first.
    with ThreadPoolExecutor(1) as pool:  # where another loop runs already, as in a notebook
        problem = pool.submit(lambda: asyncio.run(_try_connection(dask, address))).result()
    if isinstance(problem, ValueError):
        raise InputError(
            f"{address!r} is no address of a Dask scheduler: {_line(problem)}. "
            "Write it like 'tcp://host:8786'."
        )
    if problem is not None:
        raise EngineError(
            f"No Dask scheduler answers at {address!r}. Correct it, or start a scheduler with: dask scheduler"
        )
    client = dask.Client(address, timeout=_PATIENCE, set_as_default=True)
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except (OSError, TimeoutError):
        client.close(timeout=_PATIENCE)
        raise EngineError(
            f"The Dask scheduler at {address!r} has no workers. Start some with: dask worker {address}"
        ) from None
    return client


def _dask() -> Any:
    """Import ``distributed``."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingDependencyError(
            "A Dask cluster needs the package distributed, which is not installed. "
            "Run: pip install 'logiclens[dask]'"
        ) from None


async def _try_connection(dask: Any, address: str) -> Exception | None:
    """Call a scheduler, and return the error if there is one."""
    try:
        async with asyncio.timeout(_PATIENCE):
            arguments = dask.Security().get_connection_args("client")
            comm = await dask.comm.connect(address, timeout=_PATIENCE, **arguments)
            await comm.close()
    except Exception as error:  # other servers answer in ways that are anything to Dask
        return error
    return None


def _line(error: BaseException) -> str:
    """The first line of a message, without its full stop."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
