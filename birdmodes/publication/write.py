"""``birdmodes figure``: figures to files, the same bytes for the same clustering."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.export.selection import Choice
from birdmodes.io.files import atomic_path, write_text
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check
from birdmodes.modes.clustering import Clustering
from birdmodes.publication.caption import MADE_BY, caption
from birdmodes.publication.draw import COLOUR_MAPS, RC, Style, draw_species
from birdmodes.publication.material import MaterialMaker, chosen_modes
from birdmodes.workspace.store import Workspace

ENDINGS = (".pdf", ".svg", ".png")
RESOLUTION_DPI = {"pdf": 300, "svg": 300, "png": 450}
"""Of PNG files, and of the spectrograms within PDF and SVG ones, whose letters are outlines.

A panel of 1.3 inches shows some 250 bins: more pixels only take longer to write and to send.
"""

ROWS_PER_PAGE = 7
"""Modes on a page of a PDF; pictures of the other formats grow in height."""

CAPTION_ENDING = ".caption.txt"

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class FigureResult:
    """What was written.

    Attributes
    ----------
    figure, caption : pathlib.Path
        The files.
    species, modes, pages : int
        How many are shown, on how many pages.
    unavailable : dict
        Why recordings could not be read, to their names.
    """

    figure: Path
    caption: Path
    species: int
    modes: int
    pages: int
    unavailable: dict[str, set[str]] = field(default_factory=dict)


def write_figures(
    workspace: Workspace,
    clustering: Clustering,
    output: AnyPath,
    choice: Choice,
    style: Style,
    *,
    overwrite: bool = False,
    on_progress: Progress | None = None,
    check: Check | None = None,
) -> FigureResult:
    """Draw the modes of one species or several.

    Parameters
    ----------
    workspace : Workspace
        Where syllables and recordings are listed.
    clustering : Clustering
        The modes.
    output : str or path-like
        File to write, by its ending a PDF, SVG or PNG; only a PDF can hold several species. The
        caption goes beside it.
    choice : Choice
        Species and modes; no species means all.
    style : Style
        How the figures look.
    overwrite : bool
        Replace files that are there, even if they are no such figures.
    on_progress : callable, optional
        Called with done, total and a name after each recording, or after each species if there
        are several.
    check : callable, optional
        Called when all is drawn and nothing is written; may raise.

    Raises
    ------
    BirdmodesError
        If there is no such species or mode, or `output` cannot be written.
    """
    output = Path(output)
    ending = output.suffix.lower()
    beside = output.with_suffix(CAPTION_ENDING)
    _check(output, beside, style, overwrite)
    found = chosen_modes(clustering, choice)
    if not found:
        raise BirdmodesError(f"clustering {clustering.name!r}: no modes, so nothing to draw")
    if len(found) > 1 and ending != ".pdf":
        raise ParameterError(f"{output}: only a PDF can show several species; name one or .pdf")
    drawn = _Drawn(workspace, clustering, style, on_progress or _silent)
    figures = drawn.figures(found, ROWS_PER_PAGE if ending == ".pdf" else None)
    pages = _write(output, figures, check or _fine)
    write_text(beside, "\n".join(drawn.captions))
    n_modes = sum(map(len, found.values()))
    return FigureResult(output, beside, len(found), n_modes, pages, drawn.unavailable)


class _Drawn:
    """Figures as they are drawn, and what has to be said of them."""

    def __init__(
        self, workspace: Workspace, clustering: Clustering, style: Style, report: Progress
    ) -> None:
        self._parameters = workspace.settings.segmentation
        self._clustering = clustering
        self._style = style
        self._report = report
        self._maker = MaterialMaker(workspace, clustering, style.examples)
        self.captions: list[str] = []
        self.unavailable: dict[str, set[str]] = {}

    def figures(self, found: dict[str, pd.DataFrame], rows: int | None) -> Iterator[Figure]:
        """Draw species after species, so many modes on a page."""
        for done, (species, modes) in enumerate(found.items(), start=1):
            material = self._maker.make(
                species, modes, self._report if len(found) == 1 else _silent
            )
            if len(found) > 1:
                self._report(done, len(found), species)
            if not material.modes:
                continue
            self.captions.append(caption(material, self._clustering, self._parameters))
            for problem, names in material.unavailable.items():
                self.unavailable.setdefault(problem, set()).update(names)
            for first in range(0, len(material.modes), rows or len(material.modes)):
                yield draw_species(material, self._style, first, rows)
        if not self.captions:
            raise BirdmodesError(
                f"clustering {self._clustering.name!r}: no syllable of these modes is likely to be "
                "of its species, so nothing to draw"
            )


def _check(output: Path, beside: Path, style: Style, overwrite: bool) -> None:
    if output.suffix.lower() not in ENDINGS:
        raise ParameterError(f"{output}: a figure ends in {', '.join(ENDINGS)}; name it so")
    if style.colours not in COLOUR_MAPS:
        raise ParameterError(f"no colours {style.colours!r}; there are: {', '.join(COLOUR_MAPS)}")
    for path in (output, beside):
        if path.exists() and not overwrite and not _is_ours(path):
            raise BirdmodesError(
                f"{path}: is there already and no figure of ours; add --overwrite to replace it, "
                "or name another file with --output"
            )


def _is_ours(path: Path) -> bool:
    mark = MADE_BY.rpartition(" ")[0].encode()
    return path.is_file() and mark in path.read_bytes()


def _write(output: Path, figures: Iterator[Figure], check: Check) -> int:
    """Write the figures to one file; gives how many."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with _drawing(), atomic_path(output) as temporary:
            # In memory first: where the disk is full, what draws ends in errors of its own.
            content = io.BytesIO()
            pages = _draw(content, output.suffix.lower().removeprefix("."), figures)
            check()
            temporary.write_bytes(content.getvalue())
            return pages
    except OSError as error:
        raise BirdmodesError(
            f"{output}: the figure cannot be written ({error.strerror or error}); free the place "
            "or name another with --output"
        ) from error


@contextmanager
def _drawing() -> Iterator[None]:
    with mpl.rc_context(RC), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn with boxes; the caption has it right.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def _draw(content: io.BytesIO, kind: str, figures: Iterator[Figure]) -> int:
    if kind == "pdf":
        return _draw_pdf(content, figures)
    pages = 0
    for figure in figures:
        _save(figure, content, kind)
        pages += 1
    return pages


def _draw_pdf(content: io.BytesIO, figures: Iterator[Figure]) -> int:
    # No date, so that the same figure is the same bytes.
    about: dict[str, Any] = {"Creator": MADE_BY, "CreationDate": None}
    pages = 0
    with PdfPages(content, metadata=about) as pdf:
        for figure in figures:
            pdf.savefig(figure, dpi=RESOLUTION_DPI["pdf"])
            pages += 1
    return pages


def _save(figure: Figure, content: io.BytesIO, kind: str) -> None:
    about: dict[str, Any] = (
        {"Software": MADE_BY} if kind == "png" else {"Creator": MADE_BY, "Date": None}
    )
    figure.savefig(content, format=kind, dpi=RESOLUTION_DPI[kind], metadata=about)


def _fine() -> None:
    """Find nothing wrong."""


def _silent(done: int, total: int, recording: str) -> None:
    """Report nothing."""
