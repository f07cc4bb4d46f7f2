"""``workspace.json``: the format of a workspace, and what its tables were made with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from birdmodes.errors import ParameterError, WorkspaceError
from birdmodes.io.files import write_text
from birdmodes.workspace.settings import Settings

FORMAT = 2
OLDEST_FORMAT = 1
DESCRIPTION = "workspace.json"


def write_description(folder: Path, settings: Settings) -> None:
    """Write ``workspace.json``, which makes a folder a workspace."""
    content = {"format": FORMAT, **settings.to_dict()}
    write_text(folder / DESCRIPTION, json.dumps(content, indent=2) + "\n")


def read_description(folder: Path) -> dict[str, Any]:
    """Content of ``workspace.json``, as the present format has it.

    Raises
    ------
    WorkspaceError
        If there is none, it is damaged, or a version wrote it that this one cannot read.
    """
    path = folder / DESCRIPTION
    if not path.is_file():
        raise WorkspaceError(
            f"{folder}: no workspace here; run 'birdmodes segment RECORDINGS' first, "
            "or name it with --workspace"
        )
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        version = content.pop("format")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(folder, error) from error
    if version == 1:
        # It had no segmenters that are trained; columns that it had not are read as unknown.
        content["model_digest"] = ""
    elif version != FORMAT:
        raise WorkspaceError(
            f"{folder}: written in format {version}, this birdmodes reads {OLDEST_FORMAT} to "
            f"{FORMAT}; use a newer birdmodes, or run 'birdmodes segment --restart' on the "
            "recordings again"
        )
    return content


def settings_of(folder: Path, description: dict[str, Any]) -> Settings:
    """Settings that a description from `read_description` tells.

    Raises
    ------
    WorkspaceError
        If it is damaged, or another version wrote it.
    """
    try:
        return Settings.from_dict(description)
    except ParameterError as error:
        raise WorkspaceError(
            f"{folder}: written by another version of birdmodes ({error}); use that version, "
            "or run 'birdmodes segment --restart' on the recordings again"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, error) from error


def _damaged(folder: Path, error: Exception) -> WorkspaceError:
    return WorkspaceError(
        f"{folder / DESCRIPTION}: damaged ({error!r}); run 'birdmodes segment --restart'"
    )


def check_same_settings(folder: Path, settings: Settings) -> None:
    """Refuse a workspace that was made with other settings.

    Raises
    ------
    WorkspaceError
        If it was, or its description cannot be read.
    """
    stored = read_description(folder)
    settings_of(folder, stored)
    changed = settings.differences(stored)
    if changed:
        raise WorkspaceError(
            f"{folder}: made with other parameters ({'; '.join(changed)}); add --restart to "
            "segment everything anew, or use another --workspace"
        )
