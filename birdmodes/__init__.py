"""birdmodes: from field recordings with species lists to the vocal modes of every species.

What the commands do can be done in Python with the names below; they are loaded on first use.

Examples
--------
>>> from pathlib import Path
>>> import birdmodes as bm
>>> recordings = bm.find_recordings([Path("recordings")])  # doctest: +SKIP
>>> settings = bm.Settings(bm.SegmentationParameters())
>>> workspace = bm.Workspace.prepare(Path("workspace"), settings)  # doctest: +SKIP
>>> bm.segment_recordings(recordings, bm.fit_labels(recordings), workspace)  # doctest: +SKIP
>>> modes = bm.find_modes(workspace, bm.ClusterOptions(k=26)).clustering  # doctest: +SKIP
>>> bm.write_clustering(workspace, modes)  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from birdmodes.annotate.evaluate import evaluate_workspace
    from birdmodes.annotate.run import AnnotateOptions, annotate_recordings
    from birdmodes.audio import find_recordings
    from birdmodes.clusterings import Clustering, read_clustering, write_clustering
    from birdmodes.datasets import MIMLDataset, load_dataset, read_bags
    from birdmodes.errors import BirdmodesError
    from birdmodes.features import FEATURE_NAMES, extract_features
    from birdmodes.gallery import build_gallery
    from birdmodes.groupings import Grouping, read_grouping, write_grouping
    from birdmodes.groups import GroupOptions, find_groups
    from birdmodes.labels import fit_labels
    from birdmodes.modes import ClusterOptions, find_modes
    from birdmodes.parameters import SegmentationParameters
    from birdmodes.pipeline import segment_recordings
    from birdmodes.segmentation import Segment, segment_clip
    from birdmodes.settings import Settings
    from birdmodes.workspace import Workspace

__version__ = "0.1.0"

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
    "read_bags",
    "read_clustering",
    "read_grouping",
    "segment_clip",
    "segment_recordings",
    "write_clustering",
    "write_grouping",
]

_HOMES = {
    "FEATURE_NAMES": "features",
    "AnnotateOptions": "annotate.run",
    "BirdmodesError": "errors",
    "ClusterOptions": "modes",
    "Clustering": "clusterings",
    "GroupOptions": "groups",
    "Grouping": "groupings",
    "MIMLDataset": "datasets",
    "Segment": "segmentation",
    "SegmentationParameters": "parameters",
    "Settings": "workspace",
    "Workspace": "workspace",
    "annotate_recordings": "annotate.run",
    "build_gallery": "gallery",
    "evaluate_workspace": "annotate.evaluate",
    "extract_features": "features",
    "find_groups": "groups",
    "find_modes": "modes",
    "find_recordings": "audio",
    "fit_labels": "labels",
    "load_dataset": "datasets",
    "read_bags": "datasets",
    "read_clustering": "clusterings",
    "read_grouping": "groupings",
    "segment_clip": "segmentation",
    "segment_recordings": "pipeline",
    "write_clustering": "clusterings",
    "write_grouping": "groupings",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"birdmodes.{_HOMES[name]}"), name)
