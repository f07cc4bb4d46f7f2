"""Ticks of axes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """A tick: its place along the axis, in the figure's unit, and its text."""

    at: float
    text: str
