"""Make the synthetic recordings of this folder, with their labels and their truth.

    python make_sample_data.py [FOLDER] [--seed 2012]

writes ``recordings/*.flac``, ``recordings/labels.csv`` and ``truth.csv`` into FOLDER (this script's
own folder unless told). Every recording draws from its own random stream, seeded by the seed and
its place in `PLANS`, so the same seed gives the same samples and one recording can be made alone.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray
from scipy import signal
from sounds import (
    CLIP_S,
    Samples,
    Sound,
    background,
    drum_roll,
    extents,
    rasp,
    through_the_air,
    tone,
)

SEED = 2012
EDGE_S = 0.15  # nothing starts or ends nearer to the recording's ends
NEAR_DB, FAR_DB = 32.0, 9.0  # signal-to-noise ratio in the syllable's own band, by distance
FAINTEST_DB = 8.0
ROOM_S, ROOM_HZ = 0.07, 250.0  # free space kept around a syllable when there is room for it


@dataclass(frozen=True)
class Mode:
    """One vocal mode: its sound, and how many of it follow each other at what gap."""

    name: str
    sound: Sound
    series: tuple[int, int] = (1, 1)
    gap_s: float = 0.2


_NASAL = [0.0, 0.1, 0.3, 0.5, 0.8, 1.0, 1.0, 0.9, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1]
_KEK = [0.2, 0.7, 1.0, 0.9, 0.8, 0.6, 0.4, 0.25, 0.15]

SPECIES: dict[str, tuple[str, tuple[Mode, ...]]] = {
    "R": (
        "Amber Reedpiper",
        (
            Mode("falling whistle", tone((3150, 3000, 2450), 0.36), (1, 3), 0.30),
            Mode("rising chirp", tone((2200, 2900, 4300), 0.14), (2, 4), 0.17),
        ),
    ),
    "T": (
        "Silver Trillwing",
        (
            Mode("trill note", tone((5700, 4900, 4300), 0.06), (5, 9), 0.12),
            Mode("thin call", tone((6650, 6750, 6600), 0.30, vibrato=(9, 0.006)), (1, 3), 0.32),
        ),
    ),
    "B": (
        "Ashen Barktapper",
        (
            Mode("drum roll", drum_roll((820, 1350, 2100), 0.65, 0.032)),
            Mode("kek", tone((390, 430, 360), 0.09, harmonics=_KEK, attack=0.1), (3, 6), 0.15),
        ),
    ),
    "J": (
        "Dusky Mirejay",
        (
            Mode("nasal call", tone((285, 315, 270), 0.30, harmonics=_NASAL), (1, 3), 0.25),
            Mode("slow rasp", rasp((2600, 5000), 0.50, 27.0), (1, 2), 0.35),
            Mode("mellow arch", tone((1380, 1850, 1420), 0.40), (1, 2), 0.30),
        ),
    ),
    "F": (
        "Glass Fenwarbler",
        (
            Mode("falling chirp", tone((6300, 4300, 3100), 0.13), (3, 5), 0.16),
            Mode("warble", tone((3700, 3800, 3600), 0.55, vibrato=(13, 0.13)), (1, 2), 0.30),
            Mode("fast buzz", rasp((4900, 6700), 0.38, 110.0), (1, 3), 0.25),
        ),
    ),
    "D": (
        "Hazel Duskwren",
        (
            Mode("arch", tone((2500, 3700, 2600), 0.20), (2, 4), 0.20),
            Mode("reel", tone((4100, 4150, 4100), 0.95, flutter=(29, 0.9), attack=0.3)),
            Mode("low hoot", tone((700, 760, 720), 0.28, harmonics=(1.0, 0.03)), (2, 3), 0.30),
        ),
    ),
}


@dataclass(frozen=True)
class Plan:
    """What one recording holds: species (letters of `SPECIES`), disturbances, rate in Hz."""

    name: str
    species: str
    disturbances: tuple[str, ...] = ()
    rate: int = 22050
    labelled: bool = True


PLANS = (
    Plan("MARSH_20240512_043000", "R", ("wind",)),
    Plan("MARSH_20240512_044000", "RT"),
    Plan("MARSH_20240512_045000", "RJ", ("hum",)),
    Plan("MARSH_20240512_050000", "RTF"),
    Plan("MARSH_20240512_051000", "TF", ("wind",)),
    Plan("MARSH_20240512_052000", "F"),
    Plan("MARSH_20240512_053000", "RFJD"),
    Plan("MARSH_20240512_054000", "", ("wind", "rain")),
    Plan("MARSH_20240512_055000", "RTJ", ("rain",)),
    Plan("MARSH_20240512_060000", "RD", ("wind",), labelled=False),
    Plan("OAKS_20240513_050000", "B"),
    Plan("OAKS_20240513_051000", "BD", ("wind",)),
    Plan("OAKS_20240513_052000", "BTD"),
    Plan("OAKS_20240513_053000", "TD", ("hum",)),
    Plan("OAKS_20240513_054000", "T", ("rain",)),
    Plan("OAKS_20240513_055000", "BJ"),
    Plan("OAKS_20240513_060000", "BJD", ("wind",)),
    Plan("OAKS_20240513_061000", "RBTD"),
    Plan("OAKS_20240513_062000", "BF"),
    Plan("OAKS_20240513_063000", "BTF", (), labelled=False),
    Plan("RIDGE_20240514_051500", "J", ("wind",), 16000),
    Plan("RIDGE_20240514_052500", "JD", (), 16000),
    Plan("RIDGE_20240514_053500", "FD", ("hum",), 16000),
    Plan("RIDGE_20240514_054500", "FJ", (), 16000),
    Plan("RIDGE_20240514_055500", "RB", (), 16000),
    Plan("RIDGE_20240514_060500", "", ("hum",), 16000),
    Plan("RIDGE_20240514_061500", "D"),
    Plan("RIDGE_20240514_062500", "RF", ("rain",)),
    Plan("RIDGE_20240514_063500", "TJF", ("wind",)),
    Plan("RIDGE_20240514_064500", "BFRJ", ("wind", "hum")),
)


@dataclass(frozen=True)
class TruthRow:
    """One syllable of the truth, in seconds from the recording's start and Hz."""

    start_s: float
    end_s: float
    low_hz: float
    high_hz: float
    species: str
    mode: str

    def later(self, delay_s: float) -> TruthRow:
        """Return the same syllable, sung later."""
        return replace(self, start_s=self.start_s + delay_s, end_s=self.end_s + delay_s)

    def is_near(self, other: TruthRow) -> bool:
        """Whether too little room lies between the two to tell them apart."""
        in_time = self.start_s < other.end_s + ROOM_S and other.start_s < self.end_s + ROOM_S
        in_band = self.low_hz < other.high_hz + ROOM_HZ and other.low_hz < self.high_hz + ROOM_HZ
        return in_time and in_band


