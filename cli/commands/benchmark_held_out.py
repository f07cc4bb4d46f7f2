"""``birdmodes benchmark --experiment annotation`` and ``instance-accuracy``: left-out bags."""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from cli import console

if TYPE_CHECKING:
    from birdmodes.experiments.gather import ExperimentResult
    from birdmodes.experiments.held_out.experiment import HeldOutExperiment
    from birdmodes.experiments.held_out.names import HeldOutName
    from birdmodes.experiments.held_out.run import HeldOutPlan

EXPERIMENTS = ("annotation", "instance-accuracy")
"""Experiments of this kind."""


def make_plan(
    experiment: str,
    *,
    names: list[str],
    methods: list[str],
    files: list[Path],
    data_dir: Path | None,
    quick: bool,
    seed: int,
) -> HeldOutPlan:
    """Turn what was typed into a plan."""
    from birdmodes.experiments.held_out.names import find_problems
    from birdmodes.experiments.held_out.problems import ProblemSource
    from birdmodes.experiments.held_out.protocol import HeldOutProtocol
    from birdmodes.experiments.held_out.run import HeldOutPlan

    name = cast("HeldOutName", experiment)
    problems = find_problems(name, names) if names or not files else []
    sources = [ProblemSource(problem, data_dir=data_dir) for problem in problems]
    sources += [ProblemSource(path=path) for path in files]
    typed = ["birdmodes", "benchmark", *names, "--experiment", experiment]
    for path in files:
        # The command can be shared: it names no folder of this machine.
        typed += ["--bags", path.name]
    if methods:
        typed += ["--methods", ",".join(methods)]
    typed += ["--seed", str(seed)]
    chosen = _experiment(name)
    return HeldOutPlan(
        experiment=chosen,
        sources=sources,
        entrants=chosen.choose(methods),
        protocol=HeldOutProtocol.of(name, quick=quick, seed=seed),
        command=shlex.join([*typed, "--quick"] if quick else typed),
    )


def _experiment(name: HeldOutName) -> HeldOutExperiment:
    module = import_module(f"birdmodes.experiments.{name.replace('-', '_')}.experiment")
    experiment: HeldOutExperiment = module.EXPERIMENT
    return experiment


def print_table(experiment: HeldOutExperiment, result: ExperimentResult) -> None:
    """Print the means over folds."""
    rows: list[tuple[str, ...]] = []
    for row in experiment.brief(result.summary).to_dict("records"):
        at: dict[str, Any] = {str(name): value for name, value in row.items()}
        settings = [_text(at[name]) for name in experiment.setting_columns]
        figures = [f"{at[f'{name}_mean']:.3f}" for name in experiment.shown]
        rows.append((at["dataset"], at["method"], *settings, *figures))
    header = ("data set", "method", *experiment.setting_columns, *experiment.shown.values())
    console.table(header, rows, range(len(header) - len(experiment.shown), len(header)))
    console.say()


def _text(setting: Any) -> str:
    return "" if setting is None or setting != setting else str(setting)
