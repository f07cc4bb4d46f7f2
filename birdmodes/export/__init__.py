"""Write a clustering for other programs: Raven, Audacity, Kaleidoscope, crowsetta, R, Excel.

What reads sounds, or needs pandas, is loaded when it is first used: many formats do without.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from birdmodes.export.make import MadeExport, MadeGroupExport, make_export, make_group_export
from birdmodes.export.picked.kinds import Choice
from birdmodes.export.picked.options import (
    FORMATS,
    ClipOptions,
    ExportOptions,
    ExportResult,
    default_output,
)
from birdmodes.io.formula_guard import guarded, unguarded

if TYPE_CHECKING:
    from birdmodes.export.group_tables import GroupExport, export_grouping
    from birdmodes.export.run import export_clustering

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

_HOMES = {
    "GroupExport": "group_tables",
    "export_grouping": "group_tables",
    "export_clustering": "run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"birdmodes.export.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
