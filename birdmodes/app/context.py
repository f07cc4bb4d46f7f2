"""What all pages of the window share."""

from __future__ import annotations

import json
import secrets
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from birdmodes.app.contents import Look
from birdmodes.app.forms import CommandForm
from birdmodes.app.projects import Project, Projects
from birdmodes.app.results import Bases
from birdmodes.errors import BirdmodesError
from birdmodes.gallery.review_server import Refusal

if TYPE_CHECKING:
    from starlette.requests import Request

_ANSWER_S = 120


@dataclass
class Context:
    """The state of a window: little, since all that lasts is in files.

    Attributes
    ----------
    program : sequence of str
        What the words of a command are given to.
    forms : mapping
        Names of commands to what they can be told.
    projects : Projects
        The list of recent ones.
    token : str
        What every address begins with.
    bases : Bases
        Of the clusterings that were looked at.
    """

    program: Sequence[str]
    forms: Mapping[str, CommandForm]
    projects: Projects
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    bases: Bases = field(default_factory=Bases)
    _looks: dict[str, Look] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def project(self, request: Request) -> Project:
        """Give the project that an address is about.

        Raises
        ------
        HTTPException
            404 if there is none.
        """
        project = self.projects.find(request.path_params["project"])
        if project is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such project in the list")
        return project

    def look(self, project: Project, *, anew: bool = False) -> Look | None:
        """Look at the recordings of a project, until some are found; None if it has no folder."""
        if project.recordings is None:
            return None
        with self._lock:
            before = self._looks.get(project.id)
            if before is not None and (anew or before.failed()):
                self._looks.pop(project.id).end()
            if project.id not in self._looks:
                self._looks[project.id] = Look(project.recordings)
            return self._looks[project.id]

    def output_of(self, words: Sequence[str]) -> Any:
        """Run a command that only looks, and give the JSON that it prints.

        Parameters
        ----------
        words : sequence of str
            Of the command, with ``--json``.

        Raises
        ------
        BirdmodesError
            If it cannot: with what it said.
        """
        try:
            done = subprocess.run(  # noqa: S603  a list, and no shell
                [*self.program, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_ANSWER_S,
                check=False,
            )
            return json.loads(done.stdout)
        except subprocess.TimeoutExpired:
            raise BirdmodesError(f"birdmodes {words[0]} took too long") from None
        except ValueError:
            said = done.stderr.strip().splitlines()
            raise BirdmodesError(
                said[-1].removeprefix("birdmodes: ") if said else "nothing came back"
            ) from None


Answer = Callable[["Request", Any], dict[str, Any]]


def posted(answer: Answer) -> Callable[[Request], Any]:
    """Make an answer to a POST of a function that may take its time.

    Parameters
    ----------
    answer : callable
        Takes the request and the JSON that came with it; gives what is sent back as JSON.
    """

    async def handle(request: Request) -> Response:
        try:
            document = json.loads((await request.body()).decode("utf-8"))
        except (ValueError, RecursionError):
            return problem(HTTPStatus.BAD_REQUEST, "this is not JSON")
        if not isinstance(document, dict):
            return problem(HTTPStatus.BAD_REQUEST, "this is not what a page of ours sends")
        return await _answered(answer, request, document)

    return handle


def got(answer: Callable[[Request], dict[str, Any]]) -> Callable[[Request], Any]:
    """Make an answer to a GET of a function that gives what is sent back as JSON."""

    async def handle(request: Request) -> Response:
        return await _answered(lambda asked, _: answer(asked), request, None)

    return handle


async def _answered(answer: Answer, request: Request, document: Any) -> Response:
    try:
        return JSONResponse(await run_in_threadpool(answer, request, document))
    except Refusal as refusal:
        return problem(refusal.status, refusal.problem)
    except BirdmodesError as error:
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return problem(HTTPStatus.INSUFFICIENT_STORAGE, f"{place}{error.strerror or error}")


def problem(status: int, text: str) -> Response:
    """Say in words what does not go."""
    return JSONResponse({"problem": text}, int(status))
