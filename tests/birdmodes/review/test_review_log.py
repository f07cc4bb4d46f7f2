from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.errors import ReviewError, WorkspaceError
from birdmodes.modes.clustering import Clustering, read_clustering, read_original, write_clustering
from birdmodes.modes.knowledge import with_knowledge
from birdmodes.modes.summary import PARTS, ClusteringSummary, kept_summary, summary_of
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import apply_review, reapply, store_made, undo_last
from birdmodes.review.knowledge import review_knowledge
from birdmodes.review.log import read_log
from birdmodes.review.matching import match_rows
from birdmodes.workspace.gathering.folder_state import folder_state
from birdmodes.workspace.store import Workspace

from .conftest import clusters, files, review_of, small_bags, small_clustering, store_syllables

MakeEdit = Callable[..., Edit]


def regrouped(cluster: list[int], name: str = "other-k3") -> Clustering:
    """Another method's answer for the same syllables."""
    made = small_clustering()
    species = {0: "Robin", 1: "Wren", 2: "Wren"}
    modes = {0: "Robin mode 1", 1: "Wren mode 1", 2: "Wren mode 2"}
    table = made.assignments.assign(
        cluster=cluster, species=[species[c] for c in cluster], mode=[modes[c] for c in cluster]
    )
    about = made.modes.iloc[:3].assign(
        species=list(species.values()),
        mode=list(modes.values()),
        background=False,
        syllables=[cluster.count(number) for number in range(3)],
    )
    return replace(made, name=name, assignments=table, modes=about)


def summary_made_anew(workspace: Workspace, name: str) -> ClusteringSummary:
    shutil.rmtree(workspace.folder / "gathered")
    return summary_of(workspace, name, [folder_state(workspace.folder / p).digest for p in PARTS])


