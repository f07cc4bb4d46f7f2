"""Every syllable as a sound file of its own, in a folder for each species and mode."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import soundfile

from birdmodes.audio.read import read_span
from birdmodes.errors import AudioError
from birdmodes.export.label_tracks import by_recording
from birdmodes.export.names import different_names, digest, readable_name
from birdmodes.export.picked.options import ClipOptions
from birdmodes.export.selection import Selection
from birdmodes.export.text import each, syllable_key, without_nul
from birdmodes.io.csv_writer import to_csv
from birdmodes.io.formula_guard import guarded, guarded_path
from birdmodes.pictures import text

Samples = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

FORMATS = {"wav": ("WAV", "PCM_16"), "flac": ("FLAC", "PCM_16")}
LIST = "clips.csv"
NO_SPECIES = "Background and unassigned"
LONGEST_FADE_S = 0.02
SHORTEST_FADE_S = 0.003
"""Fade of clips without padding, just long enough not to click."""

LOUDEST = 32767 / 32768
FAINTEST, RAISED_TO = 0.01, 0.25
"""Peaks under the first, of which 16 bits leave little, are brought to the second."""

READ_AT_ONCE_S = 60.0
"""Clips so near to each other are cut from one piece: finding a place in a file takes time."""

SHOWN_NAMES = 5


@dataclass
class ClipsResult:
    """What came of it.

    Attributes
    ----------
    clips : int
        Files written.
    warnings : list of str
        A line for each kind of recordings that could not be read.
    """

    clips: int = 0
    warnings: list[str] = field(default_factory=list)


def write_clips(
    folder: Path,
    selection: Selection,
    options: ClipOptions,
    on_progress: Callable[[int, int, str], None],
) -> ClipsResult:
    """Cut the syllables out of their recordings.

    Parameters
    ----------
    folder : pathlib.Path
        Where; gets a folder for each species, in it one for each mode, and `LIST`, which says what
        each file is.
    selection : Selection
        The syllables.
    options : ClipOptions
        How.
    on_progress : callable
        Called with done, total and the recording's name after each recording.

    Returns
    -------
    ClipsResult
        A recording that is gone, has changed or cannot be read is a warning, and its syllables
        are left out.
    """
    rows = central(selection.rows, options.per_mode)
    files = clip_files(rows, options.format)
    facts = {str(row["recording"]): row for row in selection.recordings.to_dict("records")}
    written = np.zeros(len(rows), dtype=bool)
    gain_db = np.zeros(len(rows))
    problems: dict[str, list[str]] = {}
    recordings = list(by_recording(rows))
    for done, (recording, here) in enumerate(recordings, start=1):
        path = Path(facts[recording]["path"])
        problem = _problem(path, facts[recording])
        if not problem:
            try:
                for number, change_db in _write_clips_of(folder, path, rows, here, files, options):
                    written[number] = True
                    gain_db[number] = change_db
            except AudioError:
                problem = "no longer readable"
        if problem:
            problems.setdefault(problem, []).append(recording)
        on_progress(done, len(recordings), recording)
    kept = rows[written].assign(
        file=np.array(files, dtype=object)[written], gain_db=gain_db[written]
    )
    _write_list(folder / LIST, kept, options.padding_s)
    return ClipsResult(len(kept), [_warning(*item) for item in sorted(problems.items())])


def central(rows: pd.DataFrame, per_mode: int | None) -> pd.DataFrame:
    """Keep the most central syllables of each cluster, in the order of `rows`."""
    if per_mode is None:
        return rows
    ordered = rows.sort_values(["centrality", "syllable"], ascending=[False, True])
    kept = ordered.groupby("cluster", sort=False).head(per_mode).index
    return rows.loc[kept.sort_values()].reset_index(drop=True)


def clip_files(rows: pd.DataFrame, ending: str) -> list[str]:
    """Name the clips: ``Robin/mode 1/Robin_mode 1_dawn-a_12.35s.wav``.

    Parameters
    ----------
    rows : pandas.DataFrame
        The syllables.
    ending : str
        Of the files, without its dot.

    Returns
    -------
    list of str
        Relative paths with forward slashes, all different, also where letter case does not count.
    """
    species = rows["species"].where(rows["kind"] == "mode", NO_SPECIES)
    of_species = different_names(species)
    of_modes = {
        name: different_names(group)
        for name, group in rows["short_name"].groupby(species.to_numpy(dtype=object))
    }
    source = each(rows["recording"], _source)
    files: list[str] = []
    taken: set[str] = set()
    columns = (species, rows["short_name"], source, rows["start_s"], rows["syllable"])
    for kind, mode, recording, start_s, syllable in zip(*columns, strict=True):
        first, second = of_species[kind], of_modes[kind][mode]
        name = f"{first}_{second}_{recording}_{start_s:.2f}s"
        if f"{first}/{second}/{name}".casefold() in taken:
            name = f"{name}-{digest(syllable)}"
        taken.add(f"{first}/{second}/{name}".casefold())
        files.append(f"{first}/{second}/{name}.{ending}")
    return files


def _source(recording: str) -> str:
    """What the name of a clip says of its recording: the path without its ending."""
    folder, _, file = recording.rpartition("/")
    stem = file.rpartition(".")[0] or file
    return readable_name("-".join(part for part in (*folder.split("/"), stem) if part))


def _problem(path: Path, facts: dict[Hashable, Any]) -> str:
    """Why a recording is not the one that was segmented, or nothing."""
    try:
        status = path.stat()
    except OSError:
        return "no longer at their place"
    if (status.st_size, status.st_mtime_ns) != (facts["size_bytes"], facts["mtime_ns"]):
        return "changed since they were segmented"
    return ""


def _write_clips_of(
    folder: Path,
    recording: Path,
    rows: pd.DataFrame,
    here: slice,
    files: list[str],
    options: ClipOptions,
) -> Iterator[tuple[int, float]]:
    """Cut the clips of one recording; gives each row's number and gain when its clip is written."""
    starts_s = np.maximum(0.0, rows["start_s"].to_numpy(dtype=float) - options.padding_s)
    ends_s = rows["end_s"].to_numpy(dtype=float) + options.padding_s
    for stretch in stretches(starts_s, ends_s, here):
        first_s, last_s = starts_s[stretch.start], ends_s[stretch].max()
        samples, rate = read_span(recording, first_s, last_s, options.channel)
        first = round(first_s * rate)
        for number in range(stretch.start, stretch.stop):
            clip = samples[
                round(starts_s[number] * rate) - first : round(ends_s[number] * rate) - first
            ]
            if not clip.size:
                raise AudioError(f"{recording}: shorter than announced")
            change_db = fitting_gain_db(clip)
            clip = clip * np.float32(10 ** (change_db / 20))
            _write_clip(folder / files[number], clip, rate, options)
            yield number, change_db


