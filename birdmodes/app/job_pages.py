"""What the window says of work that is going on, and what may be asked of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from birdmodes.app import jobs
from birdmodes.app.context import Context, got, posted
from birdmodes.app.forms import shown_command
from birdmodes.app.job import RUNNING, JobFolder
from birdmodes.app.projects import Project
from birdmodes.app.steps import STEPS, words_of
from birdmodes.errors import BirdmodesError, ParameterError

if TYPE_CHECKING:
    from starlette.requests import Request

LOOK_EVERY_S = 0.4
_SIGN_OF_LIFE_S = 15.0

_WARNINGS = ("warning: ", "birdmodes: ")
"""What lines begin with that people should see."""


class JobPages:
    """Answers about work.

    Parameters
    ----------
    context : Context
        Of the window.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.now = got(lambda request: job_state(context.project(request).workspace))
        self.command = posted(self._command)
        self.start = posted(self._start)
        self.stop = posted(self._stop)
        self.go_on = posted(self._go_on)

    async def events(self, request: Request) -> Response:
        """Tell what changes, as it changes."""
        workspace = (await run_in_threadpool(self._context.project, request)).workspace

        async def changes() -> AsyncIterator[str]:
            told, quiet = "", 0.0
            while not await request.is_disconnected():
                state = json.dumps(await run_in_threadpool(job_state, workspace))
                if state != told:
                    told, quiet = state, 0.0
                    yield f"data: {state}\n\n"
                elif quiet >= _SIGN_OF_LIFE_S:
                    quiet = 0.0
                    yield ": still here\n\n"
                await asyncio.sleep(LOOK_EVERY_S)
                quiet += LOOK_EVERY_S

        return StreamingResponse(changes(), media_type="text/event-stream")

    def _command(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        project = self._context.project(request)
        try:
            steps = self._steps(project, document)
        except BirdmodesError as error:  # nothing is wrong: the form is not filled in yet
            return {"commands": [], "problem": str(error)}
        return {"commands": [shown_command(step) for step in steps], "problem": ""}

    def _start(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        project = self._context.project(request)
        if project.is_gone:
            raise BirdmodesError(
                f"{project.recordings or project.workspace}: the folder is not there any more; "
                "plug the disk in, or choose the folder anew"
            )
        jobs.start(project.workspace, self._context.program, self._steps(project, document))
        self._context.projects.touch(project)
        return job_state(project.workspace)

    def _stop(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        workspace = self._context.project(request).workspace
        jobs.stop(workspace)
        return job_state(workspace)

    def _go_on(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        workspace = self._context.project(request).workspace
        jobs.go_on(workspace, self._context.program, list(STEPS))
        return job_state(workspace)

    def _steps(self, project: Project, document: dict[str, Any]) -> list[list[str]]:
        """The commands that a page asks for."""
        steps = document.get("steps")
        if not isinstance(steps, list) or not 1 <= len(steps) <= len(STEPS):
            raise ParameterError("no command is asked for")
        words = []
        for step in steps:
            if not isinstance(step, dict):
                raise ParameterError("no command is asked for")
            command, values = step.get("command"), step.get("values", {})
            places = step.get("places", [])
            words.append(words_of(project, self._context.forms, command, values, places))
        return words


def job_state(workspace: Path) -> dict[str, Any]:
    """Give all that a page shows of the work on a workspace.

    Parameters
    ----------
    workspace : pathlib.Path
        Its folder.
    """
    folder = JobFolder(workspace)
    try:
        job = folder.read()
    except BirdmodesError as error:
        return {"status": "damaged", "problem": str(error)}
    except OSError as error:
        return {"status": "damaged", "problem": f"{workspace}: {error.strerror or error}"}
    if job is None:
        return {"status": "none"}
    progress = folder.read_progress() if job.status == RUNNING else None
    log = folder.log_end()
    lines = log.splitlines()
    return {
        "status": job.status,
        "at": job.at,
        "steps": [{"name": _name(step), "command": shown_command(step)} for step in job.steps],
        "codes": list(job.codes),
        "started": job.started,
        "ended": job.ended,
        "progress": None if progress is None else asdict(progress),
        "can_go_on": jobs.can_go_on(job),
        "log": log,
        "warnings": [line for line in lines if line.startswith(_WARNINGS)],
    }


def _name(step: tuple[str, ...]) -> str:
    """Name of a command, without its options."""
    return max(
        (name for name in STEPS if list(step[: len(name.split())]) == name.split()),
        key=len,
        default=step[0],
    )
