"""Exports are, byte for byte, what Python itself writes a cell at a time."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from birdmodes.errors import BirdmodesError
from birdmodes.export.checklists import INATURALIST_COLUMNS, write_ebird, write_inaturalist
from birdmodes.export.kaleidoscope import _place
from birdmodes.export.picked.heard import heard_in
from birdmodes.export.picked.kinds import Asked, Choice, Kinds
from birdmodes.export.picked.options import ExportOptions
from birdmodes.export.picked.rows import Recordings, pick
from birdmodes.export.tables import COLUMNS as CSV_COLUMNS
from birdmodes.export.text import one_line, syllable_key, tab_cell, without_nul
from birdmodes.export.written import track_lines, write_text
from birdmodes.io import cells
from birdmodes.io.formula_guard import guarded, guarded_path
from birdmodes.workspace.times_of_day import as_times

Row = dict[str, Any]

TEXT = st.text(
    st.sampled_from("aB9 =+-@'\",;\n\r\t\0/.é＝\u2028日#")
    | st.characters(exclude_categories=["Cs"]),
    max_size=6,
)
NUMBER = (
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 1e-5, 2.5e-7, 1e17, 12345678.9012345, math.nan])
    | st.integers(0, 10**6).map(lambda frame: frame * 256 / 44100)
    | st.floats(-1e9, 1e9)
)
MODES = [("Robin", "Robin mode 1"), ('=x,"', '=x," mode 1'), ("NA", "NA mode 2"), ("", "")]
MODE_ROWS = [
    {"cluster": n, "species": species, "mode": mode, "background": n == 3}
    for n, (species, mode) in enumerate(MODES)
]
ASKED = Asked(Choice(min_confidence=0.0, background=True), None, None)
RECORDED_AT = ["", "2021-10-01T12:00:04", "2024-05-31T23:59:59.999"]
NUMBERS = ("start_s", "end_s", "low_hz", "high_hz", "confidence", "centrality")


@st.composite
def recordings(draw: st.DrawFn) -> list[tuple[Row, list[Row]]]:
    """Recordings in their order, with their syllables."""
    found = []
    for name in sorted(draw(st.lists(TEXT.filter(bool), min_size=1, max_size=3, unique=True))):
        rows = []
        for number in range(draw(st.integers(1, 4))):
            mode = draw(st.integers(0, 3))
            rows.append(
                {
                    "syllable": f"{name}#{number}", "recording": name, "cluster": mode,
                    "species": MODES[mode][0], "mode": MODES[mode][1],
                    "recorded_at": draw(st.sampled_from(["", "2021-10-01T12:00:04.250"])),
                    "review": draw(st.sampled_from(["", "good", "noise", "not-species"])),
                    **{key: draw(NUMBER) for key in NUMBERS},
                    "confidence": draw(st.floats(0, 1)),
                }
            )  # fmt: skip
        about = {
            "recording": name, "path": draw(TEXT) + "/" + name, "channel": draw(st.integers(0, 2)),
            "duration_s": draw(st.sampled_from([2.0, 60.0, 60.1])), "latitude": draw(NUMBER),
            "longitude": draw(NUMBER), "recorded_at": draw(st.sampled_from(RECORDED_AT)),
        }  # fmt: skip
        found.append((about, rows))
    return found


def ordered(rows: list[Row]) -> list[Row]:
    def last(number: float) -> tuple[bool, float]:
        return (number != number, 0.0 if number != number else number)

    return sorted(rows, key=lambda r: (last(r["start_s"]), last(r["low_hz"]), r["syllable"]))


def rounded(number: float, decimals: int) -> float:
    return float(np.round(number, decimals))


def described(about: Row, row: Row) -> Row:
    """What `pick` adds to a row."""
    name = row["mode"] or f"Cluster {row['cluster']}"
    kind = "mode" if row["mode"] else "background"
    here = {key: about[key] for key in ("path", "latitude", "longitude")}
    channel = max(about["channel"], 1)
    return {**row, **here, "channel": channel, "name": name, "kind": kind, "remark": ""}


def expected(how: str, told: list[tuple[int, int, Row]]) -> bytes:
    """Lines of rows, each with its number in its recording, and its recording's."""
    table = [globals()[f"_{how}"](number, place, row) for number, place, row in told]
    if how in ("raven", "audacity"):
        return "".join("\t".join(line) + "\n" for line in table).encode()
    missing = "NA" if how == "r" else ""
    table = [[missing if cell != cell else cell for cell in line] for line in table]
    texts = [cell for line in table for cell in line if isinstance(cell, str)]
    na = how == "csv" and any(row["species"] == "NA" for _, _, row in told)
    every = how == "r" or na or any("\r" in text for text in texts)
    file = io.StringIO()
    quoting = csv.QUOTE_NONNUMERIC if every else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows(table)
    return file.getvalue().encode()


