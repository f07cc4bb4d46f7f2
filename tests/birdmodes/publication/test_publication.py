"""Figures of a workspace whose modes are known."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile
from matplotlib.figure import Figure
from matplotlib.transforms import BboxBase
from PIL import Image

from birdmodes.errors import BirdmodesError, BusyError
from birdmodes.export.selection import Choice
from birdmodes.modes.clustering import Clustering, write_clustering
from birdmodes.pictures.scale import Scale
from birdmodes.publication import Style, draw, make_figures, write, write_figures
from birdmodes.publication.draw import draw_species, panel_letter
from birdmodes.publication.material import MaterialMaker, chosen_modes
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

MATHS = r"$\frac{a}$_b^c & <i>%"
N_RECORDINGS = 5
RATE_HZ = 22050


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Five recordings, each with a tone of 2 kHz at 1 s and one of 4 kHz at 2 s."""
    root = tmp_path_factory.mktemp("publication")
    workspace = Workspace.prepare(root / "w", Settings(SegmentationParameters()))
    for number in range(N_RECORDINGS):
        rng = np.random.default_rng(number)
        samples = 0.001 * rng.standard_normal(3 * RATE_HZ)
        time_s = np.arange(round(0.2 * RATE_HZ)) / RATE_HZ
        for start_s, tone_hz in ((1.0, 2000.0), (2.0, 4000.0)):
            first = round(start_s * RATE_HZ)
            samples[first : first + len(time_s)] += 0.2 * np.sin(2 * np.pi * tone_hz * time_s)
        path = root / f"{number}.wav"
        soundfile.write(path, samples, RATE_HZ)
        found = [
            ClipSegment(
                0,
                0.0,
                Segment(
                    start_s,
                    start_s + 0.2,
                    tone_hz - 200,
                    tone_hz + 200,
                    np.zeros(len(FEATURE_NAMES)),
                    np.full((9, 34), 100, dtype=np.uint8),
                    np.ones((9, 34), dtype=bool),
                    False,
                ),
            )
            for start_s, tone_hz in ((1.0, 2000.0), (2.0, 4000.0))
        ]
        row = {
            "recording": path.name, "path": str(path), "size_bytes": path.stat().st_size,
            "mtime_ns": path.stat().st_mtime_ns, "duration_s": 3.0, "sample_rate_hz": RATE_HZ,
            "channels": 1, "labelled": True, "species": MATHS, "n_clips": 1, "bag_unit": "clip",
            "n_syllables": 2, "note": "",
        }  # fmt: skip
        workspace.commit(row, syllables_table(path.name, found, "clip"))
    return workspace


@pytest.fixture(scope="module")
def clustering(workspace: Workspace) -> Clustering:
    table = workspace.syllables(["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"])
    table["cluster"] = [int(name[-1]) for name in table["syllable"]]
    table["species"] = table["cluster"].map({0: MATHS, 1: "Wren"})
    table["mode"] = table["species"] + " mode 1"
    table["confidence"] = 0.9
    table["centrality"] = 1 - table.groupby("cluster").cumcount() / N_RECORDINGS
    table["recorded_at"] = table["review"] = ""
    # Of the two last ones of the first mode, one cannot be it and one has been called good.
    last = table[table["cluster"] == 0].index[-2:]
    table.loc[last[0], "confidence"] = 0.0
    table.loc[last[1], "review"] = "good"
    modes = pd.DataFrame(
        {"cluster": [0, 1], "species": [MATHS, "Wren"], "background": False, "syllables": 5}
    )
    modes["mode"] = modes["species"] + " mode 1"
    parameters = {"birdmodes": "0.1.0", "method": "csp", "k": 2, "seed": 7}
    return Clustering("two", table, modes, {}, parameters)


@pytest.fixture
def make(
    workspace: Workspace, clustering: Clustering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., write.FigureResult]:
    """Write a figure, in a low resolution to save time."""
    monkeypatch.setattr(write, "RESOLUTION_DPI", dict.fromkeys(("pdf", "svg", "png"), 60))

    def run(
        file: str, species: str = "Wren", examples: int = 1, **options: bool
    ) -> write.FigureResult:
        choice = Choice(species=(species,) if species else ())
        style = Style(examples=examples)
        return write_figures(workspace, clustering, tmp_path / file, choice, style, **options)

    return run


def drawn(
    workspace: Workspace, clustering: Clustering, species: str, n: int = 2
) -> tuple[Figure, Scale]:
    (modes,) = chosen_modes(clustering, Choice(species=(species,))).values()
    material = MaterialMaker(workspace, clustering, n).make(species, modes, lambda *_: None)
    return draw_species(material, Style(examples=n)), material.scale


