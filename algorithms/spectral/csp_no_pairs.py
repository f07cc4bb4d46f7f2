"""CSP without what pairs of instances could say: the bag constraints' own contribution."""

from __future__ import annotations

from algorithms.bags import Bags
from algorithms.constraints.operator import Constraints
from algorithms.constraints.unpaired import unpaired_constraints
from algorithms.spectral.csp import CSP


class CSPNoPairs(CSP):
    """CSP with Q set to 0 where the bags' labels imply a must-link or a cannot-link.

    What it gains over SP is what only bag constraints can give. The entries are set to 0 for
    every number of clusters, though with more clusters than classes nothing implies must-links:
    otherwise, as published, it would then be :class:`~algorithms.spectral.csp.CSP`.

    Parameters
    ----------
    n_clusters, random_state, graph, n_neighbors, t, n_init, neighbours
        See :class:`~algorithms.spectral.base.SpectralClusterer`.
    alpha, centering, unlabelled
        See :class:`~algorithms.spectral.csp.CSP`. With ``centering="exact"`` instances of bags
        without labels take no part in Q, whatever `unlabelled` is, and there may be up to
        20 000 different label sets.

    Attributes
    ----------
    labels_, embedding_, eigenvalues_, graph_, rho_, alpha_effective_
        See :class:`~algorithms.spectral.csp.CSP`.

    References
    ----------
    Pei & Fern (2013), section 5.4 and Figure 4 ("CSP w.o. ML/CL").
    """

    def _constraints(self, bags: Bags) -> tuple[Constraints | None, float]:
        constraints = unpaired_constraints(
            bags, centering=self.centering, unlabelled=self.unlabelled
        )
        return constraints, float(self.alpha)
