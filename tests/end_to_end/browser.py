"""What tests in a real browser share: a gallery with hostile names, Chromium, and ways to wait.

The fixtures are known to all tests of this folder through ``conftest.py``; constants and functions
are imported: ``from browser import SCRIPT, OpenPage, wait_until``. Tests that use them are marked
``pytest.mark.browser``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
import soundfile
from axe_playwright_python.sync_playwright import Axe
from chromium import ON_A_PAGE, RunningChromium
from playwright.sync_api import Browser, BrowserContext, Page, expect

from birdmodes.audio.read import find_recordings
from birdmodes.gallery import build_gallery
from birdmodes.groups.grouping import MAKE_UP_COLUMNS, Grouping
from birdmodes.io.files import safe_name
from birdmodes.labels import FittedLabels
from birdmodes.modes.clustering import Clustering, write_clustering
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.times_of_day import syllable_times

RATE_HZ = 22050
SCRIPT = "<script>alert(1)</script>"
HOSTILE_FILE = 'a"b<c>.wav'
LONG_FILE = "station-07/" + "a_name_without_any_end" * 6 + ".wav"
TIMED_FILE = "plain_20210502_050000.wav"
TONES_HZ = (2000, 5000, 8000)
"""The first two are modes of `SCRIPT`, the third is one of "Wren"."""
NAME = "test"
"""Of the clustering."""
PATIENCE_MS = 60_000
AXE = Axe().axe_script
GRAVE = """([parts, options]) => axe.run(parts ?? document, options).then(({ violations }) =>
  violations.filter(({ impact }) => impact === "serious" || impact === "critical").flatMap(
    ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)))"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
WITHOUT_CONTRAST = {"color-contrast": {"enabled": False}}
"""For `grave_findings` of text whose contrast is looked at otherwise: it takes most of the time."""

OpenPage = Callable[..., Page]

expect.set_options(timeout=PATIENCE_MS)


@dataclass(frozen=True)
class Field:
    """Three recordings, each with every tone twice, and what was made of them.

    Attributes
    ----------
    recordings : pathlib.Path
        Their folder.
    workspace : Workspace
        With the clustering.
    clustering : Clustering
        One cluster for each of `TONES_HZ`, in their order, of 6 syllables each.
    gallery : pathlib.Path
        Its gallery, to be read only: copy it before you change it.
    """

    recordings: Path
    workspace: Workspace
    clustering: Clustering
    gallery: Path


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
    table["review"] = ""
    modes = table.groupby("cluster", as_index=False)[["species", "mode"]].first()
    modes = modes.assign(
        background=[False, False, False],
        syllables=table.groupby("cluster").size().to_numpy(),
        recordings=3,
        confidence=0.9,
        consistency=1.0,
        p_value=[0.01, 0.01, 0.2],
    )
    return Clustering(NAME, table, modes, {"silhouette": 0.8}, {"method": "csp", "k": 3})


def grouping_of(workspace: Workspace) -> Grouping:
    """One group of the first two recordings, by their first syllables, and one of the last."""
    table = bags_table(workspace.recordings())
    names = workspace.syllables(["syllable", "bag"]).groupby("bag")["syllable"]
    witness = table["bag"].map(names.first())
    alone = (table["recording"] == TIMED_FILE).to_numpy()
    bags = table.assign(
        start_s=0.0,
        end_s=5.0,
        group=alone.astype(int),
        strength=[1.5, 0.25, -0.5],
        rank=np.where(alone, 1, table.groupby(alone).cumcount() + 1),
        witness=witness,
        n_syllables=table["bag"].map(names.size()),
    )
    groups = pd.DataFrame(
        {"group": [0, 1], "typical_syllables": [witness[~alone].tolist(), witness[alone].tolist()]}
    )
    species = pd.DataFrame(
        [(0, SCRIPT, 2, 2, 1.0, 2.5, 0.01, 0.03), (0, "Owl", 1, 2, 0.5, 1.0, 1.0, 1.0)],
        columns=list(MAKE_UP_COLUMNS),
    )
    return Grouping("m3ic-k2", bags, groups, species, {"silhouette": 0.3}, {"method": "m3ic"})


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Field:
    """Recordings with hostile names, their workspace, clustering and gallery."""
    root = tmp_path_factory.mktemp("browser")
    names = [HOSTILE_FILE, LONG_FILE, TIMED_FILE]
    for seed, name in enumerate(names):
        write_recording(root / "recordings" / name, seed)
    workspace = Workspace.prepare(root / "workspace", Settings(SegmentationParameters()))
    labels = FittedLabels(dict.fromkeys(names[:2], (SCRIPT, "Wren", "Owl")), [], [])
    segment_recordings(find_recordings([root / "recordings"]), labels, workspace)
    clustering = clustering_of(workspace)
    write_clustering(workspace, clustering)
    result = build_gallery(
        workspace, clustering, root / "gallery", examples=5, grouping=grouping_of(workspace)
    )
    assert result.warnings == []
    return Field(root / "recordings", workspace, clustering, result.index.parent)


