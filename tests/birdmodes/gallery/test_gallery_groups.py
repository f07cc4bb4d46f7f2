"""Recording groups: what is planned, what the pages say, and a gallery without any modes."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pandas as pd
import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.gallery import GalleryResult, build_gallery
from birdmodes.gallery.example_files import ExampleFiles
from birdmodes.gallery.groups import view as group_view
from birdmodes.gallery.groups.plan import GroupsPlan, plan_groups
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.no_modes import clustering_without_modes
from birdmodes.gallery.pages import write_pages
from birdmodes.gallery.syllable_table import syllable_table
from birdmodes.gallery.windows import Windows
from birdmodes.gallery.words.explanations import explain_metrics, repeat_commands
from birdmodes.gallery.words.run_facts import grouping_facts
from birdmodes.groups.grouping import Grouping, grouping_digest
from birdmodes.modes.words import syllable_measures


@pytest.fixture(scope="module")
def plan(case: Any, grouping: Grouping) -> GroupsPlan:
    return plan_groups(case.workspace, grouping, case.workspace.syllables(), 5)


@pytest.fixture(scope="module")
def alone(case: Any, grouping: Grouping, tmp_path_factory: pytest.TempPathFactory) -> GalleryResult:
    """Gallery of groups without modes."""
    folder = tmp_path_factory.mktemp("alone") / "gallery"
    return build_gallery(case.workspace, None, folder, grouping=grouping)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def words(content: str) -> str:
    """Text of a page, without its elements."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", content.replace("<wbr>", ""))))


def data_of(folder: Path, name: str) -> dict[str, Any]:
    text = read(folder / f"data/{name}.js")
    found: dict[str, Any] = json.loads(text[text.index(" = ") + 3 : text.rindex(";")])
    return found


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def pages_alone(case: Any, grouping: Grouping, folder: Path) -> Path:
    """Write the pages of groups without modes, whose pictures nobody made."""
    plan = plan_groups(case.workspace, grouping, case.workspace.syllables(), 5)
    examples = {name: ExampleFiles("pictures/p.webp") for name in plan.examples()}
    clustering = clustering_without_modes(case.workspace, "none")
    table = syllable_table(case.workspace, clustering, syllable_measures(case.workspace))
    windows = Windows(case.workspace, table.assign(cluster=-1))
    write_pages(
        folder, case.workspace, clustering, [], Material(examples), windows, plan, unsought=True
    )
    return folder


# --- the plan ---


def test_groups_have_their_recordings_most_typical_first(
    plan: GroupsPlan, recording_names: list[str]
) -> None:
    first, second = plan.groups
    assert (first.number, first.name, first.file) == (0, "Group 0", "groups/0.html")
    assert first.bags["recording"].tolist() == [recording_names[1], recording_names[0]]
    assert second.bags["recording"].tolist() == [recording_names[2]]
    assert (first.recordings, first.syllables) == (2, 8)
    assert (plan.empty, plan.recordings, plan.noun) == (1, 3, "recording")
    assert plan.group_of_bag == {
        f"{name}#0": group for name, group in zip(recording_names, [0, 0, 1], strict=False)
    }


def test_the_way_to_a_recording_is_its_witness_or_its_first_syllable(
    plan: GroupsPlan, recording_names: list[str]
) -> None:
    assert plan.by_witness
    assert plan.groups[0].bags["link"].tolist() == [
        f"{recording_names[1]}#00000",
        f"{recording_names[0]}#00002",
    ]


def test_clips_of_a_recording_are_called_so(case: Any, grouping: Grouping) -> None:
    table = grouping.assignments.assign(recording=grouping.assignments["recording"].iloc[0])
    clips = dataclasses.replace(grouping, assignments=table)
    assert plan_groups(case.workspace, clips, case.workspace.syllables(), 5).noun == "clip"


def test_shares_over_all_groups_follow_from_the_lift(plan: GroupsPlan, script_name: str) -> None:
    wren, script = plan.groups[0].species
    assert (wren.species, wren.with_it, wren.labelled, wren.share) == ("Wren", 2, 2, 1.0)
    assert wren.overall == pytest.approx(2 / 3)  # of three with a list and a group, two list it
    assert (script.species, script.overall) == (script_name, 1.0)


