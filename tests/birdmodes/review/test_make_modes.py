"""All of ``cluster`` as one function: under the lock, with corrections, nothing in vain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from birdmodes.errors import BusyError, DamagedError, ReviewError, TruthError
from birdmodes.modes.clustering import clustering_names, read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.find import ClusterOptions
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import apply_review
from birdmodes.review.make import make_modes
from birdmodes.workspace.store import Workspace

MakeWorkspace = Callable[..., Workspace]
MakeEdit = Callable[..., Edit]

OPTIONS = ClusterOptions(k=3, stability_runs=0)


@pytest.fixture
def birds(make_workspace: MakeWorkspace) -> Workspace:
    """Robins with one kind of sound, Wrens with two."""
    robin, wren = ([[0, 0, 0]], "Robin"), ([[1, 1, 2]], "Wren")
    return make_workspace(*((f"{n}.wav", *(robin if n % 2 else wren)) for n in range(8)))


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be clustered."""

    def compute(*args: object, **kwargs: object) -> None:
        pytest.fail("computed in vain")

    monkeypatch.setattr("birdmodes.review.make.find_modes", compute)


def correct(workspace: Workspace, name: str, edit: Edit) -> None:
    base = assignments_digest(read_clustering(workspace, name).assignments)
    apply_review(workspace, Review(name, base, "Ana", (edit,)))


def test_modes_are_found_corrected_as_before_scored_and_stored(
    birds: Workspace, edit: MakeEdit, tmp_path: Path
) -> None:
    steps: list[str] = []
    first = make_modes(birds, OPTIONS, on_step=steps.append)
    assert first.folder == birds.folder / "clusterings" / "ldc-k3"
    assert steps[-1] == "how good the clustering is"
    assert set(first.clustering.modes["species"]) == {"Robin", "Wren"}
    robin = first.clustering.modes.set_index("species").loc["Robin", "cluster"]
    correct(birds, "ldc-k3", edit("rename", cluster=int(robin), name="song"))

    table = first.clustering.assignments
    boxes = table[["recording", "start_s", "end_s", "low_hz", "high_hz", "species"]]
    boxes.assign(mode="1").to_csv(tmp_path / "truth.csv", index=False)
    again = make_modes(birds, OPTIONS, truth_file=tmp_path / "truth.csv")
    assert again.reviewed is not None
    assert "Robin song" in set(again.clustering.assignments["mode"])
    assert again.clustering.metrics["truth_recall"] == 1.0
    stored = read_clustering(birds)
    pd.testing.assert_frame_equal(stored.assignments, again.clustering.assignments)
    assert stored.metrics == again.clustering.metrics

    plain = make_modes(birds, OPTIONS, "plain", corrected=False)
    assert plain.reviewed is None
    assert "Robin song" not in set(plain.clustering.assignments["mode"])
    assert clustering_names(birds) == ["ldc-k3", "plain"]


def test_what_is_known_of_syllables_is_used_while_clustering(
    birds: Workspace, edit: MakeEdit
) -> None:
    first = make_modes(birds, OPTIONS)
    wren = first.clustering.assignments.query("species == 'Wren'")["syllable"].iloc[0]
    correct(birds, "ldc-k3", edit("mark", syllables=[wren], as_="good"))
    again = make_modes(birds, OPTIONS, with_review=True)
    assert again.clustering.parameters["with_review"]["species_known"] == 1


def test_nothing_is_computed_while_another_command_writes(birds: Workspace, never: None) -> None:
    with Workspace.open(birds.folder).writing(), pytest.raises(BusyError):
        make_modes(birds, OPTIONS)


def test_nobody_else_writes_while_modes_are_made(
    birds: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[bool] = []

    def step(line: str) -> None:
        with pytest.raises(BusyError), Workspace.open(birds.folder).writing():
            pass
        refused.append(True)

    make_modes(birds, OPTIONS, on_step=step)
    assert refused


def test_a_truth_that_does_not_fit_is_told_first(
    birds: Workspace, never: None, tmp_path: Path
) -> None:
    (tmp_path / "truth.csv").write_text("recording,species\n")
    with pytest.raises(TruthError):
        make_modes(birds, OPTIONS, truth_file=tmp_path / "truth.csv")


def test_a_damaged_log_or_base_is_told_first(
    birds: Workspace, edit: MakeEdit, request: pytest.FixtureRequest
) -> None:
    make_modes(birds, OPTIONS)
    correct(birds, "ldc-k3", edit("rename", cluster=0, name="song"))
    request.getfixturevalue("never")
    review = birds.folder / "review"
    (base,) = (review / "bases").iterdir()
    whole = base.read_bytes()
    base.write_bytes(whole[:100])
    with pytest.raises(DamagedError, match=base.name):
        make_modes(birds, OPTIONS)
    base.write_bytes(whole)
    (review / "log.jsonl").write_text("rubbish\n")
    with pytest.raises(ReviewError, match=r"log\.jsonl: line 1: damaged"):
        make_modes(birds, OPTIONS)


def test_a_place_that_cannot_be_written_is_told_first(birds: Workspace, never: None) -> None:
    (birds.folder / "clusterings").write_text("in the way")
    with pytest.raises(OSError, match="clusterings"):
        make_modes(birds, OPTIONS)


def test_the_same_options_give_the_same_files(birds: Workspace) -> None:
    made = make_modes(birds, OPTIONS)
    before = {path.name: path.read_bytes() for path in made.folder.glob("*.[cj]s*")}
    make_modes(birds, OPTIONS)
    assert {path.name: path.read_bytes() for path in made.folder.glob("*.[cj]s*")} == before
