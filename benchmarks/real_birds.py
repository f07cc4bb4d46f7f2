"""How right the defaults are on real birds and on lists as they are, side by side with the aims.

Run ``python benchmarks/real_birds.py FOLDER [--part NAME ...] [--workspace FOLDER]``, where FOLDER
holds ``recordings/nips4b`` (``labels-all.csv``, ``tags-all.csv``), ``recordings/noise-esc50`` and
``datasets``. What is not there is left out, with a word. Parts:

field       NIPS4B by the default commands, `segment` and `cluster --k 122`: in all, and by halves
lists       the published sets, NMI for K = C: right lists, false species, missing ones
few         20 bags of HJA birdsong
unfiltered  background in HJA birdsong, half of whose segments nobody could name
noise       rain, wind, thunder and insects: recordings of their own, and mixed under birds
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import soundfile
from feature_sets import shares, truth
from scipy.signal import resample_poly

import birdmodes as bm
from algorithms import Bags
from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.disambiguation.background import BackgroundChoice
from algorithms.disambiguation.disambiguator import LabelDisambiguator
from algorithms.metrics import normalized_mutual_info
from algorithms.preprocessing import standardize
from birdmodes.experiments.work.sub_bags import wrong_lists
from birdmodes.review.segment import SegmentOptions
from birdmodes.workspace.store import Workspace

K = 122
SETS = ("hja-birdsong", "msrc-v2", "letter-carroll", "letter-frost")
NOISES = ("rain", "wind", "thunderstorm", "insects")
MIXED = 20  # recordings under which each noise is mixed
EDGES = np.array([0.5, 0.7, 0.9, 0.99])
# set, chance of a false species, chance of a missing one, NMI to reach
LISTS = (
    ("hja-birdsong", 0.0, 0.0, 0.805),
    ("hja-birdsong", 0.1, 0.0, 0.74),
    ("hja-birdsong", 0.3, 0.0, 0.67),
    ("hja-birdsong", 0.0, 0.1, 0.74),
    ("hja-birdsong", 0.0, 0.3, 0.63),
    ("hja-birdsong", 0.1, 0.1, 0.65),
    ("msrc-v2", 0.0, 0.0, 0.885),
    ("msrc-v2", 0.3, 0.0, 0.60),
    ("letter-carroll", 0.0, 0.0, 0.905),
    ("letter-frost", 0.0, 0.0, 0.935),
)


def field(shared: Path, workspace: Path | None) -> None:
    """Modes, species, background and confidence on NIPS4B."""
    birds = shared / "recordings" / "nips4b"
    with tempfile.TemporaryDirectory() as folder:
        made = workspace or segmented(birds, birds / "labels-all.csv", Path(folder) / "birds")
        opened = Workspace.open(made)
        # By the order of all, those without syllables too: what is found does not deal them anew.
        place = {name: at for at, name in enumerate(sorted(opened.recordings()["recording"]))}
        start = time.process_time()
        found = bm.find_modes(opened, bm.ClusterOptions(k=K)).clustering
        spent = time.process_time() - start
    table = found.assignments
    tags = pd.read_csv(birds / "tags-all.csv")
    true, touched = truth(table, tags), touches(table, tags)
    lists = pd.read_csv(birds / "labels-all.csv").fillna("")
    several = set(lists["recording"][lists["species"].str.contains(";")].map(stem))
    several_listed = table["recording"].map(stem).isin(several).to_numpy()
    even = table["recording"].map(place).to_numpy() % 2 == 0
    covered = table["recording"].map(stem).isin(set(tags["recording"].map(stem))).to_numpy()
    one = (true["label"] != "").to_numpy()
    named = (table["species"] != "").to_numpy()
    print("recordings  mode purity  species  tagged, untagged in background  above .9 right, error")
    for name, part in (("all", np.ones(len(table), bool)), ("even", even), ("odd", ~even)):
        modes, species = shares(table, true, part & one)
        lost = 1 - named[part & touched].mean()
        nameless = 1 - named[part & ~touched & covered].mean()
        sure = part & one & named & several_listed
        right = (table["species"] == true["species"]).to_numpy()[sure]
        above, error = calibration(table["confidence"].to_numpy()[sure], right)
        print(
            f"{name:10s} {modes:12.3f} {species:8.3f} {lost:15.3f} {nameless:15.3f} {above:16.3f} "
            f"{error:6.3f}"
        )
    print(
        "aim               0.740    0.770           0.050                            0.920  0.050"
    )
    print(f"features, clusters, stability, left-out lists: {spent:.1f} s of processor time")


def calibration(confidence: FloatArray, right: BoolArray) -> tuple[float, float]:
    """How often names above .9 are right, and the expected calibration error."""
    bin_of = np.digitize(confidence, EDGES, right=True)
    error = sum(
        (bin_of == b).mean() * abs(confidence[bin_of == b].mean() - right[bin_of == b].mean())
        for b in np.unique(bin_of)
    )
    return float(right[confidence > 0.9].mean()), float(error)


def touches(syllables: pd.DataFrame, tags: pd.DataFrame) -> BoolArray:
    """Which syllables have time in common with a tag of their recording."""
    by_recording = dict(list(tags.groupby(tags["recording"].map(stem))))
    found = []
    for row in syllables.itertuples():
        near = by_recording.get(stem(str(row.recording)))
        found.append(
            near is not None
            and bool(((near["start_s"] < row.end_s) & (near["end_s"] > row.start_s)).any())
        )
    return np.array(found)


def stem(recording: str) -> str:
    """Name of a recording without folder and format."""
    return Path(recording).stem


def segmented(recordings: Path, labels: Path, workspace: Path) -> Path:
    """Segment recordings as the default command does."""
    options = SegmentOptions(labels=bm.LabelRequest((str(labels),)))
    bm.make_syllables(recordings, workspace, options)
    return workspace


def published(shared: Path, name: str, file: str = "dataset.npz") -> tuple[Bags, IntArray]:
    """Bags of a published set, and the class of each instance; -1 where nobody knew."""
    with np.load(shared / "datasets" / name / file, allow_pickle=False) as data:
        bags = Bags(standardize(data["X"].astype(float)), data["bag"], data["bag_labels"])
        return bags, data["y"].astype(np.int64)


def lists(shared: Path, workspace: Path | None) -> None:
    """Right lists, false species and missing ones, two draws of each."""
    print("set              false missing     NMI     aim   listed that are there: told, true")
    for name, false, missing, aim in LISTS:
        bags, true = published(shared, name)
        rows = []
        for draw in range(2):
            noisy = wrong_lists(bags, false, missing, draw)
            fit = LabelDisambiguator(random_state=draw).fit(noisy)
            really = (noisy.labels & bags.labels).sum() / noisy.labels.sum()
            rows.append((normalized_mutual_info(true, fit.class_ + 1), fit.present_, really))
        nmi, told, really = np.mean(rows, axis=0)
        print(
            f"{name:16s} {false:5.1f} {missing:7.1f} {nmi:7.3f} {aim:7.3f} "
            f"{told:23.2f} {really:5.2f}"
        )


def few(shared: Path, workspace: Path | None) -> None:
    """20 bags of HJA birdsong, 40 draws; the parameters were chosen on the even ones."""
    bags, true = published(shared, "hja-birdsong")
    found: list[float] = []
    for draw in range(40):
        some = np.sort(np.random.default_rng(draw).choice(bags.n_bags, 20, replace=False))
        here = np.isin(bags.bag, some)
        own = Bags(bags.X[here], np.searchsorted(some, bags.bag[here]), bags.labels[some])
        fit = LabelDisambiguator(random_state=draw).fit(own.with_features(standardize(own.X)))
        found.append(normalized_mutual_info(true[here], fit.class_ + 1))
    print(
        f"20 bags of HJA: NMI {np.mean(found[::2]):.3f} even draws, {np.mean(found[1::2]):.3f} odd"
    )
    print("aim                 0.780")


def unfiltered(shared: Path, workspace: Path | None) -> None:
    """Segments of HJA that nobody could name, among those that have names."""
    bags, true = published(shared, "hja-birdsong", "dataset-unfiltered.npz")
    print("background  named lost  nameless found")
    choices: tuple[BackgroundChoice, ...] = ("cautious", "eager")
    for choice in choices:
        none = LabelDisambiguator(background=choice).fit(bags).class_ < 0
        print(f"{choice:10s} {none[true >= 0].mean():11.3f} {none[true < 0].mean():15.3f}")
    print("aim              0.160           0.560")


def noise(shared: Path, workspace: Path | None) -> None:
    """Noises as recordings of their own, and mixed under birds as loud as these."""
    birds = shared / "recordings" / "nips4b"
    table = pd.read_csv(birds / "labels-all.csv").fillna("")
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(table))[: MIXED * len(NOISES)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(birds, folder / "birds")
        rows = table.to_dict("records")
        for number, place in enumerate(chosen):
            kind = NOISES[number % len(NOISES)]
            sound = loaded(shared / "recordings" / "noise-esc50" / f"{kind}.wav")
            mix(folder / "birds" / rows[place]["recording"], sound, rng)
        for kind in NOISES:
            sound = loaded(shared / "recordings" / "noise-esc50" / f"{kind}.wav")
            soundfile.write(folder / "birds" / f"{kind}.wav", sound, 44100)
        clean = workspace or segmented(birds, birds / "labels-all.csv", folder / "clean")
        before = Workspace.open(clean).syllables(["recording", "start_s", "end_s"])
        tags = pd.read_csv(birds / "tags-all.csv")
        mixed = {stem(rows[p]["recording"]) for p in chosen}
        lists: dict[str, list[str]] = {
            "no list": [],
            "a list without species": [""] * len(NOISES),
            "lists of birds": [rows[int(rng.integers(len(rows)))]["species"] for _ in NOISES],
        }
        for told, species in lists.items():
            own = [
                {"recording": f"{kind}.wav", "species": names}
                for kind, names in zip(NOISES, species, strict=False)
            ]
            labels = folder / "labels.csv"
            pd.DataFrame(rows + own).to_csv(labels, index=False)
            opened = Workspace.open(segmented(folder / "birds", labels, folder / "mixed"))
            for choice in ("cautious", "eager"):
                how = bm.ClusterOptions(
                    k=K, method_parameters={"background": choice}, stability_runs=0
                )
                found = bm.find_modes(opened, how).clustering.assignments
                print(f"--background {choice}, noises alone have {told}: in background")
                tell_noise(found, before, tags, mixed)


def tell_noise(
    found: pd.DataFrame, before: pd.DataFrame, tags: pd.DataFrame, mixed: set[str]
) -> None:
    """Print what became of noises: syllables that touch no tag and none of the birds alone."""
    nameless = (found["species"] == "").to_numpy()
    names = found["recording"].map(stem)
    tagged = touches(found, tags)
    alone = names.isin(NOISES).to_numpy()
    new = names.isin(mixed).to_numpy() & ~tagged & ~touches(found, before)
    parts = {"alone": alone, "mixed under birds": new, "tagged birds": tagged}
    parts |= {f"alone, {kind}": (names == kind).to_numpy() for kind in NOISES}
    for name, part in parts.items():
        print(f"  {name:18s} {nameless[part].mean():.3f} of {part.sum()}", flush=True)


def loaded(path: Path) -> npt.NDArray[np.float64]:
    """Sound of one channel at 44.1 kHz."""
    sound, rate = soundfile.read(path, always_2d=True)
    mono = sound.mean(axis=1)
    return np.asarray(mono if rate == 44100 else resample_poly(mono, 44100, rate))


def mix(path: Path, sound: npt.NDArray[np.float64], rng: np.random.Generator) -> None:
    """Put a noise under a recording, as loud as it is on the whole."""
    birds = loaded(path)
    start = int(rng.integers(len(sound)))
    under = np.resize(np.roll(sound, -start), len(birds))
    loud = np.sqrt((birds**2).mean() / max((under**2).mean(), 1e-12))
    both = birds + loud * under
    soundfile.write(path, both / max(1.0, np.abs(both).max()), 44100)


PARTS: dict[str, tuple[Callable[[Path, Path | None], None], Sequence[str]]] = {
    "field": (field, ["recordings/nips4b"]),
    "lists": (lists, [f"datasets/{name}" for name in SETS]),
    "few": (few, ["datasets/hja-birdsong"]),
    "unfiltered": (unfiltered, ["datasets/hja-birdsong/dataset-unfiltered.npz"]),
    "noise": (noise, ["recordings/nips4b", "recordings/noise-esc50"]),
}


def main() -> None:
    """Print the figures of every part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("--workspace", type=Path, help="NIPS4B, segmented already")
    options = parser.parse_args()
    for name in options.part or PARTS:
        run, needed = PARTS[name]
        missing = [part for part in needed if not (options.shared / part).exists()]
        print(
            f"\n== {name}" + (f": left out, no {missing[0]} there" if missing else ""), flush=True
        )
        if not missing:
            run(options.shared, options.workspace)


if __name__ == "__main__":
    main()
