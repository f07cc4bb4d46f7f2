"""Fixtures shared by the whole suite."""

from __future__ import annotations

import functools
import importlib.util
import os
import pickle
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import typer.main
import typer.testing

from algorithms import METHODS, Bags
from algorithms.base import BagClusterer
from algorithms.registry import Method
from birdmodes.groups.find import GroupOptions, find_groups
from birdmodes.groups.grouping import Grouping, write_grouping
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table
from cli.main import main


@pytest.fixture(scope="session")
def load_script() -> Callable[[Path], ModuleType]:
    """Import a script by its file, as it lies in no package."""

    def load(path: Path) -> ModuleType:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # where dataclasses look for it
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session", autouse=True)
def _no_power_cuts() -> Iterator[None]:
    """Do not wait for the disk at every file: programs are killed here, but no machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """Let programs be interrupted, which those that a shell starts with & cannot be."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class _Here(Executor):
    """Stands in for other processes: what they would get and give is pickled."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        sent = pickle.dumps((function, arguments, named))
        there, given, given_named = pickle.loads(sent)  # noqa: S301  our own bytes
        future.set_result(pickle.loads(pickle.dumps(there(*given, **given_named))))  # noqa: S301
        return future


@pytest.fixture(params=["here", pytest.param("processes", marks=pytest.mark.slow)])
def two_workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Number of workers that are no processes unless the test is slow: starting two takes 5 s.

    That processes give what they should is tested where they are started, in ``parallel``.
    """
    if request.param == "here":
        monkeypatch.setattr("birdmodes.parallel.executors.ProcessPoolExecutor", _Here)
    return 2


@pytest.fixture(scope="session")
def shared() -> Path:
    """Root of the real recordings and data sets, which do not belong to the project."""
    root = os.environ.get("BIRDMODES_SHARED")
    if not root or not Path(root).is_dir():
        pytest.skip("real recordings not here: set BIRDMODES_SHARED to their folder")
    return Path(root).resolve()  # tests make links to what is in it


# Typer makes all commands anew from their signatures each time, which takes longer than most of
# them on the small workspaces here.
_get_command = functools.cache(typer.main.get_command)
typer.testing._get_command = _get_command  # type: ignore[attr-defined]  # what CliRunner calls


