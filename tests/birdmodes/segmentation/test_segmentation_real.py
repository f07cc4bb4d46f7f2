"""What the default segmenter finds in real recordings with known truth.

The bounds are the least that is acceptable; `pytest -s` shows the figures.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from PIL import Image
from sklearn.metrics import roc_auc_score

from birdmodes.segmentation import SEGMENTERS, Segment, energy_map, segment_clip
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram, spectrogram, whiten

DEFAULT = SegmentationParameters()
BRIGGS = SegmentationParameters.preset("briggs2012")

# The grid of the painted masks: 256 bins of 31.25 Hz, 936 frames of 512 samples with hop 256 at
# 16 kHz.
MASK_BINS_HZ = np.arange(256) * 31.25
MASK_FRAMES_S = (np.arange(936) * 256 + 256) / 16_000


@dataclass(frozen=True)
class Box:
    """A row of boxes.csv."""

    start_s: float
    end_s: float
    low_hz: float
    high_hz: float
    label: str

    def touched_by(self, start_s: float, segment: Segment) -> bool:
        """Whether a segment of the clip that begins at `start_s` overlaps in time and frequency."""
        return (
            start_s + segment.start_s < self.end_s
            and start_s + segment.end_s > self.start_s
            and segment.low_hz < self.high_hz
            and segment.high_hz > self.low_hz
        )


Found = list[tuple[float, Segment]]


@pytest.fixture(scope="module")
def recordings(shared: Path) -> Path:
    return shared / "recordings"


@functools.cache
def boxes_of(recordings: Path, name: str) -> dict[str, list[Box]]:
    boxes: dict[str, list[Box]] = {}
    with (recordings / "boxes.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["set"] == name:
                box = Box(
                    float(row["start_s"]),
                    float(row["end_s"]),
                    float(row["low_hz"] or 0),
                    float(row["high_hz"] or np.inf),
                    row["label"],
                )
                boxes.setdefault(row["recording"], []).append(box)
    return boxes


def clips_of(path: Path, parameters: SegmentationParameters) -> Iterator[tuple[float, np.ndarray]]:
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    mono = soxr.resample(samples.mean(axis=1), rate, parameters.sample_rate_hz, quality="HQ")
    for first in range(0, mono.size, parameters.n_clip):
        yield first / parameters.sample_rate_hz, mono[first : first + parameters.n_clip]


def syllables_of(path: Path, parameters: SegmentationParameters) -> Found:
    return [
        (start_s, segment)
        for start_s, samples in clips_of(path, parameters)
        for segment in segment_clip(samples, parameters)
    ]


def on_mask_grid(image: np.ndarray, spec: Spectrogram, start_s: float) -> np.ndarray:
    """Nearest values of one clip on the grid of the masks; NaN outside the clip."""
    first_s = start_s + spec.first_s
    frame = np.rint((MASK_FRAMES_S - first_s) / spec.frame_s).astype(int)
    row = np.clip(np.rint(MASK_BINS_HZ / spec.bin_hz).astype(int), 0, spec.n_bins - 1)
    inside = (frame >= 0) & (frame < spec.n_frames)
    out = np.full((MASK_BINS_HZ.size, MASK_FRAMES_S.size), np.nan)
    out[:, inside] = image[np.ix_(row, frame[inside])]
    return out


@pytest.mark.parametrize("preset", ["default", "briggs2012"])
def test_painted_masks_of_hja_are_found(recordings: Path, preset: str) -> None:
    parameters = SegmentationParameters.preset(preset)
    segmenter = SEGMENTERS["energy"](parameters)
    painted, energy, sound, n_syllables = [], [], [], 0
    for bitmap in sorted((recordings / "hja-masks" / "masks").glob("*.bmp")):
        painted.append(np.asarray(Image.open(bitmap).convert("L")) > 127)
        parts = []
        for start_s, samples in clips_of(
            recordings / "hja-masks" / "wav" / f"{bitmap.stem}.wav", parameters
        ):
            whitened = whiten(spectrogram(samples, parameters), parameters)
            labels = segmenter.segment(whitened)
            n_syllables += int(labels.max())
            parts.append(
                [
                    on_mask_grid(image, whitened, start_s)
                    for image in (energy_map(whitened, parameters), labels > 0)
                ]
            )
        both = np.fmax.reduce(np.array(parts))
        energy.append(np.nan_to_num(both[0], nan=-100, neginf=-100))
        sound.append(np.nan_to_num(both[1]) > 0)
    truth, found = np.array(painted), np.array(sound)
    auc = roc_auc_score(truth.ravel(), np.array(energy).ravel())
    precision = (truth & found).sum() / found.sum()
    recall = (truth & found).sum() / truth.sum()
    f1 = 2 * precision * recall / (precision + recall)
    print(
        f"\nhja-masks, {preset}: pixel AUC {auc:.3f}, precision {precision:.3f}, "
        f"recall {recall:.3f}, F1 {f1:.3f}, {n_syllables} syllables for 92 painted components"
    )
    assert len(painted) == 9
    assert auc >= 0.96
    assert f1 >= 0.70


def test_masks_read_upside_down_do_not_fit(recordings: Path) -> None:
    # Guards the orientation: row 0 of a spectrogram is 0 Hz, as in the bitmaps.
    bitmap = min((recordings / "hja-masks" / "masks").glob("*.bmp"))
    truth = np.asarray(Image.open(bitmap).convert("L")) > 127
    wav = recordings / "hja-masks" / "wav" / f"{bitmap.stem}.wav"
    start_s, samples = next(clips_of(wav, BRIGGS))
    whitened = whiten(spectrogram(samples, BRIGGS), BRIGGS)
    energy = on_mask_grid(energy_map(whitened, BRIGGS), whitened, start_s)
    inside = ~np.isnan(energy[0])
    energy = np.nan_to_num(energy, neginf=-100)
    upright, flipped = (
        roc_auc_score(mask[:, inside].ravel(), energy[:, inside].ravel())
        for mask in (truth, truth[::-1])
    )
    assert upright > 0.95
    assert flipped < 0.7


def test_tagged_birds_of_nips4b_are_found(recordings: Path) -> None:
    folder = recordings / "nips4b"
    with (folder / "labels" / "nips4b_birdchallenge_espece_list.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        birds = {row["class name"] for row in csv.DictReader(file) if row["type"] == "bird"}
    hit, n_syllables, n_free, seconds = [], 0, 0, 0.0
    for name, boxes in boxes_of(recordings, "nips4b").items():
        found = syllables_of(folder / name, DEFAULT)
        seconds += soundfile.info(folder / name).duration
        hit += [
            any(box.touched_by(*syllable) for syllable in found)
            for box in boxes
            if box.label in birds
        ]
        n_syllables += len(found)
        n_free += sum(not any(box.touched_by(*syllable) for box in boxes) for syllable in found)
    recall = float(np.mean(hit))
    print(
        f"\nnips4b: {recall:.3f} of {len(hit)} tagged bird sounds touched; {n_free} of "
        f"{n_syllables} syllables touch no tag; {n_syllables / seconds:.1f} syllables a second"
    )
    assert len(hit) > 1200
    assert recall >= 0.90
    assert n_free / n_syllables < 0.15
    assert n_syllables / seconds < 5


@pytest.mark.parametrize(
    ("name", "n_boxes", "least"),
    [("powdermill", 9, 1.0), ("hermit-boxes", 30, 1.0), ("qut-birdtour", 42, 0.9)],
)
def test_boxes_are_found(recordings: Path, name: str, n_boxes: int, least: float) -> None:
    hit, n_syllables, n_free = [], 0, 0
    for recording, boxes in boxes_of(recordings, name).items():
        found = syllables_of(recordings / name / recording, DEFAULT)
        hit += [any(box.touched_by(*syllable) for syllable in found) for box in boxes]
        n_syllables += len(found)
        n_free += sum(not any(box.touched_by(*syllable) for box in boxes) for syllable in found)
    print(
        f"\n{name}: {sum(hit)} of {len(hit)} boxes found; {n_free} of {n_syllables} syllables "
        "touch none"
    )
    assert len(hit) == n_boxes
    assert np.mean(hit) >= least
    # Boxes hold songs of several notes: a few syllables each, not shreds.
    assert (n_syllables - n_free) / n_boxes < 10


def test_notes_of_a_caged_finch_match_syllables_in_time(recordings: Path) -> None:
    # Very clean, so that every echo stands out of the noise: notes must not run together.
    overlap = []
    for recording, boxes in boxes_of(recordings, "koumura-bengalese").items():
        found = syllables_of(recordings / "koumura-bengalese" / recording, DEFAULT)
        times = np.array([(start_s + s.start_s, start_s + s.end_s) for start_s, s in found])
        for box in boxes:
            shared = np.minimum(times[:, 1], box.end_s) - np.maximum(times[:, 0], box.start_s)
            either = np.maximum(times[:, 1], box.end_s) - np.minimum(times[:, 0], box.start_s)
            overlap.append(float((shared / either).max()))
    matched = float(np.mean(np.array(overlap) > 0.5))
    print(f"\nkoumura-bengalese: {matched:.3f} of {len(overlap)} notes matched (IoU over 0.5)")
    assert matched >= 0.75


# Most syllables a minute. Insects, crow, frog and rooster are animals: they may be found.
NOISE_PER_MINUTE = {
    "airplane": 48,
    "crickets": 12,
    "crow": 288,
    "frog": 96,
    "insects": 480,
    "rain": 264,
    "rooster": 360,
    "thunderstorm": 84,
    "wind": 60,
}


def per_minute(path: Path) -> float:
    return 60 * len(syllables_of(path, DEFAULT)) / soundfile.info(path).duration


def test_noise_does_not_become_a_flood_of_syllables(recordings: Path) -> None:
    rates = {path.stem: per_minute(path) for path in sorted((recordings / "noise-esc50").glob("*"))}
    print("\nsyllables a minute:", ", ".join(f"{name} {rate:.0f}" for name, rate in rates.items()))
    assert rates.pop("chirping_birds") > 360
    assert rates.keys() == NOISE_PER_MINUTE.keys()
    too_many = {name: rate for name, rate in rates.items() if rate > NOISE_PER_MINUTE[name]}
    assert too_many == {}


def test_quiet_nights_give_few_syllables(recordings: Path) -> None:
    rates = {
        path.stem.split("_")[-1]: per_minute(path)
        for path in sorted((recordings / "maad-sm4").glob("*.wav"))
    }
    print("\nsyllables a minute:", ", ".join(f"{name} {rate:.0f}" for name, rate in rates.items()))
    assert max(rates[time] for time in ("000000", "030000", "043000")) <= 30
    assert min(rates[time] for time in ("053000", "060000", "063000")) >= 240
