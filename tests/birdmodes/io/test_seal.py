"""A checksum over every byte of a file."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from birdmodes.io import seal

FILE = b"data" + seal.UNSEALED[seal.KEY] + b"end"


def test_the_checksum_stands_in_the_place_of_the_zeros_it_was_computed_over() -> None:
    data = seal.sealed(FILE)
    assert data == b"datacrc32:%08xend" % zlib.crc32(FILE)
    assert not seal.is_broken(data)


def test_every_changed_bit_is_found() -> None:
    data = seal.sealed(FILE)
    mark = data.index(b"crc32:")
    for place in range(len(data)):
        for bit in range(8):
            changed = data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
            # Without its mark a file counts as one that was written without a checksum.
            assert seal.is_broken(changed) == (not mark <= place < mark + 6)


def test_a_file_without_a_place_is_not_broken_and_cannot_be_sealed() -> None:
    assert not seal.is_broken(b"data")
    assert not seal.is_broken(b"crc32:123")
    with pytest.raises(ValueError, match="no place for a checksum"):
        seal.sealed(b"data")


@pytest.mark.parametrize("size", [1, 20, 1000])
def test_a_file_gets_the_same_seal_without_being_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(seal, "_BLOCK", 20)
    data = b"data" * size + FILE
    (tmp_path / "file").write_bytes(data)
    seal.seal_file(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == seal.sealed(data)


def test_a_file_without_a_place_cannot_be_sealed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"data")
    with pytest.raises(ValueError, match="file: there is no place for a checksum"):
        seal.seal_file(tmp_path / "file")
