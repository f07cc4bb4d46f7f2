"""Label next: ten syllables at a time, answered with keys."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from browser import SCRIPT, OpenPage, grave_in_both_themes, set_size, wait_until
from made_gallery import WATCH_PLAYER
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

N_ASKED = 12
"""Rows that the page of these tests asks, in this order: 11, 10, 9 ..."""


@pytest.fixture(scope="module")
def folder(gallery: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gallery of hostile names, with a known order of questions."""
    folder = tmp_path_factory.mktemp("label") / "gallery"
    shutil.copytree(gallery, folder)
    file = folder / "data" / "gallery.js"
    head, text = file.read_text(encoding="ascii").split(" = ", 1)
    data = json.loads(text.rstrip().removesuffix(";"))
    data["label_next"] = list(range(N_ASKED))[::-1]
    file.write_text(f"{head} = {json.dumps(data)};\n", encoding="ascii")
    return folder


@pytest.fixture
def page(folder: Path, open_page: OpenPage) -> Page:
    page = open_page(folder / "label.html", viewport={"width": 1300, "height": 900})
    wait_until(page, "!document.getElementById('label-card').hidden")
    return page


def edits(page: Page) -> list[dict[str, Any]]:
    found = page.evaluate("birdmodes.review.asReview().edits")
    return [{k: v for k, v in one.items() if k not in ("id", "at")} for one in found]


def asked(page: Page, row: int) -> dict[str, Any]:
    """What is known of a row of the gallery."""
    found = page.evaluate(
        """(row) => {
          const cluster = birdmodesData.syllables.cluster[row];
          const mode = birdmodesData.gallery.modes.find((one) => one.cluster === cluster);
          return { id: birdmodes.syllableId(row), cluster, ...mode };
        }""",
        row,
    )
    assert isinstance(found, dict)
    return found


def strip(page: Page) -> list[str]:
    return page.locator("#label-strip button").all_inner_texts()


def test_ten_are_asked_with_picture_and_where_they_are(page: Page) -> None:
    first = asked(page, 11)
    expect(page.locator("#label-strip button")).to_have_count(10)
    expect(page.locator("#label-title")).to_have_text(f"Syllable 1 of 10: {first['name']}?")
    place = page.locator("#label-place").text_content() or ""
    assert place.startswith(first["id"].split("#")[0])
    link = page.get_by_role("link", name="Whole clip").get_attribute("href") or ""
    assert page.evaluate("(text) => decodeURIComponent(text)", link.split("#", 1)[1]) == first["id"]
    expect(page.locator("#label-picture image")).to_have_count(1)
    # the outline lies in the picture, at the syllable's frequencies
    found = page.evaluate(
        """async () => {
          const drawn = document.querySelector("#label-picture image");
          const image = new Image();
          image.src = drawn.href.baseVal;
          await image.decode();
          const outline = document.querySelector("#label-picture .outline");
          const box = outline.getBBox();
          const matrix = outline.transform.baseVal[0].matrix;
          const [x, y] = [matrix.e + box.x, matrix.f - box.y - box.height];
          const view = document.querySelector("#label-picture").viewBox.baseVal;
          return {
            picture: [image.naturalWidth, image.naturalHeight],
            drawn: [drawn.width.baseVal.value, drawn.height.baseVal.value],
            box: [x, y, box.width, box.height],
            view: [view.x, view.y, view.width, view.height],
          };
        }"""
    )
    assert found["picture"] == found["drawn"]
    x, y, width, height = found["box"]
    left, _, view_width, view_height = found["view"]
    assert left <= x
    assert x + width <= left + view_width
    assert 0 <= y < y + height <= view_height
    row = page.evaluate(
        "({low: birdmodesData.syllables.low_hz[11], high: birdmodesData.syllables.high_hz[11]})"
    )
    bin_hz = 11025 / (view_height - 1)
    assert (view_height - y - height) * bin_hz == pytest.approx(row["low"], abs=2 * bin_hz)
    assert (view_height - y) * bin_hz == pytest.approx(row["high"], abs=2 * bin_hz)


def test_keys_answer_and_the_next_one_comes(page: Page) -> None:
    rows = {row: asked(page, row) for row in range(N_ASKED)}
    wanted = []
    for number, (row, key) in enumerate(((11, "g"), (10, "n"), (9, "x"), (8, "s"))):
        expect(page.locator("#label-title")).to_contain_text(f"Syllable {number + 1} of 10")
        page.keyboard.press(key)
        one = rows[row]
        if key == "s":
            continue
        mark = {"g": "good", "n": "noise", "x": "not-species"}[key]
        species = one["species"] if key == "x" else ""
        wanted.append({"action": "mark", "syllables": [one["id"]], "as": mark, "species": species})
    assert edits(page) == wanted
    assert strip(page)[:4] == ["right", "noise", f"not {rows[9]['species']}", "skipped"]
    assert page.locator("#label-progress").evaluate("(bar) => [bar.value, bar.max]") == [4, 10]


