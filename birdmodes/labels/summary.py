"""What label files hold, to look at before they are used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.labels.choice import Choice
from birdmodes.labels.model import LabelTable


@dataclass(frozen=True)
class TableSummary:
    """What one label file holds.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    format : str
        Its format, in words.
    labels : int
        Labels in it that name something.
    kept : int
        Those of them that count: not those of a low confidence or left out by name.
    recordings : int
        Recordings it speaks of.
    species : Counter
        Species of the labels kept, with the number of labels.
    heard_in : dict
        Each of them to the recordings it was heard in.
    """

    path: Path
    format: str
    labels: int
    kept: int
    recordings: int
    species: Counter[str]
    heard_in: dict[str, set[str]]


def summarise(table: LabelTable, choice: Choice) -> TableSummary:
    """Count what a label file holds.

    Parameters
    ----------
    table : LabelTable
        The file.
    choice : Choice
        Which labels count, and under which names.
    """
    species: Counter[str] = Counter()
    heard_in: dict[str, set[str]] = defaultdict(set)
    labels = kept = 0
    for entry in table.entries:
        found = choice.species(entry)
        labels += bool(entry.species)
        kept += bool(found)
        # a recording that only the file's name tells is one for each file
        recording = entry.recording or str(table.path)
        for name in found:
            species[name] += 1
            heard_in[name].add(recording)
    n_recordings = len(table.first_lines())
    return TableSummary(
        table.path, table.format, labels, kept, n_recordings, species, dict(heard_in)
    )


def count_species(tables: Iterable[TableSummary]) -> list[tuple[str, int, int]]:
    """Species of several label files, the most frequent first.

    Parameters
    ----------
    tables : iterable of TableSummary
        The files.

    Returns
    -------
    list of tuple
        Name, labels, and recordings it was heard in.
    """
    labels: Counter[str] = Counter()
    heard_in: dict[str, set[str]] = defaultdict(set)
    for table in tables:
        labels.update(table.species)
        for name, recordings in table.heard_in.items():
            heard_in[name] |= recordings
    ordered = sorted(labels, key=lambda name: (-labels[name], name))
    return [(name, labels[name], len(heard_in[name])) for name in ordered]
