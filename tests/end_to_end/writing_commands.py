"""The commands that write, and a small workspace for them to write to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile
from kill_points import put

from birdmodes.modes.clustering import read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.workspace.store import Workspace

Call = Callable[..., tuple[int, str]]
Words = tuple[str, ...]

RATE_HZ = 22050
ONE = ("--workers", "1")
SEGMENT = ("segment", "{recordings}", "-w", "{w}", *ONE)
CLUSTER = ("cluster", "-w", "{w}", "--k", "2", "--name", "two", *ONE)
TRAIN = (
    "train-segmenter",
    "{recordings}",
    "{boxes}",
    "--model",
    "{out}/forest.npz",
    "--trees",
    "2",
)
FOREST = ("--segmenter", "forest", "--model", "{out}/forest.npz")
GROUP = ("cluster", "-w", "{w}", "--method", "m3ic", "--name", "grouped", *ONE)
APPLY = ("review", "apply", "-w", "{w}")
MERGE = ("review", "merge", "-w", "{w}", "-o", "{out}/merged.json")
OTHER = ("cluster", "-w", "{w}", "--k", "3", *ONE, "--name")
COMPARE = ("compare", "two", "one", "-w", "{w}")


@dataclass(frozen=True)
class Step:
    """A command that writes.

    Attributes
    ----------
    command : tuple of str
        What is killed.
    before : tuple of tuple of str
        What was done before, so that there is something to lose.
    made : bool
        Whether there is a workspace with results before.
    anew : bool
        Whether the command is to drop the tables of recordings and errors.
    done : str
        What it says, with exit code 2, if it had done everything when it was killed.
    damaged : tuple of str
        Files of the workspace that are cut short before.
    """

    command: Words
    before: tuple[Words, ...] = ()
    made: bool = True
    anew: bool = False
    done: str = ""
    damaged: Words = ()


def _export(name: str, *options: str) -> Step:
    command = ("export", "-f", name, "-w", "{w}", "--overwrite")
    return Step((*command, *options), (command,))


STEPS = {
    "segment": Step(SEGMENT, made=False),
    "segment more": Step(("segment", "{new}", "-w", "{w}", "--no-labels", *ONE)),
    "segment --restart": Step((*SEGMENT, "--restart"), anew=True),
    "segment with a model": Step((*SEGMENT, *FOREST, "--restart"), (TRAIN,), anew=True),
    "train-segmenter": Step((*TRAIN, "--seed", "1"), (TRAIN,)),
    "cluster": Step((*CLUSTER, "--seed", "1")),
    "cluster --with-review": Step((*CLUSTER, "--with-review"), (APPLY,)),
    "groups": Step((*GROUP, "--k", "3"), ((*GROUP, "--k", "2"),)),
    "gallery": Step(
        ("gallery", "-w", "{w}", "-o", "{out}/gallery", "--examples", "1", *ONE),
        (("gallery", "-w", "{w}", "-o", "{out}/gallery", *ONE),),
    ),
    "figure": Step(
        ("figure", "Wren", "-w", "{w}", "--examples", "1"), (("figure", "Wren", "-w", "{w}"),)
    ),
    "export csv": _export("csv", "--bom"),
    "export r": _export("r", "--features"),
    "export excel": _export("excel", "--features"),
    "export parquet": _export("parquet", "--features"),
    "export kaleidoscope": _export("kaleidoscope", "--species", "Wren"),
    "export raven": _export("raven", "--species", "Wren"),
    "export audacity": _export("audacity", "--plain"),
    "export crowsetta": _export("crowsetta", "--label", "species"),
    "export clips": _export("clips", "--per-mode", "1"),
    "export ebird": _export("ebird", "--species", "Wren"),
    "assign": Step(
        ("assign", "{new}", "-w", "{w}", "--threshold", "0.9", *ONE),
        (("assign", "{new}", "-w", "{w}", *ONE),),
    ),
    "annotate": Step(
        ("annotate", "{new}", "-w", "{w}", "--method", "citation-knn", "-o", "{out}/new", *ONE),
        (("annotate", "{new}", "-w", "{w}", "-o", "{out}/new", *ONE),),
    ),
    "evaluate": Step(
        ("evaluate", "-w", "{w}", "--folds", "2", "--name", "e"),
        (("evaluate", "-w", "{w}", "--folds", "3", "--name", "e"),),
    ),
    "compare": Step(COMPARE, ((*OTHER, "one"), COMPARE, (*OTHER, "two"))),
    "review apply": Step(APPLY, done="has saved nothing"),
    "repair": Step(("repair", "-w", "{w}"), damaged=("clusterings/two/modes.csv", "errors.csv")),
    "review merge": Step(
        (*MERGE, "{out}/b.json", "{out}/a.json"), ((*MERGE, "{out}/a.json", "{out}/b.json"),)
    ),
    "review undo": Step(("review", "undo", "-w", "{w}"), (APPLY,), done="no corrections to take"),
}


@dataclass(frozen=True)
class World:
    """Recordings, and a workspace of them that changes.

    Attributes
    ----------
    sources : pathlib.Path
        Folder of the recordings.
    root : pathlib.Path
        Folder of the workspace, ``w``, and of what is written elsewhere, ``out``.
    call : callable
        Runs a command.
    """

    sources: Path
    root: Path
    call: Call

    def words(self, words: Words) -> list[str]:
        """Give a command of `STEPS` with the places that it is about."""
        places = {name: self.sources / name for name in ("recordings", "new", "boxes")}
        places |= {"w": self.root / "w", "out": self.root / "out"}
        return [word.format(**places) for word in words]

    def run(self, words: Words) -> tuple[int, str]:
        """Run a command of `STEPS`."""
        return self.call(*self.words(words))

    def must(self, words: Words) -> str:
        """Run a command that must end well."""
        code, printed = self.run(words)
        assert code == 0, printed
        return printed

    def begin(self, step: Step) -> None:
        """Make what is there before the command."""
        if not step.made:
            shutil.rmtree(self.root / "w")
        for words in step.before:
            self.must(words)
        for file in step.damaged:
            with (self.root / "w" / file).open("r+b") as cut:
                cut.truncate(10)


def _record(folder: Path, numbers: range) -> None:
    """Recordings of three whistles each, of low and high ones by turns."""
    folder.mkdir()
    time_s = np.arange(round(0.15 * RATE_HZ)) / RATE_HZ
    for number in numbers:
        samples = 0.001 * np.random.default_rng(number).standard_normal(3 * RATE_HZ // 2)
        for place, start_s in enumerate((0.2, 0.6, 1.0)):
            hertz = (2500, 6000)[number % 2] + 1200 * (place % 2)
            first = round(start_s * RATE_HZ)
            whistle = np.hanning(len(time_s)) * np.sin(2 * np.pi * hertz * time_s)
            samples[first : first + len(time_s)] += 0.2 * whistle
        soundfile.write(folder / f"20240501_0600{number:02}.wav", samples, RATE_HZ)


@pytest.fixture(scope="session")
def few_recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four recordings with species, two without, boxes around whistles."""
    folder = tmp_path_factory.mktemp("sources")
    _record(folder / "recordings", range(4))
    _record(folder / "new", range(4, 6))
    names = [f"20240501_0600{number:02}" for number in range(4)]
    lines = [f"{name},{('Wren', 'Robin')[i % 2]}" for i, name in enumerate(names)]
    (folder / "recordings" / "labels.csv").write_text("recording,species\n" + "\n".join(lines))
    (folder / "boxes").mkdir()
    rows = [f"{name}.wav,0.2,0.35,{(2300, 5800)[i % 2]},{(2700, 6200)[i % 2]}"
            for i, name in enumerate(names)]  # fmt: skip
    header = "recording,start_s,end_s,low_hz,high_hz\n"
    (folder / "boxes" / "boxes.csv").write_text(header + "\n".join(rows))
    return folder


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Where the workspace lies that the first test makes for all."""
    return {"folder": tmp_path_factory.mktemp("made") / "root"}


@pytest.fixture
def world(few_recordings: Path, made_once: dict[str, Path], tmp_path: Path, call: Call) -> World:
    """A workspace with a clustering, and a review of it that is not applied yet."""
    here = World(few_recordings, tmp_path / "root", call)
    if not made_once["folder"].exists():
        here.root.joinpath("out").mkdir(parents=True)
        here.must(SEGMENT)
        here.must(CLUSTER)
        workspace = Workspace.open(here.root / "w")
        found = read_clustering(workspace, "two")
        base = assignments_digest(found.assignments)
        (workspace.folder / "review").mkdir(exist_ok=True)
        pending = workspace.folder / "review" / "pending-two.json"
        for number, file in enumerate(
            (pending, here.root / "out/a.json", here.root / "out/b.json")
        ):
            _write_review(file, base, number)
        put(here.root, made_once["folder"])
    put(made_once["folder"], here.root)
    return here


def _write_review(file: Path, base: str, number: int) -> None:
    """What somebody saved: another name for a mode."""
    edit = {
        "id": f"{number:016x}",
        "at": "2026-01-01T10:00:00Z",
        "action": "rename",
        "cluster": 0,
        "name": f"whistle {number}",
    }
    review = {"format": 1, "clustering": "two", "base": base, "who": f"Ana {number}"}
    file.write_text(json.dumps({**review, "edits": [edit]}))
