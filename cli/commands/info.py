"""``birdmodes info``: what is in a workspace, and the next useful command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from birdmodes.io.printing import shown
from cli import console, options

if TYPE_CHECKING:
    from birdmodes.info.model import (
        AssignedInfo,
        ClusteringInfo,
        EvaluationInfo,
        GalleryInfo,
        GroupingInfo,
        WorkspaceInfo,
    )


def info(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Read everything, and say what is damaged. Takes longer."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Say what is in a workspace and which command comes next.

    Recordings, species, clusterings, groups of recordings, new recordings that were assigned or
    annotated, evaluations, galleries, corrections, sizes on disk and parameters. Exit
    code 1 means that some files are damaged; the rest is listed.
    """
    from birdmodes.info.workspace import workspace_info

    if verify:
        _verify(workspace)
    found = workspace_info(workspace)
    if json:
        console.print_json(found.to_dict())
    else:
        _print_all(found)
        if verify and not found.damaged:
            console.say("\neverything was read, and nothing is damaged")
    for line in found.damaged:
        console.error(line)
    if found.damaged:
        raise typer.Exit(1)


def _verify(folder: Path) -> None:
    from birdmodes.info.damage import find_damage
    from birdmodes.workspace.store import Workspace

    damaged = list(dict.fromkeys(damage.line for damage in find_damage(Workspace.open(folder))))
    for line in damaged:
        console.error(line)
    if damaged:
        console.say("birdmodes repair moves what is damaged out of the way; then make it again")
        # What they hold is missing in all that could be said.
        raise typer.Exit(1)


def _print_all(found: WorkspaceInfo) -> None:
    _print_material(found)
    _print_clusterings(found)
    _print_groupings(found.groupings)
    _print_assigned(found.assigned)
    _print_annotations(found)
    _print_evaluations(found.evaluations)
    _print_galleries(found)
    _print_sizes(found.sizes)
    if found.changing:
        console.say()
        console.warn("another birdmodes command is changing the workspace: these are of meanwhile")
    if found.outdated:
        console.say()
        console.warn_all(found.outdated)
    if found.next is not None:
        console.say()
        console.say(f"next: {console.program()}{found.next.command.removeprefix('birdmodes')}")
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
        ("species", f"{len(found.species):,}{_some(_with_other_names(found))}"),
        ("syllables", f"{found.syllables:,}"),
        (
            "segmented with",
            f"{settings['method']}, {settings['sample_rate_hz']:,} Hz, clips of "
            f"{settings['clip_s']:g} s" + (f"; not the default: {changed}" if changed else ""),
        ),
    ):
        console.fact(name, value)


def _with_other_names(found: WorkspaceInfo) -> list[str]:
    """Species as ``European Robin = Erithacus rubecula = Rotkehlchen``."""
    return [" = ".join([name, *found.other_names.get(name, [])]) for name in found.species]


def _some(names: list[str]) -> str:
    if not names:
        return ""
    more = ", ..." if len(names) > console.LONG_LIST else ""
    return f" ({', '.join(shown(name) for name in names[: console.LONG_LIST])}{more})"


def _state(clustering: ClusteringInfo, damaged: list[str]) -> str:
    if clustering.problem:
        return "cannot be read" if clustering.problem in damaged else "of other syllables"
    return "yes" if clustering.batches else "no"


def _print_clusterings(found: WorkspaceInfo) -> None:
    clusterings = found.clusterings
    console.say()
    if not clusterings:
        console.say("no clusterings")
        return
    rows = [
        (
            each.name,
            f"{each.method}, {each.metric}" if each.metric else each.method,
            shown(", ".join(each.features)),
            "" if each.k is None else str(each.k),
            "" if each.problem else f"{each.modes:,}",
            "" if each.problem else f"{each.species:,}",
            _minute(each.written),
            _state(each, found.damaged),
        )
        for each in clusterings
    ]
    header = (
        *("clustering", "method", "features", "K", "modes", "species", "written (UTC)"),
        "reviewed",
    )
    console.table(header, rows, numeric=(3, 4, 5))
    for each in clusterings:
        if each.names:
            console.paragraph(f"{each.name}: {each.names}")


def _print_groupings(groupings: list[GroupingInfo]) -> None:
    if not groupings:
        return
    console.say()
    rows = [
        (
            each.name,
            each.method,
            shown(", ".join(each.features)),
            "" if each.k is None else str(each.k),
            "" if each.problem else f"{each.groups:,}",
            "" if each.problem else f"{each.bags:,}",
            _minute(each.written),
            "no: make it again" if each.problem else "yes",
        )
        for each in groupings
    ]
    header = (
        *("groups of recordings", "method", "features", "K", "groups", "bags", "written (UTC)"),
        "current",
    )
    console.table(header, rows, numeric=(3, 4, 5))


def _print_assigned(assigned: list[AssignedInfo]) -> None:
    if not assigned:
        return
    console.say()
    rows = [
        (
            shown(each.folder),
            "cannot be read" if each.problem else shown(each.clustering),
            "" if each.problem else f"{each.recordings:,}",
            "" if each.problem else f"{each.syllables:,}",
            "" if each.problem else f"{each.in_modes:,}",
            _minute(each.written),
        )
        for each in assigned
    ]
    header = (
        "new recordings", "modes of", "recordings", "syllables", "in modes", "written (UTC)",
    )  # fmt: skip
    console.table(header, rows, numeric=(2, 3, 4))


def _print_annotations(found: WorkspaceInfo) -> None:
    here = [] if found.annotation is None else [found.annotation]
    if not here and not found.annotations:
        return
    console.say()
    rows = [
        (
            "this workspace" if each.folder == "." else shown(each.folder),
            "cannot be read" if each.problem else shown(each.method),
            "" if each.problem else f"{each.recordings:,}",
            "" if each.problem else f"{each.named:,}",
            "" if each.problem else f"{each.species:,}",
            _figure(each.expected_f1),
            _minute(each.written),
        )
        for each in here + found.annotations
    ]
    header = (
        "annotations", "method", "recordings", "named syllables", "species", "expected F1",
        "written (UTC)",
    )  # fmt: skip
    console.table(header, rows, numeric=(2, 3, 4, 5))


def _print_evaluations(evaluations: list[EvaluationInfo]) -> None:
    if not evaluations:
        return
    console.say()
    rows = [
        (
            shown(each.name),
            "cannot be read" if each.problem else shown(each.method),
            "" if each.problem else f"{each.recordings:,}",
            "" if each.problem else f"{each.species:,}",
            _figure(each.micro_f1),
            _figure(each.average_precision),
            _minute(each.written),
        )
        for each in evaluations
    ]
    header = (
        "evaluation", "method", "recordings", "species", "micro F1", "average precision",
        "written (UTC)",
    )  # fmt: skip
    console.table(header, rows, numeric=(2, 3, 4, 5))
    for each in evaluations:
        if each.page:
            console.say(f"page of {shown(each.name)}: {shown(each.page)}")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


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
    from birdmodes.info.workspace import PARTS

    console.say()
    total = sum(sizes.values())
    parts = ", ".join(
        f"{PARTS.get(part, part)} {console.size(size)}"
        for part, size in sorted(sizes.items(), key=lambda item: -item[1])
    )
    console.paragraph(f"{console.size(total)} on disk: {parts}")
