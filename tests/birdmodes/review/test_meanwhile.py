"""Another command changes a workspace between two looks of one: nothing is mixed or lost."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import soundfile

from birdmodes.compare.make import make_comparison
from birdmodes.errors import BusyError, ReviewError, WorkspaceError
from birdmodes.io.locks import is_locked, single_writer
from birdmodes.labels import LabelRequest
from birdmodes.modes.clustering import Clustering, read_clustering, write_clustering
from birdmodes.review import segment
from birdmodes.review.apply_file import apply_review_file
from birdmodes.review.edits import Edit
from birdmodes.review.mended.paint import corrected_paint
from birdmodes.review.segment import SegmentOptions, make_syllables
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.description import write_description
from birdmodes.workspace.folder import LOCK
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

from ..conftest import RATE_HZ, whistles
from .conftest import review_of, small_clustering

MakeEdit = Callable[..., Edit]


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """One, and lists that say two things of it."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    soundfile.write(folder / "a.wav", whistles(1.5, [2000.0], seed=1), RATE_HZ)
    for name in ("Robin", "Wren"):
        (tmp_path / f"{name}.csv").write_text(f"recording,species\na.wav,{name}\n")
    return folder


def labelled_as(name: str, folder: Path) -> SegmentOptions:
    return SegmentOptions(LabelRequest((str(folder / f"{name}.csv"),)))


def test_labels_of_another_run_do_not_give_way_to_those_before(
    recordings: Path, tmp_path: Path
) -> None:
    target = tmp_path / "w"
    make_syllables(recordings, target, labelled_as("Robin", tmp_path))

    def relabel(_: object) -> None:
        make_syllables(recordings, target, labelled_as("Wren", tmp_path))

    for restart in (False, True):
        with pytest.raises(BusyError, match=r"labelled these recordings meanwhile; do this again"):
            make_syllables(recordings, target, on_plan=relabel, restart=restart)
        assert Workspace.open(target).recordings()["species"].to_list() == ["Wren"]
        make_syllables(recordings, target, labelled_as("Robin", tmp_path))


def test_nobody_comes_between_the_parts_of_segment(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "w"
    held = []

    def watched(name: str) -> None:
        real = getattr(segment, name)

        def looked(*arguments: Any, **options: Any) -> Any:
            held.append((name, is_locked(target / LOCK)))
            return real(*arguments, **options)

        monkeypatch.setattr(segment, name, looked)

    parts = ["segment_recordings", "totals", "mend_again"]
    for name in parts:
        watched(name)
    make_syllables(recordings, target, restart=True)
    assert held == [(name, True) for name in parts]
    assert not is_locked(target / LOCK)


def test_what_is_taken_back_in_two_clusterings_is_in_both_or_none_of_those_compared(
    clustered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_clustering(clustered, replace(small_clustering(), name="other"))
    looks: list[str | None] = []

    def read(workspace: Workspace, name: str | None) -> Clustering:
        found = read_clustering(workspace, name)
        looks.append(name)
        if len(looks) == 1:
            for each in ("small-k4", "other"):
                now = read_clustering(workspace, each)
                renamed = now.modes["mode"].replace("Robin mode 1", "Robin song")
                write_clustering(workspace, replace(now, modes=now.modes.assign(mode=renamed)))
        return found

    monkeypatch.setattr("birdmodes.compare.make.read_clustering", read)
    made = make_comparison(clustered, "small-k4", "other")
    names = [set(side.modes["name"]) for side in (made.comparison.first, made.comparison.second)]
    assert names[0] == names[1]
    assert "Robin song" in names[0]
    assert looks == ["small-k4", "other"] * 2


def test_corrections_that_another_has_applied_meanwhile_are_not_there_any_more(
    clustered: Workspace, edit: MakeEdit, monkeypatch: pytest.MonkeyPatch
) -> None:
    pending = clustered.folder / "review" / "pending-small-k4.json"
    pending.parent.mkdir()
    review = review_of(clustered, edit("rename", cluster=0, name="song"))
    pending.write_text(json.dumps(review.to_dict()))

    @contextlib.contextmanager
    def after_another(_: Path) -> Iterator[None]:
        pending.unlink()
        yield

    monkeypatch.setattr("birdmodes.review.apply_file.only_one_review", after_another)
    with pytest.raises(ReviewError, match="has saved nothing for small-k4"):
        apply_review_file(clustered)


def test_boxes_are_not_learned_from_while_somebody_changes_them(clustered: Workspace) -> None:
    with single_writer(clustered.folder / LOCK), pytest.raises(BusyError, match="is writing here"):
        corrected_paint(clustered)


def test_tables_of_other_settings_are_not_read_as_those_of_before(clustered: Workspace) -> None:
    write_description(clustered.folder, Settings(SegmentationParameters(clip_s=5.0)))
    with pytest.raises(WorkspaceError, match=r"clip_s 10\.0 instead of 5\.0"), clustered.reading():
        pass
