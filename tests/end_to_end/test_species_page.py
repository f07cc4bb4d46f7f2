"""The page of a species in a real browser: rows of pictures, played, magnified and gone through."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import (
    HOSTILE_FILE,
    LONG_FILE,
    SCRIPT,
    TIMED_FILE,
    OpenPage,
    looked_at,
    page_of,
    wait_until,
)
from playwright.sync_api import Browser, Locator, Page, expect

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

LINE_X = "parseFloat(document.querySelector('button.moving .head')?.getAttribute('x1') ?? '-1')"
"""Where the moving line is, in per cent of the picture."""


@pytest.fixture
def open_species(species_file: Path, open_page: OpenPage) -> OpenPage:
    """Open the page of the hostile species: two modes of 6 examples each, of which 3 at once."""

    def open_it(**options: Any) -> Page:
        page = open_page(species_file, **options)
        page.evaluate(SPY)
        return page

    return open_it


@pytest.fixture(scope="module")
def unchanged(browser: Browser, gallery: Path) -> Iterator[Page]:
    """The same page, opened once, for tests that play, choose and fold nothing away."""
    with looked_at(browser, page_of(gallery, SCRIPT)) as page:
        yield page


def buttons(page: Page, mode: int = 0) -> Locator:
    """The pictures of a mode that are seen, with what is around the syllables."""
    return page.locator(".mode").nth(mode).locator("button.spec.context:visible")


def unfold(page: Page, mode: int = 0) -> None:
    """Show all examples of a mode."""
    page.locator(".mode").nth(mode).get_by_text("3 more examples").click()


def part(page: Page, name: str) -> Locator:
    """A button below the first picture."""
    return page.locator(".mode").first.locator(f"button[data-part={name}]").first


def slow(page: Page) -> None:
    """Let sounds last, so that they are still playing when the test looks."""
    page.get_by_role("radio", name="¼×").check()


def played(page: Page) -> list[dict[str, Any]]:
    """What the player was asked for."""
    wanted = "({ recording, from_s, to_s, band, rate, gain })"
    found: list[dict[str, Any]] = page.evaluate(f"played.map({wanted} => {wanted})")
    return found


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_plays_the_picture_and_stops_it(key: str, open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    button = page.get_by_role("button", name=f"Play {SCRIPT} A, {HOSTILE_FILE}, 0.").first
    button.focus()
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-pressed", "true")
    wait_until(page, "birdmodes.player.currentTime > 0.1")
    (request,) = played(page)
    assert request["recording"] == HOSTILE_FILE
    assert (request["from_s"], request["to_s"]) == (0, 3)
    assert request["gain"] > 0
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-pressed", "false")
    wait_until(page, "!birdmodes.player.playing")


def test_the_syllable_its_series_and_all_around_it_can_be_played(open_species: OpenPage) -> None:
    """The tone of 2 kHz begins at 0.5 s and lasts 0.2 s; the next one of its mode is at 2.6 s."""
    page = open_species()
    slow(page)
    for name in ("syllable", "series", "context"):
        part(page, name).click()
        expect(part(page, name)).to_have_attribute("aria-pressed", "true")
        expect(buttons(page).first).to_have_attribute("aria-pressed", "true")  # where the line is
    expect(page.locator(".mode").first.locator(".plays [aria-pressed=true]")).to_have_count(1)
    wait_until(page, "played.length === 3")
    syllable, series, context = ([one["from_s"], one["to_s"]] for one in played(page))
    assert syllable == pytest.approx([0.5, 0.7], abs=0.06)
    assert series == pytest.approx([0.02, 1.18], abs=0.06)  # no series: some of what is around
    assert context == [0, 3]


def test_what_a_click_on_a_picture_plays_can_be_chosen(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    page.get_by_role("radio", name="Syllable").check(force=True)
    buttons(page).first.click()
    wait_until(page, "birdmodes.player.currentTime > 0.4")
    (request,) = played(page)
    assert [request["from_s"], request["to_s"]] == pytest.approx([0.5, 0.7], abs=0.06)


def test_a_click_plays_one_sound_at_a_time_to_its_end(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    first, second = buttons(page).nth(0), buttons(page).nth(1)
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    wait_until(page, "birdmodes.player.currentTime > 0")
    page.get_by_role("radio", name="1×", exact=True).check()
    page.get_by_role("radio", name="Syllable").check(force=True)
    second.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    expect(second).to_have_attribute("aria-pressed", "false")  # after a quarter of a second
    wait_until(page, "!birdmodes.player.playing")
    expect(page.locator("#toast")).to_be_hidden()


def test_choosing_quickly_plays_the_last_one_only(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    page.evaluate("document.querySelectorAll('.spec.context').forEach((one) => one.click())")
    wait_until(page, "birdmodes.player.currentTime > 0")
    assert len(played(page)) == 1
    pressed = page.locator("button[aria-pressed='true']")
    expect(pressed).to_have_count(1)
    last = page.locator("button.spec.context").last
    expect(last).to_have_attribute("aria-pressed", "true")


def test_every_sound_can_be_played(unchanged: Page) -> None:
    page = unchanged
    lengths = page.evaluate(
        """() => Promise.all([...document.querySelectorAll('.spec.context')].map(async (button) => {
          const clip = await birdmodes.loadClip(button.closest('.example').dataset.clip);
          const audio = new OfflineAudioContext(1, 1, 22050);
          const { buffer } = await birdmodes.player.decode(clip, audio);
          const { from, to } = button.dataset;
          return Math.min(to, clip.start_s + buffer.duration) - Math.max(from, clip.start_s);
        }))"""
    )
    assert len(lengths) == 2 * 6
    assert min(lengths) > 2.9


def test_only_this_band_is_heard_from_the_switch_on(open_species: OpenPage) -> None:
    page = open_species()
    slow(page)
    button = buttons(page).first
    button.click()
    wait_until(page, "birdmodes.player.currentTime > 0")
    page.get_by_role("switch", name="Only its band").check()
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
    page.get_by_role("radio", name="½×").check()
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
            const clip = await load(name);
            setTimeout(() => { globalThis.loaded = true; }); // after what waits for the clip
            return clip;
          };
        }"""
    )
    buttons(page).first.click()
    expect(buttons(page).first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(buttons(page).first).to_have_attribute("aria-pressed", "false")
    page.evaluate("goOn()")
    wait_until(page, "globalThis.loaded === true")
    assert played(page) == []


def test_arrow_keys_move_within_a_row(unchanged: Page) -> None:
    page = unchanged
    row = buttons(page, 1)
    assert row.count() == 3
    row.first.focus()
    page.keyboard.press("ArrowLeft")
    expect(row.first).to_be_focused()
    for _ in range(row.count() + 2):
        page.keyboard.press("ArrowRight")
    expect(row.last).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(row.nth(row.count() - 2)).to_be_focused()
    page.keyboard.press("Home")
    expect(row.first).to_be_focused()
    page.keyboard.press("End")
    expect(row.last).to_be_focused()


def test_arrow_keys_move_between_rows_to_what_is_above_or_below(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 1600, "height": 900})
    buttons(page, 0).nth(1).focus()
    page.keyboard.press("ArrowUp")
    expect(buttons(page, 0).nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(buttons(page, 1).nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(buttons(page, 1).nth(1)).to_be_focused()
    unfold(page)
    buttons(page, 0).nth(1).focus()
    page.keyboard.press("ArrowDown")
    expect(buttons(page, 0).nth(4)).to_be_focused()  # what was unfolded


def test_a_row_is_one_stop_of_the_tab_key(unchanged: Page) -> None:
    page = unchanged
    buttons(page).nth(2).focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.part") == "syllable"
    page.keyboard.press("Shift+Tab")
    expect(buttons(page).nth(2)).to_be_focused()
    stops = page.locator(".mode").first.locator("button.spec.context:visible[tabindex='0']")
    expect(stops).to_have_count(1)


def test_what_has_the_focus_is_in_view(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 390, "height": 844})
    row = buttons(page)
    row.first.focus()
    in_view = """(() => {
      const picture = document.activeElement.getBoundingClientRect();
      const bar = document.querySelector(".toolbar").getBoundingClientRect();
      const across = picture.left >= 0 && picture.left < picture.right && picture.right <= 390;
      return across && bar.bottom <= picture.top + 1 && picture.bottom <= 844;
    })()"""  # not below the bar, which stays at the top
    for key, place in (("End", row.last), ("Home", row.first)):
        page.keyboard.press(key)
        expect(place).to_be_focused()
        wait_until(page, in_view)  # the page scrolls there after the key


def test_on_a_phone_what_is_folded_is_below_the_pictures(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 390, "height": 844})
    first = buttons(page).first.bounding_box()
    assert first is not None
    assert first["y"] < 210
    mode = page.locator(".mode").first
    folded = mode.locator("details.more").last
    folded.locator("summary").click()
    expect(folded.locator("svg").first).to_be_visible()
    inside, pictures = folded.bounding_box(), mode.locator(".strip").first.bounding_box()
    assert inside is not None
    assert pictures is not None
    assert inside["y"] >= pictures["y"] + pictures["height"]
    assert inside["x"] >= 0
    assert inside["x"] + inside["width"] <= 390


