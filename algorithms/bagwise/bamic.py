"""BAMIC: k-medoids of bags by their Hausdorff distances, from random starts."""

from __future__ import annotations

import numpy as np

from algorithms.bags import FloatArray
from algorithms.bagwise.kmedoids import KMedoids, alternating
from algorithms.bagwise.medoids import MedoidClusterer
from algorithms.checks import Seed, check_count, seed_of


class BAMIC(MedoidClusterer):
    """k-medoids of bags: bags go to the nearest medoid, groups choose their medoid, in turn.

    Every run starts from random bags as medoids (:func:`~algorithms.bagwise.kmedoids.alternating`).
    The run of least cost is kept; the M3IC paper reports the best accuracy of ten runs instead, for
    which labels must be known: that can be found from ``run_labels_``.

    Parameters
    ----------
    n_clusters, random_state, n_jobs
        See :class:`~algorithms.bagwise.medoids.MedoidClusterer`, also for what there is after a
        fit.
    n_init : int
        Number of runs. More of them do not change the earlier ones.

    References
    ----------
    Zhang & Zhou, Multi-instance clustering with applications to multi-instance prediction, Applied
    Intelligence 31 (2009).
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: Seed = 0,
        n_init: int = 10,
        n_jobs: int = -1,
    ) -> None:
        super().__init__(n_clusters, random_state=random_state, n_jobs=n_jobs)
        self.n_init = n_init

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_init", self.n_init)

    def _runs(self, distances: FloatArray) -> list[KMedoids]:
        starts = np.random.default_rng(seed_of(self.random_state)).spawn(self.n_init)
        return [
            alternating(distances, start.choice(len(distances), self.n_clusters, replace=False))
            for start in starts
        ]


class BAMICMin(BAMIC):
    """BAMIC by the minimal Hausdorff distance, that of the two nearest instances.

    Bags that share an instance are then the same, so that a sound which all bags have leaves little
    to group by.

    Parameters
    ----------
    n_clusters, random_state, n_init, n_jobs
        See :class:`~algorithms.bagwise.bamic.BAMIC`.
    """

    _kind = "min"


class BAMICMax(BAMIC):
    """BAMIC by the maximal Hausdorff distance, that of the instance farthest from the other bag.

    One odd instance is enough to set a bag apart.

    Parameters
    ----------
    n_clusters, random_state, n_init, n_jobs
        See :class:`~algorithms.bagwise.bamic.BAMIC`.
    """

    _kind = "max"


class BAMICAverage(BAMIC):
    """BAMIC by the average Hausdorff distance: from each instance to the nearest of the other bag.

    Parameters
    ----------
    n_clusters, random_state, n_init, n_jobs
        See :class:`~algorithms.bagwise.bamic.BAMIC`.
    """

    _kind = "average"
