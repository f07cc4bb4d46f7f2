"""What a clustering keeps of its syllables, so that others can be placed beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.disambiguation.cluster_species import ClusterSpecies
from algorithms.preprocessing import standardize
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.features.describe import DescribedSyllables
from birdmodes.modes.features.space import FeatureSpace
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    from algorithms.metric.base import MetricLearner

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def clustering_model(
    workspace: Workspace,
    described: DescribedSyllables,
    bags: Bags,
    cluster: Ints,
    found: ClusterSpecies,
    clusterer: Any,
    learner: MetricLearner | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """Arrays of ``model.npz``: what explains the run, and what new syllables are placed by.

    Parameters
    ----------
    workspace : Workspace
        Where the syllables are.
    described : DescribedSyllables
        They, and their features.
    bags : Bags
        What was clustered.
    cluster : ndarray of int64, shape (n_syllables,)
        Clusters, from 0.
    found : ClusterSpecies
        Species of the clusters.
    clusterer : object
        The fitted method.
    learner : MetricLearner, optional
        The metric that it went by, if that was learned.
    """
    centres = [bags.X[cluster == number].mean(axis=0) for number in range(int(cluster.max()) + 1)]
    return {
        "settings": np.array(json.dumps(workspace.settings.to_dict(), sort_keys=True)),
        **described.space.to_model(),
        **kept_features(described.space, bags.X),
        "feature_mean": described.scale.mean_,
        "feature_sd": described.scale.scale_,
        "cluster_centres": np.array(centres),
        "cluster_species_probability": found.theta,
        "class_names": np.array(bags.class_names, dtype=np.str_),
        **_embedding(clusterer),
        **({} if learner is None else {"metric_map": learner.components_}),
    }


def _embedding(clusterer: Any) -> dict[str, npt.NDArray[np.float32]]:
    """What a method made of the features, as far as it says so; half the size is precise enough."""
    if hasattr(clusterer, "embedded"):  # class by class: as a whole it takes much memory
        of_class = clusterer.class_of_cluster_[clusterer.labels_]
        found = np.empty((len(of_class), clusterer.centres_.shape[1]), dtype=np.float32)
        for name in np.unique(of_class):
            rows = np.flatnonzero(of_class == name)
            found[rows] = clusterer.embedded(rows)
        return {"embedding": found}
    return {
        name: getattr(clusterer, f"{name}_").astype(np.float32)
        for name in ("embedding", "eigenvalues")
        if hasattr(clusterer, f"{name}_")
    }


def kept_features(space: FeatureSpace, features: Floats) -> dict[str, npt.NDArray[Any]]:
    """Arrays of ``model.npz`` that say how the syllables of a clustering are described.

    Parameters
    ----------
    space : FeatureSpace
        Of the features.
    features : ndarray, shape (n_syllables, n_columns)
        Standardised, a row per syllable, in the order of the assignments.
    """
    # Half the size is precise enough.
    return {
        "feature_names": np.array(space.column_names),
        "features": features.astype(np.float32),
    }


def features_of(workspace: Workspace, clustering: Clustering) -> Floats:
    """Standardised features that a clustering was made with.

    Parameters
    ----------
    workspace : Workspace
        Where the syllables are.
    clustering : Clustering
        A clustering of them.

    Returns
    -------
    ndarray, shape (n_syllables, n_columns)
        A row for each row of ``workspace.syllables()``; the 38 features where the clustering, of an
        earlier version, has not kept its own.
    """
    stored = clustering.model.get("features")
    if stored is not None and len(stored) == len(clustering.assignments):
        return np.asarray(stored, dtype=np.float64)
    return standardize(workspace.syllables(FEATURE_NAMES).to_numpy(dtype=float))


def clustering_space(workspace: Workspace, clustering: Clustering) -> Floats:
    """Coordinates in which the syllables were clustered.

    Parameters
    ----------
    workspace : Workspace
        Where the syllables are.
    clustering : Clustering
        A clustering of them.

    Returns
    -------
    ndarray, shape (n_syllables, n_columns)
        A row for each row of ``workspace.syllables()``: what the method made of the features where
        it kept that, else the standardised features that it was given.
    """
    embedding = clustering.model.get("embedding")
    rows = len(clustering.assignments)
    if embedding is not None and embedding.ndim == 2 and len(embedding) == rows:
        return np.asarray(embedding, dtype=np.float64)
    return features_of(workspace, clustering)
