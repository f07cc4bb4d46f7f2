"""Colour maps for pictures of ink, as the SVG filters of the pages take them."""

from __future__ import annotations

STOPS = {
    "inferno": "000004 1f0c48 550f6d 88226a ba3655 e35933 f98c0a f9c932 fcffa4",
    "viridis": "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
    "magma": "000004 1c1044 4f127b 812581 b5367a e55064 fb8761 fec287 fcfdbf",
}
"""Colours at equal steps from quiet to loud (matplotlib's maps of these names)."""


def filter_tables() -> dict[str, list[str]]:
    """Red, green and blue of each map, from loud to quiet: black ink becomes the last colour."""
    tables = {}
    for name, stops in STOPS.items():
        colours = [bytes.fromhex(stop) for stop in reversed(stops.split())]
        tables[name] = [
            " ".join(f"{colour[channel] / 255:.3f}" for colour in colours) for channel in range(3)
        ]
    return tables
