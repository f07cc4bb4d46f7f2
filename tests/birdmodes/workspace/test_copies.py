"""Copies of a recording are known by their sound, and count once."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile
import soxr

from algorithms import Bags
from birdmodes.annotate.evaluate import evaluate_workspace
from birdmodes.annotate.material import read_material
from birdmodes.audio.alike import sounding_alike
from birdmodes.audio.prints import N_FRAMES, Sketch
from birdmodes.audio.read import ClipReader
from birdmodes.workspace.copies import (
    copies_in_words,
    originals,
    sound_of_bags,
    with_copies_as_one,
)
from birdmodes.workspace.store import Workspace

RATE = 22050


def fingerprint(path: Path) -> str:
    reader = ClipReader(path, RATE, 1.0)
    for _ in reader:
        pass
    return reader.facts.fingerprint


def sketch(path: Path) -> bytes:
    reader = ClipReader(path, RATE, 1.0)
    for _ in reader:
        pass
    return reader.facts.sketch


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-9000, 9000, 2 * RATE).astype(np.int16)


def table(*rows: tuple[str, str | None, str | None]) -> pd.DataFrame:
    """Recordings with fingerprints and species."""
    return pd.DataFrame(
        [
            {
                "recording": name,
                "fingerprint": sound,
                "bag_unit": "recording",
                "n_clips": 1,
                "labelled": species is not None,
                "species": species or "",
                "clip_species": None,
            }
            for name, sound, species in rows
        ]
    )


def test_the_same_sound_in_another_format_has_the_same_fingerprint(tmp_path: Path) -> None:
    sound = noise(0)
    whole = sound / 32768
    padded = np.concatenate([sound[:RATE], np.zeros(256 * 40, np.int16), sound[RATE:]])
    for name, samples, subtype in [
        ("a.wav", sound, "PCM_16"),
        ("b.flac", sound, "PCM_16"),
        ("c.wav", whole, "PCM_24"),
        ("d.wav", whole, "FLOAT"),
        ("stereo.aiff", np.column_stack([sound, sound]), "PCM_16"),
        ("expanded.wav", padded, "PCM_16"),
    ]:
        soundfile.write(tmp_path / name, samples, RATE, subtype=subtype)
    assert len({fingerprint(path) for path in tmp_path.iterdir()}) == 1


def test_lossy_copies_sound_the_same_and_other_noise_of_the_same_place_does_not(
    tmp_path: Path,
) -> None:
    """The same three notes in all, and noise of the same colour: one night, one place."""
    time = np.arange(3 * RATE) / RATE
    notes = sum(
        0.2 * np.sin(2 * np.pi * hz * time) * (np.abs(time - at) < 0.1)
        for at, hz in [(0.5, 2000), (1.5, 3000), (2.2, 4000)]
    )
    for number in range(4):
        hiss = 0.05 * np.random.default_rng(number).normal(size=time.size)
        soundfile.write(
            tmp_path / f"{number}.wav", np.convolve(hiss, [1, 0.9], "same") + notes, RATE
        )
    sound, _ = soundfile.read(tmp_path / "0.wav", dtype="float32")
    late = np.concatenate([np.zeros(1105, np.float32), sound])
    soundfile.write(tmp_path / "a.mp3", late, RATE)
    soundfile.write(tmp_path / "b.ogg", 0.3 * sound, RATE)
    soundfile.write(tmp_path / "c.wav", soxr.resample(sound, RATE, 16000), 16000)
    soundfile.write(tmp_path / "d.wav", sound, RATE, subtype="PCM_U8")
    soundfile.write(tmp_path / "e.wav", 0.1 * sound[500:], RATE)
    paths = sorted(tmp_path.iterdir())
    assert len({fingerprint(path) for path in paths}) == 9
    pairs = sounding_alike([sketch(path) for path in paths], np.full(9, 3.0))
    same = [0, 4, 5, 6, 7, 8]
    assert pairs == [(one, other) for one in same for other in same if one < other]
    # what is longer has something else at its end
    assert sounding_alike([sketch(paths[0]), sketch(paths[0])], np.array([3.0, 9.0])) == []


@pytest.mark.parametrize("at_a_time", [5, 1 << 15])
def test_many_copies_of_many_recordings_are_all_found(
    monkeypatch: pytest.MonkeyPatch, at_a_time: int
) -> None:
    monkeypatch.setattr("birdmodes.audio.alike._AT_A_TIME", at_a_time)
    rng = np.random.default_rng(0)
    sounds = [rng.integers(1, 256, (N_FRAMES, 3), dtype=np.uint8) for _ in range(4)]
    of = rng.integers(0, len(sounds), 24)
    sketches = []
    for sound in of:
        copy = sounds[sound].copy()
        lost = rng.choice(N_FRAMES, 10, replace=False)
        copy[lost] ^= rng.integers(0, 256, (10, 3), dtype=np.uint8)
        sketches.append(copy.tobytes())
    same = [(i, j) for i, j in itertools.combinations(range(24), 2) if of[i] == of[j]]
    assert sounding_alike(sketches, np.full(24, 4.0)) == same


def test_silence_makes_no_two_recordings_alike(tmp_path: Path) -> None:
    names = []
    for seed, gap in [(0, 1), (1, 1), (0, 0)]:
        sound = noise(seed)
        sound[RATE // 4 :] = sound[RATE // 4 :] * (1 - gap)
        names.append(tmp_path / f"{seed}{gap}.wav")
        soundfile.write(names[-1], np.tile(sound, 2), RATE)
    silent = tmp_path / "silent.wav"
    soundfile.write(silent, np.zeros(3 * RATE, np.int16), RATE)
    sketches = [sketch(path) for path in [*names, silent, silent]]
    assert sketches[-1] == b""
    assert sounding_alike(sketches, np.full(5, 4.0)) == []


def test_no_two_real_recordings_are_copies_but_the_same_soundscape_in_three_formats(
    shared: Path,
) -> None:
    real = shared / "recordings"
    paths = [*sorted((real / "nips4b" / "wav").glob("*.wav"))[::3]]
    for folder in ("noise-esc50", "maad-sm4", "koumura-bengalese"):
        paths += sorted((real / folder).rglob("*.wav"))
    paths += sorted((shared / "cases" / "F06-copies").rglob("*.wav"))
    known = sorted((real / "birdnet-soundscape").glob("soundscape.*"))
    durations = [soundfile.info(path).duration for path in [*paths, *known]]
    sketches = [_sketch_of_beginning(path) for path in [*paths, *known]]
    n = len(paths)
    pairs = sounding_alike(sketches, np.array(durations))
    assert len(known) == 3
    assert pairs == [(n, n + 1), (n, n + 2), (n + 1, n + 2)]


def _sketch_of_beginning(path: Path) -> bytes:
    samples, rate = soundfile.read(path, stop=6 * soundfile.info(path).samplerate, always_2d=True)
    made = Sketch(RATE)
    made.add(soxr.resample(samples.mean(axis=1).astype(np.float32), rate, RATE))
    return made.packed()


def test_other_sound_has_another_fingerprint_and_silence_none(tmp_path: Path) -> None:
    for name, samples in [("a", noise(0)), ("b", noise(1)), ("cut", noise(0)[:-100])]:
        soundfile.write(tmp_path / f"{name}.wav", samples, RATE)
    assert len({fingerprint(path) for path in tmp_path.iterdir()}) == 3
    soundfile.write(tmp_path / "silent.wav", np.zeros(RATE, np.int16), RATE)
    assert fingerprint(tmp_path / "silent.wav") == ""


def test_copies_are_of_the_first_and_unknown_sound_is_nobodys_copy() -> None:
    recordings = table(("a", "x", "Wren"), ("b", None, "Wren"), ("c", "x", None), ("d", None, None))
    assert originals(recordings) == {"a": "a", "b": "b", "c": "a", "d": "d"}
    assert originals(recordings.drop(columns="fingerprint")) == {name: name for name in "abcd"}
    assert sound_of_bags(recordings).tolist() == [0, 1, 0, 2]
    assert copies_in_words(recordings).startswith("1 recording is a copy of another, c of a")
    assert copies_in_words(recordings[:2]) == ""


def test_copies_by_samples_and_by_ear_are_one_sound() -> None:
    rng = np.random.default_rng(0)
    sound, other = rng.bytes(384), rng.bytes(384)
    recordings = table(("a", "x", "Wren"), ("b", "y", None), ("c", "y", None), ("d", "z", None))
    recordings = recordings.assign(sketch=[sound, None, sound, other], duration_s=5.0)
    assert originals(recordings) == {"a": "a", "b": "a", "c": "a", "d": "d"}


def test_syllables_of_copies_go_to_one_bag_with_the_species_of_all() -> None:
    recordings = table(("a", "x", "Wren"), ("b", "y", "Robin"), ("c", "x", "Robin"))
    labels = [["Wren"], ["Robin"], ["Robin"]]
    bags = Bags([[0.0], [1.0], [2.0]], [0, 1, 2], labels)
    one = with_copies_as_one(bags, recordings)
    assert one.bag.tolist() == [0, 1, 0]
    assert one.labels.tolist() == [[True, True], [True, False], [False, False]]
    assert one.labelled.tolist() == [True, True, False]
    assert with_copies_as_one(bags, recordings.assign(fingerprint=None)) is bags


def test_copies_are_told_and_evaluation_stays_at_chance(
    shared: Path, tmp_path: Path, call: Callable[..., tuple[int, str]]
) -> None:
    once = shared / "cases" / "F06-copies" / "once"
    folder = tmp_path / "birds"
    shutil.copytree(once, folder)
    labels = pd.read_csv(once / "labels.csv")
    more = [labels]
    for number, (recording, species) in enumerate(labels.itertuples(index=False)):
        samples, rate = soundfile.read(once / recording, dtype="int16")
        copy = folder / "more" / f"x{number}.{('wav', 'flac', 'mp3', 'ogg')[number % 4]}"
        copy.parent.mkdir(exist_ok=True)
        soundfile.write(copy, samples, rate)
        row = {"recording": f"more/{copy.name}", "species": species}
        more.append(pd.DataFrame([row]))
    (folder / "labels.csv").chmod(0o644)
    pd.concat(more).to_csv(tmp_path / "labels.csv", index=False)
    (folder / "labels.csv").unlink()
    code, said = call(
        "segment", folder, "--labels", tmp_path / "labels.csv",
        "--workspace", tmp_path / "w", "--workers", 1,
    )  # fmt: skip
    assert code == 0
    assert "16 recordings are copies of another" in " ".join(said.split())
    workspace = Workspace.open(tmp_path / "w")
    material = read_material(workspace, "ldc")
    assert len(np.unique(material.group)) == 16
    result = evaluate_workspace(workspace, "ldc")
    assert result.parameters["recordings"] == 16
    assert result.metrics["macro_f1"] < 0.7
    assert "hardly better than chance" in result.summary


def test_recordings_under_the_same_noise_are_no_copies() -> None:
    """Rain that is played under several birds, half as loud again as these."""
    rng = np.random.default_rng(0)
    rain = rng.normal(0, 0.15, 5 * RATE)
    sketches = []
    for _ in range(8):
        made = Sketch(RATE)
        made.add((rng.normal(0, 0.1, len(rain)) + rain).astype(np.float32))
        sketches.append(made.packed())
    assert sounding_alike(sketches, np.full(8, 5.0)) == []
