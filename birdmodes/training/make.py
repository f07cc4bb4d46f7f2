"""A segmenter trained by example and written to a file: all of ``train-segmenter``."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from birdmodes.audio.find import find_recordings
from birdmodes.errors import ModelError
from birdmodes.io.files import check_replaceable
from birdmodes.io.paths import AnyPath
from birdmodes.segmentation import save_model
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.training.find_paint import PaintedRecording, find_paint
from birdmodes.training.train import N_TREES, Progress, TrainedForest, train_forest


@dataclass(frozen=True)
class MadeSegmenter:
    """A trained segmenter that was written.

    Attributes
    ----------
    trained : TrainedForest
        The model and its scores.
    file : pathlib.Path
        Where it is.
    """

    trained: TrainedForest
    file: Path


def make_segmenter(
    recordings: AnyPath | Iterable[AnyPath] | None,
    masks: AnyPath | Iterable[AnyPath] | None,
    model: AnyPath,
    parameters: SegmentationParameters | None = None,
    *,
    painted: Sequence[PaintedRecording] = (),
    top_is_high: bool = False,
    channel: int | None = None,
    n_trees: int = N_TREES,
    seed: int = 0,
    threads: int = 1,
    on_masks: Callable[[int, list[str]], None] | None = None,
    on_progress: Progress | None = None,
) -> MadeSegmenter:
    """Train the pixel forest of ``segment --segmenter forest``.

    Parameters
    ----------
    recordings : str, path-like, or iterable of them
        Recordings on which masks were painted, or folders of them; None where `painted` is all.
    masks, top_is_high
        As for `birdmodes.training.find_paint`.
    model : str or path-like
        File to write; its folder must be there.
    parameters, channel, n_trees, seed, threads, on_progress
        As for `birdmodes.training.train_forest`; by default the usual parameters.
    painted : sequence of PaintedRecording
        Further recordings with their truth, such as `birdmodes.review.mended.paint.corrected_paint`
        gives; they count instead of the same recordings with masks.
    on_masks : callable, optional
        Called before the training with the number of recordings that have masks, and a line for
        each mask or recording that does not fit.

    Raises
    ------
    BirdmodesError
        If the file cannot be written there, there are no recordings, or masks do not fit them.
    """
    file = Path(model)
    if not file.absolute().parent.is_dir():
        raise ModelError(f"{file.parent}: no such folder; make it, or give another --model")
    check_replaceable(file, "a model of birdmodes", _is_model)
    examples: list[PaintedRecording] = []
    if recordings is not None:
        found = find_recordings(recordings)
        examples, warnings = find_paint(found, masks or [], top_is_high=top_is_high)
        if on_masks is not None:
            on_masks(len(examples), warnings)
    files = {one.recording.path.resolve() for one in painted}
    examples = [one for one in examples if one.recording.path.resolve() not in files]
    trained = train_forest(
        [*examples, *painted],
        parameters or SegmentationParameters(),
        channel=channel,
        n_trees=n_trees,
        seed=seed,
        threads=threads,
        on_progress=on_progress,
    )
    save_model(trained.model, file)
    return MadeSegmenter(trained, file)


def _is_model(path: Path) -> bool:
    """Whether a file is one of arrays, whole or cut short: that is to be trained again."""
    with path.open("rb") as file:
        if file.read(4) != b"PK\3\4":
            return False
    try:
        with zipfile.ZipFile(path) as archive:
            return all(name.endswith(".npy") for name in archive.namelist())
    except zipfile.BadZipFile:
        return True
