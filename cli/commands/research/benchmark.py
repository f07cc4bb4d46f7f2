"""``birdmodes benchmark``: the experiments of the papers, on public sets or one's own."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from birdmodes.experiments.names import PUBLIC_SETS, default_folder
from cli import console, options

if TYPE_CHECKING:
    from birdmodes.experiments.run import Results


class ExperimentChoice(StrEnum):
    """Values of ``--experiment``."""

    alpha = "alpha"
    labelled = "labelled"
    clusters = "clusters"
    all = "all"
    m3ic = "m3ic"
    mi_em = "mi-em"
    metric = "metric"
    annotation = "annotation"
    instance_accuracy = "instance-accuracy"
    ambiguity = "ambiguity"
    m3ic_bags = "m3ic-bags"
    noisy_lists = "noisy-lists"


class GridChoice(StrEnum):
    """Values of ``--grid``."""

    full = "full"
    coarse = "coarse"


class GraphChoice(StrEnum):
    """Values of ``--graph``."""

    dense = "dense"
    knn = "knn"
    auto = "auto"


def benchmark(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help=f"Data sets: see birdmodes datasets list; all: {', '.join(PUBLIC_SETS)}, "
            "or those of the experiment. Default: a built-in set that needs no download.",
            show_default=False,
        ),
    ] = None,
    experiment: Annotated[
        ExperimentChoice,
        typer.Option(
            help="What is varied: alpha, the share of labelled bags, or K; all: these three. "
            "m3ic, mi-em: the experiments of these papers, which group whole bags. metric: "
            "learned metrics for the spectral methods. annotation, instance-accuracy: classes of "
            "bags and of instances that were left out; ambiguity: the latter on smaller bags, and "
            "with wrong lists. m3ic-bags: against the number of bags. noisy-lists: false "
            "and missing species in lists."
        ),
    ] = ExperimentChoice.all,
    methods: Annotated[
        str,
        typer.Option(help="Methods, with commas between. Default: all.", show_default=False),
    ] = "",
    bags: Annotated[
        list[Path] | None,
        typer.Option(help="A data set of your own: .npz or .csv; may be repeated."),
    ] = None,
    data_dir: options.DataDir = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for results; the same command goes on in it. Default: "
            "birdmodes-benchmark, with the experiment behind it, but for the first four.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Repetitions; for the first four experiments and metric. Default: 20; 3 with "
            "--quick.",
            show_default=False,
        ),
    ] = None,
    n_init: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Starts of k-means in a run; the best one counts. Not for m3ic and mi-em. "
            "Default: 5.",
            show_default=False,
        ),
    ] = None,
    graph: Annotated[
        GraphChoice | None,
        typer.Option(
            help="Affinity graph of the spectral methods. Default: dense.", show_default=False
        ),
    ] = None,
    grid: Annotated[
        GridChoice | None,
        typer.Option(
            help="m3ic: values of C and l, 90 pairs or 20. Default: full; with --quick 4 pairs.",
            show_default=False,
        ),
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            help="m3ic, mi-em: unit (every instance of length 1), standardized, raw, centred, "
            "standardized-unit, standardized-centred; with commas between. Default: raw for "
            "m3ic, standardized for mi-em.",
            show_default=False,
        ),
    ] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer values of everything, to try it out.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=0, help="Processes to use; 0 means one for each core.")
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same figures.")] = 0,
) -> None:
    """Compare the methods on data with known truth.

    Runs the experiments of Pei & Fern (2013) on methods that group syllables, with --experiment
    m3ic or mi-em those of Zhang et al. (2011) and Kriegel et al. (2006) on methods that group
    whole bags, or with annotation or instance-accuracy those of Law et al. (2017) on methods that
    tell the classes of left-out bags and their instances. Writes tables (CSV), figures and a report
    (HTML and Markdown) with the papers' claims, checked.
    """
    from birdmodes.experiments.run import make_plan, run_experiment

    plan = make_plan(
        experiment.value,
        names or [],
        methods=_listed(methods),
        files=bags or [],
        data_dir=data_dir,
        quick=quick,
        seed=seed,
        runs=runs,
        n_init=n_init,
        graph=graph.value if graph else None,
        grid=grid.value if grid else None,
        features=tuple(_listed(features)) or None,
    )
    folder = out or Path(default_folder(experiment.value))
    try:
        with console.progress("benchmark") as advance:
            results = run_experiment(
                plan, folder, jobs=options.worker_count(jobs), on_progress=advance
            )
    except KeyboardInterrupt:
        console.say("stopped; what is finished is kept: the same command goes on from here")
        raise typer.Exit(130) from None
    _print(results)


def _listed(text: str) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _print(results: Results) -> None:
    brief = results.brief
    if brief.rows:
        if brief.title:
            console.paragraph(f"{brief.title}:")
        console.table(brief.header, brief.rows, range(brief.first_number, len(brief.header)))
        console.say()
    claims = [(v.status, f"{v.claim.text} ({v.extent})") for v in results.verdicts if v.evidence]
    if claims:
        console.table(("verdict", "claim"), claims, ())
        console.say()
    console.warn_all(results.failures)
    console.say(f"open {results.html}")
    if results.failures:
        raise typer.Exit(1)
