"""Raw files in miniature: the published formats, with values that can be read by eye."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse


def save(path: Path, **variables: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    scipy.io.savemat(path, variables)


@pytest.fixture
def small_hja(tmp_path: Path) -> Path:
    """Five segments in three recordings; the second and the fourth are not identified."""
    raw = tmp_path / "hja-birdsong" / "raw"
    X = [[0.123455, -8e-06], [1.0, 0.0], [0.1234549, 12.345678], [3.0, 1.0], [0.123465, 0.5]]
    save(raw / "MILpy/birds_BRCR_original/X.mat", X=np.array(X))
    bag = np.array([[1], [1], [2], [3], [3]], dtype=np.uint16)
    save(raw / "MILpy/birds_BRCR_original/Bag2.mat", Bag2=bag)
    target = np.zeros((13, 3))
    target[[4, 0, 12], [0, 1, 2]] = 1
    save(
        raw / "partial_label_realworld_dataset/BirdSong.mat",
        # As printed to five digits: the double nearest to 0.123455 lies below it, that nearest to
        # 0.123465 above it.
        data=np.array([[0.12345, -8e-06], [0.12345, 12.346], [0.12347, 0.5]]),
        target=scipy.sparse.csc_matrix(target),
    )
    return tmp_path
