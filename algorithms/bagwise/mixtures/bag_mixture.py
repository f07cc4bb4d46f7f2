"""EM for a mixture of groups of bags: which concepts a group's instances are of, and how many.

A group draws the number of a bag's instances, then for each instance a concept, then the instance
from the concept. Formulas are those of Kriegel, Pryakhin & Schubert (2006) where they hold; the
class docstring of :class:`~algorithms.bagwise.mi_em.MIEM` tells where they do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.special import gammaln, logsumexp, xlogy

from algorithms.bags import FloatArray, IntArray

LengthModel = Literal["binomial", "poisson", "none"]

PROFILE_FLOOR = 1e-6
"""Least probability of a concept in a group."""

WEIGHT_FLOOR = 1e-12
"""Least share of a group."""


class Content(Protocol):
    """What the instances of bags say of their groups."""

    @property
    def counts(self) -> FloatArray:
        """Expected number of instances of each concept, shape (n_bags, n_concepts)."""

    def log_likelihoods(self, profiles: FloatArray) -> FloatArray:
        """Log likelihood of every bag's instances in every group, shape (n_bags, n_groups)."""

    def expected_counts(self, profiles: FloatArray, share: FloatArray) -> FloatArray:
        """Expected draws of every concept in every group, shape (n_groups, n_concepts)."""


@dataclass(frozen=True, eq=False)
class MixtureContent:
    """Every instance is drawn from the mixture of concepts that its group has.

    log Pr[o|c] = sum_i log sum_k P_kc p(i|k).

    Attributes
    ----------
    counts : ndarray, shape (n_bags, n_concepts)
        Expected number of instances of each concept.
    densities : ndarray, shape (n_instances, n_concepts)
        Densities of the instances under the concepts, over the largest of each, by bag.
    peaks : ndarray, shape (n_bags,)
        Sum of the logs of those largest densities.
    starts, sizes : ndarray of int64, shape (n_bags,)
        First instance and number of instances of each bag.
    """

    counts: FloatArray
    densities: FloatArray
    peaks: FloatArray
    starts: IntArray
    sizes: IntArray

    @classmethod
    def of(
        cls, log_densities: FloatArray, counts: FloatArray, starts: IntArray, sizes: IntArray
    ) -> MixtureContent:
        """Prepare the log densities of instances that are ordered by bag."""
        peak = log_densities.max(axis=1)
        densities = np.exp(log_densities - peak[:, None])
        return cls(counts, densities, np.add.reduceat(peak, starts), starts, sizes)

    def log_likelihoods(self, profiles: FloatArray) -> FloatArray:
        """Log likelihood of every bag's instances in every group, shape (n_bags, n_groups)."""
        # no term underflows: the largest density is 1 and no profile is below its floor
        logs = np.log(self.densities @ profiles.T)
        sums: FloatArray = np.add.reduceat(logs, self.starts, axis=0) + self.peaks[:, None]
        return sums

    def expected_counts(self, profiles: FloatArray, share: FloatArray) -> FloatArray:
        """Expected draws of every concept in every group, shape (n_groups, n_concepts)."""
        per_density = np.repeat(share, self.sizes, axis=0) / (self.densities @ profiles.T)
        expected: FloatArray = profiles * (per_density.T @ self.densities)
        return expected


@dataclass(frozen=True, eq=False)
class MultinomialContent:
    """A bag is the expected numbers of its instances of each concept.

    log Pr[o|c] = sum_k csv_k(o) log P_kc, csv_k(o) = sum_i Pr[k|i].

    Attributes
    ----------
    counts : ndarray, shape (n_bags, n_concepts)
        The csv.
    """

    counts: FloatArray

    def log_likelihoods(self, profiles: FloatArray) -> FloatArray:
        """Log likelihood of every bag's instances in every group, shape (n_bags, n_groups)."""
        products: FloatArray = self.counts @ np.log(profiles).T
        return products

    def expected_counts(self, profiles: FloatArray, share: FloatArray) -> FloatArray:
        """Expected draws of every concept in every group, shape (n_groups, n_concepts)."""
        expected: FloatArray = share.T @ self.counts
        return expected


