"""Models on disk: the same bytes for the same model, and anything else refused in one line."""

from __future__ import annotations

import contextlib
import json
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from birdmodes.errors import ModelError, ParameterError
from birdmodes.segmentation import ForestModel, check_method, load_model, save_model, segment_clip
from birdmodes.segmentation.parameters import SegmentationParameters

Arrays = dict[str, Any]


@pytest.fixture
def saved(model: ForestModel, tmp_path: Path) -> Path:
    save_model(model, tmp_path / "m.npz")
    return tmp_path / "m.npz"


def arrays_of(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def with_header(arrays: Arrays, **changes: Any) -> Arrays:
    header = {**json.loads(arrays["header"].tobytes()), **changes}
    return {**arrays, "header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}


def refused(path: Path, arrays: Arrays | None = None) -> str:
    if arrays is not None:
        np.savez(path, **arrays)
    with pytest.raises(ModelError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def test_a_model_comes_back_as_it_was(saved: Path, model: ForestModel) -> None:
    again = load_model(saved)
    for name, values in model.trees.to_arrays().items():
        np.testing.assert_array_equal(again.trees.to_arrays()[name], values)
    assert again.parameters == model.parameters
    assert again.threshold == model.threshold
    assert again.training == model.training
    assert again.digest == model.digest
    assert list(saved.parent.iterdir()) == [saved]


def test_a_model_comes_back_as_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    save_model(load_model(saved), tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == saved.read_bytes()


def test_the_digest_tells_models_apart(model: ForestModel) -> None:
    share = model.trees.share.copy()
    share[-1] = 0.125
    others = [
        replace(model, threshold=0.123),
        replace(model, trees=replace(model.trees, share=share)),
        replace(model, parameters=replace(model.parameters, low_hz=310)),
        replace(model, training=replace(model.training, seed=99)),
    ]
    assert len({model.digest, *(other.digest for other in others)}) == 5
    assert replace(model).digest == model.digest
    assert len(model.digest) == 64


def test_files_without_pickle(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        assert all(name.endswith(".npy") for name in archive.namelist())
    assert all(values.dtype != object for values in arrays_of(saved).values())


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"PK\x03\x04 nonsense", pickle.dumps({"a": 1}), b"PK\x05\x06" + bytes(18)],
)
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    assert "not a model of birdmodes" in refused(tmp_path / "x")


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "nothing.npz")
    assert "cannot be read" in refused(tmp_path)


def test_other_arrays_are_refused(tmp_path: Path) -> None:
    assert "not a model" in refused(tmp_path / "x.npz", {"a": np.zeros(3)})
    assert "not a model" in refused(tmp_path / "x.npz", {"header": np.zeros(3)})
    header = np.frombuffer(b'{"format": "something else"}', dtype=np.uint8)
    assert "not a model" in refused(tmp_path / "x.npz", {"header": header})
    np.savez(tmp_path / "objects.npz", header=np.array([{"a": 1}], dtype=object))
    assert "not a model" in refused(tmp_path / "objects.npz")


def test_a_file_cut_short_or_changed_anywhere_is_refused_or_whole(
    saved: Path, model: ForestModel
) -> None:
    content = saved.read_bytes()
    for length in range(0, len(content), len(content) // 15):
        saved.write_bytes(content[:length])
        refused(saved)
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content), 150):
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        saved.write_bytes(changed)
        with contextlib.suppress(ModelError):
            # what the bytes say that zip files have to spare does not matter
            assert load_model(saved).digest == model.digest


def test_a_claim_of_huge_arrays_is_refused(saved: Path, tmp_path: Path) -> None:
    shape = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }"
    header = b"\x93NUMPY\x01\x00" + (len(shape) + 1).to_bytes(2, "little") + shape + b"\n"
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("header.npy", header + bytes(100))
    assert "not a model" in refused(tmp_path / "huge.npz")


def test_damaged_trees_are_refused(saved: Path) -> None:
    arrays = arrays_of(saved)
    for name, change in (
        ("left", lambda values: np.zeros_like(values)),
        ("right", lambda values: values + 10_000_000),
        ("feature", lambda values: np.where(values >= 0, 999, values).astype(np.int16)),
        ("threshold", lambda values: values * np.nan),
        ("share", lambda values: values.astype(np.float64)),
        ("first", lambda values: values[:-1]),
    ):
        assert "the model is damaged" in refused(saved, {**arrays, name: change(arrays[name])})
        left_out = {key: value for key, value in arrays.items() if key != name}
        assert "the model is damaged" in refused(saved, left_out)


@pytest.mark.parametrize(
    "changes",
    [
        {"threshold": "high"},
        {"threshold": None},
        {"threshold": 2.0},
        {"threshold": True},
        {"parameters": {"sample_rate_hz": 16000}},
        {"parameters": []},
        {"training": {}},
        {"training": None},
    ],
)
def test_a_damaged_header_is_refused(saved: Path, changes: dict[str, Any]) -> None:
    assert "the model is damaged" in refused(saved, with_header(arrays_of(saved), **changes))


def test_a_header_with_a_wrong_value_is_refused(saved: Path) -> None:
    arrays = arrays_of(saved)
    header = json.loads(arrays["header"].tobytes())
    for part, name, value in (
        ("parameters", "sample_rate_hz", 0),
        ("parameters", "window", "round"),
        ("training", "auc", float("nan")),
        ("training", "recordings", "all"),
    ):
        changed = {**header[part], name: value}
        assert "damaged" in refused(saved, with_header(arrays, **{part: changed}))


def test_models_of_other_versions_are_refused(saved: Path) -> None:
    arrays = arrays_of(saved)
    assert "another version" in refused(saved, with_header(arrays, version=2))
    assert "another version" in refused(saved, with_header(arrays, features=["level"]))


def test_parameters_come_from_the_model(model: ForestModel) -> None:
    assert model.parameters_with({}) == model.parameters
    changed = model.parameters_with({"clip_s": 10.0, "high_hz": None, "split_db": 9.0})
    assert changed == replace(model.parameters, clip_s=10.0, split_db=9.0)
    with pytest.raises(ParameterError, match="unknown segmentation settings: colour"):
        model.parameters_with({"colour": 1})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sample_rate_hz", 22_050),
        ("window_s", 0.064),
        ("hop_s", 0.016),
        ("window", "hann"),
        ("quiet_fraction", 0.5),
    ],
)
def test_another_spectrogram_is_refused(model: ForestModel, name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} = .* does not fit the model"):
        model.parameters_with({name: value})
    with pytest.raises(ParameterError, match="does not fit the model"):
        segment_clip(np.zeros(16_000), replace(model.parameters, **{name: value}), model)


def test_a_segmenter_gets_the_model_that_it_needs(model: ForestModel) -> None:
    check_method(model.parameters, model)
    with pytest.raises(ParameterError, match="needs a trained model"):
        check_method(model.parameters)
    with pytest.raises(ParameterError, match="the segmenter is 'energy'"):
        check_method(SegmentationParameters.preset("briggs2012"), model)


def test_a_threshold_that_cannot_be_is_refused(model: ForestModel) -> None:
    for threshold in (0.0, 1.0, float("nan")):
        with pytest.raises(ParameterError, match="threshold"):
            replace(model, threshold=threshold)
