"""The commands export and figure, on a workspace whose recordings are gone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from birdmodes.clusterings import ASSIGNMENT_COLUMNS, MODE_COLUMNS, Clustering, write_clustering
from birdmodes.export import FORMATS
from birdmodes.publication import COLOUR_MAPS
from birdmodes.workspace import Workspace
from cli.commands import export, figure

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def workspace(small_workspace: Path, tmp_path: Path) -> Path:
    """Twelve recordings with four syllables each; the even ones are of a Wren."""
    folder = tmp_path / "w"
    shutil.copytree(small_workspace, folder)
    store = Workspace.open(folder)
    table = store.syllables(["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"])
    is_robin = table["recording"].str[1].isin(list("13579"))
    table["cluster"] = is_robin.astype(int)
    table["species"] = is_robin.map({True: "Robin", False: "=1+1"})
    table["mode"] = table["species"] + " mode 1"
    table["confidence"] = 0.5
    table.loc[is_robin[is_robin].index[0], "confidence"] = 0.0
    table["centrality"] = 1.0
    modes = pd.DataFrame({"cluster": [0, 1], "species": ["=1+1", "Robin"], "background": False})
    modes["mode"] = modes["species"] + " mode 1"
    clustering = Clustering(
        "c1",
        table.reindex(columns=ASSIGNMENT_COLUMNS, fill_value=""),
        modes.reindex(columns=MODE_COLUMNS, fill_value=1),
        {},
        {"method": "csp"},
    )
    write_clustering(store, clustering)
    return folder


@pytest.fixture
def run(workspace: Path, call: Run) -> Run:
    """Run a command on the workspace; gives its exit code and all that it printed."""
    return lambda command, *arguments: call(command, "--workspace", workspace, *arguments)


def test_the_options_name_what_there_is() -> None:
    assert [member.value for member in export.Format] == list(FORMATS)
    assert [member.value for member in figure.Colours] == list(COLOUR_MAPS)


def test_export_says_what_it_wrote_and_left_out(run: Run, workspace: Path) -> None:
    code, text = run("export", "--format", "csv")
    assert code == 0
    output = workspace / "exports" / "c1.csv"
    assert text.splitlines() == [
        f"47 syllables: {output}",
        "left out for their confidence: 1 syllable (--min-confidence 0 keeps all)",
    ]
    table = pd.read_csv(output)
    assert set(table["species"]) == {"Robin", "'=1+1"}


def test_tables_are_chosen_by_species_and_confidence(run: Run, tmp_path: Path) -> None:
    code, text = run(
        "export", "-f", "raven", "--species", "robin", "--min-confidence", 0, "-o", tmp_path / "r"
    )
    assert (code, text) == (0, f"24 syllables in 6 files: {tmp_path / 'r'}\n")
    assert len(list((tmp_path / "r").glob("*.Table.1.selections.txt"))) == 6


def test_scripts_can_read_the_result(run: Run, workspace: Path) -> None:
    code, text = run("export", "-f", "kaleidoscope", "--json")
    # what people read goes to standard error, which stands last here
    answer, _ = json.JSONDecoder().raw_decode(text)
    assert code == 0
    assert answer == {
        "output": str(workspace / "exports" / "c1-kaleidoscope.csv"),
        "clustering": "c1",
        "syllables": 47,
        "files": 1,
        "left_out": 1,
        "warnings": [],
    }


def test_files_are_replaced_only_when_asked(run: Run) -> None:
    assert run("export", "-f", "parquet")[0] == 0
    code, text = run("export", "-f", "parquet")
    assert code == 2
    assert "is there already; add --overwrite" in text
    assert run("export", "-f", "parquet", "--overwrite")[0] == 0
    # a folder that nobody has changed is replaced without asking
    assert run("export", "-f", "audacity", "--plain", "--label", "species")[0] == 0
    assert run("export", "-f", "audacity")[0] == 0


def test_clips_of_recordings_that_are_gone_are_an_error(run: Run, tmp_path: Path) -> None:
    code, text = run("export", "-f", "clips", "-o", tmp_path / "clips")
    assert code == 2
    assert "no clips, because no recording can be read (12 recording(s) no longer at their" in text
    assert not (tmp_path / "clips").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export", "-f", "csv", "--species", "Robn"), "no species 'Robn' (did you mean 'Robin'?)"),
        (("export", "-f", "csv", "--combined"), "--combined is for --format raven and crowsetta"),
        (("figure", "Robn"), "no species 'Robn' (did you mean 'Robin'?)"),
        (("figure",), "name a species, or ask for all with --all"),
        (("figure", "Robin", "--all"), "name a species, or ask for all with --all"),
    ],
)
def test_mistakes_are_named(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, text = run(*arguments)
    assert code == 2
    assert message in text


def test_figure_goes_to_the_workspace_and_warns_of_lost_recordings(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.publication.write.RESOLUTION_DPI", 50)
    code, text = run("figure", "Robin", "--examples", 1)
    assert code == 0
    folder = workspace / "figures" / "c1"
    assert f"1 mode of 1 species, 1 page: {folder / 'Robin.pdf'}" in text
    assert "1 recording no longer at their place: their examples are drawn from what" in text
    assert sorted(path.name for path in folder.iterdir()) == ["Robin.caption.txt", "Robin.pdf"]
