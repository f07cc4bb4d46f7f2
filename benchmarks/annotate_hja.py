"""How well HJA birdsong is annotated: the figures of docs/annotate.md on its published features.

Run ``python benchmarks/annotate_hja.py DATASETS [--method NAME ...] [--no-halves]``, where DATASETS
holds ``hja-birdsong``. A clip is a recording, and the 38 features are those of the set; what is
measured is what ``birdmodes evaluate --folds 10`` and ``birdmodes annotate`` do: first all clips,
each part annotated by the others, with what confidences are worth; then one half is evaluated
(*promised*) and annotates the other, which it has never seen (*seen*).
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from algorithms import Bags
from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.folds import choose_bags
from algorithms.placement.calibration import calibration_error
from birdmodes.annotate.cross_validation import Calibrated, LeftOut, cross_validate
from birdmodes.annotate.likeness import Examples, likeness
from birdmodes.annotate.material import Material
from birdmodes.annotate.measures import (
    SyllableNames,
    decision_metrics,
    ranking_metrics,
    reliability_table,
    truth_metrics,
)
from birdmodes.annotate.methods import ANNOTATORS, annotator_class
from birdmodes.annotate.run import FOLDS as FOLDS_OF_ANNOTATE
from birdmodes.annotate.thresholds import Thresholds
from birdmodes.modes.features.own import Briggs38
from birdmodes.modes.features.space import FeatureSpace

SHOWN_OF_SURE = ("truth_named", "truth_accuracy_of_named", "truth_noise_named")
SETS = {"syllables of known species": "dataset.npz", "all segments": "dataset-unfiltered.npz"}
FOLDS = 10
SEED = 0
USUAL = Thresholds()


def read_set(file: Path) -> tuple[Material, IntArray]:
    """Bags as ``evaluate`` reads them of a workspace; the species of each syllable, or -1."""
    with np.load(file, allow_pickle=False) as data:
        bags = Bags(
            data["X"].astype(float),
            data["bag"],
            data["bag_labels"],
            class_names=data["class_names"],
        )
        true = data["y"].astype(np.int64)
    return of_clips(bags), true


def of_clips(bags: Bags) -> Material:
    """Material in which every bag is a recording."""
    names = np.array([f"{number}" for number in range(bags.n_bags)], dtype=object)
    space = FeatureSpace((Briggs38(),))
    return Material(
        bags, np.arange(bags.n_bags), names, names, pd.DataFrame(), by_clip=True, space=space
    )


def figures(labels: BoolArray, said: Calibrated, true: IntArray | None) -> dict[str, float | None]:
    """What the tables show of bags, and of syllables where the method tells of these."""
    presence = said.presence
    found: dict[str, float | None] = {
        **ranking_metrics(labels, presence),
        **decision_metrics(labels, presence, USUAL.score),
        "calibration_error": calibration_error(presence.ravel(), labels.ravel()),
    }
    if true is None:
        return found
    names = SyllableNames.of(said.posterior, said.likeness)
    sure = truth_metrics(names, true, replace(USUAL, confidence=0.8))
    return (
        found
        | truth_metrics(names, true, USUAL)
        | {
            "background": float((names.best[true >= 0] < 0).mean()),
            **{f"{name}, confidence .8": sure[name] for name in SHOWN_OF_SURE},
        }
    )


def confidences(said: Calibrated, true: IntArray) -> pd.DataFrame:
    """What confidences of syllables not taken for background are worth."""
    names = SyllableNames.of(said.posterior, said.likeness)
    judged = (true >= 0) & (names.best >= 0) & names.like(USUAL)
    right = names.best[judged] == true[judged]
    return reliability_table(names.confidence[judged], right)


def of_new(training: Material, left_out: LeftOut, method: str, new: Bags) -> Calibrated:
    """Annotate new bags as ``annotate`` does."""
    blocks = training.space.blocks
    annotator = annotator_class(method)(SEED, blocks).fit(training.bags)
    calibration = left_out.calibration(USUAL.likeness)
    answer = annotator.answer(new)
    usual: FloatArray = np.ones(0)
    like = None
    if annotator.of_syllables:
        examples = Examples.of(training.bags.X, SEED, blocks)
        usual = likeness(examples.nearest(new.X), left_out.distance)
        like = usual >= USUAL.likeness
    presence = calibration.presence(answer, new.bag, new.n_bags, like)
    return Calibrated(calibration.posterior(answer), presence, usual)


def halves(material: Material, true: IntArray, method: str) -> None:
    """Print what one half promises, and what it keeps on the other."""
    bags = material.bags
    first = np.zeros(bags.n_bags, dtype=bool)
    first[np.random.default_rng(SEED).permutation(bags.n_bags)[: bags.n_bags // 2]] = True
    half, new = of_clips(choose_bags(bags, first)), choose_bags(bags, ~first)
    in_first = first[bags.bag]
    tried = cross_validate(half, method, FOLDS, SEED)
    promised = tried.calibrated(USUAL.likeness)
    learned = cross_validate(half, method, FOLDS_OF_ANNOTATE, SEED)
    seen = of_new(half, learned, method, new)
    of_half, of_new_ones = (true[in_first], true[~in_first]) if tried.of_syllables else (None, None)
    print_figures("  promised", figures(half.bags.labels, promised, of_half))
    print_figures("  seen", figures(new.labels, seen, of_new_ones))


def print_figures(title: str, found: dict[str, float | None]) -> None:
    """Print all figures of one line of the tables."""
    texts = (f"{name} {value:.3f}" for name, value in found.items() if value is not None)
    print(f"{title}: {', '.join(texts)}", flush=True)


def main() -> None:
    """Print the figures of both sets and of every method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--method", action="append", choices=list(ANNOTATORS))
    parser.add_argument("--no-halves", action="store_true")
    options = parser.parse_args()
    for title, file in SETS.items():
        material, true = read_set(options.datasets / "hja-birdsong" / file)
        print(f"{title}: {material.bags.n_instances} in {material.bags.n_bags} clips")
        for method in options.method or ANNOTATORS:
            left_out = cross_validate(material, method, FOLDS, SEED)
            said = left_out.calibrated(USUAL.likeness)
            of_syllables = left_out.of_syllables
            known = true if of_syllables else None
            print_figures(method, figures(material.bags.labels, said, known))
            if of_syllables:
                print(confidences(said, true).round(3).to_string(index=False))
            if not options.no_halves:
                halves(material, true, method)


if __name__ == "__main__":
    main()
