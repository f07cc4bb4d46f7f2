"""Praat, Whombat, BirdNET-Pi, OpenSoundscape, spreadsheets and what pandas writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
import soundfile

from birdmodes.audio.find import RecordingFile, find_recordings
from birdmodes.errors import LabelError
from birdmodes.labels import LabelEntry, LabelTable, fit_labels, read_label_file
from birdmodes.labels.reading import Reading

Read = Callable[..., LabelTable]

LONG_TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2.5
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "birds"
        xmin = 0
        xmax = 2.5
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.5
            text = ""
        intervals [2]:
            xmin = 0.5
            xmax = 1.25
            text = "Owl ""Barn"" 2"
        intervals [3]:
            xmin = 1.25
            xmax = 2.5
            text = "Wren"
    item [2]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 2.5
        points: size = 1
        points [1]:
            number = 2
            mark = "tick"
"""

SHORT_TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

0
2.5
<exists>
2
"IntervalTier"
"birds"
0
2.5
3
0
0.5
""
0.5
1.25
"Owl ""Barn"" 2"
1.25
2.5
"Wren"
"TextTier"
"clicks"
0
2.5
1
2
"tick"
"""

TEXTGRID_BY_TIME = """"Praat chronological TextGrid text file"
0 2.5   ! Time domain.
2   ! Number of tiers.
"IntervalTier" "birds" 0 2.5
"TextTier" "clicks" 0 2.5

! tier "birds" 1:
1 0 0.5
""

! birds:
1 0.5 1.25
"Owl ""Barn"" 2"

! birds:
1 1.25 2.5
"Wren"

! clicks:
2 2
"tick"
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "text", [LONG_TEXTGRID, SHORT_TEXTGRID, TEXTGRID_BY_TIME], ids=["long", "short", "by time"]
)
def test_textgrids_of_all_forms(read: Read, text: str, encoding: str) -> None:
    found = read(text.encode(encoding), "a.TextGrid")
    assert found.format == "Praat TextGrid"
    assert [entry[1:5] for entry in found.entries] == [
        ("", 'Owl "Barn" 2', 0.5, 1.25),
        ("", "Wren", 1.25, 2.5),
        ("", "tick", 2.0, 2.0),
    ]
    assert "Wren" in text.splitlines()[found.entries[1].line - 1]


def test_one_tier_can_be_chosen(read: Read) -> None:
    found = read(SHORT_TEXTGRID, "a.TextGrid", label_column="clicks")
    assert [entry.species for entry in found.entries] == ["tick"]
    with pytest.raises(LabelError, match=r"no tier 'songs' .*found: 'birds', 'clicks'"):
        read(SHORT_TEXTGRID, "a.TextGrid", label_column="songs")


def test_textgrids_without_tiers_and_in_collections(read: Read) -> None:
    head = 'File type = "ooTextFile"\nObject class = "{}"\n\n'
    assert read(head.format("TextGrid") + "0\n2\n<absent>\n", "a.TextGrid").entries == []
    collection = head.format("Collection") + '1\n"TextGrid"\n"a"\n0\n2\n<exists>\n0\n'
    with pytest.raises(LabelError, match="a collection of several objects"):
        read(collection, "a.TextGrid")
    with pytest.raises(LabelError, match="there is no tier 3"):
        read(TEXTGRID_BY_TIME.replace("\n2 2\n", "\n3 2\n"), "a.TextGrid")


def test_a_textgrid_as_a_table(read: Read) -> None:
    found = read(["tmin|tier|text|tmax", "0.5|birds|Wren|1.25"], "a.txt")
    assert [entry[1:5] for entry in found.entries] == [("", "Wren", 0.5, 1.25)]


@pytest.mark.parametrize("lines", [3, 7, 12, 20])
def test_a_textgrid_that_is_cut_off_is_refused(read: Read, lines: int) -> None:
    with pytest.raises(LabelError, match="cut off here; save it again in Praat"):
        read("\n".join(SHORT_TEXTGRID.splitlines()[:lines]) + "\n", "a.TextGrid")


BIRDDB = "Date;Time;Sci_Name;Com_Name;Confidence;Lat;Lon;Cutoff;Week;Sens;Overlap\n"