def test_numbers_choose_a_mode_and_the_own_one_confirms(page: Page) -> None:
    one = asked(page, 11)
    page.get_by_role("combobox", name="Modes of").select_option(label=SCRIPT)
    names = page.locator("#label-answers .label-mode").all_inner_texts()
    assert len(names) == 2
    # what sounds most like it comes first: row 11 is of the tone of 8 kHz, and B is of 5 kHz
    assert [name.split("\n")[:2] for name in names] == [["1", f"{SCRIPT} B"], ["2", f"{SCRIPT} A"]]
    page.locator("#label-title").click()  # away from the list, where numbers are text
    page.keyboard.press("2")
    assert edits(page) == [{"action": "move", "syllables": [one["id"]], "cluster": 0}]
    two = asked(page, 10)
    own = page.locator("#label-answers .label-mode", has_text="as it is now")
    own.click()
    assert edits(page)[1] == {
        "action": "mark",
        "syllables": [two["id"]],
        "as": "good",
        "species": "",
    }


def test_species_of_the_list_are_offered_first(page: Page) -> None:
    expect(page.locator("#label-listed li")).to_have_text(["There is no list of species"])
    page.locator("#label-strip button").nth(6).click()  # row 5, of a recording with a list
    expect(page.locator("#label-listed li")).to_have_text([SCRIPT, "Owl", "Wren"])
    choice = page.get_by_role("combobox", name="Modes of")
    assert choice.locator("option").all_inner_texts() == ["the species listed", SCRIPT, "Wren"]
    assert choice.locator("optgroup option").count() == 0  # all that have modes are listed
    # the modes of all of them, each with examples from other recordings that play
    answers = page.locator(".label-choice")
    assert answers.count() == 3
    expect(answers.first.locator(".label-mode")).to_contain_text("Wren A")  # alike in pitch
    expect(answers.first).to_contain_text("Flat whistle, 8.0 kHz")
    expect(answers.first.locator(".spec")).to_have_count(2)
    answers.first.locator("button.spec").first.click()
    wait_until(page, "birdmodes.player.playing")
    page.keyboard.press("Escape")


def test_a_listed_species_without_a_mode_begins_one(page: Page) -> None:
    page.locator("#label-strip button").nth(6).click()  # row 5, whose list has the owl
    fresh = page.locator("#label-answers .label-mode", has_text="has no mode yet")
    expect(fresh).to_have_count(1)
    expect(fresh).to_contain_text("Owl")
    one = asked(page, 5)
    clusters = page.evaluate("birdmodesData.gallery.modes.map((mode) => mode.cluster)")
    page.keyboard.press("4")  # after three modes
    expect(page.locator("#label-strip button").nth(6)).to_contain_text("Owl")
    assert edits(page) == [
        {"action": "new-mode", "cluster": max(clusters) + 1, "species": "Owl", "name": "",
         "syllables": [one["id"]]}
    ]  # fmt: skip
    # It is a mode like the others now.
    page.locator("#label-strip button").nth(6).click()
    expect(fresh).to_have_count(0)
    expect(page.locator("#label-answers")).to_contain_text("as it is now")


def test_words_of_modes_have_room_beside_one_picture_on_narrow_screens(page: Page) -> None:
    looks = page.locator(".label-choice .example + .example")
    expect(looks.first).to_be_visible()
    set_size(page, 1024, 768)
    expect(looks.first).to_be_hidden()
    widths = page.locator(".label-mode").evaluate_all("(all) => all.map((one) => one.clientWidth)")
    assert min(widths) >= 200


