"""What a season of recordings takes: memory and time of each step, and how they grow.

Run as ``python benchmarks/season.py --folder /tmp/season``; ``--syllables 10000 100000`` are quick
sizes, ``--parts info export-csv`` some of the steps. For each size a workspace is crafted through
the workspace's own store: the syllables of the sample recordings (of those in the workspace
`--like`, if one is named), a hundred a recording (``--a-recording 1`` for as many recordings as
syllables), each feature multiplied by about 1, under lists of 1 to 4 of 100 species of which each
has likings of its own among them; and a clustering with the species and modes that they were
crafted of. A workspace that is there already is taken as it is. Then each step runs in a process of
its own:

- ``ldc``: the method alone, on as many syllables of 145 features.
- ``cluster``: the command, with ``--k 200``.
- ``info``, ``export`` in every format of all syllables, ``gallery``: the commands.

The processor time is that of the process and its children, the peak of memory that of the largest
of them (resident, without what the system keeps of files).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from birdmodes.modes.clustering import Clustering, write_clustering
from birdmodes.modes.summary import keep_summary
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

N_SPECIES = 100
N_MODES = 2
SYLLABLES_A_RECORDING = 100
SYLLABLES_A_BAG = 10  # of ldc alone
CRAFTED_TOGETHER = 500  # recordings
EXPORTS = (
    *("csv", "r", "parquet", "kaleidoscope", "raven --combined", "crowsetta --combined"),
    *("raven", "audacity", "crowsetta"),  # a file for each recording
    *("excel", "ebird", "inaturalist", "detections"),
)
COMMANDS = {
    "cluster": ["cluster", "--k", "200"],
    "info": ["info"],
    **{
        f"export-{how.replace(' --', '-')}": ["export", "--overwrite", "--format", *how.split()]
        for how in EXPORTS
    },
    "gallery": ["gallery"],
}
PARTS = ("ldc", *COMMANDS)


def species_names() -> list[str]:
    """Names of the species."""
    return [f"Species {number:03d}" for number in range(N_SPECIES)]


def lists(n: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """Lists of 1 to 4 species for `n` recordings, some species far commoner than others."""
    odds = 1.0 / np.arange(4, N_SPECIES + 4)
    cumulated = np.cumsum(odds / odds.sum())
    drawn = np.searchsorted(cumulated, rng.random((n, 4)))
    return [np.unique(own[: 1 + number % 4]) for number, own in enumerate(drawn)]


# --- the workspace -------------------------------------------------------------------------------


def craft(folder: Path, n: int, like: Path | None, each: int = SYLLABLES_A_RECORDING) -> None:
    """Write a workspace of `n` syllables, and a clustering of what they were crafted of."""
    small = like_workspace(folder.parent, like)
    rng = np.random.default_rng(0)
    source, rows = _source(small)
    workspace = Workspace.prepare(folder, Settings(SegmentationParameters()))
    n_recordings = max(1, n // each)
    every_list = lists(n_recordings, rng)
    likings = rng.integers(0, source.num_rows, (N_SPECIES, N_MODES, 40))
    told = []
    # What is crafted need not outlive a power cut: a hundred thousand recordings would wait for it.
    with workspace.writing(), mock.patch("os.fsync"):
        for first in range(0, n_recordings, CRAFTED_TOGETHER):
            some = every_list[first : first + CRAFTED_TOGETHER]
            names = [_recording_name(first + number) for number in range(len(some))]
            species = np.concatenate([own[rng.integers(0, len(own), each)] for own in some])
            mode = rng.integers(0, N_MODES, len(species))
            taken = likings[species, mode, rng.integers(0, 40, len(species))]
            table = _syllables(source, taken, names, each, rng)
            for number, own in enumerate(some):
                row = _row(rows[(first + number) % len(rows)], first + number, own, each)
                workspace.commit(row, table.slice(number * each, each))
            told.append((species, mode))
    _given(
        workspace,
        np.concatenate([species for species, _ in told]),
        np.concatenate([mode for _, mode in told]),
    )


def _recording_name(number: int) -> str:
    return f"night-{number // 1000:03d}/{number:06d}.wav"


def like_workspace(beside: Path, like: Path | None) -> Workspace:
    """Recordings that are segmented once, from which the others are made."""
    if like is not None:
        return Workspace.open(like)
    from birdmodes.audio.read import find_recordings
    from birdmodes.demo import sample_data
    from birdmodes.labels import fit_labels
    from birdmodes.workspace.segment import segment_recordings

    folder = beside / "small"
    workspace = Workspace.prepare(folder, Settings(SegmentationParameters()))
    found = find_recordings([sample_data() / "recordings"])
    segment_recordings(found, fit_labels(found, None), workspace, workers=2)
    return workspace


def _source(small: Workspace) -> tuple[pa.Table, list[dict[str, Any]]]:
    """Syllables to draw from, and rows of recordings, all as long as the longest."""
    rows = sorted(small.recording_rows(), key=lambda row: str(row["recording"]))
    rows = [row for row in rows if row["n_syllables"]]
    table = pa.concat_tables([small.syllable_rows(str(row["recording"])) for row in rows])
    longest = max(float(row["duration_s"]) for row in rows)
    # What is drawn of a syllable must lie within its recording.
    return table.combine_chunks(), [{**row, "duration_s": longest} for row in rows]


def _row(
    like: dict[str, Any], number: int, species: npt.NDArray[np.int64], n: int
) -> dict[str, Any]:
    names = species_names()
    begin = datetime(2024, 5, 1) + timedelta(minutes=30 * number)
    return {
        **like,
        "recording": _recording_name(number),
        "recorded_at": begin.isoformat(),
        "labelled": True,
        "species": ";".join(names[number] for number in species),
        "n_syllables": n,
        "bag_unit": "recording",
        "clip_species": None,
        "timed_labels": None,
        "confidences": None,
        "fingerprint": None,
        "sketch": None,  # they are no copies of each other
    }


def _syllables(
    source: pa.Table,
    taken: npt.NDArray[np.int64],
    names: list[str],
    each: int,
    rng: np.random.Generator,
) -> pa.Table:
    """Syllables of some recordings, one after the other."""
    table = source.take(pa.array(taken))
    n = len(taken)
    recording = np.repeat(names, each).tolist()
    changed: dict[str, Any] = {
        "syllable": [f"{name}#{number % each:05d}" for number, name in enumerate(recording)],
        "recording": recording,
        "bag": recording,
        "clip": np.zeros(n, dtype=np.int64),
    }
    for feature in FEATURE_NAMES:
        changed[feature] = table[feature].to_numpy() * rng.normal(1.0, 0.05, n)
    for column, values in changed.items():
        place = table.schema.get_field_index(column)
        table = table.set_column(place, table.schema.field(place), pa.array(values))
    return table.combine_chunks()


def _given(
    workspace: Workspace, species: npt.NDArray[np.int64], mode: npt.NDArray[np.int64]
) -> None:
    """Store the clustering that the syllables were crafted of."""
    table = workspace.syllables(["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"])
    names = np.array(species_names())[species]
    cluster = species * N_MODES + mode
    used, cluster = np.unique(cluster, return_inverse=True)
    table = table.assign(
        cluster=cluster,
        species=names,
        mode=[f"{name} mode {number + 1}" for name, number in zip(names, mode, strict=True)],
        confidence=0.9,
        centrality=np.random.default_rng(1).random(len(table)).round(6),
        recorded_at="",
        review="",
    )
    modes = pd.DataFrame(
        {
            "cluster": np.arange(len(used)),
            "species": [species_names()[one // N_MODES] for one in used],
            "mode": [f"{species_names()[one // N_MODES]} mode {one % N_MODES + 1}" for one in used],
            "background": False,
            "syllables": np.bincount(cluster),
            "recordings": table.groupby("cluster")["recording"].nunique().to_numpy(),
            "confidence": 0.9,
            "consistency": 0.9,
            "p_value": 0.001,
            "or_species": "",
        }
    )
    parameters = {"method": "ldc", "k": len(modes), "seed": 0, "options": {}}
    clustering = Clustering("given", table, modes, {}, parameters)
    write_clustering(workspace, clustering)
    keep_summary(workspace, clustering)  # as 'cluster' does


# --- ldc alone -----------------------------------------------------------------------------------


def crafted_bags(n: int) -> Any:
    """Bags of overlapping modes in 145 features, with lists of 1 to 4 of 100 species."""
    from algorithms import Bags

    rng = np.random.default_rng(0)
    own = lists(n // SYLLABLES_A_BAG, rng)
    labels = np.zeros((len(own), N_SPECIES), dtype=bool)
    for bag, species in enumerate(own):
        labels[bag, species] = True
    bag = np.repeat(np.arange(len(own)), SYLLABLES_A_BAG)
    species = np.concatenate([s[rng.integers(0, len(s), SYLLABLES_A_BAG)] for s in own])
    mode = rng.integers(0, N_MODES, len(bag))
    X = rng.standard_normal((len(bag), 145))
    means = 0.45 * rng.standard_normal((N_SPECIES, N_MODES, 145))
    for start in range(0, len(X), 10_000):  # what is measured is ldc's memory, not this
        rows = slice(start, start + 10_000)
        X[rows] += means[species[rows], mode[rows]]
    return Bags(X, bag, labels), species


def run_ldc(n: int) -> dict[str, float]:
    """Fit; the share of syllables that get the right species."""
    from algorithms.disambiguation.ldc import LDC

    bags, species = crafted_bags(n)
    before = _usage()
    fitted = LDC(background="cautious").fit(bags)
    right = float((fitted.class_of_cluster_[fitted.labels_] == species).mean())
    return {"right": right, "without_bags_s": _usage() - before}


def _usage() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


# --- measuring -----------------------------------------------------------------------------------


def measured(function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Run a function in a process of its own: clock, processor time, peak of memory."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(sender, function, arguments))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        raise SystemExit(f"{function.__name__} ended without an answer") from None
    finally:
        process.join()


def _report(sender: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    started = time.perf_counter()
    said = function(*arguments)
    clock = time.perf_counter() - started
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    # A command is a child, beside which this process is nothing; a method is this process.
    of_child = used[1].ru_maxrss > 0
    kilobytes = used[1].ru_maxrss if of_child else used[0].ru_maxrss
    seconds = sum(one.ru_utime + one.ru_stime for one in (used[1:] if of_child else used))
    sender.send({"clock_s": clock, "processor_s": seconds, "gb": kilobytes / 1e6, "said": said})


def run_command(workspace: str, part: str) -> Any:
    """Run a command on a workspace."""
    command = [sys.executable, "-c", "from cli.main import main; main()", *COMMANDS[part]]
    done = subprocess.run(
        [*command, "--workspace", workspace], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{part}: {done.stderr.strip()}")
    gallery = Path(workspace) / "gallery"
    if part == "gallery":
        return {"mb": sum(p.stat().st_size for p in gallery.rglob("*") if p.is_file()) / 1e6}
    return {}


def main() -> None:
    """Print a line for every step and size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="where workspaces are made")
    parser.add_argument("--syllables", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--a-recording", type=int, default=SYLLABLES_A_RECORDING)
    parser.add_argument("--like", type=Path, help="workspace whose syllables are copied")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print(
        f"{'part':<25} {'syllables':>10} {'clock s':>10} {'processor s':>12} {'GB':>7}  "
        "growth of processor s and GB"
    )
    before: dict[str, dict[str, Any]] = {}
    for n in arguments.syllables:
        workspace = arguments.folder / f"{n}"
        if set(arguments.parts) != {"ldc"} and not workspace.exists():
            started = time.perf_counter()
            craft(workspace, n, arguments.like, arguments.a_recording)
            print(f"{'crafted':<25} {n:>10,} {time.perf_counter() - started:>10.1f}", flush=True)
        for part in arguments.parts:
            call = (run_ldc, n) if part == "ldc" else (run_command, os.fspath(workspace), part)
            found = measured(*call)
            grown = ""
            if part in before:
                grown = "  ".join(
                    f"{found[key] / max(before[part][key], 1e-9):.1f}"
                    for key in ("processor_s", "gb")
                )
            before[part] = found
            print(
                f"{part:<25} {n:>10,} {found['clock_s']:>10.1f} {found['processor_s']:>12.1f} "
                f"{found['gb']:>7.2f}  {grown} {json.dumps(found['said'])}",
                flush=True,
            )


if __name__ == "__main__":
    main()
