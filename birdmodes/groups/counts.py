"""How many groups of recordings to make: given, a default, or found out by stability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.metrics import contingency_table
from birdmodes.errors import BirdmodesError
from birdmodes.parallel.executors import run_tasks

Ints = npt.NDArray[np.int64]

GroupBags = Callable[[Bags, int, int], Ints]
"""Function of bags, a number of groups and a seed: the group of every bag. It is called in other
processes where there are several, so it must be importable by name."""

OnProgress = Callable[[int, int, str], None]
"""Function of how many groupings are done, of how many, and of which."""

DEFAULT_GROUPS = 5
"""Groups where nothing is said of their number."""

FEWEST, MOST = 2, 10
"""Numbers of groups that are tried."""

PAIRS = 20
"""Pairs of subsamples that are grouped for each number of groups."""

SUBSAMPLE = 0.8
"""Share of the bags in a subsample."""

FOUND_AGAIN = 0.5
"""A group is found again in another subsample when it shares at least this part of the bags of both
(Jaccard); below it is said to be dissolved, after Hennig (2007)."""

LEAST_PER_GROUP = 4
"""Numbers of groups that leave fewer bags of a subsample for each are not tried."""

LEAST_BAGS = 10
"""With fewer bags than this, subsamples say nothing."""


@dataclass(frozen=True)
class GroupCount:
    """How many groups to make.

    Attributes
    ----------
    k : int
        The number.
    source : {"given", "default", "auto"}
        How that came about.
    curve : dict of int to float
        With "auto", how far the worst group is found again, for each number that was tried.
    warnings : list of str
        A line each.
    """

    k: int
    source: Literal["given", "default", "auto"]
    curve: dict[int, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def short_name(self) -> str:
        """What to call a grouping after: ``k5`` or ``auto``."""
        return "auto" if self.source == "auto" else f"k{self.k}"


def count_groups(
    bags: Bags,
    k: int | Literal["auto"] | None,
    seed: int,
    group_bags: GroupBags,
    on_step: Callable[[str], None],
    *,
    workers: int = 1,
    on_progress: OnProgress | None = None,
) -> GroupCount:
    """Settle how many groups to make.

    Parameters
    ----------
    bags : Bags
        What will be grouped; at least one has syllables.
    k : int, "auto" or None
        The number; found out by `stable_count`; or `DEFAULT_GROUPS`, or as many as there are bags.
    seed : int
        Of the subsamples and of grouping them.
    group_bags : callable
        How they are grouped.
    on_step : callable
        Told how much there is to do to find out, and each number that was tried.
    workers : int
        Processes to find out with; the answer does not depend on it.
    on_progress : callable, optional
        Called after each grouping that is made to find out.

    Raises
    ------
    BirdmodesError
        If there are fewer bags than groups, or too few to find out.
    """
    filled = int((bags.sizes > 0).sum())
    if k is None:
        return GroupCount(min(DEFAULT_GROUPS, filled), "default")
    if k == "auto":
        if filled < LEAST_BAGS:
            raise BirdmodesError(
                f"--k auto needs at least {LEAST_BAGS} bags with syllables, and there are "
                f"{filled}: give the number of groups with --k"
            )
        return stable_count(
            bags, seed, group_bags, on_step, workers=workers, on_progress=on_progress
        )
    if k > filled:
        raise BirdmodesError(
            f"--k {k}: only {filled} of {bags.n_bags} bags have syllables; ask for at most "
            f"{filled} groups"
        )
    return GroupCount(k, "given")


@dataclass(frozen=True, eq=False)
class _Task:
    """One sample to be grouped into one number of groups."""

    sample: int
    k: int
    seed: int
    bags: Bags
    group_bags: GroupBags


def _group(task: _Task) -> Ints:
    return task.group_bags(task.bags, task.k, task.seed)


def stable_count(
    bags: Bags,
    seed: int,
    group_bags: GroupBags,
    on_step: Callable[[str], None],
    *,
    workers: int = 1,
    on_progress: OnProgress | None = None,
) -> GroupCount:
    """Find the largest number of groups that does not depend on which bags were recorded.

    `PAIRS` times, two subsamples of `SUBSAMPLE` of the bags are grouped. Of the bags in both, each
    group of the one is looked for in the other: the largest Jaccard index, bags in common over
    bags in either, says how far it is found again. The group of which least is found counts, and
    the mean over the pairs decides: the largest number of groups that reaches `FOUND_AGAIN` is
    taken, or else the best, with a warning. The subsamples are the same for every number.

    A subsample that ends up in a single group says nothing, so its pair counts 0. The adjusted Rand
    index of the two groupings, which is more usual, does not serve here: where four groups are
    clear and a fifth cuts one of them anyhow, it is still above 0.8.

    Parameters
    ----------
    bags, seed, group_bags, on_step, workers, on_progress
        As for `count_groups`.

    References
    ----------
    Ben-Hur, Elisseeff & Guyon, A stability based method for discovering structure in clustered
    data, Pacific Symposium on Biocomputing 2002, for pairs of subsamples; Hennig, Cluster-wise
    assessment of cluster stability, Computational Statistics & Data Analysis 52, 2007, for the
    Jaccard index of single groups and its limit.
    """
    filled = np.flatnonzero(bags.sizes > 0)
    size = round(SUBSAMPLE * len(filled))
    streams = np.random.SeedSequence(seed).spawn(2 * PAIRS)
    drawn = [
        np.sort(np.random.default_rng(stream).choice(filled, size, replace=False))
        for stream in streams
    ]
    samples = [_only(bags, chosen) for chosen in drawn]
    seeds = [int(stream.generate_state(1)[0]) for stream in streams]
    tried = range(FEWEST, min(MOST, size // LEAST_PER_GROUP) + 1)
    on_step(
        f"{len(samples)} samples of {size} bags, each grouped into {tried[0]} to {tried[-1]}: "
        f"{len(samples) * len(tried)} groupings"
    )
    tasks = (
        _Task(number, k, seeds[number], sample, group_bags)
        for k in tried
        for number, sample in enumerate(samples)
    )
    total = len(samples) * len(tried)
    curve: dict[int, float] = {}
    for k, labels in _grouped(tasks, len(samples), total, workers, on_progress):
        agreement = [
            _found_again(drawn[one], labels[one], drawn[one + 1], labels[one + 1])
            for one in range(0, 2 * PAIRS, 2)
        ]
        curve[k] = round(float(np.mean(agreement)), 6)
        on_step(f"{k} groups: in other samples each is found again to {curve[k]:.2f} or more")
    curve = dict(sorted(curve.items()))
    stable = [k for k, value in curve.items() if value >= FOUND_AGAIN]
    if stable:
        return GroupCount(stable[-1], "auto", curve)
    best = max(curve, key=lambda k: curve[k])
    warning = (
        f"no number of groups is stable: of {best} groups most is found again in other samples of "
        f"the recordings, and that is {curve[best]:.2f} of the worst; take the groups with care"
    )
    return GroupCount(best, "auto", curve, [warning])


def _grouped(
    tasks: Iterator[_Task],
    n_samples: int,
    total: int,
    workers: int,
    on_progress: OnProgress | None,
) -> Iterator[tuple[int, dict[int, Ints]]]:
    """Groups of all samples, by their number, for each number of groups as it is complete."""
    waiting: dict[int, dict[int, Ints]] = defaultdict(dict)
    for done, (task, labels) in enumerate(run_tasks(_group, tasks, workers=workers), start=1):
        if labels is None:
            raise BirdmodesError(
                f"--k auto: the process that made {task.k} groups died (out of memory?); use fewer "
                "--workers, or give the number of groups with --k"
            )
        if on_progress is not None:
            on_progress(done, total, f"{task.k} groups")
        found = waiting[task.k]
        found[task.sample] = labels
        if len(found) == n_samples:
            yield task.k, waiting.pop(task.k)


def _only(bags: Bags, chosen: Ints) -> Bags:
    """The chosen bags, numbered from 0."""
    number = np.full(bags.n_bags, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(number[bags.bag] >= 0)
    return Bags(
        bags.X[rows],
        number[bags.bag[rows]],
        bags.labels[chosen],
        bags.labelled[chosen],
        bags.class_names,
    )


def _found_again(one: Ints, labels_one: Ints, other: Ints, labels_other: Ints) -> float:
    """Jaccard index of the group of which least is found in the other grouping, on shared bags."""
    if min(len(np.unique(labels_one)), len(np.unique(labels_other))) < 2:
        return 0.0
    _, in_one, in_other = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    common = contingency_table(labels_one[in_one], labels_other[in_other])
    jaccard = common / (common.sum(axis=1, keepdims=True) + common.sum(axis=0) - common)
    return float(min(jaccard.max(axis=1).min(), jaccard.max(axis=0).min()))
