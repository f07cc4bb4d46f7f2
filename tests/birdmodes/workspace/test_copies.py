"""Copies of a recording are known by their sound, and count once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import soundfile

from algorithms import Bags
from birdmodes.annotate.evaluate import evaluate_workspace
from birdmodes.annotate.material import read_material
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
        copy = folder / "more" / (f"x{number}.flac" if number % 2 else f"x{number}.wav")
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
