"""The tables of a clustering: modes in their order, and every syllable's place in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.disambiguation.cluster_species import ClusterSpecies
from birdmodes.modes.clustering import MODE_COLUMNS
from birdmodes.workspace.times_of_day import syllable_times

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def compact_clusters(labels: Ints, embedding: Floats) -> tuple[Ints, Floats]:
    """Number the clusters that have syllables from 0, and rank syllables by closeness.

    Returns
    -------
    cluster : ndarray of int, shape (n_instances,)
        0..n_clusters-1, larger clusters first, so that numbers do not depend on the rounding.
    centrality : ndarray of float, shape (n_instances,)
        1 for the syllable nearest its cluster's mean in the embedding, falling evenly with rank.
    """
    cluster = compact_numbers(labels)
    centrality = np.empty(len(cluster))
    for number in range(int(cluster.max(initial=-1)) + 1):
        members = np.flatnonzero(cluster == number)
        centrality[members] = centrality_of(embedding[members])
    return cluster, centrality


def compact_numbers(labels: Ints) -> Ints:
    """Number the clusters that have syllables from 0, larger ones first."""
    names, cluster, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    position = np.empty(len(names), dtype=np.int64)
    position[np.argsort(-sizes, kind="stable")] = np.arange(len(names))
    found: Ints = position[cluster]
    return found


def centrality_of(members: Floats) -> Floats:
    """Rank the members of a cluster by their distance to its mean.

    Parameters
    ----------
    members : ndarray, shape (n, d)
        Their coordinates.

    Returns
    -------
    ndarray, shape (n,)
        1 for the nearest, falling evenly with rank.
    """
    distance = np.linalg.norm(members - members.mean(axis=0), axis=1)
    centrality = np.empty(len(members))
    nearest = np.argsort(distance.round(9), kind="stable")
    centrality[nearest] = 1.0 - np.arange(len(members)) / len(members)
    return centrality


def in_order(modes: pd.DataFrame) -> pd.DataFrame:
    """Modes species by species, the largest first, those without species last."""
    ordered = modes.assign(unassigned=modes["species"] == "").sort_values(
        ["unassigned", "species", "syllables", "cluster"],
        ascending=[True, True, False, True],
        ignore_index=True,
    )
    return ordered.drop(columns="unassigned")


def mode_table(
    cluster: Ints,
    bags: Bags,
    syllables: pd.DataFrame,
    found: ClusterSpecies,
    together: Sequence[Sequence[str]] = (),
) -> pd.DataFrame:
    """A row per cluster, species by species, the largest mode first.

    `together` are species that are always listed together, so that a mode may be of any of them.
    A species in all lists has no p-value: it would be in as many of any recordings.
    """
    groups = pd.DataFrame({"cluster": cluster, "recording": syllables["recording"]}).groupby(
        "cluster"
    )
    everywhere = np.asarray(bags.labels[bags.labelled].all(axis=0))
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
                found.p_value[g, c] if c >= 0 and not everywhere[c] else np.nan
                for g, c in zip(number, found.species, strict=True)
            ],
        }
    )
    table.loc[~belongs, "species"] = ""
    table = in_order(table)
    others = {name: ";".join(o for o in names if o != name) for names in together for name in names}
    table["or_species"] = [others.get(name, "") for name in table["species"]]
    rank = table.groupby("species").cumcount() + 1
    table["mode"] = np.where(
        table["species"] == "", "", table["species"] + " mode " + rank.astype(str)
    )
    return table[MODE_COLUMNS]


def assignment_table(
    cluster: Ints,
    centrality: Floats,
    syllables: pd.DataFrame,
    modes: pd.DataFrame,
    found: ClusterSpecies,
    recordings: pd.DataFrame,
) -> pd.DataFrame:
    """A row per syllable: its cluster, species, mode, confidence, centrality, time, no review."""
    by_cluster = modes.set_index("cluster").loc[cluster]
    table = syllables[["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]].copy()
    table["cluster"] = cluster
    table["species"] = by_cluster["species"].to_numpy()
    table["mode"] = by_cluster["mode"].to_numpy()
    unassigned = (table["mode"] == "").to_numpy()
    table["confidence"] = np.where(unassigned, 0.0, found.instance_confidence).round(6)
    table["centrality"] = centrality.round(6)
    table["recorded_at"] = syllable_times(syllables, recordings)
    table["review"] = ""
    return table


def centrality_by_score(cluster: pd.Series, score: pd.Series) -> pd.Series:
    """Give 1 to the best score of a cluster, and less with every rank, evenly."""
    place = score.groupby(cluster).rank(method="first", ascending=False) - 1
    return (1.0 - place / score.groupby(cluster).transform("size")).round(6)


def modes_left(assignments: pd.DataFrame, original: pd.DataFrame, own_number: int) -> pd.DataFrame:
    """Table of the clusters that took in syllables, with the counts and confidences of now.

    Parameters
    ----------
    assignments : pandas.DataFrame
        Columns syllable, recording, cluster, confidence.
    original : pandas.DataFrame
        What all clusters are: columns cluster, species, mode, background.
    own_number : int
        A further cluster, of those that were left out.

    Returns
    -------
    pandas.DataFrame
        `birdmodes.modes.clustering.MODE_COLUMNS`; without what labels would have to tell.
    """
    groups = assignments.groupby("cluster")
    counts = groups.agg(
        syllables=("syllable", "size"),
        recordings=("recording", "nunique"),
        confidence=("confidence", "mean"),
    )
    own = {"cluster": own_number, "species": "", "mode": "", "background": False, "or_species": ""}
    known = pd.concat(
        [original.reindex(columns=list(own), fill_value=""), pd.DataFrame([own])],
        ignore_index=True,
    )
    table = known.merge(counts, left_on="cluster", right_index=True)
    table["no_mode"] = table["mode"] == ""
    table = table.sort_values(
        ["no_mode", "species", "syllables", "cluster"],
        ascending=[True, True, False, True],
        ignore_index=True,
    )
    # Labels did not take part, so there is nothing to say of how well they agree.
    return table.drop(columns="no_mode").assign(consistency=np.nan, p_value=np.nan)
