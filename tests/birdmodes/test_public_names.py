from __future__ import annotations

import ast
import doctest
import inspect
import rlcompleter
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import algorithms
import birdmodes
from birdmodes.demo import sample_data

PACKAGES = (birdmodes, algorithms)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there(package: ModuleType) -> None:
    for name in package.__all__:
        assert getattr(package, name) is not None, name


@pytest.mark.parametrize("package", PACKAGES)
def test_dir_shows_the_public_names_and_nothing_else(package: ModuleType) -> None:
    assert dir(package) == sorted(package.__all__)
    namespace = {"bm": package}
    completer = rlcompleter.Completer(namespace)
    offered = {completer.complete("bm.", number) for number in range(200)} - {None}
    names = {str(text).removeprefix("bm.").rstrip("()") for text in offered}
    assert names == {name for name in package.__all__ if not name.startswith("_")}


@pytest.mark.parametrize("package", PACKAGES)
def test_other_names_are_missing_as_usual(package: ModuleType) -> None:
    assert not hasattr(package, "nonsense")


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_loaded_before_it_is_used(package: ModuleType) -> None:
    code = f"import sys, {package.__name__} as p; dir(p); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def _module_of(home: str) -> ModuleType:
    return import_module(home if home.startswith("algorithms") else f"birdmodes.{home}")


@pytest.mark.parametrize("package", PACKAGES)
def test_the_home_of_every_name_is_where_it_is_defined(package: ModuleType) -> None:
    for name, home in package._HOMES.items():
        module = _module_of(home)
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        defined = {
            getattr(node, "name", None) or getattr(getattr(node, "target", None), "id", None)
            for node in tree.body
        }
        assert name in defined, f"{name} is not defined in {module.__name__}"


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_are_told_the_same_homes(package: ModuleType) -> None:
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    told = {
        alias.name: str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {name: _module_of(home).__name__ for name, home in package._HOMES.items()}
    assert told == homes
    assert set(package.__all__) - set(homes) <= {"__version__"}


def _public_functions() -> dict[str, Any]:
    """Functions of the facade, and what its classes have for people to call."""
    found = {}
    for name in birdmodes.__all__:
        value = getattr(birdmodes, name)
        if inspect.isfunction(value):
            found[name] = value
        if inspect.isclass(value):
            members = dict(inspect.getmembers(value, inspect.isroutine))
            found |= {f"{name}.{key}": members[key] for key in members if not key.startswith("_")}
    return found


@pytest.mark.parametrize("name", _public_functions())
def test_no_function_wants_a_path_that_may_not_be_text(name: str) -> None:
    annotations = inspect.get_annotations(_public_functions()[name])
    annotations.pop("return", None)
    for parameter, annotation in annotations.items():
        words = str(annotation).replace("[", " ").replace("]", " ").split()
        assert "Path" not in words or "str" in words, f"{name}({parameter}: {annotation})"


def test_the_example_of_the_facade_runs_from_recordings_to_gallery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = doctest.DocTestParser().get_examples(str(birdmodes.__doc__))
    assert len(examples) == 7
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    for path in [*sorted((sample_data() / "recordings").glob("MARSH*0512_04*"))]:
        shutil.copy(path, recordings)
    (recordings / "labels.csv").write_text(
        "recording,species\n"
        "MARSH_20240512_043000.flac,Amber Reedpiper\n"
        "MARSH_20240512_044000.flac,Amber Reedpiper;Silver Trillwing\n"
        "MARSH_20240512_045000.flac,Amber Reedpiper;Dusky Mirejay\n"
    )
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for example in examples:
        exec(example.source.replace("workers=2", "workers=1"), names)  # noqa: S102
    assert names["made"].summary.segmented == 3
    assert names["syllables"]["recording"].nunique() == 3
    modes = names["modes"]
    assert birdmodes.read_clustering(names["workspace"]).name == modes.name
    page = names["gallery"].result.index.read_text(encoding="utf-8")
    assert "Amber Reedpiper" in page
    folder = tmp_path / "birdmodes-workspace/gallery" / modes.name
    assert names["gallery"].result.index == folder / "index.html"
