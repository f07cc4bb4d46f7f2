"""The gallery in a real browser: opened from disk, looked at, and played."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import (
    HOSTILE_FILE,
    LONG_FILE,
    SCRIPT,
    TIMED_FILE,
    OpenPage,
    all_pages,
    wait_until,
    watch,
)
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser


TROUBLES: list[str] = []


# Opening a page takes longer than looking at it.
@pytest.fixture(scope="module")
def opened(browser: Browser, gallery: Path) -> dict[str, Page]:
    """All pages of the gallery, and under `TROUBLES` what went wrong when they were opened."""
    context = browser.new_context()
    pages = {}
    for path in all_pages(gallery):
        page = pages[path.name] = context.new_page()
        watch(page, path.as_uri(), TROUBLES)
        page.goto(path.as_uri())
    return pages


def test_every_page_opens_from_disk_with_its_pictures(opened: dict[str, Page]) -> None:
    for name, page in opened.items():
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
        assert widths or name in bare
        assert min(widths, default=200) > 100
        assert page.evaluate("getComputedStyle(document.body).margin") == "0px"  # style is there
    assert TROUBLES == []


def test_hostile_names_are_shown_and_do_nothing(
    gallery: Path, species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "index.html")
    page.locator("#rows").get_by_role("link", name=SCRIPT).click()
    assert page.url == species_file.as_uri()
    assert page.locator("h1").text_content() == SCRIPT
    assert page.title().startswith(SCRIPT)
    sources = page.locator("script").evaluate_all("(all) => all.map((one) => one.src)")
    assert all(source.startswith(gallery.as_uri()) for source in sources)  # ours
    names = set(page.locator("figcaption .recording").all_text_contents())
    assert names == {HOSTILE_FILE, LONG_FILE, TIMED_FILE}


def test_the_skip_link_comes_first_and_leads_to_the_content(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_nothing_is_wider_than_the_window(opened: dict[str, Page]) -> None:
    for name, page in opened.items():
        for width in (320, 390, 768, 1400):
            page.set_viewport_size({"width": width, "height": 800})
            fits = page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
            assert fits, (name, width)


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


def test_text_stands_out_from_its_ground_in_light_and_dark(opened: dict[str, Page]) -> None:
    for page in opened.values():
        grounds = []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found = page.evaluate(CONTRAST)
            assert found["count"] > 20
            assert found["faint"] == []
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert grounds[0] != grounds[1]


def test_the_gallery_of_pages_is_the_same_everywhere(opened: dict[str, Page]) -> None:
    for page in opened.values():
        links = page.get_by_role("navigation", name="Gallery").get_by_role("link")
        assert links.all_text_contents() == [
            "Vocal modes", "All modes", "Groups", "Map", "Label next", "This run",
        ]  # fmt: skip
        for address in links.evaluate_all("(all) => all.map((a) => a.href.split('#')[0])"):
            assert Path(address.removeprefix("file://")).is_file()
    here = opened["map.html"].get_by_role("link", name="Map")
    expect(here).to_have_attribute("aria-current", "page")


def test_the_switch_opens_the_review_on_every_page(opened: dict[str, Page]) -> None:
    for page in opened.values():
        switch = page.get_by_role("switch", name="Review")
        switch.check()
        panel = page.get_by_role("complementary", name="Review")
        expect(panel).to_be_visible()
        wait_until(page, "globalThis.birdmodesData.syllables && birdmodes.review.isOpen")
        panel.get_by_role("button", name="Close").first.click()
        expect(panel).to_be_hidden()
        expect(switch).to_be_focused()
    assert TROUBLES == []
