"""Spellings of one species' name that only look alike are one: signs, spaces, lists in cells."""

from __future__ import annotations

import ast
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from birdmodes.labels.model import SPECIES_SEPARATOR

NOTHING = frozenset(
    {
        *("na", "n/a", "n.a.", "nan", "<na>", "null", "none", "-", "--"),
        *("nothing", "no species", "no detection", "no detections", "no bird", "no birds"),
        *("nocall", "no call", "no calls"),
    }
)
"""What people and programs write where there is no species, in small letters."""

LISTS = (", ", " / ")
"""What may separate several species in a cell, beside the semicolon, or be part of a name."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_APOSTROPHES = "’‘ʼʻʹ′`´＇‛"
_DASHES = "‐‑‒–—―−﹣－"
_ALIKE = {ord(sign): "'" for sign in _APOSTROPHES} | {ord(sign): "-" for sign in _DASHES}
# Joiners that the letters of some scripts need; elsewhere they are as invisible as the others.
_JOINERS = "\u200c\u200d"
_BRACKETS = {"[": "]", "{": "}", "(": ")"}
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
    text = _ENTITY.sub(lambda match: html.unescape(match.group()), name)
    text = unicodedata.normalize("NFC", text).translate(_ALIKE)
    return " ".join("".join(_visible(text)).split())


def _visible(text: str) -> Iterable[str]:
    for place, sign in enumerate(text):
        joins = sign in _JOINERS and unicodedata.category(text[place - 1]) == "Lo"
        if joins or unicodedata.category(sign) != "Cf":
            yield sign


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
    text = cell.strip()
    if text[:1] in _BRACKETS and text.endswith(_BRACKETS[text[0]]):
        listed = _python_list(text)
        if listed is not None:
            return _each(listed)
    # an entity ends in a semicolon that separates nothing
    plain = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    return _each(re.split(rf"[{SPECIES_SEPARATOR}\r\n]", plain))


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in map(spelled, names) if name))


def _python_list(text: str) -> list[str] | None:
    """Names of a list as pandas or numpy write one; None if it is something else."""
    try:
        values = ast.literal_eval(text)
        # numpy leaves out the commas, and Python then joins the texts
        if not (len(values) == 1 and len(_QUOTED.findall(text)) > 1):
            return [value for value in values if isinstance(value, str)] or (
                [] if not values else None
            )
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    inside = text[1:-1]
    if inside.strip() and not _QUOTED.sub("", inside).strip(" ,\n"):
        return [single or double for single, double in _QUOTED.findall(inside)]
    return None


class CellLists:
    """Which signs separate the species in the cells of a table.

    A comma or a slash may be a separator or part of a name, as in ``Owl, Barn``. It is taken for
    a separator where the parts are known from elsewhere in the table: on their own, or as parts
    of other cells.

    Parameters
    ----------
    cells : iterable of str
        Texts of the cells, as `names_in_cell` gives them.
    """

    def __init__(self, cells: Iterable[str]) -> None:
        distinct = set(cells)
        self.unclear: list[str] = []
        self._separators: list[str] = []
        alone = {cell for cell in distinct if not any(sign in cell for sign in LISTS)}
        for sign in LISTS:
            lists = {cell: _parts(cell, (sign,)) for cell in sorted(distinct) if sign in cell}
            if not lists:
                continue
            seen = Counter(part for parts in lists.values() for part in set(parts))
            known = alone | {part for part, count in seen.items() if count > 1}
            clear = [cell for cell, parts in lists.items() if known.issuperset(parts)]
            some = [cell for cell, parts in lists.items() if not known.isdisjoint(parts)]
            if 2 * len(clear) >= len(lists) and len(some) == len(lists):
                self._separators.append(sign)
            else:
                self.unclear += lists

    def split(self, name: str) -> tuple[str, ...]:
        """Names in a text, at the signs that separate."""
        return _parts(name, self._separators)


def _parts(name: str, signs: Sequence[str]) -> tuple[str, ...]:
    parts = [name]
    for sign in signs:
        parts = [part for each in parts for part in each.split(sign)]
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
