"""Raw files on this machine: where they are, whether they are whole, and how to get them.

A file lies in its place as published, or gzipped, with ``.gz`` after its name: then what counts is
what it holds. Downloads are kept as published, and where both are there, that one is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pooch
import requests

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.catalogue import DatasetInfo, RawFile
from birdmodes.experiments.datasets.raw_files import gzipped, sha256, stored_path

DATA_VARIABLE = "BIRDMODES_DATA"
_TIMEOUT_S = 30

FetchProgress = Callable[[int, int, str], None]


def named_folder(data_dir: str | Path | None = None) -> Path | None:
    """Data folder that the user names: `data_dir`, else ``BIRDMODES_DATA``, else none."""
    named = data_dir or os.environ.get(DATA_VARIABLE)
    return Path(named) if named else None


def data_folder(data_dir: str | Path | None = None) -> Path:
    """Folder of the raw files: the one that the user names, else in the user's cache folder."""
    return named_folder(data_dir) or Path(pooch.os_cache("birdmodes"))


def has_files(info: DatasetInfo, data_dir: str | Path | None = None) -> bool:
    """Tell whether all raw files of a data set are in the data folder (not if they are whole)."""
    folder = data_folder(data_dir)
    return all(stored_path(folder / file.local) for file in info.files)


def obtain_files(info: DatasetInfo, data_dir: str | Path | None = None) -> Path:
    """Make sure that the raw files of a data set are here and whole.

    Parameters
    ----------
    info : DatasetInfo
        The data set.
    data_dir : str or pathlib.Path, optional
        See `data_folder`. In a folder that the user names nothing is downloaded.

    Returns
    -------
    pathlib.Path
        The data folder.

    Raises
    ------
    DatasetError
        If a file is missing or damaged, or cannot be downloaded.
    """
    folder = named_folder(data_dir)
    if folder is None:
        return fetch_dataset(info)
    for file in info.files:
        _check_file(info, file, folder)
    return folder


def _check_file(info: DatasetInfo, file: RawFile, folder: Path) -> None:
    path = stored_path(folder / file.local)
    remedy = f"'birdmodes datasets fetch {info.name} --data-dir {folder}' downloads it"
    if path is None:
        raise DatasetError(
            f"{folder / file.local}: {info.name} needs this file and it is not there; {remedy}"
        )
    if sha256(path) != file.sha256:
        raise DatasetError(
            f"{path}: not the published file of {info.name} (its sha256 differs); {remedy} anew"
        )


def fetch_dataset(
    info: DatasetInfo,
    data_dir: str | Path | None = None,
    on_progress: FetchProgress | None = None,
) -> Path:
    """Download the raw files that are missing or damaged.

    Each is written to a temporary name, checked against its sha256 and renamed, so that a fetch
    that was stopped goes on with the file where it was.

    Parameters
    ----------
    info : DatasetInfo
        The data set.
    data_dir : str or pathlib.Path, optional
        See `data_folder`.
    on_progress : callable, optional
        Called with the number of files here, their total and the name of the last one.

    Returns
    -------
    pathlib.Path
        The data folder.

    Raises
    ------
    DatasetError
        If a file cannot be downloaded, or is not the published one.
    """
    folder = data_folder(data_dir)
    # pooch tells of every download in its own words
    pooch.get_logger().setLevel("WARNING")
    manager = pooch.create(
        path=folder,
        base_url="",
        registry={file.local: f"sha256:{file.sha256}" for file in info.files},
        urls={file.local: file.address for file in info.files},
    )
    for number, file in enumerate(info.files, start=1):
        _fetch_file(manager, file, folder)
        if on_progress is not None:
            on_progress(number, len(info.files), file.local)
    return folder


def _fetch_file(manager: pooch.Pooch, file: RawFile, folder: Path) -> None:
    path = folder / file.local
    if stored_path(path) == gzipped(path) and sha256(gzipped(path)) == file.sha256:
        return
    try:
        manager.fetch(file.local, downloader=pooch.HTTPDownloader(timeout=_TIMEOUT_S))
    except requests.RequestException as error:
        raise DatasetError(
            f"{file.address}: cannot be downloaded ({_reason(error)}); try again later, or get "
            f"the file in another way and put it at {path}"
        ) from error
    except ValueError as error:
        # pooch's word for a hash that differs
        raise DatasetError(
            f"{file.address}: not the published file (its sha256 is not {file.sha256}), so it was "
            "not kept; something between here and there may have changed it"
        ) from error


def _reason(error: requests.RequestException) -> str:
    """What went wrong, in a few words: the library's own texts fill several lines."""
    if error.response is not None:
        return f"HTTP {error.response.status_code}"
    if isinstance(error, requests.Timeout):
        return f"no answer in {_TIMEOUT_S} s"
    return "no connection" if isinstance(error, requests.ConnectionError) else "broken off"
