"""A set that is small enough to benchmark in seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WriteBags = Callable[..., Path]


def blob_arrays(seed: int = 0, n_bags: int = 20, n_classes: int = 3) -> dict[str, Any]:
    """Three instances in each bag, of one or two classes; every class is a round blob."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((n_bags, n_classes), dtype=np.uint8)
    truth = []
    for m in range(n_bags):
        present = rng.choice(n_classes, size=rng.integers(1, 3), replace=False)
        labels[m, present] = 1
        truth += [int(c) for c in np.resize(present, 3)]
    centres = 3.0 * np.eye(n_classes, 4)
    X = centres[truth] + rng.standard_normal((len(truth), 4))
    return {
        "X": X,
        "bag": np.repeat(np.arange(n_bags), 3),
        "bag_labels": labels,
        "y": np.array(truth),
    }


@pytest.fixture
def write_bags_file(tmp_path: Path) -> WriteBags:
    """Write a set of 60 instances; arrays can be replaced by name."""

    def write(name: str = "blobs.npz", seed: int = 0, **replaced: Any) -> Path:
        path = tmp_path / name
        np.savez(path, **{**blob_arrays(seed), **replaced})
        return path

    return write
