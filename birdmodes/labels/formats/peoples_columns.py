"""What people call the columns of recordings and of species, in several languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from birdmodes.io.tables import Header

# The first that is there counts.
_RECORDING = (
    *("recording", "recordings", "recording name", "recording file", "path", "filepath"),
    *("file path", "audio path", "recording path", "file", "filename", "file name", "audio file"),
    *("audiofile", "audiofilename", "audio filename", "audio file name", "audio", "sound file"),
    *(
        "soundfile",
        "sound files",
        "wav",
        "wav file",
        "wavfile",
        "recording id",
        "clip",
        "clip name",
    ),
    *("aufnahme", "name der aufnahme", "aufnahmename", "datei", "dateiname", "name der datei"),
    *("audiodatei", "tondatei", "wav datei", "tonaufnahme"),
    *("enregistrement", "nom de l'enregistrement", "fichier", "nom du fichier", "nom de fichier"),
    *("fichier audio", "fichier son", "fichier wav", "nom du fichier audio", "nom fichier"),
    *("archivo", "grabación", "grabacion", "nombre de archivo", "nombre del archivo"),
    *("archivo de audio", "arquivo", "gravação", "nome do arquivo", "bestand", "bestandsnaam"),
    *("opname", "nome file", "registrazione", "plik", "nagranie"),
    *("ファイル", "ファイル名", "録音", "録音ファイル", "録音ファイル名", "音声ファイル"),
    *("音声ファイル名", "音源", "录音", "文件", "文件名", "录音文件", "錄音", "檔名", "檔案"),
)
_COMMON = ("common name", "species common name", "vernacular name")
_SPECIES = (
    *("species", *_COMMON, "bird"),
    *("birds", "bird species", "bird name", "species name", "species list", "species present"),
    *(
        "label",
        "labels",
        "primary label",
        "birds heard",
        "scientific name",
        "scientific",
        "species code",
        "taxon",
    ),
    *("art", "arten", "vogelart", "vogelarten", "artname", "deutscher name", "deutscher artname"),
    *("vogel", "vögel", "name der art", "wissenschaftlicher name"),
    *("espèce", "espèces", "espece", "especes", "nom d'espèce", "nom de l'espèce", "nom français"),
    *("nom vernaculaire", "nom commun", "oiseau", "oiseaux", "nom scientifique"),
    *("especie", "especies", "nombre común", "ave", "aves", "espécie", "espécies", "nome comum"),
    *("soort", "soorten", "soortnaam", "specie", "gatunek", "art namn", "artnavn"),
    *("種", "種名", "和名", "鳥種", "鳥種名", "鳥名", "鳥の名前", "鳥の種類", "野鳥", "野鳥名"),
    *("物种", "物种名", "鸟种", "鸟名", "种名", "中文名", "物種", "鳥类", "종", "종명"),
)
_SCIENTIFIC = (
    *("scientific name", "species code", "latin name", "wissenschaftlicher name"),
    *("wissenschaftlicher artname", "nom scientifique", "nombre científico", "nome científico"),
    *("nome scientifico", "学名", "學名"),
)
_GENUS = ("genus", "species")
# Scientific names in two parts; the first are Xeno-canto's, whose common names are in "en".
_BINOMIAL = (("gen", "sp"), ("genus", "epithet"), ("genus", "specific epithet"), _GENUS)

# Columns of species that are heard as well, and those that name the one in front of them.
_BACKGROUND = (
    *("secondary labels", "secondary label", "secondary species", "also", "background"),
    *("background species", "other species", "weitere arten", "autres espèces", "otras especies"),
)
_LEADING = ("primary label", "ebird code", "species code")
_CONFIDENCE = (
    *("confidence", "conf", "score", "probability", "prob", "konfidenz", "wahrscheinlichkeit"),
    *("confiance", "probabilité", "confianza", "probabilidad", "信頼度", "確信度", "置信度"),
)
_CHANNEL = (
    "channel",
    "channels",
    "chan",
    "kanal",
    "canal",
    "canale",
    "kanaal",
    "チャンネル",
    "声道",
)
_REMARK = re.compile(r"[(\[（].*?[)\]）]", re.DOTALL)
_REMARK_ENDS = ")]）"
_NUMBERED = re.compile(r"(.*\D) ?[1-9]\d?")


def recording_column(header: Header) -> int | None:
    """Place of the column of recordings, if there is one."""
    return _first(_plain_keys(header), _RECORDING)


def scientific_columns(header: Header) -> list[int]:
    """Places of the column of scientific names or codes, or of genus and species, if there are."""
    keys = _plain_keys(header)
    whole = _all(keys, _SCIENTIFIC)[:1]
    halves = next(found for pair in (*_BINOMIAL, ()) if len(found := _all(keys, pair)) == len(pair))
    return whole or halves


def species_columns(header: Header) -> list[int]:
    """Places of the column of species, or of several, if there are such.

    Several are numbered, or name the species in the background, as tables of Xeno-canto's
    recordings do: of these, the first is the one that speaks the same language.
    """
    keys = _plain_keys(header)
    if len(_all(keys, _GENUS)) == 2 and _first(keys, _COMMON) is not None:
        keys = ["" if key == "species" else key for key in keys]
    behind = _all(keys, _BACKGROUND)
    first = _first(keys, (*_LEADING, *_SPECIES) if behind else _SPECIES)
    if first is None and len(_all(keys, _BINOMIAL[0])) == 2:
        first = _first(keys, ("en",))
    numbered = [_NUMBERED.fullmatch(key) for key in keys]
    bases = [match[1].strip() if match else "" for match in numbered]
    if first is None:
        base = next((name for name in _SPECIES if name in bases), None)
        return [] if base is None else [i for i, each in enumerate(bases) if each == base]
    return [first, *(i for i, each in enumerate(bases) if each == keys[first]), *behind]


def scientific_name(cells: Sequence[str]) -> str:
    """Scientific name in the cells of `scientific_columns`."""
    first, last = cells[0], cells[-1]
    return last if len(cells) == 1 or " " in last or not last else f"{first} {last}".strip()


def confidence_column(header: Header) -> int | None:
    """Place of the column that says how sure somebody was, if there is one."""
    return _first(_plain_keys(header), _CONFIDENCE)


def channel_column(header: Header) -> int | None:
    """Place of the column of channels, if there is one."""
    return _first(_plain_keys(header), _CHANNEL)


def _first(keys: Sequence[str], names: Sequence[str]) -> int | None:
    return next(iter(_all(keys, names)), None)


def _all(keys: Sequence[str], names: Sequence[str]) -> list[int]:
    """Places of the columns of these names, in the order of the names; blanks do not matter."""
    joined = [key.replace(" ", "") for key in keys]
    wanted = dict.fromkeys(name.replace(" ", "") for name in names)
    return [joined.index(name) for name in wanted if name in joined]


def _plain_keys(header: Header) -> list[str]:
    """Names of columns without remarks in brackets, and with one kind of joints."""
    found = []
    for key in header.keys:
        # Behind the last end none is looked for: in what is no name that took minutes.
        until = 1 + max(key.rfind(end) for end in _REMARK_ENDS)
        plain = (_REMARK.sub("", key[:until]) + key[until:]).replace("\u2019", "'")
        found.append(" ".join(re.sub(r"[_.\-]", " ", plain).split()))
    return found
