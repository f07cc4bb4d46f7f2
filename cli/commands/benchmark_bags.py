"""``birdmodes benchmark --experiment m3ic`` and ``mi-em``: methods that group whole bags."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from birdmodes.errors import ParameterError
from cli import console

if TYPE_CHECKING:
    from birdmodes.experiments.bagwise.problems import Preparation
    from birdmodes.experiments.bagwise.protocol import BagExperiment
    from birdmodes.experiments.bagwise.run import BagPlan
    from birdmodes.experiments.gather import ExperimentResult

_DEFAULT_FEATURES = {"m3ic": "unit", "mi-em": "standardized"}
_MAIN = ("m3ic", "mi-em", "kmeans-vote")


def make_plan(
    experiment: str,
    *,
    names: list[str],
    methods: list[str],
    files: list[Path],
    data_dir: Path | None,
    grid: str | None,
    features: list[str],
    quick: bool,
    seed: int,
) -> BagPlan:
    """Turn what was typed into a plan."""
    from birdmodes.experiments.bagwise.entrants import choose_bag_entrants
    from birdmodes.experiments.bagwise.names import find_problems
    from birdmodes.experiments.bagwise.problems import ProblemSource
    from birdmodes.experiments.bagwise.protocol import GRIDS, BagProtocol
    from birdmodes.experiments.bagwise.run import BagPlan

    problems = find_problems(experiment, names) if names or not files else []
    sources = [ProblemSource(problem, data_dir=data_dir) for problem in problems]
    sources += [ProblemSource(path=path) for path in files]
    protocol = BagProtocol.of(cast("BagExperiment", experiment), quick=quick, seed=seed)
    preparations = _preparations(features or [_DEFAULT_FEATURES[experiment]])
    chosen_grid = GRIDS[grid or ("small" if quick else "full")]
    typed = ["birdmodes", "benchmark", *names, "--experiment", experiment]
    for path in files:
        # The command can be shared: it names no folder of this machine.
        typed += ["--bags", path.name]
    if methods:
        typed += ["--methods", ",".join(methods)]
    typed += ["--features", ",".join(preparations)]
    if experiment == "m3ic" and not quick:
        typed += ["--grid", chosen_grid.name]
    typed += ["--seed", str(seed)]
    return BagPlan(
        sources=sources,
        preparations=preparations,
        entrants=choose_bag_entrants(experiment, methods),
        grid=chosen_grid,
        protocol=protocol,
        command=shlex.join([*typed, "--quick"] if quick else typed),
    )


def _preparations(names: list[str]) -> list[Preparation]:
    """Check names of preparations, and give each once."""
    from algorithms.errors import did_you_mean
    from birdmodes.experiments.bagwise.problems import PREPARATIONS

    for name in names:
        if name not in PREPARATIONS:
            raise ParameterError(
                f"--features: there is no {name!r}{did_you_mean(name, PREPARATIONS)}: choose from "
                f"{', '.join(PREPARATIONS)}"
            )
    return [known for known in PREPARATIONS if known in names]


def print_table(result: ExperimentResult) -> None:
    """Print the figures of the methods that the papers are about, and of k-means."""
    rows: list[tuple[str, ...]] = []
    for row in result.summary[result.summary["method"].isin(_MAIN)].itertuples():
        at: Any = row
        figures = [
            f"{getattr(at, name):.3f}" for name in ("accuracy", "nmi_geometric", "f_measure")
        ]
        rows.append((at.dataset, at.preparation, f"{at.method}, {at.rule}", str(at.k), *figures))
    header = ("data set", "features", "method, rule", "K", "accuracy", "NMI", "F")
    console.table(header, rows, (3, 4, 5, 6))
    console.say()
