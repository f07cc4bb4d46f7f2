"""How many clusters a set of instances falls into: six criteria, each with its curve over k.

All work in the leading principal components of the instances: :func:`eigengap` with an affinity
graph, :func:`bic` with Gaussian mixtures, the others with k-means. `docs/mode_counts.md` says how
often each is right.

References
----------
Ng, Jordan & Weiss, On spectral clustering, NIPS 2001, and von Luxburg, A tutorial on spectral
clustering, 2007, for the eigengap; Rousseeuw, Silhouettes, J. Comput. Appl. Math. 1987; Schwarz,
Estimating the dimension of a model, Ann. Statist. 1978; Tibshirani, Walther & Hastie, Estimating
the number of clusters via the gap statistic, J. R. Statist. Soc. B 2001; Tibshirani & Walther,
Cluster validation by prediction strength, J. Comput. Graph. Statist. 2005; Ben-Hur, Elisseeff &
Guyon, A stability based method for discovering structure in clustered data, PSB 2002.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.graph import build_affinity
from algorithms.metrics import adjusted_rand_index, mean_silhouette
from algorithms.small_kmeans import SmallKMeans
from algorithms.threads import one_thread

CRITERIA = ("eigengap", "silhouette", "bic", "gap", "prediction_strength", "stability")
"""Names of the criteria."""

K_MAX = 8
"""Largest number of clusters that is tried."""

MAX_INSTANCES = 500
"""Of more instances a random sample of so many is looked at."""

N_COMPONENTS = 10
"""Principal components that are kept: what distinguishes modes, with less of the noise."""

SILHOUETTE_LIMIT = 0.25
"""Below this mean silhouette there is no structure (Kaufman & Rousseeuw 1990): one cluster."""

STRENGTH_LIMIT = 0.8
"""Clusters that are predicted at least so well are there (Tibshirani & Walther: 0.8 to 0.9)."""

STABILITY_LIMIT = 0.8
"""Clusters whose mean adjusted Rand index is at least this are stable."""

_SPLITS = 10  # into halves of the bags, and pairs of samples of them
_SAMPLE_SHARE = 0.8
_REFERENCES = 10  # uniform data sets of the gap statistic
_LOCAL_SCALE = 7  # neighbour that sets the local scale of an affinity
_STARTS = 3  # of a k-means
_MIXTURE_STARTS = 2
_LEAST_VARIANCE = 1e-3  # of a mixture's component along an axis, as a share of the data's


@dataclass(frozen=True, eq=False)
class CountCurve:
    """One criterion over the number of clusters.

    Attributes
    ----------
    values : ndarray, shape (k_max,)
        Value at k = 1, 2, ...; NaN where it is not defined.
    k : int
        Number of clusters that the criterion finds; 1 where nothing is defined.
    """

    values: FloatArray
    k: int


def mode_counts(
    X: npt.ArrayLike,
    bag: npt.ArrayLike,
    *,
    k_max: int = K_MAX,
    random_state: int = 0,
) -> dict[str, CountCurve]:
    """Evaluate every criterion on a set of instances, such as those of one species.

    Parameters
    ----------
    X : array_like, shape (n_instances, n_features)
        Features, in comparable units.
    bag : array_like of int, shape (n_instances,)
        Bag of each instance. What is found in some bags has to be found in others.
    k_max : int
        Largest number of clusters. Fewer are tried when there are fewer different instances.
    random_state : int
        Seed.

    Returns
    -------
    dict of str to CountCurve
        By the names of `CRITERIA`; `k_max` values each.

    Raises
    ------
    ClusteringError
        When the arrays do not fit each other or hold no finite numbers, or `k_max` is below 1.
    """
    features, bags = _checked(X, bag, k_max)
    rng = np.random.default_rng(random_state)
    if len(features) > MAX_INSTANCES:
        sample = np.sort(rng.choice(len(features), MAX_INSTANCES, replace=False))
        features, bags = features[sample], bags[sample]
    n_different = len(np.unique(features, axis=0)) if len(features) else 0
    limit = max(1, min(k_max, n_different - 1))
    seed = int(rng.integers(2**31))
    with one_thread():
        points = principal_components(features)
        curves = {
            "eigengap": eigengap(points, limit),
            "silhouette": silhouette(points, limit, seed),
            "bic": bic(points, limit, seed),
            "gap": gap_statistic(points, limit, seed),
            "prediction_strength": prediction_strength(points, bags, limit, seed),
            "stability": bootstrap_stability(points, bags, limit, seed),
        }
    missing = np.full(k_max - limit, np.nan)
    return {
        name: CountCurve(np.concatenate([curve.values, missing]), curve.k)
        for name, curve in curves.items()
    }


def principal_components(X: FloatArray, n_components: int = N_COMPONENTS) -> FloatArray:
    """Coordinates along the leading principal components, not rescaled.

    Returns
    -------
    ndarray, shape (n_instances, <= n_components)
    """
    if not X.size:
        return X
    U, singular, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    scores: FloatArray = (U * singular)[:, :n_components]
    # The sign of a component is arbitrary and may differ between machines.
    return scores * np.where(
        scores[np.abs(scores).argmax(axis=0), range(scores.shape[1])] < 0, -1, 1
    )


def eigengap(X: FloatArray, k_max: int) -> CountCurve:
    """Gap lambda_k - lambda_(k+1) of the normalised affinity of the instances; the largest wins.

    Optimistic for elongated clusters, which fall to pieces in the graph.
    """
    if k_max < 2:
        return _single(k_max)
    t = min(_LOCAL_SCALE, len(X) - 1)
    affinity = build_affinity(X, graph="dense", n_neighbors=t + 1, t=t)
    inverse_root = 1.0 / np.sqrt(affinity.degrees())
    normalised = inverse_root[:, None] * np.asarray(affinity.W) * inverse_root
    return eigengap_of(np.linalg.eigvalsh(normalised)[::-1], k_max)


def eigengap_of(eigenvalues: npt.ArrayLike, k_max: int) -> CountCurve:
    """Gaps between eigenvalues in falling order, at least ``k_max + 1`` of them."""
    leading = np.asarray(eigenvalues, dtype=np.float64)[: k_max + 1]
    gaps = leading[:-1] - leading[1:]
    return CountCurve(gaps, int(gaps.argmax()) + 1)


def silhouette(X: FloatArray, k_max: int, seed: int) -> CountCurve:
    """Mean silhouette; the largest wins if it reaches `SILHOUETTE_LIMIT`, else one cluster."""
    values = np.full(k_max, np.nan)
    for k in range(2, k_max + 1):
        values[k - 1] = mean_silhouette(X, _kmeans(X, k, seed).labels)
    if k_max < 2 or np.nanmax(values) < SILHOUETTE_LIMIT:
        return CountCurve(values, 1)
    return CountCurve(values, int(np.nanargmax(values)) + 1)


def bic(X: FloatArray, k_max: int, seed: int) -> CountCurve:
    """Bayesian information criterion of Gaussian mixtures with diagonal covariances; least wins.

    -2 log L + p log n, with p = k (2 d + 1) - 1 parameters.
    """
    if k_max < 2:
        return _single(k_max)
    least = _LEAST_VARIANCE * float(X.var(axis=0).max())
    values = np.empty(k_max)
    for k in range(1, k_max + 1):
        mixture = GaussianMixture(
            k, covariance_type="diag", n_init=_MIXTURE_STARTS, reg_covar=least, random_state=seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the best so far will do
            values[k - 1] = mixture.fit(X).bic(X)
    return CountCurve(values, int(values.argmin()) + 1)


def gap_statistic(X: FloatArray, k_max: int, seed: int) -> CountCurve:
    """Gap(k) = mean_b log W*_kb - log W_k, W the sum of squares within the clusters.

    W* is that of data sets that are uniform in the box of the principal components. The smallest
    k with Gap(k) >= Gap(k + 1) - s_(k+1) wins; s = sd_b sqrt(1 + 1 / B).
    """
    if k_max < 2:
        return _single(k_max)
    rng = np.random.default_rng(seed)
    low, high = X.min(axis=0), X.max(axis=0)
    observed = _log_within(X, k_max, _STARTS, seed)
    references = np.array(
        [
            _log_within(rng.uniform(low, high, X.shape), k_max, 1, seed + b)
            for b in range(_REFERENCES)
        ]
    )
    gaps: FloatArray = references.mean(axis=0) - observed
    spread = references.std(axis=0) * np.sqrt(1 + 1 / _REFERENCES)
    enough = np.flatnonzero(gaps[:-1] >= gaps[1:] - spread[1:])
    return CountCurve(gaps, int(enough[0]) + 1 if len(enough) else k_max)


def prediction_strength(X: FloatArray, bag: IntArray, k_max: int, seed: int) -> CountCurve:
    """How well clusters of one half of the bags predict those of the other; the largest good k.

    Both halves are clustered. For each cluster of one: the share of its pairs that the centres of
    the other half put together, too. The strength is that of the worst cluster, averaged over
    both directions and over splits; a cluster without a pair has none. The largest k whose
    strength is at least `STRENGTH_LIMIT` wins; one cluster has strength 1.
    """
    if k_max < 2 or len(np.unique(bag)) < 2:
        return _single(k_max)
    rng = np.random.default_rng(seed)
    values = np.zeros((_SPLITS, k_max))
    values[:, 0] = 1.0
    for split in range(_SPLITS):
        half = _bags_drawn(bag, 0.5, rng)
        first, second = X[half], X[~half]
        for k in range(2, min(k_max, len(first), len(second)) + 1):
            models = _kmeans(first, k, seed + split), _kmeans(second, k, seed + split)
            there = weakest_cluster(models[1].labels, models[0].predict(second))
            back = weakest_cluster(models[0].labels, models[1].predict(first))
            values[split, k - 1] = (there + back) / 2
    return _largest_at_least(values.mean(axis=0), STRENGTH_LIMIT)


def weakest_cluster(labels: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Over clusters, the least share of pairs of instances that are together in `predicted` too.

    Parameters
    ----------
    labels : array_like of int, shape (n_instances,)
        Clusters.
    predicted : array_like of int, shape (n_instances,)
        Clusters of the same instances, found otherwise, from 0.

    Returns
    -------
    float
        0 if some cluster has a single instance.
    """
    clusters, other = np.unique(labels, return_inverse=True)[1], np.asarray(predicted)
    table = np.zeros((int(clusters.max()) + 1, int(other.max()) + 1))
    np.add.at(table, (clusters, other), 1)
    sizes = table.sum(axis=1)
    together = (table * (table - 1)).sum(axis=1)
    return float((together / np.maximum(sizes * (sizes - 1), 1)).min())


