from __future__ import annotations

import numpy as np
import pytest

from birdmodes.segmentation.cells import cell_shape, to_cells, to_pixels
from birdmodes.segmentation.forest_features import FEATURE_NAMES, CellFeatures
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram, spectrogram, whiten

BRIGGS = SegmentationParameters.preset("briggs2012")


def of(magnitude: np.ndarray, parameters: SegmentationParameters = BRIGGS) -> CellFeatures:
    spec = Spectrogram(magnitude.astype(np.float32), parameters.bin_hz, parameters.frame_s, 0.016)
    return CellFeatures(spec, parameters)


def column(features: CellFeatures, name: str) -> np.ndarray:
    n_rows, n_columns = features.usable.shape
    values = features.of(np.arange(n_rows * n_columns))[:, FEATURE_NAMES.index(name)]
    return values.reshape(n_rows, n_columns)


def noise(n_bins: int = 256, n_frames: int = 400, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).rayleigh(0.7, (n_bins, n_frames))


def test_cells_are_means_and_the_last_ones_of_what_is_left() -> None:
    image = np.arange(15).reshape(3, 5)
    cells = to_cells(image, (2, 2))
    np.testing.assert_allclose(cells, [[3, 5, 6.5], [10.5, 12.5, 14]])


def test_pixels_lie_on_lines_between_cells() -> None:
    pixels = to_pixels(np.array([[0.0, 4.0]], dtype=np.float32), (1, 2), 1, 4)
    np.testing.assert_allclose(pixels, [[0, 1, 3, 4]])
    pixels = to_pixels(np.array([[0.0], [4.0]], dtype=np.float32), (2, 3), 3, 2)
    np.testing.assert_allclose(pixels, [[0, 0], [1, 1], [3, 3]])


@pytest.mark.parametrize(
    ("rate", "window", "hop", "expected"),
    [(16_000, 512, 128, (2, 2)), (22_050, 512, 128, (1, 3)), (16_000, 64, 64, (1, 4))],
)
def test_cells_are_of_about_one_size(
    rate: int, window: int, hop: int, expected: tuple[int, int]
) -> None:
    spec = Spectrogram(np.ones((window // 2, 9), np.float32), rate / window, hop / rate, 0.0)
    assert cell_shape(spec) == expected


def test_features_are_finite_whatever_comes() -> None:
    for samples in (np.zeros(1000), np.ones(512), np.r_[np.zeros(9000), np.ones(1)], noise(1)[0]):
        whitened = whiten(spectrogram(np.resize(samples, 600), BRIGGS), BRIGGS)
        assert whitened.n_frames == 1
        features = CellFeatures(whitened, BRIGGS)
        found = features.of(np.arange(features.usable.size))
        assert found.shape == (128, len(FEATURE_NAMES))
        assert found.dtype == np.float32
        assert np.isfinite(found).all()


def test_a_loud_patch_stands_out_where_it_is() -> None:
    magnitude = noise()
    magnitude[100:110, 200:220] += 10
    score = column(of(magnitude), "score 3 x 3")
    assert score[50:55, 100:110].min() > 5
    away = score.copy()
    away[45:60, 90:120] = 0
    assert np.quantile(away[5:], 0.99) < 5


def test_boxes_beside_look_the_way_their_names_say() -> None:
    magnitude = noise()
    magnitude[100:110, 200:220] += 10  # rows 50 to 54, columns 100 to 109
    features = of(magnitude)
    score = column(features, "score 3 x 3")
    np.testing.assert_array_equal(column(features, "fine beside 0 x 3")[52, 97], score[52, 100])
    np.testing.assert_array_equal(column(features, "fine beside -3 x 0")[55, 105], score[52, 105])
    # at the edge, what is nearest
    np.testing.assert_array_equal(column(features, "fine beside 0 x -3")[52, 1], score[52, 0])


def test_frequency_is_in_kilohertz() -> None:
    np.testing.assert_allclose(column(of(noise()), "frequency")[16], 1.0)


def test_rain_fills_columns_and_a_steady_tone_fills_rows() -> None:
    rain, tone = noise(), noise()
    rain[:, 200:204] += 10
    tone[100:104, :330] += 10
    assert column(of(rain), "column above 3")[0, 100:102].min() > 0.9
    assert column(of(rain), "row above 3")[:, 0].max() < 0.3
    assert column(of(tone), "row maximum")[51, 0] > column(of(tone), "row maximum")[90, 0]


def test_only_the_band_and_frames_with_signal_are_usable() -> None:
    magnitude = noise()
    magnitude[:, 100:200] = 0
    usable = of(magnitude).usable
    assert not usable[:4].any()  # under 300 Hz
    assert usable[6:, :49].all()
    assert not usable[:, 51:99].any()


def test_louder_recordings_give_the_same_features() -> None:
    samples = 0.01 * np.random.default_rng(0).standard_normal(16_000)
    samples[5000:7000] += 0.1 * np.sin(np.arange(2000))
    found = []
    for gain in (1.0, 4.0):
        whitened = whiten(spectrogram(gain * samples, BRIGGS), BRIGGS)
        features = CellFeatures(whitened, BRIGGS)
        found.append(features.of(np.arange(features.usable.size)))
    np.testing.assert_allclose(found[0], found[1], atol=1e-3)
