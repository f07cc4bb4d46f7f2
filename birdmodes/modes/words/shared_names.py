"""Names of modes that may be of several species, as lists cannot tell these apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def whole_name(mode: str, species: str, or_species: str) -> str:
    """Name of a mode, with the further species that it may be of: "Owl or Wren mode 1".

    Parameters
    ----------
    mode, species, or_species : str
        Cells of the table of modes.
    """
    if not or_species:
        return mode
    return f"{whole_species(species, or_species)} {mode.removeprefix(f'{species} ')}"


def whole_species(species: str, or_species: str) -> str:
    """Name of a mode's species, with those that it may be as well: "Owl or Wren".

    Parameters
    ----------
    species, or_species : str
        Cells of the table of modes.
    """
    return " or ".join([species, *or_species.split(";")]) if or_species else species


def shared_species(modes: pd.DataFrame) -> str:
    """Further species that all of some modes may be of, as in the table; empty if not the same."""
    told = set(modes["or_species"]) if "or_species" in modes else set()
    return str(*told) if len(told) == 1 else ""
