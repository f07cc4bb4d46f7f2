"""Files to double-click, read as the systems read them, and run where this one can."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from birdmodes.app.shortcut import shortcut_text, write_shortcut
from birdmodes.errors import BirdmodesError

WORDS = ("-P", "-m", "cli")
WINDOWS = "C:\\Vögel & 100% (neu)^!\\python.exe"

posix = pytest.mark.skipif(sys.platform == "win32", reason="no sh")


def batch_words(line: str) -> list[str]:
    """Words of a line of a batch file: %% is %, and nothing in quotes means anything else."""
    assert "%" not in line.replace("%%", "")
    words = re.findall(r'"([^"]*)"', line.replace("%%", "%"))
    assert not re.search(r"[&|<>^()!]", re.sub(r'"[^"]*"', "", line)), line
    return words


def test_windows_starts_the_window_from_any_path() -> None:
    text = shortcut_text((WINDOWS, *WORDS), "windows")
    lines = text.split("\r\n")
    assert not any("\n" in line or "\r" in line for line in lines)
    # What stands before the change to UTF-8 is read in the code page of the country.
    assert "".join(lines[: lines.index("chcp 65001 > nul")]).isascii()
    assert text.startswith("@echo off\r\n")
    command = lines[lines.index(next(line for line in lines if line.startswith("if exist"))) + 1]
    assert batch_words(command) == [WINDOWS, *WORDS, "app"]
    assert command == f'  "{WINDOWS.replace("%", "%%")}" "-P" "-m" "cli" "app"'


def test_windows_keeps_open_what_went_wrong() -> None:
    lines = shortcut_text((WINDOWS, *WORDS), "windows").split("\r\n")
    there, gone = (
        next(line for line in lines if line.startswith(one)) for one in ("if ", '  echo "')
    )
    assert batch_words(there.removeprefix("if exist ").removesuffix(" (")) == [WINDOWS]
    assert batch_words(gone) == [WINDOWS]
    assert "is not there any more" in gone
    # Only 0 is no error: codes of crashes are negative.
    assert "  if errorlevel 0 if not errorlevel 1 exit /b" in lines
    assert lines[-3:] == ["pause", "exit /b 1", ""]


def desktop_words(text: str) -> list[str]:
    """Words of an entry's Exec: the escapes of a string, then those of quoted arguments."""
    told = next(line for line in text.splitlines() if line.startswith("Exec="))
    command = re.sub(r"\\(.)", r"\1", told.removeprefix("Exec="))
    assert re.fullmatch(r'"(\\.|[^"`$\\])*"( "(\\.|[^"`$\\])*")*', command)
    words = [re.sub(r"\\(.)", r"\1", one) for one in re.findall(r'"((?:\\.|[^"])*)"', command)]
    assert not any(re.search("%(?!%)", word.replace("%%", "")) for word in words)
    return [word.replace("%%", "%") for word in words]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program in a folder of a difficult name, which tells what it was given."""
    made = tmp_path / "Vögel $HOME & 'it\"s` 100% \\n (neu)" / "python"
    made.parent.mkdir()
    made.write_text('#!/bin/sh\nprintf "[%s]" "$@"\nexit ${CODE:-0}\n')
    made.chmod(0o755)
    return made


def started(program: Path, system: str, folder: Path, **environment: str) -> tuple[int, str]:
    """What is printed after a double click, where nothing is known of the person's settings."""
    made = write_shortcut((str(program), *WORDS), system, folder)
    words = [str(made)] if system == "macos" else desktop_words(made.read_text("utf-8"))
    done = subprocess.run(
        words, input="\n", capture_output=True, text=True, encoding="utf-8", env=environment
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@posix
@pytest.mark.parametrize("system", ["macos", "linux"])
def test_a_double_click_starts_the_window_or_says_why_not(
    program: Path, tmp_path: Path, system: str
) -> None:
    assert started(program, system, tmp_path) == (0, "[-P][-m][cli][app]")
    code, said = started(program, system, tmp_path, CODE="3")
    assert code == 1
    assert "[app]birdmodes has ended; what is wrong stands above.\n" in said
    assert said.endswith("birdmodes app --shortcut\nEnter closes this. ")
    program.unlink()
    code, said = started(program, system, tmp_path)
    assert code == 1
    assert said.startswith(f"{program} is not there any more")
    assert said.endswith("birdmodes app --shortcut\nEnter closes this. ")


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="no desktop-file-utils")
def test_entries_for_desktops_are_valid(program: Path, tmp_path: Path) -> None:
    made = write_shortcut((str(program), *WORDS), "linux", tmp_path)
    found = subprocess.run(
        ["desktop-file-validate", str(made)],
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stdout) == (0, "")


def test_a_path_with_a_line_break_is_refused() -> None:
    with pytest.raises(BirdmodesError, match="line break"):
        shortcut_text(("/a\nExec=b",), "linux")


@pytest.mark.parametrize("system", ["windows", "macos", "linux"])
def test_shortcuts_can_be_double_clicked(tmp_path: Path, system: str) -> None:
    made = write_shortcut(("python", *WORDS), system, tmp_path)
    assert made.suffix == {"windows": ".cmd", "macos": ".command", "linux": ".desktop"}[system]
    if sys.platform != "win32":
        assert made.stat().st_mode & 0o111 == 0o111
    with pytest.raises(BirdmodesError, match="--output"):
        write_shortcut(("python", *WORDS), system, tmp_path / "none")
    assert [path.name for path in tmp_path.iterdir()] == [made.name]


def test_a_shortcut_finds_the_desktop_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("ONEDRIVE", str(tmp_path / "online"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert write_shortcut(("python", *WORDS), "linux").parent == tmp_path / "here"
    (tmp_path / "Desktop").mkdir()
    assert write_shortcut(("python", *WORDS), "linux").parent == tmp_path / "Desktop"
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "user-dirs.dirs").write_text(
        'XDG_DESKTOP_DIR="$HOME/Työpöytä"\n', "utf-8"
    )
    (tmp_path / "Työpöytä").mkdir()
    assert write_shortcut(("python", *WORDS), "linux").parent == tmp_path / "Työpöytä"
    (tmp_path / "online" / "Desktop").mkdir(parents=True)
    assert write_shortcut(("python", *WORDS), "windows").parent == tmp_path / "online" / "Desktop"
