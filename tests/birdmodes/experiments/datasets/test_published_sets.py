"""The loaders against the prepared copies; they need the shared material."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from birdmodes.experiments.datasets import (
    BAG_PROBLEMS,
    DATASETS,
    MIMLDataset,
    load_dataset,
    problem_from_dataset,
)
from birdmodes.experiments.datasets.bag_problem_table import CLASSES

PREPARED = {
    "hja-birdsong": "hja-birdsong/dataset.npz",
    "hja-birdsong-unfiltered": "hja-birdsong/dataset-unfiltered.npz",
    "msrc-v2": "msrc-v2/dataset.npz",
    "letter-carroll": "letter-carroll/dataset.npz",
    "letter-frost": "letter-frost/dataset.npz",
    "musk1": "musk1/dataset.npz",
    "musk2": "musk2/dataset.npz",
    "corel-eft": "corel-eft/dataset.npz",
    "sival": "sival/dataset.npz",
    "natural-scene": "natural-scene/dataset.npz",
    "reuters-miml": "reuters-miml/dataset.npz",
    "corel5k": "corel5k/dataset.npz",
}
# Bags with a single label, mean number of labels of a bag. The first four from Briggs, Fern & Raich
# 2012, the others as counted when the copies were prepared.
PUBLISHED = {
    "hja-birdsong": (199, 2.02),
    "msrc-v2": (130, 2.51),
    "letter-carroll": (1, 3.93),
    "letter-frost": (12, 3.60),
    "musk1": (92, 1),
    "musk2": (102, 1),
    "corel-eft": (300, 1),
    "sival": (360, 1),
    "natural-scene": (1543, 1.236),
    "reuters-miml": (1701, 1.154),
    "corel5k": (7, 3.526),
}
# Single-label bags of each class, in the order of the classes: as counted when the copies were
# prepared.
SCENES = [340, 268, 341, 216, 378]
REUTERS = [798, 437, 81, 109, 109, 94, 73]
PROBLEMS = {
    "musk1": [45, 47],
    "musk2": [63, 39],
    "corel-eft": [100, 100, 100],
    "sival": [60] * 6,
    "sival-1": [60] * 3,
    "sival-2": [60] * 3,
    "natural-scene-1": SCENES[:3],
    "natural-scene-2": SCENES[1:4],
    "natural-scene-3": SCENES[2:],
    "natural-scene-4": SCENES,
    "reuters-1": REUTERS[:2],
    "reuters-2": [81, 109, 94, 73],
    "reuters-3": REUTERS[:3],
    "reuters-4": REUTERS[2:],
    "reuters-5": [798, 81, 109, 73],
    "reuters-6": REUTERS,
}


@pytest.fixture(scope="module", params=PREPARED)
def dataset(request: pytest.FixtureRequest, shared: Path) -> MIMLDataset:
    return load_dataset(request.param, shared / "datasets")


def test_every_array_is_as_prepared(shared: Path, dataset: MIMLDataset) -> None:
    with np.load(shared / "datasets" / PREPARED[dataset.name], allow_pickle=False) as prepared:
        np.testing.assert_array_equal(dataset.bags.X, prepared["X"])
        np.testing.assert_array_equal(dataset.bags.bag, prepared["bag"])
        np.testing.assert_array_equal(dataset.y, prepared["y"])
        np.testing.assert_array_equal(dataset.bags.labels, prepared["bag_labels"])
        assert dataset.bags.class_names == tuple(prepared["class_names"].tolist())


def test_the_catalogue_counts_right(dataset: MIMLDataset) -> None:
    info, bags = DATASETS[dataset.name], dataset.bags
    assert (info.n_bags, info.n_instances) == (bags.n_bags, bags.n_instances)
    assert (info.n_features, info.n_classes) == (bags.n_features, bags.n_classes)
    assert info.n_single_label == dataset.single_label_bags


def test_the_labels_are_as_many_as_published(dataset: MIMLDataset) -> None:
    single, labels = PUBLISHED[dataset.name.removesuffix("-unfiltered")]
    assert dataset.single_label_bags == single
    assert dataset.labels_per_bag == pytest.approx(labels, abs=0.006)


def test_bag_problems_have_as_many_bags_of_each_class(dataset: MIMLDataset) -> None:
    assert CLASSES.get(dataset.name, dataset.bags.class_names) == dataset.bags.class_names
    for problem in (each for each in BAG_PROBLEMS.values() if each.dataset == dataset.name):
        made = problem_from_dataset(dataset, problem.classes, problem.name)
        assert np.bincount(made.truth).tolist() == PROBLEMS[problem.name]
        assert made.bags.class_names == problem.classes


def test_what_the_paper_says_of_reuters_is_met() -> None:
    # Its table has classes of 73 to 109 bags, 89.25 in the mean, and a set of 1061 bags.
    sizes = np.array(PROBLEMS["reuters-2"])
    assert (sizes.min(), sizes.max(), sizes.mean()) == (73, 109, 89.25)
    assert sum(PROBLEMS["reuters-5"]) == 1061
    assert len(PROBLEMS["reuters-5"]) == 4