def seconds_at(frame: BboxBase, scale: Scale, seconds: float) -> float:
    """Where a time is in a panel (inches)."""
    return frame.x0 + frame.width * (seconds - scale.start_s) / (scale.end_s - scale.start_s)


def kilohertz_at(frame: BboxBase, scale: Scale, kilohertz: float) -> float:
    """Where a frequency is in a panel (inches)."""
    part = (1000 * kilohertz - scale.low_hz) / (scale.high_hz - scale.low_hz)
    return frame.y0 + frame.height * part


def test_examples_are_good_ones_then_clear_ones(
    workspace: Workspace, clustering: Clustering
) -> None:
    (modes,) = chosen_modes(clustering, Choice(species=(MATHS,))).values()
    material = MaterialMaker(workspace, clustering, 3).make(MATHS, modes, lambda *_: None)
    (mode,) = material.modes
    assert [example.recording for example in mode.examples] == ["4.wav", "0.wav", "1.wav"]
    assert (mode.heading, mode.syllables, mode.recordings) == ("Mode 1", 4, 4)
    # all patches are alike: the mean is its own loudest part
    middle = mode.mean.level[mode.mean.level.shape[0] // 2, mode.mean.level.shape[1] // 2]
    assert middle == 1.0
    example = mode.examples[0]
    row = round((2000 - example.image.first_hz) / example.image.bin_hz)
    column = round((0.1 - example.image.first_s) / example.image.frame_s)
    assert example.image.level[row, column] > example.image.level[row + 20, column] + 20


def test_panels_share_their_axes_and_have_units(
    workspace: Workspace, clustering: Clustering
) -> None:
    figure, scale = drawn(workspace, clustering, "Wren")
    (axes,) = figure.axes
    mean, *examples = [shown for shown in axes.images if shown.get_array().shape != (1, 256)]
    frames = [patch.get_bbox() for patch in axes.patches if patch.get_facecolor()[3]]
    assert len({(round(f.y0, 9), round(f.width, 9), round(f.height, 9)) for f in frames}) == 1
    assert len(examples) == len(frames) - 1 == 2
    # The ticks stand where their numbers say.
    for text in figure.texts:
        if re.fullmatch(r"-?[\d.]+", text.get_text().replace("\u2212", "-")):
            value = float(text.get_text().replace("\u2212", "-"))
            x, y = text.get_position() * figure.get_size_inches()
            if text.get_rotation() == 0 and text.get_ha() == "right":
                assert y == pytest.approx(kilohertz_at(frames[0], scale, value))
            elif y > 0.5:  # above the colour bars
                at = [seconds_at(frame, scale, value) for frame in frames]
                assert min(abs(x - each) for each in at) < 1e-9
    texts = [text.get_text() for text in figure.texts]
    assert {"Frequency (kHz)", "Time from the start of the syllable (s)", "a"} <= set(texts)
    assert "Mode 1: flat whistle, 3.8 kHz · 0.2 s  (n = 5, 5 recordings)" in texts
    assert len({shown.get_cmap().name for shown in (mean, *examples)}) == 1
    assert examples[0].get_clim() == examples[1].get_clim()


def test_names_are_shown_letter_by_letter(workspace: Workspace, clustering: Clustering) -> None:
    figure, _ = drawn(workspace, clustering, MATHS)
    (name,) = [text for text in figure.texts if text.get_text().startswith("$")]
    assert name.get_text() == MATHS
    assert not name.get_parse_math()


def test_every_example_is_marked_where_it_is(workspace: Workspace, clustering: Clustering) -> None:
    figure, scale = drawn(workspace, clustering, "Wren", 1)
    patches = figure.axes[0].patches
    _, frame = [patch.get_bbox() for patch in patches if patch.get_facecolor()[3]]
    (box,) = [patch.get_bbox() for patch in patches if patch.get_linestyle() != "solid"]
    assert [box.x0, box.x1] == pytest.approx([seconds_at(frame, scale, s) for s in (0.0, 0.2)])
    assert [box.y0, box.y1] == pytest.approx([kilohertz_at(frame, scale, f) for f in (3.8, 4.2)])


def test_a_pdf_is_the_same_bytes_and_embeds_its_fonts(
    make: Callable[..., write.FigureResult],
) -> None:
    first, second = make("a.pdf", MATHS), make("b.pdf", MATHS)
    content = first.figure.read_bytes()
    assert content == second.figure.read_bytes()
    assert first.caption.read_bytes() == second.caption.read_bytes()
    assert b"/FontFile2" in content
    assert b"/CIDFontType2" in content
    assert b"/Type3" not in content
    assert b"CreationDate" not in content


def test_a_modes_words_need_no_second_font(workspace: Workspace, clustering: Clustering) -> None:
    (modes,) = chosen_modes(clustering, Choice(species=("Wren",))).values()
    material = MaterialMaker(workspace, clustering, 1).make("Wren", modes, lambda *_: None)
    words = [replace(mode, words="trill, 5.4–7.3 kHz · 0.3 s") for mode in material.modes]
    figure = draw_species(replace(material, modes=words), Style(examples=1))
    shown = " ".join(text.get_text() for text in figure.texts)
    assert "trill, 5.4 to 7.3 kHz · 0.3 s" in shown
    shown.encode("latin-1")  # beyond it, a PDF holds a second subset of the font


def test_an_svg_is_the_same_bytes_and_needs_nothing_else(
    make: Callable[..., write.FigureResult],
) -> None:
    content = make("a.svg", MATHS).figure.read_text(encoding="utf-8")
    assert content == make("a.svg", MATHS).figure.read_text(encoding="utf-8")
    assert "<text" not in content
    assert "data:image/png;base64" in content


def test_png_is_as_wide_as_asked(make: Callable[..., write.FigureResult]) -> None:
    with Image.open(make("a.png").figure) as picture:
        assert picture.width == int(180 / 25.4 * 60)


def test_all_species_are_pages_of_one_pdf(make: Callable[..., write.FigureResult]) -> None:
    result = make("all.pdf", "")
    assert (result.species, result.modes, result.pages) == (2, 2, 2)
    words = result.caption.read_text(encoding="utf-8")
    assert words.count("Vocal modes of") == 2
    with pytest.raises(BirdmodesError, match="only a PDF can show several species"):
        make("all.svg", "")


def test_the_caption_has_method_and_sources(make: Callable[..., write.FigureResult]) -> None:
    words = make("a.png").caption.read_text(encoding="utf-8")
    flowing = " ".join(words.split())
    assert (
        "(a) Mode 1 (flat whistle, 3.8 kHz · 0.2 s): n = 5 syllables from 5 recordings." in flowing
    )
    assert "Hann window of 23.2 ms, step 5.8 ms" in flowing
    assert "(method csp, k = 2, seed 7; clustering 'two')" in flowing
    assert "Pei & Fern" in flowing
    assert "(a) 0.wav, 2.00 to 2.20 s" in words.splitlines()


def test_many_modes_go_over_pages(workspace: Workspace, clustering: Clustering) -> None:
    both = clustering.modes.assign(species="Wren")
    material = MaterialMaker(workspace, clustering, 1).make("Wren", both, lambda *_: None)
    second = draw_species(material, Style(examples=1), first=1, rows=1)
    titles = [text.get_text() for text in second.texts]
    assert "b" in titles
    assert "a" not in titles
    # two panels and two colour bars
    assert len(second.axes[0].images) == 4


def test_what_a_species_is_called_otherwise_stands_below_its_name(
    workspace: Workspace, clustering: Clustering, make: Callable[..., write.FigureResult]
) -> None:
    told = workspace.folder / "taxonomy.json"
    told.write_text(json.dumps({"Wren": ["Troglodytes troglodytes", "Zaunkönig"]}))
    try:
        figure, _ = drawn(workspace, clustering, "Wren", 1)
        caption = make("a.png").caption.read_text(encoding="utf-8")
    finally:
        told.unlink()
    styles = {text.get_text(): text.get_style() for text in figure.texts}
    assert styles["Troglodytes troglodytes"] == "italic"
    assert styles["Zaunkönig"] == "normal"
    assert caption.startswith("Vocal modes of Wren (Troglodytes troglodytes, Zaunkönig). (a)")


def test_a_recording_that_is_gone_is_drawn_from_the_workspace(
    workspace: Workspace,
    clustering: Clustering,
    make: Callable[..., write.FigureResult],
) -> None:
    path = Path(workspace.recordings()["path"][0])
    moved = path.rename(path.with_suffix(".away"))
    try:
        result = make("a.png")
    finally:
        moved.rename(path)
    assert result.unavailable == {"no longer at their place": {"0.wav"}}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice(species=("Wern",)), r"no species 'Wern' \(did you mean 'Wren'"),
        (Choice(species=("wren",), modes=("mode 3",)), r"no mode 'mode 3' \(did you mean 'mode 1'"),
    ],
)
def test_unknown_names_are_errors(clustering: Clustering, choice: Choice, message: str) -> None:
    with pytest.raises(BirdmodesError, match=message):
        chosen_modes(clustering, choice)


