from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from birdmodes.compare.comparison import compare_clusterings, content, sentence
from birdmodes.compare.page import to_html
from birdmodes.errors import BirdmodesError
from birdmodes.modes.clustering import ASSIGNMENT_COLUMNS, Clustering

HOSTILE = "<script>alert(1)</script>\"'&\n=1+1"


def clustering(
    name: str, clusters: list[int], species: list[str], background: int = -1
) -> Clustering:
    """Syllables in clusters; `species` of each cluster, of which one is background."""
    n = len(clusters)
    start = np.arange(n, dtype=float)
    table = pd.DataFrame(
        {
            "syllable": [f"a.wav#{i:05d}" for i in range(n)], "recording": "a.wav",
            "start_s": start, "end_s": start + 0.5, "low_hz": 1000.0, "high_hz": 2000.0,
            "cluster": clusters, "confidence": 0.5, "centrality": 1.0, "recorded_at": "",
            "review": "",
        }
    )  # fmt: skip
    modes = pd.DataFrame({"cluster": range(len(species)), "species": species})
    modes["mode"] = [f"{each} mode 1" if each else "" for each in species]
    modes["background"] = modes["cluster"] == background
    for column in ("species", "mode"):
        table[column] = modes.set_index("cluster")[column].loc[clusters].to_numpy()
    return Clustering(name, table[ASSIGNMENT_COLUMNS], modes, {}, {})


FIRST = clustering("first", [0, 0, 0, 0, 1, 1, 2, 2], ["Robin", "Wren", ""], background=2)
SECOND = clustering("second", [1, 1, 2, 2, 0, 0, 0, 3], ["Wren", "Robin", "Tit", ""])


def test_what_becomes_of_each_cluster_by_hand() -> None:
    comparison = compare_clusterings(FIRST, SECOND)
    # the small clusters share exactly half, which is not more than half
    assert [sentence(comparison, change) for change in comparison.changes] == [
        "Robin mode 1 → Robin mode 1 + Tit mode 1",
        "Wren mode 1 → Wren mode 1",
        "background 2 → no species 3",
    ]
    assert [change.kind for change in comparison.changes] == ["splits", "stays", "mixes"]
    assert comparison.table.sum() == 8
    # Robin: 2 of 4; Wren: 2 of 2; the two of no species: 1 of 2 (the other goes to Wren)
    assert comparison.scores["same_species"] == pytest.approx(5 / 8)
    # pairs together in both: 1 + 1 of Robin, 1 of Wren; 8 in the first, 5 in the second, 28 in all
    expected = (3 - 8 * 5 / 28) / ((8 + 5) / 2 - 8 * 5 / 28)
    assert comparison.scores["adjusted_rand_index"] == pytest.approx(expected)
    assert comparison.scores["v_measure"] == pytest.approx(
        comparison.scores["normalized_mutual_info"]
    )


def test_a_clustering_agrees_with_itself() -> None:
    comparison = compare_clusterings(FIRST, FIRST)
    assert set(comparison.scores.values()) == {1.0}
    assert {change.kind for change in comparison.changes} == {"stays"}
    assert {change.share for change in comparison.changes} == {1.0}
    assert (comparison.moves, comparison.small_moves) == ([], 0)
    assert (comparison.table == np.diag([4, 2, 2])).all()


def test_homogeneity_says_that_the_second_only_splits() -> None:
    finer = clustering("finer", [0, 0, 1, 1, 2, 2, 3, 3], ["a", "b", "c", "d"])
    scores = compare_clusterings(FIRST, finer).scores
    assert scores["homogeneity"] == pytest.approx(1)
    assert scores["completeness"] < 0.9
    scores = compare_clusterings(finer, FIRST).scores
    assert scores["completeness"] == pytest.approx(1)


def test_syllables_of_one_side_only_are_counted_and_left_out() -> None:
    shorter = clustering("shorter", [0, 0, 0, 0, 1, 1], ["Robin", "Wren"])
    comparison = compare_clusterings(FIRST, shorter)
    assert (comparison.first.unmatched, comparison.second.unmatched) == (2, 0)
    assert comparison.table.tolist() == [[4, 0], [0, 2]]
    assert list(comparison.first.modes["name"]) == ["Robin mode 1", "Wren mode 1"]


def test_clusterings_of_two_workspaces_match_by_place() -> None:
    renamed = clustering("second", [1, 1, 2, 2, 0, 0, 0, 3], ["Wren", "Robin", "Tit", ""])
    renamed.assignments["syllable"] = [f"x{i}" for i in range(8)]
    by_place = compare_clusterings(FIRST, renamed, by_place=True)
    assert content(by_place) == content(compare_clusterings(FIRST, SECOND))
    with pytest.raises(BirdmodesError, match="no syllable in common"):
        compare_clusterings(FIRST, renamed)


def test_the_content_is_json() -> None:
    comparison = compare_clusterings(FIRST, SECOND)
    told = json.loads(json.dumps(content(comparison)))
    assert told["syllables"] == 8
    assert told["changes"][0] == {
        "kind": "splits", "first": [0], "second": [1, 2], "syllables": 4, "share": 1.0,
    }  # fmt: skip
    assert (
        sum(change["syllables"] for change in told["changes"])
        + sum(move["syllables"] for move in told["moves"])
        + told["small_moves"]
        == 8
    )


def test_hostile_names_are_text_on_the_page() -> None:
    hostile = clustering("second", [0, 0, 0, 0, 1, 1, 2, 2], [HOSTILE, "Wren", ""])
    page = to_html(compare_clusterings(FIRST, hostile))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&amp;\\n=1+1 mode 1" in page
    assert not re.search(r"\son\w+=", page)
    assert not re.search(r'\sstyle="', page)


def test_the_page_tells_the_figures_and_needs_nothing_else() -> None:
    page = to_html(compare_clusterings(FIRST, SECOND))
    assert to_html(compare_clusterings(FIRST, SECOND)) == page
    assert "8 syllables that both clusterings have, in 3 and 4 clusters" in page
    assert not re.search(r'(?:src|href)="(?!#|data:,)', page)
    assert not re.search(r"url\(|@import", page)
    rows = re.findall(r"<tr><th scope=\"row\".*?</tr>", page, flags=re.DOTALL)
    assert len(rows) == 3
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", rows[0])
    assert [cell for cell in cells if cell] == ["2", "2"]
