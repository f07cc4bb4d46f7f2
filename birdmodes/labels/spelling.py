"""Spellings of one species' name that only look alike are one; names that a cell lists."""

from __future__ import annotations

import ast
import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from birdmodes.labels.model import SPECIES_SEPARATOR

_NOTHING = frozenset(
    {
        *("na", "nan", "n v", "nv", "null", "nil", "none", "ref!", "name?", "value!", "n d", "nd"),
        *("0", "nothing", "empty", "blank", "silence", "not applicable", "not available", "absent"),
        *("no species", "no detection", "no detections", "no bird", "no birds", "no birds heard"),
        *("nocall", "no call", "no calls", "noid", "no id", "no vocalization", "no vocalizations"),
        *("nobird", "nobirds", "no bird detected", "no birds detected", "no species detected"),
        *(
            "none detected",
            "none heard",
            "not detected",
            "nothing heard",
            "no animal",
            "not present",
        ),
        *("no data", "no sound", "no song", "no label", "no labels", "no birds present", "missing"),
        *("kein", "keine", "keiner", "keine art", "keine arten", "kein vogel", "keine vögel"),
        *("nichts", "entfällt", "k a", "keine angabe", "keine angaben", "leer", "kein gesang"),
        *("aucun", "aucune", "aucun oiseau", "aucune espèce", "rien", "vide", "pas de chant"),
        *("pas d'oiseau", "néant", "ninguno", "ninguna", "ninguna especie", "sin especies", "nada"),
        *("sin aves", "sin datos", "nenhum", "nenhuma", "nenhuma espécie", "sem aves", "vazio"),
        *("nessuno", "nessuna", "nessuna specie"),
        *("niente", "geen", "geen soort", "geen vogels", "niets", "brak", "ingen", "inga", "ei"),
        *("なし", "無し", "該当なし", "該当種なし", "種なし", "鳥なし", "无", "無", "没有", "沒有"),
        *("无鸟", "無鳥", "нет", "нет птиц", "없음"),
    }
)
# Of somebody who heard something and did not name it, or of what is no bird.
_DOUBTFUL = frozenset(
    {
        *("unknown", "unknown bird", "unknown species", "unk", "unidentified", "undetermined"),
        *("unidentified bird", "unidentified species", "bird", "bird sp", "sp", "spp", "other"),
        *("noise", "background", "background noise", "human", "rain", "wind", "insect", "insects"),
        *("unbekannt", "unbestimmt", "nicht bestimmt", "lärm", "geräusch", "mensch", "regen"),
        *("inconnu", "indéterminé", "bruit", "desconocido", "ruido", "desconhecido", "ruído"),
        *("sconosciuto", "rumore", "onbekend", "nieznany", "okänd", "不明", "未知", "雑音", "噪音"),
    }
)

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_APOSTROPHES = "’‘ʼʻʹ′`´＇‛"
_DASHES = "‐‑‒–—―⁃−﹘﹣－"
_ALIKE = {ord(sign): "'" for sign in _APOSTROPHES} | {ord(sign): "-" for sign in _DASHES}
# Joiners that the letters of some scripts need; elsewhere they are as invisible as the others.
_JOINERS = "\u200c\u200d"
_BRACKETS = {"[": "]", "{": "}", "(": ")"}
# Letters of East Asian keyboards that differ in width only, and a selector of drawn forms.
_WIDE = re.compile("[\uff01-\uff9f]+")
_SELECTORS = "\ufe0e\ufe0f"
_ACCENTS = re.compile("[\u0300-\u036f]")
_MISSING = re.compile(r"\b(?:nan|None|NA|null)\b")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def spelled(name: str) -> str:
    """Write a name as all its look-alikes are written.

    Parameters
    ----------
    name : str
        As a file has it.

    Returns
    -------
    str
        HTML entities as the signs they stand for, letters composed (NFC), one kind of apostrophe
        and of dash, single plain spaces, and nothing that cannot be seen.
    """
    if name.isascii() and "&" not in name and name.isprintable() and "  " not in name:
        return name.replace("`", "'").strip()
    text = _WIDE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), _plain(name))
    text = unicodedata.normalize("NFC", text).translate(_ALIKE)
    return " ".join("".join(_visible(text)).split())


def _plain(text: str) -> str:
    """Signs for HTML entities, also for those of entities."""
    for _ in range(2):
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    return text


def _visible(text: str) -> Iterable[str]:
    for place, sign in enumerate(text):
        joins = sign in _JOINERS and unicodedata.category(text[place - 1]) == "Lo"
        if joins or (unicodedata.category(sign) != "Cf" and sign not in _SELECTORS):
            yield sign


def is_nothing(name: str) -> bool:
    """Whether people and programs write a name where there is no species.

    Parameters
    ----------
    name : str
        As `spelled`.
    """
    return not name or _words(name) in _NOTHING or not any(map(str.isalnum, name))


def is_doubtful(name: str) -> bool:
    """Whether a name, as `spelled`, is of what nobody could name, or of what is no bird."""
    return _words(name) in _DOUBTFUL


def _words(name: str) -> str:
    """Write a name in small letters without what people put around it and between its words."""
    words = re.sub(r"[_.\-/]+", " ", name.casefold().strip("<>()[]{}#\"' "))
    text = " ".join(words.split())
    return "na" if text == "n a" else text


def look_alikes(names: Iterable[str]) -> list[str]:
    """Warnings of species that differ only in capitals, accents, blanks or hyphens.

    Parameters
    ----------
    names : iterable of str
        The species of the labels.
    """
    alike: dict[str, set[str]] = defaultdict(set)
    for name in names:
        letters = _ACCENTS.sub("", unicodedata.normalize("NFKD", name.casefold()))
        alike["".join(filter(str.isalnum, unicodedata.normalize("NFC", letters)))].add(name)
    return [
        f"{' and '.join(repr(name) for name in sorted(same))} are taken for different species; "
        "--species-map can join them"
        for key, same in sorted(alike.items())
        if len(same) > 1 and key
    ]


def names_in_cell(cell: str) -> tuple[str, ...]:
    """Names in a cell: separated by semicolons or lines, or a list as Python writes it.

    Parameters
    ----------
    cell : str
        Text of the cell.

    Returns
    -------
    tuple of str
        As `spelled`, in the order given, each once.
    """
    text = cell.strip().removeprefix("c" if cell.lstrip()[:3] in ('c("', "c('") else "")
    if text == "set()":
        return ()
    if text[:1] in _BRACKETS and text.endswith(_BRACKETS[text[0]]):
        listed = _python_list(text)
        if listed is not None:
            return _each(listed)
    # an entity ends in a semicolon that separates nothing
    return _each(re.split(rf"[{SPECIES_SEPARATOR}；\r\n]", _plain(text)))


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in map(spelled, names) if name))


def _python_list(text: str) -> list[str] | None:
    """Names of a list as pandas or numpy write one; None if it is something else."""
    try:
        values = ast.literal_eval(text)
        # numpy leaves out the commas, and Python then joins the texts
        if not (len(values) == 1 and len(_QUOTED.findall(text)) > 1):
            names = [value for value in values if isinstance(value, str)]
            if names or all(value is None for value in values):
                return names
            return None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    inside = text[1:-1]
    # pandas writes nan for what is missing
    if inside.strip() and not _MISSING.sub("", _QUOTED.sub("", inside)).strip(" ,\n"):
        return [single or double for single, double in _QUOTED.findall(inside)]
    return None
