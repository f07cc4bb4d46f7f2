"""A gallery that is made from what there is now is not made again; any other is."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from birdmodes.errors import BirdmodesError, BusyError
from birdmodes.gallery import GalleryResult, build, build_gallery, make, making
from birdmodes.gallery.folder import new_gallery_folder
from birdmodes.modes.clustering import write_clustering
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.description import write_description
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Folders of galleries that are made, not only looked at."""
    folders: list[Path] = []
    make = making.write_gallery

    def noted(workspace: Any, clustering: Any, output: Path, **options: Any) -> Any:
        folders.append(output)
        return make(workspace, clustering, output, **options)

    monkeypatch.setattr(making, "write_gallery", noted)
    return folders


@pytest.fixture(scope="module")
def kept(new_case: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A workspace and its gallery, in its folder and once more for when they are changed."""
    case = new_case(tmp_path_factory.mktemp("unchanged") / "now")
    build_gallery(case.workspace, case.clustering, case.root / "gallery")
    shutil.copytree(case.root, case.root.with_name("kept"))
    return case


@pytest.fixture
def own(kept: Any, made: list[Path]) -> tuple[Any, Path]:
    """A workspace that may be changed, and its gallery: always in one place, which it names."""
    shutil.rmtree(kept.root)
    shutil.copytree(kept.root.with_name("kept"), kept.root)
    return kept, kept.root / "gallery"


def test_nothing_is_made_of_the_same_things(own: Any, made: list[Path]) -> None:
    case, output = own
    left = output.with_name(f".unfinished-{output.name}.lock")
    left.touch()  # as by a program that was killed when all was done
    build_gallery(case.workspace, case.clustering, output)
    assert made == []
    assert not left.exists()


def test_warnings_are_told_again(
    make_case: Callable[[], Any], tmp_path: Path, made: list[Path]
) -> None:
    case = make_case()
    case.recording(1).unlink()
    first, second = (
        build_gallery(case.workspace, case.clustering, tmp_path / "gallery") for _ in range(2)
    )
    assert len(made) == 1
    assert len(first.warnings) == 1
    assert second.warnings == first.warnings


def damage_page(case: Any, output: Path) -> Any:
    with (output / "index.html").open("a") as page:
        page.write("<!-- -->")


def lose_picture(case: Any, output: Path) -> Any:
    next((output / "pictures").iterdir()).unlink()


def touch_recording(case: Any, output: Path) -> Any:
    os.utime(case.recording(0), ns=(1, 1))


def ask_for_fewer(case: Any, output: Path) -> Any:
    return {"examples": 2}


def rename_mode(case: Any, output: Path) -> Any:
    modes = case.clustering.modes.copy()
    modes.loc[0, "mode"] = modes.loc[0, "species"] + " song"
    return {"clustering": dataclasses.replace(case.clustering, modes=modes)}


def move_syllable(case: Any, output: Path) -> Any:
    table = case.clustering.assignments.copy()
    table.loc[0, "confidence"] = 0.5
    return {"clustering": dataclasses.replace(case.clustering, assignments=table)}


def change_syllables(case: Any, output: Path) -> Any:
    (shard,) = list((case.workspace.folder / "syllables").glob("*.parquet"))[:1]
    os.utime(shard, ns=(1, 1))


def forget(case: Any, output: Path) -> Any:
    for kept in (case.workspace.folder / "gathered").glob("gallery-*.json"):
        kept.write_text("{")


@pytest.mark.parametrize(
    "change",
    [
        damage_page, lose_picture, touch_recording, ask_for_fewer, rename_mode, move_syllable,
        change_syllables, forget,
    ],
)  # fmt: skip
def test_what_has_changed_makes_it_anew(change: Any, own: Any, made: list[Path]) -> None:
    case, output = own
    options = {"clustering": case.clustering} | (change(case, output) or {})
    clustering = options.pop("clustering")
    build_gallery(case.workspace, clustering, output, **options)
    assert made == [output]


def test_two_galleries_of_one_workspace_are_kept_apart(
    own: Any, made: list[Path], tmp_path: Path
) -> None:
    case, output = own
    other = tmp_path / "other"
    build_gallery(case.workspace, case.clustering, other, examples=2)
    made.clear()
    build_gallery(case.workspace, case.clustering, output)
    build_gallery(case.workspace, case.clustering, other, examples=2)
    assert made == []


def test_a_workspace_that_keeps_nothing_makes_it_each_time(own: Any, made: list[Path]) -> None:
    case, output = own
    shutil.rmtree(case.workspace.folder / "gathered")
    (case.workspace.folder / "gathered").write_text("in the way")
    result = build_gallery(case.workspace, case.clustering, output)
    assert made == [output]
    assert result.new == 0  # but every file is as it was


def test_what_changes_while_it_is_made_is_on_all_pages(own: Any, made: list[Path]) -> None:
    case, output = own
    modes = case.clustering.modes.assign(mode=case.clustering.modes["mode"] + "!")
    table = case.clustering.assignments
    renamed = dataclasses.replace(
        case.clustering,
        modes=modes.where(modes["mode"] != "!", case.clustering.modes),
        assignments=table.assign(mode=[f"{mode}!" if mode else "" for mode in table["mode"]]),
    )
    changes = iter([renamed])

    def change(*_: object) -> None:
        for clustering in changes:
            write_clustering(case.workspace, clustering)

    shutil.rmtree(output)
    again = make.make_gallery(case.workspace, output=output, groups=False, on_progress=change)
    assert len(made) == 2
    assert sum("the gallery was made again" in line for line in again.warnings) == 1
    shown = {path.name: "Mode 1!" in path.read_text() for path in output.glob("*.html")}
    assert {name for name, it in shown.items() if it} == {"index.html", "modes.html"}


def test_what_others_change_again_and_again_is_told(
    own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, output = own
    calls = []

    def build(*_: object, **__: object) -> None:
        calls.append(len(calls))
        (case.workspace.folder / "errors.csv").write_text("x" * len(calls))
        raise KeyError("a syllable that is gone")

    monkeypatch.setattr(make, "build_gallery", build)
    with pytest.raises(BusyError, match="another birdmodes command has changed it meanwhile"):
        make.make_gallery(case.workspace, output=output, groups=False)
    assert len(calls) == 3


def test_pages_of_before_and_after_take_no_place(
    own: Any, made: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    case, output = own
    pages = {path: path.read_bytes() for path in output.rglob("*.html")}
    plan, errors = making.make_plan, case.workspace.folder / "errors.csv"

    def plan_and_change(*arguments: Any) -> Any:
        errors.write_text("recording,stage,reason\n" + "x.wav,read,no sound\n" * len(made))
        return plan(*arguments)

    monkeypatch.setattr(making, "make_plan", plan_and_change)
    with pytest.raises(BusyError, match="another birdmodes command has changed it meanwhile"):
        make.make_gallery(case.workspace, output=output, groups=False, examples=2)
    assert len(made) == 3
    assert {path: path.read_bytes() for path in output.rglob("*.html")} == pages


def test_a_gallery_is_made_with_the_settings_of_what_it_shows(
    own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, output = own
    other = Settings(SegmentationParameters(low_hz=700.0))
    seen = []

    def build(workspace: Workspace, *_: object, **__: object) -> GalleryResult:
        seen.append(workspace.settings)
        if len(seen) == 1:
            write_description(case.workspace.folder, other)
            (case.workspace.folder / "errors.csv").write_text("as of another run")
        return GalleryResult(output / "index.html", 0, 0, 0, 0, 0, 0, [])

    monkeypatch.setattr(make, "build_gallery", build)
    make.make_gallery(case.workspace, output=output, groups=False)
    assert seen == [case.workspace.settings, other]


def test_what_is_kept_of_a_gallery_is_kept_before_another_takes_its_place(
    own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, output = own

    def keep(*_: object) -> None:
        with pytest.raises(BirdmodesError, match="another birdmodes"), new_gallery_folder(output):
            pass
        kept.append(output)

    kept: list[Path] = []
    monkeypatch.setattr(build, "keep_result", keep)
    build_gallery(case.workspace, case.clustering, output, examples=2)
    assert kept == [output]
