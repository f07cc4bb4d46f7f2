"""``birdmodes repair`` and ``birdmodes info --verify``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Call = Callable[..., tuple[int, str]]


def test_a_changed_bit_is_found_moved_and_segmented_anew(call: Call, small_workspace: Path) -> None:
    shard = sorted((small_workspace / "syllables").glob("*.parquet"))[3]
    content = bytearray(shard.read_bytes())
    content[-30] ^= 4  # in the description at the end, which pages' checksums do not guard
    shard.write_bytes(content)

    code, said = call("info", "-w", small_workspace, "--verify")
    assert code == 1
    assert f"{shard}: cannot be read (its checksum does not fit); delete it" in said
    assert "birdmodes repair" in said

    code, said = call("repair", "-w", small_workspace)
    assert code == 0
    place = f"syllables/{shard.name}"
    assert said.splitlines() == [
        f"cannot be read, moved to {small_workspace}/damaged/1:",
        f"  {place}",
        "make again: birdmodes segment",
    ]
    assert (small_workspace / "damaged/1" / place).read_bytes() == content


def test_what_has_changed_on_the_disk_alone_is_found(call: Call, small_workspace: Path) -> None:
    """Neither its size nor its time tells of it, and what was read of it before is kept."""
    words = ("cluster", "-w", small_workspace, "--k", 2, "--name", "two", "--stability-runs", 0)
    assert call(*words)[0] == 0
    assert call("info", "-w", small_workspace)[0] == 0
    table = small_workspace / "clusterings" / "two" / "modes.csv"
    status = table.stat()
    table.write_bytes(table.read_bytes()[:-9] + bytes(9))
    os.utime(table, ns=(status.st_atime_ns, status.st_mtime_ns))
    code, said = call("info", "-w", small_workspace, "--verify")
    assert code == 1
    assert f"{table}: damaged (" in said


def test_remembered_labels_that_cannot_be_read_are_moved(call: Call, small_workspace: Path) -> None:
    labels = small_workspace / "labels.json"
    labels.write_text("{")
    code, said = call("repair", "-w", small_workspace)
    assert (code, "  labels.json" in said.splitlines()) == (0, True)
    assert call("info", "-w", small_workspace, "--verify")[0] == 0


def test_order_is_said(call: Call, small_workspace: Path) -> None:
    assert call("repair", "-w", small_workspace) == (0, "all is in order\n")
