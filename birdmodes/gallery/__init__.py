"""The gallery: static pages to look at and listen to the modes of every species."""

from birdmodes.gallery.build import GalleryResult, build_gallery

__all__ = ["GalleryResult", "build_gallery"]
