"""``segment`` with several workers is killed, and goes on; see also ``test_kill_points.py``."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc"),
]


def workers_of(pid: int) -> list[int]:
    """Worker processes that a run has started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        # multiprocessing's resource tracker is a child too
        if parent == pid and b"spawn_main" in command:
            found.append(int(process.name))
    return found


def session(pid: int) -> list[int]:
    """Processes of the session that `pid` leads, it and those that have outlived it."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, leader = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(leader) == pid and state != "Z":
            found.append(int(stat.parent.name))
    return found


def kill_at(field: Any, workspace: Path, count: int, delay_s: float) -> None:
    """Kill a run some time after it has `count` recordings done. Nothing may outlive it."""
    program = field.start(workspace, "--workers", "2")
    end = time.monotonic() + 60
    while field.done(workspace) < count and program.poll() is None:
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)
    time.sleep(delay_s)
    program.kill()
    program.communicate()
    while session(program.pid):
        assert time.monotonic() < end, "a worker has outlived the program"
        time.sleep(0.01)


# Every point at which a command can be killed has its test; these are moments between them.
@pytest.mark.slow
def test_a_run_that_is_killed_at_random_moments_ends_as_if_it_had_not_been(
    field: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    workspace = tmp_path / "w"
    for _ in range(2):
        before = field.done(workspace)
        kill_at(field, workspace, before + int(rng.integers(1, 6)), rng.uniform(0, 0.05))
        assert before < field.done(workspace) < field.n_good, "what was done is kept"
    field.run(workspace, "--workers", "2")
    field.assert_whole(workspace)


# The executor's own tests lose a worker as well.
@pytest.mark.slow
def test_a_worker_that_is_killed_costs_only_time(field: Any, tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    with field.start(workspace, "--workers", "2") as program:
        field.wait_until_done(workspace, 3, program)
        os.kill(workers_of(program.pid)[0], signal.SIGKILL)
        output, _ = program.communicate(timeout=60)
    assert program.returncode == 1, output
    assert f"{field.n_bad} recordings could not be read" in output, output
    field.assert_whole(workspace)
