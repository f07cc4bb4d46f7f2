"""Commands as people type them: in their shell, and for their workspace."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from birdmodes.io.paths import AnyPath
from birdmodes.workspace.store import DEFAULT_FOLDER


def command_line(*words: object, folder: AnyPath | None = None, program: str = "birdmodes") -> str:
    """Line that the system's shell takes as it stands.

    Parameters
    ----------
    *words : object
        The command, its arguments and options.
    folder : str or path-like, optional
        The workspace that it is for; named where it is not the default one.
    program : str
        What starts birdmodes, as the shell takes it.
    """
    plain = [str(word) for word in words]
    if folder is not None and Path(folder) != Path(DEFAULT_FOLDER):
        plain += ["--workspace", str(folder)]
    return f"{program} {subprocess.list2cmdline(plain) if os.name == 'nt' else shlex.join(plain)}"
