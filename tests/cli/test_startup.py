from __future__ import annotations

import subprocess
import sys

import pytest

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

PROBE = """
import sys
from cli.main import main
sys.argv = ["birdmodes", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print("LOADED", *[name for name in {heavy!r} if name in sys.modules])
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["segment", "--help"],
        ["cluster", "--help"],
        ["gallery", "-h"],
        ["info", "-h"],
        ["review", "--help"],
        ["review", "apply", "--help"],
        ["export", "--help"],
        ["figure", "--help"],
        ["assign", "--help"],
        ["annotate", "--help"],
        ["evaluate", "--help"],
        ["compare", "--help"],
        ["info", "--help"],
        ["benchmark", "--help"],
        ["datasets", "--help"],
    ],
)
def test_help_loads_no_heavy_library(arguments: list[str]) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", PROBE.format(heavy=HEAVY), *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.splitlines()[-1].split() == ["LOADED"]
