"""What the window says of folders, and of species lists."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from birdmodes.app.context import Context, got, posted
from birdmodes.app.folders import checked_folder, list_folder, places
from birdmodes.app.forms import shown_command
from birdmodes.app.lists import (
    find_label_tables,
    read_species_table,
    table_path,
    write_species_table,
)
from birdmodes.app.projects import Project
from birdmodes.app.steps import choose_lists, lists_in_use
from birdmodes.audio.find import RecordingFile
from birdmodes.errors import BirdmodesError, LabelError, ParameterError

if TYPE_CHECKING:
    from starlette.requests import Request

_LOOK_S = 0.3
"""So long a page waits for what may come at once."""

_LISTING_S = 60.0


class FolderPages:
    """Answers about folders and lists.

    Parameters
    ----------
    context : Context
        Of the window.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.folders = got(self._folders)
        self.open = posted(self._open)
        self.forget = posted(self._forget)
        self.contents = got(self._contents)
        self.lists = got(self._lists)
        self.save = posted(self._save)
        self.choose = posted(self._choose)
        self.check = posted(self._check)

    def _folders(self, request: Request) -> dict[str, Any]:
        path = request.query_params.get("path") or str(Path.home())
        return {**asdict(list_folder(path)), "places": places()}

    def _open(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        folder, workspace = document.get("folder"), document.get("workspace", "")
        if not isinstance(folder, str) or not isinstance(workspace, str):
            raise ParameterError("no folder is named")
        return {"project": self._context.projects.open(folder, workspace).id}

    def _forget(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        self._context.projects.forget(str(document.get("project")))
        return {}

    def _contents(self, request: Request) -> dict[str, Any]:
        project = self._context.project(request)
        look = self._context.look(project, anew=request.query_params.get("anew") == "1")
        if look is None:
            return {"problem": "the folder of the recordings is not known", "complete": True}
        look.wait(_LOOK_S)
        return look.so_far()

    def _recordings_of(self, project: Project) -> list[RecordingFile]:
        look = self._context.look(project)
        if look is None:
            raise BirdmodesError("the folder of the recordings is not known; choose it anew")
        look.wait_for_names(_LISTING_S)
        said = look.so_far()["problem"]
        if said:
            raise BirdmodesError(said)
        return look.recordings

    def _lists(self, request: Request) -> dict[str, Any]:
        project = self._context.project(request)
        recordings = self._recordings_of(project)
        table = read_species_table(self._table_path(project))
        chosen = lists_in_use(project)
        return {
            "recordings": [recording.name for recording in recordings],
            "files": find_label_tables(recordings),
            "table": {
                "path": str(table.path),
                "revision": table.revision,
                "species": table.species,
            },
            "chosen": None if chosen is None else list(chosen),
        }

    def _table_path(self, project: Project) -> Path:
        if project.recordings is None:
            raise BirdmodesError("the folder of the recordings is not known; choose it anew")
        return table_path(project.recordings, project.workspace)

    def _save(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        project = self._context.project(request)
        rows, revision = document.get("rows"), document.get("revision")
        if not isinstance(revision, str) or not _are_pairs(rows):
            raise LabelError("this is no table of recordings and species")
        path = self._table_path(project)
        path.parent.mkdir(parents=True, exist_ok=True)
        table = write_species_table(path, revision, [(row[0], row[1]) for row in rows])
        choose_lists(project, [str(path)])
        return {"path": str(path), "revision": table.revision, "saved": len(table.species)}

    def _choose(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        files = document.get("files")
        if files is not None:
            files = _label_files(files)
        choose_lists(self._context.project(request), files)
        return {}

    def _check(self, request: Request, document: dict[str, Any]) -> dict[str, Any]:
        """What ``birdmodes labels`` says of files."""
        project = self._context.project(request)
        files = _label_files(document.get("files"))
        if not files or project.recordings is None:
            raise ParameterError("choose a label file first")
        words = ["labels", *files, f"--recordings={project.recordings}"]
        found = self._context.output_of([*words, "--json"])
        return {"command": shown_command(words), "found": found}


def _are_pairs(rows: Any) -> TypeGuard[list[list[str]]]:
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 2 and all(isinstance(cell, str) for cell in row)
        for row in rows
    )


def _label_files(files: Any) -> list[str]:
    """Make sure that label files are files, or folders of a disk: reading others may never end."""
    if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
        raise ParameterError("these are no label files")
    for file in files:
        path = Path(file)
        if not (path.is_absolute() and file.isprintable() and path.is_file()):
            checked_folder(file)
    return files
