"""The window's server: pages and answers put together, and served on this machine."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from birdmodes.app.context import Context, problem
from birdmodes.app.folder_pages import FolderPages
from birdmodes.app.forms import CommandForm
from birdmodes.app.gallery_pages import GalleryPages
from birdmodes.app.guard import Guard
from birdmodes.app.job_pages import JobPages
from birdmodes.app.pages import Pages
from birdmodes.app.projects import Projects, state_folder
from birdmodes.errors import BirdmodesError
from birdmodes.gallery.review_server import HOST, MIME_TYPES, Refusal, gallery_file

if TYPE_CHECKING:
    from starlette.requests import Request

_OWN_ASSETS = Path(__file__).parent / "assets"
_GALLERY_ASSETS = Path(__file__).parents[1] / "gallery" / "assets"
_ONE_OF_OURS = "p/{project:str}"


def make_app(context: Context, port: int) -> Guard:
    """Put the window together.

    Parameters
    ----------
    context : Context
        Its state.
    port : int
        Where it will listen.

    Returns
    -------
    Guard
        An ASGI application.
    """
    pages, folders = Pages(context), FolderPages(context)
    jobs, galleries = JobPages(context), GalleryPages(context)
    one = f"/{_ONE_OF_OURS}"
    review = f"{one}/gallery/{{gallery:str}}/api/review"
    routes = [
        Route("/", pages.home),
        Route("/assets/{path:path}", _asset),
        Route("/api/folders", folders.folders),
        Route("/api/open", folders.open, methods=["POST"]),
        Route("/api/forget", folders.forget, methods=["POST"]),
        Route(f"{one}/api/contents", folders.contents),
        Route(f"{one}/api/lists", folders.lists),
        Route(f"{one}/api/lists/save", folders.save, methods=["POST"]),
        Route(f"{one}/api/lists/choose", folders.choose, methods=["POST"]),
        Route(f"{one}/api/lists/check", folders.check, methods=["POST"]),
        Route(f"{one}/api/job", jobs.now),
        Route(f"{one}/api/events", jobs.events),
        Route(f"{one}/api/command", jobs.command, methods=["POST"]),
        Route(f"{one}/api/start", jobs.start, methods=["POST"]),
        Route(f"{one}/api/stop", jobs.stop, methods=["POST"]),
        Route(f"{one}/api/go-on", jobs.go_on, methods=["POST"]),
        Route(review, galleries.review_state),
        Route(review, galleries.save, methods=["POST"]),
        Route(f"{one}/gallery/{{gallery:str}}/{{path:path}}", galleries.page),
        Route(f"{one}/made/{{part:str}}/{{path:path}}", galleries.made),
        Route(f"{one}/{{page:str}}", pages.project),
    ]

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = error.detail if isinstance(error, HTTPException) else str(error)
        if "/api/" in request.url.path:
            return problem(status, detail)
        return await run_in_threadpool(pages.trouble, status, detail)

    app = Starlette(routes=routes, exception_handlers={HTTPException: refused})
    return Guard(app, context.token, port)


async def _asset(request: Request) -> Response:
    path = request.path_params["path"]
    own = path.startswith("app/")
    inside = path.removeprefix("app/").removeprefix("gallery/")
    try:
        file = gallery_file((_OWN_ASSETS if own else _GALLERY_ASSETS).resolve(), inside)
    except Refusal as refusal:
        return problem(refusal.status, refusal.problem)
    return Response(await run_in_threadpool(file.read_bytes), media_type=MIME_TYPES[file.suffix])


def listen(port: int) -> socket.socket:
    """Take a port of this machine, which others cannot reach.

    Raises
    ------
    BirdmodesError
        If the port is taken.
    """
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        # Otherwise the port of a window that was just closed is taken for a minute.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
        taken.listen()  # who comes early waits
    except OSError as error:
        taken.close()
        raise BirdmodesError(
            f"port {port} cannot be used ({error.strerror or error}); name another with --port"
        ) from error
    return taken


def make_server(app: Guard) -> uvicorn.Server:
    """Make a server of a window; it listens once it is run with a socket of `listen`."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="error",
            access_log=False,  # it would hold the token
            server_header=False,
            date_header=False,
            proxy_headers=False,  # nobody stands between
            ws="none",
            lifespan="off",
            http="h11",
            timeout_graceful_shutdown=1,
        )
    )


def serve(
    program: Sequence[str],
    forms: Mapping[str, CommandForm],
    *,
    folder: str | None = None,
    port: int = 0,
    open_browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Open the window, and serve it until it is interrupted.

    Parameters
    ----------
    program : sequence of str
        What the words of commands are given to.
    forms : mapping
        Names of commands to what they can be told.
    folder : str, optional
        Of recordings, or a workspace: opened at once.
    port : int
        To listen on; 0 takes a free one.
    open_browser : bool
        Whether to open it in the browser.
    say : callable
        Called with lines for the user.

    Raises
    ------
    BirdmodesError
        If the port is taken, or `folder` cannot be used.
    """
    context = Context(program, forms, Projects(state_folder()))
    page = ""
    if folder is not None:
        page = f"p/{context.projects.open(folder).id}/recordings"
    with contextlib.closing(listen(port)) as taken:
        port = taken.getsockname()[1]
        server = make_server(make_app(context, port))
        address = f"http://{HOST}:{port}/{context.token}/{page}"
        say(f"birdmodes: {address}")
        say("work that is started there goes on without this window; end with Ctrl-C")
        if open_browser:
            threading.Thread(target=_open_soon, args=(server, address), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[taken])


def _open_soon(server: uvicorn.Server, address: str) -> None:
    """Open the browser once somebody answers it."""
    for _ in range(100):
        if server.started:
            webbrowser.open(address)
            return
        time.sleep(0.05)
