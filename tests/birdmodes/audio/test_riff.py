"""Chunks of sound files, made here byte by byte."""

from __future__ import annotations

import io
import struct

import pytest

from birdmodes.audio.riff import MOST_CHUNKS, UNKNOWN_LENGTH, Chunk, container


def chunks_of(content: bytes) -> list[Chunk]:
    found = container(io.BytesIO(content), len(content))
    assert found is not None
    return list(found)


@pytest.mark.parametrize(
    ("kind", "form", "order"), [(b"RIFF", b"WAVE", "<"), (b"RIFX", b"WAVE", ">")]
)
def test_chunks_of_odd_length_are_padded(kind: bytes, form: bytes, order: str) -> None:
    content = kind + bytes(4) + form
    content += struct.pack(f"{order}4sI", b"note", 3) + b"abc\0"
    content += struct.pack(f"{order}4sI", b"data", 6) + b"sounds"
    assert chunks_of(content) == [Chunk(b"note", 20, 3), Chunk(b"data", 32, 6)]
    found = container(io.BytesIO(content), len(content))
    assert found is not None
    assert (found.form, found.order) == (form, order)
    assert found.sound() == Chunk(b"data", 32, 6)


def test_the_length_of_long_sound_is_in_another_chunk() -> None:
    ds64 = struct.pack("<QQQI", 0, 5 * 2**30, 0, 0)
    content = b"RF64" + b"\xff" * 4 + b"WAVE" + struct.pack("<4sI", b"ds64", len(ds64)) + ds64
    content += struct.pack("<4sI", b"data", 0xFFFFFFFF)
    assert chunks_of(content)[-1] == Chunk(b"data", len(content), 5 * 2**30)


def test_lengths_of_wave64_count_their_headers_and_end_at_eights() -> None:
    content = b"riff".ljust(24, b"\0") + b"wave".ljust(16, b"\0")
    content += b"fmt ".ljust(16, b"\0") + struct.pack("<Q", 24 + 18) + bytes(24)
    content += b"data".ljust(16, b"\0") + struct.pack("<Q", 24 + 4) + b"abcd"
    assert chunks_of(content) == [Chunk(b"fmt ", 64, 18), Chunk(b"data", 112, 4)]


def test_aiff_counts_from_the_big_end() -> None:
    content = b"FORM" + bytes(4) + b"AIFF" + struct.pack(">4sI", b"SSND", 4) + b"abcd"
    found = container(io.BytesIO(content), len(content))
    assert found is not None
    assert found.sound() == Chunk(b"SSND", 20, 4)


def test_damage_ends_the_walk() -> None:
    head = b"RIFF" + bytes(4) + b"WAVE"
    assert chunks_of(head) == []
    assert chunks_of(head + b"data") == []
    far = struct.pack("<4sI", b"junk", 0xFFFFFFF0)
    assert [chunk.name for chunk in chunks_of(head + far)] == [b"junk"]
    # further than any file can be
    farther = struct.pack("<4sIQQQ", b"ds64", 24, 2**62, 2**63, 0) + struct.pack(
        "<4sI", b"data", UNKNOWN_LENGTH
    )
    long = b"RF64" + head[4:] + farther
    assert [chunk.name for chunk in chunks_of(long)] == [b"ds64", b"data"]
    empty = struct.pack("<4sI", b"junk", 0)
    assert len(chunks_of(head + empty * 3 * MOST_CHUNKS)) == MOST_CHUNKS


def test_other_files_have_no_chunks() -> None:
    for content in (b"", b"RIF", b"fLaC" + bytes(60), b".snd" + bytes(60)):
        assert container(io.BytesIO(content), len(content)) is None
