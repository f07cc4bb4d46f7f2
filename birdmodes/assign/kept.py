"""Names of what ``assign`` keeps."""

from __future__ import annotations

ASSIGNED = "assigned"
"""Folder in the workspace for new recordings, unless told otherwise."""

ASSIGNMENTS = "assignments.csv"
FACTS = "assigned.json"
"""What was done, in numbers."""
