"""What can be exported, and how: formats and their options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from birdmodes._version import __version__
from birdmodes.errors import ParameterError
from birdmodes.export.picked.kinds import Choice
from birdmodes.modes.clustering import used_features
from birdmodes.workspace.store import Workspace

_RAVEN_ENDING = ".Table.1.selections.txt"

FILE_ENDINGS = {
    "csv": ".csv",
    "r": "-r.csv",
    "excel": ".xlsx",
    "parquet": ".parquet",
    "kaleidoscope": "-kaleidoscope.csv",
    "ebird": "-ebird.csv",
    "inaturalist": "-inaturalist.csv",
}
"""Formats that are one file, and what it is called after the clustering's name."""

COMBINED_ENDINGS = {"raven": _RAVEN_ENDING, "crowsetta": "-crowsetta.csv"}
"""Formats that can be one file."""

TRACK_ENDINGS = {
    "raven": _RAVEN_ENDING,
    "audacity": ".txt",
    "crowsetta": ".csv",
}
"""Formats that are one file for each recording, unless they are combined."""

HEARD_FORMATS = ("ebird", "inaturalist", "detections")
"""Formats that tell of the species of recordings, and not of syllables."""

FORMATS = (
    *("csv", "r", "excel", "parquet", "raven", "audacity", "kaleidoscope", "crowsetta"),
    *("ebird", "inaturalist", "detections", "clips"),
)
_TABLES = ("csv", "r", "excel", "parquet")
"""Formats that are tables of all that is known."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class ClipOptions:
    """How clips are cut.

    Attributes
    ----------
    padding_s : float
        Sound before and after the syllable (s).
    per_mode : int or None
        Only so many of each mode, the most central ones.
    format : {"wav", "flac"}
        Of the files; 16 bits, at the sample rate of the recording.
    channel : int or None
        Channel to cut, from 1; None for the mean of all.
    """

    padding_s: float = 0.1
    per_mode: int | None = None
    format: str = "wav"
    channel: int | None = None


@dataclass(frozen=True)
class ExportOptions:
    """How a clustering is exported; each format uses what concerns it.

    Attributes
    ----------
    format : str
        One of `FORMATS`.
    choice : Choice
        Which syllables.
    combined : bool
        One table instead of one for each recording (raven, crowsetta).
    label : {"mode", "species"}
        What labels say (audacity, crowsetta).
    spectral : bool
        Frequencies below each label (audacity).
    features : bool
        The 38 features, and those of the clustering's other sets, as columns (csv, r, excel,
        parquet).
    mark : bool
        A byte-order mark at the beginning, for Excel (csv).
    clips : ClipOptions
        How clips are cut (clips).
    overwrite : bool
        Replace what is there, see `birdmodes.export.output`.
    """

    format: str
    choice: Choice = field(default_factory=Choice)
    combined: bool = False
    label: str = "mode"
    spectral: bool = True
    features: bool = False
    mark: bool = False
    clips: ClipOptions = field(default_factory=ClipOptions)
    overwrite: bool = False

    @property
    def file_ending(self) -> str:
        """What the one file is called after the clustering's name; nothing if there are many."""
        endings = {**FILE_ENDINGS, **(COMBINED_ENDINGS if self.combined else {})}
        return endings.get(self.format, "")


@dataclass(frozen=True)
class ExportResult:
    """What was written.

    Attributes
    ----------
    output : pathlib.Path
        The file or folder.
    syllables, files : int
        How many.
    left_out : int
        Syllables of the wanted modes that were left out for their confidence.
    warnings : list of str
        What could not be exported.
    groups : pathlib.Path or None
        Folder of the tables of groups of recordings, if they were written beside.
    """

    output: Path
    syllables: int
    files: int
    left_out: int
    warnings: list[str] = field(default_factory=list)
    groups: Path | None = None


def check_options(options: ExportOptions) -> None:
    """Refuse options that do not fit the format.

    Raises
    ------
    ParameterError
        If one does not, or there is no such format.
    """
    if options.format not in FORMATS:
        raise ParameterError(f"no format {options.format!r}; there are: {', '.join(FORMATS)}")
    for given, name, formats in (
        (options.combined, "--combined", COMBINED_ENDINGS),
        (options.features, "--features", _TABLES),
        (options.mark, "--bom", ("csv",)),
        (options.label != "mode", "--label", ("audacity", "crowsetta")),
        (not options.spectral, "--plain", ("audacity",)),
        (options.clips.per_mode is not None, "--per-mode", ("clips",)),
    ):
        if given and options.format not in formats:
            raise ParameterError(
                f"{name} is for --format {' and '.join(formats)}, not for {options.format}; "
                "leave it out"
            )


class Made(Protocol):
    """A clustering, with its syllables or without."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """How it was made."""


def default_output(workspace: Workspace, clustering: Made, options: ExportOptions) -> Path:
    """Where an export goes if nothing is said: in the workspace's folder ``exports``."""
    ending = options.file_ending or f"-{options.format}"
    return workspace.folder / "exports" / f"{clustering.name}{ending}"


def about_export(
    clustering: Made, options: ExportOptions, grouping: str | None = None
) -> dict[str, object]:
    """What is noted of an export beside its files.

    Parameters
    ----------
    clustering : Made
        What is exported.
    options : ExportOptions
        How.
    grouping : str, optional
        Name of the groups of recordings that are told of.
    """
    return {
        "birdmodes": __version__,
        "clustering": clustering.name,
        "features": used_features(clustering.parameters),
        **({} if grouping is None else {"grouping": grouping}),
        "export": options.format,
        "choice": options.choice.to_dict(),
    }
