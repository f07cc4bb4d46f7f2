"""From where on an annotation counts."""

from __future__ import annotations

from dataclasses import dataclass

from birdmodes.errors import ParameterError


@dataclass(frozen=True)
class Thresholds:
    """When a syllable is named, and when a species is said to be in a recording.

    Attributes
    ----------
    confidence : float
        A syllable whose most probable species, or background, is less probable is unsure.
    score : float
        A species of this score or more is present.
    likeness : float
        A syllable of less likeness to those learned from is unsure, and no evidence of a species;
        see `birdmodes.annotate.likeness`.

    Raises
    ------
    ParameterError
        If one is not from 0 to 1.
    """

    confidence: float = 0.5
    score: float = 0.5
    likeness: float = 0.05

    def __post_init__(self) -> None:
        for name, value in (
            ("min-confidence", self.confidence),
            ("min-score", self.score),
            ("min-likeness", self.likeness),
        ):
            if not 0 <= value <= 1:
                raise ParameterError(f"{name} must be from 0 to 1, not {value:g}")
