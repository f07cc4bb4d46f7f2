"""``birdmodes train-segmenter``: masks painted on recordings to a model for ``segment``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import console, options
from cli.commands.segment import Preset

if TYPE_CHECKING:
    from birdmodes.training import TrainedForest


def train_segmenter(
    model: Annotated[
        Path, typer.Option("--model", "-m", help="File to write.", show_default=False)
    ],
    recordings: Annotated[
        Path | None, typer.Argument(help="Recordings: a folder, or one file.", show_default=False)
    ] = None,
    masks: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Pictures named like the recordings (BMP, PNG), bright where there is sound, over "
            "the whole recording and from 0 Hz to half its sample rate; or tables of boxes (Raven "
            "selection tables, or a CSV of recording,start_s,end_s,low_hz,high_hz); or a folder.",
            show_default=False,
        ),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(
            help="A workspace: its recordings in which somebody corrected boxes are examples too, "
            "with all their syllables; what was thrown away is silence.",
            show_default=False,
        ),
    ] = None,
    top_is_high: Annotated[
        bool,
        typer.Option(
            "--top-is-high",
            help="The top of the pictures is the highest frequency, as on a screen. "
            "Default: the first row of pixels is 0 Hz.",
        ),
    ] = False,
    preset: Annotated[
        Preset,
        typer.Option(help="Spectrogram to train on; briggs2012: 16 kHz, Hamming 512, hop 128."),
    ] = Preset.default,
    sample_rate: options.SampleRate = None,
    clip_seconds: Annotated[float, typer.Option(help="Length of a clip (s).")] = 10.0,
    fmin: options.Fmin = None,
    fmax: options.Fmax = None,
    channel: options.Channel = None,
    trees: Annotated[int, typer.Option(min=1, max=1000, help="Trees of the forest.")] = 40,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Same seed, same model.")] = 0,
    workers: options.Workers = 0,
) -> None:
    """Train the pixel forest of 'segment --segmenter forest' by example.

    RECORDINGS are those on which MASKS were painted; a dozen will do, of different places and
    weather. Corrected boxes of a workspace do as well, or are added. The scores are of recordings
    that the trees in question have not seen.
    """
    from birdmodes.review.mended.paint import corrected_paint
    from birdmodes.segmentation.parameters import SegmentationParameters
    from birdmodes.training import make_segmenter
    from birdmodes.workspace.folder import check_output
    from birdmodes.workspace.store import Workspace

    check_output(model)
    if recordings is None and corrections is None:
        raise typer.BadParameter("give RECORDINGS and MASKS, or --corrections")
    if recordings is not None and not masks:
        raise typer.BadParameter("RECORDINGS need MASKS")
    corrected = [] if corrections is None else corrected_paint(Workspace.open(corrections))
    if corrected:
        console.say(f"{console.plural(len(corrected), 'recording')} with corrected boxes")
    changes = {
        "clip_s": clip_seconds,
        "sample_rate_hz": sample_rate,
        "low_hz": fmin,
        "high_hz": fmax,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    with console.progress("training") as advance:
        made = make_segmenter(
            recordings,
            masks,
            model,
            SegmentationParameters.preset(preset.value, **given),
            painted=corrected,
            top_is_high=top_is_high,
            channel=channel,
            n_trees=trees,
            seed=seed,
            threads=options.worker_count(workers),
            on_masks=_print_masks,
            on_progress=advance,
        )
    _print_scores(made.trained)
    console.warn_all(made.trained.warnings)
    console.say(f"wrote {model}; use it with 'birdmodes segment --segmenter forest --model'")


def _print_masks(painted: int, warnings: list[str]) -> None:
    console.warn_all(warnings)
    console.say(f"{console.plural(painted, 'recording')} with masks")


def _print_scores(trained: TrainedForest) -> None:
    from birdmodes.training import PUBLISHED_FALSE_POSITIVE_RATE

    training = trained.model.training
    rate = trained.counts.true_positive_rate(PUBLISHED_FALSE_POSITIVE_RATE)
    console.say(
        f"{100 * training.n_sound / training.n_cells:.1f} % of {training.n_cells:,} cells are "
        f"painted; threshold {trained.model.threshold:g}"
    )
    console.say(
        f"by trees that have not seen the recording: AUC {training.auc:.3f}, "
        f"F1 {training.f1:.3f}, true positive rate {100 * rate:.1f} % at false positive rate "
        f"{100 * PUBLISHED_FALSE_POSITIVE_RATE:.1f} %"
    )
