"""How the suite is run: in which order, by how many processes, with what kept from it."""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

FIXTURES = Path(__file__).with_name("fixtures.py")

# Where nothing is compiled yet, as after installation, processes that load the same modules in the
# same order compile each of them at the same time. So each begins somewhere else, and then finds
# compiled what the others began with. (In the end each has loaded all of these.)
_LARGEST = ("pandas", "scipy.stats", "hypothesis")


def _number_and_count(config: pytest.Config) -> tuple[int, int]:
    """Which one of how many processes this is."""
    about = getattr(config, "workerinput", {"workerid": "gw0", "workercount": 1})
    return int(about["workerid"].removeprefix("gw")), about["workercount"]


class _Turned(pytest.Dir):
    """A folder of tests, of which each process loads another part first, see `_LARGEST`."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        found = list(super().collect())
        number, count = _number_and_count(self.config)
        first = len(found) * number // count
        return found[first:] + found[:first]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector:
    """Let tests be loaded in an order of this process; they run in that of `_ORDER`."""
    return _Turned.from_parent(parent, path=path)


def _set_examples() -> None:
    """Say how Hypothesis takes examples; ``--hypothesis-profile=thorough`` takes more of them.

    How long one takes depends on the machine; it says nothing about what is right. The continuous
    integration takes the same examples each time, so that it judges the change alone.
    """
    from hypothesis import settings

    usual = settings(deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=40)
    settings.register_profile("birdmodes", usual)
    settings.register_profile("thorough", usual, max_examples=400)
    settings.load_profile("birdmodes")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Know the shared fixtures, but in the process that only hands tests out to others.

    It would first load all libraries that the tests need, while the others wait.
    """
    runs_tests = config.getoption("dist", "no") == "no" or hasattr(config, "workerinput")
    if runs_tests:
        importlib.import_module(_LARGEST[_number_and_count(config)[0] % len(_LARGEST)])
    if runs_tests or config.getoption("--hypothesis-profile"):  # every process looks for that
        _set_examples()
    if runs_tests:
        spec = importlib.util.spec_from_file_location("shared_fixtures", FIXTURES)
        assert spec is not None
        assert spec.loader is not None
        fixtures = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = fixtures  # where pickle and dataclasses look for it
        spec.loader.exec_module(fixtures)
        config.pluginmanager.register(fixtures, spec.name)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than cores: many tests wait for a browser or another program."""
    return (os.cpu_count() or 1) + 1


# What takes longest first: what comes last leaves all processes but one without work.
_LONGEST = (
    *("test_demo", "test_window", "test_commands", "test_dask_cluster", "test_kill_points"),
    *("test_damaged_files", "test_scikit_learn", "test_run", "test_segmentation_real"),
    *("test_annotate_recordings", "test_gallery_incremental", "test_hja_birdsong"),
)
_ORDER = ("end_to_end", "sample_data", "birdmodes", "cli", "algorithms")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files of `_LONGEST`, then those that need a browser, then of folders in `_ORDER`.

    A browser goes on from file to file as long as the next one needs it.
    """
    root = Path(__file__).parent
    browsers = {item.path for item in items if item.get_closest_marker("browser")}

    @functools.cache
    def place(path: Path) -> tuple[int, bool, int, tuple[str, ...]]:
        inside = path.is_relative_to(root) and path.relative_to(root).parts[0]
        return (
            _LONGEST.index(path.stem) if path.stem in _LONGEST else len(_LONGEST),
            path not in browsers,
            _ORDER.index(inside) if inside in _ORDER else -1,
            path.parts,
        )

    items.sort(key=lambda item: place(item.path))


def pytest_collection() -> None:
    """Do not look for garbage while thousands of tests are made, none of which is any."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Never look for it among them: to find what little there is would take half a second.

    Nor often among what tests make: most of it is gone with the last that knows it.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
