"""``birdmodes figure``: figures of a species' modes for publications."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from birdmodes.errors import ParameterError
from cli import console, options


class Colours(StrEnum):
    """Colour maps; `birdmodes.publication.COLOUR_MAPS`."""

    MAGMA = "magma"
    VIRIDIS = "viridis"
    CIVIDIS = "cividis"
    GREY = "grey"


def figure(
    species: Annotated[str | None, typer.Argument(help="The species.", show_default=False)] = None,
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: Annotated[
        str | None,
        typer.Option(help="Name of the clustering. Default: the newest.", show_default=False),
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(help="Only this mode, such as 'mode 1'; may be repeated.", show_default=False),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All species, one after the other in a PDF.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File that ends in .pdf, .svg or .png. Default: a PDF in 'figures' in the "
            "workspace.",
            show_default=False,
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(min=1, max=12, help="Examples of each mode, beside its mean.")
    ] = 4,
    width: Annotated[
        float, typer.Option(min=60.0, max=400.0, help="Width (mm); one column is about 88.")
    ] = 180.0,
    colours: Annotated[Colours, typer.Option(help="Colour map.")] = Colours.MAGMA,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file that is not such a figure.")
    ] = False,
) -> None:
    """Draw the modes of a species for a publication: mean patch and examples, axes with units.

    The words for its caption go to a text file beside it.
    """
    from birdmodes.publication import Style, make_figures

    if (species is None) != every:
        raise ParameterError("name a species, or ask for all with --all")
    with console.progress("figure") as advance:
        result = make_figures(
            workspace,
            species,
            clustering,
            output,
            modes=tuple(mode or ()),
            style=Style(width, examples, colours.value),
            overwrite=overwrite,
            on_progress=advance,
        )
    console.warn_all(
        [
            f"{console.plural(len(names), 'recording')} {problem}: their examples are drawn from "
            "what 'birdmodes segment' has stored"
            for problem, names in sorted(result.unavailable.items())
        ]
    )
    console.say(
        f"{console.plural(result.modes, 'mode')} of {result.species:,} species, "
        f"{console.plural(result.pages, 'page')}: {result.figure}"
    )
    console.say(f"caption: {result.caption}")
