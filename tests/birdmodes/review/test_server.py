"""The review server: what it gives, what it refuses, and that edits are kept whole."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from socketserver import StreamRequestHandler
from typing import Any

import pytest

from birdmodes.errors import ReviewError
from birdmodes.gallery.review_server import MAX_BODY, ReviewServer
from birdmodes.review.pending import NO_REVISION, PendingReview, pending_path

BASE = "0123456789abcdef" * 4
EDIT = {
    "id": "00112233445566aa",
    "at": "2026-01-31T10:00:00Z",
    "action": "rename",
    "cluster": 0,
    "name": "<script>é",
}
SECRET = "nobody may read this"  # noqa: S105  it is no password


def review_of(*edits: dict[str, Any], **changed: Any) -> dict[str, Any]:
    fields = {"format": 1, "clustering": "made", "base": BASE, "who": "Ann", "edits": list(edits)}
    return {**fields, **changed}


@pytest.fixture
def gallery(tmp_path: Path) -> Path:
    folder = tmp_path / "gallery"
    for name, text in {
        "index.html": "<h1>Index</h1>",
        "assets/review.js": '"use strict";',
        "assets/review.css": "a {}",
        "thumbs/a.webp": "RIFF",
        "birdmodes-gallery.json": "{}",
        "notes.txt": SECRET,
        ".hidden.html": SECRET,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "secret.html").write_text(SECRET)
    (tmp_path / "gallery-other").mkdir()
    (tmp_path / "gallery-other" / "secret.html").write_text(SECRET)
    return folder


@pytest.fixture
def server(gallery: Path, tmp_path: Path) -> Iterator[ReviewServer]:
    path = pending_path(tmp_path, "made")
    path.parent.mkdir()
    with ReviewServer(gallery, PendingReview(path, "made", BASE)) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


class Answer:
    """What came back."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    server: ReviewServer,
    path: str,
    *,
    method: str = "GET",
    token: str | None = None,
    host: str | None = None,
    body: bytes = b"",
    **headers: str,
) -> Answer:
    """Send exactly this: nothing in the path is tidied up on the way."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    try:
        target = f"/{server.token if token is None else token}/{path}"
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        if host != "":
            connection.putheader("Host", host or f"127.0.0.1:{server.server_port}")
        if body:
            headers.setdefault("Content_Length", str(len(body)))
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        connection.send(body)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def save(server: ReviewServer, document: object, **changed: Any) -> Answer:
    """Post as a page of the gallery does."""
    headers = {
        "Origin": f"http://127.0.0.1:{server.server_port}",
        "Content_Type": "application/json",
        **changed,
    }
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return ask(server, "api/review", method="POST", body=body, **headers)


# --- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "mime"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("assets/review.js", "text/javascript; charset=utf-8"),
        ("assets/review.css", "text/css; charset=utf-8"),
        ("thumbs/a.webp", "image/webp"),
        ("birdmodes-gallery.json", "application/json"),
        ("index.html?a=1", "text/html; charset=utf-8"),
        ("assets%2Freview.js", "text/javascript; charset=utf-8"),
    ],
)
def test_files_of_the_gallery_are_given_with_their_type(
    server: ReviewServer, gallery: Path, path: str, mime: str
) -> None:
    answer = ask(server, path)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == mime
    file = gallery / path.split("?")[0].replace("%2F", "/")
    assert answer.body == file.read_bytes()
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_head_gives_the_headers_alone(server: ReviewServer, gallery: Path) -> None:
    answer = ask(server, "index.html", method="HEAD")
    assert answer.status == 200
    assert answer.headers["Content-Length"] == str((gallery / "index.html").stat().st_size)
    assert answer.body == b""


def test_an_unchanged_file_is_not_sent_twice(server: ReviewServer, gallery: Path) -> None:
    tag = ask(server, "index.html").headers["ETag"]
    assert ask(server, "index.html", If_None_Match=tag).status == 304
    (gallery / "index.html").write_text("new")
    assert ask(server, "index.html", If_None_Match=tag).body == b"new"


def test_the_address_alone_leads_to_the_first_page(server: ReviewServer) -> None:
    answer = ask(server, "")
    assert answer.status == 302
    assert answer.headers["Location"] == f"/{server.token}/index.html"


@pytest.mark.parametrize("token", ["", "wrong", "api", "%C3%A9", "index.html"])
def test_who_does_not_know_the_token_gets_nothing(server: ReviewServer, token: str) -> None:
    for path in ("index.html", "api/review", ""):
        answer = ask(server, path, token=token)
        assert answer.status == 403
        assert b"Index" not in answer.body
        assert server.token.encode() not in answer.body
    assert ask(server, "index.html", token=server.token[:-1]).status == 403
    assert ask(server, "index.html", token=server.token + "a").status == 403


def test_tokens_are_long_and_new_each_time(gallery: Path, tmp_path: Path) -> None:
    tokens = set()
    for _ in range(3):
        pending = PendingReview(tmp_path / "p.json", "made", BASE)
        with ReviewServer(gallery, pending) as made:
            tokens.add(made.token)
            assert made.server_address[0] == "127.0.0.1"
    assert len(tokens) == 3
    assert min(map(len, tokens)) >= 32


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}"]
)
def test_names_that_only_resolve_to_this_machine_are_refused(
    server: ReviewServer, host: str
) -> None:
    named = host.format(port=server.server_port)
    assert ask(server, "index.html", host=named).status == 403
    assert ask(server, "api/review", host=named).status == 403
    assert ask(server, "index.html", host=f"localhost:{server.server_port}").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "../secret.html",
        "../gallery-other/secret.html",
        "assets/../../secret.html",
        "..%2fsecret.html",
        "%2e%2e/secret.html",
        "%2e%2e%2fsecret.html",
        "..\\secret.html",
        "..%5csecret.html",
        "assets/..%5c..%5csecret.html",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "{folder}/secret.html",
        "/{folder}/secret.html",
        "C:/secret.html",
        "file:secret.html",
        "index.html%00.js",
        "index.html/",
        "./index.html",
        "assets//review.js",
        "assets/../index.html",
        "%c0%ae%c0%ae/secret.html",
        "%ff",
        "link.html",
        "linked/secret.html",
        ".hidden.html",
        "notes.txt",
        "assets",
        "assets/",
        "nothing.html",
        "a" * 5000 + ".html",
        "api",
        "api/review/",
    ],
)
def test_nothing_but_the_gallery_can_be_read(
    server: ReviewServer, gallery: Path, tmp_path: Path, path: str
) -> None:
    (gallery / "link.html").symlink_to(tmp_path / "secret.html")
    (gallery / "linked").symlink_to(tmp_path)
    answer = ask(server, path.format(folder=tmp_path))
    assert answer.status == 404
    assert SECRET.encode() not in answer.body
    assert answer.json == {"problem": "there is no such page"}


@pytest.mark.parametrize("method", ["DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"])
def test_other_methods_are_refused(server: ReviewServer, method: str) -> None:
    answer = ask(server, "index.html", method=method)
    assert answer.status == 501
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_files_cannot_be_written(server: ReviewServer, gallery: Path) -> None:
    answer = ask(server, "index.html", method="PUT", body=b"new")
    assert answer.status == 405
    assert (gallery / "index.html").read_text() == "<h1>Index</h1>"


def test_nonsense_does_no_harm(server: ReviewServer) -> None:
    host = f"Host: 127.0.0.1:{server.server_port}\r\n\r\n".encode()
    for line in (
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET http://a/ HTTP/1.1\r\n\r\n",
        b"GET /\xe9/index.html HTTP/1.1\r\n" + host,
        b"\xff\x00\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as raw:
            raw.sendall(line)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(4096):
                pass
    assert ask(server, "index.html").status == 200


# --- writing ---------------------------------------------------------------------------------


def test_edits_are_kept_and_given_back(server: ReviewServer) -> None:
    assert ask(server, "api/review").json == {"revision": NO_REVISION, "review": None}
    saved = save(server, {"revision": NO_REVISION, "review": review_of(EDIT)})
    assert saved.status == 200
    state = ask(server, "api/review")
    assert state.json == {"revision": saved.json["revision"], "review": review_of(EDIT)}
    assert state.headers["Cache-Control"] == "no-store"
    on_disk = json.loads(server.pending.path.read_text(encoding="utf-8"))
    assert on_disk == review_of(EDIT)
    more = review_of(EDIT, {**EDIT, "id": "00112233445566ab", "name": ""})
    again = save(server, {"revision": saved.json["revision"], "review": more})
    assert again.status == 200
    assert again.json["revision"] != saved.json["revision"]
    assert not list(server.pending.path.parent.glob(".*"))


def test_the_later_of_two_writers_is_told(server: ReviewServer) -> None:
    mine = review_of(EDIT, who="first")
    first = save(server, {"revision": NO_REVISION, "review": mine})
    second = save(server, {"revision": NO_REVISION, "review": review_of(who="second")})
    assert second.status == 409
    assert second.json == {"revision": first.json["revision"], "review": mine}
    assert ask(server, "api/review").json["review"] == mine


def test_of_many_writers_at_once_one_wins(server: ReviewServer) -> None:
    answers = []

    def write(number: int) -> None:
        review = review_of(EDIT, who=f"{number}")
        answers.append((save(server, {"revision": NO_REVISION, "review": review}).status, number))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = sorted(status for status, _ in answers)
    assert statuses == [200] + [409] * 7
    winner = next(number for status, number in answers if status == 200)
    assert json.loads(server.pending.path.read_text())["who"] == f"{winner}"


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1"]
)
def test_other_sites_cannot_write(server: ReviewServer, origin: str | None) -> None:
    headers = {} if origin is None else {"Origin": origin.format(port=server.server_port)}
    body = json.dumps({"revision": NO_REVISION, "review": review_of(EDIT)}).encode()
    answer = ask(
        server, "api/review", method="POST", body=body, Content_Type="application/json", **headers
    )
    assert answer.status == 403
    assert not server.pending.path.exists()


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_forms_cannot_write(server: ReviewServer, kind: str) -> None:
    answer = save(server, {"revision": "", "review": review_of(EDIT)}, Content_Type=kind)
    assert answer.status == 415
    assert not server.pending.path.exists()


def test_a_body_that_is_too_large_is_refused(server: ReviewServer) -> None:
    answer = save(server, b" " * (MAX_BODY + 1))
    assert answer.status == 413
    assert "20 MB" in answer.json["problem"]
    assert ask(server, "index.html").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "many"}, 411),
        ({"Transfer_Encoding": "chunked", "Content_Length": "0"}, 411),
        ({"Content_Length": "99999999999999999999"}, 411),
    ],
)
def test_a_body_without_length_is_refused(
    server: ReviewServer, headers: dict[str, str], status: int
) -> None:
    answer = ask(
        server,
        "api/review",
        method="POST",
        Origin=f"http://127.0.0.1:{server.server_port}",
        Content_Type="application/json",
        **headers,
    )
    assert answer.status == status


@pytest.mark.parametrize(
    ("document", "status", "why"),
    [
        (b"{", 400, "not JSON"),
        (b"\xff", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        ([], 422, "missing"),
        ({"review": review_of()}, 422, "missing"),
        ({"revision": 1, "review": review_of()}, 422, "missing"),
        ({"revision": ""}, 422, "review"),
        ({"revision": "", "review": {"format": 1}}, 422, "edits"),
        ({"revision": "", "review": review_of(format=2)}, 422, "format"),
        ({"revision": "", "review": review_of({**EDIT, "action": "eval"})}, 422, "eval"),
        ({"revision": "", "review": review_of({**EDIT, "cluster": -1})}, 422, "cluster"),
        ({"revision": "", "review": review_of(base="0" * 64)}, 422, "another state"),
        ({"revision": "", "review": review_of(clustering="other")}, 422, "another state"),
        ({"revision": "", "review": review_of(clustering="../../x")}, 422, "clustering"),
    ],
)
def test_what_is_no_review_is_refused_with_the_reason(
    server: ReviewServer, document: object, status: int, why: str
) -> None:
    answer = save(server, document)
    assert answer.status == status
    assert why in answer.json["problem"]
    assert not server.pending.path.exists()


def test_a_full_disk_is_reported_and_the_old_edits_stay(
    server: ReviewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = save(server, {"revision": NO_REVISION, "review": review_of(EDIT)})

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device", str(server.pending.path))

    with monkeypatch.context() as patched:
        patched.setattr("birdmodes.review.pending.write_text", no_space)
        answer = save(server, {"revision": first.json["revision"], "review": review_of()})
    assert answer.status == 500
    assert "No space left on device" in answer.json["problem"]
    assert ask(server, "api/review").json["review"] == review_of(EDIT)


def test_a_damaged_file_is_reported(server: ReviewServer) -> None:
    server.pending.path.write_text("{")
    answer = ask(server, "api/review")
    assert answer.status == 500
    assert "not JSON" in answer.json["problem"]


# --- the file --------------------------------------------------------------------------------


def test_edits_of_another_state_are_set_aside_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "pending-made.json"
    PendingReview(path, "made", "a" * 64).write(NO_REVISION, _parsed(base="a" * 64))
    content = path.read_bytes()
    pending = PendingReview(path, "made", BASE)
    aside = pending.set_aside()
    assert aside is not None
    assert aside.read_bytes() == content
    assert pending.read() == (NO_REVISION, None)
    assert pending.set_aside() is None
    pending.write(NO_REVISION, _parsed())
    assert pending.set_aside() is None
    assert pending.read()[1] == _parsed()


def test_a_review_of_another_state_is_not_written(tmp_path: Path) -> None:
    pending = PendingReview(tmp_path / "pending-made.json", "made", BASE)
    with pytest.raises(ReviewError, match="another state"):
        pending.write(NO_REVISION, _parsed(base="a" * 64))


def _parsed(**changed: Any) -> Any:
    from birdmodes.review.edits import parse_review

    return parse_review(review_of(EDIT, **changed))


def test_an_answer_does_not_wait_until_the_browser_confirms_its_first_packet(
    server: ReviewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told by the socket's option: times would depend on the machine."""
    seen = []
    original = server.RequestHandlerClass.handle

    def noting(handler: StreamRequestHandler) -> None:
        seen.append(handler.connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        original(handler)

    monkeypatch.setattr(server.RequestHandlerClass, "handle", noting)
    with urllib.request.urlopen(server.address) as answer:  # noqa: S310  it is ours
        assert answer.status == 200
    assert len(seen) == 1
    assert all(seen)
