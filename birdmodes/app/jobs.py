"""Starts jobs, in processes of their own, and stops them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from birdmodes.app.job import RUNNING, STOP, Job, JobFolder
from birdmodes.app.runner import interrupt
from birdmodes.errors import BirdmodesError, BusyError

_STOP_S = 20.0

# Windows' way to start what goes on by itself, without a window of its own.
_ALONE = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(
    subprocess, "CREATE_NO_WINDOW", 0
)

_started: list[subprocess.Popen[str]] = []
"""Those of this program that may have ended: nobody else takes note of it."""


def start(workspace: Path, program: Sequence[str], steps: Sequence[Sequence[str]]) -> None:
    """Start commands for a workspace; they go on when this program ends.

    Parameters
    ----------
    workspace : pathlib.Path
        Its folder, which need not exist.
    program : sequence of str
        What the words of a command are given to.
    steps : sequence of sequence of str
        The words of each command, without ``birdmodes``.

    Raises
    ------
    BirdmodesError
        If something is going on there already, or it cannot be written.
    """
    job = Job(tuple(tuple(step) for step in steps), started=time.time())
    _launch(workspace, program, job)


def go_on(workspace: Path, program: Sequence[str], known: Sequence[str]) -> None:
    """Go on with what was stopped, was interrupted or failed: the same command again.

    Parameters
    ----------
    workspace, program
        As for `start`.
    known : sequence of str
        Commands that may be run: a workspace may have come from somebody else.

    Raises
    ------
    BirdmodesError
        As for `start`, or if there is nothing to go on with.
    """
    job = JobFolder(workspace).read()
    if job is None or job.at == len(job.steps):
        raise BirdmodesError(f"{workspace}: there is nothing to go on with")
    if job.status == RUNNING:
        raise BusyError(f"{workspace}: it is going on already")
    for step in job.steps:
        if not any(list(step[: len(name.split())]) == name.split() for name in known):
            raise BirdmodesError(f"{workspace}: {step[0]!r} is no command of the window")
    _launch(workspace, program, replace(job, status=RUNNING, ended=0.0, process=0))


def _launch(workspace: Path, program: Sequence[str], job: Job) -> None:
    _started[:] = [process for process in _started if process.poll() is None]
    process = subprocess.Popen(  # noqa: S603  a list, and no shell
        [sys.executable, "-P", "-m", "birdmodes.app.runner", str(workspace), *program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=sys.platform != "win32",
        creationflags=_ALONE,
    )
    _started.append(process)
    assert process.stdin is not None  # noqa: S101  both are pipes
    assert process.stdout is not None  # noqa: S101
    with process.stdin, process.stdout:
        try:
            process.stdin.write(json.dumps(job.to_dict()))
            process.stdin.close()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
    if not answer.endswith("\n"):
        raise BirdmodesError(f"{workspace}: the work could not be started")
    if answer.strip():
        raise BirdmodesError(answer.strip())


def stop(workspace: Path) -> None:
    """Ask a job to stop; what it has done is kept.

    Parameters
    ----------
    workspace : pathlib.Path
        Its folder.

    Raises
    ------
    OSError
        If the wish cannot be written.
    """
    folder = JobFolder(workspace)
    job = folder.read()
    if job is None or job.status != RUNNING:
        return
    (folder.folder / STOP).touch()
    # If only the command is left, because its runner was killed, nobody else would tell it.
    end = time.monotonic() + _STOP_S
    while time.monotonic() < end:
        now = folder.read()
        if now is None or now.status != RUNNING:
            return
        time.sleep(0.1)
    left = folder.read()
    if left is not None and left.status == RUNNING and left.process:
        interrupt(left.process, getattr(signal, "SIGKILL", signal.SIGTERM))


def is_running(workspace: Path) -> bool:
    """Whether a job is going on in a workspace."""
    job = JobFolder(workspace).read()
    return job is not None and job.status == RUNNING


def can_go_on(job: Job) -> bool:
    """Whether something of a job is left to do."""
    return job.status != RUNNING and job.at < len(job.steps)