def test_recordings_are_counted_in_the_hour_in_which_they_begin(plan: GroupsPlan) -> None:
    # 04:59:58 and 23:00:00, as the fixtures have it
    counts = plan.groups[0].activity.syllables
    assert (counts[4], counts[23], counts.sum()) == (1, 1, 2)
    assert plan.groups[1].activity.unknown == 1


def test_no_more_syllables_are_shown_than_asked_for_nor_any_that_are_gone(
    case: Any, grouping: Grouping, recording_names: list[str]
) -> None:
    syllables = case.workspace.syllables()
    one = plan_groups(case.workspace, grouping, syllables, 1)
    assert [len(group.examples) for group in one.groups] == [1, 1]
    left = syllables[syllables["recording"] != recording_names[1]]
    fewer = plan_groups(case.workspace, grouping, left, 5)
    assert fewer.groups[0].examples["recording"].tolist() == [recording_names[0]]
    assert fewer.groups[0].bags["link"].tolist()[0] == ""


def test_a_group_that_came_out_empty_has_a_page(
    case: Any, grouping: Grouping, tmp_path: Path
) -> None:
    rows = [*grouping.groups.to_dict("records"), {"group": 2, "typical_syllables": []}]
    emptier = dataclasses.replace(grouping, groups=pd.DataFrame(rows))
    page = words(read(pages_alone(case, emptier, tmp_path) / "groups/2.html"))
    assert "0 recordings · 0 syllables" in page
    assert "No typical syllable to show" in page


def test_groups_of_another_seed_are_told_and_what_is_typical_comes_first(
    case: Any, grouping: Grouping, tmp_path: Path
) -> None:
    typical = {"group": 0, "species": "Zander", "bags_with": 1, "bags_labelled": 2, "share": 0.5}
    rows = [*grouping.species.to_dict("records"), {**typical, "lift": 3.0, "q_value": 0.01}]
    changed = dataclasses.replace(
        grouping, species=pd.DataFrame(rows), metrics={"stability": 0.49, "silhouette": 0.4}
    )
    page = words(read(pages_alone(case, changed, tmp_path) / "groups.html"))
    assert "Other seeds give other groups" in page
    assert page.index("Zander share 50 %") < page.index("Wren share 100 %")


# --- the pages ---


def test_the_page_of_all_groups_tells_what_they_are(grouped: Path, script_name: str) -> None:
    page = read(grouped / "groups.html")
    text = words(page)
    assert "Groups of recordings 2 groups, 3 recordings; 1 other has no syllables" in text
    assert "Other seeds" not in text  # nobody tried
    assert "1 recording has no syllables and so is in no group" in text
    assert page.count('<li class="card">') == 2
    assert "Wren share 100 % 1.5 ×" in text
    assert f"{script_name} share 100 % 1.0 ×" in text
    assert "Owl share 100 % 3.0 ×" in text
    assert page.count('class="fill stands-out"') == 1  # Owl, with q = 0.004
    assert "Silhouette How much closer recordings are" in text
    assert "0.432" in text
    assert "Zhang, Wang, Si & Li" in text  # the paper
    assert "birdmodes gallery --workspace workspace --grouping vote-k2" in text


def test_a_group_s_page_has_its_recordings_and_species(
    grouped: Path, recording_names: list[str]
) -> None:
    page = read(grouped / "groups/0.html")
    text = words(page)
    assert "2 recordings · 8 syllables" in text
    assert "Witness syllables" in text
    assert "the one syllable that puts its recording into the group" in text
    members = page[page.index('<ol class="members"') : page.index('</ol>\n<p class="problem"')]
    links = re.findall(r'href="\.\./syllable\.html#([^"]+)"', members)
    assert [unquote(link) for link in links] == [
        f"{recording_names[1]}#00000",
        f"{recording_names[0]}#00002",
    ]
    assert "strength 2.25" in words(members)
    assert "2021-05-03 23:00:00" in words(members)
    assert "2021-05-02 04:59:58" in words(members)
    assert "Wren 2 of 2 100 % 67 % 1.5 × 0.600" in text
    assert members.count('class="button clip-play"') == 2
    clips = data_of(grouped, "gallery")["clips"]
    assert set(re.findall(r'data-clip="([^"]+)"', members)) == {
        clip["name"] for clip in clips if clip["group"] == 0
    }


