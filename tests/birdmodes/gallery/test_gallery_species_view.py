"""The page of a species as it is written, for what the small built gallery does not have."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery.example_files import ExampleFiles
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.pages import write_pages
from birdmodes.gallery.plan import PagePlan, make_plan
from birdmodes.gallery.words.species_view import cluster_links, page_view
from birdmodes.io.files import safe_name
from birdmodes.modes.co_occurrence import Companion
from birdmodes.workspace.store import Workspace


def material_of(plans: list[PagePlan], clip: str | None = "clip-1") -> Material:
    """Names of files that nobody made."""
    examples = {
        (syllable, plan.scale): ExampleFiles("pictures/p.webp", "M0 0h1", clip, 2.5)
        for plan in plans
        for mode in plan.modes
        for syllable in mode.examples["syllable"]
    }
    means = {mode.cluster: "pictures/m.webp" for plan in plans for mode in plan.modes}
    return Material(examples, means)


def words(folder: Path, name: str) -> str:
    """Text of a species' page, without its elements."""
    content = (folder / "species" / f"{safe_name(name)}.html").read_text(encoding="utf-8")
    main = content[content.index("<main") :]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", main)))


@pytest.fixture
def known_places(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two recordings are of two sites 22 km apart, the others of none known."""
    table = case.workspace.recordings()
    table["latitude"] = [60.1, 59.9, np.nan, np.nan]
    table["longitude"] = [10.0, 10.0, np.nan, np.nan]
    monkeypatch.setattr(Workspace, "recordings", lambda self: table.copy())


@pytest.mark.usefixtures("known_places")
def test_sites_are_shown_where_they_are_known(case: Any, tmp_path: Path, script_name: str) -> None:
    plans = make_plan(case.workspace, case.clustering, 3)
    write_pages(tmp_path, case.workspace, case.clustering, plans, material_of(plans))
    text = words(tmp_path, script_name)
    assert "Place known for 4 of 8 syllables" in text
    # 3 s of recordings each, 2 syllables of the species in each
    site = "60.100° N, 10.000° E: 2 syllables in 3 s of recordings, 2,400 per hour"
    assert site in text
    assert "60.100° N, 10.000° E 1 of 1 3 s 2 2,400" in text  # the table
    assert "When and where" in text


def test_nothing_is_said_of_sites_where_none_is_known(
    case: Any, tmp_path: Path, script_name: str
) -> None:
    plans = make_plan(case.workspace, case.clustering, 3)
    write_pages(tmp_path, case.workspace, case.clustering, plans, material_of(plans))
    assert "Site" not in words(tmp_path, script_name)


def test_companions_are_named_and_linked_on_their_pages(case: Any, script_name: str) -> None:
    plans = make_plan(case.workspace, case.clustering, 3)
    mode = plans[0].modes[0]
    mode.companions.extend(Companion(2, 4, 3, 1.25, 0.0004) for _ in range(7))
    view = page_view(case.workspace, plans[0], material_of(plans), "", cluster_links(plans))
    shown = view.modes[0]
    assert len(shown.companions) == 6
    assert shown.more_companions == 1
    row = shown.companions[0]
    assert row.link.name == "Wren mode 1"
    assert row.link.address == f"species/{safe_name('Wren')}.html#cluster-2"
    assert (row.together, row.expected, row.q_value) == ("3", "1.2", "< 0.001")
    assert view.modes[1].candidates[0].is_own
    assert view.modes[1].candidates[0].species == script_name


def test_the_player_is_told_what_to_play(case: Any) -> None:
    plans = make_plan(case.workspace, case.clustering, 3)
    view = page_view(case.workspace, plans[0], material_of(plans), "", cluster_links(plans))
    heard = view.modes[0].examples[0].hearing
    assert heard is not None
    # the tone of 2 kHz at 0.5 s, 0.2 s long; 0.15 s before and after
    assert heard.from_s == pytest.approx(0.35, abs=0.02)
    assert heard.to_s == pytest.approx(0.85, abs=0.02)
    assert heard.low_hz < 2000 < heard.high_hz
    assert (heard.clip, heard.gain) == ("clip-1", 2.5)


def test_an_example_without_sound_is_a_picture_with_a_name(case: Any, tmp_path: Path) -> None:
    plans = make_plan(case.workspace, case.clustering, 3)
    material = material_of(plans, clip=None)
    write_pages(tmp_path, case.workspace, case.clustering, plans, material)
    path = tmp_path / "species" / f"{safe_name('Wren')}.html"
    content = path.read_text(encoding="utf-8")
    assert 'class="play"' not in content
    assert 'alt="Spectrogram of Wren mode 1, ' in content
    assert content.count("no sound: recording not available") == 3


def test_groups_without_examples_have_no_heading(case: Any) -> None:
    table = pd.DataFrame(case.clustering.assignments)
    assert (table.groupby("cluster").size() == 4).all()
    plans = make_plan(case.workspace, case.clustering, 3)
    view = page_view(case.workspace, plans[0], material_of(plans), "", cluster_links(plans))
    assert [(group.name, len(group.figures)) for group in view.modes[0].groups] == [
        ("central", 3), ("edge", 1),
    ]  # fmt: skip
    assert view.cover is view.modes[0].examples[0]
