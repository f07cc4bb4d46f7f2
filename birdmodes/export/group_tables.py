"""The tables of groups of recordings, for R, Excel or pandas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from birdmodes._version import __version__
from birdmodes.export.output import new_folder
from birdmodes.export.tables import write_frame
from birdmodes.export.text import each, without_nul
from birdmodes.groups.grouping import Grouping
from birdmodes.groups.tables import by_recording
from birdmodes.io.csv_writer import to_csv
from birdmodes.io.formula_guard import guarded, guarded_path
from birdmodes.io.paths import AnyPath
from birdmodes.workspace.store import Workspace

_NAMES = ("species", "listed_species", "top_species")
_PATHS = ("bag", "recording", "witness", "syllable")


@dataclass(frozen=True)
class GroupExport:
    """What was written.

    Attributes
    ----------
    output : pathlib.Path
        The folder.
    groups, bags, files : int
        How many.
    """

    output: Path
    groups: int
    bags: int
    files: int


def groups_folder(output: Path) -> Path:
    """Folder for the tables of groups beside a table of syllables.

    Returns
    -------
    pathlib.Path
        ``modes-groups`` beside ``modes.csv``, ``modes-groups-parquet`` beside ``modes.parquet``,
        so that neither takes the place of the other.
    """
    ending = "-groups-parquet" if output.suffix == ".parquet" else "-groups"
    return output.with_name(f"{output.stem}{ending}")


def export_grouping(
    workspace: Workspace, grouping: Grouping, output: AnyPath | None, *, overwrite: bool = False
) -> GroupExport:
    """Write the tables of groups of recordings as CSV into a folder.

    Parameters
    ----------
    workspace : Workspace
        Where the grouping is.
    grouping : Grouping
        The groups.
    output : str, path-like or None
        Folder to write; by default ``exports/<name>-groups`` in the workspace.
    overwrite : bool
        Replace what is there, see `birdmodes.export.output`.

    Raises
    ------
    BirdmodesError
        If `output` is there and holds something else.
    """
    beside = workspace.folder / "exports" / f"{grouping.name}-groups"
    output = Path(output or beside)
    about = {"birdmodes": __version__, "grouping": grouping.name}
    with new_folder(output, about, overwrite=overwrite) as folder:
        files = write_group_tables(folder, grouping, "csv")
    return GroupExport(output, len(grouping.groups), len(grouping.assignments), files)


def write_group_tables(folder: Path, grouping: Grouping, format: str) -> int:
    """Write ``groups``, ``species``, ``typical_syllables``, ``bags`` and ``recordings``.

    Parameters
    ----------
    folder : pathlib.Path
        Where.
    grouping : Grouping
        The groups.
    format : {"csv", "parquet"}
        How; names are guarded in CSV, see `birdmodes.io.formula_guard`.

    Returns
    -------
    int
        Number of tables.
    """
    tables = _tables(grouping)
    for name, table in tables.items():
        path = folder / f"{name}.{format}"
        if format == "parquet":
            write_frame(path, table)
        else:
            _write_csv(path, table)
    return len(tables)


def _tables(grouping: Grouping) -> dict[str, pd.DataFrame]:
    typical = grouping.groups[["group", "typical_syllables"]].explode("typical_syllables")
    typical = typical.dropna().rename(columns={"typical_syllables": "syllable"})
    typical.insert(1, "rank", typical.groupby("group").cumcount() + 1)
    # Not called species, so that nobody takes the tables for label files: an empty cell there
    # would say that no species is in the recording, even if nobody has listened to it.
    listed = {"species": "listed_species"}
    return {
        "groups": grouping.groups.drop(columns="typical_syllables"),
        "species": grouping.species,
        "typical_syllables": typical.astype({"syllable": str}),
        "bags": grouping.assignments.rename(columns=listed),
        "recordings": by_recording(grouping.assignments).rename(columns=listed),
    }


def _write_csv(path: Path, table: pd.DataFrame) -> None:
    safe = table.assign(
        **{
            name: each(table[name], lambda text: guarded(without_nul(text)))
            for name in _NAMES
            if name in table
        },
        **{name: each(table[name], guarded_path) for name in _PATHS if name in table},
    )
    to_csv(path, safe)
