"""Recordings that one label file is for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from birdmodes.audio.find import RecordingFile
from birdmodes.errors import LabelError
from birdmodes.io.printing import shown
from birdmodes.labels.matching import NameMatcher, PathMatcher, recording_names
from birdmodes.labels.model import LabelTable


class Recordings:
    """The recordings that labels are wanted for.

    Parameters
    ----------
    recordings : mapping
        Name to recording.
    """

    def __init__(self, recordings: Mapping[str, RecordingFile]) -> None:
        self.example = next(iter(recordings), "")
        self.files = recordings
        self._matcher = NameMatcher(recordings)
        self._paths = PathMatcher({name: file.path for name, file in recordings.items()})

    def places_of(self, table: LabelTable) -> dict[str, str]:
        """Recordings that the file speaks of, as written in it, to their names.

        The empty text stands for the recording that the file's own name says.

        Raises
        ------
        LabelError
            If one of them fits several recordings, or several fit one recording equally well.
        """
        places = {}
        for written, line in table.first_lines().items():
            found = self._find(table, written)
            if len(found) > 1:
                raise _ambiguous(table, line, written, found)
            if found:
                places[written] = found[0]
        relative = table.own and not any(map(_is_absolute, places))
        return places if relative else self._without_namesakes(table, places)

    def _find(self, table: LabelTable, written: str) -> list[str]:
        if not written:
            for candidate in recording_names(table.path.name):
                found = self._near(table, candidate) or self._matcher.find_moved(candidate)
                if found:
                    return found
            return []
        # A path in a table of our own is relative to the recordings' folder; other programs write
        # where the recording lay on the computer that they ran on.
        relative = table.own and not _is_absolute(written)
        find = self._matcher.find if relative else self._matcher.find_moved
        return self._near(table, written) or find(written)

    def _near(self, table: LabelTable, written: str) -> list[str]:
        """Recordings beside the label file, or in the folders that it lies in."""
        folders = PurePosixPath(table.folder).parts
        for depth in range(len(folders), 0, -1):
            found = self._matcher.find("/".join((*folders[:depth], written)))
            if found:
                return found
        return self._paths.find(table.path.parent, written)

    def _without_namesakes(self, table: LabelTable, places: dict[str, str]) -> dict[str, str]:
        """Leave out paths that lie in another folder than the recording of the same name.

        Recorders call their files after the time, so those of two sites have the same names.
        """
        by_recording: dict[str, dict[PurePosixPath, list[str]]] = {}
        for written, name in places.items():
            folder = PurePosixPath(written.replace("\\", "/")).parent
            by_recording.setdefault(name, {}).setdefault(folder, []).append(written)
        for name, folders in by_recording.items():
            shared = {folder: self._paths.shared(name, folder) for folder in folders}
            most = max(shared.values())
            best = sorted(folder for folder in folders if shared[folder] == most)
            if len(best) > 1:
                raise LabelError(
                    f"{shown(table.path)}: {shown(name)} may be the recording of that name in "
                    f"{shown(str(best[0]))} or in {shown(str(best[1]))}; leave one of them out, or "
                    "put the recordings into folders of the same names"
                )
            for folder in folders.keys() - best:
                for written in folders[folder]:
                    del places[written]
        return places


class MemberPlaces:
    """Recordings that a label table beside them is for.

    Parameters
    ----------
    members : mapping
        Names as the table may write them, to the recordings' names.
    """

    def __init__(self, members: Mapping[str, str]) -> None:
        self.example = next(iter(members), "")
        self._members = members
        self._matcher = NameMatcher(members)

    def places_of(self, table: LabelTable) -> dict[str, str]:
        """Recordings that the table speaks of, as `Recordings.places_of`."""
        places = {}
        for written, line in table.first_lines().items():
            relative = table.own and not _is_absolute(written)
            find = self._matcher.find if relative else self._matcher.find_moved
            found = find(written)
            if len(found) > 1:
                names = [self._members[name] for name in found]
                raise _ambiguous(table, line, written, names)
            if found:
                places[written] = self._members[found[0]]
        return places


def _is_absolute(path: str) -> bool:
    """Whether a path says where a file lay on some computer."""
    return path.startswith(("/", "\\")) or path[1:3] in (":\\", ":/")


def _ambiguous(table: LabelTable, line: int, written: str, found: list[str]) -> LabelError:
    what = f"{shown(table.path)}, line {line}: {written!r}" if written else shown(table.path)
    hint = (
        "write the path relative to the folder"
        if table.own
        else "put the file beside its recording"
    )
    names = ", ".join(shown(name) for name in sorted(found)[:3])
    return LabelError(f"{what} fits {len(found)} recordings ({names}); {hint}")