def silent(folder: Path, *names: str, seconds: float = 15.0) -> list[RecordingFile]:
    for name in names:
        soundfile.write(folder / name, np.zeros(int(seconds * 8000)), 8000)
    return find_recordings([folder])


def test_detections_by_the_clock_find_the_recording_that_ran(tmp_path: Path) -> None:
    here = silent(tmp_path, "2024-05-03-birdnet-04-30-00.wav", "20240503_043020.wav")
    if len(here) != 2:
        pytest.fail("two recordings")
    (tmp_path / "BirdDB.txt").write_text(
        BIRDDB
        + "2024-05-03;04:30:22;Erithacus rubecula;European Robin;0.8;1;2;0.7;18;1;0\n"
        + "2024-05-03;04:30:35;Erithacus rubecula;European Robin;0.8;1;2;0.7;18;1;0\n"
        + "2024-05-03;04:30:29;Turdus merula;Blackbird;0.3;1;2;0.7;18;1;0\n"
    )
    found = fit_labels(here, [tmp_path / "BirdDB.txt"], min_conf=0.5)
    assert found.species["20240503_043020.wav"] == ("European Robin",)
    (label,) = found.timed["20240503_043020.wav"]
    assert (label.start_s, label.end_s) == (2.0, 5.0)
    # 15 s after its begin the recording is over
    assert "line 3: no recording matches '2024-05-03T04:30:35'" in found.warnings[0]


def test_two_recorders_at_one_moment_are_not_guessed_between(tmp_path: Path) -> None:
    for folder in ("s1", "s2"):
        (tmp_path / folder).mkdir()
        silent(tmp_path / folder, "20240503_043020.wav")
    (tmp_path / "BirdDB.txt").write_text(BIRDDB + "2024-05-03;04:30:22;x;Robin;0.8;1;2;0.7;1;1;0\n")
    with pytest.raises(LabelError, match="line 2: 2 recordings ran at 2024-05-03T04:30:22"):
        fit_labels(find_recordings([tmp_path]), [tmp_path / "BirdDB.txt"])
    (tmp_path / "BirdDB.txt").write_text(BIRDDB + "3.5.24;04:30:22;x;Robin;0.8;1;2;0.7;1;1;0\n")
    with pytest.raises(LabelError, match=r"line 2: '3\.5\.24T04:30:22' is not a date and a time"):
        fit_labels(find_recordings([tmp_path]), [tmp_path / "BirdDB.txt"])


def test_detections_of_birdnetlib_as_pandas_writes_them(tmp_path: Path) -> None:
    table = pd.DataFrame(
        [
            {
                "common_name": "House Finch", "scientific_name": "Haemorhous mexicanus",
                "start_time": 9.0, "end_time": 12.0, "confidence": 0.59,
                "label": "Haemorhous mexicanus_House Finch", "file": "d/a.wav",
            }
        ]
    )  # fmt: skip
    table.to_csv(tmp_path / "x.csv")
    found = read_label_file(tmp_path / "x.csv")
    assert found.format == "birdnetlib detections"
    assert found.entries == [
        LabelEntry(2, "d/a.wav", "House Finch", 9.0, 12.0, 0.59, scientific="Haemorhous mexicanus")
    ]


CLIPS = "file,start_time,end_time,Robin,Wren\n"


def test_a_column_for_each_class_says_which_are_there(read: Read) -> None:
    found = read(CLIPS + "a.wav,0,5,1,0\na.wav,5,10,1.0,True\nb.wav,0,5,0,False\n")
    assert found.format == "table with a column for each species"
    assert [entry[1:5] for entry in found.entries] == [
        ("a.wav", "Robin", 0.0, 5.0),
        ("a.wav", "Robin", 5.0, 10.0),
        ("a.wav", "Wren", 5.0, 10.0),
        ("b.wav", "", None, None),
    ]


