"""``segment`` where the disk is full or read-only, files come and go, or somebody else writes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from birdmodes.workspace.store import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX system")


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """Mount a file system of some size at `folder`, where that is permitted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def remount(folder: Path, option: str) -> None:
    """Change an option of a mounted file system."""
    subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk_and_a_read_only_one_are_told_in_a_line_and_nothing_is_lost(
    field: Any, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", "500k"):
        workspace = tmp_path / "disk/w"
        output = field.run(workspace, "--workers", "2", code=2)
        assert output.splitlines()[-1].startswith(f"birdmodes: {workspace}/")
        assert output.endswith("No space left on device; mend that and run the command again\n")
        kept = field.done(workspace)
        assert 0 < kept < field.n_good
        assert len(Workspace.open(workspace).syllables()["recording"].unique()) == kept

        remount(tmp_path / "disk", "size=100m")
        output = field.run(workspace, "--workers", "2")
        assert f"{kept} recordings done before" in output
        field.assert_whole(workspace)

        remount(tmp_path / "disk", "ro")
        output = field.run(workspace, code=2)
        assert output.endswith("Read-only file system; mend that and run the command again\n")
        field.assert_whole(workspace)


def test_a_file_that_cannot_be_written_stops_the_run_with_what_is_done_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, seconds in (("a", 2), ("b", 2), ("z", 60)):
        samples = 0.001 * rng.standard_normal(seconds * 22050)
        samples[5000::11025] = 0.5  # clicks, two a second
        soundfile.write(tmp_path / f"{name}.wav", samples, 22050)
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "from cli.main import main; main()"
    )
    arguments = ["segment", str(tmp_path), "-w", str(tmp_path / "w"), "--workers", "1"]
    answer = subprocess.run(
        [sys.executable, "-c", limited, *arguments], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2, answer.stdout + answer.stderr
    shard = next((tmp_path / "w/syllables").glob("a-*")).name.replace("a-", "z-", 1)[:6]
    assert answer.stderr.splitlines()[-1].startswith(f"birdmodes: {tmp_path}/w/syllables/{shard}")
    assert "File too large; mend that" in answer.stderr
    assert list(Workspace.open(tmp_path / "w").recordings()["recording"]) == ["a.wav", "b.wav"]
    assert not list((tmp_path / "w").rglob(".unfinished-*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_named(field: Any, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        output = field.run(tmp_path / "w", code=2)
    finally:
        tmp_path.chmod(0o755)
    assert f"{tmp_path}/w: Permission denied; mend that" in output


# All pairs of commands are tested with a lock that is held.
@pytest.mark.slow
def test_the_second_of_two_runs_says_so_and_does_no_harm(field: Any, tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    with field.start(workspace, "--workers", "1") as first:
        field.wait_until_done(workspace, 1, first)
        os.killpg(first.pid, signal.SIGSTOP)
        (workspace / "syllables/.unfinished-1-x").touch()
        for options in ([], ["--restart"]):
            output = field.run(workspace, "--workers", "1", *options, code=2)
            assert f"{workspace}: another birdmodes command is writing here" in output
        (workspace / "syllables/.unfinished-1-x").unlink()
        os.killpg(first.pid, signal.SIGCONT)
        output, _ = first.communicate(timeout=60)
    assert first.returncode == 1, output
    field.assert_whole(workspace)


@pytest.mark.slow
def test_a_workspace_that_is_deleted_under_a_run_is_told_in_a_line(
    field: Any, tmp_path: Path
) -> None:
    workspace = tmp_path / "w"
    with field.start(workspace, "--workers", "1") as program:
        field.wait_until_done(workspace, 2, program)
        workspace.rename(tmp_path / "elsewhere")
        output, _ = program.communicate(timeout=60)
    assert program.returncode == 2, output
    assert "Traceback" not in output
    assert output.endswith("No such file or directory; mend that and run the command again\n")


@pytest.mark.slow
def test_recordings_that_are_deleted_under_a_run_fail_and_the_rest_is_done(
    field: Any, tmp_path: Path
) -> None:
    recordings = tmp_path / "recordings"
    shutil.copytree(field.recordings, recordings)
    workspace = tmp_path / "w"
    command = field.command(workspace, "--workers", "1")
    command[command.index(str(field.recordings))] = str(recordings)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program:
        field.wait_until_done(workspace, 3, program)
        for name in ("38.wav", "39.wav"):
            (recordings / name).unlink()
        _, errors = program.communicate(timeout=60)
    assert program.returncode == 1, errors
    assert "Traceback" not in errors
    assert f"{recordings / '39.wav'}: cannot be read (No such file or directory)" in errors
    assert field.done(workspace) == field.n_good - 2
    assert {"38.wav", "39.wav"} <= set(Workspace.open(workspace).errors()["recording"])


def test_ctrl_c_while_labels_are_read_ends_in_a_line(field: Any, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    os.mkfifo(labels)  # reading it takes for ever
    with (
        field.start(tmp_path / "w", "--labels", str(labels)) as program,
        labels.open("w"),  # which returns when the program has opened it
    ):
        os.killpg(program.pid, signal.SIGINT)
        output, _ = program.communicate(timeout=60)
    assert program.returncode == 130, output
    assert "stopped; nothing is lost" in output
    assert "Traceback" not in output
