"""The log of all corrections of a workspace, kept whatever becomes of the clusterings.

::

    review/log.jsonl               a batch of edits a line: who, when, on which clustering and base
    review/bases/<digest>.parquet  the state of the clustering that a batch was made on
    review/applied/<n>-<name>.json the files as they were given
    review/pending-<name>.json     what is saved while reviewing, and not applied yet

Nothing is ever taken out of the log: a batch that was undone is marked so.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from birdmodes.errors import DamagedError, ReviewError, WorkspaceError
from birdmodes.io.files import atomic_path, write_text
from birdmodes.io.stored import damaged, read_lines, read_parquet
from birdmodes.modes.clustering import Clustering, clustering_names, read_parameters
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.edits import Review, parse_review
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    import pandas as pd

APPLIED = "applied"
"""Folder of the files as they were given; each name begins with the number of its batch."""

LOG_REMEDY = (
    "mend it, or move the file away to start anew; review/applied has the corrections as they came"
)
BASE_REMEDY = (
    "put it back from a copy, or delete it: then corrections that were made on it are left out, "
    "but stay in the log"
)

BASE_COLUMNS = [
    "syllable",
    "recording",
    "start_s",
    "end_s",
    "low_hz",
    "high_hz",
    "cluster",
    "species",
    "mode",
    "background",
]


@dataclass(frozen=True)
class Batch:
    """Edits that were applied together.

    Attributes
    ----------
    number : int
        From 1, growing along the log.
    applied_at : str
        When (UTC, ISO 8601).
    review : Review
        What was asked for; its base is kept among the bases.
    undone : bool
        Whether it was taken back.
    """

    number: int
    applied_at: str
    review: Review
    undone: bool = False


def review_folder(workspace: Workspace) -> Path:
    """Folder of the log; need not exist."""
    return workspace.folder / "review"


def read_log(workspace: Workspace) -> list[Batch]:
    """Read all batches, the oldest first, those that were undone too.

    Raises
    ------
    ReviewError
        If the log is damaged; names the line.
    """
    path = log_path(workspace)
    if not path.exists():
        return []
    batches: list[Batch] = []
    for number, line in enumerate(read_lines(path, LOG_REMEDY), start=1):
        if line.strip():
            place = f"{path}: line {number}"
            batches.append(_batch(line, len(batches) + 1, place))
            if [batch.number for batch in batches].count(batches[-1].number) > 1:
                raise ReviewError(f"{place}: damaged (a batch with that number is above)")
    return batches


def readable_batches(path: Path) -> tuple[list[Batch], int]:
    """Read what can be read of a damaged log.

    Parameters
    ----------
    path : pathlib.Path
        The log.

    Returns
    -------
    batches : list of Batch
        Of the lines that can be read; of several with one number, the first.
    n_lost : int
        How many other lines there are.
    """
    try:
        content = path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return [], 0
    batches: dict[int, Batch] = {}
    lines = [line for line in content.splitlines() if line.strip()]
    for place, line in enumerate(lines, start=1):
        with contextlib.suppress(ReviewError):
            batch = _batch(line, place, str(path))
            batches.setdefault(batch.number, batch)
    return list(batches.values()), len(lines) - len(batches)


def log_path(workspace: Workspace) -> Path:
    """Where the log is; need not exist."""
    return review_folder(workspace) / "log.jsonl"


def _batch(line: str, place_in_log: int, place: str) -> Batch:
    try:
        content = json.loads(line)
        applied_at, undone = str(content["applied_at"]), content["undone"] is True
        # The place in the log is the number where an earlier version wrote it.
        number = int(content.get("number", place_in_log))
    except (
        ArithmeticError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise ReviewError(f"{place}: damaged ({error!r}); {LOG_REMEDY}") from error
    return Batch(number, applied_at, parse_review(content, place), undone)


def write_log(workspace: Workspace, batches: list[Batch]) -> None:
    """Replace the log; the workspace must be locked (`Workspace.writing`)."""
    review_folder(workspace).mkdir(exist_ok=True)
    lines = [
        json.dumps(
            {
                "number": batch.number,
                "applied_at": batch.applied_at,
                "undone": batch.undone,
                **batch.review.to_dict(),
            }
        )
        for batch in batches
    ]
    write_text(log_path(workspace), "".join(f"{line}\n" for line in lines))


def new_batch(workspace: Workspace, batches: list[Batch], review: Review) -> Batch:
    """Make the batch that follows.

    Its number is one that no batch has had, also none of those that the log has lost: clusterings
    that have one of them would be taken to have the new one.
    """
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    had = [batch.number for batch in batches]
    for name in clustering_names(workspace):
        with contextlib.suppress(WorkspaceError):  # damaged: not to be told here
            had += batch_numbers(read_parameters(workspace, name))
    applied = (review_folder(workspace) / APPLIED).glob("*.json")
    had += [int(found[1]) for path in applied if (found := re.match("([0-9]+)-", path.name))]
    return Batch(1 + max(had, default=0), now, review)


def batch_numbers(parameters: Mapping[str, Any]) -> set[int]:
    """Give the numbers of the batches that a clustering has, by its parameters."""
    return set(parameters.get("review", {}).get("batches", []))


def mark_undone(batches: list[Batch], number: int) -> list[Batch]:
    """Batches with one of them marked as taken back."""
    return [replace(b, undone=True) if b.number == number else b for b in batches]


def base_table(clustering: Clustering) -> pd.DataFrame:
    """What is kept of a state of a clustering, to understand later what edits of it meant.

    Returns
    -------
    pandas.DataFrame
        Columns of `BASE_COLUMNS`, a row per syllable.
    """
    noise = clustering.modes.loc[clustering.modes["background"], "cluster"]
    assignments = clustering.assignments
    return assignments.assign(background=assignments["cluster"].isin(noise))[BASE_COLUMNS]


def keep_base(workspace: Workspace, table: pd.DataFrame) -> str:
    """Keep a state of a clustering, once.

    Parameters
    ----------
    workspace : Workspace
        Where; it need not be locked, as the file is named after its content.
    table : pandas.DataFrame
        From `base_table`.

    Returns
    -------
    str
        Its digest, see `birdmodes.modes.digest`.
    """
    digest = assignments_digest(table)
    path = _base_path(workspace, digest)
    try:
        there = read_base(workspace, digest) is not None
    except DamagedError:
        there = False
    if not there:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            table.to_parquet(temporary, index=False, compression="zstd")
    return digest


def read_base(workspace: Workspace, digest: str) -> pd.DataFrame | None:
    """State that was kept, or None; columns of `BASE_COLUMNS`.

    Raises
    ------
    DamagedError
        If its file is damaged.
    """
    path = _base_path(workspace, digest)
    if not path.exists():
        return None
    table = read_parquet(path, BASE_COLUMNS, BASE_REMEDY)
    if assignments_digest(table) != digest:
        raise damaged(path, "not what its name says", BASE_REMEDY)
    return table


def _base_path(workspace: Workspace, digest: str) -> Path:
    return review_folder(workspace) / "bases" / f"{digest}.parquet"
