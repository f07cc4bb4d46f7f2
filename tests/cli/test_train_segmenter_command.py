"""``birdmodes train-segmenter``, from recordings and masks to a model that can be loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.segmentation import load_model

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Two recordings of 3 s with a whistle in every second."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    for number in range(2):
        samples = 0.01 * np.random.default_rng(number).standard_normal(3 * 16_000)
        for second in range(3):
            first = second * 16_000 + 4_000
            samples[first : first + 8_000] += 0.1 * np.sin(np.arange(8_000) * (1.2 + number))
        soundfile.write(folder / f"r{number}.wav", samples, 16_000)
    return folder


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    """Boxes around the whistles: 1.2 and 2.2 radians a sample are 3056 and 5602 Hz."""
    lines = ["recording,start_s,end_s,low_hz,high_hz"]
    for number, hertz in ((0, 3056), (1, 5602)):
        for second in range(3):
            box = (second + 0.25, second + 0.75, hertz - 150, hertz + 150)
            lines.append(f"r{number}.wav," + ",".join(map(str, box)))
    (tmp_path / "boxes.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "boxes.csv"


def test_a_model_is_trained_and_scored(
    call: Call, recordings: Path, masks: Path, tmp_path: Path
) -> None:
    model = tmp_path / "birds.npz"
    arguments = ("--preset", "briggs2012", "--trees", 4, "--seed", 3, "--fmin", 500)
    code, printed = call("train-segmenter", recordings, masks, "--model", model, *arguments)
    assert code == 0, printed
    assert "2 recordings with masks" in printed
    assert "true positive rate" in printed
    assert "at false positive rate 8.6 %" in printed
    trained = load_model(model)
    assert trained.training.recordings == ("r0.wav", "r1.wav")
    assert trained.training.seed == 3
    assert f"AUC {trained.training.auc:.3f}, F1 {trained.training.f1:.3f}" in printed
    assert trained.parameters.sample_rate_hz == 16_000
    assert trained.parameters.low_hz == 500
    assert trained.trees.n_trees == 4
    assert "warning" not in printed


def test_frequencies_that_the_recordings_lack_are_told(
    call: Call, recordings: Path, masks: Path, tmp_path: Path
) -> None:
    training = ("train-segmenter", recordings, masks, "--model", tmp_path / "m.npz", "--trees", 2)
    code, printed = call(*training)
    assert code == 0, printed
    assert "some recordings have 16,000 samples a second" in " ".join(printed.split())
    assert "nothing from 8,000 to 11,025 Hz" in " ".join(printed.split())
    for enough in (("--sample-rate", 16_000), ("--fmax", 8_000)):
        code, printed = call(*training, *enough)
        assert code == 0, printed
        assert "warning" not in printed


def test_mistakes_get_one_line(call: Call, recordings: Path, masks: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.npz"
    code, printed = call("train-segmenter", recordings, tmp_path / "none", "--model", model)
    assert code == 2
    assert "no such file or folder" in printed
    code, printed = call("train-segmenter", recordings, masks, "--model", tmp_path / "x" / "m.npz")
    assert code == 2
    assert "no such folder" in printed
    for other in (masks, recordings / "r0.wav"):
        before = other.read_bytes()
        code, printed = call("train-segmenter", recordings, masks, "--model", other)
        assert code == 2
        assert "is there already, and is not a model of birdmodes; name another file" in printed
        assert other.read_bytes() == before
    code, printed = call("train-segmenter", recordings, masks)
    assert code == 2
    assert "--model" in printed
    masks.write_text("recording,start_s,end_s,low_hz,high_hz\nother.wav,0,1,2,3\n")
    code, printed = call("train-segmenter", recordings, masks, "--model", model)
    assert code == 2
    assert "none of the 1 masks here" in printed
    assert not model.exists()
