"""Recordings with whistles that were painted and bursts of rain that were not, and a forest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from birdmodes.audio.read import find_recordings
from birdmodes.segmentation import ForestModel
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.training import TrainedForest, find_paint, train_forest

RATE_HZ = 16_000
SECONDS = 6.0
MASK_SHAPE = (128, 300)  # rows from 0 Hz up in 62.5 Hz, columns in 20 ms

PARAMETERS = SegmentationParameters.preset("briggs2012", clip_s=3.0)


@dataclass(frozen=True)
class Whistle:
    """A planted syllable, in seconds and hertz."""

    start_s: float
    end_s: float
    low_hz: float
    high_hz: float


def scene(seed: int) -> tuple[np.ndarray, list[Whistle]]:
    """Noise with rising whistles and with clicks over all frequencies."""
    rng = np.random.default_rng(seed)
    samples = 0.01 * rng.standard_normal(round(SECONDS * RATE_HZ))
    whistles = []
    for start_s in np.arange(0.25, SECONDS - 0.5, 0.8) + rng.uniform(0, 0.1):
        low = float(rng.uniform(2000, 5000))
        t = np.arange(round(0.3 * RATE_HZ)) / RATE_HZ
        tone = 0.08 * np.hanning(t.size) ** 0.25 * np.sin(2 * np.pi * (low * t + 1000 * t**2))
        first = round(start_s * RATE_HZ)
        samples[first : first + t.size] += tone
        whistles.append(Whistle(start_s, start_s + 0.3, low - 60, low + 660))
    for start_s in np.arange(0.7, SECONDS - 0.1, 0.8):
        first = round(start_s * RATE_HZ)
        samples[first : first + 320] += 0.15 * rng.standard_normal(320)
    return samples, whistles


def mask_of(whistles: list[Whistle]) -> np.ndarray:
    """Picture whose first row is 0 Hz, bright along each whistle."""
    image = np.zeros(MASK_SHAPE, dtype=np.uint8)
    hertz = (np.arange(MASK_SHAPE[0]) + 0.5) / MASK_SHAPE[0] * RATE_HZ / 2
    for whistle in whistles:
        for column in range(MASK_SHAPE[1]):
            at_s = (column + 0.5) / MASK_SHAPE[1] * SECONDS
            if whistle.start_s <= at_s <= whistle.end_s:
                pitch = whistle.low_hz + 60 + 2000 * (at_s - whistle.start_s)
                image[np.abs(hertz - pitch) < 130, column] = 255
    return image


Scene = tuple[np.ndarray, list[Whistle]]


@pytest.fixture(scope="session")
def unseen() -> Scene:
    """Samples that no forest here was trained on, and the whistles in them."""
    return scene(99)


@dataclass(frozen=True)
class Painted:
    """Folders of recordings and of masks."""

    recordings: Path
    masks: Path


@pytest.fixture(scope="session")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Painted:
    root = tmp_path_factory.mktemp("painted")
    folders = Painted(root / "recordings", root / "masks")
    folders.recordings.mkdir()
    folders.masks.mkdir()
    for number in range(3):
        samples, whistles = scene(number)
        soundfile.write(folders.recordings / f"site{number}.wav", samples, RATE_HZ)
        Image.fromarray(mask_of(whistles)).save(folders.masks / f"site{number}.png")
    return folders


@pytest.fixture(scope="session")
def trained(painted: Painted) -> TrainedForest:
    found, _ = find_paint(find_recordings([painted.recordings]), [painted.masks])
    return train_forest(found, PARAMETERS, n_trees=6)


@pytest.fixture(scope="session")
def model(trained: TrainedForest) -> ForestModel:
    return trained.model
