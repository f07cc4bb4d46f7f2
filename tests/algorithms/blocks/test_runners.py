"""Who works on blocks, and where what comes of them stays."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from algorithms import Bags
from algorithms.blocks.runners import Here
from algorithms.disambiguation.ldc import LDC


def _doubled(rows: np.ndarray, factor: float) -> tuple[np.ndarray, ...]:
    return rows * factor, rows.astype(np.float32)[:0]


def test_what_does_not_fit_into_memory_is_read_back_from_a_file_that_goes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    blocks = [np.arange(12.0).reshape(3, 4) + number for number in range(5)]
    open_files = Path("/proc/self/fd")
    n_before = len(list(open_files.iterdir())) if open_files.is_dir() else None
    runner = Here(in_memory_bytes=2 * blocks[0].nbytes)
    made = runner.make(_doubled, blocks, shared=[2.0])
    for _ in range(2):  # in any order, as often as wanted
        for number, found in enumerate(runner.results(lambda arrays: arrays, made)):
            assert (found[0] == 2 * blocks[number]).all()
            assert found[1].shape == (0, 4)
            assert found[1].dtype == np.float32
    if n_before is not None:
        assert len(list(open_files.iterdir())) == n_before + 1
        del made, found
        assert len(list(open_files.iterdir())) == n_before
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("block_rows", [7, 60])
def test_modes_are_the_same_whatever_the_blocks(block_rows: int) -> None:
    rng = np.random.default_rng(1)
    labels = np.eye(3, dtype=bool)[rng.integers(0, 3, 60)] | (rng.random((60, 3)) < 0.3)
    labelled = rng.random(60) < 0.8
    bag = np.repeat(np.arange(60), 3)
    truth = np.array([rng.choice(np.flatnonzero(labels[m])) for m in bag])
    X = rng.standard_normal((180, 4)) + 3 * np.eye(4)[truth]
    # not in the order of bags, some without a list
    shuffled = rng.permutation(180)
    bags = Bags(X[shuffled], bag[shuffled], labels & labelled[:, None], labelled=labelled)
    whole, parts = (LDC(6, background="cautious", n_landmarks=50, rounds=6) for _ in range(2))
    parts.block_rows = block_rows
    parts.runner = Here(in_memory_bytes=0)
    whole.fit(bags), parts.fit(bags)
    assert (whole.labels_ == parts.labels_).all()
    np.testing.assert_allclose(whole.posterior_, parts.posterior_, atol=1e-3)
    assert (whole.predict(bags) == parts.predict(bags)).all()
    assert (whole.again(bags, 1) == parts.again(bags, 1)).all()
