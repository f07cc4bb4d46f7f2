"""Two people's reviews of a workspace: read, compared, decided, and written as one."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from birdmodes._version import __version__
from birdmodes.errors import ReviewError
from birdmodes.io.files import check_replaceable, write_text
from birdmodes.io.formula_guard import guarded_table, unguarded_table
from birdmodes.io.html import STYLE, breakable, embedded_style, html_environment
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.io.stored import read_table, write_table
from birdmodes.modes.clustering import read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.edits import Review, read_review
from birdmodes.review.log import base_table, read_base
from birdmodes.review.two_people import A, Agreement, B, compare_reviews, merge_reviews
from birdmodes.workspace.folder import read_steadily
from birdmodes.workspace.store import Workspace

COLUMNS = ("about", "recording", "start_s", "A", "B", "decision")

_TEXTS = ("about", "recording", "A", "B", "decision")
_REMEDY = "let 'birdmodes review merge' write it anew"


@dataclass(frozen=True)
class Merged:
    """Two reviews taken together.

    Attributes
    ----------
    agreement : Agreement
        Where they agree.
    review : Review
        Both.
    path, table, page : pathlib.Path
        Where the review, the table of disagreements and their page are written.
    decided : int
        Disagreements that are decided.
    """

    agreement: Agreement
    review: Review
    path: Path
    table: Path
    page: Path
    decided: int


def merge_files(
    workspace: Workspace,
    first: AnyPath,
    second: AnyPath,
    output: AnyPath,
    *,
    decisions: AnyPath | None = None,
) -> Merged:
    """Merge two files of corrections.

    Parameters
    ----------
    workspace : Workspace
        With their clustering.
    first, second : path-like
        Two files that the gallery saved.
    output : path-like
        File of both. Beside it are written ``<name>-disagreements.csv`` and ``.html``.
    decisions : path-like, optional
        Such a table, with A or B in its column ``decision``.

    Raises
    ------
    BirdmodesError
        If a file is damaged, or they are not of one state of a clustering of the workspace.
    """
    reviews = read_review(first), read_review(second)
    agreement = compare_reviews(*reviews, _base(workspace, reviews[0]))
    decided = {} if decisions is None else read_decisions(Path(decisions))
    unknown = sorted(decided.keys() - {each.about for each in agreement.disagreements})
    if unknown:
        raise ReviewError(
            f"{decisions}: decides about {unknown[0]}, of which both say the same, or not both say "
            "something; give the table of these two files"
        )
    review = merge_reviews(agreement, decided)
    output = Path(output)
    table, page = (
        output.with_name(f"{output.stem}-disagreements{ending}") for ending in (".csv", ".html")
    )
    check_replaceable(output, "one that was merged before", lambda _: table.is_file())
    if table.is_file() and decisions is None and read_decisions(table):
        raise ReviewError(
            f"{table}: has decisions, which would be lost; give it with --decisions, or move it"
        )
    write_table(table, guarded_table(_table(agreement, decided), _TEXTS))
    gallery = workspace.folder / "gallery" / review.clustering
    address = gallery.resolve().as_uri() if (gallery / "syllable.html").exists() else ""
    write_text(page, to_html(agreement, decided, table.name, address))
    # Last: beside what was merged, there is its table, by which it is known.
    write_text(output, json.dumps(review.to_dict(), ensure_ascii=False, indent=1) + "\n")
    return Merged(agreement, review, output, table, page, len(decided))


def read_decisions(path: Path) -> dict[str, str]:
    """Read what was decided: A or B for some of the disagreements.

    Raises
    ------
    ReviewError
        If something else is decided.
    DamagedError
        If the table is damaged.
    """
    kinds = {name: float if name == "start_s" else str for name in COLUMNS}
    table = unguarded_table(read_table(path, kinds, _REMEDY), _TEXTS)
    found = {}
    for line, row in enumerate(table.itertuples(index=False), start=2):
        decision = str(row.decision).strip().upper()
        if decision not in ("", A, B):
            raise ReviewError(f"{path}: line {line}: decision must be A, B or empty")
        if decision:
            found[str(row.about)] = decision
    return found


def to_html(
    agreement: Agreement, decisions: Mapping[str, str], table: str, gallery: str = ""
) -> str:
    """Render the disagreements as a page; every text is escaped.

    Parameters
    ----------
    agreement : Agreement
        Two reviews.
    decisions : mapping of str to str
        What was decided.
    table : str
        Name of the table to decide in.
    gallery : str
        Address of the gallery, where syllables can be heard.
    """
    environment = html_environment(Path(__file__).parent / "templates")
    environment.filters["shown"] = shown
    environment.filters["breakable"] = breakable
    style, digest = embedded_style(STYLE)
    return environment.get_template("agreement.html").render(
        agreement=agreement,
        names=names_of(agreement),
        kappa="" if math.isnan(agreement.kappa) else f"{agreement.kappa:.2f}",
        decisions=decisions,
        table=table,
        gallery=gallery,
        style=style,
        digest=digest,
        version=__version__,
    )


def names_of(agreement: Agreement) -> tuple[str, str]:
    """What the two people are called."""
    return shown(agreement.first.who) or "A", shown(agreement.second.who) or "B"


def _base(workspace: Workspace, review: Review) -> pd.DataFrame:
    current = read_steadily(
        workspace.folder,
        lambda _: read_clustering(workspace, review.clustering, unmended=True),
    )
    if assignments_digest(current.assignments) == review.base:
        return base_table(current)
    base = read_base(workspace, review.base)
    if base is None:
        raise ReviewError(
            f"the reviews were made on a state of {review.clustering!r} that is not kept in "
            f"{workspace.folder} (base {review.base[:12]}...); give its --workspace"
        )
    return base


def _table(agreement: Agreement, decisions: Mapping[str, str]) -> pd.DataFrame:
    rows = [
        (e.about, e.recording, e.start_s, e.first, e.second, decisions.get(e.about, ""))
        for e in agreement.disagreements
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
