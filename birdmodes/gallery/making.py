"""Makes a gallery: plan, pictures and sounds, data, pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from birdmodes.gallery.data_files import write_data
from birdmodes.gallery.folder import new_gallery_folder
from birdmodes.gallery.groups.plan import plan_groups
from birdmodes.gallery.map_layout import check_umap
from birdmodes.gallery.media.material import MEGABYTE, make_material
from birdmodes.gallery.no_modes import clustering_without_modes
from birdmodes.gallery.pages import make_views, write_pages
from birdmodes.gallery.plan import make_plan
from birdmodes.gallery.result import GalleryResult, MapMethod
from birdmodes.gallery.syllable_table import syllable_table
from birdmodes.gallery.windows import Windows
from birdmodes.groups.grouping import Grouping
from birdmodes.io.steady import Check
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.words import syllable_measures
from birdmodes.workspace.store import Workspace


def write_gallery(
    workspace: Workspace,
    clustering: Clustering | None,
    output: Path,
    *,
    grouping: Grouping | None = None,
    examples: int,
    max_size_mb: float,
    map_method: MapMethod,
    workers: int,
    on_progress: Callable[[int, int, str], None] | None,
    check: Check,
    when_placed: Callable[[GalleryResult], None],
) -> GalleryResult:
    """Make a gallery; see `birdmodes.gallery.build.build_gallery` for parameters and errors.

    `when_placed` is called while nobody else can put another gallery there.
    """
    if map_method == "umap":
        check_umap()
    shown = clustering or clustering_without_modes(workspace, grouping.name if grouping else "")
    syllables = workspace.syllables()
    clustered = syllables["syllable"].isin(shown.assignments["syllable"])
    syllables = syllables[clustered].reset_index(drop=True)
    table = syllable_table(workspace, shown, syllable_measures(workspace, workers=workers))
    if clustering is None:
        table["cluster"] = -1  # they are of no mode
    windows = Windows(workspace, table)
    plans = make_plan(workspace, shown, table, windows, examples)
    groups = plan_groups(workspace, grouping, syllables, examples) if grouping else None
    with new_gallery_folder(output) as gallery:
        material = make_material(
            workspace,
            syllables,
            plans,
            windows,
            gallery,
            on_progress or _silent,
            further=groups.examples() if groups else (),
            max_bytes=max_size_mb * MEGABYTE,
            workers=workers,
        )
        gallery.seed_pages()
        views = make_views(workspace, plans, material, windows)
        data = write_data(gallery, workspace, shown, syllables, views, material, map_method, groups)
        pages = write_pages(
            gallery.folder,
            workspace,
            shown,
            views,
            material,
            windows,
            groups,
            unsought=clustering is None,
        )
        check()
        counts = gallery.complete({*material.addresses(), *data, *pages})
        result = GalleryResult(
            index=output / "index.html",
            pages=sum(address.endswith(".html") for address in pages),
            pictures=material.n_pictures,
            sounds=material.n_sounds,
            new=counts.new,
            unchanged=counts.unchanged,
            size_bytes=counts.size_bytes,
            warnings=material.warnings,
        )
        gallery.when_placed = partial(when_placed, result)
    return result


def _silent(done: int, total: int, recording: str) -> None:
    """Report nothing."""
