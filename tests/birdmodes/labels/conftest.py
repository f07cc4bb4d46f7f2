"""Write label files and read them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from birdmodes.labels import LabelTable, read_label_file

Read = Callable[..., LabelTable]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a label file and read it; lists of cells become lines with tabs."""

    def write_and_read(
        content: str | bytes | list[str], name: str = "x.dat", label_column: str | None = None
    ) -> LabelTable:
        path = tmp_path / name
        if isinstance(content, list):
            content = "".join(line.replace("|", "\t") + "\n" for line in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_label_file(path, label_column=label_column)

    return write_and_read