def bootstrap_stability(X: FloatArray, bag: IntArray, k_max: int, seed: int) -> CountCurve:
    """Agreement of the clusters of two samples of bags, on what both have; the largest good k.

    Mean adjusted Rand index over pairs of samples of 80 % of the bags. The largest k that reaches
    `STABILITY_LIMIT` wins; one cluster has stability 1.
    """
    if k_max < 2 or len(np.unique(bag)) < 2:
        return _single(k_max)
    rng = np.random.default_rng(seed)
    values = np.zeros((_SPLITS, k_max))
    values[:, 0] = 1.0
    for pair in range(_SPLITS):
        one, other = (_bags_drawn(bag, _SAMPLE_SHARE, rng) for _ in range(2))
        both = X[one & other]
        for k in range(2, min(k_max, int(one.sum()), int(other.sum())) + 1):
            if len(both):
                labels = [_kmeans(X[drawn], k, seed + pair).predict(both) for drawn in (one, other)]
                values[pair, k - 1] = adjusted_rand_index(*labels)
    return _largest_at_least(values.mean(axis=0), STABILITY_LIMIT)


def _single(k_max: int) -> CountCurve:
    """Curve of a criterion that has nothing to compare."""
    return CountCurve(np.full(k_max, np.nan), 1)


def _largest_at_least(values: FloatArray, limit: float) -> CountCurve:
    return CountCurve(values, int(np.flatnonzero(values >= limit).max()) + 1)


