"""Figures of the modes for publications."""

from birdmodes.export.selection import Choice
from birdmodes.publication.draw import COLOUR_MAPS, Style
from birdmodes.publication.make import make_figures
from birdmodes.publication.material import chosen_modes
from birdmodes.publication.write import FigureResult, write_figures

__all__ = [
    "COLOUR_MAPS",
    "Choice",
    "FigureResult",
    "Style",
    "chosen_modes",
    "make_figures",
    "write_figures",
]
