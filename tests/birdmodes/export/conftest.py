"""A small workspace with a clustering whose names are hostile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.modes.clustering import Clustering
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

RATE_HZ = 8000
HOSTILE = '=HYPERLINK("http://x";"y")\t<b>\n../..'
RECORDINGS = ["-x.wav", "dawn/a.wav", "dawn/b, 'c'.wav", "dusk/a.wav"]
DURATIONS_S = [2.0, 3.0, 4.0, 2.5]
RECORDED_AT = ["2021-10-01T12:00:04", "", "", ""]
BOXES = [(0.5, 0.7, 1000.0, 2000.0), (0.6, 0.9, 2000.0, 3000.0), (1.25, 1.5, 500.0, 750.5)]
"""Start, end, lowest and highest frequency of syllable n of every recording; it is of cluster n."""


@dataclass(frozen=True)
class Case:
    """Cluster 0 is "Robin mode 1", 1 is `HOSTILE` mode 1, 2 belongs to no species.

    The syllable of cluster 0 in the last recording has confidence 0, those of the first two
    recordings have been marked good and moved.
    """

    root: Path
    workspace: Workspace
    clustering: Clustering

    def recording(self, name: str) -> Path:
        return self.root / "recordings" / name

    def with_assignments(self, **columns: object) -> Case:
        """The same with other values in the assignments."""
        table = self.clustering.assignments.assign(**columns)
        return replace(self, clustering=replace(self.clustering, assignments=table))


def commit(workspace: Workspace, root: Path, number: int) -> None:
    name, duration_s = RECORDINGS[number], DURATIONS_S[number]
    path = root / "recordings" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = np.sin(np.arange(round(duration_s * RATE_HZ)) / 5) / 2
    soundfile.write(path, samples, RATE_HZ)
    found = [
        ClipSegment(
            0,
            0.0,
            Segment(
                *box,
                np.arange(len(FEATURE_NAMES)) + 100.0 * number + cluster,
                np.full((4, 5), 40 * (cluster + 1), dtype=np.uint8),
                np.ones((4, 5), dtype=bool),
                False,
            ),
        )
        for cluster, box in enumerate(BOXES)
    ]
    row = {
        "recording": name, "path": str(path), "size_bytes": path.stat().st_size,
        "mtime_ns": path.stat().st_mtime_ns, "duration_s": duration_s, "sample_rate_hz": RATE_HZ,
        "channels": 1, "labelled": True, "species": "Robin", "n_clips": 1, "bag_unit": "clip",
        "n_syllables": len(found), "note": "", "recorded_at": RECORDED_AT[number],
        "latitude": 48.5 if number == 0 else None, "longitude": -3.25 if number == 0 else None,
    }  # fmt: skip
    workspace.commit(row, syllables_table(name, found, "clip"))


def known_clustering(workspace: Workspace) -> Clustering:
    table = workspace.syllables(["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"])
    table["cluster"] = [int(name[-1]) for name in table["syllable"]]
    table["species"] = table["cluster"].map({0: "Robin", 1: HOSTILE, 2: ""})
    modes = {0: "Robin mode 1", 1: f"{HOSTILE} mode 1", 2: ""}
    table["mode"] = table["cluster"].map(modes)
    table["confidence"] = table["cluster"].map({0: 0.75, 1: 0.5, 2: 0.0})
    last = (table["recording"] == RECORDINGS[3]) & (table["cluster"] == 0)
    table.loc[last, "confidence"] = 0.0
    table["centrality"] = 1 - table.groupby("cluster").cumcount() / 4
    table["recorded_at"] = np.where(
        table["recording"] == RECORDINGS[0], "2021-10-01T12:00:04.500", ""
    )
    table["review"] = ""
    table.loc[(table["cluster"] == 0) & (table["recording"] == RECORDINGS[0]), "review"] = "good"
    table.loc[(table["cluster"] == 1) & (table["recording"] == RECORDINGS[1]), "review"] = "moved"
    table.loc[(table["cluster"] == 2) & (table["recording"] == RECORDINGS[1]), "review"] = "noise"
    summary = pd.DataFrame(
        {
            "cluster": [0, 1, 2],
            "species": ["Robin", HOSTILE, ""],
            "mode": list(modes.values()),
            "background": [False, False, True],
            "syllables": 4,
            "recordings": 4,
            "confidence": [0.75, 0.5, np.nan],
            "consistency": [1.0, 1.0, np.nan],
            "p_value": [0.01, 0.01, np.nan],
        }
    )
    return Clustering("hostile", table, summary, {}, {"method": "csp", "k": 3, "seed": 0})


@pytest.fixture
def make_case(tmp_path: Path) -> Callable[[], Case]:
    """Make a workspace that the test may damage."""
    return lambda: _case(tmp_path)


@pytest.fixture(scope="session")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A workspace to read only."""
    return _case(tmp_path_factory.mktemp("export"))


def _case(root: Path) -> Case:
    workspace = Workspace.prepare(root / "workspace", Settings(SegmentationParameters()))
    for number in range(len(RECORDINGS)):
        commit(workspace, root, number)
    return Case(root, workspace, known_clustering(workspace))


@pytest.fixture(scope="session")
def hostile() -> str:
    """Name of the hostile species."""
    return HOSTILE


@pytest.fixture(scope="session")
def recordings() -> list[str]:
    """Names of the recordings, as they are sorted."""
    return RECORDINGS
