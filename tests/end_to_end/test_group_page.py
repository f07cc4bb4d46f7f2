"""The page of a recording group: its recordings are played, and lead to the syllable view."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import (
    HOSTILE_FILE,
    LONG_FILE,
    SCRIPT,
    Field,
    OpenPage,
    grouping_of,
    wait_until,
)
from made_gallery import SO_SLOW, WATCH_PLAYER
from playwright.sync_api import expect

from birdmodes.gallery import build_gallery

pytestmark = pytest.mark.browser


def test_recordings_and_syllables_are_played_one_at_a_time(
    gallery: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "groups.html")
    page.get_by_role("link", name="Group 0").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Group 0")
    here = page.get_by_role("navigation", name="Gallery").locator("[aria-current]")
    expect(here).to_have_text("Groups")
    wait_until(page, "globalThis.birdmodes?.player !== undefined")
    page.evaluate(f"({WATCH_PLAYER})({SO_SLOW})")
    clips = page.locator(".clip-play")
    expect(clips).to_have_count(2)
    expect(clips.first).to_have_attribute("aria-label", f"Play {HOSTILE_FILE}")
    clips.first.click()
    wait_until(page, "plays.length === 1 && birdmodes.player.playing")
    expect(clips.first).to_have_attribute("aria-pressed", "true")
    heard = page.evaluate("plays[0]")
    assert (heard["from_s"], heard["to_s"], heard["band"]) == (0, pytest.approx(5), None)
    page.locator("button.spec:visible").first.click()  # a witness
    wait_until(page, "plays.length === 2 && plays[0].ended")
    expect(clips.first).to_have_attribute("aria-pressed", "false")
    expect(page.locator("button.spec:visible").first).to_have_attribute("aria-pressed", "true")
    clips.nth(1).focus()
    page.keyboard.press("Enter")
    wait_until(page, "plays.length === 3 && plays[1].ended")
    expect(page.locator("button.spec:visible").first).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    expect(clips.nth(1)).to_have_attribute("aria-pressed", "false")
    assert not page.evaluate("birdmodes.player.playing")


def test_a_recording_leads_to_its_witness_and_back(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "groups" / "0.html")
    names = page.locator(".members .recording").all_text_contents()
    assert names == [HOSTILE_FILE, LONG_FILE]
    table = page.get_by_role("table", name="Species of Group 0")
    expect(table.get_by_role("link", name=SCRIPT)).to_be_visible()
    page.locator(".members .recording").first.click()
    expect(page.locator("#where")).to_contain_text(HOSTILE_FILE)
    assert re.search(r"%2300000$", page.url)
    page.locator("#facts").get_by_role("link", name="Group 0").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Group 0")


def test_the_map_can_be_coloured_by_group(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "map.html")
    page.locator("#map-by").select_option("Recording group")
    labels = page.locator("#map-groups .map-label")
    expect(labels).to_have_text(["Group 0", "Group 1"])


def test_without_modes_there_are_a_map_and_syllables(
    hostile: Field, open_page: OpenPage, tmp_path: Path
) -> None:
    grouping = grouping_of(hostile.workspace)
    page = open_page(
        build_gallery(hostile.workspace, None, tmp_path / "gallery", grouping=grouping).index
    )
    expect(page.get_by_role("switch", name="Review")).to_have_count(0)
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.locator("#map-by option")).to_have_text(["Recording group"])
    expect(page.locator("#map-groups .map-label")).to_have_text(["Group 0", "Group 1"])
    page.goto((tmp_path / "gallery" / "groups" / "0.html").as_uri())
    page.locator("figure.example a.recording").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Syllable 0")
    expect(page.locator("#facts")).to_contain_text("none yet")
