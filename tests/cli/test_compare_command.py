from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def two_clusterings(made_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from birdmodes.modes.clustering import write_clustering
    from birdmodes.modes.find import ClusterOptions, find_modes
    from birdmodes.workspace.store import Workspace

    folder = shutil.copytree(made_workspace, tmp_path_factory.mktemp("compare") / "w")
    workspace = Workspace.open(folder)
    for k in (2, 3):
        options = ClusterOptions(k=k, stability_runs=0)
        write_clustering(workspace, find_modes(workspace, options, f"k{k}").clustering)
    return folder


def test_a_split_is_told_and_drawn(call: Call, two_clusterings: Path) -> None:
    code, printed = call("compare", "k2", "k3", "-w", two_clusterings)
    assert code == 0, printed
    assert "Wren mode 1 → Wren mode 1 + Wren mode 2" in printed
    page = two_clusterings / "compare" / "k2--k3.html"
    assert f"open {page}" in printed
    assert "Wren mode 2" in page.read_text(encoding="utf-8")


def test_json_and_another_workspace(call: Call, two_clusterings: Path, tmp_path: Path) -> None:
    target = tmp_path / "pages" / "page.html"
    arguments = ("compare", "k2", "k3", "-w", two_clusterings, "-o", target, "--json")
    code, printed = call(*arguments)
    assert code == 0
    content = json.loads(printed)
    assert {change["kind"] for change in content["changes"]} == {"splits", "stays"}
    assert content["page"] == str(target)
    code, printed = call(*arguments, "--other-workspace", two_clusterings)
    assert json.loads(printed) == content
    code, printed = call("compare", "k2", "k9", "-w", two_clusterings)
    assert code == 2
    assert "no clustering 'k9'" in printed


def test_cluster_prints_json_alone_when_asked(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, two_clusterings: Path
) -> None:
    from cli.main import main

    command = ["birdmodes", "cluster", "-w", str(two_clusterings), "--k", "3", "--json"]
    monkeypatch.setattr("sys.argv", [*command, "--name", "k3", "--stability-runs", "0"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    content = json.loads(capfd.readouterr().out)
    assert content["clustering"] == "k3"
    assert content["metrics"]["clusters"] == len(content["modes"]) == 3
