"""How a clustering or a grouping was made, for people who judge it or want to do it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from algorithms.assignments import Option
from algorithms.options import method_options
from algorithms.registry import METHODS
from birdmodes.groups.grouping import Grouping, groupings
from birdmodes.modes.clustering import Clustering, clusterings, learned_metric, used_features
from birdmodes.modes.counts.remarks import continuum_words
from birdmodes.modes.lists import lists_in_words
from birdmodes.pictures import text
from birdmodes.workspace.store import Workspace

K_SOURCES = {
    "given": "as asked for",
    "candidates": "up to four candidates for each species, to be merged by ear where they are one",
    "two per species": "two candidates for each species, to be merged by ear where they are one",
    "per species": "as asked for, species by species",
    "auto": "found for each species",
}
GROUP_COUNT_SOURCES = {
    "given": "as asked for",
    "default": "as nothing else was asked for",
    "auto": "found by how well the answer stays with other seeds",
}
_FEATURES = "What the syllables are described by."
_BEFORE = "Told to the method before it began."
_DIGEST = 12
"""Letters of a digest that are shown: enough to see that two differ."""
_ELSEWHERE = (
    "birdmodes", "libraries", "method", "metric", "features", "k", "k_from", "continua", "seed",
    "options",
    "alpha_effective", "review", "with_review", "with_timed_labels", "lists", "labels_digest",
    "calibration", "syllables", "recordings", "species", "bags", "clips_of_longer_recordings",
    "typical_syllables",
)  # fmt: skip
"""Parameters that have a fact of their own, or are shown as figures of the run."""


@dataclass(frozen=True)
class Fact:
    """Something about a run: its name, value and meaning as text; the meaning may be empty."""

    label: str
    value: str
    meaning: str = ""


def run_facts(workspace: Workspace, clustering: Clustering) -> list[Fact]:
    """List how a clustering was made.

    Parameters
    ----------
    workspace : Workspace
        Where the clustering is kept, which tells when it was made.
    clustering : Clustering
        The run.
    """
    parameters = clustering.parameters
    return [
        *_method(parameters, "Clusters over all species", K_SOURCES),
        *_continua(parameters),
        *_options(parameters),
        *_others(parameters),
        *_labels(parameters),
        *_corrections(parameters),
        *_making(clusterings(workspace).folder(clustering.name), parameters),
    ]


def grouping_facts(workspace: Workspace, grouping: Grouping) -> list[Fact]:
    """List how a grouping was made.

    Parameters
    ----------
    workspace : Workspace
        Where the grouping is kept, which tells when it was made.
    grouping : Grouping
        The run.
    """
    parameters = grouping.parameters
    method = METHODS.get(parameters.get("method", ""))
    return [
        *_method(parameters, "Groups", GROUP_COUNT_SOURCES),
        *([Fact("Published in", "", f"{method.paper}.")] if method else []),
        *_options(parameters),
        *_others(parameters),
        *_labels(parameters),
        *_making(groupings(workspace).folder(grouping.name), parameters),
    ]


def _method(parameters: dict[str, Any], what: str, sources: dict[str, str]) -> Iterator[Fact]:
    name = parameters.get("method")
    if name is not None:
        method = METHODS.get(name)
        meaning = _sentence(method.summary) if method else ""
        if "assigned_from" in parameters:
            meaning = "Of other recordings; the syllables here were compared with their modes."
        yield Fact("Method", str(name), meaning)
    if learned_metric(parameters):
        meaning = "Of the syllables' features: learned from the species lists before clustering."
        yield Fact("Metric", learned_metric(parameters), meaning)
    if "features" in parameters:
        yield Fact("Features", ", ".join(used_features(parameters)), _FEATURES)
    if parameters.get("k") is not None:
        source = sources.get(parameters.get("k_from", ""), "")
        yield Fact("K", str(parameters["k"]), f"{what}, {source}." if source else "")
    if parameters.get("seed") is not None:
        yield Fact(
            "Seed", str(parameters["seed"]), "Of the random numbers: the same, and the same answer."
        )


def _continua(parameters: dict[str, Any]) -> Iterator[Fact]:
    """Species whose modes have no gaps between them."""
    if parameters.get("continua"):
        each = parameters.get("k_per_species") or {}
        said = [f"{name}: {continuum_words(each.get(name, 0))}" for name in parameters["continua"]]
        meaning = "Their sounds change from one to the other: where a mode ends is arbitrary."
        yield Fact("Without gaps", "; ".join(said), meaning)


def _options(parameters: dict[str, Any]) -> Iterator[Fact]:
    """Options that were set, and the weight of the constraints also where it was not."""
    given = parameters.get("options", {})
    method = METHODS.get(parameters.get("method", ""))
    known: dict[str, Option] = (
        {option.name: option for option in method_options(method)} if method else {}
    )
    if "alpha" in known and "alpha" not in given:
        alpha = known["alpha"]
        yield Fact("alpha", f"{alpha.default} (default)", alpha.meaning)
    for name, value in given.items():
        yield Fact(name, _in_words(value), known[name].meaning if name in known else "")
    if parameters.get("alpha_effective") is not None:
        yield Fact(
            "alpha, effective",
            f"{parameters['alpha_effective']:.4g}",
            "As scaled for the sparse graph.",
        )


def _others(parameters: dict[str, Any]) -> Iterator[Fact]:
    """What has no words of its own."""
    for name, value in parameters.items():
        if name not in _ELSEWHERE and value not in (None, {}, []):
            yield Fact(name.replace("_", " ").capitalize(), _in_words(value))


def _labels(parameters: dict[str, Any]) -> Iterator[Fact]:
    """What the species lists said, and by what to know them again."""
    if parameters.get("with_timed_labels"):
        yield Fact("Labels with times", _told(parameters["with_timed_labels"]), _BEFORE)
    lists = lists_in_words(parameters.get("lists"))
    if lists:
        yield Fact("Lists", "", _sentence("; ".join(lists)))
    if parameters.get("labels_digest"):
        digest = str(parameters["labels_digest"])[:_DIGEST]
        yield Fact("Digest of the lists", digest, "The same, and the species lists are the same.")


def _told(counts: dict[str, int]) -> str:
    """What a method was told, as in ``species known 17``, without what it was not told."""
    told = [f"{name.replace('_', ' ')} {number:,}" for name, number in counts.items() if number]
    return ", ".join(told) or "nothing"


def _corrections(parameters: dict[str, Any]) -> Iterator[Fact]:
    """What people said that the method did not find."""
    if parameters.get("with_review"):
        yield Fact("Corrections heeded", _told(parameters["with_review"]), _BEFORE)
    review = parameters.get("review", {})
    if review.get("batches"):
        conflicts = review.get("conflicts", 0)
        yield Fact(
            "Corrections applied",
            text.count(len(review["batches"]), "batch", "batches"),
            "After the clustering, by people; 'birdmodes review log' lists them."
            + (f" {text.count(conflicts, 'edit')} did not fit any more." if conflicts else ""),
        )


def _making(folder: Path, parameters: dict[str, Any]) -> Iterator[Fact]:
    """When, and with which programs."""
    model = folder / "model.npz"
    if model.is_file():
        made = datetime.fromtimestamp(model.stat().st_mtime, UTC)
        yield Fact("Date", f"{made:%Y-%m-%d %H:%M UTC}".replace(" ", "\N{NO-BREAK SPACE}"))
    versions = {
        "birdmodes": parameters.get("birdmodes"),
        **parameters.get("libraries", {}),
    }
    known = [f"{name} {number}" for name, number in versions.items() if number]
    if known:
        yield Fact("Made with", ", ".join(known))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _in_words(value: Any) -> str:
    """Write a parameter so that it can be read, also one of several parts."""
    if isinstance(value, dict):
        parts = ((name.replace("_", " "), _in_words(part)) for name, part in value.items())
        return ", ".join(f"{name} {part}" for name, part in parts)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
