"""What modes sound like, in words that come from measurements of their syllables.

What measures and describes is loaded when it is first used: who only takes names apart does without
pandas.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    **dict.fromkeys(("ModeWords", "describe_modes"), "describe"),
    **dict.fromkeys(("LEVELS", "Sureness", "how_sure", "how_sure_elsewhere"), "sureness"),
    "syllable_measures": "table",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"birdmodes.modes.words.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
