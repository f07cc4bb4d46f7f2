"""``birdmodes benchmark``: the experiments of the papers, on public sets or one's own."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from birdmodes.errors import ParameterError
from cli import console, options
from cli.commands import benchmark_bags, benchmark_held_out, benchmark_metric

if TYPE_CHECKING:
    from birdmodes.experiments.gather import ExperimentResult
    from birdmodes.experiments.material import Source
    from birdmodes.experiments.metric.protocol import MetricProtocol
    from birdmodes.experiments.protocol import Protocol

Result = TypeVar("Result")

PUBLIC_SETS = ("hja-birdsong", "msrc-v2", "letter-carroll", "letter-frost")
BUILT_IN_SET = "digits-words"


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


_FOLDER_ENDS: dict[str, str] = {
    name: f"-{name}" for name in ("m3ic", "mi-em", "metric", *benchmark_held_out.EXPERIMENTS)
}
"""Experiments with a default folder of their own, and what it is called."""

_ON_BAGS = ("m3ic", "mi-em")
"""Experiments on methods that group bags."""


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
            "bags and of instances that were left out."
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
            "standardized-unit, standardized-centred; with commas between. Default: unit for "
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
    folder = out or Path("birdmodes-benchmark" + _FOLDER_ENDS.get(experiment, ""))
    n_jobs = options.worker_count(jobs)
    if experiment in _ON_BAGS:
        from birdmodes.experiments.bagwise.run import run_bag_benchmark

        _refuse({"--runs": runs, "--n-init": n_init, "--graph": graph}, experiment)
        bag_plan = benchmark_bags.make_plan(
            experiment.value,
            names=names or [],
            methods=_listed(methods),
            files=bags or [],
            data_dir=data_dir,
            grid=grid.value if grid else None,
            features=_listed(features),
            quick=quick,
            seed=seed,
        )
        bag_result = _finish(partial(run_bag_benchmark, bag_plan, folder, jobs=n_jobs))
        benchmark_bags.print_table(bag_result)
        _print_verdicts(bag_result)
        return
    _refuse({"--grid": grid, "--features": features or None}, experiment)
    if experiment in benchmark_held_out.EXPERIMENTS:
        from birdmodes.experiments.held_out.run import run_held_out

        _refuse({"--runs": runs, "--n-init": n_init, "--graph": graph}, experiment)
        held_out_plan = benchmark_held_out.make_plan(
            experiment.value,
            names=names or [],
            methods=_listed(methods),
            files=bags or [],
            data_dir=data_dir,
            quick=quick,
            seed=seed,
        )
        held_out_result = _finish(partial(run_held_out, held_out_plan, folder, jobs=n_jobs))
        benchmark_held_out.print_table(held_out_plan.experiment, held_out_result)
        _print_verdicts(held_out_result)
        return
    given: dict[str, Any] = {
        "runs": runs,
        "n_init": n_init,
        "graph": graph.value if graph else None,
        "seed": seed,
    }
    changes = {name: each for name, each in given.items() if each is not None}
    wanted = _listed(methods)
    sources = _sources(names or [], bags or [], data_dir)
    from birdmodes.experiments.entrants import choose_entrants

    if experiment == ExperimentChoice.metric:
        from birdmodes.experiments.metric.protocol import MetricProtocol
        from birdmodes.experiments.metric.run import MetricPlan, run_metric_benchmark

        how = replace(MetricProtocol.quick() if quick else MetricProtocol(), **changes)
        command = _command(names or [], bags or [], experiment, wanted, how, quick=quick)
        metric_plan = MetricPlan(sources, choose_entrants(wanted), how, command)
        metric_result = _finish(partial(run_metric_benchmark, metric_plan, folder, jobs=n_jobs))
        benchmark_metric.print_table(metric_result)
        _print_verdicts(metric_result)
        return
    from birdmodes.experiments.protocol import EXPERIMENTS, Protocol
    from birdmodes.experiments.run import BenchmarkPlan, run_benchmark

    protocol = replace(Protocol.quick() if quick else Protocol(), **changes)
    plan = BenchmarkPlan(
        sources=sources,
        experiments=[name for name in EXPERIMENTS if experiment in ("all", name)],
        entrants=choose_entrants(wanted),
        protocol=protocol,
        command=_command(names or [], bags or [], experiment, wanted, protocol, quick=quick),
    )
    result = _finish(partial(run_benchmark, plan, folder, jobs=n_jobs))
    _print_table(result)
    _print_verdicts(result)


def _finish(start: Callable[..., Result]) -> Result:
    """Run to the end, or until Ctrl-C."""
    try:
        with console.progress("benchmark") as advance:
            return start(on_progress=advance)
    except KeyboardInterrupt:
        console.say("stopped; what is finished is kept: the same command goes on from here")
        raise typer.Exit(130) from None


def _listed(text: str) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _refuse(given: dict[str, object], experiment: str) -> None:
    """Refuse options that another experiment has, instead of passing them over."""
    for option, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{option} has no meaning with --experiment {experiment}: leave it out"
            )


def _sources(names: list[str], bags: list[Path], data_dir: Path | None) -> list[Source]:
    from birdmodes.experiments.material import Source

    listed: list[str] = []
    for name in names:
        listed += PUBLIC_SETS if name == "all" else [name]
    if not listed and not bags:
        listed = [BUILT_IN_SET]
    public = [Source(name=name, data_dir=data_dir) for name in dict.fromkeys(listed)]
    return public + [Source(path=path) for path in bags]


def _command(
    names: list[str],
    bags: list[Path],
    experiment: str,
    methods: list[str],
    protocol: Protocol | MetricProtocol,
    *,
    quick: bool,
) -> str:
    """The command for the report: what figures depend on, without folders of this machine."""
    parts = ["birdmodes", "benchmark", *names, "--experiment", experiment]
    for path in bags:
        parts += ["--bags", path.name]
    if methods:
        parts += ["--methods", ",".join(methods)]
    for option in ("runs", "n_init", "graph", "seed"):
        parts += [f"--{option.replace('_', '-')}", str(getattr(protocol, option))]
    return shlex.join([*parts, "--quick"] if quick else parts)


def _print_table(result: ExperimentResult) -> None:
    from birdmodes.experiments.results import at_c_clusters

    rows: list[tuple[str, ...]] = []
    for row in at_c_clusters(result.summary).itertuples():
        at: Any = row
        figures = [
            f"{getattr(at, name + '_mean'):.3f} ± {getattr(at, name + '_sd'):.3f}"
            for name in ("nmi", "purity", "ari")
        ]
        rows.append((at.dataset, at.method, str(at.k), *figures))
    if rows:
        console.table(("data set", "method", "K", "NMI", "purity", "ARI"), rows, (2, 3, 4, 5))
        console.say()


def _print_verdicts(result: ExperimentResult) -> None:
    claims = [(v.status, f"{v.claim.text} ({v.extent})") for v in result.verdicts if v.evidence]
    if claims:
        console.table(("verdict", "claim"), claims, ())
        console.say()
    console.warn_all(result.failures)
    console.say(f"open {result.html}")
    if result.failures:
        raise typer.Exit(1)
