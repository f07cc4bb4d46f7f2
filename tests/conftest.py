"""Fixtures shared by the whole suite."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from cli.main import main

# How long an example takes depends on the machine; it says nothing about what is right. The
# continuous integration takes the same examples each time, so that it judges the change alone.
settings.register_profile("birdmodes", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("birdmodes")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than cores: many tests wait for a browser or another program."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def shared() -> Path:
    """Root of the real recordings and data sets, which do not belong to the project."""
    root = os.environ.get("BIRDMODES_SHARED")
    if not root or not Path(root).is_dir():
        pytest.skip("real recordings not here: set BIRDMODES_SHARED to their folder")
    return Path(root)


@pytest.fixture
def call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run birdmodes in this process; gives its exit code and all that it printed."""

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
        monkeypatch.setattr("birdmodes.datasets.catalogue.ADDRESS", address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.delenv("BIRDMODES_DATA", raising=False)
        yield FileServer(folder, address, asked)
        server.shutdown()
        thread.join()