def _bags_drawn(bag: IntArray, share: float, rng: np.random.Generator) -> BoolArray:
    """Draw a share of the bags, at least one and not all; tell which instances are in them."""
    names = np.unique(bag)
    n_drawn = min(len(names) - 1, max(1, round(share * len(names))))
    return np.isin(bag, rng.permutation(names)[:n_drawn])


def _kmeans(X: FloatArray, k: int, seed: int, starts: int = _STARTS) -> SmallKMeans:
    return SmallKMeans.fit(X, k, starts=starts, seed=seed)


def _log_within(X: FloatArray, k_max: int, starts: int, seed: int) -> FloatArray:
    within = [_kmeans(X, k, seed, starts).inertia for k in range(1, k_max + 1)]
    return np.asarray(np.log(np.maximum(within, np.finfo(np.float64).tiny)))


def _checked(X: npt.ArrayLike, bag: npt.ArrayLike, k_max: int) -> tuple[FloatArray, IntArray]:
    features, bags = np.asarray(X, dtype=np.float64), np.asarray(bag)
    if features.ndim != 2 or bags.shape != (len(features),):
        raise ClusteringError(
            f"X {features.shape} and bag {bags.shape} must have one row per instance"
        )
    if not np.isfinite(features).all():
        raise ClusteringError("X holds numbers that are not finite: leave these instances out")
    if k_max < 1:
        raise ClusteringError(f"k_max must be at least 1, not {k_max}")
    return features, bags.astype(np.int64)
