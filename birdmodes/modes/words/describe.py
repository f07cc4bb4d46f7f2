"""Describes modes in words: what most of their syllables look like, seen from a step away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.modes.words.series import Series, series_of
from birdmodes.modes.words.shapes import ALONE, nouns, shapes

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

LOUD_DB = 15.0
"""Syllables are described that are so far above the noise, where there are `LEAST_LOUD` of them."""

LEAST_LOUD = 3

VARIED_BELOW = 0.4
"""Where no shape has this share of the weight, the mode is varied: a sign that it is several."""

ONE_FIGURE_HZ = 350.0
"""A band that is narrower is written as one figure."""

PITCHES_APART, LENGTHS_APART = 1.08, 1.3
"""Modes of one name are told apart as low and high, else as short and long, if all differ so."""

PLURALS = {
    "whistle": "whistles",
    "note": "notes",
    "harmonic stack": "harmonic stacks",
    "click": "clicks",
    "trill": "trills",
    "rattle": "rattles",
    "buzz": "buzzes",
    "burst": "bursts",
}


@dataclass(frozen=True)
class ModeWords:
    """What a mode sounds like.

    Attributes
    ----------
    title : str
        Such as "Falling whistle", "High trill" or "Varied notes".
    shape, noun : str
        The parts of it that single syllables have too, see `birdmodes.modes.words.shapes`;
        `shape` is empty where there is none that tells.
    pitch_hz : float
        Median of the syllables with that shape.
    low_hz, high_hz : float
        Their band: medians of the ends of what the pitch covers.
    duration_s : float
        Their median length.
    repeats_hz : float
        Repeats a second, of trills and rattles; else 0.
    series : Series
        How they follow each other.
    """

    title: str
    shape: str
    noun: str
    pitch_hz: float
    low_hz: float
    high_hz: float
    duration_s: float
    repeats_hz: float
    series: Series

    @property
    def band(self) -> str:
        """Such as ``5.4–7.3 kHz``, or ``3.4 kHz`` of what is narrow."""
        if self.high_hz - self.low_hz < ONE_FIGURE_HZ:
            return f"{self.pitch_hz / 1000:.1f} kHz"
        return f"{self.low_hz / 1000:.1f}–{self.high_hz / 1000:.1f} kHz"

    @property
    def length(self) -> str:
        """Such as ``0.3 s``, two decimals below 0.1 s."""
        digits = 1 if self.duration_s >= 0.095 else 2
        return f"{self.duration_s:.{digits}f} s"

    @property
    def facts(self) -> str:
        """Band, length, and rate or series: ``5.4–7.3 kHz · 0.3 s · series of 4``."""
        rate = f"{self.repeats_hz:.0f}/s" if self.repeats_hz else ""
        return " · ".join(filter(None, (self.band, self.length, rate or self.series.short)))


def describe_modes(members: pd.DataFrame, species: Mapping[int, str]) -> dict[int, ModeWords]:
    """Describe modes from the measurements of their syllables.

    Parameters
    ----------
    members : pandas.DataFrame
        Those that stand for their mode, from `with_shapes`; also columns recording and cluster.
    species : mapping of int to str
        Species of every cluster: names tell apart the modes of one.

    Returns
    -------
    dict of int to ModeWords
        By cluster; clusters without members are missing.
    """
    found = {
        int(str(cluster)): _describe(rows)
        for cluster, rows in members.groupby("cluster", sort=True)
    }
    return _told_apart(found, species)


def with_shapes(members: pd.DataFrame, measures: pd.DataFrame) -> pd.DataFrame:
    """Add to syllables what is measured on each, and the word for its shape.

    Parameters
    ----------
    members : pandas.DataFrame
        Columns syllable, start_s and end_s.
    measures : pandas.DataFrame
        From `birdmodes.modes.words.table.syllable_measures`.

    Returns
    -------
    pandas.DataFrame
        Rows of `members` in their order, with duration_s, the measures, shape and noun.
    """
    columns = measures.drop(columns=["recording", "duration_s"])
    table = members.merge(columns, on="syllable", how="left", validate="1:1")
    table.index = members.index
    table = table.assign(duration_s=table["end_s"] - table["start_s"])
    return table.assign(shape=shapes(table), noun=nouns(table))


def used(level_db: Floats) -> Bools:
    """Which syllables a mode is described by: the loud ones, else the louder half."""
    loud: Bools = level_db >= LOUD_DB
    if loud.sum() >= LEAST_LOUD:
        return loud
    half: Bools = level_db >= np.median(level_db)
    return half


def _describe(rows: pd.DataFrame) -> ModeWords:
    series = series_of(rows)
    rows = rows[used(rows["level_db"].to_numpy())]
    weight = np.maximum(rows["level_db"].to_numpy(), 1.0)
    by_shape = _weights(rows["shape"].to_numpy(), weight)
    shape = max(by_shape, key=lambda name: (by_shape[name], name))
    varied = by_shape[shape] < VARIED_BELOW * weight.sum()
    alike = np.ones(len(rows), dtype=bool) if varied else rows["shape"].to_numpy() == shape
    winners, weight = rows[alike], weight[alike]
    if shape in ALONE and not varied:
        noun, title = shape, shape
    else:
        by_noun = _weights(winners["noun"].to_numpy(), weight)
        noun = max(by_noun, key=lambda name: (by_noun[name], name))
        title = f"varied {PLURALS[noun]}" if varied else f"{shape} {noun}".strip()
    rates = winners["repeats_hz"].to_numpy()
    has_rate = shape in ("trill", "rattle") and not varied
    return ModeWords(
        title=title.capitalize(),
        shape="" if varied else shape,
        noun=noun,
        pitch_hz=float(winners["pitch_hz"].median()),
        low_hz=float(winners["bottom_hz"].median()),
        high_hz=float(winners["top_hz"].median()),
        duration_s=float(winners["duration_s"].median()),
        repeats_hz=float(np.median(rates[rates > 0])) if has_rate else 0.0,
        series=series,
    )


def _weights(names: npt.NDArray[np.object_], weight: Floats) -> dict[str, float]:
    """Sum of the weights by name."""
    sums: dict[str, float] = defaultdict(float)
    for name, value in zip(names, weight, strict=True):
        sums[str(name)] += float(value)
    return sums


def _told_apart(found: dict[int, ModeWords], species: Mapping[int, str]) -> dict[int, ModeWords]:
    """Modes of a species with one title: low, mid and high, or short and long, where that tells."""
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for cluster, words in found.items():
        if species.get(cluster):
            alike[species[cluster], words.title].append(cluster)
    for clusters in alike.values():
        prefixes = _prefixes([found[cluster] for cluster in clusters])
        for cluster, prefix in zip(clusters, prefixes, strict=True):
            words = found[cluster]
            if prefix:
                title = f"{prefix} {words.title[:1].lower()}{words.title[1:]}"
                found[cluster] = replace(words, title=title)
    return found


def _prefixes(words: list[ModeWords]) -> list[str]:
    nothing = [""] * len(words)
    if len(words) not in (2, 3):
        return nothing
    names = ["Low", "High"] if len(words) == 2 else ["Low", "Mid", "High"]
    pitches = np.array([one.pitch_hz for one in words])
    if _apart(pitches, PITCHES_APART):
        return [names[place] for place in pitches.argsort().argsort()]
    lengths = np.array([one.duration_s for one in words])
    if len(words) == 2 and _apart(lengths, LENGTHS_APART):
        return [("Short", "Long")[place] for place in lengths.argsort().argsort()]
    return nothing


def _apart(values: Floats, ratio: float) -> bool:
    ordered = np.sort(values)
    return bool((ordered[1:] > ratio * ordered[:-1]).all())
