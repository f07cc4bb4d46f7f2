"""From measurements to the word for a syllable's shape.

All thresholds are in one place here. They were set by looking at the syllables of NIPS4B beside
their words, not by an experiment: words describe, they do not identify.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

CLICK_S, CLICK_HZ = 0.045, 900.0
"""Shorter than this and wider than that: a click."""

RATTLE_HZ = 1500.0
"""Repeats or noise wider than this rattle or buzz."""

BUZZ_S = 0.12
"""Wide noise that is shorter is a burst."""

BEND = (1.12, 0.89)
"""Middle over the geometric mean of the ends: above the first arched, below the second dipped."""

BEND_HZ = 1200.0
"""What is wider has no pitch whose course could be told."""

SLOPE, SLOPE_HZ = 1.05, 200.0
"""End over start, and their distance: above both rising; the reverse is falling."""

WAVER = 0.12
"""A pitch that covers a larger part of itself, without a direction, wavers."""

FLAT_HZ = 520.0
WHISTLE_HZ = 420.0
"""Narrower than this a sound is a whistle, else a note."""

HARMONICS = 2
"""With so many harmonics it is a harmonic stack."""

ALONE = {"click", "trill", "rattle", "buzz", "burst"}
"""Shapes that are nouns; the others go with whistle, note or harmonic stack."""

Texts = npt.NDArray[np.str_]


def shapes(measures: pd.DataFrame) -> Texts:
    """Give the word for every syllable's shape.

    Parameters
    ----------
    measures : pandas.DataFrame
        Columns of `birdmodes.modes.words.measures.Measures`, and duration_s.

    Returns
    -------
    ndarray of str, shape (n_syllables,)
        One of `ALONE`, or arched, dipped, rising, falling, wavering, flat, or "" for none.
    """
    start, middle, end = (measures[name].to_numpy() for name in ("start_hz", "pitch_hz", "end_hz"))
    width, duration = measures["width_hz"].to_numpy(), measures["duration_s"].to_numpy()
    span = (measures["top_hz"] - measures["bottom_hz"]).to_numpy()
    repeats = measures["repeats_hz"].to_numpy()
    bend = middle / np.sqrt(start * end)
    slope = end / start
    wide = (width > RATTLE_HZ) & (span > RATTLE_HZ)
    has_pitch = width < BEND_HZ
    steep = np.abs(end - start) > SLOPE_HZ
    conditions = [
        ((duration < CLICK_S) & (width > CLICK_HZ), "click"),
        ((repeats > 45) | (wide & (repeats == 0) & (duration > BUZZ_S)), "buzz"),
        ((repeats > 0) & (width > RATTLE_HZ), "rattle"),
        (repeats > 0, "trill"),
        (wide, "burst"),
        (has_pitch & (bend > BEND[0]), "arched"),
        (has_pitch & (bend < BEND[1]), "dipped"),
        (has_pitch & (slope > SLOPE) & steep, "rising"),
        (has_pitch & (slope < 1 / SLOPE) & steep, "falling"),
        (has_pitch & (span > WAVER * middle), "wavering"),
        (width < FLAT_HZ, "flat"),
    ]
    found: Texts = np.select(
        [condition for condition, _ in conditions], [word for _, word in conditions], ""
    ).astype(np.str_)
    return found


def nouns(measures: pd.DataFrame) -> Texts:
    """Give the noun that goes with a shape: whistle, note or harmonic stack.

    Parameters
    ----------
    measures : pandas.DataFrame
        Columns width_hz and harmonics.
    """
    narrow = measures["width_hz"].to_numpy() < WHISTLE_HZ
    stacked = measures["harmonics"].to_numpy() >= HARMONICS
    found: Texts = np.select([stacked, narrow], ["harmonic stack", "whistle"], "note").astype(
        np.str_
    )
    return found
