"""Which clusters occur in the same recordings more often than by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from algorithms.disambiguation.chance import false_discovery_rates, hypergeometric_tail

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TOGETHER_BELOW = 0.05
"""Pairs with a q-value of at most this are said to occur together."""


@dataclass(frozen=True, eq=False)
class CoOccurrence:
    """How often each two clusters occur in the same recordings.

    Attributes
    ----------
    clusters : ndarray of int64, shape (G,)
        Numbers of the clusters, ascending; rows and columns are in this order.
    n_recordings : int
        Recordings that were compared.
    recordings : ndarray of int64, shape (G,)
        Recordings that have each cluster.
    together : ndarray of int64, shape (G, G)
        Recordings that have both; on the diagonal, `recordings`.
    expected : ndarray of float64, shape (G, G)
        How many would have both if clusters did not heed each other.
    p_value : ndarray of float64, shape (G, G)
        Probability of so many together, or more, by chance (Fisher's exact test, one-sided); 1 on
        the diagonal.
    q_value : ndarray of float64, shape (G, G)
        `p_value` adjusted for the number of pairs (Benjamini & Hochberg).
    """

    clusters: Ints
    n_recordings: int
    recordings: Ints
    together: Ints
    expected: Floats
    p_value: Floats
    q_value: Floats


@dataclass(frozen=True)
class Companion:
    """A cluster that occurs with another one more often than by chance.

    Attributes
    ----------
    cluster : int
        Its number.
    recordings : int
        Recordings that have it.
    together : int
        Recordings that have both.
    expected : float
        How many would have both by chance.
    q_value : float
        As in `CoOccurrence`.
    """

    cluster: int
    recordings: int
    together: int
    expected: float
    q_value: float


def co_occurrence(members: pd.DataFrame, n_recordings: int | None = None) -> CoOccurrence:
    """Count the recordings that clusters share, and compare with chance.

    With N recordings, of which a have the one cluster and b the other, chance puts a·b / N into
    both, and x of them with the hypergeometric probability C(a, x) C(N − a, b − x) / C(N, b).
    Recordings without any syllable do not count: that they have neither of two clusters says
    nothing of the two.

    Parameters
    ----------
    members : pandas.DataFrame
        Columns recording and cluster, a row per syllable.
    n_recordings : int, optional
        Recordings to be compared, if some of them have none of `members`.

    Returns
    -------
    CoOccurrence

    References
    ----------
    Veech, A probabilistic model for analysing species co-occurrence, Global Ecology and
    Biogeography 2013, for the test; Benjamini & Hochberg, Controlling the false discovery rate,
    J. R. Statist. Soc. B 1995, for many pairs.
    """
    clusters, column = np.unique(members["cluster"].to_numpy(np.int64), return_inverse=True)
    names, row = np.unique(members["recording"].to_numpy(dtype=str), return_inverse=True)
    ones = np.ones(len(row), dtype=np.int64)
    n_recordings = len(names) if n_recordings is None else n_recordings
    counts = scipy.sparse.csr_array((ones, (row, column)), shape=(len(names), len(clusters)))
    counts.data[:] = 1
    together = (counts.T @ counts).toarray().astype(np.int64)
    recordings = np.diagonal(together).copy()
    expected = np.outer(recordings, recordings) / max(1, n_recordings)
    p_value = np.ones(together.shape)
    q_value = np.ones(together.shape)
    first, second = np.triu_indices(len(clusters), 1)
    if first.size:
        p_pairs = upper_tail(
            together[first, second], n_recordings, recordings[first], recordings[second]
        )
        q_pairs = false_discovery_rates(p_pairs)
        for table, values in ((p_value, p_pairs), (q_value, q_pairs)):
            table[first, second] = table[second, first] = values
    return CoOccurrence(clusters, n_recordings, recordings, together, expected, p_value, q_value)


def companions(found: CoOccurrence, at_most: float = TOGETHER_BELOW) -> dict[int, list[Companion]]:
    """List what occurs with each cluster.

    Parameters
    ----------
    found : CoOccurrence
        All pairs.
    at_most : float
        Highest q-value of a pair that is listed.

    Returns
    -------
    dict of int to list of Companion
        An entry for every cluster; the surest companion first.
    """
    # A pair in as many recordings as expected is not together, even if all are as expected.
    chosen = (found.q_value <= at_most) & (found.together > found.expected)
    result = {}
    for row, cluster in enumerate(found.clusters.tolist()):
        others = np.flatnonzero(chosen[row])
        order = np.lexsort((found.clusters[others], found.expected[row, others],
                            found.q_value[row, others]))  # fmt: skip
        result[cluster] = [
            Companion(
                cluster=int(found.clusters[other]),
                recordings=int(found.recordings[other]),
                together=int(found.together[row, other]),
                expected=float(found.expected[row, other]),
                q_value=float(found.q_value[row, other]),
            )
            for other in others[order]
        ]
    return result


def upper_tail(together: Ints, n_recordings: int, first: Ints, second: Ints) -> Floats:
    """Probability of at least so many recordings in common.

    Parameters
    ----------
    together, first, second : ndarray of int64, shape (n,)
        Recordings with both, with the first and with the second of n pairs.
    n_recordings : int
        Number of all recordings.

    Returns
    -------
    ndarray of float64, shape (n,)
        P(X >= together) of the hypergeometric distribution. Pairs with no more in common than
        expected get 1 without a computation, as nobody asks by how much they miss it.
    """
    result = np.ones(len(together))
    above = np.flatnonzero(together * n_recordings > first * second)
    result[above] = hypergeometric_tail(together[above], n_recordings, first[above], second[above])
    return result
