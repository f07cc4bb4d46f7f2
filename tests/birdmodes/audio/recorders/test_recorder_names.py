"""What file names tell, and what only looks like it."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.audio.recorders.names import NameFacts, name_facts


def told(name: str) -> tuple[str, str]:
    """Time and zone in a name."""
    moment = name_facts(name).moment
    return (moment.local_text, moment.offset_text) if moment else ("", "")


@pytest.mark.parametrize(
    ("name", "local", "offset"),
    [
        ("S4A03895_20190522_053000.wav", "2019-05-22T05:30:00", ""),
        ("SM304290_0+1_20211001_120004.wav", "2021-10-01T12:00:04", ""),
        ("2MM03803_20241116_175200.wav", "2024-11-16T17:52:00", ""),
        ("BBY15-4___20150907_211645.wav", "2015-09-07T21:16:45", ""),
        ("SITE-CH1_0+1_20171121$143444.wav", "2017-11-21T14:34:44", ""),
        ("SITE_20190102_044802_010.wav", "2019-01-02T04:48:02.010", ""),
        ("SITE_20190102_044802_000.wav", "2019-01-02T04:48:02", ""),
        ("PC1_20090513_050000_0010.wav", "2009-05-13T05:00:00", ""),
        ("242A2604603691DD_20250503_031400.WAV", "2025-05-03T03:14:00", ""),
        ("20240903_193130T.WAV", "2024-09-03T19:31:30", ""),
        ("20210502/20210502_040000.WAV", "2021-05-02T04:00:00", ""),
        (r"E:\card 1\20210502\20210502_040000.WAV", "2021-05-02T04:00:00", ""),
        ("AM12_2024-05-12T04-30-00.000Z.wav", "2024-05-12T04:30:00", "+00:00"),
        ("20240512T043000.25Z_x.flac", "2024-05-12T04:30:00.250", "+00:00"),
        ("201905 8T020000+1000_REC.flac", "2019-05-08T02:00:00", "+10:00"),
        ("20191112T 9 5 7-0330_REC.flac", "2019-11-12T09:05:07", "-03:30"),
        ("sg639_MHI_Apr2023_230411-221029.038.wav", "2023-04-11T22:10:29.038", ""),
        ("Robin-80-2023-05-12-birdnet-04:30:00.mp3", "2023-05-12T04:30:00", ""),
        ("2023-05-12-birdnet-RTSP_2-16:05:09.wav", "2023-05-12T16:05:09", ""),
        ("Recording 2021-05-02 at 4.30.15 PM.wav", "2021-05-02T16:30:15", ""),
        ("20210502_1205am.wav", "2021-05-02T00:05:00", ""),
        ("2021-05-02_12-30-00_p.m.wav", "2021-05-02T12:30:00", ""),
        ("20170611_100000+1000.wav", "2017-06-11T10:00:00", "+10:00"),
        ("20161108T075126.5-0430_a.wav", "2016-11-08T07:51:26.500", "-04:30"),
        ("20151212_123456Z.mp3", "2015-12-12T12:34:56", "+00:00"),
        ("Flood_2015-06-02_02.01.02_Z.wav", "2015-06-02T02:01:02", "+00:00"),
        ("2021_09_24_06_52_00.wav", "2021-09-24T06:52:00", ""),
        ("2021-09-24 06;52;00.wav", "2021-09-24T06:52:00", ""),
        ("20070415051314.wav.trimmed.wav", "2007-04-15T05:13:14", ""),
        ("20190522_0530.wav", "2019-05-22T05:30:00", ""),
        ("walk_180801_1630_b.wav", "2018-08-01T16:30:00", ""),
        ("671629352.181204100002.wav", "2018-12-04T10:00:02", ""),
        ("a_2359-01012015_b.wav", "2015-01-01T23:59:00", ""),
        # the end of a day is the beginning of the next, also of the year's last
        ("20180801_240000.wav", "2018-08-02T00:00:00", ""),
        ("20191231_240000.wav", "2020-01-01T00:00:00", ""),
        # 0x5B07C752 = 1527236434 s after 1970
        ("5B07C752.WAV", "2018-05-25T08:20:34", "+00:00"),
        ("58486090.WAV", "2016-12-07T19:18:40", "+00:00"),
        ("00000000.WAV", "1970-01-01T00:00:00", "+00:00"),
    ],
)  # fmt: skip
def test_names_of_recorders_have_a_time(name: str, local: str, offset: str) -> None:
    assert told(name) == (local, offset)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".wav",
        "soundscape.wav",
        "XC663885.wav",
        "XC46092 - European Storm Petrel - Hydrobates pelagicus.mp3",
        "nips4b_birds_trainfile448.wav",
        "FF0B15B4-DC3C-43AA-87DE-FB0AADA822E2_24960891_24963641.ogg",
        "86f5923d-ef1d-4159-b120-a8dec3f6334e.wav",
        "2021-B32-0415_05-3.wav",
        "20110921.wav",  # a day, but no time
        "20111399_120000.wav",  # no such month
        "20110230_120000.wav",  # no such day
        "20110921_256000.wav",  # no such hour
        "20110921_240001.wav",
        "20110921_1234567.wav",  # seven digits are a number
        "120110921_123456.wav",
        "123_20131012_123456-9_456.wav",  # half a zone
        "20131012_123456-2000.wav",  # no such zone
        "20110921_0012.wav",  # rather the twelfth of the day
        "190102_0001.wav",
        "TASCAM_0042.wav",
        "LOCA_2021_09_24_652_4.wav",
        "Flood 6-1-2015_8;01;02_AM.wav",  # June or January?
        "ridge_042315_203600_101222_comment.wav",
        "20190522_053000/clip_03.wav",  # the folder's time is not the file's
        "5AFCD4F45AFCD4F4.WAV",
        "prefix5AFCD4F4prefix.WAV",
        "58486090.wav",  # digits alone are any number, if the recorder did not write .WAV
        "12345678.WAV",  # 1979
        "DEADBEEF.WAV",  # 2088
        "5b07c752.wav",
        "²0210502_040000.wav",
        "２０２１０５０２_040000.wav",
    ],
)
def test_other_numbers_are_no_time(name: str) -> None:
    assert told(name) == ("", "")


@pytest.mark.parametrize(
    ("name", "device", "recorder"),
    [
        ("242A2604603691DD_20250503_031400.WAV", "242A2604603691DD", "AudioMoth"),
        ("242a2604603691dd_20250503_031400t.wav", "242A2604603691DD", "AudioMoth"),
        ("20240903_193130T.WAV", "", "AudioMoth"),
        ("20240903_193130.WAV", "", ""),
        ("5B07C752.WAV", "", "AudioMoth"),
        ("S4A03895_20190522_053000.wav", "S4A03895", "Song Meter SM4"),
        ("S4U09533_20190522_053000.wav", "S4U09533", "Song Meter SM4"),
        ("SM304290_0+1_20211001_120004.wav", "SM304290", "Song Meter SM3"),
        ("2MM03803_20241116_175200.wav", "2MM03803", "Song Meter"),
        ("SMA00556_20230611_000000.wav", "SMA00556", "Song Meter"),
        ("OLONG-CH1_0+1_20171121$143444.wav", "", "Song Meter"),
        ("THOMPSON_20170625_102105.wav", "", ""),
        ("SM304290.wav", "", ""),
    ],
)  # fmt: skip
def test_recorders_are_known_by_their_names(name: str, device: str, recorder: str) -> None:
    facts = name_facts(name)
    assert (facts.device, facts.recorder) == (device, recorder)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("20160823_063006_Dawn _-1.4763 178.8986_.wav", (-1.4763, 178.8986)),
        ("20180226_040000_Bar29 [27.2819 90.1361].wav", (27.2819, 90.1361)),
        ("20180226_040000Z_+40.1213-075.0015+2.79CRSWGS_84.flac", (40.1213, -75.0015)),
        ("PILLIGA_20121204_234600_+13-090.wav", (13, -90)),
        ("20121204_234600_+91.5-090.wav", None),
        ("20121204_234600_[12 34].wav", None),
        ("20131012_123456-09_456.wav", None),
        ("track_1.5 2.5.wav", None),
    ],
)  # fmt: skip
def test_places_are_read_where_they_are_marked(
    name: str, place: tuple[float, float] | None
) -> None:
    assert name_facts(name).place == place


def test_names_of_the_fixture_table(shared: Path) -> None:
    table = shared / "formats/recorders/emu_FileNameParsingFixtures.csv"
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 50
    for row in rows:
        expected = row["ExpectedDateTime"]
        if "T24:" in expected:
            day = datetime.fromisoformat(expected[:10])
            expected = (day + timedelta(days=1)).isoformat()
        assert told(row["Filename"]) == (expected, row["ExpectedTzOffset"]), row["Filename"]
        north, east = row["ExpectedLatitude"], row["ExpectedLongitude"]
        place = (float(north), float(east)) if north else None
        assert name_facts(row["Filename"]).place == place


def test_names_of_the_hja_recordings_have_times_in_their_survey(shared: Path) -> None:
    lines = (shared / "recordings/hja-bags/bag_id2filename.txt").read_text().splitlines()[1:]
    times = [told(line.partition(",")[2])[0] for line in lines]
    assert len(times) == 664
    assert {time[:7] for time in times} == {
        f"{year}-{month}" for year in (2009, 2010) for month in ("05", "06", "07", "08")
    }


PIECES = st.sampled_from(
    ["2021", "20210502", "040000", "_", "T", "Z", "+1000", "-09", "24", "[", "-1.5 2.5", "0+1",
     "5B07C752", ".WAV", ".", "/", "1970", "99", " "]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=10).map("".join)))
def test_no_name_stops_the_reader(name: str) -> None:
    facts = name_facts(name)
    assert isinstance(facts, NameFacts)
    if facts.moment is not None:
        assert datetime.fromisoformat(facts.moment.local_text) == facts.moment.local
    if facts.place is not None:
        assert abs(facts.place[0]) <= 90
        assert abs(facts.place[1]) <= 180


@given(
    st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2099, 12, 31)),
    st.sampled_from(["{}.wav", "SITE_{}.wav", "S4A03895_0+1_{}.flac", "a/b/{}_comment.WAV"]),
    st.sampled_from(["%Y%m%d_%H%M%S", "%Y%m%dT%H%M%S", "%Y-%m-%d_%H-%M-%S", "%Y%m%d$%H%M%S"]),
)
def test_every_time_comes_back(time: datetime, around: str, layout: str) -> None:
    moment = name_facts(around.format(time.strftime(layout))).moment
    assert moment is not None
    assert moment.local == time.replace(microsecond=0)
