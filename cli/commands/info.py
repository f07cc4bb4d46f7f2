"""``birdmodes info``: what is in a workspace, and the next useful command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from birdmodes.audio_files import shown
from cli import console
from cli.commands import options

if TYPE_CHECKING:
    from birdmodes.info_model import ClusteringInfo, GalleryInfo, GroupingInfo, WorkspaceInfo


def info(
    workspace: options.Workspace = Path("birdmodes-workspace"), json: options.Json = False
) -> None:
    """Say what is in a workspace and which command comes next.

    Recordings, species, clusterings, groups of recordings, galleries, corrections, sizes on disk
    and parameters.
    """
    from birdmodes.info import workspace_info

    found = workspace_info(workspace)
    if json:
        console.print_json(found.to_dict())
        return
    _print_material(found)
    _print_clusterings(found.clusterings)
    _print_groupings(found.groupings)
    _print_galleries(found)
    _print_sizes(found.sizes)
    if found.next is not None:
        console.say()
        console.say(f"next: {found.next.command}")
        console.paragraph(f"{found.next.reason}", indent=6)


def _print_material(found: WorkspaceInfo) -> None:
    settings = found.settings["segmentation"]
    changed = ", ".join(f"{name}={value}" for name, value in found.changed.items())
    unread = f"; {found.unread:,} could not be read, see errors.csv" if found.unread else ""
    for name, value in (
        ("workspace", shown(found.folder)),
        (
            "recordings",
            f"{found.recordings:,} ({console.duration(found.duration_s)}), {found.labelled:,} with "
            f"species lists{unread}",
        ),
        ("species", f"{len(found.species):,}{_some(found.species)}"),
        ("syllables", f"{found.syllables:,}"),
        (
            "segmented with",
            f"{settings['method']}, {settings['sample_rate_hz']:,} Hz, clips of "
            f"{settings['clip_s']:g} s" + (f"; not the default: {changed}" if changed else ""),
        ),
    ):
        console.fact(name, value)


def _some(names: list[str]) -> str:
    if not names:
        return ""
    more = ", ..." if len(names) > console.LONG_LIST else ""
    return f" ({', '.join(shown(name) for name in names[: console.LONG_LIST])}{more})"


def _print_clusterings(clusterings: list[ClusteringInfo]) -> None:
    console.say()
    if not clusterings:
        console.say("no clusterings")
        return
    rows = [
        (
            each.name,
            each.method,
            "" if each.k is None else str(each.k),
            "" if each.problem else f"{each.modes:,}",
            "" if each.problem else f"{each.species:,}",
            _minute(each.written),
            "of other syllables" if each.problem else ("yes" if each.batches else "no"),
        )
        for each in clusterings
    ]
    header = ("clustering", "method", "K", "modes", "species", "written (UTC)", "reviewed")
    console.table(header, rows, numeric=(2, 3, 4))


def _print_groupings(groupings: list[GroupingInfo]) -> None:
    if not groupings:
        return
    console.say()
    rows = [
        (
            each.name,
            each.method,
            "" if each.k is None else str(each.k),
            "" if each.problem else f"{each.groups:,}",
            "" if each.problem else f"{each.bags:,}",
            _minute(each.written),
            "no: make it again" if each.problem else "yes",
        )
        for each in groupings
    ]
    header = ("groups of recordings", "method", "K", "groups", "bags", "written (UTC)", "current")
    console.table(header, rows, numeric=(2, 3, 4))


def _minute(written: str) -> str:
    """A time to the minute, as people write it."""
    return written.replace("T", " ")[:16]


def _print_galleries(found: WorkspaceInfo) -> None:
    console.say()
    for gallery in found.galleries:
        state = "" if gallery.current else " (of an earlier state: build it again)"
        console.say(f"gallery of {_contents(gallery)}: {gallery.folder}/index.html{state}")
    if not found.galleries:
        console.say("no galleries")
    if found.corrections:
        console.say(f"{console.plural(found.corrections, 'correction')} applied")
    for pending in found.pending:
        what = (
            console.plural(pending.edits, "correction") if pending.clustering else "cannot be read"
        )
        console.say(f"not applied: {pending.file} ({what})")


def _contents(gallery: GalleryInfo) -> str:
    return " and ".join(name for name in (gallery.clustering, gallery.grouping) if name)


def _print_sizes(sizes: dict[str, int]) -> None:
    from birdmodes.info import PARTS

    console.say()
    total = sum(sizes.values())
    parts = ", ".join(
        f"{PARTS.get(part, part)} {console.size(size)}"
        for part, size in sorted(sizes.items(), key=lambda item: -item[1])
    )
    console.paragraph(f"{console.size(total)} on disk: {parts}")
