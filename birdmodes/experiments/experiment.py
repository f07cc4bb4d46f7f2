"""What an experiment consists of: plain parts, which one runner works with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

from algorithms.errors import did_you_mean
from birdmodes.errors import ParameterError
from birdmodes.experiments.claims import Claim, Verdict, check_claims
from birdmodes.experiments.data import Data, Problems
from birdmodes.experiments.report import Section, Words
from birdmodes.experiments.tables import ReportTable, rows_with
from birdmodes.experiments.tasks import Row, Setting, Task


class Protocol(SimpleNamespace):
    """Everything that changes a figure, besides data, method and setting, by name.

    Attributes
    ----------
    seed : int
        Same seed, same figures.
    """

    seed: int

    def but(self, **changes: Any) -> Protocol:
        """Give the same with other values."""
        return Protocol(**{**vars(self), **changes})

    def as_dict(self, extent: Sequence[str] = ()) -> dict[str, Any]:
        """What a folder of results is tied to, as JSON would give it back.

        Parameters
        ----------
        extent : sequence of str
            What says what is run, not how, is left out: a folder may be filled up.
        """
        kept = {name: value for name, value in vars(self).items() if name not in extent}
        settings: dict[str, Any] = json.loads(json.dumps(kept))
        return settings


@dataclass(frozen=True, eq=False)
class Measured:
    """The tables of what was measured.

    Attributes
    ----------
    runs : pandas.DataFrame
        A row for each run: :attr:`Experiment.columns`.
    summary : pandas.DataFrame
        The table that says most: means and deviations, or what every rule chose.
    """

    runs: pd.DataFrame
    summary: pd.DataFrame


@dataclass(frozen=True)
class Shown:
    """What a report shows of it.

    Attributes
    ----------
    main : list of ReportTable
        What matters most.
    sections : list of Section
        The rest.
    notes : list of str
        What to know besides.
    """

    main: list[ReportTable]
    sections: list[Section]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Brief:
    """The table that the command prints.

    Attributes
    ----------
    header : sequence of str
        Names of the columns.
    rows : list of tuple of str
        Cells.
    first_number : int
        The columns from this one on are numbers.
    title : str
        May be empty.
    """

    header: Sequence[str]
    rows: list[tuple[str, ...]]
    first_number: int
    title: str = ""

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        columns: Mapping[str, str],
        first_number: int,
        only: Mapping[str, Sequence[str]] | None = None,
    ) -> Brief:
        """Write a line for each row.

        Parameters
        ----------
        table : pandas.DataFrame
            The rows.
        columns : mapping of str to str
            Name of each column, and its text, with values of the row in braces; a value alone is
            left out where there is none.
        first_number : int
            The columns from this one on are numbers.
        only : mapping, optional
            Columns, and the values that they have in the rows that are written.
        """
        table = rows_with(table, only or {})
        alone = [text[1:-1] for text in columns.values() if text[1:-1] in table]
        filled = table.astype(dict.fromkeys(alone, object)).fillna(dict.fromkeys(alone, ""))
        records: list[Any] = filled.to_dict("records")
        rows = [tuple(text.format(**row) for text in columns.values()) for row in records]
        return cls(tuple(columns), rows, first_number)


@dataclass(frozen=True)
class Experiment:
    """One experiment: data, methods, what is varied, and what is shown and claimed of it.

    Attributes
    ----------
    name : str
        What the command line calls it.
    problems : Problems
        What it is run on.
    entrants : mapping
        The methods by name, in the order of the tables.
    protocol : callable
        From the name that was typed, whether it is to be quick, and values to a :class:`Protocol`.
    options, extent : sequence of str
        Values of the protocol that the command line sets, and those that say what is run, not how.
    settings : callable
        From data, the name of an entrant and the protocol to the settings.
    work : callable
        From a task to rows; importable by name, as other processes do it.
    setting_columns : sequence of str
        Columns that name a setting, ``dataset`` and ``method`` among them.
    figures : sequence of str
        Columns of figures.
    summarise : callable
        From the runs to the summary.
    claims : sequence of Claim
        What is said of the results.
    words : Words
        Headings of the report.
    show : callable
        From the folder, which takes the figures, and the tables to what is shown.
    brief : callable
        From the summary to the table that the command prints.
    facts : callable
        From protocol, data and runs to what the report says of how it was done.
    repetition : str
        Column that numbers the repetitions: ``run``, or ``fold`` of a cross-validation, whose rows
        stay as the task gave them.
    orders : mapping
        Values of further columns in the order of the tables.
    files : sequence of str
        Columns whose values share a file of runs.
    family : callable
        From the name of a data set to what its file of runs is called.
    judged : callable
        From the tables to that which claims are judged by.
    title : callable
        From a setting to what people call it.
    together : callable
        Tasks of settings for which it gives the same follow each other; all are shuffled unless
        given, so that the time left can be told from any part of them.
    """

    name: str
    problems: Problems
    entrants: Mapping[str, Any]
    protocol: Callable[..., Protocol]
    settings: Callable[[Data, str, Any], Iterable[Setting]]
    work: Callable[[Task], Iterable[Row]]
    setting_columns: Sequence[str]
    figures: Sequence[str]
    summarise: Callable[[pd.DataFrame], pd.DataFrame]
    claims: Sequence[Claim]
    words: Words
    show: Callable[[Path, Measured], Shown]
    brief: Callable[[pd.DataFrame], Brief]
    facts: Callable[[Any, Sequence[Data], pd.DataFrame], list[tuple[str, str]]]
    options: Sequence[str] = ()
    extent: Sequence[str] = ()
    repetition: str = "run"
    orders: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    files: Sequence[str] = ("dataset",)
    family: Callable[[str], str] = str
    judged: Callable[[Measured], pd.DataFrame] = lambda measured: measured.runs
    title: Callable[[Setting], str] = lambda setting: f"{setting.dataset}, {setting.entrant}"
    together: Callable[[Setting], object] = lambda setting: setting.key

    @property
    def columns(self) -> list[str]:
        """Columns of the table of runs."""
        return [*self.setting_columns, self.repetition, *self.figures]

    def verdicts(self, measured: Measured) -> list[Verdict]:
        """Check the claims."""
        return check_claims(self.judged(measured), self.claims)

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
