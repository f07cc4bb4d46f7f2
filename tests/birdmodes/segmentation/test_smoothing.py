"""Blurs, means, maxima and quantiles are those of scipy and numpy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from birdmodes.segmentation.smoothing import (
    blurred_image,
    blurred_rows,
    pooled_frames,
    row_quantiles,
    running_maximum,
    stretched_frames,
    upper_quartile,
)


@pytest.mark.parametrize("shape", [(40, 70), (3, 2), (1, 1)])
@pytest.mark.parametrize("sigma", [(1.9, 2.6), (0.0, 4.0), (0.0, 0.0)])
def test_images_are_blurred_and_mirrored_at_their_edges_as_by_scipy(
    shape: tuple[int, int], sigma: tuple[float, float]
) -> None:
    image = np.random.default_rng(5).exponential(size=shape).astype(np.float32)
    blurred = blurred_image(image, *sigma)
    expected = scipy.ndimage.gaussian_filter(image.astype(np.float64), sigma, truncate=3.0)
    assert blurred.dtype == np.float32
    np.testing.assert_allclose(blurred, expected, rtol=1e-6)


@pytest.mark.parametrize("rows", [slice(0, 3), slice(9, 14), slice(37, 40), slice(0, 40)])
@pytest.mark.parametrize("size", [1, 7, 29, 91])  # the last is longer than the image
def test_some_rows_are_blurred_and_mirrored_at_the_edges_as_by_scipy(
    rows: slice, size: int
) -> None:
    rng = np.random.default_rng(5)
    image, kernel = rng.exponential(size=(40, 12)).astype(np.float32)[:, 2:9], rng.random(size)
    expected = scipy.ndimage.correlate1d(image.astype(np.float64), kernel, axis=0)[rows]
    np.testing.assert_allclose(blurred_rows(image, rows, kernel), expected, rtol=1e-5)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
@pytest.mark.parametrize("n_columns", [1, 2, 7, 12])
def test_means_of_columns_of_which_the_last_may_be_fewer(n_columns: int, step: int) -> None:
    image = np.random.default_rng(7).normal(size=(5, n_columns)).astype(np.float32)
    expected = [image[:, first : first + step].mean(axis=1) for first in range(0, n_columns, step)]
    np.testing.assert_allclose(pooled_frames(image, step), np.transpose(expected), rtol=1e-5)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_columns_are_stretched_as_numpy_interpolates(n_columns: int, step: int) -> None:
    image = np.random.default_rng(8).normal(size=(5, n_columns)).astype(np.float32)
    middles = np.arange(n_columns) * step + (step - 1) / 2
    size = n_columns * step - 1 + (step == 1)
    expected = [np.interp(np.arange(size), middles, row) for row in image]
    np.testing.assert_allclose(stretched_frames(image, step, size), expected, atol=1e-6)


@pytest.mark.parametrize("reach", [0, 1, 3, 6, 40])
def test_the_running_maximum_is_that_of_scipy(reach: int) -> None:
    image = np.random.default_rng(0).normal(size=(5, 31)).astype(np.float32)
    image[1, 3:20] = -np.inf
    wanted = scipy.ndimage.maximum_filter1d(image, 2 * reach + 1, axis=1, mode="nearest")
    assert np.array_equal(running_maximum(image, reach), wanted)


@pytest.mark.parametrize("n_columns", [1, 2, 7, 100])
def test_quantiles_of_rows_are_those_of_numpy(n_columns: int) -> None:
    image = np.random.default_rng(6).normal(size=(5, n_columns))
    for found, share in zip(row_quantiles(image, 0.05, 0.3, 1.0), (0.05, 0.3, 1.0), strict=True):
        np.testing.assert_allclose(found, np.quantile(image, share, axis=1), rtol=1e-12)


def test_the_upper_quartile_is_that_of_numpy_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    for size in range(1, 60):
        values = rng.random(size).astype(np.float32)
        assert upper_quartile(values) == float(np.quantile(values, 0.75))
