"""A clustering of whistles, low ones of a Robin and high ones of a Wren, and new recordings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.audio.read import find_recordings
from birdmodes.labels import fit_labels
from birdmodes.modes.clustering import Clustering, write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

RATE_HZ = 22050
ROBIN_HZ, WREN_HZ = 2000.0, 6000.0


@dataclass(frozen=True)
class Scene:
    """A workspace, its clustering of two modes, and a folder of new recordings."""

    workspace: Workspace
    clustering: Clustering
    new: Path


def write(path: Path, pitches_hz: list[float], seed: int) -> None:
    """Whistles at the given pitches, a bit different each time, in faint noise."""
    rng = np.random.default_rng(seed)
    samples = 0.001 * rng.standard_normal(4 * RATE_HZ)
    for number, start_s in enumerate(np.arange(0.3, 3.6, 0.5)):
        t = np.arange(round(rng.uniform(0.18, 0.25) * RATE_HZ)) / RATE_HZ
        pitch = pitches_hz[number % len(pitches_hz)] * rng.uniform(0.97, 1.03)
        tone = 0.2 * np.hanning(t.size) * np.sin(2 * np.pi * (pitch * t + 300 * t**2))
        first = round(start_s * RATE_HZ)
        samples[first : first + t.size] += tone
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, RATE_HZ)


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("assign")
    rows = ["recording,species"]
    for number in range(8):
        species, pitch = ("Robin", ROBIN_HZ) if number % 2 else ("Wren", WREN_HZ)
        write(folder / "old" / f"{number}.wav", [pitch], number)
        rows.append(f"{number}.wav,{species}")
    (folder / "old" / "labels.csv").write_text("\n".join(rows) + "\n")
    recordings = find_recordings([folder / "old"])
    workspace = Workspace.prepare(folder / "w", Settings(SegmentationParameters()))
    segment_recordings(recordings, fit_labels(recordings), workspace)
    clustering = find_modes(workspace, ClusterOptions(k=2, stability_runs=0), "two").clustering
    write_clustering(workspace, clustering)
    new = folder / "new"
    write(new / "20240512_050000.wav", [ROBIN_HZ], 100)
    write(new / "b" / "both.wav", [ROBIN_HZ, WREN_HZ], 101)
    write(new / "wren.wav", [WREN_HZ], 102)
    return Scene(workspace, clustering, new)