def test_modes_are_found_by_their_short_names(clustering: Clustering) -> None:
    assert list(chosen_modes(clustering, Choice(modes=("Mode 1",)))) == [MATHS, "Wren"]
    assert list(chosen_modes(clustering, Choice(modes=("wren MODE 1",)))) == ["Wren"]


def test_only_figures_of_ours_are_replaced(
    make: Callable[..., write.FigureResult], tmp_path: Path
) -> None:
    make("a.png")
    make("a.png")
    (tmp_path / "mine.pdf").write_text("thesis")
    (tmp_path / "other.caption.txt").write_text("words")
    for file in ("mine.pdf", "other.png"):
        with pytest.raises(BirdmodesError, match="is there already and no figure of ours"):
            make(file)
    assert (tmp_path / "mine.pdf").read_text() == "thesis"
    assert not (tmp_path / "other.png").exists()
    make("other.png", overwrite=True)
    with pytest.raises(BirdmodesError, match=r"a figure ends in \.pdf, \.svg, \.png"):
        make("a.doc")


def test_nothing_likely_is_nothing_to_draw(
    workspace: Workspace, clustering: Clustering, tmp_path: Path
) -> None:
    table = clustering.assignments.assign(confidence=0.0, review="")
    unlikely = Clustering("two", table, clustering.modes, {}, {})
    with pytest.raises(BirdmodesError, match="nothing to draw"):
        write_figures(workspace, unlikely, tmp_path / "a.pdf", Choice(), Style())
    assert list(tmp_path.iterdir()) == []


