"""The first page in a real browser: species with their modes, to be heard, found and sorted."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import HOSTILE_FILE, SCRIPT, OpenPage, looked_at, page_of, set_size, wait_until
from made_gallery import WATCH_PLAYER
from PIL import Image
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

ROW = re.compile(r'<li class="species-row".*?</ul>\s*</li>', re.DOTALL)
SAID = "#said"


def names(page: Page) -> list[str]:
    """Species that are shown, in their order."""
    rows = page.locator(".species-row:not([hidden])")
    return list(rows.evaluate_all("(all) => all.map((row) => row.dataset.name)"))


@pytest.fixture(scope="module")
def many(gallery: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first page with 303 species: the hostile one and the Wren, and copies of the Wren."""
    copy = tmp_path_factory.mktemp("many") / "gallery"
    shutil.copytree(gallery, copy)
    html = (copy / "index.html").read_text(encoding="utf-8")
    wren = next(row for row in ROW.findall(html) if 'data-name="Wren"' in row)

    def row(name: str, **figures: object) -> str:
        text = wren.replace('data-name="Wren"', f'data-name="{name}"')
        text = re.sub('data-words="Wren', f'data-words="{name}', text)
        for key, value in figures.items():
            text = re.sub(rf'data-{key}="[^"]*"', f'data-{key}="{value}"', text)
        return text

    made = row("Ärger 10", recordings=99, sure=3, guesses=0) + row("Aerger 9", sure=2, guesses=0)
    (picture,) = re.findall(r'<img class="ink crop-\d+" src="(.*?)"', wren)
    for number in range(299):
        other = f"pictures/zz-{number}.webp"
        (copy / other).write_bytes((copy / picture).read_bytes())
        made += row(f"Zz {number}", modes=7, guesses=0, recordings=1).replace(picture, other)
    (copy / "index.html").write_text(html.replace(wren, wren + made), encoding="utf-8")
    return copy / "index.html"


@pytest.fixture(scope="module")
def unchanged(browser: Browser, gallery: Path) -> Iterator[Page]:
    """The first page, opened once, for tests that leave it as it is."""
    with looked_at(browser, gallery / "index.html") as page:
        yield page


def test_sounds_are_in_sight_at_once(unchanged: Page) -> None:
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        set_size(unchanged, width, height)
        look_at_first_view(unchanged, width, height)
    set_size(unchanged, 1280, 720)


def look_at_first_view(page: Page, width: int, height: int) -> None:
    boxes = [picture.bounding_box() for picture in page.locator("button.spec").all()]
    assert len(boxes) == 3
    for box in boxes:  # all modes of both species
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= width
        assert 0 < box["y"] < box["y"] + box["height"] <= height
    first = boxes[0]
    assert first is not None
    assert first["y"] < 0.3 * height  # what is above them is short
    # the names of both species, and what kind of sounds they are
    for text in (SCRIPT, "Wren", "A Low flat whistle", "B High flat whistle", "2.0 kHz · 0.2 s"):
        expect(page.locator("#rows").get_by_text(text, exact=True).first).to_be_in_viewport()
    expect(page.locator(".warn")).to_be_in_viewport()


def test_a_click_plays_what_the_picture_shows(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "index.html")
    page.evaluate(f"({WATCH_PLAYER})(0.2)")
    button = page.get_by_role("button", name=f"Play {SCRIPT} A, {HOSTILE_FILE}, 0.5")
    button.click()
    wait_until(page, "birdmodes.player.currentTime > 0")
    expect(button).to_have_attribute("aria-pressed", "true")
    (heard,) = page.evaluate("plays.map(({ from_s, to_s }) => [from_s, to_s])")
    shown = button.evaluate("({ dataset }) => [dataset.start, dataset.width].map(Number)")
    assert heard == pytest.approx([shown[0], sum(shown)], abs=0.01)
    assert shown[1] == 2
    line = button.locator("line.head")
    expect(line).to_have_css("visibility", "visible")
    wait_until(page, "parseFloat(document.querySelector('.head').getAttribute('x1')) > 5")
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert not page.evaluate("birdmodes.player.playing")


def test_the_box_lies_over_the_sound(unchanged: Page) -> None:
    """The tone of 2 kHz from 0.5 to 0.7 s, in a picture of 3 s by 10 kHz of which 2 s are seen."""
    page = unchanged
    found = page.locator("button.spec").first.evaluate(
        """async (button) => {
          const image = button.querySelector("img");
          await image.decode();
          const whole = button.getBoundingClientRect();
          const place = (element) => {
            const { left, top, width, height } = element.getBoundingClientRect();
            const [x, y] = [left - whole.left, top - whole.top];
            return [x / whole.width, y / whole.height, width / whole.width, height / whole.height];
          };
          return {
            image: place(image),
            box: place(button.querySelector(".box")),
            file: decodeURIComponent(new URL(image.src).pathname),
          };
        }"""
    )
    left, top, width, height = found["box"]
    ink = 255 - np.asarray(Image.open(found["file"]).convert("L"), dtype=float)
    rows, columns = np.nonzero(ink > 0.8 * ink.max())
    x, y, shown_width, shown_height = found["image"]
    across = x + shown_width * (columns + 0.5) / ink.shape[1]
    down = y + shown_height * (rows + 0.5) / ink.shape[0]
    tone = np.abs(across - left - width / 2) < width  # the same tone comes again later
    assert tone.sum() > 20
    assert across[tone].mean() == pytest.approx(left + width / 2, abs=0.01)
    assert down[tone].mean() == pytest.approx(top + height / 2, abs=0.03)
    assert down[tone].mean() == pytest.approx(1 - 2000 / 10_000, abs=0.02)
    assert shown_width == pytest.approx(1.5, rel=0.01)


