from __future__ import annotations

import hashlib

import pandas as pd

from birdmodes.modes.digest import assignments_digest


def table(rows: list[tuple[str, int, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["syllable", "cluster", "mode"])


def test_is_sha256_of_the_sorted_rows_as_json() -> None:
    rows = [("b.wav#00000", 1, ""), ("a.wav#00000", 0, "Robin mode 1")]
    text = '[["a.wav#00000",0,"Robin mode 1"],["b.wav#00000",1,""]]'
    assert assignments_digest(table(rows)) == hashlib.sha256(text.encode()).hexdigest()


def test_the_order_of_rows_does_not_matter() -> None:
    rows = [("b", 1, ""), ("a", 0, "x"), ("c", 0, "x")]
    assert assignments_digest(table(rows)) == assignments_digest(table(rows[::-1]))


def test_names_with_any_characters_are_told_apart() -> None:
    one = table([('a","b', 0, "x")])
    other = table([("a", 0, 'b","x')])
    assert assignments_digest(one) != assignments_digest(other)
    assert assignments_digest(table([("ä\n", 0, "\t")])) != assignments_digest(
        table([("ä", 0, "\t")])
    )


def test_moving_a_syllable_or_renaming_a_mode_changes_it() -> None:
    before = assignments_digest(table([("a", 0, "x"), ("b", 1, "y")]))
    assert before != assignments_digest(table([("a", 1, "x"), ("b", 1, "y")]))
    assert before != assignments_digest(table([("a", 0, "x"), ("b", 1, "z")]))
