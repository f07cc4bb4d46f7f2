"""Time of the pixel forest against the energy segmenter: reading, spectrogram, syllables, features.

Run ``python benchmarks/bench_forest.py [RECORDINGS MASKS]``, with recordings and the masks painted
on them; a forest is trained on them first, and then they are segmented in turn by both. Without
arguments the painted recordings of the shared material are taken, if that is here
(BIRDMODES_SHARED), else the sample recordings with the boxes of their truth.
Processor time of one thread is counted, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from threadpoolctl import threadpool_limits

from birdmodes.audio.read import ClipReader, RecordingFile, find_recordings
from birdmodes.segmentation import ForestModel, segment_clip
from birdmodes.segmentation.parameters import PRESETS, SegmentationParameters
from birdmodes.training import find_paint, train_forest


def segment_all(
    recordings: list[RecordingFile],
    parameters: SegmentationParameters,
    model: ForestModel | None = None,
) -> tuple[float, float, int]:
    """Seconds of sound, seconds of processor time, and syllables."""
    started, heard, n_syllables = time.process_time(), 0.0, 0
    for recording in recordings:
        reader = ClipReader(recording.path, parameters.sample_rate_hz, parameters.clip_s)
        n_syllables += sum(len(segment_clip(clip, parameters, model)) for clip in reader)
        heard += reader.facts.duration_s
    return heard, time.process_time() - started, n_syllables


def examples() -> tuple[Path, Path]:
    """Folder of recordings that are here, and their masks."""
    shared = os.environ.get("BIRDMODES_SHARED")
    if shared:
        painted = Path(shared) / "recordings" / "hja-masks"
        return painted / "wav", painted / "masks"
    sample = Path(__file__).parent.parent / "sample_data"
    return sample / "recordings", sample / "truth.csv"


def main() -> None:
    """Train, then time both segmenters in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    recordings, masks = examples()
    parser.add_argument("recordings", type=Path, nargs="?", default=recordings)
    parser.add_argument("masks", type=Path, nargs="?", default=masks)
    parser.add_argument("--preset", choices=list(PRESETS), default="briggs2012")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; the best counts")
    options = parser.parse_args()
    parameters = SegmentationParameters.preset(options.preset)
    found = find_recordings([options.recordings])
    painted, _ = find_paint(found, [options.masks])
    with threadpool_limits(1):
        started = time.process_time()
        model = train_forest(painted, parameters).model
        print(f"training on {len(painted)} recordings: {time.process_time() - started:.1f} s")
        runs = (("energy", parameters, None), ("forest", model.parameters, model))
        best = {name: float("inf") for name, _, _ in runs}
        for _ in range(options.repeats):
            for name, settings, forest in runs:
                heard, seconds, n_syllables = segment_all(found, settings, forest)
                best[name] = min(best[name], seconds)
                print(f"{name}: {seconds:.2f} s for {heard:.0f} s, {n_syllables} syllables")
    for name, seconds in best.items():
        print(f"{name}: {heard / seconds:.0f} x real time on one core")
    print(f"the forest takes {best['forest'] / best['energy']:.1f} times as long")


if __name__ == "__main__":
    main()
