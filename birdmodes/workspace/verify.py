"""Reading all that ``segment`` has stored, to see what is damaged."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import DamagedError
from birdmodes.workspace.shards import Shards
from birdmodes.workspace.tables import RECORDINGS_SCHEMA, SYLLABLES_SCHEMA


def damaged_shards(folder: Path) -> list[DamagedError]:
    """Read every shard of a workspace.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace.

    Returns
    -------
    list of DamagedError
        One for each file that is damaged or missing: which, and what to do.
    """
    gathered = folder / "gathered"  # not read here
    recordings = Shards(folder / "recordings", RECORDINGS_SCHEMA, gathered)
    syllables = Shards(folder / "syllables", SYLLABLES_SCHEMA, gathered)
    before = Shards(folder / "found", SYLLABLES_SCHEMA, gathered)
    found = [*recordings.damaged(), *syllables.damaged(), *before.damaged()]
    for name in recordings.whole_names():
        shard = syllables.folder / name
        if not shard.exists():
            found.append(DamagedError(f"{shard}: missing; run 'birdmodes segment' again", shard))
    return found
