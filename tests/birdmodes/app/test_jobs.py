"""Work that outlives the window: started, stopped, gone on with, killed at each step."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from window_parts import Window, wait_until

from birdmodes.app import jobs
from birdmodes.app.job import Job, JobFolder
from birdmodes.app.projects import Project
from birdmodes.errors import BirdmodesError
from birdmodes.io.locks import is_locked, single_writer

THREE: dict[str, Any] = {
    "steps": [{"command": name, "values": {}} for name in ("segment", "cluster", "gallery")]
}


def state(window: Window, project: Project) -> dict[str, Any]:
    found: dict[str, Any] = window.ask(f"p/{project.id}/api/job").json
    return found


def start(window: Window, project: Project, steps: dict[str, Any] = THREE) -> Any:
    return window.post(f"p/{project.id}/api/start", steps)


def wait_for(window: Window, project: Project, status: str) -> dict[str, Any]:
    wait_until(lambda: state(window, project)["status"] == status)
    return state(window, project)


def hold(window: Window, command: str) -> Path:
    path = window.folder / f"hold-{command}"
    path.touch()
    return path


def test_commands_run_in_turn_and_what_they_say_is_kept(window: Window, project: Project) -> None:
    assert state(window, project) == {"status": "none"}
    assert start(window, project).status == 200
    done = wait_for(window, project, "done")
    assert done["codes"] == [0, 0, 0]
    assert [step["name"] for step in done["steps"]] == ["segment", "cluster", "gallery"]
    workspace = f"--workspace={project.workspace}"
    assert done["log"].splitlines() == [
        f"$ birdmodes segment {workspace} {project.recordings}",
        f"did segment {workspace} -- {project.recordings}",
        *(f"$ birdmodes cluster {workspace}", f"did cluster {workspace}"),
        *(f"$ birdmodes gallery {workspace}", f"did gallery {workspace}"),
    ]
    assert done["ended"] >= done["started"] > 0
    assert not done["can_go_on"]


def test_progress_is_told_and_only_one_works_at_a_time(window: Window, project: Project) -> None:
    held = hold(window, "cluster")
    start(window, project)
    now: dict[str, Any] = {}

    def four_are_done() -> bool:
        # Looked at again, there may be half a line, which is taken for none.
        now.update(state(window, project))
        return (now.get("progress") or {}).get("done") == 4

    wait_until(four_are_done)
    assert (now["status"], now["at"]) == ("running", 1)
    assert now["progress"]["total"] == 12
    second = start(window, project)
    assert (second.status, "going on" in second.json["problem"]) == (422, True)
    assert state(window, project)["at"] == 1
    # Events tell the same to every tab.
    for _ in range(2):
        with pytest.raises(TimeoutError):  # they go on
            window.events(project.id, seconds=0.3)
        assert '"status": "running"' in window.heard[-1]
    held.unlink()
    wait_for(window, project, "done")


def test_stopping_keeps_what_is_done_and_going_on_begins_there(
    window: Window, project: Project
) -> None:
    held = hold(window, "cluster")
    start(window, project)
    wait_until(lambda: state(window, project).get("at") == 1)
    stopped = window.post(f"p/{project.id}/api/stop").json
    assert (stopped["status"], stopped["at"], stopped["can_go_on"]) == ("stopped", 1, True)
    wait_until(lambda: not is_locked(JobFolder(project.workspace).lock))
    held.unlink()
    assert window.post(f"p/{project.id}/api/go-on").status == 200
    done = wait_for(window, project, "done")
    assert done["codes"] == [0, 0, 0]
    assert done["log"].count("$ birdmodes segment") == 1
    assert done["log"].count("$ birdmodes cluster") == 2
    assert window.post(f"p/{project.id}/api/go-on").status == 422


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed in another way")
@pytest.mark.parametrize("victim", ["runner", "command"])
def test_killed_at_each_step_it_goes_on_there(
    window: Window, project: Project, victim: str
) -> None:
    names = ("segment", "cluster", "gallery")
    held = [hold(window, name) for name in names]
    start(window, project)
    folder = JobFolder(project.workspace)
    for number in range(len(names)):
        wait_until(lambda at=number: (job := folder.read()) and job.at == at and job.process)
        job = folder.read()
        assert job is not None
        os.kill(parent_of(job.process) if victim == "runner" else job.process, signal.SIGKILL)
        # A command whose runner is gone notices at its next word; until then nobody else begins.
        found = wait_for(window, project, "interrupted" if victim == "runner" else "failed")
        assert (found["at"], found["can_go_on"]) == (number, True)
        told = [line for line in found["warnings"] if "(signal 9; is there enough memory?)" in line]
        assert bool(told) == (victim == "command")
        held[number].unlink()
        assert window.post(f"p/{project.id}/api/go-on").status == 200
    assert wait_for(window, project, "done")["codes"] == [0, 0, 0]


def parent_of(process: int) -> int:
    found = subprocess.run(["ps", "-o", "ppid=", "-p", str(process)], capture_output=True)
    return int(found.stdout)


def test_recordings_that_could_not_be_read_do_not_end_the_work(
    window: Window, project: Project
) -> None:
    (window.folder / "code-segment").write_text("1")
    (window.folder / "code-cluster").write_text("2")
    start(window, project)
    failed = wait_for(window, project, "failed")
    assert (failed["codes"], failed["at"]) == ([1, 2], 1)


def test_a_fault_of_ours_ends_it(window: Window, project: Project) -> None:
    (window.folder / "fault-segment").touch()
    start(window, project)
    failed = wait_for(window, project, "failed")
    assert failed["at"] == 0
    assert "a fault of ours" in failed["log"]


def test_work_goes_on_without_the_window_that_started_it(window: Window, project: Project) -> None:
    held = hold(window, "segment")
    start(window, project)
    folder = JobFolder(project.workspace)
    # Another window, and one that was started anew, know nothing but the files.
    wait_until(lambda: (job := folder.read()) and job.status == "running" and job.process)
    assert jobs.is_running(project.workspace)
    job = folder.read()
    assert job is not None
    assert os.getsid(job.process) != os.getsid(0)
    held.unlink()
    wait_until(lambda: (now := folder.read()) and now.status == "done")


def test_a_folder_that_has_vanished_is_told_of(window: Window, project: Project) -> None:
    assert project.recordings is not None
    project.recordings.rename(project.recordings.with_name("unplugged"))
    answer = start(window, project)
    assert (answer.status, "not there any more" in answer.json["problem"]) == (422, True)
    page = window.ask(f"p/{project.id}/recordings")
    assert (page.status, b"The folder is not there" in page.body) == (200, True)
    assert b"not there now" in window.ask("").body
    assert (
        "no such file or folder"
        in window.ask(f"p/{project.id}/api/contents?anew=1").json["problem"]
    )


def test_a_full_disk_is_told_before_anything_runs(
    project: Project, window: Window, tmp_path: Path
) -> None:
    full = tmp_path / "full"
    full.write_text("a file where the workspace should be")
    with pytest.raises(BirdmodesError, match="full"):
        jobs.start(full, window.context.program, [["segment"]])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
def test_a_log_that_cannot_be_kept_does_not_end_the_work(window: Window, project: Project) -> None:
    folder = JobFolder(project.workspace).folder
    folder.mkdir(parents=True)
    (folder / "log.txt").symlink_to("/dev/full")
    (folder / "progress").symlink_to("/dev/full")
    start(window, project)
    assert wait_for(window, project, "done")["codes"] == [0, 0, 0]


def test_a_disk_that_fills_up_leaves_what_can_be_gone_on_with(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from birdmodes.app import runner

    folder = JobFolder(project.workspace)
    folder.folder.mkdir(parents=True)
    job = Job((("segment",),))
    folder.write(job)

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with single_writer(folder.lock) as lock:
        running = runner._Runner(folder, [sys.executable, "-S", "-c", "print('did')"], lock)
        monkeypatch.setattr("birdmodes.app.job.write_text", full)
        running.run(job)
    monkeypatch.undo()
    now = folder.read()
    assert now is not None
    assert (now.status, now.at, jobs.can_go_on(now)) == ("interrupted", 0, True)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"steps": []}', '{"steps": [["a"]], "status": 1}']
)
def test_a_damaged_state_is_one_line(window: Window, project: Project, text: str) -> None:
    folder = JobFolder(project.workspace)
    folder.folder.mkdir(parents=True)
    (folder.folder / "job.json").write_text(text)
    found = state(window, project)
    assert found["status"] == "damaged"
    assert "job.json" in found["problem"]


def test_a_workspace_of_somebody_else_cannot_have_other_programs_run(
    window: Window, project: Project
) -> None:
    folder = JobFolder(project.workspace)
    folder.folder.mkdir(parents=True)
    folder.write(Job((("datasets", "fetch"),), status="stopped"))
    answer = window.post(f"p/{project.id}/api/go-on")
    assert (answer.status, "no command of the window" in answer.json["problem"]) == (422, True)


@pytest.mark.parametrize(
    "steps",
    [
        {},
        {"steps": []},
        {"steps": ["segment"]},
        {"steps": [{"command": "datasets"}]},
        {"steps": [{"command": ["segment"]}]},
        {"steps": [{"command": "segment", "values": {"--workspace": "/etc"}}]},
        {"steps": [{"command": "segment", "values": {"--other": "1"}}]},
        {"steps": [{"command": "segment", "values": [1]}]},
        {"steps": [{"command": "assign", "places": []}]},
        {"steps": [{"command": "assign", "places": ["/proc"]}]},
        {"steps": [{"command": "assign", "places": "x"}]},
        {"steps": [{"command": "cluster", "values": {"--k": "1; rm"}}]},
        {"steps": [{"command": "cluster"}] * 20},
    ],
)
def test_what_is_no_command_of_the_window_is_not_run(
    window: Window, project: Project, steps: dict[str, Any]
) -> None:
    answer = start(window, project, steps)
    assert answer.status == 422
    assert answer.json["problem"]
    assert state(window, project) == {"status": "none"}
