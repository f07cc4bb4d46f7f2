"""What ``evaluate`` finds out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pandas as pd

from birdmodes.annotate.confusion import Confusion
from birdmodes.annotate.measures import Metrics


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How good annotations of left-out recordings are.

    Attributes
    ----------
    parameters : dict
        What was evaluated, and on what.
    metrics : dict
        Measures of bags, named after `birdmodes.annotate.measures`.
    syllable_metrics : dict
        Measures of syllables; empty for methods that annotate whole bags only.
    species : pandas.DataFrame
        See `birdmodes.annotate.measures.species_table`.
    reliability : dict of pandas.DataFrame
        What scores are worth: "bags", "syllables" (against label sets), "truth".
    confusion : dict of Confusion
        What is taken for what: "false_alarms" of bags, and "syllables" where the truth is known.
    warnings : list of str
        A line each.
    summary : str
        How often names fit the lists of recordings that took no part, in a sentence; empty if that
        cannot be told.
    """

    parameters: dict[str, Any]
    metrics: Metrics
    syllable_metrics: Metrics
    species: pd.DataFrame
    reliability: dict[str, pd.DataFrame]
    confusion: dict[str, Confusion]
    warnings: list[str] = field(default_factory=list)
    summary: str = ""

    def content(self) -> dict[str, Any]:
        """Give all of it as plain values, for JSON."""
        return {
            "summary": self.summary,
            "parameters": self.parameters,
            "metrics": self.metrics,
            "syllable_metrics": self.syllable_metrics,
            "species": _records(self.species),
            "reliability": {name: _records(table) for name, table in self.reliability.items()},
            "confusion": {name: table.content() for name, table in self.confusion.items()},
            "warnings": self.warnings,
        }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = table.round(6).astype(object).where(table.notna(), None)
    return cast("list[dict[str, Any]]", rows.to_dict("records"))