@pytest.fixture(scope="session")
def gallery(hostile: Field) -> Path:
    """Folder of the gallery, to be read only."""
    return hostile.gallery


@pytest.fixture
def open_page(chromium: RunningChromium) -> Iterator[OpenPage]:
    """Open a file or an address; in the end nothing may have gone wrong, or left the disk.

    Called with a path or a URL, further options of the browser's context, and ``tolerant=True``
    where trouble on the page is what the test is about. Each page that a test opens is as in a
    browser of its own.
    """
    contexts: list[BrowserContext] = []
    shared: list[Page] = []
    troubles: list[str] = []

    def open_one(place: Path | str, *, tolerant: bool = False, **options: Any) -> Page:
        address = place.as_uri() if isinstance(place, Path) else place
        if address.startswith("file:") and not shared and options.keys() <= ON_A_PAGE:
            page = chromium.new_page(**options)
            shared.append(page)
        else:
            contexts.append(chromium.browser.new_context(**options))
            page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE_MS)
        watch(page, address, [] if tolerant else troubles)
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()
    if shared:
        chromium.close_pages()
    assert troubles == []


@contextlib.contextmanager
def looked_at(browser: Browser, place: Path, **options: Any) -> Iterator[Page]:
    """Open a page for several tests that leave it as it is; nothing may go wrong meanwhile."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    troubles: list[str] = []
    watch(page, place.as_uri(), troubles)
    page.goto(place.as_uri())
    yield page
    context.close()
    assert troubles == []


def watch(page: Page, address: str, troubles: list[str]) -> None:
    """Note what goes wrong on a page, and requests to other places than that of `address`."""
    parts = urlsplit(address)
    home = f"{parts.scheme}://{parts.netloc}/"
    page.on("console", lambda message: troubles.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: (
            request.url.startswith((home, "data:", "blob:"))
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


def grave_findings(page: Page, *parts: str, **options: Any) -> list[str]:
    """What axe-core finds that is serious or critical, with the elements.

    Parameters
    ----------
    page : Page
        What is looked at.
    *parts : str
        Selectors of the parts that are; by default all.
    **options
        Of axe's run, as ``runOnly``.
    """
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE)
    # `preload` would read style sheets, which a page from disk may not. All but what is grave stays
    # in the page: to hand it over takes as long as to find it.
    return page.evaluate(
        GRAVE, [parts or None, {"resultTypes": ["violations"], "preload": False, **options}]
    )


def grave_in_both_themes(page: Page, *parts: str, **options: Any) -> list[str]:
    """`grave_findings` in light, and in dark those of colours, as nothing else differs there."""
    found = []
    for theme, rules in (("light", options), ("dark", {"runOnly": COLOUR_RULES})):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        found += [f"{theme}: {one}" for one in grave_findings(page, *parts, **rules)]
    return found


def all_pages(gallery: Path) -> list[Path]:
    """All HTML files of a gallery."""
    return sorted(gallery.rglob("*.html"))


def page_of(gallery: Path, species: str) -> Path:
    """Page of a species."""
    return gallery / "species" / f"{safe_name(species)}.html"


@pytest.fixture
def species_file(gallery: Path) -> Path:
    """Page of the hostile species, with two modes."""
    return page_of(gallery, SCRIPT)


def set_size(page: Page, width: int, height: int) -> None:
    """Give a page a window of so many pixels, and wait until it knows."""
    page.set_viewport_size({"width": width, "height": height})
    wait_until(page, f"innerWidth === {width} && innerHeight === {height}")


def wait_until(page: Page, condition: str) -> None:
    """Wait for a JavaScript condition.

    Playwright's own `wait_for_function` compiles it in the page, which the pages' policy forbids:
    there it sees what holds at once, and nothing that comes later.
    """
    for _ in range(PATIENCE_MS // 20):  # an end, for the case that it never comes
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"waited in vain for {condition}")
