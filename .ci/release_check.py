"""Build the release, install it in empty environments, run the demo in each, compare what it found.

For each Python: the source archive with the newest libraries that are allowed, and the wheel with
the oldest. All must give the same ``assignments.csv``, byte for byte.

    python .ci/release_check.py [FOLDER]

Needs uv, which brings what Pythons are missing. Environments that are in FOLDER are used again.
"""

from __future__ import annotations

import hashlib
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
FOUND = Path("workspace/clusterings/ldc-k20/assignments.csv")


def main(scratch: Path) -> int:
    """Print a line for each environment; 1 if any two differ."""
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    dist = scratch / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    # the wheel is built from the source archive, so that nothing can be missing in it
    subprocess.run([uv, "build", "--quiet", "--out-dir", dist, ROOT], check=True)
    sums: dict[str, str] = {}
    for python in PYTHONS:
        for way, (resolution, pattern) in WAYS.items():
            place = scratch / f"{python}-{way}"
            (archive,) = dist.glob(pattern)
            install(uv, python, resolution, archive, place / "venv")
            table = demo(place)
            sums[place.name] = hashlib.sha256(table.read_bytes()).hexdigest()
            print(f"{place.name:<12} {archive.name:<28} {sums[place.name][:16]}", flush=True)
    if len(set(sums.values())) > 1:
        print("the environments do not agree; their tables are in", scratch)
        return 1
    print("the same modes in all environments")
    return 0


def install(uv: str, python: str, resolution: str, archive: Path, venv: Path) -> None:
    """Make an empty environment and install the archive in it, libraries as wheels only."""
    subprocess.run(
        [uv, "venv", "--quiet", "--allow-existing", "--python", python, venv], check=True
    )
    command = [uv, "pip", "install", "--quiet", "--python", venv, "--resolution", resolution]
    wheels_only = ["--only-binary", ":all:", "--no-binary", "birdmodes"]
    if archive.suffix == ".whl":
        wheels_only = ["--only-binary", ":all:"]
    subprocess.run(
        [*command, "--reinstall-package", "birdmodes", *wheels_only, archive], check=True
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
