"""Who may ask: the browser on this machine that knows the token, from our own pages."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from birdmodes.gallery.review_server import HEADERS, HOST, MAX_BODY

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class Guard:
    """Stands before an application, and lets in only who may ask; the rules of `ReviewServer`.

    Parameters
    ----------
    inner : callable
        The application, which sees paths without the token.
    token : str
        What every address begins with.
    port : int
        Where it listens.
    """

    def __init__(self, inner: ASGIApp, token: str, port: int) -> None:
        self._inner = inner
        self._token = token.encode("ascii")
        self._hosts = [f"{name}:{port}".encode() for name in (HOST, "localhost")]
        self._origins = [b"http://" + host for host in self._hosts]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._inner(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        inside = scope["path"].split("/", 2)[2]
        inner = {**scope, "path": f"/{inside}", "raw_path": f"/{inside}".encode(), "root_path": ""}
        await self._inner(inner, _limited(receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[HTTPStatus, str] | None:
        """Why a request is not let in; None if it is."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if _all(headers, b"host") not in [[host] for host in self._hosts]:
            return HTTPStatus.FORBIDDEN, "this server answers to 127.0.0.1 only"
        parts = scope["path"].split("/", 2)
        token = parts[1].encode("utf-8", "replace") if len(parts) == 3 else b""
        if not secrets.compare_digest(token, self._token):
            return HTTPStatus.FORBIDDEN, "use the whole address that 'birdmodes app' printed"
        if scope["method"] in ("GET", "HEAD"):
            return None
        if scope["method"] != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED, "this is not done here"
        return self._unfit_to_write(headers)

    def _unfit_to_write(self, headers: list[tuple[bytes, bytes]]) -> tuple[HTTPStatus, str] | None:
        origins = _all(headers, b"origin")
        if len(origins) != 1 or origins[0] not in self._origins:
            return HTTPStatus.FORBIDDEN, "only our own pages may ask for this"
        kinds = _all(headers, b"content-type")
        if len(kinds) != 1 or kinds[0].split(b";")[0].strip().lower() != b"application/json":
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "this must be sent as JSON"
        lengths = _all(headers, b"content-length")
        if len(lengths) != 1 or not re.fullmatch(rb"[0-9]{1,18}", lengths[0]):
            return HTTPStatus.LENGTH_REQUIRED, "the length is missing"
        if int(lengths[0]) > MAX_BODY:
            most = MAX_BODY // 1024**2
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"this is larger than {most} MB"
        return None


def _all(headers: list[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key.lower() == name]


def _limited(receive: Receive) -> Receive:
    """The same, but no more than was said before."""
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY:
            return {"type": "http.disconnect"}
        return message

    return limited


def _with_headers(send: Send) -> Send:
    """The same, with our headers on every answer."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            names = {key.lower() for key, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.lower().encode(), value.encode())
                    for name, value in {
                        "Cache-Control": "no-store",
                        "Content-Security-Policy": POLICY,
                        **HEADERS,
                    }.items()
                    if name.lower().encode() not in names
                ),
            ]
        await send(message)

    return sending


async def _refuse(send: Send, status: HTTPStatus, problem: str) -> None:
    body = json.dumps({"problem": problem}).encode("ascii")
    start = {
        "type": "http.response.start",
        "status": int(status),
        "headers": [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            # Nobody has read what was sent along.
            (b"connection", b"close"),
        ],
    }
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": body})
