"""What a clustering keeps of its syllables, so that others can be placed beside them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.disambiguation.cluster_species import ClusterSpecies
from algorithms.metric.base import MetricLearner
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.store import Workspace

Ints = npt.NDArray[np.int64]


def clustering_model(
    workspace: Workspace,
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
    raw = workspace.syllables(FEATURE_NAMES).to_numpy(dtype=float)
    centres = [bags.X[cluster == number].mean(axis=0) for number in range(int(cluster.max()) + 1)]
    return {
        "settings": np.array(json.dumps(workspace.settings.to_dict(), sort_keys=True)),
        "feature_names": np.array(FEATURE_NAMES),
        "feature_mean": raw.mean(axis=0),
        "feature_sd": raw.std(axis=0),
        # a row per syllable, in the order of the assignments; half the size is precise enough
        "features": bags.X.astype(np.float32),
        "cluster_centres": np.array(centres),
        "cluster_species_probability": found.theta,
        "class_names": np.array(bags.class_names, dtype=np.str_),
        **{
            name: getattr(clusterer, f"{name}_")
            for name in ("embedding", "eigenvalues")
            if hasattr(clusterer, f"{name}_")
        },
        **({} if learner is None else {"metric_map": learner.components_}),
    }
