"""The map of all syllables in a real browser, of a gallery made by hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made_gallery
import pytest
from browser import OpenPage, looked_at, wait_until
from made_gallery import RECORDINGS, SO_SLOW, SPECIES, WATCH_PLAYER, syllable_id
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

SELECTIONS = """
  globalThis.selections = [];
  document.addEventListener("birdmodes:selection", (event) => {
    selections.push(event.detail.syllables);
  });
"""
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
N_MANY = 100_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_gallery.write_gallery(tmp_path_factory.mktemp("map") / "gallery")


@pytest.fixture
def page(folder: Path, open_page: OpenPage) -> Page:
    return ready(open_page(folder / "map.html", viewport={"width": 1300, "height": 1200}))


@pytest.fixture(scope="module")
def unchanged(browser: Browser, folder: Path) -> Iterator[Page]:
    """The same page, opened once, for tests that look and point."""
    size = {"width": 1300, "height": 1200}
    with looked_at(browser, folder / "map.html", viewport=size) as page:
        yield ready(page)


def ready(page: Page) -> Page:
    wait_until(page, "Boolean(birdmodes.map)")
    page.evaluate(SELECTIONS)
    page.evaluate(WATCH_PLAYER, SO_SLOW)
    return page


def place_of(page: Page, row: int) -> tuple[float, float]:
    """Where in the window a syllable is."""
    box = page.locator("#map-overlay").bounding_box()
    assert box is not None
    left, top = page.evaluate("(row) => birdmodes.map.cloud.placeOf(row)", row)
    return box["x"] + left, box["y"] + top


def drag(page: Page, places: list[tuple[float, float]]) -> None:
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=3)
    page.mouse.up()


def around(page: Page, rows: list[int], room: float = 12) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a rectangle around syllables."""
    x, y = zip(*(place_of(page, row) for row in rows), strict=True)
    return min(x) - room, min(y) - room, max(x) + room, max(y) + room


def selected(page: Page) -> list[str]:
    return sorted(page.evaluate("selections.at(-1)"))


