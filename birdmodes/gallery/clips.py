"""The clips that have syllables, and which of them a gallery of limited size can play."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.gallery.sounds import bytes_per_second, playable_rate, slowing, sound_type
from birdmodes.pictures.picture_files import picture_ending
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

DRAWING_VERSION = 3
"""To be raised when pictures or sounds are made differently: then none of the old ones is used."""

BYTES_PER_PIXEL = 0.14
"""Of a clip's picture; in forests and fields, of many recorders, it was 0.06 to 0.17."""

BYTES_PER_SYLLABLE = 1200
"""Of a clip's script, mostly for the outline."""

_BOX = ["start_s", "end_s", "low_hz", "high_hz"]


@dataclass(frozen=True, eq=False)
class Clip:
    """A clip that has syllables.

    Attributes
    ----------
    name : str
        Name of its files, without ending; another one whenever these must be made anew.
    recording : str
        Name of its recording.
    number : int
        Which clip of the recording, from 0.
    start_s, end_s : float
        Where it lies in the recording (s).
    rows : ndarray of int
        Rows of its syllables among all of the workspace.
    bytes : int
        About how large its files will be.
    """

    name: str
    recording: str
    number: int
    start_s: float
    end_s: float
    rows: npt.NDArray[np.int64]
    bytes: int

    @property
    def picture(self) -> str:
        """Address of its picture from the gallery's folder."""
        return f"clips/{self.name}{picture_ending()}"

    @property
    def script(self) -> str:
        """Address of the script that holds its sound and outlines."""
        return f"clips/{self.name}.js"


class SyllableDigests:
    """Digests that change when syllables do.

    Parameters
    ----------
    syllables : pandas.DataFrame
        All of the workspace, with their features, which stand for their patches and masks.
    """

    def __init__(self, syllables: pd.DataFrame) -> None:
        self._names = syllables["syllable"].to_numpy(dtype=object)
        self._values = syllables[[*_BOX, *FEATURE_NAMES]].to_numpy(dtype="<f8")

    def names(self, rows: npt.NDArray[np.int64]) -> list[str]:
        """Syllables in some rows."""
        names: list[str] = self._names[rows].tolist()
        return names

    def of(self, rows: npt.NDArray[np.int64], *, made_with: Any = None) -> str:
        """Digest of some rows, and of what else a file is made with (anything JSON can say)."""
        digest = hashlib.sha256()
        # JSON keeps names with any characters apart.
        header = [DRAWING_VERSION, picture_ending(), self._names[rows].tolist(), made_with]
        digest.update(json.dumps(header, sort_keys=True).encode("ascii"))
        digest.update(self._values[rows].tobytes())
        return digest.hexdigest()[:16]


def list_clips(
    workspace: Workspace, syllables: pd.DataFrame, digests: SyllableDigests
) -> list[Clip]:
    """List all clips that have syllables.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    syllables : pandas.DataFrame
        Numbered from 0.
    digests : SyllableDigests
        Of them.

    Returns
    -------
    list of Clip
        In the order of recordings and times.
    """
    rows_of = workspace.recordings().set_index("recording").to_dict("index")
    clips = []
    for recording, members in syllables.groupby("recording", sort=True):
        facts = rows_of[recording]
        for _, group in members.groupby("clip", sort=True):
            rows = group.index.to_numpy(dtype=np.int64)
            name, place = str(recording), int(group["clip"].iloc[0])
            clips.append(_clip(workspace.settings, name, facts, place, rows, digests))
    return clips


def _clip(
    settings: Settings,
    recording: str,
    facts: dict[Any, Any],
    number: int,
    rows: npt.NDArray[np.int64],
    digests: SyllableDigests,
) -> Clip:
    start_s, end_s = clip_stretch(settings, facts, number)
    digest = digests.of(rows, made_with=[recording_state(settings, facts), number, sound_type()])
    return Clip(
        name=f"{_readable(recording)}-{number}-{digest}",
        recording=recording,
        number=number,
        start_s=start_s,
        end_s=end_s,
        rows=rows,
        bytes=_expected_bytes(settings, int(facts["sample_rate_hz"]), end_s - start_s, len(rows)),
    )


def clip_stretch(settings: Settings, facts: Mapping[Any, Any], number: int) -> tuple[float, float]:
    """Where a clip begins and ends in its recording (s); the last one ends with it.

    Parameters
    ----------
    settings : Settings
        Of the workspace.
    facts : mapping
        The recording's row of ``workspace.recordings()``.
    number : int
        Which clip, from 0.
    """
    parameters = settings.segmentation
    clip_s = parameters.n_clip / parameters.sample_rate_hz
    start_s = number * clip_s
    last = number >= facts["n_clips"] - 1
    return start_s, max(float(facts["duration_s"]), start_s) if last else start_s + clip_s


def recording_state(settings: Settings, facts: Mapping[Any, Any]) -> list[Any]:
    """What pictures and sounds of a recording depend on, for a digest."""
    return [
        asdict(settings.segmentation),
        settings.channel,
        int(facts["size_bytes"]),
        int(facts["mtime_ns"]),
    ]


def _readable(recording: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", recording).strip("-")[:40] or "x"


def _expected_bytes(
    settings: Settings, sample_rate_hz: int, duration_s: float, n_syllables: int
) -> int:
    parameters = settings.segmentation
    rates = sample_rate_hz, parameters.sample_rate_hz
    pixels = parameters.n_bins * duration_s / parameters.frame_s
    sound_s = slowing(*rates) * duration_s
    sound = bytes_per_second(playable_rate(*rates)) * sound_s * 4 / 3  # as text
    return round(pixels * BYTES_PER_PIXEL + sound + n_syllables * BYTES_PER_SYLLABLE)


def by_importance(clips: Iterable[Clip], shown: Collection[str]) -> list[Clip]:
    """Sort clips: those with examples on the pages first, then those with most syllables.

    Parameters
    ----------
    clips : iterable of Clip
        Any.
    shown : collection of str
        Names of the clips whose syllables are examples.
    """
    return sorted(
        clips, key=lambda clip: (clip.name not in shown, -len(clip.rows), clip.recording, clip.name)
    )


def within_budget(
    clips: Iterable[Clip], budget_bytes: float, sizes: dict[str, int] | None = None
) -> set[str]:
    """Names of the first clips that have room.

    Parameters
    ----------
    clips : iterable of Clip
        Most important first.
    budget_bytes : float
        Room for their files.
    sizes : dict of str to int, optional
        How large the files of a clip are; by default what is expected.
    """
    names: set[str] = set()
    for clip in clips:
        budget_bytes -= clip.bytes if sizes is None else sizes[clip.name]
        if budget_bytes < 0:
            break
        names.add(clip.name)
    return names
