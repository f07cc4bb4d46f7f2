"""Label files of other people; what is in them was counted with awk."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from birdmodes.audio.find import find_recordings
from birdmodes.errors import LabelError
from birdmodes.labels import fit_labels, read_label_file

# file, format, labels, recordings, species, the most frequent one and how often
READ = [
    ("birdnet/birdnet-lite_2021_result_semicolon.csv",
     "BirdNET CSV", 20, 1, 3, "Dark-eyed Junco", 16),
    ("birdnet/birdnet-v1_2020_Soundscape_1.BirdNET.selections.txt",
     "BirdNET Raven table", 38, 1, 17,
     "Northern Cardinal", 9),
    ("birdnet/analyzer-v1.5_soundscape.BirdNET.selection.table.txt", "BirdNET Raven table", 6, 1, 3,
     "House Finch", 3),
    ("birdnet/analyzer-v2_BirdNET_SelectionTable_first40.txt", "BirdNET Raven table", 39, 35, 4,
     "Eurasian Blackcap", 22),
    ("birdnet/analyzer-v2_BirdNET_CombinedTable_first40_crlf.csv", "BirdNET CSV", 39, 29, 12,
     "Pine Siskin", 11),
    ("birdnet/analyzer-v2_csv_windows_paths_first40.csv", "BirdNET CSV", 39, 1, 7,
     "Lesser Spotted Woodpecker", 21),
    ("birdnet/analyzer-v1_rtype-r_decoded_from_NSNSDAcoustics_exampleBirdNET1_first30.csv",
     "BirdNET table for R", 30, 1, 2, "Swainson's Thrush", 27),
    ("birdnet/birdnetprocess_SiteA_20240101_120000.BirdNET.results.csv", "BirdNET CSV", 2, 1, 2,
     "American Robin", 1),
    ("birdnet/birdnetprocess_SiteA_20240101_120000.BirdNET.selection.table.txt",
     "BirdNET Raven table", 2, 1, 2, "American Robin", 1),
    ("raven/crowsetta_Recording_1_Segment_02.Table.1.selections.txt",
     "Raven selection table", 6, 1, 1,
     "EATO", 6),
    ("raven/crowsetta_Recording_1_Segment_07_first40.txt",
     "Raven selection table", 39, 1, 6, "WOTH", 10),
    ("raven/opensoundscape_raven_with_Annotation_col.txt",
     "Raven selection table", 1, 1, 1, "CSWA", 1),
    # one of its ten rows has no species
    ("raven/opensoundscape_MSD-0003_20180427_2minstart00.Table.1.selections.txt",
     "Raven selection table", 9, 1, 3, "WOTH", 4),
    ("raven/opensoundscape_EmptyExample.Table.1.selections.txt",
     "Raven selection table", 0, 1, 0, "", 0),
    ("audacity/crowsetta_aud-seq_405_marron1.audacity.txt",
     "Audacity labels", 61, 1, 20, "SIL", 25),
    ("audacity/crowsetta_aud-bbox_spinetail.txt", "Audacity labels", 18, 1, 2, "SP", 14),
    ("audacity/crowsetta_aud-bbox_cold_forest_daylight_first40.txt",
     "Audacity labels", 20, 1, 3, "1", 7),
    ("kaleidoscope/PyHa_ScreamingPiha_Manual_Labels_first40.csv", "Kaleidoscope table", 39, 4, 1,
     "bird", 39),
    ("crowsetta/generic-seq_bird1_first30.csv", "crowsetta generic-seq", 29, 3, 4, "3", 14),
    ("crowsetta/generic-seq_notmat_first20.csv", "crowsetta generic-seq", 19, 1, 11, "i", 5),
    ("crowsetta/generic-seq_timit_first20.csv", "crowsetta generic-seq", 19, 1, 18, "dcl", 2),
    ("crowsetta/simple-seq_bl26lb16_needs_columns_map.csv", "DAS table", 79, 1, 8, "b", 37),
    ("crowsetta/simple-seq_BBY15-4___20150907_211645_first20.csv", "crowsetta simple-seq", 1, 1, 1,
     "Unknown fm, 7ms, 30/40kHz-10kHz , peak 14kHz, irregular spacing 2-300ms, "
     "?BLE type C social calls", 1),
    ("other/bacpipe_annotations_first15.csv", "bacpipe table", 14, 2, 4, "Common Chaffinch", 10),
]  # fmt: skip

REFUSED = [
    ("birdnet/analyzer-v2_train_Params.csv", "holds BirdNET's settings, no labels"),
    ("birdnet/analyzer_species_list_example.txt", "no column recording .*found: Agelaius"),
    ("raven/Rraven_BatchCorrOutput.txt", "no column recording .*found: Batch Correlation"),
    ("raven/Rraven_juv fem low overlap july 6 annotations.log", "no column rec.*found: fieldkey"),
    *(
        (f"raven/Rraven_LBH {which}.txt", r"names the species is not clear .*--label-column")
        for which in (*(f"{n} selection table example" for n in (1, 2, 3, 4)),
                      "multiple selection table warbleR")
    ),
    ("crowsetta/generic-seq_bad_missing_fields_first5.csv", r"not clear \(found: onset_s, .*--la"),
    ("other/bambird_manual_annotations_semicolon_first15.csv", r"no column rec.*manual_label\)"),
    *(
        (f"mlsp2013_hja/{name}.txt", r"no column recording .*\(found: (bag|class)_id, ")
        for name in ("bag_labels", "bag_id2filename", "histogram_of_segments_first3",
                     "segment_rectangles_first40", "CVfolds_1", "species_list")
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "form", "labels", "recordings", "species", "top", "times"), READ,
    ids=[Path(row[0]).name for row in READ],
)  # fmt: skip
def test_real_files_are_read(
    shared: Path,
    name: str,
    form: str,
    labels: int,
    recordings: int,
    species: int,
    top: str,
    times: int,
) -> None:
    found = read_label_file(shared / "formats" / name)
    named = Counter(entry.species for entry in found.entries if entry.species)
    assert found.format == form
    assert (named.total(), len(named)) == (labels, species)
    assert named[top] == times
    assert named.most_common(1)[0][1] == times if named else labels == 0
    assert len(found.first_lines()) == recordings
    assert all(entry.start_s is not None for entry in found.entries)


ROIS = "other/bambird_rois_semicolon_first15.csv"


def test_a_table_of_files_and_species_among_other_columns(shared: Path) -> None:
    found = read_label_file(shared / "formats" / ROIS)
    assert found.format == "table of recordings and species"
    assert len(found.entries) == 14
    assert found.entries[0][1:3] == ("XC140538.mp3", "Hirundo rustica_Barn Swallow")


@pytest.mark.parametrize(("name", "message"), REFUSED, ids=[Path(row[0]).name for row in REFUSED])
def test_real_files_are_refused(shared: Path, name: str, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        read_label_file(shared / "formats" / name)


def test_every_real_file_has_its_expectation(shared: Path) -> None:
    known = {row[0] for row in (*READ, *REFUSED)} | {ROIS}
    here = {
        path.relative_to(shared / "formats").as_posix()
        for path in (shared / "formats").rglob("*.*")
        if path.parent.name not in ("recorders", "formats")
    }
    assert here == known


def test_the_confidence_of_real_detections(shared: Path) -> None:
    for name, sure in (("SelectionTable_first40.txt", 17), ("csv_windows_paths_first40.csv", 8)):
        (path,) = (shared / "formats/birdnet").glob(f"*{name}")
        found = read_label_file(path).entries
        assert sum((entry.confidence or 0.0) >= 0.5 for entry in found) == sure


def test_the_combined_table_has_times_within_its_short_recordings(shared: Path) -> None:
    path = shared / "formats/birdnet/analyzer-v2_BirdNET_SelectionTable_first40.txt"
    assert {entry.start_s for entry in read_label_file(path).entries} == {0.0}


def test_waveform_and_spectrogram_rows_are_one_selection(shared: Path) -> None:
    path = shared / "formats/raven/Rraven_LBH multiple selection table warbleR.txt"
    entries = read_label_file(path, label_column="Channel").entries
    assert len(entries) == 11
    assert {entry.recording.split("/")[-1] for entry in entries} == {
        f"Phae.long{n}.wav" for n in (1, 2, 3, 4)
    }


def test_a_folder_of_36_selection_tables(shared: Path, tmp_path: Path) -> None:
    tables = shared / "recordings/powdermill/tables-without-audio"
    for n in range(1, 37):
        (tmp_path / f"Recording_1_Segment_{n:02}.wav").touch()
    fitted = fit_labels(find_recordings([tmp_path]), [tables])
    assert len(fitted.timed) == 36
    assert fitted.timed["Recording_1_Segment_01.wav"] == ()
    heard = Counter(label.species for labels in fitted.timed.values() for label in labels)
    assert (heard.total(), heard["EATO"], heard["WOTH"]) == (6125, 1809, 832)
    assert fitted.warnings == []


def test_labels_beside_real_recordings(shared: Path, tmp_path: Path) -> None:
    spinetail = fit_labels(
        find_recordings([shared / "recordings/maad-spinetail"]),
        [shared / "recordings/maad-spinetail"],
    )
    assert len(spinetail.timed["spinetail.wav"]) == 18
    survey = shared / "recordings/monitor-survey"
    shutil.copy(survey / "survey_anno.csv", tmp_path / "survey.csv")
    monitor = fit_labels(find_recordings([survey]), [tmp_path / "survey.csv"])
    assert monitor.species == {"survey.wav": ("BTNW", "OVEN")}
    assert len(monitor.timed["survey.wav"]) == 7


def test_boxes_and_labels_of_all_real_recordings(shared: Path) -> None:
    root = shared / "recordings"
    nips = find_recordings([root / "nips4b"])
    labels = fit_labels(nips, [root / "labels.csv"])
    assert sum(name.startswith("wav/") for name in labels.species) == 111
    assert labels.timed == {}
    boxes = fit_labels(nips, [root / "boxes.csv"])
    # 1,288 tags, of which some have the same species and times
    assert 1250 < sum(map(len, boxes.timed.values())) <= 1288