def ids(rows: range) -> list[str]:
    return sorted(syllable_id(row // 6, row % 6) for row in rows)


LOW_LEFT = range(0, 12, 3)
"""Rows of the first mode, which lie together."""


def test_it_says_what_the_map_is_and_shows_all(unchanged: Page) -> None:
    page = unchanged
    expect(page.locator("#map-note")).to_contain_text("31 % and 12 % of the variance")
    expect(page.locator("#map-count")).to_have_text("12 syllables")
    width, height = page.evaluate("[birdmodes.map.cloud.width, birdmodes.map.cloud.height]")
    for row in range(12):
        left, top = page.evaluate("(row) => birdmodes.map.cloud.placeOf(row)", row)
        assert 0 < left < width
        assert 0 < top < height
    # y counts upwards: the background's 60,000 and more are above the first mode's 5,000
    assert place_of(page, 2)[1] < place_of(page, 0)[1]


def test_pointing_shows_what_a_syllable_is(unchanged: Page) -> None:
    page = unchanged
    card = page.locator("#map-card")
    expect(card).to_be_hidden()
    page.mouse.move(*place_of(page, 0))
    expect(card).to_be_visible()
    for text in (f"{SPECIES} A", f"{RECORDINGS[0]} at 0.50 s", "confidence 0.90"):
        expect(card).to_contain_text(text)
    picture = card.locator(".map-thumb").evaluate("(e) => getComputedStyle(e).backgroundImage")
    assert "thumbs/t.webp" in picture
    page.mouse.move(*place_of(page, 2))
    expect(card).to_contain_text("Cluster 7")
    expect(card).not_to_contain_text("confidence")
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()


def test_a_click_plays_a_syllable_and_leads_to_its_clip(page: Page) -> None:
    page.mouse.click(*place_of(page, 7))
    wait_until(page, "birdmodes.player.currentTime > 1.4")
    assert page.evaluate("[plays[0].from_s, plays[0].to_s]") == [1.4, pytest.approx(1.8)]
    play = page.get_by_role("button", name="Stop")
    expect(play).to_be_visible()
    assert selected(page) == [syllable_id(1, 1)]
    play.click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    assert not page.evaluate("birdmodes.player.playing")
    page.get_by_role("link", name="Open in its clip").click()
    expect(page.locator("#where")).to_have_text(f"{RECORDINGS[1]} at 1.50\u00a0s")
    page.go_back()
    wait_until(page, "Boolean(globalThis.birdmodes?.map)")


def test_no_sound_is_explained(page: Page) -> None:
    page.mouse.click(*place_of(page, 9))
    expect(page.locator("#map-sound-problem")).to_contain_text("left out of the gallery")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_keys_move_zoom_point_play_and_select(page: Page) -> None:
    page.get_by_role("application").focus()
    page.keyboard.press("0")  # keys show that the map has the focus
    before = page.evaluate("birdmodes.map.cloud.zoomed")
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert page.evaluate("birdmodes.map.cloud.zoomed") == pytest.approx(before * 1.4**2)
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert page.evaluate("birdmodes.map.cloud.zoomed") == pytest.approx(1)
    left = place_of(page, 0)[0]
    page.keyboard.press("ArrowLeft")
    assert place_of(page, 0)[0] > left + 50
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    # the middle of the canvas is now nearest to the first mode
    expect(page.locator("#map-card")).to_contain_text(f"{SPECIES} A")
    expect(page.locator("#map-focus")).to_contain_text(f"{SPECIES} A")
    page.keyboard.press("Enter")
    wait_until(page, "birdmodes.player.currentTime !== null")
    page.keyboard.press("Escape")
    assert not page.evaluate("birdmodes.player.playing")
    page.keyboard.press("Space")
    expect(page.locator("#map-selected")).to_have_text("1 syllable selected")
    page.keyboard.press("Escape")
    expect(page.locator("#map-selected")).to_contain_text("Nothing is selected")


def test_wheel_and_buttons_zoom_and_dragging_moves(page: Page) -> None:
    x, y = place_of(page, 0)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    wait_until(page, "birdmodes.map.cloud.zoomed > 1.5")
    # what is under the mouse stays there
    assert place_of(page, 0) == (pytest.approx(x, abs=2), pytest.approx(y, abs=2))
    drag(page, [(x, y), (x + 80, y - 30)])
    assert place_of(page, 0) == (pytest.approx(x + 80, abs=3), pytest.approx(y - 30, abs=3))
    assert page.evaluate("birdmodes.player.playing") is False
    page.get_by_role("button", name="All", exact=True).click()
    page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate("birdmodes.map.cloud.zoomed") == pytest.approx(1.4)
    page.get_by_role("button", name="Zoom out").click()
    assert page.evaluate("birdmodes.map.cloud.zoomed") == pytest.approx(1)


def test_lasso_rectangle_and_view_select(page: Page) -> None:
    page.get_by_role("button", name="Lasso").click()
    left, top, right, bottom = around(page, list(LOW_LEFT))
    corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
    drag(page, corners)
    assert selected(page) == ids(LOW_LEFT)
    expect(page.locator("#map-selected")).to_have_text("4 syllables selected")
    items = page.locator("#map-list li")
    expect(items).to_have_count(4)
    assert items.first.get_attribute("data-syllable") == syllable_id(0, 0)
    items.first.get_by_role("button").click()
    wait_until(page, "birdmodes.player.playing")
    expect(items.first.get_by_role("button")).to_have_attribute("aria-pressed", "true")

    page.get_by_role("button", name="Clear").click()
    assert selected(page) == []
    page.get_by_role("button", name="Move").click()
    left, top, right, bottom = around(page, [1])
    page.keyboard.down("Shift")
    drag(page, [(left, top), (right, bottom)])
    page.keyboard.up("Shift")
    assert selected(page) == ids(range(1, 2))
    page.get_by_role("button", name="Rectangle").click()
    left, top, right, bottom = around(page, [2])
    page.keyboard.down("Control")
    drag(page, [(left, top), (right, bottom)])
    page.keyboard.up("Control")
    assert selected(page) == ids(range(1, 3))
    page.get_by_role("button", name="Select all in view").click()
    assert selected(page) == ids(range(12))


def test_a_lasso_takes_only_what_is_inside_its_line(unchanged: Page) -> None:
    page = unchanged
    # a triangle in units of the map: by hand, (1, 1) is inside and (9, 9) is not
    rows = page.evaluate(
        """() => {
          const { cloud } = birdmodes.map;
          const at = (x, y) => [
            (x * cloud.scale + cloud.offsetX) / cloud.ratio,
            (cloud.offsetY - y * cloud.scale) / cloud.ratio,
          ];
          return cloud.inside([at(0, 0), at(12000, 0), at(0, 12000)]);
        }"""
    )
    # of the first mode, x + y is 10,000 in row 0, 12,500 in row 3 (12,000 is the line)
    assert rows == [0]


def test_legend_and_filters_hide(page: Page) -> None:
    count = page.locator("#map-count")
    page.get_by_role("checkbox", name="Background").uncheck()
    expect(count).to_have_text("8 of 12 syllables shown")
    page.mouse.move(*place_of(page, 2))
    expect(page.locator("#map-card")).to_be_hidden()  # what is hidden cannot be pointed at
    page.get_by_role("button", name="Show all").click()
    expect(count).to_have_text("12 syllables")
    page.get_by_role("combobox", name="Mode").select_option(label=f"{SPECIES} song")
    expect(count).to_have_text("4 of 12 syllables shown")
    page.get_by_role("combobox", name="Species").select_option(label="No species")
    expect(count).to_have_text("4 of 12 syllables shown")
    expect(page.get_by_role("combobox", name="Mode")).to_have_value("")
    page.get_by_role("combobox", name="Species").select_option(label="All")
    page.get_by_label("Confidence from").fill("0.6")
    expect(count).to_have_text("8 of 12 syllables shown")
    page.get_by_role("button", name="Hide all").click()
    expect(count).to_have_text("0 of 12 syllables shown")


def legend(page: Page) -> dict[str, str]:
    """Names and numbers of the legend."""
    return dict(
        page.evaluate(
            """[...document.querySelectorAll("#map-groups label")].map((label) =>
               [...label.querySelectorAll("span:not(.map-swatch)")].map((e) => e.textContent))"""
        )
    )


def test_colours_can_mean_species_mode_confidence_or_review(page: Page) -> None:
    assert legend(page) == {SPECIES: "8", "Background": "4"}
    by = page.get_by_role("combobox", name="Colour by")
    by.select_option("Mode")
    assert legend(page) == {f"{SPECIES} A": "4", f"{SPECIES} song": "4", "Cluster 7": "4"}
    by.select_option("Confidence")
    assert legend(page)["0.2 to 0.4"] == "4"
    assert legend(page)["0.6 to 0.8"] == "4"
    by.select_option("Review")
    assert legend(page)["Good example"] == "1"
    assert legend(page)["Not reviewed"] == "11"


def pixel(page: Page, row: int) -> str:
    """Colour in the middle of a point."""
    return page.evaluate(
        """(row) => {
          const { cloud } = birdmodes.map;
          const [left, top] = cloud.placeOf(row).map((place) => Math.round(place * cloud.ratio));
          const copy = document.createElement("canvas").getContext("2d", {
            willReadFrequently: true,
          });
          copy.drawImage(cloud.canvas, -left, -top);
          const { data } = copy.getImageData(0, 0, 1, 1);
          return `rgb(${data[0]}, ${data[1]}, ${data[2]})`;
        }""",
        row,
    )


def test_points_have_the_colours_of_the_legend_in_both_themes(page: Page) -> None:
    page.get_by_role("combobox", name="Colour by").select_option("Mode")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(TWO_FRAMES)
        swatches = page.locator("#map-groups .map-swatch")
        colours = [s.evaluate("(e) => getComputedStyle(e).backgroundColor") for s in swatches.all()]
        assert len(set(colours)) == 3
        assert [pixel(page, row) for row in range(3)] == colours


def contrast(first: str, second: str) -> float:
    """Of two colours "#rrggbb", by WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted((luminance(first), luminance(second)))
    return (bright + 0.05) / (dark + 0.05)


def test_all_colours_stand_out_from_the_ground(page: Page) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours, ground = page.evaluate(
            """(theme) => {
              const { PALETTE, SEQUENCE, GREY, ofStyle } = birdmodes.mapColours;
              const all = [...PALETTE[theme], ...SEQUENCE[theme], GREY[theme]];
              return [all, ofStyle("--surface")];
            }""",
            scheme,
        )
        assert len(colours) == 19 + 5 + 1
        assert min(contrast(colour, ground) for colour in colours) >= 3  # WCAG 2, graphics


def crowd(folder: Path, copy: Path, n: int) -> Path:
    """A gallery of so many syllables of twenty species."""
    shutil.copytree(folder, copy)
    data: dict[str, Any] = {**made_gallery.gallery_data(), "modes": made_gallery.many_modes()}
    made_gallery.write_data(copy / "data/gallery.js", "gallery", data)
    made_gallery.write_data(copy / "data/syllables.js", "syllables", made_gallery.many_syllables(n))
    return copy


def test_a_hundred_thousand_points_are_drawn_once_per_frame(
    folder: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    crowded = crowd(folder, tmp_path / "gallery", N_MANY)
    page = ready(open_page(crowded / "map.html", viewport={"width": 1300, "height": 1200}))
    expect(page.locator("#map-count")).to_have_text("100,000 syllables")
    times = page.evaluate(
        """async () => {
          const { cloud } = birdmodes.map;
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          await frame();
          const before = cloud.draws;
          const times = [];
          for (let n = 0; n < 12; n++) {
            for (let k = 0; k < 5; k++) cloud.pan(n % 2 ? 3 : -3, 1);
            await frame();
            times.push(cloud.draw_ms);
          }
          await frame();
          return { draws: cloud.draws - before, times };
        }"""
    )
    print("100,000 points, ms per draw:", [round(time) for time in times["times"]])
    assert 12 <= times["draws"] <= 13

    # There are more species than colours: the last has one that another has, and none is grey.
    swatches = page.locator("#map-groups .map-swatch")
    shown = swatches.evaluate_all("(all) => all.map((e) => getComputedStyle(e).backgroundColor)")
    assert (len(shown), len(set(shown))) == (20, 19)
    assert "rgb(122, 132, 127)" not in shown
    expect(page.locator("#map-legend-note")).to_be_visible()
    page.get_by_label("Find in the list of colours").fill("species 1")
    expect(page.locator("#map-groups li:visible")).to_have_count(11)  # 1 and 10 to 19


def test_one_species_is_brought_out_at_a_time(
    folder: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    crowded = crowd(folder, tmp_path / "gallery", 2000)
    page = ready(open_page(crowded / "map.html", viewport={"width": 1300, "height": 900}))
    chosen = "[...birdmodes.map.state.chosen]"
    faded = "new Set(birdmodes.map.state.colours).size"
    out = page.get_by_role("combobox", name="Bring out")
    out.select_option("Species 3")
    assert page.evaluate(chosen) == ["Species 3"]
    assert page.evaluate(faded) == 2  # its own colour, and one for all others
    page.get_by_role("button", name="The next one").click()
    assert page.evaluate(chosen) == ["Species 4"]
    page.get_by_role("button", name="The one before").click()
    page.get_by_role("button", name="The one before").click()
    assert page.evaluate(chosen) == ["Species 2"]
    assert page.evaluate("birdmodes.map.state.names.map(({ text }) => text)") == ["Species 2"]
    out.select_option("none")
    assert page.evaluate(chosen) == []
    assert page.evaluate("birdmodes.map.state.names.length") == 20


def test_names_stand_on_the_map_where_their_groups_are(page: Page) -> None:
    page.get_by_role("combobox", name="Colour by").select_option("Mode")
    written = page.evaluate(
        """() => {
          const { state, cloud } = birdmodes.map;
          const seen = [];
          const context = new Proxy(document.createElement("canvas").getContext("2d"), {
            get: (own, name) => name === "fillText" ? (...call) => seen.push(call)
              : typeof own[name] === "function" ? own[name].bind(own) : own[name],
            set: (own, name, value) => { own[name] = value; return true; },
          });
          birdmodes.mapNames.draw(context, state.names, cloud, { ink: "#000", ground: "#fff" });
          return { seen, places: [3, 4, 5].map((row) => cloud.placeOf(row)) };
        }"""
    )
    places = {text: place for text, *place in written["seen"]}
    assert places.keys() == {f"{SPECIES} A", f"{SPECIES} song", "Cluster 7"}
    # each at a syllable in the middle of its four, moved inwards where the rim would cut it
    names = (f"{SPECIES} A", f"{SPECIES} song", "Cluster 7")
    width = page.evaluate("birdmodes.map.cloud.width")
    for name, (left, top) in zip(names, written["places"], strict=True):
        x, y = places[name]
        assert (x, y) == (pytest.approx(left, abs=80), pytest.approx(top, abs=40))
        half = 3 * len(name)  # a letter of 12 pixels is 6 wide at least, in most fonts
        assert half < x < width - half
    beside = page.evaluate(
        """() => {
          const places = [];
          const context = document.createElement("canvas").getContext("2d");
          context.fillText = (text, x, y) => {
            places.push([x - context.measureText(text).width / 2, y]);
          };
          const cloud = { width: 800, height: 600, placeOf: () => [3, 60] };
          const names = [{ row: 0, text: "Ashen Barktapper" }, { row: 1, text: "Owl" }];
          birdmodes.mapNames.draw(context, names, cloud, { ink: "#000", ground: "#fff" });
          const axis = document.getElementById("map-y").getBoundingClientRect();
          const map = document.getElementById("map-overlay").getBoundingClientRect();
          return { places, axis: axis.right - map.left };
        }"""
    )
    # clear of the words of the axis, and two names at one place are in two lines
    assert all(left > beside["axis"] for left, _ in beside["places"])
    assert [top for _, top in beside["places"]] == [60, 44]
    switch = page.get_by_role("switch", name="Names")
    expect(switch).to_be_checked()
    shot = page.locator("#map-overlay").evaluate("(canvas) => canvas.toDataURL()")
    switch.uncheck()
    assert page.locator("#map-overlay").evaluate("(canvas) => canvas.toDataURL()") != shot


def test_it_says_what_the_places_are_made_from(page: Page) -> None:
    expect(page.locator("#map-note")).to_contain_text("principal components (PCA) of two features")


def test_two_fingers_zoom(folder: Path, open_page: OpenPage) -> None:
    page = ready(open_page(folder / "map.html", viewport={"width": 390, "height": 800}))
    page.evaluate(
        """() => {
          const map = document.getElementById("map-overlay");
          map.setPointerCapture = () => {};
          const box = map.getBoundingClientRect();
          const send = (type, pointerId, left) => map.dispatchEvent(new PointerEvent(type, {
            pointerId, pointerType: "touch", button: 0, bubbles: true,
            clientX: box.left + left, clientY: box.top + 100,
          }));
          send("pointerdown", 1, 100);
          send("pointerdown", 2, 150);
          send("pointermove", 2, 200);
          send("pointerup", 1, 100);
          send("pointerup", 2, 200);
        }"""
    )
    assert page.evaluate("birdmodes.map.cloud.zoomed") == pytest.approx(2)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_a_map_that_was_not_laid_out_shows_what_it_showed(page: Page) -> None:
    before, after = page.evaluate(
        """() => {
          const { cloud } = birdmodes.map;
          const frame = document.getElementById("map-frame");
          cloud.pan(40, 30);
          const before = cloud.placeOf(0);
          for (const display of ["none", ""]) {
            frame.style.display = display;
            cloud.resize();
          }
          return [before, cloud.placeOf(0)];
        }"""
    )
    assert after == pytest.approx(before, abs=1)


def test_addresses_name_a_mode_or_a_syllable(folder: Path, open_page: OpenPage) -> None:
    page = ready(open_page(f"{(folder / 'map.html').as_uri()}#cluster-1"))
    highlight = page.get_by_role("button", name=f"Highlight {SPECIES} song")
    expect(highlight).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("combobox", name="Colour by")).to_have_value("mode")
    page.evaluate("(id) => { location.hash = encodeURIComponent(id); }", syllable_id(1, 2))
    expect(page.locator("#map-focus")).to_contain_text(f"{RECORDINGS[1]} at 2.50 s")


def test_edits_of_the_review_are_shown_at_once(page: Page) -> None:
    by = page.get_by_role("combobox", name="Colour by")
    by.select_option("Review")
    page.evaluate("(id) => birdmodes.review.mark('noise', [id])", syllable_id(1, 1))
    noise = page.locator("#map-groups li", has_text="Noise")
    expect(noise).to_contain_text("1")
    by.select_option("Mode")
    page.evaluate("(id) => birdmodes.review.mark('none', [id])", syllable_id(1, 1))
    page.evaluate(
        """birdmodes.review.commit(
             birdmodes.edits.makeEdit("rename", { cluster: 1, name: "trill" }))"""
    )
    expect(page.locator("#map-groups")).to_contain_text(f"{SPECIES} trill")


def test_missing_data_are_said_to_be(folder: Path, tmp_path: Path, open_page: OpenPage) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy/data/syllables.js").unlink()
    page = open_page(tmp_path / "copy/map.html", tolerant=True)
    expect(page.get_by_role("alert")).to_contain_text("data/syllables.js is missing")
    expect(page.get_by_role("application")).to_be_hidden()
