"""What is known of the papers' own figures; whatever is not here is unknown, not zero."""

from __future__ import annotations

PAPER_ACCURACY: dict[str, float] = {
    "corel-eft": 0.540,
    "natural-scene-1": 0.566,
    "natural-scene-2": 0.632,
    "natural-scene-3": 0.604,
    "natural-scene-4": 0.417,
}
"""Accuracy of m3ic in Zhang, Wang, Si & Li (2011), Table 4: Corel and the natural scenes only."""

PAPER_F_MIXTURE: dict[str, float] = {"musk1": 0.63}
"""F-measure of mi-em in Kriegel, Pryakhin & Schubert (2006)."""

PAPER_F_MEDOIDS: dict[str, tuple[float, float]] = {"musk1": (0.341, 0.41)}
"""Range of the F-measures of PAM in the same tables."""

TIMES_ON_COREL: dict[str, float] = {"miml": 37.0, "mildml": 2.5}
"""How many times as long as mimlca other metrics took on Corel5K: Law et al. (2017), Table 4."""

SECONDS_OF_EMDD = 38_724.0
"""Training time of emdd on Corel5K, on the authors' machine: the same table."""

TIMES_ON_FACES: dict[str, float] = {"miml": 109.0, "mildml": 45.0}
"""Times on faces (Labeled Yahoo! News), as multiples of that of mimlca, setting (b): the same."""

BEST_ALPHAS: dict[str, tuple[float, float]] = {"linear": (0.5, 1.0), "kernel": (0.25, 0.25)}
"""Range of the best alpha in Table 3 of Law et al., which looks at held-out instances."""

MARK = "*"
"""Follows the names of problems that are not, or not surely, those of the paper."""

_DIFFERENT = ("sival", "natural-scene", "reuters")


def marked(name: str) -> str:
    """Add the mark to the name of a problem that may differ from the paper's."""
    return f"{name}{MARK}" if name.startswith(_DIFFERENT) else name
