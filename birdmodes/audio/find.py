"""Find the recordings in files and folders, without opening any of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import AudioError
from birdmodes.io.paths import AnyPath, as_paths
from birdmodes.io.printing import printable_text, shown

# What libsndfile reads, but for .mat and .raw: what has these endings is seldom sound.
_READABLE = """
    .wav .wave .wavex .bwf .rf64 .w64 .flac .ogg .oga .opus .mp3 .mp2 .aif .aiff .aifc .caf .au .snd
    .voc .sph .nist .avr .htk .ircam .mat4 .mat5 .mpc2k .paf .pvf .sds .svx .wve
"""
AUDIO_ENDINGS = frozenset(_READABLE.split())

# Sound that must be converted first. It is listed all the same, so that it is reported with what
# cannot be read instead of being missed.
_CONVERTIBLE = ".m4a .m4b .mp4 .aac .3gp .wma .wac .w4v .webm .weba .mka .amr .ac3 .ape .wv .tta"
CONVERTIBLE_ENDINGS = frozenset(_CONVERTIBLE.split())

# Folders with one of these files hold what we wrote, sound clips of galleries among it.
OUTPUT_MARKERS = frozenset({"workspace.json", "birdmodes-gallery.json", "birdmodes-clips.json"})

PROGRESS_EVERY = 1000


@dataclass(frozen=True, slots=True)
class RecordingFile:
    r"""A recording found on disk.

    Attributes
    ----------
    name : str
        Path relative to the folder it was found in, with forward slashes; for a file that was
        named itself, the file name. Bytes in it that are not UTF-8 are written as ``\xNN``.
    path : pathlib.Path
        Absolute path.
    root : pathlib.Path
        The folder that `name` starts from.
    """

    name: str
    path: Path
    root: Path


def find_recordings(
    paths: AnyPath | Iterable[AnyPath], on_progress: Callable[[int], None] | None = None
) -> list[RecordingFile]:
    """List the recordings in files and folders.

    No file is opened or asked for its size, so that folders of hundreds of thousands of files are
    listed in seconds.

    Parameters
    ----------
    paths : str, path-like, or iterable of them
        A folder is searched with all its subfolders for files with an audio ending in any letter
        case; hidden files and our own workspaces and galleries are passed over. A file is taken
        whatever its ending.
    on_progress : callable, optional
        Called with the number of recordings found so far, every thousand files that were looked
        at, and at the end.

    Returns
    -------
    list of RecordingFile
        Sorted by name, each file once. What is sound but must be converted first, such as M4A, is
        in it unless a file of the same name with a readable ending lies beside it. A subfolder
        that cannot be listed is in it too, with a name that ends in ``/``: reading it raises
        `AudioError`, which says why, and so it is counted with the recordings that failed.

    Raises
    ------
    AudioError
        If a path does not exist or is a folder that cannot be listed, two recordings would have
        one name, or there are none at all.
    """
    search = _Search(on_progress)
    given = [Path(os.path.abspath(path)) for path in as_paths(paths)]  # noqa: PTH100  keeps symbolic links
    for path in given:
        if os.path.isdir(path):  # noqa: PTH112  does not raise where a folder is locked
            search.folder(path)
        elif os.path.exists(path):  # noqa: PTH110
            search.add(path.name, path, path.parent)
        else:
            raise AudioError(f"{shown(path)}: no such file or folder, or not to be reached")
    if not search.found:
        where = ", ".join(shown(path) for path in given)
        endings = " ".join(sorted(AUDIO_ENDINGS))
        raise AudioError(f"{where}: no recordings here (files ending in {endings})")
    if on_progress is not None:
        on_progress(len(search.found))
    return [search.found[name] for name in sorted(search.found)]


class _Search:
    """The recordings found so far, and the search for more."""

    def __init__(self, on_progress: Callable[[int], None] | None) -> None:
        self.found: dict[str, RecordingFile] = {}
        self._on_progress = on_progress
        self._looked_at = 0
        self._seen: set[tuple[int, int]] = set()

    def add(self, name: str, path: Path, root: Path) -> None:
        """Add a recording; refuse a second one of the same name."""
        name = printable_text(name)
        recording = RecordingFile(name, path, root)
        other = self.found.setdefault(name, recording)
        if other is not recording and other.path != path:
            raise AudioError(
                f"two recordings are both called {shown(name)}: {shown(other.path)} and "
                f"{shown(path)}; give birdmodes the folder above both"
            )

    def folder(self, root: Path) -> None:
        """Search `root`; links are followed, but no folder is searched twice."""
        self._seen.clear()
        waiting = [""]
        while waiting:
            inside = waiting.pop()
            folder = root / inside
            try:
                if self._is_new(folder):
                    waiting.extend(self._list(folder, inside, root))
            except OSError as error:
                if not inside:
                    raise AudioError(_unlisted(root, error)) from error
                self.add(inside, folder, root)

    def _is_new(self, folder: Path) -> bool:
        status = folder.stat()
        known = len(self._seen)
        self._seen.add((status.st_dev, status.st_ino))
        return len(self._seen) > known

    def _list(self, folder: Path, inside: str, root: Path) -> list[str]:
        """Add the recordings of one folder; give its subfolders, each ending in a slash."""
        subfolders: list[str] = []
        readable: list[str] = []
        convertible: list[str] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self._progress(len(readable))
                name = entry.name
                if name in OUTPUT_MARKERS:
                    return []
                if name.startswith("."):
                    continue
                ending = _ending(name)
                if _is_folder(entry):
                    subfolders.append(f"{inside}{name}/")
                elif ending in AUDIO_ENDINGS:
                    readable.append(name)
                elif ending in CONVERTIBLE_ENDINGS:
                    convertible.append(name)
        if convertible:
            converted = {_stem(name) for name in readable}
            readable += [name for name in convertible if _stem(name) not in converted]
        for name in readable:
            self.add(inside + name, folder / name, root)
        return subfolders

    def _progress(self, here: int) -> None:
        self._looked_at += 1
        if self._on_progress is not None and self._looked_at % PROGRESS_EVERY == 0:
            self._on_progress(len(self.found) + here)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # such as a link to itself
        return False


def _ending(name: str) -> str:
    return os.path.splitext(name)[1].lower()  # noqa: PTH122  a Path for each is five times slower


def _stem(name: str) -> str:
    return os.path.splitext(name)[0]  # noqa: PTH122


def _unlisted(folder: Path, error: OSError) -> str:
    return (
        f"{shown(folder)}: this folder cannot be listed ({error.strerror or error}); "
        "check its permissions, or leave it out"
    )


def check_is_file(path: Path) -> None:
    """Make sure that what `find_recordings` gave is a file that can be read and stored.

    Parameters
    ----------
    path : pathlib.Path
        Of the recording.

    Raises
    ------
    AudioError
        If it is a folder or a device, is empty, or has a name that is not UTF-8.
    OSError
        If the file system does not give it.
    """
    if path.is_dir():
        try:
            os.scandir(path).close()
        except OSError as error:
            raise AudioError(_unlisted(path, error)) from error
        raise AudioError(f"{shown(path)}: is a folder, not a recording")
    if printable_text(str(path)) != str(path):
        raise AudioError(
            f"{shown(path)}: the name has bytes that are not UTF-8, which tables cannot hold; "
            "rename it (for many: convmv)"
        )
    status = path.stat()
    if not path.is_file():
        raise AudioError(f"{shown(path)}: is not a regular file; copy its content to one")
    if status.st_size == 0:
        raise AudioError(
            f"{shown(path)}: the file is empty (0 bytes); copy it again from the recorder, "
            "or leave it out"
        )
