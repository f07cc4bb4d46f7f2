"""Recordings made on the spot, and a workspace of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

RATE_HZ = 22050


@pytest.fixture
def no_room() -> Callable[[], contextlib.AbstractContextManager[None]]:
    """Context in which files cannot grow beyond a thousand bytes, as on a disk that fills up."""
    resource = pytest.importorskip("resource", reason="needs limits as POSIX systems have them")

    @contextlib.contextmanager
    def limited() -> Iterator[None]:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    return limited


WriteRecording = Callable[..., Path]


def whistles(
    seconds: float, pitches_hz: list[float], rate_hz: int = RATE_HZ, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Faint noise with a 0.2 s whistle every half second, at the given pitches in turn."""
    rng = np.random.default_rng(seed)
    samples = 0.001 * rng.standard_normal(round(seconds * rate_hz))
    length = round(0.2 * rate_hz)
    envelope = np.hanning(length)
    for number, start in enumerate(np.arange(0.3, seconds - 0.3, 0.5)):
        pitch = pitches_hz[number % len(pitches_hz)]
        tone = 0.2 * envelope * np.sin(2 * np.pi * pitch * np.arange(length) / rate_hz)
        first = round(start * rate_hz)
        samples[first : first + length] += tone
    return samples


@pytest.fixture
def write_recording(tmp_path: Path) -> WriteRecording:
    """Write a recording of whistles below tmp_path/recordings."""

    def write(
        name: str, pitches_hz: list[float], seconds: float = 3.0, seed: int = 0, **options: str
    ) -> Path:
        path = tmp_path / "recordings" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, whistles(seconds, pitches_hz, seed=seed), RATE_HZ, **options)
        return path

    return write
