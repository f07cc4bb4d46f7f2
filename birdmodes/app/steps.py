"""The steps that pages offer, and the commands that they are."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from birdmodes.app.folders import checked_folder
from birdmodes.app.forms import CommandForm, Option
from birdmodes.app.job import JobFolder
from birdmodes.app.projects import Project
from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.io.files import write_text
from birdmodes.workspace.labels import read_remembered

_LISTS = "lists.json"


@dataclass(frozen=True)
class Step:
    """A command as pages offer it.

    Attributes
    ----------
    command : str
        Its name.
    first : tuple of str
        Options that are shown at once; the others are folded away.
    hidden : tuple of str
        Options that the window sets itself, or that make no sense in it.
    places : {"", "recordings", "asked"}
        What it is about: nothing, the project's recordings, or folders that the page asks for.
    """

    command: str
    first: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    places: str = ""


_OWN = ("--workspace", "--json")

STEPS = {
    step.command: step
    for step in (
        Step(
            "segment",
            ("--clip-seconds", "--fmin", "--fmax", "--channel"),
            (*_OWN, "--labels", "--no-labels", "--scheduler"),
            "recordings",
        ),
        Step("cluster", ("--k", "--method"), (*_OWN, "--scheduler")),
        Step("gallery", ("--examples",), _OWN),
        Step("review apply", ("--dry-run",), _OWN),
        Step("review undo", (), _OWN),
        Step("export", ("--format", "--species", "--output"), _OWN),
        Step("assign", ("--threshold", "--labels", "--output"), _OWN, "asked"),
        Step("annotate", ("--method", "--output"), _OWN, "asked"),
        Step("evaluate", ("--method", "--folds"), _OWN),
    )
}


def options_of(form: CommandForm) -> tuple[list[Option], list[Option]]:
    """Options that a page shows at once, and those that it folds away.

    Parameters
    ----------
    form : CommandForm
        Of a command of `STEPS`.
    """
    step = STEPS[form.name]
    known = {option.flag: option for option in form.options}
    first = [known[flag] for flag in step.first if flag in known]
    more = [
        option
        for option in form.options
        if option.flag not in step.hidden and option.flag not in step.first
    ]
    return first, more


def words_of(
    project: Project, forms: Mapping[str, CommandForm], command: Any, values: Any, places: Any = ()
) -> list[str]:
    """Give the words of a command for a project.

    Parameters
    ----------
    project : Project
        What it is for.
    forms : mapping
        Names of commands to what they can be told.
    command : str
        One of `STEPS`.
    values : mapping
        Flags to values, as a page sends them.
    places : sequence of str
        Folders, where the command asks for some.

    Raises
    ------
    ParameterError
        If it cannot be told so.
    """
    if not isinstance(command, str) or command not in STEPS:
        raise ParameterError(f"{command!r} is no command of the window")
    step = STEPS[command]
    if not isinstance(values, dict) or any(flag in step.hidden for flag in values):
        raise ParameterError(f"birdmodes {command}: these are no options of it")
    given: dict[str, Any] = dict(values)
    about: list[str] = []
    if step.places == "recordings":
        if project.recordings is None:
            raise ParameterError(
                f"{project.workspace}: the folder of its recordings is not known; choose it anew"
            )
        about = [str(project.recordings)]
        given.update(chosen_lists(project).values())
    elif step.places == "asked":
        about = [str(checked_folder(place)) for place in _texts(places)]
        if not about:
            raise ParameterError("choose the folder of the new recordings first")
    given["--workspace"] = str(project.workspace)
    return forms[command].arguments(given, about)


def _texts(places: Any) -> list[str]:
    if not isinstance(places, list) or not all(isinstance(place, str) for place in places):
        raise ParameterError("these are no folders")
    return places


@dataclass(frozen=True)
class ChosenLists:
    """The species lists that a project uses.

    Attributes
    ----------
    files : tuple of str or None
        Label files; none at all if it is empty; None: what `birdmodes segment` takes by itself.
    """

    files: tuple[str, ...] | None = None

    def values(self) -> dict[str, Any]:
        """Options of ``birdmodes segment`` that say so."""
        if self.files is None:
            return {}
        return {"--labels": list(self.files)} if self.files else {"--no-labels": True}


def chosen_lists(project: Project) -> ChosenLists:
    """Give the species lists that were chosen for a project."""
    path = JobFolder(project.workspace).folder / _LISTS
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        return ChosenLists(None if files is None else tuple(str(file) for file in files))
    except (OSError, ValueError, KeyError, TypeError):
        return ChosenLists()


def lists_in_use(project: Project) -> tuple[str, ...] | None:
    """Give the label files that the next run reads.

    Parameters
    ----------
    project : Project
        Whose lists may have been named in a terminal, too: `birdmodes segment` remembers them.

    Returns
    -------
    tuple of str or None
        Files; none at all if it is empty; None for what lies beside the recordings.
    """
    chosen = chosen_lists(project).files
    if chosen is None and project.recordings is not None:
        with contextlib.suppress(BirdmodesError, OSError):
            before = read_remembered(project.workspace).get(str(project.recordings))
            return None if before is None else before.request.labels
    return chosen


def choose_lists(project: Project, files: Sequence[str] | None) -> None:
    """Keep the choice of species lists.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    folder = JobFolder(project.workspace).folder
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / _LISTS, json.dumps({"files": None if files is None else list(files)}))
