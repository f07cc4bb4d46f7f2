"""Bring the labels of files to recordings."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from birdmodes.audio.find import RecordingFile
from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath, as_paths
from birdmodes.io.printing import shown
from birdmodes.labels.choice import Choice, TableChoice, make_choice
from birdmodes.labels.clock import placed_by_clock
from birdmodes.labels.detect import read_label_file
from birdmodes.labels.files import find_label_files, no_labels, read_files, unused_labels
from birdmodes.labels.model import Confidence, FittedLabels, LabelEntry, LabelTable, TimedLabel
from birdmodes.labels.places import MemberPlaces, Recordings
from birdmodes.labels.reading import Reading
from birdmodes.labels.request import LabelRequest
from birdmodes.labels.spelling import look_alikes
from birdmodes.labels.synonyms import Synonyms

_MOST_LETTERS = 200

LABELS_FILE = "labels.csv"


def fit_labels(
    recordings: Sequence[RecordingFile],
    labels: AnyPath | Iterable[AnyPath] | None = None,
    *,
    min_conf: float = 0.0,
    species_map: AnyPath | None = None,
    label_column: str | None = None,
    encoding: str | None = None,
    channel: int | None = None,
    labels_as: str = "auto",
    taxonomy: AnyPath | None = None,
    language: str | None = None,
) -> FittedLabels:
    """Find the species of the recordings.

    Parameters
    ----------
    recordings : sequence of RecordingFile
        The recordings.
    labels : str, path-like, or iterable of them, optional
        Label files, or folders of them, for all recordings. By default a ``labels.csv`` beside the
        recordings is used: in the folder given, or in a recording's own folder, which goes before
        it.
    min_conf : float
        Detections of a lower confidence, 0 to 1, are left out; their recordings stay labelled.
    species_map : str or path-like, optional
        Table of other names for species, as `birdmodes.labels.species_map` reads it.
    label_column : str, optional
        Column that names the species, in tables with a header.
    encoding : str, optional
        Encoding of the label files, if it is not found.
    channel : int, optional
        Channel of the recordings that is used, from 1: labels of other channels are left out.
    labels_as : {"auto", "lists", "spans", "boxes"}
        What labels with times say of single sounds, see `birdmodes.labels.choice.Choice`.
    taxonomy, language : str or path-like, optional
        Table of species, and its column with the names to use, see
        `birdmodes.labels.choice.make_choice`.

    Returns
    -------
    FittedLabels
        What is known of each recording.

    Raises
    ------
    LabelError
        If a label file cannot be understood, a row fits two recordings, or no row fits any.
    """
    choice = make_choice(
        min_conf, species_map, channel, labels_as, taxonomy=taxonomy, language=language
    )
    fit = LabelFit(choice)
    how = Reading(label_column, encoding, min_conf)
    given = None if labels is None else as_paths(labels)
    if given is None:
        _fit_beside(fit, recordings, how)
    else:
        _fit_given(fit, recordings, given, how)
    request = LabelRequest(
        None if given is None else tuple(map(str, given)),
        min_conf,
        None if species_map is None else str(species_map),
        label_column,
        encoding,
        labels_as,
        None if taxonomy is None else str(taxonomy),
        language,
    )
    return replace(fit.result(), request=request)


def _fit_beside(fit: LabelFit, recordings: Sequence[RecordingFile], how: Reading) -> None:
    for path, members in _tables_beside(recordings).items():
        fit.add(read_label_file(path, how), MemberPlaces(members))
        fit.check_any([path])
    if not fit.files:
        fit.warnings += unused_labels(recordings, how)


def _fit_given(
    fit: LabelFit, recordings: Sequence[RecordingFile], given: Sequence[Path], how: Reading
) -> None:
    places = Recordings({recording.name: recording for recording in recordings})
    skipped = []
    for read in read_files(find_label_files(given), how):
        if read.skipped:
            skipped.append(read.source.path)
        else:
            fit.add(read.table(), places)
    fit.check_any(given)
    if skipped and not fit.files:
        raise no_labels(given, len(skipped))
    if skipped:
        more = f", nor {_do_more(len(skipped) - 1, 'file')}" if len(skipped) > 1 else ""
        fit.warnings.append(f"{shown(skipped[0])}: does not hold labels{more}; left out")


def _do_more(count: int, noun: str) -> str:
    return f"does 1 more {noun}" if count == 1 else f"do {count:,} more {noun}s"


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


@dataclass
class _Known:
    """What is known so far of one recording.

    Attributes
    ----------
    timed : set of TimedLabel
        Labels with times.
    whole : set of str
        Species of labels without.
    confidences : list of Confidence
        Of detections.
    by_time : bool
        Whether a file with times speaks of it.
    silent : str
        Where it is labelled as having no species, if it is.
    """

    timed: set[TimedLabel] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    confidences: list[Confidence] = field(default_factory=list)
    by_time: bool = False
    silent: str = ""

    def species(self) -> tuple[str, ...]:
        return tuple(sorted(self.whole | {label.species for label in self.timed}))

    def renamed(self, names: Mapping[str, str]) -> _Known:
        """The same with other names for some species."""
        return replace(
            self,
            timed={
                replace(label, species=names.get(label.species, label.species))
                for label in self.timed
            },
            whole={names.get(species, species) for species in self.whole},
            confidences=[
                told._replace(species=names.get(told.species, told.species))
                for told in self.confidences
            ],
        )


class LabelFit:
    """Labels brought to recordings, file by file.

    Parameters
    ----------
    choice : Choice
        Which labels count.

    Attributes
    ----------
    warnings : list of str
        What the user should look at, a line each.
    files : list of pathlib.Path
        The files taken in.
    """

    def __init__(self, choice: Choice) -> None:
        self.warnings: list[str] = []
        self._choice = choice
        self._known: dict[str, _Known] = {}
        self._synonyms = Synonyms()
        self._plain: set[str] = set()  # seen already; a table has millions of rows
        self.files: list[Path] = []
        self._named_after: dict[tuple[str, str], Path] = {}
        self._n_fitted = 0
        self._n_unfitted = 0
        self._first_unfitted = ""

    def add(self, table: LabelTable, recordings: Recordings | MemberPlaces) -> int:
        """Take in a label file.

        Parameters
        ----------
        table : LabelTable
            What it says.
        recordings : Recordings or MemberPlaces
            The recordings it may be for.

        Returns
        -------
        int
            How many recordings it speaks of that are not among them.

        Raises
        ------
        LabelError
            If a row fits two recordings.
        """
        if isinstance(recordings, Recordings):
            table = placed_by_clock(table, recordings.files)
        places = recordings.places_of(table)
        self.files.append(table.path)
        self._check_namesake(table, places.get(""))
        known = {
            written: self._known.setdefault(name, _Known()) for written, name in places.items()
        }
        chosen = self._choice.of(table)
        unnamed = []
        unfitted: Counter[str] = Counter()
        for entry in table.entries or ([] if table.own else [LabelEntry(1, "", "")]):
            if entry.recording not in known:
                unfitted[entry.recording] += 1
                continue
            self._n_fitted += 1
            self._take(known[entry.recording], entry, table, chosen)
            if not entry.species and entry.start_s is not None:
                unnamed.append(entry.line)
        if unnamed:
            self.warnings.append(
                f"{shown(table.path)}, line {unnamed[0]}: no species in this row"
                + (f" and {len(unnamed) - 1} more" if len(unnamed) > 1 else "")
                + "; left out"
            )
        self.warnings += table.notes + chosen.warnings()
        self._report(table, unfitted, recordings.example)
        return len(unfitted)

    def _check_namesake(self, table: LabelTable, recording: str | None) -> None:
        """Warn of two files of one name, in two folders, that are taken for one recording."""
        if recording is None:
            return
        other = self._named_after.setdefault((recording, table.path.name), table.path)
        if other != table.path:
            self.warnings.append(
                f"{shown(table.path)}: taken for {shown(recording)}, as is {shown(other)}; if they "
                "are of two recordings, give the recordings' folder above both"
            )

    def _take(
        self, known: _Known, entry: LabelEntry, table: LabelTable, chosen: TableChoice
    ) -> None:
        known.by_time |= entry.start_s is not None or not table.own
        if table.own and chosen.is_nothing(entry) and not entry.negative:
            known.silent = f"{shown(table.path)}, line {entry.line}"
        names = chosen.species(entry)
        if entry.scientific or entry.species not in self._plain:
            self._plain.add(entry.species)
            if chosen.keeps_name(entry):
                for species in names:
                    self._synonyms.add(entry.scientific if len(names) == 1 else "", species)
        low_hz, high_hz = self._band(entry)
        for species in names:
            if entry.start_s is None or entry.end_s is None:
                known.whole.add(species)
            else:
                known.timed.add(TimedLabel(entry.start_s, entry.end_s, species, low_hz, high_hz))
            if entry.confidence is not None:
                known.confidences.append(
                    Confidence(species, entry.start_s, entry.end_s, entry.confidence)
                )

    def _band(self, entry: LabelEntry) -> tuple[float, float]:
        boxes = self._choice.labels_as in ("auto", "boxes")
        if not boxes or entry.low_hz is None or entry.high_hz is None:
            return 0.0, math.inf
        return entry.low_hz, entry.high_hz

    def _report(self, table: LabelTable, unfitted: Counter[str], example: str) -> None:
        """Warn of what fits no recording."""
        lines = table.first_lines()
        for written, count in unfitted.items():
            if written:
                times = f" (nor {_do_more(count - 1, 'row')} like it)" if count > 1 else ""
                text = (
                    f"{shown(table.path)}, line {lines[written]}: no recording matches "
                    f"{_begin(written)!r}{times}"
                )
            else:
                text = f"{shown(table.path)}: no recording matches the name of this file"
            self.warnings.append(text)
            if not self._n_unfitted:
                what = (
                    f"line {lines[written]} has {_begin(written)!r}"
                    if written
                    else f"a label file is called {table.path.name!r}"
                )
                self._first_unfitted = f"{what}, a recording here is called {example!r}"
            self._n_unfitted += count

    def check_any(self, given: Iterable[Path]) -> None:
        """Raise LabelError if there are labels and none fits a recording."""
        if self._n_unfitted and not self._n_fitted:
            where = ", ".join(shown(path) for path in given)
            raise LabelError(
                f"{where}: none of its {self._n_unfitted:,} rows matches a recording; "
                f"{self._first_unfitted}"
            )

    def _none_named(self, species: Mapping[str, Sequence[str]]) -> list[str]:
        """What to say where labels fit recordings, but no species is left of them."""
        if not species or any(species.values()):
            return []
        return [
            f"{shown(self.files[0])}{' and others' if len(self.files) > 1 else ''}: no species for "
            f"any of {len(species):,} recordings, so no sound will have a name"
        ]

    def result(self) -> FittedLabels:
        """What is known of the recordings after all files."""
        renamed = self._synonyms.renamed()
        known = dict(sorted(self._known.items()))
        if renamed:
            known = {name: entry.renamed(renamed) for name, entry in known.items()}
        contradictions = [
            f"{entry.silent}: {shown(name)} is labelled as having no species, but other rows give "
            "it some"
            for name, entry in known.items()
            if entry.silent and (entry.whole or entry.timed)
        ]
        timed = {
            name: tuple(sorted(entry.timed))
            for name, entry in known.items()
            if entry.by_time and (entry.timed or not entry.whole)
        }
        species = {name: entry.species() for name, entry in known.items()}
        return FittedLabels(
            species=species,
            warnings=[
                *self.warnings,
                *self._none_named(species),
                *contradictions,
                *self._synonyms.warnings(),
                *self._choice.names.warnings(),
                *look_alikes(name for names in species.values() for name in names),
            ],
            files=self.files,
            labels_as=self._choice.labels_as,
            timed=timed,
            whole={name: tuple(sorted(known[name].whole)) for name in timed if known[name].whole},
            confidences={
                name: tuple(entry.confidences) for name, entry in known.items() if entry.confidences
            },
        )


def _begin(name: str) -> str:
    """A name for a message; of one that is none, as where a quote is missing, its beginning."""
    return name if len(name) <= _MOST_LETTERS else f"{name[:_MOST_LETTERS]}..."
