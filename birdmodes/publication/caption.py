"""The words that go below a figure."""

from __future__ import annotations

import textwrap

from algorithms.registry import METHODS
from birdmodes._version import __version__
from birdmodes.export.text import one_line
from birdmodes.modes.clustering import Clustering, learned_metric
from birdmodes.publication.draw import panel_letter
from birdmodes.publication.material import SpeciesMaterial
from birdmodes.segmentation.parameters import SegmentationParameters

MADE_BY = f"Made by birdmodes figure {__version__}"
"""Stands in every file, so that a later run knows what it may replace."""


def caption(
    material: SpeciesMaterial, clustering: Clustering, parameters: SegmentationParameters
) -> str:
    """Describe a figure, its method and the source of every panel.

    Parameters
    ----------
    material : SpeciesMaterial
        What the figure shows.
    clustering : Clustering
        Where its modes come from.
    parameters : SegmentationParameters
        Those of the spectrograms.

    Returns
    -------
    str
        Paragraphs for a manuscript, then a line for each example.
    """
    paragraphs = [
        f"Vocal modes of {_species(material)}. {_modes(material)}",
        "Left: mean of the spectrogram patches of all syllables of the mode, each centred in time "
        "and frequency on the median of the mode, each on its own scale, from nothing to the loud "
        "parts of the mean. Right: examples, syllables that are loud and by themselves as well as "
        "central to the mode, one of each recording before a second of any; the broken line marks "
        "the syllable. All panels share the scales of time, which starts with the syllable, and "
        "frequency.",
        _spectrograms(parameters),
        _method(clustering),
    ]
    lines = [textwrap.fill(text, 90) for text in paragraphs]
    return "\n\n".join([*lines, _sources(material), MADE_BY]) + "\n"


def _species(material: SpeciesMaterial) -> str:
    others = ", ".join(one_line(name.text) for name in material.others)
    return one_line(material.species) + (f" ({others})" if others else "")


def _modes(material: SpeciesMaterial) -> str:
    parts = [
        f"({panel_letter(number)}) {one_line(mode.heading)}"
        f"{f' ({mode.words})' if mode.words else ''}: n = {mode.syllables:,} syllables from "
        f"{mode.recordings:,} recording{'' if mode.recordings == 1 else 's'}"
        for number, mode in enumerate(material.modes)
    ]
    return "; ".join(parts) + "."


def _spectrograms(parameters: SegmentationParameters) -> str:
    return (
        f"Spectrograms: sample rate {parameters.sample_rate_hz / 1000:g} kHz, "
        f"{parameters.window.capitalize()} window of {1000 * parameters.window_s:.1f} ms, step "
        f"{1000 * parameters.hop_s:.1f} ms; levels in decibels above the noise of each frequency."
    )


def _method(clustering: Clustering) -> str:
    found = clustering.parameters
    method = str(found.get("method", "unknown"))
    metric = learned_metric(found)
    by = f" by the metric of {metric}" if metric else ""
    text = (
        f"Modes were found by birdmodes {found.get('birdmodes', __version__)} (method {method}{by}"
        f", k = {found.get('k', 'unknown')}, seed {found.get('seed', 'unknown')}; clustering "
        f"'{clustering.name}')"
    )
    paper = METHODS[method].paper if method in METHODS else ""
    return f"{text}. Method: {paper}." if paper and not paper.startswith("none") else f"{text}."


def _sources(material: SpeciesMaterial) -> str:
    lines = ["Examples from left to right (recording, seconds from its start):"]
    for number, mode in enumerate(material.modes):
        for example in mode.examples:
            lines.append(
                f"({panel_letter(number)}) {one_line(example.recording)}, {example.start_s:.2f} to "
                f"{example.start_s + example.duration_s:.2f} s"
            )
    return "\n".join(lines)
