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
_SPECIES = (
    *("species", "common name", "commonname", "species common name", "vernacular name", "bird"),
    *("birds", "bird species", "bird name", "species name", "species list", "species present"),
    *("label", "labels", "primary label", "scientific name", "species code", "taxon"),
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
_REMARK = re.compile(r"[(\[（].*?[)\]）]")
_NUMBERED = re.compile(r"(.*\D) ?[1-9]\d?")


def recording_column(header: Header) -> int | None:
    """Place of the column of recordings, if there is one."""
    return _first(_plain_keys(header), _RECORDING)


def scientific_column(header: Header) -> int | None:
    """Place of the column of scientific names or codes, if there is one."""
    return _first(_plain_keys(header), _SCIENTIFIC)


def species_columns(header: Header) -> list[int]:
    """Places of the column of species, or of several that are numbered, if there are such."""
    keys = _plain_keys(header)
    first = _first(keys, _SPECIES)
    numbered = [_NUMBERED.fullmatch(key) for key in keys]
    bases = [match[1].strip() if match else "" for match in numbered]
    if first is None:
        base = next((name for name in _SPECIES if name in bases), None)
        return [] if base is None else [i for i, each in enumerate(bases) if each == base]
    return [first, *(i for i, each in enumerate(bases) if each == keys[first])]


def _first(keys: Sequence[str], names: Sequence[str]) -> int | None:
    return next((keys.index(name) for name in names if name in keys), None)


def _plain_keys(header: Header) -> list[str]:
    """Names of columns without remarks in brackets, and with one kind of joints."""
    found = []
    for key in header.keys:
        plain = _REMARK.sub("", key).replace("\u2019", "'")
        found.append(" ".join(re.sub(r"[_.\-]", " ", plain).split()))
    return found
