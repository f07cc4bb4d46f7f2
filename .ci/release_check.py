"""Build the release, install it in empty environments, run the demo in each, compare what it found.

For each Python: the source archive with the newest libraries that are allowed, and the wheel with
the oldest. All must give the same ``assignments.csv``: the same syllables in the same clusters with
the same species and modes. Confidences may differ in their last digits: SciPy from 1.18 on rounds
triangular factors differently, and rounds of regression make that larger. Where no library of the
two rounds differently, tables are the same to the byte.

    python .ci/release_check.py [FOLDER]

With the Pythons that are on the path or in ~/.pyenv; uv brings those that are missing. With
UV=false, or where there is no uv, pip installs. Environments that are in FOLDER are used again.
"""

from __future__ import annotations

import csv
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
WAYS = {"newest": "*.tar.gz", "oldest": "*.whl"}  # of the libraries, and what is installed
TOLERANCE = 1e-5  # of confidences, which are written to six digits
FOUND = Path("workspace/clusterings/ldc-k20/assignments.csv")


def main(scratch: Path) -> int:
    """Install, run and compare; 1 if any table differs from the first."""
    scratch.mkdir(parents=True, exist_ok=True)
    uv = find_uv()
    dist = build(scratch / "dist")
    oldest = scratch / "oldest.txt"
    oldest.write_text("\n".join(oldest_allowed()) + "\n")
    tables: dict[str, Path] = {}
    for python in PYTHONS:
        for way, pattern in WAYS.items():
            place = scratch / f"{python}-{way}"
            (archive,) = dist.glob(pattern)
            constraints = ["-c", oldest] if way == "oldest" else []
            install(uv, python, place / "venv", [*constraints, archive])
            tables[place.name] = demo(place)
            print(f"{place.name}: {archive.name} installed, demo run", flush=True)
    first, *others = tables
    differences = [difference(tables[first], tables[other]) for other in others]
    for other, found in zip(others, differences, strict=True):
        print(f"{first} and {other}: {found or 'the same'}")
    return int(any(found.startswith("differ") for found in differences))


def find_uv() -> str | None:
    """Path of uv, unless UV says to do without."""
    wanted = os.environ.get("UV", "uv")
    return shutil.which(wanted) if Path(wanted).name == "uv" else None


def build(dist: Path) -> Path:
    """Build both archives: the wheel from the source archive, in which nothing can be missing."""
    shutil.rmtree(dist, ignore_errors=True)
    backend = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", dist]
    subprocess.run(backend, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    (source,) = dist.glob("*.tar.gz")
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*wheel, "--wheel-dir", dist, source], check=True)
    return dist


def oldest_allowed() -> list[str]:
    """Constraints on what the project itself requires: the least version of each."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [requirement.replace(">=", "==") for requirement in project["dependencies"]]


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


def install(uv: str | None, python: str, venv: Path, what: list[str | Path]) -> None:
    """Make an empty environment and install in it, libraries as wheels only."""
    own = venv / ("Scripts" if os.name == "nt" else "bin") / "python"
    found = interpreter(python)
    if uv is not None:
        # uv brings a Python that is missing
        make = [uv, "venv", "--quiet", "--allow-existing", "--python", found or python, venv]
        command = [uv, "pip", "install", "--quiet", "--python", own]
        again = ["--reinstall-package", "birdmodes"]
    else:
        if found is None:
            raise SystemExit(f"Python {python} is not here: install it, or uv, which brings it")
        make = [found, "-m", "venv", venv]
        command = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        again = []
        if own.exists():  # of an earlier run: the archive has the same version
            subprocess.run([own, "-m", "pip", "uninstall", "-qy", "birdmodes"], check=True)
    subprocess.run(make, check=True)
    wheels = ["--only-binary", ":all:", "--no-binary", "birdmodes"]
    if str(what[-1]).endswith(".whl"):
        wheels = ["--only-binary", ":all:"]
    subprocess.run([*command, *again, *wheels, *what], check=True)


def interpreter(python: str) -> str | None:
    """Path of a Python, if it is on this machine."""
    on_path = shutil.which(f"python{python}")
    if on_path is not None and not Path(on_path).parent.match(".pyenv/shims"):
        return on_path
    for found in sorted((Path.home() / ".pyenv" / "versions").glob(f"{python}.*/bin/python")):
        return str(found)
    return None


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
