"""Every page of a gallery in a real browser: opened from disk, looked at, and used by everybody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import (
    PATIENCE_MS,
    RULES,
    SCRIPT,
    WITHOUT_CONTRAST,
    all_pages,
    grave_findings,
    grave_in_both_themes,
    page_of,
    set_size,
    wait_until,
    watch,
)
from chromium import RunningChromium
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

KINDS = ("index", "modes", "run", "map", "syllable", "label", "groups", "species", "group")
ALL = (*KINDS, "another species", "another group")
SIZE = {"width": 1280, "height": 720}


def place(gallery: Path, name: str) -> Path:
    """Where one of `ALL` lies."""
    places = {
        "species": page_of(gallery, SCRIPT),
        "another species": page_of(gallery, "Wren"),
        "group": gallery / "groups" / "0.html",
        "another group": gallery / "groups" / "1.html",
    }
    return places.get(name, gallery / f"{name}.html")


def settle(page: Page) -> None:
    """Wait until the scripts have drawn what comes from the gallery's data."""
    page.wait_for_load_state()
    wait_until(page, "document.querySelector('#theme:not([hidden])') !== null")


# What is tested of a page is tested one after the other, because opening it takes longer than most
# of that; and while no other is open, as all that are open are drawn anew in other colours.
@pytest.fixture(scope="module", params=ALL)
def page(
    request: pytest.FixtureRequest, chromium: RunningChromium, gallery: Path
) -> Iterator[Page]:
    """A page, alone in its browser; in the end nothing may have gone wrong."""
    address = place(gallery, request.param).as_uri()
    page = chromium.new_page(viewport=SIZE)
    page.set_default_timeout(PATIENCE_MS)
    troubles: list[str] = []
    watch(page, address, troubles)
    page.goto(address)
    settle(page)
    yield page
    chromium.close_pages()
    assert troubles == []


# A page of each kind is enough where a browser looks long.
one_of_each_kind = pytest.mark.parametrize("page", KINDS, indirect=True)


def test_all_pages_are_looked_at(gallery: Path) -> None:
    assert sorted(place(gallery, name) for name in ALL) == all_pages(gallery)


def test_what_is_grave_would_be_found(chromium: RunningChromium) -> None:
    page = chromium.new_page()
    page.set_content(
        """<html lang="en"><title>a</title><main><h1>a</h1><img src="data:,">
        <style>@media (prefers-color-scheme: dark) { p { color: #ddd } }</style><p>faint</p>"""
    )
    image, faint = grave_in_both_themes(page)
    chromium.close_pages()
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


@one_of_each_kind
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


def test_it_has_its_style_and_its_pictures(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    widths = page.evaluate(
        """() => Promise.all([...document.querySelectorAll('.spec img')].map(async (one) => {
          const image = new Image();
          image.src = one.src; // those out of view are not loaded
          await image.decode();
          return image.naturalWidth;
        }))"""
    )
    bare = ("map.html", "syllable.html", "label.html", "run.html", "groups.html")
    assert widths or page.url.endswith(bare)
    assert min(widths, default=200) > 100
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px"


def test_the_gallery_of_pages_is_the_same_everywhere(page: Page) -> None:
    links = page.get_by_role("navigation", name="Gallery").get_by_role("link")
    assert links.all_text_contents() == [
        "Vocal modes", "All modes", "Groups", "Map", "Label next", "This run",
    ]  # fmt: skip
    for address in links.evaluate_all("(all) => all.map((a) => a.href.split('#')[0])"):
        assert Path(address.removeprefix("file://")).is_file()
    if page.url.endswith("map.html"):
        here = page.get_by_role("link", name="Map")
        expect(here).to_have_attribute("aria-current", "page")


def test_nothing_is_wider_than_the_window(page: Page) -> None:
    for width in (320, 390, 768, 1400):
        set_size(page, width, 800)
        fits = page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        assert fits, width
    set_size(page, *SIZE.values())


CONTRAST = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((v) => v / 255).map((v) =>
      v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = new Map();
  const ground = (element) => {
    if (element === null) return [255, 255, 255];
    if (!grounds.has(element)) {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      const opaque = colour.length === 3 || colour[3] === 1;
      grounds.set(element, opaque ? colour : ground(element.parentElement));
    }
    return grounds.get(element);
  };
  const faint = [];
  let count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest('.cut, noscript, title')) continue;
    const style = getComputedStyle(element);
    const colour = numbers(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [luminance(colour), luminance(ground(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    count += 1;
    if (contrast < 4.5) { // WCAG 2, level AA
      const name = element.className.baseVal ?? element.className;
      faint.push([contrast, name, walker.currentNode.data.trim()]);
    }
  }
  return { count, faint };
}"""


def test_text_stands_out_from_its_ground_in_light_and_dark(page: Page) -> None:
    grounds = []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = page.evaluate(CONTRAST)
        assert found["count"] > 20
        assert found["faint"] == []
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]


UNFOLD = "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"


@one_of_each_kind
def test_no_serious_finding(page: Page) -> None:
    assert grave_in_both_themes(page, runOnly=RULES) == []
    page.emulate_media(color_scheme="light")
    set_size(page, 390, 800)
    assert grave_findings(page, runOnly=RULES, rules=WITHOUT_CONTRAST) == []
    page.evaluate(UNFOLD)
    assert grave_findings(page, runOnly=RULES) == []


@one_of_each_kind
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


def test_the_switch_opens_the_review(page: Page) -> None:
    set_size(page, *SIZE.values())
    switch = page.get_by_role("switch", name="Review")
    switch.check()
    panel = page.get_by_role("complementary", name="Review")
    expect(panel).to_be_visible()
    wait_until(page, "globalThis.birdmodesData.syllables && birdmodes.review.isOpen")
    panel.get_by_role("button", name="Close").first.click()
    expect(panel).to_be_hidden()
    expect(switch).to_be_focused()
