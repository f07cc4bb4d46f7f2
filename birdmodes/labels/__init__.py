"""Which species are in which recording, and when: read label files, fit them to recordings."""

from birdmodes.labels.detect import read_label_file
from birdmodes.labels.fit import LABELS_FILE, fit_labels
from birdmodes.labels.formats.own import COLUMNS, read_labels
from birdmodes.labels.matching import NameMatcher
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