@dataclass(frozen=True)
class Recording:
    """Samples of one made recording and what sings in it."""

    name: str
    rate: int
    samples: NDArray[np.int16]
    truth: list[TruthRow]


@dataclass
class Scene:
    """A recording in the making."""

    rate: int
    sound: Samples
    noise_hz: Samples = field(init=False)
    noise_power: Samples = field(init=False)  # per Hz
    truth: list[TruthRow] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.noise_hz, self.noise_power = signal.welch(
            self.sound, self.rate, nperseg=512, noverlap=0, average="median"
        )

    def noise_in_band(self, low_hz: float, high_hz: float) -> float:
        """Return the background's power between two frequencies."""
        inside = (self.noise_hz >= low_hz) & (self.noise_hz <= high_hz)
        return float(self.noise_power[inside].mean()) * (high_hz - low_hz)


@dataclass(frozen=True)
class Singer:
    """One bird: how far away, and how its voice differs from its species'."""

    distance: float  # 0 near ... 1 far
    pitch: float


def sing(rng: np.random.Generator, scene: Scene, species: str, mode: Mode, singer: Singer) -> None:
    """Put one phrase, a series of syllables of one mode, where the scene has room for it."""
    count = int(rng.integers(mode.series[0], mode.series[1] + 1))
    gap = mode.gap_s * math.exp(rng.normal(0.0, 0.08))
    loudness = NEAR_DB + (FAR_DB - NEAR_DB) * singer.distance + rng.normal(0.0, 2.0)
    phrase = np.zeros(len(scene.sound))
    rows: list[TruthRow] = []
    begin = 0
    for _ in range(count):
        dry = mode.sound(rng, singer.pitch * math.exp(rng.normal(0.0, 0.012)), scene.rate)
        wet = through_the_air(rng, dry, scene.rate, singer.distance)
        start, end, low, high = extents(wet, scene.rate)
        ratio = 10 ** (max(loudness + rng.normal(0.0, 1.5), FAINTEST_DB) / 10)
        power = np.mean(wet[int(start * scene.rate) : int(end * scene.rate)] ** 2)
        wet *= math.sqrt(scene.noise_in_band(low, high) * ratio / power)
        phrase[begin : begin + len(wet)] += wet
        at = begin / scene.rate
        rows.append(TruthRow(at + start, at + end, low, high, species, mode.name))
        begin += int((end + gap * rng.uniform(0.9, 1.1)) * scene.rate)
    delay = _free_moment(rng, scene, rows)
    if delay is not None:
        shift = round(delay * scene.rate)
        scene.sound[shift:] += phrase[: len(phrase) - shift]
        scene.truth.extend(row.later(shift / scene.rate) for row in rows)


