"""What the species of a workspace are called otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from birdmodes.errors import LabelError
from birdmodes.io.files import write_text
from birdmodes.io.paths import AnyPath
from birdmodes.io.stored import damaged, read_json
from birdmodes.labels import split_species
from birdmodes.labels.taxonomy import OtherName, Taxon, read_taxonomy
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    import pandas as pd

FILE = "taxonomy.json"
"""Where a workspace keeps what it was told."""

_REMEDY = "delete it, and name the table again with --taxonomy"


def keep_names(
    workspace: Workspace, path: AnyPath | None, language: str | None = None
) -> list[str]:
    """Look the workspace's species up in a table, and remember their other names.

    Parameters
    ----------
    workspace : Workspace
        Keeps them, for all commands.
    path : str, path-like or None
        The table, see `birdmodes.labels.taxonomy.read_taxonomy`; None changes nothing.
    language : str, optional
        Its column with the names wanted.

    Returns
    -------
    list of str
        What does not fit.

    Raises
    ------
    LabelError
        If it cannot be read, or none of the species is in it, or there is a language and no table.
    """
    if path is None:
        if language is not None:
            raise LabelError("--language names a column of --taxonomy: give that, too")
        return []
    taxonomy = read_taxonomy(path, language)
    names = _species(workspace.recordings())
    found = {name: taxonomy.get(name) for name in names}
    missing = [name for name, taxon in found.items() if taxon is None]
    if names and len(missing) == len(names):
        raise LabelError(
            f"{path}: none of the workspace's {len(names)} species is in it, such as {missing[0]!r}"
        )
    told = {name: [*taxon] for name, taxon in found.items() if taxon is not None}
    write_text(workspace.folder / FILE, json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    if not missing:
        return []
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    return [f"{path}: species that are not in it: {', '.join(missing[:5])}{more}"]


def other_names(workspace: Workspace) -> dict[str, list[OtherName]]:
    """Give the names to show beside those of the labels; nothing where none were told.

    Raises
    ------
    DamagedError
        If they cannot be read.
    """
    path = workspace.folder / FILE
    if not path.exists():
        return {}
    told = read_json(path, _REMEDY)
    for taxon in told.values():
        texts = isinstance(taxon, list) and all(isinstance(name, str) for name in taxon)
        if not texts or len(taxon) != len(Taxon._fields):
            raise damaged(path, "not two names for each species", _REMEDY)
    return {name: Taxon(*taxon).beside(name) for name, taxon in told.items()}


def _species(recordings: pd.DataFrame) -> list[str]:
    clips = recordings["clip_species"].dropna().explode().dropna()
    cells = [*recordings["species"], *clips]
    return sorted({name for cell in cells for name in split_species(cell)})
