"""Build the release, install it in empty environments, run the demo in each, compare what it found.

For each Python: the source archive with the newest libraries that are allowed, and the wheel with
the oldest. All must give the same ``assignments.csv``: the same syllables in the same clusters with
the same species and modes. Confidences may differ in their last digits: SciPy from 1.18 on rounds
triangular factors differently, and rounds of regression make that larger. Where no library of the
two rounds differently, tables are the same to the byte.

    python .ci/release_check.py [FOLDER]

Needs uv, which brings what Pythons are missing. Environments that are in FOLDER are used again.
"""

from __future__ import annotations

import csv
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
# How libraries are chosen, and what is installed
WAYS = {"newest": ("highest", "*.tar.gz"), "oldest": ("lowest-direct", "*.whl")}
TOLERANCE = 1e-5  # of confidences, which are written to six digits
FOUND = Path("workspace/clusterings/ldc-k20/assignments.csv")


def main(scratch: Path) -> int:
    """Install, run and compare; 1 if any table differs from the first."""
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    dist = scratch / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    # the wheel is built from the source archive, so that nothing can be missing in it
    subprocess.run([uv, "build", "--quiet", "--out-dir", dist, ROOT], check=True)
    tables: dict[str, Path] = {}
    for python in PYTHONS:
        for way, (resolution, pattern) in WAYS.items():
            place = scratch / f"{python}-{way}"
            (archive,) = dist.glob(pattern)
            install(uv, python, resolution, archive, place / "venv")
            tables[place.name] = demo(place)
            print(f"{place.name}: {archive.name} installed, demo run", flush=True)
    first, *others = tables
    differences = [difference(tables[first], tables[other]) for other in others]
    for other, found in zip(others, differences, strict=True):
        print(f"{first} and {other}: {found or 'the same'}")
    return int(any(found.startswith("differ") for found in differences))


def difference(first: Path, second: Path) -> str:
    """What is different in two tables of assignments, in words; empty if nothing is."""
    if first.read_bytes() == second.read_bytes():
        return ""
    rows = [
        list(csv.DictReader(path.open(encoding="utf-8", newline=""))) for path in (first, second)
    ]
    largest = 0.0
    for one, two in itertools.zip_longest(*rows, fillvalue={}):
        apart = {name for name in {*one, *two} if one.get(name) != two.get(name)}
        if apart - {"confidence"}:
            return f"differ in {', '.join(sorted(apart))}: {one} {two}"
        largest = max(largest, abs(float(one["confidence"]) - float(two["confidence"])))
    if largest > TOLERANCE:
        return f"differ in confidence by {largest:.1e}"
    return f"the same but for confidences, by {largest:.1e} at most"


def install(uv: str, python: str, resolution: str, archive: Path, venv: Path) -> None:
    """Make an empty environment and install the archive in it, libraries as wheels only."""
    subprocess.run(
        [uv, "venv", "--quiet", "--allow-existing", "--python", python, venv], check=True
    )
    command = [uv, "pip", "install", "--quiet", "--python", venv, "--resolution", resolution]
    wheels_only = ["--only-binary", ":all:", "--no-binary", "birdmodes"]
    if archive.suffix == ".whl":
        wheels_only = ["--only-binary", ":all:"]
    # what the project requires is then required directly: only of that are the oldest wanted
    project = ROOT / "pyproject.toml"
    subprocess.run(
        [*command, "--reinstall-package", "birdmodes", *wheels_only, "-r", project, archive],
        check=True,
    )


def demo(place: Path) -> Path:
    """Run the demo of an environment in an empty folder; the table of what it found."""
    folder = place / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    bin_folder = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with (place / "demo.log").open("w") as log:
        subprocess.run(
            [bin_folder / "birdmodes", "demo", folder],
            check=True,
            cwd=place,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return folder / FOUND


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(Path(folder)))
