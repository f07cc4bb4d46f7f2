"""The pages of the window."""

from __future__ import annotations

import functools
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from birdmodes._version import __version__
from birdmodes.app.context import Context
from birdmodes.app.forms import CommandForm, shown_command
from birdmodes.app.job import JobFolder
from birdmodes.app.projects import Project
from birdmodes.app.results import (
    made_clusterings,
    made_files,
    made_galleries,
    made_workspaces,
    recordings_done,
)
from birdmodes.app.steps import lists_in_use, options_of
from birdmodes.io.html import html_environment
from birdmodes.io.printing import shown

if TYPE_CHECKING:
    from starlette.requests import Request

_HERE = Path(__file__).parent

PAGES = {
    "recordings": "Recordings",
    "lists": "Species lists",
    "modes": "Find modes",
    "gallery": "Look and correct",
    "export": "Export",
    "new": "New recordings",
    "evaluate": "Evaluate",
}
"""Pages of a project, in the order of work, and their titles."""


class Pages:
    """Answers with pages.

    Parameters
    ----------
    context : Context
        Of the window.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    async def home(self, request: Request) -> Response:
        """Choose a project."""
        return await run_in_threadpool(self._home)

    def _home(self) -> Response:
        projects = [
            {"project": project, "done": recordings_done(project.workspace)}
            for project in self._context.projects.recent()
        ]
        return self._page("home", here="home", projects=projects)

    async def project(self, request: Request) -> Response:
        """One of `PAGES`."""
        return await run_in_threadpool(self._project, request)

    def _project(self, request: Request) -> Response:
        name = request.path_params["page"]
        if name not in PAGES:
            return self.trouble(HTTPStatus.NOT_FOUND, "There is no such page.")
        project = self._context.project(request)
        facts: dict[str, Any] = getattr(self, f"_{name}", lambda _: {})(project)
        return self._page(name, here=name, project=project, **facts)

    def trouble(self, status: int, text: str) -> Response:
        """A page that says what is wrong."""
        return self._page("trouble", int(status), here="trouble", text=text)

    def _page(self, name: str, status: int = 200, **facts: Any) -> Response:
        template = _templates().get_template(f"{name}.html")
        html = template.render(
            root=f"/{self._context.token}/", version=__version__, pages=PAGES, **facts
        )
        return HTMLResponse(html, status)

    def _form(self, name: str) -> dict[str, Any]:
        """What the template of a form takes."""
        form = self._context.forms[name]
        first, more = options_of(form)
        return {"form": form, "first": first, "more": more, "words": _sentences(form)}

    def _recordings(self, project: Project) -> dict[str, Any]:
        return {"done": recordings_done(project.workspace)}

    def _modes(self, project: Project) -> dict[str, Any]:
        lists = lists_in_use(project)
        return {
            "forms": [self._form(name) for name in ("segment", "cluster", "gallery")],
            "lists": None if lists is None else [Path(file).name for file in lists],
            "done": recordings_done(project.workspace),
            "has_job": JobFolder(project.workspace).folder.is_dir(),
        }

    def _gallery(self, project: Project) -> dict[str, Any]:
        clusterings = made_clusterings(project.workspace, self._context.bases)
        known = {clustering.name for clustering in clusterings}
        groups = [name for name in made_galleries(project.workspace) if name not in known]
        return {
            "clusterings": clusterings,
            "groups": groups,
            "review": shown_command(["review", f"--workspace={project.workspace}"]),
            "apply": self._form("review apply"),
            "undo": self._form("review undo"),
            "make": self._form("gallery"),
        }

    def _export(self, project: Project) -> dict[str, Any]:
        return {
            "export": self._form("export"),
            "files": made_files(project.workspace / "exports"),
            "clusterings": made_clusterings(project.workspace, self._context.bases),
        }

    def _new(self, project: Project) -> dict[str, Any]:
        return {
            "forms": [self._form(name) for name in ("assign", "annotate")],
            "workspaces": made_workspaces(project.workspace),
            "clusterings": made_clusterings(project.workspace, self._context.bases),
        }

    def _evaluate(self, project: Project) -> dict[str, Any]:
        return {
            "evaluate": self._form("evaluate"),
            "files": made_files(project.workspace / "evaluations", (".html",)),
            "done": recordings_done(project.workspace),
        }


def _sentences(form: CommandForm) -> tuple[str, str]:
    """First sentence of a command's help, and the rest."""
    first, _, rest = form.help.partition(". ")
    return (f"{first}." if rest else first), rest


@functools.cache
def _templates() -> jinja2.Environment:
    environment = html_environment(_HERE / "templates")
    environment.filters["shown"] = shown
    environment.filters["size"] = _size
    return environment


def _size(n_bytes: int) -> str:
    value, unit = float(n_bytes), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 and unit != "B" else f"{value:.0f} {unit}"
