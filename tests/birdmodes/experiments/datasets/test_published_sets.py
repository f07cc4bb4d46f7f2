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
from birdmodes.experiments.known import published

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
TABLE_3 = published("zhang-table-3").set_index("problem")
SCENES = [340, 268, 341, 216, 378]
REUTERS = [798, 437, 81, 109, 109, 94, 73]
PROBLEMS = {
    "musk1": [45, 47],
    "musk2": [63, 39],
    "corel-eft": [100, 100, 100],
    "sival": [60] * 6,
    "sival-a": [60] * 3,
    "sival-b": [60] * 3,
    "natural-scene-1": SCENES[:3],
    "natural-scene-2": SCENES[2:],
    "natural-scene-3": [340, 268, 216],
    "natural-scene-4": SCENES,
    "reuters-1": REUTERS[:3],
    "reuters-2": REUTERS[3:],
    "reuters-3": [437, 81, 109],
    "reuters-4": [437, 109, 94],
    "reuters-5": [798, 81, 109, 73],
    "reuters-6": REUTERS[:2],
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
        if problem.name in TABLE_3.index:
            row = TABLE_3.loc[problem.name]
            assert row["classes"] == made.bags.n_classes
            assert (row["bags"], row["instances"]) == (made.bags.n_bags, made.bags.n_instances)


def test_the_problems_are_those_of_the_papers_table() -> None:
    public = [name for name in TABLE_3.index if not name.startswith("sival")]
    assert len(public) == 11
    assert set(public) <= set(BAG_PROBLEMS)


def test_bags_of_several_species_are_those_of_hja_birdsong(shared: Path) -> None:
    whole, several = (
        load_dataset(name, shared / "datasets") for name in ("hja-birdsong", "hja-birdsong-several")
    )
    info = DATASETS[several.name]
    assert (several.bags.n_bags, several.bags.n_instances) == (info.n_bags, info.n_instances)
    kept = whole.bags.labels.sum(axis=1) > 1
    np.testing.assert_array_equal(several.bags.labels, whole.bags.labels[kept])
    np.testing.assert_array_equal(several.bags.X, whole.bags.X[kept[whole.bags.bag]])
    np.testing.assert_array_equal(several.y, whole.y[kept[whole.bags.bag]])
