"""Mending a workspace without losing anything."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from birdmodes.errors import WorkspaceError
from birdmodes.info.damage import find_damage
from birdmodes.info.repair import repair
from birdmodes.info.workspace import workspace_info
from birdmodes.modes.clustering import clustering_names, read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.find import ClusterOptions
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import apply_review
from birdmodes.review.log import log_path, read_log
from birdmodes.review.make import make_modes
from birdmodes.review.pending import only_one_review
from birdmodes.workspace.store import Workspace


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test leaves a copy of `workspace` for all."""
    return tmp_path_factory.mktemp("repair") / "workspace"


@pytest.fixture
def workspace(make_workspace: Callable[..., Workspace], kept: Path, tmp_path: Path) -> Workspace:
    """Two clusterings, the second with two corrections."""
    if kept.exists():
        return Workspace.open(shutil.copytree(kept, tmp_path / "workspace"))
    recordings = [(f"{name}.wav", [[0, 0], [1]], "Wren") for name in "abcdef"]
    workspace = make_workspace(*recordings)
    make_modes(workspace, ClusterOptions(method="csp", k=2, stability_runs=0))
    make_modes(workspace, ClusterOptions(method="ldc", k=2, stability_runs=0))
    for number in (1, 2):
        clustering = read_clustering(workspace, "ldc-k2")
        name = {"cluster": 0, "name": f"Wren {number}"}
        edit = Edit(f"{number:016x}", "2026-01-01T10:00:00Z", "rename", name)
        base = assignments_digest(clustering.assignments)
        apply_review(workspace, Review("ldc-k2", base, "", (edit,)))
    shutil.copytree(workspace.folder, kept)
    return workspace


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder but the lock."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def test_a_workspace_in_order_stays_as_it_is(workspace: Workspace) -> None:
    before = contents(workspace.folder)
    done = repair(str(workspace.folder))
    assert (done.moved, done.kept, done.again, done.lost_batches) == ([], "", [], 0)
    assert contents(workspace.folder) == before


