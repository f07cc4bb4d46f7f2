"""The page of a species in a real browser: its rows of pictures, played and moved through."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from browser import (
    HOSTILE_FILE,
    LONG_FILE,
    SCRIPT,
    TIMED_FILE,
    OpenPage,
    page_of,
    wait_until,
)
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

SPY = """() => {
  globalThis.played = [];
  const play = birdmodes.player.play;
  birdmodes.player.play = ({ clip, ...options }) => {
    played.push({ recording: clip.recording, ...options });
    return play({ clip, ...options });
  };
}"""
"""Notes what the player is asked for."""

LINE_X = "Number(document.querySelector('button.moving line.cursor')?.getAttribute('x1') ?? -1)"


@pytest.fixture
def open_species(species_file: Path, open_page: OpenPage) -> OpenPage:
    """Open the page of the hostile species: two modes of 5 central and 1 edge example each."""

    def open_it(**options: Any) -> Page:
        page = open_page(species_file, **options)
        page.evaluate(SPY)
        return page

    return open_it


def buttons(page: Page, mode: int = 0) -> Locator:
    """The examples of a mode."""
    return page.locator(".mode").nth(mode).locator("button.play")


def slow(page: Page) -> None:
    """Let sounds last, so that they are still playing when the test looks."""
    page.get_by_role("radio", name="0.25×").check()


def played(page: Page) -> list[dict[str, Any]]:
    """What the player was asked for."""
    wanted = "({ recording, from_s, to_s, band, rate, gain })"
    found: list[dict[str, Any]] = page.evaluate(f"played.map({wanted} => {wanted})")
    return found


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_plays_the_sound_and_stops_it(key: str, open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    button = page.get_by_role("button", name=f"Play {SCRIPT} mode 1, {HOSTILE_FILE}, 0.").first
    button.focus()
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-pressed", "true")
    wait_until(page, "birdmodes.player.currentTime > 0.4")
    (request,) = played(page)
    # The tone of 2 kHz begins at 0.5 s and lasts 0.2 s; 0.15 s before and after it are heard.
    assert request["recording"] == HOSTILE_FILE
    assert request["from_s"] == pytest.approx(0.35, abs=0.05)
    assert request["to_s"] == pytest.approx(0.85, abs=0.05)
    assert request["gain"] > 0
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-pressed", "false")
    wait_until(page, "!birdmodes.player.playing")


def test_a_click_plays_one_sound_at_a_time_to_its_end(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    first, second = buttons(page).nth(0), buttons(page).nth(1)
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    wait_until(page, "birdmodes.player.currentTime > 0")
    page.get_by_role("radio", name="1×", exact=True).check()
    second.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    expect(second).to_have_attribute("aria-pressed", "false")  # after half a second
    wait_until(page, "!birdmodes.player.playing")
    assert page.locator("#problem").text_content() == ""


def test_choosing_quickly_plays_the_last_one_only(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    page.evaluate("document.querySelectorAll('button.play').forEach((one) => one.click())")
    wait_until(page, "birdmodes.player.currentTime > 0")
    assert len(played(page)) == 1
    pressed = page.locator("button.play[aria-pressed='true']")
    expect(pressed).to_have_count(1)
    expect(buttons(page, 1).last).to_have_attribute("aria-pressed", "true")


def test_every_sound_can_be_played(open_species: OpenPage) -> None:
    page = open_species()
    lengths = page.evaluate(
        """() => Promise.all([...document.querySelectorAll('button.play')].map(async (button) => {
          const clip = await birdmodes.loadClip(button.dataset.clip);
          const audio = new OfflineAudioContext(1, 1, 22050);
          const { buffer } = await birdmodes.player.decode(clip, audio);
          const { from, to } = button.dataset;
          return Math.min(to, clip.start_s + buffer.duration) - Math.max(from, clip.start_s);
        }))"""
    )
    assert len(lengths) == 2 * 6
    assert min(lengths) > 0.3


def test_only_this_band_is_heard_from_the_switch_on(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    button = buttons(page).first
    button.click()
    wait_until(page, "birdmodes.player.currentTime > 0")
    page.get_by_role("switch", name="Only this band").check()
    wait_until(page, "played.length === 2")
    expect(button).to_have_attribute("aria-pressed", "true")
    before, after = played(page)
    assert before["band"] is None
    low_hz, high_hz = after["band"]
    assert low_hz < 2000 < high_hz < 3000
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false")
    wait_until(page, "!birdmodes.player.playing")


def test_the_speed_holds_at_once_and_for_the_next(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    buttons(page).first.click()
    wait_until(page, "birdmodes.player.currentTime > 0")
    page.get_by_role("radio", name="0.5×").check()
    wait_until(page, "played.length === 2")
    buttons(page, 1).first.click()
    wait_until(page, "played.length === 3")
    assert [request["rate"] for request in played(page)] == [0.25, 0.5, 0.5]


def test_escape_stops_a_sound_that_is_still_being_loaded(open_species: OpenPage) -> None:
    page = open_species()
    page.evaluate(
        """() => {
          const load = birdmodes.loadClip;
          birdmodes.loadClip = async (name) => {
            await new Promise((done) => { globalThis.goOn = done; });
            return load(name);
          };
        }"""
    )
    buttons(page).first.click()
    expect(buttons(page).first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(buttons(page).first).to_have_attribute("aria-pressed", "false")
    page.evaluate("goOn()")
    page.wait_for_timeout(200)
    assert played(page) == []


def test_arrow_keys_move_within_a_row(open_species: OpenPage) -> None:
    page = open_species()
    row = buttons(page, 1)
    assert row.count() == 6
    row.first.focus()
    page.keyboard.press("ArrowLeft")
    expect(row.first).to_be_focused()
    for _ in range(row.count() + 2):
        page.keyboard.press("ArrowRight")
    expect(row.last).to_be_focused()  # of another kind than the first
    page.keyboard.press("ArrowLeft")
    expect(row.nth(row.count() - 2)).to_be_focused()
    page.keyboard.press("Home")
    expect(row.first).to_be_focused()
    page.keyboard.press("End")
    expect(row.last).to_be_focused()


def test_arrow_keys_move_between_rows_to_what_is_above_or_below(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 1900, "height": 900})
    buttons(page, 0).nth(2).focus()
    page.keyboard.press("ArrowUp")
    expect(buttons(page, 0).nth(2)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(buttons(page, 1).nth(2)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(buttons(page, 1).nth(2)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(buttons(page, 0).nth(2)).to_be_focused()


def test_a_row_is_one_stop_of_the_tab_key_and_one_for_its_link(open_species: OpenPage) -> None:
    page = open_species()
    buttons(page).nth(3).focus()
    page.keyboard.press("Tab")
    link = page.locator(".mode").first.locator("a.recording").nth(3)
    expect(link).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(buttons(page).nth(3)).to_be_focused()
    assert page.locator(".strip [tabindex='0']").count() == 2 * 2


def test_what_has_the_focus_is_in_view_beside_the_axis(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 390, "height": 844})
    row = buttons(page)
    row.first.focus()
    axis = page.locator(".beside").first
    for key in ("End", "Home"):
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        picture, ticks = page.locator(":focus").bounding_box(), axis.bounding_box()
        assert picture is not None
        assert ticks is not None
        assert picture["x"] >= ticks["x"] + ticks["width"]
        assert picture["x"] + picture["width"] <= 390


def test_a_kind_of_examples_is_brought_into_view(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 800, "height": 900}, reduced_motion="reduce")
    mode = page.locator(".mode").nth(1)
    mode.scroll_into_view_if_needed()
    expect(mode.get_by_role("heading", name="At the edge")).not_to_be_in_viewport()
    mode.get_by_role("link", name="At the edge 1").click()
    expect(mode.get_by_role("heading", name="At the edge")).to_be_in_viewport()
    expect(mode.locator(".group").last.locator("button")).to_be_focused()


def test_outlines_can_be_hidden(open_species: OpenPage) -> None:
    page = open_species()
    outline = page.locator("path.outline").first
    expect(outline).to_be_visible()
    page.get_by_role("switch", name="Outlines").uncheck()
    expect(outline).to_be_hidden()


def test_outlines_lie_on_their_syllables(open_species: OpenPage) -> None:
    page = open_species()
    for mode, tone_hz in ((0, 2000), (1, 5000)):
        picture = page.locator(".mode").nth(mode).locator(".example .picture").first
        picture.scroll_into_view_if_needed()
        outline, frame = picture.locator(".outline").bounding_box(), picture.bounding_box()
        assert outline is not None
        assert frame is not None
        ticks = page.locator(".mode").first.locator(".frequencies text").all_text_contents()[:-1]
        places = (
            page.locator(".mode")
            .first.locator(".frequencies line")
            .evaluate_all("(lines) => lines.map((line) => Number(line.getAttribute('y1')))")
        )
        # Where the tone should be, between the first and the last tick of the axis
        low, high = float(ticks[0]) * 1000, float(ticks[-1]) * 1000
        share = (tone_hz - low) / (high - low)
        expected = (places[0] + share * (places[-1] - places[0])) / 164 * frame["height"]
        middle = outline["y"] + outline["height"] / 2 - frame["y"]
        assert middle == pytest.approx(expected, abs=4)


def test_modes_are_rows_with_their_pictures_side_by_side(open_species: OpenPage) -> None:
    page = open_species()
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 800})
        first, second = (dict(mode.bounding_box() or {}) for mode in page.locator(".mode").all())
        assert first["x"] == second["x"]
        assert second["y"] >= first["y"] + first["height"]
        mean = page.locator(".mode").first.locator(".mean .picture").bounding_box()
        boxes = [button.bounding_box() for button in buttons(page).all()]
        places = [box["x"] for box in boxes if box]
        assert mean is not None
        assert len(places) == 6
        assert places == sorted(places)
        assert mean["x"] < places[0]
        assert {round(box["y"]) for box in boxes if box} == {round(mean["y"])}


def test_pictures_are_loaded_when_they_come_into_view(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 390, "height": 600})
    images = page.locator(".strip img")
    assert images.evaluate_all("(all) => all.every((one) => one.loading === 'lazy')")
    sizes = images.evaluate_all("(all) => all.map((one) => [one.width > 0, one.height > 0])")
    assert len(sizes) == 2 * 7
    assert all(all(known) for known in sizes)  # so that nothing jumps
    picture = images.last
    picture.scroll_into_view_if_needed()
    wait_until(page, "[...document.querySelectorAll('.strip img')].at(-1).naturalWidth > 100")


def test_hostile_names_are_shown_and_do_nothing(open_species: OpenPage) -> None:
    page = open_species()
    assert page.locator("h1").text_content() == SCRIPT
    captions = page.locator("a.recording").all_text_contents()
    names = {caption.rsplit(" at ", 1)[0] for caption in captions}
    assert names == {HOSTILE_FILE, LONG_FILE, TIMED_FILE}
    ids = page.locator("[data-syllable]").evaluate_all(
        "(all) => all.map((e) => e.dataset.syllable)"
    )
    assert {name.rsplit("#", 1)[0] for name in ids} == names
    assert page.locator("[data-cluster]").evaluate_all("(all) => all.map((e) => e.id)") == [
        "cluster-0", "cluster-1",
    ]  # fmt: skip


def test_a_caption_leads_to_the_syllable(open_species: OpenPage, species_file: Path) -> None:
    page = open_species()
    for link in page.locator("a.recording").all()[:3]:
        syllable = link.evaluate("(a) => a.closest('[data-syllable]').dataset.syllable")
        found = link.evaluate("(a) => [a.pathname, decodeURIComponent(a.hash.slice(1))]")
        assert found == [str(species_file.parent.parent / "syllable.html"), syllable]


def test_species_that_compete_are_told_with_their_shares(
    gallery: Path, open_page: OpenPage
) -> None:
    """In the gallery all modes are in all recordings, which says nothing of them together."""
    page = open_page(page_of(gallery, "Wren"))
    expect(page.get_by_text("None more often than by chance, among 3 recordings.")).to_be_visible()
    table = page.get_by_role("table", name="Species that Wren mode 1 may be of")
    # "Wren", "Owl" and the hostile one are listed for both labelled recordings.
    rows = [row.locator("th, td").all_text_contents() for row in table.locator("tr").all()]
    assert rows == [
        ["Species", "Listed for", "Of all"],
        ["Wren", "100 %", "100 %"],
        [SCRIPT, "100 %", "100 %"],
        ["Owl", "100 %", "100 %"],
    ]


def test_hours_of_the_day_say_what_was_found_in_them(open_species: OpenPage) -> None:
    page = open_species()
    # both modes twice in each of three recordings, of which one has its time in its name
    section = page.get_by_role("region", name="Activity over the day")
    figure = section.get_by_role("img", name=f"Activity of {SCRIPT} over the day")
    expect(figure).to_be_visible()
    expect(figure.locator("rect.rate")).to_have_count(1)
    hour = figure.locator("g", has=page.locator("rect.rate"))
    title = hour.locator("title").text_content() or ""
    assert title == "05:00–06:00: 4 syllables in 5 s of recordings, 2,880 per hour"
    expect(page.get_by_text("Time known for 4 of 12 syllables")).to_be_visible()
    bar, ground = (hour.locator(f"rect.{name}").bounding_box() for name in ("rate", "hour"))
    assert bar is not None
    assert ground is not None
    assert ground["x"] < bar["x"] < bar["x"] + bar["width"] < ground["x"] + ground["width"]


def test_the_line_over_the_picture_moves_as_the_sound_does(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    buttons(page).first.click()
    wait_until(page, f"{LINE_X} > 0")
    line = buttons(page).first.locator(".cursor")
    expect(line).to_have_css("visibility", "visible")
    # The sound begins 0.15 s before the syllable, which is at 0 s of the picture's scale.
    place = """() => {
      const { start, end } = document.getElementById('modes').dataset;
      const button = document.querySelector('button.moving');
      const x = Number(button.querySelector('.cursor').getAttribute('x1'));
      const time_s = Number(start) + (x / 270) * (end - start);
      return birdmodes.player.currentTime - Number(button.dataset.start) - time_s;
    }"""
    wait_until(page, f"{LINE_X} > 60")
    assert page.evaluate(place) == pytest.approx(0, abs=0.05)
    page.keyboard.press("Escape")
    expect(line).to_have_css("visibility", "hidden")


def test_no_line_moves_for_people_who_want_no_motion(open_species: OpenPage) -> None:
    page = open_species(reduced_motion="reduce")
    button = buttons(page).first
    button.click()
    wait_until(page, "birdmodes.player.currentTime > 0")
    wait_until(page, "!birdmodes.player.playing")
    assert button.locator(".cursor").get_attribute("x1") is None
    expect(button.locator(".cursor")).to_have_css("visibility", "hidden")


def test_without_javascript_the_page_still_shows_everything(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file, java_script_enabled=False)
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("figure.example")).to_have_count(12)
    expect(page.locator("#controls")).to_be_hidden()
    for example in page.locator("figure.example").all()[:3]:
        expect(example.locator("img")).to_be_visible()
        expect(example.locator(".outline")).to_be_visible()


def test_a_clip_that_is_gone_is_said_to_be(
    gallery: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    shutil.copytree(gallery, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "clips")
    page = open_page(page_of(tmp_path / "copy", SCRIPT), tolerant=True)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    button = page.locator("button.play").first
    button.click()
    expect(page.locator("#problem")).to_contain_text("is missing or damaged")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert errors == []
