"""``birdmodes cluster`` with a method that groups whole recordings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from birdmodes.errors import ParameterError
from birdmodes.io.printing import shown
from cli import console

if TYPE_CHECKING:
    from birdmodes.groups.find import GroupOptions
    from birdmodes.groups.grouping import Grouping
    from birdmodes.groups.make import MadeGroups
    from birdmodes.workspace.store import Workspace

_INSTEAD = {
    "--k-per-species": "give the number of groups with --k",
    "--alpha": "it is for --method csp",
    "--metric": "it is for sp, splearn, spreg, csp and csp-no-pairs",
    "--truth": "it is a table of syllables",
    "--with-review": "corrections are of syllables",
}


def refuse_options(method: str, given: Mapping[str, Any]) -> None:
    """Stop if an option is given that is for methods that group syllables.

    Parameters
    ----------
    method : str
        A method that groups recordings.
    given : dict of str to object
        Option to what was given, None if it was not.

    Raises
    ------
    ParameterError
        For the first that was given.
    """
    for option, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{option} does not go with method {method}, which groups whole recordings "
                f"({_INSTEAD[option]}); leave it out"
            )


def group_recordings(
    store: Workspace, how: GroupOptions, name: str | None, *, workers: int, as_json: bool
) -> None:
    """Group the recordings of a workspace, store the groups and print them."""
    from birdmodes.groups.make import make_groups

    with console.messages_aside(as_json):
        with console.progress("finding the number of groups") as advance:
            made = make_groups(
                store, how, name, workers=workers, on_step=console.say, on_progress=advance
            )
        console.say()
        _print_groups(made.grouping)
        console.say()
        console.metrics(made.grouping.metrics)
        console.say()
        console.warn_all(made.warnings)
        following = console.command("gallery", folder=store.folder)
        console.say(f"written to {made.folder}; next: {following}")
    if as_json:
        console.print_json(_content(made))


def _content(made: MadeGroups) -> dict[str, Any]:
    grouping = made.grouping
    return {
        "grouping": grouping.name,
        "folder": str(made.folder),
        "parameters": grouping.parameters,
        "metrics": grouping.metrics,
        "groups": grouping.groups.to_dict("records"),
        "species": grouping.species.to_dict("records"),
        "warnings": made.warnings,
    }


def _print_groups(grouping: Grouping) -> None:
    """Print the table of groups; where bags are clips, also how many recordings are mostly in."""
    from birdmodes.groups.tables import by_recording

    groups = grouping.groups
    of_clips = bool(grouping.parameters["clips_of_longer_recordings"])
    mostly = by_recording(grouping.assignments)["group"].value_counts()
    strength = grouping.assignments.groupby("group")["strength"].median()
    columns = {
        "group": [f"{number}" for number in groups["group"]],
        "clips" if of_clips else "bags": _counts(groups["bags"]),
        "recordings": _counts(groups["recordings"]),
        "mostly": _counts(mostly.reindex(groups["group"], fill_value=0)),
        "syllables": _counts(groups["syllables"]),
        "typical species": [shown(name) for name in groups["top_species"]],
        "strength": [_short(value) for value in strength.reindex(groups["group"])],
    }
    if not of_clips:
        del columns["mostly"]
    rows = list(zip(*columns.values(), strict=True))
    words = ("typical species",)
    numeric = [place for place, name in enumerate(columns) if name not in words]
    console.table(list(columns), rows, numeric)
    if of_clips:
        console.say()
        console.paragraph(
            "Groups are of clips: 'recordings' have at least one clip in the group, 'mostly' are "
            "those with more clips in it than in any other."
        )


def _counts(values: Iterable[int]) -> list[str]:
    return [f"{value:,}" for value in values]


def _short(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}"