def _csv(number: int, place: int, row: Row) -> list[Any]:
    safe = {
        **row,
        "syllable": syllable_key(row["syllable"]),
        **{key: guarded_path(without_nul(row[key])) for key in ("recording", "path")},
        **{key: guarded(without_nul(row[key])) for key in ("species", "mode", "review")},
        **{key: rounded(row[key], 6) for key in ("start_s", "end_s")},
        **{key: rounded(row[key], 3) for key in ("low_hz", "high_hz")},
    }
    return [safe[name] for name in CSV_COLUMNS]


def _r(number: int, place: int, row: Row) -> list[Any]:
    safe = dict(zip(CSV_COLUMNS, _csv(number, place, row), strict=True))
    safe |= {key: guarded(one_line(row[key])) for key in ("recording", "species", "mode")}
    safe["path"] = guarded_path(one_line(row["path"]))
    khz = [rounded(rounded(row[key], 3) / 1000, 6) for key in ("low_hz", "high_hz")]
    first = [safe["recording"], row["channel"], number, safe["start_s"], safe["end_s"], *khz]
    told = ("recording", "start_s", "end_s", "low_hz", "high_hz")
    return [*first, *(safe[name] for name in CSV_COLUMNS if name not in told)]


def _kaleidoscope(number: int, place: int, row: Row) -> list[Any]:
    species = guarded(one_line(row["species"])) or "NoID"
    manual = {"": "", "noise": "Noise", "not-species": "NoID"}.get(row["review"], species)
    moment, begin = row["recorded_at"], rounded(row["start_s"], 6)
    return [
        *(guarded_path(one_line(part)) for part in _place(row["path"], row["recording"])),
        row["channel"] - 1, begin,
        rounded(rounded(row["end_s"], 6) - begin, 6), rounded(row["low_hz"], 3),
        rounded(row["high_hz"], 3), moment[:10], moment[11:19], moment[11:13], species,
        guarded(one_line(row["name"])), rounded(1 - row["centrality"], 6), manual,
        row["confidence"], syllable_key(row["syllable"]),
    ]  # fmt: skip


def _crowsetta(number: int, place: int, row: Row) -> list[Any]:
    times = [rounded(row[key], 6) for key in ("start_s", "end_s")]
    label = guarded(without_nul(row["name"]))
    return [label, *times, guarded_path(row["path"]), "out, 1", 0, place]


def _raven(number: int, place: int, row: Row) -> list[str]:
    start, end = row["start_s"], row["end_s"]
    return [
        str(row.get("number", number)), "Spectrogram 1", str(row["channel"]),
        f"{start + row.get('before', 0.0):.6f}", f"{end + row.get('before', 0.0):.6f}",
        f"{row['low_hz']:.3f}", f"{row['high_hz']:.3f}",
        tab_cell(PurePosixPath(row["recording"]).name), tab_cell(row["path"]), f"{start:.6f}",
        tab_cell(row["species"]), tab_cell(row["name"]), f"{row['confidence']:.6f}",
        tab_cell(syllable_key(row["syllable"])),
    ]  # fmt: skip


def _audacity(number: int, place: int, row: Row) -> list[str]:
    label = guarded(one_line(row["name"]))
    return [
        f"{row['start_s']:.6f}", f"{row['end_s']:.6f}", f"{label}\n\\",
        f"{row['low_hz']:.3f}", f"{row['high_hz']:.3f}",
    ]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(season=recordings(), together=st.booleans())
