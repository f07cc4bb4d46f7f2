"""``cluster`` with a method that groups whole recordings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags, make_clusterer
from algorithms.base import BagClusterer, ClusteringError, ClusteringWarning
from algorithms.threads import one_thread
from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError, asked_too_much
from birdmodes.groups.counts import GroupCount, OnProgress, count_groups
from birdmodes.groups.grouping import Grouping, box_sums
from birdmodes.groups.make_up import species_make_up
from birdmodes.groups.metrics import group_metrics
from birdmodes.groups.tables import bag_assignments, compact_groups, group_table
from birdmodes.groups.typical import of_neighbours, of_witnesses
from birdmodes.io.versions import library_versions
from birdmodes.modes.features.describe import describe_syllables
from birdmodes.modes.features.sets import short_name
from birdmodes.modes.find import STABILITY_RUNS
from birdmodes.workspace.bags import bag_times, bags_table, bags_with
from birdmodes.workspace.labels import labels_digest
from birdmodes.workspace.store import Workspace

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class GroupOptions:
    """How to group recordings.

    Attributes
    ----------
    method : str
        Name of a bag clusterer, a key of `algorithms.METHODS`.
    k : int, "auto" or None
        Number of groups. "auto" finds one by stability, see `birdmodes.groups.counts`; None takes
        five, or as many as there are bags.
    seed : int
        Same seed, same result.
    method_parameters : dict
        Further parameters of the method, such as ``{"balance": 0.3}``.
    stability_runs : int
        How often to group again with other seeds to see whether the answer stays.
    features : sequence of str or str, optional
        Feature sets, see `birdmodes.modes.features.sets`; None takes those that suit the method.
    """

    method: str = "m3ic"
    k: int | Literal["auto"] | None = None
    seed: int = 0
    method_parameters: dict[str, Any] = field(default_factory=dict)
    stability_runs: int = STABILITY_RUNS
    features: Sequence[str] | str | None = None


@dataclass(frozen=True)
class GroupResult:
    """A grouping and what the user should know of it.

    Attributes
    ----------
    grouping : Grouping
        Ready to be written.
    warnings : list of str
        A line each.
    """

    grouping: Grouping
    warnings: list[str]


def find_groups(
    workspace: Workspace,
    options: GroupOptions,
    name: str | None = None,
    *,
    workers: int = 1,
    on_step: Callable[[str], None] | None = None,
    on_progress: OnProgress | None = None,
) -> GroupResult:
    """Group a workspace's bags: clips, or whole recordings.

    Parameters
    ----------
    workspace : Workspace
        What ``segment`` made.
    options : GroupOptions
        How.
    name : str, optional
        Name of the grouping; by default method and number of groups, as in ``m3ic-k5``.
    workers : int
        Processes to find out the number of groups with; the answer does not depend on it.
    on_step : callable, optional
        Called with a line at the start of each step.
    on_progress : callable, optional
        Called with how many groupings are made to find out their number, of how many, and which.

    Raises
    ------
    BirdmodesError
        If there is nothing to group, or the method refuses.
    """
    say = on_step or (lambda line: None)
    described = describe_syllables(workspace, options.features, options.method, seed=options.seed)
    syllables = described.syllables
    recordings = workspace.recordings()
    bags = bags_with(recordings, syllables, described.features)
    say(described.summary)
    table = bags_table(recordings)
    if options.k == "auto":
        say("how many groups there are")
    count = count_groups(
        bags,
        options.k,
        options.seed,
        partial(_group_quietly, options),
        say,
        workers=workers,
        on_progress=on_progress,
    )
    say(
        f"{bags.n_instances:,} syllables, {bags.n_bags:,} {'bag' if bags.n_bags == 1 else 'bags'}, "
        f"{bags.n_classes} species, {count.k} groups"
    )
    clusterer, notes = _fit(bags, options, count.k, options.seed)
    group = compact_groups(clusterer.labels_)
    strength = getattr(clusterer, "strength_", np.full(bags.n_bags, np.nan))
    say("what is typical of each group")
    make_up = species_make_up(group, bags)
    witnesses: Ints | None = getattr(clusterer, "witnesses_", None)
    names = syllables["syllable"].to_numpy(dtype=object)
    typical = (
        of_neighbours(group, bags, seed=options.seed)
        if witnesses is None
        else of_witnesses(group, strength, witnesses)
    )
    assignments = bag_assignments(
        table,
        bag_times(recordings, _clip_s(workspace)),
        bags,
        group,
        strength,
        [""] * bags.n_bags
        if witnesses is None
        else [names[row] if row >= 0 else "" for row in witnesses],
    )
    groups = group_table(assignments, make_up, [names[rows].tolist() for rows in typical])
    say("how good the grouping is")
    repetitions = (
        _fit(bags, options, count.k, options.seed + 1 + run)[0].labels_
        for run in range(options.stability_runs)
    )
    metrics = group_metrics(bags, group, seed=options.seed, repetitions=repetitions)
    grouping = Grouping(
        name
        or f"{options.method}{short_name(options.features, options.method)}-{count.short_name}",
        assignments,
        groups,
        make_up,
        metrics,
        {
            **_parameters(options, count, bags, recordings, clusterer),
            "features": described.space.described(),
        },
        {"box_sums": box_sums(table["bag"], syllables), **_arrays(clusterer)},
    )
    said = [*described.notes, *count.warnings, *notes]
    return GroupResult(grouping, [*said, *_advice(grouping, count)])


def _fit(bags: Bags, options: GroupOptions, k: int, seed: int) -> tuple[BagClusterer, list[str]]:
    parameters = {"n_clusters": k, "random_state": seed, **options.method_parameters}
    try:
        clusterer = make_clusterer(options.method, **parameters)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ClusteringWarning)
            clusterer.fit(bags)
    except ClusteringError as error:
        raise asked_too_much(error) from error
    if not isinstance(clusterer, BagClusterer):
        raise BirdmodesError(f"method {options.method} does not group recordings")
    notes = [str(item.message) for item in caught if item.category is ClusteringWarning]
    return clusterer, list(dict.fromkeys(notes))


def _group_quietly(options: GroupOptions, bags: Bags, k: int, seed: int) -> Ints:
    """Group without what the method would say of groups that are only tried."""
    # One thread, so that several processes do not wait for each other, nor sum in another order.
    with one_thread():
        return _fit(bags, options, k, seed)[0].labels_


def _clip_s(workspace: Workspace) -> float:
    settings = workspace.settings.segmentation
    return settings.n_clip / settings.sample_rate_hz


def _parameters(
    options: GroupOptions,
    count: GroupCount,
    bags: Bags,
    recordings: pd.DataFrame,
    clusterer: BagClusterer,
) -> dict[str, Any]:
    of_longer = (recordings["bag_unit"] == "clip") & (recordings["n_clips"] > 1)
    return {
        "birdmodes": __version__,
        "libraries": library_versions(),
        "method": options.method,
        "k": count.k,
        "k_from": count.source,
        "k_agreement": {str(k): value for k, value in count.curve.items()} or None,
        "seed": options.seed,
        "options": dict(options.method_parameters),
        "scaling": getattr(clusterer, "scaling", None),
        "typical_syllables": "witnesses" if hasattr(clusterer, "witnesses_") else "neighbours",
        "syllables": bags.n_instances,
        "recordings": len(recordings),
        "bags": bags.n_bags,
        "clips_of_longer_recordings": int(recordings.loc[of_longer, "n_clips"].sum()),
        "species": bags.n_classes,
        "labels_digest": labels_digest(recordings, recordings["recording"]),
    }


def _arrays(clusterer: BagClusterer) -> dict[str, npt.NDArray[Any]]:
    """Numbers that the method has fitted, by name."""
    return {
        name.removesuffix("_"): value
        for name, value in vars(clusterer).items()
        if name.endswith("_")
        and not name.startswith("_")
        and isinstance(value, np.ndarray)
        and value.dtype.kind in "biuf"
    }


def _advice(grouping: Grouping, count: GroupCount) -> list[str]:
    """What an expert would point out."""
    advice = []
    metrics = grouping.metrics
    empty = int(metrics["bags_without_syllables"] or 0)
    if empty:
        advice.append(
            f"{empty} of {len(grouping.assignments)} bags have no syllables and are in no group"
        )
    if grouping.hangs_on_seed:
        remedy = "another --method" if count.source == "auto" else "--k auto or another --method"
        advice.append(
            f"other seeds give other groups (stability {metrics['stability']:.2f}); {remedy} may "
            "find what stays"
        )
    return advice
