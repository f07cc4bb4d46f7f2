"""Which species a cluster belongs to, judged from the label sets of bags alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.disambiguation.chance import false_discovery_rates, hypergeometric_tail
from algorithms.disambiguation.label_set_counts import LabelSetCounts, divide
from algorithms.errors import ClusteringError

EXPLAINED_LIMIT = 0.5
"""A cluster whose best species explains less than this, beyond chance, may be background ..."""

BACKGROUND_LIMIT = 0.02
"""... and is, when a source in every bag takes at least this share of its syllables."""


@dataclass(frozen=True, eq=False)
class ClusterSpecies:
    """What the bags' labels say about clusters; G clusters, C classes, N instances.

    Only labelled bags count, those without instances too. A cluster without an instance in a
    labelled bag has zeros in every row, p and q of 1, species -1, and is not background: nothing is
    known of it.

    Attributes
    ----------
    theta : ndarray, shape (G, C)
        Share of the cluster's syllables that class c utters. Syllables in bags labelled with no
        class belong to none, so a row sums to 1 less their share.
    species : ndarray of int64, shape (G,)
        Class of largest theta (at a tie the better enriched, then the lower one); -1 where theta
        is zero throughout.
    confidence : ndarray, shape (G,)
        theta of that class; 0 where there is none.
    background : ndarray of bool, shape (G,)
        Whether the cluster is noise rather than a mode; see :func:`species_of_clusters`.
    consistency : ndarray, shape (G, C)
        Share of the bags with the cluster that have the class: 1 for a pure mode.
    coverage : ndarray, shape (G, C)
        Share of the bags with the class that have the cluster.
    p_value : ndarray, shape (G, C)
        Hypergeometric probability of so many bags in common, or more, by chance.
    q_value : ndarray, shape (G, C)
        p_value adjusted for all clusters and classes (Benjamini & Hochberg).
    explained : ndarray, shape (G,)
        How much of the cluster its best class explains beyond chance, 0 to 1.
    background_share : ndarray, shape (G,)
        Share of its syllables that a source present in every bag explains better.
    instance_confidence : ndarray, shape (N,)
        Probability that the instance is of its cluster's species: given the label set of its bag
        where that is known (so 0 when the bag lacks the species), else the confidence.
    """

    theta: FloatArray
    species: IntArray
    confidence: FloatArray
    background: BoolArray
    consistency: FloatArray
    coverage: FloatArray
    p_value: FloatArray
    q_value: FloatArray
    explained: FloatArray
    background_share: FloatArray
    instance_confidence: FloatArray


def species_of_clusters(cluster: npt.ArrayLike, bags: Bags, n_clusters: int) -> ClusterSpecies:
    r"""Find the species of every cluster from the label sets of its bags.

    With n_ig instances of cluster g in bag i and theta_gc = P(class c | cluster g), the
    partial-label EM alternates

        w_igc = theta_gc [c in Y_i] / sum_{c' in Y_i} theta_gc',   theta_gc = sum_i n_ig w_igc / n_g

    from equal theta. Bags labelled with no class have no w, but count in n_g.

    **Background.** Testing whether a cluster's bags are a chance draw does not work: rare true
    modes pass as chance, a species in every bag makes everything pass, and large noise clusters
    fail, as calls cut to pieces by the segmentation follow their species. What counts is not
    significance but size, and two things together:

    - the best class *explains* less than half of the cluster: (s_gc - pi_c) / (1 - pi_c) < 0.5
      for all c, with s_gc the share of the cluster's syllables in bags with c, and pi_c the share
      of bags with c. Always 1 when all syllables lie in bags with c, so neither a rare mode nor
      any cluster of single-species data is ever background; syllables in bags labelled with no
      class lower it directly;
    - a *source present in every bag* takes a share of at least 0.02 in an EM in which class c
      weighs [c in Y_i] / pi_c against its 1 (in bags labelled with no class it is the only
      candidate). This spares clusters that a few species explain together.

    Measured on the unfiltered HJA birdsong segments, half of which are noise or unidentified (sp,
    and csp with weak bag constraints, 26 and 40 clusters, 2 seeds): the rule flags 83 of the 122
    clusters that are mostly unidentified, 60 of the 72 that are so to more than 70 %, and 2 of the
    91 in which one species has the majority (none of csp's 47). Most of those it leaves are not
    noise: their syllables lie to 80 to 90 % in recordings of one species. Of the alternatives, a
    test at q > 0.05 of the best class flags 3 of the 122, and the source's share alone, cut at one
    half, 6: many species together imitate noise well. Counting bags instead of syllables flags
    modes that a few stray syllables have joined. Noise that lies only in bags with one common
    species passes as a mode of it: labels cannot tell.

    Parameters
    ----------
    cluster : array_like of int, shape (n_instances,)
        Cluster of every instance, 0 .. n_clusters - 1; -1 for none.
    bags : Bags
        The instances' bags, with their label sets.
    n_clusters : int
        Number of clusters G.

    Returns
    -------
    ClusterSpecies

    Raises
    ------
    ClusteringError
        When `cluster` does not fit `bags` or `n_clusters`.

    References
    ----------
    Cour, Sapp & Taskar, Learning from partial labels, JMLR 2011, for the setting; Benjamini &
    Hochberg, Controlling the false discovery rate, J. R. Statist. Soc. B 1995.
    """
    assigned = _check_clusters(cluster, bags, n_clusters)
    counts = LabelSetCounts.of(assigned, bags, n_clusters)
    theta = counts.theta()
    consistency, coverage, p_value = _overlap(assigned, bags, n_clusters)
    species = _best_class(theta, p_value)
    known = species >= 0
    confidence = np.zeros(n_clusters)
    confidence[known] = theta[known, species[known]]
    explained, background_share = counts.explained(), counts.background_share()
    return ClusterSpecies(
        theta=theta,
        species=species,
        confidence=confidence,
        background=(explained < EXPLAINED_LIMIT) & (background_share >= BACKGROUND_LIMIT),
        consistency=consistency,
        coverage=coverage,
        p_value=p_value,
        q_value=false_discovery_rates(p_value),
        explained=explained,
        background_share=background_share,
        instance_confidence=_instance_confidence(assigned, bags, theta, species),
    )


def counted_clusters(cluster: npt.ArrayLike, bags: Bags, n_clusters: int) -> ClusterSpecies:
    """What counting alone tells of clusters, before anybody has named them.

    Parameters
    ----------
    cluster, bags, n_clusters
        As for :func:`species_of_clusters`.

    Returns
    -------
    ClusterSpecies
        Consistency, coverage, p and q; no species, and zeros for the rest.
    """
    assigned = _check_clusters(cluster, bags, n_clusters)
    consistency, coverage, p_value = _overlap(assigned, bags, n_clusters)
    return ClusterSpecies(
        theta=np.zeros(consistency.shape),
        species=np.full(n_clusters, -1, dtype=np.int64),
        confidence=np.zeros(n_clusters),
        background=np.zeros(n_clusters, dtype=np.bool_),
        consistency=consistency,
        coverage=coverage,
        p_value=p_value,
        q_value=false_discovery_rates(p_value),
        explained=np.zeros(n_clusters),
        background_share=np.zeros(n_clusters),
        instance_confidence=np.zeros(bags.n_instances),
    )


def with_known_classes(
    found: ClusterSpecies, cluster: IntArray, known_class: IntArray, posterior: FloatArray
) -> ClusterSpecies:
    """Name clusters by the class that their instances were given before they were clustered.

    For methods that keep each cluster within one class, as ldc does: what they know of every
    instance says more than the label sets of a cluster's bags.

    Parameters
    ----------
    found : ClusterSpecies
        From :func:`counted_clusters`; consistency, coverage and p are kept.
    cluster : ndarray of int64, shape (n_instances,)
        Clusters; all those of `found` have instances.
    known_class : ndarray of int64, shape (n_instances,)
        Class of each instance, the same within a cluster; -1 for background.
    posterior : ndarray, shape (n_instances, n_classes)
        Probability of each class; what is missing to a sum of 1 is background.

    Returns
    -------
    ClusterSpecies
        theta is the mean posterior in the cluster, the confidence that of its class.
    """
    n_clusters = len(found.species)
    species = np.full(n_clusters, -1, dtype=np.int64)
    species[cluster] = known_class
    theta = np.zeros((n_clusters, posterior.shape[1]))
    np.add.at(theta, cluster, posterior)
    theta = divide(theta, np.bincount(cluster, minlength=n_clusters)[:, None])
    named = species >= 0
    confidence = np.zeros(n_clusters)
    confidence[named] = theta[named, species[named]]
    of_class = known_class >= 0
    own = np.zeros(len(known_class))
    own[of_class] = posterior[of_class, known_class[of_class]]
    return replace(
        found,
        theta=theta,
        species=species,
        confidence=confidence,
        background=~named,
        instance_confidence=own,
    )


def without_species(found: ClusterSpecies) -> ClusterSpecies:
    """The same clusters without names, for label sets that cannot tell any class from another."""
    return replace(
        found,
        species=np.full(len(found.species), -1, dtype=np.int64),
        confidence=np.zeros(len(found.species)),
        background=np.zeros(len(found.species), dtype=np.bool_),
        instance_confidence=np.zeros(len(found.instance_confidence)),
    )


def _overlap(
    assigned: IntArray, bags: Bags, n_clusters: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Consistency, coverage and hypergeometric p of every cluster and class, (G, C) each."""
    counted = (assigned >= 0) & bags.labelled[bags.bag]
    cells = np.unique(assigned[counted] * bags.n_bags + bags.bag[counted])
    clusters, in_bags = np.divmod(cells, max(1, bags.n_bags))
    common = np.zeros((n_clusters, bags.labels.shape[1]))
    for label in range(bags.labels.shape[1]):
        having = bags.labels[in_bags, label]
        common[:, label] = np.bincount(clusters[having], minlength=n_clusters)
    with_cluster = np.bincount(clusters, minlength=n_clusters)[:, None]
    with_class = bags.labels.sum(axis=0)[None, :]
    p_value = np.ones(common.shape)
    group, having_class = np.nonzero(common)
    p_value[group, having_class] = hypergeometric_tail(
        common[group, having_class],
        int(bags.labelled.sum()),
        with_class[0, having_class],
        with_cluster[group, 0],
    )
    return divide(common, with_cluster), divide(common, with_class), p_value


def _best_class(theta: FloatArray, p_value: FloatArray) -> IntArray:
    """Class of largest theta; ties go to the smaller p, then to the lower class; -1 for none."""
    if not theta.shape[1]:
        return np.full(len(theta), -1, dtype=np.int64)
    largest = theta.max(axis=1, keepdims=True)
    # Shares that are equal in theory may differ by rounding and by what the EM has left to do.
    tied = theta >= largest - 1e-6
    best = np.where(tied, p_value, np.inf).argmin(axis=1)
    return np.where(largest[:, 0] > 0, best, -1).astype(np.int64)


def _instance_confidence(
    assigned: IntArray, bags: Bags, theta: FloatArray, species: IntArray
) -> FloatArray:
    confidence = np.zeros(bags.n_instances)
    known = np.flatnonzero((assigned >= 0) & (species[assigned] >= 0))
    group, bag = assigned[known], bags.bag[known]
    own = theta[group, species[group]]
    has_species = bags.labels[bag, species[group]]
    among = np.einsum("nc,nc->n", theta[group], bags.labels[bag].astype(np.float64))
    given_labels = divide(own * has_species, among)
    confidence[known] = np.where(bags.labelled[bag], given_labels, own)
    return confidence


def _check_clusters(cluster: npt.ArrayLike, bags: Bags, n_clusters: int) -> IntArray:
    assigned = np.asarray(cluster)
    if assigned.shape != (bags.n_instances,):
        raise ClusteringError(
            f"cluster must have one entry for each of the {bags.n_instances} instances, "
            f"not shape {assigned.shape}"
        )
    if assigned.size and not np.issubdtype(assigned.dtype, np.integer):
        raise ClusteringError(f"cluster must hold whole numbers, not {assigned.dtype}")
    outside = np.flatnonzero((assigned < -1) | (assigned >= n_clusters))
    if len(outside):
        raise ClusteringError(
            f"instance {int(outside[0])} is in cluster {int(assigned[outside[0]])}, outside "
            f"0 to {n_clusters - 1} (-1 for none): check n_clusters"
        )
    return assigned.astype(np.int64)


def known_modes(bags: Bags, group: IntArray) -> tuple[IntArray | None, dict[int, int]]:
    """Known mode of every instance, and how many there are in each class.

    A mode lies in the class that most of its instances are of; the others are free.
    """
    if bags.known is None or not bags.known.n_modes:
        return None, {}
    fixed = bags.known.mode.copy()
    least: dict[int, int] = {}
    for mode in np.unique(fixed[fixed >= 0]):
        names, sizes = np.unique(group[fixed == mode], return_counts=True)
        home = int(names[sizes.argmax()])
        fixed[(fixed == mode) & (group != home)] = -1
        least[home] = least.get(home, 0) + 1
    return fixed, least
