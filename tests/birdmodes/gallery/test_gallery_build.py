from __future__ import annotations

import base64
import dataclasses
import html
import io
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pandas as pd
import pytest
import soundfile
from PIL import Image

from birdmodes.gallery import GalleryResult, build_gallery
from birdmodes.gallery.media.clip_media import read_clip_script
from birdmodes.io.files import safe_name
from birdmodes.modes.clustering import Clustering


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))
        self.text = re.sub(r"\s+", " ", self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "wbr":
            self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def addresses(self) -> list[str]:
        names = ("href", "src")
        return [value for _, a in self.elements for name in names if (value := a.get(name))]


def pages_of(result: GalleryResult) -> list[Page]:
    return [Page(path) for path in sorted(result.index.parent.rglob("*.html"))]


@pytest.fixture
def species_page(built: GalleryResult, script_name: str) -> Page:
    return Page(built.index.parent / "species" / f"{safe_name(script_name)}.html")


@pytest.fixture
def wren_page(built: GalleryResult) -> Page:
    return Page(built.index.parent / "species" / f"{safe_name('Wren')}.html")


def test_files_are_as_many_as_reported(built: GalleryResult) -> None:
    folder = built.index.parent
    # the index, all modes, the run, two species, the rest; map, syllable view, next to label
    assert len(list(folder.rglob("*.html"))) == built.pages == 6 + 3
    assert len(list((folder / "pictures").iterdir())) == built.pictures
    assert len(list((folder / "clips").glob("*.js"))) == built.sounds
    # 4 examples of three clusters and 3 of the one with a syllable that cannot be it; 4 means
    assert built.pictures == 15 + 4
    assert built.sounds == 4  # a clip of each recording
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert built.new + built.unchanged == len(files)
    assert built.size_bytes == sum(path.stat().st_size for path in files)
    assert built.warnings == []


def test_every_address_is_a_file_of_the_gallery(case: Any, built: GalleryResult) -> None:
    syllables = case.workspace.syllables(["syllable"])["syllable"].tolist()
    folder = built.index.parent.resolve()
    for page in pages_of(built):
        for address in page.addresses():
            parts = urlsplit(address)
            if parts.scheme == "data":
                continue
            assert (parts.scheme, parts.netloc) == ("", "")
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
            assert target.is_relative_to(folder)
            assert target.is_file(), address
            if parts.path.endswith("syllable.html") and parts.fragment:  # read by its script
                assert unquote(parts.fragment) in syllables
            elif parts.fragment:
                assert parts.fragment in [a.get("id") for _, a in Page(target).elements]


def test_hostile_names_stay_text(
    built: GalleryResult, species_page: Page, script_name: str, recording_names: list[str]
) -> None:
    for page in pages_of(built):
        for script in page.all("script"):
            source = script["src"] or ""
            assert re.fullmatch(r"(\.\./)?(assets/[a-z]+/[a-z-]+|data/gallery)\.js", source)
        assert not any(name.startswith("on") for _, a in page.elements for name in a)
        assert not any("style" in a for _, a in page.elements)
    assert script_name in species_page.text
    for name in recording_names:
        assert name in species_page.text
        assert any(name in (a.get("aria-label") or "") for a in species_page.all("button"))
    assert script_name in Page(built.index).text


def test_every_page_forbids_what_it_does_not_need(built: GalleryResult) -> None:
    for page in pages_of(built):
        (policy,) = (a["content"] or "" for a in page.all("meta") if "http-equiv" in a)
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert "http:" not in policy


def test_pages_are_made_for_screen_readers(built: GalleryResult) -> None:
    for page in pages_of(built):
        assert page.all("html")[0]["lang"] == "en"
        assert len(page.all("main")) == 1
        # The syllable view shows either of two.
        assert len(page.all("h1")) == (2 if page.path.name == "syllable.html" else 1)
        assert page.elements[[t for t, _ in page.elements].index("body") + 1] == (
            "a", {"class": "skip", "href": "#main"},
        )  # fmt: skip
        for drawing in page.all("svg"):
            named = drawing.get("role") == "img" and drawing.get("aria-label")
            nested = "viewbox" not in drawing
            assert named or nested or drawing.get("aria-hidden") == "true"
        for element in page.all("section"):
            known = [a.get("id") for _, a in page.elements]
            assert element.get("aria-label") or element.get("aria-labelledby") in known


def test_a_button_says_mode_recording_and_time(
    species_page: Page, script_name: str, recording_names: list[str]
) -> None:
    buttons = [a for a in species_page.all("button") if "spec" in (a["class"] or "")]
    labels = [a["aria-label"] for a in buttons]
    assert len(labels) == 2 * 8  # each in its context and closer
    # the tone of mode A begins at 0.5 s; frames are 5.8 ms
    pattern = rf"Play {re.escape(script_name)} A, {re.escape(recording_names[0])}, 0\.(49|50) s"
    assert any(re.fullmatch(pattern, label or "") for label in labels)


def test_facts_of_a_mode_are_those_of_its_tones(species_page: Page) -> None:
    assert "2 modes in 4 recordings: 1 sure, 1 likely" in species_page.text
    assert "A Low flat whistle 2.0 kHz · 0.2 s 4 syllables in 4 recordings" in species_page.text
    assert "sure why? In all 3 recordings that list" in species_page.text
    # 9 bins of 43.07 Hz around 2 kHz, which is bin 46 (1981 Hz): 1787.2 to 2174.9 Hz
    assert "Lowest 1.79 (1.79–1.79) kHz" in species_page.text
    assert "Highest 2.17 (2.17–2.17) kHz" in species_page.text
    assert "Peak 1.98 (1.98–1.98) kHz" in species_page.text
    # 34 frames of 128 samples are 0.197 s
    assert "Length 0.20 (0.20–0.20) s" in species_page.text
    assert "Consistency 1.00 p < 0.001" in species_page.text


def test_a_syllable_of_a_bag_without_the_species_is_no_example(
    wren_page: Page, recording_names: list[str]
) -> None:
    shown = [a["aria-label"] or "" for a in wren_page.all("button") if "data-start" in a]
    labels = " ".join(shown)
    assert len(shown) == 2 * 3
    assert recording_names[2] not in labels
    assert "1 syllable is from recordings without this species" in wren_page.text
    assert "a guess why?" in wren_page.text
    assert "Chance alone would do that about 20 times in 100." in wren_page.text  # p = 0.2


def test_nothing_is_hidden(built: GalleryResult) -> None:
    index, run = Page(built.index), Page(built.index.parent / "run.html")
    assert "1 species has no mode" in index.text
    assert "Owl in 1 recording" in run.text  # listed, but has no mode
    assert "background.html" in index.addresses()
    background = Page(built.index.parent / "background.html")
    assert "background · Cluster 3" in background.text
    figures = [a for a in background.all("figure") if "data-syllable" in a]
    assert len(figures) == 4  # although their confidence is 0
    assert background.text.count("Confidence") == 1  # in the legend


def test_warnings_are_one_line_above_the_modes_and_in_full_on_the_run_s_page(
    built: GalleryResult,
) -> None:
    index, run = Page(built.index), Page(built.index.parent / "run.html")
    assert "1 of 3 names is a guess ; 4 more things to keep in mind" in index.text
    assert "fewer than 3 recordings" not in index.text
    assert "fewer than 3 recordings" in run.text
    assert run.text.index("Keep in mind") < run.text.index("How sure") < run.text.index("Method")
    assert len([a for a in run.all("a") if a.get("href") == "label.html"]) == 2


def test_every_mode_is_on_the_first_page_named_in_words(
    built: GalleryResult, script_name: str
) -> None:
    index = Page(built.index)
    tiles = [a for a in index.all("li") if a.get("class") == "tile"]
    assert [(a["data-sure"], a["data-words"]) for a in tiles] == [
        ("3", f"{script_name} A Low flat whistle 2.0 kHz · 0.2 s {script_name} mode 1"),
        ("2", f"{script_name} B High flat whistle 4.0 kHz · 0.2 s {script_name} mode 2"),
        ("1", "Wren A Flat whistle 6.0 kHz · 0.2 s Wren mode 1"),
    ]
    assert "A Low flat whistle 2.0 kHz · 0.2 s sure · 4 recordings" in index.text
    modes = Page(built.index.parent / "modes.html")
    alike = [(a["data-pitch"], a["data-alike"]) for a in modes.all("li") if "data-alike" in a]
    assert [int(pitch or 0) // 100 for pitch, _ in alike] == [19, 39, 59]
    assert sorted(place for _, place in alike if place) == ["0", "1", "2"]


def test_a_page_tells_how_the_run_was_made(built: GalleryResult) -> None:
    text = Page(built.index.parent / "run.html").text
    assert "Silhouette" in text
    assert "0.812" in text
    assert "not defined" in text
    assert (
        "birdmodes cluster --workspace workspace --method csp --k 4 --set alpha=0.7 --seed 3"
        in text
    )
    assert "birdmodes gallery --workspace workspace --clustering csp-k4" in text
    assert "Method Spectral clustering with bag constraints: " in text
    assert re.search(r"alpha Weight of the bag constraints .*?\. 0\.7 ", text)
    assert "Seed Of the random numbers: the same, and the same answer. 3 " in text
    assert re.search(r"Date 20\d\d-\d\d-\d\d\s\d\d:\d\d\sUTC", text)
    assert "Made with birdmodes 0.1.0, python 3.11.2, numpy 2.4 " in text
    assert "1 of 4 recordings (25 % of the syllables) has no species list: its syllables" in text
    assert "4 of 16 syllables (25 %) are in background clusters" in text


def test_buttons_play_the_syllables(built: GalleryResult, species_page: Page) -> None:
    figures = [a for a in species_page.all("figure") if "data-clip" in a]
    parts = [a for a in species_page.all("button") if a.get("data-part") == "syllable"]
    for figure, part, tone_hz in zip(figures, parts, [2000] * 4 + [4000] * 4, strict=True):
        content = read_clip_script(built.index.parent / "clips" / f"{figure['data-clip']}.js")
        samples, rate = soundfile.read(io.BytesIO(base64.b64decode(content["sound"].split(",")[1])))
        place = [float(part[f"data-{name}"] or "") - content["start_s"] for name in ("from", "to")]
        assert place[1] - place[0] == pytest.approx(0.2 + 2 * 0.04, abs=0.01)
        heard = samples[slice(*(round(second * rate) for second in place))]
        peak_hz = np.argmax(np.abs(np.fft.rfft(heard, 8192))) * rate / 8192
        assert peak_hz == pytest.approx(tone_hz, abs=10)
        assert float(figure["data-gain"] or "") == pytest.approx(1.0, abs=0.1)


def test_pictures_are_ink_on_paper_where_the_syllable_is(
    built: GalleryResult, species_page: Page
) -> None:
    pictures = [a["src"] or "" for a in species_page.all("img") if a["alt"] == ""]
    with Image.open(species_page.path.parent / pictures[0]) as image:
        grey = np.asarray(image.convert("L")).astype(float)
    # 3 s from 0 to 10 kHz, a pixel for each frame of 5.8 ms and bin of 43 Hz
    assert grey.shape == (232, 517)
    rows, columns = np.nonzero(grey < 60)
    spots = {
        (round(x * 3 / 517, 1), round((232 - y) * 10 / 232))
        for x, y in zip(columns, rows, strict=True)
    }
    assert {(0.6, 2), (1.3, 4), (2.0, 6), (2.6, 8)} <= spots
    assert np.median(grey) > 245


def test_pages_pictures_and_sounds_are_the_same_each_time(
    case: Any, built: GalleryResult, tmp_path: Path
) -> None:
    again = build_gallery(case.workspace, case.clustering, tmp_path / "again")
    old, new = built.index.parent, again.index.parent
    names = sorted(path.relative_to(old) for path in old.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(new) for path in new.rglob("*") if path.is_file())
    for name in names:
        assert (old / name).read_bytes() == (new / name).read_bytes(), name


def test_as_many_examples_as_asked_for(case: Any, tmp_path: Path) -> None:
    result = build_gallery(case.workspace, case.clustering, tmp_path / "gallery", examples=2)
    assert result.pictures == 4 * 2 + 4


def test_progress_counts_recordings(case: Any, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    build_gallery(
        case.workspace,
        case.clustering,
        tmp_path / "gallery",
        examples=1,
        on_progress=lambda done, total, name: steps.append((done, total)),
    )
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_recordings_that_are_gone_or_changed_are_shown_from_the_workspace(
    make_case: Callable[[], Any], recording_names: list[str], tmp_path: Path
) -> None:
    case = make_case()
    case.recording(0).unlink()
    os.utime(case.recording(1), (1, 1))
    result = build_gallery(case.workspace, case.clustering, tmp_path / "gallery")
    assert len(result.warnings) == 2
    changed, gone = result.warnings
    assert f"1 recording changed since they were segmented ({recording_names[1]})" in changed
    assert f"1 recording no longer at their place ({recording_names[0]})" in gone
    assert result.pictures == 15 + 4
    assert result.sounds == 2  # clips, of the third and the fourth recording
    run = Page(result.index.parent / "run.html")
    for warning in result.warnings:
        assert warning in run.text
    species = [page for page in pages_of(result) if page.path.parent.name == "species"]
    assert any("no sound: recording not available" in page.text for page in species)


def test_a_recording_that_cannot_be_decoded_any_more_is_a_warning(
    make_case: Callable[[], Any], tmp_path: Path
) -> None:
    case = make_case()
    path: Path = case.recording(3)
    status = path.stat()
    path.write_bytes(b"\0" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    result = build_gallery(case.workspace, case.clustering, tmp_path / "gallery")
    (warning,) = result.warnings
    assert "no longer readable" in warning


def test_a_clustering_without_species_has_only_the_page_of_the_rest(
    case: Any, tmp_path: Path
) -> None:
    clustering: Clustering = case.clustering
    bare = dataclasses.replace(
        clustering,
        modes=clustering.modes.assign(species="", mode="", background=False, confidence=np.nan),
        assignments=clustering.assignments.assign(species="", mode="", confidence=0.0),
    )
    result = build_gallery(case.workspace, bare, tmp_path / "gallery", examples=1)
    assert result.pages == 4 + 3
    first = Page(result.index).text
    assert "4 kinds of sound, none named" in first
    assert "Nothing tells which species make these sounds. Why, and what to do" in first
    assert "4 syllables ·" in first
    assert "unassigned · Cluster 0" in Page(result.index.parent / "background.html").text


def test_a_mode_that_no_bag_confirms_says_so(case: Any, tmp_path: Path) -> None:
    clustering: Clustering = case.clustering
    doubtful = clustering.assignments.assign(
        confidence=np.where(clustering.assignments["species"] == "Wren", 0.0, 0.9)
    )
    result = build_gallery(
        case.workspace,
        dataclasses.replace(clustering, assignments=doubtful),
        tmp_path / "gallery",
        examples=1,
    )
    page = Page(result.index.parent / "species" / f"{safe_name('Wren')}.html")
    assert "No examples" in page.text
    assert "4 syllables are from recordings without this species" in page.text


def test_a_clustering_of_nothing_has_a_page(case: Any, tmp_path: Path) -> None:
    clustering: Clustering = case.clustering
    empty = dataclasses.replace(
        clustering, modes=clustering.modes.iloc[:0], assignments=clustering.assignments.iloc[:0]
    )
    result = build_gallery(case.workspace, empty, tmp_path / "gallery")
    assert (result.pages, result.pictures, result.sounds) == (3 + 3, 0, 0)


def test_a_syllable_longer_than_the_picture_is_seen_from_its_start(
    case: Any, tmp_path: Path
) -> None:
    clustering: Clustering = case.clustering
    table = clustering.assignments.copy()
    first = table.index[table["cluster"] == 0][0]
    table["end_s"] = table["end_s"].astype(float)
    table.loc[first, "end_s"] = table.loc[first, "start_s"] + 4.0
    long = dataclasses.replace(clustering, assignments=pd.DataFrame(table))
    result = build_gallery(case.workspace, long, tmp_path / "gallery", examples=30)
    text = "".join(html.unescape(page.text) for page in pages_of(result))
    assert "at 0.49 s · 4.00 s ·" in text or "at 0.50 s · 4.00 s ·" in text
    boxes = [a for page in pages_of(result) for a in page.all("rect") if a.get("class") == "box"]
    ends = [float((a["x"] or "")[:-1]) + float((a["width"] or "")[:-1]) for a in boxes]
    assert max(ends) == pytest.approx(100.0, abs=0.02)
