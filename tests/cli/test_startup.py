from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from birdmodes.info.workspace import workspace_info

HEAVY = (
    "numpy",
    "scipy",
    "librosa",
    "sklearn",
    "matplotlib",
    "pandas",
    "pyarrow",
    "numba",
    "pooch",
)

COMMANDS = (
    "--help",
    "--version",
    "segment --help",
    "cluster --help",
    "gallery -h",
    "info -h",
    "review --help",
    "review apply --help",
    "export --help",
    "figure --help",
    "assign --help",
    "annotate --help",
    "evaluate --help",
    "compare --help",
    "info --help",
    "benchmark --help",
    "datasets --help",
)

PROBE = """
import sys
from pathlib import Path
from cli.main import main
heavy, *commands = sys.argv[1:]
for command in commands:
    sys.argv = ["birdmodes", *command.split()]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, stop.code
    print("LOADED", *[name for name in heavy.split() if name in sys.modules])
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, list[str]]:
    """Heavy libraries that are there after each command; one process runs them in this order."""
    answer = subprocess.run(
        [sys.executable, "-c", PROBE, " ".join(HEAVY), *COMMANDS],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split() for line in answer.stdout.splitlines() if line.startswith("LOADED")]
    return {command: names for command, (_, *names) in zip(COMMANDS, lines, strict=True)}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_loads_no_heavy_library(command: str, loaded: dict[str, list[str]]) -> None:
    assert loaded[command] == []


def test_applying_corrections_loads_no_library_that_takes_longer_than_they_do() -> None:
    code = (
        "import sys, birdmodes.review.apply_file; "
        "slow = ('sklearn', 'scipy.stats', 'scipy.optimize', 'scipy.linalg', 'scipy.special'); "
        "print([name for name in slow if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_info_of_what_is_known_does_not_load_pandas(small_workspace: Path) -> None:
    workspace_info(small_workspace)  # keeps what it has counted
    code = (
        "import sys; from birdmodes.info.workspace import workspace_info; "
        "print(workspace_info(sys.argv[1]).syllables, 'pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(small_workspace)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(workspace_info(small_workspace).syllables), "False"]
