"""One line on every figure of a clustering or a grouping."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from birdmodes.modes.clustering import learned_metric, named_elsewhere, used_features
from birdmodes.workspace.store import DEFAULT_FOLDER

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
    "left_out_fit": (
        "Names that fit",
        "Share of the syllables of left-out recordings whose name, found without them, is in their "
        "list.",
    ),
    "left_out_chance": ("The same by chance", "If the same names were dealt out at random."),
    "left_out_doubt": ("Its uncertainty", "Standard error of the difference of the two."),
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


_OF_GROUPS: dict[str, tuple[str, str]] = {
    "groups": ("Groups", "Groups of recordings that the method made."),
    "bags": ("Grouped", "Recordings or clips that were to be grouped."),
    "bags_without_syllables": (
        "Without syllables",
        "Those of them in which nothing was found: they are in no group.",
    ),
    "largest_group_share": (
        "Largest group",
        "Share of them that is in the largest group; near 1, there is hardly more than one.",
    ),
    "silhouette": (
        "Silhouette",
        "How much closer recordings are to those of their own group than to those of the next one, "
        "by the average Hausdorff distance of their syllables: 1 is clearly apart, 0 overlapping.",
    ),
    "label_nmi": (
        "Label NMI",
        "Normalised mutual information of groups and species, of recordings with one species: 1 is "
        "full agreement, 0 none. Groups need not be species.",
    ),
    "label_ari": (
        "Label ARI",
        "Adjusted Rand index of the same: 1 is full agreement, 0 is chance.",
    ),
    "unlabelled_bag_share": (
        "Unlabelled share",
        "Share of the recordings or clips without a species list. No list took part in grouping.",
    ),
}
"""What differs for groupings."""


@dataclass(frozen=True)
class Metric:
    """A figure to be shown: its name, value and meaning as text."""

    label: str
    value: str
    explanation: str


def explain_metrics(
    metrics: dict[str, float | None], *, of_groups: bool = False
) -> dict[str, list[Metric]]:
    """Say what every metric of a clustering, or of a grouping, means.

    Parameters
    ----------
    metrics : dict
        Name to number; None where it is not defined.
    of_groups : bool
        Whether they are of a grouping.

    Returns
    -------
    dict of str to list of Metric
        Heading to metrics in their order: those of the clustering itself, and those that compare it
        with a truth table, if there was one.
    """
    known = {**_EXPLANATIONS, **_OF_GROUPS} if of_groups else _EXPLANATIONS
    groups: dict[str, list[Metric]] = {"Metrics": [], "Against the truth table": []}
    for name, value in metrics.items():
        heading = "Against the truth table" if name.startswith("truth_") else "Metrics"
        groups[heading].append(_explain(name, value, known))
    return {heading: group for heading, group in groups.items() if group}


def _explain(name: str, value: float | None, known: dict[str, tuple[str, str]]) -> Metric:
    words = name.replace("_", " ")
    label, explanation = known.get(name, (words[:1].upper() + words[1:], ""))
    if value is None:
        text = "not defined"
    elif isinstance(value, int):
        text = f"{value:,}"
    else:
        text = f"{value:.3f}"
    return Metric(label, text, explanation)


def repeat_commands(
    folder_name: str, name: str, parameters: dict[str, Any], *, option: str = "--clustering"
) -> list[str]:
    """Commands that make this clustering, or grouping, and its gallery again.

    Parameters
    ----------
    folder_name : str
        Name of the workspace's folder.
    name : str
        Of the clustering or grouping.
    parameters : dict
        How the run was made.
    option : {"--clustering", "--grouping"}
        Which of them it is, as the gallery is told.
    """
    cluster, gallery = _plain_commands(folder_name)
    if named_elsewhere(parameters):
        return [shlex.join(command) for command in (_placing(parameters), [*gallery, option, name])]
    if parameters.get("method") is not None:
        cluster += ["--method", str(parameters["method"])]
    if learned_metric(parameters):
        cluster += ["--metric", learned_metric(parameters)]
    cluster += _count_arguments(parameters)
    for features in _features_arguments(parameters):
        cluster += ["--features", features]
    for key, value in parameters.get("options", {}).items():
        cluster += ["--set", f"{key}={_typed(value)}"]
    if parameters.get("seed") is not None:
        cluster += ["--seed", str(parameters["seed"])]
    if parameters.get("with_review"):
        cluster += ["--with-review"]
    cluster += ["--name", name]
    gallery += [option, name]
    return [shlex.join(command) for command in (cluster, gallery)]


def _placing(parameters: dict[str, Any]) -> list[str]:
    """The command that gave names from other recordings; what it was given stands in capitals."""
    source = parameters.get("learned_from", {}).get("workspace", "WORKSPACE")
    if "annotated_by" in parameters:
        what, options = ["annotate"], ["--method", str(parameters["annotated_by"])]
    else:
        what, options = ["assign"], ["--clustering", str(parameters["assigned_from"])]
    for key in ("threshold", "novelty", "min_confidence", "min_score", "min_likeness"):
        if key in parameters:
            options += [f"--{key.replace('_', '-')}", f"{parameters[key]:g}"]
    return ["birdmodes", *what, "RECORDINGS", "--workspace", str(source), *options]


def _features_arguments(parameters: dict[str, Any]) -> list[str]:
    """Feature sets in the fewest words: a table by itself, since its name may have commas."""
    if "features" not in parameters:  # an earlier version, which had no others
        return []
    names = used_features(parameters)
    own = [name for name in names if ":" not in name]
    return [*([",".join(own)] if own else []), *(name for name in names if ":" in name)]


def seek_commands(folder_name: str) -> list[str]:
    """Commands that look for modes and put them into the gallery.

    Parameters
    ----------
    folder_name : str
        Name of the workspace's folder.
    """
    return [shlex.join(command) for command in _plain_commands(folder_name)]


def _plain_commands(folder_name: str) -> tuple[list[str], list[str]]:
    """The commands that cluster and make the gallery, without options."""
    where = [] if folder_name == DEFAULT_FOLDER else ["--workspace", folder_name]
    return ["birdmodes", "cluster", *where], ["birdmodes", "gallery", *where]


def _count_arguments(parameters: dict[str, Any]) -> list[str]:
    """How many clusters were asked for, in the way it was asked."""
    if parameters.get("k_from") == "auto":
        return ["--k", "auto"]
    if parameters.get("k_from") == "per species":
        counts = parameters["k_per_species"].items()
        return [part for name, k in counts for part in ("--k-per-species", f"{name}={k}")]
    if parameters.get("k_from") == "candidates":
        return []
    return ["--k", str(parameters["k"])] if parameters.get("k") is not None else []


def _typed(value: Any) -> str:
    """Write an option's value as it is typed."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
