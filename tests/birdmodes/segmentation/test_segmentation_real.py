"""What the default segmenter finds in real recordings with known truth.

The bounds are the least that is acceptable; `pytest -s` shows the figures.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage
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


# Some of the recordings tell whether all is well, all of them how well it is.
SOME_AND_ALL = pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])


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
    every_fourth = np.s_[:, :, ::4]  # frame: ranking all takes a second
    auc = roc_auc_score(truth[every_fourth].ravel(), np.array(energy)[every_fourth].ravel())
    precision = (truth & found).sum() / found.sum()
    recall = (truth & found).sum() / truth.sum()
    f1 = 2 * precision * recall / (precision + recall)
    print(
        f"\nhja-masks, {preset}: pixel AUC {auc:.3f}, precision {precision:.3f}, "
        f"recall {recall:.3f}, F1 {f1:.3f}, {n_syllables} syllables for 92 painted components"
    )
    assert len(painted) == 9
    assert auc >= 0.97
    assert f1 >= {"default": 0.695, "briggs2012": 0.70}[preset]


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


@SOME_AND_ALL
def test_tagged_birds_of_nips4b_are_found(recordings: Path, step: int) -> None:
    folder = recordings / "nips4b"
    with (folder / "labels" / "nips4b_birdchallenge_espece_list.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        birds = {row["class name"] for row in csv.DictReader(file) if row["type"] == "bird"}
    hit, n_syllables, n_free, seconds = [], 0, 0, 0.0
    for name, boxes in [*boxes_of(recordings, "nips4b").items()][::step]:
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
    assert len(hit) > (1200 if step == 1 else 350)
    assert recall >= (0.90 if step == 1 else 0.88)  # a third has other birds than all
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


@dataclass(frozen=True)
class NoteScore:
    """How the syllables of clean recordings fit the notes that somebody has marked in time."""

    notes: int
    syllables: int
    matched: float
    start_ms: float
    end_ms: float


def note_score(truth: Mapping[Path, Sequence[Box]]) -> NoteScore:
    """Match every note with the syllable of most nearly the same time."""
    overlap, start, end, n_syllables = [], [], [], 0
    for path, boxes in truth.items():
        found = syllables_of(path, DEFAULT)
        n_syllables += len(found)
        times = np.array([(start_s + s.start_s, start_s + s.end_s) for start_s, s in found])
        for box in boxes:
            shared = np.minimum(times[:, 1], box.end_s) - np.maximum(times[:, 0], box.start_s)
            either = np.maximum(times[:, 1], box.end_s) - np.minimum(times[:, 0], box.start_s)
            best = int((shared / either).argmax())
            overlap.append(float(shared[best] / either[best]))
            if overlap[-1] > 0.5:
                start.append(times[best, 0] - box.start_s)
                end.append(times[best, 1] - box.end_s)
    return NoteScore(
        notes=len(overlap),
        syllables=n_syllables,
        matched=float(np.mean(np.array(overlap) > 0.5)),
        start_ms=1000 * float(np.median(start)),
        end_ms=1000 * float(np.median(end)),
    )


def test_a_note_of_a_caged_finch_is_one_syllable(recordings: Path) -> None:
    # Very clean, so that every echo stands out of the noise: notes must not run together, and the
    # bands of a note must not fall apart.
    folder = recordings / "koumura-bengalese"
    boxes = boxes_of(recordings, "koumura-bengalese")
    score = note_score({folder / name: notes for name, notes in boxes.items()})
    print(f"\nkoumura-bengalese: {score}")
    assert score.notes == 222
    assert score.syllables <= 300
    assert score.matched >= 0.91
    assert max(abs(score.start_ms), abs(score.end_ms)) <= 8


@pytest.mark.parametrize(
    ("bird", "notes", "most", "matched"),
    [
        pytest.param("koumura-Bird0", 570, 780, 0.94, marks=pytest.mark.slow),
        ("bl26lb16", 688, 1090, 0.89),
    ],
)
def test_notes_of_other_finches_are_one_syllable_each(
    recordings: Path, bird: str, notes: int, most: int, matched: float
) -> None:
    folder = recordings / "finch-notes"
    truth: dict[Path, list[Box]] = {}
    with (folder / "tags.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["recording"].startswith(bird):
                box = Box(float(row["start_s"]), float(row["end_s"]), 0, np.inf, row["label"])
                truth.setdefault(folder / row["recording"], []).append(box)
    score = note_score(truth)
    print(f"\n{bird}: {score}")
    assert score.notes == notes
    assert score.syllables <= most
    assert score.matched >= matched
    assert max(abs(score.start_ms), abs(score.end_ms)) <= 8


def whole_recording(path: Path) -> np.ndarray:
    samples = np.concatenate([samples for _, samples in clips_of(path, DEFAULT)])
    return samples / np.quantile(np.abs(samples), 0.99)


def sound_alone(samples: np.ndarray) -> np.ndarray:
    """Power of a recording above its noise, which is its median at each frequency."""
    power = spectrogram(samples, DEFAULT).magnitude ** 2
    return np.maximum(power - 2 * np.median(power, axis=1, keepdims=True), 0)


def owners(labels: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Whose each region is, 6 dB or more above the rival: 1, 2, or 0 where it is nobody's."""
    regions = np.arange(1, labels.max() + 1)
    mine, theirs = (scipy.ndimage.sum(power, labels, regions) for power in (one, other))
    return np.where(mine > 4 * theirs, 1, np.where(theirs > 4 * mine, 2, 0))


@SOME_AND_ALL
def test_birds_that_overlap_are_not_made_one_syllable(recordings: Path, step: int) -> None:
    # Two recordings at once: what comes from one is another bird than what comes from the other.
    paths = sorted((recordings / "nips4b" / "wav").glob("*.wav"))
    order = np.random.default_rng(2).permutation(len(paths))
    notes_alone = replace(DEFAULT, join_r=1.0)
    n_merged = n_overlapping = 0
    for first, second in [*zip(order[::2], order[1::2], strict=False)][::step]:
        one, other = (whole_recording(paths[index]) for index in (first, second))
        size = min(one.size, other.size)
        mixed = whiten(spectrogram(0.1 * (one[:size] + other[:size]), DEFAULT), DEFAULT)
        notes, calls = (
            SEGMENTERS["energy"](parameters).segment(mixed) for parameters in (notes_alone, DEFAULT)
        )
        owner = owners(notes, sound_alone(one[:size]), sound_alone(other[:size]))
        times = [box[1] for box in scipy.ndimage.find_objects(notes)]
        for note, time in enumerate(times):
            n_overlapping += any(
                owner[note] * owner[rival] == 2
                and min(time.stop, times[rival].stop) > max(time.start, times[rival].start)
                for rival in range(len(times))
            )
        in_call: dict[int, set[int]] = {}
        for note in np.flatnonzero(owner):
            pixels = calls[notes == note + 1]
            call, count = np.unique(pixels, return_counts=True)
            if 2 * count.max() >= pixels.size and call[count.argmax()] > 0:
                in_call.setdefault(int(call[count.argmax()]), set()).add(int(owner[note]))
        n_merged += sum(len(birds) == 2 for birds in in_call.values())
    print(f"\nmixtures: {n_merged} syllables of two birds, {n_overlapping} notes that overlap")
    assert n_overlapping > 150 / step
    assert n_merged / n_overlapping <= 0.02


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
    assert sum(rates.values()) < 184 * 12  # as many as without joining, in ten clips of 5 s
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
