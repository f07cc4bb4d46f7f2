"""What is to be said of the modes of a species besides what each is: candidates, a continuum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CANDIDATES = ("candidates", "two per species")
"""Values of the parameter `k_from` of runs whose modes are candidates; the second was the first."""

TO_MERGE = "candidates to merge by ear"


def continuum_words(k: int) -> str:
    """What to say of the modes of a continuum."""
    words = ("one", "two", "three", "four")
    return f"a continuum, cut in {words[k - 1] if 0 < k <= len(words) else k}"


def remark(parameters: Mapping[str, Any], species: str) -> str:
    """Say what the modes of a species are, where they are not simply its modes.

    Parameters
    ----------
    parameters : mapping
        Of a clustering.
    species : str
        Empty for what is of none.

    Returns
    -------
    str
        Such as ``a continuum, cut in three``; mostly empty.
    """
    if not species:
        return ""
    if species in (parameters.get("continua") or []):
        return continuum_words((parameters.get("k_per_species") or {}).get(species, 0))
    return TO_MERGE if parameters.get("k_from") in CANDIDATES else ""
