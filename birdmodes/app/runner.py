"""The process that runs the commands of a job, and goes on when the window is closed.

Started as ``python -m birdmodes.app.runner WORKSPACE PROGRAM...``; the job comes as JSON on
standard input, and one line goes back on standard output: empty, or why it cannot begin.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from birdmodes.app.forms import shown_command
from birdmodes.app.job import DONE, FAILED, LOG, RUNNING, STOP, STOPPED, Job, JobFolder
from birdmodes.app.progress import read_progress
from birdmodes.errors import BirdmodesError, BusyError
from birdmodes.io.locks import single_writer

_POLL_S = 0.1
_GRACE_S = 20.0
"""So long a command may take to end when it is told to."""

_TRIES = 50

_SOME_MISSING = 1
"""Exit code of a command that did all but what it listed."""


def main(arguments: Sequence[str]) -> int:
    """Run a job.

    Parameters
    ----------
    arguments : sequence of str
        The workspace's folder, and the program that the words of commands are given to.

    Returns
    -------
    int
        0; 2 if it could not begin.
    """
    folder = JobFolder(Path(arguments[0]))
    answered = False
    try:
        job = Job.from_dict(json.load(sys.stdin))
        folder.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            lock = _locked(folder, stack)
            (folder.folder / STOP).unlink(missing_ok=True)
            folder.write(job)
            with (folder.folder / LOG).open("a" if job.codes or job.at else "w", encoding="utf-8"):
                pass
            _answer("")
            answered = True
            _Runner(folder, arguments[1:], lock).run(job)
    except (BirdmodesError, ValueError, OSError) as error:
        if not answered:
            place = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
            said = error.strerror if isinstance(error, OSError) else None
            _answer(f"{place}{said or error}")
            return 2
    return 0


def _locked(folder: JobFolder, stack: contextlib.ExitStack) -> IO[bytes]:
    """Take the lock; who only looks whether it is held holds it for a moment."""
    for _ in range(_TRIES):
        with contextlib.suppress(BusyError):
            return stack.enter_context(single_writer(folder.lock))
        time.sleep(0.02)
    raise BusyError(
        f"{folder.workspace}: work on these recordings is going on; wait for its end, or stop it"
    )


def _answer(line: str) -> None:
    """Say once how it began; then nobody listens any more."""
    print(" ".join(line.splitlines()), flush=True)
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)


class _Runner:
    """Runs commands, and keeps what they say."""

    def __init__(self, folder: JobFolder, program: Sequence[str], lock: IO[bytes]) -> None:
        self._folder = folder
        self._program = list(program)
        self._lock = lock
        self._broke = False

    def run(self, job: Job) -> None:
        """Run what is left of a job."""
        job = replace(job, status=RUNNING, ended=0.0, process=0)
        while job.at < len(job.steps):
            code = self._run_step(job)
            if self._stopped():
                self._end(replace(job, status=STOPPED))
                return
            if code < 0:
                self._say(
                    f"birdmodes: the system ended this command (signal {-code}; is there enough "
                    "memory?); nothing is lost: go on\n"
                )
            job = replace(job, codes=(*job.codes[: job.at], code))
            if code not in (0, _SOME_MISSING) or self._broke:
                self._end(replace(job, status=FAILED))
                return
            job = replace(job, at=job.at + 1)
            self._keep(job)
        self._end(replace(job, status=DONE))

    def _run_step(self, job: Job) -> int:
        words = list(job.steps[job.at])
        self._folder.write_progress(None)
        self._say(f"$ {shown_command(words)}\n")
        with _started([*self._program, *words], self._lock) as child:
            self._keep(replace(job, process=child.pid))
            reading = threading.Thread(target=self._listen, args=(child.stdout,), daemon=True)
            reading.start()
            asked: float | None = None
            while child.poll() is None:
                if asked is None and self._stopped():
                    asked = time.monotonic()
                    interrupt(child.pid, signal.SIGINT)
                elif asked is not None and time.monotonic() - asked > _GRACE_S:
                    interrupt(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
                time.sleep(_POLL_S)
            reading.join(timeout=_GRACE_S)
        self._folder.write_progress(None)
        return child.returncode

    def _listen(self, printed: IO[str]) -> None:
        """Keep what a command prints: progress apart from the rest."""
        for line in printed:
            progress = read_progress(line.rstrip("\n"))
            if progress is not None:
                self._folder.write_progress(progress)
                continue
            # Exit code 1 with this is a fault of ours, without it something was left out.
            self._broke |= line.startswith("Traceback (most recent call last)")
            self._say(line)

    def _say(self, text: str) -> None:
        # On a full disk the command itself says so, and ends.
        with (
            contextlib.suppress(OSError),
            (self._folder.folder / LOG).open("a", encoding="utf-8", errors="replace") as log,
        ):
            log.write(text)

    def _stopped(self) -> bool:
        return (self._folder.folder / STOP).exists()

    def _keep(self, job: Job) -> None:
        # Not kept, it counts as interrupted, and the same commands go on.
        with contextlib.suppress(OSError):
            self._folder.write(job)

    def _end(self, job: Job) -> None:
        self._keep(replace(job, ended=time.time()))


def _started(command: list[str], lock: IO[bytes]) -> subprocess.Popen[str]:
    """Start a command in a group of processes of its own; it holds the lock, too."""
    environment = {
        **os.environ,
        "BIRDMODES_PROGRESS": "often",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    windows = sys.platform == "win32"
    return subprocess.Popen(  # noqa: S603  a list, and no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=environment,
        start_new_session=not windows,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        pass_fds=() if windows else (lock.fileno(),),
    )


def interrupt(process: int, how: int) -> None:
    """Send a signal to a command and the processes that it has started.

    Parameters
    ----------
    process : int
        Of the command.
    how : int
        The signal.
    """
    group: Callable[[int, int], None] | None = getattr(os, "killpg", None)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if group is not None:
            group(process, how)
        else:
            os.kill(process, getattr(signal, "CTRL_BREAK_EVENT", how))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
