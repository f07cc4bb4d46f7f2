"""The workspace: what ``segment`` and the later commands keep on disk.

Layout::

    workspace.json              format, parameters
    recordings/<name>.parquet   one row: the commit mark of a recording, written last
    syllables/<name>.parquet    its syllables, written before it
    errors.csv                  recordings that could not be read, and why
    clusterings/<name>/         see birdmodes.clusterings

Every file is written under a temporary name and renamed, so the program may be killed at any
moment: a recording without its row in ``recordings/`` counts as not done.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from birdmodes.errors import ParameterError, WorkspaceError
from birdmodes.files import atomic_path, remove_unfinished, safe_name, single_writer, write_text
from birdmodes.parameters import SegmentationParameters
from birdmodes.tables import (
    PATCH_COLUMNS,
    RECORDINGS_SCHEMA,
    SYLLABLES_SCHEMA,
    recording_table,
)

DEFAULT_FOLDER = "birdmodes-workspace"
FORMAT = 1
ERROR_COLUMNS = ["recording", "stage", "reason"]


@dataclass(frozen=True)
class Settings:
    """Everything that decides what ``segment`` writes.

    Attributes
    ----------
    segmentation : SegmentationParameters
        Spectrogram and segmenter.
    channel : int or None
        Channel to read, from 1; None mixes all down.
    bag : {"auto", "recording", "clip"}
        What becomes a bag; "auto" makes a recording longer than one clip a bag of its own.
    """

    segmentation: SegmentationParameters
    channel: int | None = None
    bag: str = "auto"

    def to_dict(self) -> dict[str, Any]:
        """Values for ``workspace.json``."""
        return {
            "segmentation": self.segmentation.to_dict(),
            "channel": self.channel,
            "bag": self.bag,
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """Reverse of `to_dict`."""
        return cls(
            segmentation=SegmentationParameters.from_dict(values["segmentation"]),
            channel=values["channel"],
            bag=values["bag"],
        )

    def differences(self, other: Settings) -> list[str]:
        """Names and both values of every setting in which `other` differs."""
        mine, theirs = self._flat(), other._flat()
        return [
            f"{name} {mine[name]!r} instead of {theirs[name]!r}"
            for name in mine
            if mine[name] != theirs[name]
        ]

    def _flat(self) -> dict[str, Any]:
        values = self.to_dict()
        return {**values.pop("segmentation"), **values}


class Workspace:
    """Read and write one workspace folder.

    Use `Workspace.open` for a folder that exists and `Workspace.prepare` to write to one.

    Attributes
    ----------
    folder : pathlib.Path
        Where it is.
    settings : Settings
        What its tables were made with.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings

    @classmethod
    def open(cls, folder: Path) -> Workspace:
        """Open an existing workspace.

        Raises
        ------
        WorkspaceError
            If there is none, or it was written by an incompatible version.
        """
        description = folder / "workspace.json"
        if not description.is_file():
            raise WorkspaceError(
                f"{folder}: no workspace here; run 'birdmodes segment RECORDINGS' first, "
                "or name it with --workspace"
            )
        try:
            content = json.loads(description.read_text(encoding="utf-8"))
            version = content["format"]
            if version == FORMAT:
                return cls(folder, Settings.from_dict(content))
            raise WorkspaceError(
                f"{folder}: written in format {version}, this birdmodes reads {FORMAT}; "
                "run 'birdmodes segment --restart' on the recordings again"
            )
        except ParameterError as error:
            raise WorkspaceError(
                f"{folder}: written by another version of birdmodes ({error}); use that version, "
                "or run 'birdmodes segment --restart' on the recordings again"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise WorkspaceError(
                f"{description}: damaged ({error}); run 'birdmodes segment --restart'"
            ) from error

    @classmethod
    def prepare(cls, folder: Path, settings: Settings, *, restart: bool = False) -> Workspace:
        """Open a workspace for ``segment``, or make it.

        Parameters
        ----------
        folder : pathlib.Path
            Where; made if it does not exist.
        settings : Settings
            What the tables are to be made with.
        restart : bool
            Drop existing tables. Clusterings, which may hold somebody's work, are moved to
            ``replaced/`` instead.

        Raises
        ------
        WorkspaceError
            If it was made with other settings and `restart` is False, or `folder` is something
            else.
        """
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder}: is a file; name a folder with --workspace")
        if (folder / "workspace.json").exists():
            if restart:
                _clear(folder)
            else:
                existing = cls.open(folder)
                changed = settings.differences(existing.settings)
                if changed:
                    raise WorkspaceError(
                        f"{folder}: made with other parameters ({'; '.join(changed)}); add "
                        "--restart to segment everything anew, or use another --workspace"
                    )
        elif folder.exists() and any(folder.iterdir()):
            raise WorkspaceError(
                f"{folder}: not empty and not a workspace; name another folder with --workspace"
            )
        for part in ("recordings", "syllables"):
            (folder / part).mkdir(parents=True, exist_ok=True)
            remove_unfinished(folder / part)
        workspace = cls(folder, settings)
        workspace._write_description()
        return workspace

    def _write_description(self) -> None:
        content = {"format": FORMAT, **self.settings.to_dict()}
        write_text(self.folder / "workspace.json", json.dumps(content, indent=2) + "\n")

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the workspace's write lock.

        Raises
        ------
        WorkspaceError
            If another process is writing.
        """
        with single_writer(self.folder / "lock"):
            yield

    def commit(self, row: dict[str, Any], syllables: pa.Table | None) -> None:
        """Store a recording: its syllables first, its row last.

        Parameters
        ----------
        row : dict
            Values of `RECORDINGS_SCHEMA`.
        syllables : pyarrow.Table or None
            With `SYLLABLES_SCHEMA`; None leaves the stored ones, to change the row alone.
        """
        name = safe_name(row["recording"]) + ".parquet"
        if syllables is not None:
            # The old commit mark must not vouch for new syllables.
            (self.folder / "recordings" / name).unlink(missing_ok=True)
            with atomic_path(self.folder / "syllables" / name) as temporary:
                _write_shard(syllables, temporary)
        with atomic_path(self.folder / "recordings" / name) as temporary:
            _write_shard(recording_table(row), temporary)

    def forget(self, recording: str) -> None:
        """Remove a recording's row and syllables, as when its file has become unreadable."""
        name = safe_name(recording) + ".parquet"
        for part in ("recordings", "syllables"):
            (self.folder / part / name).unlink(missing_ok=True)

    def recordings(self) -> pd.DataFrame:
        """All committed recordings, sorted by name; columns of `RECORDINGS_SCHEMA`."""
        table = _read(self._committed("recordings"), RECORDINGS_SCHEMA, RECORDINGS_SCHEMA.names)
        return table.sort_values("recording", ignore_index=True)

    def syllables(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """All syllables of committed recordings, sorted by recording and time of finding.

        Parameters
        ----------
        columns : sequence of str, optional
            Columns of `SYLLABLES_SCHEMA` wanted; by default all but the patches.
        """
        if columns is None:
            columns = [name for name in SYLLABLES_SCHEMA.names if name not in PATCH_COLUMNS]
        wanted = list(dict.fromkeys(["recording", "syllable", *columns]))
        table = _read(self._committed("syllables"), SYLLABLES_SCHEMA, wanted)
        table = table.sort_values(["recording", "syllable"], ignore_index=True)
        return table[list(columns)]

    def patches(self, recording: str) -> pd.DataFrame:
        """Packed patches of one recording's syllables; see `birdmodes.tables.unpack_patch`.

        Returns
        -------
        pandas.DataFrame
            Columns syllable, patch_bins, patch_frames, patch, mask.
        """
        path = self.folder / "syllables" / (safe_name(recording) + ".parquet")
        return _read([path], SYLLABLES_SCHEMA, ["syllable", *PATCH_COLUMNS])

    def _committed(self, part: str) -> list[Path]:
        """Shards in `part` of the recordings that have their commit mark."""
        names = sorted(path.name for path in (self.folder / "recordings").glob("[!.]*.parquet"))
        return [self.folder / part / name for name in names]

    def errors(self) -> pd.DataFrame:
        """Recordings that could not be read: columns recording, stage, reason."""
        path = self.folder / "errors.csv"
        if not path.exists():
            return pd.DataFrame(columns=ERROR_COLUMNS, dtype=str)
        return pd.read_csv(path, dtype=str, keep_default_na=False)

    def write_errors(self, errors: pd.DataFrame) -> None:
        """Replace ``errors.csv``."""
        ordered = errors[ERROR_COLUMNS].sort_values(ERROR_COLUMNS, ignore_index=True)
        with atomic_path(self.folder / "errors.csv") as temporary:
            ordered.to_csv(temporary, index=False, lineterminator="\n")


def _clear(folder: Path) -> None:
    for part in ("recordings", "syllables"):
        shutil.rmtree(folder / part, ignore_errors=True)
    (folder / "errors.csv").unlink(missing_ok=True)
    clusterings = folder / "clusterings"
    if clusterings.is_dir() and any(clusterings.iterdir()):
        replaced = folder / "replaced"
        replaced.mkdir(exist_ok=True)
        number = 1 + len(list(replaced.iterdir()))
        clusterings.rename(replaced / f"clusterings-{number}")


def _read(paths: list[Path], schema: pa.Schema, columns: Sequence[str]) -> pd.DataFrame:
    """Read `columns` of the shards, one after the other, in the order of `paths`."""
    wanted = pa.schema([schema.field(name) for name in columns])
    tables = [_read_shard(path, wanted) for path in paths]
    table = pa.concat_tables(tables) if tables else wanted.empty_table()
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _write_shard(table: pa.Table, path: Path) -> None:
    # Statistics and dictionaries take longer to write and read than a small shard's data.
    pq.write_table(table, path, compression="zstd", write_statistics=False, use_dictionary=False)


def _read_shard(path: Path, wanted: pa.Schema) -> pa.Table:
    try:
        table = pq.ParquetFile(path, pre_buffer=False).read(columns=wanted.names, use_threads=False)
        return table if table.schema.equals(wanted) else table.cast(wanted)
    except (OSError, pa.ArrowException) as error:
        raise WorkspaceError(
            f"{path}: cannot be read ({error}); delete it and run 'birdmodes segment' again"
        ) from error
