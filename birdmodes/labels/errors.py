"""What is wrong with a file that holds no labels."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.printing import shown


class NotLabelsError(LabelError):
    """A file that does not look like labels.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    reason : str
        What it holds instead, in few words.
    advice : str
        What to do if it was meant to hold labels.
    """

    def __init__(self, path: Path, reason: str, advice: str) -> None:
        super().__init__(f"{shown(path)}: {reason}{advice}")
        self.path = path
        self.reason = reason
