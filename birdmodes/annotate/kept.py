"""Names of the files that ``annotate`` and ``evaluate`` keep."""

from __future__ import annotations

ANNOTATED = "annotated"
"""Folder in the workspace for annotations of new recordings, unless told otherwise."""

SYLLABLES = "annotations.csv"
PROBABILITIES = "annotations.parquet"
"""The same with the probability of every species."""

RECORDINGS = "recording_species.csv"
FACTS = "annotated.json"
"""What was done, in numbers."""

EVALUATIONS = "evaluations"
"""Folder in the workspace for evaluations."""
