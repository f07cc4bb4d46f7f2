"""Run one function over many tasks: here, in processes, or on a Dask cluster."""

from __future__ import annotations

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
from typing import TypeAlias, TypeVar

from birdmodes.parallel.dask import Cluster

Task = TypeVar("Task")
Result = TypeVar("Result")

# How many tasks may be in flight now.
Limit: TypeAlias = Callable[[], int]

# Gives tasks and results; returns the tasks that were lost with a process.
Round: TypeAlias = Generator[tuple[Task, Result | None], None, list[Task]]

# Enough that no worker waits, few enough that a kill loses little and memory stays flat.
TASKS_PER_WORKER = 3
CHECK_INTERVAL_S = 1.0


def run_tasks(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    workers: int,
    scheduler: str | None = None,
) -> Generator[tuple[Task, Result | None], None, None]:
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
        If the Dask cluster cannot be used, or is lost.
    """
    queue = iter(tasks)
    if scheduler is not None:
        yield from _run_on_cluster(function, queue, scheduler)
    elif workers == 1:
        for task in queue:
            yield task, function(task)
    else:
        yield from _run_in_processes(function, queue, workers)


def _run_in_processes(
    function: Callable[[Task], Result], queue: Iterator[Task], workers: int
) -> Iterator[tuple[Task, Result | None]]:
    def in_pool(tasks: Iterator[Task], at_once: Limit) -> Round[Task, Result]:
        return _run_in_pool(function, tasks, min(workers, at_once()), at_once)

    yield from _convict(in_pool, queue, lambda: workers * TASKS_PER_WORKER)


def _run_on_cluster(
    function: Callable[[Task], Result], queue: Iterator[Task], scheduler: str
) -> Iterator[tuple[Task, Result | None]]:
    with Cluster(scheduler) as cluster:

        def on_cluster(tasks: Iterator[Task], at_once: Limit) -> Round[Task, Result]:
            return _run(cluster, function, tasks, at_once, cluster.check)

        yield from _convict(on_cluster, queue, lambda: cluster.cores() * TASKS_PER_WORKER)


def _convict(
    run: Callable[[Iterator[Task], Limit], Round[Task, Result]],
    queue: Iterator[Task],
    at_once: Limit,
) -> Iterator[tuple[Task, Result | None]]:
    """Work through `queue` with `run`; give None for tasks of which a process dies."""
    suspects = yield from run(queue, at_once)
    while suspects:
        # One at a time, so that a crash convicts the right task.
        alone = iter(suspects)
        while convicted := (yield from run(alone, lambda: 1)):
            yield convicted[0], None
        suspects = yield from run(queue, at_once)


def _run_in_pool(
    function: Callable[[Task], Result], queue: Iterator[Task], workers: int, at_once: Limit
) -> Round[Task, Result]:
    # "spawn" on every system: forking a process that runs threads can deadlock.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare_worker)
    try:
        return (yield from _run(executor, function, queue, at_once))
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
    executor: Executor,
    function: Callable[[Task], Result],
    queue: Iterator[Task],
    at_once: Limit,
    check: Callable[[], None] | None = None,
) -> Round[Task, Result]:
    """Work through `queue`; return the tasks that were in flight when a process died.

    `at_once` says how many tasks may be in flight. `check` is called now and then while nothing is
    ready, and may raise.
    """
    running: dict[Future[Result], Task] = {}
    lost: list[Task] = []
    while True:
        wanted = 0 if lost else at_once() - len(running)
        for task in islice(queue, wanted):
            try:
                running[executor.submit(function, task)] = task
            except BrokenExecutor:
                lost.append(task)
                break
        if not running:
            return lost
        patience_s = None if check is None else CHECK_INTERVAL_S
        done = wait(running, patience_s, return_when=FIRST_COMPLETED).done
        if check is not None and not done:
            check()
        for future in done:
            task = running.pop(future)
            try:
                yield task, future.result()
            except BrokenExecutor:
                lost.append(task)
