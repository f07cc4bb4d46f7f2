"""Corrections where something is damaged, killed, or not as it was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from birdmodes.errors import DamagedError, ReviewError
from birdmodes.modes.clustering import read_clustering, write_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.edits import Edit
from birdmodes.review.history import apply_review, undo_last
from birdmodes.review.log import base_table, keep_base, read_base, read_log
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.store import Workspace

from .conftest import clusters, files, review_of, small_clustering

MakeEdit = Callable[..., Edit]


def test_a_blank_line_in_the_log_does_not_shift_what_is_taken_back(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    apply_review(clustered, review_of(clustered, edit("move", syllables=ids[3:4], cluster=0)))
    apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name="song")))
    log = clustered.folder / "review" / "log.jsonl"
    for content in (
        log.read_text().replace("\n", "\n\n", 1),
        # as an earlier version wrote it, where the number was that of the line
        "\n" + log.read_text().replace('"number": 1, ', "").replace('"number": 2, ', ""),
    ):
        log.write_text(content)
        assert [batch.number for batch in read_log(clustered)] == [1, 2]
    undone = undo_last(clustered)
    assert (undone.batch.number, len(undone.reviewed)) == (2, 1)
    assert read_clustering(clustered).assignments["mode"][0] == "Robin mode 1"
    apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name="call")))
    assert [batch.number for batch in read_log(clustered)] == [1, 2, 3]


def test_a_log_with_two_batches_of_one_number_is_damaged(
    clustered: Workspace, edit: MakeEdit
) -> None:
    apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name="song")))
    log = clustered.folder / "review" / "log.jsonl"
    log.write_text(log.read_text() * 2)
    with pytest.raises(ReviewError, match=r"log\.jsonl: line 2: damaged \(a batch with"):
        read_log(clustered)


@pytest.mark.parametrize("killed_at", ["write_clustering", "write_log"])
def test_taking_back_that_is_killed_is_finished_by_the_next(
    clustered: Workspace,
    edit: MakeEdit,
    ids: list[str],
    killed_at: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apply_review(clustered, review_of(clustered, edit("rename", cluster=2, name="trill")))
    between = files(clustered)
    apply_review(clustered, review_of(clustered, edit("move", syllables=ids[3:4], cluster=0)))

    def die(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"birdmodes.review.history.{killed_at}", die)
        with pytest.raises(KeyboardInterrupt):
            undo_last(clustered)
    assert undo_last(clustered).batch.number == 2, "not the one before it"
    assert files(clustered) == between
    assert [batch.undone for batch in read_log(clustered)] == [False, True]


def test_a_log_that_has_lost_a_batch_of_the_clustering_is_damaged(
    clustered: Workspace, edit: MakeEdit
) -> None:
    for name in ("song", "call"):
        apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name=name)))
    log = clustered.folder / "review" / "log.jsonl"
    log.write_text(log.read_text().split("\n")[0] + "\n")
    with pytest.raises(DamagedError, match=r"log\.jsonl: damaged \(batch 2, which small-k4 has"):
        undo_last(clustered)
    with pytest.raises(DamagedError, match="batch 2"):
        apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name="x")))
    assert clusters(read_clustering(clustered)) == [0, 0, 0, 1, 1, 2, 2, 3]


def test_a_batch_that_the_log_has_lost_is_never_taken_for_a_new_one(
    clustered: Workspace, edit: MakeEdit
) -> None:
    write_clustering(clustered, replace(small_clustering(), name="other"))
    for name in ("song", "call"):
        apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name=name)))
    log = clustered.folder / "review" / "log.jsonl"
    log.write_text(log.read_text().split("\n")[0] + "\n")
    of_other = replace(
        review_of(clustered, edit("rename", cluster=0, name="x")),
        clustering="other",
        base=assignments_digest(read_clustering(clustered, "other").assignments),
    )
    assert apply_review(clustered, of_other).batch == 3
    assert undo_last(clustered).batch.number == 3
    kept = read_clustering(clustered, "small-k4")
    assert kept.assignments["mode"][0] == "Robin call", "what the other one had is not in this one"


def test_what_was_applied_stays_as_it_was_given_though_the_log_begins_anew(
    clustered: Workspace, edit: MakeEdit, tmp_path: Path
) -> None:
    file = tmp_path / "review.json"
    for name in ("song", "call"):
        review = review_of(clustered, edit("rename", cluster=0, name=name))
        file.write_text(json.dumps(review.to_dict()))
        apply_review(clustered, review, file=file)
        # begun anew, as it is said of one that is damaged
        (clustered.folder / "review" / "log.jsonl").unlink()
        shutil.rmtree(clustered.folder / "clusterings")
        write_clustering(clustered, small_clustering())
    kept = sorted((clustered.folder / "review" / "applied").iterdir())
    assert [json.loads(path.read_text())["edits"][0]["name"] for path in kept] == ["song", "call"]


def test_one_damaged_clustering_does_not_stop_taking_back_from_others(
    clustered: Workspace, edit: MakeEdit
) -> None:
    write_clustering(clustered, replace(small_clustering(), name="bad"))
    apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name="song")))
    (clustered.folder / "clusterings" / "bad" / "modes.csv").write_text("rubbish\n")
    undone = undo_last(clustered)
    assert [reviewed.clustering.name for reviewed in undone.reviewed] == ["small-k4"]
    (line,) = undone.damaged
    assert "bad/modes.csv: damaged" in line


def test_labels_may_gain_a_species_after_clustering(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    made = small_clustering()
    theta = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])
    model = {
        "cluster_centres": np.zeros((4, len(FEATURE_NAMES))),
        "cluster_species_probability": theta,
        "class_names": np.array(["Robin", "Wren"]),
    }
    write_clustering(clustered, replace(made, model=model))
    row = clustered.recordings().set_index("recording").loc["d.wav"].dropna().to_dict()
    clustered.commit({**row, "recording": "d.wav", "species": "Wren;Blackbird"}, None)
    review = review_of(clustered, edit("move", syllables=ids[3:4], cluster=0))
    result = apply_review(clustered, review)
    assert clusters(result) == [0, 0, 0, 0, 1, 2, 2, 3]
    now = read_clustering(clustered).model
    assert now["class_names"].tolist() == ["Robin", "Wren", "Blackbird"]
    probability = now["cluster_species_probability"]
    np.testing.assert_allclose(probability[2:], [[0.3, 0.7, 0.0], [0.5, 0.5, 0.0]])
    np.testing.assert_allclose(probability[:2].sum(axis=1), 1.0)
    undo_last(clustered)
    assert read_clustering(clustered).model["class_names"].tolist() == ["Robin", "Wren"]


def test_a_damaged_base_is_named_and_written_anew_where_its_state_is_known(
    clustered: Workspace, edit: MakeEdit
) -> None:
    apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name="song")))
    base = base_table(small_clustering())
    digest = keep_base(clustered, base)
    path = clustered.folder / "review" / "bases" / f"{digest}.parquet"
    whole = path.read_bytes()
    other = base.assign(cluster=0)
    for damage in (b"", whole[:500], b"\xff" * 99, None):
        path.write_bytes(damage or b"")
        if damage is None:
            other.to_parquet(path)  # a table, but of another state
        with pytest.raises(DamagedError, match=rf"{digest}\.parquet: damaged \(.*\); put it back"):
            read_base(clustered, digest)
    keep_base(clustered, base)
    kept = read_base(clustered, digest)
    assert kept is not None
    assert kept["mode"].tolist() == base["mode"].tolist()
