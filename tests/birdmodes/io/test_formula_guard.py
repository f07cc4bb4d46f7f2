"""Names that a spreadsheet would run as formulas, one by one and in tables."""

import pandas as pd
import pytest

from birdmodes.io.formula_guard import (
    guarded,
    guarded_path,
    guarded_table,
    unguarded,
    unguarded_path,
    unguarded_table,
)

TEXTS = ["Wren", "=1+1", "'=1", "'Wren", "-", " @x", "./-a", "", "＋1", "a=b", "🐦", "\t=x", "'"]


@pytest.mark.parametrize("repeated", [1, 1000])
def test_tables_are_guarded_as_their_texts_are_one_by_one(repeated):
    texts = [f"{text}{number}" for number in range(repeated) for text in TEXTS]
    table = pd.DataFrame({"species": texts, "path": texts, "n": range(len(texts))})
    there = guarded_table(table, ["path"])
    assert there["species"].tolist() == [guarded(text) for text in texts]
    assert there["path"].tolist() == [guarded_path(text) for text in texts]
    assert there["n"].tolist() == list(range(len(texts)))
    back = unguarded_table(there, ["path"])
    assert back["species"].tolist() == texts
    assert back["path"].tolist() == [unguarded_path(path) for path in there["path"]]


def test_texts_that_are_no_formulas_stay_as_they_are():
    assert [guarded(text) for text in TEXTS[:5]] == ["Wren", "'=1+1", "''=1", "'Wren", "'-"]
    assert [unguarded(guarded(text)) for text in TEXTS] == TEXTS
