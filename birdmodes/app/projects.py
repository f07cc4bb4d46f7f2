"""Projects: a folder of recordings and the workspace of what was found in them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from birdmodes.app.folders import checked_folder
from birdmodes.errors import BirdmodesError, WorkspaceError
from birdmodes.io.files import write_text
from birdmodes.io.locks import single_writer
from birdmodes.workspace.description import DESCRIPTION
from birdmodes.workspace.labels import read_remembered
from birdmodes.workspace.store import DEFAULT_FOLDER

MOST = 30
_FILE = "projects.json"
_FORMAT = 1


@dataclass(frozen=True)
class Project:
    """Recordings and their workspace.

    Attributes
    ----------
    recordings : pathlib.Path or None
        Their folder; None if it is not known.
    workspace : pathlib.Path
        The workspace's folder, which need not exist yet.
    opened : float
        When it was opened last, in seconds since 1970.
    """

    recordings: Path | None
    workspace: Path
    opened: float = 0.0
    id: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(os.fsencode(self.workspace)).hexdigest()
        object.__setattr__(self, "id", digest[:12])

    @property
    def name(self) -> str:
        """What it is called."""
        folder = self.recordings or self.workspace
        return folder.name or str(folder)

    @property
    def is_begun(self) -> bool:
        """Whether there is a workspace."""
        return (self.workspace / DESCRIPTION).is_file()

    @property
    def is_gone(self) -> bool:
        """Whether the folder of the recordings, or else the workspace, is not there any more."""
        return not (self.recordings or self.workspace).is_dir()


def state_folder() -> Path:
    """Where programs keep what is to last, of this account."""
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "birdmodes"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "birdmodes"
    kept = Path(os.environ.get("XDG_STATE_HOME") or "")
    return (kept if kept.is_absolute() else home / ".local" / "state") / "birdmodes"


@dataclass(frozen=True)
class Projects:
    """The list of recent projects, in a file that all windows of the account share.

    Attributes
    ----------
    folder : pathlib.Path
        Where it is kept.
    """

    folder: Path

    def recent(self) -> list[Project]:
        """Give the projects, those opened last first; none if the list is damaged."""
        try:
            content = json.loads((self.folder / _FILE).read_text(encoding="utf-8"))
            projects = [
                Project(
                    Path(entry["recordings"]) if entry["recordings"] else None,
                    Path(entry["workspace"]),
                    float(entry["opened"]),
                )
                for entry in content["projects"]
            ]
        except (OSError, ValueError, KeyError, TypeError):
            return []
        return sorted(projects, key=lambda project: -project.opened)

    def find(self, identity: str) -> Project | None:
        """Give the project with an id."""
        return next((project for project in self.recent() if project.id == identity), None)

    def open(self, folder: str, workspace: str = "") -> Project:
        """Make a project of a folder, or find the one that is there, and put it first.

        Parameters
        ----------
        folder : str
            Of recordings, or a workspace.
        workspace : str
            Where results are to go; by default a folder in `folder`, or one in the home folder if
            nobody may write there.

        Raises
        ------
        BirdmodesError
            If `folder` cannot be used.
        OSError
            If the list cannot be written.
        """
        recordings: Path | None = checked_folder(folder)
        assert recordings is not None  # noqa: S101
        if (recordings / DESCRIPTION).is_file():
            place, recordings = recordings, _recordings_of(recordings)
        elif workspace:
            place = _checked_workspace(workspace)
        else:
            place = _usual_workspace(recordings)
        project = Project(recordings, place, time.time())
        self._keep(lambda known: [project, *(each for each in known if each.id != project.id)])
        return project

    def touch(self, project: Project) -> None:
        """Put a project first."""
        now = Project(project.recordings, project.workspace, time.time())
        self._keep(lambda known: [now, *(each for each in known if each.id != now.id)])

    def forget(self, identity: str) -> None:
        """Take a project off the list; its files stay."""
        self._keep(lambda known: [each for each in known if each.id != identity])

    def _keep(self, change: Callable[[list[Project]], list[Project]]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / _FILE
        with _patiently(self.folder / "lock"):
            known = self.recent()
            if not known and path.exists() and path.stat().st_size:
                self._set_damaged_aside(path)
            entries = [
                {
                    "recordings": str(project.recordings or ""),
                    "workspace": str(project.workspace),
                    "opened": project.opened,
                }
                for project in change(known)[:MOST]
            ]
            write_text(path, json.dumps({"format": _FORMAT, "projects": entries}, indent=1) + "\n")

    def _set_damaged_aside(self, path: Path) -> None:
        with contextlib.suppress(ValueError, KeyError, TypeError, OSError):
            if json.loads(path.read_text(encoding="utf-8"))["projects"] == []:
                return
        path.replace(path.with_name(f"damaged-{_FILE}"))


@contextlib.contextmanager
def _patiently(lock: Path) -> Iterator[None]:
    """Hold a lock that others hold for a moment only."""
    with contextlib.ExitStack() as stack:
        for attempt in range(50):
            try:
                stack.enter_context(single_writer(lock))
                break
            except WorkspaceError:
                if attempt == 49:
                    raise
                time.sleep(0.02)
        yield


def _usual_workspace(recordings: Path) -> Path:
    if os.access(recordings, os.W_OK):
        return recordings / DEFAULT_FOLDER
    digest = hashlib.sha256(os.fsencode(recordings)).hexdigest()[:6]
    return Path.home() / "birdmodes" / f"{recordings.name or 'recordings'}-{digest}"


def _checked_workspace(text: str) -> Path:
    """Make sure that a workspace can be made where somebody wants it."""
    path = Path(text).expanduser()
    if any(letter in text for letter in "\0\r\n") or not path.is_absolute():
        raise BirdmodesError(f"{text!r}: write the whole path of the results' folder")
    checked_folder(path if path.exists() else path.parent)
    return path


def _recordings_of(workspace: Path) -> Path | None:
    """Folder of the recordings of a workspace, if it is known and one."""
    with contextlib.suppress(BirdmodesError, OSError):
        roots = list(read_remembered(workspace))
        if len(roots) == 1:
            return Path(roots[0])
    return None
