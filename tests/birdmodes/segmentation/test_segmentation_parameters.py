from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.segmentation.parameters import PRESETS, SegmentationParameters, parse_changes


def test_briggs2012_is_the_published_front_end() -> None:
    parameters = SegmentationParameters.preset("briggs2012")
    assert (parameters.sample_rate_hz, parameters.window) == (16_000, "hamming")
    assert (parameters.n_window, parameters.n_hop, parameters.n_bins) == (512, 128, 256)
    assert parameters.bin_hz == 31.25
    assert parameters.frame_s == 0.008


def test_default_has_a_512_sample_window_at_22050_hz() -> None:
    parameters = SegmentationParameters()
    assert parameters == SegmentationParameters.preset("default")
    assert (parameters.sample_rate_hz, parameters.n_window, parameters.n_hop) == (22_050, 512, 128)
    assert parameters.n_clip == 220_500
    assert parameters.nyquist_hz == 11_025


@settings(deadline=None)
@given(st.integers(8_000, 250_000))
def test_sizes_in_hertz_and_seconds_hold_at_any_sample_rate(rate: int) -> None:
    default, other = SegmentationParameters(), SegmentationParameters(sample_rate_hz=rate)
    assert other.n_window % 2 == 0
    assert other.n_bins == other.n_window // 2
    assert other.bin_hz == pytest.approx(default.bin_hz, rel=0.01)
    assert other.frame_s == pytest.approx(default.frame_s, rel=0.02)


@pytest.mark.parametrize("name", list(PRESETS))
def test_parameters_survive_json(name: str) -> None:
    parameters = SegmentationParameters.preset(name, high_hz=7000)
    text = json.dumps(parameters.to_dict())
    assert SegmentationParameters.from_dict(json.loads(text)) == parameters


def test_numpy_numbers_become_plain_numbers() -> None:
    parameters = SegmentationParameters(sample_rate_hz=np.int64(16_000), low_hz=np.float32(250))
    json.dumps(parameters.to_dict())
    assert type(parameters.sample_rate_hz) is int
    assert type(parameters.low_hz) is float


def test_from_dict_names_unknown_settings() -> None:
    values = SegmentationParameters().to_dict() | {"colour": 1, "zoom": 2}
    with pytest.raises(BirdmodesError, match="unknown segmentation settings: colour, zoom"):
        SegmentationParameters.from_dict(values)


def test_from_dict_names_missing_settings() -> None:
    values = SegmentationParameters().to_dict()
    del values["hop_s"], values["seed_z"]
    with pytest.raises(BirdmodesError, match="missing segmentation settings: hop_s, seed_z"):
        SegmentationParameters.from_dict(values)


def test_unknown_preset_lists_the_presets() -> None:
    with pytest.raises(BirdmodesError, match=r"'loud'.*default, briggs2012"):
        SegmentationParameters.preset("loud")


def test_preset_refuses_unknown_changes() -> None:
    with pytest.raises(BirdmodesError, match="unknown segmentation settings: hop"):
        SegmentationParameters.preset("default", hop=3)


def test_parameters_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        SegmentationParameters().low_hz = 0.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sample_rate_hz": 22_050.0}, "sample_rate_hz must be a whole number"),
        ({"sample_rate_hz": True}, "sample_rate_hz must be a whole number"),
        ({"sample_rate_hz": 100}, "sample_rate_hz must be between"),
        ({"clip_s": 0}, "clip_s = 0 is shorter than one window"),
        ({"clip_s": float("nan")}, "clip_s must be a number"),
        ({"window_s": 0.0001}, "window_s = 0.0001 is under 8 samples"),
        ({"hop_s": 0}, "hop_s = 0 must be at least one sample"),
        ({"hop_s": 0.05}, "hop_s = 0.05 must be .* at most window_s"),
        ({"window": "boxcar"}, "window must be one of hann, hamming, got 'boxcar'"),
        ({"low_hz": -1}, "low_hz must be between 0 and 11025, got -1"),
        ({"low_hz": 12_000}, "low_hz must be between"),
        ({"low_hz": "300"}, "low_hz must be a number, got '300'"),
        ({"high_hz": 200}, "high_hz = 200 must be above low_hz = 300"),
        ({"high_hz": "top"}, "high_hz must be a number"),
        ({"quiet_fraction": 0}, "quiet_fraction must be above 0"),
        ({"quiet_fraction": 1.1}, "at most 1, got 1.1"),
        ({"method": ""}, "method must be the name of a segmenter"),
        ({"smooth_s": -0.1}, "smooth_s must be at least 0, got -0.1"),
        ({"coarse_factor": 0.5}, "coarse_factor must be at least 1"),
        ({"split_db": 0}, "split_db must be at least 1"),
        ({"range_db": 0}, "range_db must be at least 1"),
        ({"grow_z": 7}, "grow_z = 7 must be above 0 and at most seed_z = 3.9"),
        ({"grow_z": 0}, "grow_z = 0 must be above 0"),
        ({"min_area_hz_s": -1}, "min_area_hz_s must be at least 0"),
    ],
)
def test_wrong_settings_are_explained_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BirdmodesError, match=message) as caught:
        SegmentationParameters(**changes)
    assert "\n" not in str(caught.value)


def test_every_setting_is_documented() -> None:
    text = SegmentationParameters.__doc__ or ""
    head = " ".join(line for line in text.splitlines() if " : " in line)
    assert [field.name for field in fields(SegmentationParameters) if field.name not in head] == []


def test_what_is_typed_is_read_by_the_kind_of_each_setting() -> None:
    typed = ["clip_s=5", " seed_z = 6.5", "sample_rate_hz=16000", "high_hz=none", "window=hamming"]
    found = parse_changes(typed)
    assert found == {
        "clip_s": 5.0,
        "seed_z": 6.5,
        "sample_rate_hz": 16000,
        "high_hz": None,
        "window": "hamming",
    }
    assert type(found["clip_s"]) is float
    assert parse_changes(["high_hz=8000"]) == {"high_hz": 8000.0}
    SegmentationParameters.preset("default", **found)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["seed_z=4", "seed_z=5"], "seed_z is given twice"),
        (["seed_z"], "--set seed_z: write NAME=VALUE"),
        (["sed_z=4"], r"no segmentation parameter 'sed_z' \(did you mean 'seed_z'\?\)"),
        (["seed_z=high"], "seed_z must be a number, not 'high'"),
        (["seed_z=none"], "seed_z must be a number, not 'none'"),
        (["sample_rate_hz=8000.5"], "sample_rate_hz must be a whole number"),
        (["high_hz=top"], "high_hz must be a number or none, not 'top'"),
    ],
)
def test_what_cannot_be_set_is_refused(typed: list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_changes(typed)


def test_an_upper_limit_above_half_the_rate_is_told() -> None:
    (line,) = SegmentationParameters(high_hz=15_000.0).warnings()
    assert "have nothing above 11025 Hz" in line
    assert "--sample-rate 30000" in line
    assert SegmentationParameters(high_hz=11_000.0).warnings() == []
    assert SegmentationParameters().warnings() == []
