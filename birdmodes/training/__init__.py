"""From recordings and masks painted on them to a trained segmenter."""

from birdmodes.training.find_paint import PaintedRecording, find_paint
from birdmodes.training.make import MadeSegmenter, make_segmenter
from birdmodes.training.scores import PUBLISHED_FALSE_POSITIVE_RATE, Counts
from birdmodes.training.train import N_TREES, TrainedForest, train_forest

__all__ = [
    "N_TREES",
    "PUBLISHED_FALSE_POSITIVE_RATE",
    "Counts",
    "MadeSegmenter",
    "PaintedRecording",
    "TrainedForest",
    "find_paint",
    "make_segmenter",
    "train_forest",
]
