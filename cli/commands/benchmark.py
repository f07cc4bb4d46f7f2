"""``birdmodes benchmark``: the experiments of Pei & Fern, on public sets or one's own."""

from __future__ import annotations

import shlex
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import console
from cli.commands import options

if TYPE_CHECKING:
    from birdmodes.benchmark.material import Source
    from birdmodes.benchmark.protocol import Protocol
    from birdmodes.benchmark.run import BenchmarkResult

PUBLIC_SETS = ("hja-birdsong", "msrc-v2", "letter-carroll", "letter-frost")
BUILT_IN_SET = "digits-words"


class ExperimentChoice(StrEnum):
    """Values of ``--experiment``."""

    alpha = "alpha"
    labelled = "labelled"
    clusters = "clusters"
    all = "all"


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
            help=f"Data sets: see birdmodes datasets list; all: {', '.join(PUBLIC_SETS)}. "
            f"Default: {BUILT_IN_SET}, which needs no download.",
            show_default=False,
        ),
    ] = None,
    experiment: Annotated[
        ExperimentChoice,
        typer.Option(help="What is varied: alpha, the share of labelled bags, or K."),
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
        Path, typer.Option(help="Folder for results; the same command goes on in it.")
    ] = Path("birdmodes-benchmark"),
    runs: Annotated[
        int | None,
        typer.Option(min=1, help="Repetitions. Default: 20; 3 with --quick.", show_default=False),
    ] = None,
    n_init: Annotated[
        int, typer.Option(min=1, help="Starts of k-means in a run; the best one counts.")
    ] = 5,
    graph: Annotated[
        GraphChoice, typer.Option(help="Affinity graph of the spectral methods.")
    ] = GraphChoice.dense,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer values of everything, to try it out.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=0, help="Processes to use; 0 means one for each core.")
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same figures.")] = 0,
) -> None:
    """Compare the methods on data with known truth.

    Runs the experiments of Pei & Fern (2013) and writes tables (CSV), figures and a report
    (HTML and Markdown) with the paper's claims, checked.
    """
    from birdmodes.benchmark.entrants import choose_entrants
    from birdmodes.benchmark.protocol import EXPERIMENTS, Protocol
    from birdmodes.benchmark.run import BenchmarkPlan, run_benchmark

    protocol = Protocol.quick() if quick else Protocol()
    protocol = replace(protocol, n_init=n_init, graph=graph.value, seed=seed)
    if runs is not None:
        protocol = replace(protocol, runs=runs)
    wanted = [name.strip() for name in methods.split(",") if name.strip()]
    chosen = [name for name in EXPERIMENTS if experiment in ("all", name)]
    plan = BenchmarkPlan(
        sources=_sources(names or [], bags or [], data_dir),
        experiments=chosen,
        entrants=choose_entrants(wanted),
        protocol=protocol,
        command=_command(names or [], bags or [], experiment, wanted, protocol, quick=quick),
    )
    try:
        with console.progress("benchmark") as advance:
            result = run_benchmark(plan, out, jobs=options.worker_count(jobs), on_progress=advance)
    except KeyboardInterrupt:
        console.say("stopped; what is finished is kept: the same command goes on from here")
        raise typer.Exit(130) from None
    _print(result)


def _sources(names: list[str], bags: list[Path], data_dir: Path | None) -> list[Source]:
    from birdmodes.benchmark.material import Source

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
    protocol: Protocol,
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


def _print(result: BenchmarkResult) -> None:
    from birdmodes.benchmark.results import at_c_clusters

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
    claims = [(v.status, f"{v.claim.text} ({v.extent})") for v in result.verdicts if v.evidence]
    if claims:
        console.table(("verdict", "claim"), claims, ())
        console.say()
    console.warn_all(result.failures)
    console.say(f"open {result.html}")
    if result.failures:
        raise typer.Exit(1)
