"""``cluster``: syllables to vocal modes, using the species of the recordings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags, make_clusterer
from algorithms.bags import own_bags
from algorithms.base import ClusteringError, ClusteringWarning
from algorithms.blocks.runners import Runner
from algorithms.disambiguation.cluster_species import (
    ClusterSpecies,
    counted_clusters,
    species_of_clusters,
    with_known_classes,
    without_species,
)
from algorithms.metric.base import MetricLearner
from algorithms.metric.learned_space import in_learned_space
from algorithms.options import takes_parameter
from algorithms.registry import METHODS
from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError, asked_too_much
from birdmodes.io.versions import library_versions
from birdmodes.modes.clustering import UNSURE_BELOW, Clustering
from birdmodes.modes.counts.found import (
    ClusterCounts,
    CountMaterial,
    check_counts,
    count_clusters,
)
from birdmodes.modes.counts.material import bout_weights, count_material
from birdmodes.modes.features.describe import DescribedSyllables, describe_syllables
from birdmodes.modes.features.sets import short_name
from birdmodes.modes.knowledge import Knowledge, with_knowledge
from birdmodes.modes.label_knowledge import label_knowledge
from birdmodes.modes.learned_metric import EUCLIDEAN, check_metric, goes_by_distances, learn_metric
from birdmodes.modes.left_out import left_out_fit
from birdmodes.modes.lists import judged_lists, tell_nothing
from birdmodes.modes.metrics import mode_metrics
from birdmodes.modes.model import clustering_model
from birdmodes.modes.tables import (
    assignment_table,
    centrality_of,
    compact_clusters,
    compact_numbers,
    mode_table,
)
from birdmodes.workspace.bags import bags_with, species_named
from birdmodes.workspace.copies import originals, sound_of_bags, with_copies_as_one
from birdmodes.workspace.labels import labels_digest
from birdmodes.workspace.store import Workspace

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STABILITY_RUNS = 3


@dataclass(frozen=True)
class ClusterOptions:
    """How to cluster.

    Attributes
    ----------
    method : str
        Name of an instance clusterer, a key of `algorithms.METHODS`.
    k : int, "auto" or None
        Number of clusters over all species. "auto" finds one for each species, see
        `birdmodes.modes.counts.found`; None takes two to four candidates for each.
    k_per_species : int, mapping of str to int, or None
        Number of clusters of each species, instead of `k`; a species that a mapping does not name
        gets two.
    seed : int
        Same seed, same result.
    method_parameters : dict
        Further parameters of the method, such as ``{"alpha": 0.7}``.
    stability_runs : int
        How often to cluster again with other seeds to see whether the answer stays.
    knowledge : Knowledge, optional
        What a person's corrections say about syllables, to be used as constraints.
    metric : str
        Metric of the syllables' features that methods with a graph of syllables go by:
        "euclidean", or one that is learned from the bags' labels, a name in
        `birdmodes.modes.learned_metric.METRICS`.
    features : sequence of str or str, optional
        Feature sets, see `birdmodes.modes.features.sets`; None takes those that suit the method.
    """

    method: str = "ldc"
    k: int | Literal["auto"] | None = None
    k_per_species: int | Mapping[str, int] | None = None
    seed: int = 0
    method_parameters: dict[str, Any] = field(default_factory=dict)
    stability_runs: int = STABILITY_RUNS
    knowledge: Knowledge | None = None
    metric: str = EUCLIDEAN
    features: Sequence[str] | str | None = None


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A method that has clustered, the metric it went by if that is learned, and what they said."""

    clusterer: Any
    learner: MetricLearner | None
    notes: list[str]


@dataclass(frozen=True)
class ModeResult:
    """A clustering and what the user should know of it.

    Attributes
    ----------
    clustering : Clustering
        Ready to be written.
    warnings : list of str
        A line each.
    """

    clustering: Clustering
    warnings: list[str]


