"""Two clusterings compared, and the page of it: all of ``compare``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from birdmodes.compare.comparison import Comparison, compare_clusterings
from birdmodes.compare.page import to_html
from birdmodes.io.files import check_replaceable, write_text
from birdmodes.io.paths import AnyPath
from birdmodes.modes.clustering import read_clustering
from birdmodes.workspace.folder import check_output, read_steadily
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class MadeComparison:
    """A comparison that was made.

    Attributes
    ----------
    comparison : Comparison
        What stays, splits, merges and moves.
    page : pathlib.Path
        Where it can be looked at.
    """

    comparison: Comparison
    page: Path


def make_comparison(
    workspace: Workspace | AnyPath,
    first: str,
    second: str,
    output: AnyPath | None = None,
    *,
    other_workspace: Workspace | AnyPath | None = None,
) -> MadeComparison:
    """Compare two clusterings and write a page of it.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        Where the clusterings are.
    first, second : str
        Their names.
    output : str or path-like, optional
        File for the page; by default ``compare/FIRST--SECOND.html`` in the workspace.
    other_workspace : Workspace, str or path-like, optional
        Workspace of the second clustering, if it is another one; syllables are then matched by
        recording and box.

    Raises
    ------
    BirdmodesError
        If there is no such clustering, or the two have no syllables in common.
    """
    if output is not None:
        check_output(Path(output))
        check_replaceable(Path(output), "a page of birdmodes", _is_page)
    store = Workspace.open(workspace)
    other = store if other_workspace is None else Workspace.open(other_workspace)
    # What is taken back in both must not be in one of them still.
    one, two = read_steadily(
        store.folder, lambda _: (read_clustering(store, first), read_clustering(other, second))
    )
    comparison = compare_clusterings(one, two, by_place=other_workspace is not None)
    page = store.folder / "compare" / f"{first}--{second}.html" if output is None else Path(output)
    page.parent.mkdir(parents=True, exist_ok=True)
    write_text(page, to_html(comparison))
    return MadeComparison(comparison, page)


def _is_page(path: Path) -> bool:
    content = path.read_bytes()
    return content[:9].lower() == b"<!doctype" and b"birdmodes" in content
