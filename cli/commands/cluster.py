"""``birdmodes cluster``: syllables to vocal modes, or whole recordings to groups."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algorithms.registry import METHODS
from cli import console, options
from cli.commands.cluster_groups import group_recordings, refuse_options
from cli.commands.review_apply import print_reapplied
from cli.later import loading
from cli.memory import keep_freed

if TYPE_CHECKING:
    from birdmodes.modes.clustering import Clustering
    from birdmodes.review.make import MadeModes

_METHOD_HELP = (
    "How to group syllables: {}; or whole recordings: {}. 'birdmodes methods' explains them."
).format(
    *(
        ", ".join(name for name, entry in METHODS.items() if entry.kind == kind)
        for kind in ("instance", "bag")
    )
)


_CANDIDATES = (
    "These are candidates, up to four for each species: merge by ear those that are one mode "
    "('birdmodes review', or 'Label next' in the gallery), or find the number with --k auto"
)


class MetricChoice(StrEnum):
    """Values of ``--metric``."""

    euclidean = "euclidean"
    mimlca = "mimlca"
    miml = "miml"
    mildml = "mildml"


class BackgroundOption(StrEnum):
    """Values of ``--background``."""

    off = "off"
    cautious = "cautious"
    eager = "eager"


def cluster(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    method: Annotated[
        str, typer.Option(help=_METHOD_HELP, autocompletion=options.complete_method)
    ] = "ldc",
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            "-k",
            metavar="N|auto",
            help="Number of clusters over all species, or of groups of recordings; or auto: find "
            "out how many modes each species has, or how many groups are stable. Default: up "
            "to four candidates for each species, to be merged by ear, or 5 groups.",
            show_default=False,
        ),
    ] = None,
    k_per_species: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N|NAME=N",
            help="Instead of --k: number of clusters of every species, or of one; may be "
            "repeated, the other species get two.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Weight of the bags' labels in --method csp; short for --set alpha=. "
            "Default: 0.7.",
        ),
    ] = None,
    metric: Annotated[
        MetricChoice,
        typer.Option(
            help="Distance of syllables that sp, splearn, spreg, csp and csp-no-pairs go by: of "
            "the features as they are, or learned from the species lists; see docs/methods.md."
        ),
    ] = MetricChoice.euclidean,
    background: Annotated[
        BackgroundOption | None,
        typer.Option(
            help="Whether --method ldc may call a syllable background, of no species: never; only "
            "where there is hardly a doubt; or where it is more likely than not. Default: "
            "cautious.",
            show_default=False,
        ),
    ] = None,
    features: options.Features = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change any other option of the method, such as occupancy=0. May be "
            "repeated; 'birdmodes methods' lists them.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="Name of the result. Default: METHOD-kN, METHOD-METRIC-kN.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    stability_runs: Annotated[
        int,
        typer.Option(min=0, help="Repeat with this many other seeds to see if the answer stays."),
    ] = 3,
    truth: Annotated[
        Path | None,
        typer.Option(
            help="CSV of syllables whose species and mode are known, to score against: "
            "recording,start_s,end_s,low_hz,high_hz,species,mode.",
            show_default=False,
        ),
    ] = None,
    with_review: Annotated[
        bool,
        typer.Option(
            "--with-review",
            help="Use the corrections already while clustering: known species, modes that belong "
            "together or apart; see docs/methods.md.",
        ),
    ] = False,
    no_review: Annotated[
        bool,
        typer.Option(
            "--no-review",
            help="Leave out the corrections that were made with 'birdmodes review'. Otherwise "
            "they are applied again afterwards, as far as they fit.",
        ),
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            min=0,
            help="Processes to find out the number of groups of recordings with (--k auto); 0 "
            "means one for each core.",
        ),
    ] = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let a Dask cluster, as tcp://host:8786, work on blocks of syllables (--method "
            "ldc; needs birdmodes\\[cluster]).",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Group the syllables and give each group a species: the vocal modes.

    With a method for whole recordings, such as m3ic: group the recordings by what is heard.
    """
    with loading():
        from algorithms.options import find_method, parse_options
        from birdmodes.modes.counts.found import parse_k, parse_per_species
        from birdmodes.modes.counts.remarks import CANDIDATES
        from birdmodes.modes.features.sets import parse_features
        from birdmodes.modes.find import ClusterOptions
        from birdmodes.modes.left_out import fit_in_words
        from birdmodes.modes.lists import lists_in_words
        from birdmodes.review.make import make_modes
        from birdmodes.workspace.store import Workspace
    keep_freed()

    settings = [
        *(set_ or []),
        *([] if alpha is None else [f"alpha={alpha!r}"]),
        *([] if background is None else [f"background={background.value}"]),
    ]
    found = find_method(method)
    if found.kind == "bag":
        refuse_options(
            method,
            {
                "--k-per-species": k_per_species,
                "--alpha": alpha,
                "--metric": None if metric == "euclidean" else metric,
                "--truth": truth,
                "--with-review": with_review or None,
                "--scheduler": scheduler,
            },
        )
    parameters = parse_options(found, settings)
    sets = parse_features(features or [])
    store = Workspace.open(workspace)
    if found.kind == "bag":
        from birdmodes.groups.find import GroupOptions

        how = GroupOptions(method, parse_k(k), seed, parameters, stability_runs, sets)
        group_recordings(store, how, name, workers=options.worker_count(workers), as_json=json)
        return
    chosen = ClusterOptions(
        method=method,
        k=parse_k(k),
        k_per_species=parse_per_species(k_per_species or []),
        seed=seed,
        method_parameters=parameters,
        stability_runs=stability_runs,
        metric=metric.value,
        features=sets,
    )
    with console.messages_aside(json):
        made = make_modes(
            store,
            chosen,
            name,
            truth_file=truth,
            with_review=with_review,
            corrected=not no_review,
            scheduler=scheduler,
            on_step=console.say,
        )
        console.say()
        print_modes(made.clustering)
        if made.clustering.parameters["k_from"] in CANDIDATES:
            console.say(_CANDIDATES)
        console.say()
        console.metrics(made.clustering.metrics)
        console.say()
        said = [
            *lists_in_words(made.clustering.parameters.get("lists")),
            fit_in_words(made.clustering.metrics),
        ]
        for line in filter(None, said):
            console.say(line)
        console.warn_all(made.warnings)
        if made.kept_as is not None:
            console.say(
                f"{made.clustering.name} is replaced by this one; the one before is kept as "
                f"{made.kept_as}"
            )
        if made.reviewed is not None:
            print_reapplied(made.reviewed)
        following = console.command("gallery", folder=workspace)
        console.say(f"written to {made.folder}; next: {following}")
    if json:
        console.print_json(_content(made))


def _content(made: MadeModes) -> dict[str, Any]:
    clustering = made.clustering
    return {
        "clustering": clustering.name,
        "folder": str(made.folder),
        "parameters": clustering.parameters,
        "metrics": clustering.metrics,
        "modes": clustering.modes.to_dict("records"),
        "warnings": made.warnings,
    }


def print_modes(clustering: Clustering) -> None:
    """Print the table of modes."""
    from birdmodes.modes.words.shared_names import whole_name

    rows = [
        (
            whole_name(str(row.mode), str(row.species), str(row.or_species))
            or ("(background)" if row.background else "(no species)"),
            str(row.syllables),
            str(row.recordings),
            f"{row.confidence:.2f}" if row.mode else "",
        )
        for row in clustering.modes.itertuples()
    ]
    console.table(("mode", "syllables", "recordings", "confidence"), rows, numeric=(1, 2, 3))
