"""What is known of the paper's own figures.

Of Table 4 of Law et al. (2017) only times were at hand; its one-errors, coverages and average
precisions are unknown, not zero.
"""

from __future__ import annotations

PAPER_TIMES_OF_MIMLCA: dict[str, float] = {"miml": 37.0, "mildml": 2.5}
"""How many times as long as mimlca other metrics took to train on Corel5K."""

PAPER_SECONDS: dict[str, float] = {"emdd": 38_724.0}
"""Training time of other methods on Corel5K, on the authors' machine."""
