"""The folder of a benchmark: finished tasks, so that a run that is stopped goes on."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
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
class FinishedTask:
    """A task as it is kept.

    Attributes
    ----------
    setting : dict
        Fields of its setting.
    rows : list of dict
        Its figures.
    seconds : float
        Processor time.
    warnings : list of str
        What the method said.
    """

    setting: dict[str, Any]
    rows: list[dict[str, Any]]
    seconds: float
    warnings: list[str]


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
