"""A problem that is small enough for a whole experiment in seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WriteProblem = Callable[..., Path]


def problem_arrays(seed: int = 0, bags_of_class: int = 6, n_classes: int = 3) -> dict[str, Any]:
    """Bags of three instances, two of the bag's class and one that tells nothing."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_classes), bags_of_class)
    centres = 6.0 * np.eye(n_classes, 4)
    own = np.repeat(centres[truth], 2, axis=0).reshape(len(truth), 2, 4)
    X = np.concatenate([own, np.zeros((len(truth), 1, 4))], axis=1).reshape(-1, 4)
    return {
        "X": X + rng.standard_normal(X.shape),
        "bag": np.repeat(np.arange(len(truth)), 3),
        "bag_labels": (truth[:, None] == np.arange(n_classes)).astype(np.uint8),
    }


@pytest.fixture
def write_problem(tmp_path: Path) -> WriteProblem:
    """Write a problem of 18 bags; arrays can be replaced by name."""

    def write(name: str = "blobs.npz", seed: int = 0, **replaced: Any) -> Path:
        path = tmp_path / name
        np.savez(path, **{**problem_arrays(seed), **replaced})
        return path

    return write
