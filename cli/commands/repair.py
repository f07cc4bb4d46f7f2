"""``birdmodes repair``: put a workspace in order without losing anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from birdmodes.io.printing import shown
from cli import console, options

if TYPE_CHECKING:
    from birdmodes.info.repair import Repaired


def repair(workspace: options.Workspace = Path("birdmodes-workspace")) -> None:
    """Move what is damaged in a workspace out of the way, so that it can be made again.

    Reads everything. What a program that was killed had begun is finished or taken back. What
    cannot be read goes to the folder damaged/ of the workspace, and nothing is deleted; of the log
    of corrections, all that can be read stays. The commands that make the rest again are listed.
    """
    from birdmodes.info.repair import repair as mend

    _print(mend(workspace))


def _print(done: Repaired) -> None:
    if not done.moved:
        console.say("all is in order" if not done.again else "nothing that could be moved")
    else:
        console.say(f"cannot be read, moved to {shown(done.kept)}:")
        for part in done.moved:
            console.say(f"  {shown(part)}")
    if done.kept_batches or done.lost_batches:
        console.say(
            f"log of corrections: {console.plural(done.kept_batches, 'line')} kept, "
            f"{done.lost_batches} cannot be read"
        )
    for command in done.again:
        console.say(f"make again: birdmodes {command}")