def test_scores_need_a_limit(read: Read, tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="say with --min-conf from which score"):
        read(CLIPS + "a.wav,0,5,0.7,0.2\n", "s.csv")
    found = read_label_file(tmp_path / "s.csv", Reading(min_conf=0.5))
    assert [entry[2:6] for entry in found.entries] == [("Robin", 0.0, 5.0, 0.7)]
    with pytest.raises(LabelError, match=r"score -2\.5 is not from 0 to 1; .*sigmoid"):
        read_label_file(
            _written(tmp_path / "t.csv", CLIPS + "a.wav,0,5,-2.5,3\n"), Reading(min_conf=0.5)
        )


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_matrix_of_recordings_and_species(read: Read) -> None:
    found = read("filename;Robin;Wren\na.wav;1;0\nb.wav;0;0\n")
    assert found.own
    assert [entry[1:4] for entry in found.entries] == [
        ("a.wav", "Robin", None),
        ("b.wav", "", None),
    ]
    # numbers that are no marks, without times, are measurements
    with pytest.raises(LabelError, match="no column recording"):
        read("filename;duration;level\na.wav;3.5;-20\n")


@pytest.mark.parametrize("column", ["species", "sound.id", "label"])
def test_warbler_tables_name_the_species_where_a_column_says_so(read: Read, column: str) -> None:
    found = read(
        f"sound.files,channel,selec,start,end,bottom.freq,top.freq,{column}\n"
        "a.wav,2,1,0.5,1,2.5,8,Wren\n"
    )
    assert found.entries == [
        LabelEntry(2, "a.wav", "Wren", 0.5, 1.0, None, 2500.0, 8000.0, channel=2)
    ]


def test_channels_of_kaleidoscope_count_from_0(read: Read) -> None:
    found = read("INDIR,FOLDER,IN FILE,CHANNEL,OFFSET,DURATION,MANUAL ID\n,,a.wav,1,1,2,Wren\n")
    assert found.entries[0].channel == 2


def aoef(**changes: Any) -> dict[str, Any]:
    data = {
        "recordings": [{"uuid": "r", "path": "d/a.wav"}],
        "tags": [
            {"id": 0, "key": "species", "value": "Wren"},
            {"id": 1, "key": "quality", "value": "good"},
            {"id": 2, "key": "species", "value": "Robin"},
        ],
        "clips": [{"uuid": "c", "recording": "r", "start_time": 0.0, "end_time": 3.0}],
        "sound_events": [
            {"uuid": "s", "recording": "r",
             "geometry": {"type": "BoundingBox", "coordinates": [0.5, 2000.0, 1.5, 4000.0]}},
            {"uuid": "t", "recording": "r",
             "geometry": {"type": "TimeInterval", "coordinates": [2.0, 2.5]}},
            {"uuid": "u", "recording": "r",
             "geometry": {"type": "Polygon",
                          "coordinates": [[[1.0, 900.0], [1.5, 700.0], [1.25, 1200.0]]]}},
        ],
        "sound_event_annotations": [
            {"uuid": "x", "sound_event": "s", "tags": [1, 0]},
            {"uuid": "y", "sound_event": "t"},
            {"uuid": "z", "sound_event": "u", "tags": [2]},
        ],
        "clip_annotations": [{"uuid": "k", "clip": "c", "sound_events": ["x", "y"]}],
    }  # fmt: skip
    return {"version": "1.1.0", "created_on": "2024", "data": {**data, **changes}}


def test_annotations_of_whombat(read: Read) -> None:
    found = read(json.dumps(aoef(), indent=1), "a.json")
    assert found.format == "AOEF annotations"
    assert found.entries == [
        LabelEntry(1, "d/a.wav", "Wren", 0.5, 1.5, None, 2000.0, 4000.0),
        LabelEntry(2, "d/a.wav", "", 2.0, 2.5),
        LabelEntry(3, "d/a.wav", "Robin", 1.0, 1.5, None, 700.0, 1200.0),
        LabelEntry(4, "d/a.wav", ""),
    ]
    assert [entry.species for entry in read(json.dumps(aoef()), "a.json", "quality").entries][
        :2
    ] == [
        "good",
        "",
    ]
    other = aoef(tags=[{"id": 0, "key": "who", "value": "Wren"}])
    with pytest.raises(LabelError, match=r"which tags name the species .*'who'.*--label-column"):
        read(json.dumps(other), "a.json")
    with pytest.raises(LabelError, match="not AOEF as Whombat writes it"):
        read(json.dumps(aoef(sound_events=[])), "a.json")


