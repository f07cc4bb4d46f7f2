from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.audio.read import find_recordings
from birdmodes.errors import BirdmodesError
from birdmodes.export import Choice, ClipOptions, ExportOptions, export_clustering
from birdmodes.export.clips import central, clip_files, faded, fitting_gain_db, stretches

RATE_HZ = 8000


def export(case: Any, output: Path, choice: Choice | None = None, **clips: Any) -> Any:
    options = ExportOptions("clips", choice=choice or Choice(), clips=ClipOptions(**clips))
    return export_clustering(case.workspace, case.clustering, output, options)


def clips_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.wav"))


def test_clips_are_named_after_species_mode_source_and_second(case: Any, tmp_path: Path) -> None:
    export(case, tmp_path / "c", Choice(species=("Robin",)))
    found = clips_below(tmp_path / "c")
    assert found[:2] == [
        "Robin/mode 1/Robin_mode 1_dawn-a_0.50s.wav",
        "Robin/mode 1/Robin_mode 1_dawn-b, 'c'_0.50s.wav",
    ]
    assert found[2].startswith("Robin/mode 1/Robin_mode 1_x-")  # of -x.wav


def test_hostile_names_stay_in_the_folder(case: Any, tmp_path: Path) -> None:
    result = export(case, tmp_path / "out" / "c")
    assert result.syllables == len(clips_below(tmp_path / "out" / "c")) == 7
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["c"]
    hostile = next(name for name in clips_below(tmp_path / "out" / "c") if "HYPER" in name)
    assert hostile.startswith("HYPERLINK(-http-x-y-)-b-")


def test_a_clip_is_the_syllable_with_padding(case: Any, tmp_path: Path) -> None:
    export(case, tmp_path / "c", Choice(species=("Robin",)), padding_s=0.1)
    clip, rate = soundfile.read(
        tmp_path / "c/Robin/mode 1/Robin_mode 1_dawn-a_0.50s.wav", dtype="float32"
    )
    source, _ = soundfile.read(case.recording("dawn/a.wav"), dtype="float32")
    # 0.5 to 0.7 s with 0.1 s on both sides
    expected = source[round(0.4 * RATE_HZ) : round(0.8 * RATE_HZ)]
    assert rate == RATE_HZ
    assert len(clip) == len(expected)
    fade = round(0.02 * RATE_HZ)
    assert np.abs(clip[fade:-fade] - expected[fade:-fade]).max() < 2 / 32768
    assert abs(clip[0]) < 1e-3
    assert abs(clip[-1]) < 1e-3


def test_clips_can_be_flac_and_stop_at_the_edges(case: Any, tmp_path: Path) -> None:
    export(case, tmp_path / "c", Choice(species=("Robin",)), padding_s=9.0, format="flac")
    lengths = [soundfile.info(path).duration for path in (tmp_path / "c").rglob("*.flac")]
    assert sorted(lengths) == [2.0, 3.0, 4.0]


def test_fades_reach_zero_and_leave_the_middle() -> None:
    sound = faded(np.ones(100, dtype=np.float32), 10)
    assert sound[0] == sound[-1] == 0
    assert (sound[10:-10] == 1).all()
    assert np.allclose(sound, sound[::-1])
    assert faded(np.ones(3, dtype=np.float32), 10).tolist() == [0, 1, 0]


def test_loud_and_faint_recordings_fit_into_16_bits_and_others_are_left_alone() -> None:
    tone = np.sin(np.arange(1000) / 5).astype(np.float32)
    for level, expected in ((2.5, 32767 / 32768), (1e-4, 0.25), (1e-7, 0.25)):
        sound = level * tone
        raised = sound * 10 ** (fitting_gain_db(sound) / 20)
        assert np.abs(raised).max() == pytest.approx(expected, rel=1e-3)
    assert fitting_gain_db(0.5 * tone) == 0
    assert fitting_gain_db(np.zeros(10, dtype=np.float32)) == 0
    assert fitting_gain_db(np.zeros(0, dtype=np.float32)) == 0


def test_the_list_says_by_how_much_a_clip_was_changed(case: Any, tmp_path: Path) -> None:
    export(case, tmp_path / "c", Choice(species=("Robin",)))
    assert set(pd.read_csv(tmp_path / "c" / "clips.csv")["gain_db"]) == {0.0}


