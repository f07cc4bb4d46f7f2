"""What the runs of all experiments do in the same way before and after their tasks."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.claims import Verdict
from birdmodes.experiments.report import versions
from birdmodes.experiments.seeds import child_seed
from birdmodes.experiments.store import FinishedTask


@dataclass(frozen=True)
class ExperimentResult:
    """What came out of an experiment.

    Attributes
    ----------
    markdown, html : pathlib.Path
        The reports.
    summary : pandas.DataFrame
        The table that says most: means and deviations, or what every rule chose.
    verdicts : list of Verdict
        The checked list of claims.
    failures : list of str
        Tasks without a result, and why; the same command tries them again.
    """

    markdown: Path
    html: Path
    summary: pd.DataFrame
    verdicts: list[Verdict]
    failures: list[str]


class Named(Protocol):
    """Data that tables call by a name."""

    @property
    def name(self) -> str:
        """The name."""


AnySource = TypeVar("AnySource")
AnyData = TypeVar("AnyData", bound=Named)
AnyTask = TypeVar("AnyTask")


def read_all(
    sources: Iterable[AnySource],
    check: Callable[[AnySource], tuple[AnyData, str]],
    kind: str,
) -> tuple[list[AnyData], dict[str, str]]:
    """Read what an experiment is run on, and see that names are distinct.

    Parameters
    ----------
    sources : iterable
        Where it comes from.
    check : callable
        Reads one source; returns the data and their fingerprint.
    kind : str
        What the data are called, in the plural.

    Returns
    -------
    data : list
        In the order of the sources.
    fingerprints : dict
        By name.

    Raises
    ------
    BirdmodesError
        When two have one name.
    """
    data: list[AnyData] = []
    fingerprints: dict[str, str] = {}
    for source in sources:
        checked, fingerprint = check(source)
        if checked.name in fingerprints:
            raise BirdmodesError(
                f"two {kind} are called {checked.name}: give each once, rename files"
            )
        data.append(checked)
        fingerprints[checked.name] = fingerprint
    return data, fingerprints


def shuffled(tasks: Iterable[AnyTask], seed: int) -> list[AnyTask]:
    """Shuffle tasks, so that the time left can be told from any part of them."""
    listed = list(tasks)
    random.Random(child_seed(seed, "order")).shuffle(listed)
    return listed


def warnings_of(finished: Iterable[FinishedTask]) -> Counter[str]:
    """What methods warned of on which data, with the number of tasks that it was said in."""
    return Counter(
        f"{task.setting['dataset']}, {task.setting['entrant']}: {text}"
        for task in finished
        for text in task.warnings
    )


def counted_warnings(finished: Iterable[FinishedTask]) -> list[str]:
    """What methods warned of, each once with the number of settings that it was said in."""
    return [
        f"{text} (in {count} settings)" for text, count in sorted(warnings_of(finished).items())
    ]


def closing_facts(finished: Sequence[FinishedTask]) -> list[tuple[str, str]]:
    """Versions, date and processor time, for the report."""
    minutes = sum(task.seconds for task in finished) / 60
    return [
        ("versions", versions()),
        ("date", datetime.datetime.now(datetime.UTC).date().isoformat()),
        ("processor time", f"{minutes:.1f} minutes"),
    ]
