"""What headers tell; the sound between their blocks is never read."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from birdmodes.audio.recorders import RecorderFacts, recorder_facts

SERIAL = "24E144055E080032"


def chunk(name: bytes, content: bytes, *, order: str = "<", length: int | None = None) -> bytes:
    size = len(content) if length is None else length
    return name + struct.pack(order + "I", size) + content + b"\0" * (len(content) % 2)


def wave(*chunks: bytes, kind: bytes = b"RIFF", order: str = "<") -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return kind + struct.pack(order + "I", len(body)) + body


def info(order: str = "<", **texts: str) -> bytes:
    parts = [
        chunk(name.encode(), text.encode() + b"\0", order=order) for name, text in texts.items()
    ]
    return chunk(b"LIST", b"INFO" + b"".join(parts), order=order)


def wamd(**fields: str) -> bytes:
    numbers = {"model": 1, "serial": 2, "firmware": 3, "time": 5, "place": 6}
    content = struct.pack("<HIH", 0, 2, 1)  # the version comes first
    for name, text in fields.items():
        content += struct.pack("<HI", numbers[name], len(text.encode())) + text.encode()
    return chunk(b"wamd", content)


DATA = chunk(b"data", b"\1\2" * 50)
GUANO = (
    "GUANO|Version: 1.0\nMake: Open Acoustic Devices\nModel: AudioMoth\n"
    f"Serial: {SERIAL}\nTimestamp: 2024-09-03T19:31:30+01:00\nLoc Position: 52.1 -4.5\n"
)


@pytest.fixture
def facts_of(tmp_path: Path):
    """What a file of the given bytes tells; its name tells nothing."""

    def read(content: bytes) -> RecorderFacts:
        path = tmp_path / "recording.wav"
        path.write_bytes(content)
        return recorder_facts("recording.wav", path)

    return read


@pytest.mark.parametrize(
    ("comment", "local", "offset"),
    [
        # 1.0: without a zone, which was UTC
        (f"Recorded at 19:17:30 21/02/2018 by AudioMoth {SERIAL} at gain setting 2 while battery "
         "state was 3.9V", "2018-02-21T19:17:30", "+00:00"),
        # 1.0.1
        (f"Recorded at 04:00:00 02/05/2021 (UTC) by AudioMoth {SERIAL} at gain setting 2 while "
         "battery state was < 3.6V", "2021-05-02T04:00:00", "+00:00"),
        # 1.2: whole hours; 1.4: minutes, words for the gain
        (f"Recorded at 04:00:00 02/05/2021 (UTC-9) by AudioMoth {SERIAL} at gain setting 2 while "
         "battery state was 4.2V", "2021-05-02T04:00:00", "-09:00"),
        (f"Recorded at 04:00:00 02/05/2021 (UTC-2:30) by AudioMoth {SERIAL} at medium-high gain "
         "setting while battery state was greater than 4.9V and temperature was -0.3C.",
         "2021-05-02T04:00:00", "-02:30"),
        (f"Recorded at 04:00:00 02/05/2021 (UTC-0:30) by AudioMoth {SERIAL} using external "
         "microphone at low gain while battery was less than 2.5V",
         "2021-05-02T04:00:00", "-00:30"),
        (f"Recorded at 04:00:00.250 02/05/2021 (UTC+12:45) by AudioMoth {SERIAL} at low gain",
         "2021-05-02T04:00:00.250", "+12:45"),
        (f"Recorded at 24:00:00 31/12/2021 (UTC+1) by AudioMoth {SERIAL} at low gain",
         "2022-01-01T00:00:00", "+01:00"),
    ],
)  # fmt: skip
def test_comments_of_all_audiomoth_firmware(facts_of, comment, local, offset) -> None:
    expected = RecorderFacts(local, offset, SERIAL, "AudioMoth")
    assert facts_of(wave(info(ICMT=comment, IART=f"AudioMoth {SERIAL}"), DATA)) == expected
    assert facts_of(wave(DATA, info(ICMT=comment))) == expected


def test_a_deployment_number_is_not_the_device(facts_of) -> None:
    comment = "Recorded at 04:00:00 02/05/2021 (UTC) during deployment 0123456789ABCDEF at low gain"
    assert facts_of(wave(info(ICMT=comment), DATA)).device == ""
    facts = facts_of(wave(info(ICMT=comment, IART=f"AudioMoth {SERIAL}"), DATA))
    assert (facts.recorded_at, facts.device) == ("2021-05-02T04:00:00", SERIAL)


def test_the_live_app_names_any_microphone(facts_of) -> None:
    comment = "Recorded at 15:11:05.020 23/05/2023 (UTC+1) by "
    artist = "AudioMoth Live"
    facts = facts_of(
        wave(info(ICMT=comment + "384kHz AudioMoth USB Microphone", IART=artist), DATA)
    )
    assert facts == RecorderFacts("2023-05-23T15:11:05.020", "+01:00", "", "AudioMoth")
    facts = facts_of(wave(info(ICMT=comment + "MacBook Microphone", IART=artist), DATA))
    assert facts == RecorderFacts("2023-05-23T15:11:05.020", "+01:00")


@pytest.mark.parametrize(
    "comment",
    [
        "XC46092 // Shetland (60.3539, -1.2689), United Kingdom // 5m // ?h, 2009-07-05 // Song",
        "Recorded at 04:00:00 02/13/2021 (UTC) by AudioMoth",  # no such month
        "Recorded at 04:00:00 02/05/2021 (UTC+25) by AudioMoth",  # no such zone
        "Recorded at the lake",
    ],
)
def test_other_comments_have_no_time(facts_of, comment: str) -> None:
    assert facts_of(wave(info(ICMT=comment, IART="Dougie Preston"), DATA)).recorded_at == ""


def test_the_start_that_opensoundscape_saved_counts_more_than_the_comment_in_it(facts_of) -> None:
    comment = (
        f'opso_metadata{{"comment": "Recorded at 10:00:00 28/05/2024 (UTC) by AudioMoth {SERIAL}'
        ' at medium gain", "recording_start_time": "2024-05-28T10:05:00+00:00"}'
    )
    facts = facts_of(wave(info(ICMT=comment), DATA))
    assert facts == RecorderFacts("2024-05-28T10:05:00", "+00:00", SERIAL, "AudioMoth")


def test_guano_tells_everything(facts_of) -> None:
    expected = RecorderFacts(
        "2024-09-03T19:31:30", "+01:00", SERIAL, "AudioMoth", 52.1, -4.5
    )  # fmt: skip
    assert facts_of(wave(DATA, chunk(b"guan", GUANO.encode()))) == expected
    assert facts_of(wave(chunk(b"guan", GUANO.encode() + b"\0" * 9), DATA)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Timestamp:  2022-08-15 21:34:14+0100", ("2022-08-15T21:34:14", "+01:00")),
        ("Timestamp:2025-05-03T03:14:00Z", ("2025-05-03T03:14:00", "+00:00")),
        ("Timestamp: 2015-12-31T23:59:59.123456", ("2015-12-31T23:59:59.123456", "")),
        ("Timestamp: 2015-12-31", ("", "")),
        ("Timestamp: 2015-12-31T23:59:59+99:00", ("", "")),
        ("Note: Timestamp: 2015-12-31T23:59:59", ("", "")),
    ],
)
def test_timestamps_of_guano(facts_of, text: str, expected: tuple[str, str]) -> None:
    facts = facts_of(wave(DATA, chunk(b"guan", f"GUANO|Version: 1.0\r\n{text}\r\n".encode())))
    assert (facts.recorded_at, facts.utc_offset) == expected


def test_the_chunk_of_wildlife_acoustics(facts_of) -> None:
    place = "WGS84,45.50000,N,122.25000,W,51"
    block = wamd(model="SM4", serial="S4A03895", firmware="2.2.1", time="2019-05-22 05:30:00.500",
                 place=place)  # fmt: skip
    assert facts_of(wave(DATA, block)) == RecorderFacts(
        "2019-05-22T05:30:00.500", "", "S4A03895", "Song Meter SM4", 45.5, -122.25
    )
    assert facts_of(wave(DATA, wamd(time="2014-04-02 22:59:14-05:00"))).utc_offset == "-05:00"


def test_a_place_without_its_hemisphere_is_not_believed(facts_of) -> None:
    facts = facts_of(wave(DATA, wamd(model="Echo Meter Touch", place="WGS84,50.7,1.7,51.2")))
    assert (facts.recorder, facts.latitude, facts.longitude) == ("Echo Meter Touch", None, None)


def test_no_place_is_not_0_0(facts_of) -> None:
    text = GUANO.replace("52.1 -4.5", "0.0 0.0").encode()
    assert facts_of(wave(chunk(b"guan", text), DATA)).latitude is None


def test_broadcast_wave_has_a_time_without_a_zone(facts_of) -> None:
    content = b"text".ljust(320, b"\0") + b"2021-05-0204:05:06" + b"\0" * 264
    facts = facts_of(wave(chunk(b"bext", content), DATA))
    assert facts == RecorderFacts("2021-05-02T04:05:06")


def test_flac_comments(facts_of) -> None:
    texts = [
        b"title=x",
        b"Comment=Recorded at 04:00:00 02/05/2021 (UTC+2) by AudioMoth " + SERIAL.encode(),
    ]
    comment = struct.pack("<I", 3) + b"abc" + struct.pack("<I", len(texts))
    comment += b"".join(struct.pack("<I", len(text)) + text for text in texts)
    stream_info = b"\x00" + (34).to_bytes(3, "big") + b"\0" * 34
    flac = b"fLaC" + stream_info + b"\x84" + len(comment).to_bytes(3, "big") + comment
    expected = RecorderFacts("2021-05-02T04:00:00", "+02:00", SERIAL, "AudioMoth")
    assert facts_of(flac) == expected
    assert facts_of(flac[:60]) == RecorderFacts()


def test_big_endian_and_rf64_files(facts_of) -> None:
    comment = f"Recorded at 04:00:00 02/05/2021 (UTC) by AudioMoth {SERIAL} at low gain"
    expected = RecorderFacts("2021-05-02T04:00:00", "+00:00", SERIAL, "AudioMoth")
    data = chunk(b"data", b"\1\2" * 50, order=">")
    assert facts_of(wave(data, info(">", ICMT=comment), kind=b"RIFX", order=">")) == expected
    sizes = chunk(b"ds64", struct.pack("<QQQI", 1000, 100, 50, 0))
    long_data = chunk(b"data", b"\1\2" * 50, length=0xFFFFFFFF)
    assert facts_of(wave(sizes, long_data, info(ICMT=comment), kind=b"RF64")) == expected


def test_control_characters_do_not_get_into_the_tables(facts_of) -> None:
    text = "Make: \x1b[31mEvil\x07 \u202eInc " + "x" * 500 + "\nSerial:\t a\0b\n"
    facts = facts_of(wave(chunk(b"guan", text.encode()), DATA))
    assert facts.recorder.startswith("[31mEvil Inc xxx")
    assert len(facts.recorder) == 100
    assert facts.device == "a b"


def test_gigabytes_of_sound_are_stepped_over(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    sound = 3_000_000_000
    with path.open("wb") as file:
        file.write(b"RIFF\0\0\0\0WAVEdata" + struct.pack("<I", sound))
        file.seek(sound, 1)
        file.write(chunk(b"guan", GUANO.encode()))
    tracemalloc.start()
    facts = recorder_facts("long.wav", path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert facts.device == SERIAL
    assert peak < 500_000


@pytest.mark.parametrize("name", [b"LIST", b"guan", b"wamd", b"bext", b"data", b"junk"])
def test_sizes_that_lie_are_not_believed(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / "liar.wav"
    with path.open("wb") as file:
        file.write(b"RIFF\xff\xff\xff\xffWAVE" + name + b"\xf0\xff\xff\xff")
        file.truncate(100_000_000)
    tracemalloc.start()
    assert recorder_facts("liar.wav", path).recorded_at == ""
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


def test_a_file_full_of_empty_chunks_ends(facts_of) -> None:
    many = [chunk(b"junk", b"")] * 100_000
    assert facts_of(wave(*many, chunk(b"guan", GUANO.encode()))) == RecorderFacts()


def test_what_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    assert recorder_facts("a.wav", tmp_path / "missing.wav") == RecorderFacts()
    assert recorder_facts("a.wav", tmp_path) == RecorderFacts()
    nothing = tmp_path / "nothing.wav"
    nothing.touch()
    assert recorder_facts("a.wav", nothing) == RecorderFacts()


WHOLE = wave(
    info(ICMT=f"Recorded at 04:00:00 02/05/2021 (UTC) by AudioMoth {SERIAL}", IART="AudioMoth"),
    chunk(b"bext", b"\0" * 320 + b"2021-05-0204:05:06"),
    DATA,
    wamd(model="SM4", time="2019-05-22 05:30:00", place="WGS84,1,N,2,E"),
    chunk(b"guan", GUANO.encode()),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=30),
    st.integers(0, len(WHOLE)),
)
def test_no_damaged_header_stops_the_reader(facts_of, changes, end: int) -> None:
    content = bytearray(WHOLE)
    for at, value in changes:
        content[at] = value
    assert isinstance(facts_of(bytes(content[:end])), RecorderFacts)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([b"RIFF\0\0\0\0WAVE", b"RF64\0\0\0\0WAVE", b"RIFX\0\0\0\0WAVE", b"fLaC", b""]),
    st.sampled_from([b"LIST\xff\0\0\0INFO", b"guan\xff\0\0\0", b"wamd\xff\0\0\0", b"\x04\0\0\xff"]),
    st.binary(max_size=300),
)
def test_no_random_bytes_stop_the_reader(facts_of, start, block, rest: bytes) -> None:
    assert isinstance(facts_of(start + block + rest), RecorderFacts)