def test_rows_are_lettered_beyond_z() -> None:
    assert [panel_letter(n) for n in (0, 25, 26, 27, 701, 702)] == [
        "a", "z", "aa", "ab", "zz", "aaa",
    ]  # fmt: skip


@pytest.mark.parametrize("end_s", [0.1, 0.3, 0.77, 1.9, 6.2])
def test_time_labels_have_room(end_s: float) -> None:
    scale = Scale(-0.1, end_s, 0.0, 4000.0)
    ticks = draw._with_room(scale.time_ticks())
    assert 2 <= len(ticks) <= 4
    assert any(abs(tick.value) < 1e-9 for tick in ticks)


def test_long_names_are_cut_to_the_width() -> None:
    assert draw._fitting("Robin", 1.0, 7) == "Robin"
    # 0.62 * 7 / 72 in for a letter: 16 of them in an inch
    assert draw._fitting("R" * 40, 1.0, 7) == "R" * 15 + "…"


@pytest.mark.parametrize("ending", write.ENDINGS)
def test_a_name_may_begin_with_a_sign_that_has_no_shape(
    workspace: Workspace, clustering: Clustering, tmp_path: Path, ending: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(write, "RESOLUTION_DPI", dict.fromkeys(("pdf", "svg", "png"), 60))
    name = "\ufeffWren"
    changed = {
        part: getattr(clustering, part).replace({"Wren": name, "Wren mode 1": f"{name} mode 1"})
        for part in ("assignments", "modes")
    }
    output = tmp_path / f"f{ending}"
    result = write_figures(
        workspace,
        replace(clustering, **changed),
        output,
        Choice(species=(name,)),
        Style(examples=1),
    )
    assert result.modes == 1
    assert output.stat().st_size > 1000


@pytest.mark.parametrize("ending", write.ENDINGS)
def test_a_full_disk_is_one_line_that_names_the_figure(
    make: Callable[..., write.FigureResult],
    tmp_path: Path,
    no_room: Callable[[], Any],
    ending: str,
) -> None:
    with (
        no_room(),
        pytest.raises(BirdmodesError, match=rf"f\{ending}: .*\(File too large\); free the place"),
    ):
        make(f"f{ending}")
    assert not list(tmp_path.iterdir())


def test_a_figure_of_before_and_after_is_drawn_again(
    workspace: Workspace, clustering: Clustering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(workspace.folder, tmp_path / "w")
    own = Workspace.open(tmp_path / "w")
    modes = clustering.modes.assign(recordings=5, confidence=0.9, consistency=1.0, p_value=0.01)
    whole = replace(clustering, modes=modes)
    write_clustering(own, whole)
    drawn: list[bool] = []

    def draw_and_change(*_: object) -> int:
        drawn.append((tmp_path / "x.pdf").exists())
        if len(drawn) <= changes:
            write_clustering(own, whole)
        return len(drawn)

    monkeypatch.setattr(write, "_draw", draw_and_change)
    changes = 1
    made = make_figures(own, "Wren", output=tmp_path / "x.pdf")
    assert (made.pages, drawn) == (2, [False, False])
    changes = 100
    with pytest.raises(BusyError, match="do this again"):
        make_figures(own, "Wren", output=tmp_path / "x.pdf", overwrite=True)
