"""Mending the syllables of a clip in a real browser, of a gallery made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import made_gallery
import pytest
from browser import OpenPage, wait_until
from made_gallery import RECORDINGS, WATCH_PLAYER, syllable_id
from playwright.sync_api import Page, expect

from birdmodes.review.edits import read_review

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_gallery.write_gallery(tmp_path_factory.mktemp("boxes") / "gallery")


@pytest.fixture
def page(folder: Path, open_page: OpenPage) -> Page:
    address = f"{(folder / 'syllable.html').as_uri()}#{quote(syllable_id(0, 0), safe='')}"
    page = open_page(address, viewport={"width": 1200, "height": 900})
    expect(page.locator("#plot .syllable")).to_have_count(3)
    page.get_by_role("switch", name="Review").check()
    page.wait_for_selector("#box-tools:not([hidden])")
    page.evaluate(WATCH_PLAYER)
    return page


def edits(page: Page) -> list[dict[str, Any]]:
    return page.evaluate("birdmodes.review.history.present")


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag on the plot, from second and hertz to second and hertz."""
    places = page.evaluate(
        """(places) => {
          const { plot } = birdmodes.syllableBoxes.page;
          const { left, top } = plot.svg.getBoundingClientRect();
          return places.map(([time_s, hz]) => [left + plot.x(time_s), top + plot.y(hz)]);
        }""",
        [start, end],
    )
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=4)
    page.mouse.up()


def test_a_missed_sound_is_drawn_shown_and_played(page: Page, tmp_path: Path) -> None:
    start_s = page.evaluate("birdmodes.syllableBoxes.about.start_s")
    page.get_by_role("button", name="Draw a sound").click()
    drag(page, (start_s + 0.1, 5000), (start_s + 0.3, 3000))
    expect(page.locator("#plot .syllable")).to_have_count(4)
    (edit,) = edits(page)
    assert edit["action"] == "add-box"
    assert edit["recording"] == RECORDINGS[0]
    assert edit["start_s"] == pytest.approx(start_s + 0.1, abs=0.01)
    assert edit["end_s"] == pytest.approx(start_s + 0.3, abs=0.01)
    assert [edit["low_hz"], edit["high_hz"]] == pytest.approx([3000, 5000], abs=60)
    # it is the one that is shown, and it is played
    name = page.evaluate(
        "([r, id]) => birdmodes.boxEdits.addedSyllable(r, id)", [RECORDINGS[0], edit["id"]]
    )
    expect(page.locator("#plot [aria-current]")).to_have_attribute("data-syllable", name)
    wait_until(page, "plays.length > 0")
    # what is downloaded is what the workspace takes
    page.evaluate("birdmodes.review.setOpen(true)")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download review.json").click()
    download.value.save_as(tmp_path / "review.json")
    document = json.loads((tmp_path / "review.json").read_text("utf-8"))
    document["base"] = "0" * 64
    (tmp_path / "review.json").write_text(json.dumps(document), "utf-8")
    (read,) = read_review(tmp_path / "review.json").edits
    assert read.to_dict() == {**edit, "species": ""}
    # it can be moved like any other
    page.keyboard.press("m")
    page.locator("dialog [type=radio]").first.check()
    page.get_by_role("button", name="Move", exact=True).click()
    assert edits(page)[-1]["action"] == "move"
    assert edits(page)[-1]["syllables"] == [name]
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.locator("#plot .syllable")).to_have_count(3)
    page.keyboard.press("Control+Shift+z")
    expect(page.locator("#plot .syllable")).to_have_count(4)


def test_the_keyboard_mends_cuts_joins_and_throws_away(page: Page) -> None:
    name = syllable_id(0, 0)
    box = page.evaluate(
        """(({ start_s, end_s, low_hz, high_hz }) => [start_s, end_s, low_hz, high_hz])(
          birdmodes.syllableBoxes.current)"""
    )
    page.keyboard.press("e")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Enter")
    mended = edits(page)[-1]
    assert mended["action"] == "mend-box"
    assert mended["syllable"] == name
    assert mended["start_s"] == pytest.approx(box[0] + 0.01)
    assert mended["end_s"] == pytest.approx(box[1] + 0.01)
    assert [mended["low_hz"], mended["high_hz"]] == pytest.approx([box[2], box[3] + 100])
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    assert edits(page)[-1]["action"] == "cut"
    assert edits(page)[-1]["at_s"] == pytest.approx((box[0] + box[1]) / 2 + 0.01, abs=1e-3)
    expect(page.locator("#plot .syllable")).to_have_count(4)
    page.keyboard.press("j")
    assert edits(page)[-1]["action"] == "join"
    expect(page.locator("#plot .syllable")).to_have_count(3)
    page.keyboard.press("Delete")
    expect(page.locator("#plot .syllable")).to_have_count(2)
    assert edits(page)[-1] | {"id": "", "at": ""} == {
        "id": "",
        "at": "",
        "action": "discard",
        "syllables": [name],
    }
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator("#plot .syllable")).to_have_count(3)
    # Esc leaves things as they are
    page.keyboard.press("d")
    page.keyboard.press("Escape")
    assert len(edits(page)) == 3