def test_what_cannot_be_read_is_moved_and_what_can_stays(workspace: Workspace) -> None:
    folder = workspace.folder
    shard = sorted((folder / "syllables").glob("*.parquet"))[2]
    flipped = bytearray(shard.read_bytes())
    flipped[len(flipped) // 2] ^= 1
    damage = {
        shard.relative_to(folder).as_posix(): bytes(flipped),
        "clusterings/csp-k2/assignments.csv": b"syllable\n\xff\x00",
        "clusterings/order.txt": b"\xff\xfe\xfd",
        "errors.csv": b"",
        "review/pending-x.json": b"{",
        "review/log.jsonl": log_path(workspace).read_bytes() + b'{"applied_at": 3\n',
    }
    batches = read_log(workspace)
    for part, content in damage.items():
        (folder / part).write_bytes(content)

    done = repair(folder)
    kept = contents(Path(done.kept))
    assert done.kept == str(folder / "damaged" / "1")
    assert {part: kept[part] for part in damage} == damage
    assert sorted(done.moved) == sorted(
        "clusterings/csp-k2" if "assignments" in part else part for part in damage
    )
    assert (done.kept_batches, done.lost_batches) == (2, 1)
    assert done.again == ["segment", "cluster"]
    assert read_log(workspace) == batches
    assert clustering_names(workspace) == ["ldc-k2"]
    # Only the shard is still missing; a second time moves nothing more.
    [missing] = workspace_info(folder).damaged
    assert missing.startswith(f"{shard}: cannot be read")
    again = repair(folder)
    assert (again.moved, again.again) == ([], ["segment"])


@pytest.mark.parametrize(
    "content",
    [b"", b"{}\n", b"\xff\x00", b'{"applied_at": "", "undone": 0, "number": 1e999}', None],
)
def test_a_log_of_which_no_line_can_be_read_is_moved_as_a_whole(
    workspace: Workspace, content: bytes | None
) -> None:
    log = log_path(workspace)
    log.unlink()
    if content is None:
        log.mkdir()
    else:
        log.write_bytes(content)
    done = repair(workspace.folder)
    assert (done.moved, done.kept_batches) == (["review/log.jsonl"], 0)
    assert not log.exists()
    assert (Path(done.kept) / "review" / "log.jsonl").exists()
    assert repair(workspace.folder).moved == []


def test_a_second_time_keeps_what_the_first_has_moved(workspace: Workspace) -> None:
    for number in (1, 2):
        (workspace.folder / "errors.csv").write_bytes(b"%d" % number)
        assert repair(workspace.folder).kept == str(workspace.folder / "damaged" / str(number))
    moved = contents(workspace.folder / "damaged")
    assert moved == {"1/errors.csv": b"1", "2/errors.csv": b"2"}


NEEDED = {
    "clusterings/ldc-k2/original-modes.csv": "clusterings/ldc-k2",
    "clusterings/ldc-k2/original-metrics.json": "clusterings/ldc-k2",
    "clusterings/csp-k2/metrics.json": "clusterings/csp-k2",
    "clusterings/csp-k2/model.npz": "clusterings/csp-k2",
    "annotated/x/clusterings/ldc-k2/modes.csv": "annotated/x",
    "assigned/y/syllables": "assigned/y",
}
"""A file, or the folder of one, and what is moved where it is damaged."""

OPTIONAL = {
    "review/bases": "",
    "segmenter.npz": "",
    "sites.json": "",
    "taxonomy.json": "",
    "labels.json": "",
    "annotated/x/recordings": "annotated/x",
    "annotated/x/workspace.json": "annotated/x",
}


def zero(file: Path) -> None:
    """Lose what a file holds; its size and time of change stay."""
    status = file.stat()
    file.write_bytes(bytes(status.st_size))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize(
    ("part", "damage"),
    [*((part, zero) for part in (*NEEDED, *OPTIONAL)), *((part, Path.unlink) for part in NEEDED)],
)
def test_everything_is_read_and_moved_if_it_is_damaged(
    workspace: Workspace, tmp_path: Path, part: str, damage: Callable[[Path], None]
) -> None:
    folder = workspace.folder
    shutil.copytree(folder, tmp_path / "inner")
    for inner in ("annotated/x", "assigned/y"):
        shutil.copytree(tmp_path / "inner", folder / inner)
    (folder / "annotated/x/annotated.json").write_text('{"annotated_by": "ldc"}')
    assert list(find_damage(workspace)) == []
    workspace_info(folder)  # which keeps what it has read
    file = folder / part
    if not file.exists():
        file.write_bytes(b"{}")
    file = min(file.iterdir()) if file.is_dir() else file
    damage(file)
    found = list(find_damage(workspace))
    place = (NEEDED | OPTIONAL)[part] or file.relative_to(folder).as_posix()
    assert {one.part for one in found} == {place}
    assert any(one.line.startswith(f"{file}: ") for one in found)
    assert repair(folder).moved == [place]
    assert list(find_damage(workspace)) == []


def test_what_a_killed_program_had_begun_is_finished(workspace: Workspace) -> None:
    folder = workspace.folder / "clusterings"
    before = contents(folder)
    (folder / "ldc-k2").rename(folder / ".superseded-ldc-k2")
    (folder / ".unfinished-ldc-k2").mkdir()
    assert repair(workspace.folder).moved == []
    assert contents(folder) == before


def test_nothing_is_done_while_another_process_writes(workspace: Workspace) -> None:
    program = (
        "import sys, time; from birdmodes.workspace.store import Workspace\n"
        "with Workspace.open(sys.argv[1]).writing():\n"
        "    print(flush=True)\n    time.sleep(60)\n"
    )
    (workspace.folder / "errors.csv").write_bytes(b"")
    command = [sys.executable, "-c", program, str(workspace.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        try:
            with pytest.raises(WorkspaceError, match="another birdmodes command is writing"):
                repair(workspace.folder)
        finally:
            os.kill(other.pid, signal.SIGKILL)
    assert (workspace.folder / "errors.csv").read_bytes() == b""


def test_nothing_is_moved_while_somebody_reviews(workspace: Workspace) -> None:
    """What is pending may be written anew at any moment, without the workspace's lock."""
    (workspace.folder / "review" / "pending-ldc-k2.json").write_bytes(b"{")
    before = contents(workspace.folder)
    with (
        only_one_review(workspace.folder),
        pytest.raises(WorkspaceError, match="another birdmodes command is writing"),
    ):
        repair(workspace.folder)
    assert contents(workspace.folder) == before
    assert repair(workspace.folder).moved == ["review/pending-ldc-k2.json"]
