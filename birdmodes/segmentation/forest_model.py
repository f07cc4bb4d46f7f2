"""The trained pixel forest as an object and as a file."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from birdmodes.errors import BirdmodesError, ModelError, ParameterError
from birdmodes.io.files import atomic_path
from birdmodes.io.paths import AnyPath
from birdmodes.segmentation.forest_features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.trees import Forest, Trees

METHOD = "forest"
"""``SegmentationParameters.method`` of this segmenter."""

NO_TRIM_DB = 200.0
"""``range_db`` of a model: the forest was shown what belongs to a syllable, echo or not."""

SPECTROGRAM_SETTINGS = ("sample_rate_hz", "window_s", "hop_s", "window", "quiet_fraction")
"""Settings that must be those that the model was trained with."""

_KEPT_SETTINGS = (*SPECTROGRAM_SETTINGS, "clip_s", "low_hz", "high_hz")
_FORMAT = "birdmodes pixel forest"
_VERSION = 1
_HEADER = "header"
_MAX_BYTES = 512 * 2**20


@dataclass(frozen=True)
class Training:
    """What a model was trained on, and how well it finds what it has not seen.

    Parameters
    ----------
    recordings : tuple of str
        Names of the recordings.
    n_cells, n_sound : int
        Cells of the spectrograms that were painted or not, and those that were painted.
    seed : int
        Of the forest.
    auc : float
        Area under the curve of true against false positive rate: probability of a cell from the
        trees that have not seen its recording, against the paint.
    f1 : float
        Balance of precision and recall of the cells above the threshold, likewise.
    """

    recordings: tuple[str, ...]
    n_cells: int
    n_sound: int
    seed: int
    auc: float
    f1: float


@dataclass(frozen=True, eq=False)
class ForestModel:
    """A trained pixel forest.

    Parameters
    ----------
    parameters : SegmentationParameters
        Those of the spectrograms it was trained on; ``method`` is "forest".
    threshold : float
        Cells at least this probable are sound.
    trees : Trees
        The forest.
    training : Training
        What it was trained on.

    Raises
    ------
    ParameterError
        If `threshold` is not between 0 and 1 or the trees need other features.
    """

    parameters: SegmentationParameters
    threshold: float
    trees: Trees
    training: Training

    def __post_init__(self) -> None:
        """Check what the parts do not check themselves."""
        if self.parameters.method != METHOD:
            raise ParameterError(f"method must be {METHOD!r}, got {self.parameters.method!r}")
        if not 0.0 < self.threshold < 1.0:
            raise ParameterError(f"threshold must be between 0 and 1, got {self.threshold!r}")
        if self.trees.n_features > len(FEATURE_NAMES):
            raise ParameterError("the trees look at features that there are not")

    @functools.cached_property
    def forest(self) -> Forest:
        """The trees, ready to be asked."""
        return Forest(self.trees, len(FEATURE_NAMES))

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of all that decides what the model finds, in hexadecimal."""
        summary = hashlib.sha256(_header(self).encode())
        for name, values in self.trees.to_arrays().items():
            summary.update(f"{name} {values.dtype.str} {values.size}\n".encode())
            summary.update(np.ascontiguousarray(values).tobytes())
        return summary.hexdigest()

    def parameters_with(self, changes: Mapping[str, Any]) -> SegmentationParameters:
        """Parameters to segment with: the model's own, with some settings changed.

        Parameters
        ----------
        changes : mapping
            Settings that the user gave.

        Raises
        ------
        ParameterError
            If a setting is unknown or not valid, or contradicts the model.
        """
        known = {field.name for field in fields(SegmentationParameters)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise ParameterError(f"unknown segmentation settings: {', '.join(unknown)}")
        changed = replace(self.parameters, **changes)
        self.check(changed)
        return changed

    def check(self, parameters: SegmentationParameters) -> None:
        """Make sure that the model can be used with `parameters`.

        Raises
        ------
        ParameterError
            If the method is another or the spectrogram would not be what the model was trained on.
        """
        if parameters.method != METHOD:
            raise ParameterError(
                f"a model was given, but the segmenter is {parameters.method!r}: "
                f"choose --segmenter {METHOD}, or leave out the model"
            )
        for name in SPECTROGRAM_SETTINGS:
            own, other = getattr(self.parameters, name), getattr(parameters, name)
            if own != other:
                raise ParameterError(
                    f"{name} = {other!r} does not fit the model, which was trained with {own!r}: "
                    "leave the setting out, or train a model with it"
                )


def forest_parameters(parameters: SegmentationParameters) -> SegmentationParameters:
    """Parameters of a forest that is trained on the spectrograms of `parameters`."""
    kept = {name: getattr(parameters, name) for name in _KEPT_SETTINGS}
    return SegmentationParameters(method=METHOD, range_db=NO_TRIM_DB, **kept)


def save_model(model: ForestModel, path: AnyPath) -> None:
    """Write a model to a file; the same model gives the same bytes.

    Parameters
    ----------
    model : ForestModel
        What to write.
    path : str or path-like
        The file, NumPy's zipped arrays (``.npz``) with a header in JSON. Its folder must exist.
    """
    header = np.frombuffer(_header(model).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {_HEADER: header, **model.trees.to_arrays()}
    with atomic_path(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load_model(path: AnyPath) -> ForestModel:
    """Read a model; everything in it is checked.

    Parameters
    ----------
    path : str or path-like
        A file that `save_model` wrote.

    Raises
    ------
    ModelError
        If the file cannot be read, is damaged, is something else, or was written by a version
        with other features.
    """
    path = Path(path)
    arrays = _read_arrays(path)
    try:
        header = json.loads(arrays.pop(_HEADER).tobytes())
    except (KeyError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: {_NOT_A_MODEL}") from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ModelError(f"{path}: {_NOT_A_MODEL}")
    if header.get("version") != _VERSION or header.get("features") != list(FEATURE_NAMES):
        raise ModelError(
            f"{path}: this model was trained by another version of birdmodes, whose forest looks "
            "at other features; train it again with 'birdmodes train-segmenter'"
        )
    try:
        return ForestModel(
            parameters=_parameters(header["parameters"]),
            threshold=_number(header["threshold"]),
            trees=Trees.from_arrays(arrays),
            training=_training(header["training"]),
        )
    except (KeyError, TypeError, ValueError, BirdmodesError) as error:
        raise ModelError(
            f"{path}: the model is damaged ({error}); copy or train it anew"
        ) from error


_NOT_A_MODEL = "not a model of birdmodes; give the file that 'birdmodes train-segmenter' wrote"


def _header(model: ForestModel) -> str:
    """Everything but the trees, in JSON."""
    kept = {name: getattr(model.parameters, name) for name in _KEPT_SETTINGS}
    training = model.training
    values = {
        "format": _FORMAT,
        "version": _VERSION,
        "features": FEATURE_NAMES,
        "parameters": kept,
        "threshold": model.threshold,
        "training": {field.name: getattr(training, field.name) for field in fields(training)},
    }
    return json.dumps(values, indent=1, allow_nan=False)


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
                raise ModelError(f"{path}: {_NOT_A_MODEL}")
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
        *(ValueError, KeyError, SyntaxError, MemoryError, OverflowError, AttributeError),
    ) as error:
        raise ModelError(f"{path}: {_NOT_A_MODEL}") from error


def _parameters(kept: Any) -> SegmentationParameters:
    if not isinstance(kept, dict) or sorted(kept) != sorted(_KEPT_SETTINGS):
        raise ParameterError(f"its parameters must be {', '.join(_KEPT_SETTINGS)}")
    return forest_parameters(replace(SegmentationParameters(), **kept))


def _training(values: Any) -> Training:
    if not isinstance(values, dict) or sorted(values) != sorted(f.name for f in fields(Training)):
        raise ParameterError("it does not say what it was trained on")
    recordings = values["recordings"]
    if not isinstance(recordings, list) or not all(isinstance(name, str) for name in recordings):
        raise ParameterError("the names of its recordings are no list of texts")
    return Training(
        recordings=tuple(recordings),
        n_cells=int(_number(values["n_cells"])),
        n_sound=int(_number(values["n_sound"])),
        seed=int(_number(values["seed"])),
        auc=_number(values["auc"]),
        f1=_number(values["f1"]),
    )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ParameterError(f"{value!r} is not a number")
    return float(value)
