from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from birdmodes.errors import BirdmodesError, LabelError
from birdmodes.export.detections import write_detections
from birdmodes.export.picked.heard import Heard
from birdmodes.workspace.sites import keep_sites, sites_of
from birdmodes.workspace.times_of_day import as_times

STARTS = {
    "marsh/20240501/a.wav": "2024-05-01T05:00:00",
    "marsh/20240501/b.wav": "2024-05-01T06:00:00",
    "marsh/20240502/a.wav": "2024-05-02T05:00:00",
    "wood/20240501/a.wav": "2024-05-01T05:00:00",
    "wood/20240503/a.wav": "",
}


class Folder:
    """Stands for a workspace: a folder with recordings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def recordings(self) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "recording": list(STARTS),
                "recorded_at": as_times(pd.Series(list(STARTS.values()))),
                "duration_s": 1800.0,
                "latitude": [50.0, 50.2, 50.1, float("nan"), float("nan")],
                "longitude": [3.0, 3.0, 3.0, float("nan"), float("nan")],
            }
        )


def selection(folder: Folder) -> Heard:
    heard = [
        ("marsh/20240501/a.wav", "Robin", 0.5),
        ("marsh/20240501/a.wav", "Robin", 0.9),
        ("marsh/20240501/b.wav", "Robin", 0.7),
        ("wood/20240501/a.wav", "=Wren", 0.8),
        ("wood/20240501/a.wav", "", 0.0),
        ("wood/20240503/a.wav", "Robin", 0.8),
    ]
    rows = pd.DataFrame(heard, columns=["recording", "species", "confidence"])
    found = rows[rows["species"] != ""].groupby(["recording", "species"])["confidence"]
    table = found.agg(syllables="size", confidence="max").reset_index()
    return Heard(table, folder.recordings())


def written(folder: Path, name: str) -> pd.DataFrame:
    (path,) = folder.glob(f"{name}*.csv")
    return pd.read_csv(path)


def test_every_visit_is_told_and_no_other_day(tmp_path: Path) -> None:
    workspace = Folder(tmp_path)
    chosen = selection(workspace)
    sites = sites_of(workspace, chosen.recordings)  # type: ignore[arg-type]
    assert sites.tolist() == ["marsh"] * 3 + ["wood"] * 2  # folders, but for those of a day
    files, warnings = write_detections(tmp_path, chosen, sites)
    assert (files, warnings) == (5, ["1 recordings left out: their date is not known"])
    table = written(tmp_path, "detections").set_index(["species", "site", "date"])
    assert len(table) == 2 * 3
    robin = table.loc["Robin"]
    assert robin["detected"].to_dict() == {
        ("marsh", "2024-05-01"): 1,
        ("marsh", "2024-05-02"): 0,
        ("wood", "2024-05-01"): 0,
    }
    first = robin.loc["marsh", "2024-05-01"]
    assert first.tolist() == [1, 3, 2, 0.9, 2, 1.0]  # sounds, recordings with it, all, hours
    assert table.loc["'=Wren", "wood", "2024-05-01"]["detected"] == 1  # no formula
    matrix = written(tmp_path, "Robin").set_index("site")
    [path] = tmp_path.glob("Robin*.csv")
    assert path.read_text() == "site,2024-05-01,2024-05-02\nmarsh,1,0\nwood,0,\n"
    assert matrix.loc["marsh"].tolist() == [1, 0]
    assert matrix.loc["wood", "2024-05-01"] == 0
    assert pd.isna(matrix.loc["wood", "2024-05-02"])  # nobody was there
    assert written(tmp_path, "hours").set_index("site").loc["marsh"].tolist() == [1.0, 0.5]
    places = written(tmp_path, "sites").set_index("site")
    assert places.loc["marsh"].tolist()[:5] == [50.1, 3.0, 3, 1.5, 2]


def test_a_table_says_which_site_and_is_remembered(tmp_path: Path) -> None:
    workspace = Folder(tmp_path)
    table = tmp_path / "sites.csv"
    table.write_text("recording,site\nmarsh,M\nmarsh/20240502/a.wav,N\n")
    warnings = keep_sites(workspace, table)  # type: ignore[arg-type]
    assert warnings == [f"{table}: 2 recordings are not in it: of no site"]
    table.unlink()
    sites = sites_of(workspace, workspace.recordings())  # type: ignore[arg-type]
    assert sites.tolist() == ["M", "M", "N", "", ""]
    _, warnings = write_detections(tmp_path, selection(workspace), sites)
    assert warnings[1] == "1 recordings left out: their site is not known"


def test_tables_of_sites_that_fit_nothing_are_refused(tmp_path: Path) -> None:
    workspace = Folder(tmp_path)
    table = tmp_path / "sites.csv"
    table.write_text("recording,site\nlake,L\n")
    with pytest.raises(LabelError, match="none of its 1 names is a recording"):
        keep_sites(workspace, table)  # type: ignore[arg-type]
    table.write_text("recording,site\nmarsh,L\nmarsh,M\n")
    with pytest.raises(LabelError, match="line 3: 'marsh' was at another site"):
        keep_sites(workspace, table)  # type: ignore[arg-type]


def test_without_dates_there_are_no_days(tmp_path: Path) -> None:
    chosen = selection(Folder(tmp_path))
    undated = chosen.recordings.assign(recorded_at=pd.NaT)
    undated["recorded_at"] = undated["recorded_at"].astype("datetime64[us]")
    sites = pd.Series("a", index=undated["recording"])
    with pytest.raises(BirdmodesError, match="no date is known"):
        write_detections(tmp_path, Heard(chosen.table, undated), sites)
