from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from birdmodes.errors import BusyError, WorkspaceError
from birdmodes.io import locks
from birdmodes.io.locks import is_locked, lock_state, single_writer


def test_a_second_writer_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    hold = (
        "import sys; from pathlib import Path; from birdmodes.io.locks import single_writer\n"
        "with single_writer(Path(sys.argv[1])):\n    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(WorkspaceError, match="another birdmodes command"), single_writer(lock):
            pass
        assert is_locked(lock)
        other.kill()
    assert not is_locked(lock)
    assert not is_locked(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with single_writer(lock):
        pass


def test_a_file_system_without_locks_is_not_taken_for_another_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("birdmodes.io.locks._lock", refuse)
    with (
        pytest.raises(WorkspaceError, match=r"cannot lock files \(No locks available\)"),
        single_writer(tmp_path / "lock"),
    ):
        pass


def test_the_lock_says_who_holds_it_and_nothing_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "lock"
    monkeypatch.setattr(sys, "argv", ["/usr/bin/birdmodes", "cluster", "-w", "w"])
    with single_writer(lock):
        with pytest.raises(BusyError) as refused, single_writer(lock):
            pass
        assert re.search(
            rf"writing here \(birdmodes cluster, process {os.getpid()} on .*, since .*\); wait for",
            str(refused.value),
        )
    assert lock.read_bytes() == b""


def test_a_full_disk_is_told_before_the_work_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("birdmodes.io.locks._say_who", full)
    with (
        pytest.raises(OSError, match=r"No space left on device: .*lock"),
        single_writer(tmp_path / "lock"),
    ):
        pytest.fail("was let in")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limits")
def test_a_write_that_the_system_refuses_is_told_with_the_file(tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(OSError, match=r".*lock") as raised, single_writer(tmp_path / "lock"):
            pytest.fail("was let in")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert raised.value.filename == str(tmp_path / "lock")


def test_a_look_at_a_lock_refuses_no_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "lock"
    lock.touch()
    with lock.open("r+b") as looking:
        locks._look(looking)
        # Who looks has gone before the writer looks again.
        monkeypatch.setattr("birdmodes.io.locks.time.sleep", lambda _: looking.close())
        with single_writer(lock):
            assert looking.closed
            assert is_locked(lock)


def test_a_lock_whose_file_its_holder_removes_is_that_of_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "lock"
    holder = lock.open("a+b")
    locks._lock(holder)

    def end(_: float) -> None:
        lock.unlink(missing_ok=True)
        holder.close()

    looked = []
    lock_it = locks._lock
    monkeypatch.setattr(locks, "_lock", lambda file: (looked.append(file), lock_it(file)))
    monkeypatch.setattr("birdmodes.io.locks.time.sleep", end)
    with single_writer(lock):
        assert is_locked(lock)
    assert len(looked) == 2
    # Removed between its being opened and locked.
    monkeypatch.setattr(locks, "_lock", lambda file: (end(0), lock_it(file)))
    with pytest.raises(BusyError, match="another birdmodes command"), single_writer(lock):
        pass


def test_who_has_held_a_lock_meanwhile_shows_however_short_it_was(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    states = [lock_state(lock)]
    for _ in range(5):
        with single_writer(lock):
            assert lock_state(lock) is None
        states += [lock_state(lock)]
        assert states[-1] == lock_state(lock)
    assert len({*states}) == 6
