"""Parts of clusterings that are too large to be shown."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.io.stored import read_array_rows, write_arrays
from birdmodes.modes.clustering import Clustering, write_clustering
from birdmodes.modes.sample import _drawn, _held, sampled
from birdmodes.workspace.store import Workspace


def test_some_rows_of_stored_arrays_are_those_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.io.stored._READ_BYTES", 100)  # several parts
    rng = np.random.default_rng(0)
    arrays = {
        "long": rng.standard_normal((50, 3)).astype(np.float32),
        "by_column": np.asfortranarray(rng.standard_normal((50, 2))),
        "short": rng.standard_normal((4, 3)),
        "text": np.array("one text"),
        "names": np.array(["a", "bcd"]),
        "none": np.zeros((0, 3)),
    }
    write_arrays(tmp_path / "x.npz", arrays)
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        kinds = {each.filename: each.compress_type for each in archive.infolist()}
    assert kinds["long.npy"] == zipfile.ZIP_STORED  # such numbers hardly get smaller
    assert kinds["text.npy"] == zipfile.ZIP_DEFLATED
    rows = np.array([0, 7, 8, 30, 49])
    found = read_array_rows(tmp_path / "x.npz", "", rows, 50)
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        wanted = array[rows] if name in ("long", "by_column") else array
        np.testing.assert_array_equal(found[name], wanted)


def test_every_mode_is_among_the_recordings_that_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("birdmodes.modes.sample.MOST_SYLLABLES", 60)
    common = pd.DataFrame({"recording": np.repeat([f"{n:03d}" for n in range(200)], 5)})
    common["cluster"] = 0
    rare = pd.DataFrame({"recording": ["x", "x", "y"], "cluster": [1, 2, 3]})
    chosen = _drawn(*_held([common, rare]))
    assert {"x", "y"} <= chosen
    assert len(chosen) == 2 + 12  # which bring it to 60 syllables
    assert chosen == _drawn(*_held([rare, common])), "drawn by the names alone"


@pytest.mark.parametrize(("most", "drawn"), [(1, 3), (5, 5), (1000, 202)])
def test_so_many_recordings_are_drawn_as_pages_can_be_made_of(
    most: int, drawn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.modes.sample.MOST_RECORDINGS", most)
    common = pd.DataFrame({"recording": [f"{n:03d}" for n in range(200)], "cluster": 0})
    rare = pd.DataFrame({"recording": ["x", "x", "y"], "cluster": [1, 2, 3]})
    chosen = _drawn(*_held([common, rare]))
    assert {"x", "y"} <= chosen
    assert len(chosen) == drawn


@pytest.mark.parametrize(
    ("middling", "most_recordings", "many", "shown"),
    [
        (8, 2, 100, 2),  # of a size between, in too many recordings
        (8, 4, 100, None),  # in few
        (9, 2, 100, None),  # few syllables, in however many recordings
        (8, 4, 7, 2),  # many, in however few
    ],
)
def test_a_sample_is_shown_where_all_would_take_longer(
    middling: int,
    most_recordings: int,
    many: int,
    shown: int | None,
    make_workspace: Callable[..., Workspace],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace = make_workspace(*[(f"{name}.wav", [[0, 0]], "Wren") for name in "abcd"])
    boxes = ["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]
    rows = workspace.syllables(boxes).assign(
        cluster=0, species="Wren", mode="Wren mode 1", confidence=1.0, centrality=1.0,
        recorded_at="", review="",
    )  # fmt: skip
    modes = pd.DataFrame(
        {
            "cluster": [0], "species": "Wren", "mode": "Wren mode 1", "background": False,
            "syllables": 8, "recordings": 4, "confidence": 1.0, "consistency": 1.0, "p_value": 1.0,
        }
    )  # fmt: skip
    write_clustering(workspace, Clustering("all", rows, modes, {}, {}))
    monkeypatch.setattr("birdmodes.modes.sample.MOST_SYLLABLES", 4)
    monkeypatch.setattr("birdmodes.modes.sample.MIDDLING", middling)
    monkeypatch.setattr("birdmodes.modes.sample.MOST_RECORDINGS", most_recordings)
    monkeypatch.setattr("birdmodes.modes.sample.MANY", many)
    found = sampled(workspace, "all")
    if shown is None:
        assert found is None
        return
    assert found is not None
    part, clustering = found
    assert len(part.recordings()) == clustering.assignments["recording"].nunique() == shown
    assert clustering.sample_of is not None
    assert (clustering.sample_of.syllables, clustering.sample_of.recordings) == (8, 4)
