"""What an experiment consists of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from algorithms.errors import did_you_mean
from birdmodes.errors import ParameterError
from birdmodes.experiments.claims import Claim, Verdict
from birdmodes.experiments.held_out.names import HeldOutName
from birdmodes.experiments.held_out.protocol import HeldOutTask
from birdmodes.experiments.held_out.results import HeldOutTables
from birdmodes.experiments.report import Report
from birdmodes.experiments.work import Outcome


@dataclass(frozen=True)
class Closing:
    """What every report ends with, whatever was measured.

    Attributes
    ----------
    facts : list of (str, str)
        Of the run.
    verdicts : list of Verdict
        The checked claims.
    notes : list of str
        What methods warned of, and what failed.
    """

    facts: list[tuple[str, str]]
    verdicts: list[Verdict]
    notes: list[str]


@dataclass(frozen=True)
class HeldOutExperiment:
    """One experiment.

    Attributes
    ----------
    name : str
        What the command line calls it.
    needs_truth : bool
        Whether it is about instances, whose classes must be known.
    entrants : tuple of str
        Methods, in the order of the tables.
    setting_columns : tuple of str
        Columns that tell the rows of one method and fold from one another.
    measures : tuple of str
        Columns of figures, averaged over folds.
    shown : mapping of str to str
        The measures that the command prints, and what they are called.
    claims : tuple of Claim
        Judged by the rows of all folds of one data set.
    run_task : callable
        Works on one task; importable by name, as other processes do it.
    make_report : callable
        From the folder, which takes the figures, the tables and what every report ends with.
    brief : callable
        The rows of a summary that the command prints; all of them unless given.
    """

    name: HeldOutName
    needs_truth: bool
    entrants: tuple[str, ...]
    setting_columns: tuple[str, ...]
    measures: tuple[str, ...]
    shown: Mapping[str, str]
    claims: tuple[Claim, ...]
    run_task: Callable[[HeldOutTask], Outcome]
    make_report: Callable[[Path, HeldOutTables, Closing], Report]
    brief: Callable[[pd.DataFrame], pd.DataFrame] = pd.DataFrame.copy

    def choose(self, names: Sequence[str]) -> list[str]:
        """Give the methods called `names` in the order of the tables, or all when there are none.

        Raises
        ------
        ParameterError
            For a name that does not take part; the message suggests the nearest.
        """
        for name in names:
            if name not in self.entrants:
                raise ParameterError(
                    f"there is no method {name!r} in the experiment {self.name}"
                    f"{did_you_mean(name, self.entrants)}: choose from {', '.join(self.entrants)}"
                )
        return [name for name in self.entrants if name in (names or self.entrants)]