def test_axes_say_where_the_syllable_is(page: Page) -> None:
    expect(page.locator("#label-hz text").first).to_have_text("kHz")
    found = page.evaluate(
        """() => {
          const read = (lines, texts, side) => [...lines].map((line, n) => [
            line.getBoundingClientRect()[side], parseFloat(texts[n].textContent)]);
          const hz = document.getElementById("label-hz");
          const times = document.getElementById("label-times");
          const box = document.querySelector("#label-picture .outline").getBoundingClientRect();
          return {
            hz: read(hz.querySelectorAll("line"), [...hz.querySelectorAll("text")].slice(1), "top"),
            s: read(times.querySelectorAll("line"), times.querySelectorAll("text"), "left"),
            box: [box.left, box.right, box.top, box.bottom],
            row: ["start_s", "end_s", "low_hz", "high_hz"].map(
              (name) => birdmodesData.syllables[name][11]),
          };
        }"""
    )

    def at(marks: list[list[float]], place: float) -> float:
        (first, a), (last, b) = marks[0], marks[-1]
        return a + (b - a) * (place - first) / (last - first)

    left, right, top, bottom = found["box"]
    start_s, end_s, low_hz, high_hz = found["row"]
    assert [at(found["s"], left), at(found["s"], right)] == pytest.approx(
        [start_s, end_s], abs=0.03
    )
    seen = [at(found["hz"], bottom), at(found["hz"], top)]
    assert seen == pytest.approx([low_hz / 1000, high_hz / 1000], abs=0.15)


def test_what_is_around_is_heard_by_a_key(page: Page) -> None:
    expect(page.locator("#label-context")).to_be_enabled()
    page.locator("#label-title").click()
    page.evaluate(f"({WATCH_PLAYER})(0.2)")
    page.keyboard.press("a")
    wait_until(page, "plays.length === 1 && birdmodes.player.playing")
    from_s, to_s = page.evaluate("[plays[0].from_s, plays[0].to_s]")
    assert to_s - from_s == pytest.approx(3, abs=0.01)
    start_s = page.evaluate("birdmodesData.syllables.start_s[11]")
    assert from_s < start_s < to_s


def test_answers_can_be_taken_back_and_given_again(page: Page) -> None:
    page.get_by_role("switch", name="Review").check()
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("Control+z")
    expect(page.locator("#label-title")).to_contain_text("Syllable 2 of 10")
    assert strip(page)[:2] == ["noise", "2"]
    page.locator("#label-strip button").first.click()
    page.keyboard.press("g")
    assert [one["as"] for one in edits(page)] == ["noise", "good"]
    assert strip(page)[0] == "right"


def test_arrow_keys_look_at_others_first(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#label-title")).to_contain_text("Syllable 2 of 10")
    page.keyboard.press("n")
    assert edits(page)[0]["syllables"] == [asked(page, 10)["id"]]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#label-title")).to_contain_text("Syllable 1 of 10")


def test_after_ten_the_next_ten_and_then_the_end(page: Page) -> None:
    for number in range(10):
        page.keyboard.press("s" if number == 4 else "n")
    expect(page.locator("#label-done-title")).to_have_text("9 answers given, 1 skipped")
    expect(page.locator("#label-done-words")).to_have_text("2 syllables left to ask.")
    page.keyboard.press("Enter")
    expect(page.locator("#label-strip button")).to_have_count(2)
    page.keyboard.press("g")
    page.keyboard.press("g")
    expect(page.locator("#label-done")).to_contain_text("All are answered or skipped.")
    expect(page.get_by_role("button", name="Next ten")).to_be_hidden()
    assert len(edits(page)) == 11
    page.reload()
    wait_until(page, "!document.getElementById('label-card').hidden")
    expect(page.locator("#label-strip button")).to_have_count(1)  # what was skipped is asked again


def test_the_sound_plays_and_stops(page: Page) -> None:
    expect(page.locator("#label-play")).to_be_enabled()
    page.locator("#label-title").click()
    page.keyboard.press("Space")
    wait_until(page, "birdmodes.player.currentTime > 0")
    start = page.evaluate("birdmodesData.syllables.start_s[11]")
    now = page.evaluate("birdmodes.player.currentTime")
    assert now is None or start - 0.2 <= now <= start + 1
    wait_until(page, "!birdmodes.player.playing")
    page.get_by_role("switch", name="Play each at once").check()
    page.keyboard.press("n")
    wait_until(page, "birdmodes.player.playing")


def test_without_the_clip_the_thumb_is_shown(
    folder: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    shutil.copytree(folder, tmp_path / "gallery")
    shutil.rmtree(tmp_path / "gallery" / "clips")
    page = open_page(tmp_path / "gallery" / "label.html", tolerant=True)
    expect(page.locator("#label-problem")).to_contain_text("no sound of this clip")
    expect(page.locator("#label-play")).to_be_disabled()
    assert "thumbs/" in str(page.locator("#label-picture image").get_attribute("href"))
    page.locator("#label-title").click()
    page.keyboard.press("g")
    assert len(edits(page)) == 1


def test_the_page_is_accessible(page: Page) -> None:
    page.keyboard.press("n")
    assert grave_in_both_themes(page) == []
    for width in (320, 390, 1024, 1920):
        set_size(page, width, 800)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), width
