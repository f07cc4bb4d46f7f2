"""A clustering as it is once a person's corrections are applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.disambiguation.cluster_species import species_of_clusters
from birdmodes.modes.clustering import MODE_COLUMNS, Clustering
from birdmodes.modes.metrics import metrics_after_review
from birdmodes.modes.tables import centrality_of, in_order
from birdmodes.review.box_edits import MisfitError
from birdmodes.review.edits import Edit
from birdmodes.review.state import ReviewState

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


def start_state(clustering: Clustering, placed: Mapping[str, int] | None = None) -> ReviewState:
    """State before the first edit.

    Parameters
    ----------
    clustering : Clustering
        As the method made it.
    placed : mapping of str to int, optional
        Clusters of syllables that it did not see, as far as they are known.
    """
    noise = clustering.modes.loc[clustering.modes["background"], "cluster"]
    table = clustering.assignments[["syllable", "cluster", "species", "mode"]]
    return ReviewState(table.assign(background=table["cluster"].isin(noise)), placed)


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
    disturbed: npt.ArrayLike = (),
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
        From `birdmodes.modes.model.clustering_space`.
    bags : Bags
        The syllables in their bags, in the same order.
    about : dict, optional
        Kept among the parameters of the run, as ``review``.
    disturbed : array_like of int
        Further clusters that have changed, as syllables of theirs were mended or are gone.
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
    lost = np.asarray(disturbed, dtype=np.int64)
    changed = np.unique(np.concatenate([where[moved], before[moved], lost]))
    by_name = np.argsort(table["syllable"].to_numpy(), kind="stable")  # decides between equals
    for number in changed:
        members = by_name[where[by_name] == number]
        if len(members):
            table.loc[members, "centrality"] = centrality_of(embedding[members]).round(6)
    other = (table["confidence"] != confidence_before) | (
        table["species"] != original.assignments["species"]
    )
    counts = _counted_anew(where, np.union1d(changed, where[other]), bags)
    modes = _modes(original, table, state, counts, bags.class_names)
    seed = int(original.parameters.get("seed", 0))
    metrics = metrics_after_review(bags, table, modes, original.metrics, seed=seed)
    return replace(
        original,
        assignments=table,
        modes=modes,
        metrics=metrics,
        parameters={**original.parameters, "review": about or {}},
        model=_model(original.model, bags, where, counts, changed),
    )


class _Counts(NamedTuple):
    """What the lists say about a cluster, a value for each of their species."""

    share: Floats
    consistency: Floats
    p_value: Floats


def _counted_anew(where: Ints, touched: Ints, bags: Bags) -> dict[int, _Counts]:
    """Count those of the touched clusters that are still there."""
    numbers = np.intersect1d(touched, where)
    if not len(numbers):
        return {}
    at = np.searchsorted(numbers, where).clip(max=len(numbers) - 1)
    found = species_of_clusters(np.where(numbers[at] == where, at, -1), bags, len(numbers))
    rows = zip(found.theta, found.consistency, found.p_value, strict=True)
    return {number: _Counts(*row) for number, row in zip(numbers.tolist(), rows, strict=True)}


def _modes(
    original: Clustering,
    table: pd.DataFrame,
    state: ReviewState,
    counted: dict[int, _Counts],
    class_names: Sequence[str],
) -> pd.DataFrame:
    """The table of modes: rows of clusters that nobody touched are kept as they were."""
    told = original.modes
    if "or_species" not in told:  # which some tables of modes have no need of
        told = told.assign(or_species="")
    records = cast("list[dict[str, Any]]", told.to_dict("records"))
    old = {row["cluster"]: row for row in records}
    rows = []
    groups = table.groupby("cluster")
    counts = groups.agg(
        n=("cluster", "size"), of=("recording", "nunique"), sure=("confidence", "mean")
    )
    for number in np.unique(table["cluster"].to_numpy()).tolist():
        about = state.clusters[number]
        row = {"species": about.species, "mode": about.mode, "background": about.background}
        if number not in old or old[number]["species"] != about.species:
            row["or_species"] = ""  # a person has told
        if number in counted:
            row = {"or_species": old.get(number, {}).get("or_species", "")} | row
            row |= {
                "cluster": number,
                "syllables": int(counts.loc[number, "n"]),
                "recordings": int(counts.loc[number, "of"]),
                "confidence": float(counts.loc[number, "sure"]),
                "consistency": np.nan,
                "p_value": np.nan,
            }
            if about.species in class_names:
                column = class_names.index(about.species)
                row["consistency"] = counted[number].consistency[column]
                row["p_value"] = counted[number].p_value[column]
        else:
            row = {"or_species": "", **old[number], **row}
        rows.append(row)
    return in_order(pd.DataFrame(rows)[MODE_COLUMNS])


def _model(
    model: dict[str, npt.NDArray[Any]],
    bags: Bags,
    where: Ints,
    counted: dict[int, _Counts],
    changed: Ints,
) -> dict[str, npt.NDArray[Any]]:
    """The arrays with a row per cluster, brought up to date; numbers that are gone have zeros."""
    if not len(changed) or "cluster_centres" not in model:
        return model
    size = int(where.max()) + 1
    old = model["cluster_species_probability"]
    # A species that nobody listed may be a class of the method, and the lists may have gained some.
    known = model["class_names"].tolist()
    new = [name for name in bags.class_names if name not in known]
    classes = [[*known, *new].index(name) for name in bags.class_names]
    centres = np.zeros((size, bags.n_features))
    shares = np.zeros((size, len(known) + len(new)))
    for number in np.unique(where).tolist():
        centres[number] = bags.X[where == number].mean(axis=0)
        if number < len(old) and number not in changed:
            shares[number, : old.shape[1]] = old[number]
        else:
            shares[number, classes] = counted[number].share
    return {
        **model,
        "cluster_centres": centres,
        "cluster_species_probability": shares,
        "class_names": np.array([*known, *new]) if new else model["class_names"],
    }
