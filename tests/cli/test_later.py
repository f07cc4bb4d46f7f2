from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cli.later import load_later


def test_a_module_is_loaded_once_something_is_asked_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    load_later("colorsys")
    import colorsys

    assert "rgb_to_hsv" not in vars(colorsys)
    assert colorsys.rgb_to_hsv(1.0, 1.0, 1.0) == (0.0, 0.0, 1.0)
    assert "rgb_to_hsv" in vars(sys.modules["colorsys"])
    with pytest.raises(AttributeError, match="no_such_colour"):
        _ = colorsys.no_such_colour  # type: ignore[attr-defined]


def test_a_module_that_is_there_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    there = ModuleType("colorsys")
    monkeypatch.setitem(sys.modules, "colorsys", there)
    load_later("colorsys")
    assert sys.modules["colorsys"] is there


def test_scikit_learn_does_without_statistics_until_they_are_wanted() -> None:
    code = (
        "import sys; from cli.later import load_later; load_later('scipy.stats'); "
        "import sklearn.base, scipy.stats as later; print('scipy.stats._stats_py' in sys.modules); "
        "from scipy.stats import norm; import scipy.stats.mstats, scipy; "
        "print(norm.cdf(0), later.norm is norm, scipy.stats is sys.modules['scipy.stats'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "0.5", "True", "True"]


def test_no_garbage_is_looked_for_while_libraries_are_loaded() -> None:
    code = (
        "import gc; from cli.later import loading\n"
        "with loading(): print(gc.isenabled(), gc.get_freeze_count())\n"
        "kept = gc.get_freeze_count(); print(gc.isenabled(), kept > 1000)\n"
        "with loading(): made = [[] for _ in range(1000)]\n"
        "print(gc.isenabled(), gc.get_freeze_count() - kept < 1000)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "0", "True", "True", "True", "True"]


def test_clustering_needs_none_of_what_is_loaded_later(small_workspace: Path) -> None:
    code = (
        "import sys; from types import ModuleType\n"
        "import cli.later, cli.main\n"
        "sys.argv = ['birdmodes', 'cluster', '--name', 'later', '--workspace', sys.argv[1]]\n"
        "try: cli.main.main()\n"
        "except SystemExit: print('NEEDED', *[name for name in cli.later.SELDOM_NEEDED "
        "if type(sys.modules.get(name)) is ModuleType])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(small_workspace)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "NEEDED"