def find_modes(
    workspace: Workspace,
    options: ClusterOptions,
    name: str | None = None,
    *,
    on_step: Callable[[str], None] | None = None,
    runner: Runner | None = None,
) -> ModeResult:
    """Cluster a workspace's syllables and give each cluster its species.

    Parameters
    ----------
    workspace : Workspace
        What ``segment`` made.
    options : ClusterOptions
        How.
    name : str, optional
        Name of the clustering; by default method, learned metric and number of clusters, as in
        ``ldc-k26`` or ``csp-mimlca-k26``.
    on_step : callable, optional
        Called with a line at the start of each step.
    runner : Runner, optional
        Who works on blocks of syllables, for methods that work on blocks; by default this process.

    Raises
    ------
    BirdmodesError
        If there is nothing to cluster, or the method refuses.
    """
    say = on_step or (lambda line: None)
    if runner is not None and not works_on_blocks(options.method):
        raise BirdmodesError(
            f"--scheduler: --method {options.method} works in this process alone; leave it out, or "
            "use --method ldc"
        )
    asked = dict(options.method_parameters)
    check_metric(options.method, options.metric)
    recordings = workspace.recordings()
    if recordings["n_syllables"].any():
        # before the features, which take long, are made in vain
        confirmed = options.knowledge.species.values() if options.knowledge is not None else ()
        named = {*species_named(recordings), *confirmed} - {""}
        check_counts(sorted(named), options.k, options.k_per_species)
    described = describe_syllables(workspace, options.features, options.method, seed=options.seed)
    syllables = described.syllables
    own_lists = bags_with(recordings, syllables, described.features)
    first = originals(recordings)
    bags = with_copies_as_one(own_lists, recordings, first)
    say(described.summary)
    labelled = label_knowledge(recordings, syllables)
    known = labelled.joined(options.knowledge)
    if known:
        bags = with_knowledge(bags, known)
    if options.k == "auto":
        say("how many modes each species has")
    material = _count_material(workspace, options, described, bags)
    counts = count_clusters(
        bags, options.k, options.k_per_species, options.seed, material=material,
        background=not takes_parameter(options.method, "clusters_per_class"),
    )  # fmt: skip
    if options.k == "auto":
        say(counts.summary)
    say(
        f"{bags.n_instances:,} syllables, {bags.n_bags:,} {'bag' if bags.n_bags == 1 else 'bags'}, "
        f"{bags.n_classes} species, {counts.total} clusters"
    )
    if takes_parameter(options.method, "column_weights"):
        weights = {"column_weights": described.space.mode_weights}
        options = replace(options, method_parameters=weights | options.method_parameters)
    if counts.continua and takes_parameter(options.method, "drawn"):
        bouts = {
            "drawn": [name in counts.continua for name in bags.class_names],
            "drawn_weights": bout_weights(described.space),
        }
        options = replace(options, method_parameters=bouts | options.method_parameters)
    fitted = _fit(bags, options, counts, options.seed, runner)
    clusterer = fitted.clusterer
    cluster, centrality = _numbered(clusterer, bags)
    n_clusters = int(cluster.max()) + 1
    say("species of each cluster")
    by_syllable = hasattr(clusterer, "class_of_cluster_") and bool(bags.labels.any())
    if not by_syllable:
        found = _species(cluster, bags, n_clusters)
    else:
        found = counted_clusters(cluster, bags, n_clusters)
        known_class = clusterer.class_of_cluster_[clusterer.labels_]
        found = with_known_classes(found, cluster, known_class, clusterer.posterior_)
    lists = judged_lists(clusterer, bags)
    if tell_nothing(bags):
        found = without_species(found)
    together = (lists or {}).get("always_together", [])
    modes = mode_table(cluster, bags, syllables, found, together)
    assignments = assignment_table(cluster, centrality, syllables, modes, found, recordings)
    say("how good the clustering is")
    seeds = range(options.seed + 1, options.seed + 1 + options.stability_runs)
    sounds = sound_of_bags(recordings, first)
    left_out = left_out_fit(clusterer, bags, sounds, options.seed)
    repetitions = (_repeat(fitted, bags, options, counts, seed) for seed in seeds)
    metrics = mode_metrics(
        own_lists, cluster, modes, seed=options.seed, repetitions=repetitions, left_out=left_out
    )
    parameters = {
        "birdmodes": __version__,
        "libraries": library_versions(),
        "method": options.method,
        "k": counts.total,
        "k_from": counts.source,
        "k_per_species": counts.per_species,
        "continua": counts.continua,
        "seed": options.seed,
        "options": asked,
        "features": described.space.described(),
        "metric": options.metric if goes_by_distances(options.method) else None,
        "with_review": None if options.knowledge is None else options.knowledge.summary(),
        "with_timed_labels": labelled.summary() if labelled else None,
        "graph": getattr(clusterer, "graph_", None),
        "alpha_effective": getattr(clusterer, "alpha_effective_", None),
        "lists": lists,
        "syllables": bags.n_instances,
        "recordings": int(syllables["recording"].nunique()),
        "species": bags.n_classes,
        "labels_digest": labels_digest(recordings, syllables["recording"].unique()),
    }
    model = clustering_model(workspace, described, bags, cluster, found, clusterer, fitted.learner)
    learned = f"-{options.metric}" if options.metric != EUCLIDEAN else ""
    told = short_name(options.features, options.method)
    name = name or f"{options.method}{learned}{told}-{counts.short_name}"
    clustering = Clustering(name, assignments, modes, metrics, parameters, model, counts.curves)
    warned = described.notes + counts.warnings + fitted.notes
    if fitted.learner is not None and counts.total > bags.n_classes:
        warned.append(
            f"the metric of {options.metric} brings a species' syllables together, and so may hide "
            "its modes; compare with the result without --metric"
        )
    return ModeResult(clustering, warned + _advice(own_lists, modes, by_syllable, together))


def works_on_blocks(method: str) -> bool:
    """Whether a method can have others work on blocks of syllables."""
    return hasattr(METHODS[method].load(), "runner")


