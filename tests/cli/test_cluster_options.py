from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

Call = Callable[..., tuple[int, str]]


def parameters_of(workspace: Path, clustering: str) -> dict[str, object]:
    text = (workspace / "clusterings" / clustering / "metrics.json").read_text(encoding="utf-8")
    found: dict[str, object] = json.loads(text)["parameters"]
    return found


@pytest.fixture
def cluster(call: Call, small_workspace: Path) -> Call:
    """Run cluster on the small workspace, without repetitions."""
    return lambda *arguments: call(
        "cluster", "-w", small_workspace, "--stability-runs", 0, *arguments
    )


def test_options_are_set_by_name(cluster: Call, small_workspace: Path) -> None:
    code, output = cluster(
        "--method", "csp", "--k", 3, "--set", "alpha=0.25", "--set", "graph=knn",
        "--set", "n_neighbors=9", "--name", "set",
    )  # fmt: skip
    assert code == 0, output
    found = parameters_of(small_workspace, "set")
    assert found["options"] == {"alpha": 0.25, "graph": "knn", "n_neighbors": 9}
    assert found["graph"] == "knn"


def test_alpha_is_short_for_setting_it(cluster: Call, small_workspace: Path) -> None:
    assert cluster("--method", "csp", "--k", 3, "--alpha", 0.25, "--name", "short")[0] == 0
    assert parameters_of(small_workspace, "short")["options"] == {"alpha": 0.25}


def test_the_default_method_names_every_mode_after_its_species(
    cluster: Call, small_workspace: Path
) -> None:
    code, output = cluster("--k", 3)
    assert code == 0, output
    modes = pd.read_csv(small_workspace / "clusterings/ldc-k3/modes.csv")
    assert list(modes["mode"]) == ["Robin mode 1", "Wren mode 1", "Wren mode 2"]
    assert list(modes["syllables"]) == [24, 12, 12]
    for mode in modes["mode"]:
        assert f"\n{mode} " in output


def test_without_a_number_modes_are_candidates_and_are_said_to_be(
    cluster: Call, small_workspace: Path
) -> None:
    code, output = cluster("--name", "plain")
    assert code == 0, output
    assert "These are candidates, up to four for each species: merge by ear" in output
    modes = pd.read_csv(small_workspace / "clusterings/plain/modes.csv", keep_default_na=False)
    named = modes["mode"] != ""
    assert set(modes["remark"][named]) == {"candidates to merge by ear"}
    assert set(modes["remark"][~named]) <= {""}


def test_background_can_be_switched_off(cluster: Call, small_workspace: Path) -> None:
    assert cluster("--k", 3, "--background", "off", "--name", "off")[0] == 0
    assert parameters_of(small_workspace, "off")["options"] == {"background": "off"}


def test_auto_prints_and_saves_how_many_modes_there_are(
    cluster: Call, small_workspace: Path
) -> None:
    code, output = cluster("--k", "auto")
    assert code == 0, output
    assert "modes: Robin 1, Wren 2\n" in output
    folder = small_workspace / "clusterings/ldc-auto"
    curves = pd.read_csv(folder / "k_curves.csv")
    assert list(curves.loc[curves["chosen"], "k"]) == [1, 2]
    assert (folder / "k_curves.svg").is_file()
    assert parameters_of(small_workspace, "ldc-auto")["k_per_species"] == {"Robin": 1, "Wren": 2}


def test_the_number_of_each_species_can_be_given(cluster: Call, small_workspace: Path) -> None:
    assert cluster("--k-per-species", 1)[0] == 0
    assert parameters_of(small_workspace, "ldc-per-species")["k"] == 2
    assert cluster("--k-per-species", "Robin=1", "--name", "named")[0] == 0
    assert parameters_of(small_workspace, "named")["k_per_species"] == {"Robin": 1, "Wren": 2}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "cps"], "no method 'cps' (did you mean 'csp'?)"),
        (["--alpha", "0.5"], "method ldc has no option 'alpha' (alpha is an option of csp, "),
        (
            ["--method", "sp", "--alpha", "1"],
            "(alpha is an option of csp, csp-no-pairs, mimlca: use --method csp); its options are",
        ),
        (["--set", "bakground=no"], "did you mean 'background'?"),
        (["--method", "csp", "--set", "n_neighbours=9"], "did you mean 'n_neighbors'?"),
        (["--method", "csp", "--set", "t=many"], "t must be a whole number, not 'many'"),
        (["--method", "csp", "--set", "t=0"], "t must be a whole number from 1, not 0"),
        (["--k", "1"], "k=1 is below the 2 classes"),
        (["--set", "n_clusters=3"], "n_clusters is set with --k"),
        (["--set", "random_state=3"], "random_state is set with --seed"),
        (["--method", "csp", "--set", "alpha=1", "--alpha", "2"], "alpha is given twice"),
        (["--k", "few"], "--k must be a whole number from 1, or auto, not 'few'"),
        (["--k", "3", "--k-per-species", "2"], "--k and --k-per-species exclude each other"),
        (["--k-per-species", "Wern=2"], "no recording has the species 'Wern' (did you mean 'Wren'"),
    ],
)
def test_mistakes_are_one_line(cluster: Call, arguments: list[str], message: str) -> None:
    code, output = cluster(*arguments)
    assert code == 2
    (line,) = (line for line in output.splitlines() if line.startswith("birdmodes: "))
    assert message in line
    assert output.endswith(f"{line}\n")
