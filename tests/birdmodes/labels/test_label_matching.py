"""Which recording a label file is for, and what several files say together."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from birdmodes.audio.find import RecordingFile
from birdmodes.errors import LabelError
from birdmodes.export.output import NOTE
from birdmodes.labels import FittedLabels, TimedLabel, fit_labels
from birdmodes.labels.matching import recording_names, same_names

BIRDNET = "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
RAVEN = "Selection\tBegin Time (s)\tEnd Time (s)\tSpecies\n"


def recordings(root: Path, *names: str) -> list[RecordingFile]:
    return [RecordingFile(name, root / name, root) for name in names]


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def detection(path: str, species: str = "Wren", confidence: float = 0.5) -> str:
    return f"1,2,Latin {species},{species},{confidence},{path}\n"


def fit(root: Path, files: dict[str, str], *names: str, **options: object) -> FittedLabels:
    """Fit label files in a folder of their own to recordings."""
    write(root / "labels", files)
    found = recordings(root / "audio", *names)
    return fit_labels(found, [root / "labels"], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("file", "recording"),
    [
        ("X.csv", "X"),
        ("X.wav.txt", "X.wav"),
        ("X.BirdNET.results.csv", "X"),
        ("X.BirdNET.results.r.csv", "X"),
        ("X.BirdNET.results.kaleidoscope.csv", "X"),
        ("X.BirdNET.selection.table.txt", "X"),
        ("X.BirdNET.selections.txt", "X"),
        ("X.Table.1.selections.txt", "X"),
        ("X.audacity.txt", "X"),
        ("SM3_0+1_20211001_120004_labels.txt", "SM3_0+1_20211001_120004"),
    ],
)
def test_names_of_label_files_hold_that_of_the_recording(file: str, recording: str) -> None:
    assert recording in list(recording_names(file))


def test_names_of_recordings_are_not_shortened_at_any_dot() -> None:
    assert list(recording_names("night.2.csv")) == ["night.2"]


def test_a_file_without_paths_is_for_the_recording_of_its_name(tmp_path: Path) -> None:
    files = {"b.Table.1.selections.txt": RAVEN + "1\t1\t2\tWren\n", "a.txt": "0\t1\tRobin\n"}
    fitted = fit(tmp_path, files, "a.wav", "sub/b.WAV", "c.wav")
    assert fitted.species == {"a.wav": ("Robin",), "sub/b.WAV": ("Wren",)}
    assert fitted.timed == {
        "a.wav": (TimedLabel(0.0, 1.0, "Robin"),),
        "sub/b.WAV": (TimedLabel(1.0, 2.0, "Wren"),),
    }
    assert fitted.whole == {}
    assert fitted.warnings == []
    assert [path.name for path in fitted.files] == ["a.txt", "b.Table.1.selections.txt"]


def test_an_empty_table_says_that_nothing_was_found(tmp_path: Path) -> None:
    fitted = fit(
        tmp_path, {"a.txt": "", "b.txt": RAVEN, "c.csv": BIRDNET}, "a.wav", "b.wav", "c.wav"
    )
    assert fitted.species == {"a.wav": (), "b.wav": (), "c.wav": ()}
    assert fitted.timed == {"a.wav": (), "b.wav": (), "c.wav": ()}


@pytest.mark.parametrize(
    "written",
    ["C:/Users/x\\site 1\\a.WAV", "/mnt/abc/a.wav", "a.wav", "x\\a", "./site 1/a.wav"],
)
def test_paths_of_another_computer_are_found(tmp_path: Path, written: str) -> None:
    fitted = fit(tmp_path, {"x.csv": BIRDNET + detection(written)}, "site 1/a.wav")
    assert fitted.species == {"site 1/a.wav": ("Wren",)}


def test_the_most_of_a_path_decides(tmp_path: Path) -> None:
    text = BIRDNET + detection("D:/s1/day/a.wav") + detection("D:/s2/day/a.wav", "Robin")
    fitted = fit(tmp_path, {"x.csv": text}, "s1/day/a.wav", "s2/day/a.wav")
    assert fitted.species == {"s1/day/a.wav": ("Wren",), "s2/day/a.wav": ("Robin",)}


def test_recordings_of_one_name_are_not_mixed_up(tmp_path: Path) -> None:
    text = BIRDNET + detection("D:/s1/a.wav") + detection("D:/s2/a.wav", "Robin")
    write(tmp_path, {"x.csv": text})
    here = recordings(tmp_path / "s2", "a.wav")
    fitted = fit_labels(here, [tmp_path / "x.csv"])
    assert fitted.species == {"a.wav": ("Robin",)}
    assert "line 2: no recording matches 'D:/s1/a.wav'" in fitted.warnings[0]
    elsewhere = recordings(tmp_path / "s3", "a.wav")
    with pytest.raises(LabelError, match=r"recording of that name in D:/s1 or in D:/s2"):
        fit_labels(elsewhere, [tmp_path / "x.csv"])


def test_of_a_name_that_is_none_the_beginning_is_told(tmp_path: Path) -> None:
    for rows in ("a.wav,Wren\n", ""):
        text = f"recording,species\n{rows}{'x' * 100_000}.wav,Wren\n"
        try:
            (warning,) = fit(tmp_path, {"x.csv": text}, "a.wav").warnings
        except LabelError as error:
            warning = str(error)
        assert "xxx...'" in warning
        assert len(warning) < 1000


def test_a_file_name_that_fits_two_recordings_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        LabelError, match=r"line 2: '/mnt/a\.wav' fits 2 recordings \(s1/a\.wav, s2"
    ):
        fit(tmp_path, {"x.csv": BIRDNET + detection("/mnt/a.wav")}, "s1/a.wav", "s2/a.wav")


def test_label_files_in_folders_like_those_of_the_recordings(tmp_path: Path) -> None:
    files = {"s1/a.txt": "0\t1\tWren\n", "s2/birdnet/a.txt": "0\t1\tRobin\n"}
    fitted = fit(tmp_path, files, "s1/a.wav", "s2/a.wav")
    assert fitted.species == {"s1/a.wav": ("Wren",), "s2/a.wav": ("Robin",)}


def test_a_label_file_beside_its_recording_is_for_it(tmp_path: Path) -> None:
    write(tmp_path, {"s1/a.txt": "0\t1\tWren\n", "s2/a.txt": "0\t1\tRobin\n"})
    fitted = fit_labels(recordings(tmp_path, "s1/a.wav", "s2/a.wav"), [tmp_path / "s2/a.txt"])
    assert fitted.species == {"s2/a.wav": ("Robin",)}


def test_two_files_of_one_name_for_one_recording_are_a_warning(tmp_path: Path) -> None:
    files = {"s1/a.txt": "0\t1\tWren\n", "s2/a.txt": "0\t1\tRobin\n"}
    fitted = fit(tmp_path, files, "a.wav")
    assert "s2/a.txt: taken for a.wav, as is " in fitted.warnings[0]


def test_accents_may_be_encoded_in_either_way(tmp_path: Path) -> None:
    fitted = fit(tmp_path, {"x.csv": BIRDNET + detection("For\u00eat/a.wav")}, "Fore\u0302t/a.wav")
    assert list(fitted.species) == ["Fore\u0302t/a.wav"]


def test_files_without_labels_in_a_folder_are_left_out(tmp_path: Path) -> None:
    files = {
        "a.txt": "0\t1\tWren\n",
        "BirdNET_analysis_params.csv": "File splitting duration,Segment length\n600,3\n",
        "notes.txt": "dawn, wind from the west\n",
        ".a.txt": "0\t1\tRobin\n",
        "picture.png": "0\t1\tOwl\n",
        "old-workspace/workspace.json": "{}",
        "old-workspace/a.csv": "recording,species\na,Owl\n",
        f"exported/{NOTE}": '{"format": 1}',  # nothing is said of it
    }
    fitted = fit(tmp_path, files, "a.wav")
    assert fitted.species == {"a.wav": ("Wren",)}
    (warning,) = fitted.warnings
    assert "BirdNET_analysis_params.csv: does not hold labels, nor does 1 more file" in warning


def test_a_file_that_is_given_must_hold_labels(tmp_path: Path) -> None:
    write(tmp_path, {"notes.txt": "dawn\n"})
    with pytest.raises(LabelError, match=r"notes\.txt: no column recording"):
        fit_labels(recordings(tmp_path, "a.wav"), [tmp_path / "notes.txt"])
    with pytest.raises(LabelError, match=r"none of 1 files .* holds labels"):
        fit_labels(recordings(tmp_path, "a.wav"), [tmp_path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(LabelError, match="empty: no label files here"):
        fit_labels(recordings(tmp_path, "a.wav"), [tmp_path / "empty"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_in_a_folder_of_labels_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    os.mkfifo(tmp_path / "labels" / "b.txt")
    assert fit(tmp_path, {"a.txt": "0\t1\tWren\n"}, "a.wav").species == {"a.wav": ("Wren",)}


def test_one_bad_label_file_stops_the_run(tmp_path: Path) -> None:
    files = {"a.txt": "0\t1\tWren\n", "b.txt": "0\t1\tWren\n2\tx\tWren\n"}
    with pytest.raises(LabelError, match=r"b\.txt, line 2"):
        fit(tmp_path, files, "a.wav", "b.wav")


def test_label_files_of_other_recordings_are_named(tmp_path: Path) -> None:
    fitted = fit(tmp_path, {"a.txt": "0\t1\tWren\n", "z.txt": "0\t1\tRobin\n"}, "a.wav")
    assert fitted.warnings == [
        f"{tmp_path / 'labels/z.txt'}: no recording matches the name of this file"
    ]
    with pytest.raises(LabelError, match=r"a label file is called 'a\.txt', a recording here is"):
        fit(tmp_path, {}, "b.wav")


def test_unmatched_paths_are_named_once(tmp_path: Path) -> None:
    text = BIRDNET + detection("a.wav") + 3 * detection("z.wav")
    (warning,) = fit(tmp_path, {"x.csv": text}, "a.wav").warnings
    assert "line 3: no recording matches 'z.wav' (nor do 2 more rows like it)" in warning
    text = BIRDNET + detection("a.wav") + 2 * detection("z.wav")
    (warning,) = fit(tmp_path, {"x.csv": text}, "a.wav").warnings
    assert "(nor does 1 more row like it)" in warning


def test_labels_of_several_files_are_put_together(tmp_path: Path) -> None:
    files = {
        "x.csv": BIRDNET + detection("a.wav") + detection("b.wav") + detection("a.wav"),
        "y.csv": "recording,species\na,Owl\nb,\nc,Robin\n",
        "c.txt": "",
    }
    fitted = fit(tmp_path, files, "a.wav", "b.wav", "c.wav", "d.wav")
    assert fitted.species == {"a.wav": ("Owl", "Wren"), "b.wav": ("Wren",), "c.wav": ("Robin",)}
    # nothing is timed in c: that its own species has no times must not be lost in empty clips
    assert fitted.timed == {
        "a.wav": (TimedLabel(1, 2, "Wren"),),
        "b.wav": (TimedLabel(1, 2, "Wren"),),
    }
    assert fitted.whole == {"a.wav": ("Owl",)}
    assert "y.csv, line 3: b.wav is labelled as having no species, but" in fitted.warnings[0]


def test_unsure_detections_are_left_out_but_their_recordings_stay_labelled(tmp_path: Path) -> None:
    text = BIRDNET + detection("a.wav", "Wren", 0.5) + detection("a.wav", "Robin", 0.49)
    files = {"x.csv": text + detection("b.wav", "Owl", 0.1), "c.txt": "0\t1\tOwl\n"}
    fitted = fit(tmp_path, files, "a.wav", "b.wav", "c.wav", min_conf=0.5)
    assert fitted.species == {"a.wav": ("Wren",), "b.wav": (), "c.wav": ("Owl",)}
    assert fitted.timed["b.wav"] == ()


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_confidence_is_from_0_to_1(tmp_path: Path, value: float) -> None:
    with pytest.raises(LabelError, match=r"--min-conf.*must be from 0 to 1"):
        fit_labels(recordings(tmp_path, "a.wav"), min_conf=value)


def test_labels_without_a_name_are_counted(tmp_path: Path) -> None:
    fitted = fit(tmp_path, {"a.txt": "0\t1\tWren\n1\t2\n2\t3\t\n"}, "a.wav")
    assert fitted.species == {"a.wav": ("Wren",)}
    (warning,) = fitted.warnings
    assert warning.endswith("a.txt, line 2: no species in this row and 1 more; left out")


def test_a_species_map_renames_and_leaves_out(tmp_path: Path) -> None:
    write(tmp_path, {"map.csv": "from,to\nWREN,Wren\nHuman,\nDuet,Wren;Robin\nOwl,Owl\n"})
    track = "0\t1\tWREN\n1\t2\tHuman\n2\t3\tDuet\n3\t4\twren\n"
    fitted = fit(tmp_path, {"a.txt": track, "b.txt": "0\t1\tHuman\n"}, "a.wav", "b.wav",
                 species_map=tmp_path / "map.csv")  # fmt: skip
    assert fitted.species == {"a.wav": ("Robin", "Wren", "wren"), "b.wav": ()}
    assert TimedLabel(2.0, 3.0, "Robin") in fitted.timed["a.wav"]
    kept, unused, alike = fitted.warnings
    assert kept.endswith("map.csv: names that are not in it are kept: 'wren'")
    assert unused.endswith("map.csv: names that no label file has: 'Owl'")
    assert alike.startswith("'Wren' and 'wren' are taken for different species")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("old,new\nWREN,Wren\n", "no column from"),
        ("from,to\n,Wren\n", "line 2: no name in the column 'from'"),
        ("from,to\nW,Wren\nW,Owl\n", "line 3: 'W' was mapped otherwise further up"),
    ],
)
def test_a_species_map_must_be_clear(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, {"map.csv": text})
    with pytest.raises(LabelError, match=message):
        fit_labels([], [tmp_path / "map.csv"], species_map=tmp_path / "map.csv")


def test_labels_csv_beside_the_recordings_may_have_any_format(tmp_path: Path) -> None:
    write(tmp_path, {"labels.csv": BIRDNET + detection("D:/sd/a.wav"), "a.txt": "0\t1\tOwl\n"})
    fitted = fit_labels(recordings(tmp_path, "a.wav"))
    assert fitted.timed == {"a.wav": (TimedLabel(1.0, 2.0, "Wren"),)}


def test_names_that_may_mean_one_recording_are_made_one() -> None:
    found = same_names(["s1/a.wav", "a", "a.flac", "D:\\x\\s2\\b.wav", "b.wav", "s3/b.mp3", "c"])
    assert found["a"] == found["a.flac"] == found["s1/a.wav"] == "s1/a.wav"
    # two folders have a b.wav, so that it may be a third
    assert len({found["D:\\x\\s2\\b.wav"], found["b.wav"], found["s3/b.mp3"]}) == 3
    assert found["c"] == "c"