def test_typical_syllables_are_shown_as_examples_are(
    grouped: Path, recording_names: list[str], script_name: str
) -> None:
    page = read(grouped / "groups/0.html")
    shown = [html.unescape(name) for name in re.findall(r'data-syllable="([^"]+)"', page)]
    assert shown == [f"{recording_names[1]}#00003", f"{recording_names[0]}#00002"]
    assert page.count('<button type="button" class="spec context"') == 2
    assert page.count('class="box"') == 2 * 2  # in the context and closer
    # each with the mode it belongs to: tone 3 is background, tone 2 is "Wren"
    assert re.findall(r'<div data-cluster="(\d)">', page) == ["3", "2"]
    assert "Wren A" in words(page)
    for address in re.findall(r'<img src="\.\./([^"]+)"', page):
        assert (grouped / address).is_file()


def test_names_are_escaped(grouped: Path, recording_names: list[str]) -> None:
    for path in [grouped / "groups.html", *(grouped / "groups").iterdir()]:
        content = read(path)
        assert "<script>alert" not in content
        assert 'a"b<c>' not in content
    assert quote(f"{recording_names[0]}#00002") in read(grouped / "groups/0.html")


def test_no_page_has_style_in_its_elements(grouped: Path) -> None:
    for path in [grouped / "groups.html", *(grouped / "groups").iterdir()]:
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=", read(path))


def test_all_pages_lead_to_the_groups(grouped: Path, built: GalleryResult) -> None:
    pages = list(grouped.rglob("*.html"))
    assert len(pages) == 6 + 3 + 3
    for path in pages:
        root = "../" if path.parent != grouped else ""
        assert f'href="{root}groups.html"' in read(path)
    index = words(read(grouped / "index.html"))
    assert "Group 0 2 recordings · Wren 100 %" in index
    for path in built.index.parent.rglob("*.html"):  # without groups
        assert "groups.html" not in read(path)


def test_the_data_tell_the_group_of_every_clip(
    grouped: Path, built: GalleryResult, grouping: Grouping, recording_names: list[str]
) -> None:
    data = data_of(grouped, "gallery")
    assert data["grouping"] == {
        "name": "vote-k2",
        "base": grouping_digest(grouping),
        "alone": False,
    }
    assert data["groups"] == [
        {"group": 0, "name": "Group 0", "page": "groups/0.html"},
        {"group": 1, "name": "Group 1", "page": "groups/1.html"},
    ]
    found = {data["recordings"][clip["recording"]]: clip["group"] for clip in data["clips"]}
    assert found == dict(zip(recording_names, [0, 0, 1, None], strict=True))
    without = data_of(built.index.parent, "gallery")
    assert (without["grouping"], without["groups"]) == (None, [])
    assert all("group" not in clip for clip in without["clips"])


def test_a_recording_without_sound_has_no_button(
    case: Any, grouping: Grouping, tmp_path: Path
) -> None:
    page = read(pages_alone(case, grouping, tmp_path) / "groups/0.html")
    assert 'class="button clip-play"' not in page
    assert page.count("no sound</span>") == 2
    assert page.count("no sound: recording not available") == 2  # of the examples


def test_a_long_list_goes_on_on_further_pages(
    case: Any, grouping: Grouping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_view, "PER_PAGE", 1)
    folder = pages_alone(case, grouping, tmp_path) / "groups"
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["0-2.html", "0.html", "1.html"]
    first, second = read(folder / "0.html"), read(folder / "0-2.html")
    assert [page.count('<span class="rank">') for page in (first, second)] == [1, 1]
    assert '<span class="rank">2</span>' in second
    assert "2 to 2 of 2 recordings" in words(second)
    for page in (first, second):
        assert 'href="../groups/0.html#recordings"' in page
        assert 'href="../groups/0-2.html#recordings"' in page
    assert 'class="pager"' not in read(folder / "1.html")