@pytest.mark.parametrize("name", ["loud.wav", "quiet.wav"])
def test_clips_of_float_recordings_are_neither_clipped_nor_empty(shared: Path, name: str) -> None:
    samples, _ = soundfile.read(shared / "cases" / "F09-float" / name, dtype="float32")
    fitted = samples * 10 ** (fitting_gain_db(samples) / 20)
    assert 0.2 < np.abs(fitted).max() <= 32767 / 32768 + 1e-6


def test_clips_far_apart_are_read_one_by_one() -> None:
    starts = np.array([9.0, 0.0, 30.0, 59.5, 60.0, 300.0])
    parts = list(stretches(starts, starts + 1, slice(1, 6)))
    assert parts == [slice(1, 3), slice(3, 5), slice(5, 6)]


def test_the_most_central_of_each_mode() -> None:
    rows = pd.DataFrame(
        {
            "syllable": list("abcdef"),
            "cluster": [0, 0, 0, 1, 1, 1],
            "centrality": [0.2, 0.9, 0.5, 0.1, 0.7, 0.7],
        }
    )
    assert central(rows, 2)["syllable"].tolist() == ["b", "c", "e", "f"]
    assert central(rows, 1)["syllable"].tolist() == ["b", "e"]
    assert central(rows, None)["syllable"].tolist() == list("abcdef")


def test_names_stay_apart_without_letter_case() -> None:
    rows = pd.DataFrame(
        {
            "species": ["a/b", "a:b", "Owl", "owl", "Owl", "Owl"],
            "kind": "mode",
            "short_name": ["CON", "mode 1", "mode 1", "mode 1", "m", "m"],
            "recording": ["r.wav", "r.wav", "r.wav", "r.wav", "x/r.wav", "x-r.wav"],
            "start_s": 1.0,
            "syllable": list("abcdef"),
        }
    )
    files = clip_files(rows, "wav")
    assert len({file.casefold() for file in files}) == 6
    assert files[0].split("/")[1].startswith("_CON-")


def test_the_list_says_what_each_clip_is(case: Any, tmp_path: Path) -> None:
    export(case, tmp_path / "c", per_mode=1)
    table = pd.read_csv(tmp_path / "c" / "clips.csv")
    assert sorted(table["file"]) == clips_below(tmp_path / "c")
    assert table["syllable"].tolist() == ["./-x.wav#00000", "./-x.wav#00001"]
    assert table["species"].tolist()[0] == "Robin"
    assert table["species"].tolist()[1].startswith("'=HYPERLINK")


def test_recordings_that_are_gone_or_changed_are_reported(
    make_case: Callable[[], Any], tmp_path: Path
) -> None:
    case = make_case()
    case.recording("dawn/a.wav").unlink()
    case.recording("-x.wav").write_bytes(b"changed")
    seen: list[tuple[int, int, str]] = []
    options = ExportOptions("clips")
    result = export_clustering(
        case.workspace,
        case.clustering,
        tmp_path / "c",
        options,
        lambda *step: seen.append(step),
    )
    assert result.syllables == len(clips_below(tmp_path / "c")) == 3
    assert result.warnings == [
        "1 recording changed since they were segmented (-x.wav): no clips of their syllables",
        "1 recording no longer at their place (dawn/a.wav): no clips of their syllables",
    ]
    assert seen[-1] == (4, 4, "dusk/a.wav")


def test_no_recording_at_all_is_an_error(make_case: Callable[[], Any], tmp_path: Path) -> None:
    case = make_case()
    for path in (case.root / "recordings").rglob("*.wav"):
        path.unlink()
    with pytest.raises(BirdmodesError, match="no clips, because no recording can be read"):
        export(case, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_folder_of_clips_is_not_taken_for_recordings(case: Any, tmp_path: Path) -> None:
    export(case, tmp_path / "r" / "c")
    soundfile.write(tmp_path / "r" / "own.wav", np.zeros(100), RATE_HZ)
    assert [found.name for found in find_recordings([tmp_path / "r"])] == ["own.wav"]


@pytest.mark.parametrize("ending", ["wav", "flac"])
def test_a_full_disk_is_one_line_and_leaves_nothing(
    case: Any, tmp_path: Path, no_room: Callable[[], Any], ending: str
) -> None:
    with no_room(), pytest.raises(BirdmodesError, match=r"c: .*\(File too large\); free the place"):
        export(case, tmp_path / "c", format=ending)
    assert not list(tmp_path.iterdir())
