"""Train the pixel forest.

The recordings are dealt to folds, and for each fold some trees are grown on all others. Together
they are the forest; each fold's own trees, which have not seen it, tell how probable its cells
look to a stranger. From that come the threshold and the scores, without training anything twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from birdmodes.audio.read import AudioFacts
from birdmodes.errors import ModelError
from birdmodes.segmentation.forest import candidates, cell_probability
from birdmodes.segmentation.forest_features import FEATURE_NAMES
from birdmodes.segmentation.forest_model import ForestModel, Training, forest_parameters
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.trees import Forest, Trees
from birdmodes.training.examples import PaintedClip, measure, painted_clips
from birdmodes.training.find_paint import PaintedRecording
from birdmodes.training.scores import Counts, cross_validated_f1

N_TREES = 40
"""Trees of a forest: more rank a little better and take longer."""

_MAX_FOLDS = 10
# Cells to learn from. Sound is rarer than silence but there is more to learn about it: shown in
# these shares, trees ask most where the two meet.
_MAX_SOUND, _MAX_SILENT = 180_000, 12_000
_LEAST_OF_A_CLIP = 20
_NEARLY_ALL = 0.95  # of the spectrogram's frequencies: recorders have 22,000 samples a second, too
_MAX_DEPTH = 15
_MIN_LEAF = 20
_FEATURES_PER_NODE = 0.3

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class TrainedForest:
    """A new model and how well it does.

    Parameters
    ----------
    model : ForestModel
        The model.
    counts : Counts
        Cells by the probability that trees give which have not seen their recording.
    warnings : tuple of str
        A line on what the recordings cannot teach.
    """

    model: ForestModel
    counts: Counts
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Part:
    """A recording, and the fold of each of its clips."""

    painted: PaintedRecording
    facts: AudioFacts
    folds: tuple[int, ...]


def train_forest(
    painted: Sequence[PaintedRecording],
    parameters: SegmentationParameters,
    *,
    channel: int | None = None,
    n_trees: int = N_TREES,
    seed: int = 0,
    threads: int = 1,
    on_progress: Progress | None = None,
) -> TrainedForest:
    """Train a pixel forest on painted recordings.

    Parameters
    ----------
    painted : sequence of PaintedRecording
        Recordings with their truth. A single one is cut into folds of its clips.
    parameters : SegmentationParameters
        Clips, spectrogram and band; the model keeps them.
    channel : int, optional
        Channel to read, from 1; by default the mean of all.
    n_trees : int
        Trees of the forest, rounded up to a multiple of the number of folds.
    seed : int
        Same seed, same forest, on any number of threads.
    threads : int
        Trees to grow at a time.
    on_progress : callable, optional
        Called with done, total and what is done next.

    Returns
    -------
    TrainedForest
        The model, and its scores on what its trees have not seen.

    Raises
    ------
    AudioError, ModelError
        If a recording or a mask cannot be read, there is too little to learn from, or nothing or
        everything is painted.
    """
    parameters = forest_parameters(parameters)
    tell = _Teller(on_progress, 3 * len(painted))
    parts = _deal(painted, parameters, channel, tell)
    n_folds = 1 + max(fold for part in parts for fold in part.folds)
    rows = _rows_of_folds(parts, n_folds, parameters, channel, seed, tell)
    forests = [_grow(rows, k, math.ceil(n_trees / n_folds), seed, threads) for k in range(n_folds)]
    counts = _counts_of_folds(parts, forests, parameters, channel, tell)
    together = sum(counts, start=Counts.none())
    training = Training(
        recordings=tuple(part.painted.recording.name for part in parts),
        n_cells=int(together.sound.sum() + together.silent.sum()),
        n_sound=int(together.sound.sum()),
        seed=seed,
        auc=together.auc(),
        f1=cross_validated_f1(counts),
    )
    trees = Trees.from_forests(forests)
    return TrainedForest(
        ForestModel(parameters, together.best_threshold(), trees, training),
        together,
        tuple(_of_what_is_never_heard(parts, parameters)),
    )


def _of_what_is_never_heard(
    parts: Sequence[_Part], parameters: SegmentationParameters
) -> Iterator[str]:
    """Tell of frequencies of the spectrogram that the recordings do not have.

    There all is silent, which the forest then knows too well: in recordings that have them it may
    find nothing at all.
    """
    rate = min(part.facts.sample_rate_hz for part in parts)
    top_hz = min(parameters.nyquist_hz, parameters.high_hz or math.inf)
    if rate / 2 < _NEARLY_ALL * top_hz:
        yield (
            f"some recordings have {rate:,} samples a second, thus nothing from {rate / 2:,.0f} to "
            f"{top_hz:,.0f} Hz, so that in others the forest may find nothing: train with "
            f"--sample-rate {rate}"
        )


class _Teller:
    """Count steps for the progress bar."""

    def __init__(self, on_progress: Progress | None, total: int) -> None:
        self._on_progress, self._total, self._done = on_progress, total, 0

    def step(self, text: str) -> None:
        self._done += 1
        if self._on_progress is not None:
            self._on_progress(self._done, self._total, text)


def _deal(
    painted: Sequence[PaintedRecording],
    parameters: SegmentationParameters,
    channel: int | None,
    tell: _Teller,
) -> list[_Part]:
    """Deal recordings to folds, or the clips if there is only one recording."""
    lengths = []
    for one in painted:
        lengths.append(measure(one, parameters, channel))
        tell.step("read")
    heard = [pair for pair in zip(painted, lengths, strict=True) if pair[1].n_clips]
    if not heard:
        raise ModelError(
            f"{painted[0].recording.path}: too short to learn from: under {parameters.window_s:g} s"
        )
    if len(heard) == 1:
        (one, length), n_clips = heard[0], heard[0][1].n_clips
        n_folds = min(_MAX_FOLDS, n_clips)
        folds = tuple(clip * n_folds // n_clips for clip in range(n_clips))
        parts = [_Part(one, length.facts, folds)]
    else:
        n_folds = min(_MAX_FOLDS, len(heard))
        parts = [
            _Part(one, length.facts, (index % n_folds,) * length.n_clips)
            for index, (one, length) in enumerate(heard)
        ]
    if n_folds < 2:
        raise ModelError(
            f"{painted[0].recording.path}: one recording of one clip is too little to learn from; "
            "paint several recordings, or make clips shorter"
        )
    return parts


def _rows_of_folds(
    parts: Sequence[_Part],
    n_folds: int,
    parameters: SegmentationParameters,
    channel: int | None,
    seed: int,
    tell: _Teller,
) -> list[tuple[NDArray[np.float32], NDArray[np.bool_]]]:
    """Features and truth of the cells to learn from, for every fold."""
    n_clips = sum(len(part.folds) for part in parts)
    rng = np.random.default_rng(seed)
    found: list[list[tuple[NDArray[np.float32], NDArray[np.bool_]]]] = [[] for _ in range(n_folds)]
    for part in parts:
        clips = painted_clips(part.painted, parameters, channel, part.facts)
        for fold, clip in zip(part.folds, clips, strict=True):
            found[fold].append(_rows_of_clip(clip, n_clips, rng))
        tell.step("learn")
    return [
        (np.concatenate([X for X, _ in fold]), np.concatenate([y for _, y in fold]))
        for fold in found
    ]


def _rows_of_clip(
    clip: PaintedClip, n_clips: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Draw the clip's share of the cells to learn from."""
    asked = candidates(clip.features)
    sound = clip.sound.ravel()[asked]
    drawn = []
    for which, at_most in ((sound, _MAX_SOUND), (~sound, _MAX_SILENT)):
        cells = asked[which]
        share = max(_LEAST_OF_A_CLIP, at_most // n_clips)
        drawn.append(rng.choice(cells, min(share, cells.size), replace=False))
    cells = np.concatenate(drawn)
    return clip.features.of(cells), clip.sound.ravel()[cells]


def _grow(
    rows: Sequence[tuple[NDArray[np.float32], NDArray[np.bool_]]],
    left_out: int,
    n_trees: int,
    seed: int,
    threads: int,
) -> Any:
    """Grow the trees that have not seen one of the folds."""
    from sklearn.ensemble import ExtraTreesClassifier

    kept = [fold for k, fold in enumerate(rows) if k != left_out]
    X = np.concatenate([X for X, _ in kept])
    y = np.concatenate([y for _, y in kept])
    if y.all() or not y.any():
        raise ModelError(
            f"{'everything' if y.size and y.all() else 'nothing'} that can be heard is painted in "
            f"{len(kept)} of {len(rows)} parts of the recordings: sound and silence must both be "
            "in several recordings; are the masks upside down (--top-is-high)?"
        )
    forest = ExtraTreesClassifier(
        n_trees,
        max_depth=_MAX_DEPTH,
        min_samples_leaf=_MIN_LEAF,
        max_features=_FEATURES_PER_NODE,
        random_state=np.random.RandomState([seed, left_out]),
        n_jobs=threads,
    )
    return forest.fit(X, y)


def _counts_of_folds(
    parts: Sequence[_Part],
    forests: Sequence[Any],
    parameters: SegmentationParameters,
    channel: int | None,
    tell: _Teller,
) -> list[Counts]:
    """Cells of every fold by the probability that its own trees give."""
    strangers = [Forest(Trees.from_forests([forest]), len(FEATURE_NAMES)) for forest in forests]
    counts = [Counts.none()] * len(forests)
    for part in parts:
        clips = painted_clips(part.painted, parameters, channel, part.facts)
        for fold, clip in zip(part.folds, clips, strict=True):
            probability = cell_probability(clip.features, strangers[fold])
            counts[fold] = counts[fold] + Counts.of(probability, clip.sound)
        tell.step("check")
    return counts
