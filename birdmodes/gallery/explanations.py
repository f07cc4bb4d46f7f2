"""One line on every figure of a clustering."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from birdmodes.workspace import DEFAULT_FOLDER

_EXPLANATIONS: dict[str, tuple[str, str]] = {
    "clusters": ("Clusters", "Groups of syllables that the method made."),
    "modes": ("Modes", "Clusters that belong to a species."),
    "silhouette": (
        "Silhouette",
        "How much closer syllables are to their own cluster than to the next one: 1 is clearly "
        "apart, 0 is overlapping.",
    ),
    "stability": (
        "Stability",
        "How much the answer stays when the method starts from other random numbers: 1 is the "
        "same, 0 is no better than chance.",
    ),
    "label_agreement": (
        "Label agreement",
        "Share of the syllables in modes whose recording is known to have the mode's species.",
    ),
    "background_share": (
        "Background share",
        "Share of the syllables in clusters that occur whatever the species: noise, insects, "
        "birds that nobody listed.",
    ),
    "unlabelled_bag_share": (
        "Unlabelled share",
        "Share of the bags whose species are not known; they take part, but do not help to tell "
        "species apart.",
    ),
    "reviewed_syllables": (
        "Reviewed syllables",
        "Syllables that a person confirmed, moved, or marked as noise or as not of a species.",
    ),
    "truth_recall": ("Syllables found", "Share of the truth table's syllables that were found."),
    "truth_precision": (
        "Findings that are real",
        "Share of the syllables found that are in the truth table, in the recordings it covers.",
    ),
    "truth_n_matched": ("Syllables with truth", "Syllables that match one of the truth table."),
    "truth_species_purity": (
        "Species purity",
        "Share of the syllables whose true species is the commonest of their cluster.",
    ),
    "truth_species_nmi": (
        "Species NMI",
        "Normalised mutual information of clusters and true species: 1 is full agreement, 0 none.",
    ),
    "truth_mode_purity": (
        "Mode purity",
        "Share of the syllables whose true mode is the commonest of their cluster.",
    ),
    "truth_mode_nmi": (
        "Mode NMI",
        "Normalised mutual information of clusters and true modes: 1 is full agreement, 0 none.",
    ),
    "truth_species_accuracy": (
        "Species accuracy",
        "Share of the syllables whose cluster is named after their true species.",
    ),
    "truth_n_modes_judged": (
        "Modes with truth",
        "Modes with at least one syllable whose true species is known.",
    ),
    "truth_modes_named_right": (
        "Modes named right",
        "Share of the modes that are named after their commonest true species.",
    ),
}


@dataclass(frozen=True)
class Metric:
    """A figure to be shown: its name, value and meaning as text."""

    label: str
    value: str
    explanation: str


def explain_metrics(metrics: dict[str, float | None]) -> dict[str, list[Metric]]:
    """Say what every metric of a clustering means.

    Parameters
    ----------
    metrics : dict
        Name to number; None where it is not defined.

    Returns
    -------
    dict of str to list of Metric
        Heading to metrics in their order: those of the clustering itself, and those that compare it
        with a truth table, if there was one.
    """
    groups: dict[str, list[Metric]] = {"Metrics": [], "Against the truth table": []}
    for name, value in metrics.items():
        heading = "Against the truth table" if name.startswith("truth_") else "Metrics"
        groups[heading].append(_explain(name, value))
    return {heading: group for heading, group in groups.items() if group}


def _explain(name: str, value: float | None) -> Metric:
    words = name.replace("_", " ")
    label, explanation = _EXPLANATIONS.get(name, (words[:1].upper() + words[1:], ""))
    if value is None:
        text = "not defined"
    elif isinstance(value, int):
        text = f"{value:,}"
    else:
        text = f"{value:.3f}"
    return Metric(label, text, explanation)


def repeat_commands(folder_name: str, clustering: str, parameters: dict[str, Any]) -> list[str]:
    """Commands that make this clustering and its gallery again.

    Parameters
    ----------
    folder_name : str
        Name of the workspace's folder.
    clustering : str
        Name of the clustering.
    parameters : dict
        How the run was made.
    """
    cluster = ["birdmodes", "cluster"]
    gallery = ["birdmodes", "gallery"]
    if folder_name != DEFAULT_FOLDER:
        for command in (cluster, gallery):
            command += ["--workspace", folder_name]
    if parameters.get("method") is not None:
        cluster += ["--method", str(parameters["method"])]
    cluster += _count_arguments(parameters)
    for name, value in parameters.get("options", {}).items():
        cluster += ["--set", f"{name}={_typed(value)}"]
    if parameters.get("seed") is not None:
        cluster += ["--seed", str(parameters["seed"])]
    if parameters.get("with_review"):
        cluster += ["--with-review"]
    cluster += ["--name", clustering]
    gallery += ["--clustering", clustering]
    return [shlex.join(command) for command in (cluster, gallery)]


def _count_arguments(parameters: dict[str, Any]) -> list[str]:
    """How many clusters were asked for, in the way it was asked."""
    if parameters.get("k_from") == "auto":
        return ["--k", "auto"]
    if parameters.get("k_from") == "per species":
        counts = parameters["k_per_species"].items()
        return [part for name, k in counts for part in ("--k-per-species", f"{name}={k}")]
    return ["--k", str(parameters["k"])] if parameters.get("k") is not None else []


def _typed(value: Any) -> str:
    """Write an option's value as it is typed."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
