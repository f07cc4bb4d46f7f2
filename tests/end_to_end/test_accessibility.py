"""No page has a serious accessibility problem that axe-core finds, in either theme."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import SCRIPT, grave_findings, grave_in_both_themes, page_of, wait_until, watch
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def settle(page: Page) -> None:
    """Wait until the scripts have drawn what comes from the gallery's data."""
    page.wait_for_load_state()
    wait_until(page, "document.querySelector('#theme:not([hidden])') !== null")


def test_what_is_grave_would_be_found(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(
        """<html lang="en"><title>a</title><main><h1>a</h1><img src="data:,">
        <style>@media (prefers-color-scheme: dark) { p { color: #ddd } }</style><p>faint</p>"""
    )
    image, faint = grave_in_both_themes(page)
    page.close()
    assert image.startswith("light: image-alt: <img")
    assert faint.startswith("dark: color-contrast: <p>faint")


FOCUS = """() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  const outlined = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const around = [element, element.parentElement, element.closest("label, tr")].filter(Boolean);
  const beside = element.matches("label *") ? [...element.closest("label").children] : [];
  const seen = [...around, ...beside].some((one) => outlined(getComputedStyle(one)));
  const box = element.getBoundingClientRect();
  const inView = box.bottom > 0 && box.top < innerHeight;
  return { seen, inView, html: element.outerHTML.slice(0, 150) };
}"""


KINDS = ("index", "modes", "run", "map", "syllable", "label", "groups", "species", "group")


# What is tested of a page is tested one after the other: opening it takes longer than most of that.
@pytest.fixture(scope="module", params=KINDS)
def page(request: pytest.FixtureRequest, browser: Browser, gallery: Path) -> Iterator[Page]:
    """One page of each kind."""
    places = {"species": page_of(gallery, SCRIPT), "group": gallery / "groups" / "0.html"}
    path = places.get(request.param, gallery / f"{request.param}.html")
    context = browser.new_context()
    page = context.new_page()
    troubles: list[str] = []
    watch(page, path.as_uri(), troubles)
    page.goto(path.as_uri())
    settle(page)
    yield page
    context.close()
    assert troubles == []


def test_the_keyboard_s_place_is_seen(page: Page) -> None:
    places = []
    for _ in range(30):
        page.keyboard.press("Tab")
        place = page.evaluate(FOCUS)
        if place is None:  # past the last one
            break
        places.append(place)
    assert len(places) > (4 if page.url.endswith("groups.html") else 8)
    assert [place for place in places if not (place["seen"] and place["inView"])] == []


def test_no_serious_finding(page: Page) -> None:
    assert grave_in_both_themes(page, runOnly=RULES) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 390, "height": 800})
    assert grave_findings(page, runOnly=RULES) == []
    unfold = "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"
    page.evaluate(unfold)
    assert grave_findings(page, runOnly=RULES) == []


def test_nothing_moves_for_people_who_want_no_motion(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    settle(page)
    assert page.evaluate("document.getAnimations().length") == 0
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((element) => {
          const style = getComputedStyle(element);
          return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
        }).length"""
    )
    assert moving == 0
    assert page.evaluate("birdmodes.calm")
