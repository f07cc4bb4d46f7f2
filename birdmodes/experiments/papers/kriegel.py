"""The experiment of Kriegel et al. (2006) on mi-em.

References
----------
Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006,
section 5.
"""

from __future__ import annotations

from birdmodes.experiments.claims import Claim
from birdmodes.experiments.experiment import Experiment
from birdmodes.experiments.known import PAPER_F_MEDOIDS, PAPER_F_MIXTURE
from birdmodes.experiments.papers.bag_judges import (
    PAM,
    for_every_k,
    higher,
    medoids_as_in_paper,
    reaches,
)
from birdmodes.experiments.papers.zhang import CLAIMS_TITLE, SHARED
from birdmodes.experiments.report import Words
from birdmodes.experiments.shown.group_numbers import MAIN_TEXT, show
from birdmodes.experiments.work.bags import OF_MI_EM, problems_of

_MIXTURE = (("mi-em",), ("mean",))

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
        "mi-em has an F-measure of 0.63 on Musk 1",
        "mean of the runs; best K and preparation of the features",
        reaches(*_MIXTURE, "f_measure", PAPER_F_MIXTURE, digits=2),
        datasets=tuple(PAPER_F_MIXTURE),
    ),
    Claim(
        "PAM has an F-measure of 0.341 to 0.41 on Musk 1",
        "every K, distance and preparation of the features",
        medoids_as_in_paper,
        datasets=tuple(PAPER_F_MEDOIDS),
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
