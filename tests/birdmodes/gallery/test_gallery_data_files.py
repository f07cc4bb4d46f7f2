from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from birdmodes.gallery import GalleryResult, build_gallery
from birdmodes.gallery.media.clip_media import read_clip_script
from birdmodes.modes.digest import assignments_digest

TONES = [(0.5, 2000.0), (1.2, 4000.0), (1.9, 6000.0), (2.5, 8000.0)]


def data_of(folder: Path, name: str) -> dict[str, Any]:
    text = (folder / "data" / f"{name}.js").read_bytes()
    start = f"(globalThis.birdmodesData ??= {{}}).{name} = ".encode()
    assert text.isascii()
    assert text.startswith(start)
    assert text.endswith(b";\n")
    content: dict[str, Any] = json.loads(text[len(start) : -2])
    return content


@pytest.fixture(scope="module")
def gallery(built: GalleryResult) -> dict[str, Any]:
    return data_of(built.index.parent, "gallery")


@pytest.fixture(scope="module")
def syllables(built: GalleryResult) -> dict[str, Any]:
    return data_of(built.index.parent, "syllables")


def test_the_gallery_names_what_it_is_of(
    gallery: dict[str, Any], case: Any, script_name: str, recording_names: list[str]
) -> None:
    assert gallery["format"] == 2
    assert gallery["clustering"] == "csp-k4"
    assert gallery["base"] == assignments_digest(case.clustering.assignments)
    assert gallery["nyquist_hz"] == 11025
    assert [species["name"] for species in gallery["species"]] == [script_name, "Wren"]
    assert gallery["recordings"] == sorted(recording_names)
    assert gallery["map"]["method"] == "pca"
    assert len(gallery["map"]["explained"]) == 2


def test_modes_have_their_names_and_pages(
    gallery: dict[str, Any], built: GalleryResult, script_name: str
) -> None:
    modes = {mode["cluster"]: mode for mode in gallery["modes"]}
    assert {n: (m["species"], m["mode"], m["kind"]) for n, m in modes.items()} == {
        0: (script_name, f"{script_name} mode 1", "mode"),
        1: (script_name, f"{script_name} mode 2", "mode"),
        2: ("Wren", "Wren mode 1", "mode"),
        3: ("", "", "background"),
    }
    assert modes[3]["name"] == "Cluster 3"
    assert (modes[2]["syllables"], modes[2]["recordings"], modes[2]["confidence"]) == (4, 4, 0.7)
    for mode in modes.values():
        page, _, fragment = mode["page"].partition("#")
        assert f'id="{fragment}"' in (built.index.parent / page).read_text(encoding="utf-8")


def test_rows_are_the_syllables_in_order(
    gallery: dict[str, Any], syllables: dict[str, Any], case: Any
) -> None:
    table = case.workspace.syllables(["syllable", "start_s", "low_hz"])
    ids = [
        f"{gallery['recordings'][recording]}#{number:05d}"
        for recording, number in zip(syllables["recording"], syllables["number"], strict=True)
    ]
    assert ids == table["syllable"].tolist()
    assert syllables["start_s"] == pytest.approx(table["start_s"], abs=0.0005)
    assert syllables["low_hz"] == pytest.approx(table["low_hz"], abs=0.5)
    assert syllables["cluster"] == [0, 1, 2, 3] * 4
    assert syllables["clip"] == [n // 4 for n in range(16)]
    assert set(syllables["review"]) == {""}
    assert all(0 <= value <= 65535 for value in syllables["x"] + syllables["y"])
    assert {k: len(rows) for k, rows in syllables["sub"].items()} == {"2": 16, "3": 16, "4": 16}
    lengths = {len(v) for k, v in syllables.items() if k != "sub"}
    assert lengths == {16}


def test_confidence_is_that_of_the_clustering(syllables: dict[str, Any]) -> None:
    assert syllables["confidence"][:4] == [0.9, 0.9, 0.9, 0.0]


def test_label_next_names_rows(gallery: dict[str, Any]) -> None:
    rows = gallery["label_next"]
    assert len(set(rows)) == len(rows) > 0
    assert all(0 <= row < 16 for row in rows)


def test_every_clip_can_be_loaded_and_its_outlines_fit_its_picture(
    gallery: dict[str, Any], built: GalleryResult, recording_names: list[str]
) -> None:
    folder = built.index.parent
    assert [clip["recording"] for clip in gallery["clips"]] == [0, 1, 2, 3]
    for clip in gallery["clips"]:
        assert (clip["start_s"], clip["end_s"], clip["media"]) == (0.0, 3.0, True)
        content = read_clip_script(folder / "clips" / f"{clip['name']}.js")
        assert content["recording"] == gallery["recordings"][clip["recording"]]
        assert content["numbers"] == [0, 1, 2, 3]
        facts = content["picture"]
        with Image.open(folder / facts["file"]) as picture:
            assert picture.size == (facts["width"], facts["height"])
            light = np.asarray(picture.convert("L")).astype(int)[::-1]
        for (column, bin_), outline, (start_s, tone_hz) in zip(
            content["places"], content["outlines"], TONES, strict=True
        ):
            assert outline.startswith("M")
            begins_s = facts["first_s"] + (column - 0.5) * facts["frame_s"]
            assert begins_s == pytest.approx(start_s, abs=0.02)
            # The tone is in the fifth of the patch's nine bins.
            assert (bin_ + 4) * facts["bin_hz"] == pytest.approx(tone_hz, abs=25)
            patch = light[bin_ : bin_ + 9, column : column + 30]
            assert patch[4].mean() < 100 < patch[[0, 8]].mean()


def test_thumbs_are_one_for_each_row(gallery: dict[str, Any], built: GalleryResult) -> None:
    thumbs = gallery["thumbs"]
    (sheet,) = thumbs["sheets"]
    with Image.open(built.index.parent / sheet) as image:
        assert image.size == (thumbs["columns"] * thumbs["width"], thumbs["height"])
        light = np.asarray(image.convert("L")).reshape(thumbs["height"], 32, thumbs["width"])
    assert (light.min(axis=(0, 2)) < 100).tolist() == [True] * 16 + [False] * 16


def test_a_review_is_shown(case: Any, tmp_path: Path) -> None:
    table = case.clustering.assignments.copy()
    table["review"] = ["good", "noise", "moved", ""] * 4
    reviewed = dataclasses.replace(case.clustering, assignments=table.sample(frac=1.0))
    result = build_gallery(case.workspace, reviewed, tmp_path / "gallery", examples=1)
    data = data_of(result.index.parent, "syllables")
    assert data["review"] == ["good", "noise", "moved", ""] * 4
    assert data["cluster"] == [0, 1, 2, 3] * 4  # although the table is in another order
