"""A file to double-click that opens the window."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.io.files import atomic_path

_ADVICE = (
    "Install birdmodes again if it was moved or removed, and write this file anew with: "
    "birdmodes app --shortcut"
)
_GONE = "is not there any more, or may not be run."
_ENDED = "birdmodes has ended; what is wrong stands above."

_WINDOWS = f"""@echo off
rem Opens the window of birdmodes; leave this open as long as you use it.
setlocal disabledelayedexpansion
title birdmodes
chcp 65001 > nul
if exist {{python}} (
  {{command}}
  if errorlevel 0 if not errorlevel 1 exit /b
  echo.
  echo {_ENDED}
) else (
  echo {{python}} {_GONE}
)
echo {_ADVICE}
pause
exit /b 1
"""

# What goes wrong stays to be read: a terminal that was opened for this closes at its end.
_SHELL = (
    "trap : INT",
    'if [ -x "$1" ]; then "$@" && exit',
    f'echo "{_ENDED}"',
    f'else printf "%s" "$1"; echo " {_GONE}"; fi',
    f'echo "{_ADVICE}"',
    'printf "Enter closes this. "',
    "read -r _",
    "exit 1",
)

_MACOS = """#!/bin/sh
# Opens the window of birdmodes; leave this open as long as you use it.
set -- {command}
{script}
"""

_LINUX = """[Desktop Entry]
Type=Application
Version=1.0
Name=birdmodes
Comment=Vocal modes of the birds in your recordings
Exec={command}
Terminal=true
Categories=Science;Biology;
"""

_FILES = {"windows": "birdmodes.cmd", "macos": "birdmodes.command", "linux": "birdmodes.desktop"}


def this_system() -> str:
    """Name of the system that this runs on, as `write_shortcut` has it."""
    return {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")


def shortcut_text(program: Sequence[str], system: str) -> str:
    """Give the content of such a file.

    Parameters
    ----------
    program : sequence of str
        What the command's words are given to.
    system : {"windows", "macos", "linux"}
        What it is for.

    Raises
    ------
    BirdmodesError
        If a path in `program` cannot stand in such a file.
    """
    words = [*program, "app"]
    if any(letter in word for word in words for letter in "\0\r\n"):
        raise BirdmodesError("the path of Python has a line break: install it in another folder")
    if system == "windows":
        # All in quotes, as & and ( mean something outside; a percent sign stands for a variable.
        quoted = [f'"{word}"'.replace("%", "%%") for word in words]
        text = _WINDOWS.format(python=quoted[0], command=" ".join(quoted))
        return text.replace("\n", "\r\n")
    if system == "macos":
        return _MACOS.format(command=shlex.join(words), script="\n".join(_SHELL))
    started = ["/bin/sh", "-c", "; ".join(_SHELL), "birdmodes", *words]
    return _LINUX.format(command=" ".join(map(_desktop_word, started)))


def _desktop_word(word: str) -> str:
    """Quote a word as entries for desktops ask for: in their strings, and in their commands."""
    inner = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in word)
    return '"' + inner.replace("\\", "\\\\").replace("%", "%%") + '"'


def _desktops() -> list[Path]:
    """Where the desktop may be: it has other names in other languages, and may be kept online."""
    home = Path.home()
    told = []
    if os.environ.get("ONEDRIVE"):
        told.append(Path(os.environ["ONEDRIVE"]) / "Desktop")
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "user-dirs.dirs"
    with contextlib.suppress(OSError):
        text = settings.read_text(encoding="utf-8", errors="replace")
        for name in re.findall(r'^XDG_DESKTOP_DIR="(.+)"$', text, re.MULTILINE):
            told.append(Path(name.replace("$HOME", str(home), 1)))
    return [*told, home / "Desktop"]


def write_shortcut(program: Sequence[str], system: str, folder: Path | None = None) -> Path:
    """Write such a file.

    Parameters
    ----------
    program, system
        As for `shortcut_text`.
    folder : pathlib.Path, optional
        Where; by default the desktop, or the present folder if there is none.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    BirdmodesError
        If `folder` is none, or a path cannot stand in such a file.
    OSError
        If it cannot be written.
    """
    place = folder or next((one for one in _desktops() if one.is_dir()), Path.cwd())
    if not place.is_dir():
        raise BirdmodesError(f"{place}: no such folder; name another with --output")
    target = place / _FILES[system]
    text = shortcut_text(program, system)
    with atomic_path(target) as temporary:
        temporary.write_bytes(text.encode("utf-8"))
        temporary.chmod(0o755)
    return target.absolute()
