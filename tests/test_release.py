"""What is released agrees with itself: one version, one list of libraries."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

from birdmodes import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Names that conda-forge has for libraries
CONDA = {"soundfile": "pysoundfile", "soxr": "soxr-python", "matplotlib": "matplotlib-base"}


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_and_its_date_are_the_same_everywhere() -> None:
    citation = yaml.safe_load(_text("CITATION.cff"))
    recipe = yaml.safe_load(_text("recipe/recipe.yaml"))
    assert citation["version"] == recipe["context"]["version"] == __version__
    assert f"## [{__version__}] - {citation['date-released']}" in _text("CHANGELOG.md")
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "birdmodes/_version.py"


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    versions = re.findall(r"^## (.*)$", _text("CHANGELOG.md"), re.M)
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", each) for each in versions[1:])
    kinds = re.findall(r"^### (.*)$", _text("CHANGELOG.md"), re.M)
    assert kinds
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    recipe = yaml.safe_load(_text("recipe/recipe.yaml"))
    wanted = {f"python {PROJECT['project']['requires-python']}"}
    for requirement in PROJECT["project"]["dependencies"]:
        name, bound = re.split(r"(?=>=)", requirement)
        wanted.add(f"{CONDA.get(name, name)} {bound}")
    assert set(recipe["requirements"]["run"]) == wanted


def test_the_conda_recipe_builds_and_starts_as_the_package_does() -> None:
    recipe = yaml.safe_load(_text("recipe/recipe.yaml"))
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    (backend,) = PROJECT["build-system"]["requires"]
    name, bound = re.split(r"(?=>=)", backend)
    assert set(recipe["requirements"]["host"]) == {f"python {least}.*", "pip", f"{name} {bound}"}
    (start,) = PROJECT["project"]["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(start)]
    about = recipe["about"]
    assert about["summary"] == PROJECT["project"]["description"]
    assert about["license"] == PROJECT["project"]["license"]
    assert [about["license_file"]] == PROJECT["project"]["license-files"]


def test_every_library_has_a_pinned_version() -> None:
    pinned = {line.partition("==")[0].lower() for line in _text("constraints.txt").splitlines()}
    extras = PROJECT["project"]["optional-dependencies"].values()
    needed = [*PROJECT["project"]["dependencies"], *(each for extra in extras for each in extra)]
    names = {re.split(r"[\[>=]", each)[0].lower() for each in needed} - {"birdmodes"}
    assert names <= pinned


def test_the_container_installs_extras_that_there_are() -> None:
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", _text("Dockerfile"))
    assert set(extras.split(",")) <= set(PROJECT["project"]["optional-dependencies"])


def test_the_container_has_a_python_that_is_supported() -> None:
    (version,) = set(re.findall(r"^FROM python:([\d.]+)-slim", _text("Dockerfile"), re.M))
    assert f"Programming Language :: Python :: {version}" in PROJECT["project"]["classifiers"]
