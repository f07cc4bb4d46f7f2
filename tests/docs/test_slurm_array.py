"""The example for SLURM's job arrays, with a stand-in for sbatch."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
# What sbatch does with an array: the script once for each task, under their numbers.
SBATCH = """#!/bin/bash
set -e
[[ $1 =~ ^--array=0-([0-9]+)$ ]]
last=${BASH_REMATCH[1]}
shift
cpus=$(sed -n 's/^#SBATCH --cpus-per-task=//p' "$1")
for task in $(seq 0 "$last"); do SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=$cpus bash "$@"; done
"""
BIRDMODES = """#!/bin/bash
printf '%s\\n' "$*" >> "$CALLS"
[[ $1 != segment || $2 != *unreadable ]]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SLURM is not for Windows")
def test_every_folder_gets_a_workspace_of_its_own(tmp_path: Path) -> None:
    from typer.main import get_command

    from cli.main import app

    tools, sites = tmp_path / "bin", tmp_path / "sites"
    tools.mkdir()
    for name, text in {"sbatch": SBATCH, "birdmodes": BIRDMODES}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    for site in ("marsh", "oak wood", "unreadable"):
        (sites / site).mkdir(parents=True)
    shutil.copy(DOCS / "slurm_array.sh", tmp_path)
    (line,) = re.findall(r"^# +(sbatch .*)$", (DOCS / "slurm_array.sh").read_text(), re.M)
    line = line.replace("/project/sites", str(sites)).replace("/project/workspaces", "made")
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CALLS": "calls"}
    subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, check=True)

    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0] == f"segment {sites}/marsh --workspace made/marsh --workers 8"
    assert calls[3] == f"segment {sites}/oak wood --workspace made/oak wood --workers 8"
    # a folder with recordings that cannot be read (exit code 1) is finished all the same
    assert [call.split()[0] for call in calls] == ["segment", "cluster", "export"] * 3
    commands = get_command(app).commands
    for call in calls[:3]:
        name, *words = shlex.split(call)
        known = {option for each in commands[name].params for option in each.opts}
        assert {word for word in words if word.startswith("--")} <= known
