"""The gallery: static pages to look at and listen to modes of species and groups of recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from birdmodes.gallery.build import build_gallery
    from birdmodes.gallery.result import GalleryResult

__all__ = ["GalleryResult", "build_gallery"]


def __getattr__(name: str) -> Any:
    # On first use, so that processes that only draw do not import what writes pages.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from birdmodes.gallery import build, result

    return getattr(result if name == "GalleryResult" else build, name)
