"""The tables that ``annotate`` writes: of syllables, and of recordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from algorithms import Bags
from algorithms.bags import FloatArray
from birdmodes.annotate.calibration import AnswerCalibration
from birdmodes.annotate.likeness import Examples, likeness
from birdmodes.annotate.measures import SyllableNames
from birdmodes.annotate.methods import Annotator
from birdmodes.annotate.thresholds import Thresholds
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.features.space import FeatureSpace
from birdmodes.modes.kinds import BACKGROUND
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.times_of_day import syllable_times, time_texts

SPECIES, UNSURE = "species", "unsure"
"""Kinds of syllables, with `birdmodes.modes.kinds.BACKGROUND`."""

UNLIKE_ANYTHING, UNDECIDED = "unlike anything", "undecided"
"""Why a syllable is unsure: it is like nothing learned from, or no species is probable enough."""

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
    "likeness",
    "unsure",
    "recorded_at",
]
_DIGITS = {"start_s": 6, "end_s": 6, "low_hz": 3, "high_hz": 3}

NEXT = ("second", "third")
"""What the next to the best species of a syllable are called."""

RECORDER_COLUMNS = ["recorded_at", "device", "latitude", "longitude"]
"""What is said of a recording as its recorder tells."""

RECORDING_COLUMNS = [
    "recording",
    "species",
    "score",
    "decision",
    "bags",
    "bags_present",
    "syllables",
    "first_start_s",
    "last_end_s",
    "best_syllable",
    "best_start_s",
    *RECORDER_COLUMNS,
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
    examples : Examples
        Syllables it has learned from.
    usual : ndarray
        Distances of left-out syllables to such, see `birdmodes.annotate.likeness.likeness`.
    space : FeatureSpace
        Of the features it looks at.
    """

    annotator: Annotator
    calibration: AnswerCalibration
    class_names: tuple[str, ...]
    examples: Examples
    usual: FloatArray
    space: FeatureSpace

    @property
    def probability_columns(self) -> list[str]:
        """Columns of the syllables' probabilities; none if it annotates whole recordings."""
        if not self.annotator.of_syllables:
            return []
        background = [BACKGROUND] if self.annotator.has_background else []
        return [PROBABILITY + name for name in (*self.class_names, *background)]


