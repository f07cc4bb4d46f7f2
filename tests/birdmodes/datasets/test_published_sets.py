"""The loaders against the prepared copies; they need the shared material."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from birdmodes.datasets import DATASETS, MIMLDataset, load_dataset

PREPARED = {
    "hja-birdsong": "hja-birdsong/dataset.npz",
    "hja-birdsong-unfiltered": "hja-birdsong/dataset-unfiltered.npz",
    "msrc-v2": "msrc-v2/dataset.npz",
    "letter-carroll": "letter-carroll/dataset.npz",
    "letter-frost": "letter-frost/dataset.npz",
}
# Briggs, Fern & Raich 2012: bags with a single label, mean number of labels of a bag.
PUBLISHED = {
    "hja-birdsong": (199, 2.02),
    "msrc-v2": (130, 2.51),
    "letter-carroll": (1, 3.93),
    "letter-frost": (12, 3.60),
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


def test_the_counts_of_the_paper_are_met(dataset: MIMLDataset) -> None:
    single, labels = PUBLISHED[dataset.name.removesuffix("-unfiltered")]
    assert dataset.single_label_bags == single
    assert dataset.labels_per_bag == pytest.approx(labels, abs=0.006)
