from __future__ import annotations

from collections.abc import Callable

import pytest

from birdmodes.errors import LabelError
from birdmodes.labels import LabelTable

Read = Callable[..., LabelTable]

CORE = "Selection|View|Channel|Begin Time (s)|End Time (s)|Low Freq (Hz)|High Freq (Hz)"
ROW = "1|Spectrogram 1|1|1.5|2.5|1000|2000"


@pytest.mark.parametrize(
    "column", ["Species", "Annotation", "ANNOTATION ", "Common Name", "Label", "labels", "Tag"]
)
def test_the_column_of_the_species_has_many_names(read: Read, column: str) -> None:
    (entry,) = read([f"{CORE}|{column}|Notes", f"{ROW}|WOTH|far"]).entries
    assert entry[1:6] == ("", "WOTH", 1.5, 2.5, None)
    assert (entry.low_hz, entry.high_hz) == (1000.0, 2000.0)


def test_any_column_can_be_named(read: Read) -> None:
    (entry,) = read([f"{CORE}|Who|Species", f"{ROW}|WOTH|?"], label_column="who").entries
    assert entry.species == "WOTH"


def test_without_such_a_column_the_user_is_asked(read: Read) -> None:
    message = r"column names the species is not clear \(found: Selection.*Who\); .*--label-column"
    with pytest.raises(LabelError, match=message):
        read([f"{CORE}|Who", f"{ROW}|WOTH"])


def test_of_two_such_columns_none_is_guessed(read: Read) -> None:
    with pytest.raises(LabelError, match=r"\(Species, Annotation\); .*--label-column"):
        read([f"{CORE}|Annotation|Species", f"{ROW}|song|WOTH"])


def test_a_column_that_is_not_there_is_named(read: Read) -> None:
    with pytest.raises(LabelError, match=r"no column 'Whom' \(--label-column\) \(found: Selec"):
        read([f"{CORE}|Who", f"{ROW}|WOTH"], label_column="Whom")


@pytest.mark.parametrize("name", ["Begin Time", "Begin Time (ms)"])
def test_times_in_another_column_are_not_taken_for_seconds(read: Read, name: str) -> None:
    header = CORE.replace("Begin Time (s)", name)
    with pytest.raises(LabelError, match=r"no column 'Begin Time \(s\)'; its column 'Begin Time"):
        read([f"{header}|Species", f"{ROW}|WOTH"])
    header = CORE.replace("End Time (s)", "Delta Time (s)")
    with pytest.raises(LabelError, match=r"no column 'End Time \(s\)' \(found"):
        read([f"{header}|Species", f"{ROW}|WOTH"])


def test_selections_of_two_views_count_once(read: Read) -> None:
    waveform = ROW.replace("Spectrogram", "Waveform")
    found = read(
        [f"{CORE}|Species|Peak", f"{waveform}|WOTH|", f"{ROW}|WOTH|1;2;3", f"{ROW}|EATO|"]
    ).entries
    assert [(e.line, e.species) for e in found] == [(2, "WOTH"), (4, "EATO")]


def test_a_name_in_one_of_the_views_is_enough(read: Read) -> None:
    found = read([f"{CORE}|Species", f"{ROW.replace('Spec', 'Wave')}|", f"{ROW}|WOTH"]).entries
    assert [e.species for e in found] == ["WOTH"]


def test_ragged_rows_and_trailing_tabs(read: Read) -> None:
    found = read(
        [f"{CORE}|Species|distance|type|", f"{ROW}|WOTH", f"{ROW}|EATO|9|song||", ROW, ""]
    ).entries
    assert [e.species for e in found] == ["WOTH", "EATO"]


def test_text_behind_the_last_column_is_refused(read: Read) -> None:
    with pytest.raises(LabelError, match="line 2: more cells than columns"):
        read([f"{CORE}|Species", f"{ROW}|WOTH|song"])


@pytest.mark.parametrize("offset", ["File Offset (s)", "File Offset"])
def test_the_file_offset_goes_before_the_begin_time(read: Read, offset: str) -> None:
    (entry,) = read(
        [f"{CORE}|Begin File|Begin Path|{offset}|Species", f"{ROW}|b.wav|C:\\sd\\b.wav|0.25|WOTH"]
    ).entries
    assert (entry.recording, entry.start_s, entry.end_s) == ("C:\\sd\\b.wav", 0.25, 1.25)


def test_latin_1_and_quotes_of_spreadsheets(read: Read) -> None:
    text = f'{CORE}|Species\r\n{ROW}|Grasm\xfccke\r\n{ROW}|"Owl, ""Barn"""\r\n'
    found = read(text.replace("|", "\t").encode("latin-1")).entries
    assert [e.species for e in found] == ["Grasm\xfccke", 'Owl, "Barn"']


def test_a_table_saved_as_csv_is_read_too(read: Read) -> None:
    text = f"{CORE}|Species\n{ROW}|WOTH\n".replace("|", ",")
    assert read(text).entries[0].species == "WOTH"
