"""Tables that people make: a recording and its species in each row."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.tables import Header, Table, read_table
from birdmodes.labels.formats.cells import check_order, chosen_column, no_label_column
from birdmodes.labels.formats.judged import Judgement
from birdmodes.labels.model import LabelEntry, LabelRow
from birdmodes.labels.reading import Reading
from birdmodes.labels.spelling import names_in_cell

NAME = "birdmodes CSV"
COLUMNS = ("recording", "species")
TIME_COLUMNS = ("start_s", "end_s")
BAND_COLUMNS = ("low_hz", "high_hz")

OTHER_NAME = "table of recordings and species"

# What people call these columns, the first that is there counts.
RECORDING_COLUMNS = (
    *("recording", "recordings", "path", "filepath", "file path", "file_path", "audio_path"),
    *("file", "filename", "file name", "file_name", "audio file", "audio_file", "audiofile"),
    *("audiofilename", "sound file", "soundfile", "sound.files", "wav", "wav file"),
    *("aufnahme", "datei", "dateiname", "audiodatei", "tondatei"),
    *("enregistrement", "fichier", "nom du fichier", "nom de fichier", "fichier audio"),
    *("archivo", "grabación", "grabacion", "nombre de archivo", "arquivo", "gravação"),
    *("ファイル", "ファイル名", "録音", "録音ファイル", "录音", "文件", "文件名", "錄音", "檔名"),
)
SPECIES_COLUMNS = (
    *("species", "common name", "common_name", "commonname", "vernacular name", "bird", "birds"),
    *("species name", "species_name", "species_list", "species list", "label", "labels"),
    *("primary_label", "scientific name", "scientific_name", "species code", "species_code"),
    *("art", "arten", "vogelart", "vogelarten", "artname", "deutscher name"),
    *("espèce", "espèces", "espece", "especes", "nom d'espèce", "nom français", "oiseau"),
    *("especie", "especies", "espécie", "espécies", "soort", "soorten", "specie", "gatunek"),
    *("種", "種名", "和名", "鳥種", "鳥名", "物种", "鸟种", "种名", "物種"),
)
_SCIENTIFIC = (
    *("scientific name", "scientific_name", "species code", "species_code"),
    *("wissenschaftlicher name", "nom scientifique", "nombre científico", "学名", "學名"),
)


def read_labels(path: AnyPath) -> list[LabelRow]:
    """Read a label table: the columns ``recording`` and ``species``.

    Several species stand in one cell, separated by ``;``, or in several rows. The columns
    ``start_s`` and ``end_s`` may say when they were heard, ``present``, ``absent``, ``count`` and
    ``validated`` whether; other columns are ignored.

    Parameters
    ----------
    path : str or path-like
        The file.

    Raises
    ------
    LabelError
        If the file cannot be read, a column is missing, a row names no recording, or its times
        are not two numbers.
    """
    table = read_table(Path(path), LabelError)
    table.require(COLUMNS)
    rows: dict[int, LabelRow] = {}
    for entry in read_own(table, Reading()):
        row = rows.setdefault(
            entry.line, LabelRow(entry.line, entry.recording, (), entry.start_s, entry.end_s)
        )
        if entry.species:
            species = (*row.species, entry.species)
            rows[entry.line] = LabelRow(
                row.line, row.recording, species, entry.start_s, entry.end_s
            )
    return list(rows.values())


def is_like_own(header: Header) -> bool:
    """Whether a header has a column of recordings and one of species, whatever their names."""
    return header.first(RECORDING_COLUMNS) is not None and header.first(SPECIES_COLUMNS) is not None


def names_recordings(header: Header) -> bool:
    """Whether a header has a column of recordings, whatever its name."""
    return header.first(RECORDING_COLUMNS) is not None


def read_own(table: Table, how: Reading) -> list[LabelEntry]:
    """Read a table of recordings and species.

    Parameters
    ----------
    table : Table
        The file.
    how : Reading
        How to read it. A label column is taken instead of that of the species.

    Returns
    -------
    list of LabelEntry
        One entry for each species of a row.

    Raises
    ------
    BirdmodesError
        The table's error, if a row cannot be understood.
    """
    header = table.header
    recording, species = header.first(RECORDING_COLUMNS), header.first(SPECIES_COLUMNS)
    if how.label_column is not None:
        species = chosen_column(table, how.label_column)
    if recording is None or species is None:
        table.require(COLUMNS)
        raise no_label_column(table)
    scientific = header.first(_SCIENTIFIC)
    judgement = Judgement(table, counts=True)
    entries: list[LabelEntry] = []
    for line, cells in table.rows():
        if len(cells) > len(header.names):
            raise table.too_many_cells(line)
        if not cells[recording]:
            if cells[species]:
                raise table.wrong(line, "no recording in this row")
            continue
        if judgement.denies(line, cells):
            entries.append(LabelEntry(line, cells[recording], "", negative=True))
            continue
        names = names_in_cell(cells[species])
        if not names:
            # a row with times and no species was looked at as well: it names nothing
            entries.append(LabelEntry(line, cells[recording], ""))
            continue
        start_s, end_s = _pair(table, line, cells, TIME_COLUMNS)
        if start_s is not None and end_s is not None:
            check_order(table, line, start_s, end_s)
        low_hz, high_hz = _pair(table, line, cells, BAND_COLUMNS)
        code = "" if scientific in (None, species) or len(names) > 1 else cells[scientific or 0]
        entries += [
            LabelEntry(
                line, cells[recording], name, start_s, end_s, None, low_hz, high_hz,
                scientific=code,
            )
            for name in names
        ]  # fmt: skip
    judgement.note()
    return entries


def _pair(
    table: Table, line: int, cells: list[str], columns: tuple[str, str]
) -> tuple[float | None, float | None]:
    """Two numbers that go together; none if both cells are empty."""
    places = [table.header.first((column,)) for column in columns]
    if not any(cells[place] for place in places if place is not None):
        return None, None
    if None in places:
        missing = columns[places.index(None)]
        raise table.error(
            f"{table.path}: a column {columns[places[0] is None]!r} and no column {missing!r}"
        )
    first, second = (table.number(line, place or 0, cells[place or 0]) for place in places)
    return first, second
