"""What would be read from label files, and which recordings it is for: all of ``labels``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from birdmodes.audio.find import find_recordings
from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath, as_paths
from birdmodes.labels.choice import make_choice
from birdmodes.labels.files import ReadFile, find_label_files, no_labels, read_files
from birdmodes.labels.fit import LabelFit
from birdmodes.labels.model import FittedLabels
from birdmodes.labels.places import Recordings
from birdmodes.labels.reading import Reading
from birdmodes.labels.summary import SpeciesCounts, TableSummary, count_species, summarise


@dataclass(frozen=True)
class LabelSurvey:
    """What label files hold.

    Attributes
    ----------
    tables : list of TableSummary
        The files that could be read.
    counts : SpeciesCounts
        Their species.
    skipped : list of ReadFile
        Files in the folders that hold no labels.
    refused : list of LabelError
        Why other files could not be read.
    n_recordings : int
        Recordings that were found, if they were asked for.
    not_found : list of int or None
        Of each file, recordings that it speaks of and that are not there; None if nobody asked.
    fitted : FittedLabels or None
        What the recordings would be labelled with; None if nobody asked.
    unfit : LabelError or None
        Why none of the labels is for any of the recordings.
    """

    tables: list[TableSummary]
    counts: SpeciesCounts
    skipped: list[ReadFile]
    refused: list[LabelError]
    n_recordings: int = 0
    not_found: list[int] | None = None
    fitted: FittedLabels | None = None
    unfit: LabelError | None = None

    def notes(self) -> list[str]:
        """What the user should know of the files, a line each."""
        return [note for table in self.tables for note in table.notes] + self.counts.warnings


def survey_labels(
    files: AnyPath | Iterable[AnyPath],
    recordings: AnyPath | Iterable[AnyPath] | None = None,
    *,
    min_conf: float = 0.0,
    species_map: AnyPath | None = None,
    label_column: str | None = None,
    encoding: str | None = None,
    channel: int | None = None,
    taxonomy: AnyPath | None = None,
    language: str | None = None,
) -> LabelSurvey:
    """Look at label files before they are used.

    Parameters
    ----------
    files : str, path-like, or iterable of them
        Label files, or folders of them.
    recordings : str, path-like, or iterable of them, optional
        Recordings, or folders of them, to say which of them the labels are for.
    min_conf, species_map, label_column, encoding, channel, taxonomy, language
        As for `birdmodes.fit_labels`.

    Raises
    ------
    LabelError
        If none of the files can be read.
    BirdmodesError
        If there are no recordings where they are looked for.
    """
    given = as_paths(files)
    choice = make_choice(min_conf, species_map, channel, taxonomy=taxonomy, language=language)
    how = Reading(label_column, encoding, min_conf)
    found = find_recordings(recordings) if recordings else []
    places = Recordings({recording.name: recording for recording in found})
    fit = LabelFit(choice)
    tables: list[TableSummary] = []
    not_found: list[int] = []
    known: dict[str, str] = {}
    skipped: list[ReadFile] = []
    refused: list[LabelError] = []
    for read in read_files(find_label_files(given), how):
        if read.skipped:
            skipped.append(read)
            continue
        try:
            table = read.table()
            not_found.append(fit.add(table, places) if recordings else 0)
            tables.append(summarise(table, choice))
        except LabelError as error:
            refused.append(error)
        else:
            known.update(places.places_of(table) if recordings else {})
    if not tables:
        raise refused[0] if refused else no_labels(given, len(skipped))
    counts = count_species(tables, known)
    if not recordings:
        return LabelSurvey(tables, counts, skipped, refused)
    fitted, unfit = fit.result(), None
    try:
        fit.check_any(given)
    except LabelError as error:
        unfit = error
    return LabelSurvey(tables, counts, skipped, refused, len(found), not_found, fitted, unfit)