def test_close_ups_are_shown_instead_by_a_switch(open_species: OpenPage) -> None:
    page = open_species()
    whole = buttons(page).first.bounding_box()
    box = buttons(page).first.locator(".box").bounding_box()
    page.get_by_role("radio", name="Close-up").check(force=True)
    expect(buttons(page).first).to_be_hidden()
    near = page.locator(".mode").first.locator("button.spec.close").first
    expect(near).to_be_visible()
    magnified, outline = near.bounding_box(), near.locator(".box").bounding_box()
    assert whole is not None
    assert box is not None
    assert magnified is not None
    assert outline is not None
    share = box["width"] / whole["width"]
    assert outline["width"] / magnified["width"] > 2 * share
    assert outline["height"] / magnified["height"] > 1.5 * box["height"] / whole["height"]
    # the syllable is in the middle, so the part of the picture is the right one
    middle = outline["x"] + outline["width"] / 2 - magnified["x"]
    assert middle == pytest.approx(magnified["width"] / 2, abs=0.05 * magnified["width"])
    near.click()
    wait_until(page, "birdmodes.player.playing")
    page.get_by_role("radio", name="Context").check(force=True)
    assert not page.evaluate("birdmodes.player.playing")
    expect(buttons(page).first).to_be_visible()


def test_more_examples_are_unfolded_with_what_they_are(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 800, "height": 900})
    mode = page.locator(".mode").nth(1)
    expect(mode.get_by_role("heading", name="At the edge")).to_be_hidden()
    unfold(page, 1)
    assert buttons(page, 1).count() == 6
    expect(mode.get_by_role("heading", name="Clear examples")).to_be_visible()
    recordings = mode.locator("a.recording").all_text_contents()
    assert len(set(recordings[:3])) == 3  # one of each recording before a second of any


