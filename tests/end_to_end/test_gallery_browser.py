"""The gallery in a real browser: opened from disk, looked at, and played."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Browser, Page, expect, sync_playwright

from birdmodes.audio import find_recordings
from birdmodes.clusterings import Clustering
from birdmodes.files import safe_name
from birdmodes.gallery import build_gallery
from birdmodes.labels import FittedLabels
from birdmodes.parameters import SegmentationParameters
from birdmodes.pipeline import segment_recordings
from birdmodes.settings import Settings
from birdmodes.times_of_day import syllable_times
from birdmodes.workspace import Workspace

pytestmark = pytest.mark.browser

RATE_HZ = 22050
SCRIPT = "<script>alert(1)</script>"
HOSTILE_FILE = 'a"b<c>.wav'
LONG_FILE = "station-07/" + "a_name_without_any_end" * 6 + ".wav"
TIMED_FILE = "plain_20210502_050000.wav"
TONES_HZ = (2000, 5000, 8000)
"""The first two are modes of `SCRIPT`, the third is one of "Wren"."""
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

OpenPage = Callable[..., Page]


def write_recording(path: Path, seed: int) -> None:
    """Every tone twice, 0.2 s each, over faint noise."""
    samples = 0.001 * np.random.default_rng(seed).standard_normal(5 * RATE_HZ)
    time = np.arange(round(0.2 * RATE_HZ)) / RATE_HZ
    for number, tone_hz in enumerate(TONES_HZ * 2):
        first = round((0.5 + 0.7 * number) * RATE_HZ)
        tone = 0.2 * np.hanning(len(time)) * np.sin(2 * np.pi * tone_hz * time)
        samples[first : first + len(time)] += tone
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, RATE_HZ)


def clustering_of(workspace: Workspace) -> Clustering:
    """One cluster per tone."""
    table = workspace.syllables(["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"])
    middle_hz = (table["low_hz"] + table["high_hz"]) / 2
    table["cluster"] = np.abs(middle_hz.to_numpy()[:, None] - np.array(TONES_HZ)).argmin(axis=1)
    species = np.array([SCRIPT, SCRIPT, "Wren"])
    mode = np.array([f"{SCRIPT} mode 1", f"{SCRIPT} mode 2", "Wren mode 1"])
    table["species"], table["mode"] = species[table["cluster"]], mode[table["cluster"]]
    table["confidence"] = 0.9
    table["centrality"] = 1 / (1 + table.groupby("cluster").cumcount())
    table["recorded_at"] = syllable_times(table, workspace.recordings())
    modes = table.groupby("cluster", as_index=False)[["species", "mode"]].first()
    modes = modes.assign(
        background=[False, False, False],
        syllables=table.groupby("cluster").size().to_numpy(),
        recordings=3,
        confidence=0.9,
        consistency=1.0,
        p_value=[0.01, 0.01, 0.2],
    )
    return Clustering("test", table, modes, {"silhouette": 0.8}, {"method": "csp", "k": 3})


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a gallery of three recordings with hostile names."""
    root = tmp_path_factory.mktemp("browser")
    names = [HOSTILE_FILE, LONG_FILE, TIMED_FILE]
    for seed, name in enumerate(names):
        write_recording(root / "recordings" / name, seed)
    workspace = Workspace.prepare(root / "workspace", Settings(SegmentationParameters()))
    labels = FittedLabels(dict.fromkeys(names[:2], (SCRIPT, "Wren", "Owl")), [], [])
    segment_recordings(find_recordings([root / "recordings"]), labels, workspace)
    result = build_gallery(workspace, clustering_of(workspace), root / "gallery", examples=5)
    assert result.warnings == []
    return result.index.parent


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium."""
    paths = filter(None, map(shutil.which, CHROMIUM_NAMES))
    path = next(paths, None)
    if path is None and os.environ.get("BIRDMODES_REQUIRE_BROWSER"):
        pytest.fail("BIRDMODES_REQUIRE_BROWSER is set, but there is no Chromium")
    if path is None:
        pytest.skip(f"no Chromium here: none of {', '.join(CHROMIUM_NAMES)} is installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open a file; in the end nothing may have gone wrong on it, or left the disk."""
    pages = []
    troubles: list[str] = []

    def open_file(path: Path, **options: object) -> Page:
        page = browser.new_context(**options).new_page()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                request.url.startswith(("file:", "data:"))
                or troubles.append(f"request: {request.url}")
            ),
        )
        # Chromium gives up loading a sound when the next one is chosen.
        page.on(
            "requestfailed",
            lambda request: (
                request.failure == "net::ERR_ABORTED"
                or troubles.append(f"failed: {request.url} {request.failure}")
            ),
        )
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield open_file
    for page in pages:
        page.context.close()
    assert troubles == []


