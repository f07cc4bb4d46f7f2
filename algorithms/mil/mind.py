"""MInD: bags as dissimilarities to all training bags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.checks import Seed, check_choice, check_number
from algorithms.distances import bag_distances
from algorithms.layout import SortedBags
from algorithms.mil.base import BagAnnotator
from algorithms.mil.planes import Plane, kernel_plane, score_planes
from algorithms.mil.runs import as_bags, instances_as_bags

Dissimilarity = Literal["meanmin", "minmin", "maxmin"]

_BLOCK_ENTRIES = 1 << 23  # distances of instances to bags held at a time, in float64 entries: 64 MB
_COMBINED = {"meanmin": np.add, "minmin": np.minimum, "maxmin": np.maximum}


@dataclass(frozen=True, eq=False)
class _Table:
    """Dissimilarities of the training bags, shifted and scaled, and their inner products."""

    features: FloatArray
    products: FloatArray


class MInD(BagAnnotator[_Table, Plane]):
    r"""Linear support vector machine on the dissimilarities of a bag to all training bags.

    With :math:`d_k` the squared distance of instance k of a bag to the nearest instance of a
    training bag, its dissimilarity to that bag is the mean, the least or the largest of them. It is
    not symmetric, except for "minmin".

    Parameters
    ----------
    random_state : int or None
        For the sake of the contract: nothing here is random.
    dissimilarity : {"meanmin", "minmin", "maxmin"}
        How the distances of instances are combined.
    C : float
        Price of errors.

    Notes
    -----
    Dissimilarities are scaled so that their vectors have a mean squared distance of 1 from their
    mean, so that the unit of the features does not matter. That they are shifted to their mean too
    changes nothing but the speed of the solver.

    References
    ----------
    Cheplygina, Tax & Loog, Multiple instance learning with bag dissimilarities, Pattern Recognition
    48 (2015).
    """

    def __init__(
        self,
        *,
        random_state: Seed = 0,
        dissimilarity: Dissimilarity = "meanmin",
        C: float = 100.0,
    ) -> None:
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.C = C

    def _check_parameters(self) -> None:
        check_choice("dissimilarity", self.dissimilarity, tuple(_COMBINED))
        check_number("C", self.C, above=True)

    def _prepare(self, train: SortedBags, seed: int) -> _Table:
        self._train = as_bags(train)
        raw = dissimilarities(train, self._train, self.dissimilarity)
        self._centre = raw.mean(axis=0)
        spread = float(np.sqrt(raw.var(axis=0).sum()))
        self._scale = spread if spread > 0 else 1.0
        features = (raw - self._centre) / self._scale
        return _Table(features, features @ features.T)

    def _fit_class(self, prepared: _Table, positive: BoolArray, seed: int) -> Plane:
        of_bags = kernel_plane(prepared.products, positive, self.C)
        return Plane(prepared.features.T @ of_bags.weights, of_bags.intercept)

    def _score(self, bags: SortedBags, models: list[Plane]) -> FloatArray:
        raw = dissimilarities(bags, self._train, self.dissimilarity)
        return score_planes((raw - self._centre) / self._scale, models)


def dissimilarities(bags: SortedBags, others: Bags, kind: Dissimilarity) -> FloatArray:
    """Compute the dissimilarity of every bag to every one of others.

    Parameters
    ----------
    bags : SortedBags
        Bags.
    others : Bags
        Bags to compare with, all of which have instances.
    kind : {"meanmin", "minmin", "maxmin"}
        See :class:`MInD`.

    Returns
    -------
    ndarray, shape (bags.n_filled, others.n_bags)
        From 0.
    """
    parts = []
    for rows, starts in _whole_bags(bags, max(1, _BLOCK_ENTRIES // others.n_bags)):
        nearest = bag_distances(instances_as_bags(bags.X[rows]), "min", others) ** 2
        parts.append(_COMBINED[kind].reduceat(nearest, starts, axis=0))
    combined = np.concatenate(parts)
    return combined / bags.sizes[:, None] if kind == "meanmin" else combined


def _whole_bags(bags: SortedBags, n_rows: int) -> Iterator[tuple[slice, IntArray]]:
    """Split rows into blocks of whole bags, about `n_rows` each, and tell where these start."""
    firsts = np.unique(bags.starts // n_rows, return_index=True)[1]
    ends = np.append(bags.starts, len(bags.X))
    for first, stop in zip(firsts, np.append(firsts[1:], bags.n_filled), strict=True):
        yield slice(ends[first], ends[stop]), bags.starts[first:stop] - ends[first]
