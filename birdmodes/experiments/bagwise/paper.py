"""What is known of the papers' own figures, and where their data differ from ours.

Of the tables of Zhang et al. only the accuracies of m3ic on Corel and the natural scenes were at
hand, of Kriegel et al. only F-measures on Musk 1; the rest is unknown, not zero.
"""

from __future__ import annotations

PAPER_ACCURACY: dict[str, float] = {
    "corel-eft": 0.540,
    "natural-scene-1": 0.566,
    "natural-scene-2": 0.632,
    "natural-scene-3": 0.604,
    "natural-scene-4": 0.417,
}
"""Accuracy of m3ic in Zhang, Wang, Si & Li (2011), Table 4."""

PAPER_F_MIXTURE: dict[str, float] = {"musk1": 0.63}
"""F-measure of mi-em in Kriegel, Pryakhin & Schubert (2006)."""

PAPER_F_MEDOIDS: dict[str, tuple[float, float]] = {"musk1": (0.341, 0.41)}
"""Range of the F-measures of PAM in the same tables."""

MARK = "*"
"""Follows the names of problems that are not, or not surely, those of the paper."""

_DIFFERENT = ("sival", "natural-scene", "reuters")

DIFFERENCES = (
    f"Problems with {MARK} are not, or not surely, those of the paper: of SIVAL 6 of the 25 "
    "categories are public here, and which classes the paper's numbers of natural-scene and "
    "reuters stand for is not known (docs/datasets.md tells what could be inferred)."
)


F_KNOWN = (
    "Of the paper's figures only these were at hand, for Musk 1: F-measures of PAM from 0.341 to "
    "0.41, and 0.63 of mi-em."
)


def marked(name: str) -> str:
    """Add the mark to the name of a problem that may differ from the paper's."""
    return f"{name}{MARK}" if name.startswith(_DIFFERENT) else name
