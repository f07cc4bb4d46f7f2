"""The folders that somebody may choose from: those of disks, which the account may read."""

from __future__ import annotations

import os
import string
import sys
from dataclasses import dataclass
from pathlib import Path

from birdmodes.audio.find import AUDIO_ENDINGS, CONVERTIBLE_ENDINGS
from birdmodes.errors import AudioError
from birdmodes.io.printing import printable_text, shown

_NO_DISKS = ("/proc", "/sys", "/dev")
"""What the system shows there are no files: devices, and the system's own state."""

_MOUNTED = ("/media", "/run/media", "/mnt", "/Volumes")
MOST_LISTED = 2000


@dataclass(frozen=True)
class Folder:
    """A folder as the chooser shows it.

    Attributes
    ----------
    path : str
        Where it is.
    above : list of tuple of str
        Name and path of the folders it lies in, outermost first, itself last.
    inside : list of tuple of str
        Name and path of the folders in it, in alphabetical order.
    recordings : int
        Recordings that lie in it, without those of its subfolders.
    more : bool
        Whether there are more folders than are listed.
    """

    path: str
    above: list[tuple[str, str]]
    inside: list[tuple[str, str]]
    recordings: int
    more: bool


def list_folder(path: str | Path) -> Folder:
    """Look into a folder.

    Parameters
    ----------
    path : str or pathlib.Path
        Absolute, or from the home folder with ``~``.

    Returns
    -------
    Folder
        Hidden folders, and those that cannot be read, are not in it.

    Raises
    ------
    AudioError
        If there is no such folder, it cannot be read, or it is none of a disk.
    """
    folder = checked_folder(path)
    inside: list[str] = []
    recordings = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or printable_text(entry.name) != entry.name:
                    continue
                if _may_enter(entry):
                    inside.append(entry.name)
                elif os.path.splitext(entry.name)[1].lower() in _ENDINGS:  # noqa: PTH122
                    recordings += 1
    except OSError as error:
        raise AudioError(
            f"{shown(folder)}: this folder cannot be listed ({error.strerror or error})"
        ) from error
    inside.sort(key=str.casefold)
    outer = [*reversed(folder.parents), folder]
    return Folder(
        str(folder),
        [(part.name or str(part), str(part)) for part in outer],
        [(name, str(folder / name)) for name in inside[:MOST_LISTED]],
        recordings,
        len(inside) > MOST_LISTED,
    )


_ENDINGS = AUDIO_ENDINGS | CONVERTIBLE_ENDINGS


def checked_folder(path: str | Path) -> Path:
    """Make sure that something is a folder of a disk that may be read.

    Parameters
    ----------
    path : str or pathlib.Path
        Absolute, or from the home folder with ``~``.

    Returns
    -------
    pathlib.Path
        Absolute; links in it are kept.

    Raises
    ------
    AudioError
        If it is not.
    """
    text = str(path)
    if not text or any(letter in text for letter in "\0\r\n"):
        raise AudioError("this is no path of a folder")
    try:
        folder = Path(text).expanduser()
    except RuntimeError:
        raise AudioError(f"{shown(text)}: there is no such home folder") from None
    if not folder.is_absolute():
        raise AudioError(f"{shown(text)}: write the whole path, from the top")
    folder = Path(os.path.normpath(folder)) if ".." in folder.parts else folder
    try:
        real = folder.resolve(strict=True)
        is_folder = real.is_dir()
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise AudioError(f"{shown(folder)}: cannot be reached ({reason})") from error
    if not is_folder:
        raise AudioError(f"{shown(folder)}: is a file, not a folder")
    if not is_on_a_disk(real):
        raise AudioError(f"{shown(folder)}: holds devices of the system, not recordings")
    if not os.access(real, os.R_OK | os.X_OK):
        raise AudioError(f"{shown(folder)}: your account may not read this folder")
    return folder


def is_on_a_disk(real: Path) -> bool:
    """Whether a folder holds files, and not what the system only shows as such.

    Parameters
    ----------
    real : pathlib.Path
        The folder, resolved.
    """
    if sys.platform == "win32":
        return not str(real).startswith("\\\\.\\")
    if any(real == Path(top) or real.is_relative_to(top) for top in _NO_DISKS):
        return False
    # The same may be shown in another place as well.
    return real.stat().st_dev not in _devices()


def _devices() -> set[int]:
    root = Path("/").stat().st_dev
    found = set()
    for top in _NO_DISKS:
        try:
            found.add(Path(top).stat().st_dev)
        except OSError:
            continue
    return found - {root}


def _may_enter(entry: os.DirEntry[str]) -> bool:
    try:
        if not entry.is_dir():  # follows links; one to itself is none
            return False
        real = Path(entry.path).resolve(strict=True)
        return is_on_a_disk(real) and os.access(real, os.R_OK | os.X_OK)
    except (OSError, RuntimeError):
        return False


def places() -> list[tuple[str, str]]:
    """Where people begin to look: name and path of the home folder, disks, what is plugged in."""
    home = Path.home()
    found = [("Home", home)]
    found += [(name, home / name) for name in ("Documents", "Desktop", "Music")]
    if sys.platform == "win32":
        found += [(f"{letter}:", Path(f"{letter}:\\")) for letter in string.ascii_uppercase]
    else:
        found.append(("Computer", Path("/")))
        for top in map(Path, _MOUNTED):
            found += _mounted(top)
            found += [each for _, inner in _mounted(top) for each in _mounted(inner)]
    return [(name, str(path)) for name, path in found if path.is_dir()]


def _mounted(top: Path) -> list[tuple[str, Path]]:
    try:
        return [
            (path.name, path)
            for path in sorted(top.iterdir())
            if path.is_mount() or top.name == "media"
        ]
    except OSError:
        return []
