from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from birdmodes.modes.clustering import Clustering
from birdmodes.modes.similarity import CLOSE_BELOW, separation, similar_modes
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.store import Workspace


def test_separation_by_hand() -> None:
    # On a line the direction is clear. Each point is measured from half-way between the centre of
    # the other group and the centre of the other points of its own.
    first = np.array([[0.0], [2.0], [4.0]])
    second = np.array([[9.0], [10.0], [11.0]])
    ours = [(3 + 10) / 2 - 0, (2 + 10) / 2 - 2, (1 + 10) / 2 - 4]
    theirs = [9 - (10.5 + 2) / 2, 10 - (10 + 2) / 2, 11 - (9.5 + 2) / 2]
    spread = math.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 2)
    expected = (np.mean(ours) + np.mean(theirs)) / spread
    assert separation(first, second) == pytest.approx(expected)
    assert separation(second, first) == pytest.approx(expected)


def test_separation_does_not_depend_on_place_scale_and_direction() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((20, 3)), 2 + rng.standard_normal((30, 3))
    turned, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    moved = separation(7 * first @ turned - 5, 7 * second @ turned - 5)
    assert moved == pytest.approx(separation(first, second))


def test_halves_of_one_cloud_are_close() -> None:
    rng = np.random.default_rng(1)
    bell, even = rng.standard_normal((4000, 1)), rng.uniform(-1, 1, (4000, 1))
    # a half normal has mean sqrt(2/pi) and variance 1 - 2/pi; half of an even one 1/2 and 1/12
    for cloud, expected in (
        (bell, 2 * math.sqrt(2 / math.pi) / math.sqrt(1 - 2 / math.pi)),
        (even, 2 * 0.5 / math.sqrt(1 / 12)),
    ):
        found = separation(cloud[cloud[:, 0] > 0], cloud[cloud[:, 0] <= 0])
        assert found == pytest.approx(expected, rel=0.03)
        assert found < CLOSE_BELOW + 0.1


def test_few_points_in_many_dimensions_do_not_look_apart() -> None:
    rng = np.random.default_rng(2)
    same = [
        separation(rng.standard_normal((6, 38)), rng.standard_normal((6, 38))) for _ in range(50)
    ]
    assert abs(np.mean(same)) < 0.5
    apart = separation(rng.standard_normal((6, 38)), 3 + rng.standard_normal((6, 38)))
    assert apart > 10


def test_groups_of_equal_points() -> None:
    one, other = np.zeros((5, 2)), np.ones((5, 2))
    assert separation(one, one) == 0
    assert separation(one, other) == math.inf


def _clustering(features: np.ndarray, cluster: list[int], confidence: float) -> tuple[Any, Any]:
    syllables = [f"s{n}" for n in range(len(features))]
    table = pd.DataFrame(features, columns=list(FEATURE_NAMES)).assign(syllable=syllables)
    assignments = pd.DataFrame(
        {"syllable": syllables, "cluster": cluster, "confidence": confidence}
    )
    modes = pd.DataFrame(
        {
            "cluster": [0, 1, 2, 3, 4],
            "species": ["Wren", "Wren", "Wren", "Robin", ""],
            "mode": ["Wren mode 1", "Wren mode 2", "Wren mode 3", "Robin mode 1", ""],
        }
    )
    workspace = SimpleNamespace(syllables=lambda columns: table[list(columns)])
    made = SimpleNamespace(modes=modes, assignments=assignments, model={})
    return cast("Workspace", workspace), made


@pytest.mark.parametrize(("confidence", "found"), [(0.9, [(0, 1)]), (0.0, [])])
def test_close_modes_of_a_species_are_found(
    confidence: float, found: list[tuple[int, int]]
) -> None:
    # 0 and 1 of the Wren are one cloud, its mode 2 is far; 3 and 4 lie on it, but are not its modes
    rng = np.random.default_rng(3)
    features = rng.standard_normal((100, len(FEATURE_NAMES)))
    cluster = [0] * 20 + [1] * 20 + [2] * 20 + [3] * 20 + [4] * 20
    features[40:60] += 5
    workspace, clustering = _clustering(features, cluster, confidence)
    pairs = similar_modes(workspace, cast("Clustering", clustering))
    assert [(pair.first, pair.second) for pair in pairs] == found


def test_a_mode_of_few_syllables_is_not_judged() -> None:
    rng = np.random.default_rng(4)
    features = rng.standard_normal((24, len(FEATURE_NAMES)))
    workspace, clustering = _clustering(features, [0] * 20 + [1] * 4, 0.9)
    assert similar_modes(workspace, cast("Clustering", clustering)) == []
