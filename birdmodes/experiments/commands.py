"""Which commands filled a folder of results, and how much of each was done: written by them.

A command is noted with the number of tasks that it has to do and of those that the folder holds
already, before it does any. So what became of it can be told although it was killed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from birdmodes.io.files import write_text

COMMANDS_FILE = "commands.json"


def note_command(folder: Path, command: str, todo: int, there: int) -> None:
    """Note a command before it starts.

    Parameters
    ----------
    folder : pathlib.Path
        Of the results.
    command : str
        As it could be typed.
    todo, there : int
        Tasks that it has to do, and tasks that the folder holds.
    """
    noted = [*_noted(folder), {"command": command, "todo": todo, "there": there}]
    write_text(folder / COMMANDS_FILE, json.dumps(noted, indent=1) + "\n")


def commands_of(folder: Path, there: int) -> list[str]:
    """Tell which commands made what a folder holds, and which of them did not do all they had to.

    Parameters
    ----------
    folder : pathlib.Path
        Of the results.
    there : int
        Tasks that it holds now.

    Returns
    -------
    list of str
        Each command once. One that had nothing left to do is left out, unless there is no other.
    """
    noted = _noted(folder)
    if not noted:
        return [f"not noted which ({there:,} tasks)"]
    ends = [*(each["there"] for each in noted[1:]), there]
    first: dict[str, int] = {}
    did: dict[str, int] = {}
    for each, end in zip(noted, ends, strict=True):
        command, done = each["command"], end - each["there"]
        if not done:
            continue
        # The same command goes on where it was stopped.
        first.setdefault(command, each["todo"])
        did[command] = did.get(command, 0) + done
    said = [
        command
        if did[command] >= first[command]
        else f"{command} ({did[command]:,} of its {first[command]:,} tasks)"
        for command in first
    ]
    if earlier := noted[0]["there"]:
        said.insert(0, f"not noted which ({earlier:,} tasks)")
    return said or [noted[-1]["command"]]


def _noted(folder: Path) -> list[dict[str, Any]]:
    path = folder / COMMANDS_FILE
    if not path.is_file():
        return []
    noted: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return noted
