"""``birdmodes cluster``: syllables to vocal modes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algorithms.registry import METHODS
from cli import console
from cli.commands import options

if TYPE_CHECKING:
    from birdmodes.clusterings import Clustering

_INSTANCE_METHODS = {name: entry for name, entry in METHODS.items() if entry.kind == "instance"}
_METHOD_HELP = "How to group syllables. " + " ".join(
    f"{name}: {entry.summary}." for name, entry in _INSTANCE_METHODS.items()
)


def cluster(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    method: Annotated[str, typer.Option(help=_METHOD_HELP)] = "csp",
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            "-k",
            min=1,
            help="Number of clusters. Default: two for each species.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(min=0.0, help="Weight of the bags' labels (csp). Default: 0.7."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the clustering. Default: METHOD-kK.", show_default=False),
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
) -> None:
    """Group the syllables and give each group a species: the vocal modes."""
    from birdmodes.clusterings import check_name, write_clustering
    from birdmodes.modes import ClusterOptions, find_modes
    from birdmodes.scoring import check_truth, score_clustering
    from birdmodes.workspace import Workspace

    if method not in _INSTANCE_METHODS:
        raise typer.BadParameter(
            f"no method {method!r}; there are: {', '.join(_INSTANCE_METHODS)}",
            param_hint="--method",
        )
    if name is not None:
        check_name(name)
    parameters: dict[str, Any] = {} if alpha is None else {"alpha": alpha}
    chosen = ClusterOptions(method, k, seed, parameters, stability_runs)
    store = Workspace.open(workspace)
    if truth is not None:
        check_truth(store, truth)
    result = find_modes(store, chosen, name, on_step=console.say)
    clustering = result.clustering
    if truth is not None:
        clustering, notes = score_clustering(store, clustering, truth)
        console.warn_all(notes)
    folder = write_clustering(store, clustering)
    console.say()
    print_modes(clustering)
    console.say()
    print_metrics(clustering)
    console.say()
    console.warn_all(result.warnings)
    console.say(f"written to {folder}; next: birdmodes gallery")


def print_modes(clustering: Clustering) -> None:
    """Print the table of modes."""
    rows = [
        (
            row.mode or ("(background)" if row.background else "(no species)"),
            str(row.syllables),
            str(row.recordings),
            f"{row.confidence:.2f}" if row.mode else "",
        )
        for row in clustering.modes.itertuples()
    ]
    console.table(("mode", "syllables", "recordings", "confidence"), rows, numeric=(1, 2, 3))


def print_metrics(clustering: Clustering) -> None:
    """Print every metric that is defined."""
    for key, value in clustering.metrics.items():
        if value is not None:
            text = f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
            console.say(f"{key.replace('_', ' '):<26} {text}")
