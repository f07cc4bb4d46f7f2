"""The view of one syllable in a real browser, of a gallery made by hand."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import quote

import made_gallery
import pytest
from browser import OpenPage, set_size, wait_until
from made_gallery import RECORDINGS, SO_SLOW, SPECIES, WATCH_PLAYER, syllable_id
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

FIRST = syllable_id(0, 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_gallery.write_gallery(tmp_path_factory.mktemp("syllable") / "gallery")


def address(folder: Path, syllable: str) -> str:
    return f"{(folder / 'syllable.html').as_uri()}#{quote(syllable, safe='')}"


@pytest.fixture
def page(folder: Path, open_page: OpenPage) -> Page:
    page = open_page(address(folder, FIRST), viewport={"width": 1200, "height": 900})
    expect(page.locator("#plot .syllable")).to_have_count(3)
    return page


def expect_shown(page: Page, recording: int, second: float) -> None:
    expect(page.locator("#where")).to_have_text(f"{RECORDINGS[recording]} at {second:.2f}\u00a0s")


def outline(page: Page, syllable: str) -> Locator:
    return page.locator(f"#plot [data-syllable={quoted(syllable)}]")


def box_of(outline: Locator) -> dict[str, float]:
    """Where an outline is on the plot, without the width of its line."""
    return outline.evaluate(
        """(element) => {
          const { x, y, width, height } = element.getBBox();
          const [a, d] = [element.getCTM(), element.ownerSVGElement.getCTM()];
          const corner = (x, y) => new DOMPoint(x, y).matrixTransform(d.inverse().multiply(a));
          const [first, last] = [corner(x, y), corner(x + width, y + height)];
          return { left: first.x, right: last.x, top: last.y, bottom: first.y };
        }"""
    )


def quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def test_it_says_what_is_known(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{SPECIES} A")
    expect_shown(page, 0, 0.5)
    facts = dict(
        page.evaluate(
            """[...document.querySelectorAll("#facts div")].map((row) =>
               [...row.children].map((cell) => cell.textContent))"""
        )
    )
    assert facts == {
        "Mode": f"{SPECIES} A",
        "Recording": RECORDINGS[0],
        "Second": "0.500 to 0.700",
        "Clip": "second 0 to 4",
        "Duration": "200 ms",
        "Band": "1.80 to 2.20 kHz",
        "Confidence": "0.90",
        "Review": "good example",
    }
    link = page.get_by_role("link", name=f"{SPECIES} A", exact=True)
    assert link.get_attribute("href") == "species/script.html#cluster-0"
    assert page.locator("#syllable").get_attribute("data-syllable") == FIRST
    map_link = page.get_by_role("link", name="Show on the map")
    assert map_link.get_attribute("href") == f"map.html#{quote(FIRST, safe='')}"


def test_outlines_lie_where_the_syllables_are(page: Page) -> None:
    left, top, width, height = page.evaluate(
        """["x", "y", "width", "height"].map((name) =>
           Number(document.querySelector("#plot .ground").getAttribute(name)))"""
    )
    assert left == 0
    highest_hz = (made_gallery.N_BINS - 0.5) * made_gallery.BIN_HZ
    for number, (start_s, tone_hz) in enumerate(
        zip(made_gallery.STARTS_S, made_gallery.TONES_HZ, strict=True)
    ):
        box = box_of(outline(page, syllable_id(0, number)).locator(".outline"))
        # exact to a frame of 11.6 ms and a bin of 43 Hz
        assert box["left"] / width * made_gallery.CLIP_S == pytest.approx(start_s, abs=0.012)
        assert box["right"] / width * made_gallery.CLIP_S == pytest.approx(start_s + 0.2, abs=0.012)
        middle = (box["top"] + box["bottom"]) / 2 - top
        assert highest_hz * (1 - middle / height) == pytest.approx(tone_hz, abs=43)
    names = page.locator("#plot .name").all_text_contents()
    assert sorted(names) == ["1A", "1B"]  # listed first; what is of no species has none
    ticks = page.locator("#plot .axis").all_text_contents()
    assert ticks[0] == "0.0 s"
    assert ticks[-1] == "4.0 s"
    assert page.locator("#hz .axis").all_text_contents()[:3] == ["kHz", "0", "2"]


def test_keys_and_buttons_lead_to_neighbours_and_back(page: Page) -> None:
    expect(page.get_by_role("button", name="Previous syllable")).to_be_disabled()
    page.keyboard.press("ArrowRight")
    expect_shown(page, 0, 1.5)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{SPECIES} song")
    page.get_by_role("button", name="Next syllable").click()
    expect_shown(page, 0, 2.5)
    page.keyboard.press("ArrowRight")  # into the next clip
    expect_shown(page, 0, 4.5)
    expect(page.locator("#place")).to_have_text("4 of 6")
    page.go_back()
    expect_shown(page, 0, 2.5)
    page.get_by_label("Go through").select_option("this clip")
    expect(page.locator("#place")).to_have_text("3 of 3")
    expect(page.get_by_role("button", name="Next syllable")).to_be_disabled()
    page.get_by_label("Go through").select_option("this mode")
    page.get_by_role("heading", level=1).click()  # away from the list, which has arrow keys too
    page.keyboard.press("ArrowRight")
    expect_shown(page, 0, 6.5)
    page.keyboard.press("ArrowLeft")
    expect_shown(page, 0, 2.5)
    page.keyboard.press("Shift+ArrowRight")
    expect_shown(page, 0, 4.5)
    page.get_by_role("button", name="Next clip").click()
    expect_shown(page, 1, 0.5)
    page.keyboard.press("Shift+ArrowLeft")
    expect_shown(page, 0, 4.5)


def test_an_outline_is_chosen_by_click_and_by_key(page: Page) -> None:
    page.evaluate(
        """globalThis.selections = [];
        document.addEventListener("birdmodes:selection",
          (event) => selections.push(event.detail.syllables));"""
    )
    third = outline(page, syllable_id(0, 2))
    third.locator(".area").click()
    expect_shown(page, 0, 2.5)
    expect(third).to_have_attribute("aria-current", "true")
    expect(page.locator("#plot [aria-current]")).to_have_count(1)
    assert page.evaluate("selections") == [[syllable_id(0, 2)]]
    page.evaluate(WATCH_PLAYER, SO_SLOW)
    third.locator(".area").click()
    wait_until(page, "birdmodes.player.currentTime > 2.4")
    page.keyboard.press("Escape")
    outline(page, syllable_id(0, 1)).focus()
    page.keyboard.press("Enter")
    expect_shown(page, 0, 1.5)
    expect(outline(page, syllable_id(0, 1))).to_be_focused()


PLAYED = "['from_s', 'to_s', 'band', 'rate'].map((name) => plays.at(-1)[name])"


def test_the_syllable_and_the_clip_play(page: Page) -> None:
    page.evaluate(WATCH_PLAYER, SO_SLOW)
    page.get_by_role("button", name="Play syllable").click()
    wait_until(page, "birdmodes.player.currentTime > 0.45")
    assert page.evaluate(PLAYED) == [0.45, 0.75, None, 1]
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Play syllable")).to_be_visible()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Shift+Space")
    line = page.locator("#plot .playhead")
    expect(line).to_have_css("visibility", "visible")
    first = float(str(line.get_attribute("x1")))
    wait_until(page, f"Number(document.querySelector('.playhead').getAttribute('x1')) > {first}")
    assert page.evaluate(PLAYED) == [0, 4, None, 1]
    page.keyboard.press("Shift+Space")
    assert not page.evaluate("birdmodes.player.playing")
    expect(line).to_have_css("visibility", "hidden")


def test_a_sound_plays_to_its_end(page: Page) -> None:
    page.evaluate(WATCH_PLAYER)
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Space")
    wait_until(page, "plays.length === 1 && plays[0].ended")
    expect(page.get_by_role("button", name="Play syllable")).to_be_visible()
    expect(page.locator("#time")).to_have_text("")


def test_slow_and_only_the_band(page: Page) -> None:
    page.evaluate(WATCH_PLAYER, SO_SLOW)
    page.get_by_role("radio", name="¼×").check()
    band = page.get_by_role("switch", name="Only its band")
    band.check()
    page.get_by_role("button", name="Play syllable").click()
    wait_until(page, "birdmodes.player.currentTime > 0.45")
    assert page.evaluate(PLAYED) == [0.45, 0.75, [1800, 2200], 0.25]
    # a change while it plays goes on from there
    band.uncheck()
    wait_until(page, "plays.length === 2 && birdmodes.player.currentTime > 0.45")
    assert page.evaluate("plays[1].from_s") > 0.45
    assert page.evaluate("plays[1].band") is None
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="1×", exact=True).check()
    # a click beside all outlines plays the clip from there
    ground = page.locator("#plot .ground").bounding_box()
    assert ground is not None
    page.mouse.click(ground["x"] + ground["width"] / 2, ground["y"] + 8)
    wait_until(page, "birdmodes.player.currentTime >= 2")
    assert page.evaluate("plays[2].from_s") == pytest.approx(2, abs=0.01)
    assert page.evaluate("[plays[2].to_s, plays[2].rate]") == [4, 1]


def test_the_line_stays_hidden_for_people_who_want_no_motion(
    folder: Path, open_page: OpenPage
) -> None:
    page = open_page(address(folder, FIRST), reduced_motion="reduce")
    page.evaluate(WATCH_PLAYER, SO_SLOW)
    page.get_by_role("button", name="Play clip").click()
    wait_until(page, "birdmodes.player.currentTime > 0")
    expect(page.locator("#plot .playhead")).to_have_css("visibility", "hidden")
    expect(page.locator("#time")).to_have_text("0.0 s")  # what time it is can still be read


def test_a_narrow_screen_scrolls_and_zooms(folder: Path, open_page: OpenPage) -> None:
    page = open_page(address(folder, syllable_id(0, 2)), viewport={"width": 360, "height": 800})
    expect(outline(page, syllable_id(0, 2))).to_have_attribute("aria-current", "true")
    width = "document.getElementById('plot').getBoundingClientRect().width"
    before = page.evaluate(width)
    page.get_by_role("button", name="Zoom in time").click()
    page.get_by_role("button", name="Zoom in time").click()
    assert page.evaluate(width) == pytest.approx(4 * before)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    page.keyboard.press("ArrowLeft")
    expect_shown(page, 0, 1.5)
    # the chosen one is brought into view
    box = outline(page, syllable_id(0, 1)).locator(".outline").bounding_box()
    assert box is not None
    assert 0 < box["x"] < box["x"] + box["width"] < 360
    page.get_by_role("button", name="Show more").click()
    page.get_by_role("button", name="Show more").click()
    expect(page.get_by_role("button", name="Show more")).to_be_disabled()


def test_outlines_can_be_hidden(page: Page) -> None:
    first = outline(page, FIRST).locator(".outline")
    expect(first).to_be_visible()
    page.get_by_role("switch", name="Outlines").uncheck()
    expect(first).to_be_hidden()


def test_the_place_can_be_copied(page: Page) -> None:
    page.evaluate(
        """Object.defineProperty(navigator, "clipboard", { configurable: true,
           value: { writeText: async (text) => { globalThis.copied = text; } } })"""
    )
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("#copied")).to_have_text(f"Copied: {RECORDINGS[0]} 0.500 s")
    assert page.evaluate("copied") == f"{RECORDINGS[0]} 0.500 s"


def test_edits_of_the_review_are_shown_at_once(page: Page) -> None:
    page.evaluate("(id) => birdmodes.review.mark('noise', [id])", FIRST)
    expect(page.locator("#facts")).to_contain_text("Reviewnoise")
    page.keyboard.press("ArrowRight")
    page.evaluate(
        """birdmodes.review.commit(
             birdmodes.edits.makeEdit("rename", { cluster: 1, name: "trill" }))"""
    )
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{SPECIES} trill")
    expect(page.get_by_role("link", name=f"{SPECIES} trill, 1.50 s")).to_have_count(1)


def test_a_clip_without_media_shows_boxes_and_says_why(folder: Path, open_page: OpenPage) -> None:
    page = open_page(address(folder, syllable_id(1, 4)))
    expect_shown(page, 1, 5.5)
    expect(page.locator("#problem")).to_contain_text("not in the gallery")
    expect(page.locator("#plot rect.outline")).to_have_count(3)
    expect(page.get_by_role("button", name="Play syllable")).to_be_disabled()
    page.keyboard.press("Space")
    assert not page.evaluate("birdmodes.player.playing")


def test_a_lost_file_of_a_clip_is_named(folder: Path, tmp_path: Path, open_page: OpenPage) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / f"copy/clips/{made_gallery.CLIPS[0]}.js").unlink()
    page = open_page(address(tmp_path / "copy", FIRST), tolerant=True)
    expect(page.locator("#problem")).to_contain_text(f"clips/{made_gallery.CLIPS[0]}.js is missing")
    expect(page.locator("#plot rect.outline")).to_have_count(3)


@pytest.mark.parametrize(
    ("hash_", "text"),
    [
        ("", "it names none"),
        ("#nobody.wav%2300001", "no syllable “nobody.wav#00001”"),
        ("#%E0%A4%A", "There is no syllable"),
    ],
)
def test_a_wrong_address_is_explained(
    folder: Path, open_page: OpenPage, hash_: str, text: str
) -> None:
    page = open_page(f"{(folder / 'syllable.html').as_uri()}{hash_}")
    expect(page.get_by_role("alert")).to_contain_text(text)
    page.get_by_role("link", name="Show the first syllable").click()
    expect_shown(page, 0, 0.5)
    expect(page.get_by_role("alert")).to_be_hidden()


def test_the_species_list_is_in_sight_with_what_was_found_of_it(page: Page) -> None:
    listed = page.locator("#listed button")
    assert listed.all_inner_texts() == [f"1\n{SPECIES}\n2 sounds", "2\nOwl\nnot found"]
    expect(listed.first).to_have_attribute("aria-pressed", "true")
    # beside it, what its modes sound like in other recordings, those most alike first
    assert page.locator("#others a").all_inner_texts() == ["A Flat whistle", "B Flat whistle"]
    page.locator("#others .spec").first.click()
    wait_until(page, "birdmodes.player.playing")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(listed.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#others-title")).to_have_text("Owl elsewhere")
    expect(page.locator("#others-note")).to_have_text("No mode is known of it.")


def test_outlines_have_the_colours_of_the_list(page: Page) -> None:
    colours = page.evaluate(
        """[".listed .c1 .num", "#plot .c1 .outline", "#plot .c0 .outline"].map((what) => {
          const style = getComputedStyle(document.querySelector(what));
          return what.startsWith("#") ? style.stroke : style.backgroundColor;
        })"""
    )
    assert colours[0] == colours[1] != colours[2]


def test_a_recording_without_a_list_says_so(page: Page) -> None:
    page.evaluate("(id) => { location.hash = encodeURIComponent(id); }", syllable_id(1, 0))
    expect(page.locator("#listed")).to_have_text("There is no list of species.")
    expect(page.locator("#plot .name", has_text="?A")).to_have_count(1)


def test_why_a_name_is_likely_is_told_on_demand(page: Page) -> None:
    expect(page.locator("#words")).to_have_text("Flat whistle, 2.0 kHz · 0.2 s")
    expect(page.get_by_text("In all 2 recordings.")).to_be_hidden()
    page.locator("#why summary").click()
    expect(page.get_by_text("In all 2 recordings.")).to_be_visible()
    page.evaluate("(id) => { location.hash = encodeURIComponent(id); }", syllable_id(0, 2))
    expect(page.locator("#why")).to_be_hidden()  # of no species


def test_a_syllable_is_given_to_a_mode_of_a_listed_species_in_review(page: Page) -> None:
    give = page.get_by_role("button", name=f"This syllable is of {SPECIES} song")
    expect(give).to_be_hidden()
    page.get_by_role("switch", name="Review").check()
    give.click()
    edit = page.evaluate("birdmodes.review.asReview().edits[0]")
    assert (edit["action"], edit["syllables"], edit["cluster"]) == ("move", [FIRST], 1)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{SPECIES} song")


def test_pictures_get_the_palette_and_contrast_that_are_chosen(page: Page) -> None:
    ink = page.locator("#plot image")
    look = "(image) => getComputedStyle(image).filter"
    assert ink.evaluate(look) == "contrast(1) brightness(1)"
    page.get_by_text("Pictures", exact=True).click()
    page.get_by_role("combobox", name="Colours").select_option("Viridis")
    page.get_by_role("slider", name="Contrast").fill("1.5")
    assert ink.evaluate(look) == 'contrast(1.5) url("#viridis")'
    page.reload()
    expect(ink).to_have_count(1)
    assert page.evaluate("document.documentElement.dataset.palette") == "viridis"
    assert "contrast(1.5)" in ink.evaluate(look)


def test_another_window_draws_the_same_sounds_in_the_same_places(page: Page) -> None:
    place = "#plot image"
    before = page.locator(place).get_attribute("href")
    page.locator("summary", has_text="Pictures").click()
    window = page.get_by_role("combobox", name="Window")
    window.select_option("46")
    wait_until(
        page, "document.querySelector('#plot image').getAttribute('href').startsWith('data:')"
    )
    tones = page.locator(place).evaluate(
        """async (image) => {
          const picture = new Image();
          picture.src = image.getAttribute("href");
          await picture.decode();
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [picture.width, picture.height];
          const pen = canvas.getContext("2d");
          pen.drawImage(picture, 0, 0);
          const { data } = pen.getImageData(0, 0, picture.width, picture.height);
          const sides = ["x", "y", "width", "height"];
          const [x, y, width, height] = sides.map((side) => image[side].baseVal.value);
          const dark = [];
          for (let at = 0; at < data.length; at += 4) {
            if (data[at] < 60) {
              const column = ((at / 4) % picture.width) + 0.5;
              const row = Math.floor(at / 4 / picture.width) + 0.5;
              const share = [column / picture.width, row / picture.height];
              dark.push([x + width * share[0], y + height * share[1]]);
            }
          }
          return dark;
        }"""
    )
    boxes = [box_of(one) for one in page.locator("#plot .outline").all()]
    assert len(tones) > 100
    inside = [
        any(
            b["left"] - 9 < x < b["right"] + 9 and b["top"] - 9 < y < b["bottom"] + 9 for b in boxes
        )
        for x, y in tones
    ]
    assert sum(inside) > 0.95 * len(tones)
    for box in boxes:  # each of the sounds
        assert any(
            box["left"] < x < box["right"] and box["top"] < y < box["bottom"] for x, y in tones
        )
    window.select_option("")
    expect(page.locator(place)).to_have_attribute("href", before or "")


def test_the_list_stays_in_sight(page: Page) -> None:
    expect(page.locator("#plot .syllable")).to_have_count(3)
    for width in (1200, 390):
        set_size(page, width, 500)
        page.evaluate("scrollTo(0, 450)")
        expect(page.locator("#listed")).to_be_in_viewport(ratio=0.9)
        box = page.locator("#listed").bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
