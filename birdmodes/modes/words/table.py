"""The measurements of all syllables of a workspace, kept so that they are made once."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from birdmodes.io import seal
from birdmodes.io.files import atomic_path
from birdmodes.modes.words.measures import Measures, measure
from birdmodes.parallel.executors import run_tasks
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import unpack_patch

VERSION = 2
"""To be raised when measurements are made differently: then none of the old ones is used."""

MEASURES = [field.name for field in fields(Measures)]

WORTH_WORKERS = 400
"""With fewer recordings to read, starting processes takes longer than the work."""

_BOX = ["start_s", "end_s", "low_hz", "high_hz"]
_PATCH = ["patch_bins", "patch_frames", "patch", "mask"]


@dataclass(frozen=True)
class _Task:
    workspace: Workspace
    recording: str


def syllable_measures(workspace: Workspace, *, workers: int = 1) -> pd.DataFrame:
    """Measure all syllables, or read what was measured before.

    Parameters
    ----------
    workspace : Workspace
        Where the patches are. What is measured is kept in its folder ``gathered``, if that can be
        written; recordings that have been segmented anew since are measured anew.
    workers : int
        Processes, where there are many recordings.

    Returns
    -------
    pandas.DataFrame
        Columns syllable, recording, duration_s and those of
        `birdmodes.modes.words.measures.Measures`, in the order of ``workspace.syllables()``.
    """
    names = workspace.recordings()["recording"].tolist()
    states = {name: list(state) for name, state in workspace.syllable_states(names).items()}
    path = workspace.folder / "gathered" / "measures.parquet"
    kept, kept_states = _read(path)
    fresh = {name for name, state in states.items() if kept_states.get(name) == state}
    parts = [kept[kept["recording"].isin(fresh)]]
    stale = [name for name in states if name not in fresh]
    n_workers = workers if len(stale) >= WORTH_WORKERS else 1
    tasks = (_Task(workspace, name) for name in stale)
    for task, found in run_tasks(measure_recording, tasks, workers=n_workers):
        # A worker that died leaves its recording to this process.
        parts.append(measure_recording(task) if found is None else found)
    table = pd.concat([part for part in parts if len(part)] or parts[:1])
    table = table.sort_values(["recording", "syllable"], ignore_index=True)
    if stale or len(kept) != len(table):
        _write(path, table, states)
    return table


def measure_recording(task: _Task) -> pd.DataFrame:
    """Measure the syllables of one recording; runs in a worker process."""
    parameters = task.workspace.settings.segmentation
    rows = task.workspace.syllable_rows(task.recording).select(["syllable", *_BOX, *_PATCH])
    found = []
    for row in rows.to_pylist():
        patch, mask = unpack_patch(*(row[name] for name in _PATCH))
        # Bins are centred on their frequencies; low_hz is the lower edge of the first.
        first = round(row["low_hz"] / parameters.bin_hz + 0.5) if row["low_hz"] > 0 else 0
        first_hz = first * parameters.bin_hz
        values = measure(patch, mask, first_hz, parameters.bin_hz, parameters.frame_s)
        duration_s = row["end_s"] - row["start_s"]
        found.append(
            {
                "syllable": row["syllable"],
                "recording": task.recording,
                "duration_s": duration_s,
                **asdict(values),
            }
        )
    return pd.DataFrame(found, columns=["syllable", "recording", "duration_s", *MEASURES])


def _read(path: Path) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """What is kept; a file of another version, or a damaged one, counts as empty."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, pa.ArrowException):
        data = path.read_bytes()
        file = pq.ParquetFile(pa.BufferReader(data))
        about = json.loads(file.schema_arrow.metadata[b"birdmodes"])
        if about["version"] == VERSION and not seal.is_broken(data):
            return file.read().to_pandas(), about["states"]
    return pd.DataFrame(columns=["syllable", "recording", "duration_s", *MEASURES]), {}


def _write(path: Path, table: pd.DataFrame, states: dict[str, list[int]]) -> None:
    content = pa.Table.from_pandas(table, preserve_index=False)
    about = json.dumps({"version": VERSION, "states": states})
    # The place of the checksum comes last: it is looked for from the end.
    content = content.replace_schema_metadata({b"birdmodes": about.encode(), **seal.UNSEALED})
    # The workspace may be read-only, or the disk full: they are measured anew the next time.
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        with atomic_path(path) as temporary:
            pq.write_table(content, temporary, compression="zstd")
            seal.seal_file(temporary)
