"""Chromium for the tests of a process, which starts once for all files that need it."""

from __future__ import annotations

import os
import shutil

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

# The shell alone opens pages three times as fast as the whole browser.
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # One process draws all pages, without one of its own for graphics: starting them takes longer
    # than most tests.
    "--renderer-process-limit=1",
    "--in-process-gpu",
]


class RunningChromium:
    """Headless Chromium, and a context in which pages follow each other.

    A context of its own takes as long as the page that is opened in it.

    Parameters
    ----------
    program : str
        Its path.
    """

    def __init__(self, program: str) -> None:
        self._playwright = sync_playwright().start()
        launch = self._playwright.chromium.launch
        self.browser = launch(executable_path=program, args=CHROMIUM_ARGUMENTS)
        self._context: BrowserContext | None = None

    def new_page(
        self,
        viewport: dict[str, int] | None = None,
        color_scheme: str | None = None,
        reduced_motion: str | None = None,
    ) -> Page:
        """Give an empty page that knows nothing of those before it; the last one is closed."""
        if self._context is None:
            self._context = self.browser.new_context()
            self._blank = self._context.new_page()  # keeps the process that draws
            self._session = self._context.new_cdp_session(self._blank)
        self.close_pages()
        page = self._context.new_page()
        if viewport is not None:
            page.set_viewport_size(viewport)  # type: ignore[arg-type]
        page.emulate_media(
            color_scheme=color_scheme,  # type: ignore[arg-type]
            reduced_motion=reduced_motion,  # type: ignore[arg-type]
        )
        return page

    def close_pages(self) -> None:
        """Close what `new_page` gave, and forget what it has kept."""
        if self._context is None:
            return
        for page in self._context.pages:
            if page is not self._blank:
                page.close()
        files = {"origin": "file://", "storageTypes": "all"}
        self._session.send("Storage.clearDataForOrigin", files)

    def end(self) -> None:
        """End it."""
        self.browser.close()
        self._playwright.stop()


ON_A_PAGE = {"viewport", "color_scheme", "reduced_motion"}
"""Options that need no context of their own."""

_RUNNING: list[RunningChromium] = []
"""The one that runs, if any."""


@pytest.fixture(scope="module")
def chromium() -> RunningChromium:
    """Chromium, which goes on for the next module if that needs it; see `end_browser`."""
    if _RUNNING:
        return _RUNNING[0]
    paths = filter(None, map(shutil.which, CHROMIUM_NAMES))
    path = next(paths, None)
    if path is None and os.environ.get("BIRDMODES_REQUIRE_BROWSER"):
        pytest.fail("BIRDMODES_REQUIRE_BROWSER is set, but there is no Chromium")
    if path is None:
        pytest.skip(f"no Chromium here: none of {', '.join(CHROMIUM_NAMES)} is installed")
    _RUNNING.append(RunningChromium(path))
    return _RUNNING[0]


@pytest.fixture(scope="module")
def browser(chromium: RunningChromium) -> Browser:
    """The browser of `chromium`."""
    return chromium.browser


def end_browser(item: pytest.Item, following: pytest.Item | None) -> None:
    """End Chromium after a test if the next one is of a module without `pytest.mark.browser`.

    Playwright's event loop would be in the way of other tests.
    """
    same_module = following is not None and following.path == item.path
    if not (same_module or (following and following.get_closest_marker("browser"))):
        while _RUNNING:
            _RUNNING.pop().end()