def stretches(starts_s: Floats, ends_s: Floats, rows: slice) -> Iterator[slice]:
    """Group rows, sorted by start, into parts of a recording that are read at once."""
    first = rows.start
    for number in range(rows.start, rows.stop):
        if number > first and ends_s[number] - starts_s[first] > READ_AT_ONCE_S:
            yield slice(first, number)
            first = number
    yield slice(first, rows.stop)


def fitting_gain_db(samples: Samples) -> float:
    """Gain that makes samples fit into 16 bits.

    Parameters
    ----------
    samples : ndarray of float32
        Full scale is 1; recordings of floats may be louder, or hardly differ from 0.

    Returns
    -------
    float
        Decibels; 0 where neither clipping nor rounding is to be feared.
    """
    peak = float(np.abs(samples).max(initial=0.0))
    if peak > LOUDEST:
        return 20.0 * math.log10(LOUDEST / peak)
    if 0.0 < peak < FAINTEST:
        return 20.0 * math.log10(RAISED_TO / peak)
    return 0.0


def _write_clip(path: Path, samples: Samples, rate: int, options: ClipOptions) -> None:
    fade_s = min(max(options.padding_s, SHORTEST_FADE_S), LONGEST_FADE_S)
    path.parent.mkdir(parents=True, exist_ok=True)
    kind, subtype = FORMATS[options.format]
    # Not written to the file by the library, which does not tell a full disk from other trouble.
    content = io.BytesIO()
    soundfile.write(content, faded(samples, round(fade_s * rate)), rate, subtype, format=kind)
    path.write_bytes(content.getvalue())


def faded(samples: Samples, length: int) -> Samples:
    """Fade in and out over `length` samples, or half of the sound if it is shorter."""
    length = min(length, len(samples) // 2)
    ramp = np.sin(np.linspace(0, np.pi / 2, length, endpoint=False, dtype=np.float32)) ** 2
    result = samples.copy()
    result[:length] *= ramp
    result[len(result) - length :] *= ramp[::-1]
    return result


def _write_list(path: Path, rows: pd.DataFrame, padding_s: float) -> None:
    names = {
        name: each(rows[name], lambda text: guarded(without_nul(text)))
        for name in ("species", "mode")
    }
    paths = {name: each(rows[name], guarded_path) for name in ("file", "recording")}
    paths["syllable"] = each(rows["syllable"], syllable_key)
    columns = ["file", "syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]
    table = rows.assign(**names, **paths, padding_s=padding_s)
    columns += ["species", "mode", "cluster", "confidence", "padding_s", "gain_db"]
    table = table[[*columns, *(["group"] if "group" in rows else [])]]
    to_csv(path, table, float_format="%.6f")


def _warning(problem: str, recordings: list[str]) -> str:
    shown = ", ".join(recordings[:SHOWN_NAMES])
    more = ", ..." if len(recordings) > SHOWN_NAMES else ""
    counted = text.count(len(recordings), "recording")
    return f"{counted} {problem} ({shown}{more}): no clips of their syllables"
