"""The folder of a benchmark: finished tasks, so that a run that is stopped goes on, and commands.

Which commands filled it, and how much of each was done, is written by them: a command is noted with
the number of tasks that it has to do and of those that the folder holds already, before it does
any. So what became of it can be told although it was killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError, WorkspaceError
from birdmodes.experiments.tasks import Outcome, Setting
from birdmodes.io.files import remove_unfinished, write_text
from birdmodes.io.locks import single_writer

SETTINGS_FILE = "settings.json"
TASKS_FILE = "tasks.jsonl"
FORMAT = 1
_DIGEST_LENGTH = 16


@dataclass(frozen=True)
class FinishedTask(Outcome):
    """A task as it is kept: its outcome, and the fields of its setting."""

    setting: dict[str, Any] = field(default_factory=dict)


class BenchmarkFolder:
    """Keeps what is finished in one file that only grows.

    Each line of ``tasks.jsonl`` is a task with the hash of its text before it: that is the commit
    mark. A line that was cut by a kill, or damaged, does not fit its hash and counts as not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tasks: dict[str, FinishedTask] = {}

    @classmethod
    @contextlib.contextmanager
    def opened(
        cls, folder: Path, settings: dict[str, Any], fingerprints: dict[str, str]
    ) -> Iterator[BenchmarkFolder]:
        """Open a folder for writing, alone; make it if needed.

        Parameters
        ----------
        folder : pathlib.Path
            New, empty, or of an earlier benchmark with the same protocol.
        settings : dict
            What the figures depend on, as JSON gives it back.
        fingerprints : dict
            Of the data sets, by name.

        Raises
        ------
        BirdmodesError
            When the folder holds something else, or figures of another protocol or other data.
        """
        if folder.exists() and not folder.is_dir():
            raise BirdmodesError(f"{folder}: is a file; name a folder with --out")
        strange = folder.exists() and any(folder.iterdir())
        if strange and not (folder / SETTINGS_FILE).is_file():
            raise BirdmodesError(
                f"{folder}: not empty and not of a benchmark; name another folder with --out"
            )
        folder.mkdir(parents=True, exist_ok=True)
        opened = cls(folder)
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(single_writer(folder / ".lock"))
            except WorkspaceError as error:
                raise BirdmodesError(
                    f"{folder}: another benchmark is writing here; wait for it or name another "
                    "folder with --out"
                ) from error
            remove_unfinished(folder)
            opened._agree(settings, fingerprints)
            opened._load()
            yield opened

    def finished(self, setting: Setting) -> bool:
        """Tell whether the task of a setting is kept."""
        return setting.key in self.tasks

    def keep(self, setting: Setting, outcome: Outcome) -> None:
        """Add a finished task; once this returns, it outlives a kill."""
        fields = {
            "key": setting.key,
            "setting": vars(setting),
            "rows": outcome.rows,
            "seconds": round(outcome.seconds, 3),
            "warnings": outcome.warnings,
        }
        text = json.dumps(fields)
        with (self.folder / TASKS_FILE).open("a", encoding="utf-8", newline="") as file:
            file.write(f"{_digest(text)} {text}\n")
        self._add(json.loads(text))

    def _add(self, fields: dict[str, Any]) -> None:
        key = fields.pop("key")
        self.tasks[key] = FinishedTask(**fields)

    def _agree(self, settings: dict[str, Any], fingerprints: dict[str, str]) -> None:
        """Compare with the settings that are there, and write them with the new data sets."""
        path = self.folder / SETTINGS_FILE
        wanted = {"format": FORMAT, "birdmodes": __version__, **settings}
        sets: dict[str, str] = {}
        if path.is_file():
            there = _read_settings(path)
            sets = there.pop("datasets", {})
            for name in wanted | there:
                if there.get(name) != wanted.get(name):
                    raise BirdmodesError(
                        f"{self.folder}: holds figures with {name} {there.get(name)}, not "
                        f"{wanted.get(name)}; name another folder with --out"
                    )
            for name, fingerprint in fingerprints.items():
                if sets.get(name, fingerprint) != fingerprint:
                    raise BirdmodesError(
                        f"{self.folder}: holds figures of another data set called {name}; name "
                        "another folder with --out"
                    )
        content = {**wanted, "datasets": {**sets, **fingerprints}}
        write_text(path, json.dumps(content, indent=1) + "\n")

    def _load(self) -> None:
        """Take in what is whole, and write the file anew when something is not."""
        path = self.folder / TASKS_FILE
        if not path.is_file():
            return
        lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
        whole = []
        for line in lines:
            digest, text = line[:_DIGEST_LENGTH], line[_DIGEST_LENGTH + 1 :]
            if digest and digest == _digest(text):
                whole.append(line)
                self._add(json.loads(text))
        if lines != [*whole, ""]:
            write_text(path, "".join(f"{line}\n" for line in whole))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGEST_LENGTH]


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return dict(settings)
    except (ValueError, TypeError) as error:
        raise BirdmodesError(
            f"{path}: damaged; remove the folder, or name another with --out"
        ) from error


COMMANDS_FILE = "commands.json"


def note_command(folder: Path, command: str, todo: int, there: int) -> None:
    """Note a command before it starts.

    Parameters
    ----------
    folder : pathlib.Path
        Of the results.
    command : str
        As it could be typed.
    todo, there : int
        Tasks that it has to do, and tasks that the folder holds.
    """
    noted = [*_noted(folder), {"command": command, "todo": todo, "there": there}]
    write_text(folder / COMMANDS_FILE, json.dumps(noted, indent=1) + "\n")


def commands_of(folder: Path, there: int) -> list[str]:
    """Tell which commands made what a folder holds, and which of them did not do all they had to.

    Parameters
    ----------
    folder : pathlib.Path
        Of the results.
    there : int
        Tasks that it holds now.

    Returns
    -------
    list of str
        Each command once. One that had nothing left to do is left out, unless there is no other.
    """
    noted = _noted(folder)
    if not noted:
        return [f"not noted which ({there:,} tasks)"]
    ends = [*(each["there"] for each in noted[1:]), there]
    first: dict[str, int] = {}
    did: dict[str, int] = {}
    for each, end in zip(noted, ends, strict=True):
        command, done = each["command"], end - each["there"]
        if not done:
            continue
        # The same command goes on where it was stopped.
        first.setdefault(command, each["todo"])
        did[command] = did.get(command, 0) + done
    said = [
        command
        if did[command] >= first[command]
        else f"{command} ({did[command]:,} of its {first[command]:,} tasks)"
        for command in first
    ]
    if earlier := noted[0]["there"]:
        said.insert(0, f"not noted which ({earlier:,} tasks)")
    return said or [noted[-1]["command"]]


def _noted(folder: Path) -> list[dict[str, Any]]:
    path = folder / COMMANDS_FILE
    if not path.is_file():
        return []
    noted: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return noted