# --- building ---


def test_groups_come_and_go_and_nothing_else_is_made_again(
    case: Any, grouping: Grouping, grouped: Path, built: GalleryResult, tmp_path: Path
) -> None:
    folder = tmp_path / "gallery"
    shutil.copytree(built.index.parent, folder)
    states = {path: path.stat().st_mtime_ns for path in (folder / "clips").iterdir()}
    with_groups = build_gallery(case.workspace, case.clustering, folder, grouping=grouping)
    assert contents(folder) == contents(grouped)
    assert all(path.stat().st_mtime_ns == before for path, before in states.items())
    assert with_groups.pictures == built.pictures  # the same as those of the modes
    again = build_gallery(case.workspace, case.clustering, folder, grouping=grouping)
    assert (again.new, again.unchanged) == (0, with_groups.new + with_groups.unchanged)
    build_gallery(case.workspace, case.clustering, folder)
    assert contents(folder) == contents(built.index.parent)


def test_without_modes_there_are_groups_and_syllables(
    alone: GalleryResult, script_name: str
) -> None:
    folder = alone.index.parent
    pages = {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}
    assert pages == {
        "index.html", "groups.html", "groups/0.html", "groups/1.html", "map.html", "syllable.html",
    }  # fmt: skip
    assert (alone.pages, alone.pictures, alone.sounds, alone.warnings) == (6, 3, 4, [])
    index = words(read(alone.index))
    assert "No vocal modes have been sought yet" in index
    assert "birdmodes cluster --workspace workspace birdmodes gallery" in index
    assert "in no species' mode" not in index
    assert f"{script_name} in 3 recordings" in index
    data = data_of(folder, "gallery")
    assert data["grouping"]["alone"]
    assert (data["modes"], data["species"], data["label_next"]) == ([], [], [])
    columns = data_of(folder, "syllables")
    assert set(columns["cluster"]) == {0}
    assert len(columns["cluster"]) == 16
    for path in folder.rglob("*.html"):
        content = read(path)
        assert "review/panel.js" not in content
        assert "label.html" not in content
        assert "Clustering <strong>" not in content
        for address in re.findall(r'(?:href|src)="((?:\.\./)?[a-z][^"#:]*)[#"]', content):
            assert (path.parent / unquote(address)).is_file(), (path.name, address)


def test_there_must_be_something_to_show(case: Any, tmp_path: Path) -> None:
    with pytest.raises(BirdmodesError, match="nothing to show"):
        build_gallery(case.workspace, None, tmp_path / "gallery")


# --- how it was made ---


def test_facts_of_a_grouping(case: Any, grouping: Grouping) -> None:
    facts = {one.label: one for one in grouping_facts(case.workspace, grouping)}
    assert list(facts) == ["Method", "K", "Seed", "Published in", "n_init"]
    assert facts["K"].meaning == "Groups, as nothing else was asked for."
    assert facts["Published in"].meaning.startswith("Zhang, Wang, Si & Li, Maximum margin")
    assert facts["n_init"].value == "5"
    assert facts["n_init"].meaning  # from the method's own words


def test_metrics_of_groups_have_words_of_their_own() -> None:
    metrics = {"silhouette": 0.5, "stability": 1.0, "largest_group_share": None}
    (found,) = explain_metrics(metrics, of_groups=True).values()
    assert "recordings" in found[0].explanation
    assert "other random numbers" in found[1].explanation  # as of clusterings
    assert (found[2].label, found[2].value) == ("Largest group", "not defined")
    (of_modes,) = explain_metrics(metrics).values()
    assert "recordings" not in of_modes[0].explanation


def test_the_commands_name_the_grouping() -> None:
    parameters = {"method": "m3ic", "k": 5, "k_from": "given", "seed": 0, "options": {"C": 2.0}}
    assert repeat_commands("birdmodes-workspace", "dawn", parameters, option="--grouping") == [
        "birdmodes cluster --method m3ic --k 5 --set C=2.0 --seed 0 --name dawn",
        "birdmodes gallery --grouping dawn",
    ]