def all_pages(gallery: Path) -> list[Path]:
    return sorted(gallery.rglob("*.html"))


@pytest.fixture
def species_file(gallery: Path) -> Path:
    """Page of the hostile species, with two modes."""
    return gallery / "species" / f"{safe_name(SCRIPT)}.html"


def sound(page: Page) -> dict[str, object]:
    """State of the page's audio element."""
    return page.evaluate(
        "() => { const a = document.getElementById('player'); return {"
        "source: a.currentSrc, ready: a.readyState, duration: a.duration, paused: a.paused,"
        "error: a.error && a.error.message }; }"
    )


def wait_until(page: Page, condition: str) -> None:
    """Wait for a JavaScript condition; Playwright's own way is forbidden by the pages' policy."""
    for _ in range(1000):  # an end, for the case that it never comes
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"waited in vain for {condition}")


def repeat(page: Page, wanted: bool = True) -> None:
    """Let sounds go on, so that they are still playing when the test looks."""
    page.evaluate("(wanted) => { document.getElementById('player').loop = wanted; }", wanted)


def test_every_page_opens_from_disk_with_its_pictures(gallery: Path, open_page: OpenPage) -> None:
    for path in all_pages(gallery):
        page = open_page(path)
        expect(page.locator("h1")).to_be_visible()
        widths = page.evaluate(
            """() => Promise.all([...document.querySelectorAll('image')].map(async (drawn) => {
              const image = new Image();
              image.src = drawn.href.baseVal;
              await image.decode();
              return image.naturalWidth;
            }))"""
        )
        assert widths
        assert min(widths) > 100
        assert page.evaluate("getComputedStyle(document.body).margin") == "0px"  # style is there


