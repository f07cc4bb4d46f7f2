"""``demo``: every step on the sample recordings, on request scored against their truth."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.gallery import build_gallery
from birdmodes.io.paths import AnyPath
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.find import ClusterOptions
from birdmodes.review.make import make_modes
from birdmodes.review.segment import make_syllables
from birdmodes.workspace.commands import command_line

# More than the 15 modes of the sample recordings, since background needs clusters too.
DEMO_K = 20

_PACKAGE = Path(__file__).parent
# Inside the package when installed from a wheel, beside it in a checkout.
_PLACES = (_PACKAGE / "sample_data", _PACKAGE.parent / "sample_data")


@dataclass(frozen=True)
class DemoResult:
    """What the demo made.

    Attributes
    ----------
    workspace : pathlib.Path
        Folder that the syllables and modes are in.
    clustering : Clustering
        With the scores against the truth among its metrics, if these were wanted.
    index : pathlib.Path
        First page of the gallery.
    """

    workspace: Path
    clustering: Clustering
    index: Path


def sample_data() -> Path:
    """Folder of the sample recordings.

    Raises
    ------
    BirdmodesError
        If they were not installed.
    """
    for place in _PLACES:
        if (place / "truth.csv").is_file():
            return place
    raise BirdmodesError("the sample recordings are missing; install birdmodes again")


def run_demo(
    folder: AnyPath,
    *,
    workers: int,
    on_step: Callable[[str], None],
    on_progress: Callable[[int, int, str], None],
    truth: bool = False,
    program: str = "birdmodes",
) -> DemoResult:
    """Copy the sample recordings, find their modes and make the gallery.

    Parameters
    ----------
    folder : str or path-like
        Where to; recordings and results of an earlier demo there are used again.
    workers : int
        Processes.
    on_step : callable
        Called at each step with the command that does the same.
    on_progress : callable
        Called with done, total and a text.
    truth : bool
        Whether to score the modes against the truth of the sample recordings.
    program : str
        What those commands begin with.

    Raises
    ------
    BirdmodesError
        If `folder` cannot be written or holds something else.
    """
    folder = Path(folder)
    source = sample_data()
    recordings, place, gallery = (folder / name for name in ("recordings", "workspace", "gallery"))
    on_step(f"sample recordings: {recordings}")
    try:
        # Not of all files that it could not copy: one is enough to know.
        shutil.copytree(source / "recordings", recordings, copy_function=_copy, dirs_exist_ok=True)
    except OSError as error:
        raise _cannot_write(folder, error) from error

    def step(*words: object) -> None:
        on_step(command_line(*words, folder=place, program=program))

    step("segment", recordings)
    made = make_syllables(
        recordings,
        place,
        workers=workers,
        on_progress=lambda at: on_progress(at.done, at.total, f"{at.syllables} syllables"),
    )
    if made.summary.failed:
        raise BirdmodesError(made.summary.failed[0][1])

    truth_file = source / "truth.csv" if truth else None
    scored = ("--truth", truth_file) if truth_file else ()
    step("cluster", "--k", DEMO_K, *scored)
    clustering = make_modes(
        made.workspace, ClusterOptions(k=DEMO_K), truth_file=truth_file
    ).clustering

    step("gallery", "--output", gallery)
    result = build_gallery(
        made.workspace, clustering, gallery, workers=workers, on_progress=on_progress
    )
    return DemoResult(place, clustering, result.index)


def _copy(source: str, target: str) -> None:
    try:
        shutil.copy2(source, target)
    except OSError as error:
        raise _cannot_write(target, error) from error


def _cannot_write(place: AnyPath, error: OSError) -> BirdmodesError:
    return BirdmodesError(
        f"{place}: cannot be written ({error.strerror or error}); name another folder, or mend that"
    )
