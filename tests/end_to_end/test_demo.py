from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from birdmodes.demo import sample_data
from birdmodes.evaluation.scoring import score_clustering
from birdmodes.evaluation.truth import match_syllables, read_truth
from birdmodes.modes.clustering import read_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.workspace.store import Workspace
from cli.main import app

BIRDMODES = [sys.executable, "-c", "from cli.main import main; main()"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Folder and output of ``birdmodes demo --truth``."""
    folder = tmp_path_factory.mktemp("demo")
    answer = subprocess.run(
        [*BIRDMODES, "demo", "--truth", "--workers", "1"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return folder / "birdmodes-demo", answer.stdout


def test_syllables_and_species_of_the_sample_recordings_are_found(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    (path,) = (folder / "workspace/clusterings").glob("*/metrics.json")
    metrics = json.loads(path.read_text())["metrics"]
    assert path.parent.name == "ldc-k20"
    assert metrics["truth_recall"] >= 0.95
    # Windows around syllables show those beside them, of which the made-up recordings are full.
    assert metrics["truth_species_purity"] >= 0.94
    assert metrics["truth_mode_purity"] >= 0.88
    assert metrics["truth_modes_named_right"] >= 0.94  # one of 19 may be wrong


def test_the_38_features_alone_tell_the_species_of_the_sample_recordings(
    demo: tuple[Path, str],
) -> None:
    workspace = Workspace.open(demo[0] / "workspace")
    options = ClusterOptions(k=20, features=("briggs38",))
    found = find_modes(workspace, options, "of-38").clustering
    scored, _ = score_clustering(workspace, found, sample_data() / "truth.csv")
    assert (scored.metrics["truth_species_purity"] or 0.0) >= 0.97


def test_what_is_no_syllable_is_background_more_often_than_not(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    workspace = Workspace.open(folder / "workspace")
    found = read_clustering(workspace, "ldc-k20").assignments
    truth = read_truth(sample_data() / "truth.csv")
    match = match_syllables(found, truth, workspace.recordings()["recording"], source="truth.csv")
    none = found[match.truth_row < 0]
    assert len(none) > 50
    assert (none["species"] == "").mean() > 0.5
    assert (found[match.truth_row >= 0]["species"] != "").mean() >= 0.97


def test_without_learned_patches_eager_background_loses_noise_and_keeps_names(
    demo: tuple[Path, str],
) -> None:
    """What the defaults, made for the field, give up on these made-up recordings."""
    workspace = Workspace.open(demo[0] / "workspace")
    options = ClusterOptions(
        k=20, features=("briggs38", "mel", "rhythm"), method_parameters={"background": "eager"}
    )
    found = find_modes(workspace, options, "eager").clustering
    scored, _ = score_clustering(workspace, found, sample_data() / "truth.csv")
    assert (scored.metrics["truth_species_purity"] or 0.0) >= 0.97
    assert scored.metrics["truth_modes_named_right"] == 1.0
    truth = read_truth(sample_data() / "truth.csv")
    match = match_syllables(
        found.assignments, truth, workspace.recordings()["recording"], source="truth.csv"
    )
    named = (found.assignments["species"] != "").to_numpy()
    assert (~named[match.truth_row < 0]).mean() >= 0.9
    assert named[match.truth_row >= 0].mean() >= 0.97


def test_auto_tells_the_kinds_of_all_six_species_apart(demo: tuple[Path, str]) -> None:
    workspace = Workspace.open(demo[0] / "workspace")
    made = find_modes(workspace, ClusterOptions(k="auto", stability_runs=0), "auto").clustering
    assert min(made.parameters["k_per_species"].values()) >= 2
    assert made.parameters["continua"] == []
    truth = read_truth(sample_data() / "truth.csv")
    match = match_syllables(
        made.assignments, truth, workspace.recordings()["recording"], source="truth.csv"
    )
    found = made.assignments[match.truth_row >= 0]
    true = truth.iloc[match.truth_row[match.truth_row >= 0]]
    own = found["species"].to_numpy() == true["species"].to_numpy()
    table = pd.crosstab(found["mode"].to_numpy()[own], true["mode"].to_numpy()[own])
    of_species = table.groupby(lambda mode: mode.partition(" mode ")[0])
    purity = of_species.apply(lambda rows: rows.max(axis=1).sum() / rows.to_numpy().sum())
    single = of_species.sum().max(axis=1) / of_species.sum().sum(axis=1)
    assert len(purity) == 6
    assert (purity >= 0.93).all()
    assert (purity >= single + 0.1).all()


def test_scores_the_workspace_and_the_page_to_open_are_printed(demo: tuple[Path, str]) -> None:
    folder, output = demo
    assert "truth species purity" in output
    assert "workspace: birdmodes-demo/workspace" in output
    last = output.strip().splitlines()[-1]
    assert last.startswith("open ")
    assert (folder.parent / last.removeprefix("open ")).is_file()
    assert len(list((folder / "gallery/species").glob("*.html"))) == 6


# Each of these commands has faster tests.
@pytest.mark.slow
def test_the_commands_that_are_printed_work_as_they_stand(
    demo: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, output = demo
    monkeypatch.chdir(folder.parent)
    lines = [line for line in output.splitlines() if line.startswith("birdmodes ")]
    lines += [line.partition(": ")[2] for line in output.splitlines() if "in it: birdmodes" in line]
    assert [line.split()[1] for line in lines] == ["segment", "cluster", "gallery", "info"]
    for line in lines:
        answer = CliRunner().invoke(app, shlex.split(line)[1:])
        assert answer.exit_code == 0, line + answer.output
    assert "ldc-k20" in answer.output


@pytest.mark.slow
def test_a_second_demo_uses_what_is_there(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    marks = sorted((folder / "workspace/syllables").iterdir())
    before = [mark.stat().st_mtime_ns for mark in marks]
    answer = subprocess.run(
        [*BIRDMODES, "demo"], cwd=folder.parent, capture_output=True, check=True
    )
    assert b"truth" not in answer.stdout
    assert [mark.stat().st_mtime_ns for mark in marks] == before
