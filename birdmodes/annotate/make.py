"""New recordings found and annotated: all of ``annotate``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from birdmodes.annotate.kept import ANNOTATED
from birdmodes.annotate.run import AnnotateOptions, AnnotateResult, annotate_recordings
from birdmodes.audio.find import find_recordings
from birdmodes.io.paths import AnyPath
from birdmodes.modes.features.sets import short_name
from birdmodes.workspace.segment import Progress
from birdmodes.workspace.store import Workspace


def make_annotations(
    workspace: Workspace | AnyPath,
    recordings: AnyPath | Iterable[AnyPath],
    output: AnyPath | None = None,
    options: AnnotateOptions | None = None,
    *,
    table: AnyPath | None = None,
    workers: int = 1,
    on_found: Callable[[int], None] | None = None,
    on_fold: Callable[[int, int], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> AnnotateResult:
    """Tell which species new recordings, and their syllables, are of.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        To learn from.
    recordings : str, path-like, or iterable of them
        New recordings, or folders of them.
    output : str or path-like, optional
        A workspace of them; by default ``annotated/METHOD`` in the one to learn from.
    options : AnnotateOptions, optional
        How.
    on_found : callable, optional
        Called with the number of recordings found so far.
    table, workers, on_fold, on_progress
        As for `birdmodes.annotate_recordings`.

    Raises
    ------
    BirdmodesError
        If there are no recordings, or what `birdmodes.annotate_recordings` raises.
    """
    store, options = Workspace.open(workspace), options or AnnotateOptions()
    if output is None:
        name = options.method + short_name(options.features, options.method)
        output = store.folder / ANNOTATED / name
    return annotate_recordings(
        store,
        find_recordings(recordings, on_progress=on_found),
        Path(output),
        options,
        table=table,
        workers=workers,
        on_fold=on_fold,
        on_progress=on_progress,
    )
