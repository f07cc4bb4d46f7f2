"""One task of an experiment: some runs of one method in one setting, worked on in a process."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Self

from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.threads import one_thread
from birdmodes.experiments.data import Source

Row = dict[str, Any]
"""Figures of one run, by column."""

DIGITS = 5
"""Digits of figures that are kept."""


class Setting(SimpleNamespace):
    """The unit of work: data, a method, and whatever else an experiment varies, by name.

    Attributes
    ----------
    dataset, entrant : str
        The data and the method.
    """

    dataset: str
    entrant: str

    @property
    def key(self) -> str:
        """Text that no other setting has: all values, in the order in which they were given."""
        return json.dumps(list(vars(self).values()))


@dataclass(frozen=True)
class Task:
    """A setting with all that a worker process needs.

    Attributes
    ----------
    setting : Setting
        What is to be run.
    source : Source
        Where the data are.
    protocol : Protocol
        How.
    """

    setting: Setting
    source: Source
    protocol: Any


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    rows : list of dict
        One per run, or more where a run gives several figures. What they share is in the setting.
    seconds : float
        Processor time, which other programs on the machine do not change much; reading the data
        included where this task was the first of its process to need them.
    warnings : list of str
        What the method had to say, each once.
    failure : str
        Why there are no rows, or empty.
    """

    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    failure: str = ""


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


def run_task(work: Callable[[Task], Iterable[Row]], task: Task) -> Outcome:
    """Work through a task; runs in a worker process.

    On one thread, so that the figures are the same on any number of cores and the processes do
    not get in each other's way.

    Parameters
    ----------
    work : callable
        Gives the rows of a task; importable by name.
    task : Task
        The task.
    """
    failure = ""
    rows: list[Row] = []
    with one_thread(), warnings.catch_warnings(record=True) as caught, Stopwatch() as watch:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ClusteringWarning)
        try:
            rows = list(work(task))
        except ClusteringError as error:
            failure = str(error)
    said = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Outcome(rows, watch.seconds, said, failure)


def child_seed(*parts: str | int | float | None) -> int:
    """Derive a seed from the parts that name a computation, never from when or where it runs.

    Python's own ``hash`` differs from process to process, so it is not used.

    Returns
    -------
    int
        0 to 2**31 - 1; the same for the same parts, in any process and order.
    """
    digest = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1
