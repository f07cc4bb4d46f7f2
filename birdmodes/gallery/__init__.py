"""The gallery: static pages to look at and listen to modes of species and groups of recordings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from birdmodes.gallery.build import build_gallery
    from birdmodes.gallery.make import MadeGallery, make_gallery
    from birdmodes.gallery.result import GalleryResult

__all__ = ["GalleryResult", "MadeGallery", "build_gallery", "make_gallery"]

_HOMES = {
    "GalleryResult": "result",
    "MadeGallery": "make",
    "build_gallery": "build",
    "make_gallery": "make",
}


def __getattr__(name: str) -> Any:
    # On first use, so that processes that only draw do not import what writes pages.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"birdmodes.gallery.{_HOMES[name]}"), name)
