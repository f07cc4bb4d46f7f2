from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def clustered(made_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a clustering; its recordings are gone."""
    from birdmodes.modes.clustering import write_clustering
    from birdmodes.modes.find import ClusterOptions, find_modes
    from birdmodes.workspace.store import Workspace

    folder = shutil.copytree(made_workspace, tmp_path_factory.mktemp("clustered") / "w")
    workspace = Workspace.open(folder)
    write_clustering(workspace, find_modes(workspace, ClusterOptions(k=3)).clustering)
    return folder


def test_it_says_what_is_new_and_what_was_there(call: Call, clustered: Path) -> None:
    code, printed = call("gallery", "-w", clustered, "--workers", 1)
    assert code == 0
    assert "12 recordings no longer at their place" in " ".join(printed.split())
    new = re.search(r"(\d+) files new, 0 unchanged", printed)
    assert new
    code, printed = call("gallery", "-w", clustered, "--workers", 1)
    assert code == 0
    assert f"0 files new, {new[1]} unchanged" in printed
    index = clustered / "gallery" / "ldc-k3" / "index.html"
    assert f"open {index}" in printed
    assert index.is_file()


def test_umap_without_its_package_is_one_line(
    call: Call, clustered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "umap" else find_spec(name)
    )
    code, printed = call("gallery", "-w", clustered, "-o", tmp_path / "g", "--map", "umap")
    assert code == 2
    assert printed.count("\n") == 1
    assert "pip install 'birdmodes[map]'" in printed
    assert not (tmp_path / "g").exists()


def test_groups_alone_make_a_gallery(
    call: Call, small_workspace: Path, put_grouping: Callable[..., Any]
) -> None:
    from birdmodes.workspace.store import Workspace

    put_grouping(Workspace.open(small_workspace), [0, 1] * 6, "dawn")
    code, printed = call("gallery", "-w", small_workspace, "--workers", 1)
    assert code == 0
    index = small_workspace / "gallery" / "dawn" / "index.html"
    assert f"open {index}" in printed
    assert (index.parent / "groups" / "1.html").is_file()
    code, printed = call("gallery", "-w", small_workspace, "--no-groups")
    assert code == 2
    assert "no clustering yet; run 'birdmodes cluster' first" in printed


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--grouping", "dusk"), "no groups of recordings yet"),
        (("--grouping", "dusk", "--no-groups"), "exclude each other"),
    ],
)
def test_trouble_with_groups_is_one_line(
    call: Call, clustered: Path, options: tuple[str, ...], told: str
) -> None:
    code, printed = call("gallery", "-w", clustered, *options)
    assert code == 2
    assert printed.count("\n") == 1
    assert told in printed
