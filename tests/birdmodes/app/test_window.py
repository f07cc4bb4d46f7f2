"""The window's server: who may ask, and what is given."""

from __future__ import annotations

import http.client
import json
import re
from pathlib import Path
from typing import Any

import pytest
from window_parts import Window, write_sound

from birdmodes.app.projects import Project, Projects
from birdmodes.app.server import listen
from birdmodes.errors import BirdmodesError
from birdmodes.gallery.review_server import MAX_BODY

SECRET = "nobody may read this"  # noqa: S105  it is no password
EVERY_PAGE = ("recordings", "lists", "modes", "gallery", "export", "new", "evaluate")


@pytest.mark.parametrize("token", ["", "x", "%C3%A9", "a" * 32])
def test_nothing_is_given_without_the_token(window: Window, token: str) -> None:
    for path in ("", "api/folders", "assets/app/shared/window.js"):
        answer = window.ask(path, token=token)
        assert answer.status == 403
        assert b"use the whole address" in answer.body
    assert window.post("api/open", {"folder": "/"}, token=token).status == 403


@pytest.mark.parametrize("host", ["", "evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil"])
def test_other_names_of_this_machine_are_refused(window: Window, host: str) -> None:
    answer = window.ask("", host=host)
    assert answer.status in (400, 403)
    assert b"Your recordings" not in answer.body


def test_two_hosts_are_refused(window: Window) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", window.port, timeout=60)
    connection.putrequest("GET", f"/{window.context.token}/", skip_host=True)
    for _ in range(2):
        connection.putheader("Host", f"127.0.0.1:{window.port}")
    connection.endheaders()
    assert connection.getresponse().status in (400, 403)
    connection.close()


def test_localhost_is_this_machine(window: Window) -> None:
    assert window.ask("", host=f"localhost:{window.port}").status == 200


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://127.0.0.1"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Length": str(MAX_BODY + 1)}, 413),
        ({"Content_Length": "-1"}, 400),
        ({"host": "evil.example"}, 403),
    ],
)
def test_only_our_own_pages_may_write(window: Window, changed: dict[str, str], status: int) -> None:
    before = window.context.projects.recent()
    answer = window.post("api/open", {"folder": str(window.folder)}, **changed)
    assert answer.status == status
    assert window.context.projects.recent() == before


def test_what_writes_is_posted_with_an_origin_and_a_length(
    window: Window, project: Project
) -> None:
    for path in ("start", "stop", "go-on", "lists/save", "command"):
        assert window.ask(f"p/{project.id}/api/{path}").status == 405
    own = f"http://127.0.0.1:{window.port}"
    kind = "application/json"
    at = f"p/{project.id}/api/stop"
    assert window.ask(at, method="POST", body=b"{}", Content_Type=kind).status == 403
    assert window.ask(at, method="POST", Content_Type=kind, Origin=own).status == 411
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert window.ask(at, method=method).status == 405
    for body in (b"{", b"[]", b"\xff", b"1", b"[" * 10_000):
        headers = {"Content_Type": kind, "Origin": own}
        assert window.ask(at, method="POST", body=body, **headers).status == 400


def test_every_answer_forbids_what_it_does_not_need(window: Window, project: Project) -> None:
    for path in ("", "no/such", f"p/{project.id}/lists", f"p/{project.id}/api/job"):
        headers = window.ask(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Server"] is None
        assert headers["Access-Control-Allow-Origin"] is None


@pytest.fixture
def results(project: Project) -> Project:
    """What commands have made, and what nobody is to be given."""
    workspace = project.workspace
    for name, text in {
        "workspace.json": SECRET,
        "secret.html": SECRET,
        "app/log.txt": SECRET,
        "gallery/ldc/index.html": "<h1>Modes</h1>",
        "gallery/ldc/birdmodes-gallery.json": "{}",
        "gallery/ldc/notes.txt": SECRET,
        "gallery/ldc/.hidden.html": SECRET,
        "clusterings/ldc/metrics.json": "{}",
        "exports/a <b>.csv": "syllable\n",
        "exports/raven/one.txt": "Selection\n",
        "evaluations/ldc.html": "<style>a{}</style>",
    }.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)
    (workspace / "gallery/ldc/link.html").symlink_to(workspace / "secret.html")
    (workspace / "exports/link.csv").symlink_to(workspace / "secret.html")
    return project


@pytest.mark.parametrize(
    "path",
    [
        "gallery/ldc/../../secret.html",
        "gallery/ldc/%2e%2e/%2e%2e/secret.html",
        "gallery/%2e%2e/secret.html",
        "gallery/../secret.html",
        "gallery/ldc/..%5c..%5csecret.html",
        "gallery/ldc//etc/passwd",
        "gallery/ldc/link.html",
        "gallery/ldc/notes.txt",
        "gallery/ldc/.hidden.html",
        "gallery/ldc/index.html%00",
        "gallery/ldc/",
        "made/exports/link.csv",
        "made/exports/../secret.html",
        "made/exports/%2e%2e/secret.html",
        "made/app/log.txt",
        "made/../app/log.txt",
        "made/exports/raven",
    ],
)
def test_only_what_was_made_to_be_looked_at_is_given(
    window: Window, results: Project, path: str
) -> None:
    answer = window.ask(f"p/{results.id}/{path}")
    assert answer.status == 404
    assert SECRET.encode() not in answer.body


def test_assets_are_ours_only(window: Window) -> None:
    assert window.ask("assets/app/shared/window.css").headers["Content-Type"].startswith("text/css")
    assert window.ask("assets/gallery/shared/gallery.css").status == 200
    for path in ("app/../guard.py", "app/%2e%2e/guard.py", "gallery/../pages.py", "app/shared"):
        assert window.ask(f"assets/{path}").status == 404


