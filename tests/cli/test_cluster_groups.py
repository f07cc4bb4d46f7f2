"""``birdmodes cluster`` with methods that group whole recordings."""

from __future__ import annotations

import json
from collections.abc import Callable

import pandas as pd
import pytest

from birdmodes.workspace.store import Workspace

Call = Callable[..., tuple[int, str]]
MakeWorkspace = Callable[..., Workspace]

HOSTILE = "=cmd|' /C x'!A0\x1b[31m<b>"


@pytest.fixture
def workspace(make_workspace: MakeWorkspace) -> Workspace:
    """Twelve recordings of two kinds, one silent, names that could do harm."""
    return make_workspace(
        *((f"a{n}.wav", [[0, 0]], HOSTILE) for n in range(7)),
        *((f"-b;{n} ,\u2028.wav", [[1, 1]], "Wren") for n in range(4)),
        ("silent.wav", [[]], None),
    )


def test_groups_are_stored_and_printed_like_modes(call: Call, workspace: Workspace) -> None:
    code, text = call("cluster", "-w", workspace.folder, "--method", "bamic-avg", "--k", 2)
    assert code == 0, text
    lines = text.splitlines()
    assert lines[:4] == [
        "features: briggs38 (38)",
        "22 syllables, 12 bags, 2 species, 2 groups", "what is typical of each group",
        "how good the grouping is",
    ]  # fmt: skip
    table = [" ".join(line.split()) for line in lines[5:9]]
    assert table[0] == "group bags recordings syllables typical species strength"
    assert table[2].startswith("0 7 7 14 ")
    assert table[3].startswith("1 4 4 8 Wren 100 % ")
    assert "\x1b" not in text
    assert "\nbags without syllables     1\n" in text
    assert "warning: 1 of 12 bags have no syllables and are in no group" in text
    folder = workspace.folder / "groupings" / "bamic-avg-k2"
    assert f"written to {folder}; next: birdmodes gallery --workspace " in text
    assert len(pd.read_csv(folder / "assignments.csv", keep_default_na=False)) == 12


def test_programs_can_read_the_result(call: Call, workspace: Workspace) -> None:
    code, text = call(
        "cluster", "-w", workspace.folder, "--method", "kmeans-vote", "--k", 2, "--json",
        "--name", "mine", "--seed", 4, "--set", "n_init=2", "--stability-runs", 0,
    )  # fmt: skip
    assert code == 0, text
    answer, _ = json.JSONDecoder().raw_decode(text)
    assert answer["grouping"] == "mine"
    assert answer["parameters"]["seed"] == 4
    assert answer["parameters"]["options"] == {"n_init": 2}
    assert answer["metrics"]["stability"] is None
    assert [group["bags"] for group in answer["groups"]] == [7, 4]
    assert len(answer["groups"][0]["typical_syllables"]) == 12
    assert {row["species"] for row in answer["species"]} == {HOSTILE, "Wren"}
    assert answer["warnings"] == ["1 of 12 bags have no syllables and are in no group"]


def test_without_k_there_are_five_groups_and_auto_finds_two(
    call: Call, workspace: Workspace
) -> None:
    where = ("cluster", "-w", workspace.folder, "--method", "pam-smd", "--stability-runs", 0)
    code, text = call(*where)
    assert code == 0, text
    assert "2 species, 5 groups" in text
    code, text = call(*where, "--k", "auto", "--workers", 1)
    assert code == 0, text
    assert text.startswith(
        "features: briggs38 (38)\nhow many groups there are\n"
        "40 samples of 9 bags, each grouped into 2 to 2: 40 groupings\n"
        "2 groups: in other samples each is found "
    )
    assert "finding the number of groups: 40 of 40  2 groups" in text
    assert "3 groups" not in text  # too few recordings to look for more
    assert "2 species, 2 groups" in text
    stored = workspace.folder / "groupings" / "pam-smd-auto" / "metrics.json"
    parameters = json.loads(stored.read_text(encoding="utf-8"))["parameters"]
    assert (parameters["k"], parameters["k_from"]) == (2, "auto")
    assert parameters["k_agreement"]["2"] == 1.0


def test_clips_are_told_from_recordings(call: Call, make_workspace: MakeWorkspace) -> None:
    workspace = make_workspace(("a.wav", [[0], [0], [1]], None), ("b.wav", [[1], [1], [0]], None))
    code, text = call("cluster", "-w", workspace.folder, "--method", "bamic-min", "--k", 2)
    assert code == 0, text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "group clips recordings mostly syllables typical species strength" in lines
    assert "0 3 2 1 3" in " ".join(lines)
    assert "Groups are of clips:" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--truth", "t.csv"], "--truth does not go with method m3ic, which groups whole record"),
        (["--k-per-species", "2"], "--k-per-species does not go with method m3ic"),
        (["--alpha", "0.5"], "--alpha does not go with method m3ic"),
        (["--with-review"], "--with-review does not go with method m3ic"),
        (["--k", "13"], "--k 13: only 11 of 12 bags have syllables; ask for at most 11 groups"),
        (["--k", "few"], "--k must be a whole number from 1, or auto, not 'few'"),
        (["--name", "a/b"], "use letters, digits"),
        (["--set", "balanse=1"], "did you mean 'balance'?"),
        (["--set", "n_clusters=3"], "n_clusters is set with --k"),
        (["--set", "C=0"], "C must"),
        (
            ["--method", "m3ic-kernel", "--set", "kernel=chi2", "--k", "2"],
            'kernel="chi2" needs features from 0',
        ),
        (["--method", "m4ic"], "no method 'm4ic' (did you mean 'm3ic'?); there are, for syllables"),
    ],
)
def test_mistakes_are_one_line(
    call: Call, workspace: Workspace, arguments: list[str], message: str
) -> None:
    code, text = call("cluster", "-w", workspace.folder, "--method", "m3ic", *arguments)
    assert code == 2
    (line,) = (line for line in text.splitlines() if line.startswith("birdmodes: "))
    assert message in line


def test_nothing_to_group_is_said(call: Call, make_workspace: MakeWorkspace) -> None:
    workspace = make_workspace(("a.wav", [[]], None))
    code, text = call("cluster", "-w", workspace.folder, "--method", "m3ic")
    assert code == 2
    assert "no syllables to cluster" in text


def test_the_help_names_both_kinds_of_methods(call: Call) -> None:
    code, text = call("cluster", "--help")
    assert code == 0
    said = " ".join(text.replace("│", " ").split())
    assert "How to group syllables: sp, " in said
    assert "or whole recordings: bamic-min" in said
