"""What labels with times say of the syllables under them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.audio.find import find_recordings
from birdmodes.labels import fit_labels
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.modes.knowledge import Knowledge
from birdmodes.modes.label_knowledge import label_knowledge
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

SYLLABLES = pd.DataFrame(
    [
        ("a", 1.0, 2.0, 1000.0, 2000.0),
        ("a", 5.0, 6.0, 1000.0, 2000.0),
        ("b", 1.0, 2.0, 1000.0, 2000.0),
    ],
    columns=["recording", "start_s", "end_s", "low_hz", "high_hz"],
)


def label(
    start_s: float, end_s: float, species: str, low_hz: float = 0.0, high_hz: float = math.inf
) -> dict[str, Any]:
    return {
        "start_s": start_s, "end_s": end_s, "low_hz": low_hz, "high_hz": high_hz,
        "species": species,
    }  # fmt: skip


def known(*labels: dict[str, Any]) -> Knowledge:
    recordings = pd.DataFrame(
        {
            "recording": ["a", "b"],
            "labelled": [True, True],
            "species": ["Owl;Robin;Wren", "Owl"],
            "timed_labels": [list(labels), None],
        }
    )
    return label_knowledge(recordings, SYLLABLES)


def test_a_box_names_the_syllables_under_it() -> None:
    found = known(label(0.9, 2.1, "Wren", 900.0, 2100.0), label(5.0, 6.0, "Owl", 4000.0, 5000.0))
    assert found.species == {0: "Wren"}
    assert found.denied == {}


def test_boxes_of_two_species_that_fit_alike_leave_both_open() -> None:
    found = known(label(0.9, 2.1, "Wren", 900.0, 2100.0), label(1.0, 2.0, "Robin", 900.0, 2300.0))
    assert found.species == {}
    assert found.denied == {0: {"Owl", ""}}


def test_a_span_leaves_its_species_or_none() -> None:
    found = known(label(0.0, 3.0, "Wren"), label(1.9, 3.0, "Robin"))
    assert found.species == {}
    # the second syllable, which no label touches, stays open
    assert found.denied == {0: {"Owl"}}


def test_less_than_half_a_syllable_in_a_span_says_nothing() -> None:
    assert not known(label(1.6, 3.0, "Wren"))


def test_a_box_goes_before_a_span() -> None:
    found = known(label(0.0, 3.0, "Owl"), label(1.0, 2.0, "Wren", 900.0, 2100.0))
    assert found.species == {0: "Wren"}
    assert found.denied == {}


def test_workspaces_of_earlier_versions_know_nothing() -> None:
    table = pd.DataFrame({"recording": ["a"], "labelled": [True], "species": ["Wren"]})
    assert not label_knowledge(table, SYLLABLES)
    assert not label_knowledge(table.assign(timed_labels=None), SYLLABLES)


def test_what_a_person_corrected_counts_more() -> None:
    labels = Knowledge(species={0: "Wren", 1: "Owl"}, denied={2: {"Owl"}, 3: {"Owl"}})
    review = Knowledge(species={0: "Robin", 2: "Owl"}, denied={1: {"Owl"}, 3: {"Wren"}})
    both = labels.joined(review)
    assert both.species == {0: "Robin", 2: "Owl"}
    assert both.denied == {1: {"Owl"}, 3: {"Owl", "Wren"}}
    assert labels.denied == {2: {"Owl"}, 3: {"Owl"}}


BOXES = 9


@pytest.mark.parametrize("as_syllables", [False, True])
def test_boxed_sounds_of_a_real_recording_carry_their_names(
    shared: Path, tmp_path: Path, as_syllables: bool
) -> None:
    folder = shared / "recordings" / "powdermill"
    (tmp_path / "Recording_1_Segment_07.wav").symlink_to(
        folder / "Recording_1_Segment_07-snippet.wav"
    )
    recordings = find_recordings([tmp_path])
    labels = fit_labels(recordings, [folder / "Recording_1_Segment_07.Table.1.selections.txt"])
    settings = Settings(SegmentationParameters(), boxes_as_syllables=as_syllables)
    workspace = Workspace.prepare(tmp_path / "w", settings)
    segment_recordings(recordings, labels, workspace)
    (boxes,) = workspace.recordings()["timed_labels"]
    assert len(boxes) == BOXES
    found = find_modes(workspace, ClusterOptions(stability_runs=0)).clustering.assignments
    sure = found[found["confidence"] == 1.0]
    named = [
        any(
            row.species == box["species"]
            and row.start_s < box["end_s"]
            and row.end_s > box["start_s"]
            for row in sure.itertuples()
        )
        for box in boxes
    ]
    # two of the nine are heard together with others, or not found
    assert sum(named) == (BOXES if as_syllables else 7)
