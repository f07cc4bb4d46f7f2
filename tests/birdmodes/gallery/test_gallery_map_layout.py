from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.map_layout import LARGEST, check_umap, map_layout


def cloud(n: int = 400, seed: int = 0) -> np.ndarray:
    """Variances 9, 4 and 1 along the axes."""
    return np.random.default_rng(seed).standard_normal((n, 3)) * [3.0, 2.0, 1.0]


def test_axes_are_the_principal_components() -> None:
    points = cloud(4000)
    layout = map_layout(points)
    assert (layout.method, layout.xy.shape) == ("pca", (4000, 2))
    assert layout.explained == pytest.approx([9 / 14, 4 / 14], abs=0.03)
    assert abs(np.corrcoef(layout.xy[:, 0], points[:, 0])[0, 1]) > 0.99
    assert abs(np.corrcoef(layout.xy[:, 1], points[:, 1])[0, 1]) > 0.99


def test_signs_do_not_depend_on_the_order_of_rows() -> None:
    points = cloud()
    order = np.random.default_rng(1).permutation(len(points))
    np.testing.assert_allclose(map_layout(points[order]).xy, map_layout(points).xy[order], atol=1)


def test_the_largest_weight_of_each_axis_is_positive() -> None:
    points = cloud() @ np.diag([1.0, -1.0, 1.0])
    xy = map_layout(points).xy
    assert np.corrcoef(xy[:, 0], points[:, 0])[0, 1] > 0
    assert np.corrcoef(xy[:, 1], points[:, 1])[0, 1] > 0


def test_both_axes_have_one_scale_and_outliers_do_not_squeeze_the_rest() -> None:
    points = cloud(2000)
    calm = map_layout(points).xy
    points[:3, 0] = [1e3, 1e4, -1e5]
    xy = map_layout(points, "pca").xy
    assert xy.min() >= 0
    assert xy.max() <= LARGEST
    # none of the three on one spot, and in the right order
    assert xy[1, 0] != xy[0, 0]
    assert (xy[2, 0] < LARGEST / 20) != (xy[0, 0] < LARGEST / 20)
    np.testing.assert_allclose(np.ptp(xy[3:, 0]), np.ptp(calm[3:, 0]), rtol=0.1)
    spread = calm.std(axis=0)
    assert spread[0] / spread[1] == pytest.approx(1.5, rel=0.1)


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (2, 3), (5, 1), (5, 0)])
def test_few_points_and_few_columns_have_a_map(shape: tuple[int, int]) -> None:
    layout = map_layout(np.arange(np.prod(shape), dtype=float).reshape(shape))
    assert layout.xy.shape == (shape[0], 2)
    assert ((layout.xy >= 0) & (layout.xy <= LARGEST)).all()


def test_equal_points_are_in_the_middle() -> None:
    assert map_layout(np.ones((4, 3))).xy == pytest.approx(LARGEST / 2, abs=1)


def test_umap_is_refused_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BirdmodesError, match=r"pip install 'birdmodes\[map\]'") as raised:
        check_umap()
    assert "\n" not in str(raised.value)
    with pytest.raises(BirdmodesError):
        map_layout(cloud(), "umap")


def test_umap_is_told_seed_and_number_of_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    class Umap:
        """Stands for the package, which takes ten seconds to import."""

        class UMAP:
            def __init__(self, **parameters: int) -> None:
                asked.update(parameters)

            def fit_transform(self, points: np.ndarray) -> np.ndarray:
                return points[:, :2]

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "umap", Umap)
    layout = map_layout(cloud(10), "umap", seed=7)
    assert (layout.method, layout.explained) == ("umap", None)
    assert asked == {"n_neighbors": 9, "random_state": 7, "n_jobs": 1}


@pytest.mark.slow
def test_umap_is_the_same_each_time_and_keeps_groups_apart() -> None:
    pytest.importorskip("umap", reason="the extra 'map' is not installed")
    points = np.concatenate([cloud(60), cloud(60, seed=1) + 30])
    first = map_layout(points, "umap", seed=3)
    np.testing.assert_array_equal(first.xy, map_layout(points, "umap", seed=3).xy)
    one, other = first.xy[:60], first.xy[60:]
    apart = np.linalg.norm(one.mean(axis=0) - other.mean(axis=0))
    assert apart > 3 * max(one.std(axis=0).max(), other.std(axis=0).max())