@dataclass(frozen=True)
class Length:
    """Distribution of the number of instances in the bags of a group.

    Attributes
    ----------
    model : {"binomial", "poisson", "none"}
        Binomial with `longest` draws, Poisson, or nothing said of it.
    longest : int
        Number of instances of the longest bag, MAXLENGTH in the paper.
    """

    model: LengthModel
    longest: int

    def estimate(self, sizes: IntArray, share: FloatArray) -> FloatArray:
        """Expected number of instances in each group, shape (n_groups,).

        Parameters
        ----------
        sizes : ndarray of int64, shape (n_bags,)
            Numbers of instances.
        share : ndarray, shape (n_bags, n_groups)
            How much of each bag belongs to each group.
        """
        total = share.sum(axis=0)
        held = total > np.finfo(np.float64).tiny
        mean = np.full(share.shape[1], sizes.mean())
        mean[held] = (sizes @ share[:, held]) / total[held]
        if self.model == "binomial":
            mean = np.clip(mean, 1e-6 * self.longest, (1 - 1e-6) * self.longest)
        return mean

    def log_probabilities(self, sizes: IntArray, lengths: FloatArray) -> FloatArray:
        """Log probability of so many instances in every group, shape (n_bags, n_groups).

        Under the binomial a bag that is longer than the longest counts as of that length, as
        otherwise it would be impossible in every group.
        """
        if self.model == "none":
            return np.zeros((len(sizes), len(lengths)))
        if self.model == "poisson":
            n = sizes[:, None].astype(np.float64)
            return np.asarray(xlogy(n, lengths) - lengths - gammaln(n + 1))
        longest = self.longest
        n = np.minimum(sizes, longest)[:, None].astype(np.float64)
        chance = lengths / longest
        ways = gammaln(longest + 1) - gammaln(n + 1) - gammaln(longest - n + 1)
        return np.asarray(ways + n * np.log(chance) + (longest - n) * np.log1p(-chance))


@dataclass(frozen=True, eq=False)
class Groups:
    """Parameters of the groups.

    Attributes
    ----------
    weights : ndarray, shape (n_groups,)
        Share of each group; they sum to 1.
    profiles : ndarray, shape (n_groups, n_concepts)
        Probability of each concept in each group; the rows sum to 1.
    lengths : ndarray, shape (n_groups,)
        Expected number of instances of a bag in each group.
    length : Length
        Distribution of that number.
    """

    weights: FloatArray
    profiles: FloatArray
    lengths: FloatArray
    length: Length

    def joint(self, content: Content, sizes: IntArray) -> FloatArray:
        """Log of group share times probability of the bag, shape (n_bags, n_groups)."""
        return content.log_likelihoods(self.profiles) + self.without_content(sizes)

    def without_content(self, sizes: IntArray) -> FloatArray:
        """Log of group share times probability of the bag's length alone."""
        return self.length.log_probabilities(sizes, self.lengths) + np.log(self.weights)


@dataclass(frozen=True, eq=False)
class Run:
    """What EM found from one start.

    Attributes
    ----------
    groups : Groups
        Parameters.
    share : ndarray, shape (n_bags, n_groups)
        Probability of each group for each bag, given those parameters.
    trace : list of float
        Log likelihood at every step; it never falls.
    """

    groups: Groups
    share: FloatArray
    trace: list[float]


def run_em(
    content: Content, sizes: IntArray, length: Length, start: FloatArray, tol: float, max_iter: int
) -> Run:
    """Run EM from a first guess of the bags' groups.

    Parameters
    ----------
    content : MixtureContent or MultinomialContent
        What the instances say.
    sizes : ndarray of int64, shape (n_bags,)
        Numbers of instances.
    length : Length
        Distribution of that number.
    start : ndarray, shape (n_bags, n_groups)
        First guess; the rows sum to 1.
    tol : float
        Stop when the log likelihood gains less than this per bag.
    max_iter : int
        Largest number of steps.

    Returns
    -------
    Run
    """
    share = start
    expected = share.T @ content.counts
    trace: list[float] = []
    while True:
        groups = _maximize(expected, sizes, share, length)
        joint = groups.joint(content, sizes)
        evidence = logsumexp(joint, axis=1, keepdims=True)
        share = np.exp(joint - evidence)
        trace.append(float(evidence.sum()))
        settled = len(trace) > 1 and trace[-1] - trace[-2] < tol * len(sizes)
        if settled or len(trace) > max_iter:
            return Run(groups, share, trace)
        expected = content.expected_counts(groups.profiles, share)


def _maximize(expected: FloatArray, sizes: IntArray, share: FloatArray, length: Length) -> Groups:
    return Groups(
        floored_shares(share.sum(axis=0), WEIGHT_FLOOR),
        floored_shares(expected, PROFILE_FLOOR),
        length.estimate(sizes, share),
        length,
    )


def floored_shares(counts: FloatArray, floor: float) -> FloatArray:
    """Shares of largest likelihood, given counts, among those that are nowhere below `floor`.

    Because they are the best under that bound, and not just lifted to it, EM with them climbs as
    strictly as without.

    Parameters
    ----------
    counts : ndarray, shape (..., n)
        Counts, 0 or more. Where all are 0, the shares are equal.
    floor : float
        Least share, at most 1 / n.

    Returns
    -------
    ndarray, shape (..., n)
        Shares; they sum to 1 along the last axis.
    """
    totals = counts.sum(axis=-1, keepdims=True)
    nothing = totals <= np.finfo(np.float64).tiny
    counts = np.where(nothing, 1.0, counts)
    low = np.zeros(counts.shape, dtype=np.bool_)
    while True:
        left = 1 - floor * low.sum(axis=-1, keepdims=True)
        above = np.where(low, 0.0, counts)
        shares = np.where(low, floor, left * above / above.sum(axis=-1, keepdims=True))
        below = shares < floor
        if not below.any():
            return np.asarray(shares)
        low |= below
