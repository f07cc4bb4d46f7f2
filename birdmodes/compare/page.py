"""The page of a comparison: one file, without scripts, that opens from disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from birdmodes._version import __version__
from birdmodes.compare.changes import KINDS
from birdmodes.compare.comparison import SCORES, Comparison, Side
from birdmodes.io.html import STYLE, embedded_style, html_environment
from birdmodes.io.printing import shown

_HERE = Path(__file__).parent

_SHADES = 8

HEADINGS = {
    "splits": "Split",
    "merges": "Merged",
    "mixes": "Split and merged",
    "dissolves": "Spread over several",
    "appears": "Drawn from several",
    "stays": "Stay",
}
"""Headings of the groups, in the words of `birdmodes.compare.changes.KINDS`."""


@dataclass(frozen=True)
class Cell:
    """A cell of the table.

    Attributes
    ----------
    syllables : int
        Common ones.
    shade : int
        0 for none, else 1 to 8, by their part of the row's syllables.
    linked : bool
        Whether its row and column are in one group.
    text : str
        What it says, for who cannot see where it stands.
    """

    syllables: int
    shade: int
    linked: bool
    text: str


def to_html(comparison: Comparison) -> str:
    """Render the page; every text is escaped."""
    environment = html_environment(_HERE / "templates")
    environment.filters["shown"] = shown
    style, digest = embedded_style(STYLE)
    groups = [
        (kind, HEADINGS[kind], [change for change in comparison.changes if change.kind == kind])
        for kind in KINDS
    ]
    return environment.get_template("compare.html").render(
        comparison=comparison,
        first=_rows(comparison.first),
        second=_rows(comparison.second),
        groups=[group for group in groups if group[2]],
        cells=_cells(comparison),
        scores=[
            (label, comparison.scores[name], meaning) for name, (label, meaning) in SCORES.items()
        ],
        style=style,
        digest=digest,
        version=__version__,
    )


def _rows(side: Side) -> list[dict[str, object]]:
    """Clusters as the template wants them."""
    rows = side.modes.to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in rows]


def _cells(comparison: Comparison) -> list[list[Cell]]:
    group_of_row = {row: i for i, each in enumerate(comparison.changes) for row in each.first}
    group_of_column = {col: i for i, each in enumerate(comparison.changes) for col in each.second}
    names = [shown(name) for name in comparison.second.modes["name"]]
    sizes = comparison.table.sum(axis=1)
    return [
        [
            Cell(
                int(count),
                _shade(int(count), int(sizes[row])),
                group_of_row[row] == group_of_column[column],
                f"{count} in {names[column]}",
            )
            for column, count in enumerate(counts)
        ]
        for row, counts in enumerate(comparison.table)
    ]


def _shade(count: int, of: int) -> int:
    """Shade of a part, rounded up, so that nothing that is there is without one."""
    return -(-_SHADES * count // of)
