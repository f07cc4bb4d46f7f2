"""The curves behind ``--k auto`` on disk: ``k_curves.csv`` and a figure of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from birdmodes.io.files import atomic_path
from birdmodes.io.stored import read_table, write_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

CURVES_FILE = "k_curves.csv"
FIGURE_FILE = "k_curves.svg"

# The columns are `algorithms.mode_counts.CRITERIA`, which is slow to import.
_LABELS = {"kinds": "kinds of syllables", "bouts": "kinds of bouts"}
_PANELS_ACROSS = 3
_PANEL_INCHES = (3.6, 2.6)
_PANEL_PART = 0.8
"""Share of a panel's width and height that its curves take."""

_SHOWN = -0.05
"""A gap below this gets a number beside its panel."""

_MOST_SPECIES = 60
"""More than this many panels cannot be looked at; the table has them all."""


def write_k_curves(folder: Path, curves: pd.DataFrame) -> None:
    """Write the table of `birdmodes.modes.counts.found` and its figure into a folder."""
    write_table(folder / CURVES_FILE, curves)
    with atomic_path(folder / FIGURE_FILE) as temporary:
        _draw(curves, temporary)


def read_k_curves(folder: Path, remedy: str) -> pd.DataFrame | None:
    """Read the table; None if the folder has none.

    Parameters
    ----------
    folder : pathlib.Path
        Of a clustering.
    remedy : str
        What to do if the table is damaged.

    Raises
    ------
    DamagedError
        If it is.
    """
    path = folder / CURVES_FILE
    if not path.is_file():
        return None
    cells: dict[str, type] = {"species": str, "syllables": int, "k": int}
    cells |= {"chosen": bool} | dict.fromkeys(_LABELS, float) | {"shape": str}
    return read_table(path, cells, remedy, later=(*_LABELS, "shape"))


def _draw(curves: pd.DataFrame, path: Path) -> None:
    """A panel per species: both gaps in units of their error, what each must exceed, the k.

    All panels lie in one pair of axes, as a pair for each takes ten times as long to draw.
    """
    import matplotlib as mpl  # slow to import, as all of these, and only needed here
    from matplotlib.figure import Figure

    species = list(dict.fromkeys(curves["species"]))[:_MOST_SPECIES]
    rows = math.ceil(len(species) / _PANELS_ACROSS)
    width, height = _PANEL_INCHES
    figure = Figure(figsize=(width * _PANELS_ACROSS, height * rows + 0.6), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(-0.2, _PANELS_ACROSS)
    axes.set_ylim(-rows, 0)
    found = curves[list(_LABELS)].notna().any(axis=1)
    for number, name in enumerate(species):
        own = curves[(curves["species"] == name) & ((curves["k"] <= 2) | found)]
        _draw_panel(axes, own, name, number % _PANELS_ACROSS, -1 - number // _PANELS_ACROSS)
    handles, labels = axes.get_legend_handles_labels()
    kept = dict(zip(labels, handles, strict=True))
    figure.legend(
        kept.values(), kept, loc="outside lower center", ncols=3, fontsize=8,
        title="gap / its error; dashed: what it must exceed", title_fontsize=8,
    )  # fmt: skip
    # Without a date and with fixed names, so that the same curves give the same file.
    with mpl.rc_context({"svg.hashsalt": "k_curves", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})


def _draw_panel(axes: Axes, own: pd.DataFrame, name: str, left: float, bottom: float) -> None:
    from algorithms.mode_counts import BOUTS_LIMIT, KINDS_LIMIT

    gaps, chosen = own[list(_LABELS)].to_numpy(dtype=float), own.loc[own["chosen"]].iloc[0]
    low = min(0.0, np.nanmin(gaps, initial=0.0))
    high = max(KINDS_LIMIT, BOUTS_LIMIT, np.nanmax(gaps, initial=0.0))
    most = max(int(own["k"].max()), 2)

    def x_of(k: npt.ArrayLike) -> Any:
        return left + _PANEL_PART * (np.asarray(k) - 1) / (most - 1)

    def y_of(gap: npt.ArrayLike) -> Any:
        return bottom + 0.2 + (_PANEL_PART - 0.2) * (np.asarray(gap) - low) / (high - low)

    first, last = left - 0.03, left + _PANEL_PART + 0.03
    axes.vlines(x_of(chosen["k"]), y_of(low), y_of(high), color="0.8", zorder=0)
    axes.hlines(y_of(low), first, last, color="0.3", linewidth=0.8)
    limits = dict(zip(_LABELS, (KINDS_LIMIT, BOUTS_LIMIT), strict=True))
    for number, (criterion, limit) in enumerate(limits.items()):
        colour = f"C{number}"
        axes.plot(
            x_of(own["k"]), y_of(own[criterion]), color=colour, marker="o", markersize=4,
            label=_LABELS[criterion],
        )  # fmt: skip
        axes.hlines(y_of(limit), first, last, color=colour, linewidth=0.8, linestyle="dashed")
    # As plain text: a name may hold what matplotlib takes for a formula.
    title = f"{name or '(no species)'}: {chosen['k']}  ({chosen['syllables']} syllables)"
    middle = left + _PANEL_PART / 2
    words: dict[str, Any] = {"parse_math": False, "ha": "center", "fontsize": 8}
    axes.text(middle, bottom + 0.87, title, **words | {"fontsize": 9})
    for k in own["k"]:
        axes.text(x_of(k), bottom + 0.12, str(k), **words)
    axes.text(middle, bottom + 0.03, "number of modes", **words)
    for value in (low, 0.0, high) if low < _SHOWN else (0.0, high):
        axes.text(left - 0.05, y_of(value), f"{value:.1f}", **words | {"ha": "right"})
