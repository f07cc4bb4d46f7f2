"""Every table that a version of BirdNET has written, with what goes wrong in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from birdmodes.errors import LabelError
from birdmodes.labels import LabelTable
from birdmodes.labels.formats.birdnet import common_name

Read = Callable[..., LabelTable]

CSV_HEADERS = {
    "Lite 2021": "Start (s);End (s);Scientific name;Common name;Confidence",
    "2022-02": "Start (s),End (s),Scientific name,;Common name,Confidence",
    "to v1.2": "Start (s),End (s),Scientific name,Common name,Confidence",
    "v1.3": "Start (s),End (s),Scientific name,Common name,Confidence,File",
    "v2.1": "Start (s),End (s),Scientific name,Common name,Confidence,File,lat,lon,week,overlap,"
    "sensitivity,min_conf,species_list,model",
}
R_HEADER = (
    "filepath,start,end,scientific_name,common_name,confidence,lat,lon,week,overlap,sensitivity,"
    "min_conf,species_list,model"
)
KALEIDOSCOPE_HEADERS = {
    "2023-03": "INDIR,FOLDER,IN FILE,OFFSET,DURATION,scientific_name,common_name,confidence,lat,"
    "lon,week,overlap,sensitivity",
    "2025-12": "INDIR,FOLDER,IN FILE,OFFSET,DURATION,TOP1MATCH,TOP1DIST",
    "HEAD": "OFFSET,confidence,INDIR,FOLDER,IN FILE,DURATION,TOP1MATCH",
}
_V1 = "Begin Time (s)|End Time (s)|Low Freq (Hz)|High Freq (Hz)|Species Code|Common Name|Confidence"
RAVEN_HEADERS = {
    "V1 2020": f"Selection|View|Channel|Begin File|{_V1}",
    "2022-02": f"Selection|View|Channel|{_V1}",
    "2023-10": f"Selection|View|Channel|{_V1}|Begin.File",
    "v1.0.2": f"Selection|View|Channel|Begin Path|File Duration (s)|{_V1}",
    "v1.1": "Selection|View|Channel|Begin Time (s)|End Time (s)|Low Freq (Hz)|High Freq (Hz)|"
    "Common Name|Species Code|Confidence|Begin Path|File Offset (s)",
    "HEAD": "Selection|Begin Time (s)|End Time (s)|Common Name|Scientific Name|Species Code|"
    "Confidence|View|Channel|File Offset (s)|Low Freq (Hz)|High Freq (Hz)|Begin Path",
    "Live": "Selection|View|Channel|Begin File|Begin Time (s)|End Time (s)|Low Freq (Hz)|"
    "High Freq (Hz)|Common Name|Scientific Name|Confidence|Survey Time (UTC)|Confirmed|"
    "Confirmed At (UTC)",
}

# What a detection has in each column: the same one in every format.
CELLS = {
    "start (s)": "3.0", "end (s)": "6.0", "start": "3.0", "end": "6.0", "offset": "3.0",
    "duration": "3.0", "begin time (s)": "3.0", "end time (s)": "6.0", "file offset (s)": "3.0",
    "scientific name": "Turdus merula", "scientific_name": "Turdus merula",
    "common name": "Eurasian Blackbird", "common_name": "Eurasian Blackbird",
    "top1match": "Eurasian Blackbird", "species code": "eurbla", "confidence": "0.75",
    "top1dist": "0.25", "file": "D:/sd\\a.wav", "filepath": "D:/sd\\a.wav", "indir": "D:/sd",
    "folder": "", "in file": "a.wav", "begin path": "D:/sd\\a.wav", "begin file": "a.wav",
    "begin.file": "a.wav", "selection": "1", "view": "Spectrogram 1", "channel": "1",
}  # fmt: skip


def table(header: str, *changes: dict[str, str]) -> str:
    """A table of one row for each dictionary of cells that are other than in `CELLS`."""
    delimiter = "|" if "|" in header else ";" if header.count(";") > 1 else ","
    columns = [name.strip(" ;").lower() for name in header.split(delimiter)]
    rows = [
        delimiter.join({"confirmed": "", **CELLS, **row}.get(name, "7") for name in columns)
        for row in changes
    ]
    return "\n".join([header, *rows, ""]).replace("|", "\t")


ALL = [
    *((f"csv {version}", header) for version, header in CSV_HEADERS.items()),
    ("r", R_HEADER),
    *((f"kaleidoscope {version}", header) for version, header in KALEIDOSCOPE_HEADERS.items()),
    *((f"raven {version}", header) for version, header in RAVEN_HEADERS.items()),
]


@pytest.mark.parametrize("header", [header for _, header in ALL], ids=[name for name, _ in ALL])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "crlf", "no final newline"])
def test_the_tables_of_every_version_say_the_same(read: Read, header: str, encoding: str) -> None:
    text = table(header, {})
    if encoding == "crlf":
        text = text.replace("\n", "\r\n")
    elif encoding == "no final newline":
        text = text.rstrip("\n")
    found = read(text.encode(encoding if encoding.startswith("utf") else "utf-8"))
    (entry,) = found.entries
    assert (entry.species, entry.start_s, entry.end_s) == ("Eurasian Blackbird", 3.0, 6.0)
    lacks_confidence = "TOP1DIST" in header
    assert entry.confidence == (None if lacks_confidence else 0.75)
    if any(word in header for word in (",File", "Begin File", "Begin.File", "ath", "IN FILE")):
        assert entry.recording.replace("\\", "/") in ("D:/sd/a.wav", "a.wav")
    else:
        assert entry.recording == ""


@pytest.mark.parametrize("header", [header for _, header in ALL], ids=[name for name, _ in ALL])
def test_a_table_without_rows_is_read(read: Read, header: str) -> None:
    assert read(table(header)).entries == []


@pytest.mark.parametrize("header", RAVEN_HEADERS.values(), ids=RAVEN_HEADERS.keys())
def test_nocall_says_that_nothing_was_found(read: Read, header: str) -> None:
    nothing = {"common name": "nocall", "species code": "nocall", "confidence": "1.0"}
    (entry,) = read(table(header, nothing)).entries
    assert (entry.species, entry.start_s) == ("", None)


def test_combined_tables_count_on_so_that_the_file_offset_is_the_time(read: Read) -> None:
    rows = [
        {"begin time (s)": "3.0", "end time (s)": "6.0", "file offset (s)": "3.0"},
        {"begin time (s)": "66.0", "end time (s)": "69.0", "file offset (s)": "6.0",
         "begin path": "D:/sd\\b.wav"},
    ]  # fmt: skip
    for version in ("v1.1", "HEAD"):
        found = read(table(RAVEN_HEADERS[version], *rows)).entries
        assert [(e.recording, e.start_s, e.end_s) for e in found] == [
            ("D:/sd\\a.wav", 3.0, 6.0),
            ("D:/sd\\b.wav", 6.0, 9.0),
        ]


def test_combined_tables_without_file_offset_are_refused(read: Read) -> None:
    rows = [{}, {"begin time (s)": "66.0", "end time (s)": "69.0", "begin path": "b.wav"}]
    with pytest.raises(LabelError, match=r"2 recordings and no column 'File Offset \(s\)'"):
        read(table(RAVEN_HEADERS["v1.0.2"], *rows))


def test_times_that_overlap_between_recordings_do_not_count_on(read: Read) -> None:
    early, late = {}, {"begin time (s)": "60.0", "end time (s)": "63.0"}
    rows = [early, late, {**early, "begin path": "b.wav"}, {**late, "begin path": "b.wav"}]
    found = read(table(RAVEN_HEADERS["v1.0.2"], *rows)).entries
    assert [e.start_s for e in found] == [3.0, 60.0, 3.0, 60.0]


@pytest.mark.parametrize("version", ["v1.3", "v2.1"])
def test_commas_in_a_path_do_not_shift_the_columns(read: Read, version: str) -> None:
    (entry,) = read(table(CSV_HEADERS[version], {"file": "D:/May, 3rd, dawn/a.wav"})).entries
    assert entry.recording == "D:/May, 3rd, dawn/a.wav"
    assert (entry.start_s, entry.confidence) == (3.0, 0.75)


def test_commas_in_the_path_of_a_table_for_r(read: Read) -> None:
    (entry,) = read(table(R_HEADER, {"filepath": "D:/May, 3rd/a,b.wav"})).entries
    assert entry.recording == "D:/May, 3rd/a,b.wav"
    assert (entry.species, entry.start_s) == ("Eurasian Blackbird", 3.0)


@pytest.mark.parametrize("version", ["2023-03", "HEAD"])
def test_commas_in_the_folder_of_a_table_for_kaleidoscope(read: Read, version: str) -> None:
    header = KALEIDOSCOPE_HEADERS[version]
    (entry,) = read(table(header, {"indir": "D:/May, 3rd", "folder": "s1\\"})).entries
    assert entry.recording.endswith("/a.wav")
    assert (entry.species, entry.start_s, entry.end_s) == ("Eurasian Blackbird", 3.0, 6.0)


def test_more_cells_than_columns_are_refused_where_no_path_explains_them(read: Read) -> None:
    with pytest.raises(LabelError, match="line 2: more cells than columns"):
        read(table(CSV_HEADERS["to v1.2"], {"common name": "Owl, Barn"}))


def test_the_scientific_name_stands_in_for_a_missing_common_name(read: Read) -> None:
    (entry,) = read(table(CSV_HEADERS["v1.3"], {"common name": ""})).entries
    assert entry.species == "Turdus merula"


def test_another_column_may_name_the_species(read: Read) -> None:
    for header in (CSV_HEADERS["v1.3"], RAVEN_HEADERS["HEAD"]):
        (entry,) = read(table(header, {}), label_column="scientific  NAME").entries
        assert entry.species == "Turdus merula"


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("start (s)", "3,5 s", r"'Start \(s\)' is '3,5 s', which is not a number"),
        ("start (s)", "", r"'Start \(s\)' is empty"),
        ("start (s)", "nan", "not a number"),
        ("end (s)", "1e999", "not a number"),
        ("end (s)", "1", r"ends \(1 s\) before it begins \(3 s\)"),
        ("confidence", "75", "not a number from 0 to 1"),
        ("confidence", "high", "not a number"),
    ],
)
def test_cells_that_cannot_be_are_named(read: Read, column: str, cell: str, message: str) -> None:
    header = CSV_HEADERS["Lite 2021"]
    with pytest.raises(LabelError, match=f"x\\.dat, line 3: .*{message}"):
        read(table(header, {}, {column: cell}))


@pytest.mark.parametrize("separator", [", ", "_"])
def test_audacity_labels_hold_both_names(read: Read, separator: str) -> None:
    label = f"Turdus merula{separator}Eurasian Blackbird"
    (entry,) = read(f"3.0\t6.0\t{label}\t0.75\n").entries
    assert entry[2:6] == ("Eurasian Blackbird", 3.0, 6.0, 0.75)


def test_audacity_labels_may_say_nocall(read: Read) -> None:
    (entry,) = read("0.0\t3.0\tnocall\t1.0\n").entries
    assert (entry.species, entry.start_s) == ("", None)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Engine_Engine", "Engine"),
        ("Human vocal_Human vocal", "Human vocal"),
        ("Corvus corone cornix_Hooded Crow", "Hooded Crow"),
        ("song_type_2", "song_type_2"),
        ("rufwar1", "rufwar1"),
        ("Owl, Barn", "Owl, Barn"),
    ],
)
def test_only_a_scientific_name_is_taken_off(label: str, name: str) -> None:
    assert common_name(label) == name


@pytest.mark.parametrize(
    "header",
    [
        "File splitting duration,Segment length,Sample rate\n600,3.0,48000\n",
        "Hidden units,Dropout,Batchsize\n0,0,64\n",
    ],
)
def test_files_of_settings_are_no_labels(read: Read, header: str) -> None:
    with pytest.raises(LabelError, match="holds BirdNET's settings, no labels"):
        read(header, "BirdNET_analysis_params.csv")
