"""A workspace to cluster, and the command line as a function."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

CENTRES = np.random.default_rng(1).normal(0, 10, (3, len(FEATURE_NAMES)))


@pytest.fixture
def small_workspace(made_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve recordings of a Robin with one mode and a Wren with two; each test has its own."""
    return shutil.copytree(made_workspace, tmp_path_factory.mktemp("small") / "w")


@pytest.fixture(scope="session")
def made_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make what `small_workspace` copies."""
    workspace = Workspace.prepare(
        tmp_path_factory.mktemp("cli") / "w", Settings(SegmentationParameters())
    )
    for number in range(12):
        rng = np.random.default_rng(number)
        species, modes = ("Robin", [0]) if number % 2 else ("Wren", [1, 2])
        found = [
            ClipSegment(0, 0.0, _syllable(mode, 0.3 * place, rng))
            for place, mode in enumerate(modes * (4 // len(modes)))
        ]
        row = {
            "recording": f"{number:02}.wav", "path": f"{number:02}.wav", "size_bytes": 1,
            "mtime_ns": 1, "duration_s": 10.0, "sample_rate_hz": 22050, "channels": 1,
            "labelled": True, "species": species, "n_clips": 1, "bag_unit": "clip",
            "n_syllables": len(found), "note": "",
        }  # fmt: skip
        workspace.commit(row, syllables_table(f"{number:02}.wav", found, "clip"))
    return workspace.folder


def _syllable(mode: int, start_s: float, rng: np.random.Generator) -> Segment:
    features = CENTRES[mode] + rng.normal(0, 1, len(FEATURE_NAMES))
    patch = np.zeros((2, 2), dtype=np.uint8)
    return Segment(
        start_s, start_s + 0.2, 1000.0, 2000.0, features, patch, np.ones((2, 2), bool), False
    )
