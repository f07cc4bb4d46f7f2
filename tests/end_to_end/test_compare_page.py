"""The page of ``birdmodes compare`` in a browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browser import (
    COLOUR_RULES,
    WITHOUT_CONTRAST,
    OpenPage,
    grave_findings,
    grave_in_both_themes,
    set_size,
)

from birdmodes.compare.comparison import compare_clusterings
from birdmodes.compare.page import to_html
from birdmodes.modes.clustering import Clustering

pytestmark = pytest.mark.browser

LONG = "a name without any end " * 8


def clustering(name: str, n_clusters: int, seed: int) -> Clustering:
    """Four hundred syllables in clusters, half of them as in all others."""
    rng = np.random.default_rng(seed)
    cluster = np.where(np.arange(400) % 2, np.arange(400) // 10, rng.integers(0, 40, 400))
    cluster = cluster % n_clusters
    species = [
        f"<b>{LONG}</b>" if number == 1 else f"Bird {number}" for number in range(n_clusters)
    ]
    modes = pd.DataFrame({"cluster": range(n_clusters), "species": species})
    modes["mode"] = modes["species"] + " mode 1"
    modes["background"] = False
    table = pd.DataFrame({"syllable": [f"a#{i:05d}" for i in range(400)], "cluster": cluster})
    table = table.merge(modes[["cluster", "species", "mode"]])
    return Clustering(name, table, modes, {}, {})


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    comparison = compare_clusterings(clustering("one", 8, 0), clustering("two", 6, 1))
    path = tmp_path_factory.mktemp("compare") / "one--two.html"
    path.write_text(to_html(comparison), encoding="utf-8")
    return path


def test_it_fits_every_screen_and_is_accessible(page_file: Path, open_page: OpenPage) -> None:
    page = open_page(page_file)
    # its style was let in by the digest, and only its tables are wider than the screen
    radius = "getComputedStyle(document.querySelector('.panel')).borderRadius"
    assert page.evaluate(radius) == "14px"
    for width in (390, 1024, 1920):
        set_size(page, width, 900)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert grave_findings(page, rules=WITHOUT_CONTRAST) == [], width
    assert grave_in_both_themes(page, runOnly=COLOUR_RULES) == []
