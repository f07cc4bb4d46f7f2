"""Working through the tasks of any experiment, and keeping what is finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from birdmodes.experiments.store import BenchmarkFolder, KeptSetting
from birdmodes.experiments.work import Outcome
from birdmodes.parallel.executors import run_tasks

OnProgress = Callable[[int, int, str], None]


class TitledSetting(KeptSetting, Protocol):
    """A setting that can be named to people."""

    @property
    def title(self) -> str:
        """The set, what is run on it and by which method."""


class Task(Protocol):
    """A setting with all that a worker process needs."""

    @property
    def setting(self) -> TitledSetting:
        """What is to be run."""


AnyTask = TypeVar("AnyTask", bound=Task)


def work_through(
    store: BenchmarkFolder,
    tasks: Sequence[AnyTask],
    run_task: Callable[[AnyTask], Outcome],
    jobs: int,
    on_progress: OnProgress,
    *,
    lighter: str = "fewer --jobs",
) -> list[str]:
    """Run the tasks that are not kept yet.

    Parameters
    ----------
    store : BenchmarkFolder
        Takes what is finished.
    tasks : sequence of Task
        All of them.
    run_task : callable
        Works on one; importable by name.
    jobs : int
        Processes.
    on_progress : callable
        Called with done, total and a short text.
    lighter : str
        What to try when a process dies.

    Returns
    -------
    list of str
        Which tasks have no result, and why.
    """
    todo = [task for task in tasks if not store.finished(task.setting)]
    failures: dict[str, None] = {}
    if todo:
        on_progress(0, len(todo), "")
    jobs = max(1, min(jobs, len(todo)))
    for done, (task, outcome) in enumerate(run_tasks(run_task, todo, workers=jobs), start=1):
        name = task.setting.title
        if outcome is None:
            failures[f"{name}: the process died (out of memory?); use {lighter}"] = None
        elif outcome.failure:
            failures[f"{name}: {outcome.failure}"] = None
        else:
            store.keep(task.setting, outcome)
        on_progress(done, len(todo), name)
    return list(failures)


def silent(done: int, total: int, text: str) -> None:
    """Report nothing."""
