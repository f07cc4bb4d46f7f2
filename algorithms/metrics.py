"""Evaluation measures of clusterings.

Every measure takes ``(labels_true, labels_pred)``: the true class and the cluster of each item,
syllables or whole bags. Classes and clusters may be numbered in any way. **Items with a negative
true class are of unknown class and are left out**; a negative cluster is a cluster like any other.

References
----------
Pei & Fern (2013), equations (15) and (16); Zhang, Wang, Si & Li, Maximum margin multiple instance
clustering (M3IC), section 4.3.1; Kriegel, Pryakhin & Schubert, An EM-approach for clustering
multi-instance objects, PAKDD 2006; Larsen & Aone, Fast and effective text mining using
linear-time document clustering, KDD 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy  # its parts are loaded on first use

from algorithms.bags import FloatArray, IntArray
from algorithms.errors import ClusteringError

Labels = npt.ArrayLike

_BLOCK_ROWS = 1024


def contingency_table(labels_true: Labels, labels_pred: Labels) -> IntArray:
    """Count the items of every class in every cluster.

    Parameters
    ----------
    labels_true : array_like of int, shape (n_items,)
        True classes; negative where unknown.
    labels_pred : array_like of int, shape (n_items,)
        Clusters.

    Returns
    -------
    ndarray of int64, shape (n_classes, n_clusters)
        Classes and clusters in rising order of their numbers.

    Raises
    ------
    ClusteringError
        When the two differ in length, or no item has a known class.
    """
    true, pred = _known_items(labels_true, labels_pred)
    classes, row = np.unique(true, return_inverse=True)
    clusters, column = np.unique(pred, return_inverse=True)
    flat = np.bincount(row * len(clusters) + column, minlength=len(classes) * len(clusters))
    return flat.reshape(len(classes), len(clusters)).astype(np.int64)


def normalized_mutual_info(
    labels_true: Labels,
    labels_pred: Labels,
    average: Literal["arithmetic", "geometric"] = "arithmetic",
) -> float:
    """Mutual information over the mean entropy of classes and clusters, 0 to 1.

    ``average`` tells which mean: arithmetic as in Pei & Fern (15), or geometric as in M3IC (33).
    One class and one cluster: 1; only one of them alone: 0.
    """
    if average not in ("arithmetic", "geometric"):
        raise ClusteringError(f"average must be arithmetic or geometric, not {average!r}")
    joint = contingency_table(labels_true, labels_pred).astype(np.float64)
    joint /= joint.sum()
    of_class, of_cluster = joint.sum(axis=1), joint.sum(axis=0)
    if 1 in joint.shape:
        return float(joint.size == 1)
    class_entropy = -float(scipy.special.xlogy(of_class, of_class).sum())
    cluster_entropy = -float(scipy.special.xlogy(of_cluster, of_cluster).sum())
    expected = np.multiply.outer(of_class, of_cluster)
    information = float(scipy.special.xlogy(joint, joint / expected).sum())
    if average == "geometric":
        mean_entropy = float(np.sqrt(class_entropy * cluster_entropy))
    else:
        mean_entropy = (class_entropy + cluster_entropy) / 2
    return min(1.0, max(0.0, information / mean_entropy))


def purity(labels_true: Labels, labels_pred: Labels) -> float:
    """Share of items that belong to the majority class of their cluster (Pei & Fern (16)).

    Grows with the number of clusters; Kriegel et al. call it precision.
    """
    table = contingency_table(labels_true, labels_pred)
    return float(table.max(axis=0).sum() / table.sum())


def clustering_accuracy(labels_true: Labels, labels_pred: Labels) -> float:
    """Share of items that the best one-to-one map of clusters to classes gets right.

    With more clusters than classes the unmatched ones count as errors (M3IC, 4.3.1).
    """
    table = contingency_table(labels_true, labels_pred)
    rows, columns = scipy.optimize.linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def average_entropy(labels_true: Labels, labels_pred: Labels, base: float | None = None) -> float:
    """Entropy of the classes in a cluster, averaged over items: 0 when every cluster is pure.

    In nats, or to the logarithm of ``base`` (Kriegel et al., who do not give theirs).
    """
    table = contingency_table(labels_true, labels_pred).astype(np.float64)
    nats = -float(scipy.special.xlogy(table, table / table.sum(axis=0)).sum()) / float(table.sum())
    entropy = nats if base is None else nats / float(np.log(base))
    return max(0.0, entropy)


def f_measure(
    labels_true: Labels,
    labels_pred: Labels,
    average: Literal["macro", "weighted"] = "macro",
) -> float:
    """F1 of the classes, every cluster standing for its majority class (Kriegel et al.).

    ``average`` is over classes, plainly or weighted by their size. A majority tie goes to the
    lowest class; a class that no cluster stands for scores 0. Kriegel et al. do not write the
    formula out; this reading fits the values that they report.
    """
    if average not in ("macro", "weighted"):
        raise ClusteringError(f"average must be macro or weighted, not {average!r}")
    table = contingency_table(labels_true, labels_pred)
    stands_for = table.argmax(axis=0)
    of_class = table.sum(axis=1)
    right = np.bincount(stands_for, table.max(axis=0), minlength=len(table))
    claimed = np.bincount(stands_for, table.sum(axis=0), minlength=len(table))
    scores = 2 * right / (claimed + of_class)
    return float(scores.mean() if average == "macro" else scores @ of_class / of_class.sum())


def class_best_f(labels_true: Labels, labels_pred: Labels) -> float:
    """Best F1 that any single cluster reaches for a class, averaged over items (Larsen & Aone)."""
    table = contingency_table(labels_true, labels_pred)
    of_class = table.sum(axis=1)
    f = 2 * table / (of_class[:, None] + table.sum(axis=0))
    return float(f.max(axis=1) @ of_class / of_class.sum())


def adjusted_rand_index(labels_true: Labels, labels_pred: Labels) -> float:
    """Pair-counting agreement, corrected for chance: 0 for random clusters, 1 for equal ones."""
    true, pred = _known_items(labels_true, labels_pred)
    clusters, place = np.unique(pred, return_inverse=True)
    of_both = np.unique(true, return_inverse=True)[1] * len(clusters) + place
    n, n_true, n_pred = len(true) * (len(true) - 1), _pairs_within(true), _pairs_within(place)
    together = _pairs_within(of_both)
    only_true, only_pred = n_true - together, n_pred - together
    if not only_true and not only_pred:
        return 1.0
    apart = n - n_true - only_pred
    agreed = 2.0 * (together * apart - only_true * only_pred)
    return agreed / (n_true * (only_true + apart) + n_pred * (only_pred + apart))


def _pairs_within(labels: IntArray) -> int:
    """Ordered pairs of items that have the same label."""
    sizes = np.unique(labels, return_counts=True)[1]
    return sum(size * (size - 1) for size in sizes.tolist())


def adjusted_mutual_info(labels_true: Labels, labels_pred: Labels) -> float:
    """Mutual information, corrected for chance (arithmetic mean of the entropies)."""
    from sklearn.metrics import adjusted_mutual_info_score

    return float(adjusted_mutual_info_score(*_known_items(labels_true, labels_pred)))


METRICS: dict[str, Callable[[Labels, Labels], float]] = {
    "normalized_mutual_info": normalized_mutual_info,
    "purity": purity,
    "clustering_accuracy": clustering_accuracy,
    "average_entropy": average_entropy,
    "f_measure": f_measure,
    "class_best_f": class_best_f,
    "adjusted_rand_index": adjusted_rand_index,
    "adjusted_mutual_info": adjusted_mutual_info,
}
"""Measures that need nothing but classes and clusters, by name, with their default options."""


def all_metrics(labels_true: Labels, labels_pred: Labels) -> dict[str, float]:
    """Evaluate every measure of :data:`METRICS`."""
    return {name: metric(labels_true, labels_pred) for name, metric in METRICS.items()}


def mean_silhouette(
    X: npt.ArrayLike,
    labels: Labels,
    *,
    max_instances: int = 5000,
    random_state: int = 0,
) -> float:
    """Mean over instances of (b - a) / max(a, b), from -1 to 1.

    a is an instance's mean distance to its own cluster, b that to the nearest other one; an
    instance that is alone in its cluster counts 0. Needs no truth.

    Parameters
    ----------
    X : array_like, shape (n_instances, n_features)
        Features or embedding.
    labels : array_like of int, shape (n_instances,)
        Clusters.
    max_instances : int
        With more instances than this the mean is taken over a random sample of so many.
    random_state : int
        Seed of the sample.

    Returns
    -------
    float
        0 when there is one cluster only, or every instance has its own.
    """
    features, clusters = np.asarray(X, dtype=np.float64), np.asarray(labels)
    if features.ndim != 2 or clusters.shape != (len(features),):
        raise ClusteringError(
            f"X {features.shape} and labels {clusters.shape} must have one row per instance"
        )
    if len(features) > max_instances:
        rng = np.random.default_rng(random_state)
        sample = np.sort(rng.choice(len(features), max_instances, replace=False))
        features, clusters = features[sample], clusters[sample]
    names, cluster = np.unique(clusters, return_inverse=True)
    if not 2 <= len(names) < len(clusters):
        return 0.0
    return float(_silhouettes(features, cluster).mean())


def _silhouettes(features: FloatArray, cluster: IntArray) -> FloatArray:
    """(b - a) / max(a, b) of every instance, with clusters from 0."""
    member = (cluster[:, None] == np.arange(cluster.max() + 1)).astype(np.float64)
    sizes = member.sum(axis=0)
    squares = (features**2).sum(axis=1)
    found = np.zeros(len(features))
    for start in range(0, len(features), _BLOCK_ROWS):
        rows = np.arange(start, min(start + _BLOCK_ROWS, len(features)))
        squared = 2 * features[rows] @ features.T
        np.subtract(squares[rows, None], squared, out=squared)
        squared += squares
        # Rounding leaves a little, or less than nothing, of a distance to itself.
        squared[np.arange(len(rows)), rows] = 0.0
        distances = np.sqrt(np.maximum(squared, 0.0, out=squared), out=squared)
        sums = distances @ member
        to_others = sums / sizes
        place, own = np.arange(len(rows)), cluster[rows]
        inside = sums[place, own] / np.maximum(sizes[own] - 1, 1)
        to_others[place, own] = np.inf
        nearest = to_others.min(axis=1)
        larger = np.maximum(inside, nearest)
        counted = (sizes[own] > 1) & (larger > 0)
        np.divide(nearest - inside, larger, out=found[start : start + len(rows)], where=counted)
    return found


def _known_items(
    labels_true: Labels, labels_pred: Labels
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Both label lists, checked, without the items of unknown class."""
    true, pred = np.asarray(labels_true), np.asarray(labels_pred)
    if true.ndim != 1 or true.shape != pred.shape:
        raise ClusteringError(
            f"labels_true and labels_pred must be lists of equal length, "
            f"not of shapes {true.shape} and {pred.shape}"
        )
    for name, labels in (("labels_true", true), ("labels_pred", pred)):
        if labels.size and not np.issubdtype(labels.dtype, np.integer):
            raise ClusteringError(f"{name} must hold whole numbers, not {labels.dtype}")
    known = true >= 0
    if not known.any():
        raise ClusteringError("nothing to evaluate: no item has a known class (0 or above)")
    return true[known], pred[known]