def annotation_tables(
    material: SyllableMaterial, columns: FloatArray, expert: Expert, thresholds: Thresholds
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Annotate all recordings of a workspace.

    Each is annotated by itself, so that what is said of it does not depend on which others there
    are, to the last bit.

    Parameters
    ----------
    material : SyllableMaterial
        Of the workspace of the new recordings.
    columns : ndarray, shape (n_syllables, n_columns)
        The syllables as `Expert.space` describes them.
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
    all_syllables = material.syllables[[*SYLLABLE_COLUMNS[:6], "bag"]].copy()
    rows = material.workspace.recordings()
    all_syllables["recorded_at"] = syllable_times(material.syllables, rows)
    of_syllables = [pd.DataFrame(columns=[*SYLLABLE_COLUMNS, *expert.probability_columns])]
    of_recordings = [pd.DataFrame(columns=RECORDING_COLUMNS[: -len(RECORDER_COLUMNS)])]
    for bags, syllables in _by_recording(all_syllables, rows):
        said = _annotate(bags, syllables, columns[syllables.index], expert, thresholds)
        named = of_syllables[0]
        if expert.annotator.of_syllables and len(syllables):
            named = _syllable_rows(syllables, said, expert, thresholds)
            of_syllables.append(named)
        table = _recording_rows(said, named, expert, thresholds)
        table["recording"] = bags["recording"].iloc[0]
        of_recordings.append(table)
    told = rows[["recording", *RECORDER_COLUMNS]].assign(
        recorded_at=time_texts(rows["recorded_at"])
    )
    of_recording = _stacked(of_recordings).merge(told, on="recording", how="left")
    return _stacked(of_syllables), of_recording[RECORDING_COLUMNS]


def readable(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Table of syllables for people: instead of all probabilities the next to the best.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `annotation_tables`.
    columns : list of str
        Its columns of probabilities.

    Returns
    -------
    pandas.DataFrame
        `SYLLABLE_COLUMNS`; behind the best, the second and the third most probable species and
        their probabilities, empty where there are fewer. Times to the microsecond, frequencies to
        the millihertz.
    """
    shares = table[columns].to_numpy(dtype=float)
    order = np.argsort(-shares, axis=1, kind="stable")
    names = np.array([name.removeprefix(PROBABILITY) for name in columns], dtype=object)
    result = table[SYLLABLE_COLUMNS].round(_DIGITS)
    behind = 1 + SYLLABLE_COLUMNS.index("best")
    for place, word in enumerate(NEXT, start=1):
        there = len(columns) > place
        share = np.take_along_axis(shares, order[:, [place]], axis=1)[:, 0] if there else np.nan
        result.insert(behind, word, names[order[:, place]] if there else "")
        result.insert(behind + 1, f"{word}_probability", share)
        behind += 2
    return result


def _by_recording(
    syllables: pd.DataFrame, recordings: pd.DataFrame
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Bags and syllables of each recording, those without syllables too."""
    members = dict(list(syllables.groupby("recording", sort=False)))
    for name, bags in bags_table(recordings).groupby("recording", sort=False):
        yield bags, members.get(name, syllables.iloc[:0])


@dataclass(frozen=True, eq=False)
class _Said:
    """What is said of a recording.

    Attributes
    ----------
    posterior : ndarray, shape (n_syllables, n_classes)
        Probabilities of the syllables, or votes for the bags.
    like : ndarray, shape (n_syllables,)
        Likeness of the syllables; empty if they play no part.
    presence : ndarray, shape (n_bags, n_classes)
        Probability that the species is in the bag.
    """

    posterior: FloatArray
    like: FloatArray
    presence: FloatArray


def _annotate(
    bags: pd.DataFrame,
    syllables: pd.DataFrame,
    columns: FloatArray,
    expert: Expert,
    thresholds: Thresholds,
) -> _Said:
    number = pd.Series(np.arange(len(bags)), index=bags["bag"])
    content = Bags(
        columns,
        number.loc[syllables["bag"]].to_numpy(dtype=np.int64),
        np.zeros((len(bags), len(expert.class_names)), dtype=np.bool_),
        labelled=np.zeros(len(bags), dtype=np.bool_),
        class_names=expert.class_names,
    )
    by_syllable = expert.annotator.of_syllables
    if content.n_instances:
        answer = expert.annotator.answer(content)
    else:  # silence
        answer = np.zeros((0 if by_syllable else content.n_bags, content.n_classes))
    like = np.empty(0)
    if by_syllable:
        like = likeness(expert.examples.nearest(content.X), expert.usual)
    presence = expert.calibration.presence(
        answer,
        content.bag,
        content.n_bags,
        like >= thresholds.likeness if by_syllable else None,
    )
    return _Said(expert.calibration.posterior(answer), like, presence)


def _syllable_rows(
    syllables: pd.DataFrame, said: _Said, expert: Expert, thresholds: Thresholds
) -> pd.DataFrame:
    names = SyllableNames.of(said.posterior, said.like)
    best = np.array([*expert.class_names, BACKGROUND], dtype=object)[names.best]
    sure = names.sure(thresholds)
    bird = names.best >= 0
    table = syllables[SYLLABLE_COLUMNS[:6]].copy()
    table["kind"] = np.where(sure, np.where(bird, SPECIES, BACKGROUND), UNSURE)
    table["species"] = np.where(sure, np.where(bird, best, ""), UNSURE)
    table["confidence"] = names.confidence.round(DECIMALS)
    table["best"] = best
    table["likeness"] = said.like.round(DECIMALS)
    reason = np.where(names.like(thresholds), UNDECIDED, UNLIKE_ANYTHING)
    table["unsure"] = np.where(sure, "", reason)
    table["recorded_at"] = syllables["recorded_at"]
    rest = np.clip(1.0 - said.posterior.sum(axis=1), 0.0, 1.0)
    columns = expert.probability_columns
    shares = np.column_stack([said.posterior, rest])[:, : len(columns)].round(DECIMALS)
    return pd.concat([table, pd.DataFrame(shares, index=table.index, columns=columns)], axis=1)


def _recording_rows(
    said: _Said, named: pd.DataFrame, expert: Expert, thresholds: Thresholds
) -> pd.DataFrame:
    """What is said of each species, the likeliest first."""
    species = np.array(expert.class_names, dtype=object)
    table = pd.DataFrame({"species": species})
    score = said.presence.max(axis=0)
    table["score"] = score.round(DECIMALS)
    table["decision"] = np.where(score >= thresholds.score, PRESENT, ABSENT)
    table["bags"] = len(said.presence)
    table["bags_present"] = (said.presence >= thresholds.score).sum(axis=0)
    heard = named[named["kind"] == SPECIES].groupby("species")
    counts = heard.size().reindex(species, fill_value=0).to_numpy(dtype=np.int64)
    table["syllables"] = counts if expert.annotator.of_syllables else pd.NA
    table["first_start_s"] = heard["start_s"].min().reindex(species).to_numpy(dtype=float)
    table["last_end_s"] = heard["end_s"].max().reindex(species).to_numpy(dtype=float)
    # What is like nothing learned from comes last, however probable.
    likely = (
        np.where((said.like >= thresholds.likeness)[:, None], said.posterior, -1.0)
        if len(named)
        else None
    )
    best = None if likely is None else likely.argmax(axis=0)
    for column, source, nothing in (
        ("best_syllable", "syllable", ""),
        ("best_start_s", "start_s", np.nan),
    ):
        table[column] = nothing if best is None else named[source].to_numpy()[best]
    order = np.lexsort((np.arange(len(table)), -score))
    return table.iloc[order].copy()


def _stacked(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """One table; the first of them is empty, and tells the columns."""
    return pd.concat(tables[1:], ignore_index=True) if len(tables) > 1 else tables[0]
