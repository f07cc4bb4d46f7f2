"""What separates species in a cell is seen from the other cells, or asked."""

from __future__ import annotations

import pytest

from birdmodes.labels.cell_lists import CellLists


@pytest.mark.parametrize(
    ("cells", "split"),
    [
        (["Wren, Robin", "Robin, Wren"], ("Wren", "Robin")),
        (["Wren, Robin", "Robin", "Wren"], ("Wren", "Robin")),
        (["Wren / Robin", "Robin", "Wren / Dipper", "Dipper"], ("Wren", "Robin")),
        (["Wren,Robin", "Robin", "Wren"], ("Wren", "Robin")),
        (["Wren, ", "Robin"], ("Wren",)),
        (["Wren|Robin"], ("Wren", "Robin")),
        (["Wren\u3001Robin"], ("Wren", "Robin")),
        (["Wren \uff0cRobin", "Robin", "Wren"], ("Wren", "Robin")),
        (["Wren & Robin", "Robin", "Wren"], ("Wren", "Robin")),
        (["Wren/Robin", "Robin", "Wren"], ("Wren", "Robin")),
        (["Wren und Robin", "Robin", "Wren"], ("Wren", "Robin")),
        (["Wren, Robin / Dipper", "Robin", "Wren", "Dipper"], ("Wren", "Robin", "Dipper")),
        (["Wren, none", "Wren"], ("Wren", "none")),
        # where a column is of lists, a name that stands in one of them only is one too
        (["Wren, Robin", "Robin, Wren", "Wren, Dipper"], ("Wren", "Robin")),
    ],
)
def test_what_separates_is_seen_from_the_other_cells(
    cells: list[str], split: tuple[str, ...]
) -> None:
    lists = CellLists(cells)
    assert not any(map(lists.is_unclear, cells))
    assert lists.split(cells[0]) == split


@pytest.mark.parametrize(
    "cells",
    [
        ["Owl, Barn"],
        ["Owl, Barn", "Owl, Tawny", "Wren"],
        ["Warbler, Blue", "Warbler, Red", "Tit, Blue", "Tit, Great"],
        ["Owl,Barn", "Wren"],
        ["Rook / Crow", "Wren"],
    ],
)
def test_what_may_be_a_name_is_unclear(cells: list[str]) -> None:
    lists = CellLists(cells)
    assert [lists.is_unclear(cell) for cell in cells] == [cell != "Wren" for cell in cells]
    assert lists.split(cells[0]) == (cells[0],)


@pytest.mark.parametrize(
    ("name", "doubtful"),
    [
        ("Common/Lesser Redpoll", False),
        ("Black & White Warbler", True),
        ("Wren/Dipper", True),
        ("Wren", False),
    ],
)
def test_a_name_with_a_rare_sign_stays_whole_and_may_be_doubted(name: str, doubtful: bool) -> None:
    lists = CellLists([name, "Wren"])
    assert not lists.is_unclear(name)
    assert lists.split(name) == (name,)
    assert lists.may_be_several(name) == doubtful