def test_hostile_names_are_shown_and_do_nothing(
    gallery: Path, species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(gallery / "index.html")
    page.get_by_role("link", name=SCRIPT).click()
    assert page.url == species_file.as_uri()
    assert page.locator("h1").text_content() == SCRIPT
    assert page.title().startswith(SCRIPT)
    assert page.locator("script").count() == 1  # ours
    captions = page.locator("figcaption .recording").all_text_contents()
    assert set(captions) == {HOSTILE_FILE, LONG_FILE, TIMED_FILE}


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_plays_the_sound_and_stops_it(
    key: str, species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file)
    repeat(page)
    button = page.get_by_role("button", name=f"Play {SCRIPT} mode 1, {HOSTILE_FILE}, 0.").first
    button.focus()
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-pressed", "true")
    wait_until(page, "document.getElementById('player').currentTime > 0")
    state = sound(page)
    assert state["error"] is None
    assert str(state["source"]).endswith(str(button.get_attribute("data-sound"))[3:])
    assert int(str(state["ready"])) >= 2
    assert float(str(state["duration"])) == pytest.approx(0.5, abs=0.15)
    assert not state["paused"]
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-pressed", "false")
    assert sound(page)["paused"]


def test_a_click_plays_one_sound_at_a_time_to_its_end(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file)
    first, second = page.locator("button.play").nth(0), page.locator("button.play").nth(1)
    repeat(page)
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    repeat(page, False)
    second.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    assert str(sound(page)["source"]).endswith(str(second.get_attribute("data-sound"))[3:])
    wait_until(page, "document.getElementById('player').ended")
    expect(second).to_have_attribute("aria-pressed", "false")


def test_every_sound_can_be_played(species_file: Path, open_page: OpenPage) -> None:
    page = open_page(species_file)
    durations = page.evaluate(
        """() => Promise.all([...document.querySelectorAll('button.play')].flatMap((button) =>
          [button.dataset.sound, button.dataset.band].map((address) =>
            new Promise((done, failed) => {
              const audio = new Audio(address);
              audio.oncanplaythrough = () => done(audio.duration);
              audio.onerror = () => failed(audio.error.message);
            }))))"""
    )
    assert len(durations) == 2 * 2 * 5
    assert min(durations) > 0.3


def test_only_this_band_plays_the_other_file(species_file: Path, open_page: OpenPage) -> None:
    page = open_page(species_file)
    repeat(page)
    button = page.locator("button.play").first
    button.click()
    page.get_by_role("switch", name="Only this band").check()
    wait_until(page, "document.getElementById('player').currentSrc.includes('-band')")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert str(sound(page)["source"]).endswith(str(button.get_attribute("data-band"))[3:])
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false")


def test_arrow_keys_move_within_a_mode(species_file: Path, open_page: OpenPage) -> None:
    page = open_page(species_file)
    mode = page.locator("[data-mode]").nth(1)
    buttons = mode.get_by_role("button")
    buttons.first.focus()
    page.keyboard.press("ArrowLeft")
    expect(buttons.first).to_be_focused()
    for _ in range(buttons.count() + 2):
        page.keyboard.press("ArrowRight")
    expect(buttons.last).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(buttons.nth(buttons.count() - 2)).to_be_focused()


def test_the_skip_link_comes_first_and_leads_to_the_content(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_outlines_can_be_hidden(species_file: Path, open_page: OpenPage) -> None:
    page = open_page(species_file)
    outline = page.locator("path.outline").first
    expect(outline).to_be_visible()
    page.get_by_role("switch", name="Outlines").uncheck()
    expect(outline).to_be_hidden()


def test_nothing_is_wider_than_the_window(gallery: Path, open_page: OpenPage) -> None:
    for path in all_pages(gallery):
        page = open_page(path)
        for width in (320, 390, 768, 1400):
            page.set_viewport_size({"width": width, "height": 800})
            fits = page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
            assert fits, (path.name, width)


def test_modes_are_side_by_side_on_a_wide_screen_and_stacked_on_a_phone(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file)

    def boxes(width: int) -> list[dict[str, float]]:
        page.set_viewport_size({"width": width, "height": 800})
        return [dict(mode.bounding_box() or {}) for mode in page.locator(".mode").all()]

    first, second = boxes(1400)
    assert first["y"] == second["y"]
    assert second["x"] >= first["x"] + first["width"]
    first, second = boxes(390)
    assert first["x"] == second["x"]
    assert second["y"] >= first["y"] + first["height"]


CONTRAST = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((v) => v / 255).map((v) =>
      v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = numbers(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest('.cut, noscript, title')) continue;
    const style = getComputedStyle(element);
    const colour = numbers(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [luminance(colour), luminance(ground(element))].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), element.className.baseVal ?? element.className,
                walker.currentNode.data.trim()]);
  }
  return found;
}"""


def test_text_stands_out_from_its_ground_in_light_and_dark(
    gallery: Path, open_page: OpenPage
) -> None:
    for path in all_pages(gallery):
        page = open_page(path)
        grounds = []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate(CONTRAST)
            assert len(found) > 20
            assert [item for item in found if item[0] < 4.5] == []  # WCAG 2, level AA
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert grounds[0] != grounds[1]


def test_hours_of_the_day_say_what_was_found_in_them(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file)
    # both modes twice in each of three recordings, of which one has its time in its name
    figure = page.get_by_role("img", name=f"Activity of {SCRIPT} over the day").first
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


LINE_X = "Number(document.querySelector('line.cursor').getAttribute('x1'))"


def test_the_line_over_the_picture_moves(species_file: Path, open_page: OpenPage) -> None:
    page = open_page(species_file)
    repeat(page)
    left = page.evaluate(LINE_X)
    page.locator("button.play").first.click()
    wait_until(page, f"{LINE_X} > {left}")


def test_the_line_stays_for_people_who_want_no_motion(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file, reduced_motion="reduce")
    left = page.evaluate(LINE_X)
    page.locator("button.play").first.click()
    wait_until(page, "document.getElementById('player').ended")
    assert page.evaluate(LINE_X) == left


def test_without_javascript_the_page_still_shows_everything(
    species_file: Path, open_page: OpenPage
) -> None:
    page = open_page(species_file, java_script_enabled=False)
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("figure.example")).to_have_count(10)


def test_a_sound_file_that_is_gone_is_said_to_be(
    gallery: Path, tmp_path: Path, browser: Browser
) -> None:
    shutil.copytree(gallery, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "sounds")
    page = browser.new_context().new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "copy" / "species" / f"{safe_name(SCRIPT)}.html").as_uri())
    button = page.locator("button.play").first
    button.click()
    expect(page.get_by_role("status")).to_contain_text("cannot be played")
    expect(button).to_have_attribute("aria-pressed", "false")
    page.context.close()
    assert errors == []