@pytest.fixture
def call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run birdmodes in this process; gives its exit code and all that it printed."""

    monkeypatch.setattr(typer.main, "get_command", _get_command)

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["birdmodes", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


@dataclass
class FileServer:
    """A folder that is served over HTTP, and the paths that were asked for."""

    folder: Path
    address: str
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def file_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """Stand in for the address of the public data sets: nothing leaves this machine."""
    folder = tmp_path / "served"
    folder.mkdir()
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(folder))

        def do_GET(self) -> None:
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr("birdmodes.experiments.datasets.catalogue.ADDRESS", address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.delenv("BIRDMODES_DATA", raising=False)
        yield FileServer(folder, address, asked)
        server.shutdown()
        thread.join()


@dataclass(frozen=True)
class FakeRecording:
    """A recording as `make_workspace` makes it.

    Attributes
    ----------
    name : str
        Of the recording.
    clips : sequence of sequence of int
        Kinds of the syllables in each clip of 10 s.
    species : str or None
        Joined by ``;``; None for an unlabelled recording.
    bag_unit : {"clip", "recording"}
        What a bag is.
    """

    name: str
    clips: Sequence[Sequence[int]]
    species: str | None = ""
    bag_unit: str = "clip"


_KINDS = np.random.default_rng(1).normal(0, 10, (6, len(FEATURE_NAMES)))


def _commit(workspace: Workspace, recording: FakeRecording, rng: np.random.Generator) -> None:
    patch, mask = np.zeros((2, 2), dtype=np.uint8), np.ones((2, 2), dtype=bool)
    found = [
        ClipSegment(
            clip,
            10.0 * clip,
            Segment(
                0.5 * place, 0.5 * place + 0.2, 1000.0, 2000.0,
                _KINDS[kind] + rng.normal(0, 1, len(FEATURE_NAMES)), patch, mask, False,
            ),
        )
        for clip, kinds in enumerate(recording.clips)
        for place, kind in enumerate(kinds)
    ]  # fmt: skip
    row = {
        "recording": recording.name, "path": recording.name, "size_bytes": 1, "mtime_ns": 1,
        "duration_s": 10.0 * len(recording.clips), "sample_rate_hz": 22050, "channels": 1,
        "labelled": recording.species is not None, "species": recording.species or "",
        "n_clips": len(recording.clips), "bag_unit": recording.bag_unit,
        "n_syllables": len(found), "note": "",
    }  # fmt: skip
    workspace.commit(row, syllables_table(recording.name, found, recording.bag_unit))


@pytest.fixture(scope="session")
def made_workspaces() -> dict[str, Path]:
    """Folders of the workspaces that `make_workspace` has made, by what they were made of."""
    return {}


@pytest.fixture
def make_workspace(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, made_workspaces: dict[str, Path]
) -> Callable[..., Workspace]:
    """Make a workspace of recordings with given kinds of syllables, far from each other.

    Each is given as what `FakeRecording` takes: ``("a.wav", [[0, 0], [1]], "Robin;Wren")``. What
    was made of the same before is copied, which takes less than to make it.
    """

    def make_in(folder: Path, recordings: tuple[tuple[Any, ...], ...]) -> Workspace:
        workspace = Workspace.prepare(folder, Settings(SegmentationParameters()))
        rng = np.random.default_rng(5)
        for recording in recordings:
            _commit(workspace, FakeRecording(*recording), rng)
        return workspace

    def make(*recordings: tuple[Any, ...]) -> Workspace:
        folder, key = tmp_path / "workspace", repr(recordings)
        if folder.exists():  # more recordings for the one that the test has
            return make_in(folder, recordings)
        if key not in made_workspaces:
            made_workspaces[key] = tmp_path_factory.mktemp("made") / "workspace"
            make_in(made_workspaces[key], recordings)
        return Workspace.open(shutil.copytree(made_workspaces[key], folder))

    return make


class ToldGroups(BagClusterer):
    """A method that is told the groups, -1 for bags without syllables.

    Parameters
    ----------
    groups : sequence of int
        Group of each bag; 0 unless told.
    witnesses : bool
        Whether to name the first syllable of each bag as the one that decided.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: int | None = 0,
        groups: Sequence[int] | None = None,
        witnesses: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.groups = groups
        self.witnesses = witnesses

    def fit(self, bags: Bags) -> ToldGroups:
        """Take the groups as they are; earlier bags fit better."""
        empty = bags.sizes == 0
        groups = np.zeros(bags.n_bags) if self.groups is None else np.asarray(self.groups)
        self.labels_ = np.where(empty, -1, groups).astype(np.int64)
        self.strength_ = np.where(empty, np.nan, 1.0 / np.arange(1, bags.n_bags + 1))
        if self.witnesses:
            first = [np.flatnonzero(bags.bag == number)[:1] for number in range(bags.n_bags)]
            self.witnesses_ = np.array([row[0] if len(row) else -1 for row in first])
        return self


class _ToldMethod(Method):
    """The entry of `ToldGroups` in the table of methods."""

    def load(self) -> type[BagClusterer]:
        return ToldGroups


@pytest.fixture
def told_method(monkeypatch: pytest.MonkeyPatch) -> str:
    """Name of a method that groups recordings as it is told with its option ``groups``."""
    entry = _ToldMethod("told", "bag", "", "none", "groups recordings as it is told")
    monkeypatch.setitem(METHODS, "told", entry)
    return "told"


@pytest.fixture
def put_grouping(told_method: str) -> Callable[..., Grouping]:
    """Store a grouping that is made from given groups, one for each bag of the workspace."""

    def put(
        workspace: Workspace,
        groups: Sequence[int],
        name: str = "m3ic-k2",
        *,
        witnesses: bool = True,
    ) -> Grouping:
        told = {"groups": list(groups), "witnesses": witnesses}
        k = max(1, len({number for number in groups if number >= 0}))
        options = GroupOptions(told_method, k, method_parameters=told, stability_runs=1)
        grouping = find_groups(workspace, options, name).grouping
        write_grouping(workspace, grouping)
        return grouping

    return put
