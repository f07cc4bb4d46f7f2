"""What the user says of how label files are to be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """How to read label files.

    Attributes
    ----------
    label_column : str or None
        Column that names the species, in tables with a header; tier, in TextGrids.
    encoding : str or None
        Encoding of text; found by default.
    min_conf : float
        Score from which on a species counts as present, in tables that have a column of scores
        for each species; those are refused without one above 0.
    """

    label_column: str | None = None
    encoding: str | None = None
    min_conf: float = 0.0
