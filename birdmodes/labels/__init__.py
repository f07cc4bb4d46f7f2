"""Which species are in which recording, and when: read label files, fit them to recordings.

What reads files is loaded when it is first used: most commands only take lists of species apart.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from birdmodes.labels.model import (
    SPECIES_SEPARATOR,
    FittedLabels,
    LabelEntry,
    LabelRow,
    LabelTable,
    TimedLabel,
    join_species,
    split_species,
)
from birdmodes.labels.request import LabelRequest

if TYPE_CHECKING:
    from birdmodes.labels.detect import read_label_file
    from birdmodes.labels.fit import LABELS_FILE, fit_labels
    from birdmodes.labels.formats.own import COLUMNS, read_labels
    from birdmodes.labels.matching import NameMatcher

__all__ = [
    "COLUMNS",
    "LABELS_FILE",
    "SPECIES_SEPARATOR",
    "FittedLabels",
    "LabelEntry",
    "LabelRequest",
    "LabelRow",
    "LabelTable",
    "NameMatcher",
    "TimedLabel",
    "fit_labels",
    "join_species",
    "read_label_file",
    "read_labels",
    "split_species",
]

_HOMES = {
    "COLUMNS": "formats.own",
    "LABELS_FILE": "fit",
    "NameMatcher": "matching",
    "fit_labels": "fit",
    "read_label_file": "detect",
    "read_labels": "formats.own",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"birdmodes.labels.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
