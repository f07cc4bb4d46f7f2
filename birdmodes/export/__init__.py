"""Write a clustering for other programs: Raven, Audacity, Kaleidoscope, crowsetta, R, Excel."""

from birdmodes.export.clips import ClipOptions
from birdmodes.export.group_tables import GroupExport, export_grouping
from birdmodes.export.make import MadeExport, MadeGroupExport, make_export, make_group_export
from birdmodes.export.run import (
    FORMATS,
    ExportOptions,
    ExportResult,
    default_output,
    export_clustering,
)
from birdmodes.export.selection import Choice
from birdmodes.io.formula_guard import guarded, unguarded

__all__ = [
    "FORMATS",
    "Choice",
    "ClipOptions",
    "ExportOptions",
    "ExportResult",
    "GroupExport",
    "MadeExport",
    "MadeGroupExport",
    "default_output",
    "export_clustering",
    "export_grouping",
    "guarded",
    "make_export",
    "make_group_export",
    "unguarded",
]
