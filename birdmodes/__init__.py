"""birdmodes: from field recordings with species lists to the vocal modes of every species.

What the commands do can be done in Python with the names below; they are loaded on first use. From
a folder of recordings to the modes of their species, and pages to look at and listen to them:

>>> import birdmodes as bm  # doctest: +SKIP
>>> recordings = bm.find_recordings("recordings")  # doctest: +SKIP
>>> labels = bm.fit_labels(recordings)  # doctest: +SKIP
>>> workspace = bm.Workspace.prepare("birdmodes-workspace")  # doctest: +SKIP
>>> done = bm.segment_recordings(recordings, labels, workspace)  # doctest: +SKIP
>>> syllables = workspace.syllables()  # doctest: +SKIP
>>> syllables.groupby("recording")[bm.FEATURE_NAMES].median()  # doctest: +SKIP
>>> modes = bm.make_modes(workspace, bm.ClusterOptions(k=12)).clustering  # doctest: +SKIP
>>> gallery = bm.build_gallery(workspace, modes, "gallery")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from birdmodes._version import __version__

if TYPE_CHECKING:
    from birdmodes.annotate.evaluate import evaluate_workspace, make_evaluation
    from birdmodes.annotate.run import AnnotateOptions, annotate_recordings
    from birdmodes.audio.find import find_recordings
    from birdmodes.errors import BirdmodesError
    from birdmodes.experiments.datasets.load import load_dataset
    from birdmodes.experiments.datasets.miml import MIMLDataset
    from birdmodes.experiments.datasets.own import read_bags
    from birdmodes.gallery.build import build_gallery
    from birdmodes.groups.find import GroupOptions, find_groups
    from birdmodes.groups.grouping import Grouping, read_grouping, write_grouping
    from birdmodes.groups.make import make_groups
    from birdmodes.labels.fit import fit_labels
    from birdmodes.modes.clustering import Clustering, read_clustering, write_clustering
    from birdmodes.modes.find import ClusterOptions, find_modes
    from birdmodes.review.make import make_modes
    from birdmodes.segmentation import segment_clip
    from birdmodes.segmentation.features import FEATURE_NAMES, extract_features
    from birdmodes.segmentation.parameters import SegmentationParameters
    from birdmodes.segmentation.segment import Segment
    from birdmodes.workspace.segment import segment_recordings
    from birdmodes.workspace.settings import Settings
    from birdmodes.workspace.store import Workspace


__all__ = [
    "FEATURE_NAMES",
    "AnnotateOptions",
    "BirdmodesError",
    "ClusterOptions",
    "Clustering",
    "GroupOptions",
    "Grouping",
    "MIMLDataset",
    "Segment",
    "SegmentationParameters",
    "Settings",
    "Workspace",
    "__version__",
    "annotate_recordings",
    "build_gallery",
    "evaluate_workspace",
    "extract_features",
    "find_groups",
    "find_modes",
    "find_recordings",
    "fit_labels",
    "load_dataset",
    "make_evaluation",
    "make_groups",
    "make_modes",
    "read_bags",
    "read_clustering",
    "read_grouping",
    "segment_clip",
    "segment_recordings",
    "write_clustering",
    "write_grouping",
]

_HOMES = {
    "FEATURE_NAMES": "segmentation.features",
    "AnnotateOptions": "annotate.run",
    "BirdmodesError": "errors",
    "ClusterOptions": "modes.find",
    "Clustering": "modes.clustering",
    "GroupOptions": "groups.find",
    "Grouping": "groups.grouping",
    "MIMLDataset": "experiments.datasets.miml",
    "Segment": "segmentation.segment",
    "SegmentationParameters": "segmentation.parameters",
    "Settings": "workspace.settings",
    "Workspace": "workspace.store",
    "annotate_recordings": "annotate.run",
    "build_gallery": "gallery.build",
    "evaluate_workspace": "annotate.evaluate",
    "extract_features": "segmentation.features",
    "find_groups": "groups.find",
    "find_modes": "modes.find",
    "find_recordings": "audio.find",
    "fit_labels": "labels.fit",
    "load_dataset": "experiments.datasets.load",
    "make_evaluation": "annotate.evaluate",
    "make_groups": "groups.make",
    "make_modes": "review.make",
    "read_bags": "experiments.datasets.own",
    "read_clustering": "modes.clustering",
    "read_grouping": "groups.grouping",
    "segment_clip": "segmentation",
    "segment_recordings": "workspace.segment",
    "write_clustering": "modes.clustering",
    "write_grouping": "groups.grouping",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"birdmodes.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
