"""The methods that tell instances."""

from __future__ import annotations

from birdmodes.experiments.held_out.learners import LEARNERS

MAJORITY = "majority"
"""Always says the most frequent class; what any method should beat."""

ENTRANTS: tuple[str, ...] = (MAJORITY, *LEARNERS)
"""In the order of the tables."""
