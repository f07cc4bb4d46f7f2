"""What the window does for a workspace, kept in files, so that it outlives the window.

In the workspace's folder ``app``::

    job.json    the commands, and at which one it is
    log.txt     what they printed
    progress    how far the present one is
    stop        there once somebody wants it to stop
    lock        held by the process that does it, and by the command that runs
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from birdmodes.app.progress import Progress
from birdmodes.errors import WorkspaceError
from birdmodes.io.files import write_text
from birdmodes.io.locks import is_locked
from birdmodes.workspace.window import WINDOW

JOB, LOG, PROGRESS, STOP, LOCK = "job.json", "log.txt", "progress", "stop", "lock"
_FORMAT = 1
_LOG_END = 40_000
"""Bytes of the log that are shown."""

_LARGEST = 2**20
"""Bytes of the other files."""

RUNNING, DONE, FAILED, STOPPED, INTERRUPTED = "running", "done", "failed", "stopped", "interrupted"


@dataclass(frozen=True)
class Job:
    """Commands that are run one after the other.

    Attributes
    ----------
    steps : tuple of tuple of str
        The words of each command, without ``birdmodes``.
    status : str
        `RUNNING`, `DONE`, `FAILED`, `STOPPED`, or `INTERRUPTED`: killed, or the machine went off.
    at : int
        Number of the command that runs or is next.
    codes : tuple of int
        Exit codes of those that have run.
    started, ended : float
        Seconds since 1970; 0 for not yet.
    process : int
        Of the command that runs; 0 for none.
    """

    steps: tuple[tuple[str, ...], ...]
    status: str = RUNNING
    at: int = 0
    codes: tuple[int, ...] = ()
    started: float = 0.0
    ended: float = 0.0
    process: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it."""
        return {"format": _FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Job:
        """Reverse of `to_dict`.

        Raises
        ------
        ValueError
            If it is none.
        """
        try:
            steps = tuple(tuple(str(word) for word in step) for step in values["steps"])
            job = cls(
                steps,
                str(values["status"]),
                int(values["at"]),
                tuple(int(code) for code in values["codes"]),
                float(values["started"]),
                float(values["ended"]),
                int(values["process"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"no job: {error!r}") from error
        if not steps or not all(steps) or not 0 <= job.at <= len(steps):
            raise ValueError("no job: it has no commands")
        return job


@dataclass(frozen=True)
class JobFolder:
    """Where a job is kept.

    Attributes
    ----------
    workspace : pathlib.Path
        The workspace's folder, which need not be one yet.
    """

    workspace: Path
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.workspace / WINDOW)

    @property
    def lock(self) -> Path:
        """The file that is locked while the job runs."""
        return self.folder / LOCK

    def read(self) -> Job | None:
        """Give the job as it is now; None if there never was one.

        Raises
        ------
        WorkspaceError
            If the file is damaged.
        """
        job = self._read()
        if job is not None and job.status == RUNNING and not is_locked(self.lock):
            job = self._read()  # it may have ended between the two looks
            if job is not None and job.status == RUNNING:
                return replace(job, status=INTERRUPTED)
        return job

    def _read(self) -> Job | None:
        path = self.folder / JOB
        try:
            return Job.from_dict(json.loads(_begin(path)))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError as error:
            raise WorkspaceError(f"{path}: damaged ({error}); delete it") from error

    def write(self, job: Job) -> None:
        """Keep the job, whole or not at all."""
        write_text(self.folder / JOB, json.dumps(job.to_dict(), indent=1) + "\n")

    def read_progress(self) -> Progress | None:
        """How far the present command is; None if it has not said."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            return Progress(**json.loads(_begin(self.folder / PROGRESS)))
        return None

    def write_progress(self, progress: Progress | None) -> None:
        """Keep how far the present command is; it does not matter if that fails."""
        path = self.folder / PROGRESS
        with contextlib.suppress(OSError):
            if progress is None:
                path.unlink(missing_ok=True)
            else:
                # Not through a temporary file: half a line is taken for none, once.
                path.write_text(json.dumps(asdict(progress)), encoding="utf-8")

    def log_end(self) -> str:
        """Give the end of what the commands have printed."""
        try:
            with (self.folder / LOG).open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - _LOG_END))
                text = file.read(_LOG_END).decode("utf-8", "replace")
        except OSError:
            return ""
        return text if size <= _LOG_END else text.partition("\n")[2]


def _begin(path: Path) -> str:
    """Content of a small file: a workspace of somebody else may have a device in its place."""
    with path.open("rb") as file:
        return file.read(_LARGEST).decode("utf-8")
