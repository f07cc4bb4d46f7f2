"""Galleries of a workspace as the window serves them, with reviews saved at every edit."""

from __future__ import annotations

import hashlib
import json
import threading
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, JSONResponse, Response

from birdmodes.app.context import Context, got, problem
from birdmodes.app.jobs import is_running
from birdmodes.errors import BirdmodesError
from birdmodes.gallery.review_server import (
    MIME_TYPES,
    Refusal,
    gallery_file,
    review_state,
    save_review,
)
from birdmodes.gallery.review_session import gallery_base
from birdmodes.io.result_files import METRICS
from birdmodes.review.pending import PendingReview, only_one_review, pending_path

if TYPE_CHECKING:
    from starlette.requests import Request

FOLDERS = {"exports": "exports", "evaluations": "evaluations", "figures": "figures"}
"""Folders of a workspace whose files are given."""

_POLICY_ALONE = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox"
)
"""Of pages that stand alone, with their style in them, and without scripts."""


class GalleryPages:
    """Answers for what lies in workspaces.

    Parameters
    ----------
    context : Context
        Of the window.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lock = threading.Lock()
        self.review_state = got(self._review_state)

    async def page(self, request: Request) -> Response:
        """A file of a gallery."""
        return await run_in_threadpool(self._page, request)

    def _page(self, request: Request) -> Response:
        folder = self._context.project(request).workspace / "gallery"
        inside = f"{request.path_params['gallery']}/{request.path_params['path']}"
        return _file(request, folder, inside)

    async def made(self, request: Request) -> Response:
        """A file that a command has made."""
        return await run_in_threadpool(self._made, request)

    def _made(self, request: Request) -> Response:
        part = FOLDERS.get(request.path_params["part"])
        if part is None:
            return problem(HTTPStatus.NOT_FOUND, "there is no such page")
        folder = self._context.project(request).workspace / part
        inside = request.path_params["path"]
        if Path(inside).suffix == ".html":
            answer = _file(request, folder, inside)
            answer.headers["Content-Security-Policy"] = _POLICY_ALONE
            return answer
        return _file(request, folder, inside, download=True)

    def _review_state(self, request: Request) -> dict[str, Any]:
        return review_state(self._pending(request))

    async def save(self, request: Request) -> Response:
        """Keep edits."""
        body = await request.body()
        return await run_in_threadpool(self._save, request, body)

    def _save(self, request: Request, body: bytes) -> Response:
        try:
            document = json.loads(body.decode("utf-8"))
            pending = self._pending(request)
            # Held for the moment only: who applies them meanwhile changes the state, which the
            # next edit is then told.
            with self._lock, only_one_review(pending.path.parents[1]):
                status, content = save_review(pending, document)
        except (ValueError, RecursionError):
            return problem(HTTPStatus.BAD_REQUEST, "the review is not JSON")
        except Refusal as refusal:
            return problem(refusal.status, refusal.problem)
        except BirdmodesError as error:
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            return problem(HTTPStatus.INSUFFICIENT_STORAGE, f"{place}{error.strerror or error}")
        return JSONResponse(content, int(status))

    def _pending(self, request: Request) -> PendingReview:
        """Where the edits of a gallery are kept, if it shows what there is."""
        workspace = self._context.project(request).workspace
        name = request.path_params["gallery"]
        if is_running(workspace):
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "work on this workspace is going on")
        if name not in {path.parent.name for path in workspace.glob(f"clusterings/*/{METRICS}")}:
            raise Refusal(HTTPStatus.NOT_FOUND, "there is no such clustering")
        base = self._context.bases.base(workspace, name)
        if gallery_base(workspace / "gallery" / name) != base:
            raise Refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"{name} has changed since this gallery was made: make the gallery again",
            )
        pending = PendingReview(pending_path(workspace, name), name, base)
        pending.path.parent.mkdir(exist_ok=True)
        pending.set_aside()
        return pending


def _file(request: Request, folder: Path, inside: str, *, download: bool = False) -> Response:
    """Give a file in a folder, and nothing that is not in it."""
    try:
        file = gallery_file(folder.resolve(strict=True), inside, None if download else MIME_TYPES)
        if download:
            return FileResponse(file, filename=file.name, media_type="application/octet-stream")
        content = file.read_bytes()
    except Refusal as refusal:
        return problem(refusal.status, refusal.problem)
    except OSError:
        return problem(HTTPStatus.NOT_FOUND, "there is no such page")
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, headers=headers, media_type=MIME_TYPES[file.suffix])
