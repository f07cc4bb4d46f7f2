"""``birdmodes evaluate``: how good the species found in recordings without labels would be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from birdmodes.io.printing import shown
from cli import console, options
from cli.commands.annotate import Method, MethodOption, MinConfidence, MinLikeness, MinScore, Seed

if TYPE_CHECKING:
    import pandas as pd

    from birdmodes.annotate.evaluation import Evaluation


def evaluate(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    method: MethodOption = Method.LDC,
    features: options.Features = None,
    folds: Annotated[
        int,
        typer.Option(
            help="Parts that the recordings with species lists are dealt to; each is annotated by "
            "what is learned from the others."
        ),
    ] = 10,
    seed: Seed = 0,
    min_confidence: MinConfidence = 0.5,
    min_score: MinScore = 0.5,
    min_likeness: MinLikeness = 0.05,
    truth: Annotated[
        Path | None,
        typer.Option(
            help="CSV of true syllables (recording,start_s,end_s,low_hz,high_hz,species,mode), to "
            "score the syllables too.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="Name of the files in 'evaluations' in the workspace. Default: the method's, with "
            "the features if they are not the default.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Try out 'birdmodes annotate' on the recordings that have species lists.

    They are left out in parts, whole recordings at a time, and annotated from the others.
    """
    from birdmodes.annotate.evaluate import make_evaluation
    from birdmodes.annotate.thresholds import Thresholds
    from birdmodes.modes.features.sets import parse_features
    from birdmodes.workspace.store import Workspace

    sets = parse_features(features or [])
    with console.messages_aside(json):
        store = Workspace.open(workspace)
        with console.progress("learning and annotating") as advance:
            result, path = make_evaluation(
                store,
                method.value,
                name,
                features=sets,
                n_folds=folds,
                seed=seed,
                thresholds=Thresholds(min_confidence, min_score, min_likeness),
                truth_file=truth,
                on_fold=lambda done, total: advance(done, total, ""),
            )
        _print_result(result)
        console.say(f"written to {path}; the table of species also to {path.with_suffix('.csv')}")
        console.say(f"to look at: {path.with_suffix('.html')}")
    if json:
        console.print_json({**result.content(), "written_to": str(path)})


def _print_result(result: Evaluation) -> None:
    if result.summary:
        console.say(result.summary)
    what = result.parameters
    bags = console.plural(what["bags"], "bag")
    recordings = console.plural(what["recordings"], "recording")
    console.say(
        f"{bags} of {recordings} with species lists, {what['species']} species, "
        f"{what['folds']} folds; features: {', '.join(one['name'] for one in what['features'])}"
    )
    console.say()
    rows = [
        (
            shown(row["species"]),
            f"{row['bags']:,}",
            f"{row['predicted']:,}",
            *(_share(row[column]) for column in ("precision", "recall", "f1", "average_precision")),
        )
        for row in result.species.to_dict("records")
    ]
    header = ("species", "bags", "predicted", "precision", "recall", "F1", "average precision")
    console.table(header, rows, numeric=range(1, 7))
    console.say()
    console.metrics(result.metrics)
    _print_reliability("score of a species in a bag", "it is there", result.reliability["bags"])
    if result.syllable_metrics:
        console.say()
        console.metrics(result.syllable_metrics)
        right, table = (
            ("right", "truth") if "truth" in result.reliability else ("possible", "syllables")
        )
        _print_reliability("confidence of a syllable", right, result.reliability[table])
    console.warn_all(result.warnings)


def _print_reliability(what: str, right: str, table: pd.DataFrame) -> None:
    console.say()
    rows = [
        (
            f"{row['from']:.1f} to {row['to']:.1f}",
            f"{row['count']:,.0f}",
            _share(row["mean_score"]),
            _share(row["share_right"]),
        )
        for row in table.to_dict("records")
    ]
    console.table((what, "count", "mean", right), rows, numeric=(1, 2, 3))


def _share(value: float) -> str:
    return "-" if value != value else f"{value:.2f}"
