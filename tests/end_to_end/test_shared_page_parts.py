"""What all pages of a gallery share, in a real browser: theme, pictures' colours, data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from browser import HOSTILE_FILE, LONG_FILE, SCRIPT, TIMED_FILE, OpenPage
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

GROUND = "getComputedStyle(document.body).backgroundColor"
LOOK = "getComputedStyle(document.querySelector('.ink')).filter"


def test_the_colours_of_pictures_hold_for_all_pages(gallery: Path, open_page: OpenPage) -> None:
    page = open_page(gallery / "index.html", color_scheme="light")
    light = page.evaluate(LOOK)  # ink on paper
    assert "url" not in light
    page.emulate_media(color_scheme="dark")
    assert "invert(0.95)" in page.evaluate(LOOK)
    assert "invert" not in light
    page.get_by_text("Pictures", exact=True).click()
    page.get_by_role("combobox", name="Colours").select_option("Inferno")
    page.get_by_role("slider", name="Contrast").fill("1.4")
    assert page.evaluate(LOOK) == 'contrast(1.4) url("#inferno")'
    page.locator("h1").click()  # beside the panel, which closes
    expect(page.get_by_role("slider", name="Contrast")).to_be_hidden()
    for other in (gallery / "modes.html", gallery / "map.html"):
        page.goto(other.as_uri())
        assert page.evaluate("document.documentElement.dataset.palette") == "inferno"
    page.goto((gallery / "modes.html").as_uri())
    assert page.evaluate(LOOK) == 'contrast(1.4) url("#inferno")'
    page.get_by_text("Pictures", exact=True).click()
    expect(page.get_by_role("combobox", name="Colours")).to_have_value("inferno")
    page.get_by_role("combobox", name="Colours").select_option("Ink (grey)")
    assert "url" not in page.evaluate(LOOK)


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
    expect(page.get_by_role("heading", level=1)).to_have_text(SCRIPT)
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


def test_hostile_names_are_shown_and_do_nothing(
    gallery: Path, species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "index.html")
    page.locator("#rows").get_by_role("link", name=SCRIPT).click()
    expect(page).to_have_url(species_file.as_uri())
    assert page.locator("h1").text_content() == SCRIPT
    assert page.title().startswith(SCRIPT)
    sources = page.locator("script").evaluate_all("(all) => all.map((one) => one.src)")
    assert all(source.startswith(gallery.as_uri()) for source in sources)  # ours
    names = set(page.locator("figcaption .recording").all_text_contents())
    assert names == {HOSTILE_FILE, LONG_FILE, TIMED_FILE}


def test_the_skip_link_comes_first_and_leads_to_the_content(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
