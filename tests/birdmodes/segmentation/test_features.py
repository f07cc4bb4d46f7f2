from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from birdmodes.segmentation.features import (
    FEATURE_NAMES,
    extract_box_features,
    extract_features,
    in_hertz_and_seconds,
    intensity,
    published_intensity,
)

N_BINS = 32


def named(features: np.ndarray) -> dict[str, float]:
    return dict(zip(FEATURE_NAMES, features.tolist(), strict=True))


def rectangle(
    height: int, width: int, low: int = 10, first: int = 5, value: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    mask = np.zeros((N_BINS, 40), dtype=bool)
    mask[low : low + height, first : first + width] = True
    return np.full(mask.shape, value), mask


def chirp() -> tuple[np.ndarray, np.ndarray]:
    """Rising tone of constant strength, 3 bins to either side of its ridge."""
    distance = np.full((N_BINS, 40), np.inf)
    frames = np.arange(16)
    distance[:, 12:28] = np.arange(N_BINS)[:, None] - (8 + 0.75 * frames)
    return 0.9 * np.exp(-(distance**2) / (2 * 1.5**2)), np.abs(distance) <= 3


def blobs() -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    """Images and masks with room for shifts on every side."""
    shape = (12, 14)

    def placed(parts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        image, mask = np.zeros((48, 40)), np.zeros((48, 40), dtype=bool)
        image[16:28, 12:26], mask[16:28, 12:26] = parts
        mask[20, 18] = True
        image[20, 18] += 0.2
        return np.minimum(image, 1.0), mask

    values = arrays(np.float64, shape, elements=st.floats(0, 1, width=16))
    return st.tuples(values, arrays(np.bool_, shape)).map(placed)


def test_names_are_in_published_order() -> None:
    assert len(FEATURE_NAMES) == len(set(FEATURE_NAMES)) == 38
    assert FEATURE_NAMES[:4] == ["freq-gini", "time-gini", "freq-mean", "time-mean"]
    assert FEATURE_NAMES[12:16] == ["mask-mean", "mask-stdev", "min-frequency", "max-frequency"]
    assert FEATURE_NAMES[20:24] == ["non-compactness", "rectangularity", "hog-00", "hog-01"]
    assert FEATURE_NAMES[37] == "hog-15"


def test_constant_rectangle_by_hand() -> None:
    got = named(extract_features(*rectangle(height=4, width=5)))
    assert got["freq-gini"] == pytest.approx(0.75)  # 1 - 4 (1/4)^2
    assert got["time-gini"] == pytest.approx(0.8)  # 1 - 5 (1/5)^2
    assert got["freq-mean"] == pytest.approx(11.5 / 31)
    assert got["time-mean"] == pytest.approx(0.5)
    assert got["freq-variance"] == pytest.approx((1.5**2 + 0.5**2) / 2 / 31**2)
    assert got["time-variance"] == pytest.approx(2 / 16)
    assert got["freq-skewness"] == pytest.approx(0, abs=1e-15)
    assert got["time-kurtosis"] == pytest.approx((16 + 1 + 0 + 1 + 16) / 5 / 4**4)
    assert got["freq-max"] == pytest.approx(10 / 31)
    assert got["time-max"] == 0
    assert (got["mask-mean"], got["mask-stdev"]) == (0.5, 0)
    assert (got["min-frequency"], got["max-frequency"]) == (10, 13)
    assert (got["bandwidth"], got["duration"]) == (4, 5)
    assert (got["area"], got["perimeter"]) == (20, 18)
    assert got["non-compactness"] == pytest.approx(16.2)
    assert got["rectangularity"] == 1


def test_chirp_gives_the_specified_numbers() -> None:
    expected = [
        *(0.927291, 0.937491, 0.439270, 0.499323, 0.014366, 0.094472, -0.000005, 0.000004),
        *(0.000430, 0.015987, 0.354839, 0, 0.521398, 0.267629),
        *(5, 22, 18, 16, 100, 68, 46.24, 0.347222),
    ]
    np.testing.assert_allclose(extract_features(*chirp())[:22], expected, atol=6e-7)


def test_rising_chirp_has_its_gradients_across_the_ridge() -> None:
    histogram = extract_features(*chirp())[22:]
    assert histogram.sum() == pytest.approx(1)
    # The ridge rises: above it brightness falls towards higher bins and earlier frames.
    towards_ridge = histogram[[3, 4, 5, 6, 11, 12, 13, 14]].sum()
    assert towards_ridge > 0.8


def test_compat_rectangle_by_hand() -> None:
    got = named(extract_features(*rectangle(height=4, width=6), compat=True))
    assert (got["bandwidth"], got["duration"]) == (3, 5)  # last minus first
    assert got["area"] == 20  # the sixth frame is cut off
    assert got["perimeter"] == 2 * 5 + 4 - 1
    assert got["non-compactness"] == pytest.approx(13**2 / 20)
    assert got["rectangularity"] == pytest.approx(20 / 15)  # exceeds 1, as published
    assert got["time-gini"] == pytest.approx(0.8)
    assert got["mask-mean"] == pytest.approx(127.5)


def test_compat_perimeter_ignores_the_top_edge_of_the_band() -> None:
    image, mask = rectangle(height=4, width=6, low=N_BINS - 4)
    assert named(extract_features(image, mask, compat=True))["perimeter"] == 5 + 4 - 1
    assert named(extract_features(image, mask))["perimeter"] == 2 * (6 + 4)


def test_compat_blur_is_cut_to_bytes() -> None:
    image, mask = rectangle(height=6, width=9, value=1.0)
    blurred = image[:, 5:13] * mask[:, 5:13]
    for axis in (1, 0):
        blurred = scipy.ndimage.gaussian_filter1d(blurred, 3, axis=axis, radius=3, mode="nearest")
        blurred = np.floor(blurred * 255) / 255
    expected = gradient_histogram(blurred, mask[:, 5:13])
    np.testing.assert_allclose(extract_features(image, mask, compat=True)[22:], expected)


def gradient_histogram(blurred: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Pixel by pixel, with the projections on the 16 directions written out."""
    gx = scipy.ndimage.sobel(blurred, axis=1, mode="constant")
    gy = scipy.ndimage.sobel(blurred, axis=0, mode="constant")
    angles = 2 * np.pi * np.arange(16) / 16
    histogram = np.zeros(16)
    for x, y in zip(gx[mask], gy[mask], strict=True):
        if x * x + y * y >= 0.01:
            histogram[np.argmax(x * np.cos(angles) + y * np.sin(angles))] += 1
    return histogram / max(histogram.sum(), 1)


@settings(max_examples=50, deadline=None)
@given(blobs())
def test_gradients_agree_with_an_independent_implementation(
    blob: tuple[np.ndarray, np.ndarray],
) -> None:
    image, mask = blob
    frames = np.flatnonzero(mask.any(axis=0))
    crop = slice(frames[0], frames[-1] + 1)
    masked = np.where(mask, image, 0.0)[:, crop]
    blurred = scipy.ndimage.gaussian_filter(masked, 3, radius=3, mode="nearest")
    expected = gradient_histogram(blurred, mask[:, crop])
    got = extract_features(image, mask)[22:]
    # Gradients of equal projection on two directions may fall either way.
    assert np.abs(got - expected).sum() <= 4 / max(mask.sum(), 1)


@settings(max_examples=50, deadline=None)
@given(blobs())
def test_profiles_agree_with_sums_over_pixels(blob: tuple[np.ndarray, np.ndarray]) -> None:
    image, mask = blob
    bins, frames = np.nonzero(mask)
    weights = image[mask]
    for axis, x in (
        ("freq", bins / (mask.shape[0] - 1)),
        ("time", (frames - frames.min()) / max(np.ptp(frames), 1)),
    ):
        mean = np.average(x, weights=weights)
        got = named(extract_features(image, mask))
        assert got[f"{axis}-mean"] == pytest.approx(mean)
        for order, name in ((2, "variance"), (3, "skewness"), (4, "kurtosis")):
            moment = np.average((x - mean) ** order, weights=weights)
            assert got[f"{axis}-{name}"] == pytest.approx(moment, abs=1e-12)
    assert got["mask-mean"] == pytest.approx(weights.mean())
    assert got["mask-stdev"] == pytest.approx(weights.std())


@settings(max_examples=50, deadline=None)
@given(blobs())
def test_shape_agrees_with_a_count_of_windows(blob: tuple[np.ndarray, np.ndarray]) -> None:
    image, mask = blob
    around = np.pad(mask, 1)
    windows = np.lib.stride_tricks.sliding_window_view(around, (2, 2)).reshape(-1, 4).sum(axis=1)
    got = named(extract_features(image, mask))
    assert got["area"] == mask.sum()
    assert got["perimeter"] == np.isin(windows, [1, 2, 3]).sum()
    assert got["non-compactness"] == pytest.approx(got["perimeter"] ** 2 / got["area"])
    assert got["rectangularity"] == pytest.approx(got["area"] / got["bandwidth"] / got["duration"])


@settings(max_examples=50, deadline=None)
@given(blobs(), st.integers(-12, 14), st.booleans())
def test_a_shift_in_time_changes_nothing(
    blob: tuple[np.ndarray, np.ndarray], shift: int, compat: bool
) -> None:
    image, mask = blob
    np.testing.assert_allclose(
        extract_features(np.roll(image, shift, 1), np.roll(mask, shift, 1), compat=compat),
        extract_features(image, mask, compat=compat),
        atol=1e-12,
    )


@settings(max_examples=50, deadline=None)
@given(blobs(), st.integers(-12, 16))
def test_a_shift_in_frequency_moves_only_the_positions(
    blob: tuple[np.ndarray, np.ndarray], shift: int
) -> None:
    image, mask = blob
    before = extract_features(image, mask)
    after = extract_features(np.roll(image, shift, 0), np.roll(mask, shift, 0))
    # Ties for the loudest bin are decided by rounding: leave them out.
    profile = np.sort((image * mask).sum(axis=1))
    assume(profile[-1] - profile[-2] > 1e-9)
    moved = np.zeros(38)
    for name, step in (
        ("freq-mean", shift / 47),
        ("freq-max", shift / 47),
        ("min-frequency", shift),
        ("max-frequency", shift),
    ):
        moved[FEATURE_NAMES.index(name)] = step
    np.testing.assert_allclose(after, before + moved, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(blobs(), st.booleans())
def test_features_are_finite_and_in_range(
    blob: tuple[np.ndarray, np.ndarray], compat: bool
) -> None:
    features = extract_features(*blob, compat=compat)
    got = named(features)
    assert np.isfinite(features).all()
    assert 0 <= got["freq-mean"] <= 1
    assert 0 <= got["freq-gini"] < 1
    assert features[22:].min() >= 0
    assert features[22:].sum() == pytest.approx(1) or not features[22:].any()
    assert got["min-frequency"] <= got["max-frequency"]


def test_single_frame_has_no_extent_in_time() -> None:
    got = named(extract_features(*rectangle(height=4, width=1)))
    assert [got[f"time-{name}"] for name in ("mean", "variance", "skewness", "max")] == [0] * 4
    assert (got["duration"], got["area"]) == (1, 4)


def test_single_bin_has_no_extent_in_frequency() -> None:
    got = named(extract_features(*rectangle(height=1, width=6)))
    assert got["freq-variance"] == pytest.approx(0, abs=1e-15)
    assert got["freq-mean"] == pytest.approx(10 / 31)


@pytest.mark.parametrize("compat", [False, True])
def test_single_pixel_gives_finite_features(compat: bool) -> None:
    features = extract_features(*rectangle(height=1, width=1), compat=compat)
    assert np.isfinite(features).all()


def test_zero_energy_gives_zero_profiles() -> None:
    features = extract_features(*rectangle(height=4, width=5, value=0.0))
    assert not features[:14].any()
    assert not features[22:].any()
    assert named(features)["area"] == 20


def test_weak_gradients_are_not_counted() -> None:
    features = extract_features(*rectangle(height=6, width=6, value=0.01))
    assert not features[22:].any()


def test_empty_mask_is_refused() -> None:
    with pytest.raises(ValueError, match="the mask is empty"):
        extract_features(np.ones((4, 4)), np.zeros((4, 4)))


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match=r"\(4, 4\) and mask \(4, 5\)"):
        extract_features(np.ones((4, 4)), np.ones((4, 5)))


def test_hertz_and_seconds_replace_bins_and_frames() -> None:
    features = extract_features(*rectangle(height=4, width=5))
    converted = named(in_hertz_and_seconds(features, bin_hz=31.25, frame_s=0.008))
    assert converted["min-frequency"] == 312.5
    assert converted["max-frequency"] == 13 * 31.25
    assert converted["bandwidth"] == 125
    assert converted["duration"] == pytest.approx(0.04)
    others = [
        name
        for name in FEATURE_NAMES
        if name not in ("min-frequency", "max-frequency", "bandwidth", "duration")
    ]
    assert [converted[name] for name in others] == [named(features)[name] for name in others]


def test_intensity_has_noise_at_a_sixteenth_and_saturates_at_48_db() -> None:
    got = intensity(np.array([0, 1, 16, 256, 1000], dtype=np.float32))
    np.testing.assert_allclose(got, [0, 1 / 16, 1 / 4, 1, 1])


def test_published_intensity_by_hand() -> None:
    # Maximum 1; square roots 0.5 and 1 stay 127/255 and 1 as bytes. One quiet frame (0.2 * 5).
    magnitude = np.array([[0.25, 0.25, 0.25, 0.25, 0.0625], [1, 1, 1, 1, 0.25]], dtype=np.float32)
    quiet = np.array([[63 / 255], [127 / 255]])
    image = np.array([[127, 127, 127, 127, 63], [255, 255, 255, 255, 127]]) / 255
    expected = np.floor(np.minimum(image / np.sqrt(quiet**2 + 1e-11), 1) * 255) / 255
    np.testing.assert_array_equal(published_intensity(magnitude), expected)
    assert not published_intensity(np.zeros((3, 4), dtype=np.float32)).any()


def test_published_noise_ends_near_16_of_255() -> None:
    rng = np.random.default_rng(0)
    magnitude = np.abs(rng.normal(size=(64, 1246)) + 1j * rng.normal(size=(64, 1246)))
    image = published_intensity(magnitude.astype(np.float32))
    assert np.median(image) * 255 == pytest.approx(16, abs=2)


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, np.ndarray]:
    """Features of 10 232 real segments, by name."""
    with np.load(shared / "datasets" / "hja-birdsong" / "dataset-unfiltered.npz") as data:
        columns = data["X"].T
    return dict(zip(FEATURE_NAMES, columns, strict=True))


def test_published_sizes_are_last_minus_first(published: dict[str, np.ndarray]) -> None:
    span = published["max-frequency"] - published["min-frequency"]
    np.testing.assert_array_equal(published["bandwidth"], span)
    box = published["bandwidth"] * published["duration"]
    np.testing.assert_allclose(published["rectangularity"], published["area"] / box, atol=1e-6)


def test_published_non_compactness_is_perimeter_squared_over_area(
    published: dict[str, np.ndarray],
) -> None:
    expected = published["perimeter"] ** 2 / published["area"]
    np.testing.assert_allclose(published["non-compactness"], expected, rtol=1e-6)


def test_published_loudest_bin_and_frame_are_grid_points(published: dict[str, np.ndarray]) -> None:
    for position in (
        published["freq-max"] * 255,
        published["time-max"] * published["duration"],
    ):
        np.testing.assert_allclose(position, np.rint(position), atol=1e-3)
    loudest = np.rint(published["freq-max"] * 255)
    assert np.all(loudest >= published["min-frequency"])
    assert np.all(loudest <= published["max-frequency"])


def test_published_moments_are_raw_central_moments(published: dict[str, np.ndarray]) -> None:
    for axis in ("freq", "time"):
        variance = published[f"{axis}-variance"]
        kurtosis = published[f"{axis}-kurtosis"]
        skewness = published[f"{axis}-skewness"]
        # Pearson's inequality for raw moments: m4 m2 >= m3^2 + m2^3 (6 decimals are printed).
        assert np.all(kurtosis * variance - skewness**2 - variance**3 >= -1e-6)


def test_published_histogram_sums_to_one(published: dict[str, np.ndarray]) -> None:
    total = sum(published[f"hog-{direction:02d}"] for direction in range(16))
    np.testing.assert_allclose(total, 1, atol=1e-5)


def test_own_features_lie_in_the_published_ranges(published: dict[str, np.ndarray]) -> None:
    # A syllable like theirs: 25 bins by 30 frames of a 256-bin spectrogram.
    mask = np.zeros((256, 50), dtype=bool)
    image = np.zeros((256, 50))
    rows, columns = np.mgrid[-1:1:25j, -1:1:30j]
    mask[90:115, 10:40] = rows**2 + columns**2 < 1
    image[90:115, 10:40] = 0.7 * np.exp(-(rows**2) - columns**2)
    got = named(extract_features(image, mask, compat=True))
    for name, column in published.items():
        if name not in ("mask-mean", "mask-stdev"):
            assert column.min() - 1e-9 <= got[name] <= column.max() + 1e-9, name


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize("low", [0, 2, 15, N_BINS - 4])
def test_the_box_alone_gives_the_same_features(low: int, compat: bool) -> None:
    mask = np.zeros((N_BINS, 40), dtype=bool)
    mask[low : low + 4, 5:16] = np.add.outer(np.arange(4), np.arange(11)) % 5 > 0
    # A loud neighbour is no part of the syllable.
    image = np.random.default_rng(0).random(mask.shape)
    image[: low // 2] = 1.0
    box = slice(low, low + 4), slice(5, 16)
    got = extract_box_features(image[box], mask[box], low, n_bins=N_BINS, compat=compat)
    np.testing.assert_array_equal(got, extract_features(image, mask, compat=compat))
    assert named(got)["min-frequency"] == low
    assert named(got)["max-frequency"] == low + 3
    profile = np.where(mask, image, 0.0)[:, : 15 if compat else None].sum(axis=1)
    assert named(got)["freq-mean"] == pytest.approx(
        np.average(np.arange(N_BINS) / (N_BINS - 1), weights=profile)
    )
