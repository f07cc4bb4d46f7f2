"""The table of methods: name, what it groups, where it comes from.

Reading the table loads neither numpy nor any method, so the command line can name the methods in
its help text at once.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from algorithms.errors import ClusteringError, did_you_mean

if TYPE_CHECKING:
    from algorithms.base import BagClusterer, InstanceClusterer

__all__ = ["METHODS", "Method", "make_clusterer"]


@dataclass(frozen=True)
class Method:
    """One entry of :data:`METHODS`.

    Attributes
    ----------
    name : str
        What users type.
    kind : {"instance", "bag"}
        What the method groups.
    import_path : str
        ``"module:class"``.
    paper : str
        Where the method was published.
    summary : str
        One line for help texts.
    """

    name: str
    kind: Literal["instance", "bag"]
    import_path: str
    paper: str
    summary: str

    def load(self) -> type[InstanceClusterer] | type[BagClusterer]:
        """Import the method's class."""
        module, _, attribute = self.import_path.partition(":")
        loaded: type[InstanceClusterer] | type[BagClusterer] = getattr(
            import_module(module), attribute
        )
        return loaded


_BAMIC = (
    "Zhang & Zhou, Multi-instance clustering with applications to multi-instance prediction, "
    "Applied Intelligence 31, 2009"
)
_PAM = (
    "Kaufman & Rousseeuw, Finding groups in data, 1990; of bags in Kriegel, Pryakhin & Schubert, "
    "PAKDD 2006"
)
_M3IC = (
    "Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to "
    "image and text clustering, IEEE Transactions on Neural Networks 22, 2011"
)
_MI_EM = (
    "Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006"
)

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="sp",
            kind="instance",
            import_path="algorithms.spectral.sp:SP",
            paper="Ng, Jordan & Weiss, On spectral clustering: analysis and an algorithm, "
            "NIPS 2001",
            summary="normalised spectral clustering of the syllables; ignores the bags' labels",
        ),
        Method(
            name="splearn",
            kind="instance",
            import_path="algorithms.spectral.splearn:SpLearn",
            paper="Kamvar, Klein & Manning, Spectral learning, IJCAI 2003",
            summary="spectral clustering with pairs that labels imply written into the affinities",
        ),
        Method(
            name="spreg",
            kind="instance",
            import_path="algorithms.spectral.spreg:SpReg",
            paper="Ji & Xu, Document clustering with prior knowledge, SIGIR 2006",
            summary="spectral clustering that is fined for parting pairs that labels hold together",
        ),
        Method(
            name="csp",
            kind="instance",
            import_path="algorithms.spectral.csp:CSP",
            paper="Pei & Fern, Constrained instance clustering in multi-instance multi-label "
            "learning, 2013",
            summary="spectral clustering with bag constraints: bags that share labels attract",
        ),
        Method(
            name="csp-no-pairs",
            kind="instance",
            import_path="algorithms.spectral.csp_no_pairs:CSPNoPairs",
            paper="Pei & Fern, Constrained instance clustering in multi-instance multi-label "
            "learning, 2013, section 5.4",
            summary="csp without what pairs of syllables could say, for comparison",
        ),
        Method(
            name="ldc",
            kind="instance",
            import_path="algorithms.disambiguation.ldc:LDC",
            paper="none: birdmodes' own, see docs/ldc.md",
            summary="first the species of each syllable, from the labels; then modes within each",
        ),
        Method(
            name="mimlca",
            kind="instance",
            import_path="algorithms.metric.mimlca:MIMLCA",
            paper="Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning "
            "using weakly supervised data, CVPR 2017",
            summary="a learned metric tells the species of each syllable; then modes within each",
        ),
        Method(
            name="bamic-min",
            kind="bag",
            import_path="algorithms.bagwise.bamic:BAMICMin",
            paper=_BAMIC,
            summary="k-medoids of recordings by the minimal Hausdorff distance",
        ),
        Method(
            name="bamic-max",
            kind="bag",
            import_path="algorithms.bagwise.bamic:BAMICMax",
            paper=_BAMIC,
            summary="k-medoids of recordings by the maximal Hausdorff distance",
        ),
        Method(
            name="bamic-avg",
            kind="bag",
            import_path="algorithms.bagwise.bamic:BAMICAverage",
            paper=_BAMIC,
            summary="k-medoids of recordings by the average Hausdorff distance",
        ),
        Method(
            name="pam-hausdorff",
            kind="bag",
            import_path="algorithms.bagwise.pam:PAMHausdorff",
            paper=_PAM,
            summary="PAM (build and swap) by the Hausdorff distance",
        ),
        Method(
            name="pam-min-hausdorff",
            kind="bag",
            import_path="algorithms.bagwise.pam:PAMMinHausdorff",
            paper=_PAM,
            summary="PAM (build and swap) by the minimal Hausdorff distance",
        ),
        Method(
            name="pam-smd",
            kind="bag",
            import_path="algorithms.bagwise.pam:PAMSMD",
            paper=_PAM,
            summary="PAM (build and swap) by the sum of minimum distances",
        ),
        Method(
            name="kmeans-vote",
            kind="bag",
            import_path="algorithms.bagwise.kmeans_vote:KMeansVote",
            paper=_M3IC,
            summary="k-means of the syllables; a recording goes where most of its syllables are",
        ),
        Method(
            name="cpm3c",
            kind="bag",
            import_path="algorithms.bagwise.cpm3c:CPM3C",
            paper="Zhao, Wang & Zhang, Efficient multiclass maximum margin clustering, ICML 2008",
            summary="maximum-margin clustering of the syllables; recordings by majority",
        ),
        Method(
            name="m3ic",
            kind="bag",
            import_path="algorithms.bagwise.m3ic:M3IC",
            paper=_M3IC,
            summary="maximum-margin clustering of recordings by one telling syllable of each",
        ),
        Method(
            name="m3ic-kernel",
            kind="bag",
            import_path="algorithms.bagwise.m3ic_kernel:M3ICKernel",
            paper=_M3IC,
            summary="m3ic with curved boundaries: RBF, polynomial or chi-square kernel",
        ),
        Method(
            name="mi-em",
            kind="bag",
            import_path="algorithms.bagwise.mi_em:MIEM",
            paper=_MI_EM,
            summary="mixture model of recordings: which kinds of syllables, how often, how many",
        ),
    )
}


def make_clusterer(name: str, **parameters: Any) -> InstanceClusterer | BagClusterer:
    """Make an unfitted clusterer by its name.

    Parameters
    ----------
    name : str
        A key of :data:`METHODS`.
    **parameters
        Parameters of its constructor, e.g. ``n_clusters=13, random_state=0``.

    Returns
    -------
    InstanceClusterer or BagClusterer

    Raises
    ------
    ClusteringError
        For an unknown name (the message lists the names) or parameter (it lists the parameters);
        both suggest the nearest.
    """
    if name not in METHODS:
        raise ClusteringError(
            f"there is no method {name!r}{did_you_mean(name, METHODS)}: "
            f"choose one of {', '.join(METHODS)}"
        )
    clusterer = METHODS[name].load()
    known = list(inspect.signature(clusterer).parameters)
    for parameter in parameters:
        if parameter not in known:
            raise ClusteringError(
                f"{name} has no parameter {parameter!r}{did_you_mean(parameter, known)}: "
                f"its parameters are {', '.join(known)}"
            )
    return clusterer(**parameters)
