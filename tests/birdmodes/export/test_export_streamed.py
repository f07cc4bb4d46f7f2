"""Exports that are written some recordings at a time are those that are written at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.export import Choice, ExportOptions, export_clustering
from birdmodes.export.streamed import export_streamed
from birdmodes.modes.clustering import read_clustering, write_clustering
from birdmodes.modes.streamed import stream_clustering
from birdmodes.modes.summary import keep_summary

EVERYTHING = Choice(min_confidence=0.0, background=True)
OPTIONS = [
    ExportOptions("csv"),
    ExportOptions("csv", EVERYTHING, mark=True),
    ExportOptions("csv", Choice(species=("robin",), modes=("mode 1",))),
    ExportOptions("r", EVERYTHING),
    ExportOptions("kaleidoscope", EVERYTHING),
    ExportOptions("raven", EVERYTHING, combined=True),
    ExportOptions("parquet", EVERYTHING),
]


@pytest.fixture
def kept(case: Any) -> Any:
    write_clustering(case.workspace, case.clustering)
    keep_summary(case.workspace, read_clustering(case.workspace))
    return case


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.format)
@pytest.mark.parametrize("n_rows", [2, 4, 1000])
def test_parts_make_the_same_file(
    kept: Any, tmp_path: Path, options: ExportOptions, n_rows: int
) -> None:
    whole = export_clustering(
        kept.workspace, read_clustering(kept.workspace), tmp_path / "whole", options
    )
    stream = stream_clustering(kept.workspace, None, n_rows)
    assert stream is not None
    found = export_streamed(kept.workspace, stream, tmp_path / "parts", options)
    assert (found.syllables, found.left_out) == (whole.syllables, whole.left_out)
    if options.format == "parquet":
        tables = [pd.read_parquet(tmp_path / name) for name in ("whole", "parts")]
        pd.testing.assert_frame_equal(*tables)
    else:
        assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()
    assert sorted(path.name for path in tmp_path.glob("*parts*")) == ["parts"]


@pytest.mark.parametrize(
    "choice", [Choice(species=("Wren",)), Choice(modes=("mode 9",)), Choice(min_confidence=1.5)]
)
def test_refusals_are_the_same(kept: Any, tmp_path: Path, choice: Choice) -> None:
    options, said = ExportOptions("csv", choice), []
    stream = stream_clustering(kept.workspace, None, 2)
    assert stream is not None
    for export in (
        lambda: export_clustering(
            kept.workspace, read_clustering(kept.workspace), tmp_path / "x.csv", options
        ),
        lambda: export_streamed(kept.workspace, stream, tmp_path / "x.csv", options),
    ):
        with pytest.raises(BirdmodesError) as error:
            export()
        said.append(str(error.value))
    assert said[0] == said[1]
    assert not list(tmp_path.glob("*x.csv*"))


@pytest.mark.parametrize("part", ["recordings", "syllables", "clusterings"])
def test_what_has_changed_since_is_read_as_a_whole(kept: Any, part: str) -> None:
    assert stream_clustering(kept.workspace, None) is not None
    [file, *_] = sorted((kept.workspace.folder / part).rglob("*.[pc][as][rv]*"))
    os.utime(file, ns=(1, 1))
    assert stream_clustering(kept.workspace, None) is None
