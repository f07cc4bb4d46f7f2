"""``birdmodes review`` from start to Ctrl-C."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Field

from birdmodes.errors import ReviewError, WorkspaceError
from birdmodes.gallery.review_session import gallery_base, review_session
from birdmodes.modes.clustering import Clustering, write_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.log import read_base
from birdmodes.review.pending import only_one_review, pending_path
from birdmodes.workspace.store import Workspace

BIRDMODES = (sys.executable, "-c", "from cli.main import main; main()")


@pytest.fixture
def workspace(hostile: Field, tmp_path: Path) -> Workspace:
    """A copy of the workspace, with its gallery where commands look for it."""
    folder = tmp_path / "workspace"
    shutil.copytree(hostile.workspace.folder, folder)
    shutil.copytree(hostile.gallery, folder / "gallery" / hostile.clustering.name)
    return Workspace.open(folder)


def gallery_of(workspace: Workspace, clustering: Clustering) -> Path:
    return workspace.folder / "gallery" / clustering.name


def test_only_one_review_of_a_workspace_is_open(workspace: Workspace, hostile: Field) -> None:
    gallery = gallery_of(workspace, hostile.clustering)
    with review_session(workspace, hostile.clustering, gallery):
        with (
            pytest.raises(WorkspaceError, match="a review is open"),
            review_session(workspace, hostile.clustering, gallery),
        ):
            pass
        with pytest.raises(WorkspaceError, match="Ctrl-C"), only_one_review(workspace.folder):
            pass
    with review_session(workspace, hostile.clustering, gallery) as session:
        assert session.notices == []


def test_a_gallery_of_another_state_is_built_again(workspace: Workspace, hostile: Field) -> None:
    gallery = gallery_of(workspace, hostile.clustering)
    base = assignments_digest(hostile.clustering.assignments)
    assert gallery_base(gallery) == base
    page = gallery / "index.html"
    page.write_text("as it was")
    with review_session(workspace, hostile.clustering, gallery):
        assert page.read_text() == "as it was"
    data = gallery / "data" / "gallery.js"
    data.write_text(data.read_text().replace(base, "0" * 64))
    with review_session(workspace, hostile.clustering, gallery):
        assert gallery_base(gallery) == base
        assert page.read_text() != "as it was"
    kept = read_base(workspace, base)
    assert kept is not None
    assert len(kept) == len(hostile.clustering.assignments)


def test_what_is_reviewed_is_the_clustering_as_it_is_stored_now(
    workspace: Workspace, hostile: Field
) -> None:
    then, gallery = hostile.clustering, gallery_of(workspace, hostile.clustering)
    table = then.assignments.assign(cluster=then.assignments["cluster"] + 100)
    modes = then.modes.assign(cluster=then.modes["cluster"] + 100)
    write_clustering(workspace, replace(then, assignments=table, modes=modes))
    before, base = assignments_digest(then.assignments), assignments_digest(table)
    data = gallery / "data" / "gallery.js"
    data.write_text(data.read_text().replace(before, base))
    with review_session(workspace, then, gallery) as session:
        assert session.pending.base == base
    assert read_base(workspace, base) is not None


@pytest.mark.parametrize("text", ["", "var a = {};", "a = [];", "a = {", 'a = {"base"'])
def test_what_is_no_gallery_has_no_base(tmp_path: Path, text: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "gallery.js").write_text(text)
    assert gallery_base(tmp_path) is None
    assert gallery_base(tmp_path / "nothing") is None


def test_a_port_that_is_taken_is_named(workspace: Workspace, hostile: Field) -> None:
    gallery = gallery_of(workspace, hostile.clustering)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(ReviewError, match=f"port {port} cannot be used .*--port"),
            review_session(workspace, hostile.clustering, gallery, port=port),
        ):
            pass


def test_edits_of_another_state_are_named_and_kept(workspace: Workspace, hostile: Field) -> None:
    name = hostile.clustering.name
    path = pending_path(workspace.folder, name)
    path.parent.mkdir(exist_ok=True)
    review = {"format": 1, "clustering": name, "base": "a" * 64, "who": "", "edits": []}
    path.write_text(json.dumps(review))
    with review_session(
        workspace, hostile.clustering, gallery_of(workspace, hostile.clustering)
    ) as session:
        (notice,) = session.notices
        (aside,) = path.parent.glob("pending-*.json")
        assert aside.name in notice
        assert json.loads(aside.read_text()) == review


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for other processes")
def test_the_command_serves_until_it_is_interrupted(workspace: Workspace, hostile: Field) -> None:
    command = [*BIRDMODES, "review", "-w", str(workspace.folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        address = program.stdout.readline().split(": ", 1)[1].strip()
        program.stdout.readline()
        with urllib.request.urlopen(address) as answer:  # noqa: S310  our own server
            assert b"Vocal modes" in answer.read()
        api = address.replace("index.html", "api/review")
        name = hostile.clustering.name
        base = assignments_digest(hostile.clustering.assignments)
        review = {"format": 1, "clustering": name, "base": base, "who": "Ann", "edits": []}
        body = json.dumps({"revision": "", "review": review}).encode()
        origin = address.split("/", 3)
        headers = {"Origin": "//".join(origin[0:3:2]), "Content-Type": "application/json"}
        request = urllib.request.Request(api, body, headers)  # noqa: S310
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            assert answer.status == 200
        program.send_signal(signal.SIGINT)
        rest = program.stdout.read()
        assert program.wait(60) == 0
    assert "Traceback" not in rest
    assert "next: birdmodes review apply" in rest
    assert json.loads(pending_path(workspace.folder, name).read_text())["who"] == "Ann"
