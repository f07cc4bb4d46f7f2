"""Many short recordings, what segmenting them undisturbed gives, and programs to disturb."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.workspace.store import Workspace

pytest.register_assert_rewrite("browser")
from browser import gallery, hostile, open_page, species_file  # noqa: E402
from chromium import browser, chromium, end_browser  # noqa: E402
from writing_commands import few_recordings, made_once, world  # noqa: E402

__all__ = [
    "browser",
    "chromium",
    "few_recordings",
    "field",
    "gallery",
    "hostile",
    "made_once",
    "open_page",
    "species_file",
    "world",
]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """End the browser when nobody needs it, after all that was opened in it is closed."""
    try:
        yield
    finally:
        end_browser(item, nextitem)


BIRDMODES = (sys.executable, "-c", "from cli.main import main; main()")
PATIENCE_S = 60
RATE_HZ = 22050
N_GOOD = 40
N_BAD = 2


@dataclass(frozen=True)
class Field:
    """Recordings, and ways to segment them.

    Attributes
    ----------
    recordings : pathlib.Path
        Folder with `n_good` good recordings and `n_bad` bad ones.
    n_good, n_bad : int
        How many.
    whole : pathlib.Path
        Workspace of an undisturbed run.
    """

    recordings: Path
    whole: Path
    n_good: int = N_GOOD
    n_bad: int = N_BAD

    def command(self, workspace: Path, *options: str) -> list[str]:
        """``birdmodes segment`` of the recordings into `workspace`."""
        return [*BIRDMODES, "segment", str(self.recordings), "-w", str(workspace), *options]

    def start(self, workspace: Path, *options: str) -> subprocess.Popen[str]:
        """Start `command` in a session of its own."""
        return subprocess.Popen(
            self.command(workspace, *options),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, workspace: Path, *options: str, code: int = 1) -> str:
        """Run `command` to its end; its exit code must be `code`; all that it printed."""
        with self.start(workspace, *options) as program:
            output, _ = program.communicate(timeout=PATIENCE_S)
        assert program.returncode == code, output
        assert "Traceback" not in output
        return output

    def done(self, workspace: Path) -> int:
        """How many recordings are committed."""
        return len(list((workspace / "recordings").glob("[!.]*.parquet")))

    def wait_until_done(self, workspace: Path, count: int, program: subprocess.Popen[str]) -> None:
        """Wait until at least `count` recordings are committed and `program` still runs."""
        end = time.monotonic() + PATIENCE_S
        while self.done(workspace) < count:
            assert program.poll() is None, program.communicate()[0]
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.005)

    def assert_whole(self, workspace: Path) -> None:
        """Check that the tables are those of the undisturbed run, and that nothing is left over."""
        mine, expected = Workspace.open(workspace), Workspace.open(self.whole)
        assert mine.settings == expected.settings
        pd.testing.assert_frame_equal(mine.recordings(), expected.recordings())
        pd.testing.assert_frame_equal(mine.syllables(), expected.syllables())
        pd.testing.assert_frame_equal(mine.errors(), expected.errors())
        for name in expected.recordings()["recording"]:
            assert mine.syllable_rows(name).equals(expected.syllable_rows(name))
        assert not list(workspace.rglob(".unfinished-*"))


@pytest.fixture(scope="session")
def field(tmp_path_factory: pytest.TempPathFactory) -> Field:
    """Short recordings of whistles, some of which cannot be read, segmented in one process."""
    root = tmp_path_factory.mktemp("disturbed")
    made = Field(root / "recordings", root / "whole")
    made.recordings.mkdir()
    rows = ["recording,species"]
    for number in range(N_GOOD):
        rng = np.random.default_rng(number)
        samples = 0.001 * rng.standard_normal(2 * RATE_HZ)
        time_s = np.arange(round(0.2 * RATE_HZ)) / RATE_HZ
        whistle = np.hanning(len(time_s)) * np.sin(2 * np.pi * rng.uniform(2e3, 8e3) * time_s)
        for start_s in (0.3, 0.9, 1.5):
            first = round(start_s * RATE_HZ)
            samples[first : first + len(whistle)] += 0.2 * whistle
        soundfile.write(made.recordings / f"{number:02}.wav", samples, RATE_HZ)
        rows.append(f"{number:02},{['Wren', 'Robin', ''][number % 3]}")
    for number in range(N_BAD):
        (made.recordings / f"{7 + 20 * number:02}-bad.wav").write_bytes(b"RIFF nonsense")
    (made.recordings / "labels.csv").write_text("\n".join(rows) + "\n")
    made.run(made.whole, "--workers", "1")
    assert len(Workspace.open(made.whole).syllables()) >= 3 * N_GOOD
    assert len(Workspace.open(made.whole).errors()) == N_BAD
    return made