FRAME = pd.DataFrame(
    {
        "recording": ["a.wav", "b.wav", "c.wav"],
        "species": [["Wren", "Cooper's Hawk"], [], ["Robin"]],
    }
)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: FRAME.to_parquet(path, index=False),
        lambda path: FRAME.to_json(path, orient="records", lines=True),
        lambda path: FRAME.to_json(path, orient="records"),
        lambda path: FRAME.to_csv(path, index=False),
        lambda path: FRAME.to_csv(path, index=False, sep=";"),
        lambda path: FRAME.to_excel(path, index=False, engine="openpyxl"),
    ],
    ids=["parquet", "jsonl", "json", "csv", "semicolons", "excel"],
)
def test_lists_that_pandas_writes(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / "labels.xlsx"
    write(path)
    found = read_label_file(path)
    assert [(entry.recording, entry.species) for entry in found.entries] == [
        ("a.wav", "Wren"),
        ("a.wav", "Cooper's Hawk"),
        ("b.wav", ""),
        ("c.wav", "Robin"),
    ]


@pytest.mark.parametrize(
    ("title", "header", "species"),
    [
        ("Artenliste 2024", ("Dateiname", "Datum", "Art"), "Mönchsgrasmücke"),
        ("Relevé du 3 mai", ("Fichier", "Date", "Espèce"), "Mésange bleue"),
        ("録音リスト", ("ファイル名", "日付", "種名"), "シジュウカラ"),
    ],
)
def test_spreadsheets_in_the_languages_of_people(
    tmp_path: Path, title: str, header: tuple[str, ...], species: str
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in ((title,), (), header, ("a.wav", "2024-05-03", species), ("b.wav", None, None)):
        sheet.append(row)
    book.create_sheet("Notizen").append(("nichts", "weiter"))
    book.save(tmp_path / "list.xlsx")
    found = read_label_file(tmp_path / "list.xlsx")
    assert [entry[:3] for entry in found.entries] == [(4, "a.wav", species), (5, "b.wav", "")]
    assert "read is the sheet 'Sheet', not 'Notizen'" in found.notes[0]


def test_a_spreadsheet_that_is_none_or_holds_no_labels_is_refused(
    read: Read, tmp_path: Path
) -> None:
    with pytest.raises(LabelError, match=r"x\.dat: not a spreadsheet that can be read"):
        read(b"PK\x03\x04 nonsense")
    with pytest.raises(LabelError, match=r"x\.dat: damaged"):
        read(b"PAR1 nonsense")
    pd.DataFrame({"x": [1]}).to_excel(tmp_path / "n.xlsx", engine="openpyxl")
    with pytest.raises(LabelError, match="no column recording"):
        read_label_file(tmp_path / "n.xlsx")


@pytest.mark.parametrize("on_disk", ["d/a.flac", "d/a.MP3"])
@pytest.mark.parametrize("written", ["d/a.wav", "a.wav", "D:/x/d/a.wav"])
def test_a_recording_is_found_when_only_its_ending_differs(
    tmp_path: Path, on_disk: str, written: str
) -> None:
    here = [RecordingFile(on_disk, tmp_path / on_disk, tmp_path)]
    table = _written(
        tmp_path / "t.csv", f"Start (s),End (s),Common name,Confidence,File\n0,3,Wren,1,{written}\n"
    )
    assert fit_labels(here, [table]).species == {on_disk: ("Wren",)}


def test_an_ending_that_fits_goes_before_another(tmp_path: Path) -> None:
    here = [RecordingFile(name, tmp_path / name, tmp_path) for name in ("a.flac", "a.wav")]
    table = _written(tmp_path / "t.csv", "recording,species\na.wav,Wren\n")
    assert fit_labels(here, [table]).species == {"a.wav": ("Wren",)}
    table = _written(tmp_path / "t.csv", "recording,species\na.mp3,Wren\n")
    with pytest.raises(LabelError, match=r"'a\.mp3' fits 2 recordings"):
        fit_labels(here, [table])
