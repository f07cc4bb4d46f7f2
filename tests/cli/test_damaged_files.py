"""Every file of a workspace cut short, emptied or full of rubbish, for each command."""

from __future__ import annotations

import itertools
import json
import random
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.groups.find import GroupOptions
from birdmodes.groups.make import make_groups
from birdmodes.modes.clustering import read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.find import ClusterOptions
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import apply_review
from birdmodes.review.make import make_modes
from birdmodes.workspace.store import Workspace

Call = Callable[..., tuple[int, str]]

COMMANDS: dict[str, tuple[str, ...]] = {
    "info": ("info",),
    "cluster": ("cluster", "--k", "3", "--stability-runs", "0"),
    "cluster with review": ("cluster", "--k", "3", "--stability-runs", "0", "--with-review"),
    "groups": ("cluster", "--method", "bamic-avg", "--k", "2", "--stability-runs", "0"),
    "gallery": ("gallery", "--workers", "1", "--examples", "1"),
    "figure": ("figure", "--all", "--examples", "1"),
    "export": ("export", "-f", "csv", "--features", "--overwrite"),
    "export groups": ("export", "-f", "groups"),
    "compare": ("compare", "ldc-k3", "auto"),
    "evaluate": ("evaluate", "--folds", "2"),
    "segment": ("segment", "NEW", "--workers", "1"),
    "assign": ("assign", "NEW", "--workers", "1", "--clustering", "ldc-k3"),
    "annotate": ("annotate", "NEW", "--workers", "1"),
    "apply": ("review", "apply", "--clustering", "ldc-k3"),
    "log": ("review", "log"),
    "undo": ("review", "undo"),
}
"""A line of each command that reads a workspace; NEW is a folder of recordings."""

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "rubbish": lambda content: random.Random(1).randbytes(max(40, len(content))),
}

SLOW = {"figure", "gallery"}
"""Commands that draw; they read what others read."""


@dataclass(frozen=True)
class Case:
    """A workspace with everything in it, and what each command says of it undamaged.

    Attributes
    ----------
    folder : pathlib.Path
        The workspace, never written to.
    new : pathlib.Path
        Recordings that it has not.
    files : list of pathlib.Path
        One file of each kind in it, from its folder.
    whole : dict of str to (int, str)
        By command, exit code and what is printed.
    """

    folder: Path
    new: Path
    files: list[Path]
    whole: dict[str, tuple[int, str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def case(made_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Case:
    root = tmp_path_factory.mktemp("damage")
    new = root / "new"
    new.mkdir()
    rng = np.random.default_rng(0)
    for name in ("x.wav", "y.wav"):
        time_s = np.arange(22050) / 22050
        sound = 0.001 * rng.standard_normal(22050)
        sound[5000:9000] += 0.2 * np.sin(2 * np.pi * 3000 * time_s[5000:9000])
        soundfile.write(new / name, sound, 22050)
    folder = shutil.copytree(made_workspace, root / "w")
    workspace = Workspace.open(folder)
    make_modes(workspace, ClusterOptions(k="auto", stability_runs=0), "auto")
    make_modes(workspace, ClusterOptions(k=3, stability_runs=0))
    make_groups(workspace, GroupOptions("bamic-avg", 2, stability_runs=0))
    for number in (1, 2):  # the first is applied, the second waits
        base = assignments_digest(read_clustering(workspace, "ldc-k3").assignments)
        edit = Edit(f"{number:016x}", "2026-01-01T10:00:00Z", "rename", {"cluster": 0, "name": "x"})
        review = Review("ldc-k3", base, "", (edit,))
        if number == 1:
            apply_review(workspace, review)
    (folder / "review" / "pending-ldc-k3.json").write_text(json.dumps(review.to_dict()))
    (folder / "errors.csv").write_text("recording,stage,reason\nbad.wav,segment,not a sound\n")
    shards = [next((folder / part).glob("*.parquet")) for part in ("recordings", "syllables")]
    others = [path for path in folder.rglob("*") if path.is_file() and path.name != "lock"]
    kept = [path for path in others if path.parent.name not in ("recordings", "syllables")]
    return Case(folder, new, sorted(path.relative_to(folder) for path in [*kept, *shards]))


def run(call: Call, case: Case, command: str, folder: Path) -> tuple[int, str]:
    """Run a command; what it says without the names of folders, sizes, and when it was."""
    words = [str(case.new) if word == "NEW" else word for word in COMMANDS[command]]
    code, printed = call(*words, "-w", folder)
    printed = re.sub(r"\n\S+ \w+ on disk: .*(\n .*)*", "", printed.replace(str(folder), "W"))
    return code, re.sub(r"in \d+ s|\d{4}-\d\d-\d\d.\d\d:\d\d(:\d\dZ)?", "-", printed)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def check(call: Call, case: Case, command: str, file: Path, damage: str, folder: Path) -> None:
    """A command never ends in a traceback, and says of a file that it needs which one it is."""
    shutil.copytree(case.folder, folder)
    path = folder / file
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    before = contents(folder)
    code, printed = run(call, case, command, folder)
    assert "Traceback" not in printed
    if (code, printed) == case.whole[command]:
        return  # it does not need that file, or has written it anew
    told = [line for line in printed.splitlines() if re.match("(birdmodes|warning): ", line)]
    assert any(re.search(rf"{re.escape(file.as_posix())}.*; ", line) for line in told), printed
    if code == 2:
        assert printed.splitlines()[-1] == told[-1], "the error is not the last line"
        assert len([line for line in told if line.startswith("birdmodes")]) == 1
        assert contents(folder).items() >= before.items(), "something is lost"


def damage(
    command: str, case: Case, call: Call, tmp_path: Path, chosen: Iterable[tuple[Path, str]]
) -> None:
    shutil.copytree(case.folder, tmp_path / "whole")
    case.whole[command] = run(call, case, command, tmp_path / "whole")
    assert case.whole[command][0] == 0, case.whole[command][1]
    for number, (file, how) in enumerate(chosen):
        check(call, case, command, file, how, tmp_path / str(number))


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in SLOW])
def test_a_damaged_file_is_one_line_that_names_it(
    command: str, case: Case, call: Call, tmp_path: Path
) -> None:
    """Each file in one of three ways, and each command with a tenth of the files."""
    first = list(COMMANDS).index(command)
    chosen = zip(case.files, itertools.cycle(DAMAGES), strict=False)
    damage(command, case, call, tmp_path, list(chosen)[first % 10 :: 10])


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_any_damaged_file_is_one_line_that_names_it(
    command: str, case: Case, call: Call, tmp_path: Path
) -> None:
    damage(command, case, call, tmp_path, itertools.product(case.files, DAMAGES))
