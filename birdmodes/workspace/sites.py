"""At which site each recording was made: as a table says, or else by folders."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.errors import LabelError
from birdmodes.io.files import write_text
from birdmodes.io.paths import AnyPath, folder_of
from birdmodes.io.stored import damaged, read_json
from birdmodes.io.tables import read_rows
from birdmodes.workspace.store import Workspace

FILE = "sites.json"
"""Where a workspace keeps the table that it was given."""

COLUMNS = ("recording", "site")

_REMEDY = "delete it, and name the table again with --sites"
# Recorders, and tidy people, put the recordings of a day into a folder of its own.
_DAY = re.compile(r"(\d{4}[-_]?\d{2}[-_]?\d{2}|\d{6})")


def keep_sites(workspace: Workspace, path: AnyPath) -> list[str]:
    """Take over a table of sites: CSV with the columns ``recording`` and ``site``.

    Parameters
    ----------
    workspace : Workspace
        Keeps it, for all commands.
    path : str or path-like
        The table. Recordings are named as everywhere in the workspace, or by the folder that they
        are in.

    Returns
    -------
    list of str
        What does not fit.

    Raises
    ------
    LabelError
        If it cannot be read, says two things of one recording, or no recording is in it.
    """
    path = Path(path)
    told: dict[str, str] = {}
    for line, row in read_rows(path, COLUMNS, LabelError):
        name = PurePosixPath(row["recording"].replace("\\", "/")).as_posix()
        if not row["site"]:
            raise LabelError(f"{path}, line {line}: no name in the column 'site'")
        if told.setdefault(name, row["site"]) != row["site"]:
            raise LabelError(f"{path}, line {line}: {name!r} was at another site further up")
    found = _by_table(workspace.recordings()["recording"].to_numpy(dtype=object), told)
    missing = int((found == "").sum())
    if missing == len(found):
        raise LabelError(
            f"{path}: none of its {len(told)} names is a recording of the workspace, or a folder "
            "of recordings; names are those that 'birdmodes export --format csv' has"
        )
    write_text(workspace.folder / FILE, json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    return [f"{path}: {missing:,} recordings are not in it: of no site"] if missing else []


def sites_of(workspace: Workspace, recordings: pd.DataFrame) -> pd.Series:
    """Name the site of each recording.

    Parameters
    ----------
    workspace : Workspace
        What was told of its sites goes first, see `keep_sites`.
    recordings : pandas.DataFrame
        Column recording.

    Returns
    -------
    pandas.Series of str
        The index is the recording; empty where the site is not known. Without a table, a site is
        a folder, those that are named after a day left out; all is of one site, without a name,
        where there is but one folder.
    """
    names = recordings["recording"].to_numpy(dtype=object)
    told = told_sites(workspace.folder)
    if told is not None:
        return _by_table(names, told)
    places = [folder_of(name) for name in names]
    of_place = {place: _folder(place) for place in dict.fromkeys(places)}
    folders = pd.Series([of_place[place] for place in places], index=names, dtype=object)
    return folders if folders.nunique() > 1 else folders.mask(folders != "", "")


def told_sites(folder: Path) -> dict[str, str] | None:
    """Give the site of each recording or folder as a workspace was told; None where it was not.

    Raises
    ------
    DamagedError
        If that cannot be read.
    """
    path = folder / FILE
    if not path.exists():
        return None
    told = read_json(path, _REMEDY)
    if not all(isinstance(site, str) for site in told.values()):
        raise damaged(path, "a site is no text", _REMEDY)
    return told


def _by_table(names: npt.NDArray[np.object_], told: dict[str, str]) -> pd.Series:
    def site(name: str) -> str:
        places = [name, *(str(folder) for folder in PurePosixPath(name).parents)]
        return next((told[place] for place in places if place in told), "")

    return pd.Series([site(name) for name in names], index=names, dtype=object)


def _folder(place: str) -> str:
    """A folder without those above it, and itself, that are named after a day."""
    return "/".join(part for part in PurePosixPath(place).parts if not _DAY.fullmatch(part))
