"""Where a species was recorded, as far as only the names of sites are known."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from birdmodes.gallery.figures.place_figures import LISTED_SITES, SiteRow
from birdmodes.pictures import text


@dataclass(frozen=True)
class SiteTable:
    """Sites as the template shows them.

    Attributes
    ----------
    rows : list of SiteRow
        The sites with most syllables per hour first, at most `LISTED_SITES`.
    left_out : int
        Sites that are not in `rows`.
    summary : str
        At how many sites it was found.
    """

    rows: list[SiteRow]
    left_out: int
    summary: str


def site_table(
    syllables: pd.DataFrame, sites: pd.Series, recordings: pd.DataFrame
) -> SiteTable | None:
    """Count a group's syllables by site.

    Parameters
    ----------
    syllables : pandas.DataFrame
        Column recording.
    sites : pandas.Series of str
        Site of each recording, from `birdmodes.workspace.sites.sites_of`.
    recordings : pandas.DataFrame
        All of the workspace: columns recording and duration_s.

    Returns
    -------
    SiteTable or None
        None if less than two sites are known.
    """
    known = sites[sites != ""]
    if known.nunique() < 2:
        return None
    hours = recordings.set_index("recording")["duration_s"] / 3600
    table = pd.DataFrame({"recorded_h": hours.groupby(known).sum()})
    per_recording = syllables["recording"].value_counts()
    table["syllables"] = per_recording.groupby(known).sum()
    table["recordings"] = per_recording.groupby(known).size()
    table = table.fillna(0)
    table["rate"] = (table["syllables"] / table["recorded_h"]).where(table["recorded_h"] > 0, 0.0)
    table = table.sort_values("rate", ascending=False, kind="stable")
    rows = [
        SiteRow(
            place=str(name),
            recordings=f"{int(row['recordings']):,}",
            recorded=text.recorded_time(float(row["recorded_h"])),
            syllables=f"{int(row['syllables']):,}",
            rate=text.rate(float(row["rate"])),
        )
        for name, row in table.head(LISTED_SITES).iterrows()
    ]
    found = int((table["syllables"] > 0).sum())
    summary = f"Found at {found:,} of {text.count(len(table), 'site')}"
    return SiteTable(rows, max(0, len(table) - LISTED_SITES), summary)