def test_results_are_given(window: Window, results: Project) -> None:
    page = window.ask(f"p/{results.id}/gallery/ldc/index.html")
    assert (page.status, page.body) == (200, b"<h1>Modes</h1>")
    again = window.ask(f"p/{results.id}/gallery/ldc/index.html", If_None_Match=page.headers["ETag"])
    assert (again.status, again.body) == (304, b"")
    table = window.ask(f"p/{results.id}/made/exports/a%20%3Cb%3E.csv")
    assert table.body == b"syllable\n"
    assert table.headers["Content-Disposition"].startswith("attachment")
    evaluation = window.ask(f"p/{results.id}/made/evaluations/ldc.html")
    assert "sandbox" in evaluation.headers["Content-Security-Policy"]
    page = window.ask(f"p/{results.id}/export").body
    assert b"a &lt;b&gt;.csv" in page
    assert re.findall(rb'type="submit"[^>]*>', page), "a form to start with"
    # Until the script hears of clicks, which it says itself.
    assert all(b" disabled" in button for button in re.findall(rb'type="submit"[^>]*>', page))


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_pages_escape_whatever_things_are_called(
    window: Window, recordings: Path, page: str
) -> None:
    hostile = recordings.with_name("<script>alert(1)</script>"[:-9])
    recordings.rename(hostile)
    project = window.context.projects.open(str(hostile))
    answer = window.ask(f"p/{project.id}/{page}")
    assert answer.status == 200
    assert b"<script>alert" not in answer.body
    assert b"How <b>" not in answer.body


def test_pages_that_are_not_there_say_so(window: Window, project: Project) -> None:
    for path in ("nothing", f"p/{project.id}/nothing", "p/000000000000/lists"):
        answer = window.ask(path)
        assert answer.status == 404
        assert b"This page is not here" in answer.body
    assert window.ask("p/000000000000/api/job").json["problem"]


def test_a_review_that_does_not_fit_is_refused(window: Window, results: Project) -> None:
    at = f"p/{results.id}/gallery"
    assert window.ask(f"{at}/none/api/review").status == 404
    # this clustering cannot be read
    answer = window.ask(f"{at}/ldc/api/review")
    assert answer.status == 422
    assert answer.json["problem"]
    assert window.post(f"{at}/ldc/api/review", {"revision": ""}).status == 422


def test_projects_are_listed_with_the_last_one_first(tmp_path: Path) -> None:
    projects = Projects(tmp_path / "state")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    first, second = projects.open(str(tmp_path / "a")), projects.open(str(tmp_path / "b"))
    assert [each.name for each in projects.recent()] == ["b", "a"]
    projects.touch(first)
    assert [each.id for each in projects.recent()] == [first.id, second.id]
    projects.forget(first.id)
    assert [each.id for each in Projects(tmp_path / "state").recent()] == [second.id]
    assert (tmp_path / "a").is_dir()


def test_a_workspace_is_a_project_with_the_recordings_it_is_of(tmp_path: Path) -> None:
    projects = Projects(tmp_path / "state")
    for name in ("recordings", "ws"):
        (tmp_path / name).mkdir()
    (tmp_path / "ws" / "workspace.json").write_text("{}")
    assert projects.open(str(tmp_path / "ws")).recordings is None
    folders = {str(tmp_path / "recordings"): {"request": {}, "files": {}}}
    (tmp_path / "ws" / "labels.json").write_text(json.dumps({"format": 1, "folders": folders}))
    found = projects.open(str(tmp_path / "ws"))
    assert (found.recordings, found.workspace) == (tmp_path / "recordings", tmp_path / "ws")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"projects": [1]}', '{"projects": [{}]}'])
def test_a_damaged_list_is_kept_and_begun_anew(tmp_path: Path, text: str) -> None:
    projects = Projects(tmp_path)
    (tmp_path / "projects.json").write_text(text)
    assert projects.recent() == []
    projects.open(str(tmp_path))
    assert len(projects.recent()) == 1
    if text:
        assert (tmp_path / "damaged-projects.json").read_text() == text


@pytest.mark.parametrize("place", ["relative", "/no/such/folder/ws", "/proc/ws", "/a\nb"])
def test_results_go_where_they_can(tmp_path: Path, place: str) -> None:
    with pytest.raises(BirdmodesError):
        Projects(tmp_path / "state").open(str(tmp_path), place)


def test_a_port_that_is_taken_is_named() -> None:
    with listen(0) as taken:
        with pytest.raises(BirdmodesError, match="--port"):
            listen(taken.getsockname()[1])
        assert taken.getsockname()[0] == "127.0.0.1"


def test_folders_are_told_of(window: Window, recordings: Path) -> None:
    found: dict[str, Any] = window.ask(f"api/folders?path={recordings.parent}").json
    assert [recordings.name, str(recordings)] in found["inside"]
    assert found["places"][0][0] == "Home"
    answer = window.ask("api/folders?path=/dev/../proc/self")
    assert (answer.status, "devices" in answer.json["problem"]) == (422, True)


def test_recordings_that_come_later_are_seen(window: Window, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    project = window.context.projects.open(str(folder))
    at = f"p/{project.id}/api"
    assert "no recordings here" in window.ask(f"{at}/contents").json["problem"]
    write_sound(folder / "a.wav")
    assert window.ask(f"{at}/lists").json["recordings"] == ["a.wav"]
    assert window.ask(f"{at}/contents").json["recordings"] == 1
