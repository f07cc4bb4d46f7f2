"""What building a gallery gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

MAX_SIZE_MB = 280

MapMethod: TypeAlias = Literal["pca", "umap"]


@dataclass(frozen=True)
class GalleryResult:
    """What was written.

    Attributes
    ----------
    index : pathlib.Path
        The page to open first.
    pages, pictures, sounds : int
        How many pages, pictures of examples and means, and clips that can be played.
    new, unchanged : int
        How many files were made, and how many are those of the gallery that was there before.
    size_bytes : int
        Of all files.
    warnings : list of str
        What is missing in the gallery, and why.
    """

    index: Path
    pages: int
    pictures: int
    sounds: int
    new: int
    unchanged: int
    size_bytes: int
    warnings: list[str]
