"""Errors that are the user's to mend: one line that names the thing and says what to do."""

from __future__ import annotations

from pathlib import Path


class BirdmodesError(Exception):
    """Bad input or a wrong call. The command line prints the message and exits with code 2."""


class ParameterError(BirdmodesError):
    """A setting has a value that it cannot have, or is unknown."""


class AudioError(BirdmodesError):
    """A recording cannot be read."""


class LabelError(BirdmodesError):
    """A label file cannot be understood or does not fit the recordings."""


class WorkspaceError(BirdmodesError):
    """The workspace is missing, of another version, busy, or made with other parameters."""


class BusyError(WorkspaceError):
    """Another process is writing to the same place."""


class DamagedError(WorkspaceError):
    """A file that birdmodes has written is missing, cut short, or not what was written.

    Parameters
    ----------
    message : str
        One line: which file, what is the matter, what to do.
    path : pathlib.Path
        The file.
    """

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class TruthError(BirdmodesError):
    """A truth file cannot be understood or does not fit the recordings."""


class DatasetError(BirdmodesError):
    """A data set is unknown, not here, damaged, or a file of bags cannot be understood."""


class FeatureError(BirdmodesError):
    """There is no such set of features, or a table of features does not fit the syllables."""


class ModelError(BirdmodesError):
    """A trained segmenter cannot be read, or what it is to be trained on cannot be understood."""


class ReviewError(BirdmodesError):
    """A file of corrections cannot be understood, or is about something else."""


def asked_too_much(error: Exception) -> BirdmodesError:
    """What a method cannot do, in the words of who asked it: the number of clusters is `k` here."""
    return BirdmodesError(str(error).replace("n_clusters=", "k="))
