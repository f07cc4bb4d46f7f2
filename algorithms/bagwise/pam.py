"""PAM on bags: k-medoids by building and swapping, for three distances."""

from __future__ import annotations

from algorithms.bags import Bags, FloatArray
from algorithms.bagwise.kmedoids import KMedoids, pam
from algorithms.bagwise.medoids import MedoidClusterer
from algorithms.checks import Seed, check_choice
from algorithms.distances import Normalization, bag_distances


class PAM(MedoidClusterer):
    """Partitioning of bags around medoids, see :func:`algorithms.bagwise.kmedoids.pam`.

    Nothing in it is random: there is one run, and the seed plays no part.

    Parameters
    ----------
    n_clusters, random_state, n_jobs
        See :class:`~algorithms.bagwise.medoids.MedoidClusterer`, also for what there is after a
        fit.

    References
    ----------
    Kaufman & Rousseeuw, Finding groups in data (1990), chapter 2. As baselines for bags: Kriegel,
    Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006.
    """

    def _runs(self, distances: FloatArray) -> list[KMedoids]:
        return [pam(distances, self.n_clusters)]


class PAMHausdorff(PAM):
    """PAM by the Hausdorff distance, that of the instance farthest from the other bag.

    Parameters
    ----------
    n_clusters, random_state, n_jobs
        See :class:`~algorithms.bagwise.medoids.MedoidClusterer`.
    """

    _kind = "max"


class PAMMinHausdorff(PAM):
    """PAM by the minimal Hausdorff distance, that of the two nearest instances.

    Parameters
    ----------
    n_clusters, random_state, n_jobs
        See :class:`~algorithms.bagwise.medoids.MedoidClusterer`.
    """

    _kind = "min"


class PAMSMD(PAM):
    """PAM by the sum of minimum distances, in which large bags weigh more.

    Parameters
    ----------
    n_clusters, random_state, n_jobs
        See :class:`~algorithms.bagwise.medoids.MedoidClusterer`.
    normalize : {"half", "cardinality"}
        What the sum is divided by: 2, or the number of instances in both bags, which makes it the
        average Hausdorff distance.

    References
    ----------
    Eiter & Mannila, Distance measures for point sets and their computation, Acta Informatica 34
    (1997).
    """

    _kind = "smd"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: Seed = 0,
        n_jobs: int = -1,
        normalize: Normalization = "half",
    ) -> None:
        super().__init__(n_clusters, random_state=random_state, n_jobs=n_jobs)
        self.normalize = normalize

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("normalize", self.normalize, ("half", "cardinality"))

    def _distances(self, bags: Bags, other: Bags | None = None) -> FloatArray:
        return bag_distances(bags, self._kind, other, normalize=self.normalize, n_jobs=self.n_jobs)
