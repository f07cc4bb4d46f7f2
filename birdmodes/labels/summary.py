"""What label files hold, to look at before they are used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from birdmodes.labels.choice import Choice
from birdmodes.labels.matching import recording_names, same_names
from birdmodes.labels.model import LabelTable
from birdmodes.labels.spelling import look_alikes
from birdmodes.labels.synonyms import Synonyms


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
        Each of them to the recordings it was heard in, as written in the file.
    written : set of str
        Recordings as written in the file; those that only its name tells, by that name.
    synonyms : Counter
        Pairs of a scientific name or code, if there is any, and the name beside it.
    notes : list of str
        What the user should know of it.
    """

    path: Path
    format: str
    labels: int
    kept: int
    recordings: int
    species: Counter[str]
    heard_in: dict[str, set[str]]
    written: set[str]
    synonyms: Counter[tuple[str, str]]
    notes: list[str]


def summarise(table: LabelTable, choice: Choice) -> TableSummary:
    """Count what a label file holds.

    Parameters
    ----------
    table : LabelTable
        The file.
    choice : Choice
        Which labels count, and under which names.
    """
    chosen = choice.of(table)
    species: Counter[str] = Counter()
    synonyms: Counter[tuple[str, str]] = Counter()
    heard_in: dict[str, set[str]] = defaultdict(set)
    own_name = "/".join(filter(None, (table.folder, [*recording_names(table.path.name)][-1])))
    plain: set[str] = set()
    labels = kept = 0
    for entry in table.entries:
        found = chosen.species(entry)
        labels += bool(entry.species) and not chosen.is_nothing(entry)
        kept += bool(found)
        recording = entry.recording or own_name
        for name in found:
            species[name] += 1
            heard_in[name].add(recording)
        if found and (entry.scientific or entry.species not in plain):
            plain.add(entry.species)
            if chosen.keeps_name(entry):
                code = entry.scientific if len(found) == 1 else ""
                synonyms.update((code, name) for name in found)
    written = {name or own_name for name in table.first_lines()}
    return TableSummary(
        table.path,
        table.format,
        labels,
        kept,
        len(written),
        species,
        dict(heard_in),
        written,
        synonyms,
        table.notes + chosen.warnings(),
    )


@dataclass(frozen=True)
class SpeciesCounts:
    """Species of several label files.

    Attributes
    ----------
    species : list of tuple
        Name, labels, and recordings it was heard in; the most frequent first.
    recordings : int
        Recordings that the files speak of.
    warnings : list of str
        Names that were made one.
    """

    species: list[tuple[str, int, int]]
    recordings: int
    warnings: list[str]


def count_species(
    tables: Sequence[TableSummary], places: Mapping[str, str] | None = None
) -> SpeciesCounts:
    """Count the species of several label files, and the recordings after they are resolved.

    Parameters
    ----------
    tables : sequence of TableSummary
        The files.
    places : mapping, optional
        Recordings as the files write them, to the names of those that are there. The others are
        taken for one where one name may be short for another.
    """
    synonyms = Synonyms()
    for table in tables:
        for (scientific, name), count in table.synonyms.items():
            synonyms.add(scientific, name, count)
    renamed = synonyms.renamed()
    written = {name for table in tables for name in table.written}
    known = places or {}
    resolved = {**same_names(written - known.keys()), **known}
    labels: Counter[str] = Counter()
    heard_in: dict[str, set[str]] = defaultdict(set)
    for table in tables:
        for name, count in table.species.items():
            labels[renamed.get(name, name)] += count
        for name, recordings in table.heard_in.items():
            heard_in[renamed.get(name, name)] |= {resolved[each] for each in recordings}
    ordered = sorted(labels, key=lambda name: (-labels[name], name))
    return SpeciesCounts(
        [(name, labels[name], len(heard_in[name])) for name in ordered],
        len({resolved[name] for name in written}),
        synonyms.warnings() + look_alikes(labels),
    )
