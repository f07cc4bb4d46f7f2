"""How long a gallery takes, how large it is, and how much less a second build takes.

Run as ``python benchmarks/bench_gallery.py``; ``--syllables 2000`` is a quick one. The recordings
are those of NIPS4B where the environment variable BIRDMODES_SHARED names the folder with the
shared recordings, else the sample recordings: they are segmented and clustered once, and then
listed under as many names as give that many syllables.

- first: a gallery where there was none.
- again: the same one, when nothing has changed. The ratio says how many times less it takes.
- one mode less: after two modes have been merged, as a correction would do.

Processor time is that of all processes together, and hardly depends on what else runs on the
machine. The promise is: 20,000 syllables in under 3 minutes on two cores, in under 300 MB.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from birdmodes.audio.read import find_recordings
from birdmodes.demo import sample_data
from birdmodes.gallery import build_gallery
from birdmodes.labels import fit_labels
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

K = 60
SETTINGS = Settings(SegmentationParameters())


def recordings_and_labels() -> tuple[Path, list[Path] | None]:
    """Where the recordings are, and their species lists, if not beside them."""
    shared = Path(os.environ.get("BIRDMODES_SHARED") or "") / "recordings"
    if (shared / "nips4b").is_dir():
        return shared / "nips4b", [shared / "labels.csv"]
    return sample_data() / "recordings", None


def small_workspace(folder: Path, workers: int) -> tuple[Workspace, Clustering]:
    """Segment and cluster the recordings as they are."""
    recordings, labels = recordings_and_labels()
    found = find_recordings([recordings])
    workspace = Workspace.prepare(folder, SETTINGS)
    segment_recordings(found, fit_labels(found, labels), workspace, workers=workers)
    n = len(workspace.syllables(["syllable"]))
    options = ClusterOptions(k=min(K, n // 20), stability_runs=0)
    return workspace, find_modes(workspace, options).clustering


def repeated(
    small: Workspace, clustering: Clustering, folder: Path, n_syllables: int
) -> tuple[Workspace, Clustering]:
    """List the recordings under further names, until there are enough syllables."""
    large = Workspace.prepare(folder, SETTINGS)
    tables = []
    copy = n = 0
    rows = small.recordings().to_dict("records")
    while n < n_syllables:
        prefix = f"night-{copy:03d}/"
        for row in rows:
            commit_copy(small, large, {str(key): value for key, value in row.items()}, prefix)
        table = clustering.assignments.copy()
        for column in ("syllable", "recording"):
            table[column] = prefix + table[column]
        tables.append(table)
        copy, n = copy + 1, n + len(table)
    modes = clustering.modes.assign(
        syllables=clustering.modes["syllables"] * copy,
        recordings=clustering.modes["recordings"] * copy,
    )
    assignments = pd.concat(tables, ignore_index=True)
    return large, dataclasses.replace(clustering, assignments=assignments, modes=modes, model={})


def commit_copy(small: Workspace, large: Workspace, row: dict[str, object], prefix: str) -> None:
    """Store a recording of the small workspace under another name."""
    syllables = small.syllable_rows(str(row["recording"]))
    for column in ("recording", "syllable", "bag"):
        names = pa.array([prefix + name for name in syllables[column].to_pylist()], pa.string())
        place = syllables.schema.get_field_index(column)
        syllables = syllables.set_column(place, column, names)
    species = row["clip_species"]
    row = {
        **row,
        "recording": f"{prefix}{row['recording']}",
        "clip_species": None if species is None else list(np.asarray(species)),
    }
    large.commit(row, syllables)


def merged(clustering: Clustering) -> Clustering:
    """Bring the last two clusters together."""
    one, other = (int(n) for n in clustering.modes["cluster"].tail(2))
    table = clustering.assignments.copy()
    table.loc[table["cluster"] == other, "cluster"] = one
    return dataclasses.replace(
        clustering,
        assignments=table,
        modes=clustering.modes[clustering.modes["cluster"] != other],
    )


def cpu_seconds() -> float:
    """Processor time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    """Print a line for each build."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--syllables", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, clustering = small_workspace(folder / "small", arguments.workers)
        workspace, clustering = repeated(small, clustering, folder / "large", arguments.syllables)
        print(
            f"{len(clustering.assignments)} syllables, {len(workspace.recordings())} recordings, "
            f"{len(clustering.modes)} modes; {arguments.workers} workers"
        )
        print("                wall s    CPU s  ratio   files new  unchanged      MB  index KB")
        first_cpu = 0.0
        for title, chosen in (
            ("first", clustering),
            ("again", clustering),
            ("one mode less", merged(clustering)),
        ):
            wall, cpu = time.perf_counter(), cpu_seconds()
            result = build_gallery(workspace, chosen, folder / "gallery", workers=arguments.workers)
            wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
            first_cpu = first_cpu or cpu
            print(
                f"{title:14s} {wall:7.1f}  {cpu:7.1f}  {first_cpu / cpu:4.1f}x  {result.new:9d}  "
                f"{result.unchanged:9d}  {result.size_bytes / 1e6:6.1f}  "
                f"{result.index.stat().st_size / 1e3:8.0f}"
            )
            for warning in result.warnings:
                print(f"  {warning}")


if __name__ == "__main__":
    main()
