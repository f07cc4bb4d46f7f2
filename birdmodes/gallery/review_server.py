"""Serves a gallery to the browser on this machine, and saves what is corrected in it.

Nobody else can reach it: it listens on 127.0.0.1 only; every address begins with a random token;
the ``Host`` header must name this machine, so that no foreign name that resolves to it will do;
and what writes must come from the gallery's own pages. It gives the files of the gallery and
nothing else.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sys
from collections.abc import Callable, Collection
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from birdmodes.errors import ReviewError
from birdmodes.review.edits import parse_review
from birdmodes.review.pending import PendingReview, ReviewConflictError

HOST = "127.0.0.1"
MAX_BODY = 20 * 1024 * 1024
MOST_LEFT = 3 * MAX_BODY
PATIENCE_S = 30
"""A browser that says nothing for so long is left."""

API = "api/review"

MIME_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webp": "image/webp",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""What a gallery consists of; other files are not given."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer."""


class Refusal(Exception):  # noqa: N818  it is an answer, not an error
    """An answer other than what was asked for: its status, and why in words."""

    def __init__(self, status: HTTPStatus, problem: str) -> None:
        super().__init__(problem)
        self.status = status
        self.problem = problem


class ReviewServer(ThreadingHTTPServer):
    """A gallery and its pending review, for the browser on this machine.

    Parameters
    ----------
    gallery : pathlib.Path
        Folder of the gallery.
    pending : PendingReview
        Where edits are kept.
    port : int
        Port to listen on; 0 takes a free one.

    Attributes
    ----------
    address : str
        The first page, token and all: whoever knows it can read the gallery and edit the review.

    Raises
    ------
    OSError
        If the port is taken.
    """

    daemon_threads = True
    # Two servers on one port would share its visitors by chance.
    allow_reuse_address = sys.platform != "win32"

    def __init__(self, gallery: Path, pending: PendingReview, port: int = 0) -> None:
        self.gallery = gallery.resolve(strict=True)
        self.pending = pending
        self.token = secrets.token_urlsafe(24)
        super().__init__((HOST, port), _Handler)
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        self.address = f"http://{HOST}:{self.server_port}/{self.token}/index.html"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that has gone away; report what is wrong with us."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: ReviewServer
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE_S
    # Otherwise the second packet of an answer waits until the browser has confirmed the first.
    disable_nagle_algorithm = True
    server_version, sys_version = "birdmodes", ""

    def do_GET(self) -> None:
        self._answer(self._get)

    do_HEAD = do_GET  # noqa: N815  the base class looks for this name

    def do_POST(self) -> None:
        self._answer(self._save)

    do_PUT = do_POST  # noqa: N815

    def log_message(self, *args: Any) -> None:
        """Write no log: it would hold the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the base class refuses, such as unknown methods, in our own way."""
        self.close_connection = True
        status = HTTPStatus(code)
        self._send_json(status, {"problem": message or status.phrase})

    # --- who may ask, and for what ---

    def _answer(self, handle: Callable[[str], None]) -> None:
        self.is_read = False  # the body of this request
        try:
            handle(self._inside())
        except Refusal as refusal:
            self._leave_body()
            self._send_json(refusal.status, {"problem": refusal.problem})
        except OSError as error:
            if isinstance(error, ConnectionError | TimeoutError):
                raise
            problem = f"{error.filename or self.server.gallery}: {error.strerror or error}"
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"problem": problem})

    def _inside(self) -> str:
        """Path behind the token, percent-decoded; refuses who does not know the token."""
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            raise Refusal(HTTPStatus.FORBIDDEN, "this server answers to 127.0.0.1 only")
        path = self.path.split("?", 1)[0].split("#", 1)[0]
        _, _, rest = path.partition("/")
        token, _, inside = rest.partition("/")
        known = secrets.compare_digest(
            token.encode("utf-8", "replace"), self.server.token.encode("ascii")
        )
        if not known or not path.startswith("/"):
            raise Refusal(
                HTTPStatus.FORBIDDEN, "use the whole address that 'birdmodes review' printed"
            )
        try:
            return unquote_to_bytes(inside).decode("utf-8")
        except UnicodeDecodeError:
            raise Refusal(HTTPStatus.NOT_FOUND, "there is no such page") from None

    # --- reading ---

    def _get(self, inside: str) -> None:
        if inside == API:
            self._send_json(HTTPStatus.OK, review_state(self.server.pending))
        elif inside == "":
            self._send(HTTPStatus.FOUND, {"Location": f"/{self.server.token}/index.html"}, b"")
        else:
            self._send_file(gallery_file(self.server.gallery, inside))

    def _send_file(self, file: Path) -> None:
        content = file.read_bytes()
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if self.headers.get("If-None-Match") == tag:
            self._send(HTTPStatus.NOT_MODIFIED, headers, b"")
            return
        headers["Content-Type"] = MIME_TYPES[file.suffix]
        self._send(HTTPStatus.OK, headers, content)

    # --- writing ---

    def _save(self, inside: str) -> None:
        if inside != API:
            raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "only the review can be written")
        self._check_origin()
        self._send_json(*save_review(self.server.pending, self._json_body()))

    def _check_origin(self) -> None:
        """Refuse what another site lets the browser send."""
        origins = [f"http://{host}" for host in self.server.hosts]
        if self.headers.get("Origin") not in origins:
            raise Refusal(HTTPStatus.FORBIDDEN, "only the gallery's own pages may write")
        if self.headers.get_content_type() != "application/json":
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the review must be sent as JSON")

    def _json_body(self) -> Any:
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not re.fullmatch(r"[0-9]{1,18}", length):
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "the length of the review is missing")
        if int(length) > MAX_BODY:
            most = MAX_BODY // 1024**2
            raise Refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the review is larger than {most} MB; download it and apply it from the file",
            )
        body = self.rfile.read(int(length))
        self.is_read = True
        if len(body) < int(length):
            raise ConnectionError("the browser went away")
        try:
            return json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise Refusal(HTTPStatus.BAD_REQUEST, "the review is not JSON") from None

    def _leave_body(self) -> None:
        """Read what nobody wants, so that the browser listens to the answer; then hang up."""
        if self.command in ("GET", "HEAD") or self.is_read:
            return
        self.close_connection = True
        length = self.headers.get("Content-Length", "")
        left = min(int(length), MOST_LEFT) if re.fullmatch(r"[0-9]{1,18}", length) else 0
        while left > 0 and (piece := self.rfile.read(min(left, 2**16))):
            left -= len(piece)

    # --- answering ---

    def _send_json(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
        self._send(status, headers, json.dumps(content).encode("ascii"))

    def _send(self, status: HTTPStatus, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def review_state(pending: PendingReview) -> dict[str, Any]:
    """What a page of the gallery is told of the edits so far.

    Parameters
    ----------
    pending : PendingReview
        Where they are kept.

    Raises
    ------
    Refusal
        If the file is damaged.
    """
    try:
        revision, review = pending.read()
    except ReviewError as error:
        raise Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, str(error)) from error
    return {"revision": revision, "review": review and review.to_dict()}


def save_review(pending: PendingReview, document: Any) -> tuple[HTTPStatus, dict[str, Any]]:
    """Keep what a page of the gallery sends.

    Parameters
    ----------
    pending : PendingReview
        Where edits are kept.
    document : object
        From JSON: the revision that the edits were made from, and the review.

    Returns
    -------
    status : http.HTTPStatus
        `CONFLICT` if somebody else has changed the review since.
    content : dict
        The new revision; or the state as it is, if there is a conflict.

    Raises
    ------
    Refusal
        If it is no review, or one of another clustering or another state of it.
    """
    if not isinstance(document, dict) or not isinstance(document.get("revision"), str):
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "revision and review are missing")
    try:
        review = parse_review(document.get("review"))
        revision = pending.write(document["revision"], review)
    except ReviewConflictError:
        return HTTPStatus.CONFLICT, review_state(pending)
    except ReviewError as error:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
    return HTTPStatus.OK, {"revision": revision}


def gallery_file(gallery: Path, inside: str, kinds: Collection[str] | None = MIME_TYPES) -> Path:
    """Find a file of a gallery by its address.

    Parameters
    ----------
    gallery : pathlib.Path
        Folder of the gallery, resolved.
    inside : str
        Address from it, percent-decoded.
    kinds : collection of str, optional
        Endings that files may have; by default those of galleries. None: all.

    Returns
    -------
    pathlib.Path
        A file in `gallery`, of such a type.

    Raises
    ------
    Refusal
        If it is none: also if the address leads out of the folder, or a link does.
    """
    nothing = Refusal(HTTPStatus.NOT_FOUND, "there is no such page")
    # Backslashes and colons mean something on Windows; no file of a gallery has them.
    if re.search(r"[\\:\x00-\x1f]", inside):
        raise nothing
    parts = inside.split("/")
    if any(part == "" or part.startswith(".") for part in parts):
        raise nothing
    try:
        file = gallery.joinpath(*parts).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise nothing from None
    if not file.is_relative_to(gallery) or not file.is_file():
        raise nothing
    if kinds is not None and file.suffix not in kinds:
        raise nothing
    return file
