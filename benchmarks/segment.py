"""Speed of ``segment``: against scikit-maad, by stages, of short files, with one and two workers.

Run ``python benchmarks/segment.py [FOLDER]``. Without a folder the recordings with hand-painted
masks of the shared material are taken, if that is here (BIRDMODES_SHARED), else the sample
recordings. The comparison needs scikit-maad (the extra ``bench``). All but the last part is
single-threaded and measured in processor seconds, which other programs disturb least; the best of
several runs counts. Nothing here decides a test.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import itertools
import os
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import soundfile
from threadpoolctl import threadpool_limits

from birdmodes.audio.read import ClipReader, RecordingFile, find_recordings
from birdmodes.labels import FittedLabels
from birdmodes.segmentation import EnergySegmenter
from birdmodes.segmentation.base import build_segments
from birdmodes.segmentation.parameters import PRESETS, SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten
from birdmodes.segmentation.windows import with_windows
from birdmodes.workspace.segment import Progress, segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import (
    ClipSegment,
    FoundSyllables,
    syllables_table,
)
from birdmodes.workspace.task import SegmentTask, segment_recording

SAMPLE_DATA = Path(__file__).resolve().parents[1] / "sample_data" / "recordings"
STAGES = (
    *("decode", "resample", "spectrogram", "whiten", "energy map"),
    *("regions, notes, calls", "features and patches", "windows", "tables"),
)
SHORT_S = 1.5
# The spectrogram of both is 512 samples with hop 128 at the recordings' own rate.
MAAD_WINDOW, MAAD_OVERLAP = 512, 384
MAAD_RANGE_DB = 90


def default_folder() -> Path:
    """Recordings with masks, or those that come with the sources."""
    shared = os.environ.get("BIRDMODES_SHARED")
    masks = Path(shared or "") / "recordings" / "hja-masks" / "wav"
    return masks if shared and masks.is_dir() else SAMPLE_DATA


def tasks_for(
    recordings: Sequence[RecordingFile], parameters: SegmentationParameters
) -> list[SegmentTask]:
    """What a worker process would be given."""
    settings = Settings(parameters)
    return [SegmentTask(recording, settings, 0, 0) for recording in recordings]


def seconds_of_sound(recordings: Sequence[RecordingFile]) -> float:
    """Length of all recordings together."""
    total = 0.0
    for recording in recordings:
        reader = ClipReader(recording.path, 22_050, 10.0)
        for _ in reader:
            pass
        total += reader.facts.duration_s
    return total


def maad_regions(recording: RecordingFile) -> int:
    """Regions of interest with shape and centroid features, as in scikit-maad's examples."""
    from maad import features, rois, sound, util

    samples, rate = sound.load(str(recording.path))
    power, times, frequencies, _ = sound.spectrogram(
        samples, rate, nperseg=MAAD_WINDOW, noverlap=MAAD_OVERLAP
    )
    # Shifted to be positive: the mask fails on an image of negative values alone.
    level = util.power2dB(power, db_range=MAAD_RANGE_DB) + MAAD_RANGE_DB
    cleaned, _, _ = sound.remove_background(level)
    smoothed = sound.smooth(cleaned, std=1.2)
    mask = rois.create_mask(smoothed, mode_bin="relative", bin_std=2, bin_per=0.25)
    image, table = rois.select_rois(mask, min_roi=25)
    if len(table):
        table = util.format_features(table, times, frequencies)
        features.shape_features(level, resolution="low", rois=table)
        features.centroid_features(level, table, image)
    return len(table)


def our_regions(recording: RecordingFile, parameters: SegmentationParameters) -> int:
    """Syllables with features, patches and windows, as a worker process would find them."""
    (task,) = tasks_for([recording], parameters)
    found = segment_recording(task).syllables
    return 0 if found is None else found.n_syllables


Way = Callable[[RecordingFile], int]


def by_turns(
    ways: dict[str, Way], recordings: Sequence[RecordingFile], rounds: int
) -> dict[str, tuple[int, float]]:
    """Regions found and processor seconds of each way: the least of each recording, added up.

    All take turns, so that what disturbs the machine for a while disturbs all of them.
    """
    least = {name: [float("inf")] * len(recordings) for name in ways}
    found = dict.fromkeys(ways, 0)
    for each in range(rounds + 1):
        for name, way in ways.items():
            found[name] = 0
            for number, recording in enumerate(recordings):
                start = time.process_time()
                found[name] += way(recording)
                spent = time.process_time() - start
                if each:  # the first is not counted: something is loaded in it
                    least[name][number] = min(least[name][number], spent)
    return {name: (found[name], sum(least[name])) for name in ways}


