"""The page of a species as it is written, for what the small built gallery does not have."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery.pages import make_views, write_pages
from birdmodes.gallery.words.species_view import (
    PageView,
    TimesAndPlaces,
    cluster_links,
    page_view,
)
from birdmodes.io.files import safe_name
from birdmodes.modes.co_occurrence import Companion
from birdmodes.workspace.store import Workspace

from .conftest import material_of, planned


def words(folder: Path, name: str) -> str:
    """Text of a species' page, without its elements."""
    content = (folder / "species" / f"{safe_name(name)}.html").read_text(encoding="utf-8")
    main = content[content.index("<main") :]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", main)))


def write(case: Any, folder: Path, clip: str | None = "clip-1") -> None:
    """All pages, with pictures and sounds that nobody made."""
    plans, windows = planned(case.workspace, case.clustering)
    material = material_of(plans, clip)
    views = make_views(case.workspace, plans, material, windows)
    write_pages(folder, case.workspace, case.clustering, views, material, windows)


def first_view(case: Any) -> PageView:
    plans, windows = planned(case.workspace, case.clustering)
    return page_view(
        plans[0],
        material_of(plans),
        windows,
        TimesAndPlaces.of(case.workspace),
        cluster_links(plans),
    )


@pytest.fixture
def known_places(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two recordings are of two sites 22 km apart, the others of none known."""
    table = case.workspace.recordings()
    table["latitude"] = [60.1, 59.9, np.nan, np.nan]
    table["longitude"] = [10.0, 10.0, np.nan, np.nan]
    monkeypatch.setattr(Workspace, "recordings", lambda self: table.copy())


@pytest.mark.usefixtures("known_places")
def test_sites_are_shown_where_they_are_known(case: Any, tmp_path: Path, script_name: str) -> None:
    write(case, tmp_path)
    text = words(tmp_path, script_name)
    assert "Place known for 4 of 8 syllables" in text
    # 3 s of recordings each, 2 syllables of the species in each
    site = "60.100° N, 10.000° E: 2 syllables in 3 s of recordings, 2,400 per hour"
    assert site in text
    assert "60.100° N, 10.000° E 1 of 1 3 s 2 2,400" in text  # the table
    assert "when, where; what it occurs with" in text


def test_nothing_is_said_of_sites_where_none_is_known(
    case: Any, tmp_path: Path, script_name: str
) -> None:
    write(case, tmp_path)
    assert "Site" not in words(tmp_path, script_name)


@pytest.mark.parametrize("k_from", ["candidates", "auto"])
def test_candidates_and_continua_are_called_so_on_the_first_page_and_the_species(
    case: Any, tmp_path: Path, script_name: str, k_from: str
) -> None:
    case.clustering.parameters.update(
        k_from=k_from,
        continua=[script_name] if k_from == "auto" else [],
        k_per_species={script_name: 3},
    )
    write(case, tmp_path)
    said = "candidates to merge by ear" if k_from == "candidates" else "a continuum, cut in three"
    assert said.capitalize() in words(tmp_path, script_name)
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    if k_from == "auto":
        assert index.count(said) == 1
    else:
        assert index.count("Modes are candidates, to merge by ear.") == 1
        n_species = index.count('class="species-row"')
        assert len(re.findall(r"\d candidates? ·", index)) == n_species


def test_companions_are_named_and_linked_on_their_pages(case: Any, script_name: str) -> None:
    plans, windows = planned(case.workspace, case.clustering)
    mode = plans[0].modes[0]
    mode.companions.extend(Companion(2, 4, 3, 1.25, 0.0004) for _ in range(7))
    view = page_view(
        plans[0],
        material_of(plans),
        windows,
        TimesAndPlaces.of(case.workspace),
        cluster_links(plans),
    )
    shown = view.modes[0]
    assert len(shown.companions) == 6
    assert shown.more_companions == 1
    row = shown.companions[0]
    assert row.link.name == "Wren A"
    assert row.link.address == f"species/{safe_name('Wren')}.html#cluster-2"
    assert (row.together, row.expected, row.q_value) == ("3", "1.2", "< 0.001")
    assert view.modes[1].candidates[0].is_own
    assert view.modes[1].candidates[0].species == script_name


def test_the_player_is_told_what_to_play(case: Any) -> None:
    heard = first_view(case).modes[0].examples[0].hearing
    assert heard is not None
    # the tone of 2 kHz at 0.5 s, 0.2 s long; 0.04 s before and after
    assert heard.syllable == pytest.approx((0.46, 0.74), abs=0.02)
    # it stands in no series: half a second before and after, as far as there is a clip
    assert heard.series == pytest.approx((0.0, 1.2), abs=0.02)
    assert heard.series_name == "1 s around"
    assert heard.context == (0.0, 3.0)
    assert heard.low_hz < 2000 < heard.high_hz
    assert (heard.clip, heard.gain) == ("clip-1", 2.5)


def test_boxes_lie_where_the_syllable_is(case: Any) -> None:
    example = first_view(case).modes[0].examples[0]
    # 3 s from 0 to 10 kHz; the tone is at 0.5 to 0.7 s, between 1.79 and 2.17 kHz, and the box
    # leaves 80 Hz around it
    box = example.context.box
    assert (box.left, box.width) == pytest.approx((100 * 0.5 / 3, 100 * 0.2 / 3), abs=0.4)
    assert box.top == pytest.approx(100 * (10 - 2.25) / 10, abs=0.3)
    assert box.height == pytest.approx(100 * (0.388 + 0.16) / 10, abs=0.3)
    # the small picture shows the first two of the three seconds
    assert example.crop == 0
    assert example.tile.box.left == pytest.approx(100 * 0.5 / 2, abs=0.4)
    assert example.tile.width_s == 2.0
    # the close-up 0.8 s around it, and 4 kHz from the ground
    left, top, width, height = map(float, example.close_up.split())
    assert (width, height) == pytest.approx((1000 * 0.8 / 3, 400), abs=0.1)
    assert top == pytest.approx(600, abs=0.1)
    assert left == pytest.approx(1000 * (0.6 - 0.4) / 3, abs=8)
    assert example.close.box.left == pytest.approx(100 * (0.4 - 0.1) / 0.8, abs=1)


def test_an_example_without_sound_is_a_picture_with_a_name(case: Any, tmp_path: Path) -> None:
    write(case, tmp_path, clip=None)
    path = tmp_path / "species" / f"{safe_name('Wren')}.html"
    content = path.read_text(encoding="utf-8")
    assert '<button type="button" class="spec' not in content
    assert 'role="img" aria-label="Spectrogram of Wren A, ' in content
    assert content.count("no sound: recording not available") == 3


def test_the_first_examples_are_in_sight_and_the_others_are_folded_away(case: Any) -> None:
    table = pd.DataFrame(case.clustering.assignments)
    assert (table.groupby("cluster").size() == 4).all()
    mode = first_view(case).modes[0]
    kinds = [(group.name, len(group.figures)) for group in mode.groups]
    assert kinds == [("clear", 3), ("edge", 1)]
    assert [(group.name, len(group.figures)) for group in mode.more] == [("edge", 1)]
