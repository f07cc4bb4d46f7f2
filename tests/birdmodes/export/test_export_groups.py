"""Groups of recordings in exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.export import ExportOptions, export_clustering, export_grouping
from birdmodes.groups.grouping import Grouping
from birdmodes.io.formula_guard import unguarded
from birdmodes.labels import read_label_file

PutGrouping = Callable[..., Grouping]

GROUPS = [1, 0, 0, 1]
"""Groups of the recordings -x.wav, dawn/a.wav, dawn/b, 'c'.wav and dusk/a.wav."""


@pytest.fixture
def grouped(make_case: Callable[[], Any], put_grouping: PutGrouping) -> tuple[Any, Grouping]:
    """The hostile case, and its recordings in two groups; group 0 has the first recording."""
    case = make_case()
    return case, put_grouping(case.workspace, GROUPS)


def exported(grouped: tuple[Any, Grouping], output: Path, grouping: bool, **how: Any) -> Path:
    case, groups = grouped
    options = ExportOptions(**how)
    export_clustering(
        case.workspace, case.clustering, output, options, grouping=groups if grouping else None
    )
    return output


EXPECTED = {"-x.wav": 0, "dawn/a.wav": 1, "dawn/b, 'c'.wav": 1, "dusk/a.wav": 0}


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_tables_have_the_group_as_their_last_column(
    grouped: tuple[Any, Grouping], tmp_path: Path, format: str
) -> None:
    read = pd.read_csv if format == "csv" else pd.read_parquet
    bare = read(exported(grouped, tmp_path / f"bare.{format}", False, format=format))
    table = read(exported(grouped, tmp_path / f"all.{format}", True, format=format))
    assert list(table) == [*bare, "group"]
    pd.testing.assert_frame_equal(table[list(bare)], bare)
    recordings = table["recording"].str.removeprefix("./")
    assert dict(zip(recordings, table["group"], strict=True)) == EXPECTED
    features = read(exported(grouped, tmp_path / f"f.{format}", True, format=format, features=True))
    assert list(features).index("group") == bare.shape[1]
    assert not (tmp_path / "bare-groups").exists()


def test_raven_kaleidoscope_and_clips_have_it_too(
    grouped: tuple[Any, Grouping], tmp_path: Path
) -> None:
    raven = exported(grouped, tmp_path / "raven", True, format="raven")
    for recording, group in EXPECTED.items():
        path = raven / recording.replace(".wav", ".Table.1.selections.txt")
        table = pd.read_csv(path, sep="\t")
        assert list(table)[-2:] == ["Syllable", "Recording group"]
        assert set(table["Recording group"]) == {group}
        # Labels are read from it as before.
        assert len(read_label_file(path).entries) == len(table)
    combined = exported(grouped, tmp_path / "one.txt", True, format="raven", combined=True)
    assert sorted(set(pd.read_csv(combined, sep="\t")["Recording group"])) == [0, 1]
    kaleidoscope = pd.read_csv(exported(grouped, tmp_path / "k.csv", True, format="kaleidoscope"))
    assert list(kaleidoscope)[-1] == "GROUP"
    assert kaleidoscope["GROUP"].tolist() == [
        EXPECTED[name.removeprefix("./").rpartition("#")[0]] for name in kaleidoscope["SYLLABLE"]
    ]
    clips = pd.read_csv(exported(grouped, tmp_path / "clips", True, format="clips") / "clips.csv")
    assert list(clips)[-1] == "group"
    assert dict(zip(clips["recording"].str.removeprefix("./"), clips["group"], strict=True)) == (
        EXPECTED
    )


def test_the_tables_of_groups_lie_beside(grouped: tuple[Any, Grouping], tmp_path: Path) -> None:
    case, grouping = grouped
    exported(grouped, tmp_path / "t.csv", True, format="csv")
    exported(grouped, tmp_path / "t.parquet", True, format="parquet")
    folder = tmp_path / "t-groups"
    assert sorted(path.name for path in folder.iterdir()) == [
        "bags.csv", "birdmodes-export.json", "groups.csv", "recordings.csv", "species.csv",
        "typical_syllables.csv",
    ]  # fmt: skip
    groups = pd.read_csv(folder / "groups.csv")
    assert groups[["group", "bags", "recordings", "syllables"]].to_numpy().tolist() == [
        [0, 2, 2, 6], [1, 2, 2, 6],
    ]  # fmt: skip
    recordings = pd.read_csv(folder / "recordings.csv", keep_default_na=False)
    names = recordings["recording"].str.removeprefix("./")
    assert dict(zip(names, recordings["group"], strict=True)) == EXPECTED
    bags = pd.read_csv(folder / "bags.csv", keep_default_na=False)
    assert bags["bag"].tolist()[0] == "./-x.wav#0"  # no formula
    typical = pd.read_csv(folder / "typical_syllables.csv")
    assert typical["syllable"].tolist() == [
        "./-x.wav#00000", "dusk/a.wav#00000", "dawn/a.wav#00000", "dawn/b, 'c'.wav#00000",
    ]  # fmt: skip
    assert typical["rank"].tolist() == [1, 2, 1, 2]
    as_is = pd.read_parquet(tmp_path / "t-groups-parquet" / "bags.parquet")
    assert as_is["bag"].tolist() == grouping.assignments["bag"].tolist()
    assert as_is["strength"].tolist() == grouping.assignments["strength"].tolist()
    assert len(case.workspace.recordings()) == len(recordings)


def test_names_in_the_tables_of_groups_are_guarded(
    make_workspace: Callable[..., Any], put_grouping: PutGrouping, tmp_path: Path, hostile: str
) -> None:
    name = hostile.replace(";", ",")  # which would make two species of it
    workspace = make_workspace(
        *((f"=a{n}.wav", [[0]], name) for n in range(3)), ("b.wav", [[1]], "Robin")
    )
    grouping = put_grouping(workspace, [0, 0, 0, 1])
    result = export_grouping(workspace, grouping, tmp_path / "g")
    assert (result.groups, result.bags, result.files) == (2, 4, 5)
    for path in (tmp_path / "g").glob("*.csv"):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        cells = table.to_numpy().ravel()
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))], path.name
    species = pd.read_csv(tmp_path / "g" / "species.csv")["species"]
    assert {unguarded(each) for each in species} == {name, "Robin"}


def test_what_somebody_has_changed_is_not_replaced(
    grouped: tuple[Any, Grouping], tmp_path: Path
) -> None:
    case, grouping = grouped
    export_grouping(case.workspace, grouping, tmp_path / "g")
    export_grouping(case.workspace, grouping, tmp_path / "g")
    (tmp_path / "g" / "groups.csv").write_text("mine")
    with pytest.raises(BirdmodesError, match=r"'groups.csv' was changed or added after"):
        export_grouping(case.workspace, grouping, tmp_path / "g")
    export_grouping(case.workspace, grouping, tmp_path / "g", overwrite=True)
    default = export_grouping(case.workspace, grouping, None).output
    assert default == case.workspace.folder / "exports" / "m3ic-k2-groups"


def test_a_table_is_not_written_where_its_groups_cannot_be(
    grouped: tuple[Any, Grouping], tmp_path: Path
) -> None:
    (tmp_path / "t-groups").mkdir()
    (tmp_path / "t-groups" / "mine.txt").write_text("work")
    with pytest.raises(BirdmodesError, match="not empty and not an export"):
        exported(grouped, tmp_path / "t.csv", True, format="csv")
    assert not (tmp_path / "t.csv").exists()
