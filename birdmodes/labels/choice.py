"""Which labels count, and under which name."""

from __future__ import annotations

from dataclasses import dataclass

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.labels.model import LabelEntry
from birdmodes.labels.species_map import SpeciesMap, read_species_map


@dataclass(frozen=True)
class Choice:
    """What the user wants of label files.

    Attributes
    ----------
    min_conf : float
        Detections of a lower confidence, 0 to 1, are left out; labels without one stay.
    names : SpeciesMap
        Other names for species.
    """

    min_conf: float
    names: SpeciesMap

    def species(self, entry: LabelEntry) -> tuple[str, ...]:
        """Species that a label gives; none if it is left out or names none."""
        if entry.confidence is not None and entry.confidence < self.min_conf:
            return ()
        return self.names(entry.species)


def make_choice(min_conf: float = 0.0, species_map: AnyPath | None = None) -> Choice:
    """Check and read what the user wants of label files.

    Parameters
    ----------
    min_conf : float
        Least confidence of a detection, 0 to 1.
    species_map : str or path-like, optional
        Table of other names for species, as `read_species_map` reads it.

    Raises
    ------
    LabelError
        If the confidence is not from 0 to 1, or the table cannot be understood.
    """
    if not 0.0 <= min_conf <= 1.0:
        raise LabelError(
            f"the least confidence of a detection (--min-conf) is {min_conf:g}; it must be from 0 "
            "to 1"
        )
    return Choice(min_conf, read_species_map(species_map))
