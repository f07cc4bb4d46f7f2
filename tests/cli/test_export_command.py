"""The commands export and figure, on a workspace whose recordings are gone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from birdmodes.export import FORMATS
from birdmodes.modes.clustering import (
    ASSIGNMENT_COLUMNS,
    MODE_COLUMNS,
    Clustering,
    write_clustering,
)
from birdmodes.publication import COLOUR_MAPS
from birdmodes.publication.write import RESOLUTION_DPI
from birdmodes.workspace.store import Workspace
from cli.commands import export, figure

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def workspace(small_workspace: Path) -> Path:
    """Twelve recordings with four syllables each; the even ones are of a Wren."""
    store = Workspace.open(small_workspace)
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
    modes["or_species"] = ""
    clustering = Clustering(
        "c1",
        table.reindex(columns=ASSIGNMENT_COLUMNS, fill_value=""),
        modes.reindex(columns=MODE_COLUMNS, fill_value=1),
        {},
        {"method": "csp"},
    )
    write_clustering(store, clustering)
    return small_workspace


@pytest.fixture
def run(workspace: Path, call: Run) -> Run:
    """Run a command on the workspace; gives its exit code and all that it printed."""
    return lambda command, *arguments: call(command, "--workspace", workspace, *arguments)


def test_the_options_name_what_there_is() -> None:
    assert [member.value for member in export.Format] == [*FORMATS, "groups"]
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
        "grouping": None,
        "groups_output": None,
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
    assert "no clips, because no recording can be read (12 recordings no longer at their" in text
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
    monkeypatch.setitem(RESOLUTION_DPI, "pdf", 50)
    code, text = run("figure", "Robin", "--examples", 1)
    assert code == 0
    folder = workspace / "figures" / "c1"
    assert f"1 mode of 1 species, 1 page: {folder / 'Robin.pdf'}" in text
    assert "1 recording no longer at their place: their examples are drawn from what" in text
    assert sorted(path.name for path in folder.iterdir()) == ["Robin.caption.txt", "Robin.pdf"]


def test_groups_of_recordings_come_with_the_tables(
    run: Run, workspace: Path, tmp_path: Path, put_grouping: Callable[..., object]
) -> None:
    store = Workspace.open(workspace)
    put_grouping(store, [0, 1] * 6, "m3ic-k2")
    put_grouping(store, [0] * 6 + [1] * 6, "halves")
    code, text = run("export", "-f", "csv")
    assert code == 0
    exports = workspace / "exports"
    assert f"groups of recordings: {exports / 'c1-groups'}\n" in text
    table = pd.read_csv(exports / "c1.csv")
    # The newest are the halves.
    assert set(table.loc[table["recording"] < "06", "group"]) == {0}
    assert set(table.loc[table["recording"] > "06", "group"]) == {1}
    named = ("-o", tmp_path / "n.csv", "--grouping", "m3ic-k2")
    assert run("export", "-f", "csv", *named)[0] == 0
    table = pd.read_csv(tmp_path / "n.csv")
    assert set(table.loc[table["recording"].str[1].isin(list("13579")), "group"]) == {1}
    assert run("export", "-f", "csv", "--no-groups", "-o", tmp_path / "no.csv")[0] == 0
    assert "group" not in pd.read_csv(tmp_path / "no.csv")


def test_groups_alone_can_be_exported(
    run: Run, workspace: Path, put_grouping: Callable[..., object]
) -> None:
    code, text = run("export", "-f", "groups")
    assert code == 2
    assert "no groups of recordings yet; run 'birdmodes cluster --method m3ic' first" in text
    put_grouping(Workspace.open(workspace), [0, 1] * 6)
    shutil.rmtree(workspace / "clusterings")
    code, text = run("export", "-f", "groups", "--json")
    assert code == 0
    answer, _ = json.JSONDecoder().raw_decode(text)
    assert answer == {
        "output": str(workspace / "exports" / "m3ic-k2-groups"), "grouping": "m3ic-k2",
        "groups": 2, "bags": 12, "files": 5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "groups", "--species", "Robin"], "--species does not go with --format groups"),
        (["-f", "groups", "--min-confidence", "0"], "--min-confidence does not go with"),
        (["-f", "csv", "--grouping", "x", "--no-groups"], "exclude each other"),
        (["-f", "csv", "--grouping", "x"], "no groups of recordings yet"),
    ],
)
def test_options_of_groups_that_do_not_fit_are_one_line(
    run: Run, arguments: list[str], message: str
) -> None:
    code, text = run("export", *arguments)
    assert (code, text.count("\n")) == (2, 1)
    assert message in text


def test_groups_of_other_syllables_do_not_stop_an_export(
    run: Run, workspace: Path, put_grouping: Callable[..., object]
) -> None:
    put_grouping(Workspace.open(workspace), [0, 1] * 6)
    path = workspace / "groupings" / "m3ic-k2" / "assignments.csv"
    path.write_text(path.read_text().replace("11.wav", "12.wav"))
    code, text = run("export", "-f", "csv")
    assert code == 0
    assert "warning: groups of recordings are left out: grouping 'm3ic-k2' was made" in text
    assert "group" not in pd.read_csv(workspace / "exports" / "c1.csv")
