"""The page of an evaluation: one file, without scripts, that opens from disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from birdmodes._version import __version__
from birdmodes.annotate.confusion import Confusion
from birdmodes.annotate.evaluation import Evaluation
from birdmodes.io.html import STYLE, embedded_style, html_environment
from birdmodes.io.printing import shown
from birdmodes.modes.clustering import used_features

_TEMPLATES = Path(__file__).parent / "templates"
_SHADES = 8
_LARGEST_DOT = 6.0  # radius, where the side of the drawing is 100
_SMALLEST_DOT = 1.5

_BAGS = {
    "micro_precision": ("Precision", "Of the species said to be in a bag, so many are."),
    "micro_recall": ("Recall", "Of the species in a bag, so many are said to be."),
    "micro_f1": ("F1", "Harmonic mean of the two."),
    "macro_f1": ("F1, mean of species", "Counts rare species as much as common ones."),
    "average_precision": ("Average precision", "Of the ranking of species within bags; 1 is best."),
    "one_error": ("One-error", "Bags whose likeliest species is wrong; 0 is best."),
    "calibration_error": (
        "Calibration error",
        "How far scores are from the share that is right, on the average.",
    ),
}
_SYLLABLES = {
    "named": ("Named", "Syllables that get a species."),
    "background": ("Background", "Syllables said to be noise, or of nobody listed."),
    "unsure": ("Unsure", "Syllables of too low a confidence, or like nothing learned from."),
    "possible": ("Possible", "Named syllables whose bag has the species in its list."),
    "truth_accuracy_of_named": ("Right", "Named syllables of the true species."),
    "truth_noise_named": ("Noise named", "Sounds the truth does not have, but got a species."),
}
_RELIABILITY = {
    "bags": ("Scores of species in bags", "the species is there"),
    "truth": ("Confidence of syllables, by the truth", "right"),
    "syllables": ("Confidence of syllables, by the lists", "in the list of its bag"),
}
_CONFUSION = {
    "syllables": (
        "Syllables",
        "Rows are what a syllable is, columns what it is said to be. Shaded by the part of the "
        "row.",
    ),
    "false_alarms": (
        "False alarms",
        "Bags that a species (row) is wrongly said to be in, and which species (column) are there: "
        "it may be taken for one of them. Shaded by the part of the row's largest.",
    ),
}


@dataclass(frozen=True)
class Dot:
    """A tenth of the scores in the drawing, whose side is 100; y grows downwards."""

    x: float
    y: float
    radius: float
    text: str


def to_html(evaluation: Evaluation, name: str) -> str:
    """Render the page; every text is escaped.

    Parameters
    ----------
    evaluation : birdmodes.annotate.evaluation.Evaluation
        What to show.
    name : str
        Of the evaluation.
    """
    environment = html_environment(_TEMPLATES)
    environment.filters["shown"] = shown
    style, digest = embedded_style(STYLE, _TEMPLATES / "evaluation.css")
    return environment.get_template("evaluation.html").render(
        name=name,
        what=evaluation.parameters,
        features=used_features(evaluation.parameters),
        bag_tiles=_tiles(evaluation.metrics, _BAGS),
        syllable_tiles=_tiles(evaluation.syllable_metrics, _SYLLABLES),
        species=_records(evaluation.species.sort_values("bags", ascending=False, kind="stable")),
        reliability=[
            (key, *_RELIABILITY[key], dots(table), _records(table))
            for key in _RELIABILITY
            if not (table := evaluation.reliability.get(key, pd.DataFrame())).empty
        ],
        confusions=[
            (key, *_CONFUSION[key], shown_table, _shades(shown_table, by_sum=key == "syllables"))
            for key in _CONFUSION
            if (shown_table := evaluation.confusion.get(key)) is not None and shown_table.rows
        ],
        warnings=evaluation.warnings,
        summary=evaluation.summary,
        style=style,
        digest=digest,
        version=__version__,
    )


def dots(table: pd.DataFrame) -> list[Dot]:
    """Place what `birdmodes.annotate.measures.reliability_table` tells.

    Areas of dots go with the number of scores they stand for, but for very small ones.
    """
    count = table["count"].to_numpy(dtype=float)
    mean, right = table["mean_score"].to_numpy(dtype=float), table["share_right"].to_numpy(float)
    radius = np.maximum(_LARGEST_DOT * np.sqrt(count / count.max()), _SMALLEST_DOT)
    return [
        Dot(
            round(100 * x, 2),
            round(100 - 100 * y, 2),
            round(r, 2),
            f"{n:,.0f} with {x:.2f} on the average: {y:.0%}",
        )
        for n, x, y, r in zip(
            count.tolist(), mean.tolist(), right.tolist(), radius.tolist(), strict=True
        )
    ]


def _tiles(metrics: dict[str, Any], texts: dict[str, tuple[str, str]]) -> list[tuple[str, ...]]:
    """What is known of the measures: label, value and meaning."""
    return [
        (label, f"{metrics[name]:.3f}", meaning)
        for name, (label, meaning) in texts.items()
        if metrics.get(name) is not None
    ]


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in rows]


def _shades(table: Confusion, *, by_sum: bool) -> list[list[int]]:
    """Shade of each cell, 0 to 8, rounded up, so that nothing that is there is without one."""
    counts = table.counts
    whole = counts.sum(axis=1) if by_sum else counts.max(axis=1)
    shades: list[list[int]] = (-(-_SHADES * counts // whole[:, None])).tolist()
    return shades
