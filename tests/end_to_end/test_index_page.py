"""The first page and what all pages share, in a real browser."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from browser import SCRIPT, OpenPage, all_pages, page_of
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

CARD = re.compile(
    r'<li class="card" data-name=.*?</li>\s+(?=<li class="card|</ul>\s*(?:<h3>|</section>))',
    re.DOTALL,
)


def names(page: Page) -> list[str]:
    """Species whose cards are shown, in their order."""
    cards = page.locator(".card[data-name]:not([hidden])")
    return list(cards.evaluate_all("(all) => all.map((card) => card.dataset.name)"))


@pytest.fixture
def many(gallery: Path, tmp_path: Path) -> Path:
    """The first page with 303 species: the hostile one and the Wren, and copies of the Wren."""
    copy = tmp_path / "many"
    shutil.copytree(gallery, copy)
    html = (copy / "index.html").read_text(encoding="utf-8")
    wren = next(card for card in CARD.findall(html) if 'data-name="Wren"' in card)

    def card(name: str, **figures: object) -> str:
        text = wren.replace('data-name="Wren"', f'data-name="{name}"')
        for key, value in figures.items():
            text = re.sub(rf'data-{key}="[^"]*"', f'data-{key}="{value}"', text)
        return text.replace(" data-doubtful", "")

    made = card("Ärger 10", syllables=99) + card("Aerger 9", confidence=0.1)
    (picture,) = re.findall(r'<img src="(.*?)"', wren)
    for number in range(299):
        other = f"pictures/zz-{number}.webp"
        (copy / other).write_bytes((copy / picture).read_bytes())
        made += card(f"Zz {number}", modes=7).replace(picture, other)
    (copy / "index.html").write_text(html.replace(wren, wren + made), encoding="utf-8")
    return copy / "index.html"


def test_species_can_be_found_by_their_name(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    status = page.locator("#count")
    expect(status).to_have_text("303 species")
    page.get_by_role("searchbox", name="Find a species").press_sequentially("ARGER")
    expect(status).to_have_text("1 of 303 species")  # without the dots, too
    assert names(page) == ["Ärger 10"]
    page.keyboard.press("Escape")
    expect(status).to_have_text("303 species")
    page.get_by_role("searchbox").fill("10 zz")  # words in any order
    expect(status).to_have_text("13 of 303 species")  # 10, 100 to 110, 210
    page.get_by_role("searchbox").fill("<script>")
    expect(status).to_have_text("1 of 303 species")
    assert names(page) == [SCRIPT]


def test_species_can_be_sorted(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    sort = page.get_by_role("combobox", name="Sort by")
    assert names(page)[1:4] == ["Aerger 9", "Ärger 10", "Wren"]
    assert names(page)[-2:] == ["Zz 297", "Zz 298"]  # numbers as numbers
    sort.select_option("syllables")
    assert names(page)[0] == "Ärger 10"
    sort.select_option("modes")
    assert names(page)[:2] == ["Zz 0", "Zz 1"]
    sort.select_option("confidence")
    assert names(page)[-1] == "Aerger 9"
    page.get_by_role("button", name="Reversed").press("Space")
    assert names(page)[0] == "Aerger 9"
    sort.select_option("name")
    assert names(page)[0] == "Zz 298"


def test_only_species_that_need_a_look(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    page.get_by_role("switch", name="Needs a look").press("Space")
    expect(page.locator("#count")).to_have_text("2 of 303 species")
    assert names(page) == [SCRIPT, "Wren"]  # two recordings list them, always together
    card = page.locator('.card[data-name="Wren"]')
    expect(card.get_by_role("list", name="Needs a look")).to_contain_text("few recordings")


def test_the_list_is_as_it_was_left(many: Path, open_page: OpenPage) -> None:
    page = open_page(many)
    page.get_by_role("combobox").select_option("modes")
    page.get_by_role("searchbox").fill("zz 1")
    page.get_by_role("link", name="This run").click()
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("zz 1")
    expect(page.get_by_role("combobox")).to_have_value("modes")
    assert names(page)[:3] == ["Zz 1", "Zz 10", "Zz 11"]


def test_pictures_far_below_are_not_loaded(many: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    page.goto(many.as_uri())
    loaded = page.locator("img").evaluate_all("(all) => all.filter((i) => i.naturalWidth).length")
    page.close()
    assert 3 <= loaded < 150


def test_everything_is_there_without_javascript(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "index.html", java_script_enabled=False)
    assert names(page) == [SCRIPT, "Wren"]
    for hidden in ("#finder", "#copy", "#theme"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.get_by_text("birdmodes gallery --workspace")).to_be_visible()


def test_warnings_lead_to_what_they_are_about(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "index.html")
    notice = page.locator(".notices li", has_text="always listed together")
    expect(notice).to_contain_text(f"{SCRIPT}")
    notice.get_by_role("link", name="Wren").click()
    assert page.url == page_of(gallery, "Wren").as_uri()
    page.go_back()
    notice = page.locator(".notices li", has_text="hardly more often than by chance")
    notice.get_by_role("link", name="Wren mode 1").click()
    assert page.url == page_of(gallery, "Wren").as_uri() + "#cluster-2"
    expect(page.locator("#cluster-2")).to_be_in_viewport()


def test_the_commands_can_be_copied(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "index.html", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("#copied")).to_have_text(re.compile("Copied|Selected"))
    text = page.evaluate("getSelection().toString() || navigator.clipboard.readText()")
    cluster, gallery_command = text.strip().splitlines()
    assert cluster == "birdmodes cluster --workspace workspace --method csp --k 3 --name test"
    assert gallery_command == "birdmodes gallery --workspace workspace --clustering test"


GROUND = "getComputedStyle(document.body).backgroundColor"


def test_the_theme_is_that_of_the_system_until_one_is_chosen(
    gallery: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "index.html", color_scheme="light")
    light = page.evaluate(GROUND)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(GROUND)
    assert light != dark
    page.evaluate("document.addEventListener('birdmodes:theme', () => (globalThis.told = true))")
    page.get_by_role("radio", name="Light").check(force=True)
    assert page.evaluate(GROUND) == light
    assert page.evaluate("globalThis.told")
    page.get_by_role("link", name=SCRIPT).last.click()
    expect(page.get_by_role("radio", name="Light")).to_be_checked()
    assert page.evaluate(GROUND) == light
    page.emulate_media(color_scheme="light")
    page.get_by_role("radio", name="Light").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()
    assert page.evaluate(GROUND) == dark
    # a canvas gets what the page shows
    accent = page.evaluate("birdmodes.colour('--accent')")
    assert accent == page.evaluate(
        "getComputedStyle(document.querySelector('nav a + a, main a')).color"
    )
    page.get_by_role("radio", name="As the system").check(force=True)
    assert page.evaluate(GROUND) == light


def test_a_dark_page_is_dark_before_any_other_script_runs(
    gallery: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "index.html", color_scheme="light")
    page.get_by_role("radio", name="Dark").check(force=True)
    dark = page.evaluate(GROUND)
    page.add_init_script(
        "addEventListener('readystatechange', () => { if (document.readyState === 'interactive')"
        " globalThis.early = document.documentElement.dataset.theme; }, true)"
    )
    page.reload()
    assert page.evaluate("globalThis.early") == "dark"
    assert page.evaluate(GROUND) == dark


def test_the_gallery_of_pages_is_the_same_everywhere(gallery: Path, open_page: OpenPage) -> None:
    for path in all_pages(gallery):
        page = open_page(path)
        links = page.get_by_role("navigation", name="Gallery").get_by_role("link")
        assert links.all_text_contents() == [
            "Vocal modes", "Species", "Groups", "Map", "Label next", "This run",
        ]  # fmt: skip
        for address in links.evaluate_all("(all) => all.map((a) => a.href.split('#')[0])"):
            assert Path(address.removeprefix("file://")).is_file()
    page = open_page(gallery / "map.html")
    expect(page.get_by_role("link", name="Map")).to_have_attribute("aria-current", "page")


def test_clips_and_syllables_are_loaded_when_they_are_needed(
    gallery: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "index.html")
    assert page.evaluate("birdmodesData.syllables") is None
    page.evaluate("birdmodes.loadSyllables()")
    ids = page.evaluate("birdmodesData.syllables.number.map((_, row) => birdmodes.syllableId(row))")
    assert len(set(ids)) == 18
    assert page.evaluate("(ids) => ids.map(birdmodes.rowOf)", ids) == list(range(18))
    assert page.evaluate("birdmodes.rowOf('nothing#00001')") == -1
    assert page.evaluate("birdmodes.rowOf('nothing')") == -1
    clip = page.evaluate(
        """async () => {
          const name = birdmodesData.gallery.clips[0].name;
          const load = () => birdmodes.loadClip(name);
          const [one, other] = await Promise.all([load(), load()]);
          return { same: one === other, recording: one.recording };
        }"""
    )
    assert clip["same"]
    assert clip["recording"] in page.evaluate("birdmodesData.gallery.recordings")


def test_a_clip_that_is_gone_is_said_to_be(
    gallery: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    shutil.copytree(gallery, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "clips")
    page = open_page(tmp_path / "copy" / "index.html", tolerant=True)
    message = page.evaluate(
        "birdmodes.loadClip(birdmodesData.gallery.clips[0].name).catch((error) => error.message)"
    )
    assert "is missing or damaged: copy the whole gallery folder" in message


def test_the_data_are_ascii(gallery: Path) -> None:
    for path in (gallery / "data").glob("*.js"):
        text = path.read_bytes().decode("ascii")
        json.loads(text[text.index(" = ") + 3 :].rstrip().removesuffix(";"))
