"""What is known of the figures of Law et al. (2017); the rest is unknown, not zero."""

from __future__ import annotations

PAPER_TIMES: dict[str, float] = {"miml": 109.0, "mildml": 45.0}
"""Training time on faces (Labeled Yahoo! News), as a multiple of that of mimlca, setting (b)."""

PAPER_ALPHAS: dict[str, tuple[float, float]] = {"linear": (0.5, 1.0), "kernel": (0.25, 0.25)}
"""Range of the best alpha in Table 3, which looks at held-out instances."""
