"""The demo's gallery in Chromium, Firefox and WebKit: its pages, a sound, a correction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from any_browser import Chromium
from chromium import browser
from driven import WATCH_PLAYS
from firefox import Firefox, firefox
from webkit import WebKit, webkit

from birdmodes.demo import run_demo

__all__ = ["browser", "firefox", "webkit"]

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# What is clicked on the first page, and where it is.
PICTURE = """(() => {
  const { left, top, width, height } =
    document.querySelector("button.spec").getBoundingClientRect();
  return [left + width / 2, top + height / 2];
})()"""

# Its loudest sample, as the player's parts give it.
LOUDEST = """(async () => {
  const [{ clip, from_s, to_s }] = birdmodes.plays;
  const length = to_s - from_s;
  const offline = new OfflineAudioContext(1, Math.ceil(22050 * length), 22050);
  const sound = await birdmodes.player.decode(clip, offline);
  birdmodes.player.arrange(offline, sound, { from: from_s, length, rate: 1, gain: 1, at: 0 });
  const heard = (await offline.startRendering()).getChannelData(0);
  return heard.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
})()"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's gallery."""
    folder = tmp_path_factory.mktemp("demo")
    return run_demo(folder, workers=2, on_step=print, on_progress=lambda *_: None).index.parent


@pytest.fixture(params=["chromium", "firefox", "webkit"])
def any_browser(request: pytest.FixtureRequest) -> Iterator[Chromium | Firefox | WebKit]:
    """Each browser that is installed, in turn."""
    if request.param == "chromium":
        yield Chromium(request.getfixturevalue("open_page"))
    else:
        yield request.getfixturevalue(request.param)


def test_every_page_shows_all_it_has(any_browser: Any, made: Path) -> None:
    pages = [*made.glob("*.html"), *(made / "species").glob("*.html")]
    assert len(pages) > 10
    for page in sorted(pages):
        any_browser.open(page)
        any_browser.wait_until("document.readyState === 'complete'")
        assert any_browser.evaluate("document.querySelector('h1').innerText.trim() !== ''"), page
        broken = (
            "[...document.images].filter((one) => one.complete && !one.naturalWidth && one.src)"
        )
        assert any_browser.evaluate(f"{broken}.map((one) => one.src)") == [], page
        assert any_browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), page


def test_a_click_gives_a_sound(any_browser: Any, made: Path) -> None:
    any_browser.open(made / "index.html")
    any_browser.evaluate(WATCH_PLAYS)
    any_browser.click(*any_browser.evaluate(PICTURE))
    any_browser.wait_until("birdmodes.plays.length === 1")
    assert any_browser.evaluate(LOUDEST) > 0.01


def test_a_correction_is_kept_and_taken_back(any_browser: Any, made: Path) -> None:
    page = next((made / "species").glob("Amber*.html"))
    any_browser.open(page)
    any_browser.evaluate("document.querySelector('#review-switch').click()")
    any_browser.wait_until("!!globalThis.birdmodesData?.syllables && birdmodes.review.isOpen")
    picture = "document.querySelector('[data-syllable] .spec.context')"
    any_browser.evaluate(f"{picture}.scrollIntoView({{ block: 'center' }})")
    place = f"""(() => {{
      const {{ left, top }} = {picture}.getBoundingClientRect();
      return [left + 40, top + 40];
    }})()"""
    any_browser.click(*any_browser.evaluate(place))
    any_browser.wait_until("birdmodes.review.selection.size === 1")
    noise = "document.querySelector('[aria-keyshortcuts=N]')"
    any_browser.wait_until(f"!!{noise}")  # the panel offers it once something is selected
    any_browser.evaluate(f"{noise}.click()")
    any_browser.wait_until("birdmodes.review.asReview().edits.length === 1")
    (edit,) = any_browser.evaluate("birdmodes.review.asReview().edits")
    assert edit["action"] == "mark"
    assert edit["as"] == "noise"
    undo = "document.querySelector('[aria-keyshortcuts=\"Control+Z\"]:not([disabled])')"
    any_browser.wait_until(f"!!{undo}")
    any_browser.evaluate(f"{undo}.click()")
    any_browser.wait_until("birdmodes.review.asReview().edits.length === 0")