def _count_material(
    workspace: Workspace, options: ClusterOptions, described: DescribedSyllables, bags: Bags
) -> CountMaterial | None:
    """What tells with ``--k auto``: the features that name species best, whatever is clustered."""
    if options.k != "auto":
        return None
    best = ClusterOptions.method  # the default method's features
    if (options.method, options.features) != (best, None):
        described = describe_syllables(workspace, None, best, seed=options.seed)
        told = bags_with(workspace.recordings(), described.syllables, described.features)
        bags = with_knowledge(told, options.knowledge) if options.knowledge is not None else told
    return count_material(described, bags)


def _species(cluster: Ints, bags: Bags, n_clusters: int) -> ClusterSpecies:
    """Species of the clusters; how many bags they share with it is counted in the real bags."""
    found = species_of_clusters(cluster, own_bags(bags), n_clusters)
    if bags.known is None:
        return found
    counted = counted_clusters(cluster, bags, n_clusters)
    parts = ("consistency", "coverage", "p_value", "q_value")
    return replace(found, **{part: getattr(counted, part) for part in parts})


def _numbered(clusterer: Any, bags: Bags) -> tuple[Ints, Floats]:
    """Numbers of clusters by size, and how central each syllable is in its own."""
    if not hasattr(clusterer, "embedded"):
        return compact_clusters(clusterer.labels_, getattr(clusterer, "embedding_", bags.X))
    # Class by class: what was embedded takes several times the memory of the features.
    cluster = compact_numbers(clusterer.labels_)
    centrality = np.empty(len(cluster))
    of_class = clusterer.class_of_cluster_[clusterer.labels_]
    for name in np.unique(of_class):
        rows = np.flatnonzero(of_class == name)
        points = clusterer.embedded(rows)
        for number in np.unique(cluster[rows]):
            own = cluster[rows] == number
            centrality[rows[own]] = centrality_of(points[own])
    return cluster, centrality


def _fit(
    bags: Bags,
    options: ClusterOptions,
    counts: ClusterCounts,
    seed: int,
    runner: Runner | None = None,
) -> _Fitted:
    parameters = {"n_clusters": counts.total, "random_state": seed, **options.method_parameters}
    if takes_parameter(options.method, "background"):
        # What segmentation finds in the field is often noise, or a species that nobody listed.
        parameters.setdefault("background", "cautious")
    if takes_parameter(options.method, "max_per_label"):
        # Birds sing more than one syllable in a clip.
        parameters.setdefault("max_per_label", None)
    try:
        if counts.per_species and takes_parameter(options.method, "clusters_per_class"):
            parameters["clusters_per_class"] = list(counts.per_species.values())
        clusterer: Any = make_clusterer(options.method, **parameters)
        if runner is not None:
            clusterer.runner = runner
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ClusteringWarning)
            own = own_bags(bags)
            learner = learn_metric(own, options.metric, seed)
            given = bags if getattr(clusterer, "reads_known", False) else own
            clusterer.fit(given if learner is None else in_learned_space(given, learner))
    except ClusteringError as error:
        raise asked_too_much(error) from error
    notes = [str(item.message) for item in caught if item.category is ClusteringWarning]
    return _Fitted(clusterer, learner, list(dict.fromkeys(notes)))


def _repeat(
    fitted: _Fitted, bags: Bags, options: ClusterOptions, counts: ClusterCounts, seed: int
) -> Ints:
    """Clusters with another seed; from where the fit ended, if the method can go on from there."""
    if hasattr(fitted.clusterer, "again"):
        again: Ints = fitted.clusterer.again(bags, seed)
        return again
    labels: Ints = _fit(bags, options, counts, seed).clusterer.labels_
    return labels


def _advice(
    bags: Bags, modes: pd.DataFrame, by_syllable: bool, together: Sequence[Sequence[str]]
) -> list[str]:
    """What an expert would point out.

    `by_syllable` when the method named every syllable; species `together` share their modes.
    """
    advice = []
    unlabelled = int((~bags.labelled).sum())
    if unlabelled:
        advice.append(
            f"{unlabelled} of {bags.n_bags} bags have no labels: they take part, but do not help "
            "to tell species apart"
        )
    named = modes[modes["mode"] != ""]
    unsure = int((named["confidence"] < UNSURE_BELOW).sum())
    if unsure:
        advice.append(
            f"{unsure} of {len(named)} modes have a confidence below {UNSURE_BELOW:g}: several "
            "species share their recordings, so the name is a guess; more recordings with few "
            "species, or a larger --k, would help"
        )
    shared = {name for names in together if set(names) & set(modes["species"]) for name in names}
    missing = sorted(set(bags.class_names) - set(modes["species"]) - shared)
    if missing and not tell_nothing(bags):
        shown = ", ".join(missing[:10]) + (" ..." if len(missing) > 10 else "")
        remedy = (
            "none of their recordings' syllables seems to be of them; see if they are audible"
            if by_syllable
            else "try a larger --k"
        )
        advice.append(f"no cluster for {len(missing)} species ({shown}): {remedy}")
    return advice
