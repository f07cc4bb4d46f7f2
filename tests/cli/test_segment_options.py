from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.workspace.store import Workspace

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two recordings of three seconds, one of them with a time in its name."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    for number, name in enumerate(("dawn_20210503_053000.wav", "late.wav")):
        samples = 0.001 * np.random.default_rng(number).standard_normal(3 * 22050)
        soundfile.write(folder / name, samples, 22050)
    return folder


def species(workspace: Path) -> dict[str, list[str]]:
    table = Workspace.open(workspace).recordings()
    return {
        name: list(by_clip) if len(by_clip) else [whole]
        for name, by_clip, whole in zip(
            table["recording"], table["clip_species"], table["species"], strict=True
        )
    }


def test_detections_of_another_program_label_the_clips(
    call: Call, folder: Path, tmp_path: Path
) -> None:
    # two files of one program each: cumulative names, confidences, no times in common
    (tmp_path / "results.csv").write_text(
        "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
        "0.0,1.0,Turdus merula,Common Blackbird,0.9,x/dawn_20210503_053000.wav\n"
        "2.0,3.0,Parus major,Great Tit,0.3,x/dawn_20210503_053000.wav\n"
    )
    (tmp_path / "late.txt").write_text("0.5\t1.5\tGreat Tit\n")
    (tmp_path / "map.csv").write_text("from,to\nGreat Tit,PARMAJ\n")
    base = (
        "segment", folder, "-w", tmp_path / "w", "--workers", 1, "--clip-seconds", 1.5,
        "--labels", tmp_path / "results.csv", "--labels", tmp_path / "late.txt",
    )  # fmt: skip
    code, output = call(*base)
    assert code == 0, output
    assert "2 recordings with labels that have times" in output
    assert species(tmp_path / "w") == {
        "dawn_20210503_053000.wav": ["Common Blackbird", "Great Tit"],
        "late.wav": ["Great Tit", ""],
    }
    code, output = call(*base, "--min-conf", 0.5, "--species-map", tmp_path / "map.csv")
    assert code == 0, output
    assert species(tmp_path / "w") == {
        "dawn_20210503_053000.wav": ["Common Blackbird", ""],
        "late.wav": ["PARMAJ", ""],
    }


def test_the_time_in_a_name_goes_into_the_table(call: Call, folder: Path, tmp_path: Path) -> None:
    assert call("segment", folder, "-w", tmp_path / "w", "--workers", 1)[0] == 0
    table = Workspace.open(tmp_path / "w").recordings()
    assert list(table["recorded_at"]) == [pd.Timestamp("2021-05-03T05:30:00"), pd.NaT]


def test_channels_that_cancel_are_told_and_the_best_one_can_be_taken(
    call: Call, tmp_path: Path
) -> None:
    t = np.arange(2 * 22050) / 22050
    sound = 0.1 * np.sin(2 * np.pi * 3000 * t) * (np.abs(t - 1) < 0.2)
    sound += 0.002 * np.random.default_rng(0).standard_normal(t.size)
    soundfile.write(tmp_path / "a.wav", np.stack([sound, -sound], axis=1), 22050)
    code, output = call("segment", tmp_path / "a.wav", "-w", tmp_path / "w", "--workers", 1)
    assert code == 0
    assert "cancel each other" in output
    assert "--channel auto" in output
    best = ("-w", tmp_path / "v", "--workers", 1, "--channel", "auto")
    assert call("segment", tmp_path / "a.wav", *best)[0] == 0
    table = Workspace.open(tmp_path / "v").recordings()
    assert table["n_syllables"].iloc[0] >= 1
    assert table["note"].iloc[0] == "channel 1 of 2 is used, the best one"


def test_a_channel_is_a_number_or_auto(call: Call, folder: Path, tmp_path: Path) -> None:
    code, output = call("segment", folder, "-w", tmp_path / "w", "--channel", "left")
    assert code == 2
    assert "neither a channel's number" in output


def test_an_upper_limit_that_nothing_reaches_is_told(
    call: Call, folder: Path, tmp_path: Path
) -> None:
    code, output = call("segment", folder, "-w", tmp_path / "w", "--workers", 1, "--fmax", 20000)
    assert code == 0
    assert "nothing above 11025 Hz" in " ".join(output.split())


def test_a_run_may_stop_at_the_first_bad_recording(
    call: Call, folder: Path, tmp_path: Path
) -> None:
    for name in ("a.wav", "b.wav", "c.wav"):
        (folder / name).write_bytes(b"RIFF nonsense")
    command = ("segment", folder, "-w", tmp_path / "w", "--workers", 1)
    code, output = call(*command, "--fail-fast")
    assert code == 1
    assert "1 recording could not be read" in output
    # names in order: a.wav comes first
    assert list(Workspace.open(tmp_path / "w").errors()["recording"]) == ["a.wav"]
    assert Workspace.open(tmp_path / "w").recordings().empty
    code, output = call(*command)
    assert code == 1
    assert len(Workspace.open(tmp_path / "w").errors()) == 3
    assert len(Workspace.open(tmp_path / "w").recordings()) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--min-conf", 1.5), "min-conf"),
        (("--species-map", "no.csv"), "no.csv"),
        (("--labels", "no-such-labels"), "no-such-labels"),
    ],
)
def test_wrong_label_options_are_refused(
    call: Call, folder: Path, tmp_path: Path, options: tuple[object, ...], message: str
) -> None:
    code, output = call("segment", folder, "-w", tmp_path / "w", *options)
    assert code == 2
    assert message in output
    assert not (tmp_path / "w").exists()


def test_a_parameter_is_set_once_and_none_takes_a_limit_away(
    call: Call, folder: Path, tmp_path: Path
) -> None:
    command = ("segment", folder, "-w", tmp_path / "w", "--workers", 1)
    for twice in (
        ("--set", "seed_z=4", "--set", "seed_z=5"),
        ("--set", "high_hz=9000", "--fmax", 8000),
    ):
        code, output = call(*command, *twice)
        assert code == 2, output
        assert "is given twice" in output
    assert not (tmp_path / "w").exists()
    code, output = call(*command, "--set", "high_hz=none")
    assert code == 0, output
    assert Workspace.open(tmp_path / "w").settings.segmentation.high_hz is None
