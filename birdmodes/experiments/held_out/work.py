"""One task: a method learned with one fold left out, from the split to rows of figures."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Self

from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.threads import one_thread
from birdmodes.experiments.held_out.problems import load_problem
from birdmodes.experiments.held_out.protocol import HeldOutTask
from birdmodes.experiments.held_out.splits import Split, split_of
from birdmodes.experiments.seeds import child_seed
from birdmodes.experiments.work import Outcome, Row

RowsOf = Callable[[HeldOutTask, Split], Iterable[Row]]

_DIGITS = 5


class Stopwatch:
    """Measures the processor time of what is inside a ``with``.

    Attributes
    ----------
    seconds : float
        The time, once it is over.
    """

    seconds: float = 0.0

    def __enter__(self) -> Self:
        self._started = time.process_time()
        return self

    def __exit__(self, *unused: object) -> None:
        self.seconds = time.process_time() - self._started


def run_fold(task: HeldOutTask, rows_of: RowsOf) -> Outcome:
    """Work through a task; runs in a worker process.

    On one thread, so that the figures are the same on any number of cores and the processes do
    not get in each other's way. The time is that of learning and testing, without reading the data.

    Parameters
    ----------
    task : HeldOutTask
        The task.
    rows_of : callable
        From the task and its split to the figures of an experiment; data set, method and fold are
        added to every row.
    """
    setting = task.setting
    failure = ""
    rows: list[Row] = []
    with one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ClusteringWarning)
        split = split_of(load_problem(task.source), setting.fold, task.protocol)
        with Stopwatch() as watch:
            try:
                rows = list(rows_of(task, split))
            except ClusteringError as error:
                failure = str(error)
    names = {"dataset": setting.dataset, "method": setting.entrant, "fold": setting.fold}
    kept = [{**names, **{name: _rounded(each) for name, each in row.items()}} for row in rows]
    said = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Outcome(kept, watch.seconds, said, failure)


def seed_of(task: HeldOutTask, *parts: str | int) -> int:
    """Seed of what is random in a task, or of a part of it."""
    setting = task.setting
    names = (setting.experiment, setting.dataset, setting.entrant, setting.fold)
    return child_seed(task.protocol.seed, *names, *parts)


def _rounded(figure: Any) -> Any:
    return round(figure, _DIGITS) if isinstance(figure, float) else figure