def bench_against_maad(
    recordings: Sequence[RecordingFile], duration_s: float, repeats: int
) -> None:
    """Print processor time, x real time and recordings per second of both."""
    ways: dict[str, Way] = {}
    try:
        importlib.import_module("maad")
    except ImportError:
        print("\n(without scikit-maad: pip install 'birdmodes[bench]')")
    else:
        ways["scikit-maad"] = maad_regions
    for name, parameters in PRESETS.items():
        ways[f"birdmodes ({name})"] = functools.partial(our_regions, parameters=parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-maad uses names that scikit-image is renaming
        figures = by_turns(ways, recordings, repeats)
    print("\nsoftware                 regions  CPU s  recordings/s  x real time  times as fast")
    peer_s = figures["scikit-maad"][1] if "scikit-maad" in figures else None
    for name, (found, spent) in figures.items():
        show_speed(name, found, spent, len(recordings), duration_s, peer_s)


def show_speed(
    name: str, found: int, spent: float, count: int, duration_s: float, peer_s: float | None
) -> None:
    """Print one row of the table."""
    ratio = "" if peer_s is None else f"{peer_s / spent:14.1f}"
    per_second = f"{count / spent:13.1f} {duration_s / spent:12.0f}"
    print(f"{name:<23} {found:8d} {spent:6.2f} {per_second}{ratio}")


@contextmanager
def timed(stages: dict[str, float], stage: str) -> Iterator[None]:
    """Add the processor time of a block to `stage`."""
    start = time.process_time()
    yield
    stages[stage] += time.process_time() - start


def stage_times(
    recordings: Sequence[RecordingFile], parameters: SegmentationParameters
) -> dict[str, float]:
    """Processor seconds of every stage of `segment_recording`, run one after the other."""
    stages: dict[str, float] = defaultdict(float)
    segmenter = EnergySegmenter(parameters)
    for recording in recordings:
        reader = ClipReader(recording.path, parameters.sample_rate_hz, parameters.clip_s)
        with timed(stages, "resample"):
            clips = list(reader)
        native = ClipReader(recording.path, reader.facts.sample_rate_hz, parameters.clip_s)
        with timed(stages, "decode"):
            for _ in native:
                pass
        rows: list[ClipSegment] = []
        for number, samples in enumerate(clips):
            with timed(stages, "spectrogram"):
                spec = spectrogram(samples, parameters)
            with timed(stages, "whiten"):
                whitened = whiten(spec, parameters)
            with timed(stages, "energy map"):
                found = segmenter.regions(whitened)
            with timed(stages, "regions, notes, calls"):  # not looked for before
                regions = list(found)
            with timed(stages, "features and patches"):
                segments = build_segments(whitened, regions)
            with timed(stages, "windows"):
                segments = with_windows(segments, whitened)
            rows += [ClipSegment(number, 0.0, segment) for segment in segments]
        with timed(stages, "tables"):
            FoundSyllables().add(syllables_table(recording.name, rows, "clip"))
    stages["resample"] -= stages["decode"]  # measured together
    return stages


def bench_stages(recordings: Sequence[RecordingFile], duration_s: float, repeats: int) -> None:
    """Print where the time goes."""
    print("\nCPU ms per 10 s of sound" + "".join(f"{name:>20}" for name in PRESETS))
    columns = []
    for parameters in PRESETS.values():
        runs = [stage_times(recordings, parameters) for _ in range(repeats)]
        columns.append({stage: min(run[stage] for run in runs) for stage in STAGES})
    totals = [sum(column.values()) for column in columns]
    for stage in STAGES:
        cells = [
            f"{10_000 * column[stage] / duration_s:11.2f} ({column[stage] / total:5.1%})"
            for column, total in zip(columns, totals, strict=True)
        ]
        print(f"{stage:<24}" + "".join(cells))
    print(
        f"{'all':<24}" + "".join(f"{10_000 * total / duration_s:11.2f}{'':9}" for total in totals)
    )


def cut_short(recordings: Sequence[RecordingFile], folder: Path, count: int) -> None:
    """Write files of `SHORT_S` seconds, cut from recordings one after the other."""
    number = 0
    while number < count:
        for recording in recordings:
            samples, rate_hz = soundfile.read(recording.path)
            size = round(SHORT_S * rate_hz)
            for first in range(0, len(samples) - size + 1, size):
                if number < count:
                    path = folder / f"r{number:05d}.wav"
                    soundfile.write(path, samples[first : first + size], rate_hz, subtype="PCM_16")
                    number += 1


def _mark(moments: list[float], _: Progress) -> None:
    moments.append(time.process_time())


def bench_short(recordings: Sequence[RecordingFile], count: int) -> None:
    """Print the processor time of many short files, writing included: the least of each of them."""
    rounds: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        cut_short(recordings, Path(folder), count)
        files = find_recordings([Path(folder)])
        for _ in range(4):
            moments: list[float] = []
            with tempfile.TemporaryDirectory() as target:
                workspace = Workspace.prepare(Path(target, "workspace"), Settings())
                found = segment_recordings(
                    files,
                    FittedLabels({}, [], []),
                    workspace,
                    on_progress=functools.partial(_mark, moments),
                ).syllables
            rounds.append([after - before for before, after in itertools.pairwise(moments)])
    spent = sum(map(min, zip(*rounds, strict=True))) / count
    print(
        f"\n{count} files of {SHORT_S} s, {found / count:.1f} syllables each, into a workspace: "
        f"{1000 * spent:.2f} ms each, {1 / spent:.0f} a second"
    )


@dataclass(frozen=True)
class Run:
    """Times of a run of `segment_recordings` in seconds.

    Attributes
    ----------
    wall, cpu : float
        From start to end, and on all processors together.
    steady : float
        What all of it would have taken at the pace once every worker was up.
    """

    wall: float
    cpu: float
    steady: float


def timed_run(recordings: Sequence[RecordingFile], workers: int) -> Run:
    """Segment into a new workspace, with commits to disk."""
    last = len(recordings)
    # Each worker has had its first tasks by then; at the end some have none left.
    first = min(6 * workers, last // 2)
    seen: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.prepare(Path(folder, "workspace"), Settings(PRESETS["default"]))
        before, start = os.times(), time.perf_counter()
        segment_recordings(
            recordings,
            FittedLabels({}, [], []),
            workspace,
            workers=workers,
            on_progress=lambda progress: seen.setdefault(progress.done, time.perf_counter()),
        )
        wall = time.perf_counter() - start
        cpu = sum(os.times()[:4]) - sum(before[:4])
    return Run(wall, cpu, (seen[last] - seen[first]) * last / (last - first))


def bench_workers(recordings: Sequence[RecordingFile], duration_s: float, minutes: float) -> None:
    """Print the time of whole runs with one and with two workers."""
    copies = max(1, round(60 * minutes / duration_s))
    many = [
        RecordingFile(f"{copy}/{recording.name}", recording.path, recording.root)
        for copy in range(copies)
        for recording in recordings
    ]
    sound_s = copies * duration_s
    print(f"\nsegment_recordings, {len(many)} recordings, {sound_s / 60:.0f} min, default preset")
    print("workers  CPU s  wall s  x real time  times as fast   without start-up: wall s  times")
    runs = [timed_run(many, workers) for workers in (1, 2)]
    for workers, run in enumerate(runs, start=1):
        print(
            f"{workers:7d} {run.cpu:6.1f} {run.wall:7.1f} {sound_s / run.wall:12.0f} "
            f"{runs[0].wall / run.wall:14.2f} {run.steady:25.1f} {runs[0].steady / run.steady:6.2f}"
        )


def main() -> None:
    """Run the four parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--repeats", type=int, default=5, help="runs per figure; the best counts")
    parser.add_argument("--short", type=int, default=200, help="files of 1.5 s that are cut")
    parser.add_argument("--minutes", type=float, default=60, help="of sound for the workers")
    options = parser.parse_args()
    recordings = find_recordings([options.folder])
    duration_s = seconds_of_sound(recordings)
    print(f"{options.folder}: {len(recordings)} recordings, {duration_s:.0f} s")
    with threadpool_limits(1):  # the figures are for one core
        bench_against_maad(recordings, duration_s, options.repeats)
        bench_stages(recordings, duration_s, options.repeats)
        bench_short(recordings, options.short)
    bench_workers(recordings, duration_s, options.minutes)


if __name__ == "__main__":
    main()
