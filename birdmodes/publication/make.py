"""Figures of a workspace's modes: all of ``figure``."""

from __future__ import annotations

from collections.abc import Sequence

from birdmodes.export.names import readable_name
from birdmodes.export.selection import Choice
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check
from birdmodes.modes.clustering import read_clustering
from birdmodes.publication.draw import Style
from birdmodes.publication.material import chosen_modes
from birdmodes.publication.write import FigureResult, Progress, write_figures
from birdmodes.workspace.folder import read_steadily
from birdmodes.workspace.store import Workspace


def make_figures(
    workspace: Workspace | AnyPath,
    species: str | None = None,
    clustering: str | None = None,
    output: AnyPath | None = None,
    *,
    modes: Sequence[str] = (),
    style: Style | None = None,
    overwrite: bool = False,
    on_progress: Progress | None = None,
) -> FigureResult:
    """Draw the modes of a species, or of all, for a publication.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        Where the clustering is.
    species : str, optional
        The species; by default all, one after the other in a PDF.
    clustering : str, optional
        Name of the clustering; by default the newest.
    output : str or path-like, optional
        File that ends in .pdf, .svg or .png; by default a PDF in ``figures`` in the workspace.
    modes : sequence of str
        Only these modes, such as ``mode 1``.
    style : Style, optional
        How the figures look.
    overwrite, on_progress
        As for `birdmodes.publication.write_figures`.

    Returns
    -------
    FigureResult
        Where they are and what they show.

    Raises
    ------
    BirdmodesError
        If there is no such clustering, species or mode, or `output` cannot be written.
    """
    folder = Workspace.open(workspace).folder
    of_species = (species,) if species else ()

    def made(check: Check) -> FigureResult:
        store = Workspace.open(folder)
        chosen = read_clustering(store, clustering)
        target = output
        if target is None:
            # As the clustering writes it, so that one species has one file.
            found = chosen_modes(chosen, Choice(species=of_species)) if species else {}
            name = readable_name(next(iter(found))) if found else "all species"
            target = store.folder / "figures" / chosen.name / f"{name}.pdf"
        return write_figures(
            store,
            chosen,
            target,
            Choice(species=of_species, modes=tuple(modes)),
            style or Style(),
            overwrite=overwrite,
            on_progress=on_progress,
            check=check,
        )

    return read_steadily(folder, made)
