"""Real files of every kind, good and bad, each with what must become of it.

The table was made by hand from what the files are known to hold, checked with other readers: the
frames that soundfile decodes in small blocks, and scipy's WAV reader where it understands a file.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.io.wavfile
import soundfile

from birdmodes.audio.read import ClipReader, find_recordings, read_span
from birdmodes.errors import AudioError

TABLE = Path(__file__).with_name("awkward_recordings.csv")
with TABLE.open(encoding="utf-8", newline="") as lines:
    ROWS = list(csv.DictReader(lines))
READ = [row for row in ROWS if row["outcome"] == "read"]
REFUSED = [row for row in ROWS if row["outcome"] == "refused"]
# Other readings of the same bytes: a rate of its own in the header, or damaged where it was made.
OTHER_SOUND = {"voc_pcm_u8.voc", "wve_alaw.wve", "caf_alac_32.caf"}


@pytest.fixture(scope="module")
def awkward(shared: Path) -> Path:
    return shared / "recordings" / "awkward"


def recording_of(row: dict[str, str]) -> str:
    return row["recording"]


def test_the_table_has_every_file(awkward: Path) -> None:
    there = {path.relative_to(awkward).as_posix() for path in awkward.rglob("*") if path.is_file()}
    assert there == {row["recording"] for row in ROWS}


@pytest.mark.parametrize("row", READ, ids=recording_of)
def test_what_can_be_read_is_read_to_its_end(awkward: Path, row: dict[str, str]) -> None:
    rate, channels, frames = (int(row[x]) for x in ("sample_rate_hz", "channels", "frames"))
    reader = ClipReader(awkward / row["recording"], 22050, 10.0)
    samples = sum(len(clip) for clip in reader)
    assert (reader.facts.sample_rate_hz, reader.facts.channels) == (rate, channels)
    assert reader.facts.duration_s == pytest.approx(frames / rate)
    assert abs(samples - frames / rate * 22050) <= 1
    if row["says"]:
        assert row["says"] in reader.facts.note
    else:
        assert reader.facts.note == ""


@pytest.mark.parametrize("row", REFUSED, ids=recording_of)
def test_what_cannot_be_read_is_refused_in_one_line(awkward: Path, row: dict[str, str]) -> None:
    path = awkward / row["recording"]
    with pytest.raises(AudioError) as caught:
        list(ClipReader(path, 22050, 10.0))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert row["says"] in message
    assert "\n" not in message


def test_a_folder_of_awkward_files_is_found_but_for_those_that_claim_to_be_no_sound(
    awkward: Path,
) -> None:
    found = {recording.name for recording in find_recordings([awkward])}
    assert found == {
        row["recording"] for row in ROWS if not row["recording"].endswith((".json", ".xml"))
    }


@pytest.mark.filterwarnings("ignore:Chunk .non-data. not understood")
def test_one_second_in_every_encoding_sounds_the_same(awkward: Path) -> None:
    folder = awkward / "formats-soundevent"
    _, expected = scipy.io.wavfile.read(folder / "wav_double.wav")
    compared = 0
    for path in sorted(folder.iterdir()):
        if path.name in OTHER_SOUND:
            continue
        (clip,) = ClipReader(path, 16000, 10.0)
        common = clip[: len(expected)]
        likeness = np.corrcoef(common, expected[: len(common)])[0, 1]
        lossy = path.suffix in {".mp3", ".ogg"}
        assert likeness > (0.7 if lossy else 0.95), path.name
        compared += 1
    assert compared == 110


def test_wav_samples_of_odd_sizes_and_orders_are_those_that_scipy_reads(awkward: Path) -> None:
    compared = 0
    for row in READ:
        path = awkward / row["recording"]
        if path.parent.name != "scipy-wav":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.io.wavfile.WavFileWarning)
            try:
                rate, expected = scipy.io.wavfile.read(path)
            except ValueError:
                continue
        samples, our_rate = read_span(path, 0.0, 1.0, channel=1)
        expected = expected if expected.ndim == 1 else expected[:, 0]
        if expected.dtype == np.uint8:
            expected = (expected - 128.0) / 128
        elif expected.dtype.kind == "i":
            expected = expected / -float(np.iinfo(expected.dtype).min)
        assert our_rate == rate
        np.testing.assert_allclose(samples, expected, atol=1e-6, err_msg=path.name)
        compared += 1
    assert compared == 14


# It reads all recordings there are.
@pytest.mark.slow
def test_every_other_real_recording_is_read_whole(shared: Path) -> None:
    read = 0
    for folder in sorted((shared / "recordings").iterdir()):
        if folder.name == "awkward" or not folder.is_dir():
            continue
        try:
            recordings = find_recordings([folder])
        except AudioError as error:
            assert "no recordings here" in str(error)  # noqa: PT017  some sets are only tables
            continue
        for recording in recordings:
            reader = ClipReader(recording.path, 22050, 10.0)
            seconds = sum(len(clip) for clip in reader) / 22050
            # some recorders have two microphones, whose distance is told
            assert not reader.facts.note or "ms apart" in reader.facts.note, recording.name
            assert seconds == pytest.approx(soundfile.info(recording.path).duration, abs=1e-3)
            read += 1
    assert read >= 250