def _free_moment(rng: np.random.Generator, scene: Scene, rows: list[TruthRow]) -> float | None:
    """Find a delay (s) at which a phrase meets no other in time and band; None if there is none.

    Now and then a bird sings into another all the same, and a species that has not sung yet always
    gets a place, as the labels promise it.
    """
    sung = any(old.species == rows[0].species for old in scene.truth)
    careless = rng.random() < 0.05
    for _ in range(80):
        delay = rng.uniform(EDGE_S, CLIP_S - EDGE_S - rows[-1].end_s)
        moved = [row.later(delay) for row in rows]
        if careless or not any(new.is_near(old) for new in moved for old in scene.truth):
            return delay
    return None if sung else delay


def make_recording(plan: Plan, seed: int = SEED) -> Recording:
    """Make one recording of `PLANS`; the same seed gives the same samples."""
    rng = np.random.default_rng([seed, PLANS.index(plan)])
    scene = Scene(plan.rate, background(rng, plan.rate, plan.disturbances))
    singers = {
        letter: Singer(distance=rng.uniform(), pitch=math.exp(rng.normal(0.0, 0.03)))
        for letter in plan.species
    }
    rounds = 6 if len(plan.species) == 1 else 4 if len(plan.species) < 4 else 3
    for turn in range(rounds):
        for letter, singer in singers.items():
            name, modes = SPECIES[letter]
            mode = modes[(turn + PLANS.index(plan)) % len(modes)]
            sing(rng, scene, name, mode, singer)
    samples = np.clip(np.round(scene.sound), -32768, 32767).astype(np.int16)
    return Recording(plan.name, plan.rate, samples, sorted(scene.truth, key=_order))


def _order(row: TruthRow) -> tuple[float, float]:
    return row.start_s, row.low_hz


def labels_rows(plans: Sequence[Plan]) -> list[list[str]]:
    """Return recording and species of the labelled ones; no species is an empty cell."""
    return [
        [f"{plan.name}.flac", ";".join(sorted(SPECIES[letter][0] for letter in plan.species))]
        for plan in plans
        if plan.labelled
    ]


def truth_rows(recording: Recording) -> list[list[str]]:
    """Return a row per syllable, times to the millisecond, frequencies to the hertz."""
    return [
        [
            f"{recording.name}.flac",
            f"{row.start_s:.3f}",
            f"{row.end_s:.3f}",
            f"{row.low_hz:.0f}",
            f"{row.high_hz:.0f}",
            row.species,
            row.mode,
        ]
        for row in recording.truth
    ]


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table with the same bytes on every system."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def make_all(folder: Path, seed: int = SEED) -> None:
    """Write the recordings, their labels and their truth into a folder."""
    recordings = folder / "recordings"
    recordings.mkdir(parents=True, exist_ok=True)
    truth: list[list[str]] = []
    for plan in PLANS:
        recording = make_recording(plan, seed)
        path = recordings / f"{recording.name}.flac"
        soundfile.write(path, recording.samples, recording.rate, subtype="PCM_16")
        truth += truth_rows(recording)
    write_csv(recordings / "labels.csv", ["recording", "species"], labels_rows(PLANS))
    header = ["recording", "start_s", "end_s", "low_hz", "high_hz", "species", "mode"]
    write_csv(folder / "truth.csv", header, truth)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and make everything."""
    parser = argparse.ArgumentParser(description="Make the synthetic recordings of sample_data.")
    here = Path(__file__).resolve().parent
    parser.add_argument("folder", nargs="?", type=Path, default=here, help="where to write")
    parser.add_argument("--seed", type=int, default=SEED, help="another seed, other recordings")
    options = parser.parse_args(arguments)
    make_all(options.folder, options.seed)


if __name__ == "__main__":
    main()
