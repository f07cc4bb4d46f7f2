"""Find label files, alone or in folders, and read them."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from birdmodes.audio.find import OUTPUT_MARKERS, RecordingFile
from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath, as_paths
from birdmodes.io.printing import shown
from birdmodes.labels.detect import read_label_file
from birdmodes.labels.errors import NotLabelsError
from birdmodes.labels.model import LabelTable
from birdmodes.labels.reading import Reading

LABEL_ENDINGS = frozenset(
    {
        *(".csv", ".txt", ".tsv", ".tab"),
        *(".xlsx", ".xlsm", ".xls", ".ods"),
        *(".parquet", ".jsonl", ".ndjson", ".json", ".textgrid"),
    }
)
"""In small letters."""

_EXPORT_NOTE = "birdmodes-export.json"  # lies beside our own tables, which people bring back

_ENDINGS_SHOWN = ".csv, .txt, .tsv, .xlsx, .TextGrid, .json, .parquet ..."


@dataclass(frozen=True)
class LabelSource:
    """A file that was given, or found in a folder that was given.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    folder : str
        Where it lies in the folder given, with forward slashes; empty at its top.
    searched : bool
        Whether it was found in a folder.
    """

    path: Path
    folder: str = ""
    searched: bool = False


@dataclass(frozen=True)
class ReadFile:
    """What came of reading a label file.

    Attributes
    ----------
    source : LabelSource
        The file.
    outcome : LabelTable or LabelError
        What it says, or why it could not be read.
    """

    source: LabelSource
    outcome: LabelTable | LabelError

    @property
    def skipped(self) -> bool:
        """Whether it is a file that only happens to lie in a folder of labels."""
        return self.source.searched and isinstance(self.outcome, NotLabelsError)

    @property
    def reason(self) -> str:
        """Why it is no label file, in few words; empty if it is one."""
        return self.outcome.reason if isinstance(self.outcome, NotLabelsError) else ""

    def table(self) -> LabelTable:
        """What the file says.

        Raises
        ------
        LabelError
            If it could not be read.
        """
        if isinstance(self.outcome, LabelError):
            raise self.outcome
        return self.outcome


def find_label_files(paths: AnyPath | Iterable[AnyPath]) -> list[LabelSource]:
    """List label files.

    Parameters
    ----------
        paths : str, path-like, or iterable of them
        A folder is searched with all its subfolders for files that end like tables of text,
        spreadsheets, Parquet, JSON or TextGrids (`LABEL_ENDINGS`); hidden files and our own
        workspaces and galleries are passed over. A file is taken whatever its ending.

    Returns
    -------
    list of LabelSource
        In the order given, within a folder sorted by path; each file once.

    Raises
    ------
    LabelError
        If a path does not exist, or a folder cannot be listed or holds no such file.
    """
    found: dict[str, LabelSource] = {}
    for path in as_paths(paths):
        sources = list(_in_folder(path)) if path.is_dir() else [LabelSource(path)]
        if not sources:
            raise LabelError(f"{shown(path)}: no label files here ({_ENDINGS_SHOWN})")
        for source in sources:
            found.setdefault(os.path.abspath(source.path), source)  # noqa: PTH100
    return list(found.values())


def _in_folder(root: Path) -> Iterator[LabelSource]:
    def refuse(error: OSError) -> None:
        raise LabelError(
            f"{shown(error.filename)}: this folder cannot be listed ({error.strerror or error})"
        ) from error

    for folder, subfolders, files in os.walk(root, onerror=refuse):
        if OUTPUT_MARKERS.intersection(files):
            subfolders.clear()
            continue
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        inside = Path(folder).relative_to(root).as_posix()
        for name in sorted(files):
            ending = os.path.splitext(name)[1].lower()  # noqa: PTH122
            if ending not in LABEL_ENDINGS or name.startswith(".") or name == _EXPORT_NOTE:
                continue
            path = Path(folder, name)
            # reading a pipe that happens to lie here would never end
            if path.is_file():
                yield LabelSource(path, "" if inside == "." else inside, True)


def read_files(sources: Iterable[LabelSource], how: Reading | None = None) -> Iterator[ReadFile]:
    """Read label files one after the other; what is wrong with one does not stop the others.

    Parameters
    ----------
    sources : iterable of LabelSource
        The files.
    how : Reading
        How to read them.
    """
    for source in sources:
        try:
            yield ReadFile(source, read_label_file(source.path, how, folder=source.folder))
        except LabelError as error:
            yield ReadFile(source, error)


def no_labels(paths: Iterable[Path], n_files: int) -> LabelError:
    """Error for folders of which no file holds labels.

    Parameters
    ----------
    paths : iterable of pathlib.Path
        What was given.
    n_files : int
        Files that were looked at.
    """
    where = ", ".join(shown(path) for path in paths)
    return LabelError(
        f"{where}: none of {n_files} files ({_ENDINGS_SHOWN}) holds labels; 'birdmodes labels' "
        "with one of them says why"
    )


_MOST_LOOKED_AT = 100


def labels_beside(recordings: Iterable[RecordingFile], how: Reading, most: int) -> list[LabelTable]:
    """Find label files in the folders of recordings.

    Parameters
    ----------
    recordings : iterable of RecordingFile
        The recordings.
    how : Reading
        How label files are read.
    most : int
        Files to look into.

    Returns
    -------
    list of LabelTable
        Sorted by path; files that hold no labels, or cannot be read, are not among them.
    """
    folders = {folder for file in recordings for folder in (file.root, file.path.parent)}
    files = itertools.chain.from_iterable(map(_label_like, sorted(folders)))
    found: list[LabelTable] = []
    for path in itertools.islice(files, most):
        with contextlib.suppress(LabelError):
            found.append(read_label_file(path, how))
    return found


def unused_labels(recordings: Iterable[RecordingFile], how: Reading) -> list[str]:
    """Warning of label files that lie beside recordings and were not asked for.

    Parameters
    ----------
    recordings : iterable of RecordingFile
        The recordings.
    how : Reading
        How label files are read.

    Returns
    -------
    list of str
        None, or one line that says how to use them.
    """
    found = [table.path for table in labels_beside(recordings, how, most=_MOST_LOOKED_AT)]
    if not found:
        return []
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    give = found[0] if len(found) == 1 else found[0].parent
    what = "looks like labels; to use it" if not more else "look like labels; to use them"
    return [f"found {shown(found[0])}{more}, which {what}: --labels {give}"]


def _label_like(folder: Path) -> Iterator[Path]:
    try:
        here = sorted(folder.iterdir())
    except OSError:
        return
    for path in here:
        ending = path.suffix.lower()
        if ending in LABEL_ENDINGS and not path.name.startswith(".") and path.is_file():
            yield path
