"""How well forests find what was painted on recordings that they have not seen.

The bounds are the least that is acceptable; `pytest -s` shows the figures.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.metrics import f1_score, roc_auc_score, roc_curve

from birdmodes.audio.read import ClipReader, find_recordings
from birdmodes.segmentation import ForestModel, ForestSegmenter
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram, spectrogram, whiten
from birdmodes.training import N_TREES, PaintedRecording, find_paint, train_forest

BRIGGS = SegmentationParameters.preset("briggs2012")

# The grid of the painted masks: 256 bins of 31.25 Hz, 936 frames of 512 samples with hop 256 at
# 16 kHz.
MASK_BINS_HZ = np.arange(256) * 31.25
MASK_FRAMES_S = (np.arange(936) * 256 + 256) / 16_000


@pytest.fixture(scope="module")
def painted(shared: Path) -> list[PaintedRecording]:
    folder = shared / "recordings" / "hja-masks"
    found, warnings = find_paint(find_recordings([folder / "wav"]), [folder / "masks"])
    assert len(found) == 9
    assert not warnings
    return found


def on_mask_grid(image: np.ndarray, spec: Spectrogram, start_s: float) -> np.ndarray:
    """Nearest values of one clip on the grid of the masks; -1 outside the clip."""
    frame = np.rint((MASK_FRAMES_S - start_s - spec.first_s) / spec.frame_s).astype(int)
    row = np.clip(np.rint(MASK_BINS_HZ / spec.bin_hz).astype(int), 0, spec.n_bins - 1)
    inside = (frame >= 0) & (frame < spec.n_frames)
    out = np.full((MASK_BINS_HZ.size, MASK_FRAMES_S.size), -1.0)
    out[:, inside] = image[np.ix_(row, frame[inside])]
    return out


class Remembering(ForestSegmenter):
    """Asks the forest only once about its clip, which takes nearly all of the time here."""

    remembered: np.ndarray | None = None

    def probability(self, whitened: Spectrogram) -> np.ndarray:
        if self.remembered is None:
            self.remembered = super().probability(whitened)
        return self.remembered


def apply(model: ForestModel, one: PaintedRecording) -> tuple[np.ndarray, int]:
    """Probability, and whether in a syllable, on the grid of the masks; number of syllables."""
    parameters = model.parameters
    both = np.full((2, MASK_BINS_HZ.size, MASK_FRAMES_S.size), -1.0)
    n_syllables = 0
    reader = ClipReader(one.recording.path, parameters.sample_rate_hz, parameters.clip_s)
    for number, samples in enumerate(reader):
        whitened = whiten(spectrogram(samples, parameters), parameters)
        segmenter = Remembering(parameters, model)
        labels = segmenter.segment(whitened)
        n_syllables += int(labels.max())
        for k, values in enumerate((segmenter.probability(whitened), labels > 0)):
            image = on_mask_grid(values, whitened, number * parameters.clip_s)
            both[k] = np.maximum(both[k], image)
    return both.clip(0), n_syllables


def scores_of_unseen(
    painted: list[PaintedRecording], parameters: SegmentationParameters, step: int, n_trees: int
) -> tuple[float, float]:
    """Leave out `step` recordings at a time, and print how well the others teach to find them."""
    probability, found, truth, n_syllables = [], [], [], 0
    for first in range(0, len(painted), step):
        taught = painted[:first] + painted[first + step :]
        model = train_forest(taught, parameters, n_trees=n_trees).model
        for one in painted[first : first + step]:
            (values, syllables), count = apply(model, one)
            probability.append(values)
            found.append(syllables > 0)
            bitmap = one.recording.path.parents[1] / "masks" / f"{one.recording.path.stem}.bmp"
            truth.append(np.asarray(Image.open(bitmap).convert("L")) > 127)
            n_syllables += count
    sound, values, syllables = (np.array(images).ravel() for images in (truth, probability, found))
    false, true, _ = roc_curve(sound, values)
    auc, f1 = roc_auc_score(sound, values), f1_score(sound, syllables)
    print(
        f"\nhja-masks, forest, {step} left out: pixel AUC {auc:.4f}, true positive rate "
        f"{np.interp(0.086, false, true):.3f} at false positive rate 0.086, F1 of the syllables "
        f"{f1:.3f} (precision {(sound & syllables).sum() / syllables.sum():.3f}, recall "
        f"{(sound & syllables).sum() / sound.sum():.3f}), {n_syllables} syllables"
    )
    return float(auc), float(f1)


# Forests of synthetic sounds are tested beside it.
@pytest.mark.slow
def test_small_forests_find_what_is_painted(painted: list[PaintedRecording]) -> None:
    auc, f1 = scores_of_unseen(painted, BRIGGS, step=3, n_trees=10)
    assert auc >= 0.98
    assert f1 >= 0.70


@pytest.mark.slow
def test_forests_find_what_is_painted(painted: list[PaintedRecording]) -> None:
    auc, f1 = scores_of_unseen(painted, BRIGGS, step=1, n_trees=N_TREES)
    assert auc >= 0.985
    assert f1 >= 0.74
