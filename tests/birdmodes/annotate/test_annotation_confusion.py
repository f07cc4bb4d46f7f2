from __future__ import annotations

import json

import numpy as np

from birdmodes.annotate.confusion import Confusion, false_alarms, syllable_confusion
from birdmodes.annotate.measures import SyllableNames
from birdmodes.annotate.thresholds import Thresholds


def test_false_alarms_are_counted_against_what_is_there() -> None:
    names = ["Robin", "Wren", "Owl"]
    labels = np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 0, 0]], bool)
    said = np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1]], bool)
    # Wrens are wrongly said to be in the first two bags, where Robins are, and once an Owl;
    # the Owl of the last bag is in nobody's company
    found = false_alarms(said, labels, names)
    assert (found.rows, found.columns) == (("Wren",), ("Robin", "Owl"))
    assert found.counts.tolist() == [[2, 1]]


def test_syllables_are_counted_by_what_they_are_and_are_said_to_be() -> None:
    names = SyllableNames(
        np.array([0, 0, 1, -1, 0, 1, 1]),
        np.array([0.9, 0.9, 0.9, 0.9, 0.4, 0.9, 0.9]),
        np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.01, 1.0]),
    )
    true = np.array([0, 0, 0, 1, 1, -1, -2])
    found = syllable_confusion(names, true, Thresholds(likeness=0.05), ["Robin", "Wren"])
    assert found.rows == ("Robin", "Wren", "of another species", "not in the truth")
    assert found.columns == ("Robin", "Wren", "background", "unsure")
    assert found.counts.tolist() == [[2, 1, 0, 0], [0, 0, 1, 1], [0, 1, 0, 0], [0, 0, 0, 1]]


def test_it_can_be_written_as_json() -> None:
    found = Confusion.of(["a", "b"], ["c"], np.array([[0], [3]]))
    expected = {"rows": ["b"], "columns": ["c"], "counts": [[3]]}
    assert json.loads(json.dumps(found.content())) == expected
