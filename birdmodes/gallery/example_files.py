"""What is made for one example of a mode: picture and sound."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExampleFiles:
    """What was made for one example.

    Attributes
    ----------
    picture : str
        Address of the picture from the gallery's folder.
    clip : str or None
        Name of the clip that has its sound; None if there is none.
    gain : float
        What makes it as loud as the loudest of its clip, for the player.
    """

    picture: str
    clip: str | None = None
    gain: float = 1.0
