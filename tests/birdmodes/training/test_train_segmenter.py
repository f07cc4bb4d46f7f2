"""A forest trained on planted whistles finds such whistles, and not the clicks beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from PIL import Image

from birdmodes.audio.read import find_recordings
from birdmodes.errors import ModelError
from birdmodes.labels.formats.boxes import Box
from birdmodes.segmentation import ForestModel, ForestSegmenter, Segment, segment_clip
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten
from birdmodes.training import (
    PaintedRecording,
    TrainedForest,
    find_paint,
    train_forest,
)
from birdmodes.training.paint import PaintedBoxes


def touches(segment: Segment, whistle: Any) -> bool:
    return bool(
        segment.start_s < whistle.end_s
        and segment.end_s > whistle.start_s
        and segment.low_hz < whistle.high_hz
        and segment.high_hz > whistle.low_hz
    )


def found_of(painted: Any, **options: Any) -> list[PaintedRecording]:
    return find_paint(find_recordings([painted.recordings]), [painted.masks], **options)[0]


def test_whistles_are_found_and_clicks_are_not(model: ForestModel, unseen: Any) -> None:
    samples, whistles = unseen
    found = segment_clip(samples, model.parameters, model)
    assert all(any(touches(segment, whistle) for segment in found) for whistle in whistles)
    wrong = [s for s in found if not any(touches(s, whistle) for whistle in whistles)]
    assert len(wrong) <= 1
    # the energy segmenter takes every click for a syllable
    energy = segment_clip(samples, replace(model.parameters, method="energy"))
    clicks = [s for s in energy if not any(touches(s, whistle) for whistle in whistles)]
    assert len(clicks) >= 5


def test_scores_are_of_what_the_trees_have_not_seen(trained: TrainedForest) -> None:
    training = trained.model.training
    assert training.recordings == ("site0.wav", "site1.wav", "site2.wav")
    assert trained.model.trees.n_trees == 6
    assert training.auc > 0.98
    assert training.f1 > 0.7
    assert 0.01 < training.n_sound / training.n_cells < 0.05
    assert training.n_sound == trained.counts.sound.sum()


def test_the_same_seed_gives_the_same_forest_on_any_number_of_threads(
    painted: Any, trained: TrainedForest
) -> None:
    parameters = trained.model.parameters
    again = train_forest(found_of(painted), parameters, n_trees=6, threads=2)
    assert again.model.digest == trained.model.digest
    other = train_forest(found_of(painted), parameters, n_trees=6, seed=1)
    assert other.model.digest != trained.model.digest


def test_pictures_upside_down_teach_the_same_when_told(
    painted: Any, trained: TrainedForest, tmp_path: Path
) -> None:
    for file in painted.masks.iterdir():
        Image.fromarray(np.asarray(Image.open(file))[::-1]).save(tmp_path / file.name)
    recordings = find_recordings([painted.recordings])
    turned, _ = find_paint(recordings, [tmp_path], top_is_high=True)
    again = train_forest(turned, trained.model.parameters, n_trees=6)
    assert again.model.digest == trained.model.digest
    untold, _ = find_paint(recordings, [tmp_path])
    wrong = train_forest(untold, trained.model.parameters, n_trees=3)
    assert wrong.model.training.f1 < 0.3


def test_boxes_teach_too(painted: Any, trained: TrainedForest, unseen: Any) -> None:
    boxed = []
    for one in found_of(painted):
        image = np.asarray(Image.open(painted.masks / f"{one.recording.path.stem}.png")) > 127
        steps = np.flatnonzero(np.diff(image.any(axis=0), prepend=False, append=False))
        boxes = []
        for first, stop in steps.reshape(-1, 2):
            rows = np.flatnonzero(image[:, first:stop].any(axis=1))
            boxes.append(Box(first * 0.02, stop * 0.02, rows[0] * 62.5, (rows[-1] + 1) * 62.5))
        boxed.append(replace(one, paint=PaintedBoxes(tuple(boxes))))
    model = train_forest(boxed, trained.model.parameters, n_trees=6).model
    samples, whistles = unseen
    found = segment_clip(samples, model.parameters, model)
    assert all(any(touches(segment, whistle) for segment in found) for whistle in whistles)


def test_one_recording_is_cut_into_folds(painted: Any, trained: TrainedForest) -> None:
    one = found_of(painted)[:1]
    assert train_forest(one, trained.model.parameters, n_trees=4).model.training.auc > 0.9
    with pytest.raises(ModelError, match=r"site0\.wav: one recording of one clip is too little"):
        train_forest(one, replace(trained.model.parameters, clip_s=10.0))


def test_other_rates_are_resampled(painted: Any, unseen: Any) -> None:
    parameters = SegmentationParameters(clip_s=3.0)
    model = train_forest(found_of(painted), parameters, n_trees=6).model
    assert model.parameters.sample_rate_hz == 22_050
    assert model.training.auc > 0.97


def test_masks_without_paint_are_refused(painted: Any, trained: TrainedForest) -> None:
    bare = [replace(one, paint=PaintedBoxes(())) for one in found_of(painted)]
    with pytest.raises(ModelError, match="nothing that can be heard is painted"):
        train_forest(bare, trained.model.parameters, n_trees=3)
    # sound in a single recording: the trees that do not see it know no sound
    with pytest.raises(ModelError, match="in several recordings"):
        train_forest([found_of(painted)[0], *bare[1:]], trained.model.parameters, n_trees=3)


def test_recordings_too_short_to_hear_are_left_out(
    painted: Any, trained: TrainedForest, tmp_path: Path
) -> None:
    soundfile.write(tmp_path / "site9.wav", np.zeros(100), 16_000)
    short = PaintedRecording(find_recordings([tmp_path])[0], PaintedBoxes(()))
    model = train_forest([*found_of(painted), short], trained.model.parameters, n_trees=6).model
    assert model.digest == trained.model.digest
    with pytest.raises(ModelError, match="too short"):
        train_forest([short], trained.model.parameters)


def test_probabilities_are_of_pixels_in_the_band(model: ForestModel, unseen: Any) -> None:
    samples = unseen[0].copy()
    samples[32_000:40_000] = 0
    parameters = replace(model.parameters, low_hz=3000.0)
    whitened = whiten(spectrogram(samples, parameters), parameters)
    probability = ForestSegmenter(parameters, model).probability(whitened)
    assert probability.shape == whitened.magnitude.shape
    assert probability.min() == 0
    assert 0.5 < probability.max() <= 1
    assert not probability[:96].any()  # 3000 Hz is bin 96
    assert not probability[:, ~whitened.active_frames()].any()
    assert (~whitened.active_frames()).sum() > 50


@pytest.mark.parametrize("n", [0, 100, 512, 700, 16_000])
def test_silent_and_short_clips_have_no_syllables(model: ForestModel, n: int) -> None:
    assert segment_clip(np.zeros(n), model.parameters, model) == []
    if n >= 512:
        assert segment_clip(np.full(n, np.nan), model.parameters, model) == []


def test_syllables_do_not_depend_on_what_was_segmented_before(
    model: ForestModel, unseen: Any
) -> None:
    first, _, again = (
        segment_clip(samples, model.parameters, model)
        for samples in (unseen[0], unseen[0][::-1], unseen[0])
    )
    assert len(first) == len(again)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.mask, other.mask)
        np.testing.assert_array_equal(one.features, other.features)


def test_progress_is_told(painted: Any, trained: TrainedForest) -> None:
    told: list[tuple[int, int, str]] = []
    train_forest(
        found_of(painted),
        trained.model.parameters,
        n_trees=3,
        on_progress=lambda done, total, text: told.append((done, total, text)),
    )
    assert [done for done, _, _ in told] == list(range(1, 10))
    assert {total for _, total, _ in told} == {9}
