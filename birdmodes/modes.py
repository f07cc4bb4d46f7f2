"""``cluster``: syllables to vocal modes, using the species of the recordings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags, make_clusterer
from algorithms.base import ClusteringError, ClusteringWarning
from algorithms.disambiguation.cluster_species import ClusterSpecies, species_of_clusters
from algorithms.metrics import adjusted_rand_index, mean_silhouette
from algorithms.preprocessing import standardize
from birdmodes import __version__
from birdmodes.clusterings import MODE_COLUMNS, UNSURE_BELOW, Clustering
from birdmodes.errors import BirdmodesError
from birdmodes.features import FEATURE_NAMES
from birdmodes.labels import split_species
from birdmodes.tables import bags_table
from birdmodes.workspace import Workspace

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STABILITY_RUNS = 3


@dataclass(frozen=True)
class ClusterOptions:
    """How to cluster.

    Attributes
    ----------
    method : str
        Name of an instance clusterer, a key of `algorithms.METHODS`.
    k : int or None
        Number of clusters; None takes two for each species, as Pei & Fern (2013) do.
    seed : int
        Same seed, same result.
    method_parameters : dict
        Further parameters of the method, such as ``{"alpha": 0.7}``.
    stability_runs : int
        How often to cluster again with other seeds to see whether the answer stays.
    """

    method: str = "csp"
    k: int | None = None
    seed: int = 0
    method_parameters: dict[str, Any] = field(default_factory=dict)
    stability_runs: int = STABILITY_RUNS


@dataclass(frozen=True)
class ModeResult:
    """A clustering and what the user should know of it.

    Attributes
    ----------
    clustering : Clustering
        Ready to be written.
    warnings : list of str
        A line each.
    """

    clustering: Clustering
    warnings: list[str]


def workspace_bags(workspace: Workspace) -> tuple[Bags, pd.DataFrame]:
    """Bags of a workspace, with standardised features.

    Parameters
    ----------
    workspace : Workspace
        With at least one syllable.

    Returns
    -------
    bags : Bags
        A row of `X` per syllable; bags without syllables are among the bags; classes are the
        species, in alphabetical order.
    syllables : pandas.DataFrame
        The syllables, in the order of the rows.

    Raises
    ------
    BirdmodesError
        If the workspace has no syllables.
    """
    syllables = workspace.syllables()
    if syllables.empty:
        raise BirdmodesError(
            f"{workspace.folder}: no syllables to cluster; see errors.csv there, and check that "
            "the recordings are not silent"
        )
    table = bags_table(workspace.recordings())
    species = [set(split_species(text)) for text in table["species"]]
    class_names = sorted(set().union(*species))
    labels = np.array([[name in names for name in class_names] for names in species], dtype=bool)
    number = pd.Series(np.arange(len(table)), index=table["bag"])
    bags = Bags(
        standardize(syllables[list(FEATURE_NAMES)].to_numpy(dtype=float)),
        number.loc[syllables["bag"]].to_numpy(),
        labels.reshape(len(table), len(class_names)),
        labelled=table["labelled"].to_numpy(dtype=bool),
        class_names=class_names,
    )
    return bags, syllables


def find_modes(
    workspace: Workspace,
    options: ClusterOptions,
    name: str | None = None,
    *,
    on_step: Callable[[str], None] | None = None,
) -> ModeResult:
    """Cluster a workspace's syllables and give each cluster its species.

    Parameters
    ----------
    workspace : Workspace
        What ``segment`` made.
    options : ClusterOptions
        How.
    name : str, optional
        Name of the clustering; by default method and number of clusters, as in ``csp-k26``.
    on_step : callable, optional
        Called with a line at the start of each step.

    Raises
    ------
    BirdmodesError
        If there is nothing to cluster, or the method refuses.
    """
    say = on_step or (lambda line: None)
    bags, syllables = workspace_bags(workspace)
    k = options.k if options.k is not None else default_k(bags)
    say(f"{bags.n_instances} syllables, {bags.n_bags} bags, {bags.n_classes} species, {k} clusters")
    clusterer, notes = _fit(bags, options, k, options.seed)
    cluster, centrality = _compact(clusterer.labels_, clusterer.embedding_)
    n_clusters = int(cluster.max()) + 1
    say("species of each cluster")
    found = species_of_clusters(cluster, bags, n_clusters)
    modes = _mode_table(cluster, bags, syllables, found)
    assignments = _assignments(cluster, centrality, syllables, modes, found)
    say("how good the clustering is")
    metrics = _metrics(bags, cluster, modes, found, options, k)
    parameters = {
        "birdmodes": __version__,
        "method": options.method,
        "k": k,
        "seed": options.seed,
        **options.method_parameters,
        "graph": getattr(clusterer, "graph_", None),
        "alpha_effective": getattr(clusterer, "alpha_effective_", None),
        "syllables": bags.n_instances,
        "recordings": int(syllables["recording"].nunique()),
        "species": bags.n_classes,
    }
    model = _model(workspace, bags, cluster, found, clusterer)
    name = name or f"{options.method}-k{k}"
    clustering = Clustering(name, assignments, modes, metrics, parameters, model)
    return ModeResult(clustering, notes + _advice(bags, modes))


def default_k(bags: Bags) -> int:
    """Two clusters for each species, as far as there are syllables.

    Raises
    ------
    BirdmodesError
        If no recording has a species.
    """
    if bags.n_classes == 0:
        raise BirdmodesError(
            "no recording has a species, so the number of clusters must be given with --k; to "
            "find modes per species, run 'birdmodes segment --labels labels.csv' again"
        )
    return max(1, min(2 * bags.n_classes, bags.n_instances - 1))


def _fit(bags: Bags, options: ClusterOptions, k: int, seed: int) -> tuple[Any, list[str]]:
    try:
        clusterer = make_clusterer(
            options.method, n_clusters=k, random_state=seed, **options.method_parameters
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ClusteringWarning)
            clusterer.fit(bags)
    except ClusteringError as error:
        raise BirdmodesError(str(error)) from error
    notes = [str(item.message) for item in caught if item.category is ClusteringWarning]
    return clusterer, list(dict.fromkeys(notes))


def _compact(labels: Ints, embedding: Floats) -> tuple[Ints, Floats]:
    """Number the clusters that have syllables from 0, and rank syllables by closeness.

    Returns
    -------
    cluster : ndarray of int, shape (n_instances,)
        0..n_clusters-1, larger clusters first, so that numbers do not depend on the rounding.
    centrality : ndarray of float, shape (n_instances,)
        1 for the syllable nearest its cluster's mean in the embedding, falling evenly with rank.
    """
    names, cluster, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    position = np.empty(len(names), dtype=np.int64)
    position[order] = np.arange(len(names))
    cluster = position[cluster]
    centrality = np.empty(len(cluster))
    for number in range(len(names)):
        members = np.flatnonzero(cluster == number)
        distance = np.linalg.norm(embedding[members] - embedding[members].mean(axis=0), axis=1)
        nearest = members[np.argsort(distance.round(9), kind="stable")]
        centrality[nearest] = 1.0 - np.arange(len(members)) / len(members)
    return cluster, centrality


def _mode_table(
    cluster: Ints, bags: Bags, syllables: pd.DataFrame, found: ClusterSpecies
) -> pd.DataFrame:
    """A row per cluster, species by species, the largest mode first."""
    groups = pd.DataFrame({"cluster": cluster, "recording": syllables["recording"]}).groupby(
        "cluster"
    )
    belongs = (found.species >= 0) & ~found.background
    number = np.arange(len(found.species))
    table = pd.DataFrame(
        {
            "cluster": number,
            "species": [bags.class_names[c] if c >= 0 else "" for c in found.species],
            "background": found.background,
            "syllables": groups.size().to_numpy(),
            "recordings": groups["recording"].nunique().to_numpy(),
            "confidence": found.confidence,
            "consistency": [
                found.consistency[g, c] if c >= 0 else np.nan
                for g, c in zip(number, found.species, strict=True)
            ],
            "p_value": [
                found.p_value[g, c] if c >= 0 else np.nan
                for g, c in zip(number, found.species, strict=True)
            ],
        }
    )
    table.loc[~belongs, "species"] = ""
    table["unassigned"] = ~belongs
    table = table.sort_values(
        ["unassigned", "species", "syllables", "cluster"],
        ascending=[True, True, False, True],
        ignore_index=True,
    )
    rank = table.groupby("species").cumcount() + 1
    table["mode"] = np.where(
        table["unassigned"], "", table["species"] + " mode " + rank.astype(str)
    )
    return table[MODE_COLUMNS]


def _assignments(
    cluster: Ints,
    centrality: Floats,
    syllables: pd.DataFrame,
    modes: pd.DataFrame,
    found: ClusterSpecies,
) -> pd.DataFrame:
    by_cluster = modes.set_index("cluster").loc[cluster]
    table = syllables[["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]].copy()
    table["cluster"] = cluster
    table["species"] = by_cluster["species"].to_numpy()
    table["mode"] = by_cluster["mode"].to_numpy()
    unassigned = (table["mode"] == "").to_numpy()
    table["confidence"] = np.where(unassigned, 0.0, found.instance_confidence).round(6)
    table["centrality"] = centrality.round(6)
    return table


def _metrics(
    bags: Bags,
    cluster: Ints,
    modes: pd.DataFrame,
    found: ClusterSpecies,
    options: ClusterOptions,
    k: int,
) -> dict[str, float | None]:
    """Figures that need no truth; see docs/metrics.md."""
    by_cluster = modes.sort_values("cluster")
    in_mode = (by_cluster["mode"] != "").to_numpy()[cluster]
    checkable = in_mode & bags.labelled[bags.bag]
    in_bag = bags.labels[bags.bag[checkable], found.species[cluster[checkable]]]
    values = {
        "clusters": int(cluster.max()) + 1,
        "modes": int((modes["mode"] != "").sum()),
        "silhouette": _silhouette(bags.X, cluster, options.seed),
        "stability": _stability(bags, cluster, options, k),
        "label_agreement": float(in_bag.mean()) if in_bag.size else None,
        "background_share": float(by_cluster["background"].to_numpy()[cluster].mean()),
        "unlabelled_bag_share": float((~bags.labelled).mean()),
    }
    return {key: None if value is None else round(value, 6) for key, value in values.items()}


def _silhouette(X: Floats, cluster: Ints, seed: int) -> float | None:
    n_clusters = int(cluster.max()) + 1
    if not 2 <= n_clusters < len(cluster):
        return None
    return mean_silhouette(X, cluster, random_state=seed)


def _stability(bags: Bags, cluster: Ints, options: ClusterOptions, k: int) -> float | None:
    """Mean adjusted Rand index between the clustering and others that differ in the seed."""
    if options.stability_runs < 1:
        return None
    others = (
        _fit(bags, options, k, options.seed + 1 + run)[0].labels_
        for run in range(options.stability_runs)
    )
    return float(np.mean([adjusted_rand_index(cluster, labels) for labels in others]))


def _model(
    workspace: Workspace, bags: Bags, cluster: Ints, found: ClusterSpecies, clusterer: Any
) -> dict[str, npt.NDArray[Any]]:
    """What is needed to explain the run and to place other syllables later."""
    raw = workspace.syllables(FEATURE_NAMES).to_numpy(dtype=float)
    centres = [bags.X[cluster == number].mean(axis=0) for number in range(int(cluster.max()) + 1)]
    return {
        "feature_names": np.array(FEATURE_NAMES),
        "feature_mean": raw.mean(axis=0),
        "feature_sd": raw.std(axis=0),
        "cluster_centres": np.array(centres),
        "cluster_species_probability": found.theta,
        "class_names": np.array(bags.class_names, dtype=np.str_),
        "embedding": clusterer.embedding_,
        "eigenvalues": clusterer.eigenvalues_,
    }


def _advice(bags: Bags, modes: pd.DataFrame) -> list[str]:
    """What an expert would point out."""
    advice = []
    unlabelled = int((~bags.labelled).sum())
    if unlabelled:
        advice.append(
            f"{unlabelled} of {bags.n_bags} bags have no labels: they take part, but do not help "
            "to tell species apart"
        )
    named = modes[modes["mode"] != ""]
    unsure = int((named["confidence"] < UNSURE_BELOW).sum())
    if unsure:
        advice.append(
            f"{unsure} of {len(named)} modes have a confidence below {UNSURE_BELOW:g}: several "
            "species share their recordings, so the name is a guess; more recordings with few "
            "species, or a larger --k, would help"
        )
    missing = sorted(set(bags.class_names) - set(modes["species"]))
    if missing:
        shown = ", ".join(missing[:10]) + (" ..." if len(missing) > 10 else "")
        advice.append(f"no cluster for {len(missing)} species ({shown}): try a larger --k")
    return advice