def test_a_review_is_applied_logged_and_read_back(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    before = files(clustered)
    review = review_of(clustered, edit("move", syllables=ids[3:4], cluster=0))
    result = apply_review(clustered, review)
    assert (result.n_edits, result.batch, result.conflicts) == (1, 1, [])
    now = read_clustering(clustered, "small-k4")
    assert clusters(now) == [0, 0, 0, 0, 1, 2, 2, 3]
    assert now.assignments["review"].tolist() == ["", "", "", "moved", "", "", "", ""]
    assert now.parameters["review"] == {"batches": [1], "conflicts": 0}
    batch = read_log(clustered)[0]
    assert (batch.number, batch.review, batch.undone) == (1, review, False)
    assert files(clustered)["original-assignments.csv"] == before["assignments.csv"]
    assert clusters(read_original(clustered, "small-k4")) == [0, 0, 0, 1, 1, 2, 2, 3]
    assert kept_summary(clustered, "small-k4") == summary_made_anew(clustered, "small-k4")


def test_taking_back_restores_the_very_files(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    before = files(clustered)
    apply_review(clustered, review_of(clustered, edit("move", syllables=ids[3:4], cluster=0)))
    between = files(clustered)
    apply_review(clustered, review_of(clustered, edit("rename", cluster=0, name="song")))
    undone = undo_last(clustered)
    names = [reviewed.clustering.name for reviewed in undone.reviewed]
    assert (undone.batch.number, names) == (2, ["small-k4"])
    assert files(clustered) == between
    undo_last(clustered)
    assert files(clustered) == before
    assert [b.undone for b in read_log(clustered)] == [True, True], "nothing is lost"
    with pytest.raises(ReviewError, match="no corrections to take back"):
        undo_last(clustered)


def test_two_batches_do_what_one_does(
    clustered: Workspace, edit: MakeEdit, ids: list[str], tmp_path: Path
) -> None:
    edits = [
        edit("merge", clusters=[0, 1]),
        edit("split", cluster=0, groups=[ids[:3], ids[3:5]], new_clusters=[4]),
        edit("rename", cluster=4, name="call"),
        edit("mark", syllables=ids[:1], as_="noise"),
    ]
    other = store_syllables(tmp_path / "other")
    write_clustering(other, small_clustering())
    apply_review(clustered, review_of(clustered, *edits[:2]))
    apply_review(clustered, review_of(clustered, *edits[2:]))
    apply_review(other, review_of(other, *edits))
    one, two = (read_clustering(w, "small-k4") for w in (other, clustered))
    pd.testing.assert_frame_equal(one.assignments, two.assignments)
    pd.testing.assert_frame_equal(one.modes, two.modes)


def test_the_same_edits_are_not_applied_twice(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    review = review_of(clustered, edit("move", syllables=ids[3:4], cluster=0))
    apply_review(clustered, review)
    assert apply_review(clustered, review).n_edits == 0
    assert len(read_log(clustered)) == 1


def test_a_file_that_has_grown_is_gone_on_with(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    first = [
        edit("new-mode", cluster=4, species="Owl", name="", syllables=ids[7:]),
        edit("mark", syllables=ids[:1], as_="noise"),
    ]
    review = review_of(clustered, *first)
    apply_review(clustered, review)  # noise has become cluster 5
    later = [
        edit("new-mode", cluster=5, species="Owl", name="hoot", syllables=ids[6:7]),
        edit("rename", cluster=4, name="song"),
    ]
    result = apply_review(clustered, replace(review, edits=(*first, *later)))
    assert (result.n_edits, result.conflicts) == (2, [])
    table = result.clustering.assignments
    assert table["mode"].tolist()[6:] == ["Owl hoot", "Owl song"]
    assert table["cluster"].tolist() == [5, 0, 0, 1, 1, 2, 6, 4]


def test_a_killed_run_is_finished_by_the_next(
    clustered: Workspace, edit: MakeEdit, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    review = review_of(clustered, edit("move", syllables=ids[3:4], cluster=0))

    def die(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("birdmodes.review.history.write_clustering", die)
        with pytest.raises(KeyboardInterrupt):
            apply_review(clustered, review)
    assert clusters(read_clustering(clustered)) == [0, 0, 0, 1, 1, 2, 2, 3]
    apply_review(clustered, review)
    assert clusters(read_clustering(clustered)) == [0, 0, 0, 0, 1, 2, 2, 3]
    assert len(read_log(clustered)) == 1


def test_a_dry_run_writes_nothing(clustered: Workspace, edit: MakeEdit, ids: list[str]) -> None:
    review = review_of(clustered, edit("move", syllables=ids[3:4], cluster=0))
    before = sorted(path for path in clustered.folder.rglob("*") if path.is_file())
    result = apply_review(clustered, review, dry_run=True)
    assert clusters(result) == [0, 0, 0, 0, 1, 2, 2, 3]
    assert sorted(path for path in clustered.folder.rglob("*") if path.is_file()) == before


def test_a_pending_file_is_put_away_unless_more_was_saved_since(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    review = review_of(clustered, edit("move", syllables=ids[3:4], cluster=0))
    pending = clustered.folder / "review" / "pending-small-k4.json"
    pending.parent.mkdir()
    more = replace(review, edits=(*review.edits, edit("rename", cluster=0, name="x")))
    pending.write_text(json.dumps(more.to_dict()))
    apply_review(clustered, review, file=pending)
    assert pending.exists()
    apply_review(clustered, more, file=pending)
    assert not pending.exists()
    kept = clustered.folder / "review" / "applied" / "2-small-k4.json"
    assert json.loads(kept.read_text()) == more.to_dict()


def test_a_review_of_an_earlier_state_still_counts(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    """Two people correct the same gallery."""
    one = review_of(
        clustered, edit("new-mode", cluster=4, species="Owl", name="", syllables=ids[7:])
    )
    other = review_of(
        clustered, edit("split", cluster=0, groups=[ids[:2], ids[2:3]], new_clusters=[4])
    )
    apply_review(clustered, one)
    result = apply_review(clustered, other)
    assert not result.conflicts
    assert clusters(result) == [0, 0, 5, 1, 1, 2, 2, 4]


def test_a_review_of_an_unknown_state_is_refused(clustered: Workspace, edit: MakeEdit) -> None:
    review = Review("small-k4", "0" * 64, "", (edit("rename", cluster=0, name="x"),))
    with pytest.raises(ReviewError, match="not kept in"):
        apply_review(clustered, review)
    assert read_log(clustered) == []


def test_a_review_of_no_clustering_is_refused(clustered: Workspace, edit: MakeEdit) -> None:
    review = Review("none", "0" * 64, "", (edit("rename", cluster=0, name="x"),))
    with pytest.raises(WorkspaceError, match="there are: small-k4"):
        apply_review(clustered, review)


def test_one_writer_at_a_time(clustered: Workspace, edit: MakeEdit) -> None:
    review = review_of(clustered, edit("rename", cluster=0, name="x"))
    other = Workspace.open(clustered.folder)
    with other.writing(), pytest.raises(WorkspaceError, match="another birdmodes command"):
        apply_review(clustered, review)


def test_a_damaged_log_is_named(clustered: Workspace) -> None:
    log = clustered.folder / "review" / "log.jsonl"
    log.parent.mkdir()
    log.write_text('{"applied_at": "x"}\n')
    with pytest.raises(ReviewError, match=r"log\.jsonl: line 1: damaged"):
        read_log(clustered)


def test_corrections_are_carried_over_to_another_clustering(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    apply_review(
        clustered,
        review_of(
            clustered,
            edit("rename", cluster=0, name="song"),
            edit("rename", cluster=2, name="trill"),
            edit("merge", clusters=[0, 1]),
            edit("move", syllables=ids[7:], cluster=2),
            edit("mark", syllables=ids[4:5], as_="noise"),
        ),
    )
    # Both Robin modes lie in one cluster, of which each is no more than half; the Wrens lie apart.
    result = reapply(clustered, regrouped([0, 0, 0, 0, 0, 0, 1, 2]))
    assert [str(conflict) for conflict in result.conflicts] == [
        "rename: Robin mode 1 (cluster 0) is a part of Robin mode 1 (cluster 0) now",
        "rename: the syllables of Wren mode 1 (cluster 2) are spread over 2 clusters now",
        "move: the syllables of Wren trill (cluster 2) are spread over 2 clusters now",
    ]
    assert clusters(result) == [0, 0, 0, 0, 3, 0, 1, 2]
    assert result.clustering.parameters["review"] == {"batches": [1], "conflicts": 3}


def test_match_by_name_and_box_else_by_overlap() -> None:
    then = small_clustering().assignments
    now = then.copy()
    now["start_s"] += 0.1
    now["end_s"] += 0.1
    now["syllable"] = now["syllable"].iloc[::-1].to_numpy()
    # The names have been exchanged: boxes of 0.5 s that share 0.4 s have an overlap of 0.4 / 0.6.
    assert match_rows(then, now).tolist() == list(range(8))
    now["start_s"] += 0.1  # 0.3 / 0.7 is below one half
    now["end_s"] += 0.1
    assert match_rows(then, now).tolist() == [-1] * 8
    assert match_rows(then, then.iloc[::-1]).tolist() == list(range(7, -1, -1))
    assert match_rows(then, then.iloc[:0]).tolist() == [-1] * 8


def test_the_log_survives_segmenting_anew(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    apply_review(
        clustered,
        review_of(
            clustered,
            edit("rename", cluster=1, name="call"),
            edit("mark", syllables=ids[:1], as_="good"),
        ),
    )
    again = store_syllables(clustered.folder, shift_s=0.1, restart=True)
    made = small_clustering()
    made.assignments[["start_s", "end_s"]] += 0.1
    result = reapply(again, made)
    assert not result.conflicts
    assert result.clustering.assignments["mode"].tolist()[3] == "Robin call"
    assert result.clustering.assignments["review"].tolist()[0] == "good"


def test_a_good_example_in_a_foreign_mode_goes_back(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    apply_review(clustered, review_of(clustered, edit("mark", syllables=ids[2:3], as_="good")))
    result = reapply(clustered, regrouped([0, 0, 1, 2, 2, 1, 1, 1]))
    assert clusters(result) == [0, 0, 0, 2, 2, 1, 1, 1]
    assert result.clustering.assignments["review"].tolist()[2] == "good"


def test_storing_a_new_run_keeps_the_state_that_it_replaces(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    review = review_of(clustered, edit("rename", cluster=0, name="song"))
    made = regrouped([1, 1, 1, 0, 0, 2, 2, 2], "small-k4")
    store_made(clustered, made, reapply(clustered, made).clustering)
    result = apply_review(clustered, review)
    assert result.clustering.assignments["mode"].tolist()[0] == "Wren song"


def test_knowledge_of_syllables(clustered: Workspace, edit: MakeEdit, ids: list[str]) -> None:
    apply_review(
        clustered,
        review_of(
            clustered,
            edit("mark", syllables=ids[:1], as_="good"),
            edit("move", syllables=ids[7:], cluster=2),
            edit("mark", syllables=ids[5:6], as_="noise"),
            edit("mark", syllables=ids[4:5], as_="not-species", species="Robin"),
            edit("species", cluster=1, species="Owl"),
        ),
    )
    known = review_knowledge(clustered)
    assert known.species == {0: "Robin", 7: "Wren", 5: ""}
    assert known.denied == {4: {"Robin"}}
    assert known.mode == {0: (1, 0), 7: (1, 2)}
    assert known.summary() == {
        "species_known": 2, "noise_known": 1, "not_of_species": 1, "modes_known": 2,
    }  # fmt: skip
    bags = with_knowledge(small_bags(), known)
    assert bags.known is not None
    assert bags.known.may_be.astype(int).tolist() == [
        [1, 0, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0],
    ]  # fmt: skip
    assert bags.known.mode.tolist() == [0, -1, -1, -1, -1, -1, -1, 1]
    apply_review(clustered, review_of(clustered, edit("mark", syllables=ids[:1], as_="none")))
    assert review_knowledge(clustered).species == {7: "Wren", 5: ""}
    undo_last(clustered)
    undo_last(clustered)
    assert not review_knowledge(clustered).species


def test_merged_and_split_modes_are_known_as_a_whole(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    apply_review(
        clustered,
        review_of(
            clustered,
            edit("split", cluster=0, groups=[ids[:2], ids[2:3]], new_clusters=[4]),
            edit("merge", clusters=[4, 1]),
        ),
    )
    known = review_knowledge(clustered)
    assert known.mode == {0: (1, 0), 1: (1, 0), 2: (1, 4), 3: (1, 4), 4: (1, 4)}
    assert not known.species, "nobody has looked at each of them"


def test_a_species_that_nobody_listed_becomes_a_class(
    clustered: Workspace, edit: MakeEdit, ids: list[str]
) -> None:
    owl = edit("new-mode", cluster=4, species="Owl", name="", syllables=ids[7:])
    apply_review(clustered, review_of(clustered, owl))
    bags = with_knowledge(small_bags(), review_knowledge(clustered))
    assert bags.class_names == ("Owl", "Robin", "Wren")
    assert bags.labels.tolist()[2] == [False, True, True]
    assert bags.known is not None
    assert np.flatnonzero(bags.known.may_be[7]).tolist() == [0]
