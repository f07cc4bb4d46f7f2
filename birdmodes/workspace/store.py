"""The workspace: what ``segment`` and the later commands keep on disk.

Layout::

    workspace.json              format, parameters
    recordings/<name>.parquet   one row: the commit mark of a recording, written last
    syllables/<name>.parquet    its syllables, written before it
    found/<name>.parquet        the same as `segment` found them, where a person mended some since
    gathered/                   copies of what many shards hold, to read them fast; may be deleted
    segmenter.npz               the trained segmenter, if one is used
    errors.csv                  recordings that could not be read, and why
    labels.json                 which label files the recordings have their species from
    clusterings/<name>/         see birdmodes.modes.clustering
    groupings/<name>/           see birdmodes.groups.grouping
    evaluations/<name>.json     see birdmodes.annotate.evaluate
    lock                        who is writing, if somebody is

Every file is written under a temporary name and renamed, so the program may be killed at any
moment: a recording without its row in ``recordings/`` counts as not done.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from algorithms.bags import Bags
from algorithms.errors import did_you_mean
from birdmodes.errors import ParameterError, WorkspaceError
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check
from birdmodes.io.stored import read_table, write_table
from birdmodes.segmentation.forest_model import ForestModel, save_model
from birdmodes.workspace.bags import make_bags
from birdmodes.workspace.description import read_description, settings_of
from birdmodes.workspace.folder import LockedFolder, is_in_disorder, made_ready
from birdmodes.workspace.gathering.folder_state import FolderState
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.shards import Shards
from birdmodes.workspace.tables import (
    BULKY_COLUMNS,
    PATCH_COLUMNS,
    RECORDINGS_SCHEMA,
    SYLLABLES_SCHEMA,
    WINDOWS_SCHEMA,
    sorted_windows,
)

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_FOLDER = "birdmodes-workspace"
ERRORS = "errors.csv"
ERROR_COLUMNS = ["recording", "stage", "reason"]
_ERRORS_REMEDY = "delete it; 'birdmodes segment' writes it anew"


class Workspace(LockedFolder):
    """Read and write one workspace folder.

    Use `Workspace.open` for a folder that exists and `Workspace.prepare` to write to one.

    Attributes
    ----------
    folder : pathlib.Path
        Where it is.
    settings : Settings
        What its tables were made with.
    """

    def __init__(self, folder: AnyPath, settings: Settings) -> None:
        folder = Path(folder)
        super().__init__(folder, settings)
        gathered = folder / "gathered"
        self._recordings = Shards(
            folder / "recordings", RECORDINGS_SCHEMA, gathered / "recordings.parquet"
        )
        self._syllables = Shards(
            folder / "syllables", SYLLABLES_SCHEMA, gathered / "syllables.parquet", BULKY_COLUMNS
        )
        self.found = Shards(folder / "found", SYLLABLES_SCHEMA, gathered / "found.parquet")
        # The same shards as the syllables; gathered by themselves, as they are read less often
        # and are larger.
        self._windows = Shards(folder / "syllables", WINDOWS_SCHEMA, gathered / "windows.parquet")

    @classmethod
    def open(cls, folder: AnyPath | Workspace = DEFAULT_FOLDER) -> Workspace:
        """Open an existing workspace.

        Parameters
        ----------
        folder : str, path-like or Workspace
            Where it is; one that is open already is given back.

        Raises
        ------
        WorkspaceError
            If there is none, it is damaged, or a version wrote it that this one cannot read.
        """
        if isinstance(folder, Workspace):
            return folder
        folder = Path(folder)
        workspace = cls(folder, settings_of(folder, read_description(folder)))
        if is_in_disorder(folder):
            # Who writes just now does it too; in a read-only workspace it has to stay as it is.
            with contextlib.suppress(WorkspaceError, OSError), workspace.writing():
                pass
        return workspace

    @classmethod
    def prepare(
        cls,
        folder: AnyPath = DEFAULT_FOLDER,
        settings: Settings | None = None,
        *,
        restart: bool = False,
    ) -> Workspace:
        """Open a workspace for ``segment``, or make it.

        Parameters
        ----------
        folder : str or path-like
            Where; made if it does not exist.
        settings : Settings, optional
            What the tables are to be made with; by default what ``birdmodes segment`` takes.
        restart : bool
            Drop existing tables. Clusterings and groupings, which may hold somebody's work, are
            moved to ``replaced/`` instead.

        Raises
        ------
        WorkspaceError
            If it was made with other settings and `restart` is False, or `folder` is something
            else.
        """
        folder, settings = Path(folder), settings or Settings()
        with made_ready(folder, settings, restart=restart):
            return cls(folder, settings)

    @classmethod
    @contextlib.contextmanager
    def filling(
        cls, folder: AnyPath, settings: Settings, *, restart: bool, check: Check | None = None
    ) -> Iterator[Workspace]:
        """Give what `prepare` does, and hold its write lock from then on to the end of the block.

        Parameters
        ----------
        folder, settings, restart
            As for `prepare`.
        check : callable, optional
            Called before anything is changed, when nobody else writes any more; may raise.

        Raises
        ------
        WorkspaceError
            As for `prepare`.
        """
        workspace = cls(folder, settings)
        ready = made_ready(workspace.folder, settings, restart=restart, check=check)
        with ready, workspace._held():
            yield workspace

    @property
    def model_path(self) -> Path:
        """Where the trained segmenter is kept, if one is used."""
        return self.folder / "segmenter.npz"

    def keep_model(self, model: ForestModel) -> None:
        """Keep a copy of the trained segmenter.

        Raises
        ------
        WorkspaceError
            If it is not the one that the settings name.
        """
        if model.digest != self.settings.model_digest:
            raise WorkspaceError(
                f"{self.folder}: its tables are to be made with another model; name a new "
                "--workspace"
            )
        save_model(model, self.model_path)

    def commit(
        self,
        row: dict[str, Any],
        syllables: pa.Table | Iterator[pa.Table] | None,
        *,
        anew: bool = True,
    ) -> None:
        """Store a recording: its syllables first, its row last.

        Parameters
        ----------
        row : dict
            Values of `RECORDINGS_SCHEMA`.
        syllables : pyarrow.Table, iterator of pyarrow.Table, or None
            With `SYLLABLES_SCHEMA`, one at least; None leaves the stored ones, to change the row
            alone.
        anew : bool
            Whether these were found by segmenting: what was found before is then forgotten.
        """
        recording = row["recording"]
        if syllables is not None:
            # The old commit mark must not vouch for new syllables.
            self._recordings.remove(recording)
            if anew:
                self.found.remove(recording)
            self._syllables.write(recording, syllables)
        self._recordings.write_row(recording, row)

    def only(self, recordings: Collection[str]) -> Workspace:
        """Give the same workspace, in which some recordings alone are seen; for reading."""
        part = Workspace(self.folder, self.settings)
        part._recordings = self._recordings.only(recordings)
        return part

    def forget(self, recording: str) -> None:
        """Remove a recording's row and syllables, as when its file has become unreadable."""
        self._recordings.remove(recording)
        self._syllables.remove(recording)
        self.found.remove(recording)

    def mend(self, recording: str, syllables: pa.Table) -> None:
        """Replace a recording's syllables by mended ones; those that `segment` found are kept.

        At any moment all of the old or all of the new ones are there.
        """
        if not self.found.path(recording).exists():
            self.found.folder.mkdir(exist_ok=True)
            self.found.write(recording, self._syllables.read_one(recording))
        self._syllables.write(recording, syllables)

    def mended(self, recordings: Iterable[str]) -> list[str]:
        """Those of some recordings whose syllables a person has mended, now or once."""
        if not self.found.folder.is_dir():
            return []
        return [name for name in recordings if self.found.path(name).exists()]

    def recordings(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """All committed recordings, sorted by name.

        Parameters
        ----------
        columns : sequence of str, optional
            Columns of `RECORDINGS_SCHEMA`, among them "recording"; by default all. ``recorded_at``
            holds times by the recorders' clocks (datetime64), NaT where they are not known.
        """
        from birdmodes.workspace.times_of_day import with_times  # which imports pandas

        frame = with_times(self._recordings.read(self._recordings.names(), columns))
        return frame.sort_values("recording", ignore_index=True)

    def recording_table(self, columns: Sequence[str], seen: FolderState) -> pa.Table:
        """Columns of `recordings`, "recording" among them, as they are stored; without pandas.

        `seen` is the state of the folder ``recordings``.
        """
        return self._recordings.read_seen(seen, columns).sort_by("recording")

    def recording_rows(self) -> list[dict[str, Any]]:
        """Recordings that are done, in any order, as `commit` was given them.

        One whose row or syllables are missing or cut short is not.
        """
        table = self._recordings.read(self._recordings.whole_names())
        rows: list[dict[str, Any]] = table.to_pylist()
        return [row for row in rows if self._syllables.is_whole(row["recording"])]

    def syllables(self, columns: Sequence[str] | str | None = None) -> pd.DataFrame:
        """All syllables of committed recordings, sorted by recording and time of finding.

        Parameters
        ----------
        columns : str or sequence of str, optional
            Columns of `SYLLABLES_SCHEMA` wanted; by default all but the images.

        Raises
        ------
        ParameterError
            If there is no such column.
        """
        if columns is None:
            columns = [name for name in SYLLABLES_SCHEMA.names if name not in BULKY_COLUMNS]
        columns = [columns] if isinstance(columns, str) else columns
        for name in columns:
            if name not in SYLLABLES_SCHEMA.names:
                raise ParameterError(
                    f"syllables have no column {name!r}{did_you_mean(name, SYLLABLES_SCHEMA.names)}"
                )
        wanted = list(dict.fromkeys(["recording", "syllable", *columns]))
        frame: pd.DataFrame = self.syllable_columns(wanted).to_pandas()
        return frame.sort_values(["recording", "syllable"], ignore_index=True)[list(columns)]

    def syllable_columns(self, columns: Sequence[str]) -> pa.Table:
        """Columns of `syllables` in any order, which takes half the memory."""
        # Syllables count only with the commit mark of their recording.
        return self._syllables.read(self._recordings.names(), columns)

    def bags(
        self, features: Sequence[str] | str | None = None, *, standardized: bool = True
    ) -> Bags:
        """Syllables in their bags, with the species of each, as the methods of `algorithms` take.

        Parameters
        ----------
        features : sequence of str, optional
            Columns of `syllables` that hold numbers; by default the 38 of `FEATURE_NAMES`.
        standardized : bool
            Bring every feature to mean 0 and standard deviation 1, as ``birdmodes cluster`` does.

        Returns
        -------
        Bags
            A row of ``X`` per syllable, in the order of `syllables`; ``bag_names`` and
            ``class_names`` (the species, sorted) say what its numbers mean. Bags without syllables
            are among the bags.

        Raises
        ------
        ParameterError
            If there is no such feature.
        """
        return make_bags(self.recordings(), self.syllables(), features, standardized=standardized)

    def windows(self) -> npt.NDArray[np.uint8] | None:
        """Give the windows of all syllables, in the order of `syllables`.

        Returns
        -------
        ndarray of uint8, shape (n_syllables, n_bands, n_columns), or None
            See `birdmodes.segmentation.windows`; None if an earlier version, which kept none,
            segmented a recording.
        """
        return sorted_windows(self._windows.parts(self._recordings.names()))

    def syllable_metadata(self, recording: str) -> dict[bytes, bytes]:
        """Metadata of the table of one recording's syllables."""
        return self._syllables.metadata(recording)

    def syllable_rows(self, recording: str) -> pa.Table:
        """All columns of one recording's syllables, as they are stored."""
        return self._syllables.read_one(recording)

    def syllable_states(self, recordings: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Time of change (ns) and size of the files with some recordings' syllables.

        They change when the recording is segmented anew.
        """
        return {name: self._syllables.state(name) for name in recordings}

    def patches(self, recording: str) -> pd.DataFrame:
        """Packed patches of a recording's syllables: syllable, and what `unpack_patch` takes."""
        rows = self._syllables.read_one(recording, ["syllable", *PATCH_COLUMNS])
        frame: pd.DataFrame = rows.to_pandas()
        return frame

    def errors(self) -> pd.DataFrame:
        """Recordings that could not be read: columns recording, stage, reason.

        Raises
        ------
        DamagedError
            If ``errors.csv`` is damaged.
        """
        path = self.folder / ERRORS
        if not path.exists():
            import pandas as pd  # slow to import: `info` does without

            return pd.DataFrame(columns=ERROR_COLUMNS, dtype=str)
        return read_table(path, dict.fromkeys(ERROR_COLUMNS, str), _ERRORS_REMEDY)

    def write_errors(self, errors: pd.DataFrame) -> None:
        """Replace ``errors.csv``."""
        ordered = errors[ERROR_COLUMNS].sort_values(ERROR_COLUMNS, ignore_index=True)
        write_table(self.folder / ERRORS, ordered)
