"""birdmodes: from field recordings with species lists to the vocal modes of every species.

What the commands do can be done in Python with the names below; they are loaded on first use. From
a folder of recordings to the modes of their species, and pages to look at and listen to them:

>>> import birdmodes as bm  # doctest: +SKIP
>>> made = bm.make_syllables("recordings", "birdmodes-workspace")  # doctest: +SKIP
>>> workspace = made.workspace  # doctest: +SKIP
>>> syllables = workspace.syllables()  # doctest: +SKIP
>>> syllables.groupby("recording")[bm.FEATURE_NAMES].median()  # doctest: +SKIP
>>> modes = bm.make_modes(workspace, bm.ClusterOptions(k=12)).clustering  # doctest: +SKIP
>>> gallery = bm.make_gallery("birdmodes-workspace")  # doctest: +SKIP

Each command is one such function; all but the first take an open workspace or its folder:
`make_syllables` (``segment``), `make_modes` and `make_groups` (``cluster``), `make_gallery`,
`make_export`, `make_figures`, `make_comparison` (``compare``), `apply_review_file` (``review
apply``), `make_evaluation` (``evaluate``), `make_segmenter` (``train-segmenter``), `survey_labels`
(``labels``), `make_assignments` (``assign``), `make_annotations` (``annotate``).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from birdmodes._version import __version__

if TYPE_CHECKING:
    from birdmodes.annotate.evaluate import evaluate_workspace, make_evaluation
    from birdmodes.annotate.make import make_annotations
    from birdmodes.annotate.run import AnnotateOptions, annotate_recordings
    from birdmodes.assign.make import make_assignments
    from birdmodes.audio.find import find_recordings
    from birdmodes.compare.make import make_comparison
    from birdmodes.errors import BirdmodesError
    from birdmodes.experiments.datasets.miml import MIMLDataset, load_dataset
    from birdmodes.experiments.datasets.own import read_bags
    from birdmodes.export.make import make_export
    from birdmodes.export.picked.options import ExportOptions
    from birdmodes.gallery.build import build_gallery
    from birdmodes.gallery.make import make_gallery
    from birdmodes.groups.find import GroupOptions, find_groups
    from birdmodes.groups.grouping import Grouping, read_grouping, write_grouping
    from birdmodes.groups.make import make_groups
    from birdmodes.labels.fit import fit_labels
    from birdmodes.labels.request import LabelRequest
    from birdmodes.labels.survey import survey_labels
    from birdmodes.modes.clustering import Clustering, read_clustering, write_clustering
    from birdmodes.modes.find import ClusterOptions, find_modes
    from birdmodes.publication.make import make_figures
    from birdmodes.review.apply_file import apply_review_file
    from birdmodes.review.make import make_modes
    from birdmodes.review.segment import SegmentOptions, make_syllables
    from birdmodes.segmentation import segment_clip
    from birdmodes.segmentation.base import Segment
    from birdmodes.segmentation.features import FEATURE_NAMES, extract_features
    from birdmodes.segmentation.parameters import SegmentationParameters
    from birdmodes.training.make import make_segmenter
    from birdmodes.workspace.segment import segment_recordings
    from birdmodes.workspace.settings import Settings
    from birdmodes.workspace.store import Workspace


__all__ = [
    "FEATURE_NAMES",
    "AnnotateOptions",
    "BirdmodesError",
    "ClusterOptions",
    "Clustering",
    "ExportOptions",
    "GroupOptions",
    "Grouping",
    "LabelRequest",
    "MIMLDataset",
    "Segment",
    "SegmentOptions",
    "SegmentationParameters",
    "Settings",
    "Workspace",
    "__version__",
    "annotate_recordings",
    "apply_review_file",
    "build_gallery",
    "evaluate_workspace",
    "extract_features",
    "find_groups",
    "find_modes",
    "find_recordings",
    "fit_labels",
    "load_dataset",
    "make_annotations",
    "make_assignments",
    "make_comparison",
    "make_evaluation",
    "make_export",
    "make_figures",
    "make_gallery",
    "make_groups",
    "make_modes",
    "make_segmenter",
    "make_syllables",
    "read_bags",
    "read_clustering",
    "read_grouping",
    "segment_clip",
    "segment_recordings",
    "survey_labels",
    "write_clustering",
    "write_grouping",
]

_HOMES = {
    "FEATURE_NAMES": "segmentation.features",
    "AnnotateOptions": "annotate.run",
    "BirdmodesError": "errors",
    "ClusterOptions": "modes.find",
    "Clustering": "modes.clustering",
    "ExportOptions": "export.picked.options",
    "GroupOptions": "groups.find",
    "Grouping": "groups.grouping",
    "LabelRequest": "labels.request",
    "MIMLDataset": "experiments.datasets.miml",
    "Segment": "segmentation.base",
    "SegmentOptions": "review.segment",
    "SegmentationParameters": "segmentation.parameters",
    "Settings": "workspace.settings",
    "Workspace": "workspace.store",
    "annotate_recordings": "annotate.run",
    "apply_review_file": "review.apply_file",
    "build_gallery": "gallery.build",
    "evaluate_workspace": "annotate.evaluate",
    "extract_features": "segmentation.features",
    "find_groups": "groups.find",
    "find_modes": "modes.find",
    "find_recordings": "audio.find",
    "fit_labels": "labels.fit",
    "load_dataset": "experiments.datasets.miml",
    "make_annotations": "annotate.make",
    "make_assignments": "assign.make",
    "make_comparison": "compare.make",
    "make_evaluation": "annotate.evaluate",
    "make_export": "export.make",
    "make_figures": "publication.make",
    "make_gallery": "gallery.make",
    "make_groups": "groups.make",
    "make_modes": "review.make",
    "make_segmenter": "training.make",
    "make_syllables": "review.segment",
    "read_bags": "experiments.datasets.own",
    "read_clustering": "modes.clustering",
    "read_grouping": "groups.grouping",
    "segment_clip": "segmentation",
    "segment_recordings": "workspace.segment",
    "survey_labels": "labels.survey",
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