def test_outlines_can_be_hidden(open_species: OpenPage) -> None:
    page = open_species()
    outline = page.locator(".spec.context .box").first
    expect(outline).to_be_visible()
    page.get_by_role("switch", name="Boxes").uncheck()
    expect(outline).to_be_hidden()


def test_axes_say_where_the_boxes_are(unchanged: Page) -> None:
    page = unchanged
    places = """(figure) => {
      const middles = (all) => all.map((one) => {
        const { left, top, width, height } = one.getBoundingClientRect();
        return [left + width / 2, top + height / 2, one.textContent];
      });
      const lines = (what) => middles([...what.querySelectorAll("line")]);
      const texts = (what) => [...what.querySelectorAll("text")].map((one) => one.textContent);
      const beside = figure.closest(".strip").querySelector(".frequencies.context");
      const below = figure.querySelector(".times.context");
      return {
        box: middles([figure.querySelector(".context .box")])[0],
        hz: lines(beside).map(([, y], n) => [y, Number(texts(beside)[n + 1])]),
        s: lines(below).map(([x], n) => [x, parseFloat(texts(below)[n])]),
      };
    }"""

    def read(marks: list[list[float]], at: float) -> float:
        (first, a), (last, b) = marks[0], marks[-1]
        return a + (b - a) * (at - first) / (last - first)

    for mode, tone_hz, start_s in ((0, 2000, 0.5), (1, 5000, 1.2)):
        found = page.locator(".mode").nth(mode).locator(".example").first.evaluate(places)
        x, y, _ = found["box"]
        assert read(found["hz"], y) == pytest.approx(tone_hz / 1000, abs=0.1)
        assert read(found["s"], x) == pytest.approx(start_s + 0.1, abs=0.03)


def test_modes_are_rows_that_say_what_they_are(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 1440, "height": 900})
    first, second = (dict(mode.bounding_box() or {}) for mode in page.locator(".mode").all())
    assert first["x"] == second["x"]
    assert second["y"] >= first["y"] + first["height"]
    assert second["y"] + second["height"] < 900  # both in the first screen
    mode = page.locator(".mode").first
    expect(mode.get_by_role("heading", level=2)).to_have_text(f"{SCRIPT} A Low flat whistle")
    for text in ("2.0 kHz · 0.2 s", "6 syllables in 3 recordings", "a guess"):
        expect(mode.get_by_text(text, exact=True)).to_be_visible()
    boxes = [button.bounding_box() for button in buttons(page).all()]
    assert len(boxes) == 3
    assert len({round(box["y"]) for box in boxes if box}) == 1
    places = [box["x"] for box in boxes if box]
    assert places == sorted(places)


def test_why_a_name_is_a_guess_is_told_on_demand(unchanged: Page) -> None:
    page = unchanged
    why = page.get_by_text("Owl is listed for the same recordings").first
    expect(why).to_be_hidden()
    page.locator(".why summary").first.click()
    expect(why).to_be_visible()
    expect(
        page.get_by_text("Chance alone would do that about once in 100 times.").first
    ).to_be_visible()