def test_species_and_sounds_can_be_found(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    said = page.locator(SAID)
    find = page.get_by_role("searchbox", name="Find")
    page.keyboard.press("/")
    expect(find).to_be_focused()
    find.press_sequentially("ARGER")
    expect(said).to_have_text("1 mode of 1 species")  # without the dots, too
    assert names(page) == ["Ärger 10"]
    page.keyboard.press("Escape")
    expect(said).to_have_text("")
    find.fill("10 zz")  # words in any order
    expect(said).to_have_text("13 modes of 13 species")  # 10, 100 to 110, 210
    find.fill("high whistle")
    expect(said).to_have_text("1 mode of 1 species")
    assert names(page) == [SCRIPT]
    expect(page.locator(".tile:visible .name")).to_have_text(["B High flat whistle"])
    find.fill("no such thing")
    expect(page.locator("#none")).to_contain_text("No mode fits.")
    page.get_by_role("button", name="Show all").click()
    assert len(names(page)) == 303


def test_species_can_be_sorted(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    sort = page.get_by_role("combobox", name="Sort")
    assert names(page)[0] == "Ärger 10"  # with most recordings
    sort.select_option("name")
    assert names(page)[1:4] == ["Aerger 9", "Ärger 10", "Wren"]
    assert names(page)[-2:] == ["Zz 297", "Zz 298"]  # numbers as numbers
    sort.select_option("most modes")
    assert names(page)[:2] == ["Zz 0", "Zz 1"]
    sort.select_option("least sure first")
    assert names(page)[:2] == [SCRIPT, "Wren"]


def test_guesses_can_be_left_out(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    page.get_by_role("combobox", name="Show").select_option("sure and likely")
    expect(page.locator(SAID)).to_have_text("2 modes of 2 species")
    assert names(page) == ["Ärger 10", "Aerger 9"]
    page.get_by_role("combobox", name="Show").select_option("sure only")
    assert names(page) == ["Ärger 10"]


def test_letters_lead_to_species_by_name(many: Path, open_page: OpenPage) -> None:
    many_letters = many.read_text(encoding="utf-8").replace(
        '<section aria-labelledby="species">',
        '<nav class="letters" id="letters" hidden><a href="#x">W</a></nav>'
        '<section aria-labelledby="species">',
    )
    page_file = many.with_name("letters.html")
    page_file.write_text(many_letters, encoding="utf-8")
    page = open_page(page_file)
    expect(page.locator("#letters")).to_be_hidden()  # in another order they would mislead
    page.get_by_role("combobox", name="Sort").select_option("name")
    expect(page.locator("#letters")).to_be_visible()


def test_the_list_is_as_it_was_left(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    page.get_by_role("combobox", name="Sort").select_option("most modes")
    page.get_by_role("searchbox").fill("zz 12")
    page.get_by_role("link", name="This run").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This run")
    page.go_back()
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("zz 12")
    expect(page.get_by_role("combobox", name="Sort")).to_have_value("modes")
    assert names(page)[:3] == ["Zz 12", "Zz 112", "Zz 120"]


def test_pictures_far_below_are_not_loaded(many: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    page.goto(many.as_uri())
    loaded = page.locator("img").evaluate_all("(all) => all.filter((i) => i.naturalWidth).length")
    page.close()
    assert 3 <= loaded < 150


def test_arrow_keys_go_through_all_pictures(unchanged: Page) -> None:
    page = unchanged
    pictures = page.locator("button.spec")
    pictures.first.focus()
    page.keyboard.press("ArrowRight")
    expect(pictures.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(pictures.nth(2)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(pictures.nth(0)).to_be_focused()  # of two as far away, the one right above


def test_everything_is_there_without_javascript(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "index.html", java_script_enabled=False)
    assert names(page) == [SCRIPT, "Wren"]
    for hidden in ("#find", "#sort", "#only", ".look", "#theme"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator(".tile img").first).to_be_visible()
    expect(page.locator("noscript p").first).to_be_visible()


def test_warnings_are_one_line_that_leads_to_all_of_them(
    gallery: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "index.html")
    warning = page.locator(".warn")
    expect(warning).to_have_text("3 of 3 names are a guess; 4 more things to keep in mind")
    box = warning.bounding_box()
    assert box is not None
    assert box["height"] < 30
    warning.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This run")
    expect(page.get_by_role("list").filter(has_text="always listed together")).to_be_visible()


def test_every_warning_leads_to_what_it_is_about(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "run.html")
    expect(page.locator(".mind li")).to_have_count(5)
    notice = page.locator(".mind li", has_text="always listed together")
    expect(notice).to_contain_text(f"{SCRIPT}, Owl and Wren are")
    notice.get_by_role("link", name="Wren").click()
    expect(page).to_have_url(page_of(gallery, "Wren").as_uri())
    page.go_back()
    notice = page.locator(".mind li", has_text="names are a guess")
    notice.get_by_role("link", name="Wren A").click()
    expect(page).to_have_url(page_of(gallery, "Wren").as_uri() + "#cluster-2")
    expect(page.locator("#cluster-2")).to_be_in_viewport()


def test_the_commands_can_be_copied(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "run.html", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("#copied")).to_have_text(re.compile("Copied|Selected"))
    text = page.evaluate("getSelection().toString() || navigator.clipboard.readText()")
    cluster, gallery_command = text.strip().splitlines()
    assert cluster == "birdmodes cluster --workspace workspace --method csp --k 3 --name test"
    assert gallery_command == "birdmodes gallery --workspace workspace --clustering test"
