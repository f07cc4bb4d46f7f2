"""How long commands take, as multiples of the start of Python with pandas.

Run as ``python benchmarks/bench_commands.py``. The recordings are the 111 of NIPS4B where the
environment variable BIRDMODES_SHARED names the folder with the shared recordings, else the sample
recordings. They are segmented and clustered once; then every command is run `--repeats` times, in
turn with ``python -c "import pandas"``, and the least processor time of each is told: that of all
its processes together, which hardly depends on what else runs on the machine. (For what uses two
cores, the time on the clock is about half as long.)

The promises are, on two idle cores where pandas starts in 0.4 s: a new gallery in 20 s, an
unchanged one in 1.5 s, a figure in 3 s, info in 0.8 s, and tables in 1.5 s.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.demo import sample_data

MAIN = "from cli.main import main; main()"
PANDAS = [sys.executable, "-c", "import pandas"]


@dataclass(frozen=True)
class Case:
    """A command, what is done before each run of it, and how long it may take (s)."""

    name: str
    words: list[str]
    before: Callable[[], object] = lambda: None
    promised_s: float = 1.5


def processor_s(command: list[str]) -> tuple[float, float]:
    """Run a program; its processor time with that of its children, and the time on the clock."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before, started = used(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return used() - before, time.perf_counter() - started


def recordings_and_labels(folder: Path) -> tuple[Path, Path]:
    """Where the recordings are, and their species lists."""
    shared = Path(os.environ.get("BIRDMODES_SHARED") or "") / "recordings"
    if not (shared / "nips4b").is_dir():
        recordings = sample_data() / "recordings"
        return recordings, recordings / "labels.csv"
    labels = folder / "labels.csv"
    with (shared / "labels.csv").open() as source, labels.open("w", newline="") as target:
        rows = csv.writer(target)
        rows.writerow(["recording", "species"])
        for row in csv.DictReader(source):
            if row["set"] == "nips4b":
                rows.writerow([Path(row["recording"]).name, row["species"]])
    return shared / "nips4b" / "wav", labels


def cases(workspace: Path, species: str) -> list[Case]:
    """All commands, each of which overwrites what it wrote before."""
    gallery = workspace / "gallery"
    return [
        Case("gallery, new", ["gallery"], lambda: shutil.rmtree(gallery, ignore_errors=True), 20.0),
        Case("gallery, unchanged", ["gallery"]),
        Case(f"figure {species!r}", ["figure", species], promised_s=3.0),
        Case("info", ["info"], promised_s=0.8),
        *(
            Case(f"export {kind}", ["export", "--format", kind, "--overwrite"])
            for kind in ("csv", "r", "parquet", "raven", "audacity", "kaleidoscope")
        ),
    ]


def main() -> None:
    """Measure, and print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workspace", type=Path, help="one that is clustered already")
    parser.add_argument("--species", default="European Robin")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        workspace = options.workspace or made_workspace(Path(name))
        print(
            f"{'command':<28} {'times pandas':>12} {'promised':>9} {'processor s':>12} {'clock':>8}"
        )
        for case in cases(workspace, options.species):
            command = [sys.executable, "-c", MAIN, *case.words, "--workspace", str(workspace)]
            runs, starts = [], []
            for _ in range(options.repeats):
                case.before()
                starts.append(processor_s(PANDAS)[0])
                runs.append(processor_s(command))
            (least, clock), start = min(runs), min(starts)
            promised = case.promised_s / 0.4
            print(
                f"{case.name:<28} {least / start:>12.1f} {promised:>9.1f} {least:>12.2f} "
                f"{clock:>8.2f}"
            )


def made_workspace(folder: Path) -> Path:
    """Segment and cluster the recordings."""
    recordings, labels = recordings_and_labels(folder)
    workspace = folder / "workspace"
    where = ["--workspace", str(workspace)]
    for words in (["segment", str(recordings), "--labels", str(labels)], ["cluster", "--k", "122"]):
        subprocess.run(
            [sys.executable, "-c", MAIN, *words, *where], check=True, capture_output=True
        )
    return workspace


if __name__ == "__main__":
    main()
