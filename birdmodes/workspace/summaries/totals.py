"""How much there is in a workspace."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass

from birdmodes.labels import split_species
from birdmodes.workspace.gathering.folder_state import FolderState, folder_state
from birdmodes.workspace.store import ERRORS, Workspace
from birdmodes.workspace.summaries.kept import keep, kept

_NAME = "recordings"
_UNREAD = "unread"


@dataclass(frozen=True)
class Totals:
    """Sums over the recordings of a workspace.

    Attributes
    ----------
    recordings, labelled, syllables : int
        How many there are, how many recordings have a species list, syllables of all.
    duration_s : float
        Of all recordings.
    species : list of str
        In the lists, sorted.
    """

    recordings: int
    labelled: int
    syllables: int
    duration_s: float
    species: list[str]


def totals(workspace: Workspace, state: FolderState | None = None) -> Totals:
    """Count what is in a workspace, or recall it if no recording has changed since.

    Parameters
    ----------
    workspace : Workspace
        With its recordings.
    state : FolderState, optional
        Of its folder ``recordings`` as it is now, if that is known.

    Raises
    ------
    DamagedError
        If a recording's row cannot be read.
    """
    of = [(state or folder_state(workspace.folder / "recordings")).digest]
    answer = kept(workspace.folder, _NAME, of)
    if answer is not None:
        return Totals(**answer)
    recordings = workspace.recordings()
    found = Totals(
        recordings=len(recordings),
        labelled=int(recordings["labelled"].sum()),
        syllables=int(recordings["n_syllables"].sum()),
        duration_s=round(float(recordings["duration_s"].sum()), 3),
        species=sorted(
            {name for cell in recordings["species"].unique() for name in split_species(cell)}
        ),
    )
    keep(workspace.folder, _NAME, of, asdict(found))
    return found


def unread(workspace: Workspace) -> int:
    """Count recordings that could not be read, or recall it if the table of them is as it was.

    Raises
    ------
    DamagedError
        If the table is damaged.
    """
    table = workspace.folder / ERRORS
    of = [hashlib.sha256(table.read_bytes() if table.exists() else b"").hexdigest()]
    answer = kept(workspace.folder, _UNREAD, of)
    if answer is not None:
        return int(answer["recordings"])
    found = int(workspace.errors()["recording"].nunique())
    keep(workspace.folder, _UNREAD, of, {"recordings": found})
    return found
