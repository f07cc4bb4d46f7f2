"""The labels that a workspace was made with: ``labels.json``.

By the folder of the recordings, so that labels of one folder are not taken for those of another::

    {"format": 1, "folders": {"/survey": {"request": {...}, "files": {"/labels.csv": "sha256"}}}}
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import birdmodes.labels as reading
from birdmodes.audio.find import RecordingFile
from birdmodes.errors import DamagedError, LabelError
from birdmodes.io.files import write_text
from birdmodes.io.printing import shown
from birdmodes.labels import FittedLabels, LabelRequest

if TYPE_CHECKING:
    import pandas as pd

FILE = "labels.json"
_FORMAT = 1
_GONE = "gone"
_TOLD = ("recording", "labelled", "species", "clip_species", "timed_labels")
_CONFIDENCES = "confidences"

LABEL_COLUMNS = (*_TOLD, _CONFIDENCES)
"""Columns of recordings that say what is known of their species."""


@dataclass(frozen=True)
class RememberedLabels:
    """What labels the recordings of a folder have.

    Attributes
    ----------
    request : LabelRequest
        What was asked for.
    files : dict of str to str
        Files that were used, by absolute path, to the digests of their contents.
    """

    request: LabelRequest
    files: dict[str, str]


def read_remembered(folder: Path) -> dict[str, RememberedLabels]:
    """Labels of a workspace, by the absolute path of the recordings' folder.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace; nothing is remembered where there is none.

    Raises
    ------
    DamagedError
        If ``labels.json`` is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {
            str(root): RememberedLabels(
                LabelRequest.from_dict(entry["request"]),
                {str(file): str(digest) for file, digest in entry["files"].items()},
            )
            for root, entry in content["folders"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(
            f"{path}: damaged ({error!r}); delete it, and name the labels with --labels in the "
            "next 'birdmodes segment'",
            path,
        ) from error


def remembered_of(folder: Path, recordings: Iterable[RecordingFile]) -> dict[str, RememberedLabels]:
    """Give what `read_remembered` does, of the folders of some recordings alone."""
    known = read_remembered(folder)
    return {root: known[root] for root in _roots(recordings) if root in known}


def remember_labels(
    folder: Path, recordings: Iterable[RecordingFile], fitted: FittedLabels
) -> None:
    """Keep which labels recordings have; who calls this holds the workspace's lock.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace.
    recordings : iterable of RecordingFile
        The recordings of a run.
    fitted : FittedLabels
        Their labels; those that were not made from files are not remembered.
    """
    if fitted.request is None:
        return
    request = fitted.request.absolute()
    known = read_remembered(folder)
    files = {_absolute(file): _digest(Path(file)) for file in request.files(fitted.files)}
    changed = {root: RememberedLabels(request, files) for root in _roots(recordings)}
    if not files:
        # nothing was found: the next run looks anew
        changed = {}
        known = {root: each for root, each in known.items() if root not in _roots(recordings)}
    content = {
        "format": _FORMAT,
        "folders": {
            root: {"request": each.request.to_dict(), "files": each.files}
            for root, each in sorted({**known, **changed}.items())
        },
    }
    write_text(folder / FILE, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def fit_again(
    folder: Path,
    recordings: Sequence[RecordingFile],
    asked: LabelRequest,
    channel: int | None = None,
) -> FittedLabels:
    """Fit the labels that were asked for, or else those of the run before.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace, which need not be there.
    recordings : sequence of RecordingFile
        The recordings.
    asked : LabelRequest
        What the user asks for now. Without label files, those that the workspace remembers are
        used, read as before but for what is asked otherwise.
    channel : int, optional
        Channel of the recordings that is used.

    Raises
    ------
    LabelError
        If label files cannot be read, or the recordings' folders were labelled in different ways.
    """
    if asked.labels is not None:
        return reading.fit_labels(recordings, channel=channel, **asked.options())
    before = {each.request for each in remembered_of(folder, recordings).values()}
    if len(before) > 1:
        raise LabelError(
            f"{shown(folder)}: the folders of these recordings were labelled in different ways "
            "before; segment them one by one, or name the labels with --labels"
        )
    request = next(iter(before), LabelRequest()).with_changes(asked)
    try:
        fitted = reading.fit_labels(recordings, channel=channel, **request.options())
    except LabelError as error:
        if request.labels is None:
            raise
        raise LabelError(
            f"{error} (labels of an earlier run; name others with --labels, or --no-labels)"
        ) from error
    return fitted


def changed_labels(folder: Path) -> list[str]:
    """Label files whose content is no longer what the workspace was made with.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace.

    Returns
    -------
    list of str
        A line each, empty if all are as they were.
    """
    remembered = read_remembered(folder).values()
    files = {file: digest for each in remembered for file, digest in each.files.items()}
    lines = []
    for file, digest in sorted(files.items()):
        now = _digest(Path(file))
        if now != digest:
            what = "is gone" if now == _GONE else "has changed"
            lines.append(
                f"{shown(file)}: {what} since the recordings were labelled with it; run 'birdmodes "
                "segment' on them again"
            )
    return lines


def labels_digest(recordings: pd.DataFrame, names: Collection[str]) -> str:
    """Digest of what is known of some recordings' species.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.
    names : collection of str
        Recordings that count.
    """
    wanted = recordings[recordings["recording"].isin(set(names))].sort_values("recording")
    summary = hashlib.sha256()
    for row in wanted.reindex(columns=list(LABEL_COLUMNS)).to_dict("records"):
        told = [_plain(row[name]) for name in _TOLD]
        sure = _plain(row[_CONFIDENCES])
        # so that the digests of lists without any stay what they were
        summary.update(json.dumps([*told, sure] if sure else told).encode("ascii"))
    return summary.hexdigest()


def outdated(
    recordings: pd.DataFrame, name: str, assignments: pd.DataFrame, parameters: Mapping[str, Any]
) -> list[str]:
    """Line to say that a result was made with other labels than the recordings have now.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.
    name : str
        Of the clustering or grouping.
    assignments : pandas.DataFrame
        Its table, with a column recording.
    parameters : mapping
        How it was made; nothing is said of those of versions that did not note their labels.
    """
    digest = parameters.get("labels_digest")
    if not digest or digest == labels_digest(recordings, assignments["recording"].unique()):
        return []
    return [
        f"{name}: the labels have changed since it was made, so its species are those of before; "
        "run 'birdmodes cluster' again"
    ]


def _plain(value: Any) -> Any:
    """A value of a table as JSON has it; missing ones and empty lists are alike."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(each) for each in value] or None
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return None if isinstance(value, float) and value != value else value


def _roots(recordings: Iterable[RecordingFile]) -> set[str]:
    return {_absolute(root) for root in {recording.root for recording in recordings}}


def _absolute(path: Path | str) -> str:
    return os.path.abspath(path)  # noqa: PTH100  keeps links


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return _GONE
