"""Chromium, Firefox and WebKit under the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browser import OpenPage, wait_until


class Chromium:
    """Chromium with the words of the other two.

    Parameters
    ----------
    open_page : callable
        The fixture of this name.
    """

    def __init__(self, open_page: OpenPage) -> None:
        self._open = open_page

    def open(self, page: Path | str, size: tuple[int, int] = (1440, 900)) -> None:
        """Open a file or an address in a window of `size` (px)."""
        viewport = {"width": size[0], "height": size[1]}
        self._page = self._open(page, viewport=viewport)

    def evaluate(self, expression: str) -> Any:
        """Value of a JavaScript expression, or what its promise gives."""
        return self._page.evaluate(expression)

    def wait_until(self, condition: str) -> None:
        """Wait for a JavaScript condition; not as Playwright does, see `browser.wait_until`."""
        wait_until(self._page, condition)

    def click(self, x: float, y: float) -> None:
        """Click at a place in the window (px)."""
        self._page.mouse.click(x, y)
