"""No page has a serious accessibility problem that axe-core finds, in either theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import SCRIPT, OpenPage, page_of, wait_until
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def findings(page: Page) -> list[str]:
    """Run axe-core; the serious and critical findings, with the elements."""
    options = {
        "runOnly": {"type": "tag", "values": RULES},
        "resultTypes": ["violations"],
        "preload": False,  # it would read style sheets, which a page from disk may not
    }
    results = Axe().run(page, options=options)
    return [
        f"{found['id']} ({found['impact']}): {node['html'][:200]}"
        for found in results.response["violations"]
        if found["impact"] in GRAVE
        for node in found["nodes"]
    ]


@pytest.fixture
def pages(gallery: Path) -> dict[str, Path]:
    """One page of each kind."""
    names = ("index", "modes", "run", "map", "syllable", "label", "groups")
    return {
        **{name: gallery / f"{name}.html" for name in names},
        "species": page_of(gallery, SCRIPT),
        "group": gallery / "groups" / "0.html",
    }


@pytest.mark.parametrize(
    "kind", ["index", "modes", "run", "species", "map", "syllable", "label", "groups", "group"]
)
def test_no_serious_finding(kind: str, pages: dict[str, Path], open_page: OpenPage) -> None:
    page = open_page(pages[kind], color_scheme="light")
    settle(page)
    assert findings(page) == []
    page.emulate_media(color_scheme="dark")
    assert findings(page) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 390, "height": 800})
    assert findings(page) == []
    unfold = "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"
    page.evaluate(unfold)
    assert findings(page) == []


def settle(page: Page) -> None:
    """Wait until the scripts have drawn what comes from the gallery's data."""
    page.wait_for_load_state()
    wait_until(page, "document.querySelector('#theme:not([hidden])') !== null")


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


@pytest.mark.parametrize(
    "kind", ["index", "modes", "run", "species", "map", "syllable", "label", "group"]
)
def test_the_keyboard_s_place_is_seen(
    kind: str, pages: dict[str, Path], open_page: OpenPage
) -> None:
    page = open_page(pages[kind])
    settle(page)
    places = []
    for _ in range(30):
        page.keyboard.press("Tab")
        place = page.evaluate(FOCUS)
        if place is None:  # past the last one
            break
        places.append(place)
    assert len(places) > 8
    assert [place for place in places if not (place["seen"] and place["inView"])] == []


@pytest.mark.parametrize("kind", ["index", "modes", "species", "map", "syllable", "label"])
def test_nothing_moves_for_people_who_want_no_motion(
    kind: str, pages: dict[str, Path], open_page: OpenPage
) -> None:
    page = open_page(pages[kind], reduced_motion="reduce")
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
