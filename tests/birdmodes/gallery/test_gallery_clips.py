from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery.clips import (
    Clip,
    SyllableDigests,
    by_importance,
    list_clips,
    within_budget,
)
from birdmodes.segmentation.features import FEATURE_NAMES


def table(n: int = 4) -> pd.DataFrame:
    values = np.arange(n * (4 + len(FEATURE_NAMES)), dtype=float).reshape(n, -1)
    frame = pd.DataFrame(values, columns=["start_s", "end_s", "low_hz", "high_hz", *FEATURE_NAMES])
    return frame.assign(syllable=[f"a.wav#{number:05d}" for number in range(n)])


def clip(name: str, n_syllables: int, n_bytes: int = 10) -> Clip:
    return Clip(name, f"{name}.wav", 0, 0.0, 10.0, np.arange(n_syllables), n_bytes)


def test_a_digest_changes_with_its_syllables_and_with_nothing_else() -> None:
    rows = np.array([1, 2])
    before = SyllableDigests(table())
    same = SyllableDigests(table(9))
    assert before.of(rows) == same.of(rows)
    assert before.of(rows, made_with=[1]) != before.of(rows)
    assert before.of(np.array([1])) != before.of(rows)
    moved, renamed, other = table(), table(), table()
    moved.loc[2, FEATURE_NAMES[-1]] += 1e-9
    renamed.loc[1, "syllable"] = "b.wav#00001"
    other.loc[3, "start_s"] = 99.0
    assert SyllableDigests(moved).of(rows) != before.of(rows)
    assert SyllableDigests(renamed).of(rows) != before.of(rows)
    assert SyllableDigests(other).of(rows) == before.of(rows)


def test_clips_lie_where_the_segmenter_cut_them(case: Any) -> None:
    syllables = case.workspace.syllables()
    # As if the recordings had 25 s: tones 0 and 3 in the first and the third clip.
    syllables = syllables[syllables["syllable"].str[-1].isin(["0", "3"])].reset_index(drop=True)
    syllables["clip"] = [0, 2] * 4
    clips = list_clips(_Longer(case.workspace), syllables, SyllableDigests(syllables))
    assert [c.rows.tolist() for c in clips] == [[n] for n in range(8)]
    assert [(c.number, c.start_s, c.end_s) for c in clips[:2]] == [(0, 0, 10), (2, 20, 25)]
    assert len({c.name for c in clips}) == 8
    assert all(set(c.name) <= set(NAME_CHARACTERS) and len(c.name) < 80 for c in clips)


NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"


class _Longer:
    """A workspace whose recordings have three clips."""

    def __init__(self, workspace: Any) -> None:
        self.settings = workspace.settings
        self._recordings = workspace.recordings().assign(duration_s=25.0, n_clips=3)

    def recordings(self) -> pd.DataFrame:
        return self._recordings


@pytest.mark.parametrize("column", ["size_bytes", "mtime_ns"])
def test_a_clip_of_another_file_has_another_name(case: Any, column: str) -> None:
    syllables = case.workspace.syllables()
    digests = SyllableDigests(syllables)
    longer = _Longer(case.workspace)
    before = {c.name for c in list_clips(longer, syllables, digests)}
    longer._recordings[column] += 1
    assert not before & {c.name for c in list_clips(longer, syllables, digests)}


def test_clips_with_examples_come_first_then_those_with_most_syllables() -> None:
    clips = [clip("few", 1), clip("many", 9), clip("shown", 2), clip("some", 5)]
    assert [c.name for c in by_importance(clips, {"shown"})] == ["shown", "many", "some", "few"]


def test_clips_are_taken_until_the_room_is_used_up() -> None:
    clips = [clip("a", 1, 60), clip("b", 1, 30), clip("c", 1, 30), clip("d", 1, 5)]
    assert within_budget(clips, 1000) == {"a", "b", "c", "d"}
    assert within_budget(clips, 100) == {"a", "b"}  # no small one out of turn
    assert within_budget(clips, 59) == set()
    assert within_budget(clips, 100, {"a": 40, "b": 40, "c": 20, "d": 1}) == {"a", "b", "c"}
