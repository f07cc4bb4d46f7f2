"""Which species are in which recording: read a label table and fit it to recordings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from birdmodes.audio import RecordingFile
from birdmodes.csv_tables import read_rows
from birdmodes.errors import LabelError

LABELS_FILE = "labels.csv"
SPECIES_SEPARATOR = ";"
COLUMNS = ("recording", "species")


@dataclass(frozen=True)
class LabelRow:
    """One row of a label table.

    Attributes
    ----------
    line : int
        Its line in the file, from 1.
    recording : str
        The recording as written there.
    species : tuple of str
        Empty: labelled as having no species.
    """

    line: int
    recording: str
    species: tuple[str, ...]


@dataclass(frozen=True)
class FittedLabels:
    """Label tables fitted to recordings.

    Attributes
    ----------
    species : dict
        Name of a labelled recording to its species, sorted; recordings that no row names are
        absent, those labelled 'no species' have an empty tuple.
    warnings : list of str
        What the user should look at, a line each.
    files : list of pathlib.Path
        The tables used.
    """

    species: dict[str, tuple[str, ...]]
    warnings: list[str]
    files: list[Path]


def split_species(text: str) -> tuple[str, ...]:
    """Species of a ``species`` cell, in the order given, each once."""
    names = (name.strip() for name in text.split(SPECIES_SEPARATOR))
    return tuple(dict.fromkeys(name for name in names if name))


def join_species(species: Iterable[str]) -> str:
    """Text of a ``species`` cell; the reverse of `split_species`, sorted."""
    return SPECIES_SEPARATOR.join(sorted(species))


def read_labels(path: Path) -> list[LabelRow]:
    """Read a label table: CSV with the columns ``recording`` and ``species``.

    Several species stand in one cell, separated by ``;``, or in several rows. Other columns are
    ignored. UTF-8 (with or without byte-order mark), else Windows-1252.

    Raises
    ------
    LabelError
        If the file cannot be read, a column is missing, or a row names no recording.
    """
    rows = []
    for line, values in read_rows(path, COLUMNS, LabelError):
        if not values["recording"]:
            raise LabelError(f"{path}, line {line}: no recording in this row")
        rows.append(LabelRow(line, values["recording"], split_species(values["species"])))
    return rows


class NameMatcher:
    """Find the recording that a table means: by relative path, else file name, else stem.

    A relative path may lack its ending too. Letter case of the ending and the direction of
    slashes do not matter; nothing else is guessed.

    Parameters
    ----------
    names : iterable of str
        Names of the recordings (relative paths with forward slashes).
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._levels: list[dict[str, list[str]]] = [defaultdict(list) for _ in range(4)]
        for name in names:
            for level, key in zip(self._levels, _keys(name), strict=True):
                level[key].append(name)

    def find(self, text: str) -> list[str]:
        """Names of the recordings that `text` may mean: one if all is well."""
        whole = _plain(text)
        bare = text.strip().replace("\\", "/")
        for level, key in zip(self._levels, (whole, whole, bare, bare), strict=True):
            if level.get(key):
                return level[key]
        return []


def _plain(text: str) -> str:
    path = PurePosixPath(text.strip().replace("\\", "/"))
    return str(path.with_suffix(path.suffix.lower())) if path.name else str(path)


def _keys(name: str) -> tuple[str, str, str, str]:
    """What may name a recording: path, file name, path without ending, stem."""
    path = PurePosixPath(_plain(name))
    return str(path), path.name, str(path.parent / path.stem), path.stem


def fit_labels(recordings: Sequence[RecordingFile], labels: Path | None = None) -> FittedLabels:
    """Find the species of the recordings.

    Parameters
    ----------
    recordings : sequence of RecordingFile
        The recordings.
    labels : pathlib.Path, optional
        The label table, for all recordings. By default a ``labels.csv`` beside the recordings
        is used: in the folder given, or in a recording's own folder, which goes before it.

    Raises
    ------
    LabelError
        If a table cannot be understood, or a row fits two recordings.
    """
    if labels is not None:
        return _fit_table(labels, {recording.name: recording.name for recording in recordings})
    species: dict[str, tuple[str, ...]] = {}
    warnings: list[str] = []
    tables = _tables_beside(recordings)
    for table, members in tables.items():
        fitted = _fit_table(table, members)
        species.update(fitted.species)
        warnings.extend(fitted.warnings)
    return FittedLabels(species, warnings, list(tables))


def _tables_beside(recordings: Sequence[RecordingFile]) -> dict[Path, dict[str, str]]:
    """Each ``labels.csv`` with the recordings it is for: name as seen from it, to name."""
    tables: dict[Path, dict[str, str]] = defaultdict(dict)
    for recording in recordings:
        for folder in (recording.path.parent, recording.root):
            table = folder / LABELS_FILE
            if table in tables or table.is_file():
                seen_as = recording.path.relative_to(folder).as_posix()
                tables[table][seen_as] = recording.name
                break
    return dict(tables)


def _fit_table(path: Path, members: dict[str, str]) -> FittedLabels:
    """Fit the table to `members`: names as the table may write them, to recordings' names."""
    matcher = NameMatcher(members)
    species: dict[str, set[str]] = {}
    silent: dict[str, int] = {}
    unmatched = []
    for row in read_labels(path):
        found = matcher.find(row.recording)
        if len(found) > 1:
            raise LabelError(
                f"{path}, line {row.line}: {row.recording!r} fits {len(found)} recordings "
                f"({', '.join(sorted(found)[:3])}); write the path relative to the folder"
            )
        if not found:
            unmatched.append(row)
            continue
        name = members[found[0]]
        species.setdefault(name, set()).update(row.species)
        if not row.species:
            silent[name] = row.line
    warnings = [
        f"{path}, line {row.line}: no recording matches {row.recording!r}" for row in unmatched
    ]
    warnings += [
        f"{path}, line {line}: {name} is labelled as having no species, but other rows give it some"
        for name, line in silent.items()
        if species[name]
    ]
    if unmatched and not species:
        raise LabelError(
            f"{path}: none of its {len(unmatched)} rows matches a recording; line "
            f"{unmatched[0].line} has {unmatched[0].recording!r}, a recording here is called "
            f"{next(iter(members))!r}"
        )
    ordered = {name: tuple(sorted(names)) for name, names in species.items()}
    return FittedLabels(ordered, warnings, [path])
