"""From clusters of instances to groups of bags: the majority decides."""

from __future__ import annotations

import numpy as np

from algorithms.bags import FloatArray, IntArray
from algorithms.layout import SortedBags


def majority_vote(
    layout: SortedBags, clusters: IntArray, merit: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Give each bag the cluster that most of its instances are in.

    Parameters
    ----------
    layout : SortedBags
        The bags.
    clusters : ndarray of int64, shape (n_instances,)
        Cluster of each row of ``layout.X``.
    merit : ndarray, shape (n_instances, n_clusters)
        How well each row suits each cluster, such as minus its squared distance from the centre.
        Of clusters with as many instances of a bag, the one that suits all of the bag's instances
        best has it, the sum of their merits being largest; then the lowest.

    Returns
    -------
    clusters : ndarray of int64, shape (n_filled,)
        Cluster of each bag that has instances, in the order of ``layout.bag_numbers``.
    shares : ndarray, shape (n_filled,)
        Share of the bag's instances that are in it.
    """
    shape = (layout.n_filled, merit.shape[1])
    cells = layout.run * shape[1] + clusters
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    most = counts.max(axis=1)
    merits = np.add.reduceat(merit, layout.starts, axis=0)
    merits[counts < most[:, None]] = -np.inf
    return merits.argmax(axis=1), most / layout.sizes
