"""What modes sound like, in words that come from measurements of their syllables."""

from birdmodes.modes.words.describe import ModeWords, describe_modes
from birdmodes.modes.words.sureness import LEVELS, Sureness, how_sure, how_sure_elsewhere
from birdmodes.modes.words.table import syllable_measures

__all__ = [
    "LEVELS",
    "ModeWords",
    "Sureness",
    "describe_modes",
    "how_sure",
    "how_sure_elsewhere",
    "syllable_measures",
]
