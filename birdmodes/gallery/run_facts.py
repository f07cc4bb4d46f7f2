"""How a clustering was made, for people who want to judge it or to do it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from algorithms.registry import METHODS
from birdmodes.clusterings import Clustering
from birdmodes.gallery import text
from birdmodes.method_options import MethodOption, method_options
from birdmodes.workspace import Workspace

K_SOURCES = {
    "given": "as asked for",
    "two per species": "two for each species, as nothing else was asked for",
    "per species": "as asked for, species by species",
    "auto": "found for each species",
}
_ELSEWHERE = (
    "birdmodes", "libraries", "method", "k", "k_from", "seed", "options", "alpha_effective",
    "review", "with_review", "syllables", "recordings", "species",
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
        *_method(parameters),
        *_options(parameters),
        *(
            Fact(name.replace("_", " ").capitalize(), _in_words(value))
            for name, value in parameters.items()
            if name not in _ELSEWHERE and value not in (None, {}, [])
        ),
        *_corrections(parameters),
        *_making(workspace, clustering),
    ]


def _method(parameters: dict[str, Any]) -> Iterator[Fact]:
    name = parameters.get("method")
    if name is not None:
        method = METHODS.get(name)
        yield Fact("Method", str(name), f"{_sentence(method.summary)}" if method else "")
    if parameters.get("k") is not None:
        source = K_SOURCES.get(parameters.get("k_from", ""), "")
        yield Fact(
            "K", str(parameters["k"]), f"Clusters over all species, {source}." if source else ""
        )
    if parameters.get("seed") is not None:
        yield Fact(
            "Seed", str(parameters["seed"]), "Of the random numbers: the same, and the same answer."
        )


def _options(parameters: dict[str, Any]) -> Iterator[Fact]:
    """Options that were set, and the weight of the constraints also where it was not."""
    given = parameters.get("options", {})
    method = METHODS.get(parameters.get("method", ""))
    known: dict[str, MethodOption] = (
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


def _corrections(parameters: dict[str, Any]) -> Iterator[Fact]:
    """What people said that the method did not find."""
    if parameters.get("with_review"):
        counts = _in_words(parameters["with_review"]).replace("_", " ")
        yield Fact("Corrections heeded", counts, "Told to the method before it began.")
    review = parameters.get("review", {})
    if review.get("batches"):
        conflicts = review.get("conflicts", 0)
        yield Fact(
            "Corrections applied",
            text.count(len(review["batches"]), "batch", "batches"),
            "After the clustering, by people; 'birdmodes review log' lists them."
            + (f" {text.count(conflicts, 'edit')} did not fit any more." if conflicts else ""),
        )


def _making(workspace: Workspace, clustering: Clustering) -> Iterator[Fact]:
    """When, and with which programs."""
    model = workspace.folder / "clusterings" / clustering.name / "model.npz"
    if model.is_file():
        made = datetime.fromtimestamp(model.stat().st_mtime, UTC)
        yield Fact("Date", f"{made:%Y-%m-%d %H:%M UTC}".replace(" ", "\N{NO-BREAK SPACE}"))
    versions = {
        "birdmodes": clustering.parameters.get("birdmodes"),
        **clustering.parameters.get("libraries", {}),
    }
    known = [f"{name} {number}" for name, number in versions.items() if number]
    if known:
        yield Fact("Made with", ", ".join(known))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _in_words(value: Any) -> str:
    """Write a parameter so that it can be read, also one of several parts."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(part)}" for name, part in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
