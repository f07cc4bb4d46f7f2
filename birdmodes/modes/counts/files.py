"""The curves behind ``--k auto`` on disk: ``k_curves.csv`` and a figure of them."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from birdmodes.io.files import atomic_path
from birdmodes.io.stored import read_table, write_table

CURVES_FILE = "k_curves.csv"
FIGURE_FILE = "k_curves.svg"

_LABELS = {"kinds": "kinds of syllables", "bouts": "kinds of bouts"}
_PANELS_ACROSS = 3
_PANEL_INCHES = (3.6, 2.6)
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
    from algorithms.mode_counts import CRITERIA  # slow to import, and few clusterings have curves

    cells: dict[str, type] = {"species": str, "syllables": int, "k": int}
    cells |= {"chosen": bool} | dict.fromkeys(CRITERIA, float) | {"shape": str}
    return read_table(path, cells, remedy, later=(*CRITERIA, "shape"))


def _draw(curves: pd.DataFrame, path: Path) -> None:
    """A panel per species: both gaps in units of their error, what each must exceed, the k."""
    import matplotlib as mpl  # slow to import, as all of these, and only needed here
    from matplotlib.figure import Figure

    from algorithms.mode_counts import BOUTS_LIMIT, KINDS_LIMIT

    limits = {"kinds": KINDS_LIMIT, "bouts": BOUTS_LIMIT}
    species = list(dict.fromkeys(curves["species"]))[:_MOST_SPECIES]
    rows = math.ceil(len(species) / _PANELS_ACROSS)
    width, height = _PANEL_INCHES
    figure = Figure(figsize=(width * _PANELS_ACROSS, height * rows + 0.6), layout="constrained")
    panels = figure.subplots(rows, _PANELS_ACROSS, squeeze=False, sharex=True).ravel()
    for panel in panels[len(species) :]:
        panel.set_axis_off()
    for panel, name in zip(panels, species, strict=False):
        own = curves[curves["species"] == name]
        for number, (criterion, limit) in enumerate(limits.items()):
            panel.plot(
                own["k"], own[criterion], color=f"C{number}", marker="o", label=_LABELS[criterion]
            )
            panel.axhline(limit, color=f"C{number}", linewidth=0.8, linestyle="dashed")
        k, syllables = own.loc[own["chosen"], ["k", "syllables"]].iloc[0]
        panel.axvline(k, color="0.8", zorder=0)
        # As plain text: a name may hold what matplotlib takes for a formula.
        title = f"{name or '(no species)'}: {k}  ({syllables} syllables)"
        panel.set_title(title, fontsize=9, parse_math=False)
        panel.set_xticks(own["k"])
        panel.tick_params(labelbottom=True)
        panel.set_xlabel("number of modes", fontsize=8)
        panel.set_ylabel("gap / its error", fontsize=8)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8)
    # Without a date and with fixed names, so that the same curves give the same file.
    with mpl.rc_context({"svg.hashsalt": "k_curves", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
