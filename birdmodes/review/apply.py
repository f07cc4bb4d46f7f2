"""A clustering as it is once a person's corrections are applied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.disambiguation.cluster_species import ClusterSpecies, species_of_clusters
from birdmodes.modes.clustering import MODE_COLUMNS, Clustering
from birdmodes.modes.metrics import metrics_after_review
from birdmodes.modes.tables import centrality_of, in_order
from birdmodes.review.edits import Edit
from birdmodes.review.state import MisfitError, ReviewState

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Conflict:
    """Something that a person wanted and that could not be done, or not wholly.

    Attributes
    ----------
    edit : str
        Its id; empty where it is about no single edit.
    action : str
        Its action.
    problem : str
        What is the matter.
    batch : int
        Number of its batch in the log; 0 outside of one.
    """

    edit: str
    action: str
    problem: str
    batch: int = 0

    def __str__(self) -> str:
        return f"{self.action}: {self.problem}" if self.action else self.problem


def start_state(clustering: Clustering) -> ReviewState:
    """State before the first edit.

    Parameters
    ----------
    clustering : Clustering
        As the method made it.
    """
    noise = clustering.modes.loc[clustering.modes["background"], "cluster"]
    table = clustering.assignments[["syllable", "cluster", "species", "mode"]]
    return ReviewState(table.assign(background=table["cluster"].isin(noise)))


def apply_edits(
    state: ReviewState, edits: Iterable[Edit], *, end_batch: bool = True
) -> list[Conflict]:
    """Apply a batch of edits to a state, which is changed.

    Parameters
    ----------
    state : ReviewState
        The state that the edits were made on.
    edits : iterable of Edit
        In their order.
    end_batch : bool
        Whether the batch ends with them, see `ReviewState.end_batch`.

    Returns
    -------
    list of Conflict
        What could not be done. The rest is.
    """
    conflicts = []
    for edit in edits:
        try:
            problems = state.apply(edit)
        except MisfitError as misfit:
            problems = [str(misfit)]
        conflicts += [Conflict(edit.id, edit.action, problem) for problem in problems]
    if end_batch:
        conflicts += [Conflict("", "", problem) for problem in state.end_batch()]
    return conflicts


def reviewed_clustering(
    original: Clustering,
    state: ReviewState,
    embedding: Floats,
    bags: Bags,
    *,
    about: dict[str, Any] | None = None,
) -> Clustering:
    """Make the tables that a state of the review stands for.

    What the edits did not touch stays as it was. The confidence is 1 where a person said what a
    syllable is (good examples, syllables moved, clusters given a species), and a mode's that of
    its syllables on average; centrality is ranked anew, and consistency and p counted anew, where
    clusters have changed.

    Parameters
    ----------
    original : Clustering
        As the method made it.
    state : ReviewState
        From `start_state` of it, after `apply_edits`.
    embedding : ndarray, shape (n_syllables, n_columns)
        From `birdmodes.review.suggestions.clustering_space`.
    bags : Bags
        The syllables in their bags, in the same order.
    about : dict, optional
        Kept among the parameters of the run, as ``review``.
    """
    table = original.assignments.copy()
    where, before = state.where(), table["cluster"].to_numpy()
    table["cluster"] = where
    table["species"] = state.species()
    table["mode"] = state.modes()
    table["review"] = state.review()
    sure = (state.moved | state.named | (state.mark == "good")) & (table["species"] != "")
    confidence_before = table["confidence"].to_numpy()
    confidence = np.where(sure, 1.0, confidence_before)
    table["confidence"] = np.where(table["species"] == "", 0.0, confidence)
    moved = where != before
    changed = np.unique(np.concatenate([where[moved], before[moved]]))
    by_name = np.argsort(table["syllable"].to_numpy(), kind="stable")  # decides between equals
    for number in changed:
        members = by_name[where[by_name] == number]
        if len(members):
            table.loc[members, "centrality"] = centrality_of(embedding[members]).round(6)
    numbers, place = np.unique(where, return_inverse=True)
    found = species_of_clusters(place, bags, len(numbers))
    touched = set(changed.tolist()) | set(where[table["confidence"] != confidence_before].tolist())
    modes = _modes(original, table, state, found, bags.class_names, touched)
    seed = int(original.parameters.get("seed", 0))
    metrics = metrics_after_review(bags, table, modes, original.metrics, seed=seed)
    return replace(
        original,
        assignments=table,
        modes=modes,
        metrics=metrics,
        parameters={**original.parameters, "review": about or {}},
        model=_model(original.model, bags, numbers, place, found, changed),
    )


def _modes(
    original: Clustering,
    table: pd.DataFrame,
    state: ReviewState,
    found: ClusterSpecies,
    class_names: Sequence[str],
    touched: set[int],
) -> pd.DataFrame:
    """The table of modes: rows of clusters that nobody touched are kept as they were."""
    told = original.modes
    if "or_species" not in told:  # which some tables of modes have no need of
        told = told.assign(or_species="")
    old = told.set_index("cluster", drop=False)
    rows = []
    for position, number in enumerate(np.unique(table["cluster"].to_numpy()).tolist()):
        members = table[table["cluster"] == number]
        about = state.clusters[number]
        row = {"species": about.species, "mode": about.mode, "background": about.background}
        if number not in old.index or old.loc[number, "species"] != about.species:
            row["or_species"] = ""  # a person has told
        if number in touched or old.loc[number, "species"] != about.species:
            row = {"or_species": old["or_species"].get(number, "")} | row
            row |= {
                "cluster": number,
                "syllables": len(members),
                "recordings": members["recording"].nunique(),
                "confidence": members["confidence"].mean(),
                "consistency": np.nan,
                "p_value": np.nan,
            }
            if about.species in class_names:
                column = class_names.index(about.species)
                row["consistency"] = found.consistency[position, column]
                row["p_value"] = found.p_value[position, column]
        else:
            row = {**old.loc[number], **row}
        rows.append(row)
    return in_order(pd.DataFrame(rows)[MODE_COLUMNS])


def _model(
    model: dict[str, npt.NDArray[Any]],
    bags: Bags,
    numbers: Ints,
    place: Ints,
    found: ClusterSpecies,
    changed: Ints,
) -> dict[str, npt.NDArray[Any]]:
    """The arrays with a row per cluster, brought up to date; numbers that are gone have zeros."""
    if not len(changed) or "cluster_centres" not in model:
        return model
    size = int(numbers.max()) + 1
    old = model["cluster_species_probability"]
    # A species that nobody listed may be a class of the method, and the lists may have gained some.
    known = model["class_names"].tolist()
    new = [name for name in bags.class_names if name not in known]
    classes = [[*known, *new].index(name) for name in bags.class_names]
    centres = np.zeros((size, bags.n_features))
    shares = np.zeros((size, len(known) + len(new)))
    for position, number in enumerate(numbers.tolist()):
        centres[number] = bags.X[place == position].mean(axis=0)
        if number < len(old) and number not in changed:
            shares[number, : old.shape[1]] = old[number]
        else:
            shares[number, classes] = found.theta[position]
    return {
        **model,
        "cluster_centres": centres,
        "cluster_species_probability": shares,
        "class_names": np.array([*known, *new]) if new else model["class_names"],
    }
