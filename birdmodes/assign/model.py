"""The syllables of a clustering as examples, beside which others are placed."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.preprocessing.standardizer import Standardizer
from birdmodes.errors import WorkspaceError
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.features.space import FeatureSpace
from birdmodes.modes.placing import allowed_clusters, mapped
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.store import Workspace

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_SAME = 1e-4  # of a standard deviation: what is lost by keeping features in 32 bits, and to spare


@dataclass(frozen=True, eq=False)
class Training:
    """The syllables of a clustering as examples of its clusters.

    Attributes
    ----------
    X : ndarray, shape (n_syllables, n_columns)
        Their places, see `places`.
    cluster : ndarray of int64, shape (n_syllables,)
        Row of `modes` that each belongs to.
    group : ndarray of int64, shape (n_syllables,)
        Its recording; its clip where there is one recording only.
    allowed : ndarray of bool, shape (n_syllables, n_clusters)
        Rows of `modes` that the labels of its bag leave; see `allowed_clusters`.
    modes : pandas.DataFrame
        The clustering's modes that have syllables, numbered from 0.
    scale : Standardizer
        Of the features.
    metric_map : ndarray, shape (n_features, n_columns), or None
        Maps standardised features into the space of the metric that the clustering went by, if
        that was learned.
    space : FeatureSpace
        Of the features.
    """

    X: Floats
    cluster: Ints
    group: Ints
    allowed: Bools
    modes: pd.DataFrame
    scale: Standardizer
    metric_map: Floats | None
    space: FeatureSpace

    def places(self, features: Floats) -> Floats:
        """Features in any number of rows, standardised and mapped as those of the clustering."""
        return mapped(self.scale.transform(features), self.metric_map)


def read_training(workspace: Workspace, clustering: Clustering) -> Training:
    """Read a clustering's syllables as examples, after a check that they are what they were.

    Parameters
    ----------
    workspace : Workspace
        Where the clustering is.
    clustering : Clustering
        By any method; it may have been corrected since.

    Raises
    ------
    WorkspaceError
        If an earlier version made it, or its features or the settings they were made with are not
        those of the workspace.
    """
    model, name = clustering.model, clustering.name
    for fact, command in (("assigned_from", "assign"), ("annotated_by", "annotate")):
        if fact in clustering.parameters:
            raise WorkspaceError(
                f"clustering {name!r}: is itself what 'birdmodes {command}' wrote; name the "
                "workspace that this was made from with --workspace"
            )
    if "features" not in model or "settings" not in model:
        raise WorkspaceError(
            f"clustering {name!r}: made by a birdmodes that did not keep what new recordings are "
            "compared with; run 'birdmodes cluster' again"
        )
    _check_settings(workspace, name, str(model["settings"]))
    space = FeatureSpace.from_model(model)
    if model["feature_names"].tolist() != space.column_names:
        raise WorkspaceError(
            f"clustering {name!r}: made from other features than this birdmodes computes; run "
            "'birdmodes segment --restart' and 'birdmodes cluster' again"
        )
    X = np.asarray(model["features"], dtype=np.float64)
    varies = X.any(axis=0)
    sd = np.where(varies, model["feature_sd"], np.inf)
    material = SyllableMaterial(workspace)
    # in the order of the assignments: that is how the features were stored
    order = pd.Index(material.syllables["syllable"]).get_indexer(clustering.assignments["syllable"])
    syllables = material.syllables.iloc[order]
    scale = Standardizer.kept(np.asarray(model["feature_mean"], dtype=np.float64), sd)
    if not _same_features(space, material, order, X, scale):
        raise WorkspaceError(
            f"clustering {name!r}: its syllables have other features than the workspace holds "
            "now; run 'birdmodes cluster' again"
        )
    cluster_numbers, cluster = np.unique(clustering.assignments["cluster"], return_inverse=True)
    modes = clustering.modes.set_index("cluster").loc[cluster_numbers].reset_index()
    bags = bags_table(workspace.recordings())
    position = pd.Series(np.arange(len(bags)), index=bags["bag"])
    allowed = allowed_clusters(bags, modes)[position.loc[syllables["bag"]].to_numpy()]
    learned = model.get("metric_map")
    return Training(
        mapped(X, learned), cluster, _groups(syllables), allowed, modes, scale, learned, space
    )


def _same_features(
    space: FeatureSpace, material: SyllableMaterial, order: Ints, X: Floats, scale: Standardizer
) -> bool:
    """Whether the syllables still have the features that were clustered.

    A table of the user's is not looked at: it may be elsewhere by now, and what it said of these
    syllables is known.
    """
    if X.shape != (len(order), len(scale.mean_)):
        return False
    for part, one in zip(space.parts, space.sets, strict=True):
        if one is not space.table:
            now = (one.columns(material)[order] - scale.mean_[part]) / scale.scale_[part]
            if not np.allclose(X[:, part], now, rtol=_SAME, atol=_SAME):
                return False
    return True


def _check_settings(workspace: Workspace, name: str, stored: str) -> None:
    try:
        changed = workspace.settings.differences(json.loads(stored))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorkspaceError(
            f"clustering {name!r}: model.npz is damaged ({error!r}); run 'birdmodes cluster' again"
        ) from error
    if changed:
        raise WorkspaceError(
            f"clustering {name!r}: its syllables were found with other parameters than this "
            f"workspace now has ({'; '.join(changed)}); run 'birdmodes segment --restart' and "
            "'birdmodes cluster' again"
        )


def _groups(syllables: pd.DataFrame) -> Ints:
    """Number what is left out together when the placing is tried out."""
    for columns in (["recording"], ["recording", "clip"]):
        group = np.asarray(syllables.groupby(columns).ngroup(), dtype=np.int64)
        if group.max() > 0:
            return group
    return np.arange(len(syllables))
