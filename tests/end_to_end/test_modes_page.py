"""The page of all modes in a real browser: sorted by sound, sized, played one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import SCRIPT, OpenPage, page_of, wait_until
from made_gallery import WATCH_PLAYER
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

A, B, WREN = f"{SCRIPT} A Low flat whistle", f"{SCRIPT} B High flat whistle", "Wren A Flat whistle"


@pytest.fixture
def page(gallery: Path, open_page: OpenPage) -> Page:
    return open_page(gallery / "modes.html", viewport={"width": 1440, "height": 900})


def shown(page: Page) -> list[str]:
    """Names of the modes, in their order."""
    return [
        name.replace("\n", " ") for name in page.locator(".tile:visible .name").all_inner_texts()
    ]


def test_modes_that_sound_alike_stand_together(page: Page) -> None:
    names = shown(page)
    assert names in ([A, B, WREN], [WREN, B, A])  # 2, 5 and 8 kHz
    expect(page.locator("#sorted")).to_have_text("Neighbours sound alike, whatever their species.")


def test_modes_can_be_sorted(page: Page) -> None:
    sort = page.get_by_role("combobox", name="Sort")
    sort.select_option("low to high")
    assert shown(page) == [A, B, WREN]
    expect(page.locator("#sorted")).to_have_text("Low sounds first.")
    sort.select_option("species")
    assert shown(page) == [A, B, WREN]
    sort.select_option("short to long")
    lengths = page.locator(".tile").evaluate_all("(all) => all.map((one) => +one.dataset.length)")
    assert lengths == sorted(lengths)


def test_sounds_are_found_by_words_and_species(page: Page) -> None:
    find = page.get_by_role("searchbox", name="Find")
    find.fill("high")
    assert shown(page) == [B]
    expect(page.locator("#said")).to_have_text("1 of 3 modes")
    find.fill("wren whistle")
    assert shown(page) == [WREN]
    find.fill("trill")
    expect(page.locator("#none")).to_contain_text("No mode fits.")
    page.get_by_role("button", name="Show all").click()
    assert len(shown(page)) == 3
    page.get_by_role("combobox", name="Show").select_option("sure only")
    assert shown(page) == []


def test_pictures_grow_as_wanted(page: Page) -> None:
    picture = page.locator("button.spec").first
    before = picture.bounding_box()
    page.get_by_role("slider", name="Size").fill("18")
    after = picture.bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] > 1.5 * before["width"]
    assert after["height"] > 1.5 * before["height"]


def test_all_are_played_in_turn(page: Page) -> None:
    page.evaluate(f"({WATCH_PLAYER})(16)")
    page.get_by_role("combobox", name="Sort").select_option("low to high")
    button = page.get_by_role("button", name="Play all in turn")
    button.click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    wait_until(page, "plays.length === 3 && plays[2].ended")
    expect(button).to_be_visible()
    lows = page.locator("[data-clip]").evaluate_all("(all) => all.map((one) => +one.dataset.low)")
    assert lows == sorted(lows)


def test_one_that_is_chosen_ends_the_tour(page: Page) -> None:
    page.evaluate(f"({WATCH_PLAYER})(0.2)")
    page.get_by_role("button", name="Play all in turn").click()
    wait_until(page, "plays.length === 1")
    page.locator("button.spec").last.click()
    expect(page.get_by_role("button", name="Play all in turn")).to_be_visible()
    wait_until(page, "plays.length === 2")
    page.keyboard.press("Escape")
    assert not page.evaluate("birdmodes.player.playing")


def test_a_mode_leads_to_its_row(page: Page, gallery: Path) -> None:
    page.get_by_role("link", name=WREN).click()
    expect(page).to_have_url(page_of(gallery, "Wren").as_uri() + "#cluster-2")
    row = page.locator("#cluster-2")
    expect(row).to_be_in_viewport()
    bar, box = page.locator(".toolbar").bounding_box(), row.bounding_box()
    assert bar is not None
    assert box is not None
    assert box["y"] >= bar["y"] + bar["height"] - 1  # not below what stays at the top
