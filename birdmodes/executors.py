"""Run one function over many tasks: here, in processes, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from itertools import islice
from typing import TypeVar

from birdmodes.errors import BirdmodesError

Task = TypeVar("Task")
Result = TypeVar("Result")

# Enough that no worker waits, few enough that a kill loses little and memory stays flat.
TASKS_PER_WORKER = 3


def run_tasks(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    workers: int,
    scheduler: str | None = None,
) -> Iterator[tuple[Task, Result | None]]:
    """Apply `function` to every task and give the results as they are ready.

    Parameters
    ----------
    function : callable
        Importable by name; what it raises ends the run.
    tasks : iterable
        Taken lazily.
    workers : int
        Processes on this machine; 1 runs everything in this process.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://host:8786``, whose workers are used instead.

    Yields
    ------
    task
        As given.
    result
        What `function` returned, or None when the process that ran the task died (killed for
        its memory use, or crashed in a decoder) and did so again when the task ran alone.

    Raises
    ------
    BirdmodesError
        If the Dask cluster cannot be used.
    """
    queue = iter(tasks)
    if scheduler is not None:
        with _dask_executor(scheduler) as (executor, cores):
            yield from _run(executor, function, queue, cores)
    elif workers == 1:
        for task in queue:
            yield task, function(task)
    else:
        yield from _run_in_processes(function, queue, workers)


def _run_in_processes(
    function: Callable[[Task], Result], queue: Iterator[Task], workers: int
) -> Iterator[tuple[Task, Result | None]]:
    suspects = yield from _run_in_pool(function, queue, workers)
    while suspects:
        for task in suspects:
            # One at a time, so that a crash convicts the right task.
            convicted = yield from _run_in_pool(function, iter([task]), 1)
            if convicted:
                yield task, None
        suspects = yield from _run_in_pool(function, queue, workers)


def _run_in_pool(
    function: Callable[[Task], Result], queue: Iterator[Task], workers: int
) -> Generator[tuple[Task, Result | None], None, list[Task]]:
    # "spawn" on every system: forking a process that runs threads can deadlock.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare_worker)
    try:
        return (yield from _run(executor, function, queue, workers))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _prepare_worker() -> None:
    """Leave Ctrl-C to the main process, which lets the workers finish what they have.

    Should it be killed, which it cannot tell them, they end too instead of waiting forever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(
    executor: Executor, function: Callable[[Task], Result], queue: Iterator[Task], workers: int
) -> Generator[tuple[Task, Result | None], None, list[Task]]:
    """Work through `queue`; return the tasks that were in flight when a process died."""
    running: dict[Future[Result], Task] = {}
    lost: list[Task] = []
    while True:
        wanted = 0 if lost else workers * TASKS_PER_WORKER - len(running)
        for task in islice(queue, wanted):
            try:
                running[executor.submit(function, task)] = task
            except BrokenExecutor:
                lost.append(task)
                break
        if not running:
            return lost
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task = running.pop(future)
            try:
                yield task, future.result()
            except BrokenExecutor:
                lost.append(task)


@contextlib.contextmanager
def _dask_executor(scheduler: str) -> Iterator[tuple[Executor, int]]:
    """Executor of a Dask cluster and the number of its cores."""
    try:
        from distributed import Client
    except ImportError as error:
        raise BirdmodesError(
            "--scheduler needs Dask: pip install 'birdmodes[cluster]', here and on the workers"
        ) from error
    try:
        client = Client(scheduler, timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise BirdmodesError(f"--scheduler {scheduler}: no Dask scheduler answers there") from error
    with client:
        cores = sum(client.ncores().values())
        if not cores:
            raise BirdmodesError(f"--scheduler {scheduler}: the cluster has no workers")
        with client.get_executor() as executor:
            yield executor, cores
