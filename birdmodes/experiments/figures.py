"""Figures of reports: their style, panels, and SVG without more elements than are needed."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
from matplotlib import rc_context
from matplotlib.figure import Figure

from birdmodes.io.files import write_text

# Colours of Okabe & Ito, which people with any colour vision tell apart; shapes do so in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")
MARKERS = ("D", "o", "s", "^", "v", "d", "x")

STYLE: Any = {
    "svg.fonttype": "none",  # text stays text: smaller, and it can be searched
    "svg.hashsalt": "birdmodes",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": True,
}

_FONT = "font-family: 'DejaVu Sans', sans-serif"
_SVG = "http://www.w3.org/2000/svg"
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


@dataclass(frozen=True)
class ReportFigure:
    """A figure that was written.

    Attributes
    ----------
    file : str
        Its name in the folder.
    caption : str
        What to know to read it; also its text for those who cannot see it.
    """

    file: str
    caption: str


def write_figure(
    folder: Path, name: str, caption: str, draw: Callable[..., Figure], *table: Any
) -> ReportFigure:
    """Draw a figure in the style of all, and write it as SVG.

    Parameters
    ----------
    folder : pathlib.Path
        Where to.
    name, caption : str
        Of the file, without its ending, and what to know to read it.
    draw : callable
        Gives the figure of what is in
    *table
        its arguments.
    """
    file = f"{name}.svg"
    with rc_context(STYLE):
        write_text(folder / file, svg_text(draw(*table)))
    return ReportFigure(file, caption)


def legend_above(figure: Figure, lines: tuple[Sequence[Any], Sequence[str]], columns: int) -> None:
    """Name lines above all panels: the lines, and what they are called."""
    handles, names = lines
    figure.legend(handles, names, loc="outside upper center", ncols=columns, frameon=False)


def panels(
    n_panels: int,
    most_columns: int,
    width: float,
    height: float,
    beside: tuple[float, float],
    *,
    share_y: bool = False,
) -> tuple[Figure, list[Any]]:
    """Make a figure of equal panels, row by row.

    Parameters
    ----------
    n_panels : int
        How many.
    most_columns : int
        Columns at most.
    width, height : float
        Size of each, in inches.
    beside : (float, float)
        Width and height of what stands beside them, in inches.
    share_y : bool
        Whether they have one vertical axis.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : list of matplotlib.axes.Axes
        The panels.
    """
    n_columns = min(most_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    size = (width * n_columns + beside[0], height * n_rows + beside[1])
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharey=share_y)
    for axes in grid.flat[n_panels:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:n_panels])


def name_panel(axes: Any, name: str) -> None:
    """Write a name, which may hold what would be taken for a formula, above a panel."""
    axes.set_title(printable(name), parse_math=False)


def draw_deviations(
    axes: Any,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    deviation: npt.ArrayLike,
    colour: str,
    *,
    horizontal: bool = False,
) -> None:
    """Draw bars of ± a deviation of `y`, or of `x` if `horizontal`, all in one path."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    deviation = np.nan_to_num(np.asarray(deviation, dtype=float))
    gaps = np.full(len(x), np.nan)
    across = np.where(horizontal, deviation, 0)
    along = deviation - across
    axes.plot(
        np.column_stack([x - across, x + across, gaps]).ravel(),
        np.column_stack([y - along, y + along, gaps]).ravel(),
        color=colour,
        linewidth=0.8,
    )


def svg_text(figure: Figure) -> str:
    """Write a figure as SVG, the same bytes each time.

    Numbers have no more digits than can be seen, and groups that change nothing are left out:
    Matplotlib puts each mark into several.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(buffer.getvalue())  # noqa: S314  our own text
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    root.set("style", _FONT)
    _unwrap(root)
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode", xml_declaration=True)
    return re.sub(r"<[^>]*>", _rounded, text) + "\n"


def _unwrap(element: ElementTree.Element) -> None:
    """Put what plain groups hold in their place, and say once what all have in common."""
    children: list[ElementTree.Element] = []
    for child in element:
        _unwrap(child)
        if child.get("transform", "").startswith("rotate(-0 "):
            del child.attrib["transform"]
        if "style" in child.attrib:
            child.set("style", child.attrib["style"].replace(f"{_FONT}; ", ""))
        plain = child.tag == f"{{{_SVG}}}g" and set(child.attrib) <= {"id"}
        children += list(child) if plain else [child]
    element[:] = children
    styles = {child.get("style", "") for child in children}
    if set(element.attrib) == {"clip-path"} and len(styles) == 1 and len(children) > 1:
        element.set("style", styles.pop())
        for child in children:
            del child.attrib["style"]


def _rounded(tag: re.Match[str]) -> str:
    """Cut the numbers of a tag to hundredths of a pixel; text between tags stays as it is."""
    return re.sub(r"(\d\.\d\d)\d+", r"\1", tag.group())


def printable(name: str) -> str:
    """Replace what cannot be printed, which XML does not allow either."""
    return "".join(char if char.isprintable() else "\ufffd" for char in name)
