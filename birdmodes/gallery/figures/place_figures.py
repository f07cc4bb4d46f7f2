"""Geometry and words of the figure of sites: a plot of distances, without a map beneath."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from birdmodes.gallery.figures.places import Occurrence
from birdmodes.pictures import text
from birdmodes.pictures.scale import round_below

WIDTH, HEIGHT = 240, 130
WIDE, WIDE_HEIGHT = 520, 300
EDGE = 16
"""Room around the outermost sites, for their circles."""
BELOW = 20
"""Room for the scale bar."""
LARGEST, SMALLEST = 12.0, 2.5
"""Radius at the highest rate, and the least that can be seen."""
LEAST_KM = 0.2
"""No less is shown, so that one site does not fill the plot with metres."""
NAME_HEIGHT, LETTER_WIDTH, NAME_GAP = 18, 9.5, 4
"""Room for the names of sites, in letters as large as on narrow screens."""
LISTED_SITES = 200


@dataclass(frozen=True)
class Circle:
    """A site in the figure: where, how large (0 for none of the group), and in words.

    Its name stands to the right of it, or to the `left`; there is none where it has no room.
    """

    x: float
    y: float
    radius: float
    title: str
    name: str = ""
    left: bool = False


@dataclass(frozen=True)
class SiteRow:
    """A site in the table, everything as it is shown."""

    place: str
    recordings: str
    recorded: str
    syllables: str
    rate: str


@dataclass(frozen=True)
class PlaceFigure:
    """Sites as the template shows them.

    Attributes
    ----------
    width, height : int
        Of the figure.
    circles : list of Circle
        Largest first, so that small ones are above them.
    bar_x, bar_y, bar_width : float
        Scale bar.
    bar_text : str
        Its length in words.
    label : str
        What a screen reader says.
    summary : str
        How many syllables have a known place.
    rows : list of SiteRow
        The sites with most syllables per hour first, at most `LISTED_SITES`.
    left_out : int
        Sites that are not in `rows`.
    """

    width: int
    height: int
    circles: list[Circle]
    bar_x: float
    bar_y: float
    bar_width: float
    bar_text: str
    label: str
    summary: str
    rows: list[SiteRow]
    left_out: int


def place_figure(
    name: str,
    found: Occurrence,
    *,
    wide: bool = False,
    rows: int = LISTED_SITES,
    noun: str = "syllable",
) -> PlaceFigure | None:
    """Lay out the figure of a group's sites.

    Parameters
    ----------
    name : str
        Of the mode or species.
    found : Occurrence
        What to show.
    wide : bool
        Larger, for a whole page.
    rows : int
        At most so many sites are in the table.
    noun : str
        What is counted.

    Returns
    -------
    PlaceFigure or None
        None if no syllable's place is known.
    """
    if not found.known:
        return None
    width, height = (WIDE, WIDE_HEIGHT) if wide else (WIDTH, HEIGHT)
    east, north = found.sites.place_km()
    room_x, room_y = width - 2 * EDGE, height - 2 * EDGE - BELOW
    # One scale for both directions, whichever of them is the tighter.
    per_km = min(
        room_x / max(float(np.ptp(east)), LEAST_KM), room_y / max(float(np.ptp(north)), LEAST_KM)
    )
    bar_km = round_below(room_x / 3 / per_km)
    radius = _radii(found)
    largest = np.argsort(-radius, kind="stable").tolist()
    circles = [
        Circle(
            round(width / 2 + per_km * float(east[site]), 1),
            round(EDGE + room_y / 2 - per_km * float(north[site]), 1),
            round(float(radius[site]), 1),
            _title(found, site, noun),
        )
        for site in largest
    ]
    if wide:
        circles = _named(circles, [found.sites.names[site] for site in largest], width)
    order = np.argsort(-found.rate, kind="stable").tolist()
    total = found.known + found.unknown
    summary = f"Place known for {found.known:,} of {text.count(total, noun)}"
    return PlaceFigure(
        width=width,
        height=height,
        circles=circles,
        bar_x=EDGE,
        bar_y=height - 9,
        bar_width=round(per_km * bar_km, 1),
        bar_text=text.distance(bar_km),
        label=_label(name, found, order, summary, noun),
        summary=summary,
        rows=[_row(found, site) for site in order[:rows]],
        left_out=max(0, len(order) - rows),
    )


def _named(circles: list[Circle], names: list[str], width: int) -> list[Circle]:
    """Write names beside circles, the first ones first, as far as nothing lies there."""
    taken = [_box(one.x - one.radius, 2 * one.radius, one.y, 2 * one.radius) for one in circles]
    named = []
    for circle, name in zip(circles, names, strict=True):
        long, away = LETTER_WIDTH * len(name), circle.radius + NAME_GAP
        for left, start in ((False, circle.x + away), (True, circle.x - away - long)):
            box = _box(start, long, circle.y, NAME_HEIGHT)
            free = start >= 0 and start + long <= width
            if name and free and not any(_meet(box, other) for other in taken):
                taken.append(box)
                named.append(replace(circle, name=name, left=left))
                break
        else:
            named.append(circle)
    return named


def _box(left: float, wide: float, middle: float, high: float) -> tuple[float, float, float, float]:
    return left, left + wide, middle - high / 2, middle + high / 2


def _meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def _radii(found: Occurrence) -> np.ndarray:
    """Radius of every site: the area is as the rate; 0 where there are no syllables."""
    share = np.sqrt(found.rate / found.rate.max())
    return np.where(found.syllables > 0, np.maximum(LARGEST * share, SMALLEST), 0.0)


def _row(found: Occurrence, site: int) -> SiteRow:
    sites = found.sites
    return SiteRow(
        place=", ".join(
            filter(
                None, (sites.names[site], text.place(sites.latitude[site], sites.longitude[site]))
            )
        ),
        recordings=f"{found.recordings[site]:,} of {sites.recordings[site]:,}",
        recorded=text.recorded_time(float(sites.recorded_h[site])),
        syllables=f"{found.syllables[site]:,}",
        rate=text.rate(float(found.rate[site])),
    )


def _title(found: Occurrence, site: int, noun: str) -> str:
    row = _row(found, site)
    if not found.syllables[site]:
        return f"{row.place}: none in {row.recorded} of recordings"
    counted = text.count(int(found.syllables[site]), noun)
    return f"{row.place}: {counted} in {row.recorded} of recordings, {row.rate} per hour"


def _label(name: str, found: Occurrence, order: list[int], summary: str, noun: str) -> str:
    n_with = int((found.syllables > 0).sum())
    most = "; ".join(_title(found, site, noun) for site in order[: min(3, n_with)])
    return (
        f"Sites of {name}: at {n_with} of {text.count(len(found.sites), 'site')}, circles with an "
        f"area as the {noun}s per hour of recording. Most: {most}. {summary}."
    )
