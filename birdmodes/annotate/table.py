"""The tables that ``annotate`` writes: of syllables, and of recordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from algorithms import Bags
from algorithms.bags import FloatArray
from birdmodes.annotate.calibration import AnswerCalibration
from birdmodes.annotate.measures import SyllableNames
from birdmodes.annotate.methods import Annotator
from birdmodes.annotate.thresholds import Thresholds
from birdmodes.bag_table import bags_table
from birdmodes.features import FEATURE_NAMES
from birdmodes.mode_kinds import BACKGROUND
from birdmodes.times_of_day import syllable_times
from birdmodes.workspace import Workspace

SPECIES, UNSURE = "species", "unsure"
"""Kinds of syllables, with `birdmodes.mode_kinds.BACKGROUND`."""

PRESENT, ABSENT = "present", "absent"
"""What is said of a species in a recording."""

PROBABILITY = "probability "
"""What the columns of probabilities are called, before the species."""

SYLLABLE_COLUMNS = [
    "syllable",
    "recording",
    "start_s",
    "end_s",
    "low_hz",
    "high_hz",
    "kind",
    "species",
    "confidence",
    "best",
    "recorded_at",
]
RECORDING_COLUMNS = [
    "recording",
    "species",
    "score",
    "decision",
    "bags_present",
    "syllables",
    "best_syllable",
    "best_start_s",
]

DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Expert:
    """An annotator that has learned, and what its answers are worth.

    Attributes
    ----------
    annotator : Annotator
        Fitted.
    calibration : AnswerCalibration
        Of its answers.
    class_names : tuple of str
        Species it knows.
    """

    annotator: Annotator
    calibration: AnswerCalibration
    class_names: tuple[str, ...]

    @property
    def probability_columns(self) -> list[str]:
        """Columns of the syllables' probabilities; none if it annotates whole recordings."""
        if not self.annotator.of_syllables:
            return []
        background = [BACKGROUND] if self.annotator.has_background else []
        return [PROBABILITY + name for name in (*self.class_names, *background)]


def annotation_tables(
    workspace: Workspace, expert: Expert, thresholds: Thresholds
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Annotate all recordings of a workspace.

    Each is annotated by itself, so that what is said of it does not depend on which others there
    are, to the last bit.

    Parameters
    ----------
    workspace : Workspace
        Of the new recordings.
    expert : Expert
        Who annotates.
    thresholds : Thresholds
        What counts.

    Returns
    -------
    syllables : pandas.DataFrame
        `SYLLABLE_COLUMNS`, then `Expert.probability_columns`; a row per syllable, without rows if
        the method annotates whole recordings.
    recordings : pandas.DataFrame
        `RECORDING_COLUMNS`, a row per recording and species, the likeliest first. The score is the
        largest of the recording's bags.
    """
    wanted = [*SYLLABLE_COLUMNS[:6], "bag"]
    all_syllables = workspace.syllables([*wanted, *FEATURE_NAMES])
    rows = workspace.recordings()
    all_syllables["recorded_at"] = syllable_times(all_syllables, rows)
    of_syllables = [pd.DataFrame(columns=[*SYLLABLE_COLUMNS, *expert.probability_columns])]
    of_recordings = [pd.DataFrame(columns=RECORDING_COLUMNS)]
    for bags, syllables in _by_recording(all_syllables, rows):
        posterior, presence = _annotate(bags, syllables, expert)
        named = of_syllables[0]
        if expert.annotator.of_syllables and len(syllables):
            named = _syllable_rows(syllables, posterior, expert, thresholds)
            of_syllables.append(named)
        recording = str(bags["recording"].iloc[0])
        of_recordings.append(
            _recording_rows(recording, presence, posterior, named, expert, thresholds)
        )
    return _stacked(of_syllables), _stacked(of_recordings)


def _by_recording(
    syllables: pd.DataFrame, recordings: pd.DataFrame
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Bags and syllables of each recording, those without syllables too."""
    members = dict(list(syllables.groupby("recording", sort=False)))
    for name, bags in bags_table(recordings).groupby("recording", sort=False):
        yield bags, members.get(name, syllables.iloc[:0])


def _annotate(
    bags: pd.DataFrame, syllables: pd.DataFrame, expert: Expert
) -> tuple[FloatArray, FloatArray]:
    """Probabilities of the syllables (or the bags' votes), and of presence in each bag."""
    number = pd.Series(np.arange(len(bags)), index=bags["bag"])
    content = Bags(
        syllables[list(FEATURE_NAMES)].to_numpy(dtype=float),
        number.loc[syllables["bag"]].to_numpy(dtype=np.int64),
        np.zeros((len(bags), len(expert.class_names)), dtype=np.bool_),
        labelled=np.zeros(len(bags), dtype=np.bool_),
        class_names=expert.class_names,
    )
    if content.n_instances:
        answer = expert.annotator.answer(content)
    else:  # silence
        size = 0 if expert.annotator.of_syllables else content.n_bags
        answer = np.zeros((size, content.n_classes))
    presence = expert.calibration.presence(answer, content.bag, content.n_bags)
    return expert.calibration.posterior(answer), presence


def _syllable_rows(
    syllables: pd.DataFrame, posterior: FloatArray, expert: Expert, thresholds: Thresholds
) -> pd.DataFrame:
    names = SyllableNames.of(posterior)
    best = np.array([*expert.class_names, BACKGROUND], dtype=object)[names.best]
    sure = names.confidence >= thresholds.confidence
    bird = names.best >= 0
    table = syllables[SYLLABLE_COLUMNS[:6]].copy()
    table["kind"] = np.where(sure, np.where(bird, SPECIES, BACKGROUND), UNSURE)
    table["species"] = np.where(sure, np.where(bird, best, ""), UNSURE)
    table["confidence"] = names.confidence.round(DECIMALS)
    table["best"] = best
    table["recorded_at"] = syllables["recorded_at"]
    rest = np.clip(1.0 - posterior.sum(axis=1), 0.0, 1.0)
    columns = expert.probability_columns
    shares = np.column_stack([posterior, rest])[:, : len(columns)].round(DECIMALS)
    return pd.concat([table, pd.DataFrame(shares, index=table.index, columns=columns)], axis=1)


def _recording_rows(
    recording: str,
    presence: FloatArray,
    posterior: FloatArray,
    named: pd.DataFrame,
    expert: Expert,
    thresholds: Thresholds,
) -> pd.DataFrame:
    species = np.array(expert.class_names, dtype=object)
    table = pd.DataFrame({"recording": recording, "species": species})
    score = presence.max(axis=0)
    table["score"] = score.round(DECIMALS)
    table["decision"] = np.where(score >= thresholds.score, PRESENT, ABSENT)
    table["bags_present"] = (presence >= thresholds.score).sum(axis=0)
    if expert.annotator.of_syllables:
        counts = named.loc[named["kind"] == SPECIES, "species"].value_counts()
        table["syllables"] = [int(counts.get(name, 0)) for name in species]
    else:
        table["syllables"] = pd.NA
    best = posterior.argmax(axis=0) if len(named) else None
    for column, source, nothing in (
        ("best_syllable", "syllable", ""),
        ("best_start_s", "start_s", np.nan),
    ):
        table[column] = nothing if best is None else named[source].to_numpy()[best]
    order = np.lexsort((np.arange(len(table)), -score))
    return table.iloc[order][RECORDING_COLUMNS]


def _stacked(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """One table; the first of them is empty, and tells the columns."""
    return pd.concat(tables[1:], ignore_index=True) if len(tables) > 1 else tables[0]
