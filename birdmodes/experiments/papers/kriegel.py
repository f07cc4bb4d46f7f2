"""The experiment of Kriegel et al. (2006) on mi-em.

References
----------
Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006,
section 5.
"""

from __future__ import annotations

from functools import partial

from birdmodes.experiments.experiment import Experiment
from birdmodes.experiments.known import KRIEGELS_CLUSTERS, published
from birdmodes.experiments.paper import read_paper
from birdmodes.experiments.papers.bag_judges import JUDGES
from birdmodes.experiments.papers.zhang import SHARED
from birdmodes.experiments.shown.bags import RULES_AND_FEATURES
from birdmodes.experiments.shown.group_numbers import show
from birdmodes.experiments.work.bags import OF_MI_EM, problems_of

_PRINTED = published("kriegel").query("method == 'mi-em' and measure == 'f_measure'")

_PAPER = read_paper(
    "mi-em",
    JUDGES,
    printed=_PRINTED.set_index("set")["lowest"].to_dict(),
    KRIEGELS_CLUSTERS=KRIEGELS_CLUSTERS,
    RULES_AND_FEATURES=RULES_AND_FEATURES,
)

KRIEGEL = Experiment(
    problems=problems_of("mi-em"),
    entrants=dict.fromkeys(OF_MI_EM),
    show=partial(show, _PAPER.texts),
    **SHARED,
    **_PAPER.fields,
)