def test_pictures_are_loaded_when_they_come_into_view(open_species: OpenPage) -> None:
    page = open_species(viewport={"width": 390, "height": 600})
    images = page.locator(".example img, .mean img")
    assert images.evaluate_all("(all) => all.every((one) => one.loading === 'lazy')")
    heights = page.locator("button.spec.context:visible").evaluate_all(
        "(all) => all.map((one) => one.offsetHeight)"
    )
    assert len(heights) == 6
    assert len(set(heights)) == 1  # known before they are there, so that nothing jumps
    assert heights[0] > 100
    picture = page.locator("button.spec.context:visible img").last
    picture.scroll_into_view_if_needed()
    images = "[...document.querySelectorAll('.strip > .example .context img')]"
    wait_until(page, f"{images}.at(-1).naturalWidth > 100")


def test_hostile_names_are_shown_and_do_nothing(unchanged: Page) -> None:
    page = unchanged
    assert page.locator("h1").text_content() == SCRIPT
    names = set(page.locator("a.recording").all_text_contents())
    assert names == {HOSTILE_FILE, LONG_FILE, TIMED_FILE}
    ids = page.locator("[data-syllable]").evaluate_all(
        "(all) => all.map((e) => e.dataset.syllable)"
    )
    assert {name.rsplit("#", 1)[0] for name in ids} == names
    assert page.locator("[data-cluster]").evaluate_all("(all) => all.map((e) => e.id)") == [
        "cluster-0", "cluster-1",
    ]  # fmt: skip


def test_a_caption_leads_to_the_syllable(unchanged: Page, species_file: Path) -> None:
    page = unchanged
    for link in page.locator("a.recording").all()[:3]:
        syllable = link.evaluate("(a) => a.closest('[data-syllable]').dataset.syllable")
        found = link.evaluate("(a) => [a.pathname, decodeURIComponent(a.hash.slice(1))]")
        assert found == [str(species_file.parent.parent / "syllable.html"), syllable]


def test_species_that_compete_are_told_with_their_shares(
    gallery: Path, open_page: OpenPage
) -> None:
    """In the gallery all modes are in all recordings, which says nothing of them together."""
    page = open_page(page_of(gallery, "Wren"))
    page.get_by_text("Distributions, when; what it occurs with").click()
    expect(page.get_by_text("None more often than by chance, among 3 recordings.")).to_be_visible()
    table = page.get_by_role("table", name="Species that Wren A may be of")
    # "Wren", "Owl" and the hostile one are listed for both labelled recordings.
    rows = [row.locator("th, td").all_text_contents() for row in table.locator("tr").all()]
    assert rows == [
        ["Species", "Listed for", "Of all"],
        ["Wren", "100 %", "100 %"],
        [SCRIPT, "100 %", "100 %"],
        ["Owl", "100 %", "100 %"],
    ]


def test_hours_of_the_day_say_what_was_found_in_them(unchanged: Page) -> None:
    page = unchanged
    # both modes twice in each of three recordings, of which one has its time in its name
    section = page.get_by_role("region", name="When")
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
    line = buttons(page).first.locator(".head")
    expect(line).to_have_css("visibility", "visible")
    place = """() => {
      const button = document.querySelector('button.moving');
      const x = parseFloat(button.querySelector('.head').getAttribute('x1'));
      const time_s = Number(button.dataset.start) + (x / 100) * button.dataset.width;
      return birdmodes.player.currentTime - time_s;
    }"""
    wait_until(page, f"{LINE_X} > 6")
    assert page.evaluate(place) == pytest.approx(0, abs=0.05)
    page.keyboard.press("Escape")
    expect(line).to_have_css("visibility", "hidden")


def test_no_line_moves_for_people_who_want_no_motion(open_species: OpenPage) -> None:
    page = open_species(reduced_motion="reduce")
    button = buttons(page).first
    button.click()
    wait_until(page, "birdmodes.player.currentTime > 0.2")
    assert button.locator(".head").get_attribute("x1") is None
    expect(button.locator(".head")).to_have_css("visibility", "hidden")


def test_without_javascript_the_page_still_shows_everything(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file, java_script_enabled=False)
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("figure.example")).to_have_count(12)
    expect(page.locator("#part")).to_be_hidden()
    for example in page.locator("figure.example").all()[:3]:
        expect(example.locator(".context img")).to_be_visible()
        expect(example.locator(".context .box")).to_be_visible()
    page.get_by_text("3 more examples").first.click()
    expect(page.locator("figure.example").nth(5)).to_be_visible()


def test_a_clip_that_is_gone_is_said_to_be(
    gallery: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    shutil.copytree(gallery, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "clips")
    page = open_page(page_of(tmp_path / "copy", SCRIPT), tolerant=True)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    button = buttons(page).first
    button.click()
    expect(page.get_by_role("status").filter(has_text="is missing or damaged")).to_be_visible()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert errors == []
