"""The experiment of Kriegel et al. (2006) on mi-em.

References
----------
Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006,
section 5.
"""

from __future__ import annotations

from birdmodes.experiments.claims import Claim
from birdmodes.experiments.experiment import Experiment
from birdmodes.experiments.known import KRIEGELS_CLUSTERS, published
from birdmodes.experiments.papers.bag_judges import (
    PAM,
    for_every_k,
    higher,
    medoids_as_in_paper,
    of_clusters,
    reaches,
)
from birdmodes.experiments.papers.zhang import CLAIMS_TITLE, SHARED
from birdmodes.experiments.report import Words
from birdmodes.experiments.shown.group_numbers import MAIN_TEXT, show
from birdmodes.experiments.work.bags import OF_MI_EM, problems_of

_MIXTURE = (("mi-em",), ("mean",))
_F = published("kriegel").query("method == 'mi-em' and measure == 'f_measure'")
_PRINTED = {str(name): float(figure) for name, figure in zip(_F["set"], _F["lowest"], strict=True)}

KRIEGEL_CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            f"mi-em has a higher {name} than every PAM",
            "every K; mean of the runs; best preparation of the features of each",
            for_every_k(higher(_MIXTURE, (PAM, ("only",)), measure)),
        )
        for measure, name in (("f_measure", "F-measure"), ("purity", "precision"))
    ),
    Claim(
        "mi-em has a lower average entropy than every PAM",
        "every K; mean of the runs; best preparation of the features of each",
        for_every_k(higher(_MIXTURE, (PAM, ("only",)), "average_entropy", low=True)),
    ),
    Claim(
        f"mi-em has an F-measure of 0.63 on Musk 1 with {KRIEGELS_CLUSTERS} clusters",
        "mean of the runs; best preparation of the features",
        of_clusters(KRIEGELS_CLUSTERS, reaches(*_MIXTURE, "f_measure", _PRINTED, digits=2)),
        datasets=tuple(_PRINTED),
    ),
    Claim(
        f"PAM has an F-measure of 0.341 to 0.41 on Musk 1 with {KRIEGELS_CLUSTERS} clusters",
        "every distance and preparation of the features",
        medoids_as_in_paper,
        datasets=tuple(_PRINTED),
    ),
    Claim(
        "mi-em has a precision of .833 on DS1 with 8 clusters, its competitors .478 to .48",
        "DS1, 6,082 enzymes of PDB with 6 classes of BRENDA, is not public (docs/datasets.md)",
        lambda choices: [],
        datasets=("ds1",),
    ),
)

KRIEGEL = Experiment(
    name="mi-em",
    problems=problems_of("mi-em"),
    entrants=dict.fromkeys(OF_MI_EM),
    claims=KRIEGEL_CLAIMS,
    words=Words(
        title="Benchmark: EM for multi-instance objects",
        main_title="What is shown",
        main_text=MAIN_TEXT,
        claims_title=CLAIMS_TITLE,
    ),
    show=show,
    **SHARED,
)