def test_every_byte_is_the_one_that_python_writes(
    season: list[tuple[Row, list[Row]]], together: bool, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "out"
    known, batches = _picked(season, together)
    begins_s = np.cumsum([0.0, *(about["duration_s"] for about, _ in season)])
    told = [
        (number, place, {**described(about, row), "before": begins_s[place]})
        for place, (about, rows) in enumerate(season)
        for number, row in enumerate(ordered(rows), start=1)
    ]
    for how in ("raven", "audacity"):
        lines = [track_lines(batch, ExportOptions(how))[1] for batch in batches]
        alone = [(number, place, {**row, "before": 0.0}) for number, place, row in told]
        assert b"".join(cells.content(part)[0] for part in lines) == expected(how, alone)
    for number, (_, _, row) in enumerate(told, start=1):
        row["number"] = number
    parts = [told] if together else [[t for t in told if t[1] == n] for n in range(len(season))]
    for how in ("csv", "r", "kaleidoscope", "crowsetta", "raven"):
        options = ExportOptions(how, combined=how in ("crowsetta", "raven"))
        write_text(path, batches, options, known, "out, 1")
        _, _, written = path.read_bytes().partition(b"\n")
        assert written == b"".join(expected(how, part) for part in parts)


@settings(max_examples=25, deadline=None)
@given(season=recordings(), together=st.booleans())
def test_every_byte_of_a_checklist_is_the_one_that_python_writes(
    season: list[tuple[Row, list[Row]]], together: bool, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "out"
    _, batches = _picked(season, together)
    frame = pd.DataFrame([about for about, _ in season])
    heard = heard_in(batches, frame.assign(recorded_at=as_times(frame["recorded_at"])))
    told = list(_told(season))
    for write, line in ((write_ebird, _ebird), (write_inaturalist, _inaturalist)):
        if not told:
            with pytest.raises(BirdmodesError, match="no date is known"):
                write(path, heard)
            continue
        warnings = write(path, heard)
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows(line(*each) for each in told)
        header = b"" if write is write_ebird else f"{','.join(INATURALIST_COLUMNS)}\n".encode()
        assert path.read_bytes() == header + file.getvalue().encode()
        undated = [
            about for about, rows in season if not about["recorded_at"] and set(_by_species(rows))
        ]
        assert warnings == (
            [f"{len(undated)} recordings have no date and are left out"] if undated else []
        )


def _by_species(rows: list[Row]) -> dict[str, list[Row]]:
    names = sorted({row["species"] for row in rows if row["species"]})
    return {name: [row for row in rows if row["species"] == name] for name in names}


def _told(season: list[tuple[Row, list[Row]]]) -> Iterator[tuple[Row, str, str]]:
    """What is known of a recording, a species in it, and what is said of that."""
    for about, rows in season:
        for species, of_it in _by_species(rows).items():
            best = max(row["confidence"] for row in of_it)
            sounds = "1 sound" if len(of_it) == 1 else f"{len(of_it)} sounds"
            if about["recorded_at"]:
                yield about, species, f"{sounds} found by birdmodes, confidence {best:.2f}"


def _whereabouts(about: Row) -> tuple[str, str, str]:
    folder = str(PurePosixPath(about["recording"]).parent).strip(".")
    place = guarded(one_line(folder or PurePosixPath(about["path"]).parent.name))
    degrees = (about["latitude"], about["longitude"])
    return place, *("" if math.isnan(number) else f"{number:.6f}" for number in degrees)  # type: ignore[return-value]


def _ebird(about: Row, species: str, said: str) -> list[str]:
    year, month, day = about["recorded_at"][:10].split("-")
    cells = [
        guarded(one_line(species)), "", "", "X", said, *_whereabouts(about),
        f"{month}/{day}/{year}", about["recorded_at"][11:16], "", "", "Stationary", "1",
        "2" if about["duration_s"] > 60 else "1", "N", "", "",
        f"recording {one_line(about['recording'])}",
    ]  # fmt: skip
    return [cell.replace('"', "") for cell in cells]


def _inaturalist(about: Row, species: str, said: str) -> list[str]:
    moment = about["recorded_at"][:16].replace("T", " ")
    said = f"{said}; recording {one_line(about['recording'])}"
    return [guarded(one_line(species)), moment, said, *_whereabouts(about), "sound", ""]


def _picked(
    season: list[tuple[Row, list[Row]]], together: bool
) -> tuple[Recordings, list[pa.RecordBatch]]:
    known = Recordings(pa.Table.from_pylist([about for about, _ in season]), None)
    kinds = Kinds(MODE_ROWS, {})
    some = [[row for _, rows in season for row in rows]] if together else [r for _, r in season]
    return known, [pick(pa.Table.from_pylist(r), known, kinds, ASKED).rows for r in some]
