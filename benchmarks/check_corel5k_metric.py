"""How well the metric that the authors of mimlca learned for Corel5K finds keywords.

Run as ``python benchmarks/check_corel5k_metric.py FOLDER``: the folder of the data sets' files,
with ``mimlca_metric_.mat``, which comes with the authors' program, in ``corel5k``. That is a file
of MATLAB 7.3, which h5py reads.

The 444 test photographs that have one of the 20 keywords are dealt to folds. Each fold is annotated
by citation-knn (20 references, 20 citers) from the others. The authors learned their metric on the
*training* photographs, so that it has seen none of these. Ours is learned on the other folds, or,
to see what is lost by learning from so few, on all photographs, those asked about too
("in-sample", which is no fair figure). Printed are means over several deals, and how far apart
these are. With ``corel5k/blobs`` in the folder the paper's own protocol follows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from threadpoolctl import threadpool_limits

from algorithms import Bags
from algorithms.annotation_measures import ANNOTATION_MEASURES
from algorithms.bags import BoolArray, FloatArray
from algorithms.folds import make_folds
from algorithms.metric.base import MetricLearner
from algorithms.metric.citation_knn import CitationKNN
from algorithms.metric.euclidean import Euclidean
from algorithms.metric.fixed import FixedMetric
from algorithms.metric.mimlca import MIMLCA
from algorithms.preprocessing.standardizer import Standardizer
from birdmodes.experiments.datasets.readers.corel5k import (
    has_training_photographs,
    load_photographs,
    load_test_photographs,
)

N_FOLDS = 10
N_DEALS = 5

Distance = Literal["min", "max"]
Scorer = Callable[[Bags, Bags], FloatArray]


@dataclass(frozen=True)
class Neighbours:
    """Citation-knn by a metric that is learned, or given.

    Attributes
    ----------
    metric : MetricLearner
        Fitted to the training photographs, unless it has been.
    standardized : bool
        Whether features are, by the training photographs; else they are used as published.
    distance : {"min", "max"}
        Hausdorff distance.
    citer_pool : {"train", "test"}
        Among which photographs a citer has to be near.
    """

    metric: MetricLearner
    standardized: bool = False
    distance: Distance = "min"
    citer_pool: Literal["train", "test"] = "train"

    def __call__(self, train: Bags, test: Bags) -> FloatArray:
        """Score the words of test photographs."""
        if self.standardized:
            scale = Standardizer().fit(train.X)
            train, test = (_with_features(bags, scale.transform(bags.X)) for bags in (train, test))
        annotator = CitationKNN(self.metric, distance=self.distance, citer_pool=self.citer_pool)
        return annotator.fit(train).decision_function(test)


def by_frequency(train: Bags, test: Bags) -> FloatArray:
    """Rank words by how many training photographs have them, alike for all test photographs."""
    return np.tile(train.labels.sum(axis=0, dtype=np.float64), (test.n_bags, 1))


def read_authors_metric(path: Path) -> FixedMetric:
    """Read the authors' L and centroids; it is one of the features as published."""
    try:
        import h5py
    except ImportError:
        raise SystemExit("h5py is not installed: pip install h5py") from None
    if not path.is_file():
        raise SystemExit(
            f"{path}: not there; get it from UCI_Corel5K/ of github.com/MarcTLaw/MIMLCA"
        )
    with h5py.File(path) as file:
        # MATLAB's columns are HDF5's rows.
        return FixedMetric(np.array(file["L"]).T, centroids=np.array(file["centroids"]).T)


def entrants(authors: FixedMetric, everything: Bags | None) -> dict[str, Scorer]:
    """What is compared; in-sample learners only where there are bags to learn all from."""
    found: dict[str, Scorer] = {"words by frequency": by_frequency}
    for distance in ("min", "max"):
        found |= {
            f"Euclidean, as published, {distance}": Neighbours(Euclidean(), distance=distance),
            f"Euclidean, standardized, {distance}": Neighbours(Euclidean(), True, distance),
            f"authors' metric, {distance}": Neighbours(authors, distance=distance),
            f"mimlca, as published, {distance}": Neighbours(MIMLCA(), distance=distance),
            f"mimlca, standardized, {distance}": Neighbours(MIMLCA(), True, distance),
            f"mimlca, no limit, {distance}": Neighbours(MIMLCA(max_per_label=None), True, distance),
        }
        if everything is not None:
            fitted = MIMLCA().fit(everything)
            found[f"mimlca in-sample, as published, {distance}"] = Neighbours(
                fitted, distance=distance
            )
    found["authors' metric, min, citers among test"] = Neighbours(authors, citer_pool="test")
    return found


def cross_validated(bags: Bags, scorer: Scorer, seed: int) -> FloatArray:
    """Score each bag's words from the bags of other folds."""
    fold = make_folds(bags.labels, bags.labelled, np.arange(bags.n_bags), N_FOLDS, seed)
    scores = np.zeros(bags.labels.shape)
    for each in range(fold.max() + 1):
        left_out = fold == each
        scores[left_out] = scorer(_only(bags, ~left_out), _only(bags, left_out))
    return scores


def measures(labels: BoolArray, scores: FloatArray) -> list[float]:
    """One-error, coverage and average precision."""
    return [measure(labels, scores) for measure in ANNOTATION_MEASURES.values()]


def table(title: str, rows: dict[str, Sequence[Sequence[float]]]) -> None:
    """Print the mean of each row's repeats, with their standard deviation if there are several."""
    print(
        f"\n{title}\n\n| metric | {' | '.join(ANNOTATION_MEASURES)} |\n| --- | ---: | ---: | ---: |"
    )
    for name, repeats in rows.items():
        means, spread = np.mean(repeats, axis=0), np.std(repeats, axis=0)
        cells = [f"{mean:.3f}" for mean in means]
        if len(repeats) > 1:
            cells = [f"{cell} ± {each:.3f}" for cell, each in zip(cells, spread, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _only(bags: Bags, kept: BoolArray) -> Bags:
    rows = kept[bags.bag]
    return Bags(bags.X[rows], (np.cumsum(kept) - 1)[bags.bag[rows]], bags.labels[kept])


def _with_features(bags: Bags, X: FloatArray) -> Bags:
    return Bags(X, bags.bag, bags.labels)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="folder of the data sets' files")
    folder = parser.parse_args().folder
    authors = read_authors_metric(folder / "corel5k" / "mimlca_metric_.mat")
    photographs = load_test_photographs(folder).bags
    with threadpool_limits(limits=1):
        rows = {
            name: [
                measures(photographs.labels, cross_validated(photographs, scorer, seed))
                for seed in range(N_DEALS)
            ]
            for name, scorer in entrants(authors, photographs).items()
        }
        table(f"444 test photographs, {N_FOLDS} folds, {N_DEALS} deals", rows)
        if has_training_photographs(folder):
            split = load_photographs(folder)
            of_test = np.asarray(split.test)
            train, test = _only(split.bags, ~of_test), _only(split.bags, of_test)
            learned = {
                name: [measures(test.labels, scorer(train, test))]
                for name, scorer in entrants(authors, None).items()
            }
            table("3947 training photographs, 444 test photographs", learned)


if __name__ == "__main__":
    main()
