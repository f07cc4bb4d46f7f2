"""What ``birdmodes benchmark --experiment metric`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli import console

if TYPE_CHECKING:
    from birdmodes.experiments.gather import ExperimentResult


def print_table(result: ExperimentResult) -> None:
    """Print what the learned metrics gain with as many clusters as classes."""
    from birdmodes.experiments.metric.tables import overview_table

    table = overview_table(result.summary, 1)
    if not table.rows:
        return
    console.paragraph(f"{table.title}:")
    rows = [(name, *(cell.text for cell in cells)) for name, cells in table.rows]
    console.table(table.header, rows, range(1, len(table.header)))
    console.say()
