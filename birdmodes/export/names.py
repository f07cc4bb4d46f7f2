"""Names of exported files and folders: readable, different, and safe on every system."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

LONGEST = 60
"""Characters of one part of a path, before what keeps names apart."""

LONGEST_BYTES = 200
"""What most file systems can hold in one part of a path is 255 bytes."""

# Windows gives files of these names to devices, whatever their ending.
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?")
_UNSAFE = re.compile(r"[^\w \-.,()'&]+")
_OF_WINDOWS = '<>:"|?*'


def readable_name(name: str) -> str:
    """Turn any text into a part of a path.

    Parameters
    ----------
    name : str
        Anything, such as a species.

    Returns
    -------
    str
        Letters of any script, digits, spaces and ``-_.,()'&``; never empty, hidden, a device, or
        with a dot or a space at its end. If anything but spaces had to be changed, a digest of the
        name follows, so that different names stay different.
    """
    composed = unicodedata.normalize("NFC", name)
    safe = " ".join(_UNSAFE.sub("-", composed).split()).strip("-. ")
    if _DEVICES.fullmatch(safe):
        safe = f"_{safe}"
    short = _cut(safe) or "x"
    return short if short == composed else f"{short}-{digest(name)}"


def _cut(text: str) -> str:
    text = text[:LONGEST]
    while len(text.encode()) > LONGEST_BYTES - 20:
        text = text[:-1]
    return text.rstrip("-. ")


def digest(name: str) -> str:
    """Eight letters that differ for different names."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def different_names(names: Iterable[str]) -> dict[str, str]:
    """Give each name a part of a path of its own, also where letter case does not count.

    Parameters
    ----------
    names : iterable of str
        Any texts.

    Returns
    -------
    dict
        Name to its `readable_name`; where two would be one, a digest follows both.
    """
    safe = {name: readable_name(name) for name in sorted(set(names))}
    owners = Counter(_folded(part) for part in safe.values())
    return {
        name: part if owners[_folded(part)] == 1 else f"{part}-{digest(name)}"
        for name, part in safe.items()
    }


def _folded(part: str) -> str:
    return unicodedata.normalize("NFC", part.casefold())


def label_files(recordings: Iterable[str], ending: str) -> dict[str, str]:
    """Name the file of each recording's labels after the recording, in the same folders.

    Parameters
    ----------
    recordings : iterable of str
        Names of recordings: relative paths with forward slashes.
    ending : str
        As ``.Table.1.selections.txt``.

    Returns
    -------
    dict
        Recording to a relative path with forward slashes. The ending of the recording is kept
        where two of a folder differ in nothing else.
    """
    names = sorted(set(recordings))
    stems = [_stem(name) for name in names]
    folded = [stem.casefold() for stem in stems]
    shared = Counter(folded)
    files = {
        name: _place(stem if shared[alike] == 1 else name, ending)
        for name, stem, alike in zip(names, stems, folded, strict=True)
    }
    if len(set(files.values())) < len(names):  # such as x.wav, x.flac and x.wav.mp3
        return {name: _place(name, ending) for name in names}
    return files


# Paths that are taken apart as texts, as nothing in them is to be left out; a hundred thousand
# paths of `pathlib` take seconds. They lie in few folders, each of which is looked at once.
_SIMPLE = re.compile(r"(?![./])(?:[^/]|/(?![./]|$))+")


def _apart(path: str) -> tuple[str, str] | None:
    """Folder, with the slash after it, and name of a path, if these are all that is to be kept."""
    folder, slash, name = path.rpartition("/")
    if not name or name.startswith(".") or (slash and not _is_simple(folder)):
        return None
    return folder + slash, name


@functools.lru_cache(maxsize=1024)
def _is_simple(folder: str) -> bool:
    return _SIMPLE.fullmatch(folder) is not None


def _stem(path: str) -> str:
    """A path without its ending."""
    apart = _apart(path)
    if apart is None:
        return str(PurePosixPath(path).with_suffix(""))
    folder, name = apart
    dot = name.rfind(".")
    return f"{folder}{name[:dot]}" if 0 < dot < len(name) - 1 else path


def _place(path: str, ending: str) -> str:
    apart = _apart(path)
    if apart is None:
        *folders, name = PurePosixPath(path).parts
        return "/".join([*map(_part, folders), _part(name, ending)])
    folder, name = apart
    return _place_of(folder) + _part(name, ending)


@functools.lru_cache(maxsize=1024)
def _place_of(folder: str) -> str:
    return "".join(f"{_part(part)}/" for part in folder.split("/")[:-1])


_FORBIDDEN = re.compile(rf"[\x00-\x1f/\\{_OF_WINDOWS if sys.platform == 'win32' else ''}]")


def _part(name: str, ending: str = "") -> str:
    """Keep a part of a recording's path, which this system can hold, unless it is a trap."""
    too_long = (
        len(name + ending) > 63 and len((name + ending).encode("utf-8", "surrogatepass")) > 255
    )
    if _FORBIDDEN.search(name) or name.startswith(".") or too_long:
        return readable_name(name) + ending
    return name + ending
