"""Options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

Workspace = Annotated[
    Path,
    typer.Option("--workspace", "-w", help="Folder that keeps the results of all commands."),
]

Workers = Annotated[
    int,
    typer.Option("--workers", min=0, help="Processes to use; 0 means one for each core."),
]

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help="Folder of the data sets' files. Default: that of the environment variable "
        "BIRDMODES_DATA, else your cache folder.",
        show_default=False,
    ),
]


def worker_count(workers: int) -> int:
    """Number of processes for ``--workers``: 0 means the cores this process may use."""
    if workers:
        return workers
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
