from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery.figures.histogram_figures import (
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    histogram_figures,
)
from birdmodes.gallery.figures.histograms import (
    BANDWIDTH,
    BINS,
    DURATION,
    PEAK,
    Axis,
    measured,
    shared_axis,
)
from birdmodes.segmentation.parameters import SegmentationParameters


def test_durations_and_frequencies_are_those_of_the_table() -> None:
    parameters = SegmentationParameters()
    syllables = pd.DataFrame(
        {
            "start_s": [1.0, 2.0],
            "end_s": [1.25, 2.5],
            "low_hz": [1000.0, 2000.0],
            "high_hz": [1500.0, 6000.0],
            "freq-max": [0.5, 0.0],
        }
    )
    values = measured(syllables, parameters)
    assert values[DURATION].tolist() == [0.25, 0.5]
    assert values[BANDWIDTH].tolist() == [0.5, 4.0]
    # the feature is a share of the highest bin's frequency
    highest_khz = (parameters.n_bins - 1) * parameters.bin_hz / 1000
    assert values[PEAK].tolist() == pytest.approx([highest_khz / 2, 0.0])


def test_axes_begin_at_zero_where_there_is_a_true_zero() -> None:
    values = np.linspace(2.1, 7.9, 1001)
    assert (shared_axis(BANDWIDTH, values).low, shared_axis(BANDWIDTH, values).high) == (0, 8)
    assert (shared_axis(PEAK, values).low, shared_axis(PEAK, values).high) == (2, 8)


def test_one_odd_syllable_does_not_squeeze_all_others() -> None:
    values = np.append(np.linspace(0.1, 0.4, 999), 30.0)
    axis = shared_axis(DURATION, values)
    assert axis.high < 0.6
    assert axis.counts(values).sum() == 1000
    assert axis.counts(np.array([30.0]))[-1] == 1


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [3.0]])
def test_an_axis_has_a_length_whatever_the_values(values: list[float]) -> None:
    for measure in (DURATION, PEAK, BANDWIDTH):
        axis = shared_axis(measure, np.array(values))
        assert axis.high - axis.low >= measure.least_width * (1 - 1e-9)
        assert len(axis.ticks()) >= 2


def test_bars_stand_where_the_syllables_are() -> None:
    axis = Axis(DURATION, 0.0, 2.4)  # bars of 0.1 s
    values = np.array([0.05, 0.05, 0.05, 0.05, 1.25, 1.25])
    (figure,) = histogram_figures("Robin mode 1", {DURATION: values}, {DURATION: axis})
    bar = (WIDTH - LEFT - RIGHT) / BINS
    found = re.findall(r"M([\d.]+) (\d+)v-([\d.]+)h", figure.bars)
    assert len(found) == 2
    (first_x, base, first_height), (second_x, _, second_height) = found
    assert int(base) == figure.bottom < HEIGHT
    assert float(first_x) == pytest.approx(LEFT, abs=bar / 2)
    assert float(second_x) == pytest.approx(LEFT + 12 * bar, abs=bar / 2)
    assert float(second_height) == pytest.approx(float(first_height) / 2, abs=0.1)
    assert figure.median == pytest.approx(LEFT + 0.5 * bar, abs=0.1)
    assert figure.heading == "Duration (s)"
    assert [mark.text for mark in figure.counts] == ["4", "0"]


def test_a_screen_reader_hears_the_figures() -> None:
    axis = Axis(PEAK, 0.0, 12.0)
    values = np.array([2.1] * 9 + [7.0])
    (figure,) = histogram_figures("A mode", {PEAK: values}, {PEAK: axis})
    assert figure.label == (
        "Peak frequency of A mode: median 2.10 kHz, nine in ten from 2.10 to 4.79 kHz; most "
        "syllables, 9 of 10, from 2.00 to 2.50 kHz."
    )


def test_a_mode_without_syllables_has_no_histogram() -> None:
    empty = {DURATION: np.zeros(0)}
    assert histogram_figures("x", empty, {DURATION: Axis(DURATION, 0, 1)}) == []
